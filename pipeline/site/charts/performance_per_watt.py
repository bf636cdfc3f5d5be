"""How high each GPU's dense 16-bit peak is, and how much power its board may draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.core.schema import Result
from pipeline.core.wording import number, ratio, short
from pipeline.dataset import Dataset
from pipeline.derive import metrics
from pipeline.site.charts.base import SIXTEEN_BIT, Axis, ChartPoint, PointsChart, Spec, point
from pipeline.site.charts.measured_peak import best_matmul

SPEC = Spec(
    Axis("board_power_w", "Board power, W (log)", True),
    SIXTEEN_BIT,
    reached="measured_bf16_tflops",
    each="TFLOPS for a watt",
)
HOW = (
    "Each point is one GPU with a board power and a dense 16-bit matrix peak (BF16, else FP16, with FP32 "
    "accumulation). Peak divided by board power is the figure that the finding compares. The bar under some points "
    "is the best BF16 matrix multiplication that somebody measured on the card (MAMF). The table of machines "
    "divides a result of MLPerf by the power of the whole machine that was measured in the same run."
)
NOT_SHOWN = "What a card alone really draws at work. Many cards keep most of their speed under a lower power limit."
POWER, SPEED = "system_power", "offline_throughput"
DESKTOP = ("consumer", "workstation")


@dataclass(frozen=True, slots=True)
class PowerRun:
    """One run on one machine: how much work a second, and what the whole machine drew."""

    name: str
    vendor: str
    gpu: str
    speed: Result
    work: float
    power_w: float

    @property
    def for_a_watt(self) -> float:
        """Work a second for each watt of the machine."""
        return self.work / self.power_w


def rows(dataset: Dataset) -> list[ChartPoint]:
    """A point for each GPU with both figures, in the order of their ids; the most per watt is labelled first."""
    measured = best_matmul(dataset)
    found = ((gpu, gpu.board_power_w, metrics.sixteen_bit(gpu)) for gpu in dataset.gpus.values())
    return [
        replace(
            point(gpu, power, rate.tflops, f"{number(power)} W", f"{number(rate.tflops)} TFLOPS", rate.tflops / power),
            reached=measured[gpu.id].value if gpu.id in measured else None,
        )
        for gpu, power, rate in found
        if power and rate
    ]


def machines(dataset: Dataset) -> list[PowerRun]:
    """Every run whose speed and whose machine's power were measured together, by model, the most for a watt first."""
    found = [
        PowerRun(gpu.name, gpu.vendor, gpu.id, speed, speed.number, power.number)
        for gpu in dataset.gpus.values()
        for power in gpu.benchmarks
        if power.metric == POWER
        for speed in gpu.benchmarks
        if speed.metric == SPEED and _same_run(power, speed)
    ]
    return sorted(found, key=lambda m: (m.speed.model, -m.for_a_watt, m.gpu, m.speed.locator))


def _same_run(power: Result, speed: Result) -> bool:
    known = power.value is not None and speed.value is not None and not (power.flag or speed.flag)
    of_power, of_speed = ((run.source, run.locator, run.set, run.model) for run in (power, speed))
    return known and of_power == of_speed


def finding(points: Sequence[ChartPoint]) -> str:
    """The card with the most 16-bit peak for a watt, beside the best that fits a desktop."""
    if not points:
        return "16-bit peak against board power: no card has both figures yet"
    best = max(points, key=lambda p: (p.weight, p.gpu))
    said = f"Most 16-bit peak for a watt: {short(best.name)}, {number(best.weight, 2)} TFLOPS"
    desk = max((p for p in points if p.segment in DESKTOP), key=lambda p: (p.weight, p.gpu), default=best)
    if desk is best:
        return said
    return f"{said}, {ratio(best.weight / desk.weight)} the best desktop card, {short(desk.name)}"


CHART = PointsChart(
    id="performance-per-watt",
    name="Performance per watt",
    menu="Performance per watt",
    kind="points",
    how=HOW,
    not_shown=NOT_SHOWN,
    edit="pipeline/site/charts/performance_per_watt.py",
    spec=SPEC,
    rows=rows,
    finding=finding,
    more=lambda dataset, _: {"machines": machines(dataset)},
)
