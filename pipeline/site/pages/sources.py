"""Who says it: each source with its licence, its dates and how many rows of the dataset come from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.core.paths import DATA
from pipeline.core.schema import KIND_MEANING
from pipeline.dataset import Dataset
from pipeline.derive import summaries
from pipeline.intake import licences
from pipeline.intake.licences import Licence
from pipeline.intake.sources import MODULES
from pipeline.intake.sources.base import Source
from pipeline.site.pages.facts import source_title
from pipeline.site.render import Page


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source of the list and what the dataset holds of it."""

    source: Source
    licence: Licence
    parents: tuple[str, ...]
    retrieved: str
    claims: int
    chosen: int
    benchmarks: int
    prices: int


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document that a person read for one or more GPUs."""

    source: str
    url: str
    kind: str
    licence: str
    retrieved: str
    claims: int


def pages(dataset: Dataset) -> Iterator[Page]:
    """One page: the listed sources, then the documents that people read by hand."""
    held = _held(dataset)
    decided = licences.load(DATA.licences)
    listed = [_entry(module.SOURCE, decided.of(module.SOURCE.id), held) for module in MODULES]
    listed.sort(key=lambda e: (-(e.claims + e.benchmarks + e.prices), e.source.id))
    context = {
        "sources": listed,
        "documents": _documents(dataset, {entry.source.id for entry in listed}),
        "kinds": KIND_MEANING,
        "decisions": licences.DECISIONS,
        "by_hand": decided.of(licences.BY_HAND),
        "newest": dataset.newest_reading,
        "claims": len(dataset.claims),
    }
    yield Page(
        "data/sources",
        "sources.html.j2",
        context,
        "Sources",
        "Every source of the almanac: what it gives, its licence, when it was read, how many rows it holds.",
        "pipeline/intake/sources/__init__.py",
    )


def _held(dataset: Dataset) -> dict[str, dict[str, Any]]:
    """By source how many rows of each table it has, and the newest day on which it was read."""
    import pandas as pd

    claims = dataset.frame("claims")
    tables = {
        "claims": claims,
        "chosen": claims[claims["chosen"]],
        "benchmarks": dataset.frame("benchmarks"),
        "prices": dataset.frame("prices"),
    }
    told = {name: summaries.by_source(table).set_index("source") for name, table in tables.items()}
    held = pd.DataFrame({name: table["rows"] for name, table in told.items()}).fillna(0)
    newest = pd.concat([table["retrieved"] for table in told.values()]).groupby(level=0).max()
    rows = held.assign(retrieved=newest).to_dict("index")
    return {str(source): {str(name): cell for name, cell in row.items()} for source, row in rows.items()}


def _entry(source: Source, licence: Licence, held: dict[str, dict[str, Any]]) -> SourceEntry:
    parents = tuple(map(source_title, source.derived_from))
    rows = held.get(source.id, {})
    counts = (int(rows.get(name, 0)) for name in ("claims", "chosen", "benchmarks", "prices"))
    return SourceEntry(source, licence, parents, rows.get("retrieved", ""), *counts)


def _documents(dataset: Dataset, listed: set[str]) -> list[ReadDocument]:
    claims = dataset.frame("claims")
    counted = summaries.documents(claims[~claims["source"].isin(listed)])
    return [ReadDocument(*row) for row in counted.itertuples(index=False, name=None)]
