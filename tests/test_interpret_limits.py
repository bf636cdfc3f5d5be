"""Why a cell of peak rates is not read: each reason stands by itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.tools.sheet import interpret


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("10 to 20 TFLOPS", "a range, not one figure"),
        ("not stated", "no figure in the cell"),
        ("10 TFLOPS on a good day", "more than rates in the cell: 'on a good day'"),
        ("10 | 20 | 40 TFLOPS", "more than two figures in the cell"),
    ],
)
def test_a_cell_that_is_not_understood_gives_its_reason_and_no_rate(
    text: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpret, "_format_off", lambda text, _: text)
    monkeypatch.setattr(interpret, "_order_off", lambda text: (text, ""))
    monkeypatch.setattr(interpret, "_own", lambda *_: ([], ""))
    monkeypatch.setattr(interpret, "_row_stance", lambda *_: ("", ""))
    monkeypatch.setattr(interpret, "_units", lambda *_: ([], ""))
    monkeypatch.setattr(interpret, "_problem", lambda _, why: why)
    entry: Any = SimpleNamespace(text=text)
    reading: Any = SimpleNamespace(problems=[])
    nothing: Any = None
    assert list(interpret._rates(entry, nothing, "", nothing, reading)) == []
    assert reading.problems == [reason]
