"""What an hour of each GPU costs on demand, and how high its dense 16-bit peak is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline import metrics
from pipeline.charts.base import SIXTEEN_BIT, Axis, Point, Spec, point, short
from pipeline.dataset import Dataset
from pipeline.render import dollars, number

ID = "price-performance"
NAME = "Price to rent and performance"
per_dollar = "TFLOPS for $1 an hour"  # the unit of its ranking
RENT = Axis("median_usd_per_gpu_hour", "USD per GPU-hour, median (log)", True)
SPEC = Spec(RENT, SIXTEEN_BIT, 18, band=True)
HOW = (
    "Each point is one GPU with unflagged on-demand offers and a dense 16-bit matrix peak. The price is the median of "
    "the offers that count today, of each provider the newest, so dates differ from card to card; the page of each "
    "card names them. The line beside a point holds its offers from the 10th to the 90th percentile; under three "
    "offers there is none. Two cards whose spreads of peak per dollar overlap by more than half show no clear "
    "difference."
)
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
    newest = dataset.newest_reading
    found = ((gpu, metrics.rent(gpu, newest), metrics.sixteen_bit(gpu)) for gpu in dataset.gpus.values())
    return [
        point(gpu, rent.median_usd, rate.tflops, f"{dollars(rent.median_usd)} an hour",
              f"{number(rate.tflops)} TFLOPS", rate.tflops / rent.median_usd, rent.band)
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


def ranking(points: Sequence[Point], per_hour: float = 1.0) -> list[Rank]:
    """The cards by what a dollar buys, each with its spread and whether it differs from the one above."""
    found: list[Rank] = []
    above: metrics.Band | None = None
    for p in sorted(points, key=lambda p: (-p.weight, p.gpu)):
        own = _per_dollar(p, per_hour) if p.band else None
        found.append(Rank(p, own, own.unclear(above) if own and above else None))
        above = own
    return found


def _per_dollar(p: Point, per_hour: float) -> metrics.Band | None:
    """From the least work at the highest price to the most work at the lowest."""
    work = p.y_band or metrics.Band(p.y, p.y)
    return metrics.Band(work.low * per_hour / p.band.high, work.high * per_hour / p.band.low) if p.band else None
