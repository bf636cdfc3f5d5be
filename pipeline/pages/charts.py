"""Each chart of the list in, its page, its CSV and its Plotly JSON out, and the page that leads to them."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pipeline import files
from pipeline.charts import CHARTS
from pipeline.charts.base import HUES, NARROW, SHAPES, WIDE, csv_heads, csv_rows, picture
from pipeline.dataset import Dataset
from pipeline.pages import addresses
from pipeline.render import Asset, Page

# The pages of pipeline/pages/explore.py, benchmarks.py and prices.py: address, name, what is on it.
OTHERS = (
    ("charts/rent-over-time/", "Rent over time", "the median on-demand price of each card, month by month"),
    ("charts/measured-peak/", "Measured and peak", "which share of its peak a card reached"),
    ("charts/what-fits/", "What fits", "language models by number format and memory size"),
    ("charts/benchmarks/", "Benchmark explorer", "pick an experiment and see who is faster"),
    ("prices/", "Prices", "new, used and to rent, against the launch price"),
)


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The list of charts, then each chart with its files."""
    drawn = [drawing(chart, dataset) for chart in CHARTS]
    yield Page("charts/index", "charts.html.j2", {"charts": drawn, "others": OTHERS}, "Charts",
               "GPUs in pictures: price, memory, bandwidth and performance over time.", "pipeline/charts/__init__.py",
               hide=("toc",))  # fmt: skip
    for chart, context in zip(CHARTS, drawn, strict=True):
        yield from _files(chart, context)


def drawing(chart: ModuleType, dataset: Dataset) -> dict[str, Any]:
    """All that a page needs to show a chart."""
    points = chart.rows(dataset)
    pictures = [picture(points, chart.SPEC, size) for size in (WIDE, NARROW)] if points else []
    return {
        "id": chart.ID,
        "name": chart.NAME,
        "finding": chart.finding(points),
        "points": points,
        "ranking": chart.ranking(points) if hasattr(chart, "ranking") else [],
        "pictures": pictures,
        "spec": chart.SPEC,
        "how": chart.HOW,
        "not_shown": chart.NOT_SHOWN,
        "vendors": [name for name in HUES if any(p.vendor == name for p in points)],
        "shapes": {name: path for name, path in SHAPES.items() if any(p.segment == name for p in points)},
        "newest": dataset.newest_reading,
        "addresses": addresses,
    }


def _files(chart: ModuleType, context: dict[str, Any]) -> Iterator[Page | Asset]:
    edit = f"pipeline/charts/{chart.ID.replace('-', '_')}.py"
    yield Page(f"charts/{chart.ID}", "chart.html.j2", context, chart.NAME, context["finding"], edit, hide=("toc",))
    rows = csv_rows(context["points"])
    yield Asset(f"charts/{chart.ID}.csv", files.csv_text(csv_heads(chart.SPEC), rows))
    yield Asset(f"charts/{chart.ID}.json", chart.figure(context["points"]))
