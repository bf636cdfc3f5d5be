"""How much memory bandwidth a dollar of launch price bought, over the years."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import metrics
from pipeline.charts.base import Axis, Point, Spec, growth, plotly_json, point
from pipeline.dataset import Dataset
from pipeline.render import day, number

ID = "bandwidth-per-dollar"
NAME = "Bandwidth for a launch dollar"
SPEC = Spec(
    Axis("launch_date", "Launch", False),
    Axis("bandwidth_gb_s_per_launch_usd", "GB/s for a launch dollar (log)", True),
)
HOW = ("Each point is one GPU with a launch date, a memory bandwidth and a launch price: bandwidth divided by launch "
       "price. The doubling is that of the record.")  # fmt: skip
NOT_SHOWN = "What the card costs now: a launch price is history. Inflation is not taken out."


def rows(dataset: Dataset) -> list[Point]:
    """A point for each GPU with all three figures, in the order of their ids."""
    found = (
        (gpu, gpu.text("launch_date"), gpu.number("memory_bandwidth_gb_s"), gpu.number("launch_price_usd"))
        for gpu in dataset.gpus.values()
    )
    return [
        point(gpu, round(metrics.year_of(date), 4), bandwidth / price, day(date),
              f"{number(bandwidth / price)} GB/s for a dollar", bandwidth / price)
        for gpu, date, bandwidth, price in found
        if date and bandwidth and price
    ]  # fmt: skip


def finding(points: Sequence[Point]) -> str:
    """How fast the record grew, from the first record to the last."""
    return growth(points, "the most bandwidth for a launch dollar") or "Memory bandwidth for a dollar, by launch date"


def figure(points: Sequence[Point]) -> str:
    """The chart as Plotly's JSON."""
    return plotly_json(points, SPEC)
