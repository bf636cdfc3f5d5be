"""What each column of a released table is: its type, its unit and its meaning.

A date that a source states as a month or a year stands in a release as a whole day, with how much of it is known in a
column of its own, so that every program reads every date and nobody takes the first of a month for the day.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal, get_args

from pipeline.core.schema import (
    ACCUMULATES,
    ENGINES,
    FIELDS,
    IDENTITY_COLUMNS,
    INPUTS,
    KINDS,
    SEGMENTS,
    SPARSITIES,
    DecidedClaim,
    Price,
    Result,
    Verdict,
)
from pipeline.site.pages.dictionary import column_meaning

Kind = Literal["string", "number", "integer", "boolean", "date"]
PRECISIONS = ("day", "month", "year")
PARTIAL_DATES = ("launch_date", "date")
DATES = (*PARTIAL_DATES, "retrieved")
UNITS = {
    "tflops": "10^12 operations per second",
    "usd_per_gpu_hour": "USD per hour",
    "usd_per_machine_hour": "USD per hour",
    "usd_per_unit": "USD",
    "tax": "per cent",
}
# Columns that hold words of a closed list, by table: the same name may be free text in another.
WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "gpus": {"segment": SEGMENTS},
    "peaks": {"input": INPUTS, "accumulate": ACCUMULATES, "sparsity": SPARSITIES, "engine": ENGINES},
    "claims": {"kind": KINDS, "verdict": get_args(Verdict)},
}
# How a field of the schema and a dataclass say what a column is.
OF_FIELD: dict[str, Kind] = {
    "number": "number",
    "integer": "integer",
    "text": "string",
    "date": "date",
    "flag": "boolean",
}
OF_ANNOTATION: dict[str, Kind] = {
    "str": "string",
    "int": "integer",
    "bool": "boolean",
    "int | None": "integer",
    "float | None": "number",
    "Verdict": "string",
    "float": "number",
}
KEYS = {"gpus": ("id",), "peaks": ("gpu", "input", "accumulate", "sparsity", "engine")}
SOURCE_MEANING = {
    "source": "Who says so: the word that stands in the column source of the other tables",
    "title": "What the source is called",
    "kind": "What was read, best first: " + ", ".join(KINDS),
    "url": "Its public address",
    "licence": "The licence that the source states",
    "decision": "What that allows us: attribution, share alike or facts only",
    "reason": "Why",
    "rows": "Rows of this release that come from it",
}


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """One column of a released table; `words` are the only ones it may hold."""

    name: str
    kind: Kind
    unit: str
    meaning: str
    words: tuple[str, ...] = ()


def columns() -> dict[str, tuple[ReleasedColumn, ...]]:
    """The columns of every released table, in order."""
    plain: dict[str, list[tuple[str, Kind]]] = {
        "gpus": [
            *((name, "integer" if name == "dies" else "string") for name in IDENTITY_COLUMNS),
            *((field.name, OF_FIELD[field.type]) for field in FIELDS.values()),
        ],
        "peaks": [*((name, "string") for name in KEYS["peaks"]), ("tflops", "number"), ("computed", "boolean")],
        **{
            name: [
                (field.name, "date" if field.name in DATES else OF_ANNOTATION[str(field.type)])
                for field in dataclasses.fields(record)
            ]
            for name, record in (("claims", DecidedClaim), ("benchmarks", Result), ("prices", Price))
        },
    }
    described = {table: tuple(_described(table, named)) for table, named in plain.items()}
    sources = (
        ReleasedColumn(name, "integer" if name == "rows" else "string", "", meaning)
        for name, meaning in SOURCE_MEANING.items()
    )
    return described | {"sources": tuple(sources)}


def _described(table: str, named: list[tuple[str, Kind]]) -> list[ReleasedColumn]:
    found = []
    for name, kind in named:
        unit = FIELDS[name].unit if name in FIELDS else UNITS.get(name, "")
        words = WORDS.get(table, {}).get(name, ())
        found.append(ReleasedColumn(name, kind, unit, column_meaning(name), words))
        if name in PARTIAL_DATES:
            meaning = (
                f"How much of {name} is known; of a month the first day stands for it, of a year the first of January"
            )
            found.append(ReleasedColumn(f"{name}_precision", "string", "", meaning, PRECISIONS))
    return found
