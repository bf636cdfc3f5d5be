"""What each maker's sheet of our list says now, and what changed in it since it was last read."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from pipeline.core import documents, files, gpus
from pipeline.core.documents import Strict, Text, Url
from pipeline.core.gpus import Gpu
from pipeline.core.identity import NameFile, load_names
from pipeline.core.paths import DataPaths
from pipeline.core.schema import VENDORS
from pipeline.intake.snapshots import Documents, FetchError, Gone, NotInMirror
from pipeline.tools import sheet

LIST, FACTS = "sheets.yml", "sheet-facts.csv"
COLUMNS = ("url", "gpu", "field", "value", "locator", "read", "sha256")
# After so many failures in a row a host is left alone: a maker that keeps readers out answers none of its pages.
MOST_FAILURES = 3
SHOWN = 60  # changed figures of a sheet in the report
# Where makers publish; a sheet elsewhere is somebody's copy.
HOSTS = {
    "NVIDIA": ("nvidia.com",),
    "AMD": ("amd.com",),
    "Intel": ("intel.com", "habana.ai"),
    "Google": ("google.com",),
    "Apple": ("apple.com",),
    "Amazon": ("amazon.com", "aws.com", "awsstatic.com"),
}
# Sheets that their maker publishes only at another's address: host → whose and why.
PUBLISHED_ELSEWHERE = {"d1.awsstatic.com": ("NVIDIA", "the A10G is made for Amazon, and its sheet stands there")}

# What became of a sheet, in the order in which a reader wants to see them → what to do.
NEXT_STEP = {
    "changed": "read the sheet beside data/gpus, then record the reading with --accept",
    "gone": "look where the sheet moved and correct data/sheets.yml",
    "unreadable": "its layout may have changed: open it, and teach pipeline/tools/sheet to read it",
    "not read": "try again later, or read it in a browser",
    "moved": "put the new address or form into data/sheets.yml",
    "first reading": "compare it with data/gpus, then record the reading with --accept",
    "not in the mirror": "read it on the network",
    "unchanged": "",
}
FAILED = ("gone", "unreadable", "not read")

Fact: TypeAlias = tuple[str, str]  # value with its unit, locator
Facts: TypeAlias = Mapping[tuple[str, str], Fact]  # GPU, field


class SheetListError(ValueError):
    """A list of sheets that cannot be used; the message names the sheet, the value and the next step."""


class ListedSheet(Strict):
    """One public sheet: what it is called, who publishes it where, and which GPUs it covers."""

    title: Text
    maker: Literal[VENDORS]  # type: ignore[valid-type]
    form: Literal["pdf", "page"]
    url: Url
    gpus: tuple[Text, ...]


class SheetList(Strict):
    """The whole list."""

    id: str
    sheets: tuple[ListedSheet, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """The GPUs that exist and the rules for their names, read once for all sheets."""

    gpus: Mapping[str, Gpu]
    names: list[NameFile]


@dataclass(frozen=True, slots=True)
class SheetChange:
    """One figure that a sheet says anew, otherwise, or no more."""

    gpu: str
    field: str
    was: str
    now: str
    locator: str


@dataclass(frozen=True, slots=True)
class SheetReading:
    """What became of one sheet."""

    entry: ListedSheet
    status: str
    note: str = ""
    digest: str = ""
    facts: Facts | None = None
    changes: tuple[SheetChange, ...] = ()
    unplaced: int = 0


def library(data: DataPaths) -> Library:
    """Read the GPUs and the rules for their names."""
    return Library(gpus.load(data.gpus), load_names(data.names))


def load(data: Path, known: Mapping[str, Gpu]) -> tuple[ListedSheet, ...]:
    """Read `data/sheets.yml`; SheetListError lists every unknown GPU, and every address amiss."""
    hint = "write title, maker, form, url and gpus of each sheet under 'sheets'"
    entries = documents.read(data / LIST, f"data/{LIST}", SheetList, hint, SheetListError).sheets
    addresses = Counter(entry.url for entry in entries)
    problems = [f"data/{LIST}: {url} stands {count} times; keep one" for url, count in addresses.items() if count > 1]
    problems += [
        f"data/{LIST}: {entry.title}: unknown GPU {gpu!r}; use an id of data/gpus"
        for entry in entries
        for gpu in entry.gpus
        if gpu not in known
    ]
    problems += [problem for entry in entries for problem in _form_of(entry)]
    if problems:
        raise SheetListError("\n".join(problems))
    return entries


def _form_of(entry: ListedSheet) -> Iterator[str]:
    """Check what an address and its GPUs must be like."""
    parts = urlsplit(entry.url)
    host = parts.hostname or ""
    own = any(host == known or host.endswith(f".{known}") for known in HOSTS.get(entry.maker, ()))
    where = f"data/{LIST}: {entry.title}"
    if parts.scheme != "https":
        yield f"{where}: {entry.url} is not https; give the maker's https address"
    if not own and PUBLISHED_ELSEWHERE.get(host, ("",))[0] != entry.maker:
        yield f"{where}: {host} is no host of {entry.maker}; give the maker's own address, or add the host to HOSTS"
    if parts.path in ("", "/"):
        yield f"{where}: {entry.url} is a home page; give the address of the sheet"
    if not entry.gpus:
        yield f"{where}: no GPU; name at least one under gpus"
    elif len(set(entry.gpus)) < len(entry.gpus):
        yield f"{where}: a GPU stands twice under gpus; keep one"


def read_all(
    entries: Sequence[ListedSheet],
    store: Documents,
    library: Library,
    before: Mapping[str, Facts],
    today: date,
    report: Callable[[SheetReading], None],
) -> list[SheetReading]:
    """Read each sheet once and compare it with its last reading; nothing is written."""
    failures: Counter[str] = Counter()
    readings = []
    for entry in entries:
        host = urlsplit(entry.url).hostname or ""
        if failures[host] >= MOST_FAILURES:
            reading = SheetReading(
                entry, "not read", f"{host} did not answer {MOST_FAILURES} times in a row; left alone"
            )
        else:
            reading = read(entry, store, library, before.get(entry.url), today)
            failures[host] = failures[host] + 1 if reading.status == "not read" else 0
        readings.append(reading)
        report(reading)
    return readings


def read(entry: ListedSheet, store: Documents, library: Library, before: Facts | None, today: date) -> SheetReading:
    """Read one sheet; a failure becomes its status, never an exception."""
    try:
        page = store.page(entry.url)
    except FetchError as error:
        status = "gone" if isinstance(error, Gone) else "not in the mirror" if isinstance(error, NotInMirror) else ""
        return SheetReading(entry, status or "not read", str(error))
    moved, other = _moved(entry.url, page.url), _other_form(entry, page.content)
    try:
        drafted = sheet.draft(page.content, entry.url, read=today, gpus=library.gpus, name_files=library.names)
    except sheet.SheetError as error:
        return SheetReading(entry, "gone" if moved else "unreadable", _joined(moved, other, str(error)))
    note = _joined(moved, other, _coverage(entry, drafted))
    if moved and not {gpu.id for gpu in drafted.gpus} & set(entry.gpus):
        return SheetReading(entry, "gone", note)  # a home page or an overview has taken the sheet's place
    facts = dict(_facts(drafted))
    last = dict(_cited(entry, library.gpus)) if before is None else before
    changes = tuple(_changes(last, facts))
    status = "first reading" if before is None else "changed" if changes else "unchanged"
    digest = hashlib.sha256(page.content).hexdigest()[:12]
    reading = SheetReading(entry, status, note, digest, facts, changes, len(drafted.unplaced))
    return replace(reading, status="moved") if (moved or other) and status == "unchanged" else reading


def markdown(readings: Sequence[SheetReading]) -> str:
    """Write what a person should look at, the sheets that did not change as a count."""
    counts = Counter(reading.status for reading in readings)
    lines = [
        f"- {counts[status]} {status}{f': {step}' if step else ''}"
        for status, step in NEXT_STEP.items()
        if counts[status]
    ]
    for status in NEXT_STEP:
        for reading in readings:
            if reading.status == status and status not in ("unchanged", "not in the mirror"):
                lines += ["", *_section(reading)]
    return "\n".join(["# Makers' sheets read again", "", *lines, ""])


def last_facts(data: Path) -> dict[str, dict[tuple[str, str], Fact]]:
    """Read what the sheets said when a person last recorded a reading, by address."""
    found: dict[str, dict[tuple[str, str], Fact]] = {}
    path = data / FACTS
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, strict=True):
                found.setdefault(row["url"], {})[row["gpu"], row["field"]] = (row["value"], row["locator"])
    return found


def accept(readings: Sequence[SheetReading], data: Path, today: date) -> None:
    """Record these readings as the last ones; sheets that could not be read keep theirs."""
    if not any(reading.facts is not None for reading in readings):
        return
    path = data / FACTS
    rows: list[tuple[str, ...]] = []
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            rows = [tuple(row[column] for column in COLUMNS) for row in csv.DictReader(file, strict=True)]
    new = {reading.entry.url: reading for reading in readings if reading.facts is not None}
    rows = [row for row in rows if row[0] not in new]
    for url, reading in new.items():
        rows += [
            (url, gpu, field, value, locator, today.isoformat(), reading.digest)
            for (gpu, field), (value, locator) in (reading.facts or {}).items()
        ]
    files.replace_all(data, {FACTS: files.csv_text(COLUMNS, sorted(rows))})


# ---------------------------------------------------------------- comparing


def _facts(drafted: sheet.Draft) -> Iterator[tuple[tuple[str, str], Fact]]:
    for gpu in drafted.gpus:
        for value in gpu.values:
            yield (gpu.id, value.field), (value.converted, value.place)


def _cited(entry: ListedSheet, known: Mapping[str, Gpu]) -> Iterator[tuple[tuple[str, str], Fact]]:
    """Give what data/gpus cites from this address: before the first reading, that is the last one."""
    for id_ in entry.gpus:
        for claim in gpus.claims(known[id_]):
            if claim.url == entry.url:
                unit = "TOPS" if claim.field.startswith("peak:int") else claim.unit
                yield (id_, claim.field), (f"{claim.value} {unit}".strip(), claim.locator)


def _changes(last: Facts, now: Facts) -> Iterator[SheetChange]:
    for key in sorted(last.keys() | now.keys()):
        was, value = last.get(key, ("", ""))[0], now.get(key, ("", ""))[0]
        if was != value:
            yield SheetChange(*key, was, value, now.get(key, last.get(key, ("", "")))[1])


def _moved(asked: str, answered: str) -> str:
    """Say where an address leads now; http to https and a slash at the end are no move."""
    plain = [url.split("#")[0].rstrip("/").removeprefix("https:").removeprefix("http:") for url in (asked, answered)]
    return "" if plain[0] == plain[1] else f"moved to {answered}"


def _other_form(entry: ListedSheet, content: bytes) -> str:
    """Say when an address gives a web page for a PDF or a PDF for a page: a consent wall, a viewer, a new edition."""
    given = "pdf" if content.lstrip()[:4] == b"%PDF" else "page"
    kinds = {"pdf": "a PDF", "page": "a web page"}
    return "" if given == entry.form else f"gives {kinds[given]} where the list says {kinds[entry.form]}"


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _coverage(entry: ListedSheet, drafted: sheet.Draft) -> str:
    """Say which GPUs of the list the sheet leaves out, and which it has besides."""
    found = {gpu.id for gpu in drafted.gpus}
    missing, more = sorted(set(entry.gpus) - found), sorted(found - set(entry.gpus))
    return _joined(
        f"says nothing of {', '.join(missing)}" if missing else "",
        f"also has {', '.join(more)}, which the list does not name" if more else "",
    )


# ---------------------------------------------------------------- writing


def _section(reading: SheetReading) -> Iterator[str]:
    entry = reading.entry
    yield f"## {_plain(entry.title)}: {reading.status}"
    yield ""
    yield f"{entry.url}"
    if reading.note:
        yield f"- {_plain(reading.note)}"
    if reading.digest:
        yield f"- SHA-256 {reading.digest}, {len(reading.facts or {})} figures read, {reading.unplaced} not placed"
    if reading.changes:
        yield from ("", "| GPU | field | was | is | where |", "|---|---|---|---|---|")
        for change in reading.changes[:SHOWN]:
            cells = (change.gpu, change.field, change.was or "–", change.now or "not found any more", change.locator)
            yield "| " + " | ".join(_plain(cell) for cell in cells) + " |"
    if len(reading.changes) > SHOWN:
        yield f"| … | and {len(reading.changes) - SHOWN} more | | | |"


def _plain(text: str) -> str:
    """A text from outside that cannot break out of a Markdown table or run as markup."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("`", "'").replace("\n", " ")
