"""Writes data/how-we-test.json, for the page "How we test", from the reports of a full run of the tests.

pytest writes the reports (JUnit XML). A test that tries many cases says so in a property, `cases`; a test without it
is one case. `outcome` and `worst` are told as the test says them. `make test-full` runs it, as
`python -m pipeline.tools.tested REPORT ...`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from pipeline.core.paths import ROOT
from pipeline.site.pages.how_we_test import RECORD, Area, Record

BETWEEN = "; "


@dataclass(frozen=True, slots=True)
class Tried:
    """An area of tests: which they are (file, or file::beginning of a test's name), and how a reader is told of it."""

    id: str
    name: str
    what: str
    holds: str
    unit: str
    tests: tuple[str, ...]


AREAS: Sequence[Tried] = (
    Tried(
        "network",
        "Network faults",
        "A server that hangs, resets, redirects to a private address, sends half a body, a bomb, a page of an error, "
        "other columns or prices times a hundred, or shows a certificate that is expired or another host's",
        "The last good rows stay, the message says what happened, and the other sources are read",
        "scenarios",
        ("test_network_faults",),
    ),
    Tried(
        "last-reading",
        "Damage that still parses",
        "A reading with fewer rows, other keys, shifted prices or doubly encoded text, held against the last good one",
        "A shrink, a shift or a jump asks for a person before anything changes",
        "cases",
        ("test_last_reading",),
    ),
    Tried(
        "single-cells",
        "Single wrong cells",
        "A shifted decimal point, exchanged digits or columns, GB for GiB, a sparse peak as a dense one, the month for "
        "the day, another currency or the row above, put into the bytes of a real source",
        "It is refused, asked about, shown as a conflict or outvoted; at most 5 of 100 are chosen",
        "faults",
        ("test_single_faults",),
    ),
    Tried(
        "seeded",
        "Errors in the dataset",
        "Errors that public tables really hold, put into our own: half a bus, one die of two, cents for dollars",
        "The build refuses each by name",
        "errors",
        ("test_mutations",),
    ),
    Tried(
        "damaged-files",
        "Damaged files",
        "Sources, vendors' sheets and hand-written files with random damage of a fixed seed",
        "Each is read or refused with file and next step; none ends in a traceback, takes ten seconds or a gigabyte",
        "files",
        ("test_fuzz",),
    ),
    Tried(
        "killed",
        "Killed commands",
        "Refresh and build killed at random moments and at every step of the write, two at once, a full disk",
        "The old or the whole new state stands, and the next command mends the rest by itself",
        "kills and faults",
        ("test_files", "test_cli::test_two_commands", "test_cli::test_a_full_disk", "test_cli::test_check_finishes"),
    ),
    Tried(
        "hostile",
        "Hostile text",
        "Scripts, markup, formulas, control characters and paths in every text that comes from outside",
        "Nothing runs, no cell of a CSV is a formula, and no file is written outside the output folder",
        "strings",
        ("test_hostile", "test_pages::test_hostile"),
    ),
    Tried(
        "recorded",
        "Sources as recorded",
        "Every source's module on a recorded input, and on the real files where they are at hand",
        "Exactly the expected rows come out",
        "tests",
        ("test_sources",),
    ),
    Tried(
        "valid",
        "Valid pages",
        "Every page of the site in an HTML validator; every link, every anchor and the sitemap",
        "No error, nothing that leads nowhere",
        "pages and links",
        ("test_whole_site",),
    ),
    Tried(
        "barriers",
        "Barriers",
        "Pages on a phone and a desktop, light and dark, by keyboard and in print, checked by axe",
        "No barrier is found",
        "tests",
        ("test_accessible",),
    ),
    Tried(
        "equal",
        "Equal builds",
        "The site built twice, in other places, zones, languages and hash orders",
        "Every byte is the same",
        "builds compared",
        ("test_reproducible",),
    ),
)


@dataclass(frozen=True, slots=True)
class ReportedTest:
    """One test as a report tells it."""

    file: str
    name: str
    state: str  # passed, failed or skipped
    properties: Mapping[str, str]


def cases(reports: Iterable[str]) -> Iterator[ReportedTest]:
    """Every test of the reports' texts."""
    for report in reports:
        for found in ElementTree.fromstring(report).iter("testcase"):  # noqa: S314 - pytest's own file
            kinds = {child.tag for child in found}
            state = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            told = {str(one.get("name")): str(one.get("value")) for one in found.iter("property")}
            yield ReportedTest(str(found.get("classname")).rpartition(".")[2], str(found.get("name")), state, told)


def record(found: Sequence[ReportedTest], day: str, commit: str) -> Record:
    """Count what was tried in each area."""
    return Record(
        day,
        commit,
        sum(case.state != "skipped" for case in found),
        sum(case.state == "failed" for case in found),
        sum(case.state == "skipped" for case in found),
        tuple(_area(tried, [case for case in found if _belongs(case, tried)]) for tried in AREAS),
    )


def _belongs(case: ReportedTest, tried: Tried) -> bool:
    return any(f"{case.file}::{case.name}".startswith(test if "::" in test else f"{test}::") for test in tried.tests)


def _area(tried: Tried, found: Sequence[ReportedTest]) -> Area:
    ran = [case for case in found if case.state != "skipped"]
    most = max(map(_count, ran), default=0)
    told = [case.properties for case in ran if _count(case) == most]  # of a sample and the whole, the whole
    return Area(
        tried.id,
        tried.name,
        tried.what,
        tried.holds,
        tried.unit,
        sum(map(_count, ran)),
        sum(case.state == "failed" for case in ran),
        BETWEEN.join(one["outcome"] for one in told if "outcome" in one),
        tuple(worst for one in told for worst in one.get("worst", "").split(BETWEEN) if worst),
        tuple(sorted({f"{test.partition('::')[0]}.py" for test in tried.tests})),
    )


def _count(case: ReportedTest) -> int:
    return int(case.properties.get("cases", 1))


def text_of(told: Record) -> str:
    """The file."""
    return json.dumps(asdict(told), indent=1, ensure_ascii=False) + "\n"


def main(paths: Sequence[str]) -> int:
    """Read the reports, write the record, say what changed."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%cs %h"]
    day, commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    told = record(list(cases(Path(path).read_text(encoding="utf-8") for path in paths)), day, commit)
    RECORD.write_text(text_of(told), encoding="utf-8")
    sys.stdout.write(f"{RECORD.name}: {told.tests} tests, {told.cases} cases in {len(told.areas)} areas\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
