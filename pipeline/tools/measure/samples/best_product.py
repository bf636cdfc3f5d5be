"""Find the highest rate at which a card multiplies matrices: the ceiling below which every network stays."""

from __future__ import annotations

import argparse
import time
from statistics import median

import torch

SHAPES = [(m, n, k) for m in (2048, 4096, 8192) for n in (4096, 8192, 16384) for k in (2048, 4096, 8192)]


def tflops(
    shape: tuple[int, int, int], device: torch.device, number_format: torch.dtype, repetitions: int = 30
) -> float:
    """The rate of one product, in the middle of many."""
    m, n, k = shape
    # Random numbers and not zeros: bits that never change need less power, and the clock would stay higher than yours.
    a = torch.randn(m, k, device=device, dtype=number_format)
    b = torch.randn(k, n, device=device, dtype=number_format)
    seconds = []
    for turn in range(repetitions + 10):
        wait(device)
        start = time.perf_counter()
        a @ b
        wait(device)
        if turn >= 10:  # the first ones choose a kernel and warm the card up
            seconds.append(time.perf_counter() - start)
    return 2 * m * n * k / median(seconds) / 1e12


def wait(device: torch.device) -> None:
    """Wait until the device has done all it was asked to."""
    if device.type != "cpu":
        getattr(torch, device.type).synchronize()


def best(device: torch.device, shapes: list[tuple[int, int, int]]) -> tuple[float, tuple[int, int, int]]:
    """The fastest of several shapes and its rate with 16-bit inputs."""
    return max((tflops(shape, device, torch.bfloat16), shape) for shape in shapes)


# ruff: noqa: T201
def main() -> None:
    """Read the command line and look for the best shape."""
    parser = argparse.ArgumentParser(description="The highest rate of a matrix product.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    rate, shape = best(torch.device(args.device), [(64, 64, 64), (128, 64, 32)] if args.tiny else SHAPES)
    print(f"{rate:.3f} TFLOPS in BF16 with {shape}")


if __name__ == "__main__":
    main()
