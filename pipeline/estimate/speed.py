"""A card, a model and a request in, seconds a step out, as sums of named terms: the fit and the estimate share them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pipeline.estimate import words
from pipeline.estimate.coefficients import Coefficients
from pipeline.estimate.engines import Engine, backend
from pipeline.estimate.memory import attended_bytes, required, usable_gib
from pipeline.estimate.tensors import active_parameters, need
from pipeline.estimate.types import Card, EstimateError, Model, Request
from pipeline.estimate.weights import BITS, MIXES, active_bytes

GIGA, TERA, MICRO = 1e9, 1e12, 1e-6
VECTOR = "peak:fp32:fp32:dense:vector"
# The link between GPUs that tensor parallelism waits for where there is none of their own: 16 lanes of PCIe
# (2.5, 5, 8, 16, 32 and 64 GT/s a lane for generations 1 to 6), both directions, GB/s.
PCIE_GB_S: Mapping[str, float] = {"1": 8.0, "2": 16.0, "3": 32.0, "4": 64.0, "5": 128.0, "6": 256.0}
# Terms without which a number would be far too good; the others are small and count as 0 until they are fitted.
NEEDED = ("1/eta", "1/gain", "t0 llama", "t0 vllm")
# Whose shaders unpack quantized weights in the pipe that also calculates, so that each weight takes some operations
# besides its bytes: AMD's and Intel's cards, and NVIDIA's before Volta, which brought a pipe of its own for integers
# (Volta whitepaper). An MI50 reads 16-bit weights at 0.55 of its bandwidth and 4-bit ones at 0.33. A vendor, or a
# vendor and an architecture; chips with unified memory have too few runs to tell this from their share of bandwidth.
UNPACKERS = ("AMD", "Intel", "NVIDIA Kepler", "NVIDIA Maxwell", "NVIDIA Pascal")
# Types of fewer bits than this are packed across bytes and cost every card more operations (Q2_K, Q3_K).
WHOLE_NIBBLE = 4
# A prompt goes through llama.cpp in pieces of this many tokens, which several GPUs work on one behind the other.
PIPELINE_PIECE = 512


def decode_terms(card: Card, model: Model, request: Request, engine: Engine, tokens: float) -> dict[str, float]:
    """Name every term of one decode step of one stream: multiplied with its coefficient it gives seconds.

    t = weights / (eta * bandwidth) + cache / (eta_kv * bandwidth) + layers * t0 (+ experts, output, other GPUs).
    """
    rate = bandwidth(card)
    split = request.gpus if shares_tensors(request, engine) else 1
    layers, name, kind = need(model, "layers"), backend(engine, card), card.memory_class
    cache = f"1/eta_kv {kind}, {name}" if not engine.flash_attention else f"1/eta {kind}"
    terms = {f"1/eta {kind}": active_bytes(model, request.quant, request.batch) / rate / split}
    terms |= _unpacking(card, model, request.quant, split)
    terms[cache] = terms.get(cache, 0.0) + attended_bytes(model, tokens, request.kv_bits) * request.batch / rate / split
    terms[f"t0 {name}"] = layers * MICRO
    if engine.name != engine.family:  # a server around another engine's code
        terms[f"t0 {engine.name}"] = layers * MICRO
    terms["t0 experts"] = layers * MICRO if model.experts else 0.0
    terms["t output"] = need(model, "vocabulary") / 1e5 * MICRO
    terms["t hop"] = 0.0 if split > 1 else (request.gpus - 1) * MICRO
    if request.batch > 1:  # the further streams cost arithmetic, at the rate at which prompts are read
        gain, work = _gain_name(card, request, engine), _arithmetic(card, model, request.batch - 1)
        terms[gain] = terms.get(gain, 0.0) + work / split
    terms["t tensor parallel"] = _exchanges(card, model, request, split)
    return terms


def decode_kinds(card: Card, model: Model, engine: Engine) -> tuple[str, str]:
    """The classes whose spread one stream may share, the finer first: its back end's, then all of its memory.

    Experts are a class of their own, whatever the memory.
    """
    kind = f"decode {'experts' if model.experts else card.memory_class}"
    return f"{kind}, {backend(engine, card)}", kind


def prefill_terms(card: Card, model: Model, request: Request, engine: Engine, tokens: int) -> dict[str, float]:
    """Name the term of reading a prompt: arithmetic of the weights and of attention over the vector rate.

    The vector FP32 rate is the base because every card states it; what tensor cores add is in the coefficient.
    """
    gain = _prompt_gain(request, engine, tokens)
    work = 2 * active_parameters(model) * tokens + _attention_work(model, tokens)
    done = work / (vector_tflops(card) * TERA) / gain
    terms = {_gain_name(card, request, engine): done}
    if model.experts:  # few tokens reach each expert, so its matrices are used worse
        terms["1/gain experts"] = done
    if not engine.flash_attention:
        terms[f"1/eta scores, {engine.code}"] = _score_bytes(model, tokens) / bandwidth(card) / gain
    return terms


def seconds(terms: Mapping[str, float], coefficients: Coefficients) -> float:
    """Sum the terms with their coefficients; EstimateError when one that matters was never fitted."""
    total = 0.0
    for name, value in terms.items():
        found = coefficients.find(name)
        if found is None and value > 0 and name.startswith(NEEDED):
            raise EstimateError(words.missing(name))
        total += value * (coefficients.values[found].value if found else 0.0)
    return total


def bandwidth(card: Card) -> float:
    """Bytes a second between GPU and memory; EstimateError when no source states it."""
    if not card.memory_bandwidth_gb_s:
        raise EstimateError(f"the memory bandwidth of {card.name} is not known, so its speed cannot be estimated")
    return card.memory_bandwidth_gb_s * GIGA


def vector_tflops(card: Card) -> float:
    """The FP32 rate of the shader cores; EstimateError when no source states it."""
    if VECTOR not in card.peaks:
        raise EstimateError(f"the FP32 rate of {card.name} is not known, so prompt speed cannot be estimated")
    return card.peaks[VECTOR]


def serving_terms(card: Card, model: Model, request: Request, engine: Engine, output_tokens: int) -> dict[str, float]:
    """Name the terms of one output token when `batch` requests are read and answered together.

    Every request is read once and then answered in steps that all streams share, so a token costs its share of both.
    """
    streams = effective_batch(card, model, request, engine)
    shared = replace(request, batch=max(1, round(streams)))
    tokens = request.prompt_tokens + output_tokens / 2
    step = decode_terms(card, model, shared, engine, tokens)
    terms = {name: value / streams for name, value in step.items()}
    for name, value in prefill_terms(card, model, request, engine, request.prompt_tokens).items():
        terms[name] = terms.get(name, 0.0) + value / output_tokens
    return terms


def effective_batch(card: Card, model: Model, request: Request, engine: Engine) -> float:
    """How many of the requests run at a time: those whose cache fits; the others wait in the queue."""
    usable = usable_gib(card, request, engine)
    if usable is None:
        return float(request.batch)
    alone = required(card, model, replace(request, batch=1))
    room = usable - alone.total + alone.parts["kv_cache"]
    return max(1.0, min(float(request.batch), room / alone.parts["kv_cache"]))


def shares_tensors(request: Request, engine: Engine) -> bool:
    """Whether several GPUs work on one token together (tensor parallel) instead of one behind the other."""
    if request.layout == "auto":
        return engine.family == "vllm" and request.gpus > 1
    return request.layout == "tensor" and request.gpus > 1


def _unpacking(card: Card, model: Model, quant: str, split: int) -> dict[str, float]:
    """Seconds of one operation for each weight that has to be unpacked, by the reason; where the rate is known."""
    bits = BITS[MIXES[quant].base]
    if not MIXES[quant].gguf or bits >= BITS["f16"] or VECTOR not in card.peaks:
        return {}
    once = 2 * active_parameters(model) / (card.peaks[VECTOR] * TERA) / split
    shaders = card.vendor in UNPACKERS or f"{card.vendor} {card.architecture}" in UNPACKERS
    applies = {"unpack": shaders and card.memory_class != "unified", "unpack low bits": bits < WHOLE_NIBBLE}
    return {name: once for name, really in applies.items() if really}


def _attention_work(model: Model, tokens: int) -> float:
    """Operations of attention over a prompt, each token seeing those before it, or its window."""
    width, layers = need(model, "attention_heads") * _head(model), need(model, "layers")
    window = model.window_layers if model.window_tokens else 0
    seen = min(2 * (model.window_tokens or tokens), tokens)
    return 2.0 * width * tokens * ((layers - window) * tokens + window * seen)


def _score_bytes(model: Model, tokens: int) -> float:
    """Bytes of the scores of all heads, which an engine without flash attention writes and reads again."""
    return 4.0 * need(model, "layers") * need(model, "attention_heads") * tokens**2


def _head(model: Model) -> int:
    if model.latent_size:
        return need(model, "latent_nope_size") + need(model, "latent_rope_size")
    return need(model, "head_size")


def _gain_name(card: Card, request: Request, engine: Engine) -> str:
    kind = "16-bit" if BITS[MIXES[request.quant].base] >= BITS["f16"] else "quantized"
    return f"1/gain {card.memory_class}, {kind}, {backend(engine, card)}"


def _arithmetic(card: Card, model: Model, streams: int) -> float:
    """Seconds of arithmetic at the vector rate for the streams beyond the first; 0 where the rate is not known."""
    if streams <= 0 or VECTOR not in card.peaks:
        return 0.0
    return 2 * active_parameters(model) * streams / (card.peaks[VECTOR] * TERA)


def _exchanges(card: Card, model: Model, request: Request, split: int) -> float:
    """Seconds of the two sums over all GPUs that each layer needs, at the rate of the link between them."""
    if split == 1:
        return 0.0
    link = card.link_gb_s or PCIE_GB_S.get(f"{card.pcie_gen or 3:.0f}", 32.0)
    moved = 2 * need(model, "layers") * request.batch * need(model, "hidden_size") * 2 * (split - 1)
    return moved / (link * GIGA) + need(model, "layers") * MICRO


def _prompt_gain(request: Request, engine: Engine, tokens: int) -> float:
    """How much several GPUs shorten a prompt: pieces follow one another through them, like goods on a belt."""
    if shares_tensors(request, engine):
        return float(request.gpus)
    pieces = max(1.0, tokens / PIPELINE_PIECE)
    return request.gpus * pieces / (pieces + request.gpus - 1)
