"""Fuse small operations with torch.compile, and see how many trips to memory that saves."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import torch
from torch.nn import functional

Step = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def activated(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """A bias and an activation function: two kernels line by line, one when they are fused."""
    return functional.gelu(x + bias)


def fused(step: Step, backend: str = "inductor") -> Step:
    """Compile a step; the first call with new shapes is slow, and `fullgraph` tells what cannot be compiled."""
    compiled: Step = torch.compile(step, backend=backend, fullgraph=True)
    return compiled


def main() -> None:
    """Read the command line and compare a step with its compiled form."""
    parser = argparse.ArgumentParser(description="A bias and an activation function, compiled.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    rows, columns = (8, 16) if args.tiny else (4096, 14336)
    x, bias = torch.randn(rows, columns, device=args.device), torch.randn(columns, device=args.device)
    # The small size captures the graph but needs no C++ compiler on the machine.
    step = fused(activated, "aot_eager" if args.tiny else "inductor")
    print(f"largest difference {(step(x, bias) - activated(x, bias)).abs().max().item():.2g}")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
