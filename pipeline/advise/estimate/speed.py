"""Seconds of tokens as sums of named terms: which coefficient each slot of core.py has, for a card and an engine.

The fit and the estimate share these names. A coefficient is fitted to its own engine's runs on its own class of card;
where that class was never measured, the nearest one stands in, and the answer says so (Coefficients.find).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pipeline.advise.estimate import core, words
from pipeline.advise.estimate.coefficients import Coefficients
from pipeline.advise.estimate.core import GIGA, MICRO, TERA
from pipeline.advise.estimate.engines import Engine, backend, multiplier
from pipeline.advise.estimate.memory import recomputes
from pipeline.advise.estimate.shapes import WHOLE_NIBBLE, format_of, shape_of
from pipeline.advise.estimate.types import PCIE_GB_S, VECTOR, Card, EstimateError, Request, Task
from pipeline.core.networks import Model

__all__ = [
    "PCIE_GB_S",
    "TENSOR_TERM",
    "VECTOR",
    "WHOLE_NIBBLE",
    "bandwidth",
    "decode_terms",
    "names",
    "operations",
    "peak",
    "prefill_terms",
    "seconds",
    "tuning_seconds",
    "tuning_terms",
]

# Whose runs tell what GPUs wait for when they work on one token together.
TENSOR_SERVER = "vllm"
TENSOR_TERM = f"t0 together, PCIe, {TENSOR_SERVER}"
# What one pass costs besides its arithmetic, however many tokens it takes.
ONE_PASS = ("read", "narrow experts", "layer", "expert layer", "together")
# Terms without which a number would be far too good; the others are small and count as 0 until they are fitted.
NEEDED = ("1/eta", "1/gain", "1/mfu", "t0 llama")
# What the processor takes to read experts in main memory.
HOST_READ = "1/eta host"
# Whose shaders unpack quantized weights in the pipe that also calculates, so that each weight takes some operations
# besides its bytes: AMD's and Intel's cards, and NVIDIA's before Volta, which brought a pipe of its own for integers
# (Volta whitepaper). An MI50 reads 16-bit weights at 0.55 of its bandwidth and 4-bit ones at 0.33. A vendor, or a
# vendor and an architecture; chips with unified memory have too few runs to tell this from their share of bandwidth.
UNPACKERS = ("AMD", "Intel", "NVIDIA Kepler", "NVIDIA Maxwell", "NVIDIA Pascal")


def names(engine: Engine, card: Card) -> Mapping[str, str]:
    """The coefficient of each slot; a slot that this engine or card does not have is left out.

    A name is a path from the general to the special ("1/eta, vllm, hbm, NVIDIA, Hopper"): what was not measured is
    answered by the nearest part of the path that was (Coefficients.find).
    """
    links = "PCIe" if card.link(2) == PCIE_GB_S.get(f"{card.pcie_gen or 3:.0f}") else "fabric"
    if engine.family == "llama.cpp":
        own, units = backend(engine, card), multiplier(card)
        return _local_names(engine, card.memory_class, card.vendor, card.architecture, own, units, links)
    place = f"{engine.family}, {card.memory_class}, {card.vendor}, {card.architecture}"
    return _served_names(engine.family, place, links)


@lru_cache(maxsize=1024)  # the cards of one architecture share them
def _served_names(family: str, place: str, links: str) -> Mapping[str, str]:
    return {
        "read": f"1/eta, {place}",
        "cache": f"1/eta cache, {place}",
        "narrow experts": f"1/eta narrow experts, {place}",
        "wide": f"1/mfu, {place}",
        "narrow": f"1/mfu narrow, {place}",
        "experts": f"1/mfu experts, {place}",
        "prompt wide": f"1/mfu prompt, {place}",
        "prompt narrow": f"1/mfu narrow prompt, {place}",
        "prompt experts": f"1/mfu experts prompt, {place}",
        "layer": f"t0, {family}",
        "expert layer": f"t0 expert layer, {family}",
        "sequence": f"t0 sequence, {family}",
        "together": f"t0 together, {links}, {family}",
        "exchange": f"exchange, {links}, {family}",
    }


@lru_cache(maxsize=1024)
def _local_names(
    engine: Engine, kind: str, vendor: str, architecture: str, own: str, units: str, links: str
) -> Mapping[str, str]:
    # Arithmetic goes with the maker first: a GB10 works on prompts as NVIDIA's cards do, not as Apple's chips with the
    # same kind of memory. Of 12 orders of these parts this one predicts GPUs left out best (2026-11-23: 22 % off, not
    # 31 %, and pages left out 13 %, not 33 %, with attention and layers counted by themselves).
    place = f"{vendor}, {kind}, {own}, {architecture}"
    shaders = vendor in UNPACKERS or f"{vendor} {architecture}" in UNPACKERS
    found = {
        "read": f"1/eta {kind}",
        "cache": f"1/eta {kind}" if engine.flash_attention else f"1/eta_kv {kind}, {own}",
        "unpack": "unpack" if shaders and kind != "unified" else "",
        "unpack low": "unpack low bits",
        "host read": HOST_READ,
        "host layer": "t0 host",
        "layer": f"t0 {own}",
        "expert layer": "t0 experts",
        "output": "t output",
        "hop": "t hop",
        "wide": f"1/gain 16-bit, {place}",
        "narrow": f"1/gain quantized, {place}",
        "prompt wide": f"1/gain 16-bit, {place}",
        "prompt narrow": f"1/gain quantized, {place}",
        "nested": f"1/gain K types, {units}, {vendor}",
        "prompt nested": f"1/gain K types, {units}, {vendor}",
        "prompt experts": f"1/gain experts, {engine.name}",
        "prompt layer": f"t0 prompt, {own}",
        "attention": f"attention, {vendor}" if engine.flash_attention else "attention written out",
        "scores": f"1/eta scores, {engine.code}",
        # No run of llama.cpp tells what its tensor split costs: a server's waiting stands in, and answers say so.
        "together": f"t0 together, {links}, {TENSOR_SERVER}",
        "exchange": f"exchange, {links}, {TENSOR_SERVER}",
    }
    if engine.name != engine.family:  # a server around another engine's code
        found["server"] = f"t0 {engine.name}"
    return {slot: name for slot, name in found.items() if name}


def decode_terms(card: Card, model: Model, request: Request, engine: Engine, tokens: float) -> dict[str, float]:
    """Name every term of one decode step of one stream: multiplied with its coefficient it gives seconds."""
    bandwidth(card)
    form = format_of(model, request.quant)
    found = core.step(card, shape_of(model), form, request, engine, tokens, request.batch)
    return terms(found | {"server": found["layer"]}, names(engine, card))


def prefill_terms(card: Card, model: Model, request: Request, engine: Engine, tokens: float) -> dict[str, float]:
    """Name the terms of reading a prompt; EstimateError where no source states the rate that it needs."""
    rated(card, engine)
    shape, form = shape_of(model), format_of(model, request.quant)
    found = core.prompt(card, shape, form, request, engine, tokens)
    if engine.family != "llama.cpp" and card.memory_bandwidth_gb_s:
        # A prompt alone is one pass through the network: it reads the weights and starts every layer as a step does.
        one = core.step(card, shape, form, request, engine, 0.0, tokens)
        found |= {slot: one[slot] for slot in ONE_PASS}
    return terms(found, names(engine, card))


def serving_terms(
    card: Card, model: Model, request: Request, engine: Engine, output: float, running: float
) -> dict[str, float]:
    """Name the terms of one output token when `running` requests are read and answered together."""
    bandwidth(card)
    shape, form = shape_of(model), format_of(model, request.quant)
    found = core.serving(card, shape, form, request, engine, running, output)
    return terms(found | {"server": found["layer"]}, names(engine, card))


# Steps of fine-tuning in FP8 are counted at twice the 16-bit rate, and reach less of it.
TUNED_16, TUNED_8 = "1/mfu tuned 16 bit", "1/mfu tuned 8 bit"
# The peak that arithmetic is counted in is that of 16 bit; narrower formats may be two or four times as fast.
ROOFS: Mapping[str, float] = {
    "1/mfu": 1.0,
    "1/mfu prompt": 1.0,
    "1/mfu narrow": 0.5,
    "1/mfu narrow prompt": 0.5,
    "1/mfu experts": 0.25,
    "1/mfu experts prompt": 0.25,
    TUNED_16: 1.0,
    TUNED_8: 1.0,
}
# A server is held up by arithmetic where that would take more than this share of the time that reading takes, each at
# the most that the sheet allows. Of 0.5, 0.7 and 1 the one with the best intervals for fitted sources and GPUs left out
# (2026-11-23; interval score 1.42 as with 0.5, but with more of a source inside; 1.44 with 1, 1.48 without the class).
ROOFED, BUSY_FROM = ("1/mfu", "1/eta"), 0.7
# Operations a parameter and token: forward 2, gradients of the activations 2, of the weights 2 (Kaplan et al.,
# arXiv 2001.08361, section 2.1). A frozen base needs no gradients of its weights; recomputation is one more forward.
FULL, FROZEN, RECOMPUTE = 6, 4, 2
# What keeps a short step from being faster: so long each layer takes however few tokens it has.
FLOOR = "t0 tuned"
# What a step moves through memory besides its products. Of each token the activations, whose size grows with layers
# times width, so with about two thirds of the power of the parameters: an H100 calculates 3.2 times as fast as an A100
# and moves 1.6 times as much, and trains 2.2 times as fast. Of each weight, once a step, what is read, updated and
# unpacked, so that few sequences at a time are slower. Of 28 sets of terms these and a share of the peak for each maker
# and kind of memory predict GPUs and sources left out of fit and width best (2026-11-28; interval score 1.08, 1.20 with
# arithmetic alone; 1.05 without what a step moves, where no number of sequences would make a difference).
MOVED, GROWS = "activations moved", 2 / 3
STEP = "bytes a step, {}"


def operations(request: Request) -> int:
    """Operations of training that one parameter and token take."""
    base = FROZEN if request.task in ("lora", "qlora") else FULL
    return base + (RECOMPUTE if recomputes(request) else 0)


def peak(card: Card) -> float:
    """The dense 16-bit rate that shares of training refer to, TFLOPS."""
    if not card.tensor:
        raise EstimateError(f"no dense 16-bit rate of {card.name} is known, so training time cannot be estimated")
    return card.trained


def tuning_terms(card: Card, active: float, request: Request) -> dict[str, float]:
    """Name the terms of training on one token and GPU: arithmetic, and what a token and a step move through memory."""
    eight, work = request.quant == "fp8" and card.eight, operations(request)
    return {
        f"{TUNED_8 if eight else TUNED_16}, {card.vendor}, {card.memory_class}": work
        * active
        / (peak(card) * (2 if eight else 1) * TERA),
        MOVED: work * active**GROWS / bandwidth(card),
        STEP.format(stepped(request)): active / bandwidth(card) / (request.batch * request.context),
    }


def stepped(request: Request) -> Task:
    """The task whose steps are like those of a request: a run from scratch takes those of full fine-tuning."""
    return "full" if request.task == "train" else request.task


def tuning_seconds(named: Mapping[str, float], layers: float, request: Request, coefficients: Coefficients) -> float:
    """Seconds of fine-tuning on one token and GPU: of its terms, but at least what its layers take to start."""
    floor = coefficients.values.get(FLOOR)
    least = floor.value * MICRO * layers if floor else 0.0
    return max(seconds(named, coefficients), least / (request.batch * request.context))


def terms(slots: Mapping[str, float], named: Mapping[str, str]) -> dict[str, float]:
    """Gather the seconds of slots under the names of their coefficients."""
    found: dict[str, float] = {}
    for slot, value in slots.items():
        if slot in named and value > 0:
            found[named[slot]] = found.get(named[slot], 0.0) + value
    return found


def roof(name: str) -> float:
    """The share of a term's seconds that no run can be faster than: all of the bandwidth, or all of the peak."""
    head = name.partition(", ")[0]
    if head.startswith("1/eta"):
        return 0.0 if head.endswith(("scores", "narrow experts")) else 1.0
    return ROOFS.get(head, 0.0)


