"""What a person says in, a `Need` that can be answered out: defaults by task, and one sentence for each silly input."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from pipeline.choose import currency as currencies
from pipeline.dataset import Dataset
from pipeline.estimate import EstimateError, Model
from pipeline.estimate.models import Registry
from pipeline.estimate.weights import canonical_quant

Task = Literal["chat", "serve", "train", "full", "lora", "qlora", "cnn"]
Objective = Literal["cheapest", "fastest", "cheapest_work"]


class NeedError(ValueError):
    """A need that cannot be answered; the message is one sentence for the person who asked."""


@dataclass(frozen=True, slots=True)
class TaskRule:
    """What a task means: its words, its defaults and the objective by which options are ranked."""

    words: str
    engine: str  # of the estimate; "" where speed comes from training runs
    quant: str
    context: int
    objective: Objective
    once: bool  # one run, to be paid once, in place of hours every week


TASKS: Mapping[str, TaskRule] = {
    "chat": TaskRule("one person chats with a model", "llama.cpp", "q4_k_m", 8192, "cheapest", False),
    "serve": TaskRule("several people use a model at once", "vllm", "int4", 4096, "cheapest", False),
    "train": TaskRule("train a language model from scratch", "", "f16", 2048, "cheapest", True),
    "full": TaskRule("fine-tune every weight", "", "f16", 2048, "cheapest", True),
    "lora": TaskRule("fine-tune adapters on a 16-bit base", "", "f16", 2048, "cheapest", True),
    "qlora": TaskRule("fine-tune adapters on a 4-bit base", "", "int4", 2048, "cheapest", True),
    "cnn": TaskRule("train convolutional networks of ResNet-50's class", "", "f16", 1, "fastest", False),
}
TRAINING = ("train", "full", "lora", "qlora")
RUNS_ON = ("any", "cuda", "no-nvidia")
USED = ("allowed", "only", "no")
PREFER = ("both", "buy", "rent")
OBJECTIVES: Mapping[str, str] = {
    "cheapest": "the lowest total cost of the options that meet the need; at equal cost the faster one",
    "fastest": "the most work a second within the budget; at equal speed the cheaper one",
    "cheapest_work": "the lowest cost of a million tokens or images at full load; at equal cost the faster one",
}
# The slowest that still serves, tokens a second for each person: about twice as fast as people read (an assumption
# of this project; type another one).
LEAST_RATE: Mapping[str, float] = {"chat": 10.0, "serve": 10.0}
# Fields that are numbers: the least and the most that make sense, and the unit in which they are asked.
LIMITS: Mapping[str, tuple[float, float, str]] = {
    "context": (1, 100_000_000, "tokens"), "batch": (1, 65_536, "sequences at a time"),
    "units": (1, 1e16, "tokens or images"), "budget_usd": (1, 1e9, "USD"), "budget_per_month_usd": (0.01, 1e9, "USD"),
    "max_power_w": (1, 1e6, "W"), "psu_w": (100, 1e5, "W"), "slots": (0.5, 64, "slots"), "length_mm": (50, 2000, "mm"),
    "max_gpus": (1, 8, "GPUs"), "min_memory_gb": (0.1, 100_000, "GB"), "hours_per_week": (0.1, 168, "hours"),
    "electricity_usd_per_kwh": (0, 10, "USD"), "host_usd": (0, 1e7, "USD"), "horizon_months": (1, 120, "months"),
    "resale_share": (0, 0.99, "of the price"), "least_rate": (0.001, 1e9, "a second"),
    "deadline_hours": (0.01, 1e6, "hours"),
}  # fmt: skip
YES_OR_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
WHOLE = ("context", "batch", "max_gpus")


@dataclass(frozen=True, slots=True)
class Need:
    """What is to be done, with what, and how much of it; None is "does not matter" or the task's default."""

    task: Task = "chat"
    model: str = "llama-3.1-8b-instruct"  # "resnet-50" for the task cnn
    quant: str | None = None
    kv_bits: int = 16
    context: int | None = None
    batch: int = 1  # people at once (serve), or sequences on each GPU (training)
    units: float | None = None  # tokens or images of one run
    deadline_hours: float | None = None  # for one run
    least_rate: float | None = None  # tokens (images) a second: of each person, or of the whole in training
    budget_usd: float | None = None
    budget_per_month_usd: float | None = None
    own_prices: Mapping[str, float] = field(default_factory=dict)  # GPU → USD each, to buy
    own_rents: Mapping[str, float] = field(default_factory=dict)  # GPU → USD for one GPU-hour
    max_power_w: float | None = None  # of all GPUs together
    psu_w: float | None = None
    slots: float | None = None
    length_mm: float | None = None
    quiet: bool = False
    rack: bool = False  # a server's air flow for cards without fans
    max_gpus: int = 8
    runs_on: Literal["any", "cuda", "no-nvidia"] = "any"
    current_software: bool = True  # refuse cards whose maker has ended support
    used: Literal["allowed", "only", "no"] = "allowed"
    min_memory_gb: float | None = None  # of each GPU
    hours_per_week: float = 20.0
    electricity_usd_per_kwh: float = 0.20  # an assumption: type your own tariff
    host_usd: float | None = None  # None: HOST_USD of pipeline/choose/costs.py
    horizon_months: float = 24.0
    resale_share: float = 0.5  # an assumption: what a card still brings at the end
    prefer: Literal["both", "buy", "rent"] = "both"
    objective: Objective | None = None
    currency: str = "USD"  # of every amount above, whatever its name says

    @property
    def money(self) -> currencies.Currency:
        """The currency of the need and of its answer."""
        return currencies.load()[self.currency]

    @property
    def rule(self) -> TaskRule:
        """The rule of the task."""
        return TASKS[self.task]

    @property
    def ranked_by(self) -> Objective:
        """The objective in force."""
        return self.objective or self.rule.objective

    @property
    def hours_per_month(self) -> float:
        """Hours of use a month."""
        return self.hours_per_week * 52 / 12


