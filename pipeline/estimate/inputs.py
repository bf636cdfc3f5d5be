"""The dataset in, cards and measured points out: the only module of the estimator that knows `data/clean`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from pipeline.dataset import Dataset, GpuRecord, Row
from pipeline.estimate import models
from pipeline.estimate.memory import required
from pipeline.estimate.points import Excluded, Label, Point, Points, ServingPoint
from pipeline.estimate.speed import VECTOR
from pipeline.estimate.types import Card, EstimateError, Model, Request
from pipeline.estimate.weights import canonical_quant

XIONGJIE, LLMFIT, HOLTMANN = "xiongjiedai-llm-inference", "llmfit-community", "hholtmann-llm-consumer-gpu"
# Which engine build a source ran.
ENGINE_OF: Mapping[str, str] = {XIONGJIE: "llama.cpp@2024-05", LLMFIT: "llama.cpp@2026-07", HOLTMANN: "vllm@0.12"}
# llmfit names the engine in `software`; other engines of it (MLX, vLLM) have too few points for a fit.
LLMFIT_ENGINES = ("llama.cpp", "Ollama")
# Ollama writes no quantization behind a model's name when it is the default one.
OLLAMA_DEFAULT = {"gpt-oss-20b": "mxfp4", "gpt-oss-120b": "mxfp4"}
# The cache while llmfit measures: answers of at most 300 tokens to a short question.
LLMFIT_TOKENS = 150.0
# llmfit does not say whether layers ran on the CPU. Models that would not fit whole with this much context are
# left out; a smaller share would let in runs at half their speed (RTX 2080, Gemma 2 9B: 23.7 tokens/s).
LLMFIT_CONTEXT = 8192
LENGTHS = (512, 1024, 4096, 8192)
# Prompt runs of F16 models that the source's module flags as broken (A100 SXM4 and L40S first of all).
BROKEN = "broken run"
# GPUs left out by name; each must still match a point, or the validation says so.
EXCLUDED_CARDS: Mapping[str, str] = {
    "nvidia-geforce-gtx-1050-ti": "reads its memory at half the share of every other card; no second card of that "
    "generation tells a slow GPU from a slow host",
}
NUMBER = re.compile(r"(\d[\d,]*)")
SUFFIX = re.compile(r"-(I?Q\d\w*|MXFP4|NVFP4|F16|BF16|quantized\.w4a16)(-fp16)?(\.gguf)?$", re.IGNORECASE)


@dataclass(slots=True)
class _Reading:
    broken: set[tuple[str, ...]]  # runs of which the source's module flags at least one length
    decode: list[Point] = field(default_factory=list)
    prefill: list[Point] = field(default_factory=list)
    serving: list[ServingPoint] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)


def card(gpu: GpuRecord) -> Card:
    """Take from a GPU's record what the formulas need."""
    return Card(
        gpu.id, gpu.name, gpu.row["vendor"], gpu.row["segment"], gpu.row["architecture"], gpu.number("memory_gb"),
        gpu.text("memory_type"), gpu.number("memory_bandwidth_gb_s"),
        {key.field: value for key, value in gpu.peaks.items()}, gpu.number("link_gb_s"), gpu.number("pcie_gen"),
    )  # fmt: skip


def cards(dataset: Dataset) -> dict[str, Card]:
    """Every GPU of the dataset as a card."""
    return {name: card(gpu) for name, gpu in dataset.gpus.items()}


def points(dataset: Dataset, registry: models.Registry) -> Points:
    """Read every measured point and label that the estimator uses; what is left out says why."""
    known = cards(dataset)
    reading = _Reading(broken={_run(row) for row in dataset.tables["benchmarks"] if row["flag"].startswith(BROKEN)})
    for row in dataset.tables["benchmarks"]:
        if row["source"] in ENGINE_OF and row["gpu"] in known:
            _read(reading, row, known[row["gpu"]], registry)
    lists = (reading.decode, reading.prefill, reading.serving, reading.labels, reading.excluded)
    return Points(*(tuple(sorted(items, key=_key)) for items in lists))  # type: ignore[arg-type]


def point_key(row: Row) -> str:
    """Name a row of the benchmarks table so that a person finds it."""
    return f"{row['source']}: {row['locator']}"


def _key(item: Point | ServingPoint | Label | Excluded) -> tuple[str, int]:
    if isinstance(item, ServingPoint):
        return (item.point.key, 0)
    return (item.key, item.request.context if isinstance(item, Label) else 0)


def _read(reading: _Reading, row: Row, on: Card, registry: models.Registry) -> None:
    try:
        model, quant = _model(row, registry)
    except EstimateError as error:
        reading.excluded.append(Excluded(point_key(row), row["source"], str(error)))
        return
    request = Request(quant=quant, engine=ENGINE_OF[row["source"]], gpus=int(row["gpu_count"]))
    READERS[row["source"]](reading, row, on, model, request)


