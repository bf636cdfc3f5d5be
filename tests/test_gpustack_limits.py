"""How many GPUs a command of the performance lab takes, and how many requests it has at work."""

from __future__ import annotations

import pytest

from pipeline.intake.sources import gpustack_performance_lab as lab


@pytest.mark.parametrize(
    ("command", "gpus"),
    [
        ("vllm serve x", 1),
        ("vllm serve x --tensor-parallel-size 4", 4),
        ("vllm serve x -tp=2 --data-parallel-size 3", 6),
        ("vllm serve x --dp 8", 8),
        ("sglang --tp-size 8 --dp-size 8 --enable-dp-attention", 8),
    ],
)
def test_a_command_takes_what_it_splits_over_times_its_copies(command: str, gpus: int) -> None:
    assert lab._gpus({"server_command": command}) == gpus


@pytest.mark.parametrize(
    ("rate", "took", "at_work"), [("2621.05", "227.45", 596), ("5023.58", "242.72", 1000), ("0.5", "9", 1)]
)
def test_of_requests_sent_all_at_once_as_many_are_at_work_as_their_rate_times_their_time(
    rate: str, took: str, at_work: int
) -> None:
    row = {"output_tok_per_s": rate, "mean_tpot_ms": took, "successful_requests": "1000"}
    assert lab._at_work(row) == at_work
