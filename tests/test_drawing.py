"""The limits of drawings: what is drawn at the edge of a frame or of a rule, and what a step beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from samples import price, record, result

from pipeline.advise.estimate import validation as targets
from pipeline.core.schema import parse_peak
from pipeline.derive import metrics
from pipeline.derive.prices.history import Month
from pipeline.site import shared
from pipeline.site.charts import base, history, memory_bandwidth, rent_over_time, roofline, spark, svg, work_per_dollar
from pipeline.site.charts.rent_over_time import RentMonth
from pipeline.site.pages import preview, validation
from pipeline.site.pages.preview import FEW, Preview

FRAME = SimpleNamespace(left=10, width=100, height=50, bottom=5)
BOX = (10.0, 0.0, 100.0 - base.DOT_PX, 45.0)  # fills that frame


def moved(side: int, by: float) -> tuple[float, float, float, float]:
    left, top, right, bottom = (edge + by * (at == side) for at, edge in enumerate(BOX))
    return left, top, right, bottom


@pytest.mark.parametrize(("side", "outwards"), [(0, -0.1), (1, -0.1), (2, 0.1), (3, 0.1)])
def test_a_label_may_touch_the_frame_and_not_cross_it(side: int, outwards: float) -> None:
    frame: Any = FRAME
    assert base._inside(BOX, frame)
    assert not base._inside(moved(side, outwards), frame)


@pytest.mark.parametrize(("dx", "dy", "overlap"), [(10, 0, 0), (9.9, 0, 1), (-10, 0, 0), (-9.9, 0, 1), (0, 10, 0),
                                                   (0, 9.9, 1), (0, -10, 0), (0, -9.9, 1)])  # fmt: skip
def test_labels_that_touch_do_not_overlap(dx: float, dy: float, overlap: int) -> None:
    assert base._overlap((0, 0, 10, 10), (dx, dy, dx + 10, dy + 10)) == bool(overlap)


@pytest.mark.parametrize(
    ("first", "last", "ticks"),
    [
        (2020.0, 2022.0, ["2020", "2021", "2022"]),
        (2020.0, 2021.9, ["Jan 2020", "Jul 2020", "Jan 2021", "Jul 2021"]),
        (2020.0, 2020.75, ["Jan 2020", "Apr 2020", "Jul 2020", "Oct 2020"]),
        (2020.0, 2020.85, ["Jan 2020", "Jul 2020"]),
    ],
)
def test_the_axis_of_time_counts_years_from_two_on_and_quarters_below_ten_months(
    first: float, last: float, ticks: list[str]
) -> None:
    assert [text for _, text in history._date_ticks(first, last, 1000)] == ticks


@pytest.mark.parametrize(("usd", "drawn"), [(1859.0, True), (1850.0, False)])
def test_a_line_at_twice_the_launch_price_is_drawn_where_it_lies_inside(usd: float, drawn: bool) -> None:
    rows = [price(kind="retail", usd_per_unit=usd, usd_per_gpu_hour=None, gpus=None, date="2026-01-01")]
    picture = history.history(rows, 1000.0, "2026-11-20")
    assert bool(picture.twice) == drawn


def points(*speeds: float) -> list[base.ChartPoint]:
    return [
        base.point(record(id=f"card-{at}", name=f"Card {at}", segment="consumer"), 8.0, speed, "8 GB", "", speed)
        for at, speed in enumerate(speeds)
    ]


def test_the_widest_spread_of_a_size_is_told_from_five_cards_on() -> None:
    assert "Two desktop cards with 8 GB can differ 2× in bandwidth: Card 4 and Card 0" in memory_bandwidth.finding(
        points(100, 110, 120, 130, 200)
    )
    assert memory_bandwidth.finding(points(100, 110, 120, 200)) == "Memory size does not tell how fast the memory is"
    assert memory_bandwidth.finding([]) == "Memory size does not tell how fast the memory is"


def rents(gpu: str, usd: Sequence[float], providers: int = 3, first: int = 1) -> list[RentMonth]:
    return [
        RentMonth(gpu, f"NVIDIA {gpu}", "NVIDIA", f"2026-{month:02}", each, providers)
        for month, each in enumerate(usd, start=first)
    ]


def test_a_rent_is_drawn_from_three_months_of_three_providers_on_and_ten_cards_at_most() -> None:
    drawn = rent_over_time.drawn
    assert list(drawn(rents("a", [1, 2, 3]))) == ["a"]
    assert drawn(rents("a", [1, 2])) == {}
    assert drawn(rents("a", [1, 2, 3], providers=2)) == {}
    many = [entry for at in range(11) for entry in rents(f"card-{at:02}", [1, 2, 3])]
    assert list(drawn(many)) == [f"card-{at:02}" for at in range(10)]
    assert "z" in drawn([*many, *rents("z", [1, 2, 3, 4])]), "more months come first"
    assert "z" in drawn([*many, *rents("z", [1, 2, 3], providers=4)]), "then more providers"


def test_the_cheapest_and_the_dearest_rent_are_those_of_the_newest_month() -> None:
    months = [*rents("cheap", [9, 9, 1]), *rents("dear", [1, 1, 5]), *rents("gone", [1, 1, 0.1], first=0)]
    assert "$1.00 for the cheap, $5.00 for the dear" in rent_over_time.finding(months)
    assert "no card has three months" in rent_over_time.finding([])


def test_names_of_lines_are_moved_apart_and_stay_inside() -> None:
    step = rent_over_time.LABEL_PX
    assert rent_over_time._apart([10, 10, 10], 0, 100) == [10, 10 + step, 10 + 2 * step]
    assert rent_over_time._apart([95, 96, 97], 0, 100) == [100 - 2 * step, 100 - step, 100]
    assert rent_over_time._apart([5, 60], 10, 100) == [10, 60]
    assert rent_over_time._apart([0, 0, 0], 0, 10) == [0, 5, 10], "closer where there is no more room"


def test_a_line_needs_two_months() -> None:
    x = y = svg.Scale(1, 3000, 0, 100, False)
    assert rent_over_time._path(rents("a", [1.0]), x, y) == ""
    assert rent_over_time._path(rents("a", [1.0, 2.0]), x, y).startswith("M")


PEAK = parse_peak("peak:fp16:fp32:dense:tensor")


@pytest.mark.parametrize(("tflops", "drawn"), [(1.0, True), (0.5, False), (4095.0, True), (4096.0, False)])
def test_a_roof_is_drawn_where_its_bend_lies_on_the_axis(tflops: float, drawn: bool) -> None:
    gpu = record(memory_bandwidth_gb_s=1000.0, peaks={PEAK: tflops})
    assert (roofline.roofline(gpu) is not None) == drawn


@pytest.mark.parametrize(("value", "drawn"), [(100.0, 1), (100.1, 0)])
def test_a_run_above_the_peak_belongs_under_another_roof(value: float, drawn: int) -> None:
    workload, precision, metric = roofline.MATMUL
    run = result(
        workload=workload, precision=precision, metric=metric, batch="1024x1024x1024", value=value, unit="TFLOPS"
    )
    gpu = record(benchmarks=(run,), memory_bandwidth_gb_s=1000.0, peaks={PEAK: 100.0})
    found = roofline._measured(gpu, 100.0)
    assert len(found) == drawn


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (1.0, 10.0, [1, 2, 5, 10]),
        (1.1, 9.9, [2, 5]),
        (1.0, 100.0, [1, 3, 10, 30, 100]),
        (0.5, 20000.0, [1, 10, 100, 1000, 10000]),
    ],
)
def test_a_log_axis_has_round_numbers_up_to_both_ends(low: float, high: float, ticks: list[float]) -> None:
    assert svg.Scale(low, high, 0, 100, True).ticks(6) == ticks


@pytest.mark.parametrize(("count", "ticks"), [(6, [0, 2, 4, 6, 8, 10]), (5, [0, 5, 10]), (11, list(range(11)))])
def test_a_linear_axis_has_at_most_so_many_ticks(count: int, ticks: list[float]) -> None:
    assert svg.Scale(0, 10, 0, 100, False).ticks(count) == ticks


def month_of(month: str, value: float = 100.0) -> Month:
    known: dict[str, Any] = dict.fromkeys(Month.__dataclass_fields__)
    return Month(**known | {"month": month, "value": value})


@pytest.mark.parametrize(
    ("months", "words"),
    [
        (["2024-12", "2026-11"], "2 months since 2024-12"),  # the first of 24
        (["2024-11", "2026-11"], None),
        (["2026-10", "2026-11"], "2 months since 2026-10"),
        (["2026-11", "2026-12"], None),  # the next month is no month of the past
    ],
)
def test_a_small_line_holds_the_last_24_months(months: list[str], words: str | None) -> None:
    found = spark.spark([month_of(month) for month in months], "2026-11-20")
    assert (found.words if found else None) == words


def test_a_small_line_of_one_height_runs_through_the_middle() -> None:
    found = spark.spark([month_of("2026-10"), month_of("2026-11")], "2026-11-20")
    assert found is not None
    assert {place.split()[1] for place in found.path.removeprefix("M").split("L")} == {f"{spark.HEIGHT / 2:.0f}"}


def ability(**known: Any) -> Any:
    return SimpleNamespace(rate=SimpleNamespace(p10=1.0, median=2.0, p90=3.0), **known)


def test_three_results_are_measured_and_two_lie_within_the_estimate() -> None:
    assert work_per_dollar._speed([4.0, 5.0, 6.0], ability()) == (
        5.0,
        metrics.band([4.0, 5.0, 6.0]),
        work_per_dollar.MEASURED,
    )
    middle, spread, basis = work_per_dollar._speed([4.0, 5.0], ability()) or (0, None, "")
    assert (middle, basis) == (4.5, work_per_dollar.SELDOM)
    assert spread == metrics.Band(1.0, 4.5)
    assert work_per_dollar._speed([], ability()) == (2.0, metrics.Band(1.0, 3.0), work_per_dollar.ESTIMATED)


@pytest.mark.parametrize(("room", "drawn"), [(0.0, True), (-0.1, False), (None, True)])
def test_a_model_that_fills_a_card_to_its_last_byte_runs_on_it(room: float | None, drawn: bool) -> None:
    rent: Any = SimpleNamespace(value=2.0, amounts=[1.0, 2.0, 3.0])
    on: Any = SimpleNamespace(ability=lambda *_: ability(room_gib=room))
    assert (work_per_dollar.ANSWERS._point(record(), on, rent) is not None) == drawn


class Letters:
    """Writes every letter ten pixels wide."""

    def textlength(self, text: str, _: object) -> float:
        return 10.0 * len(text)


@pytest.mark.parametrize(
    ("text", "room", "most", "lines"),
    [
        ("one two", 70, 1, ["one two"]),  # as wide as the room
        ("one two", 69, 2, ["one", "two"]),
        ("one two six", 70, 2, ["one two", "six"]),
        ("one two six", 69, 2, ["one", "two ..."]),
        ("one two six", 70, 1, ["one ..."]),
        ("unbreakable", 50, 1, ["unbreakable"]),
    ],
)
def test_a_text_is_broken_where_it_no_longer_fits(text: str, room: float, most: int, lines: list[str]) -> None:
    draw: Any = Letters()
    assert shared._wrapped(draw, text, 20, room, most) == lines


def group(error: float, covered: float, name: str = "g") -> Any:
    return SimpleNamespace(error=error, covered=covered, group=name)


def test_a_group_is_weak_above_its_limit_and_the_worst_comes_first() -> None:
    groups = {"by maker": [group(0.12, 0.8, "fair"), group(0.13, 0.8, "weak"), group(0.5, 0.8, "worst")]}
    assert [one.group for _, one in validation._weak(groups)] == ["worst", "weak"]
    low, _ = targets.TARGETS["share of decode points inside their 80 % interval"]
    narrow = {"by maker": [group(0, low, "fair"), group(0, low - 0.01, "narrow"), group(0, 0.1, "worst")]}
    assert [one.group for _, one in validation._narrow(narrow)] == ["worst", "narrow"]


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [(0.0, 0.0, "none"), (0.0, 0.1, "at most 10"), (0.8, 1.0, "at least 80"), (0.8, 0.9, "80\u00a0% to 90")],
)
def test_a_target_is_told_by_its_ends(low: float, high: float, says: str) -> None:
    finding: Any = SimpleNamespace(low=low, high=high, counts=False)
    assert validation._target(finding).removesuffix("\u00a0%") == says


def left_out(set: str, key: str, reason: str) -> Any:
    return SimpleNamespace(set=set, key=key, reason=reason)


def test_of_points_left_out_the_largest_group_comes_first() -> None:
    rows = [left_out("b", "1", "why"), left_out("a", "2", "why"), left_out("b", "3", "why"), left_out("a", "0", "else")]
    assert [(group.set, group.reason) for group in validation.excluded_groups(rows)] == [
        ("b", "why"),
        ("a", "else"),
        ("a", "why"),
    ]


@pytest.mark.parametrize(("changed", "behind"), [(0, False), (1, True), (FEW, True), (FEW + 1, False)])
def test_a_few_changed_cards_are_an_edit_by_hand(changed: int, behind: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "_own", lambda *_: {})
    monkeypatch.setattr(preview, "_all", lambda *_: {})
    monkeypatch.setattr(Preview, "_seen", lambda _: [])
    monkeypatch.setattr(Preview, "_changed", lambda *_: [f"card-{at}" for at in range(changed)])
    shown, dataset = Preview(), SimpleNamespace()
    list(shown.files(dataset))  # type: ignore[arg-type]
    assert shown.behind == behind
