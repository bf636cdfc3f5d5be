"""Measured speeds of the dataset as points: one reader for each source, each as long as what is special about it.

A row that leads to no point says why. Which sources are fitted and which only test the estimate stands in
`data/estimator/split.yml`, by a rule that looks at nothing but their names (`set_aside`).
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from pipeline.advise.estimate.models import Registry
from pipeline.advise.estimate.points import Excluded, Point, Tuned
from pipeline.advise.estimate.shapes import shape_of
from pipeline.advise.estimate.types import Card, EstimateError, Request, Task
from pipeline.advise.estimate.weights import canonical_quant
from pipeline.core.networks import Model
from pipeline.core.paths import DATA
from pipeline.core.schema import Result
from pipeline.core.yaml_text import ours

SPLIT = DATA.data / "estimator" / "split.yml"
NUMBER = re.compile(r"(\d[\d,]*)")
# What publishers and quantizers hang on a model's name without changing its shapes; longer names are tried first.
TAIL = re.compile(
    r"-(?:FP8-KV|FP8|AWQ|GPTQ|FP4-V2|MXFP4-Preview|BF16|NVFP4|quantized.w4a16|Instruct-2507|Thinking-2507|0528|GGUF)$",
    re.IGNORECASE,
)
# Other names of the same shapes, where no rule gives them.
SAME_SHAPES: Mapping[str, str] = {
    "Meta Llama 3.1 8B Instruct": "llama-3.1-8b-instruct",
    "llama-2-7b": "llama-2-7b-chat-hf",
    "Mistral-7B-v0.1": "mistral-7b-instruct-v0.2",  # but for a window of 4,096 tokens, longer than any run here
    "Qwen3-Coder-30B-A3B-Instruct": "qwen3-30b-a3b",
    "GPT-OSS 120B": "gpt-oss-120b",
    "GPT-OSS 20B": "gpt-oss-20b",
    "Llama-3.2-3B": "llama-3.2-3b-instruct",
    "Mistral 7B": "mistral-7b-instruct-v0.2",
    "Cogito-v1-preview-llama-70B-gptq-8bit": "llama-3.3-70b-instruct",
}
ENGINES: Mapping[str, str] = {
    "vLLM": "vllm",
    "SGLang": "sglang",
    "TensorRT-LLM": "tensorrt-llm",
    "ATOM": "atom",
    "llama.cpp": "llama.cpp@2026-07",
}
# Formats that have no mixture of their own here. Unsloth's XL files keep a few tensors better than the named one does:
# a tenth more bytes at most.
FORMATS: Mapping[str, str] = {
    "fp4": "nvfp4",
    "mxfp8": "fp8",
    "q4_k_xl": "q4_k_m",
    "q5_k_xl": "q5_k_m",
    "q8_k_xl": "q8_0",
}
# Of runs of one model, format and batch on one GPU in one source, those under half the fastest had something else in
# the way (ML.ENERGY's B200 at a third of its power).
SLOW_REPEAT = 0.5
# Sources that tell a speed of another kind than any regime here, and what keeps them from it.
OTHER_KIND: Mapping[str, str] = {
    "nvidia-tensorrt-llm": "the most a GPU gives, with a number of requests at a time that is not stated",
    "localscore-insights": "llamafile, an engine of its own kernels that no other source here runs, and one mean over "
    "prompts of 16 to 4,096 tokens",
}
AT_WORK = re.compile(r"; (\d+) requests at work")
CHAT_PROMPT = 200  # tokens of an average question in ML.ENERGY's chat task, where rows state the answer only


@lru_cache(maxsize=4)
def never_fitted(path: Path = SPLIT) -> frozenset[str]:
    """The sources that test the estimate and are never fitted."""
    return frozenset(ours(path.read_text(encoding="utf-8"))["never_fitted"])


def every_third(sources: Iterable[str], alone: Iterable[str]) -> list[str]:
    """Which of some sources are never fitted: in the order of the SHA-256 of their names the first, fourth, seventh …

    A source that alone tells of an engine is passed over: set aside, it would leave nothing to predict it with.
    """
    ordered = sorted(set(sources) - set(alone), key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return ordered[::3]


def set_aside(sources: Iterable[str], alone: Iterable[str], added: Iterable[str]) -> set[str]:
    """The sources that test: every third of the first division, and of those added later every one whose place says so.

    A later source moves nobody: one that was fitted has helped to choose the formulas and is no test any more.
    """
    passed, late, known = set(alone), list(added), set(sources)
    there = sorted(known - set(late))
    aside = set(every_third(there, passed))
    for name in late:
        if name in known:
            there.append(name)
            aside |= {name} & set(every_third(there, passed))
    return aside


def points(
    rows: Iterable[Result], cards: Mapping[str, Card], registry: Registry
) -> tuple[tuple[Point, ...], tuple[Excluded, ...]]:
    """Read the speeds of every source of READERS; what leads to no point says why."""
    found: list[Point] = []
    excluded: list[Excluded] = []
    for row in rows:
        if row.source not in READERS or row.gpu not in cards or row.value is None:
            continue
        try:
            point = READERS[row.source](row, cards[row.gpu], registry)
        except EstimateError as error:
            excluded.append(Excluded(key_of(row), row.source, str(error)))
            continue
        if point is not None:
            found.append(point)
    kept = {p.key for p in _as_fast_as_others(found)}
    excluded += [
        Excluded(p.key, p.set, "under half the speed of the same setting there") for p in found if p.key not in kept
    ]
    return tuple(p for p in found if p.key in kept), tuple(excluded)


def key_of(row: Result) -> str:
    """Name a row of the benchmarks table so that a person finds it."""
    return f"{row.source}: {row.locator}"


def _serving(row: Result, on: Card, registry: Registry) -> Point | None:
    """Streams, prompt and answer stand in `batch`: "16 streams, 2048 in, 512 out"."""
    if not row.metric.startswith("output_throughput"):
        return None
    streams, asked, answered = _numbers(row.batch)[:3]
    return _served(row, on, registry, streams, asked, answered)


def _gpustack(row: Result, on: Card, registry: Registry) -> Point | None:
    """Where all requests came at once, the place says how many were answered at a time."""
    if not row.metric.startswith("output_throughput"):
        return None
    streams, asked, answered = _numbers(row.batch)[:3]
    at_work = AT_WORK.search(row.locator)
    return _served(row, on, registry, int(at_work[1]) if at_work else streams, asked, answered)


def _mlenergy(row: Result, on: Card, registry: Registry) -> Point | None:
    if row.metric != "output_throughput":
        return None
    streams, answered = _numbers(row.batch)[:2]
    return _served(row, on, registry, streams, CHAT_PROMPT, answered)


def _spark(row: Result, on: Card, registry: Registry) -> Point | None:
    streams, asked, answered = _numbers(row.batch)[:3]
    if row.metric == "output_throughput":
        if streams > 1:
            return _served(row, on, registry, streams, asked, answered)
        return _point(row, on, registry, "decode", asked + answered / 2, 1, asked, answered)
    return _point(row, on, registry, "prompt", asked, 1, asked, 1) if streams == 1 else None


def _kyuz0(row: Result, on: Card, registry: Registry) -> Point | None:
    tokens, before = _numbers(row.batch)
    if row.metric == "generation_speed":
        return _point(row, on, registry, "decode", before + tokens / 2, 1, 1, max(2, 2 * before + tokens))
    return None if before else _point(row, on, registry, "prompt", tokens, 1, tokens, 1)


def _other_kind(row: Result, _: Card, __: Registry) -> Point | None:
    raise EstimateError(OTHER_KIND[row.source])


def _served(row: Result, on: Card, registry: Registry, streams: int, asked: int, answered: int) -> Point | None:
    return _point(row, on, registry, "serving", asked + answered / 2, streams, asked, answered)


READERS: Mapping[str, Callable[[Result, Card, Registry], Point | None]] = {
    "hholtmann-llm-consumer-gpu": _serving,
    "semianalysis-inferencemax": _serving,
    "gpustack-performance-lab": _gpustack,
    "mlenergy": _mlenergy,
    "argonne-lcf-llm-inference-bench": _serving,
    "dstackai-benchmarks": _serving,
    "oracle-cloud-infrastructure": _serving,
    "databasemart-vllm": _serving,
    "mushfiqrahman-vllm": _serving,
    "djangodevreng-dgx-spark": _spark,
    "kyuz0-toolboxes": _kyuz0,
    "btbtyler09-mi100-llm-testing": _serving,
    "cloudrift-ai-server-benchmark": _serving,
    "cmontemuino-amd-mi300x-ml-benchmarks": _serving,
    "nvidia-tensorrt-llm-0-9-0": _serving,
    "qwenlm-qwen3": _serving,
    "rocm-vllm": _serving,
    **dict.fromkeys(OTHER_KIND, _other_kind),
}


def _point(
    row: Result,
    on: Card,
    registry: Registry,
    kind: str,
    tokens: float,
    streams: int,
    asked: int,
    answered: int,
) -> Point:
    engine = next((ours for word, ours in ENGINES.items() if row.software.startswith(word)), None)
    if engine is None:
        raise EstimateError(f"engine {row.software!r} has no formulas")
    if row.flag:
        raise EstimateError(row.flag)
    model = find_model(row.model, registry)
    request = Request(
        quant=_format(row, model, engine),
        engine=engine,
        context=asked + answered,
        batch=streams,
        gpus=row.gpu_count,
        prompt_tokens=max(1, asked),
        kv_bits=8 if "8-bit cache" in row.batch else 16,
    )
    return Point(
        key_of(row),
        row.source,
        on,
        model,
        request,
        float(tokens),
        row.number,
        row.date,
        row.software,
        kind,  # type: ignore[arg-type]
    )


def find_model(name: str, registry: Registry) -> Model:
    """The network behind a name as sources write it: publishers' endings that change no shape are taken off."""
    tried = SAME_SHAPES.get(name, name)
    while True:
        try:
            return registry.find(tried)
        except EstimateError:
            shorter = TAIL.sub("", tried)
            if shorter == tried:
                raise
            tried = SAME_SHAPES.get(shorter, shorter)


