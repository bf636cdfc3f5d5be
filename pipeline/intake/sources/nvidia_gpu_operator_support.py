"""The official spellings of NVIDIA's data-centre products, from the list of those that its GPU operator supports."""

from __future__ import annotations

import re

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceError, SourceFile

FILE = "products_and_architectures.csv"
SOURCE = Source(
    id="nvidia-gpu-operator-support",
    title="GPU operator: platform support",
    publisher="NVIDIA",
    home="https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/platform-support.html",
    licence="Apache-2.0",
    kind="vendor",
    gives="official spelling of data-centre products; no figure",
    files=(
        SourceFile(
            FILE,
            "https://raw.githubusercontent.com/NVIDIA/cloud-native-docs/main/gpu-operator/platform-support.rst",
            "extract",
            floor=0,  # names only: nothing of it is a claim
        ),
    ),
)

PRODUCT = "Product"
IGNORED = {
    "tab": "the heading of the table on the page",
    "Architecture": "stands in data/gpus; this list has 'Ampere /Ada' for the RTX A6000, which is Ampere",
}
SYSTEM = re.compile(r"NVIDIA (DGX|HGX) ")
NO_FIGURE = "NVIDIA's spelling; the list holds no figure"
NOT_A_GPU = "a whole system, not a GPU"


def parse(snapshots: Snapshots) -> Rows:
    """Yield each product once as a row without a figure; some cells name two."""
    snapshot = snapshots.get(FILE)
    if snapshot is None:
        return
    found = {
        name: number
        for number, row in table.rows(snapshot, [PRODUCT, *IGNORED])
        for name in row[PRODUCT].split(", ")
        if name
    }
    if not found:
        raise SourceError(f"{SOURCE.id}/{FILE}: names no product; the list has another shape, copy it out again")
    for name, number in found.items():
        reason = NOT_A_GPU if SYSTEM.match(name) else NO_FIGURE
        yield snapshot.skip(name, f"row {number}, column {PRODUCT}", reason)
