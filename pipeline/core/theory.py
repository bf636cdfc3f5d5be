"""What the peaks of a chip must be: units × operations a unit and clock × clock, by `data/architectures.yml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import Field, model_validator

from pipeline.core.documents import Document, Strict, Text, read
from pipeline.core.paths import DATA
from pipeline.core.schema import PeakKey, peak

TABLE = DATA.data / "architectures.yml"
# A stated peak further than this from theory, and further than half a step of its last digit, is told with a reason.
OFF = 0.02
Count = Annotated[int, Field(gt=0)]


class Chip(Protocol):
    """What theory needs to know of a card."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def architecture(self) -> str: ...  # noqa: D102
    @property
    def segment(self) -> str: ...  # noqa: D102
    @property
    def compute_units(self) -> int | None: ...  # noqa: D102
    @property
    def shader_cores(self) -> int | None: ...  # noqa: D102
    @property
    def tensor_cores(self) -> int | None: ...  # noqa: D102
    @property
    def boost_clock_mhz(self) -> float | None: ...  # noqa: D102


class ArchitectureError(ValueError):
    """The table of architectures says something that cannot be; the message names group and field."""


class Cited(Strict):
    """A statement with the document and the place where it stands."""

    document: Text
    locator: Text


class UnitRate(Cited):
    """Operations of one unit in one clock, for peaks named `<input>:<accumulate>:<engine>`."""

    peaks: tuple[Text, ...]
    operations: Count


class Lacking(Cited):
    """Peaks, named as rates are, for which a unit has no circuits: a figure there is worked out from nothing."""

    peaks: tuple[Text, ...]


class Sparsity(Cited):
    """How many times the dense rate the sparse one is, and for which inputs."""

    factor: Count
    inputs: tuple[Text, ...]


class Clock(Cited):
    """A clock that some peaks of some cards refer to in place of the boost clock."""

    gpus: tuple[Text, ...]
    inputs: tuple[Text, ...]
    mhz: Count


class Apart(Strict):
    """Stated peaks that differ from theory for a known reason; patterns on ids and on peaks."""

    gpus: tuple[Text, ...]
    peaks: tuple[Text, ...]
    reason: Text

    def holds(self, gpu: str, key: PeakKey) -> bool:
        """Whether it speaks of this peak of this card."""
        return matches(gpu, self.gpus) and matches(_words(key), self.peaks)


class UnitGroup(Strict):
    """One kind of compute unit and the cards that are made of it."""

    name: Text
    architecture: Text
    gpus: tuple[Text, ...] = ("*",)
    segments: tuple[Text, ...] = ()
    unit: Text
    cores: Count
    matrix_units: Count | None = None
    sparsity: Sparsity | None = None
    rates: tuple[UnitRate, ...]
    lacks: tuple[Lacking, ...] = ()

    def holds(self, gpu: Chip) -> bool:
        """Whether the card is made of these units."""
        return (
            gpu.architecture == self.architecture
            and (not self.segments or gpu.segment in self.segments)
            and matches(gpu.id, self.gpus)
        )

    @cached_property
    def by_peak(self) -> Mapping[PeakKey, tuple[int, Cited]]:
        """Operations a unit and clock of each peak, sparse ones included, with the statement behind it."""
        found: dict[PeakKey, tuple[int, Cited]] = {}
        for rate in self.rates:
            for name in rate.peaks:
                input, accumulate, engine = name.split(":")
                found[PeakKey(input, accumulate, "dense", engine)] = rate.operations, rate
                if self.sparsity and engine == "tensor" and input in self.sparsity.inputs:
                    operations = rate.operations * self.sparsity.factor
                    found[PeakKey(input, accumulate, "sparse", engine)] = operations, self.sparsity
        return found


class Ratio(Strict):
    """From low to high: what one dense peak must be to another where no group knows both formats."""

    architecture: Text | None = None
    gpus: tuple[Text, ...] = ("*",)
    of: Text
    to: Text
    low: Annotated[float, Field(gt=0)]
    high: Annotated[float, Field(gt=0)]
    reason: Text

    def holds(self, gpu: Chip, key: PeakKey, against: PeakKey) -> bool:
        """Whether it speaks of these two peaks of this card."""
        mine = self.architecture in (None, gpu.architecture) and matches(gpu.id, self.gpus)
        return mine and (self.of, self.to) == (_words(key), _words(against))


