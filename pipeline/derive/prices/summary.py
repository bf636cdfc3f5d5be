"""The months of many observations at once, with the same code on pandas, Polars, DuckDB and Dask.

`history` works out the months of one card from typed rows, and is what the site uses. This is the same rule for tables
that are too large for that: of each provider the cheapest offer of its newest day in a month, then the median over
providers. Observations lie in Parquet, a folder a month (`month=2026-10/`), with the COLUMNS: text as dictionaries,
the day as a small number, 0 where only the month is known. Only the months asked for are opened. No group crosses a
month, so each can be reduced alone: on another core, or on another machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from math import prod
from pathlib import Path
from typing import Any

import narwhals as nw

TEXT = ("gpu", "kind", "provider", "flag")
COLUMNS = (*TEXT, "day", "usd")
CARD = ("gpu", "kind", "month")
PROVIDER = (*CARD, "provider")
CODE_BITS = 21  # of a text's number in Polars: two million texts, three of which make one whole number
HIGHER = 1e6  # than any price: dollars are told to a hundredth of a cent beside it


def newest(native: Any, of: Sequence[str] = PROVIDER) -> Any:  # noqa: ANN401 (whatever table the engine has)
    """Of each provider the cheapest offer of its newest day in a month: one row a card, month and provider is left.

    `of` leaves the month out where the table holds one only, or names a number that stands for all of it.
    """
    # One number orders newest first, then cheapest: no join is needed.
    ordered = nw.col("day").cast(nw.Float64) * HIGHER - nw.col("usd")
    # Without one where a flag stands: to leave such rows out first would copy all the others.
    counted = nw.when(nw.col("flag") == "").then(ordered)
    seen = nw.from_native(native).lazy().select(*of, newest_cheapest=counted)
    left = seen.group_by(*of).agg(nw.col("newest_cheapest").max())
    return left.filter(~nw.col("newest_cheapest").is_null())


def months(left: Any, by: Sequence[str] = CARD, of: Sequence[str] = PROVIDER) -> Any:  # noqa: ANN401
    """By card, kind and month the median, least and most over providers, and how many, of what `newest` left.

    `by` and `of` name numbers where these stand for the texts.
    """
    # A month may lie in several files, each reduced alone.
    once = nw.from_native(left).lazy().group_by(*of).agg(nw.col("newest_cheapest").max())
    whole = -((-nw.col("newest_cheapest")) // HIGHER) * HIGHER
    each = once.with_columns(usd=(whole - nw.col("newest_cheapest")).round(4))
    told = each.group_by(*by).agg(
        nw.col("usd").median().alias("median_usd"),
        nw.col("usd").min().alias("low_usd"),
        nw.col("usd").max().alias("high_usd"),
        nw.len().alias("providers"),
    )
    return told.sort(*by).collect().to_native()


def files(folder: Path, asked: Iterable[str]) -> list[Path]:
    """The Parquet files of the months asked for; a month without observations has none."""
    return [path for month in asked for path in sorted((folder / f"month={month}").glob("*.parquet"))]


def _one_month(path: Path) -> Any:  # noqa: ANN401
    """What `newest` leaves of one file, by pandas: grouped by one number in place of three texts, then categories."""
    from pyarrow.parquet import ParquetFile

    # Not by pandas.read_parquet: it looks for a data set around the file, which takes as long as the reading.
    seen = ParquetFile(path).read(columns=list(COLUMNS), use_threads=False).to_pandas()
    names = [name for name in PROVIDER if name != "month"]
    texts = {name: seen.pop(name).astype("category").cat for name in names}
    seen["group"] = _number(list(texts.values()))
    left = newest(seen, ("group",)).collect("pandas").to_native()
    _texts(left, "group", {name: text.categories for name, text in texts.items()})
    return left.assign(month=path.parent.name.removeprefix("month="))


def _number(texts: Sequence[Any]) -> Any:  # noqa: ANN401
    """One number for each row that stands for its categories: grouping by it costs a third of grouping by texts."""
    width = "int32" if prod(len(text.categories) for text in texts) < 2**31 else "int64"
    return reduce(lambda number, text: number * len(text.categories) + text.codes.astype(width), texts, 0)


def _texts(frame: Any, number: str, known: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Put the categories back for which a number stands."""
    import pandas as pd

    left = frame.pop(number)
    for name, categories in reversed(list(known.items())):
        frame[name] = pd.Categorical.from_codes(left % len(categories), categories)
        left //= len(categories)


def _pandas(paths: list[Path]) -> Any:  # noqa: ANN401
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return _together(list(pool.map(_one_month, paths)))


def _together(left: Sequence[Any]) -> Any:  # noqa: ANN401
    """The months of what `_one_month` left of each file."""
    import pandas as pd
    from pandas.api.types import union_categoricals

    texts = {
        name: union_categoricals([one[name].astype("category") for one in left], sort_categories=True)
        for name in PROVIDER
    }
    numbers = {"card": _number([texts[name] for name in CARD]), "provider": texts["provider"].codes}
    cheapest = pd.concat([one["newest_cheapest"] for one in left], ignore_index=True)
    told = months(pd.DataFrame({**numbers, "newest_cheapest": cheapest}), ("card",), tuple(numbers))
    _texts(told, "card", {name: texts[name].categories for name in CARD})
    return told


def _polars(paths: list[Path]) -> Any:  # noqa: ANN401
    import polars as pl

    # The months of all files at once, each file's texts as one number: four texts and a month cost a third more.
    names = [name for name in PROVIDER if name != "month"]
    alive = pl.Series(dtype=pl.Categorical)  # Polars forgets what codes stand for with the last series that has them
    left = pl.concat([_polars_month(path, names) for path in paths]).collect(engine="streaming")
    codes = [(pl.col("group") // 2 ** (CODE_BITS * place) % 2**CODE_BITS) for place in range(len(names))]
    texts = [code.cast(pl.UInt32).cat.to(alive.dtype).alias(name) for code, name in zip(codes, names, strict=True)]
    return months(left.with_columns(texts).drop("group"))


def _polars_month(path: Path, names: Sequence[str]) -> Any:  # noqa: ANN401
    """What `newest` leaves of one file, by Polars and not read yet: a category's code is the same in every file."""
    import polars as pl

    seen = pl.scan_parquet(path).select(*COLUMNS)
    codes = [pl.col(name).cast(pl.Categorical).to_physical().cast(pl.Int64) for name in names]
    group = pl.sum_horizontal(code * 2 ** (CODE_BITS * place) for place, code in enumerate(codes))
    left = newest(seen.with_columns(group=group), ("group",)).to_native()
    return left.with_columns(month=pl.lit(path.parent.name.removeprefix("month=")))


def _duckdb(paths: list[Path]) -> Any:  # noqa: ANN401
    import duckdb

    seen = duckdb.connect().read_parquet([str(path) for path in paths], hive_partitioning=True)
    return months(newest(seen).to_native())


def _dask(paths: list[Path]) -> Any:  # noqa: ANN401
    from dask.base import compute
    from dask.delayed import delayed

    # As tasks and not as a Dask table: that would compare the categories of every file with every other's.
    return _together(compute(*map(delayed(_one_month), paths)))  # type: ignore[no-untyped-call]


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
