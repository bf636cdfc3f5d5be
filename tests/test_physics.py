"""Bus width, bandwidth and the data rate of a pin: real memory passes, a halved or doubled bus does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from samples import committed

from pipeline.core.schema import Claim
from pipeline.record.reconcile import Ancestry
from pipeline.record.validate import Evidence
from pipeline.record.validate.physics import (
    bus_matches_bandwidth,
    idle_is_far_below_the_board_power,
    power_limits_hold_the_board_power,
)

# Memory, bus in bit and GB/s as the documents of these boards state them: the slowest and the fastest of their kind.
BOARDS: dict[str, tuple[str, float, float]] = {
    "Jetson Orin Nano 4GB": ("LPDDR5", 64, 34.1),
    "Jetson Orin Nano 8GB": ("LPDDR5", 128, 68.2),
    "Jetson AGX Orin 64GB": ("LPDDR5", 256, 204.8),
    "RTX PRO 2000 Blackwell": ("GDDR7", 128, 288),
    "RTX PRO 4000 Blackwell SFF": ("GDDR7", 192, 432),
    "GeForce RTX 5080": ("GDDR7", 256, 960),
}
FIELDS = ("memory_type", "memory_bus_bit", "memory_bandwidth_gb_s")
CAUGHT = 0.95  # of the real cards: the T4 and its like run GDDR6 at half the rate of the fastest


def claim(gpu: str, field: str, value: str) -> Claim:
    return Claim(gpu, field, value, "", "sheet", "vendor", "https://e.org", "row 1", "2026-11-21", "not stated")


def board(gpu: str, memory: str, bus: float, bandwidth: float) -> Iterator[Claim]:
    values = (memory, f"{bus:g}", f"{bandwidth:g}")
    yield from (claim(gpu, field, value) for field, value in zip(FIELDS, values, strict=True))


def named(claims: Iterable[Claim]) -> set[str]:
    """The cards that the rule complains about."""
    evidence = Evidence({}, list(claims), Ancestry({}, {}), (), (), {})
    return {problem.gpu for problem in bus_matches_bandwidth(evidence)}


@cache
def real() -> dict[str, tuple[str, float, float]]:
    """Memory, bus and bandwidth of every card of the dataset that has all three."""
    return {
        id: (gpu.memory_type, gpu.memory_bus_bit, gpu.memory_bandwidth_gb_s)
        for id, gpu in committed().gpus.items()
        if gpu.memory_type and gpu.memory_bus_bit and gpu.memory_bandwidth_gb_s
    }


@pytest.mark.parametrize("name", BOARDS)
def test_memory_that_is_sold_passes(name: str) -> None:
    assert named(board("a-card", *BOARDS[name])) == set()


@pytest.mark.parametrize("factor", [0.5, 2])
@pytest.mark.parametrize("name", BOARDS)
def test_a_halved_or_doubled_bus_is_caught(name: str, factor: float) -> None:
    memory, bus, bandwidth = BOARDS[name]
    assert named(board("a-card", memory, factor * bus, bandwidth)) == {"a-card"}


def test_every_real_card_passes_and_almost_every_halved_bus_is_caught() -> None:
    known = {id: card for id, card in real().items() if named(board(id, card[0], card[1] / 100, card[2]))}
    assert len(known) >= 200, "cards whose kind of memory the rule knows"
    assert not named(c for id, card in known.items() for c in board(id, *card))
    halved = named(c for id, (memory, bus, rate) in known.items() for c in board(id, memory, bus / 2, rate))
    assert len(halved) / len(known) >= CAUGHT


POWER = {"power_limit_min_w": "100", "board_power_w": "350", "power_limit_max_w": "350", "idle_power_w": "27.23"}


def wrong_power(**changes: str) -> list[str]:
    """Which field of a card's power is complained of, with a figure changed or, where it is empty, left out."""
    claims = [claim("a-card", field, value) for field, value in (POWER | changes).items() if value]
    evidence = Evidence({}, claims, Ancestry({}, {}), (), (), {})
    rules = (power_limits_hold_the_board_power, idle_is_far_below_the_board_power)
    return [problem.field for rule in rules for problem in rule(evidence)]


def test_a_board_s_power_lies_between_its_limits_and_idle_far_below() -> None:
    assert wrong_power() == []
    assert wrong_power(power_limit_min_w="") == []
    assert wrong_power(power_limit_min_w="400") == ["power_limit_min_w"]
    assert wrong_power(power_limit_max_w="300") == ["board_power_w"]
    assert wrong_power(board_power_w="", power_limit_max_w="80") == ["power_limit_min_w"]
    assert wrong_power(idle_power_w="144.97") == ["idle_power_w"], "an L40S read while it worked"
    assert wrong_power(board_power_w="300", idle_power_w="100") == [], "exactly a third may be idle"
    assert wrong_power(board_power_w="300", idle_power_w="100.1") == ["idle_power_w"]


def test_an_idle_power_that_a_second_source_read_under_load_is_told_too() -> None:
    claims = [claim("a-card", field, value) for field, value in POWER.items()]
    under_load = replace(claim("a-card", "idle_power_w", "144.97"), source="a shop", kind="community")
    evidence = Evidence({}, [*claims, under_load], Ancestry({}, {}), (), (), {})
    told = list(idle_is_far_below_the_board_power(evidence))
    assert len(told) == 1
    assert "a shop" in str(told[0])
