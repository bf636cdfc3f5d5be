"""What a used card keeps of its price, and images a second of a card that nobody measured: how many must be known."""

from __future__ import annotations

import math
from statistics import linear_regression
from types import SimpleNamespace
from typing import Any

import pytest
from samples import committed, price, record

from pipeline.advise.choose import cnn, resale
from pipeline.dataset import Dataset
from pipeline.derive.prices.history import monthly


def used(months: int, launch: str = "2022-01-01") -> Dataset:
    about = {"kind": "used", "usd_per_unit": 500.0, "gpus": None, "country": "US", "tax": 0.0}
    rows = tuple(price(date=f"{2023 + at // 12}-{at % 12 + 1:02}", **about) for at in range(months))
    one = record(launch_price_usd=1000.0, launch_date=launch, prices=rows)
    return Dataset({one.id: one}, prices=rows)


@pytest.mark.parametrize(("months", "known"), [(20, 20), (19, 0)])
def test_twenty_used_prices_make_a_line(months: int, known: int) -> None:
    assert resale.kept(used(months)).points == known


def test_the_first_months_of_a_card_say_nothing_of_its_age() -> None:
    assert resale.kept(used(24, "2022-12-01")).points == 21, "in its first three months it was younger than 0.3 years"


def both(new: float, used: float, month: str = "2023-01", launch: str = "2022-01-01") -> int:
    """For how many months the used price is held against the new one."""
    about = {"gpus": None, "country": "US", "tax": 0.0, "date": month}
    rows = (price(kind="retail", usd_per_unit=new, **about), price(kind="used", usd_per_unit=used, **about))
    return len(list(resale._both(record(launch_date=launch, prices=rows))))


def test_a_new_price_counts_up_to_the_limit_of_old_stock_from_the_launch_on() -> None:
    assert (both(1750, 1000), both(1751, 1000)) == (1, 0)
    assert (both(1000, 900, "2023-01", "2023-01"), both(1000, 900, "2022-12", "2023-01")) == (1, 0)


def test_a_year_of_fewer_than_eight_cards_joins_the_one_before_or_behind() -> None:
    eight, seven = [0.5] * 8, [0.6] * 7
    assert resale._grouped({0: eight, 1: eight}) == [eight, eight]
    assert resale._grouped({0: eight, 1: seven}) == [[*eight, *seven]]
    assert resale._grouped({0: seven, 1: eight}) == [[*seven, *eight]]


def test_of_fewer_than_eight_cards_all_lie_within_and_a_quarter_around() -> None:
    assert resale._ends([0.4, 0.5]) == (0.4 / 1.25, 0.5 * 1.25)
    assert resale._ends([0.4, 0.9]) == (0.4 / 1.25, 1.0)
    low, high = resale._ends([0.1 * at for at in range(1, 9)])
    assert low > 0.1 / 1.25
    assert high < 0.8 * 1.25


@pytest.mark.parametrize(("count", "share"), [(1, 1.0), (2, 0.9), (3, 0.8), (4, 0.8), (5, 1.0)])
def test_between_measured_counts_that_of_the_next_larger_holds(count: int, share: float) -> None:
    known: Any = SimpleNamespace(scaling={2: 0.9, 4: 0.8})
    assert cnn.scaling(count, known) == share


def test_a_card_is_never_slower_than_a_measured_one_that_it_matches_nor_faster_than_one_that_matches_it() -> None:
    rates = {(1000.0, 50.0): 100.0, (500.0, 25.0): 99.0, (2000.0, 80.0): 101.0}
    kin = ("NVIDIA", "Ada")
    peers = [cnn.Peer(figures, kin, math.log(rate)) for figures, rate in rates.items()]
    assert math.exp(cnn._log_rate((1000.0, 50.0), kin, peers, False)) == pytest.approx(100.0)


def test_our_history_cannot_tell_the_age_of_a_card_from_the_year_in_which_it_was_seen() -> None:
    """So one share a year holds for all ages; once old cards fall too, a share by age may be worth its name."""
    seen = [
        (age, math.log(month.value / gpu.launch_price_usd))
        for gpu in committed().gpus.values()
        if gpu.launch_price_usd and gpu.launch_date
        for month in monthly(gpu.prices, "used", "us")
        if (age := resale.age_of(gpu, month.month)) is not None
    ]

    def a_year(low: float, high: float) -> float:
        ages, logs = zip(*[point for point in seen if low < point[0] <= high], strict=True)
        return math.exp(linear_regression(ages, logs).slope)

    assert a_year(2, 4) < a_year(resale.YOUNG, 2) < 1 < a_year(4, 6)
