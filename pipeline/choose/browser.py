"""The dataset in, what the browser's chooser needs beyond `calculators/data.json` out: prices, fit of cards, rules.

`choose/data.json`. Cards, models, coefficients and measured points stand in `calculators/data.json` alone
(pipeline/estimate/browser.py); both are loaded together. Rows have their columns in `columns`; null is unknown.

- `read`: the newest reading of the dataset, the day from which ages count.
- `columns`: what stands where in the rows of `cards`, `buy` and `rent`.
- `cards`: a row for each GPU, in the order of `calculators/data.json`. `cheapest_usd` is the lowest price that was ever
  newest of its kind, launch included; `supply_w` the power supply that the maker recommends.
- `rates16`: card → the 16-bit matrix rate (TFLOPS) of its kin, where no source states its own; it goes under the peak
  `inferred_peak`.
- `buy`: card → what is said of used cards (allowed, only, no) → row. `only` is the newest used price and `no` the
  newest retail price, or else what is known in its place (see `kind`); `firm`: young enough to be ranked.
- `rent`: card → row: the median of the providers, `lowest_usd`, and the most GPUs in one machine.
- `names`: spelling of a GPU (in the form of pipeline/identity.py: `key`) → its place in `cards`; `maker_words`, `marks`
  belong to that form. `model_names`: spelling → place in the models of `calculators/data.json`.
- `serving_vendors`: on whose cards serving was measured.
- `currencies`: dollars for one unit of each currency in which a need may be said, its words and its rate with the day.
- `cnn`: measured training rates of ResNet-50 (rows card, count, low, median, high, statement), exponents, spread,
  scaling.
- `need`: every field of a need with its default; `kinds`: how the words of an address are read; `tasks`, `limits`,
  `words` (what a choice may be), `objectives`, `price_rules`, `price_kinds`, `least_rate`.
- `constants`: those of this package, under the names that they have there in lower case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from pipeline import identity, staleness
from pipeline.choose import answer, cnn, costs, currency, judge, market, need, shelf, view, words
from pipeline.choose.flip import STEP_USD
from pipeline.dataset import Dataset, GpuRecord
from pipeline.estimate import inputs
from pipeline.metrics import BUY_KINDS, newest_price

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "cards": ("id", "form", "power_w", "slots", "length_mm", "cooling", "supply_w", "software", "last_software", "line",
              "status", "cheapest_usd"),
    "buy": ("usd", "kind", "date", "who", "firm", "url"),
    "rent": ("usd", "lowest_usd", "date", "who", "providers", "most_gpus"),
    "cnn": ("card", "count", "p10", "median", "p90", "statement"),
}  # fmt: skip


def browser_data(dataset: Dataset) -> dict[str, Any]:
    """Collect what an answer is computed from besides the estimator's data."""
    on = shelf.shelf(dataset)
    return {
        "read": dataset.newest_reading,
        "columns": {name: list(columns) for name, columns in COLUMNS.items()},
        "cards": [_card(gpu) for gpu in dataset.gpus.values()],
        "rates16": _inferred(dataset, on), "inferred_peak": shelf.MATRIX,
        "buy": _buys(on),
        "rent": {gpu: [q.usd, q.lowest_usd, q.date, q.who, q.providers, q.most_gpus] for gpu, q in on.rents.items()},
        "names": _names(dataset), "maker_words": sorted(identity.MAKER_WORDS), "marks": _marks(),
        "model_names": _model_names(on),
        "serving_vendors": sorted(on.serving_vendors),
        "cnn": _cnn(on.images), **_words(), "constants": constants(),
    }  # fmt: skip


def constants() -> dict[str, Any]:
    """The constants of the package, under the names that they have here."""
    return {
        "counts": list(shelf.COUNTS), "shared_out_times": shelf.SHARED_OUT_TIMES,
        "no_serving": shelf.NO_SERVING,
        "host_usd": {str(count): amount for count, amount in costs.HOST_USD.items()},
        "rest_of_machine_w": costs.REST_OF_MACHINE_W, "one_hour_billed": costs.ONE_HOUR_BILLED,
        "rest_w": judge.REST_W, "psu_share": judge.PSU_SHARE, "quiet_w": judge.QUIET_W,
        "quiet_cards": judge.QUIET_CARDS, "quiet_words": judge.QUIET_WORDS,
        "wide_w": judge.WIDE_W, "most_gaming_cards": judge.MOST_GAMING_CARDS,
        "to_buy": list(judge.TO_BUY), "no_bf16": list(judge.NO_BF16), "no_longer": list(judge.NO_LONGER),
        "llama_vendors": list(judge.LLAMA_VENDORS), "not_for_llama": list(judge.NOT_FOR_LLAMA),
        "pytorch_words": {vendor: list(stacks) for vendor, stacks in judge.PYTORCH_WORDS.items()},
        "price_age_days": staleness.ANSWER_DAYS, "step_usd": dict(STEP_USD),
        "alternatives": answer.ALTERNATIVES, "unpriced": answer.UNPRICED, "ways_out": answer.WAYS_OUT,
        "faster": answer.FASTER, "roomier_gib": answer.ROOMIER_GIB,
        "thinkable_share": answer.THINKABLE_SHARE, "thinkable_usd": answer.THINKABLE_USD,
        "quants": {engine: list(ladder) for engine, ladder in answer.QUANTS.items()},
        "lighter_task": answer.LIGHTER_TASK, "least_context": answer.LEAST_CONTEXT, "most_gpus": answer.MOST_GPUS,
        "lifted": answer.LIFTED, "lost_shown": words.LOST_SHOWN, "ranked_shown": words.RANKED_SHOWN,
        "ranked_first": view.RANKED_FIRST,
        "worth_saying": view.WORTH_SAYING, "command": view.COMMAND,
    }  # fmt: skip


