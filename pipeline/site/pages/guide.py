"""The guide's chapters as pages: Markdown with the dataset's figures in it, so that the search finds every word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from pipeline.core.templates import root_of, template
from pipeline.dataset import Dataset
from pipeline.derive.prices.quote import quotes
from pipeline.editorial import guide
from pipeline.editorial.prose import PLACE
from pipeline.site.charts.listed import CHARTS, IN_CHAPTERS
from pipeline.site.pages import addresses
from pipeline.site.pages.charts import described
from pipeline.site.pages.price_history import price_history
from pipeline.site.render import Page

BOOST = 30.0  # a term is explained in a chapter; cards and comparisons only use it


def pages(dataset: Dataset) -> Iterator[Page]:
    """One page a chapter; GuideError lists every problem, for a guide with a wrong figure is not published."""
    read = guide.read(dataset, IN_CHAPTERS)
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
        "newest_bought": dataset.newest_price("retail", "used", "system"),
        "newest_rented": dataset.newest_price("on_demand", "spot"),
        "edit": addresses.edit(source.file),
    }
    return Page(
        source.path,
        "guide.md.j2",
        context,
        source.meta["title"],
        source.meta["description"],
        source.file,
        hide=(),
        boost=BOOST,
    )


def _chart(name: str, gpu: str, root: str, dataset: Dataset) -> str:
    """A chart as a chapter shows it; the check has found its name among the known ones."""
    context: dict[str, Any] = {"root": root, "chart": None}
    if gpu:
        card = dataset.gpus[gpu]
        context |= {"gpu": card, "history": price_history(card, quotes(dataset))}
    else:
        chart = next(chart for chart in CHARTS if name == chart.id)
        context["chart"] = described(chart, chart.draw(dataset), dataset)
    return str(template("guide_chart.html.j2").render(context))
