"""The dataset in, the one JSON out from which a browser computes the same answers: compact, under 200 kB compressed.

Shape (every list of rows has its columns in `columns`; null is unknown):

- `read`: the newest reading of the dataset.
- `cards`: rows id, name, vendor, segment, architecture, form, memory_gb, memory_type, bandwidth_gb_s, link_gb_s,
  pcie_gen, power_w, slots, length_mm, cooling, psu_w, software, last_software, line, status, 16-bit rate that training
  refers to (TFLOPS), vector FP32 rate, whether the 16-bit rate is inferred from its kin.
- `buy`: card → what is said of used cards (allowed, only, no) → [USD, kind, date, who, rankable]; `rent`: card → [USD
  median, lowest, date, who, providers, most GPUs in one machine].
- `models`: id → the shapes that are stated. `bits`, `mixes`, `aliases`: quantizations. `engines`, `driver_share`.
- `coefficients`: name → value; `spreads`: class → [p10, p90]. `decode`: measured points card, model, quantization,
  GPUs, engine, tokens, value, date, software.
- `shares`: [architecture, share of the peak] of published runs. `cnn`: measured rates, exponents, spread, scaling.
- `tasks`, `limits`, `objectives`, `rules` and `assumptions`: the words and constants of this package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from pipeline import staleness
from pipeline.choose import cnn, costs, judge, market, need
from pipeline.choose.shelf import KIN_AGREE, SHARED_OUT_TIMES, VECTOR, Shelf, shelf
from pipeline.dataset import Dataset
from pipeline.estimate import EstimateError, inputs, training
from pipeline.estimate.engines import DRIVER_SHARE, ENGINES
from pipeline.estimate.speed import PCIE_GB_S
from pipeline.estimate.types import Card, Model
from pipeline.estimate.weights import BITS, FALLBACK, MIXES, QUANT_ALIASES

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "cards": ("id", "name", "vendor", "segment", "architecture", "form", "memory_gb", "memory_type", "bandwidth_gb_s",
              "link_gb_s", "pcie_gen", "power_w", "slots", "length_mm", "cooling", "psu_w", "software",
              "last_software", "line", "status", "rate16_tflops", "fp32_tflops", "rate16_inferred"),
    "buy": ("usd", "kind", "date", "who", "rankable"),
    "rent": ("usd", "lowest_usd", "date", "who", "providers", "most_gpus"),
    "decode": ("card", "model", "quant", "gpus", "engine", "tokens", "value", "date", "software"),
    "cnn": ("card", "count", "p10", "median", "p90"),
}  # fmt: skip
# Prose of a file that no formula reads.
UNUSED_MODEL_FIELDS = ("id", "aliases", "licence")


def browser_data(dataset: Dataset) -> dict[str, Any]:
    """Collect everything that an answer is computed from."""
    on = shelf(dataset)
    stated = inputs.cards(dataset)
    return {
        "read": dataset.newest_reading,
        "columns": {name: list(columns) for name, columns in COLUMNS.items()},
        "cards": [_card(dataset, card, stated[name]) for name, card in on.cards.items()],
        "buy": _buys(on),
        "rent": {gpu: [_digits(q.usd), _digits(q.lowest_usd), q.date, q.who, q.providers, q.most_gpus]
                 for gpu, q in on.rents.items()},
        "models": {name: _model(model) for name, model in on.registry.models.items()},
        "bits": dict(BITS), "fallback": dict(FALLBACK), "aliases": dict(QUANT_ALIASES),
        "mixes": {name: asdict(mix) for name, mix in MIXES.items()},
        "engines": [asdict(engine) for engine in ENGINES], "driver_share": dict(DRIVER_SHARE),
        "pcie_gb_s": dict(PCIE_GB_S),
        "coefficients": {name: c.value for name, c in on.coefficients.values.items()},
        "spreads": {name: [s.p10, s.p90] for name, s in on.coefficients.spreads.items()},
        "decode": [[p.card.id, p.model.id, p.request.quant, p.request.gpus, p.request.engine, p.tokens, p.value, p.date,
                    p.software] for points in on.points.values() for p in points],
        "shares": [[s.architecture, _digits(s.value)] for s in on.shares],
        "cnn": _cnn(on.images),
        "tasks": {name: asdict(rule) for name, rule in need.TASKS.items()},
        "limits": {name: list(limit) for name, limit in need.LIMITS.items()},
        "objectives": dict(need.OBJECTIVES), "rules": dict(market.PRICE_RULES), "assumptions": assumptions(),
    }  # fmt: skip


def assumptions() -> dict[str, Any]:
    """The constants of the package, under the names that they have here."""
    plain = need.Need()
    return {
        "host_usd": {str(count): amount for count, amount in costs.HOST_USD.items()},
        "rest_of_machine_w": costs.REST_OF_MACHINE_W, "hour_billed": costs.ONE_HOUR_BILLED,
        "psu_rest_w": judge.REST_W, "psu_share": judge.PSU_SHARE, "quiet_w": judge.QUIET_W,
        "quiet_cards": judge.QUIET_CARDS, "wide_w": judge.WIDE_W, "gaming_cards": judge.MOST_GAMING_CARDS,
        "no_bf16": list(judge.NO_BF16), "least_rate": dict(need.LEAST_RATE), "kin_agree": KIN_AGREE,
        "shared_out_times": SHARED_OUT_TIMES, "price_age_days": staleness.ANSWER_DAYS,
        "enough_runs": training.ENOUGH_RUNS,
        "electricity_usd_per_kwh": plain.electricity_usd_per_kwh, "horizon_months": plain.horizon_months,
        "resale_share": plain.resale_share, "hours_per_week": plain.hours_per_week,
    }  # fmt: skip


def _card(dataset: Dataset, card: Card, stated: Card) -> list[Any]:
    gpu = dataset.gpus[card.id]
    return [
        card.id, card.name, card.vendor, card.segment, card.architecture, gpu.text("form_factor"), card.memory_gb,
        card.memory_type or None, card.memory_bandwidth_gb_s, card.link_gb_s, card.pcie_gen,
        gpu.number("board_power_w"), gpu.number("slot_width"), gpu.number("length_mm"), gpu.text("cooling") or None,
        gpu.number("recommended_psu_w"), gpu.text("software_support") or None,
        gpu.text("last_supported_driver_or_toolkit") or None, gpu.row["line"], gpu.text("status") or None,
        _peak(card), card.peaks.get(VECTOR), card.peaks != stated.peaks,
    ]  # fmt: skip


def _peak(card: Card) -> float | None:
    try:
        return training.peak(card)
    except EstimateError:
        return None


def _buys(on: Shelf) -> dict[str, dict[str, list[Any]]]:
    found: dict[str, dict[str, list[Any]]] = {}
    for used, quotes in on.buys.items():
        for gpu, q in quotes.items():
            found.setdefault(gpu, {})[used] = [_digits(q.usd), q.kind, q.date, q.who, q.firm]
    return found


def _model(model: Model) -> dict[str, Any]:
    plain = {f.name: f.default for f in fields(Model)}
    values = {f.name: getattr(model, f.name) for f in fields(Model) if f.name not in UNUSED_MODEL_FIELDS}
    return {name: value for name, value in values.items() if value != plain[name]}


def _cnn(images: cnn.Table) -> dict[str, Any]:
    measured = [
        [gpu, count, rate.interval.p10, rate.interval.median, rate.interval.p90]
        for (gpu, count), rate in sorted(images.measured.items())
    ]
    return {
        "measured": measured, "vendors": sorted(images.vendors), "exponents": list(images.exponents),
        "spread": list(images.spread), "scaling": {str(n): share for n, share in images.scaling.items()},
        "no_matrix": list(cnn.NO_MATRIX), "no_matrix_name": cnn.NO_MATRIX_NAME,
        "gib_per_image": cnn.GIB_PER_IMAGE, "images_at_a_time": cnn.IMAGES_AT_A_TIME, "fixed_gib": cnn.FIXED_GIB,
    }  # fmt: skip


def _digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.10g}")
