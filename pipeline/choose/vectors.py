"""A fixed seed in, needs as words with Python's answers out: what docs/javascripts/choose.js must answer too."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.choose.answer import Answer, choose
from pipeline.choose.judge import Option
from pipeline.choose.need import OBJECTIVES, PREFER, RUNS_ON, TASKS, USED, NeedError, as_words, parse
from pipeline.choose.questions import QUESTIONS
from pipeline.choose.shelf import shelf
from pipeline.choose.view import lost, view
from pipeline.choose.words import as_text
from pipeline.dataset import Dataset
from pipeline.estimate.weights import MIXES

Words = Mapping[str, str]
SEED, COUNT = 20_261_121, 360
SILLY_SHARE = 0.15
# Values that make sense, field by field; a need takes a few of them.
SENSIBLE: Mapping[str, Sequence[str]] = {
    "quant": (*MIXES, "Q4_K_M", "awq"), "kv_bits": ("4", "8", "16"),
    "context": ("1", "512", "1024", "2048", "4096", "8192", "32768"), "batch": ("1", "2", "4", "32", "100"),
    "units": ("1e6", "5e6", "20000000", "2e9", "1e12"), "deadline_hours": ("0.5", "5", "48", "336"),
    "least_rate": ("1", "10", "33.3", "400"), "budget_usd": ("100", "300", "800", "1500", "9999.5", "60000"),
    "budget_per_month_usd": ("5", "49.5", "400", "3000"), "max_power_w": ("75", "300", "1200"),
    "psu_w": ("450", "850", "1600"), "slots": ("1", "2", "2.5", "16"), "length_mm": ("180", "267", "300"),
    "quiet": ("yes", "no"), "rack": ("yes", "no"), "max_gpus": ("1", "2", "4", "8"), "runs_on": RUNS_ON,
    "current_software": ("yes", "no"), "used": USED, "min_memory_gb": ("8", "24", "80"),
    "hours_per_week": ("1", "20", "56", "168"), "electricity_usd_per_kwh": ("0", "0.12", "0.45"),
    "host_usd": ("0", "750"), "horizon_months": ("1", "12", "36"), "resale_share": ("0", "0.3", "0.9"),
    "prefer": PREFER, "objective": tuple(OBJECTIVES),
    "currency": ("USD", "EUR", "GBP"),
    "own_prices": ("rtx-4090=1500", "RTX 3090=612.5,nvidia-geforce-rtx-5090=1999", "nvidia-geforce-gtx-1080-ti=90"),
    "own_rents": ("nvidia-geforce-rtx-4090=0.2", "NVIDIA H100 SXM5 80GB=1.25", "nvidia-l4=0.001"),
}  # fmt: skip
SILLY: Mapping[str, Sequence[str]] = {
    "task": ("dance", "CHAT"), "model": ("gpt-99", "resnet-50", "llama-3.1-8b-instruct", "", "'"),
    "quant": ("q99", "f16\n"), "kv_bits": ("5", "x"), "context": ("0", "-1", "10000000000", "1e3", "131073", "8.5"),
    "batch": ("0", "70000"), "units": ("0", "nan", "1e99", "inf"), "deadline_hours": ("0", "-3", "soon"),
    "least_rate": ("0", "1e10"), "budget_usd": ("-800", "0", "lots", "inf", "800 dollars"),
    "hours_per_week": ("0", "169"), "max_gpus": ("0", "1000000"), "electricity_usd_per_kwh": ("-1", "11"),
    "resale_share": ("1", "2"), "quiet": ("maybe", "YES"),
    "own_prices": ("rtx-4090", "no-such-card=5", "rtx-4090=-5", "rtx-4090=x", "=3"),
    "colour": ("blue",), "currency": ("eur", "yen"),
    "used": ("perhaps",), "objective": ("best",), "horizon_months": ("0", "1e3"),
}  # fmt: skip


def vectors(dataset: Dataset, count: int = COUNT) -> list[dict[str, Any]]:
    """The twelve questions and random needs, each with the answer or the sentence that refuses it."""
    asked = [as_words(question.need) for question in QUESTIONS]
    return [case(dataset, words) for words in (*asked, *random_words(dataset, count))]


def random_words(dataset: Dataset, count: int) -> Iterator[Words]:
    """Needs as somebody might type them, some of them silly."""
    chance = random.Random(SEED)  # noqa: S311 (the same needs every time)
    language = [m.id for m in shelf(dataset).registry.models.values() if m.is_language]
    for _ in range(count):
        task = chance.choice(list(TASKS))
        words = {"task": task, "model": "resnet-50" if task == "cnn" else chance.choice(language)}
        for name in chance.sample(list(SENSIBLE), chance.randint(0, 7)):
            words[name] = chance.choice(SENSIBLE[name])
        if chance.random() < SILLY_SHARE:
            name = chance.choice(list(SILLY))
            words[name] = chance.choice(SILLY[name])
        yield words


def case(dataset: Dataset, words: Words) -> dict[str, Any]:
    """One need with what Python answers."""
    try:
        answer = choose(dataset, parse(words))
    except NeedError as error:
        return {"words": dict(words), "refused": str(error)}
    return {"words": dict(words), "numbers": numbers(answer), "view": view(answer), "lost": lost(answer),
            "text": as_text(answer)}  # fmt: skip


def numbers(answer: Answer) -> dict[str, Any]:
    """Every number of an answer, unrounded, and every order."""
    flip, flow = answer.flip, answer.workload
    return {
        "first": _option(answer.first) if answer.first else None,
        "ranked": [_option(option) for option in answer.ranked],
        "alternatives": [[_option(a.option), a.wins_below] for a in answer.alternatives],
        "flip": None
        if flip is None
        else [flip.gpu, flip.way, flip.price_now, flip.threshold, flip.direction, flip.then],
        "workload": flow and [flow.amount, flow.unit, flow.buy, flow.rent],
        "unpriced": [[_option(option), price] for option, price in answer.unpriced],
        "lost": [f"{option.gpu.id} {option.count} {option.way}" for option, _ in answer.lost],
        "ways_out": [[way.change, _option(way.option)] for way in answer.ways_out],
    }


def _option(option: Option) -> list[Any]:
    able, cost, known = option.ability, option.cost, option.quote is not None
    rate, spot = able.rate, option.price
    return [
        f"{option.gpu.id} {option.count} {option.way}", spot if known else None, able.needed_gib, able.usable_gib,
        able.room_gib, [rate.median, rate.p10, rate.p90] if rate else None, able.measured,
        cost.paid.at(spot) if known else None, option.total_usd, cost.monthly.at(spot) if known else None,
        cost.per_million.at(spot) if known and cost.per_million else None, cost.run_hours, cost.power_w,
        cost.energy_usd, cost.used_hours,
    ]  # fmt: skip
