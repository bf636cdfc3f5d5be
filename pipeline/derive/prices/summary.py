"""The months of many observations at once, with the same code on pandas, Polars, DuckDB and Dask.

`history` works out the months of one card from typed rows, and is what the site uses. This is the same rule for tables
that are too large for that: of each provider the cheapest offer of its newest day in a month, then the median over
providers. Observations lie in Parquet, a folder a month; only the months asked for are opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import narwhals as nw

COLUMNS = ("gpu", "kind", "provider", "date", "usd", "flag")
PROVIDER = ("gpu", "kind", "month", "provider")
CARD = ("gpu", "kind", "month")
HIGHER = 1e6  # than any price: dollars are told to a hundredth of a cent beside it


def months(native: Any) -> Any:  # noqa: ANN401 (whatever table the engine has)
    """Summarise a table with COLUMNS: by card, kind and month the median, least and most, and how many providers."""
    seen = nw.from_native(native).lazy()
    sound = seen.filter(nw.col("flag") == "").with_columns(month=nw.col("date").str.slice(0, 7))
    # A month without a day counts as day 0. One number orders newest first, then cheapest: no join is needed.
    day = nw.concat_str([nw.col("date"), nw.lit("-00")]).str.slice(8, 2).cast(nw.Int64)
    ordered = sound.with_columns(newest_cheapest=day * HIGHER - nw.col("usd"))
    # One row a card, month and provider is left, however many were observed: pandas does the rest.
    left = ordered.group_by(*PROVIDER).agg(nw.col("newest_cheapest").max()).collect("pandas")
    whole = -((-nw.col("newest_cheapest")) // HIGHER) * HIGHER
    each = left.with_columns(usd=(whole - nw.col("newest_cheapest")).round(4))
    told = each.group_by(*CARD).agg(
        nw.col("usd").median().alias("median_usd"),
        nw.col("usd").min().alias("low_usd"),
        nw.col("usd").max().alias("high_usd"),
        nw.len().alias("providers"),
    )
    return told.sort(*CARD).to_native()


def files(folder: Path, asked: Iterable[str]) -> list[Path]:
    """The Parquet files of the months asked for; a month without observations has none."""
    return [path for month in asked for path in sorted((folder / f"month={month}").glob("*.parquet"))]


def _pandas(paths: list[Path]) -> Any:  # noqa: ANN401
    import pandas as pd

    return months(pd.concat([pd.read_parquet(path, columns=list(COLUMNS)) for path in paths], ignore_index=True))


def _polars(paths: list[Path]) -> Any:  # noqa: ANN401
    import polars as pl

    return months(pl.scan_parquet(paths, hive_partitioning=False).select(COLUMNS))


def _duckdb(paths: list[Path]) -> Any:  # noqa: ANN401
    import duckdb

    table = duckdb.connect().read_parquet([str(path) for path in paths], hive_partitioning=False)
    return months(table)


def _dask(paths: list[Path]) -> Any:  # noqa: ANN401
    import dask.dataframe as dd

    return months(dd.read_parquet([str(path) for path in paths], columns=list(COLUMNS)))


# pandas is there anyway; the others are extras of whoever has that many rows.
ENGINES: Mapping[str, Callable[[list[Path]], Any]] = {
    "pandas": _pandas,
    "polars": _polars,
    "duckdb": _duckdb,
    "dask": _dask,
}


def summary(folder: Path, asked: Iterable[str], engine: str = "pandas") -> Any:  # noqa: ANN401
    """The summary of the months asked for, as a table in memory; KeyError for an engine that is not in ENGINES."""
    return ENGINES[engine](files(folder, asked))
