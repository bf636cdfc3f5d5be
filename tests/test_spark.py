"""The small line of a price over two years: to scale, open where a month is missing, never of one month alone."""

from __future__ import annotations

import re

import pytest

from pipeline.derive.prices.history import Month
from pipeline.site.charts.spark import EDGE, HEIGHT, WIDTH, spark

NEWEST = "2026-11-22"


def months(**values: float) -> list[Month]:
    return [Month(name[1:].replace("_", "-"), usd, usd, usd, 1, ()) for name, usd in values.items()]


def test_the_line_reaches_from_its_least_to_its_most_and_ends_at_the_newest_month() -> None:
    line = spark(months(m2026_09=100, m2026_10=300, m2026_11=200), NEWEST)
    assert line is not None
    heights = [int(y) for _, y in re.findall(r"(\d+) (\d+)", line.path)]
    assert heights == [HEIGHT - EDGE, EDGE, HEIGHT // 2]
    assert line.last == f"M{WIDTH - EDGE} {HEIGHT // 2}h0"


def test_a_missing_month_leaves_the_line_open_and_a_month_alone_is_a_dot() -> None:
    line = spark(months(m2026_06=100, m2026_07=100, m2026_09=300), NEWEST)
    assert line is not None
    assert re.fullmatch(r"M[\d ]+L[\d ]+M[\d ]+h0", line.path)


@pytest.mark.parametrize(("first", "drawn"), [("2024-12", True), ("2024-11", False)])
def test_two_years_are_shown(first: str, drawn: bool) -> None:
    found = spark([Month(month, 1, 1, 1, 1, ()) for month in (first, "2026-11")], NEWEST)
    assert (found is not None) is drawn
