"""Speeds of a task that was measured as such: the newest run, what several cards lose, and what is carried over."""

from __future__ import annotations

import math
from typing import Any

import pytest
from samples import result

from pipeline.advise.choose import cnn
from pipeline.advise.choose.cnn import ImageRate, Peer, RateTable
from pipeline.advise.estimate import Card, Interval
from pipeline.advise.estimate.coefficients import Spread

REPEATED = Spread(math.log(0.9), math.log(1.2), 10, 5)


def card(name: str = "New", vendor: str = "NVIDIA", architecture: str = "Ada", memory: float | None = 24.0,
         bandwidth: float | None = 1000.0, rate: float = 80.0) -> Card:  # fmt: skip
    return Card(name, name, vendor, "consumer", architecture, memory, "GDDR6", bandwidth, {cnn.VECTOR: rate})


def measured(value: float) -> ImageRate:
    return ImageRate(Interval(value, value * 0.9, value * 1.1), True, "measured")


def test_of_the_newest_day_the_middle_run_counts_and_all_lie_within() -> None:
    rows = [
        result(value=value, date=day) for value, day in [(900.0, "2024-01"), (100.0, "2025-01"), (200.0, "2025-01")]
    ]
    found = cnn._newest(rows, REPEATED)
    assert found.measured
    assert found.interval.median == 150.0
    assert (found.interval.p10, found.interval.p90) == (100.0, 200.0), "wider than runs of one configuration lie apart"
    near = cnn._newest([result(value=100.0, date="2025-01")], REPEATED).interval
    assert (near.p10, near.p90) == (pytest.approx(90.0), pytest.approx(120.0))
    assert cnn._newest(rows, REPEATED).statement.endswith(", 2025-01")


def test_several_cards_are_held_against_as_many_of_one_and_never_gain() -> None:
    rates = {("a", 1): 100.0, ("a", 2): 180.0, ("b", 1): 100.0, ("b", 2): 160.0, ("c", 2): 50.0, ("a", 4): 900.0}
    shares = cnn._scaling({key: measured(value) for key, value in rates.items()})
    assert shares == {2: pytest.approx(0.85), 4: 1.0}


def known(**about: Any) -> RateTable:
    table = {"measured": {("One", 1): measured(100.0), ("One", 4): measured(300.0)}, "vendors": frozenset({"NVIDIA"}),
             "peers": {}, "spread": (-0.1, 0.1), "scaling": {2: 0.9, 4: 0.75}, "fills_memory": False}  # fmt: skip
    return RateTable(**{**table, **about})


def test_a_measured_count_stands_and_another_is_that_of_one_less_the_loss() -> None:
    rates = known()
    four, two = cnn.rate(card("One"), 4, rates), cnn.rate(card("One"), 2, rates)
    assert four
    assert four.measured
    assert four.interval.median == 300.0
    assert two
    assert not two.measured
    assert two.interval == Interval(pytest.approx(180.0), pytest.approx(162.0), pytest.approx(198.0))
    assert two.statement == "2 times the measured rate of one, less the loss"


def peers() -> dict[str, Peer]:
    made = {(500.0, 40.0): 50.0, (1000.0, 80.0): 100.0, (2000.0, 160.0): 200.0, (1000.0, 160.0): 150.0}
    return {str(place): Peer(one, ("NVIDIA", "Ampere"), math.log(made[one])) for place, one in enumerate(made)}


def test_another_card_of_the_maker_is_estimated_within_what_was_missed() -> None:
    rates = known(peers=peers(), spread=(math.log(0.8), math.log(1.5)))
    found = cnn.rate(card(), 2, rates)
    assert found
    one = cnn.rate(card(), 1, rates)
    assert one
    assert found.interval.median == pytest.approx(one.interval.median * 2 * 0.9)
    assert found.interval.p10 == pytest.approx(0.8 * found.interval.median)
    assert found.interval.p90 == pytest.approx(1.5 * found.interval.median)
    assert "4 measured GPUs" in found.statement
    high = cnn.rate(card("High"), 1, known(peers=peers(), spread=(0.2, 0.3)))
    assert high
    assert high.interval.p10 == high.interval.median, "the middle lies within"


@pytest.mark.parametrize(
    "one",
    [
        card(vendor="AMD"), card(architecture="Pascal"), card("GTX 1660"), card(bandwidth=None), card(memory=None),
        card(rate=0.0),
    ],
)  # fmt: skip
def test_of_another_maker_without_matrix_units_or_figures_there_is_no_speed(one: Card) -> None:
    assert cnn.rate(one, 1, known(peers=peers())) is None


def test_memory_counts_where_it_is_filled_and_up_to_32_gb() -> None:
    assert cnn._figures(card(), False) == (1000.0, 80.0)
    assert cnn._figures(card(), True) == (1000.0, 80.0, 24.0)
    assert cnn._figures(card(memory=32.0), True) == (1000.0, 80.0, 32)
    assert cnn._figures(card(memory=80.0), True) == (1000.0, 80.0, 32)


def test_each_card_holds_its_batch() -> None:
    one = cnn.memory_gib(1)
    assert one == pytest.approx(1.6 + 64 * 24 * 0.98 / 448)
    assert cnn.memory_gib(4) == pytest.approx(4 * one)


def test_how_well_a_speed_is_predicted_counts_both_ways() -> None:
    missed = [math.log(one) for one in (0.5, 0.8, 0.9, 1.0, 1.0, 1.1, 1.2, 1.25, 2.0)]
    row = cnn._row("CNN", missed)
    assert (row.task, row.points, row.sources) == ("CNN", 9, 1)
    assert row.median == pytest.approx(1 / 0.9 - 1, abs=0.09)
    assert row.mean == pytest.approx(sum(abs(1 / one - 1) for one in (0.5, 0.8, 0.9, 1, 1, 1.1, 1.2, 1.25, 2.0)) / 9)
    assert 0.5 < row.covered < 1


def test_an_estimate_is_moved_by_what_its_own_generation_missed() -> None:
    off = {"x": Peer((1000.0, 80.0), ("NVIDIA", "Ada"), math.log(130.0))}
    every = [*peers().values(), *off.values()]
    own = cnn._log_rate((1500.0, 70.0), ("NVIDIA", "Ada"), every, False)
    other = cnn._log_rate((1500.0, 70.0), ("AMD", "Ada"), every, False)
    assert other < own
