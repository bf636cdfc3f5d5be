"""What a run of training costs: hours that are billed, the share of a card, and which offers are the cheapest."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.choose.calculators import training
from pipeline.advise.choose.need import NeedError


@pytest.mark.parametrize(("hours", "billed"), [(0.0, 0.333), (0.5, 0.833), (1.5, 1.833)])
def test_a_run_is_paid_with_twenty_minutes_of_start(hours: float, billed: float) -> None:
    assert training.billed(hours) == pytest.approx(billed)


@pytest.mark.parametrize(("room", "fits"), [(0.0, True), (-0.01, False), (None, False)])
def test_a_run_fits_into_a_memory_that_is_known_and_enough(room: float | None, fits: bool) -> None:
    ability: Any = SimpleNamespace(room_gib=room)
    assert training.fits(ability) is fits


@pytest.mark.parametrize(("hours", "share"), [(520.0, 100.0), (1040.0, 200.0), (5200.0, 1000.0), (9999.0, 1000.0)])
def test_a_run_uses_up_its_part_of_the_hours_of_a_card_and_never_more_than_its_loss(hours: float, share: float) -> None:
    asked = {"hours_per_week": 100.0, "months": 12.0}  # 5,200 hours until it is sold
    assert training._share(2000.0, 0.5, hours, asked) == pytest.approx(share)


@pytest.mark.parametrize(
    ("asked", "tokens"),
    [
        ({"tokens": 5.0}, 5e6),
        ({"tokens": None, "examples": 1000, "each": 500, "epochs": 3}, 1.5e6),
        ({"tokens": None, "examples": 1e9, "each": 1e6, "epochs": 1}, 1e15),
        ({"tokens": None, "examples": 1e9, "each": 1e6, "epochs": 1.01}, None),
    ],
)
def test_tokens_are_typed_in_millions_or_counted_from_examples_up_to_a_limit(
    asked: dict[str, Any], tokens: float | None
) -> None:
    if tokens is None:
        with pytest.raises(NeedError, match="the most is 1e\\+15"):
            training._tokens(asked)
    else:
        assert training._tokens(asked) == tokens


def card(id: str = "card", usd: float | None = 1.0, most: int | None = None, least: int = 1, **about: Any) -> Any:
    rent = usd and SimpleNamespace(usd=usd, most_gpus=most, least_gpus=least, date="2026-11", who="Cloud", url="")
    facts = {"no_training": "", "power_w": 400.0, "inferred": False}
    return SimpleNamespace(card=SimpleNamespace(id=id, name=id), rent=rent, **facts | about)


def able(rate: float | None = 1000.0, room: float | None = 1.0) -> Any:
    speed = rate and SimpleNamespace(median=rate, p10=rate / 2, p90=rate * 2)
    return SimpleNamespace(
        rate=speed, room_gib=room, usable_gib=24.0, needed_gib=20.0, problem="", statement="estimated"
    )


def test_a_run_takes_its_tokens_over_the_speed_of_the_middle_and_both_ends() -> None:
    run = training._run(card(), able(), 3.6e6)
    assert (run.middle, run.fast, run.slow) == (1.0, 0.5, 2.0)
    for rate in (0.0, 1e-310):
        with pytest.raises(NeedError, match="never end on card"):
            training._run(card(), able(rate or math.nextafter(0, 1)), 3.6e6)
    with pytest.raises(NeedError, match="its speed is not known"):
        training._run(card(), able(None), 3.6e6)


@pytest.mark.parametrize(
    ("facts", "count", "ability", "cost"),
    [
        (card(), 1, able(), 10.333),
        (card(most=2), 2, able(), 20.666),
        (card(most=1), 2, able(), None),
        (card(least=2), 2, able(), 20.666),
        (card(least=2), 1, able(), None),
        (card(usd=None), 1, able(), None),
        (card(), 1, able(room=-1.0), None),
        (card(), 1, able(rate=None), None),
    ],
)
def test_an_offer_is_a_card_that_is_let_in_that_count_and_holds_the_run(
    facts: Any, count: int, ability: Any, cost: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "does", lambda *_: ability)
    none: Any = None
    found = training._offer(none, facts, count, 3.6e7, {})
    assert (found and found[0]) == (cost and pytest.approx(cost))


def test_of_each_card_the_cheapest_count_is_offered_and_more_only_where_they_cost_less(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    speeds = {
        ("even", 1): 1000.0,
        ("even", 2): 2000.0,
        ("better", 1): 1000.0,
        ("better", 2): 2100.0,
        ("dear", 1): 1000.0,
    }
    monkeypatch.setattr(training, "does", lambda known, facts, count, asked: able(speeds.get((facts.card.id, count))))
    monkeypatch.setattr(training, "COUNTS", (1, 2))
    facts = {
        "dear": card("dear", 2.0),
        "even": card("even"),
        "better": card("better"),
        "none": card("none", no_training="x"),
    }
    known: Any = SimpleNamespace(facts=facts)
    table = training._offers(known, 3.6e7, {})
    assert [row[0].text for row in table.rows] == ["2 × better", "even", "dear"]


@pytest.mark.parametrize(
    ("ability", "paid", "said"),
    [
        (able(), 5.0, "1 hours (30 minutes to 2 hours) and 5.00 dollars to rent."),
        (able(), None, "1 hours (30 minutes to 2 hours)."),
        (able(room=-2.0), 5.0, "it does not fit, "),
    ],
)
def test_a_run_is_told_by_its_hours_and_its_cost(ability: Any, paid: float | None, said: str) -> None:
    run = training._run(card(), able(), 3.6e6)
    assert training._lead(card(), ability, run, paid).startswith(said)
