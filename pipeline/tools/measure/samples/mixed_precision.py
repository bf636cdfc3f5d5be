"""Train in mixed precision: arithmetic in 16 bits where that is safe, weights and sums in 32 bits.

BF16 has the range of FP32 and needs nothing else. FP16 has not: small gradients would become zero, so the loss is
scaled up before the backward pass and the gradients down again before the weights change.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional

FORMATS = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}


def make_scaler(device: torch.device, number_format: torch.dtype | None) -> torch.amp.GradScaler:
    """Make the scaler that FP16 needs; for other formats it does nothing."""
    return torch.amp.GradScaler(device.type, enabled=number_format == torch.float16)


def train_step(
    compute_loss: Callable[[], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    device: torch.device,
    number_format: torch.dtype | None,
) -> torch.Tensor:
    """Do one step; without a number format in plain FP32."""
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device.type, dtype=number_format or torch.bfloat16, enabled=number_format is not None):
        loss = compute_loss()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach()


def train(tiny: bool, device: torch.device, number_format: torch.dtype | None, steps: int = 20) -> list[float]:
    """Train a small network to tell which half of its input is larger, and give the loss of each step."""
    torch.manual_seed(0)
    width, count = (32, 64) if tiny else (1024, 4096)
    model = nn.Sequential(nn.Linear(16, width), nn.ReLU(), nn.Linear(width, 2)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scaler = make_scaler(device, number_format)
    inputs = torch.randn(count, 16, device=device)
    labels = (inputs[:, :8].sum(1) > inputs[:, 8:].sum(1)).long()
    losses = []
    for _ in range(steps):
        loss = train_step(
            lambda: functional.cross_entropy(model(inputs), labels), optimizer, scaler, device, number_format
        )
        losses.append(loss.item())
    return losses


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train in mixed precision.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--format", choices=FORMATS, default="bf16")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    losses = train(args.tiny, torch.device(args.device), FORMATS[args.format])
    print(f"{args.format}: loss {losses[0]:.3f} at first, {losses[-1]:.3f} after {len(losses)} steps")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
