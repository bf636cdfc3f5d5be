"""One card's peak and bandwidth in, its roofline as the pixels of a static picture out."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline import metrics
from pipeline.charts.base import Scale, Size, Tick, pixel
from pipeline.dataset import GpuRecord
from pipeline.render import number

FRAME = Size("roofline", 440, 250, left=54, right=18, top=16, bottom=40)
LOW, HIGH = 0.5, 4096.0  # operations for each byte
# 16-bit weights: two operations a weight and sequence, two bytes a weight, so that a step on a batch of n does n
# operations for each byte of weights that it reads. Cache and activations are left out, which flatters large batches.
WORK = {"one user": 1.0, "8 users": 8.0, "64 users": 64.0, "prompt of 1,024 tokens": 1024.0}


@dataclass(frozen=True, slots=True)
class Work:
    """One kind of work on the roof."""

    name: str
    intensity: float
    tflops: float
    share: float  # of the peak
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Roofline:
    """The picture and its numbers."""

    size: Size
    right: int
    bottom: int
    roof: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    works: tuple[Work, ...]
    ridge: float
    title: str


def roofline(gpu: GpuRecord) -> Roofline | None:
    """The roofline of a card whose 16-bit peak and bandwidth are known."""
    rate, bandwidth = metrics.sixteen_bit(gpu), gpu.number("memory_bandwidth_gb_s")
    ridge = metrics.operations_per_byte(gpu)
    if not rate or not bandwidth or not ridge or not LOW < ridge < HIGH:
        return None
    right, bottom = FRAME.width - FRAME.right, FRAME.height - FRAME.bottom
    x = Scale(LOW, HIGH, FRAME.left, right, True)
    least = LOW * bandwidth / 1000
    y = Scale(least, rate.tflops * 1.6, bottom, FRAME.top, True)
    roof = f"M{pixel(x(LOW))} {pixel(y(least))}L{pixel(x(ridge))} {pixel(y(rate.tflops))}H{pixel(right)}"
    works = tuple(_work(name, at, rate.tflops, bandwidth, x, y) for name, at in WORK.items())
    return Roofline(
        FRAME, right, bottom, roof, tuple(Tick(pixel(x(v)), number(v)) for v in (1, 10, 100, 1000)),
        tuple(Tick(pixel(y(v)), number(v)) for v in y.ticks(6)), works, ridge,
        f"Memory is the limit below {number(ridge, 2)} operations for each byte: one user gets at most "
        f"{number(100 * works[0].share, 2)} % of the 16-bit peak",
    )  # fmt: skip


def _work(name: str, intensity: float, peak: float, bandwidth: float, x: Scale, y: Scale) -> Work:
    reached = min(peak, intensity * bandwidth / 1000)
    return Work(name, intensity, reached, reached / peak, pixel(x(intensity)), pixel(y(reached)))
