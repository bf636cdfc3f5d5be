"""Each chart of the list in, its page, its CSV and its Plotly JSON out, and the page that leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pipeline import files
from pipeline.charts import CHARTS
from pipeline.charts.base import (
    HUES,
    NARROW,
    SHAPES,
    WIDE,
    Chart,
    Point,
    Spec,
    csv_heads,
    csv_rows,
    picture,
    plotly_json,
)
from pipeline.dataset import Dataset
from pipeline.pages import addresses
from pipeline.pages.facts import source_title
from pipeline.render import Asset, Page

# The pages of pipeline/pages/explore.py, benchmarks.py and prices.py: address, name, what is on it.
OTHERS = (
    ("charts/rent-over-time/", "Rent over time", "the median on-demand price of each card, month by month"),
    ("charts/measured-peak/", "Measured and peak", "which share of its peak a card reached"),
    ("charts/what-fits/", "What fits", "language models by number format and memory size"),
    ("charts/benchmarks/", "Benchmark explorer", "pick an experiment and see who is faster"),
    ("prices/", "Prices", "new, used and to rent, against the launch price"),
)

# The charts of price and performance, as their pages name one another.
WORKLOADS = (
    {"id": "answers-per-dollar", "says": "answers"},
    {"id": "tuning-per-dollar", "says": "fine-tuning"},
    {"id": "images-per-dollar", "says": "training on images"},
    {"id": "price-performance", "says": "peak rate"},
)


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The list of charts, then each chart with its files."""
    drawn = [drawing(chart, dataset) for chart in CHARTS]
    yield Page("charts/index", "charts.html.j2", {"charts": drawn, "others": OTHERS}, "Charts",
               "GPUs in pictures: price, memory, bandwidth and performance over time.", "pipeline/charts/__init__.py",
               hide=("toc",))  # fmt: skip
    for chart, context in zip(CHARTS, drawn, strict=True):
        yield from _files(chart, context)


def drawing(chart: Chart, dataset: Dataset) -> dict[str, Any]:
    """All that a page needs to show a chart."""
    points = chart.rows(dataset)
    return {
        "id": chart.ID,
        "name": chart.NAME,
        "finding": chart.finding(points),
        **shown(points, chart.SPEC),
        "ranking": chart.ranking(points) if hasattr(chart, "ranking") else [],
        "machines": chart.machines(dataset) if hasattr(chart, "machines") else [],
        "workloads": WORKLOADS,
        "about": getattr(chart, "about", ""),
        "per_dollar": getattr(chart, "per_dollar", ""),
        "spec": chart.SPEC,
        "how": chart.HOW,
        "not_shown": chart.NOT_SHOWN,
        "newest": dataset.newest_reading,
        "addresses": addresses,
        "source_title": source_title,
    }


def shown(points: Sequence[Point], spec: Spec) -> dict[str, Any]:
    """The points with their static pictures and the legend that these need."""
    return {
        "points": points,
        "pictures": [picture(points, spec, size) for size in (WIDE, NARROW)] if points else [],
        "vendors": [name for name in HUES if any(p.vendor == name for p in points)],
        "shapes": {name: path for name, path in SHAPES.items() if any(p.segment == name for p in points)},
        "bases": list(dict.fromkeys(p.basis for p in points if p.basis)),
        "reached": any(p.reached for p in points),
    }


def _files(chart: Chart, context: dict[str, Any]) -> Iterator[Page | Asset]:
    edit = f"{_module(chart).replace('.', '/')}.py"
    points = context["points"]
    yield Page(f"charts/{chart.ID}", "chart.html.j2", context, chart.NAME, context["finding"], edit, hide=("toc",))
    yield Asset(f"charts/{chart.ID}.csv", files.csv_text(csv_heads(chart.SPEC), csv_rows(points, chart.SPEC)))
    yield Asset(f"charts/{chart.ID}.json", plotly_json(points, chart.SPEC))


def _module(chart: Chart) -> str:
    """Where a chart is written: it is a module, or an entry of one."""
    return str(getattr(chart, "__name__", type(chart).__module__))
