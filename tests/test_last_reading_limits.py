"""From how many rows, bytes and values on a reading is held against the last one, and what is no doubt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from samples import claim, price, result

from pipeline.intake import last_reading
from pipeline.intake.last_reading import doubts


def prices(count: int, usd: float = 1.0) -> list[Any]:
    about = {"date": "2026-11-20", "retrieved": "2026-11-20"}
    return [price(gpu=f"gpu-{at}", usd_per_gpu_hour=usd, locator=f"list.csv, row {at}", **about) for at in range(count)]


@pytest.mark.parametrize(("rows", "doubted"), [(7, False), (8, True)])
def test_from_eight_rows_on_their_number_and_what_they_speak_of_count(rows: int, doubted: bool) -> None:
    assert bool(doubts(prices(rows), prices(rows - 2))) is doubted
    assert bool(doubts(prices(rows), prices(2 * rows))) is doubted
    others = [replace(row, gpu=f"other-{row.gpu}") for row in prices(rows)]
    assert bool(doubts(prices(rows), others)) is doubted


@pytest.mark.parametrize(("now", "doubted"), [(8, False), (7, True), (17, False), (18, True)])
def test_of_ten_rows_eight_may_be_left_and_seventeen_come(now: int, doubted: bool) -> None:
    told = [one for one in doubts(prices(10), prices(now)) if "rows, it gave" in one]
    assert bool(told) is doubted


def test_of_twenty_rows_exactly_thirty_five_may_come_and_sixteen_be_left() -> None:
    assert doubts(prices(20), prices(35)) == []
    assert doubts(prices(20), prices(36)) == ["list.csv gives 36 rows, it gave 20"]
    assert doubts(prices(20), prices(16)) == []


@pytest.mark.parametrize(("kept", "doubted"), [(15, False), (14, True)])
def test_three_of_four_things_are_spoken_of_again(kept: int, doubted: bool) -> None:
    new = prices(20)[:kept] + [replace(row, gpu=f"other-{row.gpu}") for row in prices(20)[kept:]]
    assert bool(doubts(prices(20), new)) is doubted


@pytest.mark.parametrize(
    ("before", "now", "doubted"),
    [(499, 1, False), (500, 399, True), (500, 400, False), (500, 875, False), (500, 876, True), (0, 5000, False)],
)
def test_from_five_hundred_bytes_on_a_file_keeps_its_size(before: int, now: int, doubted: bool) -> None:
    assert bool(last_reading.doubts_of_size({"list.csv": (before, now)})) is doubted


@pytest.mark.parametrize(("values", "doubted"), [(4, False), (5, True)])
def test_from_five_values_on_their_median_may_not_shift(values: int, doubted: bool) -> None:
    assert bool(doubts(prices(values), prices(values, 1.6))) is doubted


@pytest.mark.parametrize(("usd", "doubted"), [(1.5, False), (1.501, True), (2 / 3 + 1e-9, False), (0.666, True)])
def test_the_median_may_move_by_half(usd: float, doubted: bool) -> None:
    assert bool(doubts(prices(5), prices(5, usd))) is doubted


@pytest.mark.parametrize(("usd", "doubted"), [(4.99, False), (5.0, True), (0.2001, False), (0.2, True)])
def test_a_single_price_may_not_become_five_times_or_a_fifth(usd: float, doubted: bool) -> None:
    assert bool(doubts(prices(1), prices(1, usd))) is doubted


def test_a_value_of_nothing_is_held_against_no_other() -> None:
    assert doubts(prices(1, 0.0), prices(1, 9.0)) == []
    assert doubts(prices(1), prices(1, 0.0)) != []


@pytest.mark.parametrize(
    ("day", "doubted"), [("2022-11-12", False), ("2022-11-13", True), ("2022-09-11", False), ("2022-09-10", True)]
)
def test_a_launch_may_move_by_thirty_one_days(day: str, doubted: bool) -> None:
    assert bool(doubts([claim("launch_date", "2022-10-12")], [claim("launch_date", day)])) is doubted
    assert doubts([claim("launch_date", "2022")], [claim("launch_date", day)]) == []


@pytest.mark.parametrize(
    ("date", "doubted"), [("2026-11-19", True), ("2026-11-20", False), ("2026-11", False), ("2026-10", True)]
)
def test_a_price_of_a_day_that_was_over_stays(date: str, doubted: bool) -> None:
    (row,) = prices(1)
    last, new = replace(row, date=date), replace(row, date=date, usd_per_gpu_hour=1.01)
    assert bool(doubts([last], [new])) is doubted
    assert doubts([last], [last, new]) == [], "one more of that day is no other figure"


def test_a_price_stands_in_the_currency_in_which_it_was_asked() -> None:
    (row,) = prices(1)
    euros = replace(row, date="2026-10-01", amount=0.9, currency="EUR")
    assert doubts([euros], [replace(euros, usd_per_gpu_hour=1.05)]) == []
    assert doubts([euros], [replace(euros, amount=0.91)]) != []


@pytest.mark.parametrize(("value", "doubted"), [(124.9, False), (125.0, True), (80.1, False), (80.0, True)])
def test_a_published_result_may_not_move_by_a_quarter(value: float, doubted: bool) -> None:
    assert bool(doubts([result(date="")], [result(date="", value=value)])) is doubted


@pytest.mark.parametrize(("text", "meant"), [("€", ""), ("â‚¬", "€"), ("plain", ""), ("Ã¼", "ü")])
def test_a_text_that_was_encoded_twice_is_read_back(text: str, meant: str) -> None:
    assert last_reading._misread(text) == meant
