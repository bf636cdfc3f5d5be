"""Calculators that need only the estimator: a default question answered in the page, every other one in the browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.dataset import Dataset
from pipeline.estimate import browser, coefficients, estimate, inputs, models
from pipeline.estimate.engines import ENGINES
from pipeline.estimate.memory import required
from pipeline.estimate.tensors import parameters
from pipeline.estimate.types import Card, Estimate, Memory, Model, Request
from pipeline.estimate.weights import MIXES
from pipeline.pages import addresses
from pipeline.render import Asset, Page

DATA = "calculators/data.json"
GIGA = 1e9
# What each calculator answers before anybody types.
GPU, MODEL, LARGE = "nvidia-geforce-rtx-4090", "llama-3.1-8b-instruct", "qwen2.5-32b-instruct"
FITS, MEMORY, SPEED = "what-fits", "memory", "speed"
QUESTIONS: Mapping[str, tuple[str, Request]] = {
    FITS: (MODEL, Request(context=8192)),
    MEMORY: (LARGE, Request(quant="q4_k_m", context=16_384)),
    SPEED: (MODEL, Request(quant="q4_k_m", context=4096)),
}
TITLES: Mapping[str, tuple[str, str]] = {
    FITS: ("What fits on my card", "Every language model that a GPU holds, by quantization, with the room left."),
    MEMORY: ("Memory breakdown", "What a model needs in GPU memory, part by part, beside what a GPU offers."),
    SPEED: ("Speed", "Tokens a second with their interval, measured where somebody measured it, and on which GPUs."),
}
# The columns of "what fits": the quantizations that people run on an engine, the best first.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "llama.cpp": ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k"),
    "vllm": ("f16", "fp8", "int8", "int4", "nvfp4"),
}
TASKS = {"serve": "answer", "qlora": "fine-tune, QLoRA", "lora": "fine-tune, LoRA", "train": "train all weights"}
PARTS = {
    "weights": "Weights",
    "kv_cache": "Key-value cache",
    "gradients": "Gradients",
    "optimizer": "Optimizer",
    "adapters": "Adapters",
    "activations": "Activations and buffers",
    "engine": "Engine",
}
# Less room than this share of the memory is called tight: a longer prompt or a display takes it.
TIGHT = 0.05


@dataclass(frozen=True, slots=True)
class Field:
    """One input of a form."""

    name: str
    label: str
    value: object
    groups: Sequence[tuple[str, Sequence[tuple[str, str]]]] = ()  # of a choice: group, then value and label
    least: float = 1
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """Room that a model leaves at one quantization."""

    room_gib: float
    verdict: str  # fits, tight, no


@dataclass(frozen=True, slots=True)
class Bar:
    """One part of the memory: GiB, and where its stretch of the picture starts and ends, in percent."""

    id: str
    label: str
    gib: float
    start: float
    width: float


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The list, each calculator, and the data that they share."""
    edit = "pipeline/pages/calculators.py"
    yield Page("calculators/index", "calculators.html.j2", {"titles": TITLES, "points": _points(dataset)},
               "Calculators", "Memory and speed of a model on a GPU, with intervals and their basis.", edit,
               hide=("toc",))  # fmt: skip
    for id, (title, lede) in TITLES.items():
        yield Page(f"calculators/{id}", "calculator.html.j2", context(dataset, id), title, lede, edit, hide=("toc",))
    yield Asset(DATA, json.dumps(_data(dataset), ensure_ascii=False, separators=(",", ":")) + "\n")


def context(dataset: Dataset, id: str) -> dict[str, Any]:
    """All that one calculator's page shows."""
    cards, registry = inputs.cards(dataset), models.load()
    model, asked = QUESTIONS[id]
    answer: dict[str, Any] = {}
    if GPU in cards:  # a dataset of the tests may lack it; the page then holds the form alone
        answer = {"card": cards[GPU], "asked": asked, "model": registry.models[model]}
        answer |= ANSWERS[id](dataset, cards[GPU], registry.models[model], asked)
    return {
        "id": id, "title": TITLES[id][0], "lede": TITLES[id][1], "titles": TITLES, "answer": answer,
        "fields": list(_fields(id, cards, registry.models.values(), model, asked)), "addresses": addresses,
        "parts": PARTS,
    }  # fmt: skip


def fit_rows(card: Card, known: Iterable[Model], asked: Request) -> list[tuple[Model, float, int, list[Cell]]]:
    """Each language model with its parameters (billions), context and one cell a quantization; the largest first."""
    rows = []
    for model in sorted((m for m in known if m.is_language), key=lambda m: (-parameters(m), m.name)):
        length = min(asked.context, model.context or asked.context)
        cells = [_cell(required(card, model, replace(asked, quant=q, context=length))) for q in COLUMNS["llama.cpp"]]
        rows.append((model, parameters(model) / GIGA, length, cells))
    return rows


