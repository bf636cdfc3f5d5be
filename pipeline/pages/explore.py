"""The charts that are no scatter in, their pages and files out: rent over time, measured and peak, what fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline import files
from pipeline.charts import measured_peak, rent_over_time, what_fits
from pipeline.charts.base import plotly_json
from pipeline.dataset import Dataset
from pipeline.estimate import models
from pipeline.pages import addresses
from pipeline.pages.charts import shown
from pipeline.pages.facts import source_title
from pipeline.render import Asset, Page

BAR = 100  # the width of a full bar, in the units of its picture


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The three pages, each with its CSV."""
    yield from _rents(dataset)
    yield from _measured(dataset)
    yield from _fits(dataset)


def _rents(dataset: Dataset) -> Iterator[Page | Asset]:
    chart = rent_over_time
    months = chart.rows(dataset)
    cards = chart.drawn(months)
    known = {(entry.gpu, entry.month): entry.usd for own in cards.values() for entry in own}
    heads = sorted({entry.month for own in cards.values() for entry in own})
    context = {
        "pictures": [chart.picture(months, size) for size in (chart.WIDE, chart.NARROW)] if cards else [],
        "axis": chart.AXIS,
        "months": heads,
        "cards": [(own[0], [known.get((own[0].gpu, month)) for month in heads]) for own in cards.values()],
    }
    yield _page(chart, "rent_over_time.html.j2", chart.finding(months), context, dataset)
    yield Asset(f"charts/{chart.ID}.csv", files.csv_text(chart.HEADS, chart.csv_rows(months)))
    yield Asset(f"charts/{chart.ID}.json", chart.figure(months))


def _measured(dataset: Dataset) -> Iterator[Page | Asset]:
    chart = measured_peak
    shares = chart.rows(dataset)
    points = chart.points(shares)
    context = {"groups": _grouped(shares), "bar": BAR, "source_title": source_title, **shown(points, chart.SPEC)}
    yield _page(chart, "measured_peak.html.j2", chart.finding(shares), context, dataset)
    yield Asset(f"charts/{chart.ID}.csv", files.csv_text(chart.HEADS, chart.csv_rows(shares)))
    yield Asset(f"charts/{chart.ID}.json", plotly_json(points, chart.SPEC))


def _grouped(shares: list[measured_peak.Share]) -> list[tuple[str, list[tuple[measured_peak.Share, str]]]]:
    """By what was measured: each share with the width of its bar."""
    measures = dict.fromkeys(share.what for share in shares)
    return [(what, [(s, f"{BAR * min(1.0, s.share):.1f}") for s in shares if s.what == what]) for what in measures]


def _fits(dataset: Dataset) -> Iterator[Page | Asset]:
    chart = what_fits
    fits = chart.rows(models.load().models)
    formats = [(text, [fit for fit in fits if fit.quant == quant]) for quant, text in chart.FORMATS.items()]
    context = {"formats": formats, "sizes": chart.SIZES_GB, "tight": chart.TIGHT_GIB}
    yield _page(chart, "what_fits.html.j2", chart.finding(fits), context, dataset)
    yield Asset(f"charts/{chart.ID}.csv", files.csv_text(chart.HEADS, chart.csv_rows(fits)))


def _page(chart: Any, template: str, finding: str, context: dict[str, Any], dataset: Dataset) -> Page:  # noqa: ANN401
    shared = {"id": chart.ID, "name": chart.NAME, "finding": finding, "how": chart.HOW, "not_shown": chart.NOT_SHOWN,
              "newest": dataset.newest_reading, "addresses": addresses}  # fmt: skip
    edit = f"pipeline/charts/{chart.ID.replace('-', '_')}.py"
    return Page(f"charts/{chart.ID}", template, shared | context, chart.NAME, finding, edit, hide=("toc",))
