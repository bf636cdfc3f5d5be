"""NVIDIA's table of compute capabilities in the CUTLASS documentation: claims from products and series."""

from __future__ import annotations

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceError, SourceFile

FILE = "compute_capability.csv"
SOURCE = Source(
    id="nvidia-cutlass-compute-capability",
    title="CUTLASS: supported GPUs",
    publisher="NVIDIA",
    home="https://github.com/NVIDIA/cutlass#hardware",
    licence="BSD-3-Clause",
    kind="vendor",
    gives="CUDA compute capability of NVIDIA's products and series since Volta",
    files=(SourceFile(FILE, "https://raw.githubusercontent.com/NVIDIA/cutlass/main/README.md", "extract", floor=50),),
)

GPU, CAPABILITY = "GPU", "CUDA Compute Capability"
IGNORED = {"Minimum CUDA Toolkit Required by CUTLASS-3": "a need of the library, not of the GPU"}
# The table names series and families; one chip generation has one capability, so it holds for every member.
MEMBERS: dict[str, tuple[str, ...]] = {
    "NVIDIA V100 Tensor Core GPU": (
        "V100 SXM2 16GB",
        "V100 SXM2 32GB",
        "V100 PCIe 16GB",
        "V100 PCIe 32GB",
        "V100S PCIe 32GB",
    ),
    "NVIDIA TitanV": ("Titan V",),
    "NVIDIA GeForce RTX 20x0 series": (
        "RTX 2060 6GB",
        "RTX 2060 12GB",
        "RTX 2060 Super",
        "RTX 2070",
        "RTX 2070 Super",
        "RTX 2080",
        "RTX 2080 Super",
        "RTX 2080 Ti",
    ),
    "NVIDIA T4": ("T4",),
    "NVIDIA A100 Tensor Core GPU": ("A100 SXM4 40GB", "A100 SXM4 80GB", "A100 PCIe 40GB", "A100 PCIe 80GB"),
    "NVIDIA A10": ("A10",),
    "NVIDIA GeForce RTX 30x0 series": (
        "RTX 3050 6GB",
        "RTX 3050 8GB",
        "RTX 3060 8GB",
        "RTX 3060 12GB",
        "RTX 3060 Ti",
        "RTX 3070",
        "RTX 3070 Ti",
        "RTX 3080 10GB",
        "RTX 3080 12GB",
        "RTX 3080 Ti",
        "RTX 3090",
        "RTX 3090 Ti",
    ),
    "NVIDIA GeForce RTX 40x0 series": (
        "RTX 4060",
        "RTX 4060 Ti 8GB",
        "RTX 4060 Ti 16GB",
        "RTX 4070",
        "RTX 4070 Super",
        "RTX 4070 Ti",
        "RTX 4070 Ti Super",
        "RTX 4080",
        "RTX 4080 Super",
        "RTX 4090",
        "RTX 4090 D",
    ),
    "NVIDIA L40": ("L40",),
    "NVIDIA H100 Tensor Core GPU": ("H100 SXM5 80GB", "H100 PCIe 80GB", "H100 NVL 94GB"),
    "NVIDIA H200 Tensor Core GPU": ("H200 SXM 141GB", "H200 NVL 141GB"),
    "NVIDIA B200 Tensor Core GPU": ("B200",),
    "NVIDIA B300 Tensor Core GPU": ("B300",),
    "NVIDIA GeForce RTX 50x0 series": (
        "RTX 5050",
        "RTX 5060",
        "RTX 5060 Ti 8GB",
        "RTX 5060 Ti 16GB",
        "RTX 5070",
        "RTX 5070 Ti",
        "RTX 5080",
        "RTX 5090",
    ),
}
MACHINES = {
    "NVIDIA DRIVE Thor": "a computer for cars, not a GPU",
    "NVIDIA DGX Spark": "a computer; its chip is not named",
}


def parse(snapshots: Snapshots) -> Rows:
    """Yield the CUDA compute capability of every member of every row, and that CUDA runs on it."""
    snapshot = snapshots.get(FILE)
    if snapshot is None:
        return
    for number, row in table.rows(snapshot, [GPU, CAPABILITY, *IGNORED]):
        label, where = row[GPU], f"row {number} ({row[GPU]}), column {CAPABILITY}"
        if label in MACHINES:
            yield snapshot.skip(label, where, MACHINES[label])
        elif label in MEMBERS:
            for name in MEMBERS[label]:
                yield snapshot.claim(f"NVIDIA {name}", "compute_capability", row[CAPABILITY], where)
                yield snapshot.claim(f"NVIDIA {name}", "software_support", "CUDA", where)
        else:
            raise SourceError(
                f"{SOURCE.id}/{FILE} {where}: unknown product {label!r}; add its members to MEMBERS, or it to MACHINES"
            )
