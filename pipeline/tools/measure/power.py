"""A meter of the device's power over time, read from the driver's own tools; none where no tool answers."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.tools.measure.device import Device

EVERY_SECONDS = 0.1
# Fewer readings than this say nothing about a mean.
FEWEST_READINGS = 5
NVIDIA_FIELDS = "power.draw,clocks.sm,clocks.mem,temperature.gpu"


@dataclass(frozen=True)
class PowerReading:
    """What the driver said at one moment; clocks and heat are not always told."""

    at: float
    watts: float
    core_mhz: float | None = None
    memory_mhz: float | None = None
    celsius: float | None = None


@dataclass
class Meter:
    """Readings taken by a thread while the measurements run."""

    source: Callable[[threading.Event], Iterator[PowerReading]]
    tool: str
    readings: list[PowerReading] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Meter:
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join(timeout=5)

    def _collect(self) -> None:
        for reading in self.source(self._stop):
            self.readings.append(reading)
            if self._stop.is_set():
                return

    def between(self, start: float, end: float) -> list[PowerReading]:
        """Give the readings of a span of time."""
        return [reading for reading in list(self.readings) if start <= reading.at <= end]

    def mean_watts(self, start: float, end: float) -> float | None:
        """Give the mean power of a span; None with too few readings."""
        found = [reading.watts for reading in self.between(start, end)]
        return sum(found) / len(found) if len(found) >= FEWEST_READINGS else None


def meter(device: Device) -> Meter | None:
    """Find a tool that tells this device's power."""
    if device.backend == "cuda" and shutil.which("nvidia-smi"):
        return Meter(lambda stop: nvidia(nvidia_id(device), stop), "nvidia-smi")
    if device.backend == "rocm" and shutil.which("rocm-smi"):
        return Meter(lambda stop: rocm(device.index, stop), "rocm-smi")
    return None


def nvidia_id(device: Device) -> str:
    """Name the device as nvidia-smi does: its number there can be another than PyTorch's, its UUID cannot."""
    uuid = getattr(device.properties, "uuid", None)
    return f"GPU-{uuid}" if uuid else str(device.index)


def nvidia(which: str, stop: threading.Event) -> Iterator[PowerReading]:
    """Let nvidia-smi report again and again, and read along."""
    command = [
        "nvidia-smi",
        f"--id={which}",
        f"--query-gpu={NVIDIA_FIELDS}",
        "--format=csv,noheader,nounits",
        f"--loop-ms={round(1000 * EVERY_SECONDS)}",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:  # noqa: S603
        threading.Thread(target=_end, args=(process, stop), daemon=True).start()
        for line in process.stdout or ():
            reading = nvidia_reading(line, time.perf_counter())
            if reading:
                yield reading


def _end(process: subprocess.Popen[str], stop: threading.Event) -> None:
    stop.wait()
    process.terminate()


def nvidia_reading(line: str, at: float) -> PowerReading | None:
    """Read a line of nvidia-smi; cards that tell no power print "[N/A]" or "[Not Supported]"."""
    values = [_number(part) for part in line.split(",")]
    if len(values) != len(NVIDIA_FIELDS.split(",")) or values[0] is None:
        return None
    return PowerReading(at, values[0], *values[1:])


def rocm(index: int, stop: threading.Event) -> Iterator[PowerReading]:
    """Ask rocm-smi again and again; each answer takes a fraction of a second."""
    command = ["rocm-smi", "-d", str(index), "--showpower", "--json"]
    while not stop.is_set():
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            return
        watts = rocm_watts(answer.stdout)
        if watts is None:
            return
        yield PowerReading(time.perf_counter(), watts)
        stop.wait(EVERY_SECONDS)


def rocm_watts(text: str) -> float | None:
    """Read rocm-smi's answer: the label differs by chip, "Average" or "Current Socket Graphics Package Power (W)"."""
    try:
        cards = json.loads(text)
    except ValueError:
        return None
    labels = [
        (label, value)
        for card in cards.values()
        if isinstance(card, dict)
        for label, value in card.items()
        if label.endswith("Power (W)") and not label.startswith("Max")
    ]
    return next((watts for _, value in labels if (watts := _number(str(value))) is not None), None)


def typical(values: Sequence[float | None]) -> float | None:
    """Give the middle of the readings that were told."""
    known = sorted(value for value in values if value is not None)
    return known[len(known) // 2] if known else None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
