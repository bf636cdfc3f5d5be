"""Training rates of the networks that one experiment measured on many GPUs: ResNet-50, BERT-large, Tacotron 2.

`rate` answers for any GPU: measured, or carried over from measured peers of the same maker. Which source and which
network a task means stands under `measured_tasks` of the rules.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median, quantiles
from typing import Any

import numpy as np

from pipeline.advise import rules
from pipeline.advise.estimate import Card, Interval, coefficients, inputs, words
from pipeline.advise.estimate.coefficients import ROUGH, Spread
from pipeline.core.schema import Result
from pipeline.dataset import Dataset

RESNET: Mapping[str, str] = rules.room("choose")["measured_tasks"]["cnn"]
VECTOR = "peak:fp32:fp32:dense:vector"
# An estimate is exp(a) × bandwidth^b × vector FP32 rate^c × memory^d, least squares over the measured GPUs with matrix
# units: every card states these figures, and the FP32 rate grows with the matrix rate within a maker's line. Memory
# counts where the experiment fills it with as large a batch as it holds (`fills_memory` of the rules), up to this many
# GB: of 24, 32, 48 and no limit this one predicts GPUs that were left out best, for larger batches bring little more.
MOST_BATCH_GB = 32
# Where the batch is one, the generation decides instead: an estimate is moved by what the measured cards of its own
# generation missed, and their number counts with one more that missed nothing.
# Without matrix units a card reaches under half of that (GTX 1080 Ti); one measured card is too few for a rule.
NO_MATRIX = ("Kepler", "Maxwell", "Pascal")
NO_MATRIX_NAME = "GTX"  # GTX 16 cards are of Turing, without its matrix units
# Lambda's runs hold 448 images on cards of 24 GB: an upper bound of what one image takes with mixed precision.
GIB_PER_IMAGE = 24 * 0.98 / 448
IMAGES_AT_A_TIME = 64  # enough for batch normalisation to work; more is faster but not needed to run
FIXED_GIB = 1.6  # context and workspace, and 16 bytes for each of 25.6 million parameters
WORK = ("source", "model", "precision", "batch")  # what tells the runs of a task from all others
SOURCES = 1  # a task is one network in one source
ENOUGH_GPUS = 8  # with fewer, three exponents and their error are no fit, and only what was measured has a rate
TOO_FEW = "no source here measured {what} on it, or on enough GPUs to carry a speed over; it may run all the same"
NO_FIGURES = "nobody measured {what} on it, and it has no matrix units or a figure of it is not known to estimate from"
UNKNOWN_MAKER = "nobody measured {what} on {vendor} cards, and other makers' results do not carry over"


@dataclass(frozen=True, slots=True)
class ImageRate:
    """Images a second of a configuration."""

    interval: Interval
    measured: bool
    statement: str


@dataclass(frozen=True, slots=True)
class Peer:
    """A measured GPU: what its rate is predicted from, and the logarithm of the rate."""

    figures: tuple[float, ...]
    kin: tuple[str, str]  # maker and architecture
    log_rate: float


@dataclass(frozen=True, slots=True)
class RateTable:
    """What was measured, and how well peers predict one another."""

    measured: Mapping[tuple[str, int], ImageRate]
    vendors: frozenset[str]
    peers: Mapping[str, Peer]
    spread: tuple[float, float]  # 10 and 90 % quantile of log(measured / predicted), each GPU left out
    scaling: Mapping[int, float]  # rate of n GPUs divided by n rates of one, median
    fills_memory: bool
    smallest_gb: float | None = None  # memory of the smallest measured card: proof that the work fits in as much
    missed: tuple[float, ...] = ()  # log(measured / predicted) of each GPU, by the fit without it
    foreseen: dict[Any, float] = field(default_factory=dict, compare=False)  # log of the rate, whatever the count


@dataclass(frozen=True, slots=True)
class CarriedRow:
    """How well a task's speed on a GPU is predicted from what other GPUs measured in it."""

    task: str
    points: int
    sources: int
    median: float
    mean: float
    covered: float


def table(dataset: Dataset, cards: Mapping[str, Card], repeated: Spread, work: Mapping[str, str] = RESNET) -> RateTable:
    """Read the benchmark rows, newest date of each configuration; work out the error of predicting one by its peers.

    `repeated` is how far runs of one configuration lie apart: a measurement is a point inside that interval.
    """
    rows: dict[tuple[str, int], list[Result]] = defaultdict(list)
    for row in dataset.benchmarks:
        if not row.flag and all(getattr(row, name) == work[name] for name in WORK if name in work):
            rows[row.gpu, row.gpu_count].append(row)
    measured = {key: _newest(found, repeated) for key, found in rows.items()}
    fills = bool(work.get("fills_memory"))
    peers = {
        gpu: Peer(figures, _kin(cards[gpu]), math.log(rate.interval.median))
        for (gpu, count), rate in measured.items()
        if count == 1 and (figures := _figures(cards[gpu], fills)) is not None
    }
    smallest = min((gb for g, n in measured if n == 1 and (gb := cards[g].memory_gb)), default=None)
    shares = _scaling(measured)
    if len(peers) < ENOUGH_GPUS:
        return RateTable(measured, frozenset(), peers, (0.0, 0.0), shares, fills, smallest)
    errors = [
        one.log_rate - _log_rate(one.figures, one.kin, [o for name, o in peers.items() if name != gpu], fills)
        for gpu, one in peers.items()
    ]
    vendors = frozenset(cards[gpu].vendor for gpu in peers)
    return RateTable(measured, vendors, peers, _spread(errors), shares, fills, smallest, tuple(errors))


