"""Which prices and results a rule looks at and holds a row against: each condition alone decides."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from test_validate import CARD, evidence, measured, offered, stated

from pipeline.record import outliers
from pipeline.record.validate import observations

SETS = frozenset({"prices"})


def told(rule: Any, *prices: Any, **more: Any) -> list[str]:
    """The values that a rule complains about."""
    said = more.pop("said", CARD)
    known = {"prices": list(prices), "price_sets": SETS, "benchmark_sets": frozenset({"typed"})} | more
    return [problem.value for problem in rule(evidence(*said, **known))]


def rent(usd: float | None, **about: Any) -> Any:
    usual = {"kind": "on_demand", "usd_per_unit": None, "usd_per_gpu_hour": usd, "source": "list"}
    return offered(**usual | about)


FIVE = [rent(1.0) for _ in range(5)]


@pytest.mark.parametrize(
    ("others", "wrong"),
    [
        (FIVE[:4], ["9"]),  # five offers, itself among them
        (FIVE[:3], []),
        ([*FIVE[:3], rent(1.0, kind="spot")], []),
        ([*FIVE[:3], rent(1.0, flag="a slip")], []),
        ([*FIVE[:3], rent(None)], []),
        ([*FIVE[:3], rent(1.0, gpu="another")], []),
    ],
)
def test_an_offer_is_held_against_five_sound_ones_of_its_card(others: list[Any], wrong: list[str]) -> None:
    assert told(observations.rent_is_plausible, *others, rent(9.0)) == wrong


@pytest.mark.parametrize("about", [{"flag": "a slip"}, {"kind": "spot"}, {"gpu": "another"}])
def test_an_offer_of_another_kind_or_one_that_says_why_is_not_judged(about: dict[str, str]) -> None:
    assert told(observations.rent_is_plausible, *FIVE, rent(9.0, **about)) == []
    assert told(observations.rent_is_plausible, *FIVE, rent(None)) == []


@pytest.mark.parametrize(
    ("usd", "others", "words"),
    [
        (100.0, [1000.0, 2000.0], "0.1 times the least that anybody else states of this card (1,000 USD)"),
        (20000.0, [1000.0, 2000.0], "10 times the most that anybody else states of this card (2,000 USD)"),
        (200.0, [1000.0, 2000.0], ""),
        (10000.0, [1000.0, 2000.0], ""),
        (1.0, [], ""),
    ],
)
def test_a_price_lies_between_a_fifth_of_the_least_and_five_times_the_most(
    usd: float, others: list[float], words: str
) -> None:
    assert observations._far(usd, others, (0.2, 5)) == words


def shop(usd: float = 1000.0, **about: Any) -> Any:
    return offered(**{"source": "shop", "usd_per_unit": usd, "amount": usd} | about)


FAR = offered(usd_per_unit=100.0, amount=100.0)  # contributed, and a tenth of what a shop asks


@pytest.mark.parametrize(
    ("other", "far"),
    [
        (shop(), True),
        (shop(kind="used"), True),
        (shop(kind="system"), False),  # a machine is no card
        (shop(flag="a slip"), False),
        (shop(source="prices"), False),  # its own set bears nothing out
        (shop(gpu="another"), False),
        (shop(kind="on_demand"), False),
    ],
)
def test_a_contributed_price_is_held_against_sound_prices_to_buy_of_others(other: Any, far: bool) -> None:
    assert bool(told(observations.price_to_buy_is_plausible, other, FAR)) is far


@pytest.mark.parametrize(
    ("changes", "far"),
    [
        ({"flag": "a slip"}, False),
        ({"flag": outliers.FAR_FLAG}, True),  # ours says nothing of who typed it
        ({"kind": "launch"}, False),
        ({"usd_per_unit": None}, False),
        ({"source": "shop-2"}, False),  # of no set
    ],
)
def test_only_a_contributed_price_that_says_nothing_itself_is_judged(changes: dict[str, Any], far: bool) -> None:
    row = offered(**{"usd_per_unit": 100.0, "amount": 100.0} | changes)
    assert bool(told(observations.price_to_buy_is_plausible, shop(), row)) is far


def test_of_a_machine_the_share_of_a_gpu_is_compared() -> None:
    assert observations._each(shop(8000.0, kind="system", gpus=8.0)) == 1000.0
    assert observations._each(shop(8000.0, kind="system", gpus=None)) == 8000.0
    assert observations._each(shop(8000.0, gpus=8.0)) == 8000.0, "a card is sold by itself"


@pytest.mark.parametrize(
    ("other", "wrong"),
    [
        (shop(), ["99"]),
        (shop(kind="used"), []),
        (shop(flag="a slip"), []),
        (shop(source="prices"), []),
        (shop(usd_per_unit=None), []),
        (shop(gpu="another"), []),
    ],
)
def test_a_launch_price_is_held_against_what_shops_ask_for_a_new_card(other: Any, wrong: list[str]) -> None:
    said = (stated("card", "launch_price_usd", "99"),)
    assert told(observations.launch_price_is_plausible, other, said=said) == wrong


@pytest.mark.parametrize(("sibling", "wrong"), [("variant", ["99"]), ("unpriced", [])])
def test_and_against_its_variants(sibling: str, wrong: list[str]) -> None:
    said = (stated("card", "launch_price_usd", "99"), stated("variant", "launch_price_usd", "999"))
    siblings = {"card": frozenset({sibling})}
    assert told(observations.launch_price_is_plausible, said=said, siblings=siblings) == wrong


@pytest.mark.parametrize(
    ("about", "wrong"),
    [
        ({"usd_per_gpu_hour": 1.0199}, False),
        ({"usd_per_gpu_hour": 1.0201}, True),
        ({"usd_per_gpu_hour": 0.9801}, False),
        ({"usd_per_gpu_hour": 2.0, "flag": "a slip"}, False),
        ({"usd_per_gpu_hour": 2.0, "gpus": None}, False),
    ],
)
def test_a_machine_costs_what_its_gpus_do_within_two_per_cent(about: dict[str, Any], wrong: bool) -> None:
    row = rent(1.0, **{"usd_per_machine_hour": 8.0, "gpus": 8.0} | about)
    assert bool(told(observations.price_is_sound, row)) is wrong


@pytest.mark.parametrize(
    ("date", "wrong"), [("2018", False), ("2018-01-01", False), ("2017-12-31", True), ("2017", True)]
)
def test_the_first_prices_are_of_2018(date: str, wrong: bool) -> None:
    said = (stated("card", "memory_gb", "10"),)
    assert bool(told(observations.cells_belong_together, offered(date=date), said=said)) is wrong


@pytest.mark.parametrize(
    ("about", "column"),
    [
        ({"currency": "EUR"}, "currency"),
        ({"country": "GR", "currency": "USD"}, "currency"),
        ({"country": "GR", "currency": "EUR", "tax": 24.0}, ""),
        ({"country": "JP", "currency": "JPY"}, ""),  # a country of which we know no currency
        ({"condition": "used"}, "condition"),
        ({"condition": "new"}, ""),
        ({"kind": "used", "condition": "used"}, ""),
        ({"kind": "system", "gpus": 8}, ""),
    ],
)
def test_the_cells_of_a_row_say_one_thing(about: dict[str, Any], column: str) -> None:
    known = evidence(*CARD, prices=[offered(**about)], price_sets=SETS)
    assert [problem.field for problem in observations.cells_belong_together(known)] == ([column] if column else [])


CARDS = {"RTX 4090": frozenset({"card"}), "RTX 3090": frozenset({"nvidia-other"}), "M5": frozenset({"apple-m5"})}


def sells(**about: Any) -> list[str]:
    def named_in(text: str) -> list[tuple[str, frozenset[str]]]:
        return [(name, cards) for name, cards in CARDS.items() if name in text]

    names: Any = SimpleNamespace(named_in=named_in)
    known = evidence(*CARD, prices=[offered(**{"product": "RTX 4090"} | about)], price_sets=SETS, names=names)
    return [problem.field for problem in observations.product_is_of_its_card(known)]


@pytest.mark.parametrize(
    ("about", "fields"),
    [
        ({}, []),
        ({"product": "RTX 3090"}, ["product"]),
        ({"product": "RTX 3090 and RTX 4090"}, []),
        ({"product": "a board"}, ["product"]),
        ({"product": "a board", "kind": "on_demand"}, []),
        ({"product": "Gaming PC with RTX 4090"}, ["product"]),
        ({"product": "Gaming PC with RTX 4090", "kind": "system"}, []),
        ({"product": "Box M5", "kind": "system"}, []),  # another maker's box
        ({"product": "Box RTX 3090", "kind": "system"}, ["product"]),
        ({"provider": "RTX 4090"}, ["provider"]),
        ({"provider": "RTX 3090"}, []),
        ({"source": "shop", "product": "RTX 3090"}, []),
    ],
)
def test_a_product_is_of_its_card(about: dict[str, str], fields: list[str]) -> None:
    assert sells(**about) == fields


@pytest.mark.parametrize(("source", "wrong"), [("prices", True), ("shop", False)])
def test_only_of_a_typed_row_the_day_of_reading_is_held_against_its_own(source: str, wrong: bool) -> None:
    row = offered(source=source, date="2026-11-20", retrieved="2026-11-19")
    assert bool(told(observations.dates_are_past, row)) is wrong
    run = measured(source="typed" if wrong else "lab", date="2026-11-20", retrieved="2026-11-19")
    assert bool(told(observations.dates_are_past, results=[run])) is wrong


def test_a_contributed_result_is_judged_cell_by_cell_elsewhere() -> None:
    rows = [measured(value=-1.0, source=source) for source in ("typed", "lab")]
    assert len(told(observations.result_is_sound, results=rows)) == 1


@pytest.mark.parametrize(("about", "told_twice"), [({}, True), ({"amount": 5.0}, False), ({"source": "prices"}, False)])
def test_a_row_that_stands_in_two_sets_is_told(about: dict[str, Any], told_twice: bool) -> None:
    rows = [offered(), offered(**{"source": "again"} | about)]
    known = evidence(*CARD, prices=rows, price_sets=SETS | {"again"})
    assert bool(list(observations.no_set_repeats_another(known))) is told_twice
