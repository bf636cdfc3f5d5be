"""The inputs of each calculator as a table, and how what somebody typed becomes values for its formula.

The browser has the same tables and sentences, translated.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.advise.choose.need import NeedError
from pipeline.advise.estimate import MOST_HOST_GB_S
from pipeline.advise.estimate.engines import ENGINES
from pipeline.advise.estimate.weights import MIXES
from pipeline.derive.prices.rules import DEFAULT_MARKET, MARKETS

Kind = Literal["gpu", "model", "network", "choice", "number"]  # a model writes tokens, a network may do anything
LONGEST = 60  # characters of a wrong word that are repeated


@dataclass(frozen=True, slots=True)
class CalculatorInput:
    """One input; `optional` may be left empty, which means the dataset's figure or the default that its label names."""

    name: str
    label: str
    kind: Kind
    value: object = None
    low: float = 0.0
    high: float = 1e7
    unit: str = ""
    whole: bool = False
    optional: bool = False
    choices: Sequence[tuple[str, str]] = ()


def amount(name: str, label: str, value: float | None, low: float, high: float, unit: str = "") -> CalculatorInput:
    """A number; without a value it may be left empty."""
    return CalculatorInput(name, label, "number", value, low, high, unit, optional=value is None)


def whole(name: str, label: str, value: int, low: float, high: float, unit: str = "") -> CalculatorInput:
    """A whole number."""
    return CalculatorInput(name, label, "number", value, low, high, unit, whole=True)


def choice(name: str, label: str, value: str, choices: Mapping[str, str]) -> CalculatorInput:
    """One of some words."""
    return CalculatorInput(name, label, "choice", value, choices=tuple(choices.items()))


def context(value: int) -> CalculatorInput:
    """The tokens of a conversation, which the key-value cache is reserved for."""
    return whole("context", "Context", value, 1, 1e7, "tokens")


# What several calculators ask.
QUANT = choice("quant", "Quantization", "q4_k_m", {quant: quant for quant in MIXES})
ENGINE = choice("engine", "Engine", "llama.cpp", {name: name for name in dict.fromkeys(e.name for e in ENGINES)})
STREAMS = whole("batch", "Streams", 1, 1, 4096)
CACHE = choice("kv_bits", "Cache", "16", {"16": "16 bit", "8": "8 bit", "4": "4 bit"})
TASKS = {"serve": "answer", "qlora": "fine-tune, QLoRA", "lora": "fine-tune, LoRA", "train": "train all weights"}
TASK = choice("task", "Task", "serve", TASKS)
HOST_GB_S = amount("host_gb_s", "Main memory, for experts that do not fit", None, 1, MOST_HOST_GB_S, "GB/s")
# The market of the header: whose electricity an empty field means. A form holds it out of sight.
MARKET = choice("market", "Market", DEFAULT_MARKET, {market: rule.name for market, rule in MARKETS.items()})
MEMORY_GB = amount("memory_gb", "Memory, if not the card’s", None, 0.1, 100_000, "GB")


def checked(
    asked: Mapping[str, object], fields: Sequence[CalculatorInput], known: Mapping[str, Collection[str]]
) -> dict[str, Any]:
    """The values of a question with every default, or NeedError in one sentence; `known`: kind of input → words."""
    found: dict[str, Any] = {}
    for field in fields:
        value = asked.get(field.name, field.value)
        if field.kind == "number":
            found[field.name] = _number(field, value)
        else:
            words = known.get(field.kind, [word for word, _ in field.choices])
            found[field.name] = _word(field, str(value), words)
    return found


def _number(field: CalculatorInput, value: Any) -> float | None:  # noqa: ANN401 - whatever somebody typed
    if value is None and field.optional:
        return None
    if value is None or not field.low <= value <= field.high:
        shown = "no number" if value is None or math.isnan(value) else f"{value:g}"
        unit = f" {field.unit}" if field.unit else ""
        raise NeedError(f"{field.label} is {shown}; it must be a number from {field.low:g} to {field.high:g}{unit}")
    if field.whole and value != math.floor(value):
        raise NeedError(f"{field.label} is {value:g}; it must be a whole number")
    return int(value) if field.whole else float(value)


def in_labels(text: str, fields: Sequence[CalculatorInput]) -> str:
    """A sentence of the estimator with the label of the input that it is about: "batch is 0" is Streams."""
    about = next((field for field in fields if text.startswith(f"{field.name} is ")), None)
    return text if about is None else f"{about.label}{text.removeprefix(about.name)}"


def _word(field: CalculatorInput, value: str, known: Collection[str]) -> str:
    if value not in known:
        raise NeedError(f"{field.label}: nothing here is called “{value[:LONGEST]}”")
    return value
