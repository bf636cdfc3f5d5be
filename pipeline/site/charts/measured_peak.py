"""Measured matmul rates and memory bandwidths beside the makers' peaks: which share was reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from pipeline.core.once import once
from pipeline.core.schema import PeakKey, Result
from pipeline.core.wording import number, short
from pipeline.dataset import Dataset, GpuRecord
from pipeline.site.charts.base import Axis, ChartPoint, Spec, plotly_json, point, shown
from pipeline.site.charts.chart import Drawn, OwnChart

HOW = (
    "Matrix rate: the best of many shapes of one matrix multiplication (MAMF), beside the maker’s dense peak of the "
    "same format with FP32 accumulation. Bandwidth: the triad of gpu-stream, beside the maker’s peak bandwidth. One "
    "bar is one measurement of one card; the full bar is its peak."
)
NOT_SHOWN = (
    "What a whole model reaches, which is less than one well-shaped multiplication. The source and the "
    "software differ from bar to bar; each names its own."
)
# The picture: one matrix multiplication only, for its unit is one.
SPEC = Spec(Axis("peak", "Dense BF16 peak, TFLOPS (log)", True), Axis("measured", "Measured, TFLOPS (log)", True), 20)
BAR = 100  # the width of a full bar, in the units of its picture
HEADS = ("gpu", "name", "vendor", "what", "measured", "peak", "unit", "share")
# (set, precision, metric) → what it is, and the peak it is held against ("" is the memory bandwidth).
MEASURES: dict[tuple[str, str, str], tuple[str, str]] = {
    ("mamf", "bf16", "tflops"): ("BF16 matrix multiplication", PeakKey("bf16", "fp32", "dense", "tensor").field),
    ("mamf", "fp8", "tflops"): ("FP8 matrix multiplication", PeakKey("fp8", "fp32", "dense", "tensor").field),
    ("gpu-stream", "gpu-stream", "stream_triad"): ("Memory bandwidth, triad", ""),
}


@dataclass(frozen=True, slots=True)
class PeakShare:
    """One measurement beside its peak."""

    gpu: GpuRecord
    what: str
    row: Result
    peak: float

    @property
    def value(self) -> float:
        """What was measured."""
        return self.row.number

    @property
    def share(self) -> float:
        """Which part of the peak was reached."""
        return self.value / self.peak

    @property
    def percent(self) -> str:
        """The share as the width of a bar that is 100 wide."""
        return f"{min(100.0, 100 * self.share):.1f}"


@once
def rows(dataset: Dataset) -> list[PeakShare]:
    """Every measurement whose peak is known: by what is measured, the highest share first."""
    order = [what for what, _ in MEASURES.values()]
    found = [share for gpu in dataset.gpus.values() for row in gpu.benchmarks if (share := _share(gpu, row))]
    return sorted(found, key=lambda s: (order.index(s.what), -s.share, s.gpu.id))


def finding(shares: Sequence[PeakShare]) -> str:
    """The usual share, and the highest and the lowest card."""
    matrix = [s for s in shares if s.what == order_first()]
    if not matrix:
        return "Measured against theoretical peak: no card has both figures yet"
    best, worst = matrix[0], matrix[-1]
    usual = number(100 * median(s.share for s in matrix), 2)
    return (
        f"In a tuned BF16 product the median card reaches {usual} % of its peak: {short(best.gpu.name)} "
        f"{number(100 * best.share, 2)} %, {short(worst.gpu.name)} {number(100 * worst.share, 2)} %"
    )


def points(shares: Sequence[PeakShare]) -> list[ChartPoint]:
    """Of each card its highest share in what the finding is about; the highest is labelled first."""
    best: dict[str, PeakShare] = {}
    for s in shares:
        if s.what == order_first():
            best.setdefault(s.gpu.id, s)
    return [_point(s) for s in best.values()]


def best_matmul(dataset: Dataset) -> dict[str, PeakShare]:
    """Of each card its best measured multiplication in 16 bit, for charts that draw the peak."""
    best: dict[str, PeakShare] = {}
    for s in rows(dataset):
        if s.what == order_first():
            best.setdefault(s.gpu.id, s)
    return best


def order_first() -> str:
    """What the finding is about: the first of the measures."""
    return next(iter(MEASURES.values()))[0]


def csv_rows(shares: Sequence[PeakShare]) -> Iterator[tuple[object, ...]]:
    """The numbers that the bars draw."""
    for s in shares:
        yield (s.gpu.id, s.gpu.name, s.gpu.vendor, s.what, s.value, s.peak, s.row.unit, round(s.share, 6))


def _point(s: PeakShare) -> ChartPoint:
    measured = f"{number(s.value)} TFLOPS, {number(100 * s.share, 2)} %"
    return point(s.gpu, s.peak, s.value, f"a peak of {number(s.peak)} TFLOPS", measured, s.share)


def _share(gpu: GpuRecord, row: Result) -> PeakShare | None:
    known = MEASURES.get((row.set, row.precision, row.metric))
    if not known or row.flag or not row.value:
        return None
    what, field = known
    peak = _peak(gpu, field)
    return PeakShare(gpu, what, row, peak) if peak else None


def _peak(gpu: GpuRecord, field: str) -> float | None:
    if not field:
        return gpu.memory_bandwidth_gb_s
    return next((rate for key, rate in gpu.peaks.items() if key.field == field), None)


def draw(dataset: Dataset) -> Drawn:
    """The bars of every measurement, and the points of one."""
    shares = rows(dataset)
    made = points(shares)
    measures = dict.fromkeys(share.what for share in shares)
    # Each share with the width of its bar
    grouped = [(what, [(s, f"{BAR * min(1.0, s.share):.1f}") for s in shares if s.what == what]) for what in measures]
    context = {"groups": grouped, "bar": BAR, **shown(made, SPEC)}
    return Drawn(finding(shares), context, HEADS, csv_rows(shares), plotly_json(made, SPEC))


CHART = OwnChart(
    id="measured-peak",
    name="Measured against theoretical peak",
    menu="Measured and peak",
    kind="bars",
    how=HOW,
    not_shown=NOT_SHOWN,
    edit="pipeline/site/charts/measured_peak.py",
    says="which share of its peak a card reached",
    drawing=draw,
)
