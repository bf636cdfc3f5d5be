"""Every page and file of the site. To add a kind of page: a module with `pages(dataset)`, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pipeline.dataset import Dataset
from pipeline.site.pages import (
    api,
    benchmarks,
    calculators,
    charts,
    choose,
    cloud,
    compare,
    conflicts,
    dictionary,
    downloads,
    embeds,
    families,
    feed,
    gpu,
    gpu_charts,
    guide,
    home,
    how_we_test,
    machines,
    measures,
    method,
    models,
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
from pipeline.site.render import Asset, Page

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
    measures.pages,
    benchmarks.pages,
    prices.pages,
    models.pages,
    downloads.pages,
    dictionary.pages,
    sources.pages,
    conflicts.pages,
    quality.pages,
    how_we_test.pages,
    unplaced.pages,
    method.pages,
    validation.pages,
    choose.pages,
    calculators.pages,
    guide.pages,
    picks.pages,
    statements.pages,
    feed.pages,
    machines.pages,
    embeds.pages,
    api.pages,
)


def every_file(dataset: Dataset) -> Iterator[File]:
    """All pages and files of the site, in the order of the list."""
    for pages in PAGES:
        yield from pages(dataset)


def write_folder(files: Iterable[File], folder: Path) -> None:
    """Write pages and files below a folder, where any engine that reads Markdown can build them."""
    for file in files:
        target = folder / file.file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text(), encoding="utf-8", newline="")
