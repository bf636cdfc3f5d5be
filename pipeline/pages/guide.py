"""The guide's chapters as pages: Markdown with the dataset's figures in it, so that the search finds every word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from pipeline import guide
from pipeline.charts import CHARTS, measured_peak
from pipeline.dataset import Dataset
from pipeline.pages import addresses
from pipeline.pages.charts import drawing, shown
from pipeline.pages.price_history import price_history
from pipeline.prose import PLACE
from pipeline.render import Page, root_of, template


def pages(dataset: Dataset) -> Iterator[Page]:
    """One page a chapter; GuideError lists every problem, for a guide with a wrong figure is not published."""
    read = guide.read(dataset)
    if read.problems:
        raise guide.GuideError("\n".join(map(str, read.problems)))
    for chapter in read.chapters:
        yield page(chapter, dataset)


def page(chapter: guide.Chapter, dataset: Dataset) -> Page:
    """The page of a chapter."""
    source = chapter.source
    root = root_of(source.address)
    drawn = PLACE.sub(lambda place: _chart(place[1], place[2], root, dataset), chapter.markdown)
    body = Markup(drawn)  # noqa: S704 - our own prose; the references escape what they bring in
    context = {
        "body": body,
        "figures": len(chapter.used),
        "newest": dataset.newest_reading,
        "edit": addresses.edit(source.file),
    }
    return Page(source.path, "guide.md.j2", context, source.meta["title"], source.meta["description"], source.file,
                hide=())  # fmt: skip


def _chart(name: str, gpu: str, root: str, dataset: Dataset) -> str:
    """A chart as a chapter shows it; the check has found its name among the known ones."""
    context: dict[str, Any] = {"root": root, "chart": None}
    if gpu:
        card = dataset.gpus[gpu]
        context |= {"gpu": card, "history": price_history(card, dataset.newest_reading)}
    elif name == measured_peak.ID:
        context["chart"] = _measured(dataset)
    else:
        context["chart"] = drawing(next(chart for chart in CHARTS if name == chart.ID), dataset)
    return str(template("guide_chart.html.j2").render(context))


def _measured(dataset: Dataset) -> dict[str, Any]:
    chart, shares = measured_peak, measured_peak.rows(dataset)
    points = chart.points(shares)
    named = {"id": chart.ID, "name": chart.NAME, "finding": chart.finding(shares), "newest": dataset.newest_reading}
    return named | shown(points, chart.SPEC)