def _format(row: Result, model: Model, engine: str) -> str:
    """The weights that ran: as stated, or as the publisher stores them where nothing is."""
    local = engine.startswith("llama.cpp")
    if model.stored_experts == "mxfp4":
        return "mxfp4_moe" if local else "mxfp4"
    stated = row.format.lower().removeprefix("ud-")
    if not stated:
        return canonical_quant(model.stored_weights or "f16")
    return canonical_quant(FORMATS.get(stated, stated))


def _as_fast_as_others(found: Iterable[Point]) -> Iterator[Point]:
    def setting(point: Point) -> tuple[object, ...]:
        asked = point.request
        # Answers of other lengths compare only where few streams wait for memory, not for arithmetic.
        length = (asked.context, asked.prompt_tokens) if asked.batch > 64 or point.set != "mlenergy" else ()
        return (point.set, point.kind, point.card.id, point.model.id, asked.quant, asked.gpus, asked.batch, length)

    groups: dict[tuple[object, ...], list[Point]] = defaultdict(list)
    for point in found:
        groups[setting(point)].append(point)
    for group in groups.values():
        fastest = max(point.value for point in group)
        yield from (point for point in group if point.value > SLOW_REPEAT * fastest)


def _numbers(text: str) -> list[int]:
    return [int(n.replace(",", "")) for n in NUMBER.findall(text)]