class Alike(Strict):
    """Cards that must have the same value in some fields: one chip, one module, or variants of one launch."""

    gpus: tuple[Text, ...]
    fields: tuple[Text, ...]
    reason: Text


class Later(Strict):
    """Variants that came after the card they vary; on its day only where a reason says so."""

    gpus: tuple[Text, ...]
    than: Text
    same_day: Text | None = None


class First(Strict):
    """The first product of an architecture, or of a line of it, and the day before which nothing of the two came."""

    architecture: Text
    line: Text | None = None
    card: Text
    day: Text


class Die(Strict):
    """A chip as it is made, from which cards are cut: none has more cache than all of it, and some have all of it."""

    name: Text
    l2_cache_mb: float
    gpus: tuple[Text, ...]
    whole: tuple[Text, ...] = ()  # of these cards, the ones that keep the whole cache
    document: Text
    locator: Text


class Made(Cited):
    """Cards that are cut from one chip: they share its area, its transistors and its process.

    `pcie_lanes` are those of the whole chip, where a card that keeps all of it states them.
    """

    name: Text
    gpus: tuple[Text, ...]
    pcie_lanes: Count | None = None


class Ladder(Strict):
    """A family from the small card to the large one: what the fields hold never falls, or always rises."""

    gpus: tuple[Text, ...]
    fields: tuple[Text, ...]
    rising: bool = False
    reason: Text


class Multiple(Strict):
    """A product that holds so many times the dies or boards of another, and what of the two must be so many times."""

    gpu: Text
    of: Text
    times: Annotated[float, Field(gt=0)]
    fields: tuple[Text, ...]
    reason: Text


class Range(Cited):
    """A field that holds values on some cards that would be a slip on all others, and why."""

    gpus: tuple[Text, ...]
    field: Text
    low: float
    high: float
    reason: Text


class Architectures(Strict):
    """The whole table."""

    id: str
    documents: Mapping[str, Document]
    clocks: tuple[Clock, ...]
    groups: tuple[UnitGroup, ...]
    apart: tuple[Apart, ...] = ()
    ratios: tuple[Ratio, ...] = ()
    alike: tuple[Alike, ...] = ()
    later: tuple[Later, ...] = ()
    first: tuple[First, ...] = ()
    dies: tuple[Die, ...] = ()
    chips: tuple[Made, ...] = ()
    ladders: tuple[Ladder, ...] = ()
    multiples: tuple[Multiple, ...] = ()
    ranges: tuple[Range, ...] = ()

    @model_validator(mode="after")
    def _sound(self) -> Architectures:
        for where, cited in _statements(self):
            if cited.document not in self.documents:
                raise ValueError(f"{where}: document {cited.document!r} is not listed under documents; add it there")
        for ratio in self.ratios:
            if ratio.low > ratio.high:
                raise ValueError(f"ratios: {ratio.of} to {ratio.to}: low is above high; exchange them")
            _checked("ratios", ratio.of)
            _checked("ratios", ratio.to)
        for group in self.groups:
            stated: tuple[UnitRate | Lacking, ...] = (*group.rates, *group.lacks)
            for name in (name for one in stated for name in one.peaks):
                _checked(group.name, name)
        return self

    @classmethod
    def none(cls) -> Architectures:
        """The table of nobody's architecture, for what must go on while the file cannot be read."""
        return cls(id=TABLE.stem, documents={}, clocks=(), groups=())

    def group(self, gpu: Chip) -> UnitGroup | None:
        """The first group that the card belongs to."""
        return next((group for group in self.groups if group.holds(gpu)), None)

    def clock(self, gpu: Chip, key: PeakKey) -> tuple[float | None, Cited | None]:
        """The clock that a peak refers to, and who says so where it is not the boost clock."""
        for clock in self.clocks:
            if gpu.id in clock.gpus and key.engine == "tensor" and key.input in clock.inputs:
                return float(clock.mhz), clock
        return gpu.boost_clock_mhz, None

    def reason(self, gpu: str, key: PeakKey) -> str:
        """Why a stated peak is off theory, "" when nobody has found out."""
        return next((entry.reason for entry in self.apart if entry.holds(gpu, key)), "")

    def ratio(self, gpu: Chip, key: PeakKey, against: PeakKey) -> tuple[float, float, str] | None:
        """Lowest and highest ratio of two dense peaks of a card, and who says so; None where nothing does."""
        group = self.group(gpu)
        if group and key in group.by_peak and against in group.by_peak:
            one, other = group.by_peak[key][0], group.by_peak[against][0]
            return one / other, one / other, f"{group.name} does {one} against {other} operations"
        own = next((ratio for ratio in self.ratios if ratio.holds(gpu, key, against)), None)
        return (own.low, own.high, own.reason) if own else None

    def range(self, gpu: str, field: str) -> Range | None:
        """The range that a field has on a card in place of the schema's, None where the schema's holds."""
        return next((own for own in self.ranges if own.field == field and matches(gpu, own.gpus)), None)


