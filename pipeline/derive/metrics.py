"""Figures that no source states and that follow from a record; the rules of all of them stand in one table on top."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import quantiles

from pipeline.core.schema import PeakKey
from pipeline.dataset import GpuRecord

# Every derived number of the site: name → how it is made, in words for the methodology page.
RULES = {
    "16-bit peak": "The dense peak rate of the matrix units at BF16 with FP32 accumulation; where none is stated, at "
    "FP16 with FP32 accumulation. A card without matrix units has none: its vector rate is another thing.",
    "weights that fit": "Memory in GB × 2^30 bytes, divided by the bytes of one weight (2 at 16 bit, 1 at 8 bit, "
    "0.5 at 4 bit). Weights alone: cache, activations and the program need room besides.",
    "sweeps a second": "Memory bandwidth divided by memory size: how often a second the card can read all that it "
    "holds. Nobody decodes faster than this from a model that fills the card.",
    "operations per byte": "16-bit peak divided by memory bandwidth: below this many operations for each byte read, "
    "memory is the limit.",
    "spread of offers": "The 10th and 90th percentile of the providers behind a price to rent, between neighbours in a "
    "straight line. Under three providers there is none. Two cards whose spreads of peak per dollar overlap by more "
    "than half of the narrower one show no clear difference.",
    "theory": "Compute units × operations that a unit does in one clock × clock, each factor with its document "
    "(data/architectures.yml). The units are those that a source states, else the cores or the matrix units divided by "
    "those of one unit; the clock is the boost clock, unless the maker names another one for that peak. A maker's peak "
    "more than 2 % away stands there with the reason, or with none where nobody has found it out.",
    "where a card stands": "The strips on a card's page: one mark for each card of the same use (consumer and "
    "workstation count as one) whose figure is known, on a scale by ratio; the words count the cards with less. Fewer "
    "than five cards with the figure make no strip.",
}
# Memory that is part of the chip: charts that compare memories leave it out.
ON_CHIP = "SRAM"
SIXTEEN_BIT = (PeakKey("bf16", "fp32", "dense", "tensor"), PeakKey("fp16", "fp32", "dense", "tensor"))
GB_BYTES = 2**30  # a maker's GB of memory
WEIGHT_BYTES = {"16 bit": 2.0, "8 bit": 1.0, "4 bit": 0.5}
NEIGHBOUR_FIGURES = 2  # known of both cards, or they cannot be compared
SAME_USE = {"consumer": "desk", "workstation": "desk"}
BAND_OFFERS = 3  # fewer providers have no spread
UNCLEAR_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class PeakRate:
    """A peak rate and exactly which one it is."""

    key: PeakKey
    tflops: float


@dataclass(frozen=True, slots=True)
class Band:
    """The 10th and the 90th percentile of what was seen."""

    low: float
    high: float

    def unclear(self, other: Band) -> bool:
        """Whether the two overlap by more than half of the narrower one."""
        shared = min(self.high, other.high) - max(self.low, other.low)
        narrower = min(self.high - self.low, other.high - other.low)
        return shared >= 0 if narrower == 0 else shared > UNCLEAR_SHARE * narrower


def sixteen_bit(gpu: GpuRecord) -> PeakRate | None:
    """The dense matrix peak at 16 bit, or None."""
    for key in SIXTEEN_BIT:
        if key in gpu.peaks:
            return PeakRate(key, gpu.peaks[key])
    return None


def sixteen_bit_tflops(gpu: GpuRecord) -> float | None:
    """The rate of that peak alone, for a column or an axis."""
    rate = sixteen_bit(gpu)
    return rate.tflops if rate else None


def memory_bandwidth(gpu: GpuRecord) -> float | None:
    """Bandwidth to memory outside the chip, in GB/s; None for chips that have only SRAM, which holds a thousandth."""
    return None if gpu.memory_type == ON_CHIP else gpu.memory_bandwidth_gb_s


def memory(gpu: GpuRecord) -> float | None:
    """Memory outside the chip, in GB; None for chips that have only SRAM and hold a model together with many others."""
    return None if gpu.memory_type == ON_CHIP else gpu.memory_gb


def weights_that_fit(gpu: GpuRecord) -> dict[str, float]:
    """Billions of weights by format; empty when the memory is unknown."""
    memory = gpu.memory_gb
    if memory is None:
        return {}
    return {name: memory * GB_BYTES / size / 1e9 for name, size in WEIGHT_BYTES.items()}


def sweeps_per_second(gpu: GpuRecord) -> float | None:
    """How often a second the card can read its whole memory."""
    memory, bandwidth = gpu.memory_gb, gpu.memory_bandwidth_gb_s
    return bandwidth * 1e9 / (memory * GB_BYTES) if memory and bandwidth else None


def operations_per_byte(gpu: GpuRecord) -> float | None:
    """16-bit operations for each byte that memory delivers."""
    rate, bandwidth = sixteen_bit(gpu), gpu.memory_bandwidth_gb_s
    return rate.tflops * 1000 / bandwidth if rate and bandwidth else None


def band(values: Sequence[float]) -> Band | None:
    """The spread of prices; None when there are too few to have one."""
    if len(values) < BAND_OFFERS:
        return None
    tenths = quantiles(values, n=10, method="inclusive")
    return Band(tenths[0], tenths[-1])


def quotient(one: float | None, other: float | None) -> float | None:
    """How many times the other is in the one; None when either is unknown."""
    return one / other if one and other else None


def records_over_time(points: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Of dated figures, in order of date, those that beat every earlier one."""
    best: list[tuple[str, float]] = []
    for when, value in sorted(points, key=lambda point: (point[0], -point[1])):
        if not best or value > best[-1][1]:
            best.append((when, value))
    return best


@lru_cache(maxsize=4096)  # a few hundred days, asked of each pair of cards
def year_of(date: str) -> float:
    """A partial date as a year with fraction (the middle of what is not told)."""
    parts = [int(part) for part in date.split("-")]
    months = parts[1] - 1 if len(parts) > 1 else 6
    days = parts[2] - 1 if len(parts) > 2 else 15 if len(parts) > 1 else 0
    return parts[0] + months / 12 + days / 365.25


def doubling_years(records: Sequence[tuple[str, float]]) -> float | None:
    """Years in which the record doubled, from the first record to the last."""
    if len(records) < 2 or records[-1][1] <= records[0][1]:
        return None
    span = year_of(records[-1][0]) - year_of(records[0][0])
    return span / math.log2(records[-1][1] / records[0][1]) if span > 0 else None


def use_of(gpu: GpuRecord) -> str:
    """What a card is for: at a desk consumer and workstation cards are weighed together, all others by segment."""
    return SAME_USE.get(gpu.segment, gpu.segment)


def known_figures(gpu: GpuRecord) -> tuple[bool, ...]:
    """Of the figures by which two cards are held against each other, which are known."""
    rate = sixteen_bit(gpu)
    figures = (gpu.memory_gb, gpu.memory_bandwidth_gb_s, rate.tflops if rate else None, gpu.board_power_w)
    return tuple(bool(figure) for figure in figures)
