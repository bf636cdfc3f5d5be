"""Which observations of a price are comparable, and which of several speaks, at the boundary of each rule."""

from __future__ import annotations

from typing import Any

import pytest
from samples import price

from pipeline.derive.prices import observe


def sold(usd: float = 900.0, **about: Any) -> Any:
    usual = {"kind": "retail", "usd_per_unit": usd, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
    market = {"gpus": None, "country": "US", "tax": 0.0, "basis": "asked", "provider": "Shop", "date": "2026-11-10"}
    return price(**usual | market | about)


def let(usd: float | None = 1.0, date: str = "2026-11-10", **about: Any) -> Any:
    return price(usd_per_gpu_hour=usd, date=date, **{"gpus": 1.0, "provider": "Lambda"} | about)


@pytest.mark.parametrize(
    ("about", "counts"),
    [
        ({}, True),
        ({"gpus": None}, True),
        ({"gpus": 0.99}, False),  # a share of a card
        ({"gpus": 8.0}, True),
        ({"usd": None}, False),
        ({"flag": "a slip"}, False),
        ({"date": "2026"}, False),
        ({"date": "2026-11"}, True),
        ({"kind": "spot"}, False),
        ({"provider": "Vast.ai"}, False),
    ],
)
def test_a_rent_counts_that_is_sound_and_of_whole_cards_in_a_month(about: dict[str, Any], counts: bool) -> None:
    assert bool(observe.in_market([let(**about)], "rent", "us")) is counts


@pytest.mark.parametrize(
    ("about", "market", "counts"),
    [
        ({}, "us", True),
        ({"tax": 5.0}, "us", False),
        ({"tax": None}, "us", False),
        ({"country": "GR", "tax": 24.0}, "eu", True),
        ({"country": "GR", "tax": 0.0}, "eu", False),
        ({"country": "GR", "tax": 24.0}, "us", False),
        ({"kind": "used", "country": "GR", "tax": None}, "eu", True),
        ({"kind": "used", "tax": None}, "us", False),
    ],
)
def test_a_price_to_buy_counts_where_it_holds_the_tax_of_its_market(
    about: dict[str, Any], market: Any, counts: bool
) -> None:
    kind: Any = "used" if "kind" in about else "new"
    assert bool(observe.in_market([sold(**about)], kind, market)) is counts


def test_of_machines_those_with_the_fewest_gpus_are_compared() -> None:
    rows = [sold(10, gpus=8.0), sold(20, gpus=4.0), sold(30, gpus=4.0), sold(40, gpus=16.0)]
    assert [row.usd_per_unit for row in observe._smallest_machine(rows)] == [20, 30]
    assert observe._smallest_machine([sold(10), sold(20, gpus=2.0)]) == [sold(10)], "one that says nothing has one"
    assert observe._smallest_machine([]) == []


def test_the_usual_offer_of_several_days_is_the_lower_middle_one_of_its_newest_day() -> None:
    days = [observe.Seen("x", usd, let(usd, f"2026-11-{day:02}")) for usd, day in ((2, 1), (1, 2), (2, 3), (3, 4))]
    usual = observe._usual(days)
    assert (usual.amount, usual.price.date, usual.days, usual.newest) == (2, "2026-11-03", 4, "2026-11-04")
    assert (usual.day, usual.month) == ("2026-11-04", "2026-11")
    assert observe._usual(days[:2]).amount == 1


@pytest.mark.parametrize(("days", "usd"), [(30, 2.0), (31, 3.0)])
def test_the_usual_offer_of_a_marketplace_is_of_thirty_days(days: int, usd: float) -> None:
    first = {30: "2026-10-11", 31: "2026-10-10"}[days]
    rows = [let(1.0, first, provider="Vast.ai"), let(2.0, "2026-11-01", provider="Vast.ai")]
    rows.append(let(3.0, "2026-11-10", provider="Vast.ai"))
    (seen,) = observe._providers(rows, "us")
    assert seen.amount == usd


@pytest.mark.parametrize(("day", "usd"), [("2026-10-11", 4.0), ("2026-10-10", 1.9)])
def test_the_median_of_a_marketplace_s_offers_counts_before_its_cheapest(day: str, usd: float) -> None:
    """H100 SXM, October 2026: Vast.ai stood at 1.90, which one host asked, where the median of its offers was 4.00."""
    rows = [let(1.9, provider="Vast.ai"), let(4.0, day, provider="Vast.ai", includes="median of 7 offers")]
    (seen,) = observe._providers(rows, "us")
    assert seen.amount == usd
    uncounted = let(4.0, day, provider="Vast.ai", includes="median of all verified offers")
    assert [seen.amount for seen in observe._providers([rows[0], uncounted], "us")] == [usd]
    (cloud,) = observe._providers([let(1.9), let(4.0, day, includes="median of 7 offers")], "us")
    assert cloud.amount == 1.9, "a cloud has one price"


@pytest.mark.parametrize(
    ("bases", "amounts"), [(("floor", "floor"), [800]), (("floor", "asked"), [900]), (("sold", "asked"), [800])]
)
def test_of_lowest_asks_alone_the_lowest_counts(bases: tuple[str, str], amounts: list[float]) -> None:
    rows = [
        sold(usd, product=name, kind="used", basis=basis)
        for usd, name, basis in zip((800, 900), "AB", bases, strict=True)
    ]
    assert [seen.amount for seen in observe._products(rows, "used", "us")] == amounts


@pytest.mark.parametrize(
    ("rows", "country"),
    [
        ([("GR", 1000, "A"), ("GR", 1500, "B"), ("DE", 500, "A")], "GR"),  # most products
        ([("GR", 1000, "A"), ("GR", 1500, "A"), ("DE", 900, "A"), ("DE", 2000, "A")], "DE"),  # the cheapest offer
        ([("GR", 1000, "A"), ("DE", 1000, "A")], "GR"),  # nothing tells them apart but the name
    ],
)
def test_of_one_country_the_prices_count(rows: list[tuple[str, float, str]], country: str) -> None:
    made = [sold(usd, country=land, product=name, currency="EUR", amount=usd) for land, usd, name in rows]
    assert {row.country for row in observe._of_one_country(made, "new", "eu")} == {country}


@pytest.mark.parametrize(("day", "near"), [("2026-10-10", 2), ("2026-10-09", 1), ("2026-10", 1)])
def test_what_is_read_within_thirty_one_days_of_the_newest_counts(day: str, near: int) -> None:
    assert len(observe.near([sold(), sold(date=day)])) == near


@pytest.mark.parametrize(
    ("date", "last"), [("2026-02", "2026-02-28"), ("2024-02", "2024-02-29"), ("2026-11-05", "2026-11-05")]
)
def test_a_month_may_be_its_last_day(date: str, last: str) -> None:
    assert observe.last_day(date) == last


@pytest.mark.parametrize(("day", "left"), [("2025-11-10", 1), ("2025-11-09", 2), ("2025-11", 2)])
def test_a_hyperscaler_counts_where_no_cloud_let_the_card_within_a_year(day: str, left: int) -> None:
    rows = [let(6.0, provider="AWS"), let(2.0, day)]
    assert len(observe.of_clouds(rows, "rent")) == left
    assert len(observe.of_clouds(rows, "new")) == 2, "of prices to buy nothing is left out"


@pytest.mark.parametrize(
    ("product", "memory", "name"),
    [
        ("Mac Studio M3 Ultra 96GB", 96.0, "96 GB machine"),
        ("Mac mini M6 16GB 512GB", 16.0, "16 GB machine"),  # the second is the drive
        ("ASUS Ascent GX10 4TB", None, ""),
        ("Box with 512 GB SSD", None, ""),
    ],
)
def test_a_machine_is_told_by_its_memory_and_not_by_its_drive(product: str, memory: float | None, name: str) -> None:
    row = sold(kind="system", product=product)
    assert (observe.memory_bought(row), observe.configuration(row)) == (memory, name)


def test_of_a_machine_s_configurations_the_wanted_one_counts_else_the_cheapest_and_a_module_last() -> None:
    module = {"product": "Jetson Orin 64GB", "includes": observe.MODULE}
    rows = [sold(1500, kind="system", product="Box 64GB"), sold(1000, kind="system", product="Box 32GB")]
    rows.append(sold(500, kind="system", **module))
    assert [seen.amount for seen in observe.each_once(rows, "system", "us")] == [1000]
    assert [seen.amount for seen in observe.each_once(rows, "system", "us", "64 GB machine")] == [1500]
    assert [seen.amount for seen in observe.each_once(rows[2:], "system", "us")] == [500]
    assert observe.each_once([], "system", "us") == []


@pytest.mark.parametrize(
    ("includes", "newest", "counts"),
    [
        ("96 GB; replaced on 2026-11-20", "2026-11-20", False),
        ("96 GB; replaced on 2026-11-21", "2026-11-20", True),
        ("", "2026-11-20", True),
    ],
)
def test_a_machine_is_of_now_until_its_maker_replaces_it(includes: str, newest: str, counts: bool) -> None:
    assert bool(observe.of_now([sold(includes=includes)], newest)) is counts


def test_of_shops_that_ask_for_one_product_the_newest_counts_of_each_and_the_next_is_kept() -> None:
    rows = [
        sold(700, date="2026-11-01", product="A"), sold(900, product="A"), sold(950, product="A"),
        sold(880, product="A", provider="Second"), sold(1200, product="A", provider="Third"),
    ]  # fmt: skip
    (seen,) = observe._products(rows, "new", "us")
    assert (seen.amount, seen.next) == (880, 900), "of one shop's two prices of a day the lower"
    (alone,) = observe._products(rows[:1], "new", "us")
    assert alone.next is None


def test_what_costs_alike_stands_by_its_name_and_of_one_house_by_offer_and_place() -> None:
    rows = [let(2.0, "2026-11-10", provider=name) for name in ("B", "A")] + [let(1.0, provider="C")]
    assert [seen.who for seen in observe.each_once(rows, "rent", "us")] == ["C", "A", "B"]
    houses = [let(5.0, provider=name) for name in ("Google Cloud", "AWS")]
    seen = observe.of_hyperscalers(houses, "us")
    assert [one.who for one in seen] == sorted(one.who for one in seen)
    boxes = [sold(1000, kind="system", product=f"{name} 32GB") for name in ("B", "A")]
    assert [one.who for one in observe.machines(boxes, "us")] == ["a 32gb", "b 32gb"]
    cheap = [let(1.0, offer="b", locator="1"), let(1.0, offer="a", locator="2"), let(1.0, offer="a", locator="1")]
    first = observe._cheapest("x", cheap, "us").price
    assert (first.offer, first.locator) == ("a", "1")
    assert observe._cheapest("x", [let(2.0, offer="a"), let(1.0, offer="b")], "us").amount == 1.0


@pytest.mark.parametrize(
    ("dates", "country"), [(("2026-10-28", "2026-11-02"), "GR"), (("2026-11-02", "2026-10-28"), "DE")]
)
def test_of_two_countries_alike_the_one_that_was_read_in_a_later_month_counts(
    dates: tuple[str, str], country: str
) -> None:
    made = [
        sold(900, country=land, currency="EUR", amount=900, date=day)
        for land, day in zip(("DE", "GR"), dates, strict=True)
    ]
    assert {row.country for row in observe._of_one_country(made, "new", "eu")} == {country}


@pytest.mark.parametrize(
    ("date", "newest", "usd"), [("2026-11-09", "2026-11-10", 2.0), ("2026-11-10", "2026-11-10", 1.0)]
)
def test_of_a_provider_the_cheapest_offer_of_its_newest_day_counts(date: str, newest: str, usd: float) -> None:
    (seen,) = observe._providers([let(1.0, date), let(2.0, newest)], "us")
    assert seen.amount == usd
