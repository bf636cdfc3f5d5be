"""What a card is still worth after some years, from our own price history.

Two things are told apart. A used card falls by one factor a year, fitted through the logarithms of used price over
launch price of every card and month that was seen; it mixes years of falling and of rising prices on purpose, because
nobody knows which kind comes next. A card that is bought new falls once more, since it is sold as a used one: by the
ratio of used to new price of the same card in the same month, by its age. The spread says how far single observations,
or single cards, lie from either.

The factor is one for all ages: the history cannot tell the age of a card from the year in which it was seen. Fitted by
age alone it is 0.92 a year below two years, 0.68 from two to four and 1.16 from four to six, and that last rise is the
shortage of 2026. One card is seen twice at a distance of a year in 2021 to 2023 only, while prices fell everywhere.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import linear_regression, median, quantiles

from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.metrics import year_of
from pipeline.derive.prices.history import monthly
from pipeline.derive.prices.rules import DEFAULT_MARKET, OLD_STOCK_TIMES

YOUNG, LEAST_POINTS = 0.3, 20
UNKNOWN_KEPT = 0.8  # of a dataset too small for a fit, as those of the tests
# A year of age stands for itself where so many cards were seen new and used in one month; of fewer, with its neighbour.
LEAST_CARDS = 8
UNKNOWN_FIRST = 0.8  # the same of the first drop
ROUGH_TIMES = 1.25  # by so much the spread of so few cards is widened


@dataclass(frozen=True, slots=True)
class FirstDrop:
    """What a new card sells for as soon as it is a used one, as a share of its new price, by its age."""

    by_year: tuple[float, ...]  # in its first year on the market, its second ..., the last one for all later
    low: float  # eight of ten cards lie between these shares
    high: float
    months: int
    cards: int

    def at(self, age: float | None) -> float:
        """The share for a card of so many years; of unknown age, that of the last years, which is the least."""
        return self.by_year[-1 if age is None else min(max(int(age), 0), len(self.by_year) - 1)]

    @property
    def words(self) -> str:
        """On what it rests, as a reader sees it behind the figure."""
        if not self.months:
            return ""
        last = len(self.by_year) - 1
        years = ["later" if place == last else f"in year {place + 1}" for place in range(last + 1)] if last else [""]
        told = ", ".join(f"{100 * s:.0f} % {when}".strip() for s, when in zip(self.by_year, years, strict=True))
        few = "; few cards, so the spread is widened" if self.cards < LEAST_CARDS else ""
        return (
            f" (of its new price in the same month, by year on the market, {told}; {self.months} months in which "
            f"{self.cards} cards were seen both new and used, no whole machine among them; eight of ten cards lie "
            f"between {100 * self.low:.0f} and {100 * self.high:.0f} %{few})"
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """The share of its price that a used card keeps in a year, and what a new one loses before that."""

    a_year: float
    low: float  # eight of ten observations lie between these multiples of the line
    high: float
    points: int
    cards: int
    first: FirstDrop

    @property
    def words(self) -> str:
        """On what it rests, as a reader sees it behind the figure."""
        if not self.points:
            return ""
        return (
            f" ({self.points:,} monthly used prices of {self.cards} cards by age; eight in ten lie between "
            f"{self.low:.2f} and {self.high:.2f} times what this gives for a card's age)"
        )


UNKNOWN = Kept(UNKNOWN_KEPT, 1.0, 1.0, 0, 0, FirstDrop((UNKNOWN_FIRST,), 1.0, 1.0, 0, 0))


def kept(dataset: Dataset) -> Kept:
    """Fit the line through all used prices by age, and find what new cards lose first."""
    first = first_drop(dataset)
    points, cards = [], set()
    for gpu in dataset.gpus.values():
        launch, born = gpu.launch_price_usd, gpu.launch_date
        if not launch or not born:
            continue
        for month in monthly(gpu.prices, "used", DEFAULT_MARKET):
            age = year_of(month.month) - year_of(born)
            if age > YOUNG:
                points.append((age, math.log(month.value / launch)))
                cards.add(gpu.id)
    if len(points) < LEAST_POINTS:
        return Kept(UNKNOWN_KEPT, 1.0, 1.0, 0, 0, first)
    ages, logs = zip(*points, strict=True)
    slope, start = linear_regression(ages, logs)
    away = quantiles([log - start - slope * age for age, log in points], n=10)
    return Kept(min(1.0, math.exp(slope)), math.exp(away[0]), math.exp(away[-1]), len(points), len(cards), first)


def first_drop(dataset: Dataset) -> FirstDrop:
    """Used over new price of the same card in the same month, each card once a year of its age.

    A month in which a card costs far more new than used is left out: such cards are leftover stock, which no answer
    sends anybody to buy (`OLD_STOCK_TIMES` of the prices' rules).
    """
    of_card: dict[str, list[float]] = defaultdict(list)
    of_age: dict[tuple[str, int], list[float]] = defaultdict(list)
    for gpu in dataset.gpus.values():
        for age, share in _both(gpu):
            of_card[gpu.id].append(share)
            of_age[gpu.id, int(age)].append(share)
    if not of_card:
        return UNKNOWN.first
    by_age: dict[int, list[float]] = defaultdict(list)
    for (_, year), shares in of_age.items():
        by_age[year].append(median(shares))
    low, high = _ends([median(shares) for shares in of_card.values()])
    months = sum(map(len, of_card.values()))
    return FirstDrop(tuple(median(shares) for shares in _grouped(by_age)), low, high, months, len(of_card))


def age_of(gpu: GpuRecord, day: str) -> float | None:
    """Years since a card came out, on a day."""
    return year_of(day) - year_of(gpu.launch_date) if gpu.launch_date else None


def _both(gpu: GpuRecord) -> Iterator[tuple[float, float]]:
    """Age of a card and its used price as a share of its new one, for every month that has both."""
    new = {month.month: month.value for month in monthly(gpu.prices, "new", DEFAULT_MARKET)}
    for month in monthly(gpu.prices, "used", DEFAULT_MARKET):
        age = age_of(gpu, month.month)
        if month.month in new and age is not None and age >= 0 and new[month.month] <= OLD_STOCK_TIMES * month.value:
            yield age, min(1.0, month.value / new[month.month])


def _grouped(by_age: dict[int, list[float]]) -> list[list[float]]:
    """The shares by year of age from the first on; a year of few cards joins the one before, or the one behind."""
    groups: list[list[float]] = []
    for year in range(max(by_age) + 1):
        shares = by_age.get(year, [])
        if groups and (len(shares) < LEAST_CARDS or len(groups[-1]) < LEAST_CARDS):
            groups[-1] = [*groups[-1], *shares]
        else:
            groups.append(list(shares))
    return groups


def _ends(shares: Sequence[float]) -> tuple[float, float]:
    """Between which shares eight of ten cards lie; of few cards all, and wider."""
    if len(shares) < LEAST_CARDS:
        return min(shares) / ROUGH_TIMES, min(1.0, max(shares) * ROUGH_TIMES)
    tenths = quantiles(shares, n=10)
    return tenths[0], tenths[-1]
