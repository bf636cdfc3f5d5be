"""Rental prices from the SkyPilot catalogues of Nebius, Hyperstack and RunPod (first rows).

Prices are per machine. Lines that differ in region only are one offer: an observation stands for one machine type,
kind and price, names the regions, and says in its locator how many lines it merges. The catalogues state no day on
which anybody saw a price, and prices in them stand for months after the provider has changed them (Nebius' H100 at
2.95 in November 2026, 4.50 since October): such an offer carries the day of our reading and a flag, and counts nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.schema import Price, Rows
from pipeline.intake.price_list import Offer, lines, mark_implausible, merged, per_gpu, places
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

RAW = "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/"
SOURCE = Source(
    id="skypilot-catalog",
    title="SkyPilot catalogue",
    publisher="SkyPilot",
    home="https://github.com/skypilot-org/skypilot-catalog",
    licence="not stated",
    kind="community",
    gives="machine types with GPUs of Nebius, Hyperstack and RunPod (A100 only): price and spot price by region",
    files=(
        SourceFile("nebius_vms.csv", RAW + "nebius/vms.csv", "same-format", 15),
        SourceFile("hyperstack_vms.csv", RAW + "hyperstack/vms.csv", "same-format", 20),
        SourceFile("runpod_vms_first_rows.csv", RAW + "runpod/vms.csv", "same-format", 4),
    ),
)

PROVIDERS = {
    "nebius_vms.csv": "Nebius",
    "hyperstack_vms.csv": "Hyperstack",
    "runpod_vms_first_rows.csv": "RunPod",
}
# What tells the variant: Nebius in the machine type, Hyperstack in the accelerator, RunPod in GpuInfo.
VARIANT_IN = {
    "nebius_vms.csv": ("InstanceType", re.compile(r"gpu-(?P<gpu>[\w-]+?)(-[ad])?_\d+gpu-.*")),
    "hyperstack_vms.csv": ("AcceleratorName", re.compile(r"(?P<gpu>.+)")),
    "runpod_vms_first_rows.csv": ("GpuInfo", re.compile(r".*'Name': '(?P<gpu>[^']+)'.*")),
}
NAMES = {
    "h100-sxm": "H100 SXM 80GB",
    "h200-sxm": "H200 SXM 141GB",
    "b200-sxm": "B200",
    "l40s": "L40S",
    "A100-80G-PCIe": "A100 PCIe 80GB",
    "A100-80G-PCIe-NVLink": "A100 PCIe 80GB",
    "H100-80G-PCIe": "H100 PCIe 80GB",
    "H100-80G-PCIe-NVLink": "H100 PCIe 80GB",
    "H100-80G-SXM5": "H100 SXM5 80GB",
    "L40": "L40",
    "RTX-A4000": "RTX A4000",
    "RTX-A6000": "RTX A6000",
    "A100 PCIe": "A100 PCIe 80GB",  # RunPod: AcceleratorName A100-80GB, SizeInMiB 80 means GB
}
UNDATED = "day not known: the catalogue does not say when the price was asked"
REMARKS = {"NVLink": "cards joined by NVLink bridges", "SECURE": "secure cloud (data centre)"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield one price an offer; implausible ones are flagged within their catalogue."""
    for snapshot in snapshots.values():
        found = list(table.rows(snapshot, ["InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region"]))
        bare = [number for number, row in found if not row["AcceleratorName"]]
        if bare:
            yield snapshot.skip("machine without GPU", lines(bare, "", ""), "no accelerator on the line")
        offers = (offer for number, row in found if row["AcceleratorName"] for offer in _offers(snapshot, number, row))
        yield from mark_implausible(_price(snapshot, offer, same) for offer, same in merged(offers))


def _price(snapshot: Snapshot, offer: Offer, same: list[Offer]) -> Price:
    return snapshot.price(
        offer.name,
        lines([one.row for one in same], offer.instance),
        kind=offer.kind,
        provider=PROVIDERS[snapshot.file],
        region=places([one.region for one in same]),
        gpus=offer.gpus,
        usd_per_machine_hour=offer.machine_hour,
        usd_per_gpu_hour=per_gpu(offer.machine_hour, offer.gpus),
        date=snapshot.published or snapshot.retrieved,
        flag="" if snapshot.published else UNDATED,
        includes=offer.includes,
        offer=f"{PROVIDERS[snapshot.file]} / {offer.instance} / {offer.kind} / {offer.machine_hour}",
    )


def _offers(snapshot: Snapshot, number: int, row: dict[str, str]) -> Iterator[Offer]:
    machine = row["InstanceType"]
    includes = "; ".join(meaning for mark, meaning in REMARKS.items() if mark in machine)
    for kind, column in (("on_demand", "Price"), ("spot", "SpotPrice")):
        amount = float(row[column] or 0)  # no spot price is an empty cell
        if amount:
            yield Offer(
                _name(snapshot, number, row),
                kind,
                machine,
                table.number(snapshot, number, row, "AcceleratorCount"),
                amount,
                row.get("AvailabilityZone") or row["Region"],
                number,
                includes,
            )


def _name(snapshot: Snapshot, number: int, row: dict[str, str]) -> str:
    column, pattern = VARIANT_IN[snapshot.file]
    match = pattern.fullmatch(row[column])
    if not match or match["gpu"] not in NAMES:
        where = f"{SOURCE.id}/{snapshot.file} row {number}"
        raise SourceError(f"{where}: unknown GPU in {column} {row[column]!r}; add it to NAMES in its module")
    return NAMES[match["gpu"]]
