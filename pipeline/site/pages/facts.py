"""A GPU's figures as pages show them, each with the claims for and against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from pipeline.core.once import once
from pipeline.core.schema import FIELDS, DecidedClaim, field_of, parse_peak
from pipeline.core.wording import count, day, exact, nice_unit, number, words
from pipeline.dataset import GpuRecord
from pipeline.intake.sources import MODULES

INPUT_NAMES = {
    "fp64": "FP64",
    "fp32": "FP32",
    "tf32": "TF32",
    "bf16": "BF16",
    "fp16": "FP16",
    "fp8": "FP8",
    "int8": "INT8",
    "fp6": "FP6",
    "fp4": "FP4",
    "int32": "INT32",
}
# How a page prints a value, by the type of its field: a number to three digits, a day in words, a flag as yes or no.
SHOWN: Mapping[str, Callable[[str], str]] = {
    "number": number,
    "integer": number,
    "date": day,
    "flag": {"true": "yes", "false": "no"}.__getitem__,
    "text": str,
}


@dataclass(frozen=True, slots=True)
class Said:
    """What one source says of a figure, and where."""

    value: str
    unit: str
    source: str  # title
    source_id: str
    kind: str
    url: str
    host: str
    locator: str
    retrieved: str
    licence: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure of a GPU: the chosen value, who else says so, who differs, what was withdrawn."""

    field: str
    anchor: str
    label: str
    meaning: str
    shown: str  # three digits, or the text
    unit: str
    chosen: Said
    independent: int
    agreeing: tuple[Said, ...]
    differing: tuple[Said, ...]

    @property
    def support(self) -> Literal["disputed", "shared", "alone"]:
        """What stands behind the figure: sources that differ, independent ones that agree, or one alone."""
        return "disputed" if self.differing else "shared" if self.independent > 1 else "alone"

    @property
    def mark(self) -> str:
        """The source in one line, for the small mark beside the figure."""
        more = f"; {count(self.independent, 'independent source')}" + (
            f", {len(self.differing)} differ" if self.differing else ""
        )
        return f"{self.chosen.source} ({words(self.chosen.kind)}), read {day(self.chosen.retrieved)}{more}"


@once
def facts(gpu: GpuRecord) -> dict[str, Fact]:
    """Every figure with a chosen claim: fields in the order of the schema, then the peaks."""
    found = {}
    for name in (*(name for name in FIELDS if name in gpu.claims), *_peak_fields(gpu.claims)):
        chosen, *others = gpu.claims[name]
        if chosen.chosen:
            spec, (label, unit, anchor) = field_of(name), heading(name)
            found[name] = Fact(
                name,
                anchor,
                label,
                spec.meaning,
                SHOWN[spec.type](chosen.value),
                unit,
                said([chosen])[0],
                int(chosen.independent_sources or 1),
                said(claim for claim in others if claim.verdict == "agrees"),
                said(claim for claim in others if claim.verdict == "differs"),
            )
    return found


def withdrawn(gpu: GpuRecord) -> Iterator[tuple[str, Said]]:
    """Claims that a correction took out, with the label of their field."""
    for name, rows in gpu.claims.items():
        for row in rows:
            if row.verdict == "withdrawn":
                yield heading(name).label, said([row])[0]


def said(rows: Iterable[DecidedClaim]) -> tuple[Said, ...]:
    """Claims as the pages show them; a source that says the same in several places is shown with the first."""
    first: dict[tuple[str, str], DecidedClaim] = {}
    for row in rows:
        first.setdefault((row.source, row.value), row)
    return tuple(
        Said(
            exact(row.value),
            heading(row.field).unit,
            row.source_title,
            row.source,
            row.kind,
            row.url,
            urlsplit(row.url).netloc,
            row.locator,
            row.retrieved,
            row.licence,
            row.reason,
        )
        for row in first.values()
    )


class Heading(NamedTuple):
    """How the pages name a figure, in which unit they print it, and where on a card's page its source stands."""

    label: str
    unit: str
    anchor: str


@cache
def heading(field: str) -> Heading:
    """The heading of a figure; a peak is named by its four words, and one of integers counts TOPS, not TFLOPS."""
    spec, anchor = field_of(field), f"claim-{field.replace(':', '-')}"
    if not field.startswith("peak:"):
        return Heading(spec.label, nice_unit(spec.unit), anchor)
    key = parse_peak(field)
    label = f"{INPUT_NAMES[key.input]} → {INPUT_NAMES[key.accumulate]} {key.sparsity}, {key.engine}"
    return Heading(label, "TOPS" if key.input.startswith("int") else spec.unit, anchor)


@cache
def source_titles() -> Mapping[str, str]:
    """The titles of the sources of the list."""
    return {module.SOURCE.id: module.SOURCE.title for module in MODULES}


def source_title(source: str) -> str:
    """A source's title; a document that a person read has no entry in the list and shows its own name."""
    return source_titles().get(source, source)


def _peak_fields(fields: Iterable[str]) -> list[str]:
    """Peak fields in the order of the schema's words."""
    order = list(INPUT_NAMES)
    peaks = [(parse_peak(name), name) for name in fields if name.startswith("peak:")]
    return [
        name
        for key, name in sorted(
            peaks, key=lambda p: (order.index(p[0].input), p[0].engine, p[0].accumulate, p[0].sparsity)
        )
    ]
