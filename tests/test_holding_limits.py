"""The cheapest machines that hold a model: how many cards each needs, which are shown, and in what order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise import holding
from pipeline.advise.estimate.models import load
from pipeline.advise.holding import Holder, Offers

LLAMA = load().find("llama-3.1-8b-instruct")
NEEDED = {count: holding.required(holding.NO_CARD, LLAMA, holding.Request(
    quant=holding.QUANT, context=holding.CONTEXT, gpus=count)).total for count in holding.COUNTS}  # fmt: skip


def offers() -> Any:
    made = Offers.__new__(Offers)
    made._cards, made._needed, made._fewest, made._speeds = {}, {}, {}, {}
    made._speed = lambda model, holder: None  # type: ignore[method-assign]
    return made


@pytest.mark.parametrize(("gb", "count"), [(4.0, 2), (8.0, 1), (2.0, 4), (0.1, None)])
def test_as_few_cards_as_hold_the_model(gb: float, count: int | None) -> None:
    found = offers()._fewest_that_hold(LLAMA, holding.card_with(gb))
    assert (found[0] if found else None) == count
    if found:
        request = holding.Request(quant=holding.QUANT, context=holding.CONTEXT, gpus=found[0])
        usable = holding.usable_gib(holding.card_with(gb), request, holding.find(request.engine))
        assert usable is not None
        assert found[1] == pytest.approx(usable - NEEDED[found[0]])
        assert found[1] >= 0


def test_of_unknown_memory_nothing_is_said() -> None:
    assert offers()._fewest_that_hold(LLAMA, holding.NO_CARD) is None


def test_what_fits_exactly_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "usable_gib", lambda *_: NEEDED[1])
    found = offers()._fewest_that_hold(LLAMA, holding.card_with(8.0))
    assert found == (1, 0)


def listed(*of: tuple[str, float, int]) -> list[tuple[str, int, float]]:
    made = offers()
    by_name = {name: Holder(name, name, "", count, SimpleNamespace(), usd, 1.0, None) for name, usd, count in of}  # type: ignore[arg-type]
    made._holder = lambda model, quote: by_name.get(quote)
    return [(one.gpu, one.count, one.cost) for one in made.holders(LLAMA, [*by_name, "none"])]


def test_machines_stand_by_cost_then_by_name_and_eight_are_shown() -> None:
    assert [name for name, *_ in listed(("b", 5.0, 1), ("a", 5.0, 2), ("c", 4.0, 1))] == ["c", "a", "b"]
    assert len(listed(*((f"card-{at}", 100.0 - at, 1) for at in range(9)))) == 8
    assert ("card-0", 1, 100.0) not in listed(*((f"card-{at}", 100.0 - at, 1) for at in range(9)))


def test_more_cards_are_listed_only_where_fewer_than_three_machines_of_few_hold_it() -> None:
    two, three = [("a", 9.0, 1), ("b", 8.0, 2)], [("a", 9.0, 1), ("b", 8.0, 2), ("c", 7.0, 2)]
    many = [("four", 1.0, 4), ("eight", 0.5, 8)]
    assert [name for name, *_ in listed(*three, *many)] == ["c", "b", "a"]
    assert [name for name, *_ in listed(*two, *many)] == ["four", "b", "a"]
    assert [name for name, *_ in listed(*two, many[1])] == ["eight", "b", "a"]


def test_a_machine_costs_all_of_its_cards_and_an_offer_without_a_price_is_none() -> None:
    made = offers()
    made._cards = {"x": holding.card_with(4.0)}
    quote = SimpleNamespace(gpu="x", value=300.0)
    found = made._holder(LLAMA, quote)
    assert (found.count, found.cost) == (2, 600.0)
    assert found.spare_gib > 0
    assert made._holder(LLAMA, SimpleNamespace(gpu="x", value=None)) is None
    assert made._holder(LLAMA, SimpleNamespace(gpu="x", value=0.5)).cost == 1.0
