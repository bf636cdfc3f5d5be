"""What the cards of a family have alike and where they differ, and how the family is summed up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from samples import record

from pipeline.site.pages import facts, families


def known(**cards: str | None) -> tuple[list[Any], dict[str, dict[str, Any]]]:
    """Cards of which one field says so."""
    own = [record(id=id) for id in cards]
    said = {
        id: {} if shown is None else {"memory_type": SimpleNamespace(shown=shown, field="memory_type")}
        for id, shown in cards.items()
    }
    return own, said


@pytest.mark.parametrize(
    ("cards", "shared", "columns"),
    [
        ({"a": "HBM3", "b": "HBM3"}, [2], []),
        ({"a": "HBM3", "b": None}, [1], []),  # exactly half of them
        ({"a": "HBM3", "b": None, "c": None}, [], []),
        ({"a": "HBM3", "b": "HBM2"}, [], [False]),
        ({"a": "384", "b": "1,024", "c": None}, [], [True]),
        ({"a": "384", "b": "n/a"}, [], [False]),
    ],
)
def test_what_half_of_a_family_has_alike_is_shared_and_what_differs_is_a_column(
    cards: dict[str, str | None], shared: list[int], columns: list[bool]
) -> None:
    own, said = known(**cards)
    found = families.differences(own, said)  # type: ignore[arg-type]
    assert found is not None
    assert [count for _, count in found.shared] == shared
    assert [numbers for _, numbers in found.columns] == columns
    assert [len(cells) for _, cells in found.rows] == [len(columns)] * len(own)


def test_a_family_of_one_differs_from_nothing() -> None:
    own, said = known(a="HBM3")
    assert families.differences(own, said) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ([{}], "1 card."),
        ([{"launch_date": "2022-10-12", "memory_gb": 24.0}], "1 card, launched in 2022, with 24 GB."),
        (
            [{"launch_date": "2022-10-12", "memory_gb": 24.0}, {"launch_date": "2020", "memory_gb": 8.0}, {}],
            "3 cards, launched from 2020 to 2022, with 8 to 24 GB of memory.",
        ),
        ([{"memory_gb": 24.0}, {"memory_gb": 24.0}], "2 cards, with 24 GB."),
    ],
)
def test_a_family_is_summed_up_from_its_first_year_to_its_last(cards: list[dict[str, Any]], said: str) -> None:
    assert families._summary([record(**known) for known in cards]) == said


def test_the_newest_card_of_a_family_stands_first_and_one_of_unknown_day_last() -> None:
    days = {"old": "2018", "new": "2024-05", "unknown": "", "b": "2022-01-01", "a": "2022-01-01"}
    own = [record(id=id, launch_date=day) for id, day in days.items()]
    assert [gpu.id for gpu in sorted(own, key=families._by_launch)] == ["new", "a", "b", "old", "unknown"]


@pytest.mark.parametrize(
    ("differing", "independent", "support", "mark"),
    [
        ((), 1, "alone", "Sheet (vendor), read 20 November 2026; 1 independent source"),
        ((), 2, "shared", "Sheet (vendor), read 20 November 2026; 2 independent sources"),
        ((1,), 2, "disputed", "Sheet (vendor), read 20 November 2026; 2 independent sources, 1 differ"),
    ],
)
def test_a_figure_stands_alone_is_shared_or_disputed(
    differing: tuple[int, ...], independent: int, support: str, mark: str
) -> None:
    chosen: Any = SimpleNamespace(source="Sheet", kind="vendor", retrieved="2026-11-20")
    said: Any = differing
    fact = facts.Fact("memory_gb", "a", "Memory", "", "24", "GB", chosen, independent, (), said)
    assert (fact.support, fact.mark) == (support, mark)
