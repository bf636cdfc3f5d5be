"""One calculator's answer from a question in plain words: five calculators on the recommender's own estimates.

`answer` gives sentences, tables, a picture and the numbers behind them (`sheet.py`); the browser asks `answered`,
translated by pipeline/site/scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.advise.choose.calculators import buy_or_rent, power, several, training, upgrade
from pipeline.advise.choose.calculators.card_facts import Known, known
from pipeline.advise.choose.calculators.fields import CalculatorInput, checked
from pipeline.advise.choose.calculators.sheet import CalculatorAnswer
from pipeline.dataset import Dataset

__all__ = ["CALCULATORS", "Calculator", "CalculatorAnswer", "CalculatorInput", "Known", "answer", "known"]


@dataclass(frozen=True, slots=True)
class Calculator:
    """One calculator: its name, what it answers, its inputs and its formulas."""

    title: str
    lede: str
    fields: Sequence[CalculatorInput]
    answer: Callable[[dict[str, Any], Known], CalculatorAnswer]
    assumed: str  # what stands behind the answer and is no source's


CALCULATORS: Mapping[str, Calculator] = {
    "training": Calculator(
        "Fine-tuning and training cost",
        "Hours and dollars of one run, to rent or on your own card.",
        training.FIELDS,
        training.answer,
        training.ASSUMED,
    ),
    "buy-or-rent": Calculator(
        "Buy or rent",
        "After how many hours of use a card of your own has cost less than renting one.",
        buy_or_rent.FIELDS,
        buy_or_rent.answer,
        buy_or_rent.ASSUMED,
    ),
    "power": Calculator(
        "Power and running cost",
        "Watts, energy and money a year, the power supply, the draw from the wall.",
        power.FIELDS,
        power.answer,
        power.ASSUMED,
    ),
    "several": Calculator(
        "Several GPUs",
        "What two, four and eight of a card hold, and whether they are any faster than one.",
        several.FIELDS,
        several.answer,
        several.ASSUMED,
    ),
    "upgrade": Calculator(
        "Upgrade",
        "From the card you have to another: what newly fits, how much faster, what it costs.",
        upgrade.FIELDS,
        upgrade.answer,
        upgrade.ASSUMED,
    ),
}


def answer(dataset: Dataset, calculator: str, asked: Mapping[str, object]) -> CalculatorAnswer:
    """Answer a question to a calculator; NeedError in one sentence when there is no answer."""
    return answered(calculator, asked, known(dataset))


def answered(calculator: str, asked: Mapping[str, object], prepared: Known) -> CalculatorAnswer:
    """The same of what is known already, as the browser asks it."""
    one = CALCULATORS[calculator]
    models = [model.id for model in prepared.models.values() if model.is_language]
    return one.answer(checked(asked, one.fields, prepared.facts, models), prepared)
