"""A card, a model and a request in, the memory they need by part and what the card offers out."""

from __future__ import annotations

import math

from pipeline.estimate.engines import DRIVER_SHARE, Engine, find
from pipeline.estimate.tensors import need, parameters, tensors
from pipeline.estimate.types import GIB, Card, Memory, Model, Request
from pipeline.estimate.weights import BITS, lookup_bytes, weight_bytes

WINDOW_PAD = 256  # cells, see engines.py
# Bytes a parameter in training: 16-bit weights and gradients, then what the optimizer keeps. Mixed-precision Adam
# holds a 32-bit copy and two 32-bit moments (ZeRO, arXiv 1910.02054, section 3.1); 8-bit Adam two 8-bit moments.
WEIGHT_BYTES, GRADIENT_BYTES = 2, 2
OPTIMIZER_BYTES = {"adam": 12, "adam8bit": 6}
# Bytes an adapter parameter takes while it is trained, all states included.
ADAPTER_BYTES = WEIGHT_BYTES + GRADIENT_BYTES + OPTIMIZER_BYTES["adam"]
# Korthikanti et al., arXiv 2205.05198, equation 2 and table 2: bytes a token, hidden unit and layer.
ACTIVATION_BYTES, RECOMPUTED_BYTES = 34, 2
LOGIT_BYTES = 4  # the loss is taken in 32 bit
# The context of CUDA and PyTorch's own workspace on each GPU that trains; the same order as an engine's.
TRAINING_OVERHEAD_GIB = 1.2
FROZEN_QUANT = {"lora": "f16", "qlora": "int4"}
_ADAPTED = ("attention_", "ffn_", "expert_gate", "expert_up", "expert_down")


def required(card: Card, model: Model, request: Request) -> Memory:
    """Sum up the need of all GPUs together, and what they offer."""
    engine = find(request.engine)
    parts = _serving(model, request, engine) if request.task == "serve" else _training(model, request)
    return Memory({k: v / GIB for k, v in parts.items()}, usable_gib(card, request, engine))


def usable_gib(card: Card, request: Request, engine: Engine) -> float | None:
    """Memory of all GPUs that the driver shows and the engine lets itself use; None where it is not known."""
    stated = request.memory_gb if request.memory_gb is not None else card.memory_gb
    if stated is None:
        return None
    limit = engine.limit if request.task == "serve" else 1.0
    one = stated * DRIVER_SHARE[card.memory_class] * limit
    return max(0.0, one * request.gpus - request.display_gib)


def cache_bytes(model: Model, context: int, batch: int, kv_bits: int, engine: Engine) -> float:
    """Bytes of the key-value cache as the engine reserves it for `batch` sequences of `context` tokens."""
    if not model.is_language:
        return 0.0
    layers, value = need(model, "layers"), cache_bits(kv_bits, engine) / 8
    if model.latent_size:
        return layers * (model.latent_size + need(model, "latent_rope_size")) * value * context * batch
    window = min(model.window_layers, layers) if engine.frees_window and model.window_tokens else 0
    cells = (layers - window) * context * batch + window * _window_cells(model, context, batch, engine)
    return 2 * need(model, "key_value_heads") * need(model, "head_size") * value * cells


def cache_bits(kv_bits: int, engine: Engine) -> float:
    """Bits of one cached value: llama.cpp stores 8 and 4 bits in blocks with a scale (Q8_0, Q4_0)."""
    return BITS[{8: "q8_0", 4: "q4_0"}[kv_bits]] if engine.family == "llama.cpp" and kv_bits < 16 else kv_bits


def attended_bytes(model: Model, tokens: float, kv_bits: int) -> float:
    """Bytes of the cache that one step of one sequence reads when it holds `tokens` tokens."""
    layers, value = need(model, "layers"), kv_bits / 8
    if model.latent_size:
        return layers * (model.latent_size + need(model, "latent_rope_size")) * value * tokens
    window = model.window_layers if model.window_tokens else 0
    cells = (layers - window) * tokens + window * min(tokens, model.window_tokens or tokens)
    return 2 * need(model, "key_value_heads") * need(model, "head_size") * value * cells


