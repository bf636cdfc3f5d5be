"""Quantities as sources print them, read and converted to the unit of a field; anything unclear is an error."""

from __future__ import annotations

import math
import re
from difflib import get_close_matches

# How sheets write a unit: what is measured, and how many of its basic unit (bit, bit/s, W, Hz, mm, mm2, operation/s,
# USD, piece) one of it holds. Anything else is an error, never a guess. A test holds the table against pint's.
SPELLINGS: dict[str, tuple[str, float]] = {
    "GB": ("data", 8e9),
    "GiB": ("data", 8 * 2**30),
    "MB": ("data", 8e6),
    "MiB": ("data", 8 * 2**20),
    "KB": ("data", 8e3),
    "kB": ("data", 8e3),
    "KiB": ("data", 8 * 2**10),
    "TB": ("data", 8e12),
    "byte": ("data", 8),
    "bytes": ("data", 8),
    "B": ("data", 8),
    "bit": ("data", 1),
    "bits": ("data", 1),
    "-bit": ("data", 1),
    "GB/s": ("data rate", 8e9),
    "GBps": ("data rate", 8e9),
    "GB/sec": ("data rate", 8e9),
    "TB/s": ("data rate", 8e12),
    "TBps": ("data rate", 8e12),
    "TB/sec": ("data rate", 8e12),
    "MB/s": ("data rate", 8e6),
    "byte/s": ("data rate", 8),
    "bit/s": ("data rate", 1),
    "GiB/s": ("data rate", 8 * 2**30),
    "TiB/s": ("data rate", 8 * 2**40),
    "Gbps": ("data rate", 1e9),
    "Gb/s": ("data rate", 1e9),
    "Gbit/s": ("data rate", 1e9),
    "GT/s": ("data rate", 1e9),
    "Mbps": ("data rate", 1e6),
    "MT/s": ("data rate", 1e6),
    "W": ("power", 1),
    "kW": ("power", 1e3),
    "watt": ("power", 1),
    "watts": ("power", 1),
    "Watts": ("power", 1),
    "MHz": ("clock", 1e6),
    "GHz": ("clock", 1e9),
    "Hz": ("clock", 1),
    "nm": ("length", 1e-6),
    "mm": ("length", 1),
    "cm": ("length", 10),
    "inch": ("length", 25.4),
    "inches": ("length", 25.4),
    "in": ("length", 25.4),
    "mm2": ("area", 1),
    "mm²": ("area", 1),
    "mm^2": ("area", 1),
    "TFLOPS": ("operations a second", 1e12),
    "TFLOP/s": ("operations a second", 1e12),
    "TFLOPs": ("operations a second", 1e12),
    "teraFLOPS": ("operations a second", 1e12),
    "TOPS": ("operations a second", 1e12),
    "TOP/s": ("operations a second", 1e12),
    "TOPs": ("operations a second", 1e12),
    "GFLOPS": ("operations a second", 1e9),
    "GOPS": ("operations a second", 1e9),
    "PFLOPS": ("operations a second", 1e15),
    "petaFLOPS": ("operations a second", 1e15),
    "PFLOP/s": ("operations a second", 1e15),
    "POPS": ("operations a second", 1e15),
    "FLOP/s": ("operations a second", 1),
    "OP/s": ("operations a second", 1),
    "USD": ("money", 1),
    "million": ("count", 1e6),
    "millions": ("count", 1e6),
    "billion": ("count", 1e9),
    "": ("count", 1),
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
    r"^(?P<number>[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(?P<unit>[^\d\s].*)?$", re.ASCII
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
        guess = f"; did you mean {' or '.join(near)}?" if near else "."
        raise UnitError(f"unknown unit {unit!r}{guess} The field is kept in {field_unit or 'plain numbers'}")
    if not unit and field_unit:
        raise UnitError(f"no unit given where {field_unit} is needed; write it behind the number")
    measured, size = SPELLINGS[unit]
    wanted, field_size = SPELLINGS[field_unit]
    if measured != wanted:
        told = f"unit {unit or 'none'!r} does not fit a field in {field_unit or 'plain numbers'}"
        raise UnitError(f"{told}: one is {measured}, the other {wanted}")
    return value * (size / field_size)


def read(text: str, field_unit: str) -> float:
    """Read a printed quantity ("2,039 GB/s", "1.41 GHz", "$1,599") as a number in `field_unit`."""
    # Non-breaking and thin spaces become plain ones; a non-breaking hyphen becomes a hyphen
    cleaned = re.sub(r"\s+", " ", text.replace("\u2011", "-").replace("\u2009", " ")).strip()
    strange = next((sign for sign in cleaned if sign.isdecimal() and not sign.isascii()), "")
    if strange:
        raise UnitError(f"{text!r} holds {strange!r}, a digit of another script; type it as {int(strange)}")
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


def is_number(text: str) -> bool:
    """Whether a written value is a number, without a unit."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def text_of(number: float) -> str:
    """Write a number for a CSV: at most 7 significant digits, no exponent, no trailing zeros."""
    if not math.isfinite(number):
        raise UnitError(f"{number} is not a finite number")
    if number == 0:
        return "0"
    digits = max(0, 6 - math.floor(math.log10(abs(number))))
    written = f"{number:.{digits}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
