"""Cards and measured points from the dataset and hand-read points: the estimator's only door to `data/clean`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Literal

from rapidfuzz import fuzz, process

from pipeline.advise.estimate import measured, models, training
from pipeline.advise.estimate.memory import required
from pipeline.advise.estimate.points import READ, Excluded, MemoryLabel, Point, Points, ReadPoint
from pipeline.advise.estimate.tensors import need
from pipeline.advise.estimate.types import MATRIX_TIMES, VECTOR, Card, EstimateError, Request
from pipeline.advise.estimate.weights import canonical_quant
from pipeline.core import identity
from pipeline.core.networks import Model
from pipeline.core.once import once
from pipeline.core.paths import DATA
from pipeline.core.rows import read as typed_rows
from pipeline.core.schema import Result
from pipeline.dataset import Dataset, GpuRecord
from pipeline.record import judge

XIONGJIE, LLMFIT = "xiongjiedai-llm-inference", "llmfit-community"
READ_POINTS = DATA.data / "estimator" / "decode_points.csv"
READ_PROMPTS = DATA.data / "estimator" / "prompt_points.csv"
READ_HOSTED = DATA.data / "estimator" / "hosted_points.csv"
# Which engine build a source ran.
ENGINE_OF: Mapping[str, str] = {
    XIONGJIE: "llama.cpp@2024-05",
    LLMFIT: "llama.cpp@2026-07",
    READ: "llama.cpp@2026-07",
}
OLLAMA = "ollama@2026-08"
# llmfit names the engine in `software`; other engines of it (MLX, vLLM) have too few points for a fit.
LLMFIT_ENGINES = ("llama.cpp", "Ollama")
# Ollama writes no quantization behind a model's name when it is the default one.
OLLAMA_DEFAULT = {"gpt-oss-20b": "mxfp4", "gpt-oss-120b": "mxfp4"}
# The cache while llmfit measures: answers of at most 300 tokens to a short question.
LLMFIT_TOKENS = 150.0
# llmfit does not say whether layers ran on the CPU. Models that would not fit whole with this much context are
# left out; a smaller share would let in runs at half their speed (RTX 2080, Gemma 2 9B: 23.7 tokens/s).
LLMFIT_CONTEXT = 8192
# A run of a model slower than this share of the best one of the same GPU says nothing of the GPU.
SLOW_REPEAT = 0.5
LENGTHS = (512, 1024, 4096, 8192)
# Prompt runs of F16 models that the source's module flags as broken (A100 SXM4 and L40S first of all).
BROKEN = "broken run"
# GPUs left out by name; each must still match a point, or the validation says so.
EXCLUDED_CARDS: Mapping[str, str] = {
    "nvidia-geforce-gtx-1050-ti": "reads its memory at half the share of every other card, and at two thirds of that "
    "of the P40, the other one of its generation: a slow host, or too few cores",
}
# GB/s of the fastest card with GDDR memory, by architecture: above it a memory is HBM. Volta, Hopper, CDNA and the
# last GCN had none with GDDR; Ampere's was the RTX 3090 Ti (1,008), all others' the RTX 5090 (1,792).
FASTEST_GDDR: Mapping[str, float] = {
    "Volta": 0,
    "Hopper": 0,
    "CDNA": 0,
    "CDNA 2": 0,
    "CDNA 3": 0,
    "CDNA 4": 0,
    "GCN 5.1": 0,
    "Ampere": 1010,
    "": 1800,
}
# A GPU with memory of its own reads all of it more often a second than this (Tesla M40 with 24 GB: 12); what shares
# the processor's (Jetson, GB10) less often.
LEAST_SWEEPS = 10
# A name as people type it: with the memory they bought ("apple m2 ultra 192gb"), or without the words of its line.
WITH_MEMORY = re.compile(r"(?P<name>.+?)[\s,(-]*\b(?P<gb>\d+)\s*gi?b\)?", re.IGNORECASE)
LINE_WORDS = re.compile(r"\b(nvidia|amd|intel|geforce|radeon|tesla|instinct|arc|rtx|gtx|rx)\b|[\s-]")
# Names are suggested from this likeness on (rapidfuzz, 0 to 100).
ALIKE = 60
# The dense rates of matrix cores that tell how often they multiply, the nearest to what llama.cpp asks of them first.
BITS: Mapping[str, tuple[str, ...]] = {
    "8": ("peak:int8:int32:dense:tensor", "peak:fp8:fp16:dense:tensor", "peak:fp8:fp32:dense:tensor"),
    "16": ("peak:fp16:fp16:dense:tensor", "peak:fp16:fp32:dense:tensor", "peak:bf16:fp32:dense:tensor"),
}
# Variants of one name may stand for one another where they read their memory this nearly as fast.
SAME_SPEED = 0.01
NUMBER = re.compile(r"(\d[\d,]*)")
# What stands behind a model's name in a file's or a registry's: the quantization, after a hyphen, a dot or a colon.
SUFFIX = re.compile(r"(-GGUF)?[-.:](I?Q\d\w*|MXFP4|NVFP4|F16|BF16|quantized\.w4a16)(-fp16)?(\.gguf)?$", re.IGNORECASE)
# What quantizers put before it: "mistralai_Magistral-Small-2507"; a version ("internlm2_5", "1_8b") is no publisher.
PUBLISHER = re.compile(r"^[A-Za-z][A-Za-z-]*_(?=[A-Za-z])")


@dataclass(slots=True)
class _Reading:
    broken: set[tuple[str | int, ...]]  # runs of which the source's module flags at least one length
    decode: list[Point] = field(default_factory=list)
    prefill: list[Point] = field(default_factory=list)
    serving: list[Point] = field(default_factory=list)
    labels: list[MemoryLabel] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    apart: list[Point] = field(default_factory=list)


def card(gpu: GpuRecord) -> Card:
    """Take from a GPU's record what the formulas need."""
    return Card(
        gpu.id,
        gpu.name,
        gpu.vendor,
        gpu.segment,
        gpu.architecture,
        gpu.memory_gb,
        gpu.memory_type or _likely_memory(gpu),
        gpu.memory_bandwidth_gb_s,
        {key.field: value for key, value in gpu.peaks.items()},
        gpu.link_gb_s,
        gpu.pcie_gen,
        gpu.form_factor,
    )


