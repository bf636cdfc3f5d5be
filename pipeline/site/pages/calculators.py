"""All calculators: a default question answered in the page, every other one in the browser by the same functions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.advise.choose.calculators import CALCULATORS, answer, known, ranked
from pipeline.advise.choose.calculators import browser as costs
from pipeline.advise.choose.calculators import fields as inputs_of
from pipeline.advise.choose.need import NeedError
from pipeline.advise.estimate import browser, inputs, models
from pipeline.dataset import Dataset
from pipeline.site.pages import addresses
from pipeline.site.render import Asset, Page
from pipeline.site.scripts import listed as scripts

DATA, COSTS = "calculators/data.json", "calculators/costs.json"
EDIT = "pipeline/site/pages/calculators.py"
# The inputs that stand in sight; the others wait behind "More inputs", so that a phone's first screen has the answer.
FIRST: Mapping[str, tuple[str, ...]] = {
    "what-fits": ("gpu", "gpus", "context"),
    "memory": ("gpu", "model", "quant", "context"),
    "speed": ("gpu", "model", "quant", "context"),
    "training": ("model", "task", "examples", "gpu"),
    "buy-or-rent": ("gpu", "price", "rent", "hours_per_week"),
    "power": ("gpu", "gpus", "hours_per_week", "tariff"),
    "several": ("gpu", "model", "quant", "streams"),
    "upgrade": ("gpu", "to", "model", "quant"),
}
# What comes next, of the pages that are no calculators.
FURTHER: Mapping[str, tuple[str, str]] = {
    "what-fits": ("guide/memory/", "Memory in full"),
    "memory": ("guide/memory/", "Memory in full"),
    "speed": ("guide/serving/", "Serving"),
    "training": ("guide/training-inference/", "Training, fine-tuning, inference"),
    "buy-or-rent": ("guide/buy-or-rent/", "Buy or rent: the chapter"),
    "power": ("charts/performance-per-watt/", "Performance per watt"),
    "several": ("guide/multi-gpu/", "One or many"),
    "upgrade": ("compare/", "Compare cards"),
}
PRICED = ("training", "buy-or-rent", "power", "upgrade")  # fill in prices of the United States
# What an empty input means.
HINTS = {"tokens": "from examples", "host": "by number", "tariff": "of your market", "resale": "by age"}
HINT = "as known"
KINDS = {"language": "Language models", "diffusion": "Image models", "vision": "Classic networks"}


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


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The list, each calculator, and the data that they share."""
    shown = {id: context(dataset, id) for id in CALCULATORS}
    doors = [(id, one.title, one.lede, shown[id]["lead"]) for id, one in CALCULATORS.items()]
    yield Page(
        "calculators/index",
        "calculators.html.j2",
        {"doors": doors, "points": len(inputs.points(dataset, models.load()).measured)},
        "Calculators",
        "What fits, how fast, what it costs: eight calculators on one estimator.",
        EDIT,
        hide=("toc",),
    )
    for id, one in CALCULATORS.items():
        yield Page(f"calculators/{id}", "calculator.html.j2", shown[id], one.title, one.lede, EDIT, hide=("toc",))
    yield _asset(DATA, browser.data(dataset))
    yield _asset(COSTS, costs.browser_data(dataset))
    for name, text in scripts.modules().items():
        yield Asset(f"javascripts/{name}", text)


def context(dataset: Dataset, id: str) -> dict[str, Any]:
    """All that one calculator's page shows."""
    one = CALCULATORS[id]
    fields = list(_fields(dataset, id))
    shared = {
        "id": id,
        "title": one.title,
        "lede": one.lede,
        "titles": {other: calculator.title for other, calculator in CALCULATORS.items()},
        "addresses": addresses,
        "first": [f for f in fields if f.name in FIRST[id]],
        "more": [f for f in fields if f.name not in (*FIRST[id], inputs_of.MARKET.name)],
        "market": inputs_of.MARKET if any(f.name == inputs_of.MARKET.name for f in fields) else None,
        "assumed": one.assumed,
        "further": FURTHER[id],
        "priced": id in PRICED,
    }
    try:
        found, ranking = answer(dataset, id, {}), ranked(id, {}, known(dataset))
    except NeedError:  # a dataset of the tests may lack the card; the page then holds the form alone
        return shared | {"answer": None, "ranking": None, "lead": ""}
    return shared | {"answer": found, "ranking": ranking, "lead": found.lead}


def _fields(dataset: Dataset, id: str) -> Iterator[FormInput]:
    cards, networks = inputs.cards(dataset), models.load().models.values()
    groups = {
        "gpu": _grouped((c.vendor, c.id, c.name) for c in cards.values()),
        "model": _grouped(("", m.id, m.name) for m in networks if m.is_language),
        "network": _grouped((KINDS[m.kind], m.id, m.name) for m in networks),
    }
    for one in CALCULATORS[id].fields:
        choices: Groups = [("", one.choices)] if one.choices else ()
        yield _input(one, groups.get(one.kind, choices))


def _input(one: inputs_of.CalculatorInput, groups: Groups) -> FormInput:
    label = f"{one.label}, {one.unit}" if one.unit else one.label
    value = "" if one.value is None else f"{one.value:g}" if isinstance(one.value, float) else one.value
    hint = HINTS.get(one.name, HINT) if one.optional else ""
    return FormInput(one.name, label, value, groups, one.low, one.high, one.whole, hint)


def _asset(file: str, content: object) -> Asset:
    return Asset(file, json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")


def _grouped(rows: Iterable[tuple[str, str, str]]) -> Groups:
    groups: dict[str, list[tuple[str, str]]] = {}
    for group, value, label in rows:
        # The group names the maker already, and a phone's field is narrow.
        groups.setdefault(group, []).append((value, label.removeprefix(f"{group} ")))
    return [(group, sorted(entries, key=lambda entry: entry[1])) for group, entries in sorted(groups.items())]
