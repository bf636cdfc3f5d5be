"""All calculators: a default question answered in the page, every other one in the browser.

Three need only the estimator and are laid out here; the others answer with a sheet
(pipeline/advise/choose/calculators).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.advise.choose import support
from pipeline.advise.choose.calculators import CALCULATORS, answer
from pipeline.advise.choose.calculators import browser as costs
from pipeline.advise.choose.calculators import fields as inputs_of
from pipeline.advise.choose.need import NeedError
from pipeline.advise.estimate import browser, coefficients, estimate, inputs, models
from pipeline.advise.estimate.engines import ENGINES
from pipeline.advise.estimate.memory import required
from pipeline.advise.estimate.tensors import parameters
from pipeline.advise.estimate.types import Card, Estimate, Memory, Model, Request
from pipeline.advise.estimate.weights import MIXES
from pipeline.core.wording import number
from pipeline.dataset import Dataset
from pipeline.site.pages import addresses
from pipeline.site.render import Asset, Page
from pipeline.site.scripts import listed as scripts

DATA, COSTS = "calculators/data.json", "calculators/costs.json"
EDIT = "pipeline/site/pages/calculators.py"
GIGA = 1e9
# What each calculator answers before anybody types.
GPU, MODEL, LARGE = "nvidia-geforce-rtx-4090", "llama-3.1-8b-instruct", "qwen2.5-32b-instruct"
FITS, MEMORY, SPEED = "what-fits", "memory", "speed"
QUESTIONS: Mapping[str, tuple[str, Request]] = {
    FITS: (MODEL, Request(context=8192)),
    MEMORY: (LARGE, Request(quant="q4_k_m", context=16_384)),
    SPEED: (MODEL, Request(quant="q4_k_m", context=4096, prompt_tokens=512)),
}
TITLES: Mapping[str, tuple[str, str]] = {
    FITS: ("What fits on my card", "Every language model that a GPU holds, by quantization, with the room left."),
    MEMORY: ("Memory breakdown", "What a model needs in GPU memory, part by part, beside what a GPU offers."),
    SPEED: ("Speed", "Tokens a second with their interval, measured where somebody measured it, and on which GPUs."),
}
# All of them, in the order of the list.
EVERY: Mapping[str, tuple[str, str]] = {**TITLES, **{id: (one.title, one.lede) for id, one in CALCULATORS.items()}}
# The inputs that stand in sight; the others wait behind "More inputs", so that a phone's first screen has the answer.
FIRST: Mapping[str, tuple[str, ...]] = {
    FITS: ("gpu", "gpus", "context"),
    MEMORY: ("gpu", "model", "quant", "context"),
    SPEED: ("gpu", "model", "quant", "context"),
    "training": ("model", "task", "examples", "gpu"),
    "buy-or-rent": ("gpu", "price", "rent", "hours_per_week"),
    "power": ("gpu", "gpus", "hours_per_week", "tariff"),
    "several": ("gpu", "model", "quant", "streams"),
    "upgrade": ("gpu", "to", "model", "quant"),
}
# What comes next, of the pages that are no calculators.
FURTHER: Mapping[str, tuple[str, str]] = {
    "training": ("guide/training-inference/", "Training, fine-tuning, inference"),
    "buy-or-rent": ("guide/buy-or-rent/", "Buy or rent: the chapter"),
    "power": ("charts/performance-per-watt/", "Performance per watt"),
    "several": ("guide/multi-gpu/", "One or many"),
    "upgrade": ("compare/", "Compare cards"),
}
# What an empty input means.
HINTS = {"tokens": "from examples", "host": "by number"}
HINT = "as known"
# The columns of "what fits": the quantizations that people run on an engine, the best first.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "llama.cpp": ("f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k"),
    "vllm": ("f16", "fp8", "int8", "int4", "nvfp4"),
}
# Less than 4 bits a weight: what fits only so comes after everything that fits better.
SQUEEZED = ("q3_k_m", "q2_k")
MISSES = 8  # models that do not fit, the nearest first
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


# A group's name, then value and label of each choice.
Groups = Sequence[tuple[str, Sequence[tuple[str, str]]]]


@dataclass(frozen=True, slots=True)
class FormInput:
    """One input of a form."""

    name: str
    label: str
    value: object
    groups: Groups = ()  # of a choice
    least: float = 1
    most: float | None = None
    whole: bool = True
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Headroom:
    """Room that a model leaves at one quantization."""

    room_gib: float
    verdict: str  # fits, tight, no


@dataclass(frozen=True, slots=True)
class Best:
    """A model at the best quantization that fits, or at the one that misses by the least."""

    model: Model
    billions: float
    context: int
    quant: str
    cell: Headroom

    @property
    def squeezed(self) -> bool:
        """Whether its weights keep less than 4 bits."""
        return self.quant in SQUEEZED


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """One part of the memory: GiB, and where its stretch of the picture starts and ends, in percent."""

    id: str
    label: str
    gib: float
    start: float
    width: float


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The list, each calculator, and the data that they share."""
    shown = {id: context(dataset, id) for id in EVERY}
    doors = [(id, *EVERY[id], shown[id]["lead"]) for id in EVERY]
    yield Page(
        "calculators/index",
        "calculators.html.j2",
        {"doors": doors, "points": _points(dataset)},
        "Calculators",
        "What fits, how fast, what it costs: eight calculators on one estimator.",
        EDIT,
        hide=("toc",),
    )
    for id, (title, lede) in EVERY.items():
        template = "calculator.html.j2" if id in TITLES else "calculator_sheet.html.j2"
        yield Page(f"calculators/{id}", template, shown[id], title, lede, EDIT, hide=("toc",))
    yield _asset(DATA, _data(dataset))
    yield _asset(COSTS, costs.browser_data(dataset))
    for name, text in scripts.modules().items():
        yield Asset(f"javascripts/{name}", text)


