"""Price of one Amazon.com listing for each of 33 GPUs, 2018 to August 2025: what cards cost new before the shortage.

Of a month stands the median of the days on which the price changed. A month without such a day has no price: upstream
does not mark days without an offer, so the last price does not hold over a gap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

from pipeline.core import wording
from pipeline.core.schema import Row, Rows
from pipeline.intake.price_list import JUMP, lines
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Asked, Snapshot, Snapshots, Source, SourceFile

SOURCE = Source(
    id="united-compute-amazon",
    title="GPU price tracker (Amazon.com by Keepa)",
    publisher="United Compute",
    home="https://github.com/United-Compute/gpu-price-tracker",
    licence="not stated (prices: Keepa, Amazon.com)",
    kind="community",
    gives="Amazon.com buy-box price of one listing for each of 33 GPUs by month, 2018 to August 2025",
    files=(
        SourceFile(
            "buy_box_history.csv",
            "https://github.com/United-Compute/gpu-price-tracker/tree/main/data",
            "extract",
            800,
        ),
    ),
    prices=Asked("asked", "US"),
)

# A name in which one letter is wrong: PCI with a small L.
NAMES = {"NVIDIA A100 40GB PCle": "NVIDIA A100 40GB PCIe"}
# The listing's seller changes, and with it the price: from a maker's to a marketplace's, or to leftover stock.
JUMPED = "more than a third from {before:g} in {month}: another seller of the same listing, not the market"
# A listing whose price was read less often than this carries no series.
FEW = 12
SELDOM = "fewer than {few} readings of this listing in all"


@dataclass(slots=True)
class ListingMonth:
    """The prices of one listing in one month, with the rows in which they stand."""

    prices: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)


def parse(snapshots: Snapshots) -> Rows:
    """Yield a price a GPU and month; a month after a jump and a listing seldom read are flagged."""
    for snapshot in snapshots.values():
        listings: dict[str, dict[str, ListingMonth]] = defaultdict(lambda: defaultdict(ListingMonth))
        for number, row in table.rows(snapshot, ["gpu_name", "date", "buy_box_usd"]):
            month = listings[row["gpu_name"]][row["date"][:7]]
            month.prices.append(table.number(snapshot, number, row, "buy_box_usd"))
            month.rows.append(number)
        for name, months in listings.items():
            yield from _series(snapshot, name, months)


def _series(snapshot: Snapshot, name: str, months: dict[str, ListingMonth]) -> Iterator[Row]:
    count = sum(len(month.prices) for month in months.values())
    seldom = SELDOM.format(few=FEW) if count < FEW else ""
    before, last = 0.0, ""
    for month, seen in sorted(months.items()):
        usd = round(median(seen.prices), 2)
        jumped = bool(before) and abs(usd / before - 1) > JUMP
        yield snapshot.price(
            NAMES.get(name, name),
            lines(seen.rows, f"{name}, {month}", "of that month"),
            kind="retail",
            provider="Amazon",
            region="US",
            usd_per_unit=usd,
            date=month,
            offer=name,
            includes=f"one listing, without shipping; median of {wording.count(len(seen.prices), 'reading')}",
            flag=seldom or (JUMPED.format(before=before, month=last) if jumped else ""),
        )
        before, last = usd, month
