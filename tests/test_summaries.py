"""A summary is what a plain count over typed rows gives, and gives it on every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.dataframe as dask
import duckdb
import pandas as pd
import polars
import pytest
from samples import Tree, claim

from pipeline.dataset import Dataset
from pipeline.derive import summaries
from pipeline.record import build


@pytest.fixture
def dataset(tree: Tree) -> Dataset:
    """Two sources, of which one differs on the power and another agrees on the memory."""
    tree.claims(
        "shop",
        (
            claim("board_power_w", "425 W", source="shop", kind="community", retrieved="2026-11-19"),
            claim("board_power_w", "400 W", source="shop", kind="community", locator="row 2"),
            claim("memory_gb", "24 GB", source="shop", kind="community", retrieved="2026-11-21"),
        ),
    )
    build.build(tree.data)
    return Dataset.load(tree.data.clean)


def plain(frame: Any) -> list[tuple[Any, ...]]:
    """The rows of a frame of any engine."""
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return [tuple(row) for row in frame.fetchall()]
    if isinstance(frame, polars.DataFrame):
        return frame.rows()
    held = frame.compute() if isinstance(frame, dask.DataFrame) else frame
    return [tuple(row) for row in held.itertuples(index=False)]


ENGINES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "polars": polars.from_pandas,
    "duckdb": lambda frame: duckdb.from_arrow(polars.from_pandas(frame).to_arrow()),
    "dask": lambda frame: dask.from_pandas(frame, npartitions=2),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_each_source_and_its_newest_day(dataset: Dataset, engine: str) -> None:
    found = summaries.by_source(ENGINES[engine](dataset.frame("claims")))
    assert plain(found) == [("shop", 3, "2026-11-21"), ("wikipedia-gpu-info", 11, "2026-11-20")]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_field_counts_the_gpus_where_it_is_known_agreed_and_disputed(dataset: Dataset, engine: str) -> None:
    found = {name: rest for name, *rest in plain(summaries.by_field(ENGINES[engine](dataset.frame("claims"))))}
    assert found["memory_gb"] == [1, 1, 0]
    assert found["board_power_w"] == [1, 0, 1]
    assert found["memory_type"] == [1, 0, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_document_counts_its_claims_by_the_day_on_which_it_was_read(dataset: Dataset, engine: str) -> None:
    found = plain(summaries.documents(ENGINES[engine](dataset.frame("claims"))))
    assert [(row[0], row[-2], row[-1]) for row in found] == [
        ("shop", "2026-11-19", 1),
        ("shop", "2026-11-20", 1),
        ("shop", "2026-11-21", 1),
        ("wikipedia-gpu-info", "2026-11-20", 11),
    ]
