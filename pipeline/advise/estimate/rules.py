"""Rules that public calculators and guides use, run on the same points and labels for comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipeline.advise.estimate.speed import bandwidth
from pipeline.advise.estimate.tensors import need, parameters
from pipeline.advise.estimate.types import GIB, Card, Request
from pipeline.advise.estimate.weights import weight_bytes
from pipeline.core.networks import Model

SpeedRule = Callable[[Card, Model, Request], float]
MemoryRule = Callable[[Card, Model, Request], bool]


def _roofline(share: float) -> SpeedRule:
    """A share of bandwidth over file size: every weight is read once a token."""
    return lambda card, model, request: share * bandwidth(card) / weight_bytes(model, request.quant)


def _bits_and_a_fifth(card: Card, model: Model, request: Request) -> bool:
    """Parameters times the nominal bits, and 20 % on top, against the printed memory."""
    need_gib = parameters(model) * {"q4_k_m": 4, "f16": 16}.get(request.quant, 8) / 8 * 1.2 / GIB
    return need_gib <= (card.memory_gb or 0) * request.gpus


def _full_heads(card: Card, model: Model, request: Request) -> bool:
    """File and a cache as if every head had keys and values of its own, and 10 % on top."""
    cache = 2 * need(model, "layers") * need(model, "hidden_size") * 2 * request.context
    return (weight_bytes(model, request.quant) + cache) * 1.1 / GIB <= (card.memory_gb or 0) * request.gpus


def _file_only(card: Card, model: Model, request: Request) -> bool:
    """The file against the printed memory."""
    return weight_bytes(model, request.quant) / GIB <= (card.memory_gb or 0) * request.gpus


SPEED_RULES: Mapping[str, SpeedRule] = {
    "bandwidth / file size": _roofline(1.0),
    "0.7 x bandwidth / file size": _roofline(0.7),
    "0.55 x bandwidth / file size": _roofline(0.55),
}
MEMORY_RULES: Mapping[str, MemoryRule] = {
    "file size <= memory": _file_only,
    "parameters x nominal bits x 1.2": _bits_and_a_fifth,
    "file + cache without grouped queries, x 1.1": _full_heads,
}
