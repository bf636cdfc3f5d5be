"""How the dense 16-bit peak of GPUs grew with their launch dates."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import metrics
from pipeline.charts.base import SIXTEEN_BIT, Axis, Point, Spec, growth, plotly_json, point
from pipeline.dataset import Dataset
from pipeline.render import day, number

ID = "performance-over-time"
NAME = "Performance over time"
SPEC = Spec(Axis("launch_date", "Launch", False), SIXTEEN_BIT)
HOW = ("Each point is one GPU with a launch date and a dense 16-bit matrix peak (BF16, else FP16, with FP32 "
       "accumulation). A date told only as a year or month stands in its middle.")  # fmt: skip
NOT_SHOWN = "Measured speed, which depends on memory, software and the work; cards without matrix units; sparse rates."


def rows(dataset: Dataset) -> list[Point]:
    """A point for each GPU with a launch date and a 16-bit peak, in the order of their ids."""
    found = ((gpu, gpu.text("launch_date"), metrics.sixteen_bit(gpu)) for gpu in dataset.gpus.values())
    return [
        point(
            gpu, round(metrics.year_of(date), 4), rate.tflops, day(date), f"{number(rate.tflops)} TFLOPS", rate.tflops
        )
        for gpu, date, rate in found
        if date and rate
    ]


def finding(points: Sequence[Point]) -> str:
    """How fast the record grew, from the first record to the last."""
    return growth(points, "the highest 16-bit peak of one card") or "The 16-bit peak of GPUs by launch date"


def figure(points: Sequence[Point]) -> str:
    """The chart as Plotly's JSON."""
    return plotly_json(points, SPEC)
