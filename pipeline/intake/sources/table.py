"""The rows of a snapshot that is a table, as dictionaries of stripped text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from pipeline.intake.sources.base import Snapshot, SourceError, require_columns


def text_of(snapshot: Snapshot) -> str:
    """Decode a snapshot: UTF-8 with or without byte order mark, any line ends."""
    try:
        return snapshot.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"{snapshot.source.id}/{snapshot.file}"
        raise SourceError(f"{where}: not UTF-8 text at byte {error.start}; fetch the file again") from None


def rows(snapshot: Snapshot, needed: list[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (row number as a spreadsheet counts, header = 1; row) of a CSV; cells are stripped text.

    SourceError when a needed column is missing or a row has more cells than the header.
    """
    reader = csv.reader(io.StringIO(text_of(snapshot), newline=""), strict=True)
    try:
        header = [" ".join(cell.split()) for cell in next(reader, [])]
        require_columns(snapshot, header, needed)
        for number, cells in enumerate(reader, start=2):
            if not any(cells):
                continue
            if len(cells) != len(header):
                where = f"{snapshot.source.id}/{snapshot.file} row {number}"
                raise SourceError(f"{where}: {len(cells)} cells under {len(header)} headings; the file is broken")
            yield (
                number,
                {name: " ".join(cell.split()) for name, cell in zip(header, cells, strict=True)},
            )
    except csv.Error as error:
        raise SourceError(f"{snapshot.source.id}/{snapshot.file}: broken CSV: {error}; fetch it again") from None


def number(snapshot: Snapshot, at: int, row: Mapping[str, str], column: str) -> float:
    """Read a cell that must hold a number; SourceError names file, row, column and cell."""
    try:
        return float(row[column])
    except ValueError:
        where = f"{snapshot.source.id}/{snapshot.file} row {at}"
        raise SourceError(f"{where}: {column} is {row[column]!r}, not a number; look at the file") from None
