"""The CSVs of `data/` as typed rows: a data class names the columns, and its annotations say how cells are read."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
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


def read(kind: type[Record], path: Path, where: str, only: Collection[str] | None = None) -> Iterator[Record]:
    """Read the rows of a CSV, or those on some GPUs; RecordError names `where`, row, column and value.

    A column that the file may lack, since its field has a default, is read as that. The GPU stands in the first column,
    and no cell of ours holds a line break.
    """
    with path.open(encoding="utf-8", newline="") as file:
        lines = (line for at, line in enumerate(file) if only is None or at == 0 or line.partition(",")[0] in only)
        table = csv.reader(lines, strict=True)
        heads = next(table, [])
        places: list[tuple[int, str, Callable[[str], Any]]] = []
        for column in fields(kind):  # type: ignore[arg-type]
            if column.name in heads:
                places.append((heads.index(column.name), column.name, READERS[str(column.type)]))
            elif column.default is MISSING:
                raise RecordError(f"{where}: no column {column.name!r}")
            else:
                places.append((0, column.name, lambda _, value=column.default: value))  # type: ignore[misc]
        for row, cells in enumerate(table, start=2):
            if len(cells) != len(heads):
                raise RecordError(f"{where} row {row}: {len(cells)} cells under {len(heads)} headings")
            try:
                values = [cells[at] if reader is str else reader(cells[at]) for at, _, reader in places]
            except (ValueError, KeyError):
                raise RecordError(f"{where} row {row}: {_wrong(cells, places)}") from None
            yield kind(*values)


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
