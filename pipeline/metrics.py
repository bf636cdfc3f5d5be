"""Derived numbers: a GPU's record in, figures that no source states out; all rules stand in the table on top."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median, quantiles

import numpy as np
import numpy.typing as npt

from pipeline import staleness
from pipeline.dataset import Dataset, GpuRecord, Row
from pipeline.schema import PeakKey

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
    "price to rent": "Of the unflagged on-demand offers of whole GPUs that are fresh or ageing by the table of ages, "
    "the newest reading of each provider in each source: the lowest and the median per GPU-hour. Stale offers count "
    "only where nothing newer is known, and the page says so; withdrawn ones never. Spot and reserved offers are other "
    "kinds and never mixed in.",
    "price to buy": "The newest unflagged price, new or used, seen within 18 months of the newest reading of the "
    "dataset; where there is none, the launch price, marked as such. A price is called old when it was seen more than "
    "half a year before the newest reading.",
    "against launch": "The newest unflagged price in US dollars, new or used, seen within 18 months of the newest "
    "reading, divided by the launch price. A price converted from another currency holds that country's tax, which a "
    "launch price does not, and is left out.",
    "spread of offers": "The 10th and 90th percentile of the offers behind a price to rent, between neighbours in a "
    "straight line. Under three offers there is none. Two cards whose spreads of peak per dollar overlap by more than "
    "half of the narrower one show no clear difference.",
    "rent by month": "The median of the unflagged on-demand offers of whole GPUs that were seen in a month. A chart "
    "draws the months with offers of at least three providers: one provider's price is not the market's.",
    "theory": "Compute units × operations that a unit does in one clock × clock, each factor with its document "
    "(data/architectures.yml). The units are those that a source states, else the cores or the matrix units divided by "
    "those of one unit; the clock is the boost clock, unless the maker names another one for that peak. A maker's peak "
    "more than 2 % away stands there with the reason, or with none where nobody has found it out.",
    "where a card stands": "The strips on a card's page: one mark for each card of the same use (consumer and "
    "workstation count as one) whose figure is known, on a scale by ratio; the words count the cards with less. Fewer "
    "than five cards with the figure make no strip.",
    "neighbours": "The four cards with the least mean of |log2 ratio| over memory, bandwidth, 16-bit peak and board "
    "power, among cards of the same use (consumer and workstation count as one), at least two of the four figures "
    "known of both; then the nearest card of another maker if none is among them.",
}
SIXTEEN_BIT = (PeakKey("bf16", "fp32", "dense", "tensor"), PeakKey("fp16", "fp32", "dense", "tensor"))
GB_BYTES = 2**30  # a maker's GB of memory
WEIGHT_BYTES = {"16 bit": 2.0, "8 bit": 1.0, "4 bit": 0.5}
BUY_KINDS = ("retail", "used")
NEIGHBOURS = 4
NEIGHBOUR_FIGURES = 2  # known of both cards, or the distance means nothing
SAME_USE = {"consumer": "desk", "workstation": "desk"}
BAND_OFFERS = 3  # fewer offers have no spread
UNCLEAR_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Rate:
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


@dataclass(frozen=True, slots=True)
class Rent:
    """What an hour of one GPU costs on demand, and the months in which its offers were seen."""

    month: str  # the newest
    first_month: str
    state: str  # of the newest, by pipeline/staleness.py
    lowest: Row
    median_usd: float
    offers: int
    providers: int
    band: Band | None = None


@dataclass(frozen=True, slots=True)
class Against:
    """A price of today beside the launch price."""

    row: Row
    launch_usd: float

    @property
    def ratio(self) -> float:
        """How many times the launch price it is."""
        return float(self.row["usd_per_unit"]) / self.launch_usd


def sixteen_bit(gpu: GpuRecord) -> Rate | None:
    """The dense matrix peak at 16 bit, or None."""
    for key in SIXTEEN_BIT:
        if key in gpu.peaks:
            return Rate(key, gpu.peaks[key])
    return None


def weights_that_fit(gpu: GpuRecord) -> dict[str, float]:
    """Billions of weights by format; empty when the memory is unknown."""
    memory = gpu.number("memory_gb")
    if memory is None:
        return {}
    return {name: memory * GB_BYTES / size / 1e9 for name, size in WEIGHT_BYTES.items()}


def sweeps_per_second(gpu: GpuRecord) -> float | None:
    """How often a second the card can read its whole memory."""
    memory, bandwidth = gpu.number("memory_gb"), gpu.number("memory_bandwidth_gb_s")
    return bandwidth * 1e9 / (memory * GB_BYTES) if memory and bandwidth else None


def operations_per_byte(gpu: GpuRecord) -> float | None:
    """16-bit operations for each byte that memory delivers."""
    rate, bandwidth = sixteen_bit(gpu), gpu.number("memory_bandwidth_gb_s")
    return rate.tflops * 1000 / bandwidth if rate and bandwidth else None


def newest_price(gpu: GpuRecord, kind: str) -> Row | None:
    """The newest unflagged observation of a buying price of one kind; of one day, the lowest."""
    rows = [row for row in gpu.prices if row["kind"] == kind and row["usd_per_unit"] and not row["flag"]]
    newest = max((row["date"] for row in rows), default="")
    of_the_day = [row for row in rows if row["date"] == newest]
    return min(of_the_day, key=lambda row: (float(row["usd_per_unit"]), row["offer"]), default=None)


def price_to_buy(gpu: GpuRecord, newest: str) -> Row | None:
    """The newest unflagged price, new or used, that is recent enough; of one day, the price of a new card."""
    return max(_recent(gpu, newest), key=lambda row: row["date"], default=None)


def against_launch(gpu: GpuRecord, newest: str) -> Against | None:
    """What the card costs now beside its launch price, by the rule above."""
    launch, recent = gpu.number("launch_price_usd"), _recent(gpu, newest, "USD")
    return Against(max(recent, key=lambda row: row["date"]), launch) if launch and recent else None


def rent(gpu: GpuRecord, newest: str) -> Rent | None:
    """Lowest and median on-demand price of a GPU-hour among the offers that count today."""
    offers = rental_offers(gpu, newest)
    if not offers:
        return None
    days = sorted(row["date"] for row in offers)
    lowest = min(offers, key=lambda row: (float(row["usd_per_gpu_hour"]), row["provider"], row["offer"]))
    prices = [float(row["usd_per_gpu_hour"]) for row in offers]
    return Rent(days[-1][:7], days[0][:7], staleness.state("on_demand", days[-1], newest), lowest, median(prices),
                len(offers), len({row["provider"] for row in offers}), band(prices))  # fmt: skip


def rental_offers(gpu: GpuRecord, newest: str) -> list[Row]:
    """The on-demand offers that a median counts: by their age, and of each provider in a source the newest reading."""
    rows = staleness.counted((row for found in _offers_by_month(gpu).values() for row in found), newest)
    last: dict[tuple[str, str], str] = {}
    for row in rows:
        key = (row["source"], row["provider"])
        last[key] = max(last.get(key, ""), row["date"])
    return [row for row in rows if row["date"] == last[row["source"], row["provider"]]]


def rent_by_month(gpu: GpuRecord) -> dict[str, tuple[float, int]]:
    """The median on-demand price of a GPU-hour and the number of providers, month by month."""
    months = sorted(_offers_by_month(gpu).items())
    return {
        month: (median(float(row["usd_per_gpu_hour"]) for row in rows), len({row["provider"] for row in rows}))
        for month, rows in months
    }


def band(values: Sequence[float]) -> Band | None:
    """The spread of prices; None when there are too few to have one."""
    if len(values) < BAND_OFFERS:
        return None
    tenths = quantiles(values, n=10, method="inclusive")
    return Band(tenths[0], tenths[-1])


def is_old(date: str, newest: str) -> bool:
    """Whether a price was seen so long before the dataset's own today that a page must say so."""
    return staleness.state("used", date, newest) in ("stale", "withdrawn")


