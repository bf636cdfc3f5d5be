"""Used prices from monthly averages of cards sold on eBay (Tom's Hardware, 2021-10 to 2023-11)."""

from __future__ import annotations

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Asked, Snapshot, Snapshots, Source, SourceError, SourceFile

SOURCE = Source(
    id="buttke-ebay-gpu-prices",
    title="eBay GPU prices 2021 to 2023, from Tom's Hardware",
    publisher="buttke",
    home="https://www.tomshardware.com/news/gpus-historical-ebay-pricing",
    licence="not stated",
    kind="press",
    gives="average price and number of cards sold on eBay by month, 60 GPUs",
    files=(
        SourceFile(
            "gpu_time_series.csv",
            "https://raw.githubusercontent.com/buttke/ebay-2021-2023-gpu-prices/main/gpu_time_series.csv",
            "original",
            800,
        ),
    ),
    prices=Asked("sold", "US"),
)

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
UNKNOWN = frozenset(("", "-", "—", "N/A"))
# One GPU under two names, or a name that means its first variant only.
NAMES = {
    "GeForce RTX 3060": "GeForce RTX 3060 12GB",
    "GeForce RTX 3080": "GeForce RTX 3080 10GB",
    "GeForce RTX 4060 Ti": "GeForce RTX 4060 Ti 8GB",  # the 16 GB card has its own rows
}
UNSURE = {"GeForce GTX 1650": "may be the GDDR5 or the GDDR6 card"}
# Averages of one sale carry nothing.
FEW = 1


def parse(snapshots: Snapshots) -> Rows:
    """Yield a used price a GPU and month."""
    for snapshot in snapshots.values():
        for number, row in table.rows(snapshot, ["GPU", "eBay Price", "QTY Sold", "Month"]):
            where = f"row {number} ({row['GPU']}, {row['Month']})"
            sold = _count(snapshot, number, row["QTY Sold"])
            if row["eBay Price"] in UNKNOWN or not sold:
                yield snapshot.skip(row["GPU"], where, "none sold in that month")
                continue
            yield snapshot.price(
                NAMES.get(row["GPU"], row["GPU"]),
                where,
                kind="used",
                provider="eBay",
                region="US",
                usd_per_unit=_number(snapshot, number, "eBay Price", row["eBay Price"].removeprefix("$")),
                date=_month(snapshot, number, row["Month"]),
                offer=row["GPU"],
                includes=f"average of {sold} sold",
                flag="one sale only" if sold <= FEW else UNSURE.get(row["GPU"], ""),
            )


def _count(snapshot: Snapshot, number: int, text: str) -> int:
    if text in UNKNOWN:
        return 0
    # One count stands with a stray dollar sign (RTX 4080, November 2022: "$175").
    return int(_number(snapshot, number, "QTY Sold", text.removeprefix("$")))


def _number(snapshot: Snapshot, number: int, column: str, text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise _error(snapshot, number, column, text, "is not a number; add it to UNKNOWN if it is a mark") from None


def _month(snapshot: Snapshot, number: int, text: str) -> str:
    month, _, year = text.partition(" ")
    if month not in MONTHS or not year.isdigit():
        raise _error(snapshot, number, "Month", text, "is not a month as April 2022; look at the file")
    return f"{year}-{MONTHS.index(month) + 1:02}"


def _error(snapshot: Snapshot, number: int, column: str, text: str, problem: str) -> SourceError:
    return SourceError(f"{SOURCE.id}/{snapshot.file} row {number}: {column} {text!r} {problem}")
