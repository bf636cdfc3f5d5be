"""A fixed seed in, requests with Python's answers out: what the translated estimator must answer too."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from pipeline.advise.estimate import browser, coefficients, estimate, inputs, models, training
from pipeline.advise.estimate.coefficients import Coefficients
from pipeline.advise.estimate.engines import ENGINES
from pipeline.advise.estimate.memory import OPTIMIZER_BYTES
from pipeline.advise.estimate.points import Point
from pipeline.advise.estimate.types import Basis, Card, EstimateError, Interval, Memory, Model, Request
from pipeline.advise.estimate.weights import MIXES, QUANT_ALIASES
from pipeline.dataset import Dataset

SEED = 20_261_121
COUNT = 2_400
WITHIN = 0.75  # of the random cases ask for no longer context than the network takes
ENGINE_NAMES = (*(f"{e.name}@{e.build}" for e in ENGINES), *dict.fromkeys(e.name for e in ENGINES), "Ollama")
CONTEXTS = (1, 127, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 131_072)
# Values that no answer exists for, field by field; and some at the very edge, for which one does.
ODD: Mapping[str, Sequence[Any]] = {
    "context": (0, -1, 10**7, 10**10, 1_000_005, math.nan, math.inf),
    "prompt_tokens": (0, -5, 123_456_789, -math.inf),
    "batch": (0, -2, 65_536, 65_537, 1e99, 0.5),
    "gpus": (0, 16_384, 16_385, 10**6, -1, 0.25),
    "lora_rank": (0, 4096, 4097, 1_000_005, 1_000_015),
    "zero_stage": (-1, 4, 9),
    "memory_gb": (0, 0.05, 0.1, 1e-7, 1e6, -3, 100_000, 100_000.5, 123_456.5, math.nan, -math.inf),
    "kv_bits": (0, 3, 8, 4, 32),
    "optimizer": ("lion",),
    "display_gib": (-0.5, 16, 16.5, 300, math.nan),
    "quant": (
        "q99",
        "",
        "  Q4-K-M ",
        "UD-Q4_K_M",
        "it's",
        'a "quoted" q',
        "tab\tand\nline",
        "ü" * 60,
        "__proto__",
        "constructor",
        "q4_k_m'\"",
    ),
    "engine": ("magic", "", "vllm@", "vllm@9", " LLAMA-CPP ", "toString", "llama.cpp@2024-05", "a@b@c", "'"),
}


def vectors(dataset: Dataset, count: int = COUNT) -> dict[str, object]:
    """The data for the module, and `count` random cases and all edge cases with what Python answers."""
    cards, registry = inputs.cards(dataset), models.load()
    points, found = inputs.points(dataset, registry).measured, coefficients.load()
    runs = training.all_shares(dataset, cards, registry)
    known = list(cards.values()), list(registry.models.values())
    cases = [*_random_cases(*known, points, count), *_edge_cases(*known)]
    return {**browser.data(dataset), "cases": [_answered(*case, found, points, runs) for case in cases]}


Case = tuple[Card, Model, Request]


def _random_cases(
    cards: Sequence[Card], networks: Sequence[Model], points: Sequence[Point], count: int
) -> Iterator[Case]:
    """Every card, network, quantization and engine in turn with random rest; one in eight near a point."""
    draw = random.Random(SEED)  # noqa: S311 - the same cases each time
    turns = zip(
        *(_in_turn(found, draw) for found in (cards, networks, [*MIXES, *QUANT_ALIASES], ENGINE_NAMES)), strict=True
    )
    for n in range(count):
        if n % 8 == 0:
            point = draw.choice(points)
            yield point.card, point.model, _near(point, draw)
            continue
        card, network, quant, engine = next(turns)
        request = replace(_random_request(draw), quant=quant, engine=engine)
        longest = network.context if draw.random() < WITHIN else None
        yield card, network, replace(request, context=min(request.context, longest or request.context))


def _in_turn(found: Sequence[Any], draw: random.Random) -> Iterator[Any]:
    """Each of them once, then each once more in another order, without end: no two lists keep in step."""
    while True:
        yield from draw.sample(found, len(found))


def _random_request(draw: random.Random) -> Request:
    plain = draw.random() < 0.4
    return Request(
        context=draw.choice(CONTEXTS) if plain else draw.randint(1, 200_000),
        batch=1 if plain else draw.choice((1, 2, 7, 32, 100, 512)),
        gpus=draw.choice((1, 1, 1, 2, 3, 4, 8, 72)),
        task=draw.choice(("serve", "serve", "serve", "train", "full", "lora", "qlora")),
        prompt_tokens=draw.choice((None, None, 1, 512, 1000, draw.randint(1, 9000))),
        kv_bits=draw.choice((16, 16, 8, 4)),
        layout=draw.choice(("auto", "auto", "layers", "tensor")),
        memory_gb=draw.choice((None, None, None, draw.uniform(1, 600))),
        display_gib=draw.choice((0.0, 0.0, 0.6)),
        lora_rank=draw.choice((8, 16, 256)),
        zero_stage=draw.randint(0, 3),
        optimizer=draw.choice(tuple(OPTIMIZER_BYTES)),  # type: ignore[arg-type]
        master_weights=draw.random() < 0.5,
        fused_backward=draw.random() < 0.5,
        recompute=draw.choice((None, True, False)),
    )


def _near(point: Point, draw: random.Random) -> Request:
    """A request that a measured point answers, or just misses."""
    context = max(1, round(2 * point.tokens * draw.choice((0.45, 0.5, 1.0, 1.3, 2.0, 2.1))))
    engine = draw.choice((point.request.engine, point.request.engine.partition("@")[0], "llama.cpp"))
    return replace(
        point.request,
        context=context,
        prompt_tokens=None,
        engine=engine,
        kv_bits=draw.choice((16, 16, 16, 8)),
    )


def _edge_cases(cards: Sequence[Card], networks: Sequence[Model]) -> Iterator[Case]:
    """Odd values one at a time, and cards and networks that lack what a formula needs."""
    card = next(c for c in cards if c.memory_gb and c.memory_bandwidth_gb_s and c.peaks)
    model = next(m for m in networks if m.is_language)
    for name, values in ODD.items():
        for value in values:
            for task in ("serve", "qlora"):
                yield card, model, replace(Request(task=task), **{name: value})
    for lacking in ("memory_gb", "memory_bandwidth_gb_s"):
        yield replace(card, **{lacking: None}), model, Request(quant="q4_k_m")  # type: ignore[arg-type]
    yield replace(card, peaks={}), model, Request(quant="q4_k_m", batch=4)
    yield card, replace(model, layers=None), Request()
    yield card, replace(model, head_size=None, attention_heads=None), Request(quant="q4_k_m")
    for network in networks:  # each at its longest context, and one token beyond
        for context in (network.context or 1, (network.context or 10**9) + 1):
            yield card, network, Request(quant="q4_k_m", context=context)


def _answered(
    card: Card,
    model: Model,
    request: Request,
    found: Coefficients,
    points: Sequence[Point],
    runs: Sequence[training.KeptShare],
) -> dict[str, object]:
    case: dict[str, object] = {
        "card": browser.card(card),
        "model": browser.model(model),
        "request": {f.name: _plain(getattr(request, f.name)) for f in fields(request)},
    }
    try:
        answer = estimate(card, model, request, found, points)
        case["answer"] = {
            "memory": _memory(answer.memory),
            "decode_tokens_per_s": _interval(answer.decode_tokens_per_s),
            "prefill_tokens_per_s": _interval(answer.prefill_tokens_per_s),
            "decode_basis": _basis(answer.decode_basis),
            "prefill_basis": _basis(answer.prefill_basis),
            "warnings": list(answer.warnings),
        }
    except EstimateError as error:
        case["refused"] = str(error)
    return case | _hours(card, model, request, runs, found)


def _hours(
    card: Card, model: Model, request: Request, runs: Sequence[training.KeptShare], found: Coefficients
) -> dict[str, object]:
    tokens = request.context * 1e6 if math.isfinite(request.context) else 0.0
    try:
        return {"tokens": tokens, "hours": _interval(training.gpu_hours(card, model, tokens, request, runs, found))}
    except EstimateError as error:
        return {"tokens": tokens, "hours_refused": str(error)}


def _memory(need: Memory) -> dict[str, object]:
    return {"parts": dict(need.parts), "total": need.total, "usable": need.usable, "fits": need.fits, "room": need.room}


def _interval(one: Interval | None) -> dict[str, float] | None:
    return None if one is None else {"median": one.median, "p10": one.p10, "p90": one.p90}


def _basis(one: Basis | None) -> dict[str, object] | None:
    if one is None:
        return None
    return {
        "kind": one.kind,
        "statement": one.statement,
        "points": list(one.points),
        "coefficients": dict(one.coefficients),
    }


def _plain(value: object) -> object:
    """Numbers that JSON has no word for, as words."""
    return f"{value}" if isinstance(value, float) and not math.isfinite(value) else value
