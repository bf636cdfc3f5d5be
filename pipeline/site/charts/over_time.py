"""Four charts of one kind, a figure of each GPU against its launch date: how fast the record grew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pipeline.core.wording import day, number
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.metrics import quotient
from pipeline.site.charts.base import (
    BANDWIDTH,
    BANDWIDTH_HIDES,
    LAUNCH_PRICE_HIDES,
    SIXTEEN_BIT,
    Axis,
    ChartPoint,
    PointsChart,
    Spec,
    growth,
    point,
)
from pipeline.site.charts.measured_peak import best_matmul

LAUNCH = Axis("launch_date", "Launch", False)
DATES = (
    "A date told only as a year or month stands in its middle. The doubling is that of the record; the broken line "
    "leads from the first record to the last."
)


@dataclass(frozen=True, slots=True)
class OverTime:
    """One figure against the launch date."""

    id: str
    name: str
    menu: str
    spec: Spec
    how: str
    not_shown: str
    read: Callable[[GpuRecord], float | None]
    unit: str  # behind a value
    record: str  # what doubled, in the sentence of the finding

    @property
    def chart(self) -> PointsChart:
        """Its entry in the list of charts."""
        return PointsChart(
            id=self.id,
            name=self.name,
            menu=self.menu,
            kind="points",
            how=self.how,
            not_shown=self.not_shown,
            edit="pipeline/site/charts/over_time.py",
            spec=self.spec,
            rows=self.rows,
            finding=self.finding,
        )

    def rows(self, dataset: Dataset) -> list[ChartPoint]:
        """A point for each GPU with a launch date and the figure, in the order of their ids."""
        measured = best_matmul(dataset) if self.spec.reached else {}
        found = ((gpu, gpu.launch_date, self.read(gpu)) for gpu in dataset.gpus.values())
        return [
            replace(
                point(gpu, round(metrics.year_of(date), 4), value, day(date), f"{number(value)} {self.unit}", value),
                reached=measured[gpu.id].value if gpu.id in measured else None,
            )
            for gpu, date, value in found
            if date and value
        ]

    def finding(self, points: Sequence[ChartPoint]) -> str:
        """How fast the record grew, from the first record to the last."""
        return growth(points, self.record) or f"{self.name}, by launch date"


def _per_dollar(read: Callable[[GpuRecord], float | None], times: float = 1.0) -> Callable[[GpuRecord], float | None]:
    def divided(gpu: GpuRecord) -> float | None:
        each = quotient(read(gpu), gpu.launch_price_usd)
        return each * times if each else None

    return divided


PERFORMANCE = OverTime(
    "performance-over-time",
    "Performance over time",
    "Performance over time",
    Spec(LAUNCH, SIXTEEN_BIT, reached="measured_bf16_tflops", trend=True),
    f"Each point is one GPU with a launch date and a dense 16-bit matrix peak (BF16, else FP16, with FP32 "
    f"accumulation). The bar under some points is the best BF16 matrix multiplication that somebody measured on the "
    f"card (MAMF). {DATES}",
    "What a whole model reaches, which depends on memory, software and the work; cards without matrix units; sparse "
    "rates.",
    metrics.sixteen_bit_tflops,
    "TFLOPS",
    "the highest 16-bit peak of one card",
)
MEMORY = OverTime(
    "bandwidth-over-time",
    "Memory bandwidth over time",
    "Bandwidth over time",
    Spec(LAUNCH, BANDWIDTH, trend=True),
    f"Each point is one GPU with a launch date and a memory bandwidth. {DATES}",
    BANDWIDTH_HIDES,
    metrics.memory_bandwidth,
    "GB/s",
    "the highest memory bandwidth of one card",
)
MEMORY_PER_DOLLAR = OverTime(
    "bandwidth-per-dollar",
    "Bandwidth for a launch dollar",
    "Bandwidth per dollar",
    Spec(LAUNCH, Axis("bandwidth_gb_s_per_launch_usd", "GB/s for a launch dollar (log)", True), trend=True),
    f"Each point is one GPU with a launch date, a memory bandwidth and a launch price: bandwidth divided by launch "
    f"price. {DATES}",
    LAUNCH_PRICE_HIDES,
    _per_dollar(metrics.memory_bandwidth),
    "GB/s for a dollar",
    "the most bandwidth for a launch dollar",
)
PEAK_PER_DOLLAR = OverTime(
    "peak-per-dollar",
    "FP32 peak for a launch dollar",
    "Peak per dollar",
    Spec(LAUNCH, Axis("fp32_gflops_per_launch_usd", "Vector FP32 GFLOPS for a launch dollar (log)", True), trend=True),
    f"Each point is one GPU with a launch date, a vector FP32 peak and a launch price: peak divided by launch price. "
    f"FP32 because cards of all years have it. {DATES}",
    f"{LAUNCH_PRICE_HIDES} The matrix units, which do most of the work in deep learning; cards whose price no maker "
    "announced, as most in data centres.",
    _per_dollar(lambda gpu: gpu.peak("fp32", "fp32", engine="vector"), 1000),
    "GFLOPS for a dollar",
    "the most FP32 peak for a launch dollar",
)
CHARTS = (PERFORMANCE, MEMORY, MEMORY_PER_DOLLAR, PEAK_PER_DOLLAR)
