"""The first page: what this is, in one sentence, and the doors as working tools."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.charts import memory_bandwidth
from pipeline.dataset import Dataset
from pipeline.pages import addresses
from pipeline.pages.charts import drawing
from pipeline.pages.conflicts import disputes
from pipeline.render import Page


def pages(dataset: Dataset) -> Iterator[Page]:
    """The home page."""
    context = {
        "gpus": len(dataset.gpus),
        "figures": sum(row["chosen"] == "yes" for row in dataset.tables["claims"]),
        "claims": len(dataset.tables["claims"]),
        "results": len(dataset.tables["benchmarks"]),
        "prices": len(dataset.tables["prices"]),
        "conflicts": len(disputes(dataset)),
        "newest": dataset.newest_reading,
        "chart": drawing(memory_bandwidth, dataset),
        "vendors": _vendors(dataset),
        "addresses": addresses,
    }
    yield Page("index", "home.html.j2", context, "GPU Almanac",
               "An open guide to choosing a GPU for deep learning, in which every figure names its source.",
               "docs/templates/home.html.j2")  # fmt: skip


def _vendors(dataset: Dataset) -> list[tuple[str, str, int]]:
    groups = {vendor: records for (vendor, _), records in addresses.grouped(dataset.gpus.values(), "vendor").items()}
    return [(vendor, addresses.vendor(records[0]), len(records)) for vendor, records in groups.items()]