def adapter_parameters(model: Model, rank: int) -> int:
    """Parameters of LoRA adapters of this rank on every matrix of the layers."""
    return sum(rank * (t.columns + t.rows) * t.copies for t in tensors(model) if t.role.startswith(_ADAPTED))


def _window_cells(model: Model, context: int, batch: int, engine: Engine) -> int:
    """Cells of one window layer: never more than without a window."""
    wanted = (model.window_tokens or context) * batch + engine.micro_batch
    padded = math.ceil(wanted / WINDOW_PAD) * WINDOW_PAD
    return min(context * batch, padded)


def _serving(model: Model, request: Request, engine: Engine) -> dict[str, float]:
    weights = weight_bytes(model, request.quant)
    if engine.lookup_on_host:
        weights -= lookup_bytes(model, request.quant)
    cache = cache_bytes(model, request.context, request.batch, request.kv_bits, engine)
    return {
        "weights": weights,
        "kv_cache": cache,
        "activations": _buffers(model, request, engine),
        "engine": engine.overhead_gib * GIB * request.gpus,
    }


def _buffers(model: Model, request: Request, engine: Engine) -> float:
    """Working memory of llama.cpp: scores of all heads without flash attention, and the last GPU's logits.

    vLLM's is part of its overhead: it measures it at start-up, before it reserves the cache.
    """
    if not model.is_language or engine.family != "llama.cpp":
        return 0.0
    logits = LOGIT_BYTES * engine.micro_batch * need(model, "vocabulary")
    if engine.flash_attention:
        return logits
    scores = 4 * engine.micro_batch * need(model, "attention_heads") * request.context
    return max(logits, scores) + (request.gpus - 1) * scores


def _training(model: Model, request: Request) -> dict[str, float]:
    parts = _adapters(model, request) if request.task in FROZEN_QUANT else _states(model, request)
    return parts | {
        "activations": _activations(model, request),
        "engine": TRAINING_OVERHEAD_GIB * GIB * request.gpus,
    }


def _states(model: Model, request: Request) -> dict[str, float]:
    """Weights, gradients and optimizer states over all GPUs: what ZeRO does not share out, each GPU holds whole."""
    count, gpus, stage = parameters(model), request.gpus, request.zero_stage

    def held(bytes_each: float, from_stage: int) -> float:
        return count * bytes_each * (1 if stage >= from_stage else gpus)

    return {
        "weights": held(WEIGHT_BYTES, 3),
        "gradients": held(GRADIENT_BYTES, 2),
        "optimizer": held(OPTIMIZER_BYTES[request.optimizer], 1),
    }


def _adapters(model: Model, request: Request) -> dict[str, float]:
    """A frozen base and its adapters; without ZeRO 3 every GPU holds the base."""
    copies = 1 if request.zero_stage >= 3 else request.gpus
    adapters = adapter_parameters(model, request.lora_rank) * ADAPTER_BYTES if model.is_language else 0.0
    frozen = weight_bytes(model, FROZEN_QUANT[request.task])
    return {"weights": frozen * copies, "adapters": adapters * request.gpus}


def _activations(model: Model, request: Request) -> float:
    """Activations that the backward pass needs, `batch` sequences on each GPU, with flash attention."""
    if not model.is_language:
        return 0.0
    tokens = request.context * request.batch * request.gpus
    per_unit = RECOMPUTED_BYTES if request.recompute else ACTIVATION_BYTES
    one_layer = 0 if not request.recompute else ACTIVATION_BYTES  # worked out anew, one layer at a time
    hidden = need(model, "hidden_size")
    kept = tokens * hidden * (need(model, "layers") * per_unit + one_layer)
    return kept + tokens * need(model, "vocabulary") * LOGIT_BYTES
