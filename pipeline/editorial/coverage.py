"""Whether every name of the coverage list (`data/coverage.csv`) leads to a page, section or entry that exists.

A target is where a reader who searches for the name ends:

    gpus/<id>   clouds/<id>   vendors/<slug>   lines/<slug>   architectures/<slug>   guide/<chapter>.md[#anchor]
    data/statements#C003   left out: reason
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.core import documents
from pipeline.core.documents import meant
from pipeline.core.paths import DATA
from pipeline.core.wording import slug
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import cloud
from pipeline.editorial import guide, statements

PATH = DATA.data / "coverage.csv"
COLUMNS = ("section", "name", "target")
LEFT_OUT = "left out: "
KINDS = (
    "gpus/<id>, clouds/<id>, vendors/<name>, lines/<name>, architectures/<name>, guide/<chapter>.md#<heading>, "
    "data/statements#<id>, left out: <reason>"
)
# Pages that put cards together: folder and the column that names them.
FAMILIES: Mapping[str, Callable[[GpuRecord], str]] = {
    "vendors": lambda gpu: gpu.vendor,
    "lines": lambda gpu: gpu.line,
    "architectures": lambda gpu: gpu.architecture,
}

NO_PAGE: Mapping[str, str] = {
    "gpus": "no GPU has this id; ids stand in data/gpus/",
    "clouds": "no cloud family has this id; ids stand in data/cloud.yml",
}


class CoverageError(ValueError):
    """The list itself cannot be read; the message names file and columns."""


@dataclass(frozen=True, slots=True)
class OldTopic:
    """One name of the old articles and where a reader finds it."""

    section: str
    name: str
    target: str
    line: int = 0

    @property
    def left_out(self) -> str:
        """Why it has no place on the site, "" when it has one."""
        return self.target.removeprefix(LEFT_OUT).strip() if self.target.startswith(LEFT_OUT) else ""


@dataclass(frozen=True, slots=True)
class Missing:
    """A name that leads nowhere, and what to do."""

    entry: OldTopic
    message: str

    def __str__(self) -> str:
        return f"data/{PATH.name}:{self.entry.line}: {self.entry.name!r}, target {self.entry.target!r}: {self.message}"


@dataclass(frozen=True, slots=True)
class Targets:
    """Everything that a target can lead to."""

    pages: Mapping[str, frozenset[str]]  # folder → ids, where a page stands for an id
    families: frozenset[str]
    anchors: Mapping[str, list[str]]
    statements: frozenset[str]


def report(
    dataset: Dataset, path: Path = PATH, chapters: Path = guide.FOLDER, said: Path = statements.PATH
) -> tuple[list[OldTopic], list[Missing]]:
    """Sort the names into those that lead somewhere (or are left out with a reason) and those that do not."""
    site = Targets(
        {"gpus": frozenset(dataset.gpus), "clouds": frozenset(family.id for family in cloud.load().families)},
        frozenset(_families(dataset)),
        statements.anchors_of(chapters),
        frozenset(statements.ids(said)),
    )
    judged = [(entry, _why_missing(entry, site)) for entry in entries(path)]
    return [e for e, why in judged if not why], [Missing(e, why) for e, why in judged if why]


def entries(path: Path = PATH) -> list[OldTopic]:
    """The list as written; CoverageError names every row that is none, or that stands twice."""
    where = f"data/{path.name}"
    rows, problems = documents.table(path, where, COLUMNS, CoverageError)
    first: dict[tuple[str, str], int] = {}
    for line, row in rows:
        before = first.setdefault((row["section"], row["name"]), line)
        if before != line:
            problems.append(f"{where}:{line}: {row['name']!r} of {row['section']} stands in line {before}; keep one")
    if problems:
        raise CoverageError("\n".join(problems))
    return [OldTopic(row["section"], row["name"], row["target"], line) for line, row in rows]


def _why_missing(entry: OldTopic, site: Targets) -> str:
    """What is wrong with a target, "" when it leads somewhere."""
    folder, _, rest = entry.target.partition("/")
    if entry.target.startswith(LEFT_OUT.strip()):
        return "" if entry.left_out else "says no reason; write left out: why"
    if folder in NO_PAGE:
        return "" if rest in site.pages[folder] else f"{NO_PAGE[folder]}{meant(rest, sorted(site.pages[folder]))}"
    if folder in FAMILIES:
        return "" if entry.target in site.families else "no GPU of the dataset belongs there; see gpus/families/"
    if folder == "guide":
        return _why_no_heading(entry.target, site.anchors)
    if entry.target.startswith(f"{statements.PAGE}#"):
        return "" if entry.target.partition("#")[2] in site.statements else "data/statements.csv has no such id"
    return f"is no target; write one of: {KINDS}"


def _why_no_heading(target: str, anchors: Mapping[str, list[str]]) -> str:
    chapter, _, anchor = target.partition("#")
    if chapter not in anchors:
        return f"docs/{chapter} is not there"
    return f"docs/{chapter} has no heading for #{anchor}" if anchor and anchor not in anchors[chapter] else ""


def _families(dataset: Dataset) -> Iterator[str]:
    """The addresses of the pages of makers, lines and architectures (see pipeline/site/pages/addresses.py)."""
    for gpu in dataset.gpus.values():
        maker = slug(gpu.vendor)
        for folder, text in FAMILIES.items():
            name = slug(text(gpu))
            plain = folder == "vendors" or name.startswith(f"{maker}-")
            yield f"{folder}/{name}" if plain else f"{folder}/{maker}-{name}"
