"""The measuring kit at its limits, with a clock and a device of the tests: no PyTorch is needed."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.tools.measure import capacity, cli, device, matmul, reference, runner
from pipeline.tools.measure.bench import Bench
from pipeline.tools.measure.stats import STEADY_PERCENT

TORCH: Any = SimpleNamespace(
    __version__="2.9",
    cuda=SimpleNamespace(is_available=lambda: True, device_count=lambda: 2),
    backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: False)),
)


@pytest.mark.parametrize(("index", "there"), [(0, True), (1, True), (2, False), (-1, False)])
def test_devices_are_counted_from_zero(index: int, there: bool) -> None:
    if there:
        assert device.find(TORCH, "cuda", index).index == index
    else:
        with pytest.raises(device.NoDeviceError, match="there are 2 cuda"):
            device.find(TORCH, "cuda", index)


def test_the_first_kind_that_is_there_is_taken_and_another_one_refused() -> None:
    assert device.find(TORCH).kind == "cuda"
    with pytest.raises(device.NoDeviceError, match="it sees: cuda, cpu"):
        device.find(TORCH, "mps")


class Clock:
    """Goes on by a second each time it is asked."""

    def __init__(self) -> None:
        self.now = -1.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def a_bench(**plan: Any) -> Bench:
    meter: Any = SimpleNamespace(mean_watts=lambda start, end: 100.0)
    where: Any = SimpleNamespace(
        wait=lambda: None, kind="cuda", free_memory=lambda: None, seconds=lambda work, times, calls: [1.0] * times
    )
    usual = {"energy_seconds": 3.0, "sustained_seconds": 4.0, "bisections": 3, "name": "x"}
    made: Any = SimpleNamespace(**usual | plan)
    return Bench(where, made, meter, Clock())


@pytest.mark.parametrize(("seconds", "joules"), [(1.0, None), (1.1, 100.0), (3.0, 100.0)])
def test_energy_is_read_behind_the_lag_of_the_meter(seconds: float, joules: float | None) -> None:
    calls: list[int] = []
    assert a_bench().joules(lambda: calls.append(1), seconds) == joules
    assert len(calls) == (0 if joules is None else math.ceil(seconds)), "until the time is over"


@pytest.mark.parametrize(("seconds", "values"), [(4.0, 4), (1.0, 3)])
def test_a_loop_is_held_for_its_time_and_three_values_at_least(seconds: float, values: int) -> None:
    work: Any = lambda: None  # noqa: E731
    found, *_ = matmul._held(a_bench(sustained_seconds=seconds), work, 10)
    assert len(found) == values


def test_a_search_that_the_plan_does_not_ask_for_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "fits", lambda bench, attempt, batch: batch <= 5)
    assert capacity._searched(a_bench(bisections=3), lambda batch: None, "images", "note").values == [5.0]
    assert capacity._searched(a_bench(bisections=0), lambda batch: None, "images", "note").values == [4.0]
    with pytest.raises(device.NotMeasured):
        capacity._searched(a_bench(bisections=-1), lambda batch: None, "images", "note")
    monkeypatch.setattr(capacity, "fits", lambda bench, attempt, batch: False)
    with pytest.raises(device.NotMeasured, match="not even a batch of 1"):
        capacity._searched(a_bench(bisections=3), lambda batch: None, "images", "note")


@pytest.mark.parametrize(
    ("fits", "limit", "found"), [(4, 4, 4), (4, 3, 2), (100, 64, 64), (7, 64, 7), (6, 64, 6), (0, 64, 0)]
)
def test_the_largest_batch_is_found_up_to_the_limit(fits: int, limit: int, found: int) -> None:
    assert capacity.largest(lambda batch: batch <= fits, 10, limit) == found


def test_progress_is_told_once_a_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    bar = cli.ProgressBar(terminal=False)
    for done in range(21):
        bar(done, 20, "case")
    assert len(capsys.readouterr().err.splitlines()) == 11, "at nothing and at every tenth"


def outcome(title: str) -> Any:
    case = SimpleNamespace(title=title, main=True)
    return SimpleNamespace(case=case, skipped="", failure="", rounds=[SimpleNamespace(values=[1.0])] * 2)


def test_two_rounds_that_differ_by_the_limit_are_unsteady(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = {"steady": 2.99, "at the limit": STEADY_PERCENT, "beyond": 5.0}
    percents = iter(apart.values())
    monkeypatch.setattr(runner, "_rows", lambda *_: [])
    monkeypatch.setattr(runner.hardware, "label", lambda _: "")
    monkeypatch.setattr(runner, "difference_percent", lambda _: next(percents))
    result = runner._result(a_bench(), list(map(outcome, apart)), "card", "2026-11-20", False)
    assert [line.split(":")[0] for line in result.unsteady] == ["at the limit", "beyond"]
    assert result.worst_percent == 5.0


@pytest.mark.parametrize(("error", "agrees"), [(0.1, True), (0.101, False), (math.nan, False)])
def test_a_result_agrees_up_to_its_tolerance(error: float, agrees: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "relative_error", lambda *_: error)
    nothing: Any = None
    if agrees:
        assert reference.must_agree(nothing, nothing, 0.1, "a product") == error
    else:
        with pytest.raises(device.CheckFailed):
            reference.must_agree(nothing, nothing, 0.1, "a product")
