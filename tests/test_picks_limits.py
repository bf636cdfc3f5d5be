"""What comes nearest to a need that nothing meets: it has a price, and misses something that a reader can change."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.site.pages import picks


def lost(name: str, missed: str, price: Any = "known", rate: float | None = 10.0) -> Any:
    env, failures = (
        {"price": price, "able": {"rate": rate}},
        [SimpleNamespace(name=missed, text=f"too little {missed}")],
    )
    return SimpleNamespace(env=env, failures=failures, short=name)


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
    ],
)
def test_the_nearest_has_a_price_and_a_form_that_fits(first: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picks, "_short", lambda option: option.short)
    assert picks._nearest([first, lost("second", "speed")]).startswith(f"the nearest is {said}: too little ")
    assert picks._nearest([lost("first", "price"), lost("second", "memory", None)]) == ""
