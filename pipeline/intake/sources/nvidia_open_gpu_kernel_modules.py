"""The official spelling of every product that NVIDIA's open kernel driver supports, from its list by PCI id."""

from __future__ import annotations

import re

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceError, SourceFile

FILE = "compatible_gpus.csv"
SOURCE = Source(
    id="nvidia-open-gpu-kernel-modules",
    title="Open GPU kernel modules: compatible GPUs",
    publisher="NVIDIA",
    home="https://github.com/NVIDIA/open-gpu-kernel-modules",
    licence="MIT (dual MIT/GPLv2)",
    kind="vendor",
    gives="official spelling of products since Turing, with PCI ids; no figure",
    files=(
        SourceFile(
            FILE,
            "https://raw.githubusercontent.com/NVIDIA/open-gpu-kernel-modules/595.45.04/README.md",
            "extract",
            floor=0,  # names only: nothing of it is a claim
        ),
    ),
)

PRODUCT, PCI_ID = "Product Name", "PCI ID"
# Device, or device, subvendor and subdevice: four hexadecimal digits each.
PCI = re.compile(r"[0-9A-F]{4}( [0-9A-F]{4} [0-9A-F]{4})?")
# Laptop parts stand beside the cards, without the word where the subdevice tells them apart ("Quadro RTX 3000").
LAPTOP = re.compile(r"Laptop|Max-Q Design|Embedded|GeForce MX|RTX 2050|GTX 1650 Ti|Quadro (RTX 3000|T[12]000)")


def parse(snapshots: Snapshots) -> Rows:
    """Yield each product once, at its first row, with the number of its ids; nothing of it is a figure."""
    snapshot = snapshots.get(FILE)
    if snapshot is None:
        return
    rows_of: dict[str, list[int]] = {}
    for number, row in table.rows(snapshot, [PRODUCT, PCI_ID]):
        if not row[PRODUCT] or not PCI.fullmatch(row[PCI_ID]):
            raise SourceError(
                f"{SOURCE.id}/{FILE} row {number}: {row[PRODUCT]!r}, {row[PCI_ID]!r} is not a product with a PCI id "
                f"of four hexadecimal digits, or three such groups; copy the row out again"
            )
        rows_of.setdefault(row[PRODUCT], []).append(number)
    if not rows_of:
        raise SourceError(f"{SOURCE.id}/{FILE}: names no product; the list has another shape, copy it out again")
    for name, numbers in rows_of.items():
        yield snapshot.skip(name, f"row {numbers[0]}, column {PRODUCT}", _reason(name, len(numbers)))


def _reason(name: str, ids: int) -> str:
    kind = "a laptop or embedded part; " if LAPTOP.search(name) else ""
    return f"{kind}NVIDIA's spelling, under {ids} PCI id{'s' if ids > 1 else ''}; the list holds no figure"
