"""When an estimate counts as right: at the ends of its interval and of its range."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.estimate import fit, validation


@pytest.mark.parametrize(("value", "covered"), [(10.0, True), (9.9, False), (20.0, True), (20.1, False)])
def test_a_measurement_at_the_end_of_its_interval_lies_inside(value: float, covered: bool) -> None:
    point: Any = SimpleNamespace(value=value)
    interval: Any = SimpleNamespace(p10=10.0, median=15.0, p90=20.0)
    assert validation.TuningRow(point, interval).covered == covered
    assert validation.SpeedRow(point, 15.0, 10.0, 20.0).covered == covered


@pytest.mark.parametrize(("hours", "close"), [(0.7, True), (0.69, False), (1.5, True), (1.51, False)])
def test_a_run_is_close_between_seven_tenths_and_half_as_much_again(hours: float, close: bool) -> None:
    run: Any = SimpleNamespace(gpu_hours=1.0)
    assert validation.RunRow(run, 0.4, hours).in_range == close


def test_chance_moves_points_of_one_gpu_together_at_most() -> None:
    row = validation.RegimeRow("several GPUs", 20, 5, 25, 2, 0.1, 0.1, 0.9, 0.8, 0.1, (), (9, 16))
    one = (fit.COVERED * (1 - fit.COVERED)) ** 0.5
    assert row.chance == pytest.approx((one / 5, one * (9**2 + 16**2) ** 0.5 / 25))
