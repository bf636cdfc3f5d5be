"""How much FP32 peak of the shader cores a dollar of launch price bought, over the years."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import metrics
from pipeline.charts.base import Axis, Point, Spec, growth, plotly_json, point
from pipeline.dataset import Dataset
from pipeline.render import day, number

ID = "peak-per-dollar"
NAME = "FP32 peak for a launch dollar"
SPEC = Spec(
    Axis("launch_date", "Launch", False),
    Axis("fp32_gflops_per_launch_usd", "Vector FP32 GFLOPS for a launch dollar (log)", True),
)
HOW = ("Each point is one GPU with a launch date, a vector FP32 peak and a launch price: peak divided by launch "
       "price. FP32 because cards of all years have it. The doubling is that of the record.")  # fmt: skip
NOT_SHOWN = (
    "What the card costs now: a launch price is history. Inflation is not taken out. The matrix units, which "
    "do most of the work in deep learning; cards whose price no maker announced, as most in data centres."
)


def rows(dataset: Dataset) -> list[Point]:
    """A point for each GPU with all three figures, in the order of their ids."""
    found = (
        (gpu, gpu.text("launch_date"), gpu.peak("fp32", "fp32", engine="vector"), gpu.number("launch_price_usd"))
        for gpu in dataset.gpus.values()
    )
    return [
        point(gpu, round(metrics.year_of(date), 4), 1000 * rate / price, day(date),
              f"{number(1000 * rate / price)} GFLOPS for a dollar", rate / price)
        for gpu, date, rate, price in found
        if date and rate and price
    ]  # fmt: skip


def finding(points: Sequence[Point]) -> str:
    """How fast the record grew, from the first record to the last."""
    return growth(points, "the most FP32 peak for a launch dollar") or "FP32 peak for a dollar, by launch date"


def figure(points: Sequence[Point]) -> str:
    """The chart as Plotly's JSON."""
    return plotly_json(points, SPEC)
