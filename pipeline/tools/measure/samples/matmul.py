"""Multiply two matrices on the processor and on the GPU, with and without the way there and back.

A GPU works while the program runs on: a time is only right when the device was waited for before the clock is read.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

import torch


def wait(device: torch.device) -> None:
    """Wait until the device has done all it was asked to."""
    if device.type != "cpu":
        getattr(torch, device.type).synchronize()


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Multiply matrices that are where they shall be multiplied."""
    return a @ b


def product_with_transfer(a: torch.Tensor, b: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Send both matrices, multiply, and bring the result back."""
    return (a.to(device) @ b.to(device)).to("cpu")


def milliseconds(work: Callable[[], object], device: torch.device, repetitions: int = 20) -> float:
    """Time a piece of work: warm up first, wait before each look at the clock, take the middle of many."""
    for _ in range(3):
        work()
    times = []
    for _ in range(repetitions):
        wait(device)
        start = time.perf_counter()
        work()
        wait(device)
        times.append(1000 * (time.perf_counter() - start))
    return median(times)


def compare(size: int, device: torch.device) -> dict[str, float]:
    """Time one product of square matrices in three ways, in milliseconds."""
    torch.manual_seed(0)
    a, b = torch.randn(size, size), torch.randn(size, size)
    on_device = a.to(device), b.to(device)
    return {
        "processor": milliseconds(lambda: product(a, b), torch.device("cpu")),
        "device": milliseconds(lambda: product(*on_device), device),
        "device, with transfer": milliseconds(lambda: product_with_transfer(a, b, device), device),
    }


def main() -> None:
    """Read the command line and compare."""
    parser = argparse.ArgumentParser(description="Multiply two matrices on the processor and on a device.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    size = 64 if args.tiny else 1024
    for where, time_ms in compare(size, torch.device(args.device)).items():
        print(f"{size} x {size} on the {where}: {time_ms:.3f} ms")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
