"""What the look-ups give back: figures that carry their source, their day and where they stand on the site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from gpu_almanac.errors import UnknownFigureError

Value = str | int | float | bool
# What TeX reads as a command, and how the sign itself is written.
TEX_COMMANDS = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "{}&%$#_"},
    }
)


@dataclass(frozen=True)
class Source:
    """The document that states a figure: who, what kind of paper, where, the place in it, and when it was read."""

    title: str
    kind: str  # vendor, datasheet-copy, press, reference, community, first-party; computed for arithmetic
    url: str
    locator: str
    read: str
    licence: str


@dataclass(frozen=True)
class Figure:
    """One figure of a GPU in the unit that `unit` names ("" for counts and words)."""

    field: str
    label: str
    value: Value
    unit: str
    source: Source
    differing: int  # how many sources state another value
    address: str  # where the figure and those who differ stand on the site


@dataclass(frozen=True)
class Peak:
    """One peak rate: of which input, summed in which type, dense or sparse, on which units, and at which clock.

    `tflops` holds TFLOPS, or TOPS for integers. `float(peak)` is the same number, so that a Peak can stand in a
    quotient. `basis` is "stated" for a figure that a document prints and "computed" for units x operations x clock.
    """

    gpu: str
    name: str
    input: str
    accumulate: str
    sparsity: str
    engine: str
    tflops: float
    basis: str
    clock: str  # the clock behind the figure, in words
    clock_mhz: float | None
    source: Source
    version: str  # the day of the dataset
    address: str

    def __float__(self) -> float:
        return self.tflops

    @property
    def value(self) -> float:
        """The number alone: TFLOPS, or TOPS for integers."""
        return self.tflops

    @property
    def unit(self) -> str:
        """TOPS for integers, TFLOPS for all others."""
        return "TOPS" if self.input.startswith("int") else "TFLOPS"

    @property
    def label(self) -> str:
        """What the rate is, in words: BF16 -> FP32, dense, matrix units."""
        units = "matrix units" if self.engine == "tensor" else "vector units"
        return f"{self.input.upper()} -> {self.accumulate.upper()}, {self.sparsity}, {units}"

    @property
    def bibtex(self) -> str:
        """An entry for a paper: it leads to this figure on the site and names the document behind it."""
        words = f"{self.input}-{self.accumulate}-{self.sparsity}-{self.engine}"
        return bibtex(
            key=f"gpu-almanac-{self.gpu}-{words}",
            title=f"{self.name}: peak rate {self.tflops:g} {self.unit}, {self.label}",
            version=self.version,
            source=self.source,
            address=self.address,
        )

    def __str__(self) -> str:
        return f"{self.name}: {self.tflops:g} {self.unit} ({self.label}; {self.basis}, {self.source.title})"


@dataclass(frozen=True)
class Price:
    """What a GPU costs in one market: a unit to buy, or an hour of one GPU to rent.

    `current` is False for a price that is too old to act on: it was last seen on `day`. `low` and `high` are the
    cheapest and the dearest of the `count` products or providers behind `value`; `doubts` say what speaks against it.
    """

    gpu: str
    kind: str  # new, used, system, rent, marketplace, spot, reserved
    market: str  # us, eu, uk
    value: float
    currency: str
    low: float | None
    high: float | None
    count: int
    tax: float | None  # per cent in the price; 0 is without, None is not known
    day: str
    who: str
    confidence: str
    doubts: tuple[str, ...]
    current: bool
    words: str
    version: str
    address: str

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class Gpu:
    """One GPU with all its figures: `card["memory_gb"].value`, `card.peaks`, `card.address`."""

    id: str
    name: str
    vendor: str
    segment: str
    line: str
    architecture: str
    form_factor: str
    figures: Mapping[str, Figure] = field(repr=False)
    peaks: tuple[Peak, ...] = field(repr=False)
    version: str
    address: str

    def __getitem__(self, name: str) -> Figure:
        if name not in self.figures:
            near = get_close_matches(str(name), self.figures, n=3, cutoff=0.5)
            hint = f"; did you mean {' or '.join(near)}?" if near else f"; there are: {', '.join(self.figures)}"
            raise UnknownFigureError(f"{self.name}: no source states a figure called {name}{hint}")
        return self.figures[name]

    def get(self, name: str) -> Value | None:
        """The value of a figure, or None where no source states it: an unknown figure is never 0."""
        found = self.figures.get(name)
        return None if found is None else found.value


@dataclass(frozen=True)
class Utilisation:
    """How much of the peak a run used: `share` is achieved over `gpus` x the peak rate of one."""

    share: float
    achieved_tflops: float
    gpus: int
    peak: Peak

    def __float__(self) -> float:
        return self.share

    def __str__(self) -> str:
        return f"{self.share:.1%} of {self.gpus} x {self.peak.tflops:g} {self.peak.unit} ({self.peak.label})"


def bibtex(*, key: str, title: str, version: str, source: Source, address: str) -> str:
    """Write one BibTeX entry; braces and the signs that TeX reads as commands are escaped."""
    read = f", read {source.read}" if source.read else ""
    note = f"Data of {version}. Stated by {source.title}, {source.url}, {source.locator}{read}"
    lines = (
        f"@misc{{{key},",
        f"  title  = {{{{{_tex(title)}}}}},",
        "  author = {{GPU Almanac contributors}},",
        f"  year   = {{{version[:4]}}},",
        f"  note   = {{{_tex(note)}}},",
        f"  url    = {{{address}}}",
        "}",
    )
    return "\n".join(lines)


def _tex(text: str) -> str:
    return text.translate(TEX_COMMANDS)