@dataclass(frozen=True, slots=True)
class Theory:
    """What one peak must be, with every factor of the product and the documents behind them."""

    key: PeakKey
    units: int
    unit: str
    operations: int
    clock_mhz: float
    rate: Cited
    clock: Cited | None  # None: the boost clock of the record

    @property
    def tflops(self) -> float:
        """Units × operations a unit and clock × clock."""
        return self.units * self.operations * self.clock_mhz / 1e6


@lru_cache(maxsize=4)
def load(path: Path = TABLE) -> Architectures:
    """Read the table; ArchitectureError names what is wrong with it."""
    return read(path, f"data/{path.name}", Architectures, "it needs documents, clocks and groups", ArchitectureError)


def theory(gpu: Chip, table: Architectures) -> dict[PeakKey, Theory]:
    """Every peak of a card whose units, operations and clock are known; empty when one of the three is not."""
    group = table.group(gpu)
    units = group and units_of(gpu, group)
    if not group or not units:
        return {}
    found: dict[PeakKey, Theory] = {}
    for key, (operations, rate) in group.by_peak.items():
        mhz, clock = table.clock(gpu, key)
        if mhz:
            found[key] = Theory(key, units, group.unit, operations, mhz, rate, clock)
    return found


def units_of(gpu: Chip, group: UnitGroup) -> int | None:
    """Compute units of the whole board: as stated, else from its cores, else from its matrix units."""
    figures = ((gpu.compute_units, 1), (gpu.shader_cores, group.cores), (gpu.tensor_cores, group.matrix_units))
    for stated, each in figures:
        if stated and each:
            return round(stated / each) if stated % each == 0 else None
    return None


def off(stated: str, computed: Theory) -> float | None:
    """How many times theory a stated peak is; None when the two agree within rounding."""
    value = float(stated)
    half_step = 0.5 * 10.0 ** -len(stated.partition(".")[2])
    if abs(value - computed.tflops) <= max(OFF * computed.tflops, half_step):
        return None
    return value / computed.tflops


def fitting_clock_mhz(stated: str, computed: Theory) -> float:
    """The clock at which the units would reach a stated peak."""
    return float(stated) * 1e6 / (computed.units * computed.operations)


def matches(text: str, patterns: tuple[str, ...]) -> bool:
    """Whether an id or a peak fits one of some patterns, as nvidia-h100-*."""
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def _words(key: PeakKey) -> str:
    """A peak as the table names it."""
    return f"{key.input}:{key.accumulate}:{key.engine}"


def _statements(table: Architectures) -> Iterator[tuple[str, Cited]]:
    yield from (("clocks", clock) for clock in table.clocks)
    yield from (("ranges", own) for own in table.ranges)
    yield from ((f"chips, {made.name}", made) for made in table.chips)
    for group in table.groups:
        yield from ((group.name, stated) for stated in (*group.rates, *group.lacks))
        if group.sparsity:
            yield group.name, group.sparsity


def _checked(where: str, name: str) -> None:
    """A peak of the table, taken apart by the schema; its error names the wrong word."""
    words = name.split(":")
    if len(words) != 3:
        raise ValueError(f"{where}: peak {name!r} needs three words: <input>:<accumulate>:<engine>")
    peak(words[0], words[1], "dense", words[2])
