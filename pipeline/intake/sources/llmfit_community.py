"""Unreviewed submissions to llmfit: tokens a second by model, engine and GPU.

A model that does not fit was partly run on the processor and nothing says so, so these figures are for comparison
with better ones, never alone.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from pipeline.core.schema import Row, Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

SOURCE = Source(
    id="llmfit-community",
    title="llmfit community benchmarks",
    publisher="llmfit users",
    home="https://github.com/AlexsJones/llmfit",
    licence="MIT",
    kind="community",
    gives="tokens a second of many models on 17 machines, submitted by users and unreviewed",
    files=(
        SourceFile(
            "llm_tokens_per_second.csv",
            "https://github.com/AlexsJones/llmfit/tree/main/llmfit-core/data/community",
            "extract",
            300,
        ),
    ),
)

ENGINES = {"llamacpp": "llama.cpp", "ollama": "Ollama", "mlx": "MLX", "vllm": "vLLM"}
# Graphics inside a processor, or one name for two of them → why they are left out.
LEFT_OUT = (
    (re.compile(r".*\(integrated\)"), "integrated graphics"),
    (re.compile(r".* / .*"), "one name for two products"),
)
PRECISION = re.compile(
    r"(?:^|[-_.: ])(i?q\d(?:_[0-9a-z]+)*|f16|fp16|bf16|fp8|awq|gptq|nvfp4|mxfp4|[48]bit)\b", re.IGNORECASE
)


def parse(snapshots: Snapshots) -> Rows:
    """Yield one result a submission and model."""
    for snapshot in snapshots.values():
        for number, row in table.rows(snapshot, ["hardwareName", "gpuCount", "model", "provider", "avgTps"]):
            yield _row(snapshot, number, row)


def _row(snapshot: Snapshot, number: int, row: dict[str, str]) -> Row:
    # Some users submitted the whole path of the file; its last part is the model.
    model = row["model"].split("/")[-1]
    where = f"row {number} ({row['hardwareName']}, {model}, {row['provider']})"
    reason = next((why for pattern, why in LEFT_OUT if pattern.fullmatch(row["hardwareName"])), "")
    if reason:
        return snapshot.skip(row["hardwareName"], where, reason)
    if row["provider"] not in ENGINES:
        raise SourceError(f"{SOURCE.id}/{snapshot.file} {where}: unknown engine; add it to ENGINES in its module")
    quantized = PRECISION.search(model)
    return snapshot.result(
        row["hardwareName"],
        where,
        gpu_count=int(row["gpuCount"]),
        set="llmfit-community",
        workload="inference",
        model=model.removesuffix(".gguf"),
        precision=quantized[1] if quantized else "",
        batch="1 stream",
        metric="generation_speed",
        value=table.number(snapshot, number, row, "avgTps") or None,
        unit="tokens/s",
        higher_is_better=True,
        software=f"{ENGINES[row['provider']]} (llmfit {row['toolVersion']}, {row['os']})",
        date=datetime.fromtimestamp(int(row["submittedAtUnix"]), UTC).date().isoformat(),
        flag="" if table.number(snapshot, number, row, "avgTps") else "failed run (0 in the source)",
    )
