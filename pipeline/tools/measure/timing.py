"""How many seconds each of many repetitions of a piece of work took."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pipeline.tools.measure.device import Device

# Shorter than this and the clock's own cost shows: then several calls make one repetition.
SHORTEST_SECONDS = 0.002


@dataclass(frozen=True)
class Effort:
    """How long to repeat, and how often at least and at most."""

    seconds: float
    at_least: int
    at_most: int = 200


def repeat(device: Device, work: Callable[[], object], effort: Effort) -> list[float]:
    """Warm up, find out how many calls make a repetition worth timing, and time many of them; seconds per call."""
    work()  # what happens only once: compiling, choosing kernels, taking memory
    device.wait()
    estimate = min(device.seconds(work, 2, 1))
    calls = max(1, math.ceil(SHORTEST_SECONDS / max(estimate, 1e-7)))
    # Clocks and caches settle during a tenth of the time.
    warm = device.seconds(work, _times(0.1 * effort.seconds, estimate * calls, 1, effort.at_most), calls)
    settled = min(warm)
    repetitions = _times(effort.seconds, settled, effort.at_least, effort.at_most)
    return [seconds / calls for seconds in device.seconds(work, repetitions, calls)]


def _times(seconds: float, each: float, at_least: int, at_most: int) -> int:
    return max(at_least, min(at_most, math.ceil(seconds / max(each, 1e-7))))