def _model(row: Row, registry: models.Registry) -> tuple[Model, str]:
    model = registry.find(SUFFIX.sub("", row["model"]).rpartition("_")[2])
    quant = canonical_quant(row["precision"] or _default_quant(row, model))
    on_llama = ENGINE_OF[row["source"]].startswith("llama.cpp")
    return model, "mxfp4_moe" if quant == "mxfp4" and on_llama else quant


def _default_quant(row: Row, model: Model) -> str:
    if not row["software"].startswith("Ollama"):
        raise EstimateError("no quantization is stated")
    return OLLAMA_DEFAULT.get(model.id, "q4_k_m")


def _xiongjie(reading: _Reading, row: Row, on: Card, model: Model, request: Request) -> None:
    length = _numbers(row["batch"])[-1]
    request = replace(request, context=length, prompt_tokens=length)
    if row["metric"] == "generation_speed":
        # Absent from the detailed table and out of memory in the overview means out of memory at every context.
        everywhere = row["locator"].startswith("overview")
        for context in LENGTHS if everywhere else (length,):
            if on.vendor != "Apple":
                asked = replace(request, context=context)
                reading.labels.append(Label(point_key(row), on, model, asked, bool(row["value"])))
    if not row["value"]:
        return
    if row["metric"] == "generation_speed":
        reading.decode.append(_point(row, on, model, request, length / 2))
        return
    broken = f"{BROKEN}: at one of its lengths far below the quantized model's prompt speed"
    reason = broken if _run(row) in reading.broken else _no_rate(on)
    if reason:
        reading.excluded.append(Excluded(point_key(row), row["source"], reason))
    else:
        reading.prefill.append(_point(row, on, model, request, length))


def _run(row: Row) -> tuple[str, ...]:
    """What the lengths of one run share."""
    return tuple(row[c] for c in ("source", "gpu", "gpu_count", "model", "precision", "metric"))


def _no_rate(on: Card) -> str:
    return "" if VECTOR in on.peaks else f"the FP32 rate of {on.name} is not known"


def _llmfit(reading: _Reading, row: Row, on: Card, model: Model, request: Request) -> None:
    reason = _llmfit_reason(row, on, model, request)
    if reason:
        reading.excluded.append(Excluded(point_key(row), row["source"], reason))
    else:
        reading.decode.append(_point(row, on, model, request, LLMFIT_TOKENS))


def _llmfit_reason(row: Row, on: Card, model: Model, request: Request) -> str:
    context = min(LLMFIT_CONTEXT, model.context or LLMFIT_CONTEXT)
    reasons = {
        row["flag"] or "no value": not row["value"],
        EXCLUDED_CARDS.get(on.id, ""): on.id in EXCLUDED_CARDS,
        "another engine, with too few points": not row["software"].startswith(LLMFIT_ENGINES),
        "several GPUs, and nothing says how they share the work": request.gpus > 1,
        f"the memory bandwidth of {on.name} is not known": not on.memory_bandwidth_gb_s,
        f"does not fit whole with {context} tokens, so part may have run on the CPU":
            required(on, model, replace(request, context=context)).fits is False,
    }  # fmt: skip
    return next((reason for reason, applies in reasons.items() if applies), "")


def _holtmann(reading: _Reading, row: Row, on: Card, model: Model, request: Request) -> None:
    if row["metric"] != "output_throughput" or not row["value"]:
        return
    streams, asked, answered = _numbers(row["batch"])[:3]
    request = replace(request, batch=streams, context=asked + answered, prompt_tokens=asked)
    point = _point(row, on, model, request, asked + answered / 2)
    reading.serving.append(ServingPoint(point, asked, answered))


READERS = {XIONGJIE: _xiongjie, LLMFIT: _llmfit, HOLTMANN: _holtmann}


def _point(row: Row, on: Card, model: Model, request: Request, tokens: float) -> Point:
    value = float(row["value"])
    return Point(point_key(row), row["source"], on, model, request, tokens, value, row["date"], row["software"])


def _numbers(text: str) -> list[int]:
    return [int(n.replace(",", "")) for n in NUMBER.findall(text)]


def unused_exclusions(found: Points) -> Iterator[str]:
    """Exclusions that match no point any more: every exception expires."""
    reasons = {item.reason for item in found.excluded}
    for name, reason in EXCLUDED_CARDS.items():
        if reason not in reasons:
            yield f"pipeline/estimate/inputs.py: EXCLUDED_CARDS: {name} excludes no point any more; take it out"
