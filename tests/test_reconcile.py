"""Between sources the better kind wins, agreement decides among equals, and every loser keeps its reason."""

from __future__ import annotations

import pytest
from samples import claim

from pipeline.core.schema import Claim
from pipeline.record.reconcile import Ancestry, Decision, agree, decided, reconcile

ORDER = Ancestry({"copy": ("database",), "list": ("database",)}, {"epoch": 0, "wiki": 1, "copy": 2, "list": 3})


def decide(*claims: Claim) -> Decision:
    (record,) = reconcile(claims, ORDER).values()
    (decision,) = record.values()
    return decision


def reasons(decision: Decision) -> dict[str, str]:
    """What is said of the claims by their verdict."""
    return {one.verdict: one.reason for one in decided({"card": {decision.field: decision}}, (), {})}


def power(value: str, source: str, kind: str = "reference") -> Claim:
    return claim("board_power_w", value, source=source, kind=kind)


def test_a_vendor_outranks_any_number_of_references() -> None:
    vendor = power("355 W", "amd", "vendor")
    decision = decide(power("335 W", "epoch"), power("335 W", "wiki"), vendor)
    assert decision.chosen == vendor
    assert len(decision.differing) == 2
    assert "vendor (amd) outranks reference" in reasons(decision)["differs"]


def test_among_equals_the_value_that_more_sources_state_wins() -> None:
    decision = decide(power("335 W", "epoch"), power("355 W", "wiki"), power("355 W", "copy"))
    assert decision.chosen.value == "355"


def test_shared_ancestry_counts_once() -> None:
    decision = decide(power("355 W", "copy"), power("355 W", "list"))
    assert decision.independent_sources == 1
    tie = decide(power("335 W", "epoch"), power("355 W", "copy"), power("355 W", "list"))
    assert tie.chosen.value == "335", "two copies of one database do not outvote the source listed first"


def test_two_readings_of_one_address_are_one_source() -> None:
    sheet = "https://e.org/sheet.pdf"
    read = [
        claim("board_power_w", "355 W", source=name, url=url)
        for name, url in (("quote", sheet), ("digest", sheet + "/#page=2"))
    ]
    assert decide(*read).independent_sources == 1
    assert decide(*read, power("355 W", "wiki")).independent_sources == 2


def test_values_within_tolerance_agree_and_are_no_dispute() -> None:
    decision = decide(power("450 W", "epoch"), power("454 W", "wiki"))
    assert not decision.disputed
    assert "agrees" in reasons(decision)["agrees"]


def test_a_day_is_chosen_over_the_month_it_refines() -> None:
    month = claim("launch_date", "2022-10", source="amd", kind="vendor")
    day = claim("launch_date", "2022-10-12", source="wiki")
    assert decide(month, day).chosen == day


@pytest.mark.parametrize(
    ("field", "left", "right", "same"),
    [
        ("memory_type", "HBM2e", "HBM2E", True),
        ("memory_type", "GDDR6", "GDDR6X", False),
        ("power_connectors", "1x 8-pin + 1x 6-pin", "1x 6-pin + 1x 8-pin", True),
        ("power_connectors", "1x 8-pin and 1x 6-pin", "1x 6-pin + 1x 8-pin", True),
        ("power_connectors", "2x 8-pin", "1x 8-pin", False),
        ("power_connectors", "1x 8-pin + 1x 8-pin", "1x 8-pin", False),
        ("launch_date", "2022-10-12", "2022-11-01", True),
        ("launch_date", "2022-10-12", "2023-02-08", False),
        ("shader_cores", "16384", "16385", False),
        ("memory_bandwidth_gb_s", "2039", "2000", True),
        ("memory_bandwidth_gb_s", "2039", "1935", False),
    ],
)
def test_agreement_follows_the_tolerance_of_the_field(field: str, left: str, right: str, same: bool) -> None:
    assert agree(field, left, right) is same


def test_the_order_of_claims_does_not_matter() -> None:
    claims = [
        power("335 W", "epoch"),
        power("355 W", "wiki"),
        power("345 W", "copy"),
        power("355 W", "epoch"),
    ]
    orders = (claims, claims[::-1], claims[2:] + claims[:2])
    assert {decide(*order).chosen for order in orders} == {claims[3]}


def test_of_an_announcement_and_a_release_the_release_is_the_launch() -> None:
    announced = claim("launch_date", "2022-09-20", source="epoch")
    released = claim("launch_date", "2022-10-12", source="wiki", kind="community")
    assert decide(announced, released).chosen == released


def test_another_day_of_the_same_launch_agrees_and_confirms_nothing() -> None:
    month = claim("launch_date", "2022-01", source="epoch")
    other = claim("launch_date", "2022-01-11", source="list")
    decision = decide(month, other, claim("launch_date", "2022-01-27", source="wiki"))
    assert decision.chosen.value == "2022-01-27"
    assert other in decision.agreeing
    assert decision.independent_sources == 2


@pytest.mark.parametrize("other", ["2016-10", "2016-10-01"])
def test_the_first_of_a_month_of_a_table_refines_no_month(other: str) -> None:
    day = claim("launch_date", "2016-10-01", source="epoch")
    assert decide(day, claim("launch_date", other, source="wiki")).chosen.value == other


def test_the_makers_own_day_stands_against_a_later_one() -> None:
    maker = claim("launch_date", "2022-10-12", source="nvidia", kind="vendor")
    assert decide(maker, claim("launch_date", "2022-10-20", source="wiki")).chosen == maker


@pytest.mark.parametrize(
    ("told", "other", "kind", "chosen"),
    [
        ("2500", "2516.6", "datasheet-copy", "2516.6"),
        ("5000", "5033.2", "datasheet-copy", "5033.2"),
        ("4600", "4620", "reference", "4600"),
        ("2490", "2516.6", "datasheet-copy", "2490"),
        ("39.32", "39.3216", "datasheet-copy", "39.32"),
    ],
)
def test_an_exact_peak_is_chosen_over_its_round_figure_from_the_same_kind_of_source(
    told: str, other: str, kind: str, chosen: str
) -> None:
    peak = "peak:fp16:fp32:dense:tensor"
    rounded = [claim(peak, f"{told} TFLOPS", source=name, kind="datasheet-copy") for name in ("sheet", "brochure")]
    exact = claim(peak, f"{other} TFLOPS", source="white-paper", kind=kind)
    assert decide(*rounded, exact).chosen.value == chosen
