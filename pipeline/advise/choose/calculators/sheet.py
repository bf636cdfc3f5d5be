"""The shape of every calculator's answer: sentences, tables, a picture, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table: its text, and what it leads to or what kind of number it is."""

    text: str
    number: bool = False
    href: str = ""  # a source
    gpu: str = ""  # a card's page
    kind: str = ""  # measured, estimated, computed, price


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under heads; a head is its text and its unit, `None` where the column holds words."""

    title: str
    heads: Sequence[tuple[str, str | None]]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Shape:
    """A line of a picture and the class that colours it."""

    look: str
    d: str


@dataclass(frozen=True, slots=True)
class Label:
    """A text of a picture."""

    look: str
    x: str
    y: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing on a canvas of the given size."""

    title: str
    width: int
    height: int
    shapes: Sequence[Shape]
    labels: Sequence[Label]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One answer: the sentence that answers, more sentences, tables, a picture, numbers by name (None: unknown)."""

    lead: str
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    picture: Picture | None = None
    values: Mapping[str, float | None] = field(default_factory=dict)


def words(text: str) -> Cell:
    """A cell of words."""
    return Cell(text)


def number(text: str, kind: str = "") -> Cell:
    """A cell that holds a number."""
    return Cell(text, True, kind=kind)


def source(text: str, href: str) -> Cell:
    """A cell that leads to a source."""
    return Cell(text, href=href)


def card(text: str, gpu: str) -> Cell:
    """A cell that leads to a card's page."""
    return Cell(text, gpu=gpu)


def known(text: str | None) -> Cell:
    """A number, or the dash that says that nobody knows it."""
    return Cell(NOTHING if text is None else text, True)
