"""Rental prices in US dollars from the lexsi price dashboard (one JSON of offers per GPU and hour)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeVar

from pipeline.core.schema import Price, Rows, Skipped
from pipeline.intake.price_list import ExchangeRate, mark_implausible, provider
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

Word = TypeVar("Word")
SOURCE = Source(
    id="lexsi-gpu-price-dashboard",
    title="GPU price dashboard",
    publisher="lexsi",
    home="https://github.com/hemgo-lexsi/gpu-price-dashboard",
    licence="not stated",
    kind="community",
    gives="rental offers of 17 providers on one day, per GPU and hour, on demand and spot",
    files=(
        SourceFile(
            "prices.json",
            "https://raw.githubusercontent.com/hemgo-lexsi/gpu-price-dashboard/main/data/prices.json",
            "original",
            150,
        ),
    ),
)

# Their `billing` → our kind, and what it means. Secure and community are on demand too.
BILLING = {
    "on-demand": ("on_demand", ""),
    "spot": ("spot", ""),
    "secure": ("on_demand", "secure cloud (data centre)"),
    "community": ("on_demand", "community cloud (private host)"),
}
# The one thing in their free notes that changes what a price means → how we say it.
NOTES = {"÷730": "a month's price divided by 730 hours"}
SOURCE_KINDS = {"live": "read from the provider", "list": "typed in by hand from the published list"}
# Providers whose offers are no price of a GPU to rent in our markets → why.
NO_OFFER = {
    "GCP": "the GPU alone: Google charges for its machine on top",
    "AWS (Mumbai ap-south)": "asked in Mumbai: other regions of this cloud ask less",
}
# The label (without what stands in brackets) → the name that tells the card from its namesakes.
NAMES = {
    "RTX 6000 (Turing)": "Quadro RTX 6000",
    "GB200 (Grace-Blackwell)": "GB200",
    "GB300 (Grace-Blackwell)": "GB300",
    "RTX 6000 Pro (Blackwell)": "RTX PRO 6000 Blackwell",
    "RTX Pro 6000": "RTX PRO 6000 Blackwell",
    "RTX PRO 4500 SE": "RTX PRO 4500 Server Edition",
    "RTX 4000 Ada SFF": "RTX 4000 SFF Ada",
}
# Families with several memory sizes: the size belongs to the name. Hosts report what the driver shows (H200 140).
MEMORY_IN_NAME = {
    "A100 SXM": {80: "80GB"},
    "H100": {80: "80GB", 94: "94GB"},
    "H100 SXM": {80: "80GB"},
    "H100 PCIe": {80: "80GB"},
    "H100 NVL": {94: "94GB"},
    "V100": {16: "16GB", 32: "32GB"},
    "RTX 3080": {10: "10GB", 12: "12GB"},
    "RTX A2000": {6: "6GB", 12: "12GB"},
    "RTX PRO 5000": {48: "48GB", 72: "72GB"},
}
# A label whose memory no such card has → why the row is left out.
NOT_THE_CARD = {
    ("RTX 6000 Pro (Blackwell)", 24): "24 of 96 GB: a slice of the card",
    ("RTX 6000 Pro (Blackwell)", 48): "48 of 96 GB: a slice of the card",
    ("A40", 16): "an A40 has 48 GB; 16 GB at this price is the RTX A4000, whose name was cut upstream",
}


def parse(snapshots: Snapshots) -> Rows:
    """Yield one price an offer; implausible ones are flagged against the others of their GPU."""
    for snapshot in snapshots.values():
        rows = list(_offers(snapshot))
        yield from (row for row in rows if isinstance(row, Skipped))
        yield from mark_implausible(row for row in rows if isinstance(row, Price))


def _offers(snapshot: Snapshot) -> Rows:
    page = _page(snapshot)
    rupee = ExchangeRate("INR", 1 / page["fx"]["rates"]["USD"], page["fx"]["date"], "the file's fx")
    seen: Counter[str] = Counter()
    for number, offer in enumerate(page["prices"], start=1):
        label, memory = offer["gpu_label"], offer["vram_gb"]
        where = f"offer {number} ({offer['provider']}, {label}, {offer['billing']}, {offer['region']})"
        if (label, memory) in NOT_THE_CARD:
            yield snapshot.skip(label, where, NOT_THE_CARD[label, memory])
            continue
        yield _price(snapshot, offer, where, rupee, seen)


def _page(snapshot: Snapshot) -> dict[str, Any]:
    try:
        page: dict[str, Any] = json.loads(snapshot.content)
        page["prices"], page["fx"]["rates"]["USD"], page["fx"]["date"]
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(f"{SOURCE.id}/{snapshot.file}: no prices or no fx ({error!r}); fetch it again") from None
    return page


def _price(snapshot: Snapshot, offer: dict[str, Any], where: str, rupee: ExchangeRate, seen: Counter[str]) -> Price:
    kind, cloud = _word(BILLING, offer, "billing", where)
    read = _word(SOURCE_KINDS, offer, "source_kind", where)
    native = offer["currency"] == "INR"
    amount = rupee.to_usd(offer["inr_per_hr"]) if native else float(offer["usd_per_hr"])
    converted = f"converted from {rupee.note(offer['inr_per_hr'])}" if native else ""
    name = _name(offer["gpu_label"], offer["vram_gb"])
    notes = [meaning for mark, meaning in NOTES.items() if mark in offer.get("note", "")]
    key = f"{offer['provider']} / {offer['gpu_label']} / {offer['billing']} / {offer['region']}"
    seen[key] += 1
    return snapshot.price(
        name,
        where,
        kind=kind,
        provider=provider(offer["provider"]),
        region=offer["region"],
        gpus=float(offer["num_gpus"]),
        usd_per_gpu_hour=amount,
        usd_per_machine_hour=round(amount * offer["num_gpus"], 6),
        currency=offer["currency"],
        date=offer.get("as_of") or offer["fetched_at"][:10],
        offer=key if seen[key] == 1 else f"{key} / {seen[key]}",
        includes="; ".join(filter(None, (cloud, read, converted, *notes))),
        flag=NO_OFFER.get(offer["provider"], ""),
    )


def _word(table: Mapping[str, Word], offer: dict[str, Any], key: str, where: str) -> Word:
    if offer[key] not in table:
        raise SourceError(f"{SOURCE.id}/prices.json {where}: {key} is {offer[key]!r}; add the word to its module")
    return table[offer[key]]


def _name(label: str, memory: int) -> str:
    name = NAMES.get(label) or re.sub(r" \(.*\)$", "", label)
    sizes = MEMORY_IN_NAME.get(name, {})
    return f"{name} {sizes[memory]}" if memory in sizes else name
