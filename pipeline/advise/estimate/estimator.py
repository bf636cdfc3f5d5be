"""Memory and speed of a neural network on GPUs: an `Estimate` with its basis from a card, a model and a request.

`estimate` answers; `as_json` is the object that `python -m pipeline estimate` prints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from pipeline.advise.estimate import support, words
from pipeline.advise.estimate.coefficients import ROUGH, Coefficients, Spread
from pipeline.advise.estimate.core import shares_tensors
from pipeline.advise.estimate.engines import Engine, find
from pipeline.advise.estimate.fit import kinds_of
from pipeline.advise.estimate.memory import OPTIMIZER_BYTES, placed, required
from pipeline.advise.estimate.points import Point
from pipeline.advise.estimate.running import running
from pipeline.advise.estimate.shapes import format_of, shape_of
from pipeline.advise.estimate.speed import (
    HOST_READ,
    NEEDED,
    decode_terms,
    prefill_terms,
    seconds,
    serving_terms,
    soonest,
)
from pipeline.advise.estimate.types import GIB, Basis, Card, Estimate, EstimateError, Interval, Memory, Request
from pipeline.advise.estimate.weights import canonical_quant
from pipeline.core.networks import Model

# What may be asked at most: beyond this the answer would be about something that nobody builds.
MOST_GPUS, MOST_BATCH = 16_384, 65_536
MOST_HOST_GB_S = 2_000  # 24 channels of DDR5-8800 would read 1,690
# A measured point answers for a context up to this many times longer or shorter than its own, and for any other at
# which the formulas tell at most this much more or less time: two runs of one machine lie as far apart.
NEAR_CONTEXT, NEAR_TIME = 2.0, 1.05
# Where no prompt length is asked for, half of the context is the prompt, but never more than this.
USUAL_PROMPT = 512
# The link of a module that no source states is not PCIe; of a chip with unified memory several are several machines.
UNKNOWN_LINK = "the link between several {} is not known, so what the GPUs tell one another costs nothing here"
TENSOR_LENT = "no run of llama.cpp tells what its GPUs wait for on one token together; runs with vllm stand in"
SEVERAL_MACHINES = "several {} are several machines, and no run tells how fast they share one network"
HOSTED_NOTE = "the experts of {:.0f} of {:.0f} layers, {:.1f} GB, stay in main memory, which reads {:g} GB/s"
HOSTED_PROMPTS = "no run here tells how fast a prompt is read while experts stay in main memory"
INTERVAL_WORDS = ("median", "p10", "p90")


def estimate(
    card: Card,
    model: Model,
    request: Request,
    coefficients: Coefficients,
    measured: Sequence[Point] = (),
    *,
    reading: bool = True,
    near: float | None = None,
) -> Estimate:
    """Estimate memory and speed; a measured speed of the same card, model and quantization wins and is marked.

    For whoever asks hundreds of configurations: without `reading` the speed of reading a prompt stays out, and with
    `near` every speed where the memory is short by more than that share of it.

    An engine that does not run this format on this card gives no speed but the reason (data/support.yml). A measured
    speed is the middle of an interval as wide as runs of one configuration lie apart.
    """
    asked = placed(card, model, checked(request, model))
    engine = find(asked.engine)
    need = required(card, model, asked)
    refused = support.refusal(engine.name, card, asked.quant) if asked.task == "serve" else ""
    if refused:
        return Estimate(card, model, asked, need, None, None, None, None, (*_memory_warnings(card, need), refused))
    if need.short_by(near):
        return Estimate(card, model, asked, need, None, None, None, None, _memory_warnings(card, need))
    decode, decode_basis, why = _decode(card, model, asked, engine, coefficients, measured)
    read = _prefill(card, model, asked, engine, coefficients) if reading else NOTHING
    prefill, prefill_basis, why_prefill = read
    caution = support.caution(engine.name, card, asked.quant) if asked.task == "serve" else ""
    warnings = (*_memory_warnings(card, need), *why, *why_prefill, *filter(None, [caution]))
    unique = tuple(dict.fromkeys(warnings))
    return Estimate(card, model, asked, need, decode, prefill, decode_basis, prefill_basis, unique)


def checked(request: Request, model: Model) -> Request:
    """Bring a request into our words, or say in one sentence what is wrong with it."""
    prompt = request.prompt_tokens
    if prompt is None:
        prompt = min(USUAL_PROMPT, max(1, int(request.context / 2))) if math.isfinite(request.context) else 1
    for name, value, least, most in (
        ("gpus", request.gpus, 1, MOST_GPUS),
        ("batch", request.batch, 1, MOST_BATCH),
        ("context", request.context, 1, model.context or 10**9),
        ("prompt_tokens", prompt, 1, model.context or 10**9),
        ("lora_rank", request.lora_rank, 1, 4096),
        ("zero_stage", request.zero_stage, 0, 3),
    ):
        _within(name, value, least, most, model)
    if request.memory_gb is not None:
        _within("memory_gb", request.memory_gb, 0.1, 100_000, model)
    if request.host_gb_s is not None:
        _within("host_gb_s", request.host_gb_s, 1, MOST_HOST_GB_S, model)
    if request.kv_bits not in (4, 8, 16):
        raise EstimateError(f"kv_bits is {request.kv_bits}; a key-value cache holds 4, 8 or 16 bits a value")
    if not 0 <= request.display_gib <= 16:
        raise EstimateError(f"display_gib is {request.display_gib}; a display takes 0 to 16 GB")
    if request.optimizer not in OPTIMIZER_BYTES:
        raise EstimateError(f"optimizer is {request.optimizer!r}; known: {', '.join(OPTIMIZER_BYTES)}")
    quant = canonical_quant(request.quant)
    on_llama = find(request.engine).family == "llama.cpp"
    quant = "mxfp4_moe" if quant == "mxfp4" and on_llama else quant
    return replace(request, quant=quant, prompt_tokens=prompt)


def as_json(answer: Estimate) -> dict[str, object]:
    """The answer as plain JSON: numbers rounded to what they are worth, unknown as null."""
    asked = answer.request
    return {
        "gpu": answer.card.id,
        "model": answer.model.id,
        "quant": asked.quant,
        "engine": asked.engine,
        "build": find(asked.engine).build,
        "context": asked.context,
        "batch": asked.batch,
        "gpus": asked.gpus,
        "fits": answer.memory.fits,
        "memory_gib": _memory_json(answer.memory),
        "decode_tokens_per_s": _interval_json(answer.decode_tokens_per_s),
        "prefill_tokens_per_s": _interval_json(answer.prefill_tokens_per_s),
        "basis": {"decode": _basis_json(answer.decode_basis), "prefill": _basis_json(answer.prefill_basis)},
        "warnings": list(answer.warnings),
    }


def _within(name: str, value: float, least: float, most: float, model: Model) -> None:
    if not math.isfinite(value):
        raise EstimateError(f"{name} is {value!r}; it must be a number")
    if value < least:
        raise EstimateError(f"{name} is {value:g}; it must be at least {least:g}")
    if value > most:
        whose = f" of {model.name}" if name in ("context", "prompt_tokens") else ""
        raise EstimateError(f"{name} is {value:g}; the most{whose} is {most:g}")


Answer = tuple[Interval | None, Basis | None, tuple[str, ...]]
NOTHING: Answer = (None, None, ())


def _decode(
    card: Card, model: Model, asked: Request, engine: Engine, coefficients: Coefficients, measured: Sequence[Point]
) -> Answer:
    if asked.task != "serve" or not model.is_language:
        return None, None, ()
    known = _measured(card, model, asked, engine, coefficients, measured)
    if known:
        return _from_points(known, coefficients)
    try:
        return _estimated_decode(card, model, asked, engine, coefficients)
    except EstimateError as error:
        return None, None, (str(error),)


def _estimated_decode(card: Card, model: Model, asked: Request, engine: Engine, coefficients: Coefficients) -> Answer:
    notes = _link_notes(card, asked, engine)
    notes += hosted(model, asked)
    if asked.batch == 1:
        terms = decode_terms(card, model, asked, engine, held_tokens(asked))
    else:
        prompt = asked.prompt_tokens or 0
        at_a_time = running(card, model, asked, engine)
        terms = serving_terms(card, model, asked, engine, max(1, asked.context - prompt), at_a_time)
        if at_a_time < asked.batch:
            notes += (f"the cache holds {at_a_time:.0f} of {asked.batch} sequences at a time; the others wait",)
    return _answer(1 / seconds(terms, coefficients), card, model, asked, terms, coefficients, notes, prompt=False)


def held_tokens(asked: Request) -> float:
    """Tokens in the cache in the middle of an answer: half of the context, more where a long prompt came first."""
    prompt = asked.prompt_tokens or 0
    return (asked.context + (prompt if prompt > USUAL_PROMPT else 0)) / 2


def hosted(model: Model, asked: Request) -> tuple[str, ...]:
    """Say how much of the experts stays in main memory, when some do."""
    if not asked.host_share:
        return ()
    layers = shape_of(model).layers
    kept = format_of(model, asked.quant).experts * asked.host_share / GIB
    return (HOSTED_NOTE.format(asked.host_share * layers, layers, kept, asked.host_gb_s),)


def _link_notes(card: Card, asked: Request, engine: Engine) -> tuple[str, ...]:
    """What to know of the link when GPUs work on one token together; EstimateError for several machines."""
    if not shares_tensors(asked, engine):
        return ()
    if card.memory_class == "unified":
        raise EstimateError(SEVERAL_MACHINES.format(card.name))
    lent = (TENSOR_LENT,) if engine.family == "llama.cpp" else ()
    return lent if card.link(asked.gpus) else (*lent, UNKNOWN_LINK.format(card.name))


def _prefill(card: Card, model: Model, asked: Request, engine: Engine, coefficients: Coefficients) -> Answer:
    if asked.task != "serve" or not model.is_language:
        return None, None, ()
    try:
        if asked.host_share:
            raise EstimateError(HOSTED_PROMPTS)
        tokens, notes = asked.prompt_tokens or 1, _link_notes(card, asked, engine)
        terms = prefill_terms(card, model, asked, engine, tokens)
        rate = tokens / seconds(terms, coefficients)
        return _answer(rate, card, model, asked, terms, coefficients, notes, prompt=True)
    except EstimateError as error:
        return None, None, (str(error),)


def _answer(
    rate: float,
    card: Card,
    model: Model,
    asked: Request,
    terms: Mapping[str, float],
    coefficients: Coefficients,
    warnings: tuple[str, ...],
    *,
    prompt: bool,
) -> Answer:
    spread, statement = spread_of(card, model, asked, terms, coefficients, prompt=prompt)
    used = [name for name, value in terms.items() if value > 0]
    borrowed = coefficients.borrowed(name for name in used if name.startswith(NEEDED))
    tokens = asked.prompt_tokens or 1
    if prompt or asked.batch > 1:
        statement = words.lengths(statement, tokens, max(1, asked.context - tokens))
    basis = Basis(
        "estimated", statement, terms={f: coefficients.values[f] for n in used if (f := coefficients.find(n))}
    )
    notes = dict.fromkeys(words.borrowed(name, other) for name, other in borrowed)
    return around(rate, terms, spread, coefficients), basis, (*warnings, *notes)


def spread_of(
    card: Card, model: Model, asked: Request, terms: Mapping[str, float], coefficients: Coefficients, *, prompt: bool
) -> tuple[Spread, str]:
    """The interval of the class that a request belongs to, the finest that was measured, and the sentence on it."""
    kinds = [name for name in kinds_of(card, model, asked, terms, prompt=prompt) if name]
    # A regime that no server was measured in takes the one that is nearest to it.
    served = " on servers" in kinds[-1]
    more = "batched decode on servers" if served else "prefill several GPUs"
    names = (*kinds, more if prompt or served else kinds[-1])
    spread = coefficients.spread(*names)
    return spread, words.basis(coefficients.spread_name(*names), spread)


def around(rate: float, terms: Mapping[str, float], spread: Spread, coefficients: Coefficients) -> Interval:
    """The interval about an estimated rate: wider where a wider class stands in, never above what the card allows.

    With experts in main memory the processor decides: of two laptops with the same card in hosted_points.csv one works
    on experts at two fifths of what its memory gives, the other at nearly all of it. As long as few machines are
    fitted, the interval goes up to where the memory ends, and as far down.
    """
    used = (name for name, value in terms.items() if value > 0 and name.startswith(NEEDED))
    wider = ROUGH if coefficients.borrowed(used) else 1.0
    high, least = rate * math.exp(max(0.0, spread.p90) * wider), soonest(terms)
    if least:
        most = seconds(terms, coefficients) / least
        if spread.rough and terms.get(HOST_READ, 0.0) > 0:
            return Interval(rate, rate / most, rate * most)
        high = max(rate, min(high, rate * most))
    return Interval(rate, rate * math.exp(min(0.0, spread.p10) * wider), high)


def _measured(
    card: Card, model: Model, asked: Request, engine: Engine, coefficients: Coefficients, points: Sequence[Point]
) -> list[Point]:
    """Points of exactly this card, count, model, quantization and engine, at the nearest context, newest first."""
    if asked.batch != 1 or asked.kv_bits != 16 or asked.host_share:
        return []
    tokens = held_tokens(asked)
    fitting = [
        p
        for p in points
        if (p.card.id, p.model.id) == (card.id, model.id)
        and (p.request.quant, p.request.gpus, p.request.batch) == (asked.quant, asked.gpus, 1)
        and _same_engine(p.request.engine, asked.engine)
        and _near(card, model, asked, engine, coefficients, p.tokens)
    ]
    by_name = [p for p in fitting if find(p.request.engine).name == engine.name] or fitting
    newest = max((p.date for p in by_name), default="")
    recent = [p for p in by_name if p.date == newest]
    nearest = min((abs(math.log(p.tokens / tokens)) for p in recent), default=0.0)
    return [p for p in recent if abs(math.log(p.tokens / tokens)) <= nearest + 1e-9]


def _near(
    card: Card, model: Model, asked: Request, engine: Engine, coefficients: Coefficients, measured_at: float
) -> bool:
    """Whether a speed measured with so many tokens in the cache tells that of the context asked for."""
    tokens = held_tokens(asked)
    if 1 / NEAR_CONTEXT <= measured_at / tokens <= NEAR_CONTEXT:
        return True
    try:
        times = [seconds(decode_terms(card, model, asked, engine, t), coefficients) for t in (tokens, measured_at)]
    except EstimateError:
        return False
    return max(times) <= NEAR_TIME * min(times)


def _same_engine(of_point: str, asked: str) -> bool:
    """An engine named without a build means any build of it, and any server around its code (Ollama)."""
    theirs, ours = find(of_point), find(asked)
    return theirs == ours if "@" in asked else theirs.family == ours.family


def _from_points(known: Sequence[Point], coefficients: Coefficients) -> Answer:
    """A measurement is a point: the interval about it is how far runs of one configuration lie apart."""
    values = [p.value for p in known]
    middle, apart = median(values), coefficients.spread("repeated")
    low, high = middle * math.exp(apart.p10), middle * math.exp(apart.p90)
    plural = "s" if len(values) > 1 else ""
    statement = words.MEASURED_BASIS.format(known[0].date, known[0].software, len(values), plural)
    return (
        Interval(middle, min(low, *values), max(high, *values)),
        Basis("measured", statement, runs=tuple(p.key for p in known)),
        (),
    )


def _memory_warnings(card: Card, need: Memory) -> tuple[str, ...]:
    if need.usable is None:
        return (f"the memory of {card.name} is the buyer's choice or not known; state it to learn what fits",)
    if need.fits:
        return ()
    missing = need.total - need.usable
    return (f"does not fit: {missing:.1f} GB more are needed; speeds hold only if all of it were in GPU memory",)


def _memory_json(need: Memory) -> dict[str, float | None]:
    parts: dict[str, float | None] = {name: round(value, 3) for name, value in need.parts.items()}
    known = need.usable is not None
    return parts | {
        "total": round(need.total, 3),
        "usable": round(need.usable or 0.0, 3) if known else None,
        "room": round(need.room or 0.0, 3) if known else None,
    }


def _interval_json(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {w: float(f"{getattr(interval, w):.4g}") for w in INTERVAL_WORDS}


def _basis_json(basis: Basis | None) -> dict[str, object] | None:
    if basis is None:
        return None
    coefficients = {k: float(f"{v:.6g}") for k, v in basis.coefficients.items()}
    return {
        "kind": basis.kind,
        "statement": basis.statement,
        "points": list(basis.points),
        "coefficients": coefficients,
    }
