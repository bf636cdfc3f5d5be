"""What memory and speed need to know of a network in one format, counted once: bytes, operations, cache.

Everything that asks tensor by tensor happens here; the evaluation (core.py) only multiplies and adds these numbers,
which the browser gets as data (docs/javascripts/estimator.js).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pipeline.advise.estimate.tensors import active_parameters, expert_share, is_expert, need, parameters
from pipeline.advise.estimate.tensors import tensors as tensors_of
from pipeline.advise.estimate.types import EstimateError
from pipeline.advise.estimate.weights import BITS, FALLBACK, MIXES, lookup_bytes, sizes, weight_bytes
from pipeline.core.networks import Model

# Types of fewer bits than this are packed across bytes and cost every card more operations (Q2_K, Q3_K).
WHOLE_NIBBLE = 4
ADAPTED = ("attention_", "ffn_", "expert_gate", "expert_up", "expert_down")


@dataclass(frozen=True, slots=True)
class Format:
    """A network's weights in one format, bytes."""

    weights: float  # the whole file
    lookup: float  # an embedding of which a token reads one row
    dense: float  # what every token reads
    experts: float  # all experts together
    wide: bool  # multiplied in 16 bit: as many a weight or more, or int4, which servers unpack before they multiply
    packed: bool  # in llama.cpp's blocks, to be unpacked before use
    low: bool  # in fewer than four bits
    eight: bool  # 8-bit floating point, the tensor cores' own
    nested: bool  # in llama.cpp's K types: blocks of 256 whose parts have packed scales of their own


@dataclass(frozen=True, slots=True)
class Shape:
    """A network whatever its format: counts, and bytes of the cache at 16 bits a value."""

    language: bool
    parameters: float
    active: float  # parameters at work in one token
    expert_share: float  # of the experts that one token works with; 0 without experts
    layers: float
    hidden: float
    vocabulary: float
    heads: float
    width: float  # heads times head size
    active_width: float  # inner units of the feed-forward networks that one token passes, of one layer
    cache: float  # bytes a token in the layers that keep all tokens
    window_cache: float  # bytes a token in the layers that look back over a window
    window: float  # tokens of that window, 0 without
    window_layers: float
    split: float  # among how many GPUs the cache can be shared out: its key-value heads; 1 where all need all of it
    adapter: float  # parameters of adapters of rank 1 on every matrix of the layers


@lru_cache(maxsize=4096)
def format_of(model: Model, quant: str) -> Format:
    """Count a network's bytes in a format."""
    marks = marks_of(quant).values()
    if not model.is_language:
        whole = weight_bytes(model, quant)
        return Format(whole, 0.0, whole, 0.0, *marks)
    found = sizes(model, quant)
    experts = sum(size for tensor, size in found.items() if is_expert(tensor))
    lookup = lookup_bytes(model, quant)
    whole = sum(found.values())
    return Format(whole, lookup, whole - lookup - experts, experts, *marks)


def marks_of(quant: str) -> dict[str, bool]:
    """What a format is, whatever the network: the last five fields of a Format."""
    mix = MIXES[quant]
    bits = BITS[mix.base]
    return {
        "wide": bits >= BITS["f16"] or mix.base == "int4",
        "packed": mix.gguf and bits < BITS["f16"],
        "low": bits < WHOLE_NIBBLE,
        "eight": quant in ("fp8", "nvfp4"),
        "nested": mix.base in FALLBACK,
    }


@lru_cache(maxsize=512)
def shape_of(model: Model) -> Shape:
    """Count a network; EstimateError names a shape that is missing."""
    if not model.is_language:
        count = float(parameters(model))
        return Shape(False, count, count, *(0.0,) * 11, 1.0, 0.0)
    layers, heads = need(model, "layers"), need(model, "attention_heads")
    window_layers = min(model.window_layers, layers) if model.window_tokens else 0
    if model.latent_size:
        each = (model.latent_size + need(model, "latent_rope_size")) * 2.0
        head = need(model, "latent_nope_size") + need(model, "latent_rope_size")
    else:
        head = need(model, "head_size")
        each = 2.0 * need(model, "key_value_heads") * head * 2
    return Shape(
        True,
        float(parameters(model)),
        active_parameters(model),
        expert_share(model, 1) if model.experts else 0.0,
        float(layers),
        float(need(model, "hidden_size")),
        float(need(model, "vocabulary")),
        float(heads),
        float(heads * head),
        _active_width(model),
        (layers - window_layers) * each,
        window_layers * each,
        float(model.window_tokens or 0),
        float(window_layers),
        1.0 if model.latent_size else float(need(model, "key_value_heads")),
        float(adapter_parameters(model, 1)),
    )


def adapter_parameters(model: Model, rank: int) -> int:
    """Parameters of LoRA adapters of this rank on every matrix of the layers."""
    return sum(rank * (t.columns + t.rows) * t.copies for t in tensors_of(model) if t.role.startswith(ADAPTED))


def known(model: Model) -> bool:
    """Whether all that the formulas need of a network is there."""
    try:
        shape_of(model)
    except EstimateError:
        return False
    return True


def _active_width(model: Model) -> float:
    if not model.experts:
        return float(need(model, "feed_forward_size"))
    inner, chosen = need(model, "expert_feed_forward_size"), (model.experts_active or 0) + model.shared_experts
    return float(inner * chosen)
