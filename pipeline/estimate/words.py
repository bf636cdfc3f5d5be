"""The names that speeds are worked out under in, the sentences that tell a reader where a speed comes from out."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.estimate.coefficients import Spread

# What was measured, and on what; the names are those of `speed.decode_kinds` and of the fit.
MEASURED: Mapping[str, tuple[str, str]] = {
    "decode gddr": ("measured runs", "GPUs with GDDR memory"),
    "decode hbm": ("measured runs", "GPUs with HBM memory"),
    "decode unified": ("measured runs", "machines with unified memory"),
    "decode experts": ("measured runs of mixture-of-experts models", "GPUs"),
    "prefill gddr": ("measured prompts", "GPUs with GDDR memory"),
    "prefill hbm": ("measured prompts", "GPUs with HBM memory"),
    "prefill unified": ("measured prompts", "machines with unified memory"),
    "prefill several GPUs": ("measured prompts on several GPUs at once", "kinds of GPU"),
    "serving": ("measured serving runs", "GPUs"),
}
# What a term of the speed formulas is; its name says the memory, the weights and the engine build.
TERMS: Mapping[str, str] = {
    "1/eta": "how much of the bandwidth of {memory} memory is reached",
    "1/eta_kv": "how fast the key-value cache is read from {memory} memory",
    "1/eta scores": "what attention costs that writes its scores out",
    "1/gain": "how fast GPUs with {memory} memory and {weights} weights work on prompts and batches",
    "1/gain experts": "what experts cost while a prompt is read",
    "t0": "how long each layer takes besides",
}
MEMORIES: Mapping[str, str] = {"gddr": "GDDR", "hbm": "HBM", "unified": "unified"}


def basis(name: str, spread: Spread) -> str:
    """Say what an estimate and its interval rest on."""
    kind, _, back_end = name.partition(", ")
    runs, gpus = MEASURED[kind]
    where = f"{gpus} ({back_end})" if back_end else gpus
    return f"estimated from {spread.points} {runs} on {spread.gpus} {where}, each predicted without its own runs"


def borrowed(name: str, other: str) -> str:
    """Say that runs with another engine build stand in for a term."""
    (what, build), (_, instead) = _term(name), _term(other)
    return f"no run{_with(build)} in this dataset tells {what}; runs{_with(instead)} stand in for it"


def missing(name: str) -> str:
    """Say that nothing tells a term without which there is no estimate."""
    what, build = _term(name)
    return f"no run{_with(build)} in this dataset tells {what}, so this cannot be estimated"


def _term(name: str) -> tuple[str, str]:
    """What a term is in words, and its engine build, "" where it has none of its own."""
    head, *rest = name.split(", ")
    key, _, kind = (head, "", "") if head in TERMS else head.partition(" ")
    weights, build = rest[0] if len(rest) > 1 else "", rest[-1] if rest else ""
    what = TERMS[key].format(memory=MEMORIES.get(kind, kind), weights=weights)
    return (what, kind) if key == "t0" else (what, build)


def _with(build: str) -> str:
    return f" with {build}" if build else ""
