"""InferenceMAX's automatic runs (December 2025, January 2026): output tokens a second by simultaneous requests.

Disaggregated and multi-node runs count different GPUs for prompts and answers and are left out, and so are runs that
guess ahead. The same configuration returns with newer software: the highest run number counts.
"""

from __future__ import annotations

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceError, SourceFile

# The runs are named by run_id; they are collected in reconcile/sources/inferencemax/raw of gminneci/mantile.
RUNS = "https://github.com/SemiAnalysisAI/InferenceX/actions"
SOURCE = Source(
    id="semianalysis-inferencemax",
    title="InferenceMAX",
    publisher="SemiAnalysis",
    home="https://github.com/SemiAnalysisAI/InferenceX",
    licence="Apache-2.0 (InferenceMAX, now InferenceX); the collecting repository states none",
    kind="first-party",
    gives="serving throughput of gpt-oss-120b and DeepSeek R1 against concurrency on seven data centre GPUs",
    files=(SourceFile("serving_by_concurrency.csv", RUNS, "extract", 100),),
)
NAMES = {
    "h100": "H100 SXM 80GB",
    "h200": "H200 SXM 141GB",
    "b200": "B200",
    "b200-trt": "B200",
    "gb200": "GB200",
    "mi300x": "MI300X",
    "mi325x": "MI325X",
    "mi355x": "MI355X",
    "mi355x-amd_0": "MI355X",
}
SOFTWARE = {"vllm": "vLLM", "sglang": "SGLang", "trt": "TensorRT-LLM", "atom": "ATOM"}
KEY = ("hw", "model", "framework", "precision", "isl", "osl", "conc", "tp", "ep", "dp_attention")


def parse(snapshots: Snapshots) -> Rows:
    """Yield the newest result of each configuration, for all its GPUs together."""
    for snapshot in snapshots.values():
        yield from _parse(snapshot)


def _parse(snapshot: Snapshot) -> Rows:
    newest: dict[tuple[str, ...], tuple[int, int, dict[str, str]]] = {}
    for number, row in table.rows(snapshot, ["run_id", "disagg", "spec_decoding", "output_tput_per_gpu", *KEY]):
        if row["hw"] not in NAMES:
            raise SourceError(
                f"{SOURCE.id}/{snapshot.file} row {number}: unknown machine {row['hw']!r}; add it to NAMES"
            )
        reason = "prompts and answers on different GPUs" if row["disagg"] == "true" else ""
        if row["spec_decoding"] != "none":
            reason = "guesses ahead (speculative decoding)"
        if reason:
            yield snapshot.skip(NAMES[row["hw"]], f"row {number}", reason)
            continue
        key = tuple(row[name] for name in KEY)
        if int(row["run_id"]) > newest.get(key, (0, 0, row))[0]:
            newest[key] = (int(row["run_id"]), number, row)
    for run, number, row in newest.values():
        image = row["image"].rpartition(":")[2]
        gpus = int(row["tp"])
        yield snapshot.result(
            NAMES[row["hw"]],
            f"row {number} (run {run}, {row['hw']}, {row['framework']}, {row['conc']} requests), column "
            f"output_tput_per_gpu times {gpus} GPUs",
            gpu_count=gpus,
            set="semianalysis-inferencemax",
            workload="inference",
            model=row["model"].split("/")[-1],
            precision=row["precision"],
            batch=f"{row['conc']} streams, {row['isl']} in, {row['osl']} out, TP{gpus} EP{row['ep']}"
            + (" DP attention" if row["dp_attention"] == "true" else ""),
            metric="output_throughput",
            value=round(table.number(snapshot, number, row, "output_tput_per_gpu") * gpus, 2),
            unit="tokens/s",
            higher_is_better=True,
            software=f"{SOFTWARE[row['framework']]} {image}",
            date=row["run_date"][:10] or snapshot.published,
        )
