"""One wrong cell in a real source: it is refused, asked about, shown as a conflict, or outvoted; few are chosen.

The faults are those that tables really have: a decimal point shifted, two digits or two columns exchanged, GB for
GiB, a sparse peak in the dense column, the month for the day, another currency, the figure of the row above. Each is
put into the bytes of one file of the mirror, at a place that a fixed seed picks, and goes the way of a refresh: the
module reads it, the last reading is held against it, the build checks it, sources vote.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from types import ModuleType

import pytest
from samples import committed, compiled
from sampling import counts
from test_sources import MIRROR

from pipeline.core.paths import DATA
from pipeline.core.schema import Claim, Price, Result
from pipeline.derive.prices.quote import Book, Quote
from pipeline.derive.prices.rules import KINDS, MARKETS
from pipeline.intake import refresh
from pipeline.intake.snapshots import Mirror
from pipeline.intake.sources import MODULES
from pipeline.intake.sources.base import Snapshot, Source, SourceFile
from pipeline.record import build, chips, corrections, judge, validate

FAULTS, SAMPLE, MOST_CHOSEN = 100, 4, 5
MOST_TRIES = 60  # places of a file that were tried for a fault that reaches a row
MOST_ROWS = 3  # a single cell: what changes more rows than these is another kind of damage
SAME = 0.02  # of a quoted price
NUMBER = re.compile(rb"(?<![\w.#%-])\d+(?:\.\d+)?(?![\w.]*[A-Za-z])")
DAY = re.compile(rb"\b20\d\d-\d\d-\d\d\b")
Row = Claim | Result | Price


# ---------------------------------------------------------------- the faults


def times(factor: float) -> Callable[[bytes, re.Match[bytes], Random], bytes]:
    def fault(content: bytes, at: re.Match[bytes], _: Random) -> bytes:
        return _put(content, at, f"{float(at[0]) * factor:.6g}".encode())

    return fault


def digits_exchanged(content: bytes, at: re.Match[bytes], chance: Random) -> bytes:
    text = at[0]
    pairs = [n for n in range(len(text) - 1) if text[n : n + 2].isdigit() and text[n] != text[n + 1]]
    if not pairs:
        return content
    n = chance.choice(pairs)
    return _put(content, at, text[:n] + text[n + 1 : n + 2] + text[n : n + 1] + text[n + 2 :])


def columns_exchanged(content: bytes, at: re.Match[bytes], _: Random) -> bytes:
    """This number and the next one of its line."""
    other = NUMBER.search(content, at.end(), _line(content, at)[1])
    if not other:
        return content
    return content[: at.start()] + other[0] + content[at.end() : other.start()] + at[0] + content[other.end() :]


def of_the_neighbour(content: bytes, at: re.Match[bytes], _: Random) -> bytes:
    """The number that stands at the same place in the line above."""
    start, end = _line(content, at)
    place = [found.start() for found in NUMBER.finditer(content, start, end)].index(at.start())
    above = content.rfind(b"\n", 0, max(start - 1, 0)) + 1
    numbers = [found[0] for found in NUMBER.finditer(content, above, max(start - 1, 0))]
    return _put(content, at, numbers[place]) if place < len(numbers) else content


def month_for_day(content: bytes, at: re.Match[bytes], _: Random) -> bytes:
    year, month, day = at[0].split(b"-")
    return _put(content, at, b"-".join((year, day, month))) if int(day) <= 12 else content


def _put(content: bytes, at: re.Match[bytes], text: bytes) -> bytes:
    return content[: at.start()] + text + content[at.end() :]


def _line(content: bytes, at: re.Match[bytes]) -> tuple[int, int]:
    end = content.find(b"\n", at.end())
    return content.rfind(b"\n", 0, at.start()) + 1, len(content) if end < 0 else end


@dataclass(frozen=True)
class Kind:
    """A kind of fault: what it does to a number or day of a file, and which rows it is about."""

    name: str
    change: Callable[[bytes, re.Match[bytes], Random], bytes]
    rows: Callable[[Row], bool] = lambda _: True
    cell: re.Pattern[bytes] = NUMBER


def _field(row: Row, start: str) -> bool:
    return isinstance(row, Claim) and row.field.startswith(start)


def _price(row: Row) -> bool:
    return isinstance(row, Price)


KINDS_OF_FAULT = (
    Kind("decimal point to the right", times(10)),
    Kind("decimal point to the left", times(0.1)),
    Kind("two digits exchanged", digits_exchanged),
    Kind("two columns exchanged", columns_exchanged),
    Kind("the neighbour's row", of_the_neighbour),
    Kind("GB for GiB", times(1.073741824), lambda row: _field(row, "memory_gb")),
    Kind("sparse as dense", times(2), lambda row: _field(row, "peak:")),
    Kind("one die of two", times(0.5), lambda row: _field(row, "memory") or _field(row, "peak:")),
    Kind("month for day", month_for_day, lambda row: _field(row, "launch_date") or not isinstance(row, Claim), DAY),
    Kind("rupees for dollars", times(95.7), _price),
    Kind("euros for dollars", times(1 / 1.17), _price),
    Kind("the machine's price as the GPU's", times(8), _price),
)


# ---------------------------------------------------------------- the way of a fault


@dataclass
class Damaged:
    """The mirror with one file's bytes replaced."""

    mirror: Mirror
    file: str
    content: bytes

    def get(self, source: Source, file: SourceFile) -> Snapshot:
        found = self.mirror.get(source, file)
        return replace(found, content=self.content) if file.name == self.file else found


