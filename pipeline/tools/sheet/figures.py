"""The figures in the text of a cell: numbers with unit, marks and qualifying words; what is left over is named."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pipeline.tools.sheet.form import MARK, marks_of, show
from pipeline.tools.sheet.words import CASE_COUNTS, UNITS

# 2,039 · 9.7 · 18176 · 1,248.5. A comma that does not group thousands never belongs to a number here.
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
DECIMAL_COMMA = re.compile(
    r"(?<![\d.,])(?:\d{1,3}(?:\.\d{3})+,\d+|\d+,\d{1,2}|\d{4,},\d+|0,\d+|\d+,\d{4,})(?![\d,]|\.\d)"
)
DOT_GROUPS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}\.\d{3}(?![\d.,])")
LARGE_UNITS = {"PFLOPS", "POPS", "TB/s", "TiB/s", "GHz", "kW", "TB", "billion"}
_UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_FIGURE = re.compile(
    rf"(?P<before>\b(?:up to|max\.?|maximum|peak|configurable up to|approx\.?|approximately|about)\s+|[~≈<>≤≥]\s*)?"
    rf"(?<![\w.,])(?P<number>{NUMBER})(?![\d]|[.,]\d)(?P<first>(?:\s*\^\{{[^}}]*\}})*)\s*(?P<unit>(?i:{_UNIT})(?![A-Za-z0-9/]))?"
    rf"(?P<marks>(?:\s*\^\{{[^}}]*\}})*)"
    rf"(?P<said>\s*\(?\b(?i:with(?:out)?(?: structured)? sparsity|sparse|sparsity|dense|w/ sparsity|no sparsity)\b\)?)?"
    rf"(?P<more>(?:\s*\^\{{[^}}]*\}})*)",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"(?:{NUMBER})\s*(?:{_UNIT})?\s*(?:-|–|—|−|\bto\b|\bor\b|\.\.\.|…)\s*(?:{NUMBER})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """One number of a cell."""

    number: str
    printed: str  # number and unit with the space between them as it stands
    unit: str  # as pipeline.core.units spells it; "" where none stands
    printed_unit: str
    marks: tuple[str, ...]
    said: str  # words on sparsity behind it
    before: str  # "up to" and the like

    @property
    def value(self) -> float:
        """The number itself."""
        return float(self.number.replace(",", ""))

    @property
    def measures(self) -> str:
        """What its unit measures."""
        return next((kind for spelling, kind in UNITS.values() if spelling == self.unit), "")


@dataclass(frozen=True, slots=True)
class CellReading:
    """All figures of a cell, and the text that is none."""

    figures: tuple[PrintedNumber, ...]
    rest: str
    is_range: bool

    def has(self, measures: str) -> bool:
        """Say whether a figure measures this."""
        return any(figure.measures == measures for figure in self.figures)


def read(text: str) -> CellReading:
    """Find the figures of a text."""
    flat = re.sub(r"\s+", " ", text)
    found = tuple(_figure(match) for match in _FIGURE.finditer(flat))
    rest = re.sub(r"\s+", " ", _FIGURE.sub(" ", flat)).strip()
    return CellReading(found, rest, bool(_RANGE.search(MARK.sub("", flat))))


def has_decimal_comma(text: str) -> bool:
    """Say whether a number uses the comma as decimal sign; such a sheet cannot be read safely."""
    return bool(DECIMAL_COMMA.search(MARK.sub(" ", text)))


def dots_are_unclear(cells: Iterable[tuple[str, str]]) -> bool:
    """Say whether a dot may group thousands: all figures with dots look like 1.979, and no comma groups any.

    `cells` are texts and the unit that stands beside each, in its label or column.
    """
    found = [replace(figure, unit=figure.unit or unit) for text, unit in cells for figure in read(text).figures]
    # A thousand of these units would be more than any board has, so there the dot is a decimal point.
    numbers = [figure.number for figure in found if figure.unit and figure.unit not in LARGE_UNITS]
    dotted = [number for number in numbers if "." in number]
    return bool(dotted) and all(DOT_GROUPS.fullmatch(n) for n in dotted) and not any("," in n for n in numbers)


def has_unclear_dot(text: str, unit: str) -> bool:
    """Say whether a figure of a cell looks like 1.979 of a unit of which there may be thousands."""
    return any(
        DOT_GROUPS.fullmatch(figure.number) and (figure.unit or unit) not in ("", *LARGE_UNITS)
        for figure in read(text).figures
    )


def unit_of(printed: str) -> str:
    """Give the spelling that pipeline.core.units reads; "" for a unit that is not in the table."""
    if printed in UNITS:
        return UNITS[printed][0]
    folded = printed.casefold()
    if folded in CASE_COUNTS:
        return ""
    return next((spelling for unit, (spelling, _) in UNITS.items() if unit.casefold() == folded), "")


def unit_in_label(label: str) -> tuple[str, str]:
    """Split a label into its words and the unit it ends with or holds in brackets."""
    bare = show(MARK.sub("", label))
    for pattern in (
        rf"[(\[]\s*(?:in )?({_UNIT})\s*[)\]]",
        rf"(?:,|\bin)\s+({_UNIT})$",
        rf"(?<=\s)({_UNIT})(?=\s|$|\()",
    ):
        match = re.search(pattern, bare, re.IGNORECASE)
        if match and unit_of(match[1]) and match[1] not in ("in", '"'):
            return re.sub(r"\s+", " ", bare[: match.start()] + " " + bare[match.end() :]).strip(" ,"), unit_of(match[1])
    return bare, ""


def _figure(match: re.Match[str]) -> PrintedNumber:
    printed = (match["unit"] or "").strip()
    marks = marks_of((match["first"] or "") + (match["marks"] or "") + (match["more"] or ""))
    as_printed = match.string[match.start("number") : match.end("unit") if match["unit"] else match.end("number")]
    as_printed = MARK.sub("", as_printed)
    return PrintedNumber(
        match["number"],
        as_printed,
        unit_of(printed) if printed else "",
        printed,
        marks,
        (match["said"] or "").strip(" ()"),
        (match["before"] or "").strip(),
    )
