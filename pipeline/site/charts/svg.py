"""What every static picture is drawn with: its size, its scales and ticks, and lengths in pixels."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass

LETTER_PX = 7  # the width of a letter, on average


@dataclass(frozen=True, slots=True)
class Size:
    """A picture's size and margins in pixels, and the share of labels that it has room for."""

    name: str
    width: int
    height: int
    left: int = 56
    right: int = 18
    top: int = 12
    bottom: int = 46
    labels: float = 1.0


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick in pixels, with its text."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers to pixels, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def __call__(self, value: float) -> float:
        """Where a value stands."""
        return self.start + (self._at(value) - self._at(self.low)) * (self.end - self.start) / (
            self._at(self.high) - self._at(self.low)
        )

    def ticks(self, most: int) -> list[float]:
        """Round values inside the scale, at most so many."""
        candidates = _log_ticks(self.low, self.high) if self.log else _linear_ticks(self.low, self.high)
        return next((ticks for ticks in candidates if len(ticks) <= most), [])

    def _at(self, value: float) -> float:
        return math.log10(value) if self.log else value


def frame_of(size: Size, x: Scale, y: Scale) -> str:
    """The axes of a picture as JSON, from which the interactive chart takes the same place and the same names."""
    return json.dumps({"size": (size.width, size.height), "x": asdict(x), "y": asdict(y)})


def pixel(value: float) -> str:
    """A length in pixels, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")


def _log_ticks(low: float, high: float) -> Iterator[list[float]]:
    for steps in ((1, 2, 5), (1, 3), (1,)):
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        yield [step * 10.0**decade for decade in decades for step in steps if low <= step * 10.0**decade <= high]


def _linear_ticks(low: float, high: float) -> Iterator[list[float]]:
    unit = 10.0 ** math.floor(math.log10(high - low) - 1)
    for step in (unit * factor for factor in (1, 2, 5, 10, 20, 50)):
        first = math.ceil(low / step)
        yield [index * step for index in range(first, math.floor(high / step) + 1)]
