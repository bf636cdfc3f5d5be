"""Prices: per GPU, in dollars, one offer once, and what is implausible or old stock says so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from samples import price

from pipeline.core.schema import Price
from pipeline.intake.price_list import (
    ExchangeRate,
    Offer,
    lines,
    mark_implausible,
    merged,
    per_gpu,
    places,
    provider,
    street_price,
)


def offers(*amounts: float, kind: str = "on_demand", gpu: str = "L4") -> list[Price]:
    return [price(gpu=gpu, kind=kind, usd_per_gpu_hour=amount, gpus=1) for amount in amounts]


def flagged(rows: list[Price]) -> list[float | None]:
    return [row.usd_per_gpu_hour for row in mark_implausible(rows) if row.flag]


def test_a_machine_with_eight_gpus_costs_an_eighth_a_gpu_and_a_slice_its_multiple() -> None:
    assert per_gpu(98.32, 8) == 12.29
    assert per_gpu(0.233, 1 / 8) == pytest.approx(1.864)


def test_a_converted_price_names_amount_rate_and_day() -> None:
    euro = ExchangeRate("EUR", 1.1699, "2026-08-21", "fx")
    assert euro.to_usd(5199) == 6082.3101
    assert euro.note(5199) == "5199 EUR at 1.1699 USD of 2026-08-21 (fx)"
    assert ExchangeRate("INR", 1 / 95.7, "2026-08-21", "fx").to_usd(356) == 3.72


def test_one_provider_has_one_name_in_all_sources() -> None:
    assert {provider(name) for name in ("datacrunch", "Datacrunch", "Verda (DataCrunch)")} == {"Verda"}
    assert provider("A new cloud") == "A new cloud"


def test_an_offer_far_under_the_median_of_its_gpu_is_flagged_and_kept() -> None:
    rows = offers(0.0218, 0.0324, 0.44, 0.49, 0.512, 0.5582, 0.9664)
    assert flagged(rows) == [0.0218, 0.0324]
    assert len(mark_implausible(rows)) == len(rows)


def test_a_machines_price_read_as_a_gpus_is_flagged() -> None:
    assert flagged(offers(2.7, 3.24, 3.24, 2.97, 700.0)) == [700.0]


def test_a_spot_price_may_be_far_lower_but_not_as_low_as_a_doubted_offer() -> None:
    listed = offers(0.0324, 0.44, 0.49, 0.512, 0.5582, 0.9664)
    assert flagged([*listed, *offers(0.0267, 0.06, kind="spot")]) == [0.0324, 0.0267]
    assert flagged([*offers(0.44, 0.49, 0.512, 0.5582, 0.9664), *offers(0.03, kind="spot")]) == []


def test_too_few_offers_of_a_gpu_doubt_none_of_them() -> None:
    assert flagged(offers(0.01, 0.44, 0.49, 0.512)) == []
    assert flagged([*offers(0.44, 0.45, 0.46, 0.47), *offers(0.01, gpu="T4")]) == []


def test_a_reason_already_given_is_not_overwritten_and_its_price_is_no_yardstick() -> None:
    doubted = [replace(row, flag="history") for row in offers(0.01, 0.01, 0.01, 0.01, 0.01, 0.01)]
    marked = mark_implausible([*doubted, *offers(0.44, 0.49, 0.512, 0.5582, 0.9664)])
    assert {row.flag for row in marked} == {"history", ""}


def test_the_street_price_is_the_median_of_the_three_cheapest_offers() -> None:
    street = street_price([("a", 2999.0), ("b", 1999.99), ("c", 2599.98), ("d", 2639.99)], listed=5)
    assert (street.usd, street.flag) == (2599.98, "")
    assert street.includes == "median of the 3 cheapest of 4 offers; 5 products listed"


def test_one_product_in_two_colours_at_one_price_counts_once() -> None:
    street = street_price([("a", 100.0), ("a", 100.0), ("b", 120.0), ("c", 150.0)], listed=4)
    assert street.usd == 120.0


def test_fewer_than_three_offers_make_no_street_price() -> None:
    assert street_price([("a", 944.0)], listed=1).flag == "fewer than 3 offers"
    assert street_price([("a", 944.0)], listed=1).includes == "the only offer; 1 products listed"


def test_a_card_of_which_few_products_are_still_sold_is_old_stock() -> None:
    sold = [("a", 499.0), ("b", 498.0), ("c", 598.0)]
    assert street_price(sold, listed=10).flag == "old stock: only 3 of 10 listed products are still sold"
    assert street_price(sold, listed=9).flag == ""


def test_lines_that_differ_in_region_only_are_one_offer() -> None:
    line = Offer("A100", "spot", "m1", 8, 20.0, "east", 2)
    found = list(merged([line, replace(line, region="west", row=3), replace(line, machine_hour=21.0, row=4)]))
    assert [(offer.machine_hour, [one.row for one in same]) for offer, same in found] == [(20.0, [2, 3]), (21.0, [4])]


def test_regions_and_lines_of_an_offer_are_named_or_counted() -> None:
    assert places(["b", "a", "b", ""]) == "b; a"
    assert places(["d", "c", "b", "a"]) == "4 regions, e.g. d; c; b"
    assert lines([7], "m1") == "row 7 (m1)"
    assert lines([7, 9, 12], "m1") == "row 7 (m1) and 2 more with the same price"
    assert lines([7, 9], "", "") == "row 7 and 1 more"
