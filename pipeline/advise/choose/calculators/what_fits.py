"""Which language models a card holds: each at every quantization, the largest first, and the nearest misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.advise.choose.calculators.card_facts import Known
from pipeline.advise.choose.calculators.fields import (
    CACHE,
    ENGINE,
    MEMORY_GB,
    TASKS,
    choice,
    context,
    whole,
)
from pipeline.advise.choose.calculators.fields import CalculatorInput as Input
from pipeline.advise.choose.calculators.sheet import AnswerTable, CalculatorAnswer, TableCell, number, words
from pipeline.advise.choose.calculators.words import figure, gib, times
from pipeline.advise.choose.need import NeedError
from pipeline.advise.estimate import Card, Model, Request
from pipeline.advise.estimate import checked as checked_request
from pipeline.advise.estimate.memory import required
from pipeline.advise.estimate.tensors import parameters
from pipeline.advise.holding import is_tight

FIELDS: tuple[Input, ...] = (
    Input("gpu", "GPU", "gpu", "nvidia-geforce-rtx-4090"),
    whole("gpus", "How many", 1, 1, 64),
    choice("task", "Task", "serve", TASKS),
    context(8192),
    ENGINE,
    CACHE,
    MEMORY_GB,
)
GIGA = 1e9
# The quantizations that people run on an engine, the best first; who trains keeps 16 bit or what the task brings.
LLAMA = "llama.cpp"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    LLAMA: ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k"),
    "vllm": ("f16", "fp8", "int8", "int4", "nvfp4"),
}
# Less than 4 bits a weight: what fits only so comes after everything that fits better.
SQUEEZED = ("q3_k_m", "q2_k")
MISSES = 8  # models that do not fit, the nearest first
EVERY = "Every model at every quantization"


@dataclass(frozen=True, slots=True)
class Headroom:
    """Room that a model leaves at one quantization, GiB (negative: missing)."""

    quant: str
    room_gib: float
    verdict: str  # fits, tight, no


@dataclass(frozen=True, slots=True)
class FitRow:
    """A model at every quantization, and the best that fits, or the one that misses by the least."""

    model: Model
    billions: float
    context: int
    cells: list[Headroom]
    best: Headroom

    @property
    def squeezed(self) -> bool:
        """Whether its best keeps less than 4 bits of a weight."""
        return self.best.quant in SQUEEZED


def answer(asked: dict[str, Any], known: Known) -> CalculatorAnswer:
    """What fits at its best quantization, what misses by the least, and the whole table, folded."""
    card = known.stated[asked["gpu"]]
    rows = fit_rows(card, list(known.models.values()), asked)
    held = sorted([row for row in rows if row.best.verdict != "no"], key=lambda row: row.squeezed)
    misses = sorted(
        [row for row in rows if row.best.verdict == "no"], key=lambda row: (-row.best.room_gib, row.model.name)
    )[:MISSES]
    tables = [
        *([_fitting("What fits, the largest first", held, "Best that fits", "Room", asked)] if held else []),
        *([_fitting("The nearest misses", misses, "At", "Missing", asked)] if misses else []),
        _every(rows, asked),
    ]
    lead = _lead(times(card.name, asked["gpus"]), rows, held, misses, asked)
    values = {"held": float(len(held)), "room_gib": held[0].best.room_gib if held else None}
    return CalculatorAnswer(lead, (), tables, None, values)


def fit_rows(card: Card, models: Sequence[Model], asked: Mapping[str, Any]) -> list[FitRow]:
    """Every language model, the largest first, each no further than its own longest context."""
    serving = asked["task"] == "serve"
    columns = COLUMNS[asked["engine"] if asked["engine"] in COLUMNS else LLAMA] if serving else ("f16",)
    language = [model for model in models if model.is_language]
    found = []
    for model in sorted(language, key=lambda model: (-parameters(model), model.name)):
        length = min(asked["context"], model.context or asked["context"])
        cells = [_headroom(card, model, quant, length, asked) for quant in columns]
        fitting = next((cell for cell in cells if cell.verdict != "no"), None)
        best = fitting or max(cells, key=lambda cell: cell.room_gib)
        found.append(FitRow(model, parameters(model) / GIGA, length, cells, best))
    return found


def _headroom(card: Card, model: Model, quant: str, length: int, asked: Mapping[str, Any]) -> Headroom:
    request = Request(
        quant,
        asked["engine"],
        length,
        gpus=asked["gpus"],
        task=asked["task"],
        prompt_tokens=1,
        kv_bits=int(asked["kv_bits"]),
        memory_gb=asked["memory_gb"],
    )
    need = required(card, model, checked_request(request, model))
    if need.usable is None or need.room is None:
        raise NeedError(f"the memory of {card.name} is the buyer’s choice or not known; state it to learn what fits")
    verdict = "no" if not need.fits else "tight" if is_tight(need.room, need.usable, asked["gpus"]) else "fits"
    return Headroom(quant, need.room, verdict)


def _lead(
    name: str, rows: Sequence[FitRow], held: Sequence[FitRow], misses: Sequence[FitRow], asked: Mapping[str, Any]
) -> str:
    serving = asked["task"] == "serve"
    does = "" if serving else f" to {TASKS[asked['task']]}"
    tokens = f"{asked['context']:,} tokens of context"
    start = f"{name} holds {len(held)} of {len(rows)} language models{does} with {tokens}."
    if held:
        first = held[0]
        what = "The largest at 4 bit or more" if serving and not first.squeezed else "The largest"
        best = f"{first.model.name}{_at(first, serving)}"
        return f"{start} {what} is {best}, with {gib(first.best.room_gib)} to spare."
    if not misses:
        return start
    near = misses[0]
    return f"{start} The nearest miss is {near.model.name}{_at(near, serving)}: {gib(-near.best.room_gib)} are missing."


def _at(row: FitRow, serving: bool) -> str:
    return f" at {row.best.quant}" if serving else ""


def _fitting(title: str, rows: Sequence[FitRow], quant: str, room: str, asked: Mapping[str, Any]) -> AnswerTable:
    serving = asked["task"] == "serve"
    columns: list[tuple[str, str | None]] = [(quant, None)] if serving else []
    heads = [("Model", None), *columns, (room, "GB"), ("Parameters", "billion")]
    cells = [
        [
            _model(row, asked),
            *([TableCell(row.best.quant, aside="under 4 bit" if row.squeezed else "")] if serving else []),
            TableCell(
                f"{abs(row.best.room_gib):.1f}",
                True,
                aside="tight" if row.best.verdict == "tight" else "",
                look=row.best.verdict,
            ),
            number(figure(row.billions)),
        ]
        for row in rows
    ]
    return AnswerTable(title, heads, cells, tall=True)


def _every(rows: Sequence[FitRow], asked: Mapping[str, Any]) -> AnswerTable:
    task = asked["task"]
    names = [(cell.quant, "") if task == "serve" else (TASKS[task], "GB") for cell in rows[0].cells]
    heads = [("Model", None), ("Parameters", "billion"), *names]
    cells = [
        [
            _model(row, asked),
            number(figure(row.billions)),
            *(TableCell(_signed(cell.room_gib), True, look=cell.verdict) for cell in row.cells),
        ]
        for row in rows
    ]
    return AnswerTable(EVERY, heads, cells, tall=True, folded="The room that is left in GB, or what is missing.")


def _model(row: FitRow, asked: Mapping[str, Any]) -> TableCell:
    if row.context == asked["context"]:
        return words(row.model.name)
    return TableCell(row.model.name, aside=f"{row.context:,} tokens")


def _signed(room: float) -> str:
    return f"{'-' if room < 0 else '+'}{abs(room):.1f}"
