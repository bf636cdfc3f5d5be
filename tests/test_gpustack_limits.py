"""How many GPUs a command of the performance lab takes: what it splits over, times its copies."""

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
