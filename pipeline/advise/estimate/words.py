"""The sentences that tell a reader where a speed comes from, and what the terms of the speed formulas are called.

Templates with named holes: the browser gets them as data (browser.py) and fills the same holes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pipeline.advise.estimate.coefficients import Spread

# What was measured, and on what; the names are those of `fit.kinds_of`.
MEASURED: Mapping[str, tuple[str, str]] = {
    "decode gddr": ("measured runs", "GPUs with GDDR memory"),
    "decode hbm": ("measured runs", "GPUs with HBM memory"),
    "decode unified": ("measured runs", "machines with unified memory"),
    "experts in main memory": ("measured runs with experts in main memory", "GPUs"),
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
    "fine-tuning": ("measured runs of training in steps", "kinds of GPU"),
}
# What a term of the speed formulas is; its name says the memory, the weights and the engine.
TERMS: Mapping[str, str] = {
    "1/eta": "how much of the bandwidth is reached",
    "1/eta cache": "how fast the key-value cache is read",
    "1/eta narrow experts": "how fast experts in 8 bit and less are read",
    "1/eta_kv": "how fast the key-value cache is read from {memory} memory",
    "1/eta host": "how fast experts in main memory are read and worked on",
    "1/eta scores": "what attention costs that writes its scores out",
    "1/gain 16-bit": "how fast prompts and batches are worked on in 16 bit",
    "1/gain quantized": "how fast prompts and batches are worked on with quantized weights",
    "1/gain K types": "what it costs to unpack K types while prompts and batches are worked on",
    "1/gain experts": "what experts cost while a prompt is read",
    "1/mfu": "which share of its arithmetic a batch reaches in 16 bit",
    "1/mfu narrow": "which share of its arithmetic a batch reaches in 8 bit and less",
    "1/mfu experts": "which share of its arithmetic a batch reaches on experts",
    "1/mfu prompt": "which share of its arithmetic a prompt reaches in 16 bit",
    "1/mfu narrow prompt": "which share of its arithmetic a prompt reaches in 8 bit and less",
    "1/mfu experts prompt": "which share of its arithmetic a prompt reaches on experts",
    "1/mfu tuned 16 bit": "which share of its arithmetic a step of fine-tuning reaches in 16 bit",
    "1/mfu tuned 8 bit": "which share of its arithmetic a step of fine-tuning reaches in FP8",
    "attention": "which share of its arithmetic attention reaches while a prompt is read",
    "attention written out": "which share of its arithmetic attention reaches without flash attention",
    "t0 host": "how long each layer waits for the processor",
    "t0 prompt": "how long each layer takes besides for every 512 tokens of a prompt",
    "t0": "how long each layer takes besides",
}
MEMORIES: Mapping[str, str] = {"gddr": "GDDR", "hbm": "HBM", "unified": "unified"}
BORROWED = "no run with this engine on such a card tells {}; runs of a wider class ({}) stand in for it"
BASIS = "estimated from {points} {runs} of {sources} on {gpus} {what}, each predicted without its own runs"
SOURCES = ("one source", "{} sources")
ROUGH = "roughly {}; few runs or sources stand behind it, so its interval is widened"
LENGTHS = "{}; prompts of {:,} tokens, answers of {:,}"
MEASURED_BASIS = "measured {} with {}, {} result{}; the interval shows how far runs of one configuration differ"
MEASURED_STEP = (
    "measured {} with {}: {:,.0f} tokens/s on each of {} GPU{}, with {} of these sequences at a time and {:.2f} B "
    "parameters"
)
REPEATED = "{}; the interval shows how far runs of one configuration differ"
SAME_CHIP = "carried over from the {}, which has the same chip ({}), by what the estimate has between the two"
HELD = "held to {:.2f} times what was measured on the {}, the ratio of the two cards' {}"
MULTIPLIED = "{} times the speed of one, {}"


@lru_cache(maxsize=512)  # hundreds of configurations rest on the same runs
def basis(name: str, spread: Spread) -> str:
    """Say what an estimate and its interval rest on."""
    kind, _, own = name.partition(", ")
    runs, gpus = MEASURED[kind]
    sources = SOURCES[0] if spread.sources == 1 else SOURCES[1].format(spread.sources)
    what = f"{gpus} ({own})" if own else gpus
    said = BASIS.format(points=spread.points, runs=runs, sources=sources, gpus=spread.gpus, what=what)
    return ROUGH.format(said) if spread.rough else said


@lru_cache(maxsize=512)
def lengths(statement: str, prompt: int, answer: int) -> str:
    """A statement of what an estimate rests on, with the lengths of the prompts and answers that it is for."""
    return LENGTHS.format(statement, prompt, answer)


@lru_cache(maxsize=512)
def borrowed(name: str, other: str) -> str:
    """Say that runs of a wider class (another build, maker or architecture) stand in for a term."""
    what = _term(name)[0]
    return BORROWED.format(what, _class(other) or "all kinds")


def missing(name: str) -> str:
    """Say that nothing tells a term without which there is no estimate."""
    what, where = _term(name)
    return f"no run{_with(where)} in this dataset tells {what}, so this cannot be estimated"


def _term(name: str) -> tuple[str, str]:
    """What a term is in words, and the class that it is of, "" where it has none of its own."""
    head = name.partition(", ")[0]
    key, _, kind = (head, "", "") if head in TERMS else head.partition(" ")
    what = TERMS[key].format(memory=MEMORIES.get(kind, kind))
    return what, kind if key == "t0" else _class(name)


def _class(name: str) -> str:
    """The class of a coefficient in words: what stands behind the head of its path."""
    return ", ".join(MEMORIES.get(part, part) for part in name.split(", ")[1:])


def _with(where: str) -> str:
    return f" with {where}" if where else ""
