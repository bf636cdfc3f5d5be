"""Which engine runs which weight format on which architecture: the sourced table of `data/support.yml`.

Ask `verdict` before a configuration is recommended or its speed is estimated. What the table does not cover is not
documented, which is not the same as not supported.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pipeline.advise.estimate.types import Card, EstimateError
from pipeline.advise.estimate.weights import MIXES
from pipeline.core.documents import Document, Strict, Text, read
from pipeline.core.paths import DATA

WHERE = "data/support.yml"
# The formats that the table speaks of; every one of llama.cpp's quantizations is "gguf".
FORMATS = ("16-bit", "gguf", "fp8", "int8", "int4", "nvfp4", "mxfp4", "nf4", "adam8bit")
# Engines that run another one's code under their own rules.
SAME_RULES = {"llamafile": "llama.cpp"}


class SupportRow(Strict):
    """One statement of a document: an engine on these architectures with these formats."""

    engine: Text
    gpus: tuple[Text, ...]
    formats: tuple[Literal[FORMATS], ...] = ()  # type: ignore[valid-type]
    verdict: Literal["yes", "experimental", "no"]
    since: str | float | None = None
    until: str | float | None = None
    as_of: str | float | None = None
    reason: str = ""
    document: Text
    locator: Text


class SupportFile(Strict):
    """The file: what was read, and what it says."""

    documents: dict[str, Document]
    rows: tuple[SupportRow, ...]


@lru_cache(maxsize=4)
def load(path: Path = DATA.data / "support.yml") -> SupportFile:
    """Read the table; EstimateError names a row that cannot be read or whose document is not listed."""
    table = read(path, WHERE, SupportFile, "it needs documents and rows", EstimateError)
    for number, row in enumerate(table.rows, start=1):
        if row.document not in table.documents:
            raise EstimateError(
                f"{WHERE}: row {number} ({row.engine}): document {row.document!r} is not listed; add it under documents"
            )
    return table


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
