"""When a model fits on several cards that share out its layers: room for one layer must be left."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.choose.calculators import several


@pytest.mark.parametrize(
    ("count", "room", "fits"), [(1, 0.0, True), (1, -0.1, False), (2, 2.0, True), (2, 1.9, False), (2, 0.0, False)]
)
def test_a_layer_lies_on_one_card(count: int, room: float, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = SimpleNamespace(usable=24.0, room=room, total=20.0, parts={"weights": 20.0})
    monkeypatch.setattr(several, "_speed", lambda *_: (SimpleNamespace(memory=memory), "as fast"))
    card: Any = SimpleNamespace(name="Card")
    model: Any = SimpleNamespace(layers=10)
    known: Any = None
    assert several._count(card, model, count, {"streams": 4}, known).fits == fits
