"""What the licence of each source allows us: `data/licences.csv`, one decision a source.

Use it where rows leave the project (the release, the API) and where the sources are shown. A source needs a line unless
its licence stands in NOTICE and so decides by itself; without either it fails the check, so that nobody adds a source
without having decided.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pipeline.core import documents
from pipeline.core.documents import meant
from pipeline.intake.sources import MODULES

DECISIONS: Mapping[str, str] = {
    "attribution": "rows are handed on with the credit that the licence asks for",
    "share alike": "rows are handed on under the same licence; a reason why the dataset is CC BY-SA 4.0",
    "facts only": "single figures with their address; neither text nor arrangement of the source is taken",
    "left out": "shown on the site with a link, in no release",
}
# Licences that ask for their notice and no more: "attribution", for each source that is under one.
NOTICE = ("MIT", "Apache-2.0", "BSD-3-Clause")
# The line for papers that people read for single figures, which are in no list of sources.
BY_HAND = "documents read by hand"
COLUMNS = ("source", "decision", "reason", "asked", "answer")
WHERE = "data/licences.csv"


class LicenceError(ValueError):
    """A line of data/licences.csv that says nothing of use; the message names file, row and next step."""


@dataclass(frozen=True, slots=True)
class Licence:
    """What was decided on one source, why, and what was found when a missing licence was asked for again."""

    source: str
    decision: str
    reason: str
    asked: str  # the day, "" where the source states its licence
    answer: str

    @property
    def released(self) -> bool:
        """Whether rows of the source leave the project."""
        return self.decision != "left out"


class Licences:
    """All decisions, by source."""

    def __init__(self, entries: Iterable[Licence]) -> None:
        self._by_source = {entry.source: entry for entry in entries}

    def of(self, source: str) -> Licence:
        """The decision on a source; one that is in no list is a document that somebody read by hand."""
        return self._by_source.get(source, self._by_source[BY_HAND])

    def listed(self, source: str) -> bool:
        """Whether this very source was decided on, by a line or by its licence."""
        return source in self._by_source

    def missing(self, sources: Iterable[str]) -> list[str]:
        """Say which sources nobody has decided on, and which lines speak of none."""
        listed = {*sources, BY_HAND}
        undecided = [
            f"data/licences.csv: no line for the source {source!r}; decide what its licence allows "
            f"({', '.join(DECISIONS)}) and say why"
            for source in sorted(listed - self._by_source.keys())
        ]
        idle = [
            f"data/licences.csv: {source!r} is no source{meant(source, sorted(listed))}; take the line out"
            for source in sorted(self._by_source.keys() - listed)
        ]
        return [*undecided, *idle]


def load(path: Path) -> Licences:
    """Read the decisions, and add what licences decide by themselves.

    LicenceError for a line with a word that is none of DECISIONS, without a reason, or that its licence makes idle.
    """
    text = documents.text_of(path, WHERE, LicenceError)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        documents.check_heads(WHERE, reader.fieldnames, COLUMNS, LicenceError)
        rows = list(reader)
    except csv.Error as error:
        raise LicenceError(f"{WHERE}: {error}; a cell with a comma or a quote stands in quotes") from None
    by_licence = {
        source.id: Licence(source.id, "attribution", f"{source.licence}: rows may be handed on with the notice", "", "")
        for source in (module.SOURCE for module in MODULES)
        if source.licence in NOTICE
    }
    entries: list[Licence] = []
    for number, row in enumerate(rows, start=2):
        if wrong := _wrong(row, entries):
            raise LicenceError(f"{WHERE}:{number}: {wrong}")
        entries.append(Licence(*(row[column] for column in COLUMNS)))
        if entries[-1] == by_licence.pop(row["source"], None):
            raise LicenceError(
                f"{WHERE}:{number}: {row['source']!r}: its licence says as much by itself; take the line out"
            )
    return Licences([*entries, *by_licence.values()])


def _wrong(row: Mapping[str, str], before: Sequence[Licence]) -> str:
    """What is wrong with a line, "" where it may be taken; `before` are the lines above it."""
    if len(row) != len(COLUMNS) or None in row.values():
        return f"not {len(COLUMNS)} cells; put a cell that holds a comma in quotes"
    if row["decision"] not in DECISIONS:
        return f"decision {row['decision']!r} is none of: {', '.join(DECISIONS)}"
    if not row["reason"]:
        return f"{row['source']!r} has no reason; say in a sentence why"
    if row["asked"] and not _is_a_day(row["asked"]):
        return f"asked {row['asked']!r} is no day; write it as 2026-11-22, or leave it empty"
    first = next((line for line, entry in enumerate(before, start=2) if entry.source == row["source"]), 0)
    return f"{row['source']!r} stands in line {first} already; keep one decision on a source" if first else ""


def _is_a_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
