"""What follows from the figures of cards: bands, neighbours, records, and the generations beside one."""

from __future__ import annotations

import pytest
from samples import book, price, record

from pipeline.core.schema import parse_peak
from pipeline.derive import metrics, news, rivals
from pipeline.derive.metrics import Band


def test_three_providers_have_a_band_and_two_none() -> None:
    assert metrics.band([1.0, 2.0]) is None
    found = metrics.band([1.0, 2.0, 3.0])
    assert found is not None
    assert (round(found.low, 6), round(found.high, 6)) == (1.2, 2.8)


@pytest.mark.parametrize(
    ("one", "two", "unclear"),
    [
        (Band(0, 10), Band(5, 20), False),  # half of the narrower one
        (Band(0, 10), Band(4.9, 20), True),
        (Band(0, 10), Band(3, 4), True),  # one lies within the other
        (Band(0, 10), Band(10, 10), True),  # a point on the edge
        (Band(0, 10), Band(10.1, 10.1), False),
        (Band(0, 10), Band(11, 20), False),
    ],
)
def test_two_bands_are_unclear_where_more_than_half_of_the_narrower_one_is_shared(
    one: Band, two: Band, unclear: bool
) -> None:
    assert one.unclear(two) == unclear
    assert two.unclear(one) == unclear


@pytest.mark.parametrize(
    ("records", "years"),
    [
        ([("2020-01-01", 100.0), ("2022-01-01", 400.0)], 1.0),
        ([("2020-01-01", 100.0)], None),
        ([("2020-01-01", 100.0), ("2022-01-01", 100.0)], None),
        ([("2020-01-01", 100.0), ("2020-01-01", 400.0)], None),
    ],
)
def test_a_record_doubles_where_it_grew_over_time(records: list[tuple[str, float]], years: float | None) -> None:
    assert metrics.doubling_years(records) == years


def test_of_two_figures_of_a_day_the_higher_is_the_record_and_later_ones_must_beat_it() -> None:
    points = [("2021", 300.0), ("2020", 100.0), ("2020", 200.0), ("2022", 300.0), ("2023", 301.0)]
    assert metrics.records_over_time(points) == [("2020", 200.0), ("2021", 300.0), ("2023", 301.0)]


def test_cards_of_one_use_are_held_against_each_other_where_two_figures_are_known_of_both() -> None:
    figures = {"memory_gb": 24.0, "memory_bandwidth_gb_s": 1000.0}
    own, far = record(id="own", **figures), record(id="far", memory_gb=48.0, memory_bandwidth_gb_s=2000.0)
    one_figure = record(id="one-figure", memory_gb=24.0)
    elsewhere = record(id="elsewhere", segment="datacenter", **figures)
    at_work = record(id="at-work", segment="workstation", memory_gb=30.0, memory_bandwidth_gb_s=1000.0)
    known = rivals.Rivals(book(own, far, one_figure, elsewhere, at_work).dataset)
    on = known._uses[metrics.use_of(own)]
    assert {card.id for card in on.cards} == {"own", "far", "one-figure", "at-work"}
    held = zip(on.cards, on.comparable(own).tolist(), strict=True)
    assert {card.id for card, enough in held if enough} == {"own", "far", "at-work"}
    assert not on.comparable(one_figure).any()


def test_a_card_of_which_the_month_is_known_is_new_and_the_newest_comes_first() -> None:
    launches = {"month": "2026-11", "day": "2026-11-02", "year": "2026", "far": "2025-11-01", "also": "2026-11-02"}
    known = [record(id=id, launch_date=day) for id, day in launches.items()]
    known.append(record(id="announced", launch_date="2026-11-03", status="announced"))
    assert [card.id for card in news.new_cards(book(*known, today="2026-11-20").dataset)] == ["also", "day", "month"]


@pytest.mark.parametrize(
    ("launch", "place"),
    [
        ("2021-02-01", "before"),
        ("2021-03-01", ""),
        ("2018-12-01", "before"),
        ("2018-10-01", ""),
        ("2022-10-01", ""),
        ("2025-02-01", "after"),
        ("2025-04-01", ""),
    ],
)
def test_the_generation_beside_is_one_to_three_years_away(launch: str, place: str) -> None:
    own, other = [record(id="own", launch_date="2022-01-01")], [record(id="other", launch_date=launch)]
    before, after = rivals._beside([own, other], own)
    assert ("before" if other[0] in before else "after" if other[0] in after else "") == place


@pytest.mark.parametrize(("launch", "role"), [("2025-06-30", True), ("2025-07-03", False)])
def test_cards_for_the_same_money_are_of_one_time(launch: str, role: bool) -> None:
    about = {"gpus": None, "country": "US", "tax": 0.0, "kind": "retail", "date": "2026-11-10", "basis": "asked"}
    offers = tuple(price(provider=shop, usd_per_unit=1000.0, usd_per_gpu_hour=None, **about) for shop in "abc")
    figures = {"memory_gb": 24.0, "memory_bandwidth_gb_s": 1000.0, "prices": offers}
    one = record(id="one", name="GeForce RTX 1", line="a", launch_date="2022-01-01", **figures)
    two = record(id="two", name="GeForce RTX 2", line="b", launch_date=launch, vendor="AMD", **figures)
    known = rivals.Rivals(book(one, two).dataset)
    assert (known._for_the_same_money(one) is two) == role


def test_sixteen_bit_is_the_peak_of_bf16_where_it_is_known() -> None:
    bf16, fp16 = (parse_peak(f"peak:{kind}:fp32:dense:tensor") for kind in ("bf16", "fp16"))
    for peaks, key in (({bf16: 1.0, fp16: 2.0}, bf16), ({fp16: 2.0}, fp16)):
        found = metrics.sixteen_bit(record(peaks=peaks))
        assert found is not None
        assert found.key == key
    assert metrics.sixteen_bit(record(peaks={})) is None
