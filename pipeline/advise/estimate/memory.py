"""Memory that a network needs on a card, part by part, and what the card offers; to serve it or to train it.

`required` answers for any task. One place says one number: pages, chooser and calculators ask here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pipeline.advise.estimate import core
from pipeline.advise.estimate.core import LOGIT_BYTES
from pipeline.advise.estimate.engines import Engine, find
from pipeline.advise.estimate.shapes import Shape, adapter_parameters, format_of, shape_of
from pipeline.advise.estimate.types import GIB, Card, Memory, Request
from pipeline.core.networks import Model

__all__ = ["adapter_parameters", "cache_bytes", "placed", "required", "training_bytes", "usable_gib"]

# Bytes a parameter in training: 16-bit weights and gradients, a 32-bit copy of the weights where one is kept, and what
# the optimiser keeps (ZeRO, arXiv 1910.02054, section 3.1: two 32-bit moments; with 8-bit states one byte each; paged
# states wait in the host's memory; without a 32-bit copy Adam's moments are kept in 16 bit, as PyTorch does).
WEIGHT_BYTES, GRADIENT_BYTES, MASTER_BYTES = 2, 2, 4
OPTIMIZER_BYTES: Mapping[str, tuple[int, int]] = {  # with a 32-bit copy of the weights, without
    "adam": (8, 4),
    "adam8bit": (2, 2),
    "paged_adam8bit": (0, 0),
    "sgd": (0, 0),
}
# Bytes an adapter parameter takes while it is trained, all states included.
ADAPTER_BYTES = WEIGHT_BYTES + GRADIENT_BYTES + MASTER_BYTES + OPTIMIZER_BYTES["adam"][0]
# What the backward pass needs of each layer, bytes a token: 16 for each hidden unit (norms with their 32-bit copies,
# queries, keys, values, residuals) and 8 for each inner unit of the feed-forward network (gate, up, their activation
# and product), all in 16 bit; Korthikanti et al., arXiv 2205.05198, equation 2 counts 34 a hidden unit where the inner
# size is four times as large. With full recomputation only each layer's input stays (table 2), and one layer is worked
# out anew.
HIDDEN_BYTES, INNER_BYTES, RECOMPUTED_BYTES = 16, 8, 2
# Logits of every position: as computed in 16 bit, in 32 bit for the loss, and their gradient.
LOSS_BYTES = 2 + 2 * LOGIT_BYTES
# The context of CUDA and PyTorch's own workspace on each GPU that trains; the same order as an engine's.
TRAINING_OVERHEAD_GIB = 1.2
FROZEN_QUANT = {"lora": "f16", "qlora": "int4"}


def required(card: Card, model: Model, request: Request) -> Memory:
    """Sum up the need of all GPUs together, and what they offer."""
    engine, shape = find(request.engine), shape_of(model)
    request = placed(card, model, request)
    if request.task == "serve":
        parts = core.serving_bytes(shape, format_of(model, request.quant), request, engine)
    else:
        parts = training_bytes(model, shape, request)
    return Memory({k: v / GIB for k, v in parts.items()}, core.usable_gib(card, request, engine))


def placed(card: Card, model: Model, request: Request) -> Request:
    """The request with the share of the experts that stays in the host's memory."""
    if request.task != "serve" or not request.host_gb_s:
        return request
    shape, form, engine = shape_of(model), format_of(model, request.quant), find(request.engine)
    away = core.host_share(shape, form, request, engine, core.usable_gib(card, request, engine))
    return replace(request, host_share=away)


def usable_gib(card: Card, request: Request, engine: Engine) -> float | None:
    """Memory of all GPUs that the driver shows and the engine lets itself use; None where it is not known."""
    return core.usable_gib(card, request, engine)


def cache_bytes(model: Model, context: int, batch: int, kv_bits: int, engine: Engine) -> float:
    """Bytes of the key-value cache on one GPU as the engine reserves it for `batch` sequences of `context` tokens."""
    asked = Request(engine=engine.name, context=context, kv_bits=kv_bits)
    return core.cache_bytes(shape_of(model), asked, engine, batch)


def training_bytes(model: Model, shape: Shape, asked: Request) -> dict[str, float]:
    """Bytes of training by part, all GPUs together: what ZeRO does not share out, each GPU holds whole."""
    gpus = asked.gpus

    def held(count: float, bytes_each: float, from_stage: int) -> float:
        return count * bytes_each * (1 if asked.zero_stage >= from_stage else gpus)

    if asked.task in FROZEN_QUANT:
        frozen = format_of(model, FROZEN_QUANT[asked.task]).weights
        parts = {
            "weights": held(frozen, 1, 3),
            "adapters": shape.adapter * asked.lora_rank * ADAPTER_BYTES * gpus,
        }
    else:
        states = OPTIMIZER_BYTES[asked.optimizer][0 if asked.master_weights else 1]
        kept = states + (MASTER_BYTES if asked.master_weights else 0)
        parts = {
            "weights": held(shape.parameters, WEIGHT_BYTES, 3),
            "gradients": held(shape.parameters, 0 if asked.fused_backward else GRADIENT_BYTES, 2),
            "optimizer": held(shape.parameters, kept, 1),
        }
    tokens = asked.context * asked.batch * gpus
    layer = HIDDEN_BYTES * shape.hidden + INNER_BYTES * shape.active_width
    each = shape.layers * RECOMPUTED_BYTES * shape.hidden + layer if recomputes(asked) else shape.layers * layer
    return parts | {
        "activations": tokens * (each + shape.vocabulary * LOSS_BYTES),
        "engine": TRAINING_OVERHEAD_GIB * GIB * gpus,
    }


def recomputes(asked: Request) -> bool:
    """Whether activations are worked out anew in the backward pass."""
    return asked.task == "qlora" if asked.recompute is None else asked.recompute
