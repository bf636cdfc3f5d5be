"""What comes nearest to a need that nothing meets: it has a price, and misses something that a reader can change."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pipeline.site.pages import picks

ASKED = SimpleNamespace(psu_w=450.0, slots=None, length_mm=None, task="cnn")


def lost(
    name: str,
    missed: str,
    price: Any = "known",
    rate: float | None = 10.0,
    gap: float = 0.5,
    segment: str = "consumer",
    form: str = "PCIe card",
) -> Any:
    failures = [SimpleNamespace(name=missed, text=f"too little {missed}", gap=gap)]
    env = {"price": price, "able": {"rate": rate}, "card": {"segment": segment, "form": form}}
    return SimpleNamespace(env=env, failures=failures, short=name, gpu=name, count=1)


@pytest.fixture
def nearest(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What is nearest of some options, all of which hold the model but those named "small"."""

    def ability(gpu: str, count: int, need: object) -> SimpleNamespace:
        return SimpleNamespace(room_gib=-1.0 if gpu == "small" else 1.0)

    monkeypatch.setattr(picks, "_short", lambda option: option.short)
    monkeypatch.setattr(picks, "shelf", lambda _: SimpleNamespace(ability=ability))
    return lambda *options: picks._nearest(cast("Any", SimpleNamespace(lost=options, dataset=None, need=ASKED)))


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (lost("first", "memory"), "first"),
        (lost("first", "memory", None), "second"),  # nobody states what it costs
        (lost("first", "price"), "second"),
        (lost("first", "form"), "second"),
        (lost("first", "kind of machine"), "second"),
        (lost("first", "speed"), "first"),
        (lost("first", "speed", rate=None), "second"),  # nobody measured it
        (lost("first", "speed", segment="edge", form="SoC"), "second"),  # a board computer takes no power supply
        (lost("first", "speed", form="SoC"), "second"),  # a whole machine likewise
    ],
)
def test_the_nearest_has_a_price_and_a_form_that_fits(first: Any, said: str, nearest: Callable[..., str]) -> None:
    assert nearest(first, lost("second", "speed")).startswith(f"{said} comes closest (too little ")
    assert nearest(lost("first", "price"), lost("second", "memory", None)) == ""


@pytest.mark.parametrize(
    ("name", "gap", "said"), [("third", 0.25, "third"), ("third", 0.2501, "first"), ("small", 0.25, "first")]
)
def test_a_little_more_money_is_nearer_than_anything_else_if_the_model_fits(
    name: str, gap: float, said: str, nearest: Callable[..., str]
) -> None:
    dearer = lost(name, "budget", gap=gap)
    assert nearest(lost("first", "memory"), dearer).startswith(f"{said} comes closest (")
    assert nearest(dearer, lost("first", "memory"), lost("fourth", "monthly budget", gap=0.1)).startswith(
        "fourth comes closest ("
    )
