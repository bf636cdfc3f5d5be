"""Questions, the same in every run, for the functions that stand in Python and, translated, in the browser."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import partial
from typing import Any

from samples import committed
from sampling import drawn
from test_comparison import MARKET
from test_comparison import card as card_of

from pipeline.advise.choose import NeedError, calculators, choose, parse
from pipeline.advise.choose.calculators.fields import CalculatorInput
from pipeline.advise.choose.need import FIELDS, TASKS
from pipeline.advise.choose.presenter import lost, view
from pipeline.advise.choose.questions import questions
from pipeline.advise.comparison import compared
from pipeline.advise.estimate import browser, coefficients, estimate, inputs, models, training
from pipeline.advise.estimate.engines import ENGINES
from pipeline.advise.estimate.memory import OPTIMIZER_BYTES
from pipeline.advise.estimate.points import Point
from pipeline.advise.estimate.types import Card, EstimateError, Request
from pipeline.advise.estimate.weights import MIXES, QUANT_ALIASES
from pipeline.core.networks import Model

SEED = 20_261_121
NAN, INF = math.nan, math.inf
Values = Mapping[str, Sequence[Any]]
ENGINE_NAMES = (*(f"{e.name}@{e.build}" for e in ENGINES), *dict.fromkeys(e.name for e in ENGINES), "Ollama")
QUANTS = (*MIXES, *QUANT_ALIASES)
# Of a request: values that make sense, the usual ones several times.
REQUEST: Values = {
    "context": (*(1, 127, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 131_072) * 14, *range(1, 200_000, 953)),
    "batch": (1, 1, 1, 1, 1, 2, 7, 32, 100, 512), "gpus": (1, 1, 1, 2, 3, 4, 8, 72),
    "task": ("serve", "serve", "serve", "train", "full", "lora", "qlora"),
    "prompt_tokens": (None, None, None, 1, 512, 1000, 3333, 8999), "kv_bits": (16, 16, 8, 4),
    "layout": ("auto", "auto", "layers", "tensor"), "memory_gb": (None,) * 6 + (7.3, 96.25, 599.1),
    "host_gb_s": (None, None, None, None, 51.2, 102.4), "display_gib": (0.0, 0.0, 0.6), "lora_rank": (8, 16, 256),
    "zero_stage": range(4), "optimizer": tuple(OPTIMIZER_BYTES), "master_weights": (True, False),
    "fused_backward": (True, False), "recompute": (None, True, False),
}  # fmt: skip
ODD_NUMBERS, ODD_WORDS = (0, -1, 0.5, 1e7, 1e99, NAN, INF, None), ("", "toString", "<img src=x>", "ü" * 70)
# Values that no answer exists for, and some at the very edge, for which one does: of every number, and of words.
ODD = (0, -1, 0.05, 0.5, 4, 16.5, 2000.5, 4097, 16_385, 65_537, 100_000.5, 1_000_005, 10**10, 1e99, NAN, INF, -INF)
ODD_TEXTS: Values = {
    "optimizer": ("lion",),
    "quant": (
        *ODD_WORDS,
        "it's",
        'a "quoted" q',
        "q4_k_m'\"",
        "tab\tand\nline",
        "  Q4-K-M ",
        "__proto__",
        "constructor",
    ),
    "engine": ("magic", "", "vllm@", "vllm@9", " LLAMA-CPP ", "toString", "llama.cpp@2024-05", "a@b@c", "'"),
}
# Of these a training run is asked with few values, so that each card is judged once for many questions.
FEW: Values = {"training.context": (512, 2048, 8192), "training.batch": (1, 4)}
# How often a calculator's value is the default, is left empty where it may be, and how often a question is odd.
PLAIN, EMPTY, ODDLY = 0.5, 0.3, 0.08
# Amounts exactly between two that are printed, and where the digits, the unit or the sentence change.
EDGES: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "what-fits": ({"engine": "vllm"}, {"task": "train", "gpus": 8}, {"gpu": "apple-m4-max-40-core"}, {"context": 1}),
    "memory": ({"gpu": "apple-m4-max-40-core"}, {"task": "qlora", "recompute": "1"}, {"model": "resnet-50"},
               {"model": "qwen3-30b-a3b", "host_gb_s": 80.0}),
    "speed": ({"gpu": "google-tpu-v5e"}, {"context": 200_000}, {"batch": 64},
              {"model": "gpt-oss-120b", "host_gb_s": 80.0}),
    "buy-or-rent": ({"price": 201.0, "rent": 0.5}, {"price": 0.25 * 801, "rent": 0.125, "upkeep": 0.0625},
                    {"price": 1999.0, "rent": 100.0, "resale": 0.0}, {"price": 400.0, "rent": 0.01},
                    {"price": 400.0, "rent": 1.0, "resale": 100.0, "host": 0.0}),
    "power": ({"watts": 899.5}, {"watts": 0.5 + 2**10}, {"watts": 1.0, "rest": 0.0, "hours_per_week": 0.1}),
    "training": ({"tokens": 0.001}, {"tokens": 1e9}, {"examples": 10**12, "each": 10**8}, {"gpus": 8, "task": "full"}),
    "several": ({"streams": 1}, {"streams": 1, "model": "llama-3.1-405b-instruct"}, {"link": "pcie"}),
    "upgrade": ({"brings": 0.0, "price": 1.0}, {"brings": 1e6}, {"task": "full"}),
}  # fmt: skip
# What somebody types into the chooser, beside the choices of a field and what the written questions hold.
SENSIBLE: Values = {
    "context": ("1024", "32.768", "8k"), "least_rate": ("1", "33.3", "400"), "requests_per_s": ("0.05",),
    "budget_usd": ("1,500", "9999.5", "$60k", "1 500 USD"), "budget_per_month_usd": ("5", "49.5", "400"),
    "slots": ("2", "2.5"), "hours_per_week": ("1", "168"), "electricity_usd_per_kwh": ("0", "0.45"),
    "host_usd": ("0", "750"), "horizon_months": ("1", "36"), "resale_share": ("0", "0.3"),
    "own": ("rtx-3090=1,rtx-4070=2", "nvidia-geforce-rtx-3090=2"), "own_rents": ("nvidia-geforce-rtx-4090=0.2",),
    "own_prices": ("rtx-4090=1500", "RTX 3090=612.5,nvidia-geforce-rtx-5090=1999"),
}  # fmt: skip
SILLY: Values = {
    "task": ("dance",), "model": ("gpt-99", "resnet-50", "llama3.1-8b-instrukt", "qwen 3 30b"), "quant": ("q99",),
    "kv_bits": ("5", "x"), "context": ("0", "131073", "8.5"), "budget_usd": ("-800", "lots", "inf", "1.500"),
    "max_gpus": ("9",), "quiet": ("maybe",), "own_prices": ("rtx-4090", "no-such-card=5", "rtx-4090=x"),
    "own": ("titan", "rtx-4090=9"), "colour": ("blue",), "market": ("mars",), "machines": ("2",),
}  # fmt: skip
NOT_ASKED = {"task", "model", "current_software", "answer_tokens"}
COMPARED = ("memory_gb", "memory_bandwidth_gb_s", "board_power_w", "peak:bf16:fp32:dense:tensor", "architecture")
FIGURES = (1, 8, 24, 24.5, 99.95, 1008, 1055, 8000, 0.0125, "Ada")  # of which some are within 5 and 10 % of another
# What is compared of an estimate, the same names in both languages.
TOLD = ("memory", "decode_tokens_per_s", "prefill_tokens_per_s", "decode_basis", "prefill_basis", "warnings")


@dataclass(frozen=True, slots=True)
class Case:
    """One question: which function is asked, with what, and how Python answers."""

    function: str
    asked: Any
    work: Callable[[], Any]

    def answer(self) -> Any:
        """The answer, or the sentence that refuses one, as they come back from JSON."""
        try:
            found = {"answer": self.work()}
        except (EstimateError, NeedError) as error:
            found = {"refused": str(error)}
        return from_json(json.dumps(found, allow_nan=False, default=_plain))


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else list(value)


def from_json(text: str) -> Any:
    """An answer without what a browser does not know: the terms of a fit and the keys of the runs."""
    unknown = ("terms", "runs")
    return json.loads(text, object_hook=lambda found: {name: one for name, one in found.items() if name not in unknown})


# ---------------------------------------------------------------- the estimator


def estimates(count: int) -> Iterator[Case]:
    """Random and odd requests, for the speed and memory and for the hours of a training run."""
    found, measured = coefficients.load(), inputs.points(committed(), models.load()).measured
    shares = training.all_shares(committed(), inputs.cards(committed()), models.load())

    def speeds(card: Card, model: Model, request: Request, _: float) -> dict[str, Any]:
        answer = estimate(card, model, request, found, measured)
        return {name: getattr(answer, name) for name in TOLD}

    def hours(card: Card, model: Model, request: Request, tokens: float) -> Any:
        return training.gpu_hours(card, model, tokens, request, shares, found)

    for card, model, request in requests(measured, count):
        tokens = request.context * 1e6 if math.isfinite(request.context) else 0.0
        wanted = {f.name: getattr(request, f.name) for f in fields(request)}
        asked = {"card": browser.card(card), "model": browser.model(model), "request": wanted, "tokens": tokens}
        for name, work in (("estimate", speeds), ("hours", hours)):
            yield Case(name, asked, partial(work, card, model, request, tokens))


def requests(points: Sequence[Point], count: int) -> Iterator[tuple[Card, Model, Request]]:
    """Every card, network, quantization and engine in turn, one in eight near a point; then odd values."""
    draw = random.Random(SEED)
    cards, networks = list(inputs.cards(committed()).values()), list(models.load().models.values())
    turns = zip(*(_in_turn(found, draw) for found in (cards, networks, QUANTS, ENGINE_NAMES)), strict=True)
    for n in range(count):
        if n % 8 == 0:
            point = draw.choice(points)
            yield point.card, point.model, _near(point, draw)
            continue
        card, network, quant, engine = next(turns)
        request = Request(quant=quant, engine=engine, **{name: draw.choice(of) for name, of in REQUEST.items()})
        longest = request.context if draw.random() < 0.25 else network.context or request.context
        yield card, network, replace(request, context=min(request.context, longest))
    card, model = next(c for c in cards if c.memory_gb and c.peaks), next(m for m in networks if m.is_language)
    numbers = {name: ODD for name, of in REQUEST.items() if not isinstance(of[-1], bool | str)}
    for name, values in (numbers | ODD_TEXTS).items():
        for task, value in zip(("serve", "qlora") * len(values), values, strict=False):
            yield card, model, replace(Request(task=task), **{name: value})
    quant = Request(quant="q4_k_m")
    yield from ((replace(card, **{lacking: None}), model, quant) for lacking in ("memory_gb", "memory_bandwidth_gb_s"))
    yield replace(card, peaks={}), model, replace(quant, batch=4)
    yield card, replace(model, layers=None), Request()
    yield card, replace(model, head_size=None, attention_heads=None), quant
    for network in networks:  # each at its longest context, and one token beyond
        for context in (network.context or 1, (network.context or 10**9) + 1):
            yield card, network, replace(quant, context=context)


def _in_turn(found: Sequence[Any], draw: random.Random) -> Iterator[Any]:
    """Each of them once, then each once more in another order, without end: no two lists keep in step."""
    while True:
        yield from draw.sample(found, len(found))


def _near(point: Point, draw: random.Random) -> Request:
    """A request that a measured point answers, or just misses."""
    context = max(1, round(2 * point.tokens * draw.choice((0.45, 0.5, 1.0, 1.3, 2.0, 2.1))))
    engine = draw.choice((point.request.engine, point.request.engine.partition("@")[0], "llama.cpp"))
    kv_bits = draw.choice((16, 16, 16, 8))
    return replace(point.request, context=context, prompt_tokens=None, engine=engine, kv_bits=kv_bits)


# ---------------------------------------------------------------- the calculators


def calculated(calculator: str, count: int) -> Iterator[Case]:
    """`count` random questions to a calculator, every odd value of every input, and its long table a few times."""
    prepared = calculators.known(committed())
    for n, asked in enumerate(_asked(calculator, prepared, count)):
        yield Case(calculator, asked, partial(calculators.answered, calculator, asked, prepared))
        if n % 50 == 0:
            yield Case("ranked", [calculator, asked], partial(calculators.ranked, calculator, asked, prepared))


def _asked(calculator: str, prepared: calculators.Known, count: int) -> Iterator[dict[str, Any]]:
    inputs, draw = calculators.CALCULATORS[calculator].fields, random.Random(SEED + len(calculator))
    gpus, language = list(prepared.stated), [model.id for model in prepared.models.values() if model.is_language]
    words = {
        "gpu": gpus,
        "model": draw.sample(language, 12) if calculator == "training" else language,
        "network": list(prepared.models),
    }

    def odd(field: CalculatorInput) -> Sequence[Any]:
        return ODD_NUMBERS if field.kind == "number" else ODD_WORDS

    def value(field: CalculatorInput) -> Any:
        few = FEW.get(f"{calculator}.{field.name}")
        if few or field.kind != "number":
            return draw.choice(few or words.get(field.kind) or [word for word, _ in field.choices])
        if draw.random() < (EMPTY if field.optional else PLAIN):
            return field.value
        low = max(field.low, 1.0 if field.whole else 0.01)
        found = math.exp(draw.uniform(math.log(low), math.log(field.high)))
        return round(found) if field.whole else draw.choice((found, round(found, 2) if found > 1 else found, field.low))

    yield from ({}, *EDGES[calculator], *({field.name: one} for field in inputs for one in odd(field)))
    for n in range(count):
        question = {field.name: value(field) for field in inputs} | {"gpu": gpus[n % len(gpus)]}
        if draw.random() < ODDLY:
            field = draw.choice(inputs)
            question[field.name] = draw.choice(odd(field))
        yield question


# ---------------------------------------------------------------- the chooser, and texts


def chosen(count: int) -> Iterator[Case]:
    """Every task as it stands, at most 2 × `count` written questions, then what one might type, some of it silly."""
    draw = random.Random(SEED)
    language = [m.id for m in models.load().models.values() if m.is_language]
    written = [dict(question.asked) for question in questions()]
    known = {name: list(SENSIBLE.get(name, ())) for name in sorted({*FIELDS} - NOT_ASKED)}
    for name, values in known.items():
        values += [choice for choice in FIELDS[name].get("choices", ()) if choice]
        values += sorted({words[name] for words in written if name in words})
    asked = [{"task": task} for task in TASKS] + drawn(written, 2 * count)
    for _ in range(count):
        words = {"task": draw.choice(list(TASKS))}
        if TASKS[words["task"]]["kind"] == "language":
            words["model"] = draw.choice(language)
        words |= {name: str(draw.choice(known[name])) for name in draw.sample(sorted(known), draw.randint(0, 5))}
        if draw.random() < 0.15:
            name = draw.choice(sorted(SILLY))
            words[name] = draw.choice(SILLY[name])
        asked.append(words)

    def work(words: dict[str, str]) -> dict[str, Any]:
        answer = choose(committed(), parse(words))
        return {"view": view(answer), "lost": lost(answer)}

    return (Case("choose", words, partial(work, words)) for words in asked)


def comparisons(count: int) -> Iterator[Case]:
    """Two to four cards, each with some of the figures that a comparison speaks of."""
    draw = random.Random(SEED)
    rows = [{"group": "g", "field": name, "label": "", "unit": "x", "better": "higher"} for name in COMPARED]
    for n in range(count):
        known = [{name: draw.choice(FIGURES) for name in COMPARED if draw.random() < 0.8} for _ in range(2 + n % 3)]
        cards = [card_of("ABCD"[at], **figures) for at, figures in enumerate(known)]
        asked = (cards, rows, {"ids": [], "experiments": []}, MARKET, "/")
        yield Case("compared", asked, partial(compared, *asked))


# What is asked → its questions.
ASKED: Mapping[str, Callable[[int], Iterator[Case]]] = {
    "estimate": estimates,
    **{name: partial(calculated, name) for name in calculators.CALCULATORS},
    "choose": chosen,
    "compared": comparisons,
}
