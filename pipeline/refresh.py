"""Sources in, machine files out: fetch, parse and identify each source, and keep what was there when one fails."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from pipeline import files
from pipeline.identity import Names
from pipeline.paths import DataPaths
from pipeline.schema import Claim, Price, Result, Row, Skipped, columns
from pipeline.snapshots import FetchError, Manual, Store
from pipeline.sources.base import Snapshot, SourceError

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
)


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
) -> list[Outcome]:
    """Read every source again and replace its machine files; a source that fails keeps its last good rows."""
    outcomes = []
    contents: dict[str, str | None] = {}
    for module in modules:
        outcome = read_source(module, store, names)
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
            rows = module.parse({snapshot.file: snapshot for snapshot in outcome.snapshots})
            _sort_rows(rows, names, outcome)
            _check_floors(module, outcome)
    except (FetchError, SourceError) as error:
        outcome.problem = str(error)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        # A source that changed its shape in a way its module does not foresee must not stop the others.
        outcome.problem = f"{outcome.source}: {type(error).__name__}: {error}; look into pipeline/sources/"
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
        outcome.rows_by_file[_file_of(row)] += 1
        match = names.resolve(outcome.source, row.gpu)
        if match.gpu:
            lists[type(row)].append(replace(row, gpu=match.gpu))
        else:
            missing[row.gpu, match.verdict, match.reason].append(row)
    outcome.unresolved = sorted((_summary(*key, found) for key, found in missing.items()), key=astuple)


def _summary(name: str, verdict: str, reason: str, rows: list[Row]) -> Unresolved:
    first = rows[0]
    file = first.file if isinstance(first, Skipped) else _file_of(first)
    return Unresolved(name, verdict, len(rows), file, first.locator.removeprefix(f"{file}, "), reason)


def _file_of(row: Claim | Result | Price) -> str:
    return row.locator.split(", ", 1)[0]


def _check_floors(module: ModuleType, outcome: Outcome) -> None:
    read = {snapshot.file for snapshot in outcome.snapshots}
    for file in module.SOURCE.files:
        found = outcome.rows_by_file[file.name]
        if file.name in read and found < file.floor:
            raise SourceError(
                f"{outcome.source}/{file.name}: {found} rows, at least {file.floor} expected; last good rows kept. "
                f"If the source really shrank, lower the floor in pipeline/sources/"
            )


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
    rows = [tuple(row[head] for head in heads) for row in read_rows(path)]
    return [row for row in rows if str(row[where]).split(", ", 1)[0] in manual]


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    """Read a machine file as text cells."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, strict=True)


def _price_files(outcomes: Sequence[Outcome], data: DataPaths) -> dict[str, str | None]:
    """Replace the rows of each snapshot and offer in the month files; what other snapshots saw stays."""
    heads = columns(Price)
    months: dict[str, list[dict[str, str]]] = {p.stem: list(read_rows(p)) for p in sorted(data.prices.glob("*.csv"))}
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
    return {f"prices/{m}.csv": _table(heads, [[r[h] for h in heads] for r in rows]) for m, rows in months.items()}


def _as_text(price: Price) -> dict[str, str]:
    text = files.csv_text(columns(Price), [astuple(price)])
    return next(csv.DictReader(text.splitlines()))


def _snapshot_table(outcomes: Sequence[Outcome], data: DataPaths) -> str:
    """What was read when; files that were not read this time keep their line."""
    lines = {(r["source"], r["file"]): r for r in read_rows(data.snapshots)} if data.snapshots.exists() else {}
    for outcome in outcomes:
        for snapshot in outcome.snapshots:
            form = next(f.form for f in snapshot.source.files if f.name == snapshot.file)
            rows = str(outcome.rows_by_file[snapshot.file])
            line = (outcome.source, snapshot.file, snapshot.url, form, snapshot.retrieved, snapshot.published,
                    snapshot.licence, snapshot.digest, rows)  # fmt: skip
            lines[outcome.source, snapshot.file] = dict(zip(SNAPSHOT_COLUMNS, line, strict=True))
    return files.csv_text(
        SNAPSHOT_COLUMNS,
        [[lines[key][c] for c in SNAPSHOT_COLUMNS] for key in sorted(lines)],
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
