"""A card's roofline with its measured runs, for its page: a picture, a CSV, and Plotly's JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pipeline.advise.estimate import engines, models
from pipeline.advise.estimate.tensors import parameters
from pipeline.core.schema import Result
from pipeline.core.wording import number, slug
from pipeline.dataset import GpuRecord
from pipeline.derive import metrics
from pipeline.site.charts.base import as_json, scatter
from pipeline.site.charts.svg import Scale, Size, Tick, frame_of, pixel

FRAME = Size("roofline", 440, 250, left=54, right=18, top=16, bottom=40)
LOW, HIGH = 0.5, 4096.0  # operations for each byte
# 16-bit weights: two operations a weight and sequence, two bytes a weight, so that a step on a batch of n does n
# operations for each byte of weights that it reads. Cache and activations are left out, which flatters large batches.
WORK = {"one user": 1.0, "8 users": 8.0, "64 users": 64.0, "prompt of 1,024 tokens": 1024.0}
# Measured runs that stand on the roof: (model, precision, metric) of a result on one GPU, and what it is called.
ANSWERS = ("LLaMA 3 8B", "fp16", "generation_speed")
PROMPTS = ("LLaMA 3 8B", "fp16", "prompt_speed")
NETWORK, ENGINE = "meta-llama-3-8b-instruct", "llama.cpp@2024-05"  # the network and the program of these runs
LENGTH = "1 stream, 1024 tokens"
MATMUL, SHAPE = ("matmul", "bf16", "tflops"), re.compile(r"(\d+)x(\d+)x(\d+)")
HEADS = ("kind", "name", "operations_per_byte", "tflops", "url", "locator", "retrieved")


@dataclass(frozen=True, slots=True)
class RooflineRun:
    """One measured run: what it reached, at how many operations for each byte."""

    name: str
    intensity: float
    tflops: float
    of_peak: float
    row: Result
    x: str
    y: str


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
    runs: tuple[RooflineRun, ...]
    ridge: float
    peak: float
    bandwidth: float
    vendor: str
    title: str
    frame: str  # svg.frame_of


def roofline(gpu: GpuRecord) -> Roofline | None:
    """The roofline of a card whose 16-bit peak and bandwidth are known."""
    rate, bandwidth = metrics.sixteen_bit(gpu), gpu.memory_bandwidth_gb_s
    ridge = metrics.operations_per_byte(gpu)
    if not rate or not bandwidth or not ridge or not LOW < ridge < HIGH:
        return None
    right, bottom = FRAME.width - FRAME.right, FRAME.height - FRAME.bottom
    x = Scale(LOW, HIGH, FRAME.left, right, True)
    least, measured = LOW * bandwidth / 1000, _measured(gpu, rate.tflops)
    lowest = min([least, *(0.8 * tflops for _, tflops, _ in measured.values())])
    y = Scale(lowest, rate.tflops * 1.6, bottom, FRAME.top, True)
    roof = f"M{pixel(x(LOW))} {pixel(y(least))}L{pixel(x(ridge))} {pixel(y(rate.tflops))}H{pixel(right)}"
    runs = tuple(
        RooflineRun(name, at, reached, reached / rate.tflops, row, pixel(x(min(at, HIGH))), pixel(y(reached)))
        for name, (at, reached, row) in measured.items()
    )
    works = tuple(_work(name, at, rate.tflops, bandwidth, x, y) for name, at in WORK.items())
    return Roofline(
        FRAME,
        right,
        bottom,
        roof,
        tuple(Tick(pixel(x(v)), number(v)) for v in (1, 10, 100, 1000)),
        tuple(Tick(pixel(y(v)), number(v)) for v in y.ticks(6)),
        works,
        runs,
        ridge,
        rate.tflops,
        bandwidth,
        gpu.vendor,
        f"Memory is the limit below {number(ridge, 2)} operations for each byte: one user gets at most "
        f"{number(100 * works[0].share, 2)} % of the 16-bit peak",
        frame_of(FRAME, x, y),
    )


def csv_rows(roof: Roofline) -> Iterator[tuple[object, ...]]:
    """The roof by its three ends, the work on it, the measured runs below it."""
    ends = (("lowest", LOW), ("ridge", roof.ridge), ("highest", HIGH))
    for name, at in ends:
        yield ("roof", name, at, min(roof.peak, at * roof.bandwidth / 1000), "", "", "")
    for work in roof.works:
        yield ("work", work.name, work.intensity, work.tflops, "", "", "")
    for run in roof.runs:
        yield (
            "measured",
            run.name,
            run.intensity,
            run.tflops,
            run.row.url,
            run.row.locator,
            run.row.retrieved,
        )


def figure(roof: Roofline) -> str:
    """The roofline as Plotly's JSON."""
    told = {kind: [row for row in csv_rows(roof) if row[0] == kind] for kind in ("roof", "work", "measured")}
    looks = {"roof": ("lines", "circle"), "work": ("markers", "circle-open"), "measured": ("markers", "circle")}
    traces = [
        scatter(
            x=[row[2] for row in rows],
            y=[row[3] for row in rows],
            mode=looks[kind][0],
            name=kind,
            text=[f"{row[1]}: {'' if kind == 'measured' else 'at most '}{number(str(row[3]))} TFLOPS" for row in rows],
            customdata=[row[1] for row in rows],
            hovertemplate="%{text}<extra></extra>",
            marker={"size": 9, "symbol": looks[kind][1]},
            meta={"colour": f"ga-v-{slug(roof.vendor)}", "x": HEADS[2], "y": HEADS[3], "key": "name"},
        )
        for kind, rows in told.items()
        if rows
    ]
    titles = {"xaxis": "Operations for each byte read (log)", "yaxis": "TFLOPS (log)"}
    axes = {
        name: {"title": {"text": title}, "type": "log", "dtick": 1, "automargin": True}
        for name, title in titles.items()
    }
    return as_json(traces, axes)


