"""Minutes to target quality from MLPerf Training run times (v4.1, v5.0, v5.1, closed division).

The table was computed from the run logs: the mean without the fastest and slowest run. Official scores can be scaled
for convergence, so small differences to MLCommons' own table are normal, and these figures are not verified by it.
"""

from __future__ import annotations

import re

from pipeline.core.schema import Row, Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

FILE = "training_results_closed_v4.1_v5.0_v5.1.csv"
SOURCE = Source(
    id="mlperf-training",
    title="MLPerf Training run times, closed division, v4.1 to v5.1",
    publisher="MLCommons (run logs)",
    home="https://mlcommons.org/benchmarks/training/",
    licence="Apache-2.0 (MLPerf results usage policy applies to quoting)",
    kind="reference",
    gives="minutes to target quality by system and task, computed from the published logs",
    files=(SourceFile(FILE, "https://github.com/mlcommons/training_results_v5.1", "extract", 450),),
)

# Rounds → when MLCommons published them: its announcements of 2025-06-04 and 2025-11-12; the latter calls v4.1 "one
# year ago" (GlobeNewswire, read 2026-11-21).
DATES = {"v4.1": "2024-11", "v5.0": "2025-06-04", "v5.1": "2025-11-12"}
MEAN = "minutes_mean_without_best_and_worst"
# Two names of one task in different rounds.
TASKS = {"ssd": "retinanet", "gnn": "rgat"}
# Names whose product stands in brackets behind a family.
IN_BRACKETS = re.compile(r"NVIDIA Blackwell (?:Ultra )?GPU \((?P<gpu>.*)\)")
NAMES = {
    "TPU-trillium": "TPU v6e",
    "H100 NVL Tensor Core GPU (PCIe)": "H100 NVL",
    "NVIDIA RTX Pro 6000 SE PCIe 96GB": "RTX PRO 6000 Blackwell Server Edition",
    "NVIDIA H100 80GB HBM3": "H100 SXM 80GB",  # what the driver calls the SXM5 module
    "NVIDIA A100 - PCIe - 80 GB": "A100 PCIe 80GB",
}
NOISE = re.compile(r" HBM3[eE]?( DLC)?$")
NO_RUN = "no usable run"


def parse(snapshots: Snapshots) -> Rows:
    """Yield one result a submission; the same runs handed in twice are flagged."""
    for snapshot in snapshots.values():
        seen: dict[tuple[str, ...], int] = {}
        for number, row in table.rows(snapshot, ["round", "status", "benchmark", "accelerator", "nodes", MEAN]):
            runs = (row["benchmark"], row[MEAN], row["minutes_min"], row["minutes_max"])
            first = seen.setdefault(runs, number) if row[MEAN] else number
            yield _result(snapshot, number, row, f"the same runs as row {first}" if first != number else "")


def _result(snapshot: Snapshot, number: int, row: dict[str, str], repeated: str) -> Row:
    if row["round"] not in DATES:
        where = f"{SOURCE.id}/{snapshot.file} row {number}"
        raise SourceError(f"{where}: unknown round {row['round']!r}; add its month to DATES in its module")
    where = f"row {number} ({row['round']}, {row['submitter']}, {row['system']}, {row['benchmark']})"
    preview = "preview: the system could not be bought" if row["status"] == "Preview" else ""
    return snapshot.result(
        _name(row["accelerator"]),
        where,
        gpu_count=int(row["nodes"]) * int(row["accelerators_per_node"]),
        set=f"mlperf-training-{row['round']}",
        workload="training",
        model=TASKS.get(row["benchmark"], row["benchmark"]),
        precision="",
        batch="",
        metric="time_to_train",
        value=table.number(snapshot, number, row, MEAN) if row[MEAN] else None,
        unit="min",
        higher_is_better=False,
        software=row["framework"],
        date=DATES[row["round"]],
        flag=(repeated or preview) if row[MEAN] else NO_RUN,
    )


def _name(text: str) -> str:
    if text in NAMES:
        return NAMES[text]
    match = IN_BRACKETS.fullmatch(text)
    return match["gpu"] if match else NOISE.sub("", text)