def context(dataset: Dataset, id: str) -> dict[str, Any]:
    """All that one calculator's page shows."""
    title, lede = EVERY[id]
    fields = list(_fields_of(dataset, id))
    shared = {
        "id": id,
        "title": title,
        "lede": lede,
        "titles": EVERY,
        "addresses": addresses,
        "first": [f for f in fields if f.name in FIRST[id]],
        "more": [f for f in fields if f.name not in FIRST[id]],
    }
    return shared | (_estimated(dataset, id) if id in TITLES else _worked_out(dataset, id))


def _estimated(dataset: Dataset, id: str) -> dict[str, Any]:
    cards, registry = inputs.cards(dataset), models.load()
    model, asked = QUESTIONS[id]
    found: dict[str, Any] = {}
    if GPU in cards:  # a dataset of the tests may lack it; the page then holds the form alone
        found = {"card": cards[GPU], "asked": asked, "model": registry.models[model]}
        found |= ANSWERS[id](dataset, cards[GPU], registry.models[model], asked)
    return {"answer": found, "parts": PARTS, "lead": LEADS[id](found) if found else ""}


def _worked_out(dataset: Dataset, id: str) -> dict[str, Any]:
    shared = {"assumed": CALCULATORS[id].assumed, "further": FURTHER[id]}
    try:
        found = answer(dataset, id, {})
    except NeedError:  # a dataset of the tests may lack the card
        return shared | {"answer": None, "lead": ""}
    return shared | {"answer": found, "lead": found.lead}


def _fits_lead(found: Mapping[str, Any]) -> str:
    held, misses = found["held"], found["misses"]
    start = (
        f"{found['card'].name} holds {len(held)} of {len(found['rows'])} language models with "
        f"{found['asked'].context:,} tokens of context."
    )
    if held:
        first = held[0]
        what = "The largest" if first.squeezed else "The largest at 4 bit or more"
        return f"{start} {what} is {first.model.name} at {first.quant}, with {first.cell.room_gib:.1f} GiB to spare."
    near = misses[0]
    return f"{start} The nearest miss is {near.model.name} at {near.quant}: {-near.cell.room_gib:.1f} GiB are missing."


def _memory_lead(found: Mapping[str, Any]) -> str:
    need, asked, card = found["need"], found["asked"], found["card"]
    usable, room = need.usable or 0.0, need.room or 0.0
    what = f"{found['model'].name} at {asked.quant} with {asked.context:,} tokens"
    if not need.fits:
        return (
            f"{what} does not fit on {card.name}: {need.total:.1f} GiB are needed, {usable:.1f} GiB are there, "
            f"{-room:.1f} GiB are missing."
        )
    tight = " That is tight." if room < TIGHT * usable else ""
    return f"{what} fits on {card.name}: {need.total:.1f} of {usable:.1f} GiB, {room:.1f} GiB to spare.{tight}"


