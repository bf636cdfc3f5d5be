"""What docs/javascripts/estimator.js reads: cards, networks counted in every format, coefficients, measured points.

The formulas themselves are translated (pipeline/site/scripts); what asks a network tensor by tensor is worked out here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, astuple, fields
from functools import lru_cache
from typing import Any

from pipeline.advise.estimate import coefficients, inputs, models, shapes, training, types, weights
from pipeline.advise.estimate.coefficients import Coefficients
from pipeline.advise.estimate.points import Point, Tuned
from pipeline.advise.estimate.types import Card, EstimateError
from pipeline.core.networks import Model
from pipeline.dataset import Dataset

Plain = dict[str, object]
# Of a card's peaks only those that a formula reads, and those that tell of 8-bit floating point.
PEAKS = (types.VECTOR, *(field for field, _ in types.PEAKS))
EIGHT = "peak:fp8"
# Of a network what the formulas and pages of the browser read besides its counts.
READ = ("id", "name", "kind", "layers", "context", "experts")


def data(dataset: Dataset) -> Plain:
    """All that the browser's estimator needs, in one object."""
    cards, registry = inputs.cards(dataset), models.load()
    known = inputs.points(dataset, registry)
    return {
        "cards": [card(one) for one in cards.values()],
        "models": [model(one) for one in registry.models.values()],
        "coefficients": fitted(coefficients.load()),
        "shares": [share(one) for one in training.all_shares(dataset, cards, registry)],
        "points": [point(one) for one in known.measured],
        "steps": steps(known.steps),
        "same_chip": training.same_chip(dataset, {one.card.id for one in known.steps}),
    }


def card(one: Card) -> list[object]:
    """A card: its fields in their order."""
    peaks = {field: rate for field, rate in one.peaks.items() if field in PEAKS or field.startswith(EIGHT)}
    return [peaks if f.name == "peaks" else getattr(one, f.name) for f in fields(one)]


@lru_cache(maxsize=512)
def model(one: Model) -> Plain:
    """A network: its counts and its bytes in each format of MIXES, or the sentence on what is missing to count it."""
    own: Plain = {name: getattr(one, name) for name in READ if getattr(one, name) is not None}
    try:
        shape = [_short(value) for value in astuple(shapes.shape_of(one))]
        return own | {"shape": shape, "formats": [_bytes(one, quant) for quant in weights.MIXES]}
    except EstimateError as error:
        return own | {"missing": str(error)}


def _bytes(one: Model, quant: str) -> list[float]:
    """The whole file, what of it is looked up only, and all experts; the rest is what every token reads."""
    form = shapes.format_of(one, quant)
    told = [form.weights, form.lookup, form.experts]
    while not told[-1]:
        told.pop()
    return [_short(value) for value in told]


def _short(value: Any) -> Any:  # noqa: ANN401
    """Whole numbers without their point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def fitted(found: Coefficients) -> Plain:
    """The coefficients with the sets of runs behind them, and the spreads."""
    return {
        "values": {
            name: {"value": one.value, "sets": one.sets, "note": one.note} for name, one in found.values.items()
        },
        "spreads": {name: asdict(one) for name, one in found.spreads.items()},
    }


def share(one: training.KeptShare) -> Plain:
    """What a published run kept of the peak."""
    return {"architecture": one.architecture, "value": one.value, "results": one.results}


def steps(measured: Iterable[Tuned]) -> dict[str, list[Plain]]:
    """The measured steps of training that may answer a question, by card."""
    found: dict[str, list[Plain]] = {}
    for one in measured:
        if one.request.gpus <= training.MACHINE:
            found.setdefault(one.card.id, []).append(step(one))
    return found


def step(one: Tuned) -> Plain:
    """A measured step of training."""
    asked, told = one.request, ("task", "quant", "batch", "context", "gpus", "recompute")
    return {
        "card": {"id": one.card.id},
        "request": {name: getattr(asked, name) for name in told},
        "active": one.active,
        "layers": one.layers,
        "value": one.value,
        "date": one.date,
        "software": one.software,
    }


def point(one: Point) -> Plain:
    """A measured point, a single stream each; by which key its run is found stays with Python."""
    asked = one.request
    return {
        "card": {"id": one.card.id},
        "model": {"id": one.model.id},
        "request": {"quant": asked.quant, "engine": asked.engine, "gpus": asked.gpus, "batch": asked.batch},
        "tokens": one.tokens,
        "value": one.value,
        "date": one.date,
        "software": one.software,
    }
