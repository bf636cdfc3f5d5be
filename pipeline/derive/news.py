"""Cards of the last year and figures of sources put right, for the home page and the feed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from pipeline.core.schema import DecidedClaim
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.prices import staleness

NEW_CARD_DAYS = 365


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


def new_cards(dataset: Dataset) -> list[GpuRecord]:
    """The cards launched in the year before the newest reading, the newest first."""
    newest = dataset.newest_reading
    out = [gpu for gpu in dataset.gpus.values() if gpu.status != "announced"]
    dated = [gpu for gpu in out if len(gpu.launch_date) >= len("2026-11")]
    recent = [gpu for gpu in dated if 0 <= staleness.age_days(gpu.launch_date, newest) <= NEW_CARD_DAYS]
    return sorted(recent, key=lambda gpu: (-date.fromisoformat(f"{gpu.launch_date}-01"[:10]).toordinal(), gpu.id))


def corrected(dataset: Dataset) -> list[Corrected]:
    """The claims that are withdrawn, those that were furthest off first."""
    found = {
        (gpu.id, name, row.source, row.value): _corrected(gpu, name, row)
        for gpu in dataset.gpus.values()
        for name, rows in gpu.claims.items()
        for row in rows
        if row.verdict == "withdrawn"
    }
    return sorted(found.values(), key=lambda one: (-one.gap, one.gpu.id, one.field, one.source))


def _corrected(gpu: GpuRecord, name: str, row: DecidedClaim) -> Corrected:
    taken = gpu.chosen(name)
    return Corrected(
        gpu,
        name,
        row.value,
        taken.value if taken else "",
        row.unit,
        row.source,
        row.retrieved,
        row.why,
    )
