"""The one form into which every reader brings a sheet: grids of cells with their places, texts, footnotes, problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

# A footnote mark is written ^{1} behind its text from the reader on, so that it can never melt into a number.
MARK = re.compile(r"\^\{([^}]*)\}")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RATE_UNIT = r"(?:[TPG]?FLOP[Ss]|[TP]?OPS|(?:tera|peta)FLOP[Ss]|[GT]B/s|GB|MHz|W)"
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_HYPHENS = str.maketrans({"\u2010": "-", "\u2011": "-", "\u00ad": "", "\u200b": "", "\ufeff": "", "’": "'"})


def _quoted(text: str) -> str:
    return f' "{show(text)}"' if text else ""


def _mark(match: re.Match[str]) -> str:
    return "^{" + next(group for group in match.groups() if group) + "}"


# (what stands in the text, what it becomes), in this order.
_TIDY: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # A fixed space inside a number groups thousands; it is never the gap between two numbers.
    (re.compile(r"(?<![\d.,])\d{1,3}(?:[\u00a0\u202f\u2009]\d{3})+(?!\d)"), lambda m: re.sub(r"\D", "", m[0])),
    (re.compile(r"(?<=[mM])²"), "2"),
    (re.compile(r"[⁰¹²³⁴-⁹]+"), lambda m: "^{" + m[0].translate(_SUPERSCRIPTS) + "}"),
    (re.compile(r"(?<![{†‡§¶※])[†‡§¶※]+"), lambda m: "^{" + m[0] + "}"),
    (re.compile(r"(?<=[^\s\d*^{])\s?\[(\d{1,2}|\*|[a-z])\]|^\[(\d{1,2}|\*|[a-z])\]"), _mark),
    (re.compile(r"(?<=[\w%)])\s?\((\d|\*{1,3})\)(?=\s*$|\s*[|/,;])|^\((\d|\*{1,3})\)(?=\s)"), _mark),
    # Some pages print a capital I or a small l as the bar between two figures: "183 I 366*".
    (re.compile(r"(?<=\d)\s+[Il]\s+(?=\d)"), " | "),
    # A star is a mark at the start, or behind a text; between two numbers (2 * 8-pin) it multiplies.
    (re.compile(r"^(\*{1,4})(?=\S|\s|$)|(?<=\d)(\*{1,4})(?=\s|$|[|/,;)^])"), _mark),
    (re.compile(r"(?<=[^\s\d*{^])\s?(\*{1,4})(?=\s|$|[|/,;):^])"), _mark),
    (re.compile(r"\s(\*{1,4})(?=\s*$|\s*[|/,;)])"), _mark),
    (re.compile(r"(?<=\})\s?,\s?(?=\^\{)"), ""),
    (re.compile(rf"(?<=\d)(\s?{_RATE_UNIT})(\d)(?=\s|$|[|/,;)])"), r"\1^{\2}"),
)


class SheetError(ValueError):
    """A sheet that cannot be read; the message names file, place, what is missing and the next step."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed cell: its text and the rows and columns (from 1) over which it reaches."""

    text: str
    top: int
    left: int
    bottom: int
    right: int
    inferred: bool = False  # that it reaches over several columns is read from the layout, not written in the file
    lone: bool = False  # ... and nothing but the blanks beside it shows that it does


@dataclass(frozen=True, slots=True)
class Grid:
    """One table or list of a sheet, as printed."""

    cells: tuple[Cell, ...]
    page: int  # 0 where the file has no pages
    number: int
    kind: str = "table"
    heading: str = ""
    unruled: bool = False  # its rows are read from how the words stand
    transposed: bool = False  # one GPU a row: cells are turned, places stay as printed

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return max((cell.bottom for cell in self.cells), default=0)

    @property
    def columns(self) -> int:
        """How many columns it has."""
        return max((cell.right for cell in self.cells), default=0)

    def place(self, row: int, column: int, reach: int = 0, label: str = "", gpu: str = "", section: str = "") -> str:
        """Name a place as a reader of the sheet counts it; `reach` is the last of the columns that share it."""
        page = f"page {self.page}, " if self.page else ""
        lines, files = ("column", "row") if self.transposed else ("row", "column")
        along = f"{files}s {column} to {reach} (one cell)" if reach else f"{files} {column}"
        places = [f"{lines} {row}{_quoted(label)}", f"{along}{_quoted(gpu)}"]
        where = ", ".join(reversed(places) if self.transposed else places)
        within = f", section{_quoted(section)}" if section else ""
        return f"{page}{self.kind} {self.number}, {where}{within}"


