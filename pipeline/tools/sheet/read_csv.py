"""Reads a CSV export: its rows as one grid, rows before the table as lines."""

from __future__ import annotations

import csv
import io

from pipeline.tools.sheet.form import Cell, Grid, Sheet, SheetError, TextLine, tidy

DELIMITERS = (",", ";", "\t", "|")


def read(data: bytes, name: str) -> Sheet:
    """Read an export; SheetError when it is no text or holds no row of two cells."""
    rows = [[tidy(cell) for cell in row] for row in _rows(decoded(data, name), name)]
    table_from = next(
        (
            index
            for index, row in enumerate(rows)
            if sum(1 for cell in row if cell) > 1 and not _is_preamble(row, rows[index + 1 :])
        ),
        None,
    )
    if table_from is None:
        raise SheetError(f"{name}: no row with two filled cells; export the table again as CSV in UTF-8")
    lines = [
        TextLine(cell, f"row {number}, column {column}")
        for number, row in enumerate(rows[:table_from], start=1)
        for column, cell in enumerate(row, start=1)
        if cell
    ]
    cells = [
        Cell(cell, number, column, number, column)
        for number, row in enumerate(rows, start=1)
        if number > table_from
        for column, cell in enumerate(row, start=1)
    ]
    return Sheet(name, lines[0].text if lines else "", (Grid(tuple(cells), 0, 1),), tuple(lines))


def decoded(data: bytes, name: str) -> str:
    """Decode a text file: UTF-8, or UTF-16 with its mark; anything else is refused, never guessed."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise SheetError(f"{name}: not UTF-8 (byte {error.start}); save the file as UTF-8 and try again") from None


def _rows(text: str, name: str) -> list[list[str]]:
    delimiter = max(DELIMITERS, key=lambda mark: sum(min(line.count(mark), 1) for line in text.splitlines()))
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True))
    except csv.Error as error:
        raise SheetError(f"{name}: not a readable CSV ({error}); export it again, each cell in quotes") from None


def _is_preamble(row: list[str], below: list[list[str]]) -> bool:
    """Rows above the table name the product or the day of printing: narrower than it, or with gaps in them."""
    width = max((sum(1 for cell in line if cell) for line in below), default=0)
    filled = sum(1 for cell in row if cell)
    return bool(row[0]) and filled < width and any(not cell for cell in row[:2])
