"""Printed quantities become numbers in a field's unit, or a clear error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core import units


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("2,039 GB/s", "GB/s", 2039),
        ("3.35TB/s", "GB/s", 3350),
        ("80 GiB", "GB", 80),  # a maker's GB of memory is a GiB
        ("16384 MiB", "GB", 16),
        ("11264 MB", "GB", 11),
        ("1.41 GHz", "MHz", 1410),
        ("450 W", "W", 450),
        ("$1,599", "USD", 1599),
        ("989.4 TFLOPS", "TFLOPS", 989.4),
        ("4 PFLOPS", "TFLOPS", 4000),
        ("76.3 billion", "million", 76300),
        ("384-bit", "bit", 384),
        ("21 GT/s", "Gbps", 21),
        ("24\u00a0GB", "GB", 24),
        ("10.5 inches", "mm", 266.7),
    ],
)
def test_a_printed_quantity_is_read_in_the_unit_of_its_field(text: str, unit: str, number: float) -> None:
    assert units.read(text, unit) == pytest.approx(number)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("450 GB", "W"),
        ("450", "W"),
        ("24 or 48 GB", "GB"),
        ("fast", "W"),
        ("1599 USD", "TFLOPS"),
        ("12 parsecs", "mm"),
    ],
)
def test_a_unit_that_does_not_fit_the_field_is_refused(text: str, unit: str) -> None:
    with pytest.raises(units.UnitError):
        units.read(text, unit)


def test_epochs_bytes_become_the_makers_gb() -> None:
    assert units.convert(80e9, "byte", "GB") == pytest.approx(80)


@given(st.floats(min_value=1e-3, max_value=1e9))
def test_a_written_number_reads_back_to_seven_digits(number: float) -> None:
    text = units.text_of(number)
    assert "e" not in text
    assert float(text) == pytest.approx(number, rel=1e-6)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_never_written(number: float) -> None:
    with pytest.raises(units.UnitError):
        units.text_of(number)
