"""The evaluation: a card, a network's counts and a request give bytes and seconds, by part.

Only multiplications, additions, minima and powers stand here. The browser has the same functions, translated by
pipeline/site/scripts; counts of networks and fitted coefficients reach it as data. Seconds come by slot: each slot has
a coefficient, see speed.names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from pipeline.advise.estimate.engines import DRIVER_SHARE, Engine, times_shaders
from pipeline.advise.estimate.shapes import Format, Shape
from pipeline.advise.estimate.types import GIB, Card, Request
from pipeline.advise.estimate.weights import BITS

GIGA, TERA, MICRO = 1e9, 1e12, 1e-6
WINDOW_PAD = 256  # cells, see engines.py
# A prompt goes through llama.cpp in pieces of this many tokens, which several GPUs work on one behind the other.
PIPELINE_PIECE = 512
# Bits of one cached value: llama.cpp stores 8 and 4 bits in blocks with a scale (Q8_0, Q4_0).
CACHE_BITS: Mapping[str, Mapping[int, float]] = {"llama.cpp": {16: 16, 8: BITS["q8_0"], 4: BITS["q4_0"]}}
# Shaders unpack what matrix cores or dot products multiply, so that neither rate tells the speed by itself; half way
# between both, on the logarithmic scale, does. With each GPU left out, prompts of newer builds are off by 0.24 of the
# logarithm in the mean with 0 here (the shaders alone), by 0.22 with 0.3 and 0.5, by 0.27 with 1 (2026-11-27).
CARRIED = 0.5
LOGIT_BYTES = 4  # the loss is taken in 32 bit


def cache_bytes(shape: Shape, asked: Request, engine: Engine, batch: float) -> float:
    """Bytes of the key-value cache as the engine reserves it on all GPUs together.

    A window never costs more than the full length. What cannot be divided by heads, every GPU of a tensor-parallel
    group holds: of latent attention all of it, of grouped queries what is left with more GPUs than groups.
    """
    cells = asked.context * batch
    kept = cells
    if engine.frees_window and shape.window:
        padded = math.ceil((shape.window * batch + engine.micro_batch) / WINDOW_PAD) * WINDOW_PAD
        kept = min(cells, padded)
    copies = max(1.0, asked.gpus / shape.split) if shares_tensors(asked, engine) else 1.0
    bits = CACHE_BITS.get(engine.family, {}).get(asked.kv_bits, asked.kv_bits)
    return (shape.cache * cells + shape.window_cache * kept) * (bits / 16) * copies


def attended_bytes(shape: Shape, tokens: float, kv_bits: float) -> float:
    """Bytes of the cache that one step of one sequence reads when it holds `tokens` tokens."""
    seen = min(tokens, shape.window) if shape.window else tokens
    return (shape.cache * tokens + shape.window_cache * seen) * (kv_bits / 16)


def serving_bytes(shape: Shape, form: Format, asked: Request, engine: Engine) -> dict[str, float]:
    """Bytes of a network at work, by part, on all GPUs together."""
    buffers = 0.0
    if shape.language and engine.family == "llama.cpp":
        # Working memory of llama.cpp: scores of all heads without flash attention, and the last GPU's logits.
        buffers = LOGIT_BYTES * engine.micro_batch * shape.vocabulary
        if not engine.flash_attention:
            scores = 4 * engine.micro_batch * shape.heads * asked.context
            buffers = max(buffers, scores) + (asked.gpus - 1) * scores
    away = form.experts * (asked.host_share or 0.0)
    return {
        "weights": form.weights - away - (form.lookup if engine.lookup_on_host else 0.0),
        "kv_cache": cache_bytes(shape, asked, engine, asked.batch),
        "activations": buffers,
        "engine": engine.overhead_gib * GIB * asked.gpus,
    }


def usable_gib(card: Card, asked: Request, engine: Engine) -> float | None:
    """Memory of all GPUs that the driver shows and the engine lets itself use; None where it is not known."""
    stated = asked.memory_gb if asked.memory_gb is not None else card.memory_gb
    if stated is None:
        return None
    limit = engine.limit if asked.task == "serve" else 1.0
    return max(0.0, stated * DRIVER_SHARE[card.memory_class] * limit * asked.gpus - asked.display_gib)


def host_share(shape: Shape, form: Format, asked: Request, engine: Engine, usable: float | None) -> float:
    """The share of the experts that stay in the host's memory: those of as few layers as leave room for the rest.

    llama.cpp keeps them there layer by layer (`--n-cpu-moe`) and works on them with the processor.
    """
    if asked.host_share is not None:
        return asked.host_share
    if not asked.host_gb_s or not form.experts or usable is None or engine.family != "llama.cpp":
        return 0.0
    missing = sum(serving_bytes(shape, form, asked, engine).values()) - usable * GIB
    return min(1.0, math.ceil(max(0.0, missing) / form.experts * shape.layers) / shape.layers)


def streams(shape: Shape, form: Format, asked: Request, engine: Engine, usable: float | None) -> float:
    """How many of the requests run at a time: those whose cache fits; the others wait in the queue."""
    if usable is None or not shape.language:
        return float(asked.batch)
    parts = serving_bytes(shape, form, replace(asked, batch=1), engine)
    room = usable * GIB - (parts["weights"] + parts["activations"] + parts["engine"])
    return max(1.0, min(float(asked.batch), room / parts["kv_cache"]))


def shares_tensors(asked: Request, engine: Engine) -> bool:
    """Whether several GPUs work on one token together (tensor parallel) instead of one behind the other."""
    by_itself = asked.layout == "auto" and engine.family != "llama.cpp"
    return asked.gpus > 1 and (by_itself or asked.layout == "tensor")


def step(
    card: Card, shape: Shape, form: Format, asked: Request, engine: Engine, tokens: float, batch: float
) -> dict[str, float]:
    """Seconds of one step of `batch` streams that each hold `tokens` tokens, by slot, before coefficients."""
    together = shares_tensors(asked, engine)
    split, rate = (asked.gpus if together else 1), (card.memory_bandwidth_gb_s or 0.0) * GIGA
    touched = 1 - (1 - shape.expert_share) ** max(1, round(batch)) if shape.expert_share else 0.0
    moe = shape.layers * MICRO if shape.expert_share else 0.0
    away, host = asked.host_share or 0.0, (asked.host_gb_s or 0.0) * GIGA
    local = engine.family == "llama.cpp"
    more = _operations(card, shape, form, engine, batch - 1 if local else batch) / split
    unpacked = 2 * shape.active / (card.vector * TERA) / split if form.packed and local and card.vector else 0.0
    return {
        "read": (form.dense + form.experts * touched * (1 - away)) / rate / split,
        "host read": form.experts * touched * away / host if host else 0.0,
        "host layer": moe * away,
        "cache": attended_bytes(shape, tokens, asked.kv_bits) * batch / rate / split,
        "narrow experts": form.experts * touched / rate / split if form.eight else 0.0,
        "unpack": unpacked,
        "unpack low": unpacked if form.low else 0.0,
        "layer": shape.layers * MICRO,
        "expert layer": moe,
        "sequence": batch * MICRO,
        "output": shape.vocabulary / 1e5 * MICRO,
        "hop": 0.0 if together else (asked.gpus - 1) * MICRO,
        "wide" if form.wide else "narrow": 0.0 if shape.expert_share and not local else more,
        "nested": more if form.nested and local else 0.0,
        "experts": more if shape.expert_share and not local else 0.0,
        "together": shape.layers * MICRO if together else 0.0,
        "exchange": _exchanged(card, shape, asked, batch) if together else 0.0,
    }


def prompt(card: Card, shape: Shape, form: Format, asked: Request, engine: Engine, tokens: float) -> dict[str, float]:
    """Seconds of reading a prompt, by slot, before coefficients: arithmetic of the weights and of attention."""
    local, together = engine.family == "llama.cpp", shares_tensors(asked, engine)
    pieces = max(1.0, tokens / PIPELINE_PIECE)
    gain = asked.gpus if together else asked.gpus * pieces / (pieces + asked.gpus - 1)
    seen = min(2 * (shape.window or tokens), tokens)
    attention = shape.width * tokens * ((shape.layers - shape.window_layers) * tokens + shape.window_layers * seen)
    scored = attention / shape.active
    # llama.cpp's attention reaches another share of the peak than its products with weights do.
    done = _operations(card, shape, form, engine, tokens + (0.0 if local else scored)) / gain
    rate = (card.memory_bandwidth_gb_s or 0.0) * GIGA
    scores = 4.0 * shape.layers * shape.heads * tokens**2 / rate / gain if rate else 0.0
    dense, experts = (0.0 if shape.expert_share and not local else done), (done if shape.expert_share else 0.0)
    return {
        "prompt wide" if form.wide else "prompt narrow": dense,
        "prompt nested": dense if form.nested and local else 0.0,
        "prompt experts": experts,
        "attention": _operations(card, shape, form, engine, scored) / gain if local else 0.0,
        "prompt layer": math.ceil(pieces) * shape.layers * MICRO / gain if local else 0.0,
        "scores": 0.0 if engine.flash_attention else scores,
        "exchange": _exchanged(card, shape, asked, tokens) if together else 0.0,
    }


def serving(
    card: Card, shape: Shape, form: Format, asked: Request, engine: Engine, running: float, output: float
) -> dict[str, float]:
    """Seconds of one output token, by slot, when requests are read and answered together.

    Every request is read once and then answered in steps that all streams share, so a token costs its share of both.
    """
    asked_for = asked.prompt_tokens or 0
    found = {
        slot: v / running for slot, v in step(card, shape, form, asked, engine, asked_for + output / 2, running).items()
    }
    for slot, value in prompt(card, shape, form, asked, engine, asked_for).items():
        found[slot] = found.get(slot, 0.0) + value / output
    return found


def total(seconds: Mapping[str, float], coefficients: Mapping[str, float]) -> float:
    """Add up the slots with their coefficients; a slot without one costs nothing."""
    return sum(value * coefficients.get(slot, 0.0) for slot, value in seconds.items())


def _operations(card: Card, shape: Shape, form: Format, engine: Engine, tokens: float) -> float:
    """Seconds of arithmetic for so many tokens: llama.cpp's at the shaders' rate and what multiplies beside them,
    servers' at the tensor cores'.
    """
    if engine.family == "llama.cpp":
        rate = card.vector * times_shaders(card, packed=form.packed) ** CARRIED
    else:
        rate = card.tensor * (2 if form.eight and card.eight else 1)
    return 2 * shape.active * max(0.0, tokens) / (rate * TERA) if rate else 0.0


def _exchanged(card: Card, shape: Shape, asked: Request, tokens: float) -> float:
    """Seconds of the two sums over all GPUs that each layer needs; 0 where the link is not known."""
    rate = card.link(asked.gpus)
    if not rate:
        return 0.0
    return 2 * shape.layers * tokens * shape.hidden * 2 / (rate * GIGA)
