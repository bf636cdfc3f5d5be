"""Which cards the page of prices lists, in which order, and whose price it calls more than at launch."""

from __future__ import annotations

from typing import Any

import pytest
from samples import book, price, record

from pipeline.site.pages import prices

TODAY = "2026-11-20"


def card(id: str, launch: float | None, *now: float) -> Any:
    """A card with a launch price that is sold used for so much."""
    about = {"kind": "used", "usd_per_gpu_hour": None, "usd_per_machine_hour": None, "gpus": None}
    market = {"country": "US", "tax": 0.0, "basis": "asked", "date": "2026-11-01"}
    sold = tuple(price(gpu=id, usd_per_unit=usd, **about, **market) for usd in now)
    return record(id=id, name=f"NVIDIA {id}", launch_price_usd=launch, prices=sold)


def lines(*cards: Any) -> list[Any]:
    return prices.lines(book(*cards, today=TODAY))


def test_the_dearest_against_its_launch_price_comes_first_and_what_nobody_sells_is_left_out() -> None:
    cards = [card("b-half", 1000, 500), card("a-half", 200, 100), card("twice", 100, 200), card("gone", 100)]
    found = lines(card("unknown", None, 900), *cards)
    assert [(line.gpu.id, line.against_launch) for line in found] == [
        ("twice", 2.0), ("a-half", 0.5), ("b-half", 0.5), ("unknown", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("now", "dearer", "most"),
    [
        ((1000.0, 900.0), "0 of 2 cards", "one, 1×"),  # what it cost at launch is not more
        ((1001.0, 1000.0), "1 of 2 cards", "one, 1×"),
        ((1200.0, 1500.0), "2 of 2 cards", "two, 1.5×"),
        ((1500.0, 1500.0), "2 of 2 cards", "two, 1.5×"),
    ],
)
def test_a_card_costs_more_than_at_launch_from_the_first_dollar_on(
    now: tuple[float, float], dearer: str, most: str
) -> None:
    told = prices.finding(lines(card("one", 1000, now[0]), card("two", 1000, now[1])))
    assert told.startswith(f"{dearer} with a price of the last half-year in the United States cost more than at launch")
    assert told.endswith(f"; the most: {most} its launch price.")


def test_cards_without_a_launch_price_are_counted_and_no_more() -> None:
    told = "1 card with a price of now; none with a launch price beside it."
    assert prices.finding(lines(card("unknown", None, 900))) == told
