"""The rows of a release: those of `data/clean` that a licence lets leave, every cell in the type of its column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date

from pipeline.core.schema import TABLES, whole_day
from pipeline.dataset import Dataset
from pipeline.intake.licences import Licences
from pipeline.site.release.columns import PRECISIONS, ReleasedColumn

Cell = str | int | float | bool | date | None
Table = list[tuple[Cell, ...]]


class ReleaseError(ValueError):
    """A release that would break a licence or hold a cell that does not fit its column."""


def tables(dataset: Dataset, licences: Licences, columns: Mapping[str, tuple[ReleasedColumn, ...]]) -> dict[str, Table]:
    """Every table with its released rows; ReleaseError where a chosen figure rests on a source that is left out."""
    for claim in dataset.claims:
        if claim.chosen and not licences.of(claim.source).released:
            raise ReleaseError(
                f"{claim.gpu}: {claim.field} rests on {claim.source}, which data/licences.csv leaves out of releases; "
                f"find another source for it, or withdraw the claim in data/corrections.yml"
            )
    released = replace(
        dataset,
        claims=tuple(claim for claim in dataset.claims if licences.of(claim.source).released),
        benchmarks=tuple(result for result in dataset.benchmarks if licences.of(result.source).released),
        prices=tuple(price for price in dataset.prices if licences.of(price.source).released),
    )
    return {
        **{name: [tuple(_cells(columns[name], row)) for row in released.rows(name)] for name in TABLES},
        "sources": sorted(_sources(released, licences), key=str),
    }


def _cells(columns: tuple[ReleasedColumn, ...], row: Mapping[str, Cell]) -> Iterator[Cell]:
    for column in columns:
        if column.words == PRECISIONS and column.name not in row:
            known = row[column.name.removesuffix("_precision")]
            yield None if known is None else whole_day(str(known))[1]
        else:
            value = row[column.name]
            is_day = column.kind == "date" and value is not None
            yield date.fromisoformat(whole_day(str(value))[0]) if is_day else value


def _sources(released: Dataset, licences: Licences) -> Iterator[tuple[Cell, ...]]:
    """Each source and each document read by hand, with what its licence allows and how many rows rest on it."""
    claims = ((c.source, c.source_title, c.kind, c.url, c.licence) for c in released.claims)
    results = ((r.source, r.source, "", r.url, r.licence) for r in released.benchmarks)
    prices = ((p.source, p.source, "", p.url, p.licence) for p in released.prices)
    counted = Counter(
        (source, title, kind, "" if licences.listed(source) else url, licence)
        for source, title, kind, url, licence in (*claims, *results, *prices)
    )
    for (source, title, kind, url, licence), rows in counted.items():
        decided = licences.of(source)
        yield source, title, kind or None, url or None, licence, decided.decision, decided.reason, rows
