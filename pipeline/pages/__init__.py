"""The dataset in, every page and file of the site out: one module per kind of page, one list."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pipeline.dataset import Dataset
from pipeline.pages import (
    benchmarks,
    calculators,
    charts,
    choose,
    cloud,
    compare,
    conflicts,
    dictionary,
    downloads,
    explore,
    families,
    feed,
    gpu,
    gpu_charts,
    guide,
    home,
    method,
    pairs,
    picks,
    prices,
    quality,
    sources,
    statements,
    table,
    unplaced,
    validation,
)
from pipeline.render import Asset, Page

File = Page | Asset
PAGES: tuple[Callable[[Dataset], Iterator[File]], ...] = (
    home.pages,
    table.pages,
    gpu.pages,
    gpu_charts.pages,
    families.pages,
    cloud.pages,
    compare.pages,
    pairs.pages,
    charts.pages,
    explore.pages,
    benchmarks.pages,
    prices.pages,
    downloads.pages,
    dictionary.pages,
    sources.pages,
    conflicts.pages,
    quality.pages,
    unplaced.pages,
    method.pages,
    validation.pages,
    choose.pages,
    calculators.pages,
    guide.pages,
    picks.pages,
    statements.pages,
    feed.pages,
)


def every_file(dataset: Dataset) -> Iterator[File]:
    """All pages and files of the site, in the order of the list."""
    for pages in PAGES:
        yield from pages(dataset)
