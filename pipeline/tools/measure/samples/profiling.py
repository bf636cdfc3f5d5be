"""Ask the profiler what the GPU does in a training step, and which lines of the program hold its memory."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, schedule


def profiled(step: Callable[[], object], active: int = 3) -> str:
    """Run a training step some times and give the table of its most expensive operations."""
    on_gpu = torch.cuda.is_available()
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]
    # The first steps compile, search for algorithms and fill caches: run them, but leave them out.
    with profile(activities=activities, schedule=schedule(wait=1, warmup=2, active=active)) as seen:
        for _ in range(3 + active):
            step()
            seen.step()
    order = "self_cuda_time_total" if on_gpu else "self_cpu_time_total"
    return str(seen.key_averages().table(sort_by=order, row_limit=15))


def memory_snapshot(step: Callable[[], object], path: Path) -> None:
    """Record every allocation of a step on the GPU; open the file at https://pytorch.org/memory_viz."""
    torch.cuda.memory._record_memory_history(max_entries=100_000)
    step()
    torch.cuda.memory._dump_snapshot(str(path))
    torch.cuda.memory._record_memory_history(enabled=None)


def main() -> None:
    """Read the command line and profile a small step."""
    parser = argparse.ArgumentParser(description="Where the time of a step goes.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    width = 64 if args.tiny else 4096
    model = torch.nn.Linear(width, width, device=args.device)
    print(profiled(lambda: model(torch.randn(width, width, device=args.device)).sum().backward()))


if __name__ == "__main__":
    main()
# ruff: noqa: T201
