"""Summaries of the long tables, written once for every engine that Narwhals knows.

Each function takes a table of `data/clean` as a frame (`Dataset.frame`, or the same columns in Polars, DuckDB or
Dask) and gives a frame of the same engine, so that ten million rows take the same way as ten thousand.
"""

from __future__ import annotations

import narwhals as nw
from narwhals.typing import FrameT


@nw.narwhalify
def by_source(table: FrameT) -> FrameT:
    """How many rows of claims, results or prices each source has, and the newest day on which it was read."""
    return table.group_by("source").agg(nw.len().alias("rows"), nw.col("retrieved").max()).sort("source")


@nw.narwhalify
def by_field(claims: FrameT) -> FrameT:
    """For each field how many GPUs have a chosen value, how many of these rest on two sources, how many are disputed.

    Takes the claims. A field that two sources dispute on one GPU counts once.
    """
    chosen = nw.col("verdict") == "chosen"
    marks = {
        "chosen": chosen,
        "agreed": chosen & (nw.col("independent_sources").fill_null(0) >= 2),
        "disputed": nw.col("verdict") == "differs",
    }
    told = claims.with_columns(**{name: mark.cast(nw.Int64) for name, mark in marks.items()})
    by_gpu = told.group_by("field", "gpu").agg(*(nw.col(name).max() for name in marks))
    return by_gpu.group_by("field").agg(*(nw.col(name).sum() for name in marks)).sort("field")


@nw.narwhalify
def documents(claims: FrameT) -> FrameT:
    """How many claims rest on each document of each source, as it was read."""
    keys = ("source", "url", "kind", "licence", "retrieved")
    return claims.group_by(*keys).agg(nw.len().alias("claims")).sort(*keys)
