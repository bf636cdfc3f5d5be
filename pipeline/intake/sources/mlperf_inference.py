"""One result a submission, model and scenario from MLPerf Inference result lists (v4.1, v5.1, v6.0).

Values are for the whole system, as MLCommons published them; nothing here is derived. Compare only the same model,
scenario and round: round and division make the set, the scenario makes the metric.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pipeline.core.measured.plausible import SETTINGS
from pipeline.core.schema import Result, Rows
from pipeline.intake.results import higher_is_better
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

Word = TypeVar("Word")
RAW = "https://raw.githubusercontent.com/mlcommons/"
SOURCE = Source(
    id="mlperf-inference",
    title="MLPerf Inference results v4.1, v5.1 and v6.0",
    publisher="MLCommons",
    home="https://mlcommons.org/benchmarks/inference-datacenter/",
    licence="Apache-2.0 (MLPerf results usage policy applies to quoting)",
    kind="reference",
    gives="inference throughput and latency of submitted systems by model and scenario",
    files=(
        SourceFile(
            "summary_results_v4.1.json",
            RAW + "inference_results_v4.1/4a0c87411066bd697db46fa44cf6f04fd458f627/summary_results.json",
            "original",
            700,
        ),
        SourceFile(
            "summary_results_v5.1.json",
            RAW + "inference_results_v5.1/main/summary_results.json",
            "original",
            500,
            "not stated in this repository (sister result repositories: Apache-2.0; "
            "MLPerf results usage policy applies)",
        ),
        SourceFile(
            "summary_results_v6.0.json", RAW + "inference_results_v6.0/main/summary_results.json", "original", 400
        ),
    ),
)

METRIC_OF = {
    "Offline": "offline_throughput",
    "Server": "server_throughput",
    "Interactive": "interactive_throughput",
    "SingleStream": "single_stream_latency",
    "MultiStream": "multi_stream_latency",
}
UNIT_OF = {
    "Tokens/s": "tokens/s",
    "Samples/s": "samples/s",
    "Queries/s": "queries/s",
    "Latency (ms)": "ms",
    "Latency (s)": "s",
}
# Measured at the plug beside the performance, for the whole machine.
POWER_OF = {"Watts": ("system_power", "W"), "millijoules": ("energy_per_stream", "mJ")}
# Their several words for one number format.
PRECISIONS = {"float8": "fp8", "bfloat16": "bf16", "unset": ""}
# NVIDIA's settings of the round v4.1 (mlcommons/inference_results_v4.1, closed/NVIDIA/configs/llama2-70b, Offline and
# Server, read on 2026-11-27) turn `use_fp8` on for each of these boards; the table has the word beside it, `precision`,
# which is that of what is not quantised. Who else submits with NVIDIA's program may have changed its settings.
IN_FP8 = ("H100-SXM", "H100-NVL", "H200-SXM", "GH200 Grace Hopper Superchip 144GB")
FP8_ROUND, FP8_MODEL, FP8_PROGRAM, ITS_MAKER = "v4.1", "llama2-70b", "TensorRT", "NVIDIA"
MISNAMED = f"{SETTINGS}: with this program NVIDIA runs the network in FP8 and the table says fp16"
# Other spellings of the network that a benchmark asks for; any other name is another network, and open division.
SAME_MODEL = {
    "resnet50": "resnet",
    "llama3_1-405b": "llama3.1-405b",
    "llama3_1-8b": "llama3.1-8b",
    "llama3_1-8b-edge": "llama3.1-8b-edge",
    "llama2-70b-fp8_quark": "llama2-70b-99.9",
}
# The name of the submitted system says what was done to the network → what it is then called.
CHANGED = {"_DepthPruned": "depth-pruned", "_LCM": "latent consistency"}
SPARSE = "_Sparse"
INFERRED = "inferred: a copy of another row of the same system"
PREVIEW = "preview: the system could not be bought"
SEVERAL = re.compile(r"\(x\d+\).*(,| and )")
# Parts of the accelerator's name that are no part of the product: markings, how it was run, how many, its memory
# chips. What they say of the run goes into the software.
RUN_WORDS = (
    (re.compile(r"^Virtualized "), "virtualized"),
    (re.compile(r"-CTS$"), "marked CTS"),
    (re.compile(r" \(Power Cap (\d+) W\)$"), "power cap"),
    (re.compile(r" \(x\d+\)$"), ""),
    (re.compile(r"-NPS1-SPX"), ""),
    (re.compile(r"-750W$"), ""),
    (re.compile(r"\(R\)"), ""),
    (re.compile(r"\(TM\)"), ""),
    (re.compile(r" HBM3[eE]?\b"), ""),
    (re.compile(r"^\[MAXSUN\] "), ""),
    (re.compile(r"^(NVIDIA RTX A5000) GPU$"), ""),
)
# Accelerators that are no GPU, or one inside a processor → why they are left out.
NOT_GPUS = {"UntetherAI": "no GPU or TPU", "Intel(R) Arc(TM) 140T": "integrated graphics"}
# A card with two GPUs is one board, but no product of the maker's.
NAMES = {"MS-Intel Arc Pro B60 Dual 48G Turbo": "Arc Pro B60 Dual 48GB"}


def parse(snapshots: Snapshots) -> Rows:
    """Yield the performance of each result, and its power where it was measured."""
    for snapshot in snapshots.values():
        for number, row in enumerate(_rows(snapshot), start=1):
            what = f"{row['Submitter']}, {row['Category']}, {row['Model']} {row['Scenario']}"
            where = f"result {row['ID']} ({what}; entry {number})"
            reason = next((why for start, why in NOT_GPUS.items() if row["Accelerator"].startswith(start)), "")
            if reason:
                yield snapshot.skip(row["Accelerator"], where, reason)
            elif not row["Accelerator"]:
                yield snapshot.skip(row["System"], where, "no accelerator: the processor did the work")
            elif SEVERAL.search(row["Accelerator"]):
                yield snapshot.skip(row["Accelerator"], where, "several kinds of accelerators in one system")
            else:
                metric = _word(snapshot, METRIC_OF, row, "Scenario", where)
                unit = _word(snapshot, UNIT_OF, row, "Performance_Units", where)
                yield _result(snapshot, row, where, metric, float(row["Performance_Result"]), unit)
                if row["has_power"]:
                    metric, unit = _word(snapshot, POWER_OF, row, "Power_Units", where)
                    yield _result(snapshot, row, where, metric, float(row["Power_Result"]), unit)


def _rows(snapshot: Snapshot) -> list[dict[str, Any]]:
    try:
        rows: list[dict[str, Any]] = json.loads(snapshot.content)
        rows[0]["Performance_Result"], rows[0]["Accelerator"]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise SourceError(f"{SOURCE.id}/{snapshot.file}: no list of results ({error!r}); fetch it again") from None
    return rows


def _result(snapshot: Snapshot, row: dict[str, Any], where: str, metric: str, value: float, unit: str) -> Result:
    gpu, remark = _accelerator(row["Accelerator"])
    model = _model(row)
    division = "" if row["Category"] == "closed" else f"-{row['Category']}"
    word = row["weight_data_types"].lower()
    precision = PRECISIONS.get(word, word.replace("{", "").replace("}", "").replace("'", ""))
    if _ran_in_fp8(row) and row["Submitter"] == ITS_MAKER:
        precision, where = "fp8", f"{where}; fp8 by NVIDIA's settings, fp16 in the table"
    # All accelerators of the system: `a#` is for one node, and a cluster may use fewer than its nodes hold
    named = re.search(r"\(x(\d+)\)$", row["Accelerator"])
    count = int(named[1]) if named else int(float(row["a#"] or 1) * row["Nodes"])
    return snapshot.result(
        gpu,
        where,
        gpu_count=count,
        set=f"mlperf-inference-{row['version']}{division}",
        workload="inference",
        model=model,
        entered_as=row["Model"] if model != row["Model"] else "",
        sparsity="sparse" if SPARSE in row.get("Platform", "") else "",
        precision=precision,
        batch=row["Scenario"],
        metric=metric,
        value=value,
        unit=unit,
        higher_is_better=higher_is_better(metric),
        software="; ".join(filter(None, (row["Software"], remark))),
        date=snapshot.published or snapshot.retrieved,
        flag=_flag(row),
    )


def _model(row: dict[str, Any]) -> str:
    """The network that ran: open submissions may put another one in the place of the benchmark's."""
    asked, used = row["Model"], row.get("UsedModel", row["Model"])
    if used not in (asked, *SAME_MODEL) or SAME_MODEL.get(used, asked) != asked:
        return str(used)
    changed = next((what for mark, what in CHANGED.items() if mark in row.get("Platform", "")), "")
    return f"{asked}, {changed}" if changed else str(asked)


