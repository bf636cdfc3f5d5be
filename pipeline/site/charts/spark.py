"""A price over the last two years as a line of one row's height: for the table of cards and the tiles of a card's page.

A month in which nobody was seen asking or paying leaves the line open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.derive.prices import history
from pipeline.derive.prices.history import Month

MONTHS = 24
WIDTH, HEIGHT, EDGE = 64, 18, 2


@dataclass(frozen=True, slots=True)
class Spark:
    """The line in pixels, a dot for each month that stands alone, and the newest month."""

    path: str
    last: str
    words: str
    width: int = WIDTH
    height: int = HEIGHT


def spark(months: Sequence[Month], newest: str) -> Spark | None:
    """The last two years before the day `newest`, scaled from least to most; None of fewer than two months."""
    end = history.ordinal(newest)
    shown = [month for month in months if 0 <= end - history.ordinal(month.month) < MONTHS]
    if len(shown) < 2:
        return None
    low, high = min(month.value for month in shown), max(month.value for month in shown)

    def place(month: Month) -> str:
        x = EDGE + (WIDTH - 2 * EDGE) * (MONTHS - 1 - end + history.ordinal(month.month)) / (MONTHS - 1)
        share = (month.value - low) / (high - low) if high > low else 0.5
        return f"{x:.0f} {HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * share:.0f}"

    lines = [[place(month) for month in run] for run in history.unbroken(shown, lambda month: month.month)]
    path = "".join(f"M{'L'.join(line)}" if len(line) > 1 else f"M{line[0]}h0" for line in lines)
    return Spark(path, f"M{place(shown[-1])}h0", f"{len(shown)} months since {shown[0].month}")
