"""Greek shops and comparison sites in October 2026: euros with 24 % tax, a row a listing, the product named.

The mirror's copy holds the three cheapest listings of each chip and memory size; `listing_counts.csv` says how many
there were. A comparison site lists what shops sell: the same card on several sites, or in several colours, is one
product, so that it counts once wherever a price is worked out.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.core import currencies
from pipeline.core.schema import Row, Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Asked, Snapshot, Snapshots, Source, SourceError, SourceFile

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
    prices=Asked("asked", "GR", 24.0),
)

VAT = 24.0
KEPT = 3  # listings of a chip in the mirror's copy
# Of a chip with this many listings or fewer only old stock is left.
FEW_LISTINGS = 2
# Chips with several memory sizes: the size belongs to the name.
SEVERAL_SIZES = frozenset(
    (
        "RTX 3050",
        "RTX 3060",
        "RTX 3080",
        "RTX 4060 Ti",
        "RTX 5060 Ti",
        "RTX A2000",
        "RTX PRO 5000",
        "RX 9060 XT",
        "RX 580",
        "T1000",
        "T400",
    )
)
RADEON = "RX "
# (chip, memory) → the word of a title that makes it another card.
TITLE_TELLS = {
    ("RTX PRO 4500", 32): ("server", "RTX PRO 4500 Blackwell Server Edition"),
    ("RTX PRO 6000", 96): ("max-q", "RTX PRO 6000 Blackwell Max-Q"),
    ("RTX A4000", 20): ("sff", "RTX 4000 SFF Ada"),
}
SHOPS = {"bestprice": "BestPrice", "skroutz": "Skroutz", "eshop": "e-shop.gr", "snif": "Snif", "shopflix": "Shopflix"}
# Words of a title that tell no two cards of a partner apart: maker, series, colours, and what every listing says.
NO_PRODUCT = frozenset(
    re.findall(
        r"\S+",
        """
        nvidia geforce amd radeon intel arc quadro rtx gtx rx ti xt xtx super graphics card vga retail lhr edition ed
        blackwell generation pci pcie e x16 express dp hdmi rev v1 v2 0 2 box white black dark silver
        """,
    )
)
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
    """Yield a price a listing."""
    counts = _counts(snapshots[COUNTS]) if COUNTS in snapshots else {}
    for file, snapshot in snapshots.items():
        if file != COUNTS:
            chips = _chips(snapshot)
            cards: dict[str, list[tuple[str, int]]] = defaultdict(list)
            asked: dict[str, list[float]] = defaultdict(list)
            for chip, listings in chips.items():
                cards[_card(*chip)].append(chip)
                for one in listings:
                    asked[_name(*chip, one["title"])].append(float(one["price"]))
            most = {name: sorted(prices)[:KEPT][-1] for name, prices in asked.items()}
            for chip, listings in chips.items():
                listed = sum(counts.get(name, len(chips[name])) for name in cards[_card(*chip)])
                yield from _rows(snapshot, chip, listings, listed, most)


def _rows(
    snapshot: Snapshot,
    named: tuple[str, int],
    listings: Sequence[dict[str, Any]],
    listed: int,
    most: Mapping[str, float],
) -> Rows:
    chip, memory = named
    where = f"listings {', '.join(one['id'] for one in listings)} ({chip}, {memory} GB)"
    if chip in OLD:
        yield snapshot.skip(chip, where, "display card, or older than the GPUs of this guide")
    elif named in LEFT_OUT:
        yield snapshot.skip(f"{chip} {memory}GB", where, LEFT_OUT[named])
    else:
        products = _products(chip, listings)
        for one in listings:
            dear = (
                f"dearer than the {KEPT} cheapest of the card"
                if float(one["price"]) > most[_name(*named, one["title"])]
                else ""
            )
            few = f"old stock: listings left: {listed}" if listed <= FEW_LISTINGS else ""
            yield _row(snapshot, named, one, products[one["id"]], listed, few or dear)


def _row(
    snapshot: Snapshot, named: tuple[str, int], listing: dict[str, Any], product: str, listed: int, flag: str
) -> Row:
    chip, memory = named
    euros = float(listing["price"])
    shop = listing["source"]
    return snapshot.price(
        _name(chip, memory, listing["title"]),
        f"listing {listing['id']} ({chip}, {memory} GB)",
        kind="retail",
        provider=SHOPS.get(shop, shop),
        region="GR",
        usd_per_unit=currencies.load()["EUR"].to_usd(euros),
        amount=euros,
        currency="EUR",
        country="GR",
        tax=VAT,
        product=product,
        date=listing["scrapedAt"][:10],
        offer=f"{listing['id']} / {listing['title']}",
        includes=f"new; one of the {KEPT} cheapest of {listed} listings" if listed > KEPT else "new",
        flag=flag,
    )


def _products(chip: str, listings: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The product of each listing: board partner and the words of the title that tell its cards apart.

    Sites shorten titles ("Gaming OC", "OC LHR"): where the words of one are among those of another of the same
    partner, it is the same product.
    """
    words = {one["id"]: (one.get("partner") or one.get("brand") or "", _telling(chip, one)) for one in listings}
    found = {}
    for id, (partner, mine) in words.items():
        same = [theirs for other, theirs in words.values() if other == partner and mine <= theirs]
        fullest = max((sorted(theirs) for theirs in same), key=lambda theirs: (len(theirs), theirs))
        found[id] = " ".join((partner, *fullest))
    return found


def _telling(chip: str, listing: dict[str, Any]) -> frozenset[str]:
    plain = re.sub(r"\([^)]*\)|rev\. ?[\d.]+|\b\d+ ?gb\b|\bgddr\d\w*", " ", listing["title"].lower())
    known = {*chip.lower().split(), chip.lower().replace(" ", ""), str(listing.get("partner", "")).lower(), *NO_PRODUCT}
    known |= {"".join(chip.lower().split()[1:])}
    return frozenset(re.findall(r"[a-z0-9]+", plain)) - known


def _card(chip: str, memory: int) -> str:
    """A card under whichever of its names the sites list it: "RTX 4500 (Pro)" with 24 GB is an RTX 4500 Ada."""
    return f"{NAMES.get((chip, memory), chip)} {memory}GB"


def _name(chip: str, memory: int, title: str) -> str:
    mark, other = TITLE_TELLS.get((chip, memory), ("", ""))
    if mark and mark in title.lower():
        return other
    known = NAMES.get((chip, memory))
    if known:
        return known
    name = f"{chip} {memory}GB" if chip in SEVERAL_SIZES else chip
    return f"Radeon {name}" if chip.startswith(RADEON) else name


def _chips(snapshot: Snapshot) -> dict[tuple[str, int], list[dict[str, Any]]]:
    chips: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    try:
        for listing in json.loads(snapshot.content)["listings"]:
            chips[listing["chip"], listing["vram"]].append(listing)
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(f"{SOURCE.id}/{snapshot.file}: no listings as expected ({error!r}); fetch it again") from None
    return chips


def _counts(snapshot: Snapshot) -> dict[tuple[str, int], int]:
    return {
        (row["chip"], int(row["vram"])): int(row["listings"])
        for _, row in table.rows(snapshot, ["chip", "vram", "listings"])
    }
