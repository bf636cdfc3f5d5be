"""The file behind the charts' choice of another figure, and behind their filters."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pipeline.dataset import Dataset
from pipeline.site.charts import measures
from pipeline.site.render import Asset


def pages(dataset: Dataset) -> Iterator[Asset]:
    """Every figure that a chart may show, of every card."""
    yield Asset(measures.FILE, json.dumps(measures.table(dataset), separators=(",", ":")) + "\n")
