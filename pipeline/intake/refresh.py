"""Fetches, parses and identifies every source, and keeps what was there when one of them fails."""

from __future__ import annotations

import csv
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from pipeline.core import files
from pipeline.core import rows as records
from pipeline.core.identity import Names
from pipeline.core.paths import DataPaths
from pipeline.core.schema import Claim, Price, Result, Row, Skipped, columns
from pipeline.intake import last_reading
from pipeline.intake.snapshots import FetchError, Manual, Store
from pipeline.intake.sources.base import Snapshot, SourceError, rows_of

# How many unknown names a summary prints; all of them stand in data/unresolved/.
UNRESOLVED_COLUMNS = ("name", "verdict", "rows", "file", "locator", "reason")
SNAPSHOT_COLUMNS = (
    "source",
    "file",
    "url",
    "form",
    "retrieved",
    "published",
    "licence",
    "sha256",
    "rows",
    "bytes",
)


Observed = TypeVar("Observed", Claim, Result, Price)
DOUBTS_TOLD = 3  # of a reading that looks damaged; the first ones say what is wrong


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A name that led to no GPU, with how many rows it stands for and where the first one is."""

    name: str
    verdict: str
    rows: int
    file: str
    locator: str
    reason: str


@dataclass(slots=True)
class Outcome:
    """What became of one source."""

    source: str
    claims: list[Claim] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    prices: list[Price] = field(default_factory=list)
    unresolved: list[Unresolved] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    rows_by_file: Counter[str] = field(default_factory=Counter)
    manual: list[str] = field(default_factory=list)  # files that a person reads
    problem: str = ""

    @property
    def found(self) -> int:
        """Rows that say something of a GPU we know."""
        return len(self.claims) + len(self.results) + len(self.prices)


def refresh(
    modules: Sequence[ModuleType],
    store: Store,
    names: Names,
    data: DataPaths,
    report: Callable[[Outcome], None],
    accept_change: bool = False,
) -> list[Outcome]:
    """Read every source again and replace its machine files; a source that fails keeps its last good rows.

    So does a source that reads well but looks damaged beside its last reading, unless a person looked at it and says
    `accept_change`.
    """
    outcomes = []
    contents: dict[str, str | None] = {}
    for module in modules:
        outcome = read_source(module, store, names)
        if not outcome.problem and not accept_change:
            outcome.problem = doubts(module, outcome, data)
        outcomes.append(outcome)
        report(outcome)
        if not outcome.problem and outcome.snapshots:
            contents |= _source_files(outcome, data)
    good = [o for o in outcomes if not o.problem and o.snapshots]
    contents |= _price_files(good, data)
    contents["snapshots.csv"] = _snapshot_table(good, data)
    files.replace_all(data.data, contents)
    return outcomes


def read_source(module: ModuleType, store: Store, names: Names) -> Outcome:
    """Fetch and parse one source; a failure becomes the outcome's `problem`, never an exception."""
    outcome = Outcome(module.SOURCE.id)
    try:
        outcome.snapshots = list(_fetch(module, store, outcome))
        if outcome.snapshots:
            read = {snapshot.file: snapshot for snapshot in outcome.snapshots}
            _sort_rows(rows_of(module, read), names, outcome)
            _check_floors(module, outcome)
            _check_amounts(outcome)
    except (FetchError, SourceError) as error:
        outcome.problem = str(error)
    return outcome


def _fetch(module: ModuleType, store: Store, outcome: Outcome) -> Iterator[Snapshot]:
    for file in module.SOURCE.files:
        try:
            yield store.get(module.SOURCE, file)
        except Manual as manual:
            outcome.manual.append(str(manual).split(":")[0].split("/", 1)[1])


def _sort_rows(rows: Iterable[Row], names: Names, outcome: Outcome) -> None:
    """Put each row where it belongs: by kind when its GPU is known, else among the unresolved."""
    missing: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    lists: dict[type, list[Any]] = {
        Claim: outcome.claims,
        Result: outcome.results,
        Price: outcome.prices,
    }
    for row in rows:
        if isinstance(row, Skipped):
            missing[row.name, "skipped", row.reason].append(row)
            continue
        outcome.rows_by_file[last_reading.file_of(row)] += 1
        match = names.resolve(outcome.source, row.gpu)
        if match.gpu:
            lists[type(row)].append(replace(row, gpu=match.gpu))
        else:
            missing[row.gpu, match.verdict, match.reason].append(row)
    outcome.unresolved = sorted((_summary(*key, found) for key, found in missing.items()), key=astuple)