def find_gpu(dataset: Dataset, text: str) -> tuple[GpuRecord, float | None]:
    """Find a GPU by a name that people type, and the memory that the name states where the buyer chooses it."""
    found, stated = dataset.find(text), WITH_MEMORY.fullmatch(text.strip())
    chosen = dataset.find(stated["name"]) if stated and found is None else None
    if chosen and stated and chosen.memory_gb in (None, float(stated["gb"])):
        return chosen, float(stated["gb"])
    return found or _variant(dataset, text), None


def _variant(dataset: Dataset, text: str) -> GpuRecord:
    """The smallest of the GPUs that share a short name and a stated memory, if they are equally fast."""
    wanted, stated = _short(text), WITH_MEMORY.fullmatch(text.strip())
    names = {gpu.id: {_short(name) for name in (gpu.name, *gpu.aliases)} for gpu in dataset.gpus.values()}
    alike = [gpu for gpu, own in names.items() if wanted and any(n.startswith(wanted) for n in own)]
    near = [dataset.gpus[gpu] for gpu in _family(text) or alike if gpu in dataset.gpus]
    if stated:
        near = [gpu for gpu in near if gpu.memory_gb == float(stated["gb"])] or near
    if not near:
        hint = ", ".join(_like(dataset, text))
        advice = f"did you mean {hint}?" if hint else "names stand in data/gpus/*.yml"
        raise EstimateError(f"no GPU is called {text[:80]!r}; {advice}")
    if len(near) == 1 and _family(text):
        return near[0]
    # Who names a card without its memory means what the maker sells, not what workshops make of it.
    exact = [gpu for gpu in near if wanted in names[gpu.id] and gpu.status != "modified"]
    if len(exact) == 1 and not _family(text):
        return exact[0]
    rates = [gpu.memory_bandwidth_gb_s or 0.0 for gpu in near]
    if not exact or max(rates) > (1 + SAME_SPEED) * min(rates):
        raise EstimateError(f"{text[:80]!r} may be {', '.join(sorted(gpu.id for gpu in near))}; name one of them")
    return min(exact, key=lambda gpu: (gpu.memory_gb or 0.0, gpu.id))