def validated(dataset: Dataset) -> tuple[CarriedRow, ...]:
    """Predict each GPU of every measured task from the others, with an interval from the errors of those."""
    cards, repeated = inputs.cards(dataset), coefficients.load().spread("repeated")
    works = rules.room("choose")["measured_tasks"].values()
    found = ((work["what"], table(dataset, cards, repeated, work).missed) for work in works)
    return tuple(_row(what, missed) for what, missed in found if missed)


def _row(what: str, missed: Sequence[float]) -> CarriedRow:
    off = [abs(math.exp(-one) - 1) for one in missed]
    sides = [_spread([*missed[:i], *missed[i + 1 :]]) for i in range(len(missed))]
    inside = mean(low <= one <= high for one, (low, high) in zip(missed, sides, strict=True))
    return CarriedRow(what, len(missed), SOURCES, median(off), mean(off), inside)


def _spread(missed: Sequence[float]) -> tuple[float, float]:
    """The 10 and 90 % quantile of what was missed, wider because it is rough: all of it comes from one source."""
    tenths = quantiles(missed, n=10)
    return ROUGH * tenths[0], ROUGH * tenths[-1]


def rate(card: Card, count: int, known: RateTable) -> ImageRate | None:
    """Images a second of this GPU; None where no result of its maker carries over."""
    found = known.measured.get((card.id, count))
    if found is not None:
        return found
    factor = count * scaling(count, known)
    single = known.measured.get((card.id, 1))
    if single is not None:
        return ImageRate(
            Interval(single.interval.median * factor, single.interval.p10 * factor, single.interval.p90 * factor),
            False,
            f"{count} times the measured rate of one, less the loss",
        )
    figures = _figures(card, known.fills_memory)
    if card.vendor not in known.vendors or figures is None:
        return None
    alike = (figures, _kin(card))
    if alike not in known.foreseen:
        known.foreseen[alike] = _log_rate(*alike, list(known.peers.values()), known.fills_memory)
    middle = math.exp(known.foreseen[alike]) * factor
    low, high = (middle * math.exp(value) for value in known.spread)
    measured = f"{len(known.peers)} measured GPUs, each predicted without its own runs"
    figured = "bandwidth, FP32 rate and memory" if known.fills_memory else "bandwidth and FP32 rate"
    statement = words.ROUGH.format(f"estimated from {figured} with {measured}")
    return ImageRate(Interval(middle, min(low, middle), max(high, middle)), False, statement)


def scaling(count: int, known: RateTable) -> float:
    """Share of so many single rates that the GPUs reach together; between measured counts that of the next larger."""
    larger = [n for n in sorted(known.scaling) if n >= count]
    return known.scaling[larger[0]] if count > 1 and larger else 1.0


def memory_gib(count: int) -> float:
    """Memory that training takes at IMAGES_AT_A_TIME images on each GPU."""
    return count * (FIXED_GIB + IMAGES_AT_A_TIME * GIB_PER_IMAGE)


def _newest(rows: Sequence[Result], repeated: Spread) -> ImageRate:
    date = max(row.date for row in rows)
    values = [row.number for row in rows if row.date == date]
    middle = median(values)
    low, high = min(middle * math.exp(repeated.p10), *values), max(middle * math.exp(repeated.p90), *values)
    return ImageRate(Interval(middle, low, high), True, f"measured, {rows[0].software}, {date}")


def _scaling(measured: Mapping[tuple[str, int], ImageRate]) -> dict[int, float]:
    shares: dict[int, list[float]] = defaultdict(list)
    for (gpu, count), many in measured.items():
        one = measured.get((gpu, 1))
        if one is not None and count > 1:
            shares[count].append(many.interval.median / count / one.interval.median)
    return {count: min(1.0, median(values)) for count, values in sorted(shares.items())}


def _kin(card: Card) -> tuple[str, str]:
    return card.vendor, card.architecture


def _figures(card: Card, fills_memory: bool) -> tuple[float, ...] | None:
    """Bandwidth and vector FP32 rate of a card with matrix units, and the memory that a batch may fill."""
    plain = card.architecture in NO_MATRIX or NO_MATRIX_NAME in card.name
    rate_tflops = card.peaks.get(VECTOR)
    if plain or not card.memory_bandwidth_gb_s or not rate_tflops or not card.memory_gb:
        return None
    figures = (card.memory_bandwidth_gb_s, rate_tflops)
    return (*figures, min(card.memory_gb, MOST_BATCH_GB)) if fills_memory else figures


def _log_rate(figures: Sequence[float], kin: tuple[str, str], peers: Sequence[Peer], fills_memory: bool) -> float:
    """What peers predict for a GPU, never below a measured one of its generation that it matches in every figure.

    Nor above one that matches it, nor faster than one with the same memory, where that decides the batch, by more than
    the figure that is most times as large: within a generation nothing but these figures differs by much.
    """
    table = np.log([(math.e, *one.figures) for one in peers])
    logs = np.array([one.log_rate for one in peers])
    factors = np.linalg.lstsq(table, logs, rcond=None)[0]
    found = float(np.log((math.e, *figures)) @ factors)
    own = [place for place, one in enumerate(peers) if one.kin == kin]
    if not fills_memory:
        found += float(sum((logs - table @ factors)[own])) / (len(own) + 1)
    ratios = [(peers[i].log_rate, [b / a for a, b in zip(peers[i].figures, figures, strict=True)]) for i in own]
    below = [rate for rate, times in ratios if min(times) >= 1]
    above = [rate for rate, times in ratios if max(times) <= 1]
    most = [rate + math.log(max(times)) for rate, times in ratios if fills_memory and min(times) >= 1 == times[-1]]
    return min([max([min([found, *most]), *below]), *above])
