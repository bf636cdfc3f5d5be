"""Reads reStructuredText: list, CSV, grid and simple tables as grids, everything else as lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace

from pipeline.tools.sheet.form import Cell, Grid, Sheet, SheetError, TextLine, tidy
from pipeline.tools.sheet.read_csv import decoded

LOOKS_LIKE = re.compile(r"^\s*\.\. (list-table|csv-table|table)::|^\s*\+[-=+]{3,}\+\s*$|^={3,}( +={3,})+\s*$", re.M)
_DIRECTIVE = re.compile(r"^(\s*)\.\. (list-table|csv-table|table)::\s*(.*)$")
_GRID_LINE = re.compile(r"^\s*\+[-=+]+\+\s*$")
_SIMPLE_LINE = re.compile(r"^\s*={2,}( +={2,})+\s*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'#*+.:_])\1{2,}\s*$")
_FOOTNOTE = re.compile(r"^\.\. \[(#?[\w*]+|\*|#)\]\s+(.*)$")
# Inline markup that only says how a text looks.
_INLINE = (
    (re.compile(r":sup:`([^`]*)`"), r"^{\1}"),
    (re.compile(r"\\?\s?\[(\d+|\*|#\w*)\]_"), r"^{\1}"),
    (re.compile(r"\|(?:trade|reg|copy|TM|R)\|"), ""),
    (re.compile(r":\w+(?::\w+)*:`([^`<]*?)(?:\s*<[^>]*>)?`"), r"\1"),
    (re.compile(r"``([^`]*)``"), r"\1"),
    (re.compile(r"`([^`<]*?)\s*<[^>]*>`__?"), r"\1"),
    (re.compile(r"\*\*([^*\s][^*]*)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*\\])\*([^*\s][^*|]*[^*\s]|[^*\s])\*(?![\w*])"), r"\1"),
    (re.compile(r"\\(.)"), r"\1"),
)


def read(data: bytes, name: str) -> Sheet:
    """Read a document; SheetError when it has no table."""
    reader = _TableReader(decoded(data, name).expandtabs(8).splitlines(), name)
    reader.run()
    if not reader.grids:
        raise SheetError(f"{name}: no list, CSV, grid or simple table found; check that the file is reStructuredText")
    return Sheet(name, reader.title, tuple(reader.grids), tuple(reader.lines))


class _TableReader:
    """Goes through the lines once, table after table."""

    def __init__(self, source: list[str], name: str) -> None:
        self.source, self.name = source, name
        self.stands_for = dict(_substitutions(source))
        self.grids: list[Grid] = []
        self.lines: list[TextLine] = []
        self.title = self.heading = ""

    def run(self) -> None:
        """Read the whole document."""
        at = 0
        while at < len(self.source):
            at = self._step(at)

    def _step(self, at: int) -> int:
        line = self.source[at]
        if match := _DIRECTIVE.match(line):
            return self._directive(at, match)
        if _GRID_LINE.match(line):
            end = _while(self.source, at, lambda text: text.strip()[:1] in ("+", "|"))
            self._add(_grid_cells(self.source[at:end], f"{self.name}, line {at + 1}"), "")
            return end
        if _SIMPLE_LINE.match(line):
            end = _simple_end(self.source, at)
            self._add(_simple_cells(self.source[at:end]), "")
            return end
        return self._text(at)

    def _text(self, at: int) -> int:
        line = self.source[at].strip()
        following = self.source[at + 1] if at + 1 < len(self.source) else ""
        if line and _UNDERLINE.match(following) and len(following.strip()) >= len(line) - 2:
            self.heading = plain(line)
            self.title = self.title or self.heading
            self.lines.append(TextLine(self.heading, f"line {at + 1}"))
            return at + 2
        if not line or _UNDERLINE.match(line):
            return at + 1
        end = _while(self.source, at + 1, lambda text: bool(text.strip()) and not text.startswith(".. "))
        text = " ".join(part.strip() for part in self.source[at:end])
        if note := _FOOTNOTE.match(text):
            text = "^{" + note[1] + "} " + note[2]
        elif text.startswith(".. "):
            return end
        self.lines.append(TextLine(plain(self._replaced(text)), f"line {at + 1}"))
        return end

    def _replaced(self, text: str) -> str:
        """Put the text of each substitution in its place; one that the file does not define stays as it stands."""
        return re.sub(r"\|([^|\s][^|\n]*)\|", lambda match: self.stands_for.get(match[1], match[0]), text)

    def _directive(self, at: int, match: re.Match[str]) -> int:
        depth = len(match[1])
        end = _while(self.source, at + 1, lambda text: not text.strip() or len(text) - len(text.lstrip()) > depth)
        body = [text for text in self.source[at + 1 : end] if not re.match(r"\s*:[\w-]+:(\s|$)", text)]
        if match[2] == "table":
            caption = match[3]
            inner = _TableReader(body, self.name)
            inner.run()
            for grid in inner.grids:
                self._add(list(grid.cells), caption)
        elif match[2] == "list-table":
            self._add(_list_cells(body), match[3])
        else:
            self._add(_csv_cells(body, self.source[at + 1 : end]), match[3])
        return end

    def _add(self, cells: list[Cell], caption: str) -> None:
        cells = [replace(cell, text=tidy(self._replaced(cell.text))) for cell in cells]
        if cells:
            self.grids.append(Grid(tuple(cells), 0, len(self.grids) + 1, "table", plain(caption) or self.heading))


def _substitutions(source: list[str]) -> Iterator[tuple[str, str]]:
    for line in source:
        match = re.match(r"^\s*\.\. \|([^|]+)\| (replace|unicode):: (.+)$", line)
        if match:
            code = re.match(r"(?:U\+|0x)([0-9A-Fa-f]{4,6})\b", match[3])
            yield match[1], chr(int(code[1], 16)) if match[2] == "unicode" and code else plain(match[3])


def plain(text: str) -> str:
    """Take the markup out of a text."""
    for pattern, becomes in _INLINE:
        text = pattern.sub(becomes, text)
    return tidy(text)


def _while(source: list[str], at: int, holds: object) -> int:
    assert callable(holds)
    while at < len(source) and holds(source[at]):
        at += 1
    return at


def _list_cells(body: list[str]) -> list[Cell]:
    """Rows start with *, cells with -; other lines continue the cell."""
    rows: list[list[list[str]]] = []
    for line in body:
        text = line.strip()
        if re.match(r"\*(\s|$)", text) and (not rows or not line.startswith(" " * 40)):
            rows.append([])
            text = text[1:].strip()
        if rows and re.match(r"-(\s|$)", text):
            rows[-1].append([text[1:].strip()])
        elif rows and rows[-1] and text:
            rows[-1][-1].append(text.removeprefix("| "))
    return [
        Cell(plain("\n".join(cell)), row, column, row, column)
        for row, cells in enumerate(rows, start=1)
        for column, cell in enumerate(cells, start=1)
    ]


def _csv_cells(body: list[str], whole: list[str]) -> list[Cell]:
    header = [match[1] for text in whole if (match := re.match(r"\s*:header:\s*(.*)$", text))]
    rows = csv.reader(
        io.StringIO("\n".join(text.strip() for text in [*header, *body] if text.strip())), skipinitialspace=True
    )
    return [
        Cell(plain(cell), row, column, row, column)
        for row, cells in enumerate(rows, start=1)
        for column, cell in enumerate(cells, start=1)
    ]


def _grid_cells(block: list[str], where: str) -> list[Cell]:
    """Trace the rectangles of a grid table, so that spans come out as drawn."""
    width = max(len(line.rstrip()) for line in block)
    lines = [line.rstrip().ljust(width) for line in block]
    found = list(_rectangles(lines))
    tops = sorted({top for top, _, _, _ in found} | {bottom for _, _, bottom, _ in found})
    lefts = sorted({left for _, left, _, _ in found} | {right for _, _, _, right in found})
    if not found:
        raise SheetError(f"{where}: a grid table whose frame is not closed; redraw its lines")
    cells = []
    for top, left, bottom, right in found:
        text = "\n".join(line[left + 1 : right].strip() for line in lines[top + 1 : bottom])
        cells.append(
            Cell(plain(text), tops.index(top) + 1, lefts.index(left) + 1, tops.index(bottom), lefts.index(right))
        )
    return cells


def _rectangles(lines: list[str]) -> Iterator[tuple[int, int, int, int]]:
    corners = [(r, c) for r, line in enumerate(lines) for c, mark in enumerate(line) if mark == "+"]
    for top, left in corners:
        box = next(
            (
                (top, left, bottom, right)
                for bottom, below in corners
                if below == left and bottom > top
                for row, right in corners
                if row == top and right > left and _framed(lines, top, left, bottom, right)
            ),
            None,
        )
        if box:
            yield box


def _framed(lines: list[str], top: int, left: int, bottom: int, right: int) -> bool:
    across = lines[top][left : right + 1] + lines[bottom][left : right + 1]
    down = "".join(lines[row][left] + lines[row][right] for row in range(top, bottom + 1))
    return not set(across) - set("+-=") and not set(down) - set("+|") and lines[bottom][right] == "+"


def _simple_end(source: list[str], at: int) -> int:
    """A simple table ends with its second or third border, before a blank line or the end."""
    borders = 0
    for index in range(at, len(source)):
        borders += bool(_SIMPLE_LINE.match(source[index]))
        following = source[index + 1].strip() if index + 1 < len(source) else ""
        if borders >= 2 and _SIMPLE_LINE.match(source[index]) and not following:
            return index + 1
    return len(source)


def _simple_cells(block: list[str]) -> list[Cell]:
    edges = [match.span() for match in re.finditer(r"=+", block[0])]
    rows: list[list[str]] = []
    for line in block:
        if _SIMPLE_LINE.match(line) or not line.strip() or re.fullmatch(r"[\s-]+", line):
            continue
        last = len(edges) - 1
        parts = [line[start : None if at == last else edges[at + 1][0]].strip() for at, (start, _) in enumerate(edges)]
        if parts[0] or not rows:
            rows.append(parts)
        else:
            rows[-1] = [f"{old}\n{new}".strip() for old, new in zip(rows[-1], parts, strict=True)]
    return [
        Cell(plain(cell), row, column, row, column)
        for row, cells in enumerate(rows, start=1)
        for column, cell in enumerate(cells, start=1)
    ]