def bars(need: Memory) -> tuple[list[Bar], float]:
    """The parts as stretches of a picture that ends at the need or the usable memory, and where the latter lies."""
    whole = max(need.total, need.usable or 0.0)
    found, start = [], 0.0
    for name, label in PARTS.items():
        gib = need.parts.get(name, 0.0)
        if gib > 0:
            found.append(Bar(name, label, gib, start, 100 * gib / whole))
            start += 100 * gib / whole
    return found, 100 * (need.usable or 0.0) / whole


def _cell(need: Memory) -> Cell:
    room = need.room or 0.0
    if not need.fits:
        return Cell(room, "no")
    return Cell(room, "tight" if room < TIGHT * (need.usable or 0.0) else "fits")


def _fits(_: Dataset, card: Card, __: Model, asked: Request) -> dict[str, Any]:
    rows = fit_rows(card, models.load().models.values(), asked)
    return {"columns": COLUMNS["llama.cpp"], "rows": rows}


def _memory(_: Dataset, card: Card, model: Model, asked: Request) -> dict[str, Any]:
    need = required(card, model, asked)
    parts, usable_at = bars(need)
    return {"need": need, "bars": parts, "usable_at": usable_at}


def _speed(dataset: Dataset, card: Card, model: Model, asked: Request) -> dict[str, Any]:
    found, points = coefficients.load(), inputs.points(dataset, models.load()).decode
    answers = [estimate(one, model, asked, found, points) for one in inputs.cards(dataset).values()]
    ranked = [a for a in answers if a.memory.fits and a.decode_tokens_per_s]
    own = next(a for a in answers if a.card.id == card.id)
    named = (("writing", own.decode_basis), ("reading", own.prefill_basis))
    notes = [*(f"{what}: {basis.statement}" for what, basis in named if basis), *own.warnings]
    return {"own": own, "notes": notes, "ranked": sorted(ranked, key=_by_speed)}


ANSWERS: Mapping[str, Callable[[Dataset, Card, Model, Request], dict[str, Any]]] = {
    FITS: _fits,
    MEMORY: _memory,
    SPEED: _speed,
}


def _by_speed(answer: Estimate) -> tuple[float, str]:
    return (-(answer.decode_tokens_per_s.median if answer.decode_tokens_per_s else 0.0), answer.card.name)


def _fields(id: str, cards: Mapping[str, Card], known: Iterable[Model], model: str,
            asked: Request) -> Iterator[Field]:  # fmt: skip
    yield Field("gpu", "GPU", GPU, _grouped((c.vendor, c.id, c.name) for c in cards.values()))
    yield Field("gpus", "How many", asked.gpus, most=64)
    if id != FITS:
        words = {"language": "Language models", "diffusion": "Image models", "vision": "Classic networks"}
        wanted = [m for m in known if m.is_language or id == MEMORY]
        yield Field("model", "Model", model, _grouped((words[m.kind], m.id, m.name) for m in wanted))
        yield Field("quant", "Quantization", asked.quant, [("", [(q, q) for q in MIXES])])
    if id != SPEED:
        yield Field("task", "Task", asked.task, [("", list(TASKS.items()))])
    yield Field("context", "Context, tokens", asked.context, most=1_000_000)
    if id == SPEED:
        yield Field("prompt_tokens", "Prompt, tokens", asked.prompt_tokens, most=1_000_000)
    if id != FITS:
        yield Field("batch", "Streams", asked.batch, most=4096)
    yield from _more_fields(id, asked)


def _more_fields(id: str, asked: Request) -> Iterator[Field]:
    yield Field("engine", "Engine", asked.engine, [("", [(e, e) for e in dict.fromkeys(e.name for e in ENGINES)])])
    if id == SPEED:
        yield Field("layout", "Several GPUs", "auto", [("", [("auto", "as the engine does"), ("layers", "split layers"),
                                                             ("tensor", "tensor parallel")])])  # fmt: skip
    else:
        yield Field("kv_bits", "Cache", asked.kv_bits, [("", [(str(b), f"{b} bit") for b in (16, 8, 4)])])
    if id == MEMORY:
        yield Field("recompute", "Activations", "", [("", [("", "kept"), ("1", "recomputed")])])
    yield Field("memory_gb", "Memory, GB (if not the card’s)", "", least=0.1, most=100_000)


def _grouped(rows: Iterable[tuple[str, str, str]]) -> list[tuple[str, list[tuple[str, str]]]]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for group, value, label in rows:
        groups.setdefault(group, []).append((value, label))
    return [(group, sorted(entries, key=lambda entry: entry[1])) for group, entries in sorted(groups.items())]


def _data(dataset: Dataset) -> dict[str, object]:
    return browser.data(dataset) | {"columns": COLUMNS, "parts": PARTS, "tight": TIGHT, "tasks": TASKS}


def _points(dataset: Dataset) -> int:
    return len(inputs.points(dataset, models.load()).decode)
