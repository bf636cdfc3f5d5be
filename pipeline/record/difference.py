"""What changed between two states of `data/clean`, field by field, as Markdown for a pull request."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

# Table → the columns that name a row.
KEYS = {
    "gpus": ("id",),
    "peaks": ("gpu", "input", "accumulate", "sparsity", "engine"),
}
COUNTED = ("claims", "benchmarks", "prices")
MOST_LINES = 200

Texts = Mapping[str, str]  # table name → CSV text
Cells = dict[tuple[str, ...], dict[str, str]]


def texts(folder: Path) -> dict[str, str]:
    """The tables of one state as they lie in a folder; one that is not there is empty."""
    paths = {name: folder / f"{name}.csv" for name in (*KEYS, *COUNTED)}
    return {name: path.read_text(encoding="utf-8") if path.exists() else "" for name, path in paths.items()}


def markdown(old: Texts, new: Texts) -> str:
    """Say which figures changed, and how many rows came and went."""
    lines = [line for table, keys in KEYS.items() for line in _changes(table, keys, old, new)]
    counts = [f"- {table}: {_rows(old.get(table, ''))} → {_rows(new.get(table, ''))} rows" for table in COUNTED]
    shown = lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        shown.append(f"| … | and {len(lines) - MOST_LINES} more | | |")
    head = ["| GPU | field | was | is |", "|---|---|---|---|"] if shown else ["No chosen figure changed."]
    return "\n".join([*head, *shown, "", *counts, ""])


def _changes(table: str, keys: tuple[str, ...], old: Texts, new: Texts) -> Iterator[str]:
    before, after = _cells(old.get(table, ""), keys), _cells(new.get(table, ""), keys)
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key, {}), after.get(key, {})
        for column in dict.fromkeys((*was, *now)):
            if was.get(column, "") != now.get(column, "") and column not in keys:
                name = ":".join((*key[1:], column))
                yield f"| {key[0]} | {name} | {_plain(was.get(column, ''))} | {_plain(now.get(column, ''))} |"


def _cells(text: str, keys: tuple[str, ...]) -> Cells:
    return {tuple(row[k] for k in keys): row for row in csv.DictReader(io.StringIO(text))}


def _rows(text: str) -> int:
    return sum(1 for _ in csv.DictReader(io.StringIO(text)))


def _plain(cell: str) -> str:
    """A cell that cannot break out of a Markdown table or run as markup."""
    return cell.replace("|", "\\|").replace("<", "&lt;").replace("`", "'") or "–"
