"""The CSVs of `data/` as typed rows: a data class names the columns, and its annotations say how cells are read."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

from pipeline.core.measured.cells import integer_or_none, number, number_or_none, whole, yes_no
from pipeline.core.schema import Verdict

Record = TypeVar("Record")
VERDICTS: Mapping[str, Verdict] = {
    "chosen": "chosen",
    "agrees": "agrees",
    "differs": "differs",
    "withdrawn": "withdrawn",
}


class RecordError(ValueError):
    """A row that does not have its columns, or a cell that does not have the type of its column."""


def read(kind: type[Record], lines: Iterable[str], where: str) -> Iterator[Record]:
    """Read the rows of a CSV; RecordError names `where`, row, column and value."""
    table = csv.reader(lines, strict=True)
    heads = next(table, [])
    places = [_place(column, heads, where) for column in fields(kind)]  # type: ignore[arg-type]
    for row, cells in enumerate(table, start=2):
        if len(cells) != len(heads):
            raise RecordError(f"{where} row {row}: {len(cells)} cells under {len(heads)} headings")
        try:
            values = [cells[at] if reader is str else reader(cells[at]) for at, _, reader in places]
        except (ValueError, KeyError):
            raise RecordError(f"{where} row {row}: {_wrong(cells, places)}") from None
        yield kind(*values)


def _place(column: Field[Any], heads: list[str], where: str) -> tuple[int, str, Callable[[str], Any]]:
    """Where a column stands in a file and how it is read; one that the file may lack is read as its default."""
    if column.name in heads:
        return heads.index(column.name), column.name, READERS[str(column.type)]
    if column.default is MISSING:
        raise RecordError(f"{where}: no column {column.name!r}")
    return 0, column.name, lambda _: column.default


def _wrong(cells: list[str], places: Iterable[tuple[int, str, Callable[[str], Any]]]) -> str:
    """Name the cell that its reader refuses."""
    for at, name, reader in places:
        try:
            reader(cells[at])
        except (ValueError, KeyError):
            return f"column {name!r} holds {cells[at]!r}"
    raise AssertionError("asked about a row that reads well")


# By annotation of the dataclass field (they are strings, see `from __future__ import annotations`).
READERS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "Day": str,
    "int": whole,
    "bool": yes_no,
    "float": number,
    "float | None": number_or_none,
    "int | None": integer_or_none,
    "Verdict": VERDICTS.__getitem__,
}
