"""Which card of a family is wrong where several contradict one another, and which of two figures."""

from __future__ import annotations

from typing import Any

import pytest
from test_validate import FP32, bandwidths, evidence, ladder, stated, table, told

from pipeline.core.theory import Multiple
from pipeline.record.validate import families, memory

FIELD = "memory_bandwidth_gb_s"


@pytest.mark.parametrize(
    ("gb_s", "rising", "wrong"),
    [
        (("500", "400", "300"), False, ["small", "middle", "large"]),  # each breaks with two
        (("400", "300", "500"), False, ["small", "middle"]),
        (("300", "500", "400"), False, ["middle", "large"]),
        (("600", "400", "500"), False, ["small"]),  # who breaks with two is wrong, not the two
        (("400", "500", "300"), False, ["large"]),
        (("500", "500", "500"), True, ["middle", "large"]),
        (("500", "600", "600"), True, ["large"]),
        (("500", "600", "700"), True, []),
        (("1000", "980", "961"), False, ["small", "large"]),  # each step is rounding, both together are not
    ],
)
def test_who_breaks_the_order_with_the_most_is_wrong(gb_s: tuple[str, ...], rising: bool, wrong: list[str]) -> None:
    found = told(families.larger_cards_have_no_less, bandwidths(*gb_s), architectures=ladder(rising=rising))
    assert found == wrong


@pytest.mark.parametrize(("more_of", "wrong"), [("two", "one"), ("one", "two")])
def test_of_a_product_and_its_half_the_figure_that_fewer_sources_state_is_wrong(more_of: str, wrong: str) -> None:
    twice = table(multiples=(Multiple(gpu="two", of="one", times=2, fields=(FIELD,), reason="two dies"),))
    said = [stated("two", FIELD, "1000"), stated("one", FIELD, "1000")]
    said.append(stated(more_of, FIELD, "1000", "another", "reference"))
    known = evidence(*said, architectures=twice)
    assert [problem.gpu for problem in families.several_dies_have_several_times(known)] == [wrong]


@pytest.mark.parametrize("left_out", ["two", "one"])
def test_nothing_is_said_of_a_product_where_one_figure_is_not_known(left_out: str) -> None:
    twice = table(multiples=(Multiple(gpu="two", of="one", times=2, fields=(FIELD,), reason="two dies"),))
    cards: Any = {gpu: {FIELD if gpu != left_out else "memory_gb": "100"} for gpu in ("one", "two")}
    assert told(families.several_dies_have_several_times, cards, architectures=twice) == []


def test_a_launch_price_is_held_against_the_others_of_its_line_without_itself() -> None:
    rates = {"a": "1000", "b": "1000", "c": "1500", "d": "1500"}  # the middle of three others, not of all four
    cards = {gpu: {"launch_price_usd": usd, FP32: "100"} for gpu, usd in rates.items()}
    assert told(families.launch_price_keeps_to_its_line, cards) == ["a", "b", "c", "d"]
    assert told(families.launch_price_keeps_to_its_line, cards, about={"segment": "datacenter"}) == []


@pytest.mark.parametrize(
    ("gb", "wrong"), [("24", False), ("48", False), ("12", False), ("24.009", False), ("24.02", True), ("36", True)]
)
def test_twelve_chips_of_one_or_two_gigabytes_may_share_a_channel(gb: str, wrong: bool) -> None:
    known = {"memory_type": "GDDR6", "memory_bus_bit": "384", "memory_gb": gb}
    assert bool(told(memory.memory_is_made_of_chips, {"card": known})) is wrong
    for field in known:
        partly = {name: value for name, value in known.items() if name != field}
        assert told(memory.memory_is_made_of_chips, {"card": partly}) == []
