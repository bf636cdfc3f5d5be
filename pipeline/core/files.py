"""Write CSV text safely, and replace files so that a kill at any moment leaves the old or the whole new state."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from pipeline.core import units

# What holds a folder for one process; Windows itself has none, its Linux (WSL), in which "make" runs, has it.
LOCKS = import_module("fcntl") if find_spec("fcntl") else None

# All new files are first written under this folder; the marker, renamed in at the end, makes them valid.
# A command that finds the marker finishes the move; one that finds the folder without it throws it away.
STAGE = ".staged"
MARKER = "complete.json"
# A cell that starts like this would run as a formula in a spreadsheet. A number may start with a minus.
FORMULA_STARTS = ("=", "+", "@", "-", "\t", "\r")


class Busy(OSError):
    """Another command is at work on the same folder."""


@contextmanager
def alone(root: Path) -> Iterator[None]:
    """Hold a folder for one command that reads and then changes it; Busy while another command holds it.

    What a killed command left is finished or thrown away first. The hold ends with the process, however it ends.
    A system without LOCKS keeps nobody off; the replacement itself is whole there too.
    """
    if LOCKS is None:
        recover(root)
        yield
        return
    folder = os.open(root, os.O_RDONLY)
    try:
        try:
            LOCKS.flock(folder, LOCKS.LOCK_EX | LOCKS.LOCK_NB)
        except BlockingIOError:
            raise Busy(
                f"another command is changing {root.name}/; wait until it has ended and run this again"
            ) from None
        recover(root)
        yield
    finally:
        os.close(folder)


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a machine file as text cells by head."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, strict=True)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a CSV: UTF-8 text, \\n line ends, None as empty, numbers in canonical form, no formulas."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(value) for _, value in zip(columns, row, strict=True)])
    return out.getvalue()


def replace_all(root: Path, contents: Mapping[str, str | None] | Mapping[str, str]) -> None:
    """Replace files below `root` (relative path → text, None to delete) all together or not at all."""
    recover(root)
    changed = {path: text for path, text in contents.items() if _differs(root / path, text)}
    if not changed:
        return
    stage = root / STAGE
    for path, text in changed.items():
        if text is not None:
            _write(stage / path, text)
    order = {
        "write": sorted(p for p, t in changed.items() if t is not None),
        "delete": sorted(p for p, t in changed.items() if t is None),
    }
    _write(stage / f"{MARKER}.new", json.dumps(order))
    os.replace(stage / f"{MARKER}.new", stage / MARKER)
    recover(root)


def differing(root: Path, contents: Mapping[str, str]) -> list[str]:
    """List the files (relative path → text) that are not there, or hold something else."""
    return [path for path, text in sorted(contents.items()) if _differs(root / path, text)]


def recover(root: Path) -> None:
    """Finish a replacement that was killed after its marker stood; discard one that was killed before."""
    stage = root / STAGE
    if not stage.exists():
        return
    marker = stage / MARKER
    if marker.exists():
        order = json.loads(marker.read_text(encoding="utf-8"))
        for path in order["write"]:
            staged = stage / path
            target = root / path
            # Move a staged file in place; one that is gone was moved before the kill
            if staged.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(staged, target)
        for path in order["delete"]:
            (root / path).unlink(missing_ok=True)
        marker.unlink()  # before the rest: without the marker, leftovers mean nothing
    shutil.rmtree(stage)


def _differs(path: Path, text: str | None) -> bool:
    if text is None:
        return path.exists()
    return not path.exists() or path.read_bytes() != text.encode("utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@lru_cache(maxsize=65_536, typed=True)  # of the cells of a table most stand in it again: typed, for 1 is not true
def _cell(value: Hashable) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return units.text_of(float(value))
    text = " ".join(str(value).split())
    if text.startswith(FORMULA_STARTS) and not units.is_number(text):
        return f"'{text}"
    return text