def _speed_lead(found: Mapping[str, Any]) -> str:
    rate, basis = found["own"].decode_tokens_per_s, found["own"].decode_basis
    what = f"with {found['model'].name} at {found['asked'].quant}"
    if not rate or not basis:
        return f"Nothing tells how fast {found['card'].name} is {what}."
    span = f"{number(rate.p10)} to {number(rate.p90)}, {basis.kind}"
    memory, middle = found["own"].memory, f"{number(rate.median)} tokens a second"
    if not memory.fits:
        lacks = f"{found['card'].name} is too small by {-(memory.room or 0.0):.1f} GiB {what}"
        return f"{lacks}; with enough memory it would write {middle} ({span})."
    return f"{found['card'].name} writes {middle} ({span}) {what}."


LEADS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    FITS: _fits_lead,
    MEMORY: _memory_lead,
    SPEED: _speed_lead,
}


def _fields_of(dataset: Dataset, id: str) -> Iterator[FormInput]:
    cards, registry = inputs.cards(dataset), models.load()
    if id in TITLES:
        yield from _fields(id, cards, registry.models.values(), *QUESTIONS[id])
        return
    gpus = _grouped((c.vendor, c.id, c.name) for c in cards.values())
    networks = _grouped(("", m.id, m.name) for m in registry.models.values() if m.is_language)
    for one in CALCULATORS[id].fields:
        choices: Groups = [("", one.choices)] if one.choices else ()
        groups = {"gpu": gpus, "model": networks}.get(one.kind, choices)
        yield _input(one, groups)


def _input(one: inputs_of.CalculatorInput, groups: Groups) -> FormInput:
    label = f"{one.label}, {one.unit}" if one.unit else one.label
    value = "" if one.value is None else f"{one.value:g}" if isinstance(one.value, float) else one.value
    hint = HINTS.get(one.name, HINT) if one.optional else ""
    return FormInput(one.name, label, value, groups, one.low, one.high, one.whole, hint)