def _measured(gpu: GpuRecord, peak: float) -> dict[str, tuple[float, float, Result]]:
    """The measured runs of a card whose operations for each byte are known: by name, the first of each.

    A GeForce sums twice as fast in 16 bit as in 32 bit, and llama.cpp may do either; a run above the peak of 32-bit
    sums was summed in 16 bit and belongs under another roof than the one that is drawn.
    """
    found: dict[str, tuple[float, float, Result]] = {}
    for row in gpu.benchmarks:
        known = _intensity(row) if row.gpu_count == 1 and row.value and not row.flag else None
        if known and known[2] <= peak:
            found.setdefault(known[0], (known[1], known[2], row))
    return found


def _intensity(row: Result) -> tuple[str, float, float] | None:
    """What a run is called, its operations for each byte and its TFLOPS; None for a run that is not of these kinds."""
    kind, value = (row.model, row.precision, row.metric), row.number
    if (row.workload, row.precision, row.metric) == MATMUL and (shape := SHAPE.fullmatch(row.batch)):
        m, n, k = (int(side) for side in shape.groups())
        return f"matrices {m}×{n}×{k}", m * n * k / (m * k + k * n + m * n), value
    if row.batch != LENGTH or kind not in (ANSWERS, PROMPTS):
        return None
    tflops = 2 * _weights() * value / 1e12
    if kind == ANSWERS:
        return "8 B model answers one user", 1.0, tflops
    return "8 B model reads a prompt", float(engines.find(ENGINE).micro_batch), tflops


@lru_cache(maxsize=1)
def _weights() -> int:
    return parameters(models.load().models[NETWORK])


def _work(name: str, intensity: float, peak: float, bandwidth: float, x: Scale, y: Scale) -> Work:
    reached = min(peak, intensity * bandwidth / 1000)
    return Work(name, intensity, reached, reached / peak, pixel(x(intensity)), pixel(y(reached)))
