"""Quantities as sources print them, read and converted to the unit of a field; anything unclear is an error."""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from functools import lru_cache

import pint

# How sheets write a unit, and what pint calls it. Anything else is an error, never a guess.
SPELLINGS = {
    "GB": "gigabyte",
    "GiB": "gibibyte",
    "MB": "megabyte",
    "MiB": "mebibyte",
    "KB": "kilobyte",
    "kB": "kilobyte",
    "KiB": "kibibyte",
    "TB": "terabyte",
    "byte": "byte",
    "bytes": "byte",
    "B": "byte",
    "GB/s": "gigabyte/second",
    "GBps": "gigabyte/second",
    "GB/sec": "gigabyte/second",
    "TB/s": "terabyte/second",
    "TBps": "terabyte/second",
    "TB/sec": "terabyte/second",
    "MB/s": "megabyte/second",
    "byte/s": "byte/second",
    "bit/s": "bit/second",
    "GiB/s": "gibibyte/second",
    "TiB/s": "tebibyte/second",
    "Gbps": "gigabit/second",
    "Gb/s": "gigabit/second",
    "Gbit/s": "gigabit/second",
    "GT/s": "gigabit/second",
    "Mbps": "megabit/second",
    "MT/s": "megabit/second",
    "W": "watt",
    "kW": "kilowatt",
    "watt": "watt",
    "watts": "watt",
    "Watts": "watt",
    "MHz": "megahertz",
    "GHz": "gigahertz",
    "Hz": "hertz",
    "nm": "nanometer",
    "mm": "millimeter",
    "cm": "centimeter",
    "inch": "inch",
    "inches": "inch",
    "in": "inch",
    "mm2": "millimeter**2",
    "mm²": "millimeter**2",
    "mm^2": "millimeter**2",
    "bit": "bit",
    "bits": "bit",
    "-bit": "bit",
    "TFLOPS": "1e12 operation",
    "TFLOP/s": "1e12 operation",
    "TFLOPs": "1e12 operation",
    "teraFLOPS": "1e12 operation",
    "TOPS": "1e12 operation",
    "TOP/s": "1e12 operation",
    "TOPs": "1e12 operation",
    "GFLOPS": "1e9 operation",
    "GOPS": "1e9 operation",
    "PFLOPS": "1e15 operation",
    "petaFLOPS": "1e15 operation",
    "PFLOP/s": "1e15 operation",
    "POPS": "1e15 operation",
    "FLOP/s": "operation",
    "OP/s": "operation",
    "USD": "usd",
    "million": "1e6 count",
    "millions": "1e6 count",
    "billion": "1e9 count",
    "": "count",
}
# The unit of a field, in pint's words.
FIELD_UNITS = {
    "GB": "gigabyte",
    "MB": "megabyte",
    "GB/s": "gigabyte/second",
    "Gbps": "gigabit/second",
    "W": "watt",
    "MHz": "megahertz",
    "nm": "nanometer",
    "mm": "millimeter",
    "mm2": "millimeter**2",
    "bit": "bit",
    "TFLOPS": "1e12 operation",
    "USD": "usd",
    "million": "1e6 count",
    "": "count",
}
# Memory chips and caches come in powers of two while vendors print "GB" and "MB": a "24 GB" card and a
# "24 GiB" card are one card. A capacity is therefore kept as the vendor's figure, and a binary prefix
# reads as the decimal one of the same letter; 11,264 MB on a sheet are the 11 GB on the box. Rates stay exact.
NOMINAL = {
    ("GiB", "GB"): 1.0,
    ("MiB", "GB"): 1 / 1024,
    ("MB", "GB"): 1 / 1024,
    ("TiB", "GB"): 1024.0,
    ("MiB", "MB"): 1.0,
    ("KiB", "MB"): 1 / 1024,
    ("GiB", "MB"): 1024.0,
    ("KB", "MB"): 1 / 1024,
}
# Currencies other than these need a dated rate, which only a price source has.
CURRENCY_SIGNS = {"$": "USD", "US$": "USD"}

_QUANTITY = re.compile(
    r"^(?P<number>[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(?P<unit>[^\d\s].*)?$"
)
# "989,2" is no thousand: after a comma that parts thousands stand three digits.
_DECIMAL_COMMA = re.compile(r"^[+-]?\d+,(?:\d{1,2}|\d{4,})(?!\d|,)")


class UnitError(ValueError):
    """A text that is no quantity, or a unit that does not fit the field."""


def convert(value: float, unit: str, field_unit: str) -> float:
    """Convert `value` in `unit` (as a sheet spells it) to `field_unit`; UnitError when they do not fit."""
    if unit == field_unit:
        return value
    if (unit, field_unit) in NOMINAL:
        return value * NOMINAL[unit, field_unit]
    if unit not in SPELLINGS:
        near = get_close_matches(unit, [spelling for spelling in SPELLINGS if spelling], n=3, cutoff=0.5)
        guess = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UnitError(f"unknown unit {unit!r}{guess} This field is kept in {field_unit or 'plain numbers'}")
    if unit == "" and field_unit not in ("", "USD"):
        raise UnitError(f"no unit given where {field_unit} is needed; write it behind the number")
    return value * _factor(SPELLINGS[unit], FIELD_UNITS[field_unit], unit, field_unit)


def read(text: str, field_unit: str) -> float:
    """Read a printed quantity ("2,039 GB/s", "1.41 GHz", "$1,599") as a number in `field_unit`."""
    cleaned = _plain(text)
    for sign, currency in CURRENCY_SIGNS.items():
        if cleaned.startswith(sign):
            cleaned = f"{cleaned.removeprefix(sign).strip()} {currency}"
    comma = _DECIMAL_COMMA.match(cleaned)
    if comma:
        plain = cleaned.replace(",", ".", 1)
        raise UnitError(f"{text!r} has a comma before its decimals; write a point: {plain!r}")
    match = _QUANTITY.match(cleaned)
    if not match:
        raise UnitError(f"{text!r} is not one number with a unit, as '80 GB' or '1,979 TFLOPS'")
    number = float(match["number"].replace(",", ""))
    return convert(number, (match["unit"] or "").strip(), field_unit)


def text_of(number: float) -> str:
    """Write a number for a CSV: at most 7 significant digits, no exponent, no trailing zeros."""
    if not math.isfinite(number):
        raise UnitError(f"{number} is not a finite number")
    if number == 0:
        return "0"
    digits = max(0, 6 - math.floor(math.log10(abs(number))))
    written = f"{number:.{digits}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


@lru_cache(maxsize=1)
def _registry() -> pint.UnitRegistry[float]:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)
    registry.define("operation = [operation]")
    registry.define("usd = [currency]")
    return registry


@lru_cache(maxsize=256)
def _factor(source: str, target: str, unit: str, field_unit: str) -> float:
    registry = _registry()
    if ("hertz" in source) != ("hertz" in target):
        raise UnitError(f"unit {unit!r} does not fit a field in {field_unit}: a clock is no data rate")
    try:
        return float((1 * registry(source) / registry(target)).to("dimensionless").magnitude)
    except pint.DimensionalityError:
        raise UnitError(f"unit {unit or 'none'!r} does not fit a field in {field_unit or 'counts'}") from None


def _plain(text: str) -> str:
    """Non-breaking and thin spaces become plain ones; a non-breaking hyphen becomes a hyphen."""
    return re.sub(r"\s+", " ", text.replace("\u2011", "-").replace("\u2009", " ")).strip()
