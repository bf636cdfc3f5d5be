"""Used, retail and launch prices from prices stated in GPU Poet's monthly market reports (2026).

The resale best deal (mean of the three cheapest listings) is the series of used prices. It says where prices begin:
half to four fifths of the median asked, in the month for which the reports state both. Averages and medians over all
asking prices are other measures of the same month: they are kept and flagged, as is what a later report corrected.
"""

from __future__ import annotations

import re
from collections import Counter

from pipeline.core.schema import Rows
from pipeline.core.wording import MONTHS
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Asked, Snapshot, Snapshots, Source, SourceError, SourceFile

SOURCE = Source(
    id="gpu-poet",
    title="GPU Poet market reports",
    publisher="GPU Poet",
    home="https://gpupoet.com/gpu/market-report",
    licence="not stated",
    kind="press",
    gives="resale, retail and launch prices of about 70 cards by month, December 2025 to September 2026",
    files=(SourceFile("market_report_prices.csv", "https://gpupoet.com/gpu/market-report", "extract", 250),),
    prices=Asked("asked", "US"),
)

BEST_DEAL = "mean of the 3 cheapest asking prices"
OTHER_MEASURE = "another measure than the best deal of the same reports"
# Their `kind` → our kind, provider, what the figure is, flag.
RESTATED = "launch price restated by a report; the month is the report's"
FLOORS = frozenset((BEST_DEAL, "best asking price"))
COMPONENT = "component of a machine built to order: nobody sells the card alone at this price"
BEST = "resale best deal (average of the 3 cheapest listings, eBay"
KINDS = {
    f"{BEST} and Amazon)": ("used", "eBay and Amazon", BEST_DEAL, ""),
    f"{BEST})": ("used", "eBay", BEST_DEAL, ""),
    "used (best deal; as of January 1, 2026; active US eBay listings)": ("used", "eBay", "best asking price", ""),
    "new on Amazon (average of the 3 cheapest listings)": ("retail", "Amazon", BEST_DEAL, ""),
    "average of active eBay listings": ("used", "eBay", "mean of all asking prices", OTHER_MEASURE),
    "median eBay listing price": ("used", "eBay", "median of all asking prices", OTHER_MEASURE),
    "used (original edition, kind not defined)": ("used", "eBay", "kind not defined", OTHER_MEASURE),
    "new, NVIDIA US Marketplace": ("retail", "NVIDIA US Marketplace", "shop price", ""),
    "new, retail listing at launch (Connection, boxed)": ("retail", "Connection", "shop price at launch, boxed", ""),
    "new, retail listing (Newegg and B&H, PNY)": ("retail", "Newegg and B&H", "shop price", ""),
    "new, Dell BTO component": ("retail", "Dell", "as a component of a machine built to order", COMPONENT),
    "MSRP": ("launch", "GPU Poet", "launch price as the report states it", RESTATED),
}
# Words in `note` → why the row does not stand for its month.
DOUBTS = (
    (re.compile(r"superseded by|corrected it to"), "superseded by a later correction"),
    (re.compile(r"(report|section)\b.* (gives|says|speaks of) "), "two places of the reports contradict each other"),
    (re.compile(r"qualification samples"), "rests on qualification samples"),
)
# One GPU under several names; what the family name means in these reports.
NAMES = {
    "RTX 3060": "RTX 3060 12GB",
    "RTX 3080": "RTX 3080 10GB",
    "RTX 5060 Ti (16GB)": "RTX 5060 Ti 16GB",
    "V100 32GB": "Tesla V100 32GB",
}
# The RTX 5060 Ti of the January report has the launch price of its 16 GB variant (429).
MSRP_TELLS = {("RTX 5060 Ti", "429"): "RTX 5060 Ti 16GB"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield one price a statement; what several reports state alike stands once."""
    for snapshot in snapshots.values():
        stated: set[tuple[object, ...]] = set()
        offers: Counter[str] = Counter()
        for number, row in table.rows(snapshot, ["gpu", "kind", "price_usd", "month", "report", "locator", "note"]):
            if row["kind"] not in KINDS:
                where = f"{SOURCE.id}/{snapshot.file} row {number}"
                raise SourceError(f"{where}: unknown kind {row['kind']!r}; add it to KINDS in its module")
            kind, who, measure, flag = KINDS[row["kind"]]
            offer = f"{row['gpu']} / {row['kind']} / {row['report']} / {row['locator']}"
            offers[f"{offer} {row['month']}"] += 1
            nth = offers[f"{offer} {row['month']}"]
            price = snapshot.price(
                MSRP_TELLS.get((row["gpu"], row["price_usd"]), NAMES.get(row["gpu"], row["gpu"])),
                _where(number, row),
                kind=kind,
                provider=who,
                region="US",
                usd_per_unit=table.number(snapshot, number, row, "price_usd"),
                date=row["month"] or _month(snapshot, number, row["report"]),
                offer=offer if nth == 1 else f"{offer} / {nth}",
                includes=measure,
                basis="floor" if measure in FLOORS else "",
                flag=next((flag for pattern, flag in DOUBTS if pattern.search(row["note"])), "") or flag,
            )
            month = "" if price.kind == "launch" else price.date
            statement = (price.gpu, price.kind, price.includes, month, price.usd_per_unit)
            if statement in stated:
                yield snapshot.skip(row["gpu"], _where(number, row), "the same figure is stated above")
            else:
                yield price
            stated.add(statement)


def _where(number: int, row: dict[str, str]) -> str:
    return f"row {number} ({row['gpu']}; {row['report']}, {row['locator']})"


def _month(snapshot: Snapshot, number: int, report: str) -> str:
    """A launch price has no month: the report that states it dates the row, and a flag says so."""
    match = re.search(r"-(?P<month>[a-z]+)-(?P<year>\d{4})$", report)
    if not match or match["month"].capitalize() not in MONTHS:
        where = f"{SOURCE.id}/{snapshot.file} row {number}"
        raise SourceError(f"{where}: no month, and report {report!r} names none; look at the file")
    return f"{match['year']}-{MONTHS.index(match['month'].capitalize()) + 1:02}"
