"""What the code makes of twelve recorded GPUs, as marks by which a test notices that any of it has changed.

A sentence, a figure, the order of a list, the place of a point in a drawing: whatever comes out otherwise than it did
is told by name. Who changed it on purpose looks at the new page or answer and records anew:

    make told

The GPUs and all that the answers rest on, such as networks, hosts and the estimator's coefficients, are frozen
(tests/ten.py): a change of data changes no mark.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any

from pipeline.core import paths

HERE = Path(__file__).parent
RECORDED = HERE / "recorded" / "told"
MARK = 12  # hexadecimal digits


def recorded(area: str) -> dict[str, str]:
    """The marks of an area at the last recording: none where it was never recorded."""
    path = RECORDED / f"{area}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
    return dict(line.rsplit(": ", 1) for line in lines)  # type: ignore[misc]


def marks(area: str) -> dict[str, str]:
    """What an area tells now, as marks by name; for a process of its own, whose data are then the recorded ones."""
    # Before any module that looks for its file is imported.
    paths.DATA = paths.DataPaths(HERE / "recorded" / "ten")
    areas = import_module("telling").AREAS
    return {name: _digest(json.dumps(_plain(value))) for name, value in areas[area]()}


def changed(area: str) -> list[str]:
    """The names of what an area tells otherwise than at the last recording."""
    before, now = recorded(area), marks(area)
    return [name for name in {**before, **now} if before.get(name) != now.get(name)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:MARK]


def _plain(value: Any) -> Any:
    """The same of lists, words and figures alone."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return value if isinstance(value, bool | int | float | str | NoneType) else str(value)


AREAS = (
    "pages", "charts", "prices", "pairs", "answers", "calculated", "estimates", "derived", "decided", "compared",
    "tables",
)  # fmt: skip


def main(compared: list[str]) -> None:
    """Record every area anew, or print what some areas tell otherwise, by area."""
    if compared:
        print(json.dumps({area: changed(area) for area in compared}))  # noqa: T201
        return
    RECORDED.mkdir(parents=True, exist_ok=True)
    for area in AREAS:
        lines = [f"{name}: {mark}" for name, mark in marks(area).items()]
        (RECORDED / f"{area}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{area}: {len(lines)}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
