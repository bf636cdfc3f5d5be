"""The CSVs of `data/` as typed rows: whoever needs claims, results or prices reads them here."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from pipeline.core.measured.cells import integer_or_none, number_or_none, whole, yes_no
from pipeline.core.schema import Claim, DecidedClaim, Price, Result, Verdict

Record = TypeVar("Record", Claim, DecidedClaim, Result, Price)
VERDICTS: Mapping[str, Verdict] = {
    "chosen": "chosen",
    "agrees": "agrees",
    "differs": "differs",
    "withdrawn": "withdrawn",
}


class RecordError(ValueError):
    """A row that does not have its columns, or a cell that does not have the type of its column."""


def read(kind: type[Record], lines: Iterable[str], where: str) -> Iterator[Record]:
    """Read the rows of a CSV; RecordError names `where`, row, column and value."""
    rows = csv.reader(lines, strict=True)
    heads = next(rows, [])
    places = [_place(kind, name, heads, where) for name in READERS_OF[kind]]
    for number, cells in enumerate(rows, start=2):
        if len(cells) != len(heads):
            raise RecordError(f"{where} row {number}: {len(cells)} cells under {len(heads)} headings")
        try:
            values = [cells[at] if reader is str else reader(cells[at]) for at, _, reader in places]
        except (ValueError, KeyError):
            raise RecordError(f"{where} row {number}: {_wrong(cells, places)}") from None
        yield kind(*values)  # type: ignore[arg-type] # the readers are those of its annotations


def _place(kind: type[Record], name: str, heads: list[str], where: str) -> tuple[int, str, Callable[[str], Any]]:
    """Where a column stands in a file and how it is read; one that the file may lack is read as its default."""
    if name in heads:
        return heads.index(name), name, READERS_OF[kind][name]
    if name not in OPTIONAL[kind]:
        raise RecordError(f"{where}: no column {name!r}")
    default = OPTIONAL[kind][name]
    return 0, name, lambda _: default


def _wrong(cells: list[str], places: Iterable[tuple[int, str, Callable[[str], Any]]]) -> str:
    """Name the cell that its reader refuses."""
    for at, name, reader in places:
        try:
            reader(cells[at])
        except (ValueError, KeyError):
            return f"column {name!r} holds {cells[at]!r}"
    raise AssertionError("asked about a row that reads well")


# By annotation of the dataclass field (they are strings, see `from __future__ import annotations`).
READERS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "Day": str,
    "int": whole,
    "bool": yes_no,
    "float | None": number_or_none,
    "int | None": integer_or_none,
    "Verdict": VERDICTS.__getitem__,
}
KINDS = (Claim, DecidedClaim, Result, Price)
READERS_OF: Mapping[type, Mapping[str, Callable[[str], Any]]] = {
    kind: {f.name: READERS[str(f.type)] for f in fields(kind)} for kind in KINDS
}
# Columns that a file may lack, with what they hold then: written before they were there, it stays as it is.
OPTIONAL: Mapping[type, Mapping[str, object]] = {
    kind: {f.name: f.default for f in fields(kind) if f.default is not MISSING} for kind in KINDS
}
