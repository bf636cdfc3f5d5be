"""The order in which changes of prices are told, and which of them is the move to the price of now."""

from __future__ import annotations

from typing import Any

import pytest
from samples import book, price, record

from pipeline.derive.prices import changes, history

TODAY = "2026-11-20"


def sold(usd: float, date: str, **about: Any) -> Any:
    usual = {"kind": "retail", "usd_per_unit": usd, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
    market = {"gpus": None, "country": "US", "tax": 0.0, "basis": "asked", "provider": "Shop", "product": "A"}
    return price(date=date, **usual | market | about)


def card(id: str, *prices: Any) -> Any:
    return record(id=id, name=id, prices=prices)


def moved(id: str, old: float, new: float, **about: Any) -> Any:
    return card(id, sold(old, "2026-10-10", **about), sold(new, "2026-11-10", **about))


def test_the_largest_change_comes_first_whichever_way_and_a_change_of_source_last() -> None:
    other = card("source", sold(100, "2026-10-05"), sold(300, "2026-11-10", source="another"))
    cards = [other, moved("b-up", 100, 125), moved("half", 200, 100), moved("a-up", 100, 125), moved("down", 125, 100)]
    found = changes.changes(book(*cards, today=TODAY))
    assert [one.gpu for one in found] == ["half", "a-up", "b-up", "down", "source"]
    assert [one.percent for one in found] == pytest.approx([-50.0, 25.0, 25.0, -20.0, 0.0])
    told = "another states it now, gpu-price-feed stated 100 before"
    assert [one.sources for one in found] == ["", "", "", "", told]


def test_a_price_that_halved_moved_further_than_one_that_rose_by_more_per_cent() -> None:
    """Halved is twofold; half as much again, or nine tenths, is less, though nine tenths are more per cent."""
    cards = [moved("up-90", 100, 190), moved("up-50", 100, 150), moved("half", 200, 100), moved("double", 100, 200)]
    found = changes.changes(book(*cards, today=TODAY))
    assert [one.gpu for one in found] == ["double", "half", "up-90", "up-50"]


def test_of_two_kinds_that_moved_alike_the_first_by_name_stands_first() -> None:
    both = card("x", *moved("x", 100, 125).prices, *moved("x", 100, 125, kind="used").prices)
    assert [one.kind for one in changes.changes(book(both, today=TODAY))] == ["new", "used"]


@pytest.mark.parametrize(("new", "told"), [(101.0, 1), (100.99, 0), (99.0, 1), (99.01, 0)])
def test_less_than_a_hundredth_is_no_change(new: float, told: int) -> None:
    assert len(changes.changes(book(moved("x", 100, new), today=TODAY))) == told


def test_the_changes_of_a_card_are_told_from_the_newest_on() -> None:
    months = [sold(usd, f"2026-{month:02}-10") for month, usd in ((8, 100), (9, 150), (10, 100), (11, 200))]
    found = changes.of_card(book(card("x", *months), today=TODAY), "x")
    assert [(one.after.month, one.value) for one in found] == [("2026-11", 200), ("2026-10", 100), ("2026-09", 150)]
    assert [one.before_value for one in found] == pytest.approx([100, 150, 100])
    newest = changes.changes(book(card("x", *months), today=TODAY))
    assert [one.after.month for one in newest] == ["2026-11"], "the move to the price of now alone"


def test_the_price_of_now_stands_in_the_month_that_all_its_readings_share() -> None:
    rows = [
        sold(100, "2026-10-28", product="A"),
        sold(200, "2026-11-10", product="B"),
        sold(300, "2026-11-10", product="C"),
    ]
    prices = book(card("x", *rows), today=TODAY)
    assert changes._month_of_now(prices.quote("x", "new")) == "2026-11", "the one in the middle is of November"
    older = book(card("x", *rows[:2]), today=TODAY)
    assert changes._month_of_now(older.quote("x", "new")) == "", "its mean spans two months"
    assert changes._month_of_now(book(card("x"), today=TODAY).quote("x", "new")) == ""


@pytest.mark.parametrize(
    ("months", "runs", "gaps"),
    [
        (["2026-01", "2026-02"], [2], 0),
        (["2025-12", "2026-01"], [2], 0),
        (["2026-01", "2026-03"], [1, 1], 1),
        (["2026-01"], [1], 0),
        ([], [], 0),
    ],
)
def test_a_line_is_open_where_a_whole_month_is_missing(months: list[str], runs: list[int], gaps: int) -> None:
    assert [len(run) for run in history.unbroken(months, str)] == runs
    line = history.with_gaps(months, str)
    assert line.count(None) == gaps
    assert [month for month in line if month] == months
    assert not line or line[-1] is not None
