"""A figure of the guide in words: whole money from one unit on, cents with three digits below."""

from __future__ import annotations

import pytest

from pipeline.derive.prices import staleness
from pipeline.editorial import guide, pictures


@pytest.mark.parametrize(
    ("amount", "unit", "text"),
    [
        (0.0123, "USD", "$0.0123"), (0.99, "USD", "$0.99"), (1.0, "USD", "$1.00"), (1234.5, "USD", "$1,235"),
        (1.84, "×", "1.8×"), (24.0, "GB", "24\u00a0GB"),
    ],
)  # fmt: skip
def test_a_figure_is_written_as_the_whole_site_writes_it(amount: float, unit: str, text: str) -> None:
    assert guide.figure_text(amount, unit) == text


@pytest.mark.parametrize(
    ("number", "top", "step"),
    [
        (1.0, 1, 0.25), (1.00005, 1, 0.25), (1.01, 2, 0.5), (2.0, 2, 0.5), (2.1, 3, 1), (4.5, 5, 1), (5.5, 6, 2),
        (7.0, 8, 2), (8.5, 10, 2.5), (9.99, 10, 2.5), (450.0, 500, 100), (0.3, 0.3, 0.1),
    ],
)  # fmt: skip
def test_an_axis_ends_on_the_next_round_number(number: float, top: float, step: float) -> None:
    assert pictures._round_up(number) == (pytest.approx(top), pytest.approx(step))


@pytest.mark.parametrize(
    ("day", "young"),
    [("2026-11-20", True), ("2025-11-20", True), ("2025-11-19", False), ("2025-12", True), ("2025-11", False),
     ("2026", False)],
)  # fmt: skip
def test_a_price_answers_for_a_year_and_a_year_alone_does_not(day: str, young: bool) -> None:
    assert staleness.answers(day, "2026-11-20") is young
