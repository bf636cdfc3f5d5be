"""What memory bandwidth cost at launch, card by card."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.core.wording import dollars, number, short
from pipeline.dataset import Dataset
from pipeline.site.charts.base import BANDWIDTH, LAUNCH_PRICE_HIDES, Axis, ChartPoint, PointsChart, Spec, point

SPEC = Spec(Axis("launch_price_usd", "Launch price, USD (log)", True), BANDWIDTH)
HOW = (
    "Each point is one GPU with an announced launch price and a known bandwidth. Bandwidth limits how fast a "
    "language model answers one user."
)


def rows(dataset: Dataset) -> list[ChartPoint]:
    """A point for each GPU with both figures, in the order of their ids; the best value is labelled first."""
    found = ((gpu, gpu.launch_price_usd, gpu.memory_bandwidth_gb_s) for gpu in dataset.gpus.values())
    return [
        point(gpu, price, bandwidth, dollars(price), f"{number(bandwidth)} GB/s", bandwidth / price)
        for gpu, price, bandwidth in found
        if price and bandwidth
    ]


def finding(points: Sequence[ChartPoint]) -> str:
    """The card with the most bandwidth per dollar at its launch price."""
    if not points:
        return "Launch prices against bandwidth: no card has both figures yet"
    best = max(points, key=lambda p: (p.weight, p.gpu))
    return f"Most bandwidth for its launch price: {short(best.name)}, {number(best.weight)} GB/s for each dollar"


CHART = PointsChart(
    id="launch-price",
    name="Launch price and bandwidth",
    menu="Launch price",
    kind="points",
    how=HOW,
    not_shown=LAUNCH_PRICE_HIDES,
    edit="pipeline/site/charts/launch_price.py",
    spec=SPEC,
    rows=rows,
    finding=finding,
)
