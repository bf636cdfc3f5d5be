"""What every card costs now: new, used and to rent side by side, against its launch price, as one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline import metrics, prices
from pipeline.charts.base import short
from pipeline.dataset import Dataset, GpuRecord, Row
from pipeline.pages import addresses
from pipeline.pages.facts import source_title
from pipeline.render import Page, count, number, ratio


@dataclass(frozen=True, slots=True)
class Line:
    """One card of the page."""

    gpu: GpuRecord
    new: Row | None
    used: Row | None
    rent: metrics.Rent | None
    launch_usd: float | None
    against: metrics.Against | None


def pages(dataset: Dataset) -> Iterator[Page]:
    """The price page."""
    rows = lines(dataset)
    context = {
        "lines": rows,
        "finding": finding(rows, dataset.newest_reading),
        "newest": dataset.newest_reading,
        "is_old": metrics.is_old,
        "is_past": metrics.is_past,
        "rules": rules(),
        "source_title": source_title,
        "addresses": addresses,
    }
    yield Page("prices/index", "prices.html.j2", context, "GPU prices now: new, used and to rent",
               f"{finding(rows, dataset.newest_reading)} Every price with its day and its source.",
               "pipeline/pages/prices.py")  # fmt: skip


def lines(dataset: Dataset) -> list[Line]:
    """Every card that is sold or rented: the dearest against its launch price first, then by name."""
    found = [_line(gpu, dataset.newest_reading) for gpu in dataset.gpus.values()]
    told = [line for line in found if line.new or line.used or line.rent]
    return sorted(told, key=lambda line: (-(line.against.ratio if line.against else 0.0), line.gpu.id))


def finding(rows: Sequence[Line], newest: str) -> str:
    """How many cards cost more than at launch, and which the most."""
    known = [(line.gpu, line.against) for line in rows
             if line.against and not metrics.is_old(line.against.row["date"], newest)]  # fmt: skip
    if not known:
        return f"{count(len(rows), 'card')} with a price; none with both a launch price and a price of this half-year."
    dearer = sum(against.ratio > 1 for _, against in known)
    gpu, most = max(known, key=lambda entry: (entry[1].ratio, entry[0].id))
    return (f"{dearer} of {count(len(known), 'card')} with a price of the last half-year cost more than at launch; "
            f"the most: {short(gpu.name)}, {ratio(most.ratio)} its launch price.")  # fmt: skip


def rules() -> list[tuple[str, str]]:
    """How a street price and a price to rent are made, with the figures of the code."""
    low, high = prices.TOO_LOW["on_demand"], prices.TOO_HIGH
    return [
        ("New", f"Of a shop's or a comparison site's listings of one day: the median of the {prices.CHEAPEST} "
         f"cheapest, one product counted once. Fewer than {prices.CHEAPEST} offers are flagged, and so is old stock: a "
         f"card of which less than {number(100 * prices.ON_SALE_SHARE, 2)} % of the listed products are still sold. "
         f"A market report's own mean of its cheapest listings stands as the report states it."),
        ("Used", "What the source says: the average of all sales of a month, or the mean of the cheapest listings of a "
         "market report. A figure that the same source corrected later is flagged."),
        ("Currency and tax", f"Prices in euros are converted at {prices.EUR.usd:.4g} dollars of {prices.EUR.date} "
         f"and hold the country's value-added tax; prices in dollars are without sales tax. Against launch "
         f"counts a price in dollars only."),
        ("To rent", f"On-demand offers of whole GPUs, of each provider the newest, while they are young enough (the "
         f"table of ages says how long); a stale one counts only where nothing newer is known. An offer under "
         f"{number(low)} or over {number(high)} times the median of its list (of at least {prices.ENOUGH} offers) is "
         f"flagged. Spot and reserved offers are other kinds."),
        ("Flagged", "A flagged price is kept with its reason on the page of its card and counts for nothing here."),
        ("Age", metrics.RULES["price to buy"]),
    ]  # fmt: skip


def _line(gpu: GpuRecord, newest: str) -> Line:
    return Line(
        gpu, metrics.newest_price(gpu, "retail"), metrics.newest_price(gpu, "used"), metrics.rent(gpu, newest),
        gpu.number("launch_price_usd"), metrics.against_launch(gpu, newest),
    )  # fmt: skip
