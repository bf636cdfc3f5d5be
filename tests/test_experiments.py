"""Which results are of one experiment, which of a card's counts, and in which order the cards stand."""

from __future__ import annotations

from typing import Any

import pytest
from samples import result

from pipeline.derive import experiments


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"software": "PyTorch 3", "date": "2026-02", "locator": "x"}, True),
        ({"set": "other"}, False),
        ({"workload": "inference"}, False),
        ({"model": "vit"}, False),
        ({"precision": "bf16"}, False),
        ({"metric": "latency"}, False),
        ({"unit": "ms"}, False),
        ({"gpu_count": 2}, False),
        ({"batch": "128"}, False),
        ({"division": "open"}, False),
        ({"division": "closed"}, True),
        ({"sparsity": "sparse"}, False),
        ({"engine": "vLLM"}, False),
        ({"entered_as": "resnet"}, False),
    ],
)
def test_results_are_of_one_experiment_that_differ_in_version_and_day_alone(changes: Any, same: bool) -> None:
    assert (experiments.experiment(result(**changes)) == experiments.experiment(result())) is same


@pytest.mark.parametrize(("set", "batch"), [("lambda-v2", ""), ("mlperf-v5", ""), ("gpu-stream", ""), ("other", "64")])
def test_the_batch_belongs_to_it_where_nobody_picked_the_best_for_each_card(set: str, batch: str) -> None:
    assert experiments.experiment(result(set=set)).batch == batch


def test_the_closed_division_leaves_the_program_free() -> None:
    about = {"division": "closed", "engine": "vLLM", "sparsity": "sparse"}
    assert experiments.experiment(result(**about)).kind == ("sparse",)
    assert experiments.experiment(result(**about | {"division": "open"})).kind == ("open", "sparse", "vLLM")


def test_of_a_card_its_best_sound_result_counts_and_equal_ones_stand_by_id_and_place() -> None:
    rows = [
        result(gpu="b", value=100.0), result(gpu="a", value=100.0, locator="2"),
        result(gpu="a", value=100.0, locator="1"), result(gpu="c", value=150.0), result(gpu="c", value=90.0),
        result(gpu="d", value=900.0, flag="broken"),
        result(gpu="e", value=None), result(gpu="f", value=0.0),
    ]  # fmt: skip
    (best,) = experiments.by_experiment(rows).values()
    assert [(row.gpu, row.value, row.locator) for row in best] == [
        ("c", 150.0, "b.csv, row 2"), ("a", 100.0, "1"), ("b", 100.0, "b.csv, row 2"),
    ]  # fmt: skip
    seconds = [result(gpu=row.gpu, value=row.value, higher_is_better=False) for row in rows[:5]]
    assert [(row.gpu, row.value) for row in experiments.best_of_each(seconds)] == [
        ("c", 90.0),
        ("a", 100.0),
        ("b", 100.0),
    ]
