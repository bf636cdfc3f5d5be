"""The weight tensors of a language model, listed from its shapes: every size and count of weights comes from here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pipeline.advise.estimate.types import EstimateError
from pipeline.core.networks import Model


@dataclass(frozen=True, slots=True)
class Tensor:
    """Matrices of one role: `copies` of `columns` (input size) times `rows` (output size)."""

    role: str
    layer: int | None
    columns: int
    rows: int
    copies: int = 1

    @property
    def elements(self) -> int:
        """The number of weights."""
        return self.columns * self.rows * self.copies


@lru_cache(maxsize=256)
def tensors(model: Model) -> tuple[Tensor, ...]:
    """List a language model's tensors, norms and biases included."""
    if not model.is_language:
        raise EstimateError(f"{model.name} is no language model; only those are broken down into tensors")
    return tuple(_all(model))


@lru_cache(maxsize=256)
def parameters(model: Model) -> int:
    """Count the parameters (stated ones where the shapes are not known)."""
    if model.is_language:
        return sum(t.elements for t in tensors(model))
    parts = (model.stated_parameters_billion, model.text_encoder_parameters_billion)
    return round(1e9 * sum(part for part in parts if part))


@lru_cache(maxsize=256)
def active_parameters(model: Model) -> float:
    """Count the parameters that take part in one token: of the experts only those chosen, no embedding look-up."""
    if not model.is_language:
        return parameters(model)
    share = expert_share(model, 1)
    return sum(t.elements * (share if is_expert(t) else 1.0) for t in tensors(model) if not is_lookup(t, model))


def expert_share(model: Model, batch: int) -> float:
    """Expected share of the experts that a batch touches, when each token picks its own."""
    if not model.experts or not model.experts_active:
        return 1.0
    return float(1 - (1 - model.experts_active / model.experts) ** batch)


def is_expert(tensor: Tensor) -> bool:
    """Whether only some tokens need it."""
    return tensor.role.startswith("expert_")


def is_lookup(tensor: Tensor, model: Model) -> bool:
    """Whether a token reads one row of it only (an embedding that is not the output matrix too)."""
    return tensor.role == "token_embedding" and not model.tied_embeddings


def need(model: Model, name: str) -> int:
    """A shape that this formula cannot do without."""
    value = getattr(model, name)
    if value is None:
        raise EstimateError(f"{name} of {model.name} is not known; add it to data/models/{model.id}.yml")
    return int(value)


def _all(model: Model) -> Iterator[Tensor]:
    hidden, vocabulary = need(model, "hidden_size"), need(model, "vocabulary")
    yield Tensor("token_embedding", None, hidden, vocabulary)
    for layer in range(need(model, "layers")):
        yield from _latent_attention(model, layer) if model.latent_size else _attention(model, layer)
        yield from _feed_forward(model, layer)
        yield Tensor("norm", layer, hidden, 1, 2)
    yield Tensor("norm", None, hidden, 1)
    if not model.tied_embeddings:
        yield Tensor("output", None, hidden, vocabulary)


def _attention(model: Model, layer: int) -> Iterator[Tensor]:
    hidden, size = need(model, "hidden_size"), need(model, "head_size")
    queries, keys = need(model, "attention_heads") * size, need(model, "key_value_heads") * size
    yield Tensor("attention_q", layer, hidden, queries)
    yield Tensor("attention_k", layer, hidden, keys)
    yield Tensor("attention_v", layer, hidden, keys)
    yield Tensor("attention_output", layer, queries, hidden)
    if model.attention_bias:
        yield Tensor("bias", layer, queries + 2 * keys, 1)


def _latent_attention(model: Model, layer: int) -> Iterator[Tensor]:
    """Multi-head latent attention as DeepSeek-V2 and V3 have it: low-rank queries, keys and values."""
    hidden, heads = need(model, "hidden_size"), need(model, "attention_heads")
    query, latent = need(model, "latent_query_size"), need(model, "latent_size")
    rope, nope, value = (need(model, f"latent_{part}_size") for part in ("rope", "nope", "value"))
    yield Tensor("attention_q", layer, hidden, query)
    yield Tensor("attention_q", layer, query, heads * (nope + rope))
    yield Tensor("attention_k", layer, hidden, latent + rope)
    yield Tensor("attention_v", layer, latent, heads * (nope + value))
    yield Tensor("attention_output", layer, heads * value, hidden)
    yield Tensor("norm", layer, query + latent, 1)


def _feed_forward(model: Model, layer: int) -> Iterator[Tensor]:
    hidden = need(model, "hidden_size")
    if not model.experts or layer < model.dense_layers:
        yield from _gated("ffn", layer, hidden, need(model, "feed_forward_size"), 1)
        return
    inner = need(model, "expert_feed_forward_size")
    yield Tensor("router", layer, hidden, model.experts)
    yield from _gated("expert", layer, hidden, inner, model.experts)
    if model.shared_experts:
        yield from _gated("ffn", layer, hidden, inner, model.shared_experts)
    if model.expert_bias:
        yield Tensor("expert_bias", layer, 2 * inner + hidden, 1, model.experts)


def _gated(role: str, layer: int, hidden: int, inner: int, copies: int) -> Iterator[Tensor]:
    yield Tensor(f"{role}_gate", layer, hidden, inner, copies)
    yield Tensor(f"{role}_up", layer, hidden, inner, copies)
    yield Tensor(f"{role}_down", layer, inner, hidden, copies)
