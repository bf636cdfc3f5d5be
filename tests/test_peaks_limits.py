"""What a card's page says of its peaks: which pair, which measurement, and which reasons stand together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from samples import record

from pipeline.core.schema import PeakKey
from pipeline.site.pages import peaks

FP32_SUMS, FP16_SUMS = (PeakKey("fp16", sums, "dense", "tensor") for sums in ("fp32", "fp16"))
SPARSE, VECTOR = PeakKey("fp16", "fp32", "sparse", "tensor"), PeakKey("fp32", "fp32", "dense", "vector")


@pytest.mark.parametrize(("narrow", "told"), [(120.0, 0), (120.1, 1), (200.0, 1), (100.0, 0)])
def test_sums_in_sixteen_bit_are_a_trap_from_a_fifth_more_on(narrow: float, told: int) -> None:
    card = record(peaks={FP32_SUMS: 100.0, FP16_SUMS: narrow})
    said = [one for one in peaks.traps(card) if "accumulates in FP16" in one]
    assert len(said) == told


@pytest.mark.parametrize(
    ("stated", "worked", "said"),
    [
        ({FP32_SUMS: 100.0, VECTOR: 50.0}, {}, "100 TFLOPS from its matrix units"),
        ({FP32_SUMS: 100.0}, {VECTOR: 50.0}, ""),  # never one of each
        ({FP32_SUMS: 100.0}, {FP32_SUMS: 90.0, VECTOR: 50.0}, "90 TFLOPS from its matrix units"),
        ({}, {FP32_SUMS: 90.0, VECTOR: 50.0}, "90 TFLOPS from its matrix units"),
        ({}, {}, ""),
    ],
)
def test_two_peaks_are_compared_both_as_stated_or_both_by_arithmetic(stated: Any, worked: Any, said: str) -> None:
    theories: Any = {key: SimpleNamespace(tflops=rate) for key, rate in worked.items()}
    told = " ".join(peaks.traps(record(peaks=stated), theories)).replace("\u00a0", " ")
    assert (said in told) if said else told == ""


def test_of_measurements_of_one_peak_the_highest_share_stands_beside_it() -> None:
    what = {field: name for name, field in peaks.MEASURES.values()}
    field = FP32_SUMS.field.replace("fp16", "bf16", 1)
    shares: Any = [SimpleNamespace(what=what[field], share=each) for each in (0.6, 0.8, 0.7)]
    shares.append(SimpleNamespace(what=what[""], share=0.9))
    best: Any = peaks.best(shares, field)
    bandwidth: Any = peaks.best(shares, "")
    assert (best.share, bandwidth.share) == (0.8, 0.9)
    assert peaks.best(shares[:3], "") is None


def test_formats_stand_in_the_order_of_the_schema_then_by_unit_and_accumulator() -> None:
    keys = [
        VECTOR,
        FP16_SUMS,
        FP32_SUMS,
        PeakKey("bf16", "fp32", "dense", "tensor"),
        PeakKey("int8", "int32", "sparse", "tensor"),
    ]
    lines = peaks.peak_lines(record(peaks=dict.fromkeys(keys, 1.0)), {})
    assert [(line.input, line.accumulate, line.engine) for line in lines] == [
        ("FP32", "FP32", "vector"), ("BF16", "FP32", "tensor"), ("FP16", "FP16", "tensor"), ("FP16", "FP32", "tensor"),
        ("INT8", "INT32", "tensor"),
    ]  # fmt: skip


def test_a_product_of_theory_is_written_with_its_factors() -> None:
    theory: Any = SimpleNamespace(
        key=FP32_SUMS, rate=SimpleNamespace(document="d", locator="p. 3"), clock=None, units=128, unit="SM",
        operations=1024, clock_mhz=2520.0, tflops=330.30144,
    )  # fmt: skip
    table: Any = SimpleNamespace(documents={"d": SimpleNamespace(title="White paper", url="https://e.org")})
    made = peaks.computed(table, theory)
    assert made is not None
    assert (made.shown, made.product.replace("\u00a0", " ")) == ("330", "128 SM × 1,024 × 2.52 GHz")
    assert (made.clock, made.locator) == ("", "p. 3")
    assert peaks.computed(None, theory) is None
    assert peaks.computed(table, None) is None