def _flag(row: dict[str, Any]) -> str:
    if row["inferred"]:
        return INFERRED
    if row["Availability"] == "preview":
        return PREVIEW
    return MISNAMED if _ran_in_fp8(row) and row["Submitter"] != ITS_MAKER else ""


def _ran_in_fp8(row: dict[str, Any]) -> bool:
    """Whether the settings of NVIDIA's program run the network in FP8 where the table says fp16."""
    return (
        (row["version"], row["Category"], row["weight_data_types"].lower()) == (FP8_ROUND, "closed", "fp16")
        and row["Model"].startswith(FP8_MODEL)
        and FP8_PROGRAM in row["Software"]
        and any(board in row["Accelerator"] for board in IN_FP8)
    )


def _accelerator(text: str) -> tuple[str, str]:
    """The product's name, and what the rest of the text says of the run."""
    name, remarks = text, []
    for pattern, meaning in RUN_WORDS:
        match = pattern.search(name)
        if match:
            kept = match.groups()[0] if pattern.pattern.startswith("^(") else ""
            name = name.replace(match[0], kept)
            remarks += [meaning + (f" {match[1]} W" if "power" in meaning else "")] if meaning else []
    return NAMES.get(name.strip(), name.strip()), ", ".join(remarks)


def _word(snapshot: Snapshot, words: Mapping[str, Word], row: dict[str, Any], key: str, where: str) -> Word:
    if row[key] not in words:
        raise SourceError(f"{SOURCE.id}/{snapshot.file} {where}: unknown {key} {row[key]!r}; add it to its module")
    return words[row[key]]
