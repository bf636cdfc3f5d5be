"""The machines around GPUs, and which configuration the price of a whole machine buys, read from data/hosts.yml.

`host_for` says in which machine a number of cards goes: the cheapest with enough slots, lanes and power supply. None
means that no machine with a sourced price takes them, so that no option is recommended that nobody could build.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from pipeline.advise import rules
from pipeline.core.documents import Document, Strict, Text, meant, no_such_gpu, placed, read
from pipeline.core.paths import DATA
from pipeline.core.schema import Price

PATH = DATA.data / "hosts.yml"
WIDTHS = (1, 2, 4, 8, 16)  # of PCIe
STATED_GB = re.compile(r"(?<!\w)(\d+) ?GB\b")  # the memory in a product's name; what is stored comes after it


def _a_width(lanes: int) -> int:
    if lanes not in WIDTHS:
        raise ValueError(f"{lanes} is no width of a slot; write {', '.join(map(str, WIDTHS[:-1]))} or {WIDTHS[-1]}")
    return lanes


Positive = Annotated[float, Field(gt=0)]


class HostError(ValueError):
    """data/hosts.yml cannot be read; the message names field, value and the next step."""


class Host(Strict):
    """A machine without its GPUs."""

    id: Text
    name: Text
    price_usd: Annotated[float, Field(ge=0)]
    cards: Annotated[int, Field(ge=1)]
    slots: Positive
    lanes: Annotated[int, AfterValidator(_a_width)]  # of PCIe, for each card
    psu_w: Positive
    memory_gb: Positive | None
    into_pc: bool = False  # the PC that stands there, or what it needs, in place of a machine
    document: Text
    locator: Text


class WholeMachine(Strict):
    """A chip that is sold as a whole machine, in the configuration that its price buys."""

    gpu: Text
    product: Text
    memory_gb: Positive | None  # None: its source names none, so no answer rests on its price
    memory_bandwidth_gb_s: float | None = None


class Hosts(Strict):
    """The file."""

    id: Text
    documents: Mapping[str, Document]
    hosts: tuple[Host, ...]
    machines: tuple[WholeMachine, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where bought cards stand: a machine of the file, or one that the reader has."""

    name: str
    usd: float


SERVER = Place("the server that you have", 0.0)
SECOND_SLOT = ", whose board needs a second slot with eight lanes"
SERVER_CARDS = 8
WHOLE = ("SoC", "laptop module")  # need no machine around them
# What a need says of the machine: a PC with one free place stands there, all must be bought, a server stands there.
VARIANTS: Sequence[str] = ("have", "new", "rack")


@lru_cache(maxsize=4)
def load(path: Path = PATH) -> Hosts:
    """Read the file; HostError names all that is wrong, by line."""
    hint = "it needs documents, hosts and machines"
    found = read(path, f"data/{path.name}", Hosts, hint, HostError)
    problems = placed(f"data/{path.name}", path.read_text(encoding="utf-8"), _problems(found))
    if problems:
        raise HostError("\n".join(problems))
    return found


def _problems(found: Hosts) -> Iterator[tuple[tuple[str | int, ...], str]]:
    times, sold = Counter(host.id for host in found.hosts), Counter(machine.gpu for machine in found.machines)
    for place, host in enumerate(found.hosts):
        if host.document not in found.documents:
            near = meant(host.document, list(found.documents))
            step = "list it under documents, or correct it"
            yield ("hosts", place, "document"), f"{host.name}: document {host.document!r} is not listed{near}; {step}"
        if times[host.id] > 1:
            yield ("hosts", place, "id"), f"hosts: {host.id!r} stands {times[host.id]} times; give each another id"
    for place, machine in enumerate(found.machines):
        if sold[machine.gpu] > 1:
            yield ("machines", place, "gpu"), f"machines: {machine.gpu!r} stands {sold[machine.gpu]} times; keep one"
        stated = STATED_GB.search(machine.product)
        if stated and machine.memory_gb not in (None, float(stated[1])):
            wrong = f"memory_gb: {machine.memory_gb:g} is not the memory that the product names, {stated[0]}"
            yield ("machines", place, "memory_gb"), f"{wrong}; correct one of the two"


def unknown_gpus(gpus: Collection[str]) -> list[str]:
    """Chips of whole machines that have no file in data/gpus, each with its line."""
    found = [
        (("machines", place, "gpu"), f"machines: {no_such_gpu(one.gpu, gpus)}")
        for place, one in enumerate(load().machines)
        if one.gpu not in gpus
    ]
    return placed(f"data/{PATH.name}", PATH.read_text(encoding="utf-8"), found)


def unpriced(prices: Iterable[Price]) -> list[str]:
    """Whole machines whose product no price of their chip names as it stands here: no answer would find what it costs.

    A chip without any price of a machine, as in a trimmed dataset, is passed over.
    """
    sold: dict[str, set[str]] = {}
    for price in prices:
        if price.kind == "system":
            sold.setdefault(price.gpu, set()).add(price.product)
    found = [
        (
            ("machines", place, "product"),
            f"product: no price of {one.gpu} names {one.product!r}{meant(one.product, sorted(sold[one.gpu]))}; "
            f"write the product as the price set does",
        )
        for place, one in enumerate(load().machines)
        if sold.get(one.gpu) and one.product not in sold[one.gpu]
    ]
    return placed(f"data/{PATH.name}", PATH.read_text(encoding="utf-8"), found)


def machines() -> Mapping[str, WholeMachine]:
    """The whole machines by their chip."""
    return {machine.gpu: machine for machine in load().machines}


@lru_cache(maxsize=4096)
def host_for(variant: str, form: str, count: int, slots: float, watts: float | None) -> Place | None:
    """The cheapest place for `count` cards of so many slots and watts together; None where there is none."""
    if form in WHOLE:
        return Place("", 0.0) if count == 1 else None
    if variant == "rack":
        return SERVER if count <= SERVER_CARDS else None
    c = rules.room("choose")["constants"]
    draw = (watts or 0.0) + c["rest_w"]["is"]
    fitting = [
        host
        for host in load().hosts
        if count <= host.cards
        and slots <= host.slots
        and draw <= host.psu_w * c["psu_share"]["is"]
        and (variant == "have" or not host.into_pc)
    ]
    cheapest = min(fitting, key=lambda host: host.price_usd, default=None)
    if cheapest is None:
        return None
    second = SECOND_SLOT if cheapest.into_pc and count > 1 else ""
    return Place(f"{cheapest.name}{second}", cheapest.price_usd)


def drawn_w(card: Mapping[str, Any], count: int) -> float | None:
    """What `count` cards draw: many gaming cards in one machine are held below their limit."""
    c = rules.room("choose")["constants"]
    held = count >= c["many_cards"]["is"] and card["segment"] == "consumer"
    return None if card["power_w"] is None else count * card["power_w"] * (c["many_share"]["is"] if held else 1)
