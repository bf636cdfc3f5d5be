"""Which price of a cloud's machine counts, how it is shared among its boards, and what nobody asks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from samples import price

from pipeline.derive import cloud
from pipeline.site.pages import cloud as pages

MACHINE: Any = SimpleNamespace(name="p5.48xlarge", gpus=8)
TODAY = "2026-11-20"


def family(*prices: Any, machines: Any = (MACHINE,)) -> Any:
    return SimpleNamespace(id="aws-p5", provider="AWS", machines=machines, series=(), prices=prices)


def row(usd: float | None = 80.0, date: str = "2026-11-01", **about: Any) -> Any:
    usual = {"provider": "AWS", "kind": "on_demand", "offer": "AWS / p5.48xlarge / 8x H100", "gpus": 8.0}
    return price(usd_per_machine_hour=usd, usd_per_gpu_hour=usd and usd / 8, date=date, **usual | about)


@pytest.mark.parametrize(
    ("usd", "told"), [(0.08, False), (0.079, True), (800.0, False), (800.1, True)]
)  # of eight boards: a cent to a hundred dollars each
def test_nobody_asks_less_than_a_cent_or_more_than_a_hundred_dollars_a_board(usd: float, told: bool) -> None:
    one = SimpleNamespace(machine="p5.48xlarge", usd_per_hour=usd)
    assert bool(list(cloud._of_machines(("families", 0), family(one)))) is told


def test_a_machine_stands_once_and_a_price_names_one() -> None:
    series = (SimpleNamespace(machines=(MACHINE, MACHINE)),)
    twice = family(machines=(MACHINE, MACHINE))
    twice.series = series
    assert len(list(cloud._of_machines(("families", 0), twice))) == 2
    lost = SimpleNamespace(machine="p5.4xlarge", usd_per_hour=10.0)
    (problem,) = cloud._of_machines(("families", 0), family(lost))
    assert "'p5.4xlarge', which is no machine of the family" in problem[1]


@pytest.mark.parametrize(
    ("about", "counts"),
    [
        ({}, True),
        ({"offer": "p5.48xlarge"}, True),
        ({"offer": "AWS / P5.48XLARGE"}, True),
        ({"offer": "AWS / p5.4xlarge / 1x H100"}, False),
        ({"provider": "Azure"}, False),
        ({"kind": "reserved"}, False),
        ({"usd": None}, False),
        ({"flag": "a slip"}, False),
        ({"flag": f"{cloud.HISTORY}: of 2019"}, True),
    ],
)
def test_a_row_counts_that_names_the_machine_of_its_provider_and_is_sound(about: dict[str, Any], counts: bool) -> None:
    found = cloud._rows_by_machine(family(), [row(**about)])
    assert bool(found["p5.48xlarge", "on_demand"]) is counts


def test_the_newest_day_counts_from_its_lowest_price_to_its_highest() -> None:
    rows = [row(80.0), row(96.0), row(88.0, locator="a"), row(8.0, "2026-10-31"), row(160.0, "2026-10-31")]
    found = cloud._seen(MACHINE, rows, TODAY)
    assert (found.low_usd_per_gpu, found.high_usd_per_gpu, found.day, found.state) == (
        10.0,
        12.0,
        "2026-11-01",
        "fresh",
    )
    old = cloud._seen(MACHINE, [row(flag=f"{cloud.HISTORY}: of 2019")], TODAY)
    assert old.state == cloud.HISTORY


def line(state: str, low: float = 1.0, high: float = 1.0, day: str = "2026-11-01") -> Any:
    cost = SimpleNamespace(state=state, low_usd_per_gpu=low, high_usd_per_gpu=high, day=day)
    return SimpleNamespace(
        on_demand=cost, machine=SimpleNamespace(gpus=8), short="H100", gpu=SimpleNamespace(name="H100")
    )


@pytest.mark.parametrize(
    ("states", "word"),
    [
        (["fresh", "ageing"], ""), (["fresh", "stale"], "old"), (["stale", "withdrawn"], "history"),
        (["history"], "history"), ([], ""),
    ],
)  # fmt: skip
def test_a_family_is_as_old_as_the_oldest_of_its_prices(states: list[str], word: str) -> None:
    lines = {str(at): line(state) for at, state in enumerate(states)}
    assert pages._old(pages._seen(lines)) == word


def test_the_prices_of_a_family_are_told_from_the_lowest_to_the_highest_and_from_the_first_day_to_the_last() -> None:
    lines = {"a": line("fresh", 2.0, 3.0), "b": line("fresh", 1.0, 2.0, "2026-10-02"), "c": line("fresh", 1.5, 4.0)}
    lines["d"] = SimpleNamespace(on_demand=None, machine=SimpleNamespace(gpus=16), short="H200")
    seen = pages._seen(lines)
    assert pages._amount(seen) == "$1.00 to $4.00"
    assert pages._when(seen) == "2 October 2026 to 1 November 2026"
    assert pages._price_words(lines).startswith("An hour of one GPU costs $1.00 to $4.00 on demand (3 machines, seen ")
    old = {"a": line("stale")}
    assert pages._price_words(old) == "An hour of one GPU cost $1.00 on demand (1 machine, seen 1 November 2026)."
    assert pages._price_words({"d": lines["d"]}) == "No price of it was read yet."
    glance = pages._glance(family(), lines)
    assert (glance["most"], glance["gpus"]) == ("16", "H100, H200")
