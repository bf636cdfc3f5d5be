"""Rates and waits from Holtmann's vLLM serving runs on rented RTX 5060 Ti, 5070 Ti and 5090 (December 2025)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.schema import Result, Rows
from pipeline.intake.results import higher_is_better
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

SOURCE = Source(
    id="hholtmann-llm-consumer-gpu",
    title="LLM serving on consumer GPUs",
    publisher="Hendrik Holtmann",
    home="https://github.com/hholtmann/llm-consumer-gpu-benchmark",
    licence="MIT (stated in the README)",
    kind="community",
    gives="vLLM serving throughput and latency on one or two RTX 5060 Ti, 5070 Ti and 5090",
    files=(SourceFile("vllm_serving.csv", "https://github.com/hholtmann/llm-consumer-gpu-benchmark", "extract", 250),),
)

# Their column → our metric and unit.
METRICS = {
    "output_token_throughput_tok_per_s": ("output_throughput", "tokens/s"),
    "request_throughput_req_per_s": ("request_throughput", "requests/s"),
    "ttft_ms_avg": ("time_to_first_token", "ms"),
    "request_latency_ms_avg": ("request_latency", "ms"),
}
GPU = re.compile(r"(?P<name>RTX 50\d0(?: Ti)?) x(?P<count>[12])")
# A 20 B model (over 8 GB) ran whole on one of them: it is the 16 GB card.
NAMES = {"RTX 5060 Ti": "RTX 5060 Ti 16GB"}
# Words in the model's or run's name → number format of the weights.
PRECISIONS = ("nvfp4", "mxfp4", "w4a16", "bf16")


def parse(snapshots: Snapshots) -> Rows:
    """Yield four results a run: throughput grows with concurrency, so only equal `batch` compares."""
    for snapshot in snapshots.values():
        for number, row in table.rows(snapshot, ["gpu", "workload", "run", "model", "status", *METRICS]):
            where = f"row {number} ({row['system']}, {row['run']})"
            if not row["gpu"]:
                yield snapshot.skip(row["system"], where, "a run without GPU, model and conditions")
            else:
                yield from _results(snapshot, number, row, where)


def _results(snapshot: Snapshot, number: int, row: dict[str, str], where: str) -> Iterator[Result]:
    gpu = GPU.fullmatch(row["gpu"])
    if not gpu:
        at = f"{SOURCE.id}/{snapshot.file} row {number}"
        raise SourceError(f"{at}: gpu {row['gpu']!r} is no card with a count; correct GPU in its module")
    named = f"{row['model']} {row['run']}".lower()
    precision = next((word for word in PRECISIONS if word in named), "")
    for column, (metric, unit) in METRICS.items():
        yield snapshot.result(
            NAMES.get(gpu["name"], gpu["name"]),
            f"{where}, column {column}",
            gpu_count=int(gpu["count"]),
            set=f"hholtmann-vllm-{row['workload']}",
            workload="inference",
            model=row["model"].split("/")[-1],
            precision=precision,
            batch=f"{row['concurrency']} streams, {row['input_tokens_mean']} in, {row['output_tokens_mean']} out",
            metric=metric,
            value=table.number(snapshot, number, row, column) if row[column] else None,
            unit=unit,
            higher_is_better=higher_is_better(metric),
            software="vLLM",
            date=row["date"],
            flag=_flag(row, column),
        )


def _flag(row: dict[str, str], column: str) -> str:
    if not row[column]:
        return "not measured"
    if row["status"] != "success":
        return f"run marked {row['status']}"
    failed = float(row["error_request_count"] or 0)
    return f"{failed:g} failed request" if failed else ""
