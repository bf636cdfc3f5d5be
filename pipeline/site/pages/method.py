"""How a value is chosen and what each derived number means: the tables of the code as a page."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.core import schema
from pipeline.dataset import Dataset
from pipeline.derive import metrics
from pipeline.derive.prices.rules import DEFINITIONS
from pipeline.intake.sources import MODULES
from pipeline.record import reconcile
from pipeline.site.render import Page


def pages(dataset: Dataset) -> Iterator[Page]:
    """The methodology page."""
    priced = {price.source for price in dataset.prices}
    context = {
        "kinds": [(name, schema.KIND_MEANING[name]) for name in schema.KINDS],
        "tolerances": _tolerances(),
        "rules": metrics.RULES,
        "prices": DEFINITIONS,
        "asked": [(module.SOURCE.title, module.SOURCE.prices) for module in MODULES if module.SOURCE.id in priced],
        "launch_days": reconcile.LAUNCH_DAYS,
        "newest": dataset.newest_reading,
        "peak": schema.PEAK,
    }
    yield Page(
        "data/method",
        "method.html.j2",
        context,
        "Method",
        "How a value is chosen among sources, what counts as agreement, and how derived numbers are made.",
        "pipeline/record/reconcile.py",
        hide=("toc",),
    )


def _tolerances() -> list[tuple[str, list[str]]]:
    """Fields by how far two sources may differ and still agree, in percent."""
    numeric = [f for f in (*schema.FIELDS.values(), schema.PEAK) if f.type in ("number", "integer")]
    steps = sorted({f.tolerance for f in numeric})
    return [(f"{step * 100:g} %", [f.label for f in numeric if f.tolerance == step]) for step in steps]
