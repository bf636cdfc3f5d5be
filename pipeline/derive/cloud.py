"""The machines of each cloud family (`data/cloud.yml`) with what they cost now, or cost when last seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from pipeline.core.documents import Document, Strict, Text, read
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


class CloudError(ValueError):
    """A family that cannot be read; the message names family, field and value."""


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
    date: Text
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
    """Read the families; CloudError lists every document that is cited and not listed, or listed and not cited."""
    found = read(path, WHERE, Families, "see the families that are there", CloudError)
    problems = [*_problems(found)]
    if problems:
        raise CloudError("\n".join(f"{WHERE}: {problem}" for problem in problems))
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


def unknown_gpus(known: Families, gpus: Collection[str]) -> Iterator[str]:
    """GPUs that a family names and that have no file."""
    for family in known.families:
        for machine in family.machines:
            if machine.gpu not in gpus:
                yield f"{WHERE}: {family.id}, {machine.name}: unknown GPU {machine.gpu!r}; add it to data/gpus"


def _problems(found: Families) -> Iterator[str]:
    cited = {one.document for family in found.families for one in _citing(family)}
    yield from (f"document {name!r} is cited and not listed" for name in sorted(cited - set(found.documents)))
    yield from (f"document {name!r} is listed and never cited" for name in sorted(set(found.documents) - cited))
    for family in found.families:
        names = {machine.name for machine in family.machines}
        lost = sorted({price.machine for price in family.prices} - names)
        yield from (f"{family.id}: a price names {name!r}, which is no machine of the family" for name in lost)


def _citing(family: MachineFamily) -> Iterator[CloudFact | MachineType | HandPrice]:
    for series in family.series:
        yield from (fact for fact in (series.state, series.successor, series.link) if fact)
    yield from family.machines
    yield from family.prices


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
