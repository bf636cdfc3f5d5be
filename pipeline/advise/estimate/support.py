"""Which engine runs which weight format on which architecture: the sourced table of `data/support.yml`.

Ask `verdict` before a configuration is recommended or its speed is estimated. What the table does not cover is not
documented, which is not the same as not supported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator

from pipeline.advise.estimate.engines import ENGINES
from pipeline.advise.estimate.types import Card, EstimateError
from pipeline.advise.estimate.weights import MIXES
from pipeline.core.documents import Document, Strict, Text, meant, placed, read
from pipeline.core.paths import DATA

WHERE = "data/support.yml"
# The formats that the table speaks of; every one of llama.cpp's quantizations is "gguf".
FORMATS = ("16-bit", "gguf", "fp8", "int8", "int4", "nvfp4", "mxfp4", "nf4", "adam8bit")
# Engines that run another one's code under their own rules.
SAME_RULES = {"llamafile": "llama.cpp"}
# The engines that somebody asks for; bitsandbytes trains, and so is none of those that answer.
KNOWN = (*dict.fromkeys(engine.name for engine in ENGINES), "bitsandbytes")
PATH = DATA.data / "support.yml"


def _a_version(written: object) -> str:
    """A version as the engine prints it; ValueError for words, and for one that a YAML number would round."""
    text = str(written)
    if not re.fullmatch(r"\d+(?:\.\d+)*", text):
        raise ValueError(f'{text!r} is no version; write its numbers alone, in quotes, as "0.24"')
    return text


Version: TypeAlias = Annotated[str, BeforeValidator(_a_version)]


class SupportRow(Strict):
    """One statement of a document: an engine on these architectures with these formats."""

    engine: Text
    gpus: tuple[Text, ...]
    formats: tuple[Literal[FORMATS], ...] = ()  # type: ignore[valid-type]
    verdict: Literal["yes", "experimental", "no"]
    since: Version | None = None
    until: Version | None = None
    as_of: Version | None = None
    reason: str = ""
    document: Text
    locator: Text


class SupportFile(Strict):
    """The file: what was read, and what it says."""

    documents: dict[str, Document]
    rows: tuple[SupportRow, ...]


@lru_cache(maxsize=4)
def load(path: Path = PATH) -> SupportFile:
    """Read the table; EstimateError names every row that cannot be right, by line."""
    table = read(path, WHERE, SupportFile, "it needs documents and rows", EstimateError)
    problems = placed(WHERE, path.read_text(encoding="utf-8"), _problems(table))
    if problems:
        raise EstimateError("\n".join(problems))
    return table


def unknown_gpus(known: Collection[str], path: Path = PATH) -> list[str]:
    """Words under `gpus` that are none of `known`, makers and "maker architecture", each with its line."""
    step = "write a maker, or a maker and an architecture, as the files of data/gpus do"
    found = [
        (("rows", number, "gpus", entry), f"gpus: no card is of {word!r}{meant(word, sorted(known))}; {step}")
        for number, row in enumerate(load(path).rows)
        for entry, word in enumerate(row.gpus)
        if word not in known
    ]
    return placed(WHERE, path.read_text(encoding="utf-8"), found)


def _problems(table: SupportFile) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for number, row in enumerate(table.rows):
        place, named = ("rows", number), f"row {number + 1} ({row.engine})"
        if row.document not in table.documents:
            near = meant(row.document, list(table.documents))
            yield (
                place,
                f"{named}: document {row.document!r} is not listed{near}; add it under documents",
            )
        if row.engine not in KNOWN:
            yield place, f"engine: {row.engine!r} is none of {', '.join(KNOWN)}{meant(row.engine, list(KNOWN))}"
        if row.verdict != "yes" and not row.reason:
            yield place, f"{named}: verdict {row.verdict!r} has no reason; add one, since the answer shows it"
        if row.since and row.until and _numbers(row.until) < _numbers(row.since):
            yield place, f"{named}: until {row.until} is before since {row.since}; correct one of them"
    for name in sorted(table.documents.keys() - {row.document for row in table.rows}):
        yield ("documents", name), f"document {name!r} is behind no row; take it out"
    yield from _doubles(table.rows)


def _doubles(rows: Sequence[SupportRow]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Rows that speak of the same cards and formats as an earlier one: the first would win unseen."""
    for (first, one), (number, other) in combinations(enumerate(rows), 2):
        both = [word for word in other.gpus if word in one.gpus]
        alike = [word for word in other.formats if word in one.formats]
        if one.engine == other.engine and both and (alike or not (one.formats or other.formats)):
            what = " and ".join((both[0], *alike[:1]))
            yield ("rows", number), f"row {number + 1} ({other.engine}): of {what} row {first + 1} speaks too; keep one"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def verdict(engine: str, card: Card, quant: str, table: SupportFile | None = None) -> SupportRow | None:
    """The most precise row for this engine, card and quantization (its name, or a format of FORMATS); None: no row."""
    asked = (SAME_RULES.get(engine, engine), card.vendor, card.architecture, format_of(quant))
    return _of_project(*asked) if table is None else _most_precise(table, *asked)


@lru_cache(maxsize=4096)
def _of_project(engine: str, vendor: str, architecture: str, wanted: str) -> SupportRow | None:
    return _most_precise(load(), engine, vendor, architecture, wanted)


def _most_precise(table: SupportFile, engine: str, vendor: str, architecture: str, wanted: str) -> SupportRow | None:
    precise = f"{vendor} {architecture}"
    ranked = sorted(
        (precise not in row.gpus, not row.formats, number)
        for number, row in enumerate(table.rows)
        if row.engine == engine
        and (precise in row.gpus or vendor in row.gpus)
        and (not row.formats or wanted in row.formats)
    )
    return table.rows[ranked[0][2]] if ranked else None


def format_of(quant: str) -> str:
    """The format of a quantization in the table's words."""
    if quant in FORMATS:
        return quant
    mix = MIXES[quant]
    if quant == "f16":
        return "16-bit"
    if quant.startswith("mxfp4"):
        return "mxfp4"
    return "gguf" if mix.gguf else quant


def refusal(engine: str, card: Card, quant: str) -> str:
    """Why this engine cannot run this format on this card; "" where no document says that it cannot."""
    found = verdict(engine, card, quant)
    if found is None or found.verdict != "no":
        return ""
    what = "" if not found.formats else f" with {format_of(quant)} weights"
    return f"{engine} does not run on {card.name}{what}: {found.reason or 'its documents say no'}"


def caution(engine: str, card: Card, quant: str) -> str:
    """What to know before one relies on a combination that works only in part; "" where nothing."""
    found = verdict(engine, card, quant)
    if found is None or found.verdict != "experimental":
        return ""
    return f"{engine} on {card.name} with {format_of(quant)} weights is experimental: {found.reason}"
