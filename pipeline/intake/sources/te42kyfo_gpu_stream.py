"""Memory bandwidth as gpu-stream measured it, by kernel; of all occupancies only the full one."""

from __future__ import annotations

from collections import Counter

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceError, SourceFile

SOURCE = Source(
    id="te42kyfo-gpu-stream",
    title="gpu-benches: gpu-stream",
    publisher="Dominik Ernst",
    home="https://github.com/te42kyfo/gpu-benches",
    licence="GPL-3.0 (repository)",
    kind="community",
    gives="measured memory bandwidth of ten GPUs by kernel",
    files=(
        SourceFile(
            "stream_bandwidth.csv", "https://github.com/te42kyfo/gpu-benches/tree/master/gpu-stream", "extract", 60
        ),
    ),
)

# Their file names → what they say of the GPU.
NAMES = {
    "RX6900XT": "Radeon RX 6900 XT",
    "a100_40": "A100 40GB",
    "a100_80": "A100 80GB",
    "a40": "A40",
    "h100_pcie": "H100 PCIe 80GB",
    "h200": "H200",
    "l40": "L40",
    "mi100": "MI100",
    "mi210": "MI210",
    "v100": "V100",
}
# Their column → our metric.
METRICS = {
    "init GB/s": "stream_init",
    "read GB/s": "stream_read",
    "scale GB/s": "stream_scale",
    "triad GB/s": "stream_triad",
    "3pt GB/s": "stream_3pt",
    "5pt GB/s": "stream_5pt",
}
FULL = 100.0


def parse(snapshots: Snapshots) -> Rows:
    """Yield the six kernels of each GPU at full occupancy; the other lines are counted."""
    for snapshot in snapshots.values():
        partial: Counter[str] = Counter()
        for number, row in table.rows(snapshot, ["gpu file", "blockSize", "occupancy %", *METRICS]):
            if row["gpu file"] not in NAMES:
                where = f"{SOURCE.id}/{snapshot.file} row {number}"
                raise SourceError(f"{where}: unknown gpu file {row['gpu file']!r}; add it to NAMES in its module")
            if table.number(snapshot, number, row, "occupancy %") == FULL:
                for column, metric in METRICS.items():
                    yield snapshot.result(
                        NAMES[row["gpu file"]],
                        f"row {number} ({row['gpu file']}), column {column}",
                        gpu_count=1,
                        set="gpu-stream",
                        workload="microbenchmark",
                        model="gpu-stream",
                        precision="",
                        batch=f"block size {row['blockSize']}, full occupancy",
                        metric=metric,
                        value=table.number(snapshot, number, row, column),
                        unit="GB/s",
                        higher_is_better=True,
                        software="gpu-stream (CUDA or HIP)",
                        date=snapshot.published or snapshot.retrieved,
                    )
            else:
                partial[row["gpu file"]] += 1
        for gpu, count in partial.items():
            yield snapshot.skip(NAMES[gpu], f"{count} rows of {gpu}", "below full occupancy")
