"""The decoder-only transformers that the kit runs: dimensions from which anyone can count their weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Decoder:
    """Dimensions of a decoder with grouped-query attention and a gated feed-forward part; all weights are random."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    feed_forward: int
    vocabulary: int

    @property
    def head_size(self) -> int:
        """Width of one attention head."""
        return self.hidden // self.heads

    @property
    def weights(self) -> int:
        """All parameters, the embedding and the output matrix counted separately."""
        return self.weights_read + self.vocabulary * self.hidden

    @property
    def weights_read(self) -> int:
        """Parameters that a decoding step reads: all but the embedding, of which it takes one row per sequence."""
        attention = 2 * self.hidden * self.hidden + 2 * self.hidden * self.kv_heads * self.head_size
        layer = attention + 3 * self.hidden * self.feed_forward + 2 * self.hidden
        return self.layers * layer + self.hidden + self.vocabulary * self.hidden

    def cache_bytes(self, tokens: int, batch: int, bytes_per_value: int) -> int:
        """Size of the key-value cache."""
        return 2 * self.layers * self.kv_heads * self.head_size * tokens * batch * bytes_per_value


DECODERS: Mapping[str, Decoder] = {
    "kit-decoder-tiny": Decoder(2, 64, 4, 2, 128, 256),
    "kit-decoder-100m": Decoder(12, 768, 12, 4, 2048, 8192),
    "kit-decoder-1b": Decoder(16, 2048, 32, 8, 8192, 32000),
    "kit-decoder-8b": Decoder(32, 4096, 32, 8, 14336, 32000),
}
