"""How high each GPU's dense 16-bit peak is, and how much power its board may draw."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import metrics
from pipeline.charts.base import SIXTEEN_BIT, Axis, Point, Spec, point, short
from pipeline.dataset import Dataset
from pipeline.render import number, ratio

ID = "performance-per-watt"
NAME = "Performance per watt"
SPEC = Spec(Axis("board_power_w", "Board power, W (log)", True), SIXTEEN_BIT)
HOW = ("Each point is one GPU with a board power and a dense 16-bit matrix peak (BF16, else FP16, with FP32 "
       "accumulation). Peak divided by board power is the figure that the finding compares.")  # fmt: skip
NOT_SHOWN = ("What a card really draws at work, and the machine around it. Many cards keep most of their speed under a "
             "lower power limit.")  # fmt: skip
DESKTOP = ("consumer", "workstation")


def rows(dataset: Dataset) -> list[Point]:
    """A point for each GPU with both figures, in the order of their ids; the most per watt is labelled first."""
    found = ((gpu, gpu.number("board_power_w"), metrics.sixteen_bit(gpu)) for gpu in dataset.gpus.values())
    return [
        point(gpu, power, rate.tflops, f"{number(power)} W", f"{number(rate.tflops)} TFLOPS", rate.tflops / power)
        for gpu, power, rate in found
        if power and rate
    ]


def finding(points: Sequence[Point]) -> str:
    """The card with the most 16-bit peak for a watt, beside the best that fits a desktop."""
    if not points:
        return "16-bit peak against board power: no card has both figures yet"
    best = max(points, key=lambda p: (p.weight, p.gpu))
    said = f"Most 16-bit peak for a watt: {short(best.name)}, {number(best.weight, 2)} TFLOPS"
    desk = max((p for p in points if p.segment in DESKTOP), key=lambda p: (p.weight, p.gpu), default=best)
    if desk is best:
        return said
    return f"{said}, {ratio(best.weight / desk.weight)} the best desktop card, {short(desk.name)}"
