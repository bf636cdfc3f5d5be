"""What an hour of each GPU costs on demand, and how high its dense 16-bit peak is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.core.wording import dollars, number, short
from pipeline.dataset import Dataset
from pipeline.derive import metrics
from pipeline.derive.prices.quote import quotes
from pipeline.site.charts.base import IN_DOLLARS, SIXTEEN_BIT, Axis, ChartPoint, PointsChart, Spec, point

RENT = Axis("median_usd_per_gpu_hour", "USD per GPU-hour, median (log)", True)
SPEC = Spec(RENT, SIXTEEN_BIT, 18, band=True)
HOW = (
    "Each point is one GPU with a price to rent on demand and a dense 16-bit matrix peak. The price is the median over "
    "clouds of the newest offer of each, so dates differ from card to card; it is that of marketplaces where theirs is "
    "better founded, and of hyperscalers where nobody else lets the card. The line beside a point holds its providers "
    "from the 10th to the 90th percentile; under three there is none. Two cards whose spreads of peak per dollar "
    f"overlap by more than half show no clear difference. {IN_DOLLARS}"
)
NOT_SHOWN = (
    "Measured speed: a peak is the maker’s figure and nobody reaches it. Spot and reserved prices, which are "
    "other kinds. Network, disk and processor that come with the machine."
)


@dataclass(frozen=True, slots=True)
class Rank:
    """A card's place by peak per dollar; `unclear` is unknown where one of two neighbours has too few providers."""

    point: ChartPoint
    band: metrics.Band | None
    unclear: bool | None


def rows(dataset: Dataset) -> list[ChartPoint]:
    """A point for each GPU with a price and a peak, in the order of their ids; the best value is labelled first."""
    book = quotes(dataset)
    found = ((gpu, book.to_rent(gpu.id), metrics.sixteen_bit(gpu)) for gpu in dataset.gpus.values())
    return [
        point(
            gpu,
            rent.value,
            rate.tflops,
            f"{dollars(rent.value)} an hour",
            f"{number(rate.tflops)} TFLOPS",
            rate.tflops / rent.value,
            metrics.band(rent.amounts),
        )
        for gpu, rent, rate in found
        if rent.value is not None and rate
    ]


def finding(points: Sequence[ChartPoint]) -> str:
    """The card with the most 16-bit peak for a dollar of rent, of those with three providers or more."""
    if not points:
        return "Rental prices against peak rates: no card has both figures yet"
    ranked = ranking(points)
    best = ranked[0].point
    even = [rank.point for rank in ranked[1:2] if rank.unclear]
    doubt = f", no clear difference from {short(even[0].name)}" if even else ""
    return (
        f"Most 16-bit peak for the money, rented: {short(best.name)}, {number(best.weight)} TFLOPS for a dollar "
        f"an hour{doubt}"
    )


def ranking(points: Sequence[ChartPoint], per_hour: float = 1.0) -> list[Rank]:
    """The cards by what a dollar buys, each with its spread and whether it differs from the one above.

    Those with a spread come first: the price of one or two providers is too thin to lead a ranking, or its title.
    """
    found: list[Rank] = []
    above: metrics.Band | None = None
    for p in sorted(points, key=lambda p: (p.band is None, -p.weight, p.gpu)):
        own = _per_dollar(p, per_hour) if p.band else None
        found.append(Rank(p, own, own.unclear(above) if own and above else None))
        above = own
    return found


def _per_dollar(p: ChartPoint, per_hour: float) -> metrics.Band | None:
    """From the least work at the highest price to the most work at the lowest."""
    work = p.y_band or metrics.Band(p.y, p.y)
    return metrics.Band(work.low * per_hour / p.band.high, work.high * per_hour / p.band.low) if p.band else None


CHART = PointsChart(
    id="price-performance",
    name="Price to rent and performance",
    menu="Price to rent",
    kind="points",
    how=HOW,
    not_shown=NOT_SHOWN,
    edit="pipeline/site/charts/price_performance.py",
    spec=SPEC,
    rows=rows,
    finding=finding,
    workload="peak rate",
    more=lambda _, points: {"ranking": ranking(points), "per_dollar": "TFLOPS for $1 an hour"},
)
