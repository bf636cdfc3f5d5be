"""The hardware list of huggingface.js: claims on memory, power, year and price from one row a product."""

from __future__ import annotations

import re

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

FILE = "hardware_skus.csv"
SOURCE = Source(
    id="huggingface-hardware",
    title="huggingface.js: list of hardware",
    publisher="Hugging Face",
    home="https://github.com/huggingface/huggingface.js/blob/main/packages/tasks/src/hardware.ts",
    licence="MIT",
    kind="community",  # its authors call the values approximate
    gives="memory, power, year and rounded launch price of consumer and data-centre GPUs, as a second witness",
    files=(
        SourceFile(
            FILE,
            "https://raw.githubusercontent.com/huggingface/huggingface.js/main/packages/tasks/src/hardware-nvidia.ts",
            "extract",
            floor=450,
        ),
    ),
    derived_from=("techpowerup-gpu-database",),
)

GROUPS = ("NVIDIA", "AMD", "GPU/INTEL", "Apple Silicon/-")
OTHER_GROUPS = {
    "GPU/QUALCOMM": "maker outside the guide",
    "CPU/Intel": "a CPU",
    "CPU/AMD": "a CPU",
}
COLUMNS = ("group", "name", "tflops", "memory_gb_options", "msrp_usd", "power_w", "release_year", "aliases")
IGNORED = {
    "tflops": "rounded vector FP16 for most rows, tensor for some (H20 148), partly wrong (MI300 has the MI250's 383)",
    "aliases": "names of machines",
}
# Their column → our field, and the unit of their column.
FIELD_OF = {
    "release_year": ("launch_date", None),
    "power_w": ("board_power_w", "W"),
    "memory_gb_options": ("memory_gb", "GB"),
    "msrp_usd": ("launch_price_usd", "USD"),
}
OF_ONE_VARIANT = ("power_w", "memory_gb_options", "msrp_usd")  # of the highest, the dearest, or of all of them
SHARED_MEMORY = "AMD_GPU_INTEGRATED_SHARED_MEMORY_OPTIONS"
# Cards whose maker announced a price. For data-centre parts the column holds a street price, for Apple's chips and
# laptop parts the price of a machine.
ANNOUNCED_PRICE = re.compile(r"(RTX|GTX) \d{4}( Ti)?( SUPER| Super)?|RX \d{4}.*|Arc [AB]\d{3}")


def parse(snapshots: Snapshots) -> Rows:
    """Yield the claims of every GPU in the list."""
    snapshot = snapshots.get(FILE)
    if snapshot is None:
        return
    for number, row in table.rows(snapshot, list(COLUMNS)):
        where = f"row {number} ({row['name']})"
        if row["group"] in GROUPS:
            yield from _row(snapshot, row, where)
        elif row["group"] in OTHER_GROUPS:
            yield snapshot.skip(row["name"], where, OTHER_GROUPS[row["group"]])
        else:
            raise SourceError(
                f"{SOURCE.id}/{FILE} {where}: unknown group {row['group']!r}; add it to GROUPS or OTHER_GROUPS"
            )


def _row(snapshot: Snapshot, row: dict[str, str], where: str) -> Rows:
    reasons = []
    for column, (field, unit) in FIELD_OF.items():
        reason = _reason_against(row, column)
        if reason:
            reasons.append(f"{column}: {reason}")
        elif row[column]:
            yield snapshot.claim(row["name"], field, row[column], f"{where}, column {column}", unit)
    if reasons:
        yield snapshot.skip(row["name"], where, "; ".join(reasons))


def _reason_against(row: dict[str, str], column: str) -> str:
    sizes = row["memory_gb_options"]
    if column == "memory_gb_options" and sizes == SHARED_MEMORY:
        return "shares the memory of its host"
    if column in OF_ONE_VARIANT and len(sizes.split()) > 1:
        return f"one row for all memory sizes ({sizes})"
    if column == "msrp_usd" and row[column] and not ANNOUNCED_PRICE.fullmatch(row["name"]):
        return "a street price or the price of a machine, not a card's announced price"
    return ""
