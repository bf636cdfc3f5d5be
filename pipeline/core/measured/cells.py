"""Cells of a table as values, read alike by the pipeline and by the measuring kit; ValueError for what is none."""

from __future__ import annotations

import math
import re

# Python itself also reads １２３, 1_000 and "nan"; no table holds such numbers.
PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
PLAIN_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)


def yes_no(text: str) -> bool:
    """Read a flag: `true` or `false`, and the words of people, who may write yes or no."""
    if text not in ("true", "false", "yes", "no"):
        raise ValueError(text)
    return text in ("true", "yes")


def number_or_none(text: str) -> float | None:
    """Read a number in the digits 0 to 9; an empty cell is unknown, and neither nan nor infinity is a number."""
    if not text:
        return None
    if not PLAIN_NUMBER.fullmatch(text):
        raise ValueError(text)
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def number(text: str) -> float:
    """Read a number in the digits 0 to 9 where there must be one."""
    found = number_or_none(text)
    if found is None:
        raise ValueError(text)
    return found


def whole(text: str) -> int:
    """Read a whole number in the digits 0 to 9."""
    if not PLAIN_WHOLE.fullmatch(text):
        raise ValueError(text)
    return int(text)


def integer_or_none(text: str) -> int | None:
    """Read a whole number; an empty cell is unknown."""
    return whole(text) if text else None
