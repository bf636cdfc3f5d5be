"""The order of the table of all cards, by whom a card is known, and how a cell is written."""

from __future__ import annotations

from typing import Any

import pytest
from samples import book, price, record, result

from pipeline.core.schema import PeakKey
from pipeline.site.pages import table

TODAY = "2026-11-20"


def sold(source: str, date: str = "2026-11-01", **changes: Any) -> Any:
    about = {"kind": "retail", "usd_per_unit": 900.0, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
    market = {"gpus": None, "country": "US", "tax": 0.0, "basis": "asked"}
    return price(source=source, date=date, **about | market | changes)


@pytest.mark.parametrize(
    ("prices", "results", "known"),
    [
        ((), (), 0),
        ((sold("a"), sold("a"), sold("b")), (), 2),
        ((sold("a", "2026-05-24"), sold("b", "2026-05-23")), (), 1),  # half a year to the day
        ((sold("a", kind="launch"), sold("b", flag="a slip"), sold("c", "")), (), 0),
        ((sold("a"),), (result(source="a"), result(source="b"), result(source="c", flag="broken")), 2),
    ],
)
def test_a_card_is_known_by_the_sources_that_priced_it_lately_or_measured_it(
    prices: Any, results: Any, known: int
) -> None:
    assert table.known_by(record(prices=prices, benchmarks=results), TODAY) == known


def card(id: str, sources: int, segment: str = "consumer", launched: str = "2024-01-01") -> Any:
    measured = tuple(result(source=f"s{at}") for at in range(sources))
    return record(id=id, segment=segment, benchmarks=measured, launch_date=launched)


def test_what_can_be_had_comes_first_then_the_best_known_desk_and_rack_by_turns() -> None:
    cards = [
        card("gone", 9), card("desk-1", 5), card("desk-2", 4), card("desk-3", 3), card("rack-1", 2, "datacenter"),
        card("rack-2", 1, "datacenter"), card("work", 6, "workstation"),
    ]  # fmt: skip
    today = {one.id for one in cards} - {"gone"}
    found = [one.id for one in table.in_order(cards, today, TODAY)]
    assert found == ["work", "rack-1", "desk-1", "rack-2", "desk-2", "desk-3", "gone"]


def test_of_cards_that_are_known_alike_the_newer_comes_first_and_an_unknown_day_last() -> None:
    cards = [card("old", 1, launched="2020"), card("b", 1), card("unknown", 1, launched=""), card("a", 1)]
    found = [one.id for one in table.in_order(cards, {one.id for one in cards}, TODAY)]
    assert found == ["a", "b", "old", "unknown"]


def column(key: str) -> Any:
    return next(one for one in table.COLUMNS if one.key == key)


@pytest.mark.parametrize(
    ("key", "value", "text", "exact", "numeric"),
    [
        ("memory", 24.0, "24", "", True),
        ("bandwidth", 1008.4, "1,008", "1008.4", True),  # a rounded number is shown, the whole one sorted by
        ("bandwidth", 1008.0, "1,008", "", True),
        ("memory", None, "", "", True),
        ("memtype", "", "", "", False),
        ("memtype", "GDDR6X", "GDDR6X", "", False),
        ("year", "2022", "2022", "", True),
        ("peak16", table.Noted(165.2, ""), "165", "165.2", True),
        ("peak16", table.Noted(165.2, "computed"), "165", "165.2", True),
    ],
)
def test_a_cell_shows_a_rounded_number_and_holds_the_number_behind_them(
    key: str, value: Any, text: str, exact: str, numeric: bool
) -> None:
    cell = table._cell(column(key), value)
    assert (cell.text, cell.exact, cell.numeric) == (text, exact, numeric)
    assert cell.note == getattr(value, "note", "")


def test_a_price_has_a_cell_for_each_market_where_it_is_known_in_one() -> None:
    one = table.Noted(900.0, "new, 2026-11")
    cell = table._cell(column("buy"), {"us": one, "eu": None, "uk": None})
    assert list(cell.markets) == ["us", "eu", "uk"]
    assert (cell.markets["us"].exact, cell.markets["eu"].text) == ("900", "")
    assert not table._cell(column("buy"), dict.fromkeys(("us", "eu", "uk"))).markets


def test_a_price_of_now_tells_its_kind_month_and_cautions() -> None:
    known = record(prices=(sold("a", product="A"), sold("b", product="B")))
    prices = book(known, today=TODAY)
    now: Any = table._now(known, prices)
    assert (now["us"].value, now["us"].note, now["eu"]) == (900.0, "new, 2026-11", None)
    alone: Any = table._now(record(prices=(sold("a"),)), book(record(prices=(sold("a"),)), today=TODAY))
    assert alone["us"].note == "new, 2026-11, one source"
    host = record(prices=(price(provider="Vast.ai", gpus=1.0, date="2026-11-01"),))
    rent: Any = table._rent(host, book(host, today=TODAY))
    assert rent["us"].note == "marketplace, 2026-11, one provider"


def test_a_peak_is_the_stated_one_and_bf16_before_fp16() -> None:
    bf16, fp16 = (PeakKey(name, "fp32", "dense", "tensor") for name in ("bf16", "fp16"))
    none: Any = None
    assert table.sixteen_bit(record(peaks={fp16: 160.0, bf16: 150.0}), none) == table.Noted(150.0, "")
    assert table.sixteen_bit(record(peaks={fp16: 160.0}), none) == table.Noted(160.0, "")
    assert table.sixteen_bit(record(), none) is None


@pytest.mark.parametrize(("prices", "there"), [((sold("a"),), True), ((sold("a", "2026-05-23"),), False), ((), False)])
def test_a_card_can_be_had_that_somebody_sells_or_lets(prices: Any, there: bool) -> None:
    known = record(prices=prices)
    assert table.to_have(known, book(known, today=TODAY)) == there
    rented = record(prices=(price(gpus=1.0, date="2026-11-01"),))
    assert table.to_have(rented, book(rented, today=TODAY))
