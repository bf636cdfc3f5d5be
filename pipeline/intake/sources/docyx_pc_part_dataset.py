"""One street price a GPU and date from PCPartPicker's graphics cards (three dates).

A listing is one board partner's card. The street price is the median of the three cheapest (see
pipeline/intake/price_list.py); a card of which few listed products are still sold is flagged as old stock. Memory and
length are the partner's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from pipeline.core.schema import Row, Rows
from pipeline.intake.price_list import street_price
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Asked, Snapshot, Snapshots, Source, SourceFile

RAW = "https://raw.githubusercontent.com/docyx/pc-part-dataset/"
SOURCE = Source(
    id="docyx-pc-part-dataset",
    title="PC part dataset (PCPartPicker, United States)",
    publisher="docyx",
    home="https://github.com/docyx/pc-part-dataset",
    licence="MIT",
    kind="community",
    gives="retail listings of graphics cards on 2023-11-16, 2024-05-14 and 2025-07-23",
    files=(
        SourceFile("video-card.csv", RAW + "main/data/csv/video-card.csv", "original", 100),
        SourceFile(
            "video-card.2024-05.csv",
            RAW + "f810caf26b91bbbfe44a544396c7c24735f74b74/data/csv/video-card.csv",
            "original",
            100,
        ),
        SourceFile(
            "video-card.2023-11.csv",
            RAW + "7e62fbb545b2b21b85fdead96bc282ab667fb59c/data/csv/video-card.csv",
            "original",
            100,
        ),
    ),
    prices=Asked("asked", "US"),
)

# Chipsets that one name tells apart by memory only: the size belongs to the name.
SEVERAL_SIZES = frozenset(
    (
        "GeForce RTX 2060",
        "GeForce RTX 4060 Ti",
        "GeForce RTX 5060 Ti",
        "Radeon RX 9060 XT",
        "Radeon RX 6500 XT",
        "Radeon RX 5500 XT",
        "Radeon RX 580",
        "Radeon RX 570",
        "Radeon RX 480",
        "GeForce GTX 960",
        "Arc A770",
    )
)
# "Lite hash rate" boards are the same GPU with slower mining.
SAME_GPU = re.compile(r" LHR$")
# Their chipset names → ours; G5 and G6 are the memory types of two cards called GTX 1650.
NAMES = {
    "GeForce GTX 1650 G5": "GeForce GTX 1650 GDDR5",
    "GeForce GTX 1650 G6": "GeForce GTX 1650 GDDR6",
    "Vega Frontier Edition": "Radeon Vega Frontier Edition",
}
# Older than NVIDIA Pascal and AMD Polaris (2016), or made to drive displays only.
OLD = re.compile(
    r"(FirePro|FireMV|FireGL|NVS|Quadro (NVS|FX|CX|VX|K|M|\d)|Tesla C|Radeon (HD|R5|R7|R9|X|Pro (WX|SSG|Duo)|\d)"
    r"|GeForce (\d|G\d|GT |GTS |GTX ([2-9]\d\d\b|Titan$|Titan Black|Titan Z))).*",
    re.IGNORECASE,
)
OLD_REASON = "older than Pascal and Polaris (2016), or a display card"


@dataclass(slots=True)
class Listings:
    """The listings of one chipset and memory size on one date."""

    listed: int = 0
    first: int = 0
    chipsets: set[str] = field(default_factory=set)
    priced: list[tuple[str, float]] = field(default_factory=list)


def parse(snapshots: Snapshots) -> Rows:
    """Yield a street price a GPU and date; chipsets without any price are named once."""
    for snapshot in snapshots.values():
        for name, product in _products(snapshot).items():
            yield _row(snapshot, name, product)


def _products(snapshot: Snapshot) -> dict[str, Listings]:
    products: dict[str, Listings] = defaultdict(Listings)
    for number, row in table.rows(snapshot, ["name", "price", "chipset", "memory"]):
        product = products[_name(row)]
        product.listed += 1
        product.first = product.first or number
        product.chipsets.add(row["chipset"])
        if row["price"]:
            product.priced.append((row["name"], table.number(snapshot, number, row, "price")))
    return products


def _row(snapshot: Snapshot, name: str, product: Listings) -> Row:
    where = f"rows of chipset {' and '.join(sorted(product.chipsets))} (first: row {product.first})"
    if OLD.fullmatch(name):
        return snapshot.skip(name, where, OLD_REASON)
    if not product.priced:
        return snapshot.skip(name, where, "no listing has a price")
    street = street_price(product.priced, product.listed)
    return snapshot.price(
        name,
        where,
        kind="retail",
        provider="PCPartPicker",
        region="US",
        usd_per_unit=street.usd,
        flag=street.flag,
        date=snapshot.published or snapshot.retrieved,
        offer=name,
        includes=f"new, without tax; {street.includes}",
    )


def _name(row: dict[str, str]) -> str:
    chipset = SAME_GPU.sub("", row["chipset"])
    name = NAMES.get(chipset, chipset)
    return f"{name} {row['memory']}GB" if chipset in SEVERAL_SIZES else name
