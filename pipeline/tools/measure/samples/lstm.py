"""Train an LSTM, a recurrent network with gates that keep what matters, to predict the next token of a sequence.

Random letters stand in for text. The loss falls because the network memorises one batch.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Size:
    """How wide and deep the network is, and how long a sequence."""

    hidden: int
    layers: int
    length: int
    vocabulary: int


UNIT = "sequences"
SIZES = {
    "tiny": Size(32, 1, 16, 64),
    "small": Size(256, 2, 64, 1024),
    "full": Size(1024, 2, 256, 8192),
}


class LongShortTermMemory(nn.Module):
    """Like a plain recurrent network, with a second state that gates protect; about four times the arithmetic."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.embedding = nn.Embedding(size.vocabulary, size.hidden)
        self.recurrent = nn.LSTM(size.hidden, size.hidden, size.layers, batch_first=True)
        self.output = nn.Linear(size.hidden, size.vocabulary)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Give a score for each possible next token at each place."""
        states, _ = self.recurrent(self.embedding(tokens))
        return self.output(states)


def build(size: str) -> nn.Module:
    """Build the network."""
    return LongShortTermMemory(SIZES[size])


def make_batch(size: str, count: int, device: torch.device) -> torch.Tensor:
    """Make random sequences, one token longer than the network reads: the last is only to be predicted."""
    s = SIZES[size]
    return torch.randint(s.vocabulary, (count, s.length + 1), device=device)


def loss(model: nn.Module, tokens: torch.Tensor) -> torch.Tensor:
    """Say how badly the network predicts each next token."""
    scores = model(tokens[:, :-1])
    return functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())


def train(size: str, device: torch.device, steps: int = 10, count: int = 8) -> list[float]:
    """Train for some steps and give the loss of each."""
    torch.manual_seed(0)
    model = build(size).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    tokens = make_batch(size, count, device)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        value = loss(model, tokens)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # recurrent gradients can explode
        optimizer.step()
        losses.append(value.item())
    return losses


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train a recurrent network on random sequences.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    losses = train("tiny" if args.tiny else "small", torch.device(args.device))
    print(f"loss: {losses[0]:.3f} at first, {losses[-1]:.3f} after {len(losses)} steps")


if __name__ == "__main__":
    main()
# mypy: allow-subclassing-any
# ruff: noqa: T201
