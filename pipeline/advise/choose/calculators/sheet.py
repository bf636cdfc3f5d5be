"""The shape of every calculator's answer: sentences, tables, a picture, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell of a table: its text, and what it leads to or what kind of number it is."""

    text: str
    number: bool = False
    href: str = ""  # a source
    gpu: str = ""  # a card's page
    kind: str = ""  # measured, estimated, computed, price
    aside: str = ""  # a word behind it
    look: str = ""  # what the colour of the cell says: fits, tight, no
    part: str = ""  # the part of the memory whose colour stands before it
    vendor: str = ""  # the maker whose colour stands before it


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Rows under heads; a head is its text and its unit, `None` where the column holds words."""

    title: str
    heads: Sequence[tuple[str, str | None]]
    rows: Sequence[Sequence[TableCell]]
    tall: bool = False  # scrolls within the page
    folded: str = ""  # what it shows, in a sentence, where it waits to be opened
    none: str = "None."  # what stands there in place of no rows


@dataclass(frozen=True, slots=True)
class PictureLine:
    """A line of a picture; `look` and that of the picture are the class that colours it."""

    look: str
    d: str


@dataclass(frozen=True, slots=True)
class PictureText:
    """A text of a picture."""

    look: str
    x: str
    y: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerPicture:
    """A drawing on a canvas of the given size; `look`: lines or a stack, `fit`: how it fills its place on the page."""

    title: str
    width: int
    height: int
    shapes: Sequence[PictureLine]
    labels: Sequence[PictureText]
    look: str = "lines"
    fit: str = "xMidYMid"


@dataclass(frozen=True, slots=True)
class CalculatorAnswer:
    """One answer: the sentence that answers, more sentences, tables, a picture, numbers by name (None: unknown)."""

    lead: str
    notes: Sequence[str] = ()
    tables: Sequence[AnswerTable] = ()
    picture: AnswerPicture | None = None
    values: Mapping[str, float | None] = field(default_factory=dict)
    asides: Sequence[str] = ()  # what it rests on, below the tables


def words(text: str) -> TableCell:
    """A cell of words."""
    return TableCell(text)


def number(text: str, kind: str = "") -> TableCell:
    """A cell that holds a number."""
    return TableCell(text, True, kind=kind)


def source(text: str, href: str) -> TableCell:
    """A cell that leads to a source."""
    return TableCell(text, href=href)


def card(text: str, gpu: str) -> TableCell:
    """A cell that leads to a card's page."""
    return TableCell(text, gpu=gpu)


def known(text: str | None) -> TableCell:
    """A number, or the dash that says that nobody knows it."""
    return TableCell(NOTHING if text is None else text, True)
