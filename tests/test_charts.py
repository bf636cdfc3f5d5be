"""What a chart draws, its CSV and the dataset are the same numbers; its picture lies inside its frame."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import cache
from types import ModuleType

import pytest

from pipeline import metrics
from pipeline.charts import CHARTS, memory_bandwidth, performance_over_time
from pipeline.charts.base import HUES, NARROW, SHAPES, SYMBOLS, WIDE, Point, Scale, csv_heads, csv_rows, picture
from pipeline.dataset import Dataset
from pipeline.files import csv_text
from pipeline.paths import ROOT
from pipeline.render import slug
from pipeline.schema import SEGMENTS, VENDORS

STYLES = (ROOT / "docs" / "stylesheets" / "almanac.css").read_text(encoding="utf-8")
every_chart = pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.ID)


@cache
def dataset() -> Dataset:
    return Dataset.load()


def point(name: str, x: float, y: float, **changes: object) -> Point:
    given = {
        "gpu": name,
        "name": name,
        "vendor": "NVIDIA",
        "segment": "consumer",
        "x": x,
        "y": y,
        "x_text": "",
        "y_text": "",
    }
    return Point(**(given | changes))  # type: ignore[arg-type]


@every_chart
def test_a_chart_draws_the_numbers_of_its_csv(chart: ModuleType) -> None:
    points = chart.rows(dataset())
    rows = list(csv.DictReader(io.StringIO(csv_text(csv_heads(chart.SPEC), csv_rows(points)))))
    drawn = {
        gpu: (x, y)
        for trace in json.loads(chart.figure(points))["data"]
        for gpu, x, y in zip(trace["customdata"], trace["x"], trace["y"], strict=True)
    }
    assert len(rows) >= 20
    assert set(drawn) == {row["gpu"] for row in rows}
    for row in rows:
        told = (float(row[chart.SPEC.x.column]), float(row[chart.SPEC.y.column]))
        assert drawn[row["gpu"]] == pytest.approx(told, rel=1e-6)


@every_chart
def test_a_charts_columns_of_the_dataset_hold_its_numbers(chart: ModuleType) -> None:
    made = {"sixteen_bit_tflops": lambda g: metrics.sixteen_bit(g).tflops,  # type: ignore[union-attr]
            "launch_date": lambda g: metrics.year_of(g.text("launch_date")),
            "bandwidth_gb_s_per_launch_usd": lambda g: g.number("memory_bandwidth_gb_s") / g.number("launch_price_usd"),
            "fp32_gflops_per_launch_usd": lambda g: 1000
            * g.peak("fp32", "fp32", engine="vector") / g.number("launch_price_usd"),
            "median_usd_per_gpu_hour": lambda g: metrics.rent(g).median_usd}  # type: ignore[union-attr]  # fmt: skip
    for p in chart.rows(dataset()):
        for axis, value in ((chart.SPEC.x, p.x), (chart.SPEC.y, p.y)):
            gpu = dataset().gpus[p.gpu]
            expected = made[axis.column](gpu) if axis.column in made else gpu.number(axis.column)
            assert value == pytest.approx(expected, abs=1e-4)


@every_chart
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=lambda size: size.name)
def test_every_point_and_label_of_a_picture_lies_inside_its_frame(chart: ModuleType, size: object) -> None:
    points = chart.rows(dataset())
    drawn = picture(points, chart.SPEC, size)  # type: ignore[arg-type]
    assert [dot.point for dot in drawn.dots] == points
    for dot in drawn.dots:
        assert drawn.size.left <= float(dot.x) <= drawn.right, dot.point.name
        assert drawn.size.top <= float(dot.y) <= drawn.bottom, dot.point.name
    assert any(dot.label for dot in drawn.dots)
    assert len(drawn.x_ticks) >= 2
    assert len(drawn.y_ticks) >= 2


@every_chart
def test_a_chart_is_drawn_the_same_each_time_and_says_its_finding(chart: ModuleType) -> None:
    points = chart.rows(dataset())
    assert chart.figure(points) == chart.figure(chart.rows(Dataset.load()))
    assert re.search(r"\d", chart.finding(points))
    assert chart.HOW
    assert chart.NOT_SHOWN


@every_chart
def test_a_log_axis_says_so(chart: ModuleType) -> None:
    for axis in (chart.SPEC.x, chart.SPEC.y):
        assert ("(log)" in axis.title) == axis.log


@every_chart
def test_a_chart_without_a_single_point_still_has_a_title(chart: ModuleType) -> None:
    assert chart.finding([])


def test_labels_hide_neither_dots_nor_one_another() -> None:
    crowd = [point(f"card {i:02d}", 10 + i * 0.1, 100 + i * 0.1, weight=float(i)) for i in range(30)]
    labels = [dot for dot in picture(crowd, memory_bandwidth.SPEC, WIDE).dots if dot.label]
    assert len(labels) < 30
    places = {(dot.label_x, dot.label_y) for dot in labels}
    assert len(places) == len(labels)


def test_names_are_no_markup_in_plotly() -> None:
    figure = json.loads(memory_bandwidth.figure([point("<b>bold</b>", 8, 100)]))
    assert figure["data"][0]["text"][0].startswith("&lt;b&gt;bold")


def test_the_finding_on_memory_names_the_widest_spread() -> None:
    same = [point(f"NVIDIA card {i}", 24, 100 * (i + 1)) for i in range(5)]
    assert memory_bandwidth.finding(same) == (
        "Two desktop cards with 24 GB can differ 5× in bandwidth: card 4 and card 0"
    )


def test_the_finding_on_time_is_the_doubling_of_the_record() -> None:
    points = [point("a", 2018.0, 100), point("b", 2020.0, 90), point("c", 2022.0, 400)]
    assert performance_over_time.finding(points).endswith("doubled every 2 years")


def test_a_log_scale_puts_equal_ratios_at_equal_distances() -> None:
    scale = Scale(1, 1000, 0, 300, True)
    assert [round(scale(v)) for v in (1, 10, 100, 1000)] == [0, 100, 200, 300]


def test_every_maker_has_a_hue_and_every_segment_a_shape() -> None:
    assert set(HUES) == set(VENDORS)
    assert set(SYMBOLS) == set(SHAPES) == set(SEGMENTS)
    assert len(set(HUES.values())) == len(HUES)


def test_the_hues_are_those_of_the_style_sheet() -> None:
    light = STYLES.split('[data-md-color-scheme="slate"]')[0]
    for vendor, hue in HUES.items():
        assert f"--ga-v-{slug(vendor)}: {hue};" in light
        assert f".ga-v-{slug(vendor)} {{" in STYLES
