"""Round weights to a few bits in blocks, and see how the error depends on bits, blocks and outliers.

Real formats choose their scales with more care; this is the least that all of them share.
"""

from __future__ import annotations

import argparse

import torch


def quantised(weights: torch.Tensor, bits: int, block: int) -> torch.Tensor:
    """Round to `bits` with one scale for each `block` of neighbours, and return what a product would see."""
    blocks = weights.reshape(-1, block)
    steps = 2 ** (bits - 1) - 1  # 7 on each side of zero for 4 bits
    scale = blocks.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / steps
    return ((blocks / scale).round() * scale).reshape(weights.shape)


def hadamard(size: int) -> torch.Tensor:
    """A rotation that mixes `size` numbers, a power of two, evenly: each becomes a sum of all with signs + and -."""
    matrix = torch.ones(1, 1)
    while len(matrix) < size:
        matrix = torch.cat([torch.cat([matrix, matrix], 1), torch.cat([matrix, -matrix], 1)])
    return matrix / size**0.5


def rotated_first(weights: torch.Tensor, bits: int, block: int) -> torch.Tensor:
    """Rotate each row, round it, and rotate it back; in a model the input is rotated instead of the last step."""
    turn = hadamard(weights.shape[1]).to(weights)
    return quantised(weights @ turn, bits, block) @ turn.T


def error(weights: torch.Tensor, bits: int, block: int) -> float:
    """How far the rounded weights lie from the true ones, as a share of their size."""
    return apart(quantised(weights, bits, block), weights)


def apart(rounded: torch.Tensor, weights: torch.Tensor) -> float:
    """The length of the difference as a share of the length of the weights."""
    return float((rounded - weights).norm() / weights.norm())


def bits_stored(bits: int, block: int, scale_bits: int = 16) -> float:
    """The bits that a weight costs in the file, its share of the scale included."""
    return bits + scale_bits / block


def with_outliers(rows: int) -> torch.Tensor:
    """Random weights with a few columns of far larger ones, as networks have them."""
    weights = torch.randn(rows, 1024, generator=torch.Generator().manual_seed(0))
    weights[:, ::256] *= 20
    return weights


def main() -> None:
    """Read the command line and print a line for each combination."""
    parser = argparse.ArgumentParser(description="Round weights to a few bits and look at the error.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    weights = with_outliers(256 if args.tiny else 4096).to(args.device)
    for bits in (8, 4, 3):
        for block in (1024, 128, 32):
            print(f"{bits} bits, blocks of {block}: {bits_stored(bits, block):.2f} bits stored", end=", ")
            print(f"error {100 * error(weights, bits, block):.1f} %", end=", ")
            print(f"rotated first {100 * apart(rotated_first(weights, bits, block), weights):.1f} %")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
