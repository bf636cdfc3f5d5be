"""What an estimate says that it rests on, and when GPUs wait for one another."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from samples import committed

from pipeline.advise.choose import catalogue
from pipeline.advise.estimate import coefficients, estimator, inputs, models, validation
from pipeline.advise.estimate.tensors import parameters
from pipeline.advise.estimate.types import Card, Request

COEFFICIENTS: Any = SimpleNamespace(
    find=lambda name: name,
    values={"1/eta engine": 1.2, "1/eta host": 3.0, "t0 engine": 0.1},
    borrowed=lambda names: tuple((name, "another") for name in names),
)
CARD = Card("card", "Card", "NVIDIA", "datacenter", "Test", 80, "HBM3", 3000.0, {})
NOTHING: Any = None


def test_a_term_that_takes_no_time_is_none_that_an_estimate_rests_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimator, "spread_of", lambda *_, **__: (None, "as measured"))
    monkeypatch.setattr(estimator, "around", lambda *_: None)
    terms = {"1/eta engine": 0.5, "1/eta host": 0.0, "t0 engine": 0.01}
    _, basis, notes = estimator._answer(
        1.0, CARD, NOTHING, Request(), terms, COEFFICIENTS, ("a warning",), prompt=False
    )
    assert basis.terms == {"1/eta engine": 1.2, "t0 engine": 0.1}
    assert (notes[0], len(notes)) == ("a warning", 2), "a borrowed share of the bandwidth is told, once"


@pytest.mark.parametrize(("gpus", "stage", "waits"), [(2, 3, True), (2, 2, False), (1, 3, False)])
def test_gpus_wait_for_one_another_where_the_weights_are_shared_out(
    gpus: int, stage: int, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "parameters", lambda _: 1e9)
    seconds = catalogue._exchange_seconds(CARD, NOTHING, Request(gpus=gpus, zero_stage=stage))
    assert (seconds > 0) == waits


@pytest.mark.parametrize(("median", "reached"), [(0.1, True), (0.101, False)])
def test_a_regime_reaches_its_goal_at_the_goal(median: float, reached: bool) -> None:
    row = validation.RegimeRow("decode", 20, 5, 20, 5, median, 0.1, 0.8, 0.8, 0.1, ())
    assert row.reached == reached
    assert not validation.RegimeRow("decode", 20, 5, 0, 0, median, 0.1, 0.8, 0.8, 0.1, ()).reached


@pytest.mark.parametrize(("points", "sources", "rough"), [(8, 3, False), (7, 3, True), (8, 2, True)])
def test_eight_points_of_three_sources_are_enough(points: int, sources: int, rough: bool) -> None:
    for fitted, held in (((points, sources), (20, 5)), ((20, 5), (points, sources))):
        assert validation.RegimeRow("decode", *fitted, *held, 0.1, 0.1, 0.8, 0.8, 0.1, ()).rough == rough


@pytest.mark.parametrize(("covered", "covers"), [(0.75, True), (0.749, False), (0.88, True), (0.881, False)])
def test_intervals_hold_about_as_many_points_as_they_promise(covered: float, covers: bool) -> None:
    assert validation.RegimeRow("decode", 20, 5, 20, 5, 0.1, 0.1, covered, 0.8, 0.1, ()).covers == covers


@pytest.mark.parametrize("name", ["nvidia-rtx-pro-2000-blackwell", "nvidia-geforce-rtx-5070-ti", "nvidia-rtx-a6000"])
def test_four_bit_weights_are_multiplied_at_the_16_bit_rate(name: str) -> None:
    """An examiner in November 2026: four RTX PRO 2000 read a prompt at 349 TFLOPS, and they have 272."""
    card, model = inputs.cards(committed())[name], models.load().models["llama-3.3-70b-instruct"]
    asked = Request("int4", "vllm", 4096, 1, 4, prompt_tokens=512)
    read = estimator.estimate(card, model, asked, coefficients.load()).prefill_tokens_per_s
    assert read is not None
    done = 2 * parameters(model) * read.median / 1e12
    assert 0.2 * 4 * card.tensor < done < 4 * card.tensor
