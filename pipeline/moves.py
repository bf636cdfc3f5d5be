"""The dataset in; what moved out: prices that changed, cards of the last year, figures of sources put right."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from statistics import median

from pipeline import staleness
from pipeline.dataset import Dataset, GpuRecord, Row
from pipeline.metrics import BUY_KINDS

COUNTED = ("fresh", "ageing")
NEW_CARD_DAYS = 365
WITHDRAWN = "withdrawn: "


@dataclass(frozen=True, slots=True)
class PriceMove:
    """The two newest dated prices of a card from one seller or index, so that like is compared with like."""

    gpu: GpuRecord
    kind: str
    provider: str
    day: str
    usd: float
    before: str
    usd_before: float

    @property
    def percent(self) -> float:
        """The change, in per cent of the earlier price."""
        return 100 * (self.usd / self.usd_before - 1)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A figure that a source states and that the dataset does not take over, with the reason."""

    gpu: GpuRecord
    field: str
    stated: str
    chosen: str
    unit: str
    source: str
    retrieved: str
    reason: str

    @property
    def gap(self) -> float:
        """How many times the larger one is the smaller one; 1 where they are no numbers."""
        try:
            low, high = sorted((abs(float(self.stated)), abs(float(self.chosen))))
        except ValueError:
            return 1.0
        return high / low if low else 1.0


def price_moves(dataset: Dataset) -> list[PriceMove]:
    """One move for each card and kind of price that is not old, the largest first."""
    found = (move for gpu in dataset.gpus.values() for move in _moves(gpu, dataset.newest_reading))
    return sorted(found, key=lambda move: (-abs(math.log(move.usd / move.usd_before)), move.gpu.id, move.kind))


def new_cards(dataset: Dataset) -> list[GpuRecord]:
    """The cards launched in the year before the newest reading, the newest first."""
    newest = dataset.newest_reading
    out = [gpu for gpu in dataset.gpus.values() if gpu.text("status") != "announced"]
    dated = [gpu for gpu in out if len(gpu.text("launch_date")) >= len("2026-11")]
    recent = [gpu for gpu in dated if 0 <= staleness.age_days(gpu.text("launch_date"), newest) <= NEW_CARD_DAYS]
    return sorted(recent, key=lambda gpu: (-_ordinal(gpu.text("launch_date")), gpu.id))


def corrected(dataset: Dataset) -> list[Corrected]:
    """The claims that are withdrawn, those that were furthest off first."""
    found = {
        (gpu.id, name, row["source"], row["value"]): _corrected(gpu, name, row)
        for gpu in dataset.gpus.values()
        for name, rows in gpu.claims.items()
        for row in rows
        if row["reason"].startswith(WITHDRAWN)
    }
    return sorted(found.values(), key=lambda one: (-one.gap, one.gpu.id, one.field, one.source))


def _moves(gpu: GpuRecord, newest: str) -> Iterator[PriceMove]:
    for kind in BUY_KINDS:
        series = [found for found in _series(gpu, kind) if staleness.state(kind, found.day, newest) in COUNTED]
        if series:
            yield max(series, key=lambda move: (move.day, move.before, move.provider))


def _series(gpu: GpuRecord, kind: str) -> Iterator[PriceMove]:
    """The newest change of each seller or index."""
    days: dict[tuple[str, str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in gpu.prices:
        if row["kind"] == kind and row["usd_per_unit"] and row["date"] and not row["flag"]:
            key = (row["source"], row["provider"], row["currency"])
            days[key][row["date"]].append(float(row["usd_per_unit"]))
    for (_, provider, _), by_day in sorted(days.items()):
        if len(by_day) > 1:
            before, day = sorted(by_day)[-2:]
            yield PriceMove(gpu, kind, provider, day, median(by_day[day]), before, median(by_day[before]))


def _ordinal(day: str) -> int:
    return date.fromisoformat(f"{day}-01"[:10]).toordinal()


def _corrected(gpu: GpuRecord, name: str, row: Row) -> Corrected:
    taken = gpu.chosen(name)
    return Corrected(gpu, name, row["value"], taken["value"] if taken else "", row["unit"], row["source"],
                     row["retrieved"], row["reason"].removeprefix(WITHDRAWN))  # fmt: skip