def _asset(file: str, content: object) -> Asset:
    return Asset(file, json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")


def fit_rows(card: Card, known: Iterable[Model], asked: Request) -> list[tuple[Model, float, int, list[Headroom]]]:
    """Each language model with its parameters (billions), context and one cell a quantization; the largest first."""
    rows = []
    for model in sorted((m for m in known if m.is_language), key=lambda m: (-parameters(m), m.name)):
        length = min(asked.context, model.context or asked.context)
        cells = [_cell(required(card, model, replace(asked, quant=q, context=length))) for q in COLUMNS["llama.cpp"]]
        rows.append((model, parameters(model) / GIGA, length, cells))
    return rows


def best(rows: Iterable[tuple[Model, float, int, list[Headroom]]]) -> tuple[list[Best], list[Best]]:
    """What fits at its best quantization, the largest first and the squeezed last; then what misses by the least."""
    held: list[Best] = []
    misses: list[Best] = []
    for model, billions, length, cells in rows:
        named = list(zip(COLUMNS["llama.cpp"], cells, strict=True))
        fitting = next(((quant, cell) for quant, cell in named if cell.verdict != "no"), None)
        quant, cell = fitting or max(named, key=lambda pair: pair[1].room_gib)
        (held if fitting else misses).append(Best(model, billions, length, quant, cell))
    misses.sort(key=lambda one: (-one.cell.room_gib, one.model.name))
    return sorted(held, key=lambda one: one.squeezed), misses[:MISSES]


def bars(need: Memory) -> tuple[list[MemoryPart], float]:
    """The parts as stretches of a picture that ends at the need or the usable memory, and where the latter lies."""
    whole = max(need.total, need.usable or 0.0)
    found, start = [], 0.0
    for name, label in PARTS.items():
        gib = need.parts.get(name, 0.0)
        if gib > 0:
            found.append(MemoryPart(name, label, gib, start, 100 * gib / whole))
            start += 100 * gib / whole
    return found, 100 * (need.usable or 0.0) / whole


def _cell(need: Memory) -> Headroom:
    room = need.room or 0.0
    if not need.fits:
        return Headroom(room, "no")
    return Headroom(room, "tight" if room < TIGHT * (need.usable or 0.0) else "fits")


def _fits(_: Dataset, card: Card, __: Model, asked: Request) -> dict[str, Any]:
    rows = fit_rows(card, models.load().models.values(), asked)
    held, misses = best(rows)
    return {"columns": COLUMNS["llama.cpp"], "rows": rows, "held": held, "misses": misses}


def _memory(_: Dataset, card: Card, model: Model, asked: Request) -> dict[str, Any]:
    need = required(card, model, asked)
    parts, usable_at = bars(need)
    return {"need": need, "bars": parts, "usable_at": usable_at}


def _speed(dataset: Dataset, card: Card, model: Model, asked: Request) -> dict[str, Any]:
    found, points = coefficients.load(), inputs.points(dataset, models.load()).measured
    none = no_llama(dataset)
    cards = [one for one in inputs.cards(dataset).values() if one.id not in none]
    answers = [estimate(one, model, asked, found, points) for one in cards]
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


def no_llama(dataset: Dataset) -> list[str]:
    """The GPUs for which llama.cpp, the engine of most estimates, has no backend."""
    return [
        gpu.id
        for gpu in dataset.gpus.values()
        if gpu.vendor not in support.LLAMA_VENDORS or gpu.line.startswith(support.NOT_FOR_LLAMA)
    ]


def _by_speed(answer: Estimate) -> tuple[float, str]:
    return (-(answer.decode_tokens_per_s.median if answer.decode_tokens_per_s else 0.0), answer.card.name)


def _fields(
    id: str, cards: Mapping[str, Card], known: Iterable[Model], model: str, asked: Request
) -> Iterator[FormInput]:
    yield FormInput("gpu", "GPU", GPU, _grouped((c.vendor, c.id, c.name) for c in cards.values()))
    yield FormInput("gpus", "How many", asked.gpus, most=64)
    if id != FITS:
        words = {"language": "Language models", "diffusion": "Image models", "vision": "Classic networks"}
        wanted = [m for m in known if m.is_language or id == MEMORY]
        yield FormInput("model", "Model", model, _grouped((words[m.kind], m.id, m.name) for m in wanted))
        yield FormInput("quant", "Quantization", asked.quant, [("", [(q, q) for q in MIXES])])
    if id != SPEED:
        yield FormInput("task", "Task", asked.task, [("", list(TASKS.items()))])
    yield FormInput("context", "Context, tokens", asked.context, most=1_000_000)
    if id == SPEED:
        yield FormInput("prompt_tokens", "Prompt, tokens", asked.prompt_tokens, most=1_000_000)
    if id != FITS:
        yield FormInput("batch", "Streams", asked.batch, most=4096)
    yield from _more_fields(id, asked)


def _more_fields(id: str, asked: Request) -> Iterator[FormInput]:
    yield FormInput("engine", "Engine", asked.engine, [("", [(e, e) for e in dict.fromkeys(e.name for e in ENGINES)])])
    if id == SPEED:
        yield FormInput(
            "layout",
            "Several GPUs",
            "auto",
            [("", [("auto", "as the engine does"), ("layers", "split layers"), ("tensor", "tensor parallel")])],
        )
    else:
        yield FormInput("kv_bits", "Cache", asked.kv_bits, [("", [(str(b), f"{b} bit") for b in (16, 8, 4)])])
    if id == MEMORY:
        yield FormInput("recompute", "Activations", "", [("", [("", "kept"), ("1", "recomputed")])])
    yield FormInput("memory_gb", "Memory, GB (if not the card’s)", "", least=0.1, most=100_000, whole=False)


def _grouped(rows: Iterable[tuple[str, str, str]]) -> Groups:
    groups: dict[str, list[tuple[str, str]]] = {}
    for group, value, label in rows:
        # The group names the maker already, and a phone's field is narrow.
        groups.setdefault(group, []).append((value, label.removeprefix(f"{group} ")))
    return [(group, sorted(entries, key=lambda entry: entry[1])) for group, entries in sorted(groups.items())]


def _data(dataset: Dataset) -> dict[str, object]:
    return browser.data(dataset) | {
        "columns": COLUMNS,
        "parts": PARTS,
        "tight": TIGHT,
        "tasks": TASKS,
        "squeezed": SQUEEZED,
        "misses": MISSES,
        "no_llama": no_llama(dataset),
    }


def _points(dataset: Dataset) -> int:
    return len(inputs.points(dataset, models.load()).measured)