@dataclass(frozen=True)
class Seeded:
    """A fault that reached a row: where, what stood there, and what the refresh read of it."""

    kind: str
    module: ModuleType
    place: str
    outcome: refresh.Outcome
    wrong: tuple[Row, ...]  # the rows as they are read now
    right: tuple[Row, ...]

    def __str__(self) -> str:
        told = "; ".join(f"{_said(one)} for {_said(other)}" for one, other in zip(self.wrong, self.right, strict=False))
        return f"{self.kind}, {self.place}: {told}"


def _said(row: Row) -> str:
    if isinstance(row, Claim):
        return f"{row.gpu} {row.field} {row.value}"
    what = row.metric if isinstance(row, Result) else row.kind
    return f"{row.gpu} {what} {_figure(row)} of {row.date}"


def rows(outcome: refresh.Outcome) -> list[Row]:
    return [*outcome.claims, *outcome.results, *outcome.prices]


def bare(row: Row) -> Row:
    """A price without the bytes it was read from, which every fault changes."""
    return replace(row, snapshot="") if isinstance(row, Price) else row


@cache
def names() -> object:
    return build.load_names(DATA)


@cache
def sound(source: str) -> refresh.Outcome:
    module = next(module for module in MODULES if module.SOURCE.id == source)
    return refresh.read_source(module, Mirror.open(MIRROR), names())  # type: ignore[arg-type]


def seeded(kind: Kind, module: ModuleType, chance: Random) -> Seeded | None:
    """Put a fault of a kind somewhere into a source, so that it reaches a row or two; None where it finds no place."""
    good = sound(module.SOURCE.id)
    before = {bare(row) for row in rows(good)}
    if not any(map(kind.rows, before)):
        return None
    mirror = Mirror.open(MIRROR)
    for _ in range(MOST_TRIES):
        snapshot = chance.choice(good.snapshots)
        places = list(kind.cell.finditer(snapshot.content))
        if not places:
            continue
        at = chance.choice(places)
        content = kind.change(snapshot.content, at, chance)
        if content == snapshot.content:
            continue
        outcome = refresh.read_source(module, Damaged(mirror, snapshot.file, content), names())  # type: ignore[arg-type]
        line = snapshot.content[: at.start()].count(b"\n") + 1
        place = f"{module.SOURCE.id}/{snapshot.file}:{line} {at[0].decode()}"
        if outcome.problem:
            if at[0].decode() in {str(_figure(row)) for row in before if kind.rows(row)}:
                return Seeded(kind.name, module, place, outcome, (), ())
            continue
        after = {bare(row) for row in rows(outcome)}
        wrong, right = after - before, before - after
        if 0 < len(wrong) <= MOST_ROWS and any(map(kind.rows, wrong)) and _same_but_figure(wrong, right):
            ordered = sorted(wrong, key=str), sorted(right, key=str)
            return Seeded(kind.name, module, place, outcome, *map(tuple, ordered))
    return None


def _figure(row: Row) -> object:
    if isinstance(row, Price):
        return row.usd_per_gpu_hour or row.usd_per_unit
    return row.value


def _same_but_figure(wrong: set[Row], right: set[Row]) -> bool:
    """Whether the same is spoken of, with other figures or days."""
    same = Counter(map(_spoken_of, wrong)) == Counter(map(_spoken_of, right))
    return same and {*map(_told, wrong)} != {*map(_told, right)}


def _spoken_of(row: Row) -> tuple[object, ...]:
    if isinstance(row, Claim):
        return row.gpu, row.field
    if isinstance(row, Price):
        return row.gpu, row.kind, row.provider, row.region
    return row.gpu, row.gpu_count, row.workload, row.model, row.precision, row.batch, row.software, row.metric


def _told(row: Row) -> tuple[object, ...]:
    """What a reader sees of a row: its figure in three digits, and its day."""
    figure = _figure(row)
    shown = f"{figure:.3g}" if isinstance(figure, float) else figure
    return (*_spoken_of(row), shown, "" if isinstance(row, Claim) else row.date)


REFUSED, ASKED, BUILD, FLAGGED = "refused by its module", "asked about", "refused by the build", "flagged by theory"
DOUBTED, CONFLICT, OUTVOTED, CHOSEN = "quoted with a doubt", "a visible conflict", "outvoted", "chosen"


@cache
def known_errors() -> corrections.Corrections:
    return corrections.load(DATA.corrections)


@cache
def book() -> Book:
    return Book(committed())


