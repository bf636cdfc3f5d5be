"""LLM Foundry's training runs (MPT, PyTorch FSDP, 2023): tokens a second and GPU by size, length and micro batch."""

from __future__ import annotations

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceError, SourceFile

SOURCE = Source(
    id="mosaicml-llm-foundry",
    title="LLM Foundry training benchmarks",
    publisher="MosaicML",
    home="https://github.com/mosaicml/llm-foundry",
    licence="Apache-2.0",
    kind="first-party",
    gives="training speed of MPT models from 125M to 70B with FSDP on 8 to 512 A100 and H100",
    files=(
        SourceFile(
            "training_throughput.csv",
            "https://raw.githubusercontent.com/mosaicml/llm-foundry/main/scripts/train/benchmarking/README.md",
            "extract",
            100,
        ),
    ),
)
# The clusters are SXM machines (NVLink) by the section's text upstream.
NAMES = {"h100_80gb": "H100 SXM 80GB", "a100_80gb": "A100 SXM4 80GB", "a100_40gb": "A100 SXM4 40GB"}
RATE = "Throughput (T/s/GPU)"


def parse(snapshots: Snapshots) -> Rows:
    """Yield one result a run; the figure is per GPU."""
    for snapshot in snapshots.values():
        for number, row in table.rows(snapshot, ["Model", "SeqLen (T)", "# GPUs", "GPU", RATE, "NumParams"]):
            where = f"row {number} ({row['Model']}, {row['# GPUs']} x {row['GPU']}, {row['SeqLen (T)']} tokens)"
            if row["GPU"] not in NAMES:
                raise SourceError(f"{SOURCE.id}/{snapshot.file} {where}: unknown GPU; add it to NAMES in its module")
            recompute = "recompute" if row["Activation Checkpointing"] == "True" else "no recompute"
            yield snapshot.result(
                NAMES[row["GPU"]],
                f"{where}, column {RATE}",
                gpu_count=int(row["# GPUs"]),
                set="mosaicml-llm-foundry",
                workload="training",
                model=f"MPT {row['Model']}",
                precision="fp8" if "fp8" in row["Precision"] else "bf16",
                batch=f"micro {row['MicroBatchSize']}, {row['SeqLen (T)']} tokens, {recompute}, "
                f"{row['NumParams']} parameters",
                metric="training_throughput_per_gpu",
                value=table.number(snapshot, number, row, RATE),
                unit="tokens/s per GPU",
                higher_is_better=True,
                software="PyTorch FSDP",
                date=snapshot.published or snapshot.retrieved,
            )
