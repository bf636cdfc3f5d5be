"""What a chart draws, its CSV and the dataset are the same numbers; its picture lies inside its frame."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from statistics import median
from types import ModuleType
from typing import Any

import plotly.graph_objects as go
import pytest
from samples import committed

from pipeline.core.files import csv_text
from pipeline.core.paths import ROOT
from pipeline.core.schema import SEGMENTS, VENDORS
from pipeline.core.wording import number, short, slug
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics
from pipeline.derive.prices.quote import quotes
from pipeline.site.charts import (
    base,
    listed,
    memory_bandwidth,
    over_time,
    performance_per_watt,
    price_performance,
    work_per_dollar,
)
from pipeline.site.charts.base import (
    ESTIMATED,
    HUES,
    MEASURED,
    NARROW,
    OTHER_HUE,
    SELDOM,
    SHAPES,
    SYMBOLS,
    WIDE,
    Axis,
    ChartPoint,
    PointsChart,
    Spec,
    picture,
    plotly_json,
)
from pipeline.site.charts.listed import CHARTS as LISTED
from pipeline.site.charts.price_performance import ranking
from pipeline.site.charts.svg import Scale
from pipeline.site.pages import charts, gpu_charts
from pipeline.site.render import Asset

STYLES = (ROOT / "docs" / "stylesheets" / "almanac.css").read_text(encoding="utf-8")
CHARTS = tuple(chart for chart in LISTED if isinstance(chart, PointsChart))
every_chart = pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.id)


def point(name: str, x: float, y: float, **changes: object) -> ChartPoint:
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
    return ChartPoint(**(given | changes))  # type: ignore[arg-type]


@cache
def drawn_files() -> dict[str, tuple[dict[str, Any], list[dict[str, str]]]]:
    """Every chart file of the site that Plotly draws: its figure, and the rows of the CSV of the same name."""
    modules = (charts, gpu_charts)
    made = {a.file: a.text() for m in modules for a in m.pages(committed()) if isinstance(a, Asset)}
    return {
        name.removesuffix(".json"): (json.loads(text), list(csv.DictReader(io.StringIO(made[f"{name[:-5]}.csv"]))))
        for name, text in made.items()
        if name.endswith(".json") and not name.startswith("embed/")  # the answers of oEmbed
    }


def written(drawn: object) -> str:
    """A drawn value as a CSV of ours writes it."""
    return csv_text(("value",), [(drawn,)]).splitlines()[1]


def test_every_chart_draws_numbers_of_its_csv_and_nothing_else() -> None:
    files = drawn_files()
    assert {f"charts/{chart.id}" for chart in CHARTS} < set(files)
    for name, (figure, rows) in files.items():
        assert figure["data"], name
        for trace in figure["data"]:
            meta = trace["meta"]
            told = {(row[meta["key"]], row[meta["x"]], row[meta["y"]]) for row in rows}
            places = zip(trace["customdata"], trace["x"], trace["y"], strict=True)
            drawn = {(key, written(x), written(y)) for key, x, y in places if (x, y) != (None, None)}  # a gap
            assert drawn <= told, name


def test_plotly_reads_every_figure_and_would_write_it_as_we_do() -> None:
    """It names an attribute that it does not know, and drops or changes a value that it does not take."""
    for name, (figure, _) in drawn_files().items():
        read = go.Figure(figure).to_plotly_json()
        read["layout"].pop("template", None)
        assert read == figure, name


@every_chart
def test_a_chart_of_the_list_draws_every_row_of_its_csv(chart: PointsChart) -> None:
    figure, rows = drawn_files()[f"charts/{chart.id}"]
    assert len(rows) >= 20
    for column in filter(None, (chart.spec.y.column, chart.spec.reached)):
        drawn = [gpu for trace in figure["data"] if trace["meta"]["y"] == column for gpu in trace["customdata"]]
        assert sorted(drawn) == sorted(row["gpu"] for row in rows if row[column])


def test_every_place_of_a_page_for_a_chart_has_its_files() -> None:
    places = set()
    for chart in charts.pages(committed()):
        if not isinstance(chart, Asset):
            places |= set(re.findall(r'data-chart="[./]*([^"]+)\.json"', chart.text()))
    assert len(places) >= len(CHARTS) + 2
    assert places <= set(drawn_files())


def results(gpu: GpuRecord, start: str, model: str, precision: str, metric: str) -> list[float]:
    return [
        row.value
        for row in committed().benchmarks
        if row.gpu == gpu.id
        and row.set.startswith(start)
        and row.gpu_count == 1
        and not row.flag
        and (row.model, row.format, row.metric) == (model, precision, metric)
        and row.value
    ]


# Every column that a chart may draw, worked out from data/clean by itself; None is "an estimate, see its own test".
COLUMNS: Mapping[str, Callable[[GpuRecord], float | None]] = {
    "sixteen_bit_tflops": lambda g: metrics.sixteen_bit(g).tflops,  # type: ignore[union-attr]
    "launch_date": lambda g: metrics.year_of(g.launch_date),
    "bandwidth_gb_s_per_launch_usd": lambda g: g.memory_bandwidth_gb_s / g.launch_price_usd,  # type: ignore[operator]
    "fp32_gflops_per_launch_usd": lambda g: 1000 * g.peak("fp32", "fp32", engine="vector") / g.launch_price_usd,  # type: ignore[operator]
    "median_usd_per_gpu_hour": lambda g: quotes(committed()).to_rent(g.id).value,
    "tokens_s": lambda g: _middle(results(g, "xiongjiedai-", "LLaMA 3 8B", "q4_k_m", "generation_speed")),
    "images_s": lambda g: _middle(results(g, "lambda-", "resnet50", "fp16", "throughput")),
    "tuning_tokens_s": lambda _: None,
    "memory_gb": lambda g: g.memory_gb,
    "memory_bandwidth_gb_s": lambda g: g.memory_bandwidth_gb_s,
    "board_power_w": lambda g: g.board_power_w,
    "launch_price_usd": lambda g: g.launch_price_usd,
}


def _middle(values: list[float]) -> float | None:
    return median(values) if values else None


@every_chart
def test_a_charts_numbers_are_those_of_the_clean_dataset(chart: PointsChart) -> None:
    for p in chart.rows(committed()):
        for axis, drawn in ((chart.spec.x, p.x), (chart.spec.y, p.y)):
            expected = COLUMNS[axis.column](committed().gpus[p.gpu])
            assert (expected is None) == (p.basis == ESTIMATED and axis is chart.spec.y)
            if expected is not None:
                assert drawn == pytest.approx(expected, abs=1e-4)
        assert not p.reached or p.reached < p.y


def test_work_for_a_watt_divides_two_results_of_one_run() -> None:
    found = performance_per_watt.machines(committed())
    assert len({machine.gpu for machine in found}) >= 2
    rows = committed().benchmarks
    for machine in found:
        (power,) = (row for row in rows if row.locator == machine.speed.locator and row.unit == "W")
        assert (power.gpu, power.model) == (machine.gpu, machine.speed.model)
        assert machine.speed in rows
        assert machine.for_a_watt == pytest.approx(machine.speed.value / power.value)


@pytest.mark.parametrize("chart", [work_per_dollar.ANSWERS, work_per_dollar.IMAGES], ids=lambda chart: chart.id)
def test_three_results_have_their_own_spread_and_fewer_the_estimators(chart: work_per_dollar.WorkPerDollar) -> None:
    seen = set()
    for p in chart.rows(committed()):
        values = results(committed().gpus[p.gpu], *chart.experiment)
        seen.add(p.basis)
        assert p.basis == (MEASURED if len(values) >= 3 else SELDOM if values else ESTIMATED)
        if p.y_band:
            assert p.y_band.low <= p.y <= p.y_band.high
        if p.basis == MEASURED:
            assert p.y_band == metrics.band(values)
    assert {MEASURED, ESTIMATED} <= seen


def test_a_ranking_counts_both_spreads_and_says_where_there_is_no_clear_difference() -> None:
    def banded(name: str, price: tuple[float, float], work: tuple[float, float], weight: float) -> ChartPoint:
        ends = {"band": metrics.Band(*price), "y_band": metrics.Band(*work), "weight": weight}
        return point(name, sum(price) / 2, sum(work) / 2, **ends)

    best, near, far = (
        banded("a", (1, 2), (10, 20), 10),
        banded("b", (1, 2), (9, 19), 9),
        banded("c", (5, 6), (1, 2), 1),
    )
    ranked = ranking([far, near, best], 3600)
    assert [rank.point.gpu for rank in ranked] == ["a", "b", "c"]
    assert ranked[0].band == metrics.Band(10 * 3600 / 2, 20 * 3600 / 1)
    assert [rank.unclear for rank in ranked] == [None, True, False]


def test_a_card_that_one_provider_lets_leads_neither_the_ranking_nor_its_title() -> None:
    thin, sound = point("thin", 1, 90, weight=90), point("sound", 1, 50, weight=50, band=metrics.Band(1, 2))
    assert [rank.point.gpu for rank in ranking([thin, sound])] == ["sound", "thin"]
    for chart in (price_performance.CHART, work_per_dollar.ANSWERS, work_per_dollar.TUNING, work_per_dollar.IMAGES):
        points = chart.rows(committed())
        assert short(ranking(points)[0].point.name) in chart.finding(points)


def test_an_estimate_is_hollow_in_the_picture_and_in_plotly() -> None:
    spec = work_per_dollar.ANSWERS.spec
    both = [point("a", 1, 10, basis=MEASURED), point("b", 2, 20, basis=ESTIMATED)]
    symbols = {t["customdata"][0]: t["marker"]["symbol"] for t in json.loads(plotly_json(both, spec))["data"]}
    assert symbols == {"a": ["circle"], "b": ["circle-open"]}


@every_chart
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=lambda size: size.name)
def test_every_point_and_label_of_a_picture_lies_inside_its_frame(chart: PointsChart, size: object) -> None:
    points = chart.rows(committed())
    drawn = picture(points, chart.spec, size)  # type: ignore[arg-type]
    assert [dot.point for dot in drawn.dots] == points
    for dot in drawn.dots:
        assert drawn.size.left <= float(dot.x) <= drawn.right, dot.point.name
        assert drawn.size.top <= float(dot.y) <= drawn.bottom, dot.point.name
    assert any(dot.label for dot in drawn.dots)
    assert len(drawn.x_ticks) >= 2
    assert len(drawn.y_ticks) >= 2


@pytest.mark.sample(2)
@every_chart
def test_a_chart_is_drawn_the_same_each_time_and_says_its_finding(chart: PointsChart) -> None:
    points = chart.rows(committed())
    assert plotly_json(points, chart.spec) == plotly_json(chart.rows(Dataset.load()), chart.spec)
    assert re.search(r"\d", chart.finding(points))
    assert chart.how
    assert chart.not_shown


@every_chart
def test_a_log_axis_says_so(chart: PointsChart) -> None:
    for axis in (chart.spec.x, chart.spec.y):
        assert ("(log)" in axis.title) == axis.log


@every_chart
def test_a_chart_without_a_single_point_still_has_a_title(chart: PointsChart) -> None:
    assert chart.finding([])


def test_labels_hide_neither_dots_nor_one_another() -> None:
    crowd = [point(f"card {i:02d}", 10 + i * 0.1, 100 + i * 0.1, weight=float(i)) for i in range(30)]
    labels = [dot for dot in picture(crowd, memory_bandwidth.SPEC, WIDE).dots if dot.label]
    assert len(labels) < 30
    places = {(dot.label_x, dot.label_y) for dot in labels}
    assert len(places) == len(labels)


def test_where_not_every_card_has_room_for_its_name_the_best_known_has_it() -> None:
    here = [point(f"card {i}", 20, 200, weight=weight) for i, weight in enumerate((1.0, 9.0, 2.0, 3.0, 4.0, 5.0, 6.0))]
    far = point("alone", 200, 4000, weight=0.5)
    named = {dot.label for dot in picture([*here, far], memory_bandwidth.SPEC, WIDE).dots if dot.label}
    assert {"card 1", "alone"} <= named
    assert "card 0" not in named, "the least known of those in one place"


def test_names_are_no_markup_in_plotly() -> None:
    figure = json.loads(plotly_json([point("<b>bold</b>", 8, 100)], memory_bandwidth.SPEC))
    assert figure["data"][0]["text"][0].startswith("&lt;b&gt;bold")


def test_the_finding_on_memory_names_the_widest_spread() -> None:
    same = [point(f"NVIDIA card {i}", 24, 100 * (i + 1)) for i in range(5)]
    assert memory_bandwidth.finding(same) == (
        "Two desktop cards with 24 GB can differ 5× in bandwidth: card 4 and card 0"
    )


def test_the_finding_on_time_is_the_doubling_of_the_record() -> None:
    points = [point("a", 2018.0, 100), point("b", 2020.0, 90), point("c", 2022.0, 400)]
    assert over_time.PERFORMANCE.finding(points).endswith("doubled every 2 years")


@pytest.mark.parametrize("chart", over_time.CHARTS, ids=lambda chart: chart.id)
def test_a_title_that_speaks_of_doubling_has_its_line_and_no_other_chart_has_one(chart: over_time.OverTime) -> None:
    made = chart.chart.draw(committed())
    assert "doubled every" in made.finding
    (line,) = json.loads(made.figure)["layout"]["shapes"]
    years = (line["x1"] - line["x0"]) / math.log2(line["y1"] / line["y0"])
    assert f"doubled every {number(years, 2)} years" in made.finding
    assert all(picture.trend.count("L") == 1 for picture in made.context["pictures"])
    rising = [p.y for p in made.context["points"]]
    assert line["y1"] == max(rising)
    assert "shapes" not in json.loads(memory_bandwidth.CHART.draw(committed()).figure)["layout"]


def test_a_log_scale_puts_equal_ratios_at_equal_distances() -> None:
    scale = Scale(1, 1000, 0, 300, True)
    assert [round(scale(v)) for v in (1, 10, 100, 1000)] == [0, 100, 200, 300]


def test_makers_have_different_hues_or_the_common_one_and_every_segment_a_shape() -> None:
    assert set(HUES) <= set(VENDORS)
    assert set(SYMBOLS) == set(SHAPES) == set(SEGMENTS)
    assert len({*HUES.values(), OTHER_HUE}) == len(HUES) + 1
    assert f"--ga-v-other: {OTHER_HUE};" in STYLES


def test_the_hues_are_those_of_the_style_sheet() -> None:
    light = STYLES.split('[data-md-color-scheme="slate"]')[0]
    for vendor, hue in HUES.items():
        assert f"--ga-v-{slug(vendor)}: {hue};" in light
        assert f".ga-v-{slug(vendor)} {{" in STYLES


def test_a_chart_needs_a_module_and_a_line_of_the_list_and_has_a_page_files_and_a_place_in_menu_and_chapters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    toy = replace(
        memory_bandwidth.CHART,
        id="power-and-price",
        name="Power and launch price",
        menu="Power and price",
        spec=Spec(Axis("board_power_w", "Board power, W", False), Axis("launch_price_usd", "Launch price, USD", False)),
        rows=lambda d: [
            base.point(gpu, gpu.board_power_w, gpu.launch_price_usd)
            for gpu in d.gpus.values()
            if gpu.board_power_w and gpu.launch_price_usd
        ],
        finding=lambda points: f"{len(points)} cards tell both",
    )
    files = {file.file: file for file in charts.pages(committed(), (*LISTED, toy))}
    made = {name for name in files if "power-and-price" in name}
    assert made == {
        f"{folder}/power-and-price.{end}"
        for folder, ends in (("charts", ("md", "csv", "json", "svg")), ("embed", ("html", "json")))
        for end in ends
    }
    assert 'href="../charts/power-and-price/"' in files["charts/index.md"].text()
    assert "cards tell both" in files["charts/power-and-price.md"].text()
    assert toy.in_chapters
    monkeypatch.setattr(listed, "CHARTS", (*LISTED, toy))
    nav = hooks().on_config({"nav": [{"GPUs": [{"Charts": ["charts/index.md", {"Benchmarks": "b.md"}]}]}]})["nav"]
    section = nav[0]["GPUs"][0]["Charts"]
    assert section[0] == "charts/index.md" and section[-1] == {"Benchmarks": "b.md"}
    assert section[-2] == {"Power and price": "charts/power-and-price.md"}
    assert len(section) == 2 + len(LISTED) + 1


def hooks() -> ModuleType:
    """The hooks of MkDocs."""
    spec = spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_charts_that_compare_memories_leave_chips_out_that_have_only_sram() -> None:
    chips = {id for id, gpu in committed().gpus.items() if gpu.memory_type == metrics.ON_CHIP}
    assert len(chips) >= 2
    for chart in (memory_bandwidth.CHART, over_time.MEMORY, over_time.MEMORY_PER_DOLLAR):
        rows = chart.rows(committed())
        assert rows and not chips & {point.gpu for point in rows}, chart


def test_of_two_figures_of_one_day_only_the_higher_is_a_record() -> None:
    points = [("2022-10", 40.0), ("2020-09", 24.0), ("2020-09", 10.0), ("2022-10", 48.0)]
    assert metrics.records_over_time(points) == [("2020-09", 24.0), ("2022-10", 48.0)]


@pytest.mark.parametrize(
    ("name", "label"),
    [("NVIDIA GeForce RTX 4090", "RTX 4090"), ("AMD Radeon VII", "Radeon VII"), ("AMD Instinct MI300X", "MI300X")],
)
def test_a_label_leaves_out_the_maker_and_the_line_only_where_a_number_tells_the_card(name: str, label: str) -> None:
    assert short(name) == label