def soonest(named: Mapping[str, float]) -> float:
    """Seconds that the memory and the tensor cores need at the least."""
    return sum(value * roof(name) for name, value in named.items())


def calculates(named: Mapping[str, float]) -> bool:
    """Whether arithmetic holds a server up, rather than memory."""
    done, read = (sum(v * roof(name) for name, v in named.items() if name.startswith(head)) for head in ROOFED)
    return done > read * BUSY_FROM


def seconds(named: Mapping[str, float], coefficients: Coefficients) -> float:
    """Sum the terms with their coefficients; EstimateError when one that matters was never fitted."""
    total = 0.0
    for name, value in named.items():
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


def rated(card: Card, engine: Engine) -> float:
    """The rate that an engine's arithmetic is counted in, TFLOPS; EstimateError when no source states it."""
    local = engine.family == "llama.cpp"
    rate = card.vector if local else card.tensor
    if not rate:
        what = "FP32 rate" if local else "16-bit rate"
        raise EstimateError(f"the {what} of {card.name} is not known, so prompt speed cannot be estimated")
    return rate


def decode_kinds(card: Card, model: Model, engine: Engine) -> tuple[str, str]:
    """The classes whose spread one stream of llama.cpp may share, the finer first: its back end's, then its memory's.

    Experts are a class of their own, whatever the memory.
    """
    kind = f"decode {'experts' if model.experts else card.memory_class}"
    return f"{kind}, {backend(engine, card)}", kind
