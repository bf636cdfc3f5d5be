"""GPUStack's Performance Lab: output tokens a second of vLLM, SGLang and TensorRT-LLM on one to eight A100, H100, H200.

Every engine and setting tried is a row, slow ones too; the best of a page for each engine, format and length is taken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipeline.core.schema import Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshots, Source, SourceFile

SOURCE = Source(
    id="gpustack-performance-lab",
    title="GPUStack Performance Lab",
    publisher="GPUStack",
    home="https://docs.gpustack.ai/latest/performance-lab/overview/",
    licence="Apache-2.0",
    kind="first-party",
    gives="serving throughput of present models with three engines on one to eight A100, H100 and H200",
    files=(
        SourceFile(
            "serving_runs.csv",
            "https://github.com/gpustack/gpustack/tree/main/docs/performance-lab",
            "extract",
            60,
        ),
    ),
)
NAMES = {"a100": "A100 SXM4 80GB", "h100": "H100 SXM 80GB", "h200": "H200 SXM 141GB"}
# The first word of the server's command that is one of these tells the engine.
ENGINES = {"vllm": "vLLM", "sglang": "SGLang", "trtllm-serve": "TensorRT-LLM"}
SPLIT = re.compile(r"--?(?:tp|tensor-parallel)(?:[-_]size)?[ =](\d+)")
COPIES = re.compile(r"--?(?:dp|data-parallel)(?:[-_]size)?[ =](\d+)")
SERVED = re.compile(r"(?:vllm serve|trtllm-serve|--model(?:-path)?)[ =](?:\S+/)?(?P<model>[\w.-]+)")
FORMATS = ("fp8", "awq", "gptq", "int8", "nvfp4", "mxfp4")


def parse(snapshots: Snapshots) -> Rows:
    """Yield the best run of each page, engine, format and length; all GPUs together."""
    for snapshot in snapshots.values():
        best: dict[tuple[str, ...], tuple[float, int, dict[str, str]]] = {}
        for number, row in table.rows(snapshot, ["model", "gpu", "server_command", "input_tokens", "output_tok_per_s"]):
            reason = _reason(row)
            if reason:
                yield snapshot.skip(row["gpu"], f"row {number} ({row['model']}, {row['gpu']})", reason)
                continue
            lengths, rate = _lengths(row), table.number(snapshot, number, row, "output_tok_per_s")
            key = (row["gpu"], _served(row), _engine(row), str(_gpus(row)), *map(str, lengths), row["max_concurrency"])
            if rate > best.get(key, (0.0, 0, row))[0]:
                best[key] = (rate, number, row)
        for rate, number, row in best.values():
            asked, answered = _lengths(row)
            streams = round(float(row["max_concurrency"] or row["successful_requests"]))
            working = "" if row["max_concurrency"] else f"; {_at_work(row)} requests at work"
            served, page = _served(row), row["file"].removeprefix("docs/performance-lab/")
            yield snapshot.result(
                NAMES[row["gpu"].split("-")[0]],
                f"row {number} ({page}, {row['case']}), best of its settings{working}",
                gpu_count=_gpus(row),
                set="gpustack-performance-lab",
                workload="inference",
                model=served,
                precision=next((word for word in FORMATS if word in served.lower()), ""),
                batch=f"{streams} streams, {asked} in, {answered} out, {row['successful_requests']} requests",
                metric="output_throughput",
                value=rate,
                unit="tokens/s",
                higher_is_better=True,
                software=_engine(row),
                date=snapshot.published or snapshot.retrieved,
            )


def _reason(row: Mapping[str, str]) -> str:
    if row["gpu"].split("-")[0] not in NAMES:
        return "no GPU of ours (Ascend)"
    if not row["server_command"] or not _engine(row) or not _served(row):
        return "the command that was run is not stated"
    if "speculative" in row["server_command"]:
        return "guesses ahead (speculative decoding)"
    if not all(row[name] for name in ("input_tokens", "generated_tokens", "output_tok_per_s")):
        return "lengths or speed not stated"
    return "a fixed rate of requests, not the most it can do" if row["request_rate"] else ""


def _engine(row: Mapping[str, str]) -> str:
    found = [
        (row["server_command"].find(word), name) for word, name in ENGINES.items() if word in row["server_command"]
    ]
    return min(found)[1] if found else ""


def _served(row: Mapping[str, str]) -> str:
    """The model of the command: some pages print runs of another one."""
    found = SERVED.search(row["server_command"])
    return found["model"] if found else ""


def _gpus(row: Mapping[str, str]) -> int:
    split, copies = SPLIT.search(row["server_command"]), COPIES.search(row["server_command"])
    # SGLang's data-parallel attention shares the GPUs of its tensor parallelism.
    shared = "enable-dp-attention" in row["server_command"]
    return int(split[1] if split else 1) * int(copies[1] if copies and not shared else 1)


def _at_work(row: Mapping[str, str]) -> int:
    """How many requests were being answered at a time where all came at once: their rate times their time a token.

    Little's law; most of the time of such a request is the wait for its first token.
    """
    answered = float(row["output_tok_per_s"]) * float(row["mean_tpot_ms"]) / 1000
    return max(1, min(round(answered), round(float(row["successful_requests"]))))


def _lengths(row: Mapping[str, str]) -> tuple[int, int]:
    requests = float(row["successful_requests"])
    return round(float(row["input_tokens"]) / requests), round(float(row["generated_tokens"]) / requests)
