"""A month of asking prices that its neighbours contradict counts only where another source bears it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from samples import committed, price

from pipeline.core.schema import Price
from pipeline.derive.prices.quote import quotes
from pipeline.record import outliers


def asked(usd: float, month: str, source: str = "reports", **changes: object) -> Price:
    """A month's asking price of one source."""
    base = price(
        kind="used",
        gpus=None,
        usd_per_gpu_hour=None,
        usd_per_machine_hour=None,
        usd_per_unit=usd,
        date=month,
        source=source,
        basis="asked",
        country="US",
        tax=0.0,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def flagged(prices: Sequence[Price]) -> list[float | None]:
    return [row.usd_per_unit for row in outliers.flagged(prices) if row.flag.startswith("more than a third")]


def months(*amounts: float) -> list[Price]:
    return [asked(usd, f"2026-{number:02}") for number, usd in enumerate(amounts, start=4)]


def test_the_resale_price_of_the_h100_pcie_as_it_ran_unflagged() -> None:
    assert flagged(months(38000, 19000, 32700, 27700, 27000, 29200)) == [38000, 19000]


@pytest.mark.parametrize(("june", "doubted"), [(32700, False), (36933, False), (36934, True), (18466, True)])
def test_june_of_the_h100_pcie_is_judged_by_all_months_around_it(june: float, doubted: bool) -> None:
    """Its jump of 72 per cent is May's fault: June lies 18 per cent over the 27,700 of the five months around it."""
    run = (38000, 19000, june, 27700, 27000, 29200)
    assert (june in flagged(months(*run))) == doubted


@pytest.mark.parametrize(("usd", "doubted"), [(134, True), (133, False), (67, False), (66, True)])
def test_a_third_from_the_months_around_it_is_the_boundary(usd: float, doubted: bool) -> None:
    assert flagged(months(100, usd, 100)) == [usd] * doubted


def test_one_neighbour_is_no_usual_price() -> None:
    assert flagged(months(100, 300)) == []


@pytest.mark.parametrize(("month", "doubted"), [("2026-09", True), ("2026-10", False)])
def test_months_further_off_than_three_are_another_time(month: str, doubted: bool) -> None:
    before = [asked(100, earlier) for earlier in ("2026-05", "2026-06", "2026-07")]
    assert flagged([*before, asked(200, month)]) == [200] * doubted  # of October only July is near


@pytest.mark.parametrize(
    ("other", "doubted"),
    [
        (asked(5282, "2026-10", "shops", kind="retail"), False),
        (asked(6550, "2026-10", "shops", kind="retail", country="GR", tax=24.0), False),  # 5,282 without tax
        (asked(5282, "2026-11", "shops", kind="retail"), True),  # two months later
        (asked(3100, "2026-09", "shops"), True),  # states another price
        (asked(5282, "2026-09", "shops", flag="old stock"), True),
    ],
)
def test_a_second_source_bears_a_jump_out(other: Price, doubted: bool) -> None:
    rise = [asked(usd, month) for usd, month in ((3048, "2026-06"), (3173, "2026-07"), (3897, "2026-08"))]
    assert flagged([*rise, asked(4795, "2026-09"), other]) == [4795] * doubted


def test_what_buyers_paid_is_a_mean_over_many_sales_and_is_not_judged() -> None:
    assert flagged([replace(row, basis="sold") for row in months(100, 200, 100)]) == []


def test_a_reason_already_given_stands() -> None:
    rows = months(100, 300, 100)
    rows[1] = replace(rows[1], flag="a pair of cards")
    assert [row.flag for row in outliers.flagged(rows)] == ["", "a pair of cards", ""]


def test_the_dataset_draws_no_outlier_of_the_h100_pcie_whose_price_now_two_sources_state() -> None:
    dataset = committed()
    drawn = {row.date: row.usd_per_unit for row in dataset.gpus["nvidia-h100-pcie-80gb"].prices if not row.flag}
    assert "2026-06" in drawn and not {"2026-04", "2026-05"} & drawn.keys()
    found = quotes(dataset).quote("nvidia-h100-pcie-80gb", "used")
    now = {
        row.source
        for row in dataset.gpus["nvidia-h100-pcie-80gb"].prices
        if row.kind == "used" and row.date > "2026-07"
    }
    assert found.doubts == () and found.count == 1 and len(now) > 1


def test_the_rtx_pro_4000_at_3000_dollars_is_borne_out_by_a_shop_in_greece() -> None:
    book = quotes(committed())
    here, there = (book.quote("nvidia-rtx-pro-4000-blackwell", "new", market) for market in ("us", "eu"))
    assert here.value == 3000 and not here.doubts
    assert there.without_tax is not None and abs(there.without_tax * 1.17 / 3000 - 1) < 1 / 3


def far(prices: Sequence[Price]) -> list[float | None]:
    return [row.usd_per_unit for row in outliers.flagged(prices) if row.flag == outliers.FAR_FLAG]


@pytest.mark.parametrize(("usd", "doubted"), [(12000, False), (12001, True), (400, False), (399, True)])
def test_what_lies_far_from_two_other_sources_is_flagged(usd: float, doubted: bool) -> None:
    others = [asked(2000, "2026-08", "a"), asked(2400, "2026-09", "b", kind="retail")]
    assert far([*others, asked(usd, "2026-10", kind="retail")]) == [usd] * doubted


def test_one_other_source_and_one_of_another_time_cannot_say_which_is_wrong() -> None:
    slip = asked(99999, "2026-10", kind="retail")
    assert far([asked(2000, "2026-08", "a"), slip]) == []
    assert far([asked(2000, "2026-08", "a"), asked(2000, "2025-09", "b"), slip]) == []
    assert far([asked(2000, "2026-08", "a"), asked(2000, "2025-10", "b"), slip]) == [99999]


def test_what_is_far_is_refused_of_a_set_though_it_is_flagged_here() -> None:
    assert outliers.is_ours(outliers.FAR_FLAG) and outliers.is_ours(outliers.FLAG.format(usual=300))
    assert not outliers.is_ours("out of stock")


@pytest.mark.parametrize(("usd", "doubted"), [(400.0, False), (400.001, True), (200.0, False), (199.999, True)])
def test_exactly_a_third_from_the_months_around_it_stands(usd: float, doubted: bool) -> None:
    assert flagged(months(300, usd, 300)) == [usd] * doubted


@pytest.mark.parametrize(("changes", "counts"), [({}, True), ({"usd_per_unit": 0.0}, False), ({"date": "2026"}, False)])
def test_a_price_of_nothing_and_one_of_a_year_are_not_judged(changes: dict[str, Any], counts: bool) -> None:
    (row,) = months(100.0)
    assert (outliers._month(replace(row, **changes)) is not None) is counts
