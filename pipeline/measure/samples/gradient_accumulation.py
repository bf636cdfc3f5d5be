"""Train with a batch that does not fit: add up the gradients of several small batches, then change the weights once.

The result is the gradient of the large batch (batch normalisation aside, which sees only the small one); memory is
that of the small batch, time that of all of them.
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from torch.nn import functional


def accumulate(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor, parts: int) -> float:
    """Add the gradients of a batch part by part, and give the loss of the whole batch."""
    total = 0.0
    for some_inputs, some_targets in zip(inputs.chunk(parts), targets.chunk(parts), strict=True):
        # Each part counts by its share, so that the sum of the gradients is the gradient of the mean.
        share = len(some_inputs) / len(inputs)
        loss = functional.mse_loss(model(some_inputs), some_targets) * share
        loss.backward()  # adds to .grad
        total += loss.item()
    return total


def train(tiny: bool, device: torch.device, parts: int = 4, steps: int = 20) -> list[float]:
    """Train with a batch in parts and give the loss of each step."""
    torch.manual_seed(0)
    width, count = (32, 64) if tiny else (1024, 4096)
    model = nn.Sequential(nn.Linear(16, width), nn.Tanh(), nn.Linear(width, 1)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    inputs = torch.randn(count, 16, device=device)
    targets = inputs.sum(1, keepdim=True).sin()
    losses = []
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        losses.append(accumulate(model, inputs, targets, parts))
        optimizer.step()  # once for all parts
    return losses


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train with gradient accumulation.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    losses = train(args.tiny, torch.device(args.device))
    print(f"loss: {losses[0]:.3f} at first, {losses[-1]:.3f} after {len(losses)} steps of 4 parts each")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
