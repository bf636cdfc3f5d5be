"""A matrix product in tiles, written in Triton: each program works out one tile of the result.

It needs a GPU, or on a processor TRITON_INTERPRET=1, which is slow and shows no more than that the result is right.
"""

from __future__ import annotations

import argparse

import torch
import triton
import triton.language as tl


@triton.jit
def one_tile(
    a: tl.tensor, b: tl.tensor, c: tl.tensor, n: int, k: int, height: tl.constexpr, width: tl.constexpr
) -> None:
    """Work out one tile of c = a @ b; the sides of the matrices are multiples of those of a tile."""
    depth: tl.constexpr = 32
    rows = tl.program_id(0) * height + tl.arange(0, height)[:, None]  # which tile is mine
    columns = tl.program_id(1) * width + tl.arange(0, width)[None, :]
    sums = tl.zeros((height, width), dtype=tl.float32)  # stays in registers
    for start in range(0, k, depth):
        across = start + tl.arange(0, depth)[None, :]
        down = start + tl.arange(0, depth)[:, None]
        left = tl.load(a + rows * k + across)  # a strip of each input, through shared memory
        right = tl.load(b + down * n + columns)
        sums = tl.dot(left, right, sums)  # on the Tensor Cores
    tl.store(c + rows * n + columns, sums.to(c.dtype.element_ty))


def product(a: torch.Tensor, b: torch.Tensor, height: int = 128, width: int = 128) -> torch.Tensor:
    """Start one program for each tile of the result."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty(m, n, dtype=a.dtype, device=a.device)
    one_tile[(m // height, n // width)](a, b, c, n, k, height=height, width=width)
    return c


def main() -> None:
    """Compare the product with that of the library."""
    parser = argparse.ArgumentParser(description="Multiply two matrices in tiles.")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    side, tile = (64, 32) if args.tiny else (4096, 128)
    number_format = torch.float32 if args.device == "cpu" else torch.float16
    a, b = (torch.randn(side, side, device=args.device, dtype=number_format) for _ in range(2))
    apart = (product(a, b, tile, tile) - a @ b).abs().max().item()
    print(f"{side} a side in tiles of {tile}: largest difference from the library {apart:.2g}")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
