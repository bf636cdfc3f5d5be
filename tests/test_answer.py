"""The limits at which the chooser decides otherwise, asked of options that are nothing but their figures."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.choose import answer
from pipeline.advise.choose.answer import CONSTANTS, Option

NEED = SimpleNamespace(
    task="chat", budget_usd=None, budget_per_month_usd=None, batch=4, rule={"headroom": 0.1, "enjoy": 20.0}
)


def option(
    gpu: str = "card", month: float = 100.0, speed: float = 10.0, way: str = "buy", *, missed: Any = (), **known: Any
) -> Option:
    """An option of this cost and speed; `missed` are the gaps of the constraints that it misses."""
    able = {"rate": speed, "low": speed, "high": speed, "room": 10.0, "usable": 20.0, "measured": False}
    card = {"vendor": "NVIDIA", "known": 1, "memory_gb": 24.0, "length_mm": 300, "form": "PCIe card"}
    env = {
        "gpu": gpu, "name": gpu, "month": month, "speed": speed, "way": way, "count": 1, "card": card, "paid": month,
        "paid_all": month, "price": {"usd": month, "kind": "retail"}, "bought": 100,
        "task": {"software": "", "run": None}, "need": vars(NEED), "slope": 0.5, "enough": 1e9,
        "c": CONSTANTS, "training": ("full",),
    }  # fmt: skip
    env["able"] = able | {name: known.pop(name) for name in tuple(known) if name in able}
    failures: Any = tuple(SimpleNamespace(name=name, gap=gap, text=name) for name, gap in missed)
    narrow: Any = known.pop("narrow", ())
    stage = known.pop("stage", 3)
    return Option(gpu, known.pop("count", 1), way, env | known, stage, failures, narrow)  # type: ignore[arg-type]


FIRST = option("first", 1000.0, 10.0)


@pytest.mark.parametrize(
    ("other", "taken"),
    [
        (option("other", 1150.0, 11.0), "other"),  # clearly faster for nearly the same
        (option("other", 1151.0, 11.0), "first"),
        (option("other", 1150.0, 10.99), "first"),
        (option("other", 1150.0, 10.0, measured=True), "other"),  # no slower, and measured
        (option("other", 1150.0, 9.99, measured=True), "first"),
        (option("other", 1150.0, 10.0, room=20.0), "other"),  # twice the memory to spare
        (option("other", 1150.0, 10.0, room=19.9), "first"),
        (option("other", 1150.0, 11.0, low=9.5), "other"),
        (option("other", 1150.0, 11.0, low=9.49), "first"),  # the slow end of its estimate is slower
    ],
)
def test_of_what_costs_nearly_the_same_the_clearly_better_is_the_least_money(other: Option, taken: str) -> None:
    assert answer.least([FIRST, other]).gpu == taken
    assert answer.least([other, FIRST]).gpu == taken


@pytest.mark.parametrize(("month", "taken"), [(1150.0, "own"), (1151.0, "rented")])
def test_a_rent_gives_way_to_a_card_of_one_s_own_that_costs_little_more(month: float, taken: str) -> None:
    assert answer.least([option("rented", 1000.0, way="rent"), option("own", month)]).gpu == taken


@pytest.mark.parametrize(("speed", "taken"), [(33.0, "cheap"), (33.1, "quick")])
def test_of_several_faster_ones_the_cheapest_that_is_about_as_fast_is_taken(speed: float, taken: str) -> None:
    assert answer.least([FIRST, option("cheap", 1100.0, 30.0), option("quick", 1120.0, speed)]).gpu == taken


def test_whoever_owns_a_card_that_does_it_buys_no_other() -> None:
    assert answer.least([option("owned", 110.0, bought=0), option("other", 20.0, 50.0)]).gpu == "owned"


@pytest.mark.parametrize(("speed", "second"), [(39.9, "first"), (40.1, "last")])
def test_of_two_steps_the_second_is_the_best_value_where_it_does_twice_as_much_for_the_money(
    speed: float, second: str
) -> None:
    assert answer.knee([option("first", 100.0, 10.0), option("last", 200.0, speed)]).gpu == second


def test_a_curve_bends_where_it_lies_highest_above_its_ends() -> None:
    curve = [option("a", 100.0, 10.0), option("b", 110.0, 30.0), option("c", 300.0, 35.0), option("d", 400.0, 40.0)]
    assert answer.knee(curve).gpu == "b"
    assert answer.knee([option("a", 100.0, 10.0), option("b", 100.0, 20.0)]).gpu == "b"  # no dearer


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (option("other", 1500.0, 10.0, measured=True), True),
        (option("other", 1501.0, 10.0, measured=True), False),
        (option("other", 1500.0, 9.9, measured=True), False),
        (option("other", 1500.0, 10.0), False),
    ],
)
def test_beside_an_estimate_stands_what_was_measured_to_be_no_slower_for_half_as_much_again(
    other: Option, named: bool
) -> None:
    found = answer._sure(FIRST, [FIRST, other])
    assert (found is not None) == named


def test_of_what_was_measured_the_cheapest_is_named_and_nothing_beside_a_measured_or_an_owned_one() -> None:
    others = [option(f"at-{month}", month, 10.0, measured=True) for month in (1400.0, 1200.0)]
    found = answer._sure(FIRST, others)
    assert found is not None
    assert found.gpu == "at-1200.0"
    assert answer._sure(option(measured=True), others) is None
    assert answer._sure(option(bought=0), others) is None


@pytest.mark.parametrize(("gap", "near"), [(0.25, True), (0.26, False)])
def test_what_misses_a_constraint_by_a_quarter_is_a_near_miss(
    gap: float, near: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "STANDARD", ())
    cheap = option("cheap", 900.0, missed=[("room", gap)])
    assert (answer._binds([cheap], FIRST) is not None) == near
    assert answer.well_otherwise(cheap) == near
    assert not answer.well_otherwise(option(missed=[("room", gap), ("price", gap)]))
    assert not answer.well_otherwise(option(missed=[("room", gap)], stage=1))


@pytest.mark.parametrize(("month", "told"), [(969.0, True), (970.0, False), (980.0, False)])
def test_what_binds_costs_less_than_what_is_called_the_same(month: float, told: bool) -> None:
    narrow = (SimpleNamespace(name="enjoy", gap=0.1, text="slow"),)
    found = answer._binds([option("cheap", month, narrow=narrow)], FIRST)
    assert (found is not None) == told


@pytest.mark.parametrize(
    ("paid", "gap", "told"), [(1000.0, 0.5, True), (1000.0, 0.51, False), (1001.0, 0.5, False), (1001.0, 0.25, True)]
)
def test_what_costs_no_more_than_the_dearest_choice_is_told_where_it_misses_half(
    paid: float, gap: float, told: bool
) -> None:
    short = option("short", 10.0, paid=paid, missed=[("room", gap)])
    assert (answer._why_short(short, FIRST) is not None) == told


@pytest.mark.parametrize(("usd", "expected"), [(150.0, True), (150.1, False), (None, True)])
def test_a_card_whose_last_price_is_far_above_the_dearest_choice_is_expected_by_nobody(
    usd: float | None, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "EARLY", lambda env: None)
    monkeypatch.setattr(answer, "host_in", lambda *_: None)
    monkeypatch.setattr(answer, "_failures", lambda *_: ())
    price = None if usd is None else {"usd": usd, "kind": "retail"}
    unknown = option(missed=[("price", 0.0)], price=price)
    need: Any = NEED
    assert answer._only_unknown(unknown, 100.0, need) == expected
    assert not answer._only_unknown(option(missed=[("budget", 0.0)]), 100.0, need)


@pytest.mark.parametrize(
    ("room", "rate", "does"), [(2.0, 20.0, True), (1.9, 20.0, False), (2.0, 19.9, False), (None, 20.0, False)]
)
def test_a_card_does_it_with_the_room_and_the_speed_of_the_standard(
    room: float | None, rate: float, does: bool
) -> None:
    able = SimpleNamespace(rate=SimpleNamespace(median=rate), room_gib=room, usable_gib=20.0)
    on: Any = SimpleNamespace(ability=lambda *_: able)
    need: Any = NEED
    assert answer._would_do_it(on, option(), need) == does
    for_four: Any = SimpleNamespace(**{**vars(NEED), "task": "serve"})
    assert not answer._would_do_it(on, option(), for_four)


def test_a_constant_of_these_tests_is_that_of_the_rules() -> None:
    asked = ("same_money", "step", "bargain", "sure_money", "close", "near", "far_short", "roomier")
    assert [CONSTANTS[name] for name in asked] == [0.15, 0.1, 2, 1.5, 0.25, 0.03, 0.5, 2]


@pytest.mark.parametrize(("stage", "told"), [(2, True), (1, False)])
def test_an_owned_card_is_told_that_came_as_far_as_its_speed(stage: int, told: bool) -> None:
    own = option("own", bought=0, missed=[("speed", 0.2)], stage=stage)
    assert (answer._owned([own, option("other")], []) is own) == told


def test_of_owned_cards_the_one_that_lacks_least_is_told_unless_it_is_chosen() -> None:
    slow, short = (option(name, bought=0, missed=[("speed", gap)]) for name, gap in (("slow", 0.2), ("short", 0.5)))
    assert answer._owned([short, slow], []) is slow
    chosen: Any = SimpleNamespace(option=slow)
    assert answer._owned([short, slow], [chosen]) is None
