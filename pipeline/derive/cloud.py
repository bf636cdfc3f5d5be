"""The machines of each cloud family (`data/cloud.yml`) with what they cost now, or cost when last seen."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from pipeline.core.documents import Document, Strict, Text, meant, no_such_gpu, placed, read
from pipeline.core.paths import DATA
from pipeline.core.schema import Price
from pipeline.dataset import Dataset
from pipeline.derive.prices import staleness

PATH = DATA.data / "cloud.yml"
WHERE = "data/cloud.yml"
KINDS = ("on_demand", "spot")
# How price sources write a machine's name before or within it; the rest is the provider's own.
PREFIX = "Standard_"
# Shown in place of the four states of pipeline/derive/prices/staleness.py for a price that a source itself calls old.
HISTORY = "history"
# The id of a family is the address of its page.
ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# Dollars for an hour of one board, far above and below what any cloud ever asked: beyond them a unit is wrong.
LEAST_USD, MOST_USD = 0.01, 100.0
Place: TypeAlias = tuple[str | int, ...]


class CloudError(ValueError):
    """A family that cannot be read; the message names family, field and value."""


def _a_day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f'{text!r} is no day; write it in quotes, as "2026-11-22"') from None


class CloudFact(Strict):
    """One thing that a document states, in our words."""

    text: Text
    document: Text
    locator: Text


class MachineType(Strict):
    """One machine type: the GPU inside, how many boards of it, and the host around it."""

    name: Text
    gpu: Text
    gpus: float = Field(gt=0)
    vcpus: int | None = Field(default=None, gt=0)
    memory_gib: float | None = Field(default=None, gt=0)
    document: Text
    locator: Text


class Series(Strict):
    """The machines of one generation: whether they can still be rented, and what came next."""

    name: Text
    state: CloudFact | None = None
    successor: CloudFact | None = None
    link: CloudFact | None = None
    machines: tuple[MachineType, ...] = ()


class HandPrice(Strict):
    """What a machine cost on one day, read by hand."""

    machine: Text
    usd_per_hour: float = Field(gt=0)
    date: Annotated[Text, AfterValidator(_a_day)]
    document: Text
    locator: Text


class MachineFamily(Strict):
    """The machines that share a name, as people speak of them."""

    id: Text
    provider: Literal["AWS", "Azure", "GCP"]
    name: Text
    what: Text
    series: tuple[Series, ...]
    prices: tuple[HandPrice, ...] = ()

    @property
    def machines(self) -> list[MachineType]:
        """Every machine of every series."""
        return [machine for series in self.series for machine in series.machines]


class Families(Strict):
    """The whole file."""

    id: Text
    documents: dict[str, Document]
    families: tuple[MachineFamily, ...]


@dataclass(frozen=True, slots=True)
class CloudPrice:
    """What one machine costs or cost an hour, host included, on the newest day on which a source saw it."""

    low_usd: float
    high_usd: float
    gpus: float
    day: str
    state: str
    offers: int
    source: str
    url: str
    locator: str

    @property
    def low_usd_per_gpu(self) -> float:
        """The lowest price, shared among the boards."""
        return self.low_usd / self.gpus

    @property
    def high_usd_per_gpu(self) -> float:
        """The highest price, shared among the boards."""
        return self.high_usd / self.gpus


def load(path: Path = PATH) -> Families:
    """Read the families; CloudError lists all that is wrong with documents, names, machines and prices, by line."""
    found = read(path, WHERE, Families, "see the families that are there", CloudError)
    problems = placed(WHERE, path.read_text(encoding="utf-8"), _problems(found))
    if problems:
        raise CloudError("\n".join(problems))
    return found


def prices(known: Families, family: MachineFamily, dataset: Dataset) -> Mapping[str, Mapping[str, CloudPrice]]:
    """By machine and kind what it costs: the newest day of the price sources, else what was read by hand."""
    rows = _rows_by_machine(family, dataset.prices)
    hand = {price.machine: price for price in family.prices}
    newest = dataset.newest_reading
    found: dict[str, dict[str, CloudPrice]] = {}
    for machine in family.machines:
        kinds = {kind: _seen(machine, rows[machine.name, kind], newest) for kind in KINDS if rows[machine.name, kind]}
        if "on_demand" not in kinds and machine.name in hand:
            kinds["on_demand"] = _read_by_hand(machine, hand[machine.name], known, newest)
        found[machine.name] = kinds
    return found


def unknown_gpus(known: Families, gpus: Collection[str], path: Path = PATH) -> list[str]:
    """GPUs that a family names and that have no file, each with its line."""
    found = [
        (place, f"{family.id}, {machine.name}: {no_such_gpu(machine.gpu, gpus)}")
        for number, family in enumerate(known.families)
        for place, machine in _machines(("families", number), family)
        if machine.gpu not in gpus
    ]
    return placed(WHERE, path.read_text(encoding="utf-8"), found)


def _problems(found: Families) -> Iterator[tuple[Place, str]]:
    cited = set()
    for place, one in _citing(found):
        cited.add(one.document)
        if one.document not in found.documents:
            near = meant(one.document, list(found.documents))
            yield (
                place,
                f"document {one.document!r} is cited and not listed{near}; list it under documents",
            )
    for name in sorted(set(found.documents) - cited):
        yield ("documents", name), f"document {name!r} is listed and never cited; take it out"
    ids = Counter(family.id for family in found.families)
    for number, family in enumerate(found.families):
        place = ("families", number)
        if not ID.fullmatch(family.id):
            yield (*place, "id"), f"id: {family.id!r} is no address of a page; write small letters, digits and hyphens"
        elif ids[family.id] > 1:
            yield (*place, "id"), f"id: {family.id!r} stands {ids[family.id]} times; give each family its own"
        yield from _of_machines(place, family)


def _of_machines(place: Place, family: MachineFamily) -> Iterator[tuple[Place, str]]:
    """Machines that stand twice, and prices of none or of an amount that nobody asks."""
    times = Counter(machine.name for machine in family.machines)
    for at, machine in _machines(place, family):
        if times[machine.name] > 1:
            yield at, f"{family.id}: {machine.name!r} stands {times[machine.name]} times; keep one of them"
    boards = {machine.name: machine.gpus for machine in family.machines}
    for number, price in enumerate(family.prices):
        at = (*place, "prices", number)
        if price.machine not in boards:
            near = meant(price.machine, list(boards))
            yield at, f"{family.id}: a price names {price.machine!r}, which is no machine of the family{near}"
        elif not LEAST_USD <= (each := price.usd_per_hour / boards[price.machine]) <= MOST_USD:
            yield (
                at,
                f"usd_per_hour: {price.usd_per_hour:g} for {price.machine} is {each:g} dollars a GPU, and nobody asks "
                f"less than {LEAST_USD:g} or more than {MOST_USD:g}; write dollars for one hour of the machine",
            )


def _machines(place: Place, family: MachineFamily) -> Iterator[tuple[Place, MachineType]]:
    for number, series in enumerate(family.series):
        for entry, machine in enumerate(series.machines):
            yield (*place, "series", number, "machines", entry), machine


def _citing(found: Families) -> Iterator[tuple[Place, CloudFact | MachineType | HandPrice]]:
    """All that cites a document, with its place in the file."""
    for number, family in enumerate(found.families):
        place = ("families", number)
        for entry, series in enumerate(family.series):
            facts = {"state": series.state, "successor": series.successor, "link": series.link}
            yield from (((*place, "series", entry, name), fact) for name, fact in facts.items() if fact)
        yield from _machines(place, family)
        yield from (((*place, "prices", entry), price) for entry, price in enumerate(family.prices))


def _rows_by_machine(family: MachineFamily, table: Iterable[Price]) -> Mapping[tuple[str, str], list[Price]]:
    """The rows of the price table that name a machine of the family, by machine and kind."""
    names = {_key(machine.name): machine.name for machine in family.machines}
    found: dict[tuple[str, str], list[Price]] = defaultdict(list)
    for row in table:
        sound = not row.flag or row.flag.startswith(HISTORY)
        if row.provider == family.provider and row.kind in KINDS and row.usd_per_machine_hour is not None and sound:
            name = names.get(_key(_machine_of(row.offer)))
            if name:
                found[name, row.kind].append(row)
    return found


def _machine_of(offer: str) -> str:
    """The machine in an offer's name: "AWS / p2.xlarge / 1x K80 …", or the machine alone."""
    parts = offer.split(" / ")
    return parts[1] if len(parts) > 1 else offer


def _key(name: str) -> str:
    return name.removeprefix(PREFIX).replace(" ", "_").lower()


def _seen(machine: MachineType, rows: list[Price], newest: str) -> CloudPrice:
    day = max(row.date for row in rows)
    own = sorted((row.machine_hour_usd, row.locator, row) for row in rows if row.date == day)
    first = own[0][2]
    old = first.flag.startswith(HISTORY)
    state = HISTORY if old else staleness.state(first.kind, day, newest)
    return CloudPrice(own[0][0], own[-1][0], machine.gpus, day, state, len(own), first.source, first.url, first.locator)


def _read_by_hand(machine: MachineType, price: HandPrice, known: Families, newest: str) -> CloudPrice:
    document = known.documents[price.document]
    state = staleness.state("on_demand", price.date, newest)
    return CloudPrice(
        price.usd_per_hour,
        price.usd_per_hour,
        machine.gpus,
        price.date,
        state,
        1,
        document.title,
        document.url,
        price.locator,
    )
