"""The Data door: the tables of the dataset to take away, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.dataset import TABLES, Dataset
from pipeline.pages.conflicts import disputes
from pipeline.paths import DATA
from pipeline.render import Asset, Page

MEANING = {
    "gpus": "One row a GPU: what it is, and the chosen value of every field",
    "peaks": "One row a peak rate: input, accumulator, dense or sparse, engine",
    "claims": "One row for what one source says of one field of one GPU, chosen or not, and why",
    "benchmarks": "One row a measured result",
    "prices": "One row a dated price observation",
}


def pages(dataset: Dataset, folder: Path = DATA.clean) -> Iterator[Page | Asset]:
    """The page, and the files as they stand in data/clean."""
    contents = {path.name: path.read_text(encoding="utf-8") for path in _paths(folder)}
    tables = [(name, MEANING[name], len(dataset.tables[name]), len(contents.get(f"{name}.csv", "").encode()))
              for name in TABLES]  # fmt: skip
    context = {"tables": tables, "newest": dataset.newest_reading, "conflicts": len(disputes(dataset))}
    yield Page("data/index", "downloads.html.j2", context, "Data", "The dataset as CSV, with a source for every "
               "figure: tables, dictionary, sources, method and open conflicts.", "pipeline/pages/downloads.py",
               hide=("toc",))  # fmt: skip
    for name, content in contents.items():
        yield Asset(f"data/{name}", content)


def _paths(folder: Path) -> list[Path]:
    named = [folder / f"{name}.csv" for name in TABLES]
    return [path for path in (*named, folder / "schema.json") if path.exists()]
