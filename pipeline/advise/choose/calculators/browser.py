"""The dataset in, what docs/javascripts/costs.js needs beside calculators/data.json out: prices, power, inputs, words.

- `fields`: calculator → its inputs: name, label, kind, default, least, most, unit, whole, optional, words allowed.
- `facts`: GPU → board power W, recommended supply W, measured [W each, whole machine, words, address], price new, price
  used, price of a GPU-hour (each [USD, kind, who, day, answers, address, most GPUs] or null), why nothing is trained on
  it, its 16-bit rate where that is inferred from its kin.
- `constants`: every number and table of the formulas, under its name in Python in lower case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pipeline.advise.choose import calculators, catalogue, costs
from pipeline.advise.choose.calculators import buy_or_rent, picture, power, several, training, upgrade
from pipeline.advise.choose.calculators.card_facts import CardPrice, Facts, MeasuredPower, known
from pipeline.advise.choose.calculators.fields import CalculatorInput
from pipeline.advise.choose.market import KIND_WORDS
from pipeline.dataset import Dataset

Plain = dict[str, Any]


def browser_data(dataset: Dataset) -> Plain:
    """Everything in one object."""
    prepared = known(dataset)
    return {
        "fields": {name: list(map(_field, one.fields)) for name, one in calculators.CALCULATORS.items()},
        "facts": {gpu: _facts(facts) for gpu, facts in prepared.facts.items()},
        "constants": constants(),
    }


def constants() -> Plain:
    """Numbers, tables and words that both sides must share."""
    return {
        "never": buy_or_rent.NEVER,
        "at_once": buy_or_rent.AT_ONCE,
        "your_price": KIND_WORDS["own"],
        "rest_of_machine_w": costs.REST_OF_MACHINE_W,
        "one_hour_billed": costs.ONE_HOUR_BILLED,
        "host_usd": [[size, usd] for size, usd in costs.HOST_USD.items()],
        "psu_share": costs.PSU_SHARE,
        "rest_w": costs.REST_W,
        "supply_step_w": power.SUPPLY_STEP_W,
        "btu_a_watt_hour": power.BTU_A_WATT_HOUR,
        "volts": list(power.VOLTS),
        "counts": list(catalogue.COUNTS),
        "shared_out_times": catalogue.SHARED_OUT_TIMES,
        "matrix": catalogue.MATRIX,
        "does": dict(training.DOES),
        "offers": training.OFFERS,
        "cheaper": training.CHEAPER,
        "most_tokens": training.MOST_TOKENS,
        "not_faster": several.NOT_FASTER,
        "worth_faster": upgrade.WORTH_FASTER,
        "quants": list(upgrade.QUANTS),
        "rule": upgrade.RULE,
        "picture": [picture.WIDTH, picture.HEIGHT, picture.LEFT, picture.RIGHT, picture.TOP, picture.BOTTOM],
        "most_ticks": picture.MOST_TICKS,
        "steps": list(picture.STEPS),
        "behind": picture.BEHIND,
        "far": picture.FAR,
        "head_room": picture.HEAD_ROOM,
    }


def _field(one: CalculatorInput) -> Plain:
    words = [word for word, _ in one.choices]
    row: Plain = {"name": one.name, "label": one.label, "kind": one.kind, "value": one.value}
    if one.kind == "number":
        row |= {"low": one.low, "high": one.high, "unit": one.unit, "whole": one.whole, "optional": one.optional}
    return row | ({"words": words} if words else {})


def _facts(one: Facts) -> Sequence[Any]:
    rate = one.card.peaks[catalogue.MATRIX] if one.inferred else None
    prices = (_price(one.new), _price(one.used), _price(one.rent))
    return [one.power_w, one.psu_w, _measured(one.measured), *prices, one.no_training, rate]


def _measured(one: MeasuredPower | None) -> Sequence[Any] | None:
    return None if one is None else [one.watts, one.machine, one.words, one.url]


def _price(one: CardPrice | None) -> Sequence[Any] | None:
    return None if one is None else [one.usd, one.kind, one.who, one.date, one.firm, one.url, one.most_gpus]
