"""Values come into the one written form of their field, or are refused."""

from __future__ import annotations

import pytest

from pipeline.core import schema


@pytest.mark.parametrize(
    ("field", "value", "written"),
    [
        ("memory_gb", "80 GB", "80"),
        ("shader_cores", "16384", "16384"),
        ("launch_date", "2022-10", "2022-10"),
        ("ecc", True, "true"),
        ("ecc", "No", "false"),
        ("memory_type", "  HBM2e ", "HBM2e"),
        ("peak:fp16:fp32:dense:tensor", "165.2 TFLOPS", "165.2"),
    ],
)
def test_a_value_has_one_written_form(field: str, value: object, written: str) -> None:
    assert schema.canonical(field, value) == written


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("shader_cores", 12.5, "whole number"),
        ("launch_date", "12 October 2022", "not a date"),
        ("launch_date", "2022-13", "not a date"),
        ("ecc", "perhaps", "yes or no"),
        ("cooling", "breeze", "not one of active, passive, liquid"),
        ("bandwith", "1 GB/s", "unknown field 'bandwith'"),  # codespell:ignore
        ("driver_support", "forever", "'forever' must begin with one of 'ongoing', "),
        ("peak:fp16:fp32:dense", "1 TFLOPS", "four words"),
        ("peak:fp17:fp32:dense:tensor", "1 TFLOPS", "'fp17' is not one of"),
        ("software_support", "  ", "empty text"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_field_and_reason(field: str, value: object, message: str) -> None:
    with pytest.raises(schema.SchemaError, match=message):
        schema.canonical(field, value)


def test_every_numeric_field_has_a_range_that_excludes_zero() -> None:
    for field in (*schema.FIELDS.values(), schema.PEAK):
        if field.type in ("number", "integer"):
            assert field.low is not None, field.name
            assert field.high is not None, field.name
            assert 0 < field.low < field.high, field.name
