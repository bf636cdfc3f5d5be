"""Axes, amounts and times of the calculators: each at the limit at which it is written otherwise."""

from __future__ import annotations

import pytest

from pipeline.advise.choose.calculators import picture, words
from pipeline.advise.choose.calculators.picture import CostLine


@pytest.mark.parametrize(
    ("most", "found"),
    [
        (5, [0, 1, 2, 3, 4, 5]),
        (6, [0, 2, 4, 6]),
        (10, [0, 2, 4, 6, 8, 10]),
        (1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (30, [0, 10, 20, 30]),
    ],
)
def test_an_axis_of_money_has_at_most_six_round_numbers(most: float, found: list[float]) -> None:
    assert [round(tick, 6) for tick in picture.ticks(most)] == found


@pytest.mark.parametrize(("cross", "drawn"), [(400.0, True), (400.1, False), (None, False)])
def test_a_crossing_is_drawn_up_to_four_times_the_hours_that_are_used(cross: float | None, drawn: bool) -> None:
    rent, buy = CostLine("rent", "rent", 0.0, 1.0), CostLine("buy", "buy", 100.0, 0.5)
    made = picture.drawn("", rent, buy, cross, 100.0)
    assert any(shape.look == "cross" for shape in made.shapes) == drawn


@pytest.mark.parametrize(
    ("usd", "says"),
    [(0.0999, "0.0999"), (0.1, "0.10"), (99.99, "99.99"), (100, "100"), (-0.05, "-0.05"), (-100, "-100")],
)
def test_money_has_cents_between_a_tenth_and_a_hundred(usd: float, says: str) -> None:
    assert words.money(usd) == says


@pytest.mark.parametrize(
    ("hours", "says"),
    [
        (0.99, "59.4 minutes"),
        (1, "1 hours"),
        (71.9, "71.9 hours"),
        (72, "3 days"),
        (17_519, "730 days"),
        (17_520, "2 years"),
    ],
)
def test_hours_are_told_as_minutes_days_or_years(hours: float, says: str) -> None:
    assert words.hours(hours) == says
