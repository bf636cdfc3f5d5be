"""A price ages by its kind, counted from the dataset's own today."""

from __future__ import annotations

import pytest

from pipeline import metrics
from pipeline.choose.market import to_rent
from pipeline.dataset import GpuRecord
from pipeline.schema import PRICE_KINDS
from pipeline.staleness import COUNTED, MEANING, POLICY, STATES, counted, state

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


def seen(kind: str, *days: str) -> list[dict[str, str]]:
    return [{"kind": kind, "date": day} for day in days]


FRESH, AGEING, STALE, WITHDRAWN = "2026-11-01", "2026-07-01", "2026-03-01", "2025-01-01"  # of on-demand offers


@pytest.mark.parametrize(
    ("days", "counted_days"),
    [
        ((FRESH, AGEING, STALE, WITHDRAWN), (FRESH, AGEING)),
        ((AGEING, STALE), (AGEING,)),
        ((STALE, WITHDRAWN), (STALE,)),
        ((WITHDRAWN,), ()),
        ((), ()),
    ],
)
def test_a_median_counts_fresh_and_ageing_prices_and_stale_ones_only_where_nothing_is_newer(
    days: tuple[str, ...], counted_days: tuple[str, ...]
) -> None:
    assert tuple(row["date"] for row in counted(seen("on_demand", *days), TODAY)) == counted_days


def test_every_state_but_withdrawn_is_counted_somewhere() -> None:
    assert {name for group in COUNTED for name in group} == set(STATES) - {"withdrawn"}


def offers(*rows: tuple[str, str, str]) -> GpuRecord:
    """A card with on-demand offers: provider, day, dollars an hour."""
    empty = dict.fromkeys(("flag", "offer", "gpus"), "") | {"source": "a-list", "kind": "on_demand"}
    prices = tuple({**empty, "provider": who, "date": day, "usd_per_gpu_hour": usd} for who, day, usd in rows)
    return GpuRecord({"id": "x-y", "name": "X", "form_factor": ""}, {}, {}, (), prices)


@pytest.mark.parametrize(
    ("rows", "usd", "state_of_newest"),
    [
        ((("A", FRESH, "2"), ("B", AGEING, "4"), ("C", STALE, "90"), ("D", WITHDRAWN, "90")), 3, "fresh"),
        ((("A", FRESH, "2"), ("A", AGEING, "90")), 2, "fresh"),
        ((("B", AGEING, "4"), ("C", STALE, "90")), 4, "ageing"),
        ((("C", STALE, "9"), ("D", WITHDRAWN, "90")), 9, "stale"),
    ],
)
def test_the_price_to_rent_follows_the_table_of_ages_on_every_page_and_in_every_answer(
    rows: tuple[tuple[str, str, str], ...], usd: float, state_of_newest: str
) -> None:
    rent, quote = metrics.rent(offers(*rows), TODAY), to_rent(offers(*rows), TODAY)
    assert rent is not None and quote is not None
    assert (rent.median_usd, rent.state, quote.usd) == (usd, state_of_newest, usd)


def test_a_card_of_which_only_withdrawn_offers_are_known_has_no_price_to_rent() -> None:
    gpu = offers(("D", WITHDRAWN, "90"))
    assert metrics.rent(gpu, TODAY) is None and to_rent(gpu, TODAY) is None
