"""Compares a new reading of a source with its last good one: what looks damaged is shown to a person first.

A source whose prices are all in cents since yesterday, whose file ends at half its rows or whose columns changed
places still parses. Nothing in the new reading alone says that it is wrong; the last one does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import date
from statistics import median

from pipeline.core.schema import Claim, Price, Result, field_of

Observation = Claim | Result | Price

# The limits. A doubt costs a person a minute, damage that is let in costs the readers' trust; lists of offers lose
# and gain some rows every week, and prices of a market move by tens of per cent in months, never by half in a week.
FEWEST_ROWS = 0.8  # of the rows, and of the bytes, of the last reading
MOST_ROWS = 1.75
FEWEST_KEYS = 0.75  # of the things that the last reading spoke of
ENOUGH_ROWS = 8  # in fewer rows than these a share says nothing
ENOUGH_BYTES = 500
ENOUGH_VALUES = 5
MOST_SHIFT = 1.5  # of the median price or result, up or down
MOST_SHIFT_OF_FACTS = 1.05  # of the median figure of a specification, which does not move at all; GB for GiB is 1.07
MOST_JUMP = 5.0  # of a single price
MOST_JUMP_OF_RESULTS = 1.25  # of a single result: a run that was published stays, a mean over further runs moves less
MOST_JUMP_OF_FACTS = 1.5  # of a single figure of a specification: what is corrected by half was another card's, or two
MOST_DAYS = 31  # of a launch: a day for a month is closer, a month written in the day's place is mostly not
# Text of UTF-8 that was read as one of these and written again: "â‚¬" for "€".
MISREAD_AS = ("cp1252", "latin-1")


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What one row speaks of, so that it is found again in another reading, and the number it gives."""

    group: str  # what may shift together: the file and the field, metric or kind of price
    key: tuple[object, ...]
    value: float | None
    most_shift: float
    most_jump: float


def doubts(last: Sequence[Observation], new: Sequence[Observation]) -> list[str]:
    """Say what makes a new reading of some files look damaged beside the last one of the same files."""
    return [*_of_rows(last, new), *_of_values(last, new), *_of_the_past(last, new), *_of_text(last, new)]


def doubts_of_size(sizes: Mapping[str, tuple[int, int]]) -> list[str]:
    """Say which files shrank or grew too much, from their bytes in the last reading (0: unknown) and now.

    A row of ours may be the median of a hundred of the source's: half of them can go without a row of ours missing.
    """
    return [
        f"{file} holds {now} bytes, it held {before}"
        for file, (before, now) in sorted(sizes.items())
        if before >= ENOUGH_BYTES and not FEWEST_ROWS * before <= now <= MOST_ROWS * before
    ]


def _of_rows(last: Sequence[Observation], new: Sequence[Observation]) -> Iterator[str]:
    before, now = (Counter(map(file_of, rows)) for rows in (last, new))
    for file, count in sorted(before.items()):
        if count >= ENOUGH_ROWS and not FEWEST_ROWS * count <= now[file] <= MOST_ROWS * count:
            yield f"{file} gives {now[file]} rows, it gave {count}"
    before_keys, now_keys = (_keys_by_file(rows) for rows in (last, new))
    for file, keys in sorted(before_keys.items()):
        kept = len(keys & now_keys.get(file, set()))
        if len(keys) >= ENOUGH_ROWS and kept < FEWEST_KEYS * len(keys):
            yield f"{file} speaks of {kept} of the {len(keys)} things it spoke of"


def _keys_by_file(rows: Sequence[Observation]) -> Mapping[str, set[tuple[object, ...]]]:
    keys: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for row in rows:
        keys[file_of(row)].add(_spoken(row).key)
    return keys


def _of_values(last: Sequence[Observation], new: Sequence[Observation]) -> Iterator[str]:
    before, now = _medians(last), _medians(new)
    ratios: dict[str, list[float]] = defaultdict(list)
    values = Counter(spoken.group for spoken in map(_spoken, last) if spoken.value is not None)
    limits: dict[str, float] = {}
    yield from _of_days(last, new)
    for key, (spoken, value) in before.items():
        if key not in now or value <= 0:
            continue
        ratio = now[key][1] / value
        ratios[spoken.group].append(ratio)
        limits[spoken.group] = spoken.most_shift
        if not 1 / spoken.most_jump < ratio < spoken.most_jump:
            yield f"{_told(key)}: {now[key][1]:g}, it was {value:g}"
    for group, found in sorted(ratios.items()):
        shift, limit = median(found), limits[group]
        if values[group] >= ENOUGH_VALUES and not 1 / limit <= shift <= limit:
            yield f"{group}: the median of {values[group]} values is {shift:.3g} times what it was"


