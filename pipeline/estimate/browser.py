"""The estimator's tables, cards, networks and points in, plain data for docs/javascripts/estimate.js out.

The formulas stand twice, here in Python and there in JavaScript; every table and number stands here only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, fields

from pipeline.dataset import Dataset
from pipeline.estimate import (
    MOST_BATCH,
    MOST_GPUS,
    NEAR_CONTEXT,
    NEAR_TIME,
    coefficients,
    engines,
    inputs,
    memory,
    models,
    speed,
    training,
    weights,
    words,
)
from pipeline.estimate.coefficients import Coefficients
from pipeline.estimate.points import Point
from pipeline.estimate.types import GIB, Card, Model, Request

Plain = dict[str, object]
# Of a card's peaks only those that a formula reads.
PEAKS = tuple(dict.fromkeys((speed.VECTOR, *(field for field, _ in training.PEAKS))))
# Of a network what no formula and no page of the browser reads.
LEFT_OUT = ("aliases", "licence", "stored_weights", "stated_active_parameters_billion")


def data(dataset: Dataset) -> Plain:
    """All that the browser's estimator needs, in one object."""
    cards, registry = inputs.cards(dataset), models.load()
    return {
        "cards": [card(one) for one in cards.values()],
        "models": [model(one) for one in registry.models.values()],
        "coefficients": fitted(coefficients.load(), training.all_shares(dataset, cards, registry)),
        "points": [point(one) for one in inputs.points(dataset, registry).measured],
    }


def card(one: Card) -> Plain:
    """A card; what is unknown is left out."""
    peaks = {field: one.peaks[field] for field in PEAKS if field in one.peaks}
    return _known({f.name: getattr(one, f.name) for f in fields(one)} | {"peaks": peaks})


def model(one: Model) -> Plain:
    """A network: the shapes that differ from the defaults."""
    default = {f.name: f.default for f in fields(one) if f.default is not MISSING}
    shapes = {f.name: getattr(one, f.name) for f in fields(one) if f.name not in LEFT_OUT}
    return {name: value for name, value in shapes.items() if name not in default or value != default[name]}


def fitted(found: Coefficients, runs: Iterable[training.Share]) -> Plain:
    """Coefficients, spreads and the sets behind each, with the tables that the formulas read."""
    return {
        "values": {name: one.value for name, one in found.values.items()},
        "sets": {name: list(one.sets) for name, one in found.values.items()},
        "spreads": {name: {**asdict(one), "statement": words.basis(name, one)} for name, one in found.spreads.items()},
        "runs": [{"architecture": run.architecture, "value": run.value, "results": run.results} for run in runs],
        "tables": tables(),
    }


def point(one: Point) -> Plain:
    """A measured point; a single stream each."""
    asked = one.request
    return {
        "card": one.card.id, "model": one.model.id, "quant": asked.quant, "engine": asked.engine, "gpus": asked.gpus,
        "batch": asked.batch, "tokens": one.tokens, "value": one.value, "date": one.date, "software": one.software,
        "key": one.key,
    }  # fmt: skip


def request(one: Request) -> Plain:
    """A request, every field of it."""
    return asdict(one)


def tables() -> Plain:
    """Every table and constant of the formulas."""
    return {
        "request": request(Request()),
        "limits": {"gpus": MOST_GPUS, "batch": MOST_BATCH, "near_context": NEAR_CONTEXT, "near_time": NEAR_TIME},
        "weights": _weights(),
        "engines": [asdict(one) for one in engines.ENGINES],
        "engine_aliases": dict(engines.ENGINE_ALIASES),
        "back_ends": {name: dict(own) for name, own in engines.BACK_ENDS.items()},
        "driver_share": dict(engines.DRIVER_SHARE),
        "memory": _memory(),
        "speed": {
            "vector": speed.VECTOR,
            "pcie_gb_s": dict(speed.PCIE_GB_S),
            "needed": list(speed.NEEDED),
            "unpackers": list(speed.UNPACKERS),
            "whole_nibble": speed.WHOLE_NIBBLE,
            "pipeline_piece": speed.PIPELINE_PIECE,
            "terms": dict(words.TERMS),
            "memories": dict(words.MEMORIES),
        },
        "training": _training(),
    }


def _weights() -> Plain:
    return {
        "bits": dict(weights.BITS),
        "fallback": dict(weights.FALLBACK),
        "block": weights.BLOCK,
        "mixes": {name: _mix(mix) for name, mix in weights.MIXES.items()},
        "aliases": dict(weights.QUANT_ALIASES),
        "experts_mxfp4": list(weights._EXPERTS_MXFP4),
        "kept_16_bit": list(weights._KEPT_16_BIT),
        "eight_experts": dict(weights._EIGHT_EXPERTS),
        "eight_experts_output": sorted(weights._EIGHT_EXPERTS_OUTPUT),
    }


def _mix(mix: weights.Mix) -> Plain:
    rules = {role: [asdict(rule) for rule in several] for role, several in mix.rules.items()}
    return {"base": mix.base, "rules": rules, "output": mix.output, "gguf": mix.gguf}


def _memory() -> Plain:
    return {
        "gib": GIB,
        "window_pad": memory.WINDOW_PAD,
        "weight_bytes": memory.WEIGHT_BYTES,
        "gradient_bytes": memory.GRADIENT_BYTES,
        "optimizer_bytes": dict(memory.OPTIMIZER_BYTES),
        "adapter_bytes": memory.ADAPTER_BYTES,
        "activation_bytes": memory.ACTIVATION_BYTES,
        "recomputed_bytes": memory.RECOMPUTED_BYTES,
        "logit_bytes": memory.LOGIT_BYTES,
        "training_overhead_gib": memory.TRAINING_OVERHEAD_GIB,
        "frozen_quant": dict(memory.FROZEN_QUANT),
        "adapted": list(memory._ADAPTED),
    }


def _training() -> Plain:
    return {
        "peaks": [list(one) for one in training.PEAKS],
        "enough_runs": training.ENOUGH_RUNS,
        "reference": training.REFERENCE,
        "statement": training.STATEMENT,
        "compared": training.COMPARED,
        "full": training.FULL,
        "frozen": training.FROZEN,
        "recompute": training.RECOMPUTE,
    }


def _known(row: Mapping[str, object]) -> Plain:
    return {name: value for name, value in row.items() if value not in (None, "")}
