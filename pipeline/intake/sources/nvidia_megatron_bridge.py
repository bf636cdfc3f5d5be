"""Training tokens and model TFLOP a second and GPU from NVIDIA's Megatron Bridge performance pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.core.schema import Result, Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

PAGE = "https://raw.githubusercontent.com/NVIDIA-NeMo/Megatron-Bridge/main/docs/performance-summary.md"
SOURCE = Source(
    id="nvidia-megatron-bridge",
    title="Megatron Bridge performance summary",
    publisher="NVIDIA",
    home="https://github.com/NVIDIA-NeMo/Megatron-Bridge/blob/main/docs/performance-summary.md",
    licence="Apache-2.0",
    kind="vendor",
    gives="LLM training speed per GPU on DGX H100, B200, B300, GB200 and GB300 by container release",
    files=(SourceFile("training_performance.csv", PAGE, "extract", 400),),
)

# A system → its GPU. DGX H100 holds the H100 SXM 80GB, DGX B200 the B200 180GB (NVIDIA's TensorRT-LLM overview,
# section "Hardware", read 2026-11-21).
SYSTEMS = {
    "DGX-H100": "H100 SXM 80GB",
    "DGX-B200": "B200",
    "DGX-B300": "B300",
    "DGX-GB200": "GB200",
    "DGX-GB300": "GB300",
}
# Their column → our metric and unit.
METRICS = {
    "Tokens / sec / GPU": ("training_throughput_per_gpu", "tokens/s per GPU"),
    "Model TFLOP / sec / GPU": ("model_rate_per_gpu", "TFLOPS per GPU"),
}
FOOTNOTE = re.compile(r"\[\^[^\]]*\]")
SETTINGS = ("TP", "PP", "CP", "VP", "EP")
# Releases repeat models: only the release's own set compares.
SET = "nvidia-megatron-bridge"


def parse(snapshots: Snapshots) -> Rows:
    """Yield two results a row."""
    for snapshot in snapshots.values():
        seen: Counter[tuple[str, ...]] = Counter()
        for number, row in table.rows(snapshot, ["container", "part", "model", "System", "#-GPUs", *METRICS]):
            seen[tuple(row.values())] += 1
            if seen[tuple(row.values())] > 1:
                yield snapshot.skip(row["System"], f"row {number}", "the same line stands above")
            else:
                yield from _results(snapshot, number, row)


def _results(snapshot: Snapshot, number: int, row: dict[str, str]) -> Iterator[Result]:
    where = f"row {number} ({row['container']}, {row['model']}, {row['#-GPUs']}x {row['System']})"
    if row["System"] not in SYSTEMS:
        raise SourceError(f"{SOURCE.id}/{snapshot.file} {where}: unknown System; add it to SYSTEMS in its module")
    for column, (metric, unit) in METRICS.items():
        if row[column]:
            yield snapshot.result(
                SYSTEMS[row["System"]],
                f"{where}, column {column}",
                gpu_count=int(row["#-GPUs"]),
                set=SET,
                workload="training",
                model=f"{row['model']}, {row['part'].removesuffix(' Performance')}",
                precision=row["Precision"].lower(),
                batch=_batch(row),
                metric=metric,
                value=_number(snapshot, where, column, row[column]),
                unit=unit,
                higher_is_better=True,
                software=row["container"],
                date=snapshot.published or snapshot.retrieved,
            )


def _batch(row: dict[str, str]) -> str:
    settings = " ".join(f"{name}{row[name]}" for name in SETTINGS if row[name] != "n/a")
    return f"global {row['GBS']}, micro {row['MBS']}, {row['Sequence Length']} tokens, {settings}"


def _number(snapshot: Snapshot, where: str, column: str, text: str) -> float:
    try:
        return float(FOOTNOTE.sub("", text).replace(",", ""))
    except ValueError:
        raise SourceError(
            f"{SOURCE.id}/{snapshot.file} {where}: column {column} holds {text!r}; look at the page"
        ) from None
