"""Where a card stands among cards of the same use: a strip of marks for each measure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pipeline.core.wording import quantity
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.site.charts.svg import Scale, pixel

WIDTH, HEIGHT, EDGE = 300, 16, 3
TICK_TOP = 6  # the others' marks begin here; the card's own takes the whole height
FEWEST = 5  # cards of a class with the figure known; fewer make no field to stand in
# What a class of cards is called; consumer and workstation count as one, as among the rivals.
CLASS_NAMES = {
    "desk": "desktop and workstation cards",
    "datacenter": "data centre cards",
    "edge": "edge boards",
    "integrated": "chips with shared memory",
}
Measure = Callable[[GpuRecord], float | None]


MEASURES: Mapping[str, tuple[str, Measure]] = {
    "Memory": ("GB", metrics.memory),
    "Memory bandwidth": ("GB/s", metrics.memory_bandwidth),
    "Dense 16-bit peak": ("TFLOPS", metrics.sixteen_bit_tflops),
}


@dataclass(frozen=True, slots=True)
class Strip:
    """One measure: every card of the class, this one's place, and what that means in words."""

    label: str
    others: str  # the marks of all cards as one path
    at: str
    text: str


@dataclass(frozen=True)
class _Field:
    """One measure of one class, in order."""

    unit: str
    values: Sequence[float]

    @cached_property
    def scale(self) -> Scale:
        return Scale(self.values[0], self.values[-1], EDGE, WIDTH - EDGE, True)

    @cached_property
    def path(self) -> str:
        places = dict.fromkeys(pixel(self.scale(value)) for value in self.values)
        return "".join(f"M{place} {TICK_TOP}V{HEIGHT}" for place in places)


class Standing:
    """The strips of every card; each class is sorted and drawn once for all of its cards."""

    def __init__(self, dataset: Dataset) -> None:
        classes: dict[str, list[GpuRecord]] = {}
        for gpu in dataset.gpus.values():
            classes.setdefault(_class(gpu), []).append(gpu)
        self._fields = {
            (name, label): _Field(unit, sorted(v for gpu in members if (v := of(gpu))))
            for name, members in classes.items()
            for label, (unit, of) in MEASURES.items()
        }

    def of(self, gpu: GpuRecord) -> list[Strip]:
        """The strips of the measures that are known of the card and of enough others."""
        return list(self._strips(gpu))

    def _strips(self, gpu: GpuRecord) -> Iterator[Strip]:
        name = _class(gpu)
        for label, (_, of) in MEASURES.items():
            field, value = self._fields[name, label], of(gpu)
            if value and len(field.values) >= FEWEST and field.values[0] < field.values[-1]:
                less = bisect_left(field.values, value)
                words = f"more than {less} of {len(field.values) - 1} other {CLASS_NAMES.get(name, name)}"
                text = f"{quantity(value, field.unit)}: {words}"
                yield Strip(label, field.path, pixel(field.scale(value)), text)


def _class(gpu: GpuRecord) -> str:
    segment = gpu.segment
    return metrics.SAME_USE.get(segment, segment)
