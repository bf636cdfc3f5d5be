"""Which rows a chart takes, in which order, and on which side of a boundary its finding stands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from samples import price, record, result

from pipeline.core.schema import PeakKey
from pipeline.dataset import Dataset
from pipeline.derive.metrics import Band
from pipeline.site.charts import (
    fits_on,
    history,
    launch_price,
    measured_peak,
    over_time,
    percentile,
    performance_per_watt,
    price_performance,
    what_fits,
)
from pipeline.site.charts.base import ESTIMATED, SELDOM, ChartPoint, growth, shown
from pipeline.site.charts.base import record as ends_of
from pipeline.site.charts.svg import Scale, pixel

FP16 = PeakKey("fp16", "fp32", "dense", "tensor")
BF16 = PeakKey("bf16", "fp32", "dense", "tensor")


def dataset(*cards: Any) -> Dataset:
    return Dataset({card.id: card for card in cards})


def sized(*gigabytes: float | None, **known: Any) -> Dataset:
    return dataset(*(record(id=f"card-{at}", memory_gb=each, **known) for at, each in enumerate(gigabytes)))


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ((8, 16, 24, 24, 48), "24 GB: more than 2 of 4 other desktop and workstation cards"),
        ((8, 16, 24, 48), None),  # four make no field
        ((8, 16, 24, 48, None), None),
        ((24, 24, 24, 24, 24), None),  # nothing to stand above
    ],
)
def test_a_card_stands_among_five_that_are_not_all_alike(sizes: Any, text: str | None) -> None:
    known = sized(*sizes)
    strips = percentile.Standing(known).of(known.gpus["card-2"])
    assert [strip.text.replace("\u00a0", " ") for strip in strips] == ([text] if text else [])


def test_the_smallest_card_stands_at_the_left_and_the_largest_at_the_right() -> None:
    known = sized(8, 16, 24, 32, 48)
    standing = percentile.Standing(known)
    ends = [standing.of(known.gpus[id])[0] for id in ("card-0", "card-4")]
    assert [strip.at for strip in ends] == ["3", "297"]
    assert [strip.text.split(": ")[1][:16] for strip in ends] == ["more than 0 of 4", "more than 4 of 4"]


def dot(name: str, weight: float, band: Band | None = None, **about: Any) -> ChartPoint:
    given = {"vendor": "NVIDIA", "segment": "consumer", "x": 1.0, "y": 100.0, "x_text": "x", "y_text": "y"}
    return ChartPoint(gpu=name, name=name, weight=weight, band=band, **given | about)


def test_a_ranking_begins_with_what_several_let_and_the_most_for_a_dollar() -> None:
    spread = Band(1.0, 2.0)
    points = [dot("b", 5.0, spread), dot("thin", 9.0), dot("a", 5.0, spread), dot("c", 6.0, Band(0.1, 0.2))]
    ranked = price_performance.ranking(points)
    assert [rank.point.gpu for rank in ranked] == ["c", "a", "b", "thin"]
    assert [rank.unclear for rank in ranked] == [None, False, True, None]
    assert ranked[1].band == Band(50.0, 100.0), "least work at the highest price, most at the lowest"
    assert price_performance.finding(points[:1]) == (
        "Most 16-bit peak for the money, rented: b, 5 TFLOPS for a dollar an hour"
    )
    even = price_performance.finding([points[0], points[2]])
    assert even.endswith("an hour, no clear difference from b")


def test_the_most_for_a_watt_is_told_beside_the_best_desktop_card() -> None:
    rack, desk, other = dot("rack", 3.0, segment="datacenter"), dot("desk", 1.5), dot("other", 1.0)
    told = performance_per_watt.finding([other, rack, desk])
    assert told == "Most 16-bit peak for a watt: rack, 3 TFLOPS, 2× the best desktop card, desk"
    assert performance_per_watt.finding([other, desk]) == "Most 16-bit peak for a watt: desk, 1.5 TFLOPS"
    assert performance_per_watt.finding([rack]) == "Most 16-bit peak for a watt: rack, 3 TFLOPS"
    assert launch_price.finding([other, rack]).startswith("Most bandwidth for its launch price: rack, 3 GB/s")


def power(metric: str = "system_power", value: float | None = 500.0, **about: Any) -> Any:
    usual = {"locator": "row 1", "set": "mlperf", "model": "bert", "unit": "W"}
    return result(gpu="x-y", metric=metric, value=value, **usual | about)


@pytest.mark.parametrize(
    ("changes", "runs"),
    [
        ({}, [2.0]),
        ({"locator": "row 2"}, []),
        ({"set": "mlperf-2"}, []),
        ({"model": "gpt"}, []),
        ({"source": "another"}, []),
        ({"flag": "broken"}, []),
        ({"value": None}, []),
    ],
)
def test_work_for_a_watt_is_of_one_run_that_holds(changes: dict[str, Any], runs: list[float]) -> None:
    speed = power("offline_throughput", **{"value": 1000.0} | changes)
    found = performance_per_watt.machines(dataset(record(benchmarks=(power(), speed))))
    assert [run.for_a_watt for run in found] == runs


def test_machines_are_ordered_by_model_then_by_work_for_a_watt() -> None:
    rows = [
        power(model=model, locator=model + str(watts), value=watts)
        for model, watts in (("b", 500), ("a", 400), ("a", 200))
    ]
    speeds = [power("offline_throughput", 1000.0, model=row.model, locator=row.locator) for row in rows]
    found = performance_per_watt.machines(dataset(record(benchmarks=(*rows, *speeds))))
    assert [(run.speed.model, run.for_a_watt) for run in found] == [("a", 5.0), ("a", 2.5), ("b", 2.0)]


def matmul(value: float | None, **about: Any) -> Any:
    usual = {"set": "mamf", "precision": "bf16", "metric": "tflops", "unit": "TFLOPS"}
    return result(value=value, **usual | about)


def test_a_share_of_a_peak_is_of_a_sound_result_and_the_best_of_a_card_counts() -> None:
    one = record(
        id="one", name="One", peaks={BF16: 100.0},
        benchmarks=(matmul(70.0), matmul(80.0), matmul(90.0, flag="x"), matmul(None), matmul(95.0, set="other")),
    )  # fmt: skip
    two = record(id="two", name="Two", peaks={BF16: 100.0}, benchmarks=(matmul(60.0),))
    unknown = record(id="no-peak", benchmarks=(matmul(60.0),))
    shares = measured_peak.rows(dataset(one, two, unknown))
    assert [(share.gpu.id, share.share) for share in shares] == [("one", 0.8), ("one", 0.7), ("two", 0.6)]
    assert [(made.gpu, made.y) for made in measured_peak.points(shares)] == [("one", 80.0), ("two", 60.0)]
    assert measured_peak.best_matmul(dataset(one, two))["one"].value == 80.0
    assert measured_peak.finding(shares) == (
        "In a tuned BF16 product the median card reaches 70 % of its peak: One 80 %, Two 60 %"
    )
    assert [row[-1] for row in measured_peak.csv_rows(shares)] == [0.8, 0.7, 0.6]


def test_the_largest_model_of_24_gigabytes_is_told_at_four_bits() -> None:
    def fit(name: str, needed: float, least: int | None, quant: str = "q4_k_m") -> Any:
        return SimpleNamespace(model=SimpleNamespace(id=name, name=name), needed=needed, least=least, quant=quant)

    fits = [
        fit("a", 23.4, 24),
        fit("b", 23.5, 32),
        fit("c", 30.0, None),
        fit("d", 23.9, 24, "q8_0"),
        fit("e", 10.0, 16),
    ]
    assert what_fits.finding(fits) == "With 24 GB the largest model of ours that fits at 4 bit is a: 23.4 GB"
    assert what_fits.finding(fits[1:3]) == "What fits on how much memory"


def fitting(needed: list[float], usable: float) -> Any:
    models: Any = [
        (SimpleNamespace(needed=each, model=SimpleNamespace(name=f"m{at}")), f"M{at}h0")
        for at, each in enumerate(needed)
    ]
    return fits_on._row(fits_on._Line("4 bit", "50", models), 40.0, usable)


@pytest.mark.parametrize(
    ("usable", "largest", "spare", "following", "short"),
    [
        (4.0, None, 0.0, "m0", 1.0),
        (5.0, "m0", 0.0, "m1", 5.0),
        (9.9, "m0", 4.9, "m1", 0.1),
        (10.0, "m1", 0.0, "m2", 10.0),
        (20.0, "m2", 0.0, None, 0.0),
        (25.0, "m2", 5.0, None, 0.0),
    ],
)
def test_a_card_holds_what_needs_no_more_than_it_has_and_misses_the_next(
    usable: float, largest: str | None, spare: float, following: str | None, short: float
) -> None:
    row = fitting([5.0, 10.0, 20.0], usable)
    assert (row.largest and row.largest.name, row.next and row.next.name) == (largest, following)
    assert (row.spare, row.short) == (pytest.approx(spare), pytest.approx(short))
    held = 0 if largest is None else int(largest[1]) + 1
    assert (row.inside, row.outside) == (
        "".join(f"M{at}h0" for at in range(held)),
        "".join(f"M{at}h0" for at in range(held, 3)),
    )


def test_what_a_card_holds_is_said_of_the_fewest_bits() -> None:
    rows = [fitting([5.0], 4.0), fitting([5.0, 10.0], 12.5)]
    assert fits_on._title(rows) == "Holds m1 at 4 bit with 2.5 GB to spare"
    assert fits_on._title(rows[:1]) == "None of our language models fits, not even at 4 bit"
    assert [fits_on._inside(each) for each in (0.5, 1.0, 1000.0, 1001.0)] == [1.0, 1.0, 1000.0, 1000.0]


def paid(usd: float, date: str = "2026-08-01", kind: str = "retail", **about: Any) -> Any:
    return price(kind=kind, usd_per_unit=usd, usd_per_gpu_hour=None, usd_per_machine_hour=None, date=date, **about)


X, Y = Scale(2020, 2030, 0, 100, False), Scale(0, 1000, 200, 0, False)


@pytest.mark.parametrize(
    ("rows", "runs"),
    [
        ([paid(1, "2026-08"), paid(2, "2026-09")], [2]),
        ([paid(1, "2026-08"), paid(2, "2026-10")], []),  # open where a month is missing
        ([paid(1, "2026-08"), paid(2, "2026-09", flag="a slip")], []),
        ([paid(1, "2026-08"), paid(2, "2026-09", source="another")], []),
        ([paid(1, "2026-08"), paid(2, "2026")], []),  # of a year alone
        ([paid(1, "2026-08", "launch"), paid(2, "2026-09", "launch")], []),
        ([paid(1, "2026-08"), paid(2, "2026-09"), paid(3, "2026-11"), paid(4, "2026-12")], [2, 2]),
    ],
)
def test_prices_of_one_kind_and_source_are_joined_month_by_month(rows: Any, runs: list[int]) -> None:
    assert [path.count("L") + 1 for _, path in history._joins(rows, X, Y)] == runs


def test_labels_at_the_edge_are_the_newest_of_each_kind_from_dear_to_cheap_and_never_touch() -> None:
    rows = [paid(500), paid(510, "2026-09"), paid(520, "2026-10", flag="a slip"), paid(300, kind="used", basis="floor")]
    labels = list(history._labels(rows, 505.0, {}, Y))
    assert [(one.kind, one.text) for one in labels] == [
        ("retail", "new $510"), ("launch", "launch $505"), ("used", "used from $300"),
    ]  # fmt: skip
    assert [float(one.y) for one in labels] == [102.0, 115.0, 144.0]
    now: Any = {"retail": SimpleNamespace(value=450.4, seen=[SimpleNamespace(price=rows[0])], begins=True)}
    told = list(history._labels(rows[:2], None, now, Y))
    assert [one.text for one in told] == ["new from $450"]


def test_a_launch_price_is_drawn_once() -> None:
    rows = [paid(500, kind="launch"), paid(500), paid(500, "2026-09", "launch")]
    assert list(history._drawn(rows)) == rows[:2]


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({}, "new"),
        ({"kind": "system", "product": "Mac Studio 96GB"}, "96 GB machine"),
        ({"kind": "system", "product": "Mac Studio"}, "whole machine"),
        ({"kind": "system", "includes": "module that needs a carrier board"}, "module"),
    ],
)
def test_a_mark_is_called_by_what_was_bought(about: dict[str, str], said: str) -> None:
    assert history.called(paid(1, **about)) == said


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([(2020.0, 100.0), (2022.0, 200.0)], "From 2020 to 2022 it doubled every 2 years"),
        ([(2020.0, 100.0), (2021.0, 400.0), (2022.0, 200.0)], "From 2020 to 2021 it doubled every 0.5 years"),
        ([(2020.0, 100.0), (2022.0, 100.0)], ""),
        ([(2020.0, 100.0)], ""),
    ],
)
def test_a_record_grows_from_the_first_to_the_last(points: list[tuple[float, float]], said: str) -> None:
    assert growth([dot("a", 0.0, x=x, y=y) for x, y in points], "it") == said


def test_a_launch_in_december_is_of_the_twelfth_month() -> None:
    points = [dot("a", 0.0, x=2020.0, y=1.0), dot("b", 0.0, x=2020.999, y=2.0)]
    assert [month for month, _ in ends_of(points)] == ["2020-01", "2020-12"]


def test_a_chart_has_a_legend_of_what_it_draws_alone() -> None:
    points = [dot("a", 0.0, basis=SELDOM), dot("b", 0.0, basis=ESTIMATED, vendor="AMD", segment="edge"), dot("c", 0.0)]
    made = shown(points, launch_price.SPEC)
    assert (made["vendors"], list(made["shapes"]), made["bases"]) == (
        ["NVIDIA", "AMD"], ["consumer", "edge"], [SELDOM, ESTIMATED],
    )  # fmt: skip
    assert (made["reached"], made["trend"]) == (False, False)
    assert shown([dot("a", 0.0, reached=1.0)], launch_price.SPEC)["reached"]


def test_a_figure_for_a_launch_dollar_needs_both() -> None:
    read = over_time._per_dollar(lambda gpu: gpu.memory_gb, 1000)
    assert read(record(memory_gb=24.0, launch_price_usd=1600.0)) == 15.0
    assert read(record(memory_gb=24.0)) is None
    assert read(record(launch_price_usd=1600.0)) is None


@pytest.mark.parametrize(("value", "text"), [(1.04, "1"), (1.06, "1.1"), (10.0, "10"), (99.96, "100"), (0.0, "0")])
def test_a_length_is_told_to_a_tenth_of_a_pixel(value: float, text: str) -> None:
    assert pixel(value) == text