@dataclass(frozen=True, slots=True)
class TextLine:
    """A text outside all tables, and where it stands."""

    text: str
    place: str
    page: int = 0


@dataclass(frozen=True, slots=True)
class SheetProblem:
    """Something on the sheet that became no value: where, the text as printed, and why."""

    place: str
    text: str
    reason: str
    gpu: str = ""

    def __str__(self) -> str:
        who = f"{self.gpu}: " if self.gpu else ""
        said = f": {show(self.text)!r}" if self.text else ""
        return f"{who}{self.place}{said}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole sheet: title, grids, texts outside, and what the reader could not read."""

    file: str
    title: str
    grids: tuple[Grid, ...]
    lines: tuple[TextLine, ...] = ()
    problems: tuple[SheetProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """The text of a footnote."""

    mark: str
    text: str
    place: str
    page: int = 0


def tidy(text: str) -> str:
    """Bring spaces, hyphens and footnote marks into one written form; line breaks inside a cell stay."""
    return "\n".join(line for line in (_tidy_line(raw) for raw in text.translate(_HYPHENS).split("\n")) if line)


def show(text: str) -> str:
    """Write a text for people: on one line, marks as they stood, figures among them raised."""
    return re.sub(r"\s+", " ", MARK.sub(lambda match: match[1].translate(_RAISED), text)).strip()


def marks_of(text: str) -> tuple[str, ...]:
    """List the footnote marks of a text; a mark 1,2 is two."""
    return tuple(part.strip() for found in MARK.findall(text) for part in found.split(",") if part.strip())


def unmarked(text: str) -> str:
    """Take the marks out of a text."""
    return re.sub(r"[^\S\n]+", " ", MARK.sub(" ", text)).strip()


def labelled(texts: Iterable[str], known: Callable[[str], bool]) -> dict[int, tuple[str, str]]:
    """Find "GPU memory: 80 GB" and "GPU memory ..... 80 GB" among texts: their number → label and figure."""
    found = {}
    for number, text in enumerate(texts):
        parts = re.match(r"^([^:.…]{2,60}?)\s*(?::|\.{4,}|…+)\s*(\S.*)$", text)
        if parts and known(parts[1]):
            found[number] = (parts[1], parts[2])
    return found


def grid_of_pairs(pairs: Iterable[tuple[str, str]], page: int, number: int, kind: str, heading: str = "") -> Grid:
    """Make a table of two columns of labels and their figures."""
    cells = [
        cell
        for row, (label, text) in enumerate(pairs, start=1)
        for cell in (Cell(label, row, 1, row, 1), Cell(text, row, 2, row, 2))
    ]
    return Grid(tuple(cells), page, number, kind, heading)


def notes_in(lines: Iterable[TextLine], used: Collection[str] = ()) -> tuple[list[Note], list[TextLine]]:
    """Split texts into footnotes (they start with their mark) and all others; `used` are the marks at figures."""
    notes: list[Note] = []
    others: list[TextLine] = []
    for line in lines:
        found = list(_split_notes(line, used))
        notes += found
        if not found:
            others.append(line)
    return notes, others


def _split_notes(line: TextLine, used: Collection[str]) -> Iterator[Note]:
    """Split "^{1} One. ^{2} Two." into its notes; "1. One. 2. Two." are two where nothing else marks them.

    A bare number counts where a figure has it as mark.
    """
    text = line.text
    numbered = re.match(r"^(?:Note\s+)?(\d{1,2})([.:)]?)\s+(?=[A-Z*])", text)
    if numbered and (numbered[2] or numbered[1] in used):
        number = int(numbered[1])
        text = "^{" + numbered[1] + "} " + text[numbered.end() :]
        while following := re.search(rf"(?<=[.;])\s+{number + 1}[.:)]?\s+(?=[A-Z])", text):
            number += 1
            text = f"{text[: following.start()]} ^{{{number}}} {text[following.end() :]}"
    if not text.startswith("^{"):
        return
    parts = MARK.split(text)
    for mark, body in zip(parts[1::2], parts[2::2], strict=True):
        said = re.sub(r"\s+", " ", body).strip(" :.–-")
        if said:
            yield Note(mark.strip(), re.sub(r"\s+", " ", body).strip(" :"), line.place, line.page)


def _tidy_line(text: str) -> str:
    text = re.sub(r"[\x00-\x08\x0e-\x1b\x7f\ue000-\uf8ff]", "", text).strip()
    for pattern, becomes in _TIDY:
        text = pattern.sub(becomes, text)
    return re.sub(r"\s+", " ", text).strip()
