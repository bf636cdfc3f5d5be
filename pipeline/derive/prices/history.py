"""Prices over time: the months of one card, kind and market, with gaps left open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from pipeline.core.schema import Price
from pipeline.derive.prices.observe import Seen, each_once, in_market, of_clouds
from pipeline.derive.prices.rules import ON_DEMAND, Kind, Market

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Month:
    """One month of a series: the median over products or providers, and who stands behind it."""

    month: str
    value: float
    low: float
    high: float
    count: int
    seen: tuple[Seen, ...]

    @property
    def sources(self) -> frozenset[str]:
        """The sources of its prices."""
        return frozenset(one.price.source for one in self.seen)


def monthly(prices: Sequence[Price], kind: Kind, market: Market) -> list[Month]:
    """The months in which a price was seen, oldest first, each by the rule of the quote; a month without is missing."""
    return of_observed(in_market(prices, kind, market), kind, market)


def of_observed(found: Sequence[Price], kind: Kind, market: Market) -> list[Month]:
    """The same of the observations that hold in the market, for whoever has found them already."""
    return _by_month(of_clouds(found, kind), kind, market)


def on_demand(prices: Sequence[Price], market: Market) -> list[Month]:
    """The same over clouds and marketplaces together: how rents on demand moved, not what one asks now."""
    rows = [row for kind in ON_DEMAND for row in in_market(prices, kind, market)]
    return _by_month(of_clouds(rows, "rent"), "rent", market)


def _by_month(prices: Sequence[Price], kind: Kind, market: Market) -> list[Month]:
    months: dict[str, list[Price]] = defaultdict(list)
    for price in prices:
        months[price.date[:7]].append(price)
    return [_month(name, rows, kind, market) for name, rows in sorted(months.items())]


def _month(name: str, rows: Sequence[Price], kind: Kind, market: Market) -> Month:
    seen = each_once(rows, kind, market)
    amounts = [one.amount for one in seen]
    return Month(name, median(amounts), amounts[0], amounts[-1], len(seen), tuple(seen))


def change(before: Month, after: Month) -> float | None:
    """By how much like went up against like: over what stands in both months, by the same source in the same shop.

    Another shop's price of a product is no move: 990 pounds at one in July and 930 at another in August say nothing of
    the RTX 5070 Ti, for which the first asked 1,135 then.
    """
    old, new = ({_series(one): one.amount for one in month.seen} for month in (before, after))
    both = sorted(old.keys() & new.keys())
    return median(new[key] / old[key] for key in both) - 1 if both else None


def _series(one: Seen) -> tuple[str, str, str]:
    return one.who, one.price.source, one.price.provider


def unbroken(rows: Sequence[Row], month_of: Callable[[Row], str]) -> list[list[Row]]:
    """Rows in order, parted wherever a whole month lies between two of them, so that a line breaks there."""
    found: list[list[Row]] = []
    for row in rows:
        if found and ordinal(month_of(row)) - ordinal(month_of(found[-1][-1])) <= 1:
            found[-1].append(row)
        else:
            found.append([row])
    return found


def with_gaps(rows: Sequence[Row], month_of: Callable[[Row], str]) -> list[Row | None]:
    """The same rows with None between two parts."""
    parts = [[*run, None] for run in unbroken(rows, month_of)]
    return [row for part in parts for row in part][:-1]


def ordinal(date: str) -> int:
    """Months since the year 0 of a date that names at least its month."""
    return int(date[:4]) * 12 + int(date[5:7])
