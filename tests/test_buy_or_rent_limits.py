"""When buying has cost less than renting, and what a bill counts: at the limit of each sentence."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.choose.calculators import buy_or_rent
from pipeline.advise.choose.calculators.card_facts import CardPrice
from pipeline.advise.choose.costs import HOST_USD
from pipeline.advise.choose.need import NeedError


@pytest.mark.parametrize(
    ("kept", "saved", "after"),
    [
        (1000.0, 2.0, 500.0),
        (1000.0, 0.0, None),
        (1000.0, -1.0, None),
        (0.0, 2.0, 0.0),
        (-5.0, 2.0, 0.0),
        (-5.0, 0.0, None),
        (1.0, 0.001, 1000.0),
    ],
)
def test_buying_costs_less_where_each_hour_saves_something(kept: float, saved: float, after: float | None) -> None:
    assert buy_or_rent.break_even(kept, saved)[0] == after


@pytest.mark.parametrize(
    ("rent", "buy", "said"),
    [
        (100.0, 150.0, "renting costs 50.00 dollars less than buying"),
        (150.0, 100.0, "buying costs 50.00 dollars less than renting"),
        (100.0, 100.0, "renting costs 0 dollars less than buying"),
    ],
)
def test_the_cheaper_of_two_bills_is_told_with_the_gap(rent: float, buy: float, said: str) -> None:
    asked = {"hours_per_week": 42.0, "months": 12.0}
    told = buy_or_rent._bill(asked, 2184.0, rent, buy)
    assert said in told
    assert told.startswith("At 42 hours a week (25 % of the time) for 12 months (2,184 hours)")


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (None, "so the price never comes back"),
        (0.0, "pays for it"),
        (168 * 52 / 12 * 12, "buying costs less from 168 hours a week on"),
        (168 * 52 / 12 * 12 + 1, "even if the card works day and night for 12 months"),
    ],
)
def test_a_week_has_no_more_hours_than_it_has(after: float | None, said: str) -> None:
    assert said in buy_or_rent._when(after, {"months": 12.0})


def facts(new: CardPrice | None = None, power_w: float | None = None) -> Any:
    return SimpleNamespace(new=new, used=None, power_w=power_w, card=SimpleNamespace(name="Card", id="card"))


def quoted(share: float) -> CardPrice:
    return CardPrice(1000.0, "new", "Shop", "2026-11", True, "", first_share=share)


@pytest.mark.parametrize(
    ("typed", "first", "months", "share"),
    [
        (40.0, 0.8, 12.0, 0.4),
        (0.0, 0.8, 12.0, 0.0),
        (None, 0.8, 12.0, 0.72),
        (None, 1.0, 24.0, 0.81),
        (None, 1.0, 6.0, 0.9**0.5),
    ],
)
def test_what_a_card_brings_is_typed_or_what_used_ones_kept(
    typed: float | None, first: float, months: float, share: float
) -> None:
    known: Any = SimpleNamespace(on=SimpleNamespace(kept=SimpleNamespace(a_year=0.9)))
    asked = {"resale": typed, "months": months}
    assert buy_or_rent.kept_share(facts(quoted(first)), known, asked) == pytest.approx(share)
    note = buy_or_rent.resale_note(facts(quoted(first)), known, asked)
    assert (note == ()) is (typed is not None)
    assert ("after a new one falls to" in "".join(note)) is (typed is None and first < 1)


def test_the_machine_around_so_many_cards_is_the_next_larger_one() -> None:
    sizes = sorted(HOST_USD)
    assert [buy_or_rent.host_usd(size) for size in sizes] == [HOST_USD[size] for size in sizes]
    for count in range(1, max(sizes) + 1):
        assert buy_or_rent.host_usd(count) == HOST_USD[next(size for size in sizes if size >= count)]


def test_watts_are_typed_or_the_limit_of_the_board() -> None:
    assert buy_or_rent.power_each(facts(power_w=450.0), 300.0) == 300.0
    assert buy_or_rent.power_each(facts(power_w=450.0), 0.0) == 0.0
    assert buy_or_rent.power_each(facts(power_w=450.0), None) == 450.0
    with pytest.raises(NeedError, match="no source states the power of Card; type it"):
        buy_or_rent.power_each(facts(), None)


@pytest.mark.parametrize(
    ("url", "date", "leads"), [("https://e.org", "2026", True), ("", "2026", True), ("", "", False)]
)
def test_a_price_leads_to_its_document_or_to_the_card(url: str, date: str, leads: bool) -> None:
    cell = buy_or_rent.source_of(facts(), CardPrice(1.0, "new", "Shop", date, True, url))
    assert bool(getattr(cell, "link", "") or getattr(cell, "gpu", "") or getattr(cell, "href", "")) is leads
