"""XiongjieDai's llama.cpp tables (LLaMA 3, May 2024): generation and prompt speeds, and what did not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from pipeline.core.schema import Result, Row, Rows
from pipeline.intake.results import OUT_OF_MEMORY
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

PAGE = "https://raw.githubusercontent.com/XiongjieDai/GPU-Benchmarks-on-LLM-Inference/main/README.md"
OVERVIEW = "overview_llama3_tokens_per_second.csv"
DETAIL = "benchmarks_llama3.csv"
SOURCE = Source(
    id="xiongjiedai-llm-inference",
    title="GPU Benchmarks on LLM Inference",
    publisher="Xiongjie Dai",
    home="https://github.com/XiongjieDai/GPU-Benchmarks-on-LLM-Inference",
    licence="not stated",
    kind="community",
    gives="llama.cpp speed on LLaMA 3 8B and 70B, and which configurations ran out of memory",
    files=(
        SourceFile(OVERVIEW, PAGE, "extract", 60),
        SourceFile(DETAIL, PAGE, "extract", 700),
        # Sizes and quality of models: no GPU in them, the estimator reads them.
        SourceFile("total_vram_requirements.csv", PAGE, "extract", 0),
        SourceFile("perplexity_llama3_70b.csv", PAGE, "extract", 0),
    ),
)

SET = "xiongjiedai-llama3-2024-05"
DATE = "2024-05"  # each section of the page says: snapshots in May 2024
# Start of their column or of the overview's `what` → our metric.
METRIC_OF = {"tg": "generation_speed", "pp": "prompt_speed"}
OVERVIEW_METRICS = {
    "Average speed (tokens/s) of generating 1024 tokens": "generation_speed",
    "Average 1024 tokens prompt eval speed (tokens/s)": "prompt_speed",
}
MODELS = ("8B Q4_K_M", "8B F16", "70B Q4_K_M", "70B F16")
LENGTHS = ("512", "1024", "4096", "8192")
# The system of a section, as its heading states it.
SOFTWARE_OF = {
    "NVIDIA Gaming GPUs": "llama.cpp, CUDA 12.1.1, Ubuntu 22.04.2",
    "NVIDIA Professional GPUs": "llama.cpp, CUDA 12.1.1, Ubuntu 22.04.2",
    "Apple Silicon": "llama.cpp",
}
NO_GPU = {
    "total_vram_requirements.csv": "sizes of the model files; no GPU is measured",
    "perplexity_llama3_70b.csv": "size and quality by quantization; no GPU is measured",
}
# F16 prompts of the 8B model run at 1.1 to 1.4 times the Q4_K_M speed on every sound configuration. Below this
# share the run was broken (A100 SXM and L40S: ten and three times slower than their neighbours).
BROKEN_SHARE = 0.6


def parse(snapshots: Snapshots) -> Rows:
    """Yield the detailed table, then what only the overview knows: configurations that did not fit at all."""
    detail = list(_detail(snapshots[DETAIL])) if DETAIL in snapshots else []
    yield from detail
    known = {(row.gpu, row.gpu_count, row.model, row.precision) for row in detail}
    if OVERVIEW in snapshots:
        yield from _overview(snapshots[OVERVIEW], known)
    for file, reason in NO_GPU.items():
        if file in snapshots:
            yield snapshots[file].skip("", "all rows", reason)


def _detail(snapshot: Snapshot) -> Iterator[Result]:
    rows = []
    for number, row in table.rows(snapshot, ["section", "GPU filled down", "Model"]):
        software = _software(snapshot, number, row["section"])
        for start, metric in METRIC_OF.items():
            for length in LENGTHS:
                column = f"{start} {length}"
                where = f"row {number} ({row['GPU filled down']}, {row['Model']}), column {column}"
                rows.append(
                    _result(
                        snapshot, row["GPU filled down"], row["Model"], metric, length, row[column], where, software
                    )
                )
    yield from _mark_broken(rows)


def _overview(snapshot: Snapshot, known: set[tuple[str, int, str, str]]) -> Iterator[Row]:
    for number, row in table.rows(snapshot, ["what", "GPU", *MODELS]):
        metric = OVERVIEW_METRICS.get(row["what"].split(" by GPUs")[0])
        if metric is None:
            raise SourceError(
                f"{SOURCE.id}/{OVERVIEW} row {number}: unknown table {row['what']!r}; add it to OVERVIEW_METRICS"
            )
        repeated = []
        for model in MODELS:
            where = f"row {number} ({row['GPU']}), column {model}"
            result = _result(snapshot, row["GPU"], model, metric, "1024", row[model], where, "llama.cpp")
            if (result.gpu, result.gpu_count, result.model, result.precision) in known:
                repeated.append(model)
            else:
                yield result
        if repeated:
            yield snapshot.skip(row["GPU"], f"row {number}", f"{', '.join(repeated)}: the same runs stand in {DETAIL}")


def _result(
    snapshot: Snapshot, configuration: str, model: str, metric: str, length: str, cell: str, where: str, software: str
) -> Result:
    gpu, count = _configuration(configuration)
    size, precision = model.split(" ", 1)
    value = None if cell == "OOM" else _number(snapshot, where, cell)
    return snapshot.result(
        gpu,
        where,
        gpu_count=count,
        set=SET,
        workload="inference",
        model=f"LLaMA 3 {size}",
        precision=precision,
        batch=f"1 stream, {length} tokens",
        metric=metric,
        value=value,
        unit="tokens/s",
        higher_is_better=True,
        software=software,
        date=DATE,
        flag="" if value else OUT_OF_MEMORY,
    )


def _configuration(text: str) -> tuple[str, int]:
    """Read "4090 24GB * 8": the GPU in full, and how many of it."""
    name, _, count = text.replace("\u2011", "-").partition(" * ")
    if re.match(r"\d{4}\b", name):
        name = f"RTX {name}"
    if name.startswith("M"):
        name = re.sub(r" \d+GB$", "", name)  # an Apple chip's memory is the buyer's choice, not a variant of the GPU
    return name, int(count or 1)


def _number(snapshot: Snapshot, where: str, cell: str) -> float:
    try:
        return float(cell.strip("*"))  # the fastest are set in bold
    except ValueError:
        raise SourceError(
            f"{SOURCE.id}/{snapshot.file} {where}: {cell!r} is neither a number nor OOM; look at the page"
        ) from None


def _software(snapshot: Snapshot, number: int, section: str) -> str:
    for start, software in SOFTWARE_OF.items():
        if section.startswith(start):
            return software
    raise SourceError(f"{SOURCE.id}/{snapshot.file} row {number}: unknown section {section!r}; add it to SOFTWARE_OF")


def _mark_broken(rows: list[Result]) -> Iterator[Result]:
    """Flag F16 prompt speeds of the 8B model that lie far under those of the quantized one."""
    quantized = {_run(row): row.value for row in rows if row.precision == "Q4_K_M"}
    for row in rows:
        usual = quantized.get(_run(row))
        small = row.model == "LLaMA 3 8B" and row.precision == "F16" and row.metric == "prompt_speed"
        if small and row.value and usual and row.value < BROKEN_SHARE * usual:
            flag = f"broken run: {row.value / usual:.2f} times the Q4_K_M prompt speed, elsewhere 1.1 to 1.4 times"
            row = replace(row, flag=flag)
        yield row


def _run(row: Result) -> tuple[object, ...]:
    return (row.gpu, row.gpu_count, row.model, row.batch, row.metric)
