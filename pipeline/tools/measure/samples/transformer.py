"""A decoder-only transformer with grouped-query attention and a key-value cache: train it, then let it generate.

Prefill reads the whole prompt at once and fills the cache; decoding then adds one token after another and reads each
weight once per token, which is why memory bandwidth decides its speed.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Size:
    """The dimensions of the network."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    feed_forward: int
    vocabulary: int
    length: int = 512


UNIT = "sequences"
SIZES = {
    "tiny": Size(2, 64, 4, 2, 128, 256, 32),
    "small": Size(4, 256, 8, 2, 1024, 1024, 128),
    "full": Size(12, 768, 12, 4, 2048, 8192, 512),
}
Pair = tuple[torch.Tensor, torch.Tensor]
Cache = list[Pair]  # keys and values of each layer


class Attention(nn.Module):
    """Each token looks back at those before it; several query heads share one key-value head."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.width = size.heads, size.kv_heads, size.hidden // size.heads
        self.query = nn.Linear(size.hidden, size.heads * self.width, bias=False)
        self.key_value = nn.Linear(size.hidden, 2 * size.kv_heads * self.width, bias=False)
        self.output = nn.Linear(size.heads * self.width, size.hidden, bias=False)

    def forward(self, x: torch.Tensor, angles: Pair, start: int, cache: Pair | None) -> torch.Tensor:
        """Give what each token takes from those before it; with a cache, `start` tokens already stand there."""
        batch, length, _ = x.shape
        query = turned(self.query(x).view(batch, length, self.heads, self.width).transpose(1, 2), angles)
        both = self.key_value(x).view(batch, length, 2, self.kv_heads, self.width).permute(2, 0, 3, 1, 4)
        key, value = turned(both[0], angles), both[1]
        if cache is not None:
            cache[0][:, :, start : start + length] = key
            cache[1][:, :, start : start + length] = value
            key, value = cache[0][:, :, : start + length], cache[1][:, :, : start + length]
        # Several tokens at once come only at the start (training, prefill): each sees those before it.
        seen = functional.scaled_dot_product_attention(
            query, key.to(query.dtype), value.to(query.dtype), is_causal=length > 1, enable_gqa=True
        )
        return self.output(seen.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """Attention, then a gated feed-forward part, each added to what came in."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.before_attention = nn.RMSNorm(size.hidden)
        self.attention = Attention(size)
        self.before_feed_forward = nn.RMSNorm(size.hidden)
        self.gate = nn.Linear(size.hidden, size.feed_forward, bias=False)
        self.up = nn.Linear(size.hidden, size.feed_forward, bias=False)
        self.down = nn.Linear(size.feed_forward, size.hidden, bias=False)

    def forward(self, x: torch.Tensor, angles: Pair, start: int, cache: Pair | None) -> torch.Tensor:
        """Give the block's output."""
        x = x + self.attention(self.before_attention(x), angles, start, cache)
        normed = self.before_feed_forward(x)
        return x + self.down(functional.silu(self.gate(normed)) * self.up(normed))


class Transformer(nn.Module):
    """Embedding, blocks, and a score for each possible next token."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        self.embedding = nn.Embedding(size.vocabulary, size.hidden)
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.layers))
        self.norm = nn.RMSNorm(size.hidden)
        self.output = nn.Linear(size.hidden, size.vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor, start: int = 0, cache: Cache | None = None) -> torch.Tensor:
        """Give the scores; with a cache only those after the last token, all that generation needs."""
        x = self.embedding(tokens)
        angles = angles_of(start, tokens.shape[1], self.size.hidden // self.size.heads, x)
        for number, block in enumerate(self.blocks):
            x = block(x, angles, start, None if cache is None else cache[number])
        return self.output(self.norm(x if cache is None else x[:, -1:]))

    def new_cache(self, batch: int, length: int) -> Cache:
        """Make room for the keys and values of every layer."""
        s, weight = self.size, self.output.weight
        shape = (batch, s.kv_heads, length, s.hidden // s.heads)
        return [(weight.new_empty(shape), weight.new_empty(shape)) for _ in range(s.layers)]


def angles_of(start: int, length: int, width: int, like: torch.Tensor) -> Pair:
    """Give cosine and sine of an angle for each place and each pair of numbers: fast for some, slow for others."""
    places = torch.arange(start, start + length, device=like.device, dtype=torch.float32)
    pairs = torch.arange(width // 2, device=like.device, dtype=torch.float32)
    angles = places[:, None] * 10000.0 ** (-2 * pairs / width)
    return angles.cos().to(like.dtype), angles.sin().to(like.dtype)


def turned(x: torch.Tensor, angles: Pair) -> torch.Tensor:
    """Turn each pair of numbers by the angle of its place: so attention knows distances."""
    cosine, sine = (part.to(x.dtype) for part in angles)
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cosine - second * sine, first * sine + second * cosine), dim=-1)


def build(size: str) -> nn.Module:
    """Build the network."""
    return Transformer(SIZES[size])


def make_batch(size: str, count: int, device: torch.device) -> torch.Tensor:
    """Make random sequences, one token longer than the network reads."""
    s = SIZES[size]
    return torch.randint(s.vocabulary, (count, s.length + 1), device=device)


def loss(model: nn.Module, tokens: torch.Tensor) -> torch.Tensor:
    """Say how badly the network predicts each next token."""
    scores = model(tokens[:, :-1])
    return functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())


def generate(model: nn.Module, prompt: torch.Tensor, new_tokens: int) -> torch.Tensor:
    """Prefill with the prompt, then decode the likeliest token again and again."""
    tokens = prompt
    with torch.inference_mode():
        cache = model.new_cache(len(prompt), prompt.shape[1] + new_tokens)
        scores = model(prompt, 0, cache)
        for place in range(prompt.shape[1], prompt.shape[1] + new_tokens):
            new = scores[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat((tokens, new), dim=1)
            scores = model(new, place, cache)
    return tokens


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
        optimizer.step()
        losses.append(value.item())
    return losses


def main() -> None:
    """Read the command line, train and generate."""
    parser = argparse.ArgumentParser(description="Train a transformer on random tokens, then generate.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    size, device = "tiny" if args.tiny else "small", torch.device(args.device)
    losses = train(size, device)
    print(f"loss: {losses[0]:.3f} at first, {losses[-1]:.3f} after {len(losses)} steps")
    written = generate(build(size).to(device), make_batch(size, 1, device)[:, :8], new_tokens=8)
    print(f"generated from random weights: {written[0, 8:].tolist()}")


if __name__ == "__main__":
    main()
# mypy: allow-subclassing-any
# ruff: noqa: T201
