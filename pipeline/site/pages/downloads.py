"""The Data door: the tables of the dataset to take away, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.core.paths import DATA
from pipeline.core.schema import FIELDS, TABLES
from pipeline.dataset import Dataset
from pipeline.site.pages import addresses
from pipeline.site.pages.conflicts import disputes
from pipeline.site.render import Asset, Page

DESCRIPTION = (
    "GPUs and accelerators for deep learning as CSV, with a source for every figure: specifications, peak "
    "rates, measured results, dated prices, sources, method and open conflicts."
)
LICENCE = "https://creativecommons.org/licenses/by-sa/4.0/"
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
    """The dataset in the words of schema.org, by which search engines for data find it."""
    tables = [
        {
            "@type": "DataDownload",
            "name": f"{name}.csv",
            "description": MEANING[name],
            "encodingFormat": "text/csv",
            "contentUrl": f"{addresses.SITE}data/{name}.csv",
        }
        for name in TABLES
    ]
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": "GPU Almanac",
        "description": DESCRIPTION,
        "url": f"{addresses.SITE}data/",
        "license": LICENCE,
        "isAccessibleForFree": True,
        "creator": {"@type": "Organization", "name": "GPU Almanac contributors", "url": addresses.SITE},
        "dateModified": newest,
        "keywords": ["GPU", "deep learning", "hardware", "specifications", "benchmarks", "prices"],
        "variableMeasured": [spec.label for spec in FIELDS.values()],
        "distribution": tables,
    }


def _paths(folder: Path) -> list[Path]:
    named = [folder / f"{name}.csv" for name in TABLES]
    return [path for path in (*named, folder / "schema.json") if path.exists()]
