"""Attention in two ways: with the whole table of scores in memory, and in blocks that never leave the chip."""

from __future__ import annotations

import argparse
import math

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel


def with_table(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Causal attention as the textbook writes it: a score for every pair of tokens stands in memory."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
    return scores.masked_fill(later, -math.inf).softmax(-1) @ value


def in_blocks(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """The same result in blocks; an error, and not a kernel with the table, where none of the three can run."""
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION]):
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True)


def main() -> None:
    """Read the command line and compare both ways on random tokens."""
    parser = argparse.ArgumentParser(description="Attention with and without the table of scores.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    heads, tokens, width = (2, 64, 32) if args.tiny else (32, 4096, 128)
    number_format = torch.bfloat16 if args.device == "cuda" else torch.float32
    made = [torch.randn(1, heads, tokens, width, device=args.device, dtype=number_format) for _ in range(3)]
    difference = (with_table(*made) - in_blocks(*made)).abs().max().item()
    table_mb = heads * tokens**2 * made[0].element_size() / 2**20
    print(f"largest difference {difference:.2g}; the table alone takes {table_mb:,.3g} MB")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
