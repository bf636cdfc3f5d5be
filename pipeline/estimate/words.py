"""The name of a spread and its points in, the sentence that tells a reader where an estimated speed comes from out."""

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


def basis(name: str, spread: Spread) -> str:
    """Say what an estimate and its interval rest on."""
    kind, _, back_end = name.partition(", ")
    runs, gpus = MEASURED[kind]
    where = f"{gpus} ({back_end})" if back_end else gpus
    return f"estimated from {spread.points} {runs} on {spread.gpus} {where}, each predicted without its own runs"
