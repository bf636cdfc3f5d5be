"""Greek retail listings of October 2026 (EUR with VAT) in, one street price a GPU in US dollars out.

The mirror's copy holds the three cheapest listings of each chip and memory size; `listing_counts.csv` says how many
there were. The street price is the median of the three (as in pipeline/prices.py); a first listing far under the
second is left out of it and named.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from pipeline.prices import EUR
from pipeline.schema import Row, Rows
from pipeline.sources import table
from pipeline.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

PAGE = "https://raw.githubusercontent.com/TeoAmpatzis/gpu-prices-gr/main/public/data/gpu/latest.json"
COUNTS = "listing_counts.csv"
SOURCE = Source(
    id="teoampatzis-gpu-prices-gr",
    title="GPU prices in Greece",
    publisher="Theodoros Ampatzis",
    home="https://github.com/TeoAmpatzis/gpu-prices-gr",
    licence="PolyForm Noncommercial 1.0.0 (repository); prices belong to the shops",
    kind="community",
    gives="retail prices of graphics cards in five Greek shops and comparison sites, October 2026",
    files=(
        SourceFile("latest.json", PAGE, "same-format", 50),
        # How many listings a card has; it gives no rows of its own.
        SourceFile(COUNTS, PAGE, "extract", 0),
    ),
)

VAT = "24 % VAT"
# A first listing this far under the second is a mistake of the shop or of the match, or gone when one clicks.
FAR_BELOW = 0.85
# Of a chip with this many listings or fewer only old stock is left.
FEW_LISTINGS = 2
# Chips with several memory sizes: the size belongs to the name.
SEVERAL_SIZES = frozenset(
    ("RTX 3050", "RTX 3060", "RTX 3080", "RTX 4060 Ti", "RTX 5060 Ti", "RTX A2000", "RTX PRO 5000", "RX 9060 XT",
     "RX 580", "T1000", "T400")
)  # fmt: skip
RADEON = "RX "
# (chip, memory) → the card that it really is; the chip was guessed from the title upstream.
NAMES = {
    ("RTX A2000", 16): "RTX 2000 Ada",
    ("RTX A4000", 20): "RTX 4000 Ada",
    ("RTX 4500 (Pro)", 24): "RTX 4500 Ada",
    ("RTX PRO 2000", 16): "RTX PRO 2000 Blackwell",
    ("RTX PRO 4000", 24): "RTX PRO 4000 Blackwell",
    ("RTX PRO 4500", 32): "RTX PRO 4500 Blackwell",
    ("RTX PRO 5000", 48): "RTX PRO 5000 Blackwell 48GB",
    ("RTX PRO 5000", 72): "RTX PRO 5000 Blackwell 72GB",
    ("RTX PRO 6000", 96): "RTX PRO 6000 Blackwell",
}
# (chip, memory) that is no product, or several → why it is left out.
LEFT_OUT = {
    ("RTX 5070", 16): "no RTX 5070 has 16 GB: the memory was guessed from the title",
    ("RTX 5070 Ti", 12): "no RTX 5070 Ti has 12 GB: the memory was guessed from the title",
    ("RX 9070", 12): "no RX 9070 has 12 GB: the memory was guessed from the title",
    ("RTX A2000", 20): "no RTX A2000 has 20 GB: the memory was guessed from the title",
    ("RTX 6000 (Pro)", 48): "the title does not tell an RTX A6000 from an RTX 6000 Ada",
    ("RTX 5000 (Pro)", 24): "three different cards under one chip and memory size",
    ("RTX 5000 (Pro)", 48): "three different cards under one chip and memory size",
    ("RTX 4000 (Pro)", 20): "the titles mix the RTX 4000 Ada and the RTX 4000 SFF Ada",
    ("RTX 2000 (Pro)", 16): "the title does not tell an RTX 2000 Ada from an RTX PRO 2000 Blackwell",
    ("RTX PRO 5000", 32): "no RTX PRO 5000 has 32 GB: an RTX 5000 Ada under a Blackwell title, or the other way round",
}
OLD = frozenset(
    ("GT 210", "GT 240", "GT 610", "GT 710", "GT 730", "GT 1030", "GTX 1030", "GTX 745", "RX 550", "RX 560", "RX 580")
)


def parse(snapshots: Snapshots) -> Rows:
    """Yield a street price a chip and memory size."""
    counts = _counts(snapshots[COUNTS]) if COUNTS in snapshots else {}
    for file, snapshot in snapshots.items():
        if file != COUNTS:
            for product, listings in _products(snapshot).items():
                yield _row(snapshot, product, listings, counts.get(product, len(listings)))


def _row(snapshot: Snapshot, product: tuple[str, int], listings: Sequence[dict[str, Any]], listed: int) -> Row:
    chip, memory = product
    where = f"listings {', '.join(one['id'] for one in listings)} ({chip}, {memory} GB)"
    if chip in OLD:
        return snapshot.skip(chip, where, "display card, or older than the GPUs of this guide")
    if product in LEFT_OUT:
        return snapshot.skip(f"{chip} {memory}GB", where, LEFT_OUT[product])
    amounts = sorted(float(one["price"]) for one in listings)
    doubtful = len(amounts) > FEW_LISTINGS and amounts[0] < FAR_BELOW * amounts[1]
    euros = round(median(amounts[1:] if doubtful else amounts), 2)
    basis = f"median of the {len(amounts)} cheapest of {listed} listings" if listed > 1 else "the only listing"
    if doubtful:
        basis += f" without the first at {amounts[0]:g} EUR, far under the next"
    return snapshot.price(
        _name(chip, memory), where, kind="retail", provider="Greek shops", region="GR", usd_per_unit=EUR.to_usd(euros),
        currency="EUR", date=max(one["scrapedAt"][:10] for one in listings), offer=f"{chip} {memory}GB",
        includes=f"new, with {VAT}; {basis}; converted from {EUR.note(euros)}",
        flag=f"old stock: listings left: {listed}" if listed <= FEW_LISTINGS else "",
    )  # fmt: skip


def _name(chip: str, memory: int) -> str:
    known = NAMES.get((chip, memory))
    if known:
        return known
    name = f"{chip} {memory}GB" if chip in SEVERAL_SIZES else chip
    return f"Radeon {name}" if chip.startswith(RADEON) else name


def _products(snapshot: Snapshot) -> dict[tuple[str, int], list[dict[str, Any]]]:
    products: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    try:
        for listing in json.loads(snapshot.content)["listings"]:
            products[listing["chip"], listing["vram"]].append(listing)
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(f"{SOURCE.id}/{snapshot.file}: no listings as expected ({error!r}); fetch it again") from None
    return products


def _counts(snapshot: Snapshot) -> dict[tuple[str, int], int]:
    return {
        (row["chip"], int(row["vram"])): int(row["listings"])
        for _, row in table.rows(snapshot, ["chip", "vram", "listings"])
    }
