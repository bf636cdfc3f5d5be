"""Which language model fits on how much memory, by number format: the estimator's answer as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.advise.estimate.engines import find
from pipeline.advise.estimate.memory import usable_gib
from pipeline.advise.estimate.models import load
from pipeline.advise.estimate.types import Request
from pipeline.advise.holding import COMMON_SIZES_GB, CONTEXT, TIGHT, asked_context, card_with, is_tight, needed_gib
from pipeline.core.networks import Model
from pipeline.core.wording import number
from pipeline.dataset import Dataset
from pipeline.site.charts.chart import Drawn, OwnChart

FORMATS = {"q4_k_m": "4 bit (Q4_K_M)", "q8_0": "8 bit (Q8_0)", "f16": "16 bit"}
HOW = (
    f"One user, {CONTEXT:,} tokens of context with a 16-bit cache, llama.cpp, one card: weights, cache and working "
    f"memory as the estimator counts them, against what driver and engine leave of a card with that much memory. "
    f"“Tight” fits with {TIGHT}."
)
NOT_SHOWN = "Speed; several cards; more users, which need more cache; other engines, which reserve more."
HEADS = ("model", "name", "format", "memory_gb", "needed_gib", "usable_gib", "fits")


@dataclass(frozen=True, slots=True)
class FitCell:
    """One model in one format on one memory size."""

    memory_gb: int
    usable: float
    state: str  # fits, tight, no


@dataclass(frozen=True, slots=True)
class Fit:
    """One model in one format on every memory size; GiB."""

    model: Model
    quant: str
    format: str
    needed: float
    cells: tuple[FitCell, ...]

    @property
    def least(self) -> int | None:
        """The smallest memory that holds it."""
        return next((cell.memory_gb for cell in self.cells if cell.state != "no"), None)


def rows(models: Mapping[str, Model]) -> list[Fit]:
    """Every language model with every format, by format, the smallest first."""
    language = [model for model in models.values() if model.is_language]
    found = [_fit(model, quant) for quant in FORMATS for model in language]
    order = list(FORMATS)
    return sorted(found, key=lambda fit: (order.index(fit.quant), fit.needed, fit.model.id))


def finding(fits: Sequence[Fit]) -> str:
    """The biggest model at four bit on the memory that most people buy."""
    on_24 = [fit for fit in fits if fit.quant == "q4_k_m" and fit.least is not None and fit.least <= 24]
    if not on_24:
        return "What fits on how much memory"
    most = max(on_24, key=lambda fit: (fit.needed, fit.model.id))
    return f"With 24 GB the largest model of ours that fits at 4 bit is {most.model.name}: {number(most.needed)} GB"


def csv_rows(fits: Sequence[Fit]) -> Iterator[tuple[object, ...]]:
    """Every cell of the table."""
    for fit in fits:
        for cell in fit.cells:
            yield (
                fit.model.id,
                fit.model.name,
                fit.quant,
                cell.memory_gb,
                round(fit.needed, 3),
                round(cell.usable, 3),
                cell.state,
            )


def _fit(model: Model, quant: str) -> Fit:
    request = Request(quant=quant, context=asked_context(model))
    needed, cells = needed_gib(model, quant, request.context), []
    for size in COMMON_SIZES_GB:
        usable = usable_gib(card_with(size), request, find(request.engine)) or 0.0
        state = "no" if needed > usable else "tight" if is_tight(usable - needed, usable) else "fits"
        cells.append(FitCell(size, usable, state))
    return Fit(model, quant, FORMATS[quant], needed, tuple(cells))


def draw(_: Dataset) -> Drawn:
    """A table for each format."""
    fits = rows(load().models)
    formats = [(text, [fit for fit in fits if fit.quant == quant]) for quant, text in FORMATS.items()]
    context = {"formats": formats, "sizes": COMMON_SIZES_GB, "tight": TIGHT}
    return Drawn(finding(fits), context, HEADS, csv_rows(fits))


CHART = OwnChart(
    id="what-fits",
    name="What fits on how much memory",
    menu="What fits",
    kind="table",
    how=HOW,
    not_shown=NOT_SHOWN,
    edit="pipeline/site/charts/what_fits.py",
    says="language models by number format and memory size",
    drawing=draw,
)
