"""A price ages by its kind, counted from the dataset's own today."""

from __future__ import annotations

import pytest
from samples import book, price, record

from pipeline.advise.choose.market import for_count, to_rent
from pipeline.core.schema import PRICE_KINDS, Price
from pipeline.dataset import GpuRecord
from pipeline.derive.prices.staleness import MEANING, POLICY, STATES, state

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


def seen(kind: str, *days: str) -> list[Price]:
    return [price(kind=kind, date=day) for day in days]


FRESH, AGEING, STALE, WITHDRAWN = "2026-11-01", "2026-07-01", "2026-03-01", "2025-01-01"  # of on-demand offers


def offers(*rows: tuple[str, str, float]) -> GpuRecord:
    """A card with on-demand offers: provider, day, dollars an hour."""
    return record(prices=tuple(price(provider=who, date=day, usd_per_gpu_hour=usd) for who, day, usd in rows))


@pytest.mark.parametrize(
    ("clouds", "hosts", "how", "expected"),
    [
        ((2.0, 2.2), (1.0, 1.1), "on_demand", (1.0, "marketplace", 4)),  # work that can be repeated: the cheaper
        ((2.0, 2.2), (1.0, 1.1), "cloud", (2.0, "on_demand", 2)),
        ((0.9, 1.0), (1.0, 1.1), "on_demand", (0.9, "on_demand", 4)),
        ((1.0, 1.4), (1.0, 1.1), "on_demand", (1.0, "on_demand", 4)),  # of two that ask the same the cloud
        ((2.0, 2.2), (1.0, 2.1), "on_demand", (2.0, "on_demand", 4)),  # of two far apart no card is the cheaper
        ((2.0, 4.1), (), "on_demand", (2.0, "on_demand", 2)),
        ((2.0, 2.2), (1.0, 1.1), "spot", (1.0, "marketplace", 4)),  # no spot machine is known
        ((), (1.0, 1.1), "cloud", None),
        ((2.0, 2.2), (1.0, 1.1), "reserved", None),
    ],
)
def test_a_rent_is_ranked_at_the_cheaper_house_that_the_work_can_bear(
    clouds: tuple[float, ...], hosts: tuple[float, ...], how: str, expected: tuple[float, str, int] | None
) -> None:
    """The H200 NVL, at a marketplace's price, was picked over the H200 SXM at a cloud's, which hosts let for less."""
    rows = [(who, FRESH, usd) for who, usd in zip(("Lambda", "Crusoe"), clouds, strict=False)]
    rows += [(who, FRESH, usd) for who, usd in zip(("Vast.ai", "Salad"), hosts, strict=False)]
    gpu = offers(*rows)
    quote = for_count(to_rent(book(gpu, today=TODAY), gpu, how), 1)
    assert (quote and (quote.usd, quote.kind, quote.sellers)) == expected


@pytest.mark.parametrize(
    ("rows", "usd", "state_of_newest"),
    [
        ((("A", FRESH, 2.0), ("B", AGEING, 4.0), ("C", STALE, 90.0), ("D", WITHDRAWN, 90.0)), 2, "fresh"),
        ((("A", FRESH, 2.0), ("A", AGEING, 90.0)), 2, "fresh"),
        ((("B", AGEING, 4.0), ("C", STALE, 90.0)), 4, "ageing"),
    ],
)
def test_the_price_to_rent_follows_the_table_of_ages_on_every_page_and_in_every_answer(
    rows: tuple[tuple[str, str, float], ...], usd: float, state_of_newest: str
) -> None:
    prices = book(offers(*rows), today=TODAY)
    rent, (quote,) = prices.to_rent(offers().id), to_rent(prices, offers(*rows))
    assert (rent.value, rent.age, quote.usd) == (usd, state_of_newest, usd)


@pytest.mark.parametrize("day", [STALE, WITHDRAWN])
def test_a_card_of_which_only_old_offers_are_known_has_no_price_to_rent(day: str) -> None:
    gpu = offers(("D", day, 90.0))
    prices = book(gpu, today=TODAY)
    assert prices.to_rent(gpu.id).value is None and not to_rent(prices, gpu)