def verdict(fault: Seeded) -> str:
    """What becomes of a fault on its way to a reader."""
    if fault.outcome.problem:
        return REFUSED
    if refresh.doubts(fault.module, fault.outcome, DATA):
        return ASKED
    wrong = fault.wrong[0]
    if isinstance(wrong, Claim):
        return _of_claims(fault)
    return _of_results(fault) if isinstance(wrong, Result) else _of_prices(fault)


def _of_claims(fault: Seeded) -> str:
    """Whether the build refuses the claims, or what it decides on the fields that they are about."""
    source, base = fault.module.SOURCE.id, compiled()
    mine = [entry for entry in known_errors().withdrawn if entry.source == source]
    claims, _, idle = corrections.apply(fault.outcome.claims, mine)
    evidence = replace(base, claims=[*(claim for claim in base.claims if claim.source != source), *claims])
    if idle or validate.problems(evidence, known_errors().accepted):
        return BUILD
    verdicts = set()
    for wrong in (row for row in fault.wrong if isinstance(row, Claim)):
        decision, before = evidence.records[wrong.gpu][wrong.field], base.records.get(wrong.gpu, {}).get(wrong.field)
        if before and decision.chosen.value == before.chosen.value:
            verdicts.add(OUTVOTED)
        else:
            verdicts.add(CONFLICT if decision.disputed else CHOSEN)
    return next(name for name in (CHOSEN, CONFLICT, OUTVOTED) if name in verdicts)


def _of_results(fault: Seeded) -> str:
    wrong = [row for row in fault.wrong if isinstance(row, Result)]
    changed = replace(compiled(), results=wrong)
    if validate.problems(changed, known_errors().accepted):
        return BUILD
    worked = chips.worked_out(changed.gpus, changed.records, changed.architectures)
    judged = list(judge.judged(list(build.results.classified(wrong)), changed.records, worked))
    return FLAGGED if all(result.flag for result in judged) else CHOSEN


def _of_prices(fault: Seeded) -> str:
    """Whether the build refuses the prices, or what becomes of the quotes of the card, now and of that month."""
    base, prices = compiled(), [row for row in fault.wrong if isinstance(row, Price)]
    gone = {bare(row) for row in fault.right}
    others = [price for price in base.prices if _same_offer(price, gone) is None]
    complete = [build.completed(price, fault.module.SOURCE.prices) for price in prices]
    if validate.problems(replace(base, prices=[*others, *complete]), known_errors().accepted):
        return BUILD
    gpus = {price.gpu: committed().gpus[price.gpu] for price in prices}
    changed = {
        id: replace(gpu, prices=tuple(p for p in [*others, *complete] if p.gpu == id)) for id, gpu in gpus.items()
    }
    after = Book(replace(committed(), gpus={**committed().gpus, **changed}))
    moved = [quote for price in complete for quote in _moved(after, price)]
    return CHOSEN if any(not quote.doubts for quote in moved) else DOUBTED if moved else OUTVOTED


def _same_offer(price: Price, gone: set[Row]) -> Row | None:
    return next((row for row in gone if isinstance(row, Price) and _offer(row) == _offer(price)), None)


def _offer(price: Price) -> tuple[object, ...]:
    return price.source, price.gpu, price.kind, price.offer, price.date, price.locator


def _moved(after: Book, price: Price) -> Iterator[Quote]:
    """The quotes of the card that are others now, and those of the price's month."""
    for market in MARKETS:
        for kind in KINDS:
            pairs = [(book().quote(price.gpu, kind, market), after.quote(price.gpu, kind, market))]
            month = price.date[:7]
            of_month = book().month(price.gpu, kind, month, market), after.month(price.gpu, kind, month, market)
            pairs += [of_month] if all(of_month) else []  # type: ignore[list-item]
            for old, new in pairs:
                if old.value and new.value and abs(new.value / old.value - 1) > SAME:
                    yield new


def faults(count: int, seed: str) -> Iterator[Seeded]:
    """So many faults, of each kind and source in turn, at places that the seed picks."""
    chance, found, turn = Random(seed), 0, 0
    while found < count:
        kind = KINDS_OF_FAULT[turn % len(KINDS_OF_FAULT)]
        fault = seeded(kind, chance.choice(MODULES), chance)
        if fault:
            found, turn = found + 1, turn + 1
            yield fault


@pytest.mark.long
@counts(SAMPLE, FAULTS)
def test_a_wrong_cell_of_a_real_source_rarely_becomes_what_a_reader_sees(
    count: int, record_property: Callable[[str, object], None]
) -> None:
    if not (MIRROR / "MANIFEST.csv").is_file():
        pytest.skip(f"no mirror of the real files at {MIRROR}")
    told = [(verdict(fault), str(fault)) for fault in faults(count, "2026-11-23")]
    chosen: Sequence[str] = [said for name, said in told if name == CHOSEN]
    record_property("cases", count)
    record_property("outcome", ", ".join(f"{n} {name}" for name, n in Counter(name for name, _ in told).most_common()))
    record_property("worst", "; ".join(chosen))
    assert len(chosen) <= MOST_CHOSEN, "\n".join(chosen)
