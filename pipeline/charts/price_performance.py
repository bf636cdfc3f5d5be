"""What an hour of each GPU costs on demand, and how high its dense 16-bit peak is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline import metrics
from pipeline.charts.base import SIXTEEN_BIT, Axis, Point, Spec, plotly_json, point, short
from pipeline.dataset import Dataset
from pipeline.render import dollars, number

ID = "price-performance"
NAME = "Price to rent and performance"
SPEC = Spec(Axis("median_usd_per_gpu_hour", "USD per GPU-hour, median (log)", True),
            SIXTEEN_BIT, 18, band=True)  # fmt: skip
HOW = ("Each point is one GPU with unflagged on-demand offers and a dense 16-bit matrix peak. The price is the median "
       "of its offers in the newest month that has any, so months differ from card to card; the page of each card "
       "names its month. The line beside a point holds its offers from the 10th to the 90th percentile; under "
       "three offers there is none. Two cards whose spreads of peak per dollar overlap by more than half show no clear "
       "difference.")  # fmt: skip
NOT_SHOWN = ("Measured speed: a peak is the maker’s figure and nobody reaches it. Spot and reserved prices, which are "
             "other kinds. Network, disk and processor that come with the machine.")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rank:
    """A card's place by peak per dollar; `unclear` is unknown where one of two neighbours has too few offers."""

    point: Point
    band: metrics.Band | None
    unclear: bool | None


def rows(dataset: Dataset) -> list[Point]:
    """A point for each GPU with a price and a peak, in the order of their ids; the best value is labelled first."""
    found = ((gpu, metrics.rent(gpu), metrics.sixteen_bit(gpu)) for gpu in dataset.gpus.values())
    return [
        _banded(
            point(gpu, rent.median_usd, rate.tflops, f"{dollars(rent.median_usd)} an hour",
                  f"{number(rate.tflops)} TFLOPS", rate.tflops / rent.median_usd, rent.band)
        )
        for gpu, rent, rate in found
        if rent and rate
    ]  # fmt: skip


def finding(points: Sequence[Point]) -> str:
    """The card with the most 16-bit peak for a dollar of rent, of those with three offers or more."""
    if not points:
        return "Rental prices against peak rates: no card has both figures yet"
    ranked = ranking([p for p in points if p.band] or points)
    best = ranked[0].point
    even = [rank.point for rank in ranked[1:2] if rank.unclear]
    doubt = f", no clear difference from {short(even[0].name)}" if even else ""
    return (f"Most 16-bit peak for the money, rented: {short(best.name)}, {number(best.weight)} TFLOPS for a dollar "
            f"an hour{doubt}")  # fmt: skip


def ranking(points: Sequence[Point]) -> list[Rank]:
    """The cards by peak per dollar, each with its spread and whether it differs from the one above."""
    found: list[Rank] = []
    above: metrics.Band | None = None
    for p in sorted(points, key=lambda p: (-p.weight, p.gpu)):
        own = metrics.Band(p.y / p.band.high, p.y / p.band.low) if p.band else None
        found.append(Rank(p, own, own.unclear(above) if own and above else None))
        above = own
    return found


def _banded(p: Point) -> Point:
    """The point with its spread as columns of the CSV; blank where there is none."""
    return replace(p, more=(p.band.low, p.band.high) if p.band else ("", ""))


def figure(points: Sequence[Point]) -> str:
    """The chart as Plotly's JSON."""
    return plotly_json(points, SPEC)