def parse(words: Mapping[str, str]) -> Need:
    """Read a need from the words of an address or a command; NeedError for a word that is none. "" is not said."""
    known = {f.name: f for f in fields(Need)}
    values: dict[str, object] = {}
    for name, text in words.items():
        if name not in known:
            raise NeedError(f"{name[:40]!r} is nothing that can be asked; known: {', '.join(known)}")
        if text.strip():
            values[name] = _read(name, text.strip(), str(known[name].type))
    return Need(**values)  # type: ignore[arg-type]


def as_words(need: Need) -> dict[str, str]:
    """A need in the words that `parse` reads: what differs from the defaults, the task always."""
    plain = Need()
    return {
        f.name: _written(getattr(need, f.name))
        for f in fields(Need)
        if f.name == "task" or getattr(need, f.name) != getattr(plain, f.name)
    }


def checked(need: Need, registry: Registry, dataset: Dataset) -> Need:
    """Fill in the task's defaults, or say in one sentence what is wrong."""
    _words(need)
    for name, (low, high, unit) in LIMITS.items():
        _within(name, getattr(need, name, None), low, high, unit)
    model = _model(need, registry)
    context = need.context or need.rule.context
    if model.context and context > model.context:
        raise NeedError(f"context is {context:,} tokens; {model.name} reads at most {model.context:,}")
    if need.kv_bits not in (4, 8, 16):
        raise NeedError(f"kv_bits is {need.kv_bits}; a key-value cache holds 4, 8 or 16 bits a value")
    rate = need.least_rate if need.least_rate is not None else LEAST_RATE.get(need.task)
    return replace(
        need, model=model.id, quant=_quant(need), context=context, least_rate=rate,
        own_prices=_own(need.own_prices, "own_prices", dataset), own_rents=_own(need.own_rents, "own_rents", dataset),
    )  # fmt: skip


def _read(name: str, text: str, kind: str) -> object:
    if kind.startswith("Mapping"):
        return dict(_pair(name, pair) for pair in text.split(",") if pair.strip())
    if kind == "bool":
        if text.lower() not in YES_OR_NO:
            raise NeedError(f"{name} is {text[:40]!r}; it is yes or no")
        return YES_OR_NO[text.lower()]
    if name in LIMITS or kind.startswith("int"):
        return _number(name, text)
    return text


def _number(name: str, text: str) -> float | int:
    whole = name in WHOLE or name == "kv_bits"
    try:
        return int(text) if whole else float(text)
    except ValueError:
        raise NeedError(f"{name} is {text[:40]!r}; it must be a {'whole ' if whole else ''}number") from None


def _written(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{gpu}={_written(usd)}" for gpu, usd in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _pair(name: str, text: str) -> tuple[str, float]:
    gpu, mark, usd = text.partition("=")
    if not mark:
        raise NeedError(f"{name} is {text[:40]!r}; write it as GPU=dollars, several with commas between")
    return gpu.strip(), float(_number(name, usd.strip()))


def _words(need: Need) -> None:
    known = {"task": TASKS, "runs_on": RUNS_ON, "used": USED, "prefer": PREFER, "currency": currencies.load()}
    for name, words in known.items():
        if getattr(need, name) not in words:
            raise NeedError(f"{name} is {getattr(need, name)!r}; it is one of {', '.join(words)}")
    if need.objective is not None and need.objective not in OBJECTIVES:
        raise NeedError(f"objective is {need.objective!r}; it is one of {', '.join(OBJECTIVES)}")
    if need.deadline_hours is not None and need.units is None:
        raise NeedError("a deadline needs the size of a run; say how many tokens or images it has (units)")


def _within(name: str, value: object, low: float, high: float, unit: str) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise NeedError(f"{name} is {value!r}; it must be a number of {unit}")
    if not low <= value <= high:
        word = "at least" if value < low else "at most"
        raise NeedError(f"{name} is {value:,.12g}; it must be {word} {(low if value < low else high):,.12g} {unit}")
    if name in WHOLE and value != int(value):
        raise NeedError(f"{name} is {value:g}; it must be a whole number")


def _model(need: Need, registry: Registry) -> Model:
    try:
        model = registry.find(str(need.model))
    except EstimateError as error:
        raise NeedError(str(error)) from None
    if need.task == "cnn" and model.kind != "vision":
        raise NeedError(f"{model.name} is no convolutional network; the task cnn knows resnet-50")
    if need.task != "cnn" and not model.is_language:
        raise NeedError(f"{model.name} is no language model; the task {need.task} needs one (see data/models)")
    return model


def _quant(need: Need) -> str:
    try:
        return canonical_quant(str(need.quant or need.rule.quant))
    except EstimateError as error:
        raise NeedError(str(error)) from None


def _own(prices: Mapping[str, float], name: str, dataset: Dataset) -> dict[str, float]:
    found = {}
    for text, usd in prices.items():
        gpu = dataset.find(str(text))
        if gpu is None:
            raise NeedError(f"{name} names {str(text)[:60]!r}, which is no GPU of the dataset; see data/gpus")
        _within(f"{name} of {gpu.name}", usd, 0.0001, 1e8, "USD")
        found[gpu.id] = float(usd)
    return found
