"""Whether another card is worth it: by memory, by speed and its interval, and what each gain costs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.choose.calculators import upgrade

MODEL: Any = SimpleNamespace(name="a model")


def card(name: str = "Card", memory_gb: float | None = 24.0) -> Any:
    return SimpleNamespace(card=SimpleNamespace(name=name, memory_gb=memory_gb))


def able(room: float | None = 4.0, rate: tuple[float, float, float] | None = (10.0, 8.0, 12.0)) -> Any:
    speed = rate and SimpleNamespace(median=rate[0], p10=rate[1], p90=rate[2])
    return SimpleNamespace(room_gib=room, rate=speed)


@pytest.mark.parametrize(
    ("old", "new", "times"),
    [
        (able(), able(rate=(20.0, 18.0, 24.0)), (1.5, 2.0, 3.0)),  # its slow end over the other's fast one
        (able(room=0.0), able(), (8 / 12, 1.0, 1.5)),
        (able(room=-0.1), able(), None),
        (able(), able(room=-0.1), None),
        (able(), able(room=None), None),
        (able(rate=None), able(), None),
        (able(), able(rate=None), None),
    ],
)
def test_a_card_is_so_many_times_as_fast_where_both_hold_it(old: Any, new: Any, times: Any) -> None:
    found = upgrade._times(old, new)
    assert found == (None if times is None else pytest.approx(times))


@pytest.mark.parametrize(
    ("old", "new", "times", "worth", "said"),
    [
        (able(), able(), (1.0, 1.5, 2.0), True, "worth it. It is 1.5 times as fast with a model (1 to 2)."),
        (able(), able(), (1.0, 1.49, 2.0), False, "not worth it for the speed."),
        (able(), able(), (0.99, 1.5, 2.0), False, "not worth it for the speed."),  # its slow end is slower
        (able(), able(), None, False, "nobody can say: the speed"),
        (able(), able(room=None), None, False, "nobody can say: the memory of New"),
        (able(room=None), able(), None, False, "nobody can say: the memory of Old"),
        (
            able(room=-1.0),
            able(room=3.0),
            None,
            True,
            "worth it. Only the new card holds a model, with 3.0 GB to spare.",
        ),
        (able(room=-1.0), able(room=0.0), None, True, "worth it. Only the new card holds"),
        (able(), able(room=-2.0), None, False, "not worth it. The new card does not hold a model: 2.0 GB are missing."),
        (able(room=-1.0), able(room=-2.0), None, False, "does not hold a model either: 2.0 GB"),
    ],
)
def test_it_is_worth_it_for_memory_or_half_as_much_speed_again(
    old: Any, new: Any, times: Any, worth: bool, said: str
) -> None:
    verdict = upgrade._verdict(card("Old"), card("New"), MODEL, (old, new), times)
    assert verdict.worth is worth
    assert said in verdict.sentence


@pytest.mark.parametrize(
    ("net", "gain", "memory", "said"),
    [
        (
            500.0,
            10.0,
            32.0,
            "That is 50.00 dollars for each further token a second and 62.50 dollars for each further GB of memory.",
        ),
        (500.0, 0.0, 32.0, "That is 62.50 dollars for each further GB of memory."),
        (500.0, 10.0, 24.0, "That is 50.00 dollars for each further token a second."),
        (500.0, None, 24.0, ""),
        (500.0, -1.0, 16.0, ""),
        (0.0, 10.0, 32.0, ""),
        (None, 10.0, 32.0, ""),
        (500.0, None, None, ""),
    ],
)
def test_what_is_gained_is_told_by_its_cost(
    net: float | None, gain: float | None, memory: float | None, said: str
) -> None:
    told = upgrade._gain_words(net, gain, card(), card(memory_gb=memory))
    assert "".join(told) == said


def test_a_price_after_selling_says_what_is_not_known() -> None:
    price = SimpleNamespace(usd=900.0)
    some: Any = price
    a, b = card("Old"), card("New")
    assert upgrade._price_words(a, b, None, None, some).startswith("No price of the last 12 months to buy New is known")
    assert upgrade._price_words(a, b, None, some, None).startswith("The new card costs 900 dollars; no used price")
    assert upgrade._price_words(a, b, 500.0, some, some).startswith("It costs 500 dollars after selling the old one")


@pytest.mark.parametrize(("tokens", "context", "length"), [(8192, 4096, 4096), (2048, 4096, 2048), (8192, None, 8192)])
def test_a_model_is_held_at_the_best_quantisation_that_fits_and_at_most_its_own_context(
    tokens: int, context: int | None, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def required(card: Any, model: Any, request: Any) -> Any:
        asked.append((request.quant, request.context))
        return SimpleNamespace(fits=request.quant == upgrade.QUANTS[2])

    monkeypatch.setattr(upgrade, "required", required)
    monkeypatch.setattr(upgrade, "request_checked", lambda request, model: request)
    model: Any = SimpleNamespace(context=context)
    assert upgrade.best_quant(card(), model, tokens) == upgrade.QUANTS[2]
    assert asked == [(quant, length) for quant in upgrade.QUANTS[:3]]


@pytest.mark.parametrize(
    ("typed", "net", "sold"),
    [({}, 500.0, 700.0), ({"brings": 400.0}, 800.0, 400.0), ({"price": 900.0}, 200.0, 700.0)],
)
def test_an_upgrade_costs_the_new_less_the_old_and_gains_the_difference(
    typed: dict[str, float], net: float, sold: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, Any] = {}
    old = SimpleNamespace(card=SimpleNamespace(name="old"), used=SimpleNamespace(firm=True, usd=700.0), power_w=300.0)
    new = SimpleNamespace(card=SimpleNamespace(name="new"), used=None, power_w=450.0)
    speeds = {"old": able(rate=(10.0, 8.0, 12.0)), "new": able(rate=(25.0, 20.0, 30.0))}
    monkeypatch.setattr(upgrade, "_does", lambda known, facts, asked: speeds[facts.card.name])
    monkeypatch.setattr(upgrade, "_verdict", lambda *_: upgrade.UpgradeVerdict(True, "worth it"))
    monkeypatch.setattr(upgrade, "best_price", lambda facts: SimpleNamespace(usd=1200.0))
    monkeypatch.setattr(upgrade, "own", lambda usd: SimpleNamespace(usd=usd))
    monkeypatch.setattr(upgrade, "tariff_usd", lambda asked: 0.2)
    monkeypatch.setattr(upgrade, "tariff_note", lambda asked: ())
    monkeypatch.setattr(upgrade, "_newly", lambda *_: [])
    monkeypatch.setattr(upgrade, "_newly_table", lambda newly: None)
    monkeypatch.setattr(upgrade, "_prices", lambda *_: None)
    monkeypatch.setattr(upgrade, "_price_words", lambda a, b, net, bought, sold: told.update(net=net, sold=sold.usd))
    monkeypatch.setattr(upgrade, "_gain_words", lambda net, gain, a, b: told.update(gain=gain) or ())
    monkeypatch.setattr(upgrade, "_compared", lambda a, b, able, watts, year: told.update(watts=watts, year=year))
    known: Any = SimpleNamespace(facts={"a": old, "b": new}, models={"m": MODEL})
    asked = {"gpu": "a", "to": "b", "model": "m", "brings": None, "price": None, "hours_per_week": 10, "context": 1}
    found = upgrade.answer(asked | typed, known)
    assert found.lead == "old to new: worth it"
    assert [found.values[name] for name in ("low", "times", "high")] == pytest.approx([20 / 12, 2.5, 30 / 8])
    assert told == {"net": net, "sold": sold, "gain": 15.0, "watts": 150.0, "year": pytest.approx(0.15 * 10 * 52 * 0.2)}
    same = {"gpu": "a", "to": "a", "model": "m", "brings": None, "price": None, "hours_per_week": 10, "context": 1}
    with pytest.raises(upgrade.NeedError, match="both are old; choose two cards"):
        upgrade.answer(same, known)