def _of_days(last: Sequence[Observation], new: Sequence[Observation]) -> Iterator[str]:
    """Launch days that moved: a launch is over, and its day is not corrected by months."""
    before = dict(_days(last))
    for (file, gpu, field), day in _days(new):
        was = before.get((file, gpu, field), day)
        if abs((day - was).days) > MOST_DAYS:
            yield f"{file}, {gpu}: {field} {day}, it was {was}"


def _days(rows: Sequence[Observation]) -> Iterator[tuple[tuple[str, str, str], date]]:
    """The whole days that claims state, by file, GPU and field."""
    for row in rows:
        if isinstance(row, Claim) and field_of(row.field).type == "date" and len(row.value) == len("2022-10-12"):
            yield (file_of(row), row.gpu, row.field), date.fromisoformat(row.value)


def _of_the_past(last: Sequence[Observation], new: Sequence[Observation]) -> Iterator[str]:
    """Prices and results of days that were over at the last reading, and that are others now.

    What was asked on a day of March or measured in a run of May does not change afterwards, however little it moves;
    a source that recomputes its history asks for one look.
    """
    before, now = _by_day(last), _by_day(new)
    for (about, day), values in before.items():
        # An offer more or less is no change of a figure: both lists are empty then, or one of them.
        then, later = Counter(values), Counter(now.get((about, day), []))
        gone, come = sorted((then - later).elements()), sorted((later - then).elements())
        if gone and come:
            yield f"{_told(about)} of {day}: {_figures(come)}, it was {_figures(gone)}"
        exchanged = "-".join((day[:4], day[8:], day[5:7]))
        if (
            (about, day) not in now
            and (about, exchanged) not in before
            and sorted(now.get((about, exchanged), [])) == sorted(values)
        ):
            yield f"{_told(about)} of {day} is of {exchanged} now: the month in the day's place"


def _by_day(rows: Sequence[Observation]) -> Mapping[tuple[tuple[object, ...], str], list[float]]:
    """The figures of prices and results by what they speak of and their day, but for prices of the day they were read.

    A price stands in the currency in which it was asked: our rates of exchange may be corrected.
    """
    found: dict[tuple[tuple[object, ...], str], list[float]] = defaultdict(list)
    for row in rows:
        if isinstance(row, Claim) or (isinstance(row, Price) and row.date >= row.retrieved[: len(row.date)]):
            continue
        spoken = _spoken(row)
        value = row.amount if isinstance(row, Price) and row.amount is not None else spoken.value
        if value is not None and row.date:
            found[(spoken.group, *spoken.key), row.date].append(value)
    return found


def _told(about: tuple[object, ...]) -> str:
    return " ".join(str(part) for part in about if part)


def _figures(values: Sequence[float]) -> str:
    return " and ".join(f"{value:g}" for value in values)


def _medians(rows: Sequence[Observation]) -> dict[tuple[object, ...], tuple[_Spoken, float]]:
    """The median number of each thing that rows speak of; several offers of a GPU in a region are one thing."""
    spoken_of: dict[tuple[object, ...], _Spoken] = {}
    numbers: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for row in rows:
        spoken = _spoken(row)
        if spoken.value is not None:
            spoken_of[spoken.group, *spoken.key] = spoken
            numbers[spoken.group, *spoken.key].append(spoken.value)
    return {key: (spoken_of[key], median(found)) for key, found in numbers.items()}


def _of_text(last: Sequence[Observation], new: Sequence[Observation]) -> Iterator[str]:
    known = {text for row in last for text in _texts(row)}
    for text in sorted({text for row in new for text in _texts(row)} - known):
        if meant := _misread(text):
            yield f"{text!r} is {meant!r} in a wrong encoding"
            return


def _misread(text: str) -> str:
    """What a doubly encoded text was meant to be; empty where the text is sound."""
    if text.isascii():
        return ""
    for encoding in MISREAD_AS:
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return ""


def _texts(row: Observation) -> Iterator[str]:
    return (cell for cell in astuple(row) if isinstance(cell, str))


def file_of(row: Observation) -> str:
    """The file of its source in which a row stands, the first part of its locator."""
    return row.locator.split(", ", 1)[0]


def _spoken(row: Observation) -> _Spoken:
    file = file_of(row)
    if isinstance(row, Claim):
        key = (row.gpu, row.field)
        return _Spoken(f"{file}, {row.field}", key, _number(row.value), MOST_SHIFT_OF_FACTS, MOST_JUMP_OF_FACTS)
    if isinstance(row, Price):
        amounts = (row.usd_per_gpu_hour, row.usd_per_machine_hour, row.usd_per_unit)
        amount = next((amount for amount in amounts if amount is not None), None)
        return _Spoken(
            f"{file}, {row.kind}", (row.gpu, row.kind, row.provider, row.region), amount, MOST_SHIFT, MOST_JUMP
        )
    run = (row.gpu, row.gpu_count, row.workload, row.model, row.precision, row.batch, row.software, row.metric)
    return _Spoken(f"{file}, {row.metric}", run, row.value, MOST_SHIFT, MOST_JUMP_OF_RESULTS)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
