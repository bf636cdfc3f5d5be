"""The sentences that tell a reader where a speed comes from, and what the terms of the speed formulas are called.

Templates with named holes: the browser gets them as data (browser.py) and fills the same holes.
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.advise.estimate.coefficients import Spread
from pipeline.advise.estimate.engines import Engine
from pipeline.advise.estimate.types import Card

# What was measured, and on what; the names are those of `fit.kinds_of`.
MEASURED: Mapping[str, tuple[str, str]] = {
    "decode gddr": ("measured runs", "GPUs with GDDR memory"),
    "decode hbm": ("measured runs", "GPUs with HBM memory"),
    "decode unified": ("measured runs", "machines with unified memory"),
    "decode experts": ("measured runs of mixture-of-experts models", "GPUs"),
    "prefill gddr": ("measured prompts", "GPUs with GDDR memory"),
    "prefill hbm": ("measured prompts", "GPUs with HBM memory"),
    "prefill unified": ("measured prompts", "machines with unified memory"),
    "prefill several GPUs": ("measured prompts on several GPUs at once", "kinds of GPU"),
    "single stream on servers": ("measured single streams", "GPUs under serving engines"),
    "batched decode on servers": ("measured serving runs", "GPUs under serving engines"),
    "mixture of experts on servers": ("measured serving runs of mixture-of-experts models", "GPUs"),
    "several GPUs on servers": ("measured serving runs on several GPUs at once", "kinds of GPU"),
    "prefill on servers": ("measured prompts", "GPUs under serving engines"),
}
# What a term of the speed formulas is; its name says the memory, the weights and the engine.
TERMS: Mapping[str, str] = {
    "1/eta": "how much of the bandwidth of {memory} memory is reached",
    "1/eta narrow experts": "how fast experts in 8 bit and less are read from {memory} memory",
    "1/eta_kv": "how fast the key-value cache is read from {memory} memory",
    "1/eta scores": "what attention costs that writes its scores out",
    "1/gain": "how fast GPUs with {memory} memory and {weights} weights work on prompts and batches",
    "1/gain experts": "what experts cost while a prompt is read",
    "1/mfu": "which share of its arithmetic a GPU with {memory} memory reaches",
    "1/mfu experts": "which share of its arithmetic a GPU with {memory} memory reaches on experts",
    "t0": "how long each layer takes besides",
}
MEMORIES: Mapping[str, str] = {"gddr": "GDDR", "hbm": "HBM", "unified": "unified"}
STAND_IN = "no run with {} tells about {} on such a card; runs with {} stand in for it"
BASIS = "estimated from {points} {runs} of {sources} on {gpus} {what}, each predicted without its own runs"
SOURCES = ("one source", "{} sources")
ROUGH = "rough, too few points or sources, so the interval is widened: {}"
LENGTHS = "{}; prompts of {:,} tokens, answers of {:,}"
MEASURED_BASIS = "measured {} with {}, {} result{}; the interval is how far runs of one configuration lie apart"


def basis(name: str, spread: Spread) -> str:
    """Say what an estimate and its interval rest on."""
    kind, _, own = name.partition(", ")
    runs, gpus = MEASURED[kind]
    sources = SOURCES[0] if spread.sources == 1 else SOURCES[1].format(spread.sources)
    what = f"{gpus} ({own})" if own else gpus
    said = BASIS.format(points=spread.points, runs=runs, sources=sources, gpus=spread.gpus, what=what)
    return ROUGH.format(said) if spread.rough else said


def borrowed(name: str, other: str) -> str:
    """Say that runs with another engine build, or on another class of card, stand in for a term."""
    (what, where), (_, instead) = _term(name), _term(other)
    return f"no run{_with(where)} in this dataset tells {what}; runs{_with(instead)} stand in for it"


def stand_in(engine: Engine, card: Card, experts: bool, server: str) -> str:
    """Say that another class answers for this engine on this card; "" where its own runs do."""
    if engine.family == "llama.cpp" or server == f"{card.vendor}, {card.memory_class}, {engine.family}":
        return ""
    vendor, memory, family = server.split(", ")
    where = f"{family} on {vendor} cards with {MEMORIES[memory]} memory"
    return STAND_IN.format(engine.name, "experts" if experts else "dense models", where)


def missing(name: str) -> str:
    """Say that nothing tells a term without which there is no estimate."""
    what, where = _term(name)
    return f"no run{_with(where)} in this dataset tells {what}, so this cannot be estimated"


def _term(name: str) -> tuple[str, str]:
    """What a term is in words, and the engine it is of, "" where it has none of its own."""
    head, *rest = name.split(", ")
    if len(rest) == 3:  # of a server: vendor, memory, engine
        return TERMS[head].format(memory=MEMORIES[rest[1]]), f"{rest[2]} on {rest[0]}"
    key, _, kind = (head, "", "") if head in TERMS else head.partition(" ")
    weights, build = rest[0] if len(rest) > 1 else "", rest[-1] if rest else ""
    what = TERMS[key].format(memory=MEMORIES.get(kind, kind), weights=weights)
    return (what, kind) if key == "t0" else (what, build)


def _with(where: str) -> str:
    return f" with {where}" if where else ""
