"""A price ages by its kind, counted from the dataset's own today."""

from __future__ import annotations

import pytest

from pipeline.schema import PRICE_KINDS
from pipeline.staleness import MEANING, POLICY, STATES, state

TODAY = "2026-11-21"


@pytest.mark.parametrize(
    ("kind", "day", "expected"),
    [
        ("on_demand", "2026-10-03", "fresh"),
        ("on_demand", "2026-08-22", "ageing"),
        ("on_demand", "2026-03-01", "stale"),
        ("on_demand", "2025-11-20", "withdrawn"),
        ("spot", "2026-10-03", "ageing"),
        ("retail", "2025-07-23", "stale"),
        ("used", "2023-11", "withdrawn"),
        ("used", "2026-10", "fresh"),
        ("used", "2026", "withdrawn"),
        ("launch", "2016-05-27", "fresh"),
        ("launch", "", "fresh"),
    ],
)
def test_a_price_ages_by_its_kind(kind: str, day: str, expected: str) -> None:
    assert state(kind, day, TODAY) == expected


def test_every_kind_of_price_has_a_policy_and_every_state_a_meaning() -> None:
    assert set(POLICY) == set(PRICE_KINDS)
    assert set(MEANING) == set(STATES)


def test_limits_grow() -> None:
    for limits in POLICY.values():
        if limits:
            assert 0 < limits.fresh < limits.ageing < limits.stale