def _summary(name: str, verdict: str, reason: str, rows: list[Row]) -> Unresolved:
    first = rows[0]
    file = first.file if isinstance(first, Skipped) else last_reading.file_of(first)
    return Unresolved(name, verdict, len(rows), file, first.locator.removeprefix(f"{file}, "), reason)


def _check_floors(module: ModuleType, outcome: Outcome) -> None:
    read = {snapshot.file for snapshot in outcome.snapshots}
    for file in module.SOURCE.files:
        found = outcome.rows_by_file[file.name]
        if file.name in read and found < file.floor:
            raise SourceError(
                f"{outcome.source}/{file.name}: {found} rows, at least {file.floor} expected; last good rows kept. "
                f"If the source really shrank, lower the floor in pipeline/intake/sources/"
            )


def _check_amounts(outcome: Outcome) -> None:
    """Refuse a price or a result that is no positive number; what a source does not know it leaves out."""
    amounts: list[tuple[Price | Result, float | None]] = [
        (price, amount)
        for price in outcome.prices
        for amount in (price.usd_per_gpu_hour, price.usd_per_machine_hour, price.usd_per_unit)
    ]
    for row, amount in [*amounts, *((result, result.value) for result in outcome.results)]:
        if amount is not None and not (math.isfinite(amount) and amount > 0):
            raise SourceError(
                f"{outcome.source} ({row.locator}): {amount:g} is no price or result; last good rows kept. Look at the "
                f"source; what it does not know its module in pipeline/intake/sources/ leaves out"
            )


def doubts(module: ModuleType, outcome: Outcome, data: DataPaths) -> str:
    """Say why a person must look at a reading before it is taken; empty where nothing speaks against it.

    The bytes of the last reading raise no doubt: what differs then comes from our own names and modules, which are
    reviewed.
    """
    before = _last_snapshots(outcome.source, data)
    changed = [s for s in outcome.snapshots if s.file in before and before[s.file]["sha256"] != s.digest]
    compared = {snapshot.file for snapshot in changed}
    last = [row for row in _last_rows(outcome.source, data, before) if last_reading.file_of(row) in compared]
    new: list[last_reading.Observation] = [*outcome.claims, *outcome.results, *outcome.prices]
    sizes = {s.file: (int(before[s.file].get("bytes") or 0), len(s.content)) for s in changed}
    found = [
        *last_reading.doubts(last, [row for row in new if last_reading.file_of(row) in compared]),
        *last_reading.doubts_of_size(sizes),
    ]
    if not found:
        return ""
    more = f"; and {len(found) - DOUBTS_TOLD} more" if len(found) > DOUBTS_TOLD else ""
    return (
        f"{outcome.source} looks damaged beside its last reading, whose rows are kept: "
        f"{'; '.join(found[:DOUBTS_TOLD])}{more}. Look at {module.SOURCE.home}; if the change is real, run: "
        f"python -m pipeline refresh --only {outcome.source} --accept-change"
    )


def _last_snapshots(source: str, data: DataPaths) -> dict[str, dict[str, str]]:
    """The lines of a source in the table of what was read when, by file."""
    if not data.snapshots.exists():
        return {}
    return {row["file"]: row for row in files.read_rows(data.snapshots) if row["source"] == source}


def _last_rows(source: str, data: DataPaths, read: dict[str, dict[str, str]]) -> Iterator[Claim | Result | Price]:
    """The rows that stand from the last reading of a source, those of prices by the bytes they were read from."""
    name = f"{source}.csv"
    yield from _typed(data.claims / name, Claim)
    yield from _typed(data.results / name, Result)
    for path in sorted(data.prices.glob("*.csv")):
        for price in _typed(path, Price):
            line = read.get(last_reading.file_of(price), {})
            if price.source == source and price.snapshot == line.get("sha256"):
                yield price


def _typed(path: Path, kind: type[Observed]) -> Iterator[Observed]:
    if path.exists():
        yield from records.read(kind, path, path.name)


