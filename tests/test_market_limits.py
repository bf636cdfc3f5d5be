"""Which price an answer ranks: the kinds that a reader allows, the firm before the doubted, the young first."""

from __future__ import annotations

from typing import Any

import pytest
from samples import book, price, record

from pipeline.advise.choose import market
from pipeline.advise.choose.market import RankedQuote
from pipeline.advise.choose.resale import FirstDrop
from pipeline.derive.prices.tax import SalesTax

TODAY = "2026-11-20"


def sold(usd: float, date: str = "2026-11-10", **about: Any) -> Any:
    usual = {"kind": "retail", "usd_per_unit": usd, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
    at = {"gpus": None, "country": "US", "tax": 0.0, "basis": "asked", "provider": "Shop"}
    return price(date=date, **usual | at | about)


def let(usd: float, provider: str = "Lambda", date: str = "2026-11-10", **about: Any) -> Any:
    return price(usd_per_gpu_hour=usd, date=date, provider=provider, **{"gpus": 1.0} | about)


def bought(used: str, *rows: Any, **known: Any) -> RankedQuote | None:
    card = record(prices=rows, **known)
    return market.to_buy(book(card, today=TODAY), card, used)


NEW, USED = sold(800), sold(500, kind="used")


@pytest.mark.parametrize(
    ("used", "usd", "kind"), [("allowed", 500, "used"), ("only", 500, "used"), ("no", 800, "retail")]
)
def test_the_cheaper_of_what_a_reader_allows_is_ranked(used: str, usd: float, kind: str) -> None:
    found = bought(used, NEW, USED)
    assert found is not None
    assert (found.usd, found.kind, found.firm) == (usd, kind, True)


@pytest.mark.parametrize(
    ("date", "kind", "aged"),
    [("2026-08-22", "used", False), ("2026-08-21", "retail", False)],  # ninety days, and one more
)
def test_an_old_price_gives_way_to_a_dearer_one_of_now(date: str, kind: str, aged: bool) -> None:
    found = bought("allowed", NEW, sold(500, date, kind="used"))
    assert found is not None
    assert (found.kind, bool(found.aged)) == (kind, aged)
    alone = bought("only", sold(500, date, kind="used"))
    assert alone is not None
    assert bool(alone.aged) is (date < "2026-08-22")
    assert (", over 90 days old" in alone.words) is bool(alone.aged)


def test_a_price_that_is_gone_is_shown_and_never_ranked_the_newest_of_them() -> None:
    found = bought("allowed", sold(900, "2025-01-10"), sold(500, "2025-02-10", kind="used"))
    assert found is not None
    assert (found.usd, found.firm, found.note) == (500, False, market.PRICE_RULES["old"])


@pytest.mark.parametrize(("used", "usd"), [("allowed", 1599.0), ("no", 1599.0), ("only", None)])
def test_a_launch_price_is_shown_where_nobody_states_another_one(used: str, usd: float | None) -> None:
    found = bought(used, launch_price_usd=1599.0, launch_date="2022-10-12")
    assert (found and found.usd) == usd
    assert found is None or (found.kind, found.date, found.firm) == ("launch", "2022-10-12", False)
    assert bought("allowed") is None


@pytest.mark.parametrize(("date", "sellers"), [("2026-05-21", 2), ("2026-05-20", 1)])
def test_sellers_of_half_a_year_are_counted(date: str, sellers: int) -> None:
    found = bought("no", NEW, sold(950, date, provider="Other"), sold(960, provider="Shop", product="B"))
    assert found is not None
    assert (found.sellers, found.listings) == (sellers, sellers + 1)
    both = bought("only", sold(500, kind="used", provider="eBay and Kleinanzeigen"))
    assert both is not None
    assert both.sellers == 2, "an index over two marketplaces stands for both"


def test_who_sells_a_card_new_is_no_seller_of_a_used_one() -> None:
    """Radeon Pro W7900, November 2026: one ask on eBay was held for two sellers, as a shop sells the card new."""
    found = bought("allowed", NEW, sold(810, provider="Other", product="B"), USED)
    assert found is not None
    assert (found.kind, found.sellers, found.listings) == ("used", 1, 1)
    new = bought("no", NEW, sold(810, provider="Other", product="B"), USED)
    assert new is not None
    assert (new.kind, new.sellers, new.listings) == ("retail", 2, 2)


def test_a_price_that_two_tests_speak_against_is_shown_and_never_ranked() -> None:
    rows = [sold(885, product="T4", includes="discontinued"), sold(202, "2026-03", kind="used")]
    found = bought("no", *rows, segment="datacenter")
    assert found is not None
    assert (found.usd, found.firm, found.note) == (885, False, market.PRICE_RULES["old"])


def rented(how: str, *rows: Any, **known: Any) -> RankedQuote | None:
    return market.for_count(by_machine(how, *rows, **known), 1)


def by_machine(how: str, *rows: Any, **known: Any) -> tuple[RankedQuote, ...]:
    card = record(prices=rows, **known)
    return market.to_rent(book(card, today=TODAY), card, how)


HOST, CLOUD = let(1.0, "Vast.ai"), let(2.0)


@pytest.mark.parametrize(("how", "usd"), [("on_demand", 1.0), ("cloud", 2.0), ("spot", 1.0), ("reserved", None)])
def test_of_a_cloud_and_a_marketplace_the_cheaper_serves_where_both_may(how: str, usd: float | None) -> None:
    found = rented(how, HOST, CLOUD)
    assert (found and found.usd) == usd
    assert found is None or (found.sellers, found.listings) == ((1, 1) if how == "cloud" else (2, 2))


@pytest.mark.parametrize(("gpus", "form", "most"), [(8.0, "PCIe card", 8), (1.0, "PCIe card", 1), (1.0, "SXM5", 8)])
def test_several_are_rented_where_a_machine_with_as_many_was_seen(gpus: float, form: str, most: int) -> None:
    found = rented("cloud", let(2.0, gpus=gpus), let(3.0, "Crusoe"), form_factor=form)
    assert found is not None
    assert found.most_gpus == most
    assert found.least_gpus == 1  # the other provider lets them one by one


def test_what_a_machine_of_eight_costs_is_no_price_of_one_and_a_price_of_its_own() -> None:
    """CoreWeave's L40S, let by the eight, made half of a price for one."""
    eight, one, dear = let(1.0, "CoreWeave", gpus=8.0), let(1.5, "Verda"), let(3.0, "Crusoe")
    offers = by_machine("cloud", eight, one, dear)
    assert [(o.usd, o.least_gpus, o.sellers, o.who) for o in offers] == [
        (1.5, 1, 2, "Verda, one of 2 providers"),
        (1.0, 8, 3, "CoreWeave, one of 3 providers"),
    ]
    told = {count: market.for_count(offers, count) for count in (1, 4, 8)}
    assert [told[count].usd for count in (1, 4, 8)] == [1.5, 1.5, 1.0]  # type: ignore[union-attr]
    assert [o.usd for o in by_machine("cloud", let(2.0, "CoreWeave", gpus=8.0), one)] == [1.5]  # no reason for it
    old = let(0.5, "Verda", "2026-10-01")
    assert [o.least_gpus for o in by_machine("cloud", eight, old)] == [8]  # a month before the newest of the card
    assert market.for_count((), 1) is None


def test_what_a_house_asks_everybody_stands_before_the_cheapest_host_of_a_marketplace() -> None:
    host, house = let(0.13, "Vast.ai", basis="floor"), let(0.22, "Salad", basis="asked")
    both, alone = rented("on_demand", host, house), rented("on_demand", host)
    assert both and (both.usd, both.who, both.basis) == (0.22, "Salad, one of 2 providers", "asked")
    assert alone and (alone.usd, alone.who, alone.basis) == (0.13, "one provider: Vast.ai", "floor")


def test_a_spot_price_above_the_rent_on_demand_is_no_reason_to_take_it() -> None:
    """An L40S as spot at $0.963 was answered where RunPod asked $0.79 on demand."""
    spot = let(0.963, "Verda", kind="spot")
    cheaper, dearer = rented("spot", spot, let(0.79, "Salad")), rented("spot", spot, let(1.2, "Salad"))
    assert cheaper and (cheaper.usd, cheaper.kind) == (0.79, "marketplace")
    assert dearer and (dearer.usd, dearer.kind) == (0.963, "spot")


@pytest.mark.parametrize(("gpus", "least"), [((8.0,), 8), ((8.0, 4.0), 4), ((8.0, 1.0), 1), ((8.0, None), 1)])
def test_fewer_are_rented_only_where_somebody_lets_so_few(gpus: tuple[float | None, ...], least: int) -> None:
    found = rented("cloud", *(let(2.0 + at, f"Cloud {at}", gpus=size) for at, size in enumerate(gpus)))
    assert found is not None and found.least_gpus == least


def quote(usd: float = 1000.0, kind: str = "retail", **about: Any) -> RankedQuote:
    return RankedQuote(usd, kind, "2026-11-10", "one source", about.pop("firm", True), "", **about)


DROP = FirstDrop((0.8, 0.6), 0.5, 0.9, 10, 10)


@pytest.mark.parametrize(
    ("used", "share"),
    [
        (quote(700.0, "used", basis="sold"), 0.7),
        (quote(700.0, "used", basis="asked", listings=3), 0.7),
        (quote(700.0, "used", basis="asked", listings=2), 0.6),
        (quote(700.0, "used", basis="sold", firm=False), 0.6),
        (quote(700.0, "used", basis="sold", doubt="a slip"), 0.6),
        (quote(1200.0, "used", basis="sold"), 1.0),  # no card gains as soon as it is used
        (None, 0.6),
    ],
)
def test_a_new_card_sells_for_its_own_used_price_where_that_is_known(used: RankedQuote | None, share: float) -> None:
    buys = {"allowed": {"card": quote()}, "only": {"card": used} if used else {}}
    made = market.with_first_drop(buys, DROP, {"card": 1.5})
    assert made["allowed"]["card"].first_share == pytest.approx(share)
    assert not used or made["only"]["card"].first_share == 1.0, "a used card has lost that already"


@pytest.mark.parametrize(("age", "share"), [(0.0, 0.8), (0.99, 0.8), (1.0, 0.6), (9.0, 0.6), (-0.5, 0.8), (None, 0.6)])
def test_the_first_drop_is_that_of_the_year_on_the_market(age: float | None, share: float) -> None:
    assert DROP.at(age) == share


def test_sales_tax_is_added_where_the_market_has_one() -> None:
    taxed = market.with_tax(quote(2.0, "on_demand"), SalesTax(19.0, "Germany"))
    assert (taxed.usd, taxed.listed) == (pytest.approx(2.38), 2.0)
    assert market.with_tax(quote(2.0, "on_demand"), SalesTax(0.0, "the United States")).listed is None


def test_a_typed_price_loses_what_the_known_one_does() -> None:
    mine = market.own(750.0, quote(first_share=0.7, most_gpus=8))
    assert (mine.usd, mine.words, mine.first_share, mine.most_gpus) == (750.0, "your price", 0.7, 8)
    assert (market.own(750.0, None).first_share, market.own(750.0, None).most_gpus) == (1.0, None)


def test_the_lowest_asked_price_says_so() -> None:
    assert quote(kind="used", basis="floor").words == "used, lowest asked, one source, 2026-11-10"
    assert quote(kind="used", basis="asked").words == "used, one source, 2026-11-10"
