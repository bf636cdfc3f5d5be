"""The median and spread of repetitions, and whether two rounds agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Rates of one device that differ more between two rounds are called unsteady (issue: "less than 3 %").
STEADY_PERCENT = 3.0


@dataclass(frozen=True)
class Summary:
    """The middle of a row of repetitions and what lies around it."""

    median: float
    p10: float
    p90: float
    repetitions: int


def summary(values: Sequence[float]) -> Summary:
    """Summarise repetitions; ValueError when there are none or one is no number."""
    if not values or not all(math.isfinite(value) for value in values):
        raise ValueError(f"repetitions must be numbers, at least one; got {list(values)[:5]}")
    return Summary(quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9), len(values))


def quantile(values: Sequence[float], share: float) -> float:
    """Find the value below which `share` of the values lie, straight between neighbours."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def difference_percent(rounds: Sequence[Sequence[float]]) -> float | None:
    """Say how far the medians of the rounds lie apart, in percent of their mean; None with fewer than two rounds."""
    medians = [quantile(values, 0.5) for values in rounds if values]
    if len(medians) < 2:
        return None
    return 100 * (max(medians) - min(medians)) / (sum(medians) / len(medians))


def significant(value: float, digits: int = 5) -> float:
    """Round to significant digits: more would only claim an accuracy that no clock has."""
    return float(f"{value:.{digits}g}")
