"""Every static picture read back by its own ticks: its marks are the numbers of its CSV and of data/clean."""

from __future__ import annotations

import csv
import io
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import pytest
from samples import committed

from pipeline.core.wording import MONTHS, number
from pipeline.dataset import GpuRecord
from pipeline.derive import metrics
from pipeline.site.charts import fits_on, history, measured_peak, percentile
from pipeline.site.charts.base import PointsChart
from pipeline.site.charts.listed import CHARTS as LISTED
from pipeline.site.pages import benchmarks, charts, gpu, gpu_charts
from pipeline.site.render import Page

# Consumer, workstation, data centre; two dies; a maker with few figures; prices, roofline and measured runs.
CHARTS = tuple(chart for chart in LISTED if isinstance(chart, PointsChart))
CARDS = (
    "amd-instinct-mi300x",
    "amd-radeon-rx-7900-xtx",
    "apple-m4-max-40-core-gpu",
    "intel-arc-a770-16gb",
    "nvidia-b200",
    "nvidia-geforce-rtx-3090",
    "nvidia-geforce-rtx-4090",
    "nvidia-geforce-rtx-5090",
    "nvidia-h100-sxm5-80gb",
    "nvidia-tesla-k80",
)
# Pictures round to a tenth of a pixel, and a tick of theirs is read from far away.
PIXELS = 0.7


@cache
def made() -> dict[str, str]:
    """The pages with pictures and the files beside them."""
    cards = [id for id in CARDS if id in committed().gpus]
    assert len(cards) >= 8
    found = (*charts.pages(committed()), *benchmarks.pages(committed()))
    own = (*gpu.pages(committed(), cards), *gpu_charts.pages(committed(), cards))
    return {file.file: file.text() for file in (*found, *own)}


def rows(file: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(made()[file])))


def pictures(page: str) -> list[str]:
    found = re.findall(r'<svg class="ga-picture.*?</svg>', made()[page], re.DOTALL)
    assert found, page
    return found


@dataclass(frozen=True)
class Read:
    """An axis as a reader sees it: where its ticks stand and what stands beside them."""

    ticks: tuple[tuple[float, float], ...]  # (pixel, value), first and last
    log: bool

    def __call__(self, value: float) -> float:
        """Where a value must stand."""
        (first, low), (last, high) = self.ticks[0], self.ticks[-1]
        at = math.log if self.log else float
        return first + (at(value) - at(low)) * (last - first) / (at(high) - at(low))


def axis(picture: str, anchor: str, log: bool, value: Callable[[str], float] | None = None) -> Read:
    """The axis whose ticks are anchored so: x in their middle, y at their end."""
    place = "x" if anchor == "middle" else "y"
    ticks = re.search(r'<g class="ga-ticks">(.*?)</g>', picture, re.DOTALL)
    assert ticks
    texts = re.findall(rf'<text ([^>]*)text-anchor="{anchor}">([^<]+)</text>', ticks[1])
    read = value or (lambda text: float(re.sub(r"[$,]| GB", "", text)))
    found = [(float(re.search(rf'\b{place}="([\d.]+)"', tag)[1]), read(text)) for tag, text in texts]  # type: ignore[index]
    assert len(found) >= 2, texts
    return Read(tuple(found), log)


def marks(picture: str, group: str) -> list[tuple[float, float]]:
    found = re.search(rf'<g class="{group}">(.*?)</g>', picture, re.DOTALL)
    assert found
    return [(float(x), float(y)) for x, y in re.findall(r'transform="translate\(([\d.]+) ([\d.]+)\)"', found[1])]


def near(drawn: float, wanted: float) -> bool:
    return abs(drawn - wanted) <= PIXELS


def month(text: str) -> float:
    return int(text[-4:]) + [name[:3] for name in MONTHS].index(text[:3]) / 12


