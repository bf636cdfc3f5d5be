"""The curve, the choices and what is told beside them, of options that are nothing but their figures."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
from test_answer import FIRST, option

from pipeline.advise.choose import answer
from pipeline.advise.choose.answer import Option


def names(options: Any) -> list[str]:
    return [one.gpu for one in options]


def test_options_stand_by_cost_then_the_faster_then_by_name() -> None:
    rows = [option("b", 100.0, 10.0), option("a", 100.0, 10.0), option("fast", 100.0, 20.0), option("cheap", 90.0, 1.0)]
    assert names(sorted(rows, key=answer.by_cost)) == ["cheap", "fast", "a", "b"]
    two = [option("a", 100.0, 10.0, count=2), option("a", 100.0, 10.0)]
    assert [one.count for one in sorted(two, key=answer.by_cost)] == [1, 2]


def narrow(*weights: int, name: str = "enjoy", gap: float = 0.1) -> Any:
    return tuple(SimpleNamespace(name=name, gap=gap, text=name, check=SimpleNamespace(weight=each)) for each in weights)


def test_choices_are_made_of_what_falls_least_short_and_of_tight_cards_that_are_owned() -> None:
    rows = [option("two", narrow=narrow(2)), option("one", narrow=narrow(1)), option("far", narrow=narrow(1, gap=1.0))]
    rows.append(option("ones", narrow=narrow(1, 1, gap=0.09)))
    assert names(answer.pool_of(rows)) == ["one", "ones"], "within a tenth of the least, however many points it misses"
    kept = option("owned", bought=0, narrow=narrow(2, name=answer.KEPT))
    slow = option("slow", bought=0, narrow=narrow(2))
    assert names(answer.pool_of([*rows, kept, slow])) == ["one", "ones", "owned"]
    assert names(answer.pool_of([*rows, kept, option("well")])) == ["owned", "well"]
    assert answer.pool_of([]) == []


@pytest.mark.parametrize(("month", "within"), [(1.0, True), (1.001, False)])
def test_without_a_budget_a_few_times_the_least_is_within_reach(month: float, within: bool) -> None:
    most = max(4 * 1000.0, answer.same_until(FIRST))
    rows = [FIRST, option("dear", most * month)]
    free: Any = SimpleNamespace(budget_usd=None, budget_per_month_usd=None)
    assert (len(answer.within(rows, free)) == 2) is within
    for limited in ({"budget_usd": 1}, {"budget_per_month_usd": 1}):
        need: Any = SimpleNamespace(**{"budget_usd": None, "budget_per_month_usd": None} | limited)
        assert len(answer.within(rows, need)) == 2, "a budget is a constraint, and decided before"
    assert answer.within([], free) == []


def test_a_curve_goes_on_where_a_step_is_clearly_faster() -> None:
    rows = [option("a", 100.0, 10.0), option("b", 101.0, 10.9), option("c", 102.0, 11.1), option("d", 103.0, 12.2)]
    assert names(answer.frontier(rows)) == ["a", "c"]
    assert names(answer.frontier([*rows, option("e", 104.0, 12.3)])) == ["a", "c", "e"]
    assert names(answer.frontier(rows, rows[1])) == ["b", "d"], "from the option that it starts with"
    assert answer.frontier([]) == []


def test_of_several_counts_of_a_card_and_way_the_first_is_kept() -> None:
    rows = [option("a", count=2), option("b"), option("a", count=1), option("a", way="rent")]
    kept = [(one.gpu, one.count, one.way) for one in answer.one_of_each(rows)]
    assert kept == [("a", 2, "buy"), ("b", 1, "buy"), ("a", 1, "rent")]


def test_of_what_meets_the_need_in_no_count_the_one_that_came_furthest_is_told() -> None:
    rows = [
        option("a", missed=[("speed", 0.5)], stage=2), option("a", missed=[("speed", 0.2)], stage=2, count=2),
        option("b", missed=[("room", 0.1)], stage=1), option("c", missed=[("room", 0.1), ("speed", 0.1)], stage=2),
        option("d"), option("d", missed=[("room", 0.1)], count=2),
    ]  # fmt: skip
    found = answer._lost(rows)
    assert [(one.gpu, one.count) for one in found] == [("a", 2), ("c", 1), ("b", 1)]


def test_the_best_known_card_stands_first_then_the_one_with_more_memory() -> None:
    def known(gpu: str, sellers: int, memory: float | None) -> Option:
        return option(gpu, card={"vendor": "NVIDIA", "known": sellers, "memory_gb": memory})

    rows = [
        known("b", 1, 24.0),
        known("a", 1, 24.0),
        known("big", 1, 48.0),
        known("known", 9, 8.0),
        known("unknown", 1, None),
    ]
    assert names(sorted(rows, key=answer._repute)) == ["known", "big", "a", "b", "unknown"]


def limited(way: str = "buy", **need: Any) -> float:
    about = {"budget_usd": None, "budget_per_month_usd": None, "horizon_months": 24} | need
    one = option(month=100.0, way=way, need=about, slope=0.5, price={"usd": 80.0}, bought=2, host_price=200.0)
    return answer._affordable(one)


@pytest.mark.parametrize(
    ("way", "need", "most"),
    [
        ("buy", {}, math.inf),
        ("buy", {"budget_usd": 1000}, 400.0),  # two cards, and the machine around them
        ("buy", {"budget_per_month_usd": 150}, 180.0),
        ("buy", {"budget_usd": 500, "budget_per_month_usd": 150}, 150.0),
        ("rent", {"budget_usd": 2400}, 80.0),
        ("rent", {"budget_usd": 3600}, 180.0),
        ("rent", {"budget_usd": 3600, "budget_per_month_usd": 120}, 120.0),
    ],
)
def test_a_budget_ends_where_the_first_of_its_limits_does(way: str, need: dict[str, int], most: float) -> None:
    assert limited(way, **need) == most


def test_a_price_turns_a_choice_where_another_option_is_taken_instead() -> None:
    about: Any = {"budget_usd": None, "budget_per_month_usd": None, "horizon_months": 24}
    first = option("first", 100.0, 10.0, price={"usd": 80.0}, slope=0.5, need=about)
    other = option("other", 130.0, 10.0)

    def turns(first: Any, pool: list[Any], judged: list[Any] | None = None) -> Any:
        return answer._turns(first, answer.Candidates(judged or pool, pool, pool, pool, {}))

    turned = turns(first, [first, other])
    assert turned is not None
    at, taken, by_budget = turned
    assert (at, taken.gpu, by_budget) == (80.0 + 30.0 / 0.5, "other", False)
    limited = option("first", 100.0, 10.0, price={"usd": 80.0}, slope=0.5, need=about | {"budget_per_month_usd": 110})
    assert turns(limited, [limited, other]) == (100.0, other, True)
    assert turns(first, [first]) is None
    assert turns(first, [first], [first, other]) is None  # no price is too much where there is no budget
    assert turns(limited, [limited], [limited, other]) == (100.0, other, True)  # what falls short by more stands in
    assert turns(option(price=None, slope=0.5), [other]) is None
    assert turns(option(slope=0.0), [other]) is None


@pytest.mark.parametrize(("values", "mean"), [([1.0, 3.0], 2.0), ([1.0, None], None), ([5.0], 5.0)])
def test_a_mean_is_of_values_that_are_all_known(values: list[float | None], mean: float | None) -> None:
    assert answer._mean(values) == mean


def test_at_most_three_others_are_named_that_offer_something_over_each_choice_and_each_other() -> None:
    others = [option(f"o{at}", 100.0 + at, 20.0 + 10 * at) for at in range(6)]
    assert names(answer._worth_naming(others, [FIRST])) == ["o0", "o1", "o2"]
    worse = option("worse", 2000.0, 5.0)
    assert names(answer._worth_naming([worse], [FIRST])) == []


def test_cards_of_several_kinds_work_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def able(usable: float | None, speed: float | None, needed: float = 20.0) -> Any:
        rate = speed and SimpleNamespace(median=speed, p10=speed / 2, p90=speed * 2)
        return SimpleNamespace(usable_gib=usable, rate=rate, needed_gib=needed)

    abilities = {"big": able(30.0, 10.0, 21.0), "small": able(10.0, 5.0, 19.0), "unknown": able(None, None)}
    level = SimpleNamespace(level="supported", __dataclass_fields__={"level": None})
    usual = {"vendor": "NVIDIA", "ended": "", "slots": 2.0}
    cards = {
        "big": usual | {"id": "big", "label": "Big", "memory_gb": 32.0, "power_w": 400.0, "load_w": 400.0},
        "small": usual
        | {"id": "small", "label": "Small", "memory_gb": 12.0, "power_w": 200.0, "load_w": None, "vendor": "AMD"},
        "unknown": usual | {"id": "unknown", "label": "U", "memory_gb": 8.0, "power_w": None, "load_w": None},
    }
    monkeypatch.setattr(answer.support, "key", lambda *_: "chat")
    monkeypatch.setattr(answer, "_failures", lambda *_: ())
    made: list[Any] = []
    monkeypatch.setattr(
        answer, "_judged", lambda env, gpu, count, way, need, ability: made.append((env, ability())) or env
    )
    on: Any = SimpleNamespace(
        facts=cards, ability=lambda gpu, count, need: abilities[gpu], supports={gpu: {"chat": level} for gpu in cards}
    )

    def mixed(engine: str = "llama.cpp", **own: int) -> list[Any]:
        made.clear()
        need: Any = SimpleNamespace(own=own, engine=engine, task="chat", quant="q4_k_m")
        return list(answer._mixed(on, need, {}))

    assert mixed("vllm", big=1, small=1) == []
    assert mixed(big=1, unknown=1) == [], "of one nothing is known"
    mixed(big=1, small=2)
    ((env, ability),) = made
    assert (env["count"], env["name"]) == (3, "1 × Big and 2 × Small")
    assert (ability.usable_gib, ability.needed_gib) == (50.0, 21.0)
    assert ability.rate.median == pytest.approx(1 / (30 / 50 / 10 + 20 / 50 / 5))
    assert (ability.rate.p10, ability.rate.p90) == (
        pytest.approx(ability.rate.median / 2),
        pytest.approx(ability.rate.median * 2),
    )
    card = env["card"]
    assert (card["id"], card["vendor"], card["memory_gb"], card["slots"]) == ("big", "several makers", 12.0, 2.0)
    assert (card["power_w"], card["load_w"]) == (pytest.approx(800 / 3), None)
