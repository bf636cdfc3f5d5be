"""Printed quantities become numbers in a field's unit, or a clear error."""

from __future__ import annotations

from itertools import product

import pint
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
        ("1536 MiB", "GB", 1.5),
        ("1.5 TiB", "GB", 1536),
        ("6144 KB", "MB", 6),
        ("6144 KiB", "MB", 6),
        ("50 MiB", "MB", 50),
        ("2 GiB", "MB", 2048),
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


# What pint, which knows the units of physics, calls each of ours.
IN_PINT = {
    "gigabyte": ["GB"],
    "gibibyte": ["GiB"],
    "megabyte": ["MB"],
    "mebibyte": ["MiB"],
    "kilobyte": ["KB", "kB"],
    "kibibyte": ["KiB"],
    "terabyte": ["TB"],
    "byte": ["byte", "bytes", "B"],
    "gigabyte/second": ["GB/s", "GBps", "GB/sec"],
    "terabyte/second": ["TB/s", "TBps", "TB/sec"],
    "megabyte/second": ["MB/s"],
    "byte/second": ["byte/s"],
    "bit/second": ["bit/s"],
    "gibibyte/second": ["GiB/s"],
    "tebibyte/second": ["TiB/s"],
    "gigabit/second": ["Gbps", "Gb/s", "Gbit/s", "GT/s"],
    "megabit/second": ["Mbps", "MT/s"],
    "watt": ["W", "watt", "watts", "Watts"],
    "kilowatt": ["kW"],
    "megahertz": ["MHz"],
    "gigahertz": ["GHz"],
    "hertz": ["Hz"],
    "nanometer": ["nm"],
    "millimeter": ["mm"],
    "centimeter": ["cm"],
    "inch": ["inch", "inches", "in"],
    "millimeter**2": ["mm2", "mm²", "mm^2"],
    "bit": ["bit", "bits", "-bit"],
    "1e12 operation": ["TFLOPS", "TFLOP/s", "TFLOPs", "teraFLOPS", "TOPS", "TOP/s", "TOPs"],
    "1e9 operation": ["GFLOPS", "GOPS"],
    "1e15 operation": ["PFLOPS", "petaFLOPS", "PFLOP/s", "POPS"],
    "operation": ["FLOP/s", "OP/s"],
    "usd": ["USD"],
    "1e6 count": ["million", "millions"],
    "1e9 count": ["billion"],
    "count": [""],
}


# A bit and a piece are both plain numbers in pint, and a bit a second is a hertz; a sheet that mixes them is wrong.
APART_IN_PINT = {"power", "length", "area", "operations a second", "money"}


def test_every_unit_has_the_size_that_pint_gives_it() -> None:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)
    registry.define("operation = [operation]")
    registry.define("usd = [currency]")
    known = [(ours, registry(words)) for words, spellings in IN_PINT.items() for ours in spellings]
    assert sorted(ours for ours, _ in known) == sorted(units.SPELLINGS)
    for (one, theirs), (other, others) in product(known, repeat=2):
        (kind, size), (other_kind, other_size) = units.SPELLINGS[one], units.SPELLINGS[other]
        if kind == other_kind:
            assert size / other_size == pytest.approx((1 * theirs / others).to("").magnitude, rel=1e-12)
        elif kind in APART_IN_PINT:
            assert not theirs.is_compatible_with(others)


@pytest.mark.parametrize(("text", "unit"), [("5 GHz", "Gbps"), ("384 bit", ""), ("24", "GB"), ("1599", "USD")])
def test_what_pint_would_mix_is_refused_here(text: str, unit: str) -> None:
    with pytest.raises(units.UnitError):
        units.read(text, unit)