@pytest.mark.sample(4)
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.id)
def test_every_mark_of_a_chart_stands_where_its_row_of_the_csv_says(chart: PointsChart) -> None:
    table = rows(f"charts/{chart.id}.csv")
    for picture in pictures(f"charts/{chart.id}.md"):
        x, y = axis(picture, "middle", chart.spec.x.log), axis(picture, "end", chart.spec.y.log)
        dots = marks(picture, "ga-dots")
        assert len(dots) == len(table)
        for (at_x, at_y), row in zip(dots, table, strict=True):
            assert near(at_x, x(float(row[chart.spec.x.column]))), row
            assert near(at_y, y(float(row[chart.spec.y.column]))), row


@pytest.mark.parametrize("chart", [c for c in CHARTS if c.spec.band], ids=lambda chart: chart.id)
def test_every_spread_of_a_chart_ends_where_its_csv_says(chart: PointsChart) -> None:
    spec = chart.spec
    for picture in pictures(f"charts/{chart.id}.md"):
        x, y = axis(picture, "middle", True), axis(picture, "end", True)
        paths = re.findall(r'd="M([\d.]+) ([\d.]+)([HV])([\d.]+)"/>', re.search(r'"ga-bands">(.*?)</g>', picture)[1])  # type: ignore[index]
        told = [
            (scale(float(row[f"{name}_p10"])), scale(float(row[f"{name}_p90"])))
            for row in rows(f"charts/{chart.id}.csv")
            for scale, name in ((x, spec.x.column), (y, spec.y.column))
            if row.get(f"{name}_p10")
        ]
        assert len(paths) == len(told) > 0
        for (at_x, at_y, way, end), (low, high) in zip(paths, told, strict=True):
            assert near(float(at_x if way == "H" else at_y), low)
            assert near(float(end), high)


@pytest.mark.parametrize("chart", [c for c in CHARTS if c.spec.reached], ids=lambda chart: chart.id)
def test_a_bar_under_a_peak_stands_at_what_was_measured_on_that_card(chart: PointsChart) -> None:
    measured = {
        row.gpu: row.value
        for row in committed().benchmarks
        if (row.set, row.precision, row.metric) == ("mamf", "bf16", "tflops") and not row.flag
    }
    table = [row for row in rows(f"charts/{chart.id}.csv") if row[chart.spec.reached]]
    assert len(table) >= 8
    assert {row["gpu"]: float(row[chart.spec.reached]) for row in table}.items() <= measured.items()
    for picture in pictures(f"charts/{chart.id}.md"):
        y = axis(picture, "end", True)
        bars = re.findall(r'class="ga-v-\w+ ga-reached" d="M[\d.]+ ([\d.]+)V([\d.]+)M[\d.]+ \2H', picture)
        assert len(bars) == len(table)
        for (peak, low), row in zip(bars, table, strict=True):
            assert near(float(peak), y(float(row[chart.spec.y.column])))
            assert near(float(low), y(float(row[chart.spec.reached])))


def test_the_picture_of_measured_and_peak_holds_the_best_matmul_of_each_card_of_its_csv() -> None:
    best: dict[str, tuple[float, float]] = {}
    for row in rows("charts/measured-peak.csv"):
        if row["what"] == measured_peak.order_first():
            best.setdefault(row["gpu"], (float(row["peak"]), float(row["measured"])))
    for picture in pictures("charts/measured-peak.md"):
        x, y = axis(picture, "middle", True), axis(picture, "end", True)
        for (at_x, at_y), (peak, measured) in zip(marks(picture, "ga-dots"), best.values(), strict=True):
            assert near(at_x, x(peak))
            assert near(at_y, y(measured))


def test_the_bars_of_measured_and_peak_are_as_long_as_the_shares_of_its_csv() -> None:
    bars = re.findall(r'<rect width="([\d.]+)" height="10"/></svg>', made()["charts/measured-peak.md"])
    shares = [min(1.0, float(row["share"])) for row in rows("charts/measured-peak.csv")]
    assert [float(bar) for bar in bars] == pytest.approx([100 * share for share in shares], abs=0.051)


