"""What each calculator takes and refuses, and what an empty form of it asks: at the ends of every input."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.advise.choose.calculators import CALCULATORS, fields
from pipeline.advise.choose.need import NeedError

KNOWN = {"gpu": {"card"}, "model": {"net"}, "network": {"net"}}
# Calculator and input → the ends of what it takes, and the values just beyond them.
ENDS: dict[tuple[str, str], tuple[float, float, float, float]] = {
    ("what-fits", "gpus"): (1, 64, 0, 65),
    ("what-fits", "context"): (1, 10_000_000, 0, 10_000_001),
    ("what-fits", "memory_gb"): (0.1, 100_000, 0.09, 100_001),
    ("memory", "gpus"): (1, 64, 0, 65),
    ("memory", "batch"): (1, 4096, 0, 4097),
    ("memory", "host_gb_s"): (1, 2000, 0.9, 2001),
    ("speed", "gpus"): (1, 64, 0, 65),
    ("speed", "prompt_tokens"): (1, 10_000_000, 0, 10_000_001),
    ("speed", "batch"): (1, 4096, 0, 4097),
    ("several", "streams"): (1, 4096, 0, 4097),
    ("power", "gpus"): (1, 64, 0, 65),
    ("power", "watts"): (1, 20_000, 0.9, 20_001),
    ("power", "rest"): (0, 20_000, -1, 20_001),
    ("power", "pue"): (1, 3, 0.99, 3.01),
    ("power", "hours_per_week"): (0.1, 168, 0.09, 168.1),
    ("power", "tariff"): (0, 10, -0.01, 10.1),
    ("buy-or-rent", "gpus"): (1, 8, 0, 9),
    ("buy-or-rent", "price"): (1, 1_000_000, 0.9, 1_000_001),
    ("buy-or-rent", "rent"): (0.001, 1000, 0.0009, 1001),
    ("buy-or-rent", "months"): (1, 120, 0.9, 121),
    ("buy-or-rent", "resale"): (0, 100, -1, 101),
    ("buy-or-rent", "host"): (0, 1_000_000, -1, 1_000_001),
    ("buy-or-rent", "upkeep"): (0, 1000, -1, 1001),
    ("training", "examples"): (1, 10**12, 0, 10**12 + 1),
    ("training", "each"): (1, 10**8, 0, 10**8 + 1),
    ("training", "epochs"): (0.01, 10_000, 0.009, 10_001),
    ("training", "tokens"): (0.001, 10**9, 0.0009, 10**9 + 1),
    ("training", "gpus"): (1, 1024, 0, 1025),
    ("training", "batch"): (1, 65_536, 0, 65_537),
    ("training", "rent"): (0.001, 1000, 0.0009, 1001),
    ("upgrade", "price"): (1, 1_000_000, 0.9, 1_000_001),
    ("upgrade", "brings"): (0, 1_000_000, -1, 1_000_001),
}
# What an empty form asks besides cards and networks.
USUAL: dict[str, dict[str, Any]] = {
    "what-fits": {"gpus": 1, "task": "serve", "context": 8192, "engine": "llama.cpp", "kv_bits": "16"},
    "memory": {"gpus": 1, "quant": "q4_k_m", "task": "serve", "context": 16_384, "batch": 1, "recompute": ""},
    "speed": {"gpus": 1, "quant": "q4_k_m", "context": 4096, "prompt_tokens": 512, "batch": 1, "memory_gb": None},
    "several": {"quant": "q4_k_m", "context": 4096, "streams": 4, "link": "own"},
    "power": {"gpus": 1, "hours_per_week": 20.0, "tariff": None, "market": "us", "pue": 1.0, "rest": 100.0},
    "buy-or-rent": {
        "gpus": 1, "price": None, "rent": None, "hours_per_week": 20.0, "months": 24.0, "resale": None, "upkeep": 0.0,
    },
    "training": {
        "task": "qlora", "examples": 10_000, "each": 512, "epochs": 3.0, "tokens": None, "gpus": 1, "context": 2048,
        "batch": 1, "rent": None,
    },
    "upgrade": {"quant": "q4_k_m", "task": "chat", "context": 4096, "price": None, "brings": None},
}  # fmt: skip


def asked(calculator: str, **typed: object) -> dict[str, Any]:
    form = CALCULATORS[calculator].fields
    chosen = {field.name: sorted(KNOWN[field.kind])[0] for field in form if field.kind in KNOWN}
    return fields.checked(chosen | typed, form, KNOWN)


@pytest.mark.parametrize(("calculator", "name"), ENDS)
def test_an_input_takes_both_ends_and_nothing_beyond(calculator: str, name: str) -> None:
    low, high, below, above = ENDS[calculator, name]
    assert [asked(calculator, **{name: end})[name] for end in (low, high)] == [low, high]
    for beyond in (below, above, float("nan"), float("inf")):
        with pytest.raises(NeedError, match="it must be a number from"):
            asked(calculator, **{name: beyond})


@pytest.mark.parametrize("calculator", CALCULATORS)
def test_an_empty_form_asks_the_usual(calculator: str) -> None:
    found = asked(calculator)
    assert {name: found[name] for name in USUAL[calculator]} == USUAL[calculator]


@pytest.mark.parametrize(
    ("calculator", "name", "typed", "says"),
    [
        ("speed", "batch", 1.5, "Streams is 1.5; it must be a whole number"),
        ("speed", "batch", None, "Streams is no number"),
        ("buy-or-rent", "months", 0.5, "Months until sold is 0.5; it must be a number from 1 to 120"),
        ("power", "watts", 0.5, "must be a number from 1 to 20000 W"),
        ("speed", "gpu", "x" * 61, f"GPU: nothing here is called “{'x' * 60}”"),
        ("speed", "quant", "q9", "Quantization: nothing here is called “q9”"),
    ],
)
def test_what_is_refused_is_named_with_what_would_do(calculator: str, name: str, typed: object, says: str) -> None:
    with pytest.raises(NeedError) as refused:
        asked(calculator, **{name: typed})
    assert says in str(refused.value)


def test_a_sentence_of_the_estimator_names_the_input_as_the_form_does() -> None:
    form = CALCULATORS["speed"].fields
    assert fields.in_labels("batch is 0; it must be at least 1", form) == "Streams is 0; it must be at least 1"
    assert fields.in_labels("batches are 0", form) == "batches are 0"
