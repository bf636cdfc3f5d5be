"""Who says it: each source with its licence, its dates and how many rows of the dataset come from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.dataset import Dataset
from pipeline.pages.facts import source_title
from pipeline.render import Page
from pipeline.schema import KIND_MEANING
from pipeline.sources import MODULES
from pipeline.sources.base import Source


@dataclass(frozen=True, slots=True)
class Held:
    """How many rows of the dataset come from each source, and when it was last read."""

    claims: Counter[str] = field(default_factory=Counter)
    chosen: Counter[str] = field(default_factory=Counter)
    benchmarks: Counter[str] = field(default_factory=Counter)
    prices: Counter[str] = field(default_factory=Counter)
    retrieved: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A source of the list and what the dataset holds of it."""

    source: Source
    parents: tuple[str, ...]
    retrieved: str
    claims: int
    chosen: int
    benchmarks: int
    prices: int


@dataclass(frozen=True, slots=True)
class Document:
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
    listed = [_entry(module.SOURCE, held) for module in MODULES]
    listed.sort(key=lambda e: (-(e.claims + e.benchmarks + e.prices), e.source.id))
    context = {
        "sources": listed,
        "documents": _documents(dataset, {entry.source.id for entry in listed}),
        "kinds": KIND_MEANING,
        "newest": dataset.newest_reading,
        "claims": len(dataset.tables["claims"]),
    }
    yield Page("data/sources", "sources.html.j2", context, "Sources",
               "Every source of the almanac: what it gives, its licence, when it was read, how many rows it holds.",
               "pipeline/sources/__init__.py")  # fmt: skip


def _held(dataset: Dataset) -> Held:
    held = Held()
    for name in ("claims", "benchmarks", "prices"):
        for row in dataset.tables[name]:
            getattr(held, name)[row["source"]] += 1
            held.retrieved[row["source"]] = max(held.retrieved.get(row["source"], ""), row["retrieved"])
    held.chosen.update(row["source"] for row in dataset.tables["claims"] if row["chosen"] == "yes")
    return held


def _entry(source: Source, held: Held) -> Entry:
    return Entry(source, tuple(map(source_title, source.derived_from)), held.retrieved.get(source.id, ""),
                 held.claims[source.id], held.chosen[source.id], held.benchmarks[source.id],
                 held.prices[source.id])  # fmt: skip


def _documents(dataset: Dataset, listed: set[str]) -> list[Document]:
    rows = [row for row in dataset.tables["claims"] if row["source"] not in listed]
    counted = Counter((row["source"], row["url"], row["kind"], row["licence"], row["retrieved"]) for row in rows)
    return [Document(*key, number) for key, number in sorted(counted.items())]
