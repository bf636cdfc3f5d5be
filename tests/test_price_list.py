"""When an offer of a list is implausible, what a street price rests on, and how lines and places are told."""

from __future__ import annotations

from typing import Any

import pytest
from samples import price

from pipeline.intake import price_list
from pipeline.intake.price_list import ExchangeRate, Offer, street_price


def offers(*usd: float, **about: Any) -> list[Any]:
    return [price(usd_per_gpu_hour=each, **about) for each in usd]


FIVE = offers(1.0, 1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("kind", "usd", "flagged"),
    [
        ("on_demand", 0.25, False), ("on_demand", 0.2499, True), ("on_demand", 4.0, False), ("on_demand", 4.01, True),
        ("spot", 0.05, False), ("spot", 0.0499, True), ("spot", 4.01, True), ("reserved", 9.0, False),
    ],
)  # fmt: skip
def test_an_offer_is_implausible_far_from_the_median_of_its_card(kind: str, usd: float, flagged: bool) -> None:
    marked = price_list.mark_implausible([*FIVE, price(kind=kind, usd_per_gpu_hour=usd)])
    assert bool(marked[-1].flag) is flagged
    assert not any(row.flag for row in marked[:5])


@pytest.mark.parametrize(
    ("others", "flagged"),
    [
        (offers(1, 1, 1, 1), True),  # with itself five
        (offers(1, 1, 1), False),
        ([*offers(1, 1, 1), *offers(1, flag="a slip")], False),
        ([*offers(1, 1, 1), *offers(1, kind="spot")], False),
        ([*offers(1, 1, 1), *offers(1, gpu="another")], False),
        ([*offers(1, 1, 1), price(usd_per_gpu_hour=None)], False),
    ],
)
def test_a_card_needs_five_sound_offers_on_demand(others: list[Any], flagged: bool) -> None:
    assert bool(price_list.mark_implausible([*others, price(usd_per_gpu_hour=9.0)])[-1].flag) is flagged


@pytest.mark.parametrize(("usd", "flagged"), [(0.2, True), (0.1, True), (0.21, False)])
def test_a_spot_offer_is_doubted_up_to_the_dearest_doubted_one_on_demand(usd: float, flagged: bool) -> None:
    rows = [*offers(1, 1, 1, 1, 1, 0.2, 0.1), price(kind="spot", usd_per_gpu_hour=usd)]
    assert bool(price_list.mark_implausible(rows)[-1].flag) is flagged


def test_a_flag_that_is_there_stays_and_the_reason_says_how_far() -> None:
    marked = price_list.mark_implausible([*FIVE, *offers(9.0), *offers(9.0, flag="a slip")])
    assert [row.flag for row in marked[-2:]] == [
        "implausible: 9 times the median on-demand offer of 1 USD in this list", "a slip",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("listings", "listed", "usd", "flag"),
    [
        ([("a", 1.0), ("b", 2.0), ("c", 3.0)], 9, 2.0, ""),  # a third is still sold
        ([("a", 1.0), ("b", 2.0), ("c", 3.0)], 10, 2.0, "old stock: only 3 of 10 listed products are still sold"),
        ([("a", 1.0), ("b", 2.0)], 2, 1.5, "fewer than 3 offers"),
        ([("a", 1.0), ("a", 1.0), ("b", 2.0)], 3, 1.5, "fewer than 3 offers"),
        ([("a", 1.0), ("a", 1.0), ("b", 2.0), ("c", 3.0)], 12, 2.0, ""),  # each colour is a product that is still sold
        ([("d", 9.0), ("a", 1.0), ("b", 2.0), ("c", 3.0)], 4, 2.0, ""),
        ([("a", 1.005), ("b", 1.005), ("c", 1.006)], 3, 1.0, ""),
    ],
)
def test_a_street_price_is_the_middle_of_the_three_cheapest_products(
    listings: list[tuple[str, float]], listed: int, usd: float, flag: str
) -> None:
    found = street_price(listings, listed)
    assert (found.usd, found.flag) == (usd, flag)


def test_an_amount_is_converted_to_a_hundredth_of_a_cent_and_says_how() -> None:
    rate = ExchangeRate("EUR", 1.16999, "2026-11-01", "ECB")
    assert rate.to_usd(100.0) == 116.999
    assert rate.to_usd(0.3333) == 0.39  # 0.38995…
    assert rate.note(100.0) == "100 EUR at 1.16999 USD of 2026-11-01 (ECB)"
    assert price_list.per_gpu(10.0, 3.0) == 3.333333
    assert price_list.per_gpu(1.0, 0.5) == 2.0


@pytest.mark.parametrize(
    ("regions", "told"),
    [
        (["a"], "a"),
        (["a", "b", "a", "", "c"], "a; b; c"),
        (["a", "b", "c", "d"], "4 regions, e.g. a; b; c"),
        ([], ""),
    ],
)
def test_up_to_three_regions_are_named(regions: list[str], told: str) -> None:
    assert price_list.places(regions) == told


@pytest.mark.parametrize(
    ("rows", "name", "told"),
    [
        ([4], "x", "row 4 (x)"),
        ([4], "", "row 4"),
        ([4, 7], "x", "row 4 (x) and 1 more with the same price"),
        ([4, 7, 9], "", "row 4 and 2 more with the same price"),
    ],
)
def test_the_first_line_is_told_and_how_many_more(rows: list[int], name: str, told: str) -> None:
    assert price_list.lines(rows, name) == told
    assert price_list.lines(rows, name, "") == told.removesuffix(" with the same price")


def test_lines_that_differ_in_region_alone_are_one_offer() -> None:
    def offer(region: str, row: int, usd: float = 1.0) -> Offer:
        return Offer("x", "on_demand", "p5", 8.0, usd, region, row)

    found = list(price_list.merged([offer("eu", 1), offer("us", 2), offer("us", 3, 2.0), offer("asia", 4)]))
    assert [[one.row for one in own] for _, own in found] == [[1, 2, 4], [3]]
    assert [(one.machine_hour, one.region, one.row) for one, _ in found] == [(1.0, "", 0), (2.0, "", 0)]
