"""What a card is still worth after some years, from our own price history: the fall of used prices with age.

The figure is one factor a year, fitted through the logarithms of used price over launch price of every card and month
that was seen. It mixes years of falling and of rising prices on purpose: nobody knows which kind comes next, and the
spread says how far single observations lie from the line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import linear_regression, quantiles

from pipeline.dataset import Dataset
from pipeline.derive.metrics import year_of
from pipeline.derive.prices.history import monthly

YOUNG, LEAST_POINTS = 0.3, 20
UNKNOWN_KEPT = 0.8  # of a dataset too small for a fit, as those of the tests


@dataclass(frozen=True, slots=True)
class Kept:
    """The share of its price that a card keeps in a year."""

    a_year: float
    low: float  # eight of ten observations lie between these multiples of the line
    high: float
    points: int
    cards: int

    @property
    def words(self) -> str:
        """On what it rests, as a reader sees it behind the figure."""
        if not self.points:
            return ""
        return (
            f" ({self.points} monthly used prices of {self.cards} cards by age; eight of ten lie between "
            f"{self.low:.2f} and {self.high:.2f} times the line)"
        )


UNKNOWN = Kept(UNKNOWN_KEPT, 1.0, 1.0, 0, 0)


def kept(dataset: Dataset) -> Kept:
    """Fit the line through all used prices by age."""
    points, cards = [], set()
    for gpu in dataset.gpus.values():
        launch, born = gpu.launch_price_usd, gpu.launch_date
        if not launch or not born:
            continue
        for month in monthly(gpu.prices, "used", "us"):
            age = year_of(month.month) - year_of(born)
            if age > YOUNG:
                points.append((age, math.log(month.value / launch)))
                cards.add(gpu.id)
    if len(points) < LEAST_POINTS:
        return UNKNOWN
    ages, logs = zip(*points, strict=True)
    slope, start = linear_regression(ages, logs)
    away = quantiles([log - start - slope * age for age, log in points], n=10)
    return Kept(min(1.0, math.exp(slope)), math.exp(away[0]), math.exp(away[-1]), len(points), len(cards))