def _source_files(outcome: Outcome, data: DataPaths) -> dict[str, str | None]:
    """The claims, results and unresolved names of one source; files read by hand keep their rows."""
    name = f"{outcome.source}.csv"
    claims = [astuple(c) for c in outcome.claims] + _kept(data.claims / name, columns(Claim), outcome.manual)
    results = [astuple(r) for r in outcome.results] + _kept(data.results / name, columns(Result), outcome.manual)
    unresolved = [astuple(u) for u in outcome.unresolved]
    return {
        f"claims/{name}": _table(columns(Claim), claims),
        f"results/{name}": _table(columns(Result), results),
        f"unresolved/{name}": _table(UNRESOLVED_COLUMNS, unresolved),
    }


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str | None:
    return files.csv_text(heads, sorted(rows, key=lambda row: [str(cell) for cell in row])) if rows else None


def _kept(path: Path, heads: list[str], manual: Sequence[str]) -> list[tuple[object, ...]]:
    if not manual or not path.exists():
        return []
    where = heads.index("locator")
    rows = [tuple(row[head] for head in heads) for row in files.read_rows(path)]
    return [row for row in rows if str(row[where]).split(", ", 1)[0] in manual]


def _price_files(outcomes: Sequence[Outcome], data: DataPaths) -> dict[str, str | None]:
    """Replace the rows of each snapshot and offer in the month files; what other snapshots saw stays."""
    heads = columns(Price)
    before = {
        path.stem: [{head: row.get(head, "") for head in heads} for row in files.read_rows(path)]
        for path in sorted(data.prices.glob("*.csv"))
    }
    months = dict(before)
    new = [_as_text(price) for outcome in outcomes for price in outcome.prices]
    parsed = {(o.source, snapshot.digest) for o in outcomes for snapshot in o.snapshots}
    seen = {(row["source"], row["offer"], row["date"]) for row in new}
    for month, rows in months.items():
        months[month] = [
            row
            for row in rows
            if (row["source"], row["snapshot"]) not in parsed and (row["source"], row["offer"], row["date"]) not in seen
        ]
    for row in new:
        months.setdefault(row["date"][:7], []).append(row)
    # A month that nothing touched keeps its file, with the columns of the day on which it was written.
    tables = {month: [[row[head] for head in heads] for row in rows] for month, rows in months.items()}
    kept = {month: sorted([row[head] for head in heads] for row in rows) for month, rows in before.items()}
    return {f"prices/{m}.csv": _table(heads, rows) for m, rows in tables.items() if sorted(rows) != kept.get(m)}


def _as_text(price: Price) -> dict[str, str]:
    text = files.csv_text(columns(Price), [astuple(price)])
    return next(csv.DictReader(text.splitlines()))


def _snapshot_table(outcomes: Sequence[Outcome], data: DataPaths) -> str:
    """What was read when; files that were not read this time keep their line."""
    lines = {(r["source"], r["file"]): r for r in files.read_rows(data.snapshots)} if data.snapshots.exists() else {}
    for outcome in outcomes:
        for snapshot in outcome.snapshots:
            form = next(f.form for f in snapshot.source.files if f.name == snapshot.file)
            rows = str(outcome.rows_by_file[snapshot.file])
            line = (
                outcome.source,
                snapshot.file,
                snapshot.url,
                form,
                snapshot.retrieved,
                snapshot.published,
                snapshot.licence,
                snapshot.digest,
                rows,
                str(len(snapshot.content)),
            )
            lines[outcome.source, snapshot.file] = dict(zip(SNAPSHOT_COLUMNS, line, strict=True))
    return files.csv_text(
        SNAPSHOT_COLUMNS,
        [[lines[key].get(c, "") for c in SNAPSHOT_COLUMNS] for key in sorted(lines)],
    )


def summary(outcome: Outcome) -> dict[str, object]:
    """The counts that a person wants to see of one source."""
    verdicts: Counter[str] = Counter()
    for entry in outcome.unresolved:
        verdicts[entry.verdict] += entry.rows
    return {
        "source": outcome.source,
        "found": outcome.found,
        **verdicts,
        "problem": outcome.problem,
    } | ({"manual": ", ".join(outcome.manual)} if outcome.manual else {})
