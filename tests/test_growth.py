"""What pages of thousands of cards ask again and again is found once, so that a card more costs what a card costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from samples import committed

from pipeline.derive import rivals
from pipeline.derive.prices import quote
from pipeline.derive.prices.quote import Book
from pipeline.derive.prices.rules import KINDS, MARKETS


def counted(monkeypatch: pytest.MonkeyPatch, place: Any, name: str, key: Callable[..., Any]) -> Counter[Any]:
    """How often a function is called, by a key of its arguments."""
    calls: Counter[Any] = Counter()
    work = getattr(place, name)

    def told(*args: Any, **named: Any) -> Any:
        calls[key(*args)] += 1
        return work(*args, **named)

    monkeypatch.setattr(place, name, told)
    return calls


def test_the_prices_of_a_card_are_looked_through_once_for_a_kind_and_market(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(prices: Any, kind: str, market: str) -> Any:
        return id(prices), kind, market

    found = counted(monkeypatch, quote, "in_market", asked)
    book = Book(committed())
    for gpu in list(committed().gpus)[::12]:
        for kind in KINDS:
            for market in MARKETS:
                book.quote(gpu, kind, market)
                book.months(gpu, kind, market)
    named = {id(prices) for prices in book.prices.values() if prices}
    assert max(times for (prices, *_), times in found.items() if prices in named) == 1


def test_few_cards_are_looked_at_one_by_one_to_find_what_costs_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    known = rivals.Rivals(committed())
    looked_at = counted(monkeypatch, rivals.Rivals, "_cost_alike", lambda _, one, two: one.id)
    unlike = counted(monkeypatch, rivals, "_unlike", lambda one, two: one.id)
    for gpu in committed().gpus.values():
        known.of(gpu)
    assert sum(looked_at.values()) < 2 * len(looked_at)
    assert sum(unlike.values()) < 10 * len(committed().gpus)
