"""Activation checkpointing: keep each block's input, compute what is inside again in the backward pass."""

from __future__ import annotations

import argparse
from functools import partial

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts


class Checkpointed(nn.Module):
    """A stack of blocks of which only the inputs are kept for the backward pass."""

    def __init__(self, blocks: list[nn.Module]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x: Tensor) -> Tensor:
        """Run the blocks; each is run a second time in the backward pass."""
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


ops = torch.ops.aten
COSTLY = (ops.mm, ops.addmm, ops.bmm, ops._scaled_dot_product_flash_attention, ops._scaled_dot_product_cudnn_attention)


def keep_products(_: object, op: torch._ops.OpOverload, *_args: object, **_named: object) -> CheckpointPolicy:
    """Keep what is costly to compute again, matrix products and attention; norms and activations are cheap."""
    return CheckpointPolicy.MUST_SAVE if op.overloadpacket in COSTLY else CheckpointPolicy.PREFER_RECOMPUTE


class SelectivelyCheckpointed(Checkpointed):
    """The same stack, of which the results of the products are kept as well."""

    def forward(self, x: Tensor) -> Tensor:
        """Run the blocks; in the backward pass only what lies between the products is run again."""
        for block in self.blocks:
            choice = partial(create_selective_checkpoint_contexts, keep_products)
            x = checkpoint(block, x, use_reentrant=False, context_fn=choice)
        return x


def block(width: int) -> nn.Module:
    """A feed-forward block as in a transformer."""
    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


def kept(tiny: bool, device: torch.device) -> tuple[int, int]:
    """How many numbers the forward pass keeps for the backward pass, without checkpointing and with it."""
    width, depth, tokens = (16, 3, 8) if tiny else (1024, 24, 4096)
    blocks = [block(width) for _ in range(depth)]
    x = torch.randn(tokens, width, device=device)
    counts = []
    for model in (nn.Sequential(*blocks), Checkpointed(blocks)):
        saved: list[int] = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t, into=saved: into.append(t.numel()) or t, lambda t: t):
            model.to(device)(x).square().sum().backward()
        counts.append(sum(saved))
    return counts[0], counts[1]


def main() -> None:
    """Read the command line and compare."""
    parser = argparse.ArgumentParser(description="What checkpointing keeps.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    plain, checkpointed = kept(args.tiny, torch.device(args.device))
    print(f"kept for the backward pass: {plain:,} numbers, with checkpointing {checkpointed:,}")


if __name__ == "__main__":
    main()
# mypy: allow-subclassing-any
# ruff: noqa: T201
