"""Which of several claims is chosen where nearly all speaks for two of them, and how far apart is still the same."""

from __future__ import annotations

from typing import Any

import pytest
from samples import claim

from pipeline.record import reconcile
from pipeline.record.reconcile import Ancestry, agree

ORDER = Ancestry({}, {"epoch": 0, "wiki": 1})
PEAK = "peak:fp16:fp32:dense:tensor"


def decide(*claims: Any) -> Any:
    (record,) = reconcile.reconcile(claims, ORDER).values()
    (decision,) = record.values()
    return decision


@pytest.mark.parametrize(("day", "same"), [("2022-11-12", True), ("2022-11-13", False), ("2022-09-11", True)])
def test_a_launch_is_told_within_thirty_one_days(day: str, same: bool) -> None:
    assert agree("launch_date", "2022-10-12", day) is same
    assert agree("launch_date", day, "2022-10-12") is same


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("2022-10", "2022-10-12", True),
        ("2022", "2022-10", True),
        ("2022-10", "2022-11-01", False),
        ("2021", "2022-01", False),
    ],
)
def test_a_month_is_any_day_of_it_and_no_other(one: str, two: str, same: bool) -> None:
    assert agree("launch_date", one, two) is same
    assert agree("launch_date", two, one) is same


@pytest.mark.parametrize(
    ("one", "two", "rounded"),
    [
        ("999", "1000", False),  # a thousandth is no rounding
        ("998", "1000", False),  # and 998 is no figure of 1,000 in fewer digits
        ("2500", "2516.6", True),
        ("2516.6", "2500", False),
        ("40", "39.97", False),  # less than a thousandth off
        ("40", "39.96", True),
        ("4600", "4690", False),
    ],
)
def test_a_peak_was_rounded_that_is_the_other_to_fewer_digits_and_over_a_thousandth_off(
    one: str, two: str, rounded: bool
) -> None:
    assert reconcile._is_rounded(one, two) is rounded


def test_of_several_exact_peaks_the_one_with_the_most_digits_is_chosen() -> None:
    said = [claim(PEAK, f"{value} TFLOPS", source=name) for value, name in (
        ("2500", "0"), ("2500", "1"), ("2517", "z"), ("2516.6", "a"), ("2516.6", "b"),
    )]  # fmt: skip
    chosen = decide(*said).chosen
    assert (chosen.value, chosen.source) == ("2516.6", "b")


@pytest.mark.parametrize(
    ("days", "chosen"),
    [
        ([("2022-10-12", "epoch", "reference"), ("2022-10", "wiki", "reference")], "epoch"),  # a day before its month
        ([("2022-10-12", "epoch", "reference"), ("2022-10-20", "wiki", "reference")], "wiki"),  # the later day
        ([("2022-10-12", "epoch", "reference"), ("2022-10-12", "wiki", "community")], "epoch"),
        (
            [("2022-10-20", "x", "reference"), ("2022-10-20", "w", "community"), ("2022-10-12", "epoch", "reference")],
            "x",
        ),
        (
            [("2022-10-20", "c", "community"), ("2022-10-20", "d", "community"), ("2022-10-12", "epoch", "reference")],
            "d",
        ),
    ],
)
def test_of_days_that_agree_the_finer_then_the_later_then_the_better_source_is_chosen(days: Any, chosen: str) -> None:
    said = [claim("launch_date", day, source=source, kind=kind) for day, source, kind in days]
    assert decide(*said).chosen.source == chosen


def test_claims_that_nothing_tells_apart_are_decided_by_source_place_and_value() -> None:
    both = [claim("memory_gb", "24 GB", source="x", locator=place) for place in ("row 2", "row 1")]
    assert decide(*both).chosen.locator == "row 1"
    apart = [claim("board_power_w", value, source="x", locator="row 1") for value in ("450 W", "300 W")]
    assert decide(*apart).chosen.value == "300"
    listed = [claim("board_power_w", "450 W", source="wiki"), claim("board_power_w", "300 W", source="hand")]
    assert decide(*listed).chosen.source == "hand", "a document in no list comes first"


def test_sources_count_once_that_share_a_root_or_an_address_whatever_joins_them() -> None:
    family = Ancestry({"a": ("root",), "b": ("root",), "c": ("d",)}, {})

    def said(source: str, url: str) -> Any:
        return claim("memory_gb", "24 GB", source=source, url=f"https://{url}.org")

    apart = [said("a", "1"), said("x", "2"), said("c", "3")]
    assert family.independent(apart) == 3
    assert family.independent([*apart, said("b", "2")]) == 2, "b is of a's root and at x's address"
    assert family.independent([said("a", "1"), said("b", "9")]) == 1
    assert family.independent([said("x", "1")]) == 1