def test_every_dot_of_the_rents_stands_at_its_month_and_price() -> None:
    table = {
        (row["name"], row["month"]): float(row["median_usd_per_gpu_hour"]) for row in rows("charts/rent-over-time.csv")
    }
    wide = pictures("charts/rent-over-time.md")[0]
    y = axis(wide, "end", True)
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="2.6"><title>(.*?), (\w+) (\d+): ', wide)
    assert len(dots) >= 20
    months: dict[str, set[str]] = {}
    for at_x, at_y, name, in_month, year in dots:
        key = f"{year}-{MONTHS.index(in_month) + 1:02d}"
        usd = next(
            usd for (card, at), usd in table.items() if at == key and card.removesuffix(" Generation").endswith(name)
        )
        assert near(float(at_y), y(usd))
        months.setdefault(key, set()).add(at_x)
    assert all(len(places) == 1 for places in months.values())
    order = [float(min(places)) for _, places in sorted(months.items())]
    assert order == sorted(order)


def test_the_cells_of_what_fits_are_those_of_its_csv() -> None:
    page = made()["charts/what-fits.md"]
    told = [row["fits"] for row in rows("charts/what-fits.csv")]
    assert re.findall(r'<td class="ga-fit ga-fit--(\w+)">\1</td>', page) == told


def test_the_bars_of_the_first_experiment_are_its_values() -> None:
    page = made()["charts/benchmarks.md"]
    first = benchmarks._first(benchmarks.comparisons(committed().benchmarks))
    assert first
    values = [row.number for row in first.rows]
    bars = [float(width) for width in re.findall(r'<rect width="([\d.]+)" height="10"/>', page)]
    assert bars == pytest.approx([100 * value / max(values) for value in values], abs=0.051)


def own_pictures(kind: str) -> Iterator[tuple[str, str]]:
    """A picture of a card's page, told by a part that only it has."""
    for id in (id for id in CARDS if id in committed().gpus):
        for picture in re.findall(r'<svg class="ga-picture.*?</svg>', made()[f"gpus/{id}.md"], re.DOTALL):
            if kind in picture:
                yield id, picture


def test_every_mark_of_a_roofline_stands_where_its_csv_says() -> None:
    seen = 0
    for id, picture in own_pictures("ga-roof"):
        x, y = axis(picture, "middle", True), axis(picture, "end", True)
        table = [row for row in rows(f"gpus/{id}/roofline.csv") if row["kind"] != "roof"]
        found = re.findall(r'<path class="ga-mark[^"]*" transform="translate\(([\d.]+) ([\d.]+)\)"', picture)
        assert len(found) == len(table)
        for (at_x, at_y), row in zip(found, table, strict=True):
            assert near(float(at_x), x(min(4096.0, float(row["operations_per_byte"])))), (id, row)
            assert near(float(at_y), y(float(row["tflops"]))), (id, row)
            seen += 1
        ends = [row for row in rows(f"gpus/{id}/roofline.csv") if row["kind"] == "roof"]
        start = re.search(r'ga-roof" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)H', picture)
        assert start
        for (at_x, at_y), row in zip((start.group(1, 2), start.group(3, 4)), ends[:2], strict=True):
            assert near(float(at_x), x(float(row["operations_per_byte"])))
            assert near(float(at_y), y(float(row["tflops"])))
    assert seen >= 30


def test_every_price_of_a_cards_picture_stands_where_its_csv_says() -> None:
    seen = 0
    for id, picture in own_pictures("ga-k-"):
        y = axis(picture, "end", False)
        table = rows(f"gpus/{id}/prices.csv")
        launches = [row for row in table if row["kind"] == "launch"]
        wanted = [row for row in table if row["kind"] != "launch" or row is launches[0]]
        found = re.findall(
            r'<path class="ga-k-(\w+) ga-mark([^"]*)" transform="translate\(([\d.]+) ([\d.]+)\)"', picture
        )
        assert [(kind, "flagged" in more) for kind, more, _, _ in found] == [
            (r["kind"], bool(r["flag"])) for r in wanted
        ]
        for (_, _, _, at_y), row in zip(found, wanted, strict=True):
            assert near(float(at_y), y(float(row["usd_per_unit"]))), (id, row)
            seen += 1
        places = [float(at_x) for _, _, at_x, _ in found]
        years = [metrics.year_of(row["date"]) for row in wanted]
        if max(years) > min(years):
            per_year = (max(places) - min(places)) / (max(years) - min(years))
            for place, year in zip(places, years, strict=True):
                assert near(place, min(places) + (year - min(years)) * per_year), id
    assert seen >= 30
    assert history.HEADS[2] == "usd_per_unit"