# Sources of fine-tuning speeds, with the words in which they name a network where those are their own.
TUNED: Mapping[str, Mapping[str, str]] = {
    "huggingface-peft": {},
    "answerdotai-fsdp-qlora": {},
    "pytorch-torchtune": {},
    "nvidia-megatron-bridge": {"LLAMA3_70B": "meta-llama-3-70b-instruct"},
    "nvidia-nemo": {},
    "qwenlm-qwen": {},
    "mosaicml-llm-foundry": {},
}
TUNING: Mapping[str, Task] = {"full": "full", "SFT": "full", "MPT": "full", "LoRA": "lora", "QLoRA": "qlora"}
# What a row says of a step, in its own words.
STATED = {
    "micro": re.compile(r"micro (\d+)"),
    "tokens": re.compile(r"(\d+) tokens"),
    "layers": re.compile(r"(\d+) layers"),
    "billions": re.compile(r"([\d.]+) B parameters"),
    "parameters": re.compile(r"(\d+) parameters"),
}
# A network of fewer parameters, or a longer sequence, spends more on attention than on its weights, and MosaicML's
# table, where all such runs stand, does not state the shapes that attention is counted from.
LEAST_PARAMETERS, LONGEST = 1e9, 4096


def tuned(
    rows: Iterable[Result], cards: Mapping[str, Card], registry: Registry
) -> tuple[tuple[Tuned, ...], tuple[Excluded, ...]]:
    """Read the speeds of fine-tuning; what leads to no point says why."""
    found: list[Tuned] = []
    excluded: list[Excluded] = []
    for row in rows:
        if row.source not in TUNED or row.gpu not in cards or row.value is None or not row.unit.startswith("tokens/s"):
            continue
        try:
            point = _tuned(row, cards[row.gpu], registry)
        except EstimateError as error:
            excluded.append(Excluded(key_of(row), row.source, str(error)))
            continue
        if point is not None:
            found.append(point)
    return tuple(found), tuple(excluded)


def _tuned(row: Result, on: Card, registry: Registry) -> Tuned | None:
    """A fine-tuning run; None for a row of another kind."""
    name, _, way = row.model.partition(", ")
    task = TUNING.get(way or row.batch.partition(" ")[0]) or TUNING.get(name.partition(" ")[0])
    if task is None:
        return None
    if row.flag:
        raise EstimateError(row.flag)
    said = {word: float(found[1]) for word, form in STATED.items() if (found := form.search(row.batch))}
    active, layers = said.get("billions", 0.0) * 1e9 or said.get("parameters", 0.0), said.get("layers", 0.0)
    if not active:
        shape = shape_of(find_model(TUNED[row.source].get(name, name), registry))
        active, layers = shape.active, shape.layers
    elif not layers and (active < LEAST_PARAMETERS or said["tokens"] > LONGEST):
        raise EstimateError("attention outweighs the weights, and the source states no shape to count it from")
    request = Request(
        quant="fp8" if row.precision in ("fp8", "fp4") else "f16",
        task=task,
        batch=int(said["micro"]),
        context=int(said["tokens"]),
        gpus=row.gpu_count,
        recompute="recompute" in row.batch and "no recompute" not in row.batch,
    )
    each = row.number if row.unit.endswith("per GPU") else row.number / row.gpu_count
    return Tuned(key_of(row), row.source, on, request, active, layers, each, row.date, row.software)
