"""Every wrong reference of a chapter is told, from the first line to the last."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.core.findings import Finding
from pipeline.editorial import guide
from pipeline.editorial.prose import ProseError


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([1, 3, 2], [1, 3, 2]),
        ([3, 1], [3, 1]),
        ([0, 1], [0]),  # without a line nothing can be left out
        ([4, 1], [4]),
        ([2, 2, 1], [2, 2]),  # a line that is left out already is the last one
    ],
)
def test_a_chapter_is_read_on_behind_each_line_that_is_wrong(
    lines: list[int], told: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    source: Any = SimpleNamespace(body="one\ntwo\nthree", file="guide/a.md", address="guide/a/")
    monkeypatch.setattr(guide, "_located", lambda _, error: Finding("guide/a.md", int(str(error)), str(error)))
    left = iter(lines[1:])

    def render(*_: object) -> None:
        for line in left:
            raise ProseError(f"{line}")

    prose: Any = SimpleNamespace(render=render)
    assert [found.line for found in guide._wrong_references(source, prose, ProseError(f"{lines[0]}"))] == told
