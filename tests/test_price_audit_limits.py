"""The ends of what an audited quote may be, and of what a report of a change shows."""

from __future__ import annotations

import pytest

from pipeline.tools import changes, price_audit


@pytest.mark.parametrize(
    ("value", "begins", "holds"),
    [
        (85.0, False, True),
        (84.9, False, False),
        (229.9, False, True),
        (230.1, False, False),
        (50.0, True, True),
        (49.9, True, False),
    ],
)
def test_a_quote_is_honest_within_the_widened_range(value: float, begins: bool, holds: bool) -> None:
    collected = price_audit.Collected("card", "us", "new", 100.0, 200.0, "2026-11", "https://e.org", "")
    assert collected.holds(value, begins) == holds


@pytest.mark.parametrize(("length", "cut"), [(300, False), (301, True)])
def test_a_long_cell_is_cut(length: int, cut: bool) -> None:
    assert changes.quoted("a" * length).endswith("…") == cut


@pytest.mark.parametrize(("rows", "left"), [(60, 0), (61, 1)])
def test_a_long_section_says_how_many_rows_are_left_out(rows: int, left: int) -> None:
    section = changes._section("Title", ("head",), [("row",)] * rows)
    assert (len(section.rows), section.more) == (rows - left, left)