@lru_cache(maxsize=64)
def _family(text: str) -> tuple[str, ...]:
    """The GPUs that share a name, as data/names tells; none where it knows no such name."""
    entries = (entry for file in identity.load_names(DATA.names) for entry in file.ambiguous)
    return next((entry.could_be for entry in entries if identity.key(entry.name) == identity.key(text)), ())


def _like(dataset: Dataset, text: str) -> list[str]:
    """Ids of the GPUs whose names look most like what was typed."""
    names = {name.lower(): gpu.id for gpu in dataset.gpus.values() for name in (gpu.name, *gpu.aliases)}
    typed = text[:80].lower()
    near = process.extract(typed, list(names), scorer=fuzz.token_set_ratio, score_cutoff=ALIKE, limit=9)
    return list(dict.fromkeys(names[name] for name, _, _ in near))[:3]


def _short(name: str) -> str:
    """A name without the words of its line and without a memory size."""
    stated = WITH_MEMORY.fullmatch(name)
    return LINE_WORDS.sub("", (stated["name"] if stated else name).lower())


def _likely_memory(gpu: GpuRecord) -> str:
    """The class of a memory whose type no source states, from its speed: HBM, LPDDR or "" (GDDR)."""
    size, rate = gpu.memory_gb, gpu.memory_bandwidth_gb_s
    if rate and rate > FASTEST_GDDR.get(gpu.architecture, FASTEST_GDDR[""]):
        return "HBM"
    shared = gpu.segment == "edge" or (size and rate and rate / size < LEAST_SWEEPS)
    return "LPDDR" if shared else ""


def cards(dataset: Dataset) -> dict[str, Card]:
    """Every GPU of the dataset as a card; what its matrix cores do, its own peaks tell, or those of its kind."""
    found = {name: card(gpu) for name, gpu in dataset.gpus.items()}
    own = {name: _times(one) for name, one in found.items()}
    told: dict[tuple[str, ...], list[float]] = {}
    for name, one in found.items():
        for bits, often in own[name].items():
            for kind in _kinds(one, bits):
                told.setdefault(kind, []).append(often)
    middle = {kind: _to_three_digits(median(times)) for kind, times in told.items()}

    def both(one: Card) -> tuple[float, float]:
        eight, sixteen = (
            own[one.id].get(bits) or next((middle[kind] for kind in _kinds(one, bits) if kind in middle), 0.0)
            for bits in BITS
        )
        # Where no 8-bit rate of a kind is stated, its cores are taken to do as much as in 16 bit (Volta, RDNA 3.5).
        return (eight or sixteen, sixteen or eight) if eight or sixteen else MATRIX_TIMES

    return {name: replace(one, times=both(one)) for name, one in found.items()}


def _kinds(one: Card, bits: str) -> tuple[tuple[str, ...], ...]:
    """The kinds of card that share matrix cores, the nearest first: memory tells the data centre's chip from others."""
    return (bits, one.vendor, one.architecture, one.memory_class), (bits, one.vendor, one.architecture)


def _times(one: Card) -> dict[str, float]:
    """How often its matrix cores multiply for each one of its shaders, by the bits of what is multiplied."""
    rates = {
        bits: next((one.peaks[field] for field in fields if field in one.peaks), 0.0) for bits, fields in BITS.items()
    }
    return {bits: _to_three_digits(rate / one.vector) for bits, rate in rates.items() if rate and one.vector}


def _to_three_digits(value: float) -> float:
    return float(f"{value:.3g}")


