"""One calculator's answer from a question in plain words: eight calculators on the recommender's own estimates.

`answer` gives sentences, tables, a picture and the numbers behind them (`sheet.py`); the browser asks `answered`,
translated by pipeline/site/scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.advise.choose.calculators import (
    buy_or_rent,
    memory_parts,
    power,
    several,
    speed,
    training,
    upgrade,
    what_fits,
)
from pipeline.advise.choose.calculators.card_facts import Known, known
from pipeline.advise.choose.calculators.fields import CalculatorInput, checked, in_labels
from pipeline.advise.choose.calculators.sheet import AnswerTable, CalculatorAnswer
from pipeline.advise.choose.need import NeedError
from pipeline.advise.estimate import EstimateError
from pipeline.advise.holding import TIGHT
from pipeline.dataset import Dataset


@dataclass(frozen=True, slots=True)
class Calculator:
    """One calculator: its name, what it answers, its inputs and its formulas."""

    title: str
    lede: str
    fields: Sequence[CalculatorInput]
    answer: Callable[[dict[str, Any], Known], CalculatorAnswer]
    assumed: str  # what stands behind the answer and is no source's
    ranking: Callable[[dict[str, Any], Known], AnswerTable] | None = None  # a table that takes a moment longer


COUNTED = (
    "Weights are counted tensor by tensor as the files hold them, the cache and the engine’s overhead as the engine "
    "reserves them; of the printed memory the driver and the engine leave a part. A GB "
    "is the binary one that makers print"
)
CALCULATORS: Mapping[str, Calculator] = {
    "what-fits": Calculator(
        "What fits on my card",
        "Every language model that a GPU holds, by quantization, with the room left.",
        what_fits.FIELDS,
        what_fits.answer,
        f"{COUNTED}. Tight: {TIGHT}, which a longer prompt or a display takes. Under 4 bit a weight, "
        "answers get worse.",
    ),
    "memory": Calculator(
        "Memory breakdown",
        "What a model needs in GPU memory, part by part, beside what a GPU offers.",
        memory_parts.FIELDS,
        memory_parts.answer,
        f"{COUNTED}; the line marks what is usable.",
    ),
    "speed": Calculator(
        "Speed",
        "Tokens a second with their interval, measured where somebody measured it, and on which GPUs.",
        speed.FIELDS,
        speed.answer,
        "Median with the interval that held eight of ten measured points of that class; “measured”: somebody ran "
        "exactly this, and the interval is what they found. Speeds hold while everything is in GPU memory.",
        speed.ranking,
    ),
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
    try:
        return one.answer(_typed(one, asked, prepared), prepared)
    except EstimateError as error:
        raise NeedError(in_labels(str(error), one.fields)) from None


def ranked(calculator: str, asked: Mapping[str, object], prepared: Known) -> AnswerTable | None:
    """The long table of a question that `answered` answers; None where the calculator has none."""
    one = CALCULATORS[calculator]
    return None if one.ranking is None else one.ranking(_typed(one, asked, prepared), prepared)


def _typed(one: Calculator, asked: Mapping[str, object], prepared: Known) -> dict[str, Any]:
    models = [model.id for model in prepared.models.values() if model.is_language]
    known = {"gpu": list(prepared.stated), "model": models, "network": list(prepared.models)}
    return checked(asked, one.fields, known)
