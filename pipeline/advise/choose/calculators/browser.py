"""What the browser's calculators need beside calculators/data.json: prices and power by card.

`facts`: GPU → board power W, recommended supply W, measured [W each, whole machine, words, address], price new, price
used, price of a GPU-hour (each [USD, kind, who, day, answers, address, most GPUs, share after the first drop] or null),
why nothing is trained on it, its 16-bit rate where that is inferred from its kin. `machines`: what a machine that is
sold whole holds, by chip. `no_llama`: the GPUs for which llama.cpp has no backend; `kept`: the share of its price that
a card keeps a year; `headroom`: the formula of the memory that a task leaves free.
Formulas, inputs and sentences are translated with the scripts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from pipeline.advise.choose import catalogue
from pipeline.advise.choose.browser import machines
from pipeline.advise.choose.calculators.card_facts import Facts, known
from pipeline.dataset import Dataset


def browser_data(dataset: Dataset) -> dict[str, Any]:
    """Everything in one object."""
    prepared = known(dataset)
    facts = {gpu: _facts(facts) for gpu, facts in prepared.facts.items()}
    on = catalogue.shelf(dataset)
    kept = {"a_year": on.kept.a_year}
    return {
        "facts": facts,
        "machines": machines(on),
        "no_llama": list(prepared.no_llama),
        "kept": kept,
        "headroom": catalogue.HEADROOM,
    }


def _facts(one: Facts) -> Sequence[Any]:
    rate = {catalogue.MATRIX: one.card.peaks[catalogue.MATRIX]} if one.inferred else None
    priced = [None if part is None else astuple(part) for part in (one.measured, one.new, one.used, one.rent)]
    return [one.power_w, one.psu_w, *priced, one.no_training, rate]
