"""Train with a batch that does not fit: add up the gradients of several small batches, then change the weights once.

Each part must count by its share of whatever the loss is a mean over: samples in `accumulate`, tokens in
`accumulate_tokens`, where texts differ in length. Dividing by the number of parts instead would weigh the tokens of a
part with short texts more, and so would cards that each divide by their own tokens. Batch normalisation sees only the
small batch; memory is that of the small batch, time that of all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import nullcontext

import torch
from torch import distributed, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel


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


IGNORED = -100  # the label of a token that counts for nothing, such as padding


def accumulate_tokens(
    model: nn.Module,
    parts: Sequence[tuple[torch.Tensor, torch.Tensor]],
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    longest: float = 1.0,
    number_format: torch.dtype | None = None,
) -> float:
    """One step of a language model over the parts of a batch, on all cards, as if they had been one: its mean loss.

    Without a number format in plain FP32; the scaler does something for FP16 only.
    """
    together = isinstance(model, DistributedDataParallel)
    tokens = torch.stack([(labels != IGNORED).sum() for _, labels in parts]).sum()
    if together:
        distributed.all_reduce(tokens)  # the tokens of all cards, since each card has texts of other lengths
    # DDP divides the sum of the gradients by the number of cards; here the number of tokens has to do that alone.
    cards = distributed.get_world_size() if together else 1
    total = torch.zeros((), device=tokens.device)
    for at, (inputs, labels) in enumerate(parts):
        # DDP averages in every backward pass unless it is told not to.
        quiet = model.no_sync() if together and at < len(parts) - 1 else nullcontext()
        short = torch.autocast(tokens.device.type, number_format or torch.bfloat16, enabled=number_format is not None)
        with quiet:
            with short:
                logits = model(inputs)
                loss = functional.cross_entropy(
                    logits.flatten(0, -2), labels.flatten(), ignore_index=IGNORED, reduction="sum"
                )
            scaler.scale(loss * cards / tokens).backward()
        total += loss.detach() / tokens
    scaler.unscale_(optimizer)  # before clipping, or the limit would hold for gradients that are still scaled
    nn.utils.clip_grad_norm_(model.parameters(), longest)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    if together:
        distributed.all_reduce(total)
    return float(total)  # the only place where the program waits for the card


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
