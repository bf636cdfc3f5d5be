"""What a model needs of a card's memory, part by part, beside what the card offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.advise.choose.calculators.card_facts import Known
from pipeline.advise.choose.calculators.fields import (
    CACHE,
    ENGINE,
    HOST_GB_S,
    MEMORY_GB,
    QUANT,
    STREAMS,
    TASK,
    TASKS,
    choice,
    context,
    whole,
)
from pipeline.advise.choose.calculators.fields import CalculatorInput as Input
from pipeline.advise.choose.calculators.sheet import (
    AnswerPicture,
    AnswerTable,
    CalculatorAnswer,
    PictureLine,
    TableCell,
    number,
    words,
)
from pipeline.advise.choose.calculators.words import gib, times
from pipeline.advise.estimate import Memory, Request, hosted
from pipeline.advise.estimate import checked as checked_request
from pipeline.advise.estimate.memory import placed, required
from pipeline.advise.holding import is_tight

FIELDS: tuple[Input, ...] = (
    Input("gpu", "GPU", "gpu", "nvidia-geforce-rtx-4090"),
    whole("gpus", "How many", 1, 1, 64),
    Input("model", "Model", "network", "qwen2.5-32b-instruct"),
    QUANT,
    TASK,
    context(16_384),
    STREAMS,
    ENGINE,
    CACHE,
    choice("recompute", "Activations", "", {"": "kept", "1": "recomputed"}),
    MEMORY_GB,
    HOST_GB_S,
)
PARTS: Mapping[str, str] = {
    "weights": "Weights",
    "kv_cache": "Key-value cache",
    "gradients": "Gradients",
    "optimizer": "Optimizer",
    "adapters": "Adapters",
    "activations": "Activations and buffers",
    "engine": "Engine",
}
WIDTH, HEIGHT = 100, 8


def answer(asked: dict[str, Any], known: Known) -> CalculatorAnswer:
    """Whether it fits, a picture of the parts on one bar, and the parts in GiB."""
    card, model = known.stated[asked["gpu"]], known.models[asked["model"]]
    request = Request(
        asked["quant"],
        asked["engine"],
        asked["context"],
        asked["batch"],
        asked["gpus"],
        asked["task"],
        prompt_tokens=1,
        kv_bits=int(asked["kv_bits"]),
        memory_gb=asked["memory_gb"],
        host_gb_s=asked["host_gb_s"],
        recompute=asked["recompute"] == "1",
    )
    request = placed(card, model, checked_request(request, model))
    need = required(card, model, request)
    how = f" at {asked['quant']}" if asked["task"] == "serve" else f", {TASKS[asked['task']]},"
    name = times(card.name, asked["gpus"])
    lead = _lead(f"{model.name}{how} with {asked['context']:,} tokens", need, name, asked["gpus"])
    values = {"total_gib": need.total, "usable_gib": need.usable, "room_gib": need.room}
    return CalculatorAnswer(lead, (), (_table(need),), bar(need), values, hosted(model, request))


def bar(need: Memory) -> AnswerPicture:
    """The parts side by side on a bar that ends at the need or the usable memory, and a line where the latter lies."""
    widest = max(need.total, need.usable or 0.0)
    shapes: list[PictureLine] = []
    start = 0.0
    for name in PARTS:
        width = WIDTH * need.parts.get(name, 0.0) / widest
        if width > 0:
            shapes.append(PictureLine(name, f"M{start:.3f} 0h{width:.3f}v{HEIGHT}h-{width:.3f}z"))
            start = start + width
    if need.usable is not None:
        shapes.append(PictureLine("usable", f"M{WIDTH * need.usable / widest:.3f} 0v{HEIGHT}"))
    return AnswerPicture("Memory by part", WIDTH, HEIGHT, shapes, (), "stack", "none")


def _lead(what: str, need: Memory, name: str, gpus: int) -> str:
    if need.usable is None or need.room is None:
        return (
            f"{what} takes {gib(need.total)}. What {name} offers is the buyer’s choice or not known: type its memory."
        )
    if not need.fits:
        return (
            f"{what} does not fit on {name}: {gib(need.total)} are needed, {gib(need.usable)} are there, "
            f"{gib(-need.room)} are missing."
        )
    tight = " That is tight." if is_tight(need.room, need.usable, gpus) else ""
    return f"{what} fits on {name}: {need.total:.1f} of {gib(need.usable)}, {gib(need.room)} to spare.{tight}"


def _table(need: Memory) -> AnswerTable:
    parts = [
        [TableCell(label, part=name), number(f"{need.parts[name]:.2f}")]
        for name, label in PARTS.items()
        if need.parts.get(name, 0.0) > 0
    ]
    usable = [] if need.usable is None else [[words("Usable"), number(f"{need.usable:.2f}")]]
    rows = [*parts, [words("Needed"), number(f"{need.total:.2f}")], *usable]
    return AnswerTable("Parts", (("Part", None), ("GB", "")), rows)
