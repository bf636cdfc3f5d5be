"""The chooser's page: the question as a sentence, the default answer from Python, and the data for every other one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.advise import rules
from pipeline.advise.choose import Need, browser_data, browser_parts, choose, electricity, picture
from pipeline.advise.choose.catalogue import shelf
from pipeline.advise.choose.need import CONSTANTS, FIELDS, RULES, TASKS, as_words
from pipeline.advise.choose.presenter import LOST_SHOWN, lost, view
from pipeline.advise.choose.questions import Question, questions
from pipeline.advise.estimate import Model
from pipeline.advise.estimate.tensors import parameters
from pipeline.core import currencies
from pipeline.dataset import Dataset
from pipeline.derive.prices.rules import MARKETS
from pipeline.site.pages import addresses
from pipeline.site.render import Asset, Page

TITLE = "Which GPU?"
# What the page answers before anybody touches it: nothing behind "more" is set, so that no hidden limit stays behind
# when somebody changes the task.
FIRST = Need("chat", budget_usd=800)
# What a field of the rules leaves out.
PLAIN_FIELD: Mapping[str, Any] = {"unit": "", "default": None, "choices": (), "names": {}}
MODEL_GROUPS: Mapping[str, str] = {"language": "Language models", "vision": "Image networks"}


class Blank(dict[str, Any]):
    """Values of a template that nothing has filled yet: every name is an empty text."""

    def __missing__(self, name: str) -> str:
        """Nothing yet."""
        return ""


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The page, and the data of the browser's chooser."""
    description = "Say what you want to do and what you have: three GPUs to buy or rent, with reasons and alternatives."
    yield Page(
        "choose/index",
        "choose.html.j2",
        context(dataset),
        TITLE,
        description,
        "pipeline/site/pages/choose.py",
        hide=("toc",),
    )
    yield _questions_page(dataset)
    for name, content in {"data": browser_data(dataset), **browser_parts(dataset)}.items():
        yield Asset(f"choose/{name}.json", json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")


def _questions_page(dataset: Dataset) -> Page:
    """Every written question with what a reader said of its answer."""
    asked = questions()
    signed = Counter(question.read.signed for question in asked if question.read)
    days = [question.read.day.isoformat() for question in asked if question.read]
    return Page(
        "choose/questions",
        "questions.html.j2",
        {
            "questions": asked,
            "answers": {question.id: _read_answer(question, dataset) for question in asked},
            "signed": signed,
            "again": sum(question.read.at_first is not None for question in asked if question.read),
            "involved": sum(not question.read.apart for question in asked if question.read),
            "day": max(days, default=""),
            "edit": addresses.edit("data/questions.yml"),
        },
        "Questions and how they were judged",
        f"{len(asked)} questions to the chooser, and why somebody who knows the field would sign each answer or not.",
        "data/questions.yml",
        hide=("toc",),
    )


def _read_answer(question: Question, dataset: Dataset) -> tuple[str, str, str]:
    """The answer that was read: how to get it, the card's id and its name; all empty where there was none."""
    if question.read is None or question.read.answer == "none":
        return "", "", ""
    way, count, gpu = question.read.answer.split()
    if gpu not in dataset.gpus:  # a dataset that was trimmed
        return "", "", ""
    name = dataset.gpus[gpu].name
    return way, gpu, name if count == "1" else f"{count} × {name}"


def context(dataset: Dataset) -> dict[str, Any]:
    """All that the page shows."""
    answer = choose(dataset, FIRST)
    models = shelf(dataset).registry.models
    first = replaced_model(FIRST)
    return {
        "title": TITLE,
        "need": first,
        "words": as_words(FIRST),
        "view": view(answer),
        "lost": lost(answer)[:LOST_SHOWN],
        "blank": Blank(),
        "size": (picture.WIDTH, picture.HEIGHT, picture.LEFT, picture.RIGHT, picture.TOP, picture.BOTTOM),
        "read": dataset.newest_reading,
        "model_name": models[first["model"]].name,
        "tasks": TASKS,
        "fields": FIELDS,
        "currencies": {market: rule.currency for market, rule in MARKETS.items()},
        "currency_words": {market: currencies.load()[rule.currency].word for market, rule in MARKETS.items()},
        "usual": {"electricity_usd_per_kwh": _tariffs()},
        "models": _models(models),
        "more": [
            (words, [(name, {**PLAIN_FIELD, **field}) for name, field in FIELDS.items() if field.get("group") == group])
            for group, words in RULES["groups"].items()
        ],
        "standard": [*RULES["standard"], RULES["fewer"]],
        "best": rules.sentence(RULES["best"])({"c": CONSTANTS}),
        "sources": RULES["speed_sources"],
        "edit": addresses.edit("pipeline/advise/rules.yml"),
        "questions": [question for question in questions() if question.ready],
    }


def _tariffs() -> dict[str, str]:
    """What a household pays for a kilowatt-hour in each market, as the form says it."""
    found = electricity.load()
    return {
        market: str(rules.amount(found[market].per_kwh, currencies.load()[rule.currency].sign))
        for market, rule in MARKETS.items()
    }


def replaced_model(need: Need) -> dict[str, str]:
    """The task and the model that the form shows first."""
    return {"task": need.task, "model": need.model or str(TASKS[need.task]["model"])}


def _models(known: Mapping[str, Model]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """The networks that a need can name: language models by size, and the image networks of the benchmarks."""
    return [
        (kind, words, [(m.id, m.name) for m in sorted((m for m in known.values() if m.kind == kind), key=_size)])
        for kind, words in MODEL_GROUPS.items()
    ]


def _size(model: Model) -> tuple[float, str]:
    return parameters(model), model.id
