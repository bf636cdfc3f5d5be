"""Train a convolutional network: a ResNet with bottleneck blocks, the "full" size in the class of ResNet-50.

Random pictures stand in for a data set. The loss falls because the network memorises one batch; that is enough to
show how a step works and to measure how long it takes.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Size:
    """How wide and deep the network is, and how large a picture."""

    width: int
    blocks: tuple[int, ...]
    pixels: int
    classes: int


UNIT = "images"
SIZES = {
    "tiny": Size(8, (1, 1), 32, 10),
    "small": Size(32, (1, 1, 1, 1), 64, 100),
    "full": Size(64, (3, 4, 6, 3), 224, 1000),
}


class Bottleneck(nn.Module):
    """Narrow with 1x1, look around with 3x3, widen with 1x1, and add what came in."""

    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        after = 4 * width
        self.body = nn.Sequential(
            nn.Conv2d(before, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, after, 1, bias=False),
            nn.BatchNorm2d(after),
        )
        self.shortcut: nn.Module = nn.Identity()
        if before != after or stride != 1:
            self.shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Give the block's output."""
        return functional.relu(self.body(x) + self.shortcut(x))


def build(size: str) -> nn.Module:
    """Build the network: a stem, stages that halve the picture and double the width, and a classifier."""
    s = SIZES[size]
    layers: list[nn.Module] = [
        nn.Conv2d(3, s.width, 7, 2, 3, bias=False),
        nn.BatchNorm2d(s.width),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
    ]
    before = s.width
    for stage, blocks in enumerate(s.blocks):
        width = s.width * 2**stage
        for block in range(blocks):
            layers.append(Bottleneck(before, width, 2 if stage > 0 and block == 0 else 1))
            before = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, s.classes))


def make_batch(size: str, count: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Make random pictures and labels."""
    s = SIZES[size]
    images = torch.randn(count, 3, s.pixels, s.pixels, device=device)
    return images, torch.randint(s.classes, (count,), device=device)


def loss(model: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Say how wrong the network is on a batch."""
    images, labels = batch
    return functional.cross_entropy(model(images), labels)


def train(size: str, device: torch.device, steps: int = 10, count: int = 8) -> list[float]:
    """Train for some steps and give the loss of each."""
    torch.manual_seed(0)
    model = build(size).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    batch = make_batch(size, count, device)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        value = loss(model, batch)
        value.backward()
        optimizer.step()
        losses.append(value.item())  # reads the number back, so it waits for the GPU
    return losses


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train a convolutional network on random pictures.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    losses = train("tiny" if args.tiny else "small", torch.device(args.device))
    print(f"loss: {losses[0]:.3f} at first, {losses[-1]:.3f} after {len(losses)} steps")


if __name__ == "__main__":
    main()
# mypy: allow-subclassing-any
# ruff: noqa: T201
