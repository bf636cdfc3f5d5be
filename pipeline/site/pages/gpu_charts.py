"""The files behind the pictures of a card's page, price history and roofline, as CSV and as Plotly's JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pipeline.core import files
from pipeline.dataset import Dataset
from pipeline.site.charts import history, roofline
from pipeline.site.pages.price_history import drawn_rows
from pipeline.site.render import Asset


def pages(dataset: Dataset, ids: Collection[str] = ()) -> Iterator[Asset]:
    """Two files for each picture that the page of a card shows, of every card or of those named."""
    for gpu in (dataset.gpus[id] for id in sorted(ids or dataset.gpus)):
        rows = drawn_rows(gpu)
        if rows:
            yield Asset(f"gpus/{gpu.id}/prices.csv", files.csv_text(history.HEADS, history.csv_rows(rows)))
            yield Asset(f"gpus/{gpu.id}/prices.json", history.figure(rows, gpu.launch_price_usd))
        roof = roofline.roofline(gpu)
        if roof:
            yield Asset(f"gpus/{gpu.id}/roofline.csv", files.csv_text(roofline.HEADS, roofline.csv_rows(roof)))
            yield Asset(f"gpus/{gpu.id}/roofline.json", roofline.figure(roof))
