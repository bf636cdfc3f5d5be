"""What a card is still worth: by its age, on a fitted line, and how that is told."""

from __future__ import annotations

import math

import pytest
from samples import price, record

from pipeline.advise.choose import resale
from pipeline.advise.choose.resale import FirstDrop, Kept
from pipeline.dataset import Dataset

DROP = FirstDrop((0.9, 0.8, 0.7), 0.6, 0.95, 30, 8)


@pytest.mark.parametrize(
    ("age", "share"), [(-0.5, 0.9), (0.0, 0.9), (0.99, 0.9), (1.0, 0.8), (2.0, 0.7), (9.0, 0.7), (None, 0.7)]
)
def test_a_new_card_loses_what_cards_of_its_age_lose(age: float | None, share: float) -> None:
    assert DROP.at(age) == share


def test_what_it_rests_on_is_told_by_year() -> None:
    assert "90 % in year 1, 80 % in year 2, 70 % later; 30 months in which 8 cards" in DROP.words
    assert "between 60 and 95 %)" in DROP.words
    few = FirstDrop((0.9,), 0.6, 0.95, 30, 7).words
    assert "by year on the market, 90 %; 30 months" in few
    assert few.endswith("few cards, so the spread is widened)")
    assert FirstDrop((0.9,), 0.6, 0.95, 0, 0).words == ""
    assert Kept(0.8, 0.5, 1.5, 0, 0, DROP).words == ""
    told = Kept(0.8, 0.5, 1.5, 1234, 8, DROP).words
    assert "1,234 monthly used prices of 8 cards" in told
    assert "between 0.50 and 1.50 times" in told


def line(a_year: float) -> Dataset:
    """A card whose used price falls by one factor a year, from its launch price on."""
    about = {"kind": "used", "gpus": None, "country": "US", "tax": 0.0}
    days = [(2021 + at // 12, at % 12 + 1) for at in range(24)]
    rows = tuple(
        price(date=f"{y}-{m:02}", usd_per_unit=1000 * a_year ** (y - 2020 + (m - 1) / 12), **about) for y, m in days
    )
    one = record(launch_price_usd=1000.0, launch_date="2020-01-01", prices=rows)
    return Dataset({one.id: one}, prices=rows)


def test_the_factor_of_a_year_is_that_of_the_line_and_one_at_most() -> None:
    found = resale.kept(line(0.8))
    assert found.a_year == pytest.approx(0.8, abs=0.005)
    assert found.low == pytest.approx(1.0, abs=0.02)
    assert found.high == pytest.approx(1.0, abs=0.02)
    assert (found.points, found.cards) == (24, 1)
    assert resale.kept(line(1.2)).a_year == 1.0


def test_what_is_too_little_for_a_line_keeps_four_fifths() -> None:
    assert resale.kept(Dataset({})).a_year == 0.8
    assert resale.first_drop(Dataset({})).by_year == (0.8,)


def test_a_first_drop_is_the_middle_of_the_months_of_each_year() -> None:
    about = {"gpus": None, "country": "US", "tax": 0.0}
    shares = {"2023-01": 0.9, "2023-02": 0.7, "2023-03": 0.6, "2024-02": 1.3}
    rows = [
        price(kind=kind, usd_per_unit=usd, date=month, **about)
        for month, share in shares.items()
        for kind, usd in (("retail", 1000.0), ("used", 1000.0 * share))
    ]
    one = record(launch_date="2023-01-01", prices=tuple(rows))
    found = resale.first_drop(Dataset({one.id: one}, prices=tuple(rows)))
    assert found.by_year == (pytest.approx((0.7 + 1.0) / 2),), "two years of one card each are one group"
    assert (found.months, found.cards) == (4, 1)
    assert found.low == pytest.approx(0.8 / 1.25)
    assert found.high == pytest.approx(min(1.0, 0.8 * 1.25))


def test_the_age_of_a_card_counts_from_its_launch() -> None:
    assert resale.age_of(record(launch_date="2023-01-01"), "2025-01-01") == pytest.approx(2.0, abs=0.01)
    assert resale.age_of(record(launch_date=None), "2025-01-01") is None
    assert math.isclose(resale.YOUNG, 0.3)