def is_past(date: str, newest: str) -> bool:
    """Whether a price to buy is too old to say what the card costs now."""
    return staleness.state("used", date, newest) == "withdrawn"


class Neighbours:
    """The nearest cards of each card; figures are taken once for all."""

    def __init__(self, dataset: Dataset) -> None:
        self._groups: dict[str, list[GpuRecord]] = {}
        for _, gpu in sorted(dataset.gpus.items()):
            self._groups.setdefault(_use(gpu), []).append(gpu)
        # One line a figure, unknown is not a number: a card is held against all others of its use in one step.
        self._figures = {use: np.array([_logs(gpu) for gpu in group], float).T for use, group in self._groups.items()}

    def of(self, gpu: GpuRecord) -> list[GpuRecord]:
        """The neighbours by the rule above, nearest first; equally near ones by id."""
        group, distances = self._groups[_use(gpu)], self._distances(gpu)
        near = np.argsort(distances, kind="stable")[: np.isfinite(distances).sum()].tolist()
        return _with_another_maker(gpu, [group[place] for place in near if group[place].id != gpu.id])

    def _distances(self, gpu: GpuRecord) -> npt.NDArray[np.float64]:
        """To every card of the group; infinite where too few figures are known of both."""
        own = np.array(_logs(gpu), float)[:, None]
        apart = np.abs(self._figures[_use(gpu)] - own)
        known = (~np.isnan(apart)).sum(axis=0)
        # The mean, so that a card of which little is known is not near for that alone.
        return np.where(known < NEIGHBOUR_FIGURES, np.inf, np.nansum(apart, axis=0) / np.maximum(known, 1))


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


def _with_another_maker(gpu: GpuRecord, ranked: Sequence[GpuRecord]) -> list[GpuRecord]:
    nearest = list(ranked[:NEIGHBOURS])
    if all(other.text("vendor") == gpu.text("vendor") for other in nearest):
        nearest += [other for other in ranked if other.text("vendor") != gpu.text("vendor")][:1]
    return nearest


def _recent(gpu: GpuRecord, newest: str, currency: str = "") -> list[Row]:
    """Of each kind the newest price, as far as it is recent; the price of a new card first."""
    rows = [row for row in gpu.prices if not currency or row["currency"] == currency]
    found = (newest_price(replace(gpu, prices=tuple(rows)), kind) for kind in BUY_KINDS)
    return [row for row in found if row and not is_past(row["date"], newest)]


def _offers_by_month(gpu: GpuRecord) -> dict[str, list[Row]]:
    months: dict[str, list[Row]] = {}
    for row in gpu.prices:
        if row["kind"] == "on_demand" and row["usd_per_gpu_hour"] and row["date"] and not row["flag"] and _whole(row):
            months.setdefault(row["date"][:7], []).append(row)
    return months


def _whole(row: Row) -> bool:
    """Not a slice of a board: nobody can rent a GPU for the price of its eighth."""
    return not row["gpus"] or float(row["gpus"]) >= 1


def _use(gpu: GpuRecord) -> str:
    return SAME_USE.get(gpu.text("segment"), gpu.text("segment"))


def _logs(gpu: GpuRecord) -> tuple[float | None, ...]:
    rate = sixteen_bit(gpu)
    figures = (gpu.number("memory_gb"), gpu.number("memory_bandwidth_gb_s"), rate.tflops if rate else None,
               gpu.number("board_power_w"))  # fmt: skip
    return tuple(math.log2(figure) if figure else None for figure in figures)
