"""Output tokens a second and GPU by model and length from NVIDIA's TensorRT-LLM performance overview."""

from __future__ import annotations

import re

from pipeline.core.schema import Row, Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

PAGE = "https://raw.githubusercontent.com/NVIDIA/TensorRT-LLM/main/docs/source/developer-guide/perf-overview.md"
SOURCE = Source(
    id="nvidia-tensorrt-llm",
    title="TensorRT-LLM performance overview",
    publisher="NVIDIA",
    home="https://nvidia.github.io/TensorRT-LLM/developer-guide/perf-overview.html",
    licence="Apache-2.0",
    kind="vendor",
    gives="LLM inference throughput per GPU: H100, H200, B200, GB200, RTX PRO 6000 Blackwell Server Edition",
    files=(SourceFile("perf_overview_output_throughput.csv", PAGE, "extract", 120),),
)

# The page states no date: a result is dated by the day its copy was read.
VALUE = "output tokens per second per GPU"
# The page's section "Hardware" names the variants (read 2026-11-21).
NAMES = {
    "H100": "H100 SXM 80GB",
    "H200": "H200 SXM 141GB",
    "B200": "B200",
    "GB200": "GB200",
    "RTX 6000 Pro Blackwell Server Edition": "RTX PRO 6000 Blackwell Server Edition",
}
# How many GPUs a setting takes: "DEP4" and "TP2" are four and two, "4 GPUs DEP2,PP2" says so itself.
GPUS = re.compile(r"(?:(?P<said>\d+) GPUs .*|(?:TP|DEP)(?P<parallel>\d+))")
FOOTNOTE = re.compile(r"\[\^[^\]]*\]")


def parse(snapshots: Snapshots) -> Rows:
    """Yield one result a measured cell; the figure is per GPU, as the page states it."""
    for snapshot in snapshots.values():
        for number, row in table.rows(snapshot, ["model", "ISL/OSL", "GPU", "parallelism", "precision", VALUE]):
            yield _row(snapshot, number, row)


def _row(snapshot: Snapshot, number: int, row: dict[str, str]) -> Row:
    where = f"row {number} ({row['model']}, {row['ISL/OSL']}, {row['GPU']}, {row['parallelism']})"
    if row["GPU"] not in NAMES:
        raise SourceError(f"{SOURCE.id}/{snapshot.file} {where}: unknown GPU; add it to NAMES in its module")
    text = FOOTNOTE.sub("", row[VALUE]).replace(",", "")
    if not text:
        return snapshot.skip(row["GPU"], where, "not measured")
    count = GPUS.fullmatch(row["parallelism"])
    if not count or not text.isdigit():
        raise SourceError(f"{SOURCE.id}/{snapshot.file} {where}: cannot read {row[VALUE]!r}; look at the page")
    lengths = row["ISL/OSL"].split("/")
    return snapshot.result(
        NAMES[row["GPU"]],
        where,
        gpu_count=int(count["said"] or count["parallel"]),
        set="nvidia-tensorrt-llm",
        workload="inference",
        model=row["model"],
        precision=row["precision"].lower(),
        batch=f"{lengths[0]} in, {lengths[1]} out, {row['parallelism']}",
        metric="output_throughput_per_gpu",
        value=float(text),
        unit="tokens/s per GPU",
        higher_is_better=True,
        software="TensorRT-LLM",
        date=snapshot.published or snapshot.retrieved,
    )
