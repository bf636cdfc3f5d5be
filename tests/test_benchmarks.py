"""Benchmark words: one vocabulary for all sources, and scaling that cannot be is flagged."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import result

from pipeline.core.schema import Result
from pipeline.intake.results import METRICS, WORKLOADS, higher_is_better, mark_super_linear
from pipeline.intake.snapshots import Mirror
from pipeline.intake.sources import MODULES

MIRROR = Path(__file__).resolve().parents[2] / "shared" / "sources"


def run(gpus: int, value: float | None, flag: str = "", model: str = "ncf") -> Result:
    return result(gpu_count=gpus, value=value, flag=flag, model=model)


def flags(*rows: Result) -> list[str]:
    return [row.flag for row in mark_super_linear(rows)]


def test_a_rate_per_gpu_that_more_gpus_cannot_give_is_flagged_with_the_factor() -> None:
    assert flags(run(1, 70.2), run(4, 13346.0)) == [
        "",
        "super-linear: 47.5 times the rate per GPU of the smallest configuration",
    ]


def test_the_smallest_configuration_may_be_one_of_several_gpus() -> None:
    assert flags(run(2, 200.0), run(4, 640.0)) == [
        "",
        "super-linear: 1.6 times the rate per GPU of the smallest configuration",
    ]
    assert flags(run(2, 200.0), run(4, 600.0)) == ["", ""]


def test_scaling_with_room_for_caches_is_not_flagged() -> None:
    assert flags(run(1, 840.0), run(2, 1602.0), run(8, 9320.0)) == ["", "", ""]


def test_the_smallest_configuration_is_the_median_of_its_runs() -> None:
    assert flags(run(1, 10.0), run(1, 10.0), run(1, 1000.0), run(2, 40.0))[3].startswith("super-linear: 2 times")


def test_failed_and_flagged_runs_are_no_yardstick_and_keep_their_flag() -> None:
    rows = flags(run(1, None, "failed run"), run(1, 1.0, "copy"), run(2, 100.0), run(4, 190.0))
    assert rows == ["failed run", "copy", "", ""]


def test_only_runs_of_one_test_are_compared() -> None:
    assert flags(run(1, 1.0, model="ssd"), run(4, 1000.0, model="ncf")) == ["", ""]


def test_speed_is_better_higher_and_time_and_power_lower() -> None:
    assert higher_is_better("generation_speed") and higher_is_better("output_throughput_per_gpu")
    assert not any(map(higher_is_better, ("time_to_train", "single_stream_latency", "system_power")))
    with pytest.raises(KeyError):
        higher_is_better("fps")


@pytest.mark.parametrize("module", MODULES, ids=[m.SOURCE.id for m in MODULES])
def test_all_results_of_the_real_files_use_the_vocabulary(module: object) -> None:
    if not (MIRROR / "MANIFEST.csv").is_file():
        pytest.skip(f"no mirror of the real files at {MIRROR}")
    mirror = Mirror.open(MIRROR)
    files = {file.name: mirror.get(module.SOURCE, file) for file in module.SOURCE.files}  # type: ignore[attr-defined]
    found = [row for row in module.parse(files) if isinstance(row, Result)]  # type: ignore[attr-defined]
    wrong = {
        (row.workload, row.metric, row.unit, row.higher_is_better)
        for row in found
        if row.workload not in WORKLOADS
        or row.metric not in METRICS
        or row.unit not in METRICS[row.metric].units
        or row.higher_is_better != METRICS[row.metric].higher_is_better
    }
    assert wrong == set()
