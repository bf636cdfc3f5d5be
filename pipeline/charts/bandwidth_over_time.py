"""How the memory bandwidth of GPUs grew with their launch dates."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import metrics
from pipeline.charts.base import BANDWIDTH, Axis, Point, Spec, growth, plotly_json, point
from pipeline.dataset import Dataset
from pipeline.render import day, number

ID = "bandwidth-over-time"
NAME = "Memory bandwidth over time"
SPEC = Spec(Axis("launch_date", "Launch", False), BANDWIDTH)
HOW = ("Each point is one GPU with a launch date and a memory bandwidth. A date told only as a year or month stands in "
       "its middle. The doubling is that of the record: from the first card that led to the last.")  # fmt: skip
NOT_SHOWN = "What a program really reaches, which is less; caches, which help some work and not other."


def rows(dataset: Dataset) -> list[Point]:
    """A point for each GPU with a launch date and a bandwidth, in the order of their ids."""
    found = ((gpu, gpu.text("launch_date"), gpu.number("memory_bandwidth_gb_s")) for gpu in dataset.gpus.values())
    return [
        point(gpu, round(metrics.year_of(date), 4), bandwidth, day(date), f"{number(bandwidth)} GB/s", bandwidth)
        for gpu, date, bandwidth in found
        if date and bandwidth
    ]


def finding(points: Sequence[Point]) -> str:
    """How fast the record grew, from the first record to the last."""
    return growth(points, "the highest memory bandwidth of one card") or "Memory bandwidth of GPUs by launch date"


def figure(points: Sequence[Point]) -> str:
    """The chart as Plotly's JSON."""
    return plotly_json(points, SPEC)
