"""Find the highest rate at which a card multiplies matrices: the ceiling below which every network stays."""

from __future__ import annotations

import argparse
import time
from statistics import median

import torch

Shape = tuple[int, int, int]
SHAPES: list[Shape] = [(m, n, k) for m in (2048, 4096, 8192) for n in (4096, 8192, 16384) for k in (2048, 4096, 8192)]


def tflops(shape: Shape, device: torch.device) -> float:
    """The rate of one product with 16-bit inputs, the median of thirty runs."""
    m, n, k = shape
    # Random numbers: zeros need less power, so the clock would stay higher.
    a = torch.randn(m, k, device=device, dtype=torch.bfloat16)
    b = torch.randn(k, n, device=device, dtype=torch.bfloat16)
    seconds = []
    for turn in range(40):
        wait(device)
        start = time.perf_counter()
        a @ b
        wait(device)
        if turn >= 10:  # the first choose a kernel and warm the card up
            seconds.append(time.perf_counter() - start)
    return 2 * m * n * k / median(seconds) / 1e12


def wait(device: torch.device) -> None:
    """Wait until the device has done all it was asked to."""
    if device.type != "cpu":
        getattr(torch, device.type).synchronize()


def best(device: torch.device, shapes: list[Shape]) -> tuple[float, Shape]:
    """The rate of the fastest of several shapes, and which it is."""
    return max((tflops(shape, device), shape) for shape in shapes)


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