@once
def points(
    dataset: Dataset, registry: models.Registry, read: Path = READ_POINTS, prompts: Path = READ_PROMPTS
) -> Points:
    """Read every measured point and label that the estimator uses; what is left out says why."""
    known = cards(dataset)
    reading = _Reading(broken={_run(row) for row in dataset.benchmarks if row.flag.startswith(BROKEN)})
    for row in dataset.benchmarks:
        if row.source in ENGINE_OF and row.gpu in known:
            _read(reading, row, known[row.gpu], registry)
    _leave_out_slow_repeats(reading)
    served, left_out = measured.points(dataset.benchmarks, known, registry)
    lists_of = {"decode": reading.decode, "prompt": reading.prefill, "serving": reading.serving}
    for point in served:
        usable = point.card.memory_bandwidth_gb_s and (point.kind != "prompt" or rated(point))
        if not usable:
            reading.excluded.append(Excluded(point.key, point.set, f"no rate of {point.card.name} is known"))
        else:
            (reading.apart if point.set in measured.never_fitted() else lists_of[point.kind]).append(point)
    steps, no_steps = measured.tuned(dataset.benchmarks, known, registry)
    reading.excluded += [*left_out, *no_steps]
    by_hand = (
        *_read_points(read, known, registry),
        *_read_points(prompts, known, registry, "prompt"),
        *_read_points(READ_HOSTED, known, registry),
    )
    for use, point in by_hand:
        if point.kind == "prompt" and not rated(point):
            reading.excluded.append(Excluded(point.key, point.set, f"no rate of {point.card.name} is known"))
        else:
            (reading.apart if use == "test" else lists_of[point.kind]).append(point)
    lists = (reading.decode, reading.prefill, reading.serving, reading.labels, reading.excluded, reading.apart)
    aside, kept = measured.never_fitted(), training.fine_tuning(dataset, known)
    tuned, tuned_apart = (tuple(one for one in steps if (one.set in aside) is apart) for apart in (False, True))
    return Points(*(tuple(sorted(items, key=_key)) for items in lists), tuned, tuned_apart, kept)  # type: ignore[arg-type,call-arg]


def _leave_out_slow_repeats(reading: _Reading) -> None:
    """Of a community's runs of one model on one GPU, those far under the best had something else in the way."""
    best: dict[tuple[str, str, str], float] = {}
    for one in reading.decode:
        run = (one.card.id, one.model.id, one.request.quant)
        best[run] = max(best.get(run, 0.0), one.value if one.set == LLMFIT else 0.0)
    for one in list(reading.decode):
        fastest = best[one.card.id, one.model.id, one.request.quant]
        if one.set == LLMFIT and one.value < SLOW_REPEAT * fastest:
            reading.decode.remove(one)
            reading.excluded.append(
                Excluded(one.key, LLMFIT, f"under half the {fastest:g} tokens/s of the same model on the same GPU")
            )


def _read_points(
    path: Path, known: Mapping[str, Card], registry: models.Registry, kind: Literal["decode", "prompt"] = "decode"
) -> Iterator[tuple[str, Point]]:
    """Hand-read points with their use; a GPU that the dataset does not hold (as in a trimmed one) is passed over."""
    told = [row for row in typed_rows(ReadPoint, path, f"data/estimator/{path.name}") if row.gpu in known]
    for row in told:
        on, model = known[row.gpu], registry.find(row.model)
        quant = "mxfp4_moe" if row.quant == "mxfp4" else canonical_quant(row.quant)
        engine = OLLAMA if row.back_end == "ollama" else ENGINE_OF[READ]
        request = Request(quant=quant, engine=engine, context=max(2, round(2 * row.tokens)), gpus=row.gpus)
        if kind == "prompt":
            request = replace(request, context=round(row.tokens), prompt_tokens=round(row.tokens))
        if row.host_layers:
            away = row.host_layers / need(model, "layers")
            request = replace(request, host_gb_s=row.host_gb_s, host_share=away)
        key = f"{READ}: {row.url}, {row.locator} ({on.name}, {model.name}, {quant})"
        software = " ".join(filter(None, ("llama.cpp", row.back_end)))
        yield row.use, Point(key, READ, on, model, request, row.tokens, row.tokens_per_s, row.date, software, kind)


def point_key(row: Result) -> str:
    """Name a row of the benchmarks table so that a person finds it."""
    return f"{row.source}: {row.locator}"


def rated(point: Point) -> bool:
    """Whether a source states the rate in which a prompt's arithmetic is counted."""
    return bool(point.card.vector if point.request.engine.startswith("llama.cpp") else point.card.tensor)


def _key(item: Point | MemoryLabel | Excluded) -> tuple[str, int]:
    return (item.key, item.request.context if isinstance(item, MemoryLabel) else 0)


