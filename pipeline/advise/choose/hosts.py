"""The machines around GPUs, and which configuration the price of a whole machine buys, read from data/hosts.yml.

`host_for` says in which machine a number of cards goes: the cheapest with enough slots, lanes and power supply. None
means that no machine with a sourced price takes them, so that no option is recommended that nobody could build.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from pipeline.advise import rules
from pipeline.core.documents import Document, Strict, Text, read
from pipeline.core.paths import DATA
from pipeline.core.yaml_text import lines_of

Positive = Annotated[float, Field(gt=0)]


class HostError(ValueError):
    """data/hosts.yml cannot be read; the message names field, value and the next step."""


class Host(Strict):
    """A machine without its GPUs."""

    id: Text
    name: Text
    price_usd: Annotated[float, Field(ge=0)]
    cards: int
    slots: Positive
    lanes: int  # of PCIe, for each card
    psu_w: Positive
    memory_gb: Positive | None
    into_pc: bool = False  # parts that a PC which stands there needs, in place of a machine
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


THERE, SERVER = Place("the PC that you have", 0.0), Place("the server that you have", 0.0)
SERVER_CARDS = 8
WHOLE = ("SoC", "laptop module")  # need no machine around them
# What a need says of the machine: a PC with one free place stands there, all must be bought, a server stands there.
VARIANTS: Sequence[str] = ("have", "new", "rack")


@lru_cache(maxsize=4)
def load(path: Path = DATA.data / "hosts.yml") -> Hosts:
    """Read the file; HostError names what is wrong, a document that is not listed included."""
    found = read(path, f"data/{path.name}", Hosts, "see pipeline/advise/choose/hosts.py", HostError)
    for one in found.hosts:
        if one.document not in found.documents:
            raise HostError(f"data/{path.name}: {one.name}: document {one.document!r} is not listed; add it")
    named = [host.id for host in found.hosts]
    for place, id in enumerate(named):
        if id in named[:place]:
            line = lines_of(path.read_text(encoding="utf-8"))["hosts", place]
            raise HostError(f"data/{path.name}:{line}: hosts: {id!r} stands twice; give one of them another id")
    return found


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
    if variant == "have" and count == 1:
        return THERE
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
    return Place(cheapest.name, cheapest.price_usd) if cheapest else None


def drawn_w(card: Mapping[str, Any], count: int) -> float | None:
    """What `count` cards draw: many gaming cards in one machine are held below their limit."""
    c = rules.room("choose")["constants"]
    held = count >= c["many_cards"]["is"] and card["segment"] == "consumer"
    return None if card["power_w"] is None else count * card["power_w"] * (c["many_share"]["is"] if held else 1)
