"""How many of the requests that arrive together an engine answers at a time."""

from __future__ import annotations

from pipeline.advise.estimate import core
from pipeline.advise.estimate.engines import Engine
from pipeline.advise.estimate.shapes import format_of, shape_of
from pipeline.advise.estimate.types import Card, Request
from pipeline.core.networks import Model


def running(card: Card, model: Model, asked: Request, engine: Engine) -> float:
    """Those whose cache fits beside the weights; the others wait. All of them where the memory is not known."""
    shape, form = shape_of(model), format_of(model, asked.quant)
    return core.streams(shape, form, asked, engine, core.usable_gib(card, asked, engine))