def _card(gpu: GpuRecord) -> list[Any]:
    rows = (newest_price(gpu, kind) for kind in BUY_KINDS)
    seen = [*(float(row["usd_per_unit"]) for row in rows if row is not None), gpu.number("launch_price_usd")]
    return [
        gpu.id, gpu.text("form_factor"), gpu.number("board_power_w"), gpu.number("slot_width"),
        gpu.number("length_mm"), gpu.text("cooling"), gpu.number("recommended_psu_w"), gpu.text("software_support"),
        gpu.text("last_supported_driver_or_toolkit"), gpu.row["line"], gpu.text("status"),
        min((usd for usd in seen if usd), default=None),
    ]  # fmt: skip


def _inferred(dataset: Dataset, on: shelf.Shelf) -> dict[str, float]:
    stated = inputs.cards(dataset)
    return {gpu: card.peaks[shelf.MATRIX] for gpu, card in on.cards.items() if card.peaks != stated[gpu].peaks}


def _buys(on: shelf.Shelf) -> dict[str, dict[str, list[Any]]]:
    found: dict[str, dict[str, list[Any]]] = {}
    for used, quotes in on.buys.items():
        for gpu, q in quotes.items():
            found.setdefault(gpu, {})[used] = [q.usd, q.kind, q.date, q.who, q.firm, q.url]
    return found


def _names(dataset: Dataset) -> dict[str, int]:
    place = {gpu: i for i, gpu in enumerate(dataset.gpus)}
    return {
        identity.key(text): place[gpu.id] for gpu in dataset.gpus.values() for text in (gpu.id, gpu.name, *gpu.aliases)
    }


def _marks() -> dict[str, str]:
    return {chr(mark): str(instead) for mark, instead in identity.MARKS.items()}


def _model_names(on: shelf.Shelf) -> dict[str, int]:
    place = {model: i for i, model in enumerate(on.registry.models)}
    return {spelling: place[model] for spelling, model in on.registry.spellings.items()}


def _cnn(images: cnn.Table) -> dict[str, Any]:
    measured = [
        [gpu, count, rate.interval.p10, rate.interval.median, rate.interval.p90, rate.statement]
        for (gpu, count), rate in sorted(images.measured.items())
    ]
    return {
        "measured": measured, "vendors": sorted(images.vendors), "points": images.points,
        "exponents": list(images.exponents), "spread": list(images.spread),
        "scaling": {str(n): share for n, share in images.scaling.items()},
        "no_matrix": list(cnn.NO_MATRIX), "no_matrix_name": cnn.NO_MATRIX_NAME, "vector": cnn.VECTOR,
        "gib_per_image": cnn.GIB_PER_IMAGE, "images_at_a_time": cnn.IMAGES_AT_A_TIME, "fixed_gib": cnn.FIXED_GIB,
        "unknown_maker": cnn.UNKNOWN_MAKER,
    }  # fmt: skip


def _words() -> dict[str, Any]:
    plain = need.Need()
    return {
        "need": {f.name: getattr(plain, f.name) for f in fields(need.Need)},
        "kinds": {f.name: _kind(f.name, str(f.type)) for f in fields(need.Need)},
        "tasks": {name: asdict(rule) for name, rule in need.TASKS.items()},
        "limits": {name: list(limit) for name, limit in need.LIMITS.items()},
        "words": {"task": list(need.TASKS), "runs_on": list(need.RUNS_ON), "used": list(need.USED),
                  "prefer": list(need.PREFER), "currency": list(currency.load())},
        "currencies": {code: {"usd": one.usd, "word": one.word, "sign": one.sign, "rate": one.rate_words}
                       for code, one in currency.load().items()},
        "objectives": dict(need.OBJECTIVES), "price_rules": dict(market.PRICE_RULES),
        "price_kinds": dict(market.KIND_WORDS), "least_rate": dict(need.LEAST_RATE), "training": list(need.TRAINING),
    }  # fmt: skip


def _kind(name: str, annotation: str) -> str:
    """How the words of an address are read: prices, yes, whole, number or text."""
    if annotation.startswith("Mapping"):
        return "prices"
    if annotation == "bool":
        return "yes"
    if name in need.WHOLE or name == "kv_bits":
        return "whole"
    return "number" if name in need.LIMITS else "text"
