"""A page for each chart of the list with its CSV and its Plotly JSON, and the page that leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.core import files
from pipeline.dataset import Dataset
from pipeline.site.charts.base import WIDE
from pipeline.site.charts.chart import Chart, Drawn
from pipeline.site.charts.listed import CHARTS
from pipeline.site.charts.rent_over_time import LinePicture
from pipeline.site.pages import addresses, embeds, schema_org
from pipeline.site.pages.facts import source_title
from pipeline.site.render import Asset, Page, Shared

# Pages with pictures that are no charts of the list: address, name, what is on it.
OTHERS = (
    ("charts/benchmarks/", "Benchmark explorer", "pick an experiment and see who is faster"),
    ("prices/", "Prices", "new, used and to rent, against the launch price"),
)


def pages(dataset: Dataset, charts: tuple[Chart, ...] = CHARTS) -> Iterator[Page | Asset]:
    """The list of charts, then each chart with its files."""
    drawn = [(chart, chart.draw(dataset)) for chart in charts]
    told = [(f"charts/{chart.id}/", chart.menu, chart.says) for chart in charts if chart.kind != "points"]
    context = {
        "charts": [described(chart, made, dataset) for chart, made in drawn if chart.kind == "points"],
        "others": [*told, *OTHERS],
    }
    yield Page(
        "charts/index",
        "charts.html.j2",
        context,
        "Charts",
        "GPUs in pictures: price, memory, bandwidth and performance over time.",
        "pipeline/site/charts/listed.py",
        hide=("toc",),
    )
    for chart, made in drawn:
        yield from _files(chart, made, dataset)


def described(chart: Chart, made: Drawn, dataset: Dataset) -> dict[str, Any]:
    """All that a page needs to show a chart."""
    return {
        "id": chart.id,
        "name": chart.name,
        "finding": made.finding,
        "how": chart.how,
        "not_shown": chart.not_shown,
        "workloads": [{"id": other.id, "says": other.workload} for other in CHARTS if other.workload],
        "newest": dataset.newest_reading,
        "addresses": addresses,
        "source_title": source_title,
        **made.context,
    }


def _files(chart: Chart, made: Drawn, dataset: Dataset) -> Iterator[Page | Asset]:
    context = described(chart, made, dataset)
    context["frame"] = embeds.frame_of(context)
    yield Page(
        f"charts/{chart.id}",
        chart.template,
        context,
        chart.name,
        made.finding,
        chart.edit,
        hide=("toc",),
        embed=embeds.answer_of(chart.id),
        about=schema_org.dataset(
            chart.name,
            f"{made.finding}. {chart.how}",
            f"charts/{chart.id}/",
            dataset.newest_reading,
            [schema_org.table(f"charts/{chart.id}.csv")],
        ),
        shared=Shared(made.finding, marks=_marks(context)),
    )
    yield from embeds.of_chart(context)
    yield from embeds.file_of(context)
    yield Asset(f"charts/{chart.id}.csv", files.csv_text(made.heads, made.rows))
    if made.figure:
        yield Asset(f"charts/{chart.id}.json", made.figure)


def _marks(context: Mapping[str, Any]) -> tuple[tuple[float, float, str], ...]:
    """The points of a chart for the picture of a link, as shares of its width and height; a table has none."""
    wide = next((picture for picture in context.get("pictures", ()) if picture.size.name == WIDE.name), None)
    if wide is None:
        return ()
    left, top = wide.size.left, wide.size.top
    across, down = wide.right - left, wide.bottom - top
    if isinstance(wide, LinePicture):
        dots = [(x, y, line.vendor) for line in wide.lines for x, y, _ in line.dots]
    else:
        dots = [(dot.x, dot.y, dot.point.vendor) for dot in wide.dots]
    return tuple(
        (round((float(x) - left) / across, 3), round((float(y) - top) / down, 3), maker) for x, y, maker in dots
    )
