"""Which cards are new, on the first day and the last, and which corrected figure was furthest off."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from samples import claim, price, record

from pipeline.core.schema import Claim, DecidedClaim
from pipeline.dataset import Dataset
from pipeline.derive import news

NEWEST = (price(retrieved="2026-11-20"),)


def new(*cards: Any) -> list[str]:
    return [gpu.id for gpu in news.new_cards(Dataset({card.id: card for card in cards}, prices=NEWEST))]


@pytest.mark.parametrize(
    ("launched", "is_new"),
    [
        ("2026-11-20", True),  # today
        ("2026-11-21", False),  # announced for a day to come
        ("2025-11-20", True),  # a year to the day
        ("2025-11-19", False),
        ("2025-12", True),
        ("2025-11", False),  # of a month its first day counts
        ("2026", False),
        ("", False),
    ],
)
def test_a_card_is_new_for_a_year_from_its_launch_on(launched: str, is_new: bool) -> None:
    assert bool(new(record(launch_date=launched))) is is_new
    assert not new(record(launch_date=launched, status="announced"))


def test_the_newest_card_comes_first_and_two_of_one_day_by_id() -> None:
    days = {"d": "2026-10-01", "a": "2026-01-05", "c": "2026-11", "b": "2026-11-01"}
    assert new(*(record(id=id, launch_date=day) for id, day in days.items())) == ["b", "c", "d", "a"]


def decided(field: str, value: object, verdict: Any, **about: str) -> DecidedClaim:
    said = claim(field, value, **about)
    cells = {one.name: getattr(said, one.name) for one in fields(Claim)}
    chosen = verdict == "chosen"
    sources = 1 if chosen else None
    return DecidedClaim(
        **cells,
        chosen=chosen,
        verdict=verdict,
        reason=f"{verdict}: a slip",
        independent_sources=sources,
        source_title="t",
    )


def test_what_was_furthest_off_is_told_first_and_only_what_was_withdrawn() -> None:
    def card(id: str, *wrong: tuple[str, str]) -> Any:
        rows = [decided("memory_gb", "24 GB", "chosen"), decided("memory_gb", "25 GB", "differs", source="other")]
        rows += [decided("memory_gb", value, "withdrawn", source=source) for source, value in wrong]
        return record(id=id, claims={"memory_gb": tuple(rows)})

    cards = [card("b", ("s", "48 GB")), card("a", ("z", "48 GB"), ("s", "12 GB"), ("t", "96 GB"))]
    found = news.corrected(Dataset({one.id: one for one in cards}))
    assert [(one.gpu.id, one.source, one.stated, one.gap) for one in found] == [
        ("a", "t", "96", 4.0), ("a", "s", "12", 2.0), ("a", "z", "48", 2.0), ("b", "s", "48", 2.0),
    ]  # fmt: skip
    assert {one.chosen for one in found} == {"24"}
