"""A fixed seed in, questions to every calculator with Python's answers out: what the browser must answer too."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pipeline.advise.choose import calculators
from pipeline.advise.choose.calculators.card_facts import known
from pipeline.advise.choose.calculators.fields import CalculatorInput
from pipeline.advise.choose.need import NeedError
from pipeline.dataset import Dataset

SEED, COUNT = 20_261_121, 300
# Of these a run is asked with few values, so that each card is judged once for many questions.
FEW: Mapping[str, Sequence[Any]] = {"training.context": (512, 2048, 8192), "training.batch": (1, 4)}
FEW_MODELS = 12
ODD_NUMBERS = (0, -1, 0.5, 1e7, 1e99, math.nan, math.inf, None)
ODD_WORDS = ("", "toString", "<img src=x>", "ü" * 70)
# Amounts exactly between two that are printed, and where the digits or the unit change.
EDGES: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "buy-or-rent": (
        {"price": 201.0, "rent": 0.5},
        {"price": 0.25 * 801, "rent": 0.125, "upkeep": 0.0625},
        {"price": 1999.0, "rent": 100.0, "resale": 0.0},
        {"price": 400.0, "rent": 0.01},
        {"price": 400.0, "rent": 1.0, "resale": 100.0, "host": 0.0},
    ),
    "power": ({"watts": 899.5}, {"watts": 0.5 + 2**10}, {"watts": 1.0, "rest": 0.0, "hours_per_week": 0.1}),
    "training": ({"tokens": 0.001}, {"tokens": 1e9}, {"examples": 10**12, "each": 10**8}, {"gpus": 8, "task": "full"}),
    "several": ({"streams": 1}, {"streams": 1, "model": "llama-3.1-405b-instruct"}, {"link": "pcie"}),
    "upgrade": ({"brings": 0.0, "price": 1.0}, {"brings": 1e6}, {"task": "full"}),
}
# How often a value is the default, is left empty where it may be, and how often a question holds an odd one.
PLAIN, EMPTY, ODD = 0.5, 0.3, 0.08


def cases(dataset: Dataset, count: int = COUNT) -> list[dict[str, Any]]:
    """`count` random questions to each calculator, every odd value of every input, and what Python answers."""
    prepared = known(dataset)
    models = [model.id for model in prepared.models.values() if model.is_language]
    draw = random.Random(SEED)  # noqa: S311 - the same questions each time
    asked = (
        (name, question)
        for name, one in calculators.CALCULATORS.items()
        for question in _questions(name, one.fields, list(prepared.facts), models, draw, count)
    )
    return [{"calculator": name, "asked": _plain(q)} | _answer(dataset, name, q) for name, q in asked]


def _questions(
    name: str,
    fields: Sequence[CalculatorInput],
    gpus: Sequence[str],
    models: Sequence[str],
    draw: random.Random,
    count: int,
) -> Iterator[dict[str, Any]]:
    yield {}
    yield from (dict(edge) for edge in EDGES[name])
    for field in fields:
        for odd in ODD_NUMBERS if field.kind == "number" else ODD_WORDS:
            yield {field.name: odd}
    if name == "training":
        models = draw.sample(models, FEW_MODELS)
    for n in range(count):
        question = {f.name: _value(name, f, gpus, models, draw) for f in fields}
        question["gpu"] = gpus[n % len(gpus)]
        if draw.random() < ODD:
            field = draw.choice(fields)
            question[field.name] = draw.choice(ODD_NUMBERS if field.kind == "number" else ODD_WORDS)
        yield question


def _value(name: str, field: CalculatorInput, gpus: Sequence[str], models: Sequence[str], draw: random.Random) -> Any:  # noqa: ANN401
    few = FEW.get(f"{name}.{field.name}")
    if few:
        return draw.choice(few)
    if field.kind != "number":
        return draw.choice({"gpu": gpus, "model": models}.get(field.kind, [word for word, _ in field.choices]))
    if draw.random() < (EMPTY if field.optional else PLAIN):
        return field.value
    low = max(field.low, 1.0 if field.whole else 0.01)
    found = math.exp(draw.uniform(math.log(low), math.log(field.high)))
    return round(found) if field.whole else draw.choice((found, round(found, 2) if found > 1 else found, field.low))


def _answer(dataset: Dataset, name: str, question: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": asdict(calculators.answer(dataset, name, question))}
    except NeedError as error:
        return {"refused": str(error)}


def _plain(question: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers that JSON has no word for, as words in a list."""
    return {
        name: [f"{value}"] if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in question.items()
    }
