"""The guide's chapters as pages: Markdown with the dataset's figures in it, so that the search finds every word."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from pipeline import guide
from pipeline.dataset import Dataset
from pipeline.pages import addresses
from pipeline.render import Page


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
    body = Markup(chapter.markdown)  # noqa: S704 - our own prose; the references escape what they bring in
    context = {
        "body": body,
        "figures": len(chapter.used),
        "newest": dataset.newest_reading,
        "edit": addresses.edit(source.file),
    }
    return Page(source.path, "guide.md.j2", context, source.meta["title"], source.meta["description"], source.file,
                hide=())  # fmt: skip
