"""A row of a machine CSV in, the typed claim, result or price out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from pipeline.schema import Claim, Price, Result

Record = TypeVar("Record", Claim, Result, Price)


class RecordError(ValueError):
    """A cell that does not have the type of its column."""


def from_row(kind: type[Record], row: Mapping[str, str], where: str) -> Record:
    """Read one row; RecordError names place, column and value."""
    cells: dict[str, Any] = {}
    for name, read in READERS_OF[kind]:
        text = row.get(name)
        if text is None:
            raise RecordError(f"{where}: no column {name!r}")
        try:
            cells[name] = read(text)
        except ValueError:
            raise RecordError(f"{where}: column {name!r} holds {text!r}") from None
    if None in row:
        raise RecordError(f"{where}: more cells than headings")
    return kind(**cells)


def yes_no(text: str) -> bool:
    """Read a flag as the CSVs write it."""
    if text not in ("yes", "no"):
        raise ValueError(text)
    return text == "yes"


def number_or_none(text: str) -> float | None:
    """Read a number; an empty cell is unknown."""
    return float(text) if text else None


# By annotation of the dataclass field (they are strings, see `from __future__ import annotations`).
READERS: Mapping[str, Callable[[str], object]] = {
    "str": str,
    "int": int,
    "bool": yes_no,
    "float | None": number_or_none,
}


READERS_OF: Mapping[type, tuple[tuple[str, Callable[[str], object]], ...]] = {
    kind: tuple((f.name, READERS[str(f.type)]) for f in fields(kind)) for kind in (Claim, Result, Price)
}
