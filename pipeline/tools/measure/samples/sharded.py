"""Shard a model over all GPUs of a run: start with `torchrun --nproc-per-node 8 your_program.py`."""

from __future__ import annotations

import argparse
import os
import tempfile

import torch
from torch import distributed, nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def shard(model: nn.Module, blocks: list[nn.Module]) -> None:
    """Split weights, gradients and optimiser states over the cards: block by block, then what is left."""
    short = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in blocks:  # each is gathered just before it runs, and let go after it
        fully_shard(block, mp_policy=short)
    fully_shard(model, mp_policy=short)


def step(model: nn.Module, optimizer: torch.optim.Optimizer, inputs: torch.Tensor, targets: torch.Tensor) -> float:
    """One training step; the optimiser was made after sharding, so it holds a share of the states only."""
    loss = nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()  # gradients are added up over the cards while it runs, each card keeping its share
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return float(loss.item())


def main() -> None:
    """Read the command line and train: over all processes of torchrun, or over one if started by hand."""
    parser = argparse.ArgumentParser(description="Train a sharded model.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    backend = "nccl" if args.device == "cuda" else "gloo"
    with tempfile.TemporaryDirectory() as folder:
        alone = {} if "RANK" in os.environ else {"init_method": f"file://{folder}/meet", "rank": 0, "world_size": 1}
        distributed.init_process_group(backend, **alone)
        width, batch = (16, 32) if args.tiny else (4096, 1024)
        model = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 8)).to(args.device)
        shard(model, [model[0], model[2]])
        optimizer = torch.optim.AdamW(model.parameters())
        inputs = torch.randn(batch, width, device=args.device)
        targets = torch.randint(0, 8, (batch,), device=args.device)
        losses = [step(model, optimizer, inputs, targets) for _ in range(10)]
        print(f"loss: {losses[0]:.3f} at first, {losses[-1]:.3f} after {len(losses)} steps")
        distributed.destroy_process_group()


if __name__ == "__main__":
    main()
# ruff: noqa: T201