def test_the_models_that_a_cards_picture_holds_are_those_of_what_fits() -> None:
    needs: dict[str, list[float]] = {}
    for row in rows("charts/what-fits.csv"):
        needs.setdefault(row["format"], []).append(float(row["needed_gib"]))
    for id, picture in own_pictures("ga-limit"):
        x = axis(picture, "middle", True)
        limit = float(re.search(r'ga-limit" d="M([\d.]+) ', picture)[1])  # type: ignore[index]
        drawn = re.findall(r'class="ga-(inside|outside)" d="([^"]*)"', picture)
        for at, quant in enumerate(fits_on.SHORT):
            sizes = sorted({min(max(need, fits_on.LOW), fits_on.HIGH) for need in needs[quant]})
            held, not_held = (
                [float(m) for m in re.findall(r"M([\d.]+) ", path)] for _, path in drawn[2 * at : 2 * at + 2]
            )
            for place in (*held, *not_held):
                assert any(near(place, x(size)) for size in sizes), id
            assert all(any(near(x(size), place) for place in (*held, *not_held)) for size in sizes), id
            assert max(held, default=0) <= limit + PIXELS
            assert min(not_held, default=math.inf) >= limit - PIXELS


def test_where_a_card_stands_is_its_place_among_the_cards_of_its_use() -> None:
    measures = {
        "Memory": lambda gpu: gpu.memory_gb,
        "Memory bandwidth": lambda gpu: gpu.memory_bandwidth_gb_s,
    }
    seen = 0
    for id in (id for id in CARDS if id in committed().gpus):
        card = committed().gpus[id]
        same = [
            gpu for gpu in committed().gpus.values() if _use(gpu) == _use(card) and gpu.memory_type != metrics.ON_CHIP
        ]
        for label, read in measures.items():
            strip = rf'aria-label="{label} ([^"]*)"><path class="ga-others" d="([^"]*)"/>'
            found = re.search(strip + r'<path class="ga-own" d="M([\d.]+) 0V16"', made()[f"gpus/{id}.md"])
            if not found:
                continue
            values = sorted(value for gpu in same if (value := read(gpu)))
            own = read(card)
            less = bisect_left(values, own)
            assert found[1].startswith(number(own)), id
            assert f"more than {less} of {len(values) - 1} other" in found[1]
            assert near(float(found[3]), _on_strip(own, values))
            drawn = [float(place) for place in re.findall(r"M([\d.]+) ", found[2])]
            assert all(any(near(place, _on_strip(value, values)) for value in values) for place in drawn)
            assert all(any(near(place, _on_strip(value, values)) for place in drawn) for value in values)
            seen += 1
    assert seen >= 12


def _use(gpu: GpuRecord) -> str:
    return "desk" if gpu.segment in ("consumer", "workstation") else gpu.segment


def _on_strip(value: float, values: Sequence[float]) -> float:
    low, high = values[0], values[-1]
    wide = percentile.WIDTH - 2 * percentile.EDGE
    return percentile.EDGE + wide * math.log(value / low) / math.log(high / low)


def test_every_page_with_a_picture_is_read_back_here() -> None:
    known = {f"charts/{chart.id}.md" for chart in CHARTS} | {"charts/measured-peak.md", "charts/rent-over-time.md"}
    drawn = {
        page.file
        for page in (*charts.pages(committed()), *benchmarks.pages(committed()))
        if isinstance(page, Page) and 'class="ga-picture' in page.text()
    }
    assert drawn == known
