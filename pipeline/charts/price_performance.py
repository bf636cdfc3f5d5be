"""What an hour of each GPU costs on demand, and how high its dense 16-bit peak is."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import metrics
from pipeline.charts.base import SIXTEEN_BIT, Axis, Point, Spec, plotly_json, point, short
from pipeline.dataset import Dataset
from pipeline.render import dollars, number

ID = "price-performance"
NAME = "Price to rent and performance"
SPEC = Spec(Axis("median_usd_per_gpu_hour", "USD per GPU-hour, median (log)", True),
            SIXTEEN_BIT, 18)  # fmt: skip
HOW = ("Each point is one GPU with unflagged on-demand offers and a dense 16-bit matrix peak. The price is the median "
       "of its offers in the newest month that has any, so months differ from card to card; the page of each card "
       "names its month.")  # fmt: skip
NOT_SHOWN = ("Measured speed: a peak is the maker’s figure and nobody reaches it. Spot and reserved prices, which are "
             "other kinds. Network, disk and processor that come with the machine.")  # fmt: skip


def rows(dataset: Dataset) -> list[Point]:
    """A point for each GPU with a price and a peak, in the order of their ids; the best value is labelled first."""
    found = ((gpu, metrics.rent(gpu), metrics.sixteen_bit(gpu)) for gpu in dataset.gpus.values())
    return [
        point(gpu, rent.median_usd, rate.tflops, f"{dollars(rent.median_usd)} an hour",
              f"{number(rate.tflops)} TFLOPS", rate.tflops / rent.median_usd)
        for gpu, rent, rate in found
        if rent and rate
    ]  # fmt: skip


def finding(points: Sequence[Point]) -> str:
    """The card with the most 16-bit peak for a dollar of rent."""
    if not points:
        return "Rental prices against peak rates: no card has both figures yet"
    best = max(points, key=lambda p: (p.weight, p.gpu))
    return (f"Most 16-bit peak for the money, rented: {short(best.name)}, {number(best.weight)} TFLOPS for a dollar "
            f"an hour")  # fmt: skip


def figure(points: Sequence[Point]) -> str:
    """The chart as Plotly's JSON."""
    return plotly_json(points, SPEC)
