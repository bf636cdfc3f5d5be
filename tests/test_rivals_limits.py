"""Which cards stand beside one another: of which time, class and grade, and how far apart two of them lie."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from samples import book, record

from pipeline.derive import rivals


def card(name: str, **about: Any) -> Any:
    return record(id=name.lower().replace(" ", "-"), name=name, **about)


def test_bandwidth_counts_more_than_memory_then_the_shaders_then_the_name() -> None:
    cards = [
        card("fast", memory_bandwidth_gb_s=1000.0, memory_gb=16.0),
        card("large", memory_bandwidth_gb_s=900.0, memory_gb=24.0),
        card("larger", memory_bandwidth_gb_s=1000.0, memory_gb=25.0), card("b"), card("a"),
    ]  # fmt: skip
    assert [one.name for one in sorted(cards, key=rivals._strength)] == ["a", "b", "fast", "large", "larger"]
    reach, shaders, name = rivals._strength(cards[2])
    assert (reach, shaders, name) == (5000.0, 0.0, "larger")


def test_a_generation_launched_in_its_middle_card() -> None:
    years = [card(f"c{year}", launch_date=f"{year}-01-01") for year in (2020, 2024, 2021)]
    assert rivals._launched_together(years) == pytest.approx(2021, abs=0.01)
    assert rivals._launched_together([*years, card("none")]) == pytest.approx(2021, abs=0.01)
    assert rivals._launched_together(years[:2]) == pytest.approx(2024, abs=0.01)
    assert rivals._launched_together([]) == 0.0


@pytest.mark.parametrize(
    ("launched", "before", "after"),
    [("2019-01-01", 1, 0), ("2016-09-01", 0, 0), ("2016-12-01", 1, 0), ("2019-06-01", 0, 0),
     ("2021-01-01", 0, 1), ("2020-06-01", 0, 0), ("2023-02-01", 0, 1), ("2023-06-01", 0, 0)],
)  # fmt: skip
def test_a_generation_beside_lies_between_eleven_months_and_three_years_away(
    launched: str, before: int, after: int
) -> None:
    own, other = [card("own", launch_date="2020-01-01")], [card("other", launch_date=launched)]
    found = rivals._beside([other, own], own)
    assert tuple(map(len, found)) == (before, after)


def test_an_unknown_figure_counts_as_twice_as_much_and_no_figure_for_more() -> None:
    def made(name: str, usd: float | None, gb: float | None, gb_s: float | None) -> Any:
        return card(name, launch_price_usd=usd, memory_gb=gb, memory_bandwidth_gb_s=gb_s)

    one = made("one", 1000.0, 10.0, 500.0)
    assert rivals._unlike(one, made("same", 1000.0, 10.0, 500.0)) == (0.0, "same")
    assert rivals._unlike(one, made("half", 500.0, 15.0, 500.0))[0] == pytest.approx(math.log(2) + math.log(1.5))
    assert rivals._unlike(one, made("far", 9000.0, 10.0, 500.0))[0] == pytest.approx(math.log(2))
    assert rivals._unlike(one, made("none", None, 10.0, 500.0))[0] == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    ("one", "other", "held"),
    [("2020-01-01", "2023-06-30", True), ("2023-06-30", "2020-01-01", True), ("2020-01-01", "2023-07-05", False),
     ("2020-01-01", "", False), ("", "2020-01-01", False), ("", "", False)],
)  # fmt: skip
def test_years_apart_count_both_ways_and_without_a_date_nothing_is_near(one: str, other: str, held: bool) -> None:
    cards = [card("one", launch_date=one), card("other", launch_date=other)]
    on = rivals.Rivals(book(*cards).dataset)._uses["desk"]
    assert on.of_the_time_of(cards[0])[[known.name for known in on.cards].index("other")] == held


def test_what_columns_leave_holds_every_card_that_may_be_the_most_alike() -> None:
    def made(name: str, usd: float | None, gb: float, gb_s: float) -> Any:
        return card(name, launch_price_usd=usd, memory_gb=gb, memory_bandwidth_gb_s=gb_s)

    one, known = made("one", 1000.0, 10.0, 500.0), [
        made("twice", 1000.0, 20.0, 500.0), made("half", 500.0, 10.0, 500.0), made("none", None, 10.0, 500.0),
        made("far", 9000.0, 10.0, 500.0), made("both", 1000.0, 11.0, 1000.0),
    ]  # fmt: skip
    on = rivals.Rivals(book(one, *known).dataset)._uses["desk"]
    pool = np.array([other.name != "one" for other in on.cards])
    # Twice, half, unknown and more than twice are equally far apart.
    assert {other.name for other in on.most_alike(one, pool)} == {"twice", "half", "none", "far"}
    assert on.most_alike(one, pool & False) == []


def test_money_is_the_same_up_to_a_fifth_more() -> None:
    assert rivals._times(1200, 1000) == rivals._times(1000, 1200) == 1.2


@pytest.mark.parametrize(
    ("name", "line", "number", "grade"),
    [
        ("NVIDIA GeForce RTX 4090", "GeForce RTX 40", "90", ""),
        ("NVIDIA GeForce RTX 4070 Ti Super", "GeForce RTX 40", "70", "Ti Super"),
        ("NVIDIA GeForce RTX 4080 Super", "GeForce RTX 40", "80", "Super"),
        ("NVIDIA GeForce RTX 3060 Ti", "GeForce RTX 30", "60", "Ti"),
        ("AMD Radeon RX 7900 XTX", "Radeon RX 7000", "9", "XTX"),
        ("AMD Radeon RX 7900 XT", "Radeon RX 7000", "9", "XT"),
        ("AMD Radeon RX 7900 GRE", "Radeon RX 7000", "9", "GRE"),
        ("Intel Something", "Arc", "", ""),
    ],
)
def test_a_card_has_the_class_and_grade_of_its_name(name: str, line: str, number: str, grade: str) -> None:
    one = card(name, line=line)
    assert (rivals._class_number(one), rivals._grade(one)) == (number, grade)


@pytest.mark.parametrize("name", ["RTX 4090 D", "H800 SXM5", "RTX 4090 Laptop GPU", "RTX PRO 6000 Max-Q", "MI308X"])
def test_variants_for_one_country_and_laptops_are_special(name: str) -> None:
    assert rivals._is_special(card(f"Maker {name}"))
    assert not rivals._is_special(card("Maker RTX 4090"))
