"""By how much one card must lead before a page says so, and which experiments stand beside them."""

from __future__ import annotations

from typing import Any

import pytest
from samples import record

from pipeline.advise import comparison, verdict


@pytest.mark.parametrize(
    ("two", "says"),
    [(1.09, "The two are even"), (1.1, "The B is 1.1× as fast"), (0.92, "The two are even"), (0.9, "The A is")],
)
def test_two_cards_are_even_below_a_tenth(two: float, says: str) -> None:
    assert verdict._faster(record(name="NVIDIA A"), record(name="NVIDIA B"), two).startswith(says)


@pytest.mark.parametrize(
    ("memory", "maker", "faster", "says"),
    [
        (25.0, "NVIDIA", 1.0, "needs more than 24"),
        (24.0, "NVIDIA", 1.1, "as fast as it can"),
        (24.0, "AMD", 1.09, "runs better on AMD"),
        (24.0, "NVIDIA", 1.09, "is a reason to choose"),
    ],
)
def test_what_gives_less_for_a_dollar_is_worth_it_for_memory_speed_or_software(
    memory: float, maker: str, faster: float, says: str
) -> None:
    better = record(name="NVIDIA A", vendor="NVIDIA", memory_gb=24.0)
    other = record(name=f"{maker} B", vendor=maker, memory_gb=memory)
    assert says in verdict._worth(better, other, faster)


@pytest.mark.parametrize(("most", "says"), [(109.0, "even"), (110.0, "up to 1.1×"), (200.0, "up to 2×")])
def test_the_first_of_several_leads_from_a_tenth_on(most: float, says: str) -> None:
    assert says in comparison._faster([(most, "A", "f"), (100.0, "B", "f")])


def card(id: str, value: str = "24") -> dict[str, Any]:
    prices = {"us": {"rent": {"value": None}, "marketplace": {"value": None}}}
    figures = {field: {"value": value} for field in (comparison.MEMORY, comparison.BANDWIDTH, *comparison.SIXTEEN[:1])}
    return {"id": id, "name": f"NVIDIA {id}", "vendor": "NVIDIA", "figures": figures, "prices": prices}


def test_a_figure_is_ranked_where_it_is_a_number_above_zero_the_highest_first() -> None:
    cards = [card("A", "24"), card("B", "48"), card("C", "0"), card("D", "unknown")]
    assert [name for _, name, _ in comparison._ranked(cards, [comparison.MEMORY])] == ["B", "A"]


@pytest.mark.parametrize(("cards", "too_few"), [(1, True), (2, False)])
def test_a_difference_needs_two_cards(cards: int, too_few: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "_currency", lambda *_: "US dollars")
    known = [card(name) for name in "AB"[:cards]]
    assert comparison._inference(known).startswith("Too few") == too_few
    assert comparison._tuning(known).startswith("Too few") == too_few
    assert ("are even" in comparison._training(known)) != too_few
    assert (comparison.bars(known, "us") == []) == too_few


def experiment(set: str, model: str, rows: dict[int, float], gpus: int = 1) -> dict[str, Any]:
    about = dict.fromkeys(comparison.ASKED, "x") | {"set": set, "model": model, "metric": "speed", "gpus": gpus}
    told = [[at, value, "2026"] for at, value in rows.items()]
    return about | {"rows": told, "higher": True, "label": f"{set} {model}"}


def test_shared_experiments_are_those_of_most_cards_first_two_of_a_set_each_work_once() -> None:
    cards = [card(name) for name in "ABC"]
    shared = [
        experiment("one", "alone", {0: 1.0}),
        experiment("one", "two cards", {0: 1.0, 1: 2.0}),
        experiment("one", "three cards", {0: 1.0, 1: 2.0, 2: 3.0}),
        experiment("one", "three cards", {0: 1.0, 1: 2.0, 2: 3.0}, gpus=2),
        experiment("one", "a third of its set", {0: 1.0, 1: 2.0}, gpus=8),
        experiment("two", "more rows", {0: 1.0, 1: 2.0, 7: 3.0}),
        experiment("three", "fewer rows", {0: 1.0, 1: 2.0}),
    ]
    found = comparison.measured(cards, {"ids": ["A", "B", "C"], "experiments": shared})
    assert [row["label"] for row in found] == ["one three cards", "two more rows", "one two cards", "three fewer rows"]
    many = [experiment(f"set {at}", "m", {0: 1.0, 1: 2.0}) for at in range(9)]
    assert len(comparison.measured(cards, {"ids": ["A", "B", "C"], "experiments": many})) == comparison.EXPERIMENTS
    assert comparison.measured(cards, {"ids": ["A", "B"], "experiments": many}) == [], "a card that nobody measured"
