"""Tokens a second of a model on a card with their interval, and the same on every card that holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.advise.choose.calculators.card_facts import Known
from pipeline.advise.choose.calculators.fields import (
    ENGINE,
    HOST_GB_S,
    MEMORY_GB,
    QUANT,
    STREAMS,
    choice,
    context,
    whole,
)
from pipeline.advise.choose.calculators.fields import CalculatorInput as Input
from pipeline.advise.choose.calculators.sheet import NOTHING, AnswerTable, CalculatorAnswer, TableCell, number, words
from pipeline.advise.choose.calculators.words import figure, gib, span, times
from pipeline.advise.choose.need import NeedError
from pipeline.advise.estimate import Basis, Card, Estimate, Interval, Request, estimate
from pipeline.advise.estimate.engines import find

FIELDS: tuple[Input, ...] = (
    Input("gpu", "GPU", "gpu", "nvidia-geforce-rtx-4090"),
    whole("gpus", "How many", 1, 1, 64),
    Input("model", "Model", "model", "llama-3.1-8b-instruct"),
    QUANT,
    context(4096),
    whole("prompt_tokens", "Prompt", 512, 1, 1e7, "tokens"),
    STREAMS,
    ENGINE,
    choice(
        "layout",
        "Several GPUs",
        "auto",
        {"auto": "as the engine does", "layers": "split layers", "tensor": "tensor parallel"},
    ),
    MEMORY_GB,
    HOST_GB_S,
)
RANKING = "The same on every GPU that holds it"
NONE_HOLDS = "No GPU here holds it; take more of them, a smaller quantization or a shorter context."


def answer(asked: dict[str, Any], known: Known) -> CalculatorAnswer:
    """How fast it writes and reads, under which conditions, and what that rests on."""
    card = known.stated[asked["gpu"]]
    if not _runs(card, asked, known):
        raise NeedError(f"llama.cpp has no backend for {card.name}; choose another engine or GPU")
    own = _estimated(card, asked, known)
    together = f", {asked['batch']:,} streams together" if asked["batch"] > 1 else ""
    conditions = (
        f"{asked['engine']}, {asked['context']:,} tokens of context, a prompt of {asked['prompt_tokens']:,}{together}."
    )
    rows = [
        [words("Writing"), *_interval(own.decode_tokens_per_s, own.decode_basis)],
        [words("Reading the prompt"), *_interval(own.prefill_tokens_per_s, own.prefill_basis)],
    ]
    named = (("writing", own.decode_basis), ("reading", own.prefill_basis))
    bases = [f"{what}: {basis.statement}" for what, basis in named if basis]
    rate = own.decode_tokens_per_s
    return CalculatorAnswer(
        _lead(own, asked),
        (),
        (AnswerTable("Speed", _heads("Speed"), rows),),
        None,
        {"writes": None if rate is None else rate.median},
        [conditions, *bases, *own.warnings],
    )


def ranking(asked: dict[str, Any], known: Known) -> AnswerTable:
    """Every card that holds the model, the fastest first."""
    answers = [_estimated(card, asked, known) for card in known.stated.values() if _runs(card, asked, known)]
    ranked = sorted([one for one in answers if one.memory.fits and one.decode_tokens_per_s], key=_by_speed)
    rows = [
        [
            TableCell(times(one.card.name, asked["gpus"]), gpu=one.card.id, vendor=one.card.vendor),
            *_interval(one.decode_tokens_per_s, one.decode_basis),
        ]
        for one in ranked
    ]
    return AnswerTable(RANKING, _heads("GPU"), rows, tall=True, none=NONE_HOLDS)


def _estimated(card: Card, asked: Mapping[str, Any], known: Known) -> Estimate:
    request = Request(
        asked["quant"],
        asked["engine"],
        asked["context"],
        asked["batch"],
        asked["gpus"],
        prompt_tokens=asked["prompt_tokens"],
        layout=asked["layout"],
        memory_gb=asked["memory_gb"],
        host_gb_s=asked["host_gb_s"],
    )
    measured = known.on.points.get(card.id, ())
    return estimate(card, known.models[asked["model"]], request, known.on.coefficients, measured)


def _runs(card: Card, asked: Mapping[str, Any], known: Known) -> bool:
    """Whether the engine runs on the card: what is built on llama.cpp has no backend for some."""
    return not find(asked["engine"]).code.startswith("llama.cpp") or card.id not in known.no_llama


def _lead(own: Estimate, asked: Mapping[str, Any]) -> str:
    rate, basis = own.decode_tokens_per_s, own.decode_basis
    name, what = times(own.card.name, asked["gpus"]), f"with {own.model.name} at {asked['quant']}"
    if rate is None or basis is None:
        return f"Nothing tells how fast {name} is {what}."
    said = f"{figure(rate.median)} tokens a second ({span(rate.p10, rate.p90)}, {basis.kind})"
    room = own.memory.room
    if own.memory.fits or room is None:
        return f"{name} writes {said} {what}."
    return f"{name} is too small by {gib(-room)} {what}; with enough memory it would write {said}."


def _heads(what: str) -> tuple[tuple[str, str | None], ...]:
    return ((what, None), ("Tokens/s", ""), ("80 % interval", ""))


def _interval(rate: Interval | None, basis: Basis | None) -> list[TableCell]:
    if rate is None:
        return [number(NOTHING), number(NOTHING)]
    return [number(figure(rate.median), basis.kind if basis else ""), number(span(rate.p10, rate.p90))]


def _by_speed(one: Estimate) -> tuple[float, str]:
    return (-one.decode_tokens_per_s.median if one.decode_tokens_per_s else 0.0, one.card.name)
