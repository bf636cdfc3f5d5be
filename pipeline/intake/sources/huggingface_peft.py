"""Hugging Face's comparison of fine-tuning methods on one L40S: speed and the most memory reserved, by method.

The catalogue keeps full fine-tuning and LoRA; the other methods differ from LoRA by their own code, not by the card.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.core.schema import Result, Rows
from pipeline.intake.results import higher_is_better
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceFile

SOURCE = Source(
    id="huggingface-peft",
    title="PEFT method comparison",
    publisher="Hugging Face",
    home="https://github.com/huggingface/peft",
    licence="Apache-2.0",
    kind="first-party",
    gives="speed and memory of full and LoRA fine-tuning of Llama 3.2 3B and FLUX.2 klein 4B on one L40S",
    files=(
        SourceFile(
            "method_comparison.csv",
            "https://github.com/huggingface/peft/tree/main/method_comparison",
            "extract",
            10,
        ),
    ),
)
METHODS = {"FULL_FINETUNING": "full", "LORA": "LoRA"}
# Variants of LoRA with another forward pass or optimiser.
VARIANTS = ("dora", "lorafa", "bdlora", "mica", "rslora")
# The image task states no tokens: its speed is in steps, of its default batch.
UNITS = {"MetaMathQA": "tokens/s", "image-gen": "samples/s"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield speed and peak memory of each kept run."""
    for snapshot in snapshots.values():
        for number, row in table.rows(snapshot, ["task", "method", "memory_max_bytes", "train_time_s", "last_step"]):
            where = f"row {number} ({row['experiment']})"
            variant = any(word in row["experiment"] for word in VARIANTS)
            if row["method"] not in METHODS or variant or row["status"] != "success":
                yield snapshot.skip(row["accelerator"], where, "another method, or a run that did not end well")
                continue
            yield from _results(snapshot, row, where)


def _results(snapshot: Snapshot, row: dict[str, str], where: str) -> Iterator[Result]:
    work = float(row["train_total_tokens"] or 0) or float(row["last_step"]) * float(row["batch_size"] or 1)
    recompute = "recompute" if row["gradient_checkpointing"] == "True" else "no recompute"
    longest = f"{row['max_seq_length'] or '?'} tokens at most"
    if float(row["train_total_tokens"] or 0):
        longest = f"{float(row['train_total_tokens']) / float(row['train_samples']):.0f} tokens on average, {longest}"
    asked = f"micro {row['batch_size'] or '?'}, {longest}, {recompute}"
    found = (
        ("train_time_s", "throughput", work / float(row["train_time_s"]), UNITS[row["task"]]),
        ("memory_max_bytes", "memory_peak", float(row["memory_max_bytes"]) / 2**30, "GiB"),
    )
    for column, metric, value, unit in found:
        yield snapshot.result(
            "L40S",
            f"{where}, column {column}",
            gpu_count=1,
            set="huggingface-peft",
            workload="training",
            model=row["model"].split("/")[-1],
            precision="bf16",
            batch=f"{METHODS[row['method']]} rank {float(row['rank'] or 0):g}, {asked}",
            metric=metric,
            value=round(value, 3),
            unit=unit,
            higher_is_better=higher_is_better(metric),
            software="PEFT and PyTorch",
            date=row["date"],
        )
