"""What is read off measured runs besides the fit: the least that a layer takes, and how far repeated runs lie apart."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.estimate import fit
from pipeline.advise.estimate.types import Request


def step(tokens: float, value: float, layers: float, set_: str = "a") -> Any:
    return SimpleNamespace(tokens=tokens, value=value, layers=layers, set=set_)


def test_a_layer_takes_no_less_than_in_the_quickest_step_that_was_measured() -> None:
    steps = [step(1000, 500.0, 40), step(1000, 1000.0, 40, "b"), step(1000, 9000.0, 0, "c")]
    (floor,) = fit.floors(steps).values()
    assert (floor.value, floor.low, floor.high) == pytest.approx((25_000, 25_000, 50_000)), "microseconds"
    assert floor.points == 2
    assert (floor.unit, floor.sets) == ("microseconds", ("a", "b"))
    assert fit.floors([step(1000, 500.0, 0)]) == {}


def run(value: float, key: str, card: str = "card", tokens: float = 128, quant: str = "q4_k_m", set_: str = "s") -> Any:
    asked = Request(quant=quant)
    names = {"card": SimpleNamespace(id=card), "model": SimpleNamespace(id="model")}
    return SimpleNamespace(**names, request=asked, tokens=tokens, value=value, key=key, set=set_)


def spread(*runs: Any) -> Any:
    found: Any = SimpleNamespace(decode=runs)
    return fit.repeated(found)


def test_runs_of_one_configuration_lie_so_far_from_their_median() -> None:
    found = spread(run(100.0, "1"), run(110.0, "2", set_="t"), run(90.0, "3"), run(50.0, "4", card="other"))
    assert (found.points, found.gpus, found.sources, found.rough) == (3, 1, 2, False)
    # Of three runs the 10th percentile lies a fifth of the way from the least to the middle.
    assert found.p10 == pytest.approx(0.8 * math.log(0.9))
    assert found.p90 == pytest.approx(0.8 * math.log(1.1))


@pytest.mark.parametrize(
    "other",
    [
        run(110.0, "1"),  # the same run, listed twice
        run(110.0, "2", card="other"),
        run(110.0, "2", quant="q8_0"),
        run(110.0, "2", tokens=512),
    ],
)
def test_what_is_another_configuration_or_the_same_run_repeats_nothing(other: Any) -> None:
    found = spread(run(100.0, "1"), other)
    assert (found.p10, found.p90, found.points, found.rough) == (-0.3, 0.3, 0, True)


@pytest.mark.parametrize(("tokens", "repeats"), [(181.0, True), (182.0, False)])
def test_a_run_of_about_as_many_tokens_repeats_another(tokens: float, repeats: bool) -> None:
    assert (spread(run(100.0, "1"), run(110.0, "2", tokens=tokens)).points == 2) is repeats