def _read(reading: _Reading, row: Result, on: Card, registry: models.Registry) -> None:
    if row.flag.startswith(judge.FLAGS):
        reading.excluded.append(Excluded(point_key(row), row.source, row.flag))
        return
    if row.source == LLMFIT and not row.software.startswith(LLMFIT_ENGINES):
        reading.excluded.append(Excluded(point_key(row), row.source, "another engine, with too few points"))
        return
    try:
        model, quant = _model(row, registry)
    except EstimateError as error:
        reading.excluded.append(Excluded(point_key(row), row.source, str(error)))
        return
    engine = OLLAMA if row.software.startswith("Ollama") else ENGINE_OF[row.source]
    request = Request(quant=quant, engine=engine, gpus=row.gpu_count)
    READERS[row.source](reading, row, on, model, request)


def _model(row: Result, registry: models.Registry) -> tuple[Model, str]:
    model = registry.find(PUBLISHER.sub("", SUFFIX.sub("", row.model)))
    quant = canonical_quant(row.format or _default_quant(row, model))
    on_llama = ENGINE_OF[row.source].startswith("llama.cpp")
    return model, "mxfp4_moe" if quant == "mxfp4" and on_llama else quant


def _default_quant(row: Result, model: Model) -> str:
    if not row.software.startswith("Ollama"):
        raise EstimateError("no quantization is stated")
    return OLLAMA_DEFAULT.get(model.id, "q4_k_m")


def _xiongjie(reading: _Reading, row: Result, on: Card, model: Model, request: Request) -> None:
    length = [int(n.replace(",", "")) for n in NUMBER.findall(row.batch)][-1]
    request = replace(request, context=length, prompt_tokens=length)
    if row.metric == "generation_speed":
        # Absent from the detailed table and out of memory in the overview means out of memory at every context.
        everywhere = row.locator.startswith("overview")
        for context in LENGTHS if everywhere else (length,):
            if on.vendor != "Apple":
                asked = replace(request, context=context)
                reading.labels.append(MemoryLabel(point_key(row), on, model, asked, bool(row.value)))
    if not row.value:
        return
    if row.metric == "generation_speed":
        reading.decode.append(_point(row, on, model, request, length / 2))
        return
    broken = f"{BROKEN}: at one of its lengths far below the quantized model's prompt speed"
    reason = broken if _run(row) in reading.broken else _no_rate(on)
    if reason:
        reading.excluded.append(Excluded(point_key(row), row.source, reason))
    else:
        reading.prefill.append(replace(_point(row, on, model, request, length), kind="prompt"))


def _run(row: Result) -> tuple[str | int, ...]:
    """What the lengths of one run share."""
    return (row.source, row.gpu, row.gpu_count, row.model, row.format, row.metric)


def _no_rate(on: Card) -> str:
    return "" if VECTOR in on.peaks else f"the FP32 rate of {on.name} is not known"


def _llmfit(reading: _Reading, row: Result, on: Card, model: Model, request: Request) -> None:
    reason = _llmfit_reason(row, on, model, request)
    if reason:
        reading.excluded.append(Excluded(point_key(row), row.source, reason))
    else:
        reading.decode.append(_point(row, on, model, request, LLMFIT_TOKENS))


def _llmfit_reason(row: Result, on: Card, model: Model, request: Request) -> str:
    context = min(LLMFIT_CONTEXT, model.context or LLMFIT_CONTEXT)
    reasons = {
        row.flag or "no value": not row.value,
        EXCLUDED_CARDS.get(on.id, ""): on.id in EXCLUDED_CARDS,
        "several GPUs, and nothing says how they share the work": request.gpus > 1,
        f"the memory bandwidth of {on.name} is not known": not on.memory_bandwidth_gb_s,
        f"does not fit whole with {context} tokens, so part may have run on the CPU": required(
            on, model, replace(request, context=context)
        ).fits
        is False,
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


READERS = {XIONGJIE: _xiongjie, LLMFIT: _llmfit}


def _point(row: Result, on: Card, model: Model, request: Request, tokens: float) -> Point:
    value = row.number
    return Point(point_key(row), row.source, on, model, request, tokens, value, row.date, row.software)


def unused_exclusions(found: Points) -> Iterator[str]:
    """Exclusions that match no point any more: every exception expires."""
    reasons = {item.reason for item in found.excluded}
    for name, reason in EXCLUDED_CARDS.items():
        if reason not in reasons:
            yield f"pipeline/advise/estimate/inputs.py: EXCLUDED_CARDS: {name} excludes no point any more; take it out"
