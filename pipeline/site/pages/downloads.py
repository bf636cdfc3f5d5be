"""The Data door: the tables of the dataset to take away, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.core.paths import DATA
from pipeline.core.schema import FIELDS, TABLES
from pipeline.dataset import Dataset
from pipeline.site.pages import addresses, schema_org
from pipeline.site.pages.conflicts import disputes
from pipeline.site.render import Asset, Page

DESCRIPTION = (
    "GPUs and accelerators for deep learning as CSV, with a source for every figure: specifications, peak "
    "rates, measured results, dated prices, sources, method and open conflicts."
)
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
    tables = [
        (name, MEANING[name], dataset.size(name), len(contents.get(f"{name}.csv", "").encode())) for name in TABLES
    ]
    newest = dataset.newest_reading
    context = {
        "tables": tables,
        "newest": newest,
        "year": newest[:4],
        "conflicts": len(disputes(dataset)),
        "site": addresses.SITE,
    }
    yield Page(
        "data/index",
        "downloads.html.j2",
        context,
        "Data",
        DESCRIPTION,
        "pipeline/site/pages/downloads.py",
        hide=("toc",),
        about=_for_search_engines(newest),
    )
    for name, content in contents.items():
        yield Asset(f"data/{name}", content)


def _for_search_engines(newest: str) -> dict[str, object]:
    tables = [schema_org.table(f"data/{name}.csv", name=f"{name}.csv", description=MEANING[name]) for name in TABLES]
    return schema_org.dataset(
        "GPU Almanac",
        DESCRIPTION,
        "data/",
        newest,
        tables,
        keywords=["GPU", "deep learning", "hardware", "specifications", "benchmarks", "prices"],
        variableMeasured=[spec.label for spec in FIELDS.values()],
    )


def _paths(folder: Path) -> list[Path]:
    named = [folder / f"{name}.csv" for name in TABLES]
    return [path for path in (*named, folder / "schema.json") if path.exists()]
