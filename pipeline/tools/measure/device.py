"""A device of PyTorch with one way to wait, time, free memory and switch number formats, whatever its maker."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise

from pipeline.tools.measure.kinds import Opaque, Torch

# Before this release attention knew no groups of query heads.
OLDEST = (2, 5)
CHOICES = ("auto", "cuda", "mps", "xpu", "cpu")
# AMD's chips before gfx950 count the exponent of FP8 differently; those not named here have no FP8 arithmetic.
ROCM_FP8: Mapping[str, str] = {
    "gfx942": "float8_e4m3fnuz",
    "gfx950": "float8_e4m3fn",
    "gfx1200": "float8_e4m3fn",
    "gfx1201": "float8_e4m3fn",
}
DTYPES: Mapping[str, str] = {
    "fp64": "float64",
    "fp32": "float32",
    "tf32": "float32",
    "bf16": "bfloat16",
    "fp16": "float16",
}


class NoDeviceError(RuntimeError):
    """PyTorch or the device asked for is not there; the message says what to do."""


class NotMeasured(Exception):
    """A measurement that this device or run does not make; the text says why."""


class CheckFailed(Exception):
    """A result that is wrong by the float64 reference, so its rate is none."""


def load_torch() -> Torch:
    """Import PyTorch, only now: help, lists and files work without it."""
    try:
        torch = import_module("torch")
    except ImportError as error:
        raise NoDeviceError(f"PyTorch is needed ({error}); see https://pytorch.org/get-started for yours") from None
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if version < OLDEST:
        raise NoDeviceError(f"PyTorch {torch.__version__} is too old; {'.'.join(map(str, OLDEST))} or newer is needed")
    return torch


def find(torch: Torch, wanted: str = "auto", index: int = 0) -> Device:
    """Find the device asked for; "auto" takes the first accelerator, or the processor."""
    counts = {kind: _count(torch, kind) for kind in CHOICES[1:]}
    kind = next(k for k, count in counts.items() if count) if wanted == "auto" else wanted
    if not counts[kind]:
        there = ", ".join(k for k, count in counts.items() if count)
        raise NoDeviceError(f"PyTorch {torch.__version__} sees no {kind} device here; it sees: {there}")
    if not 0 <= index < counts[kind]:
        raise NoDeviceError(f"--index {index}: there are {counts[kind]} {kind} device(s), counted from 0")
    return Device(torch, kind, index)


def _count(torch: Torch, kind: str) -> int:
    if kind == "cpu":
        return 1
    if kind == "mps":
        return int(torch.backends.mps.is_available())
    module = getattr(torch, kind, None)
    return int(module.device_count()) if module is not None and module.is_available() else 0


@dataclass(frozen=True)
class Device:
    """One device as the measurements see it."""

    torch: Torch
    kind: str  # as PyTorch calls it: cuda (AMD's too), mps, xpu, cpu
    index: int = 0

    @property
    def backend(self) -> str:
        """Name what PyTorch was built on: cuda, rocm, mps, xpu or cpu."""
        return "rocm" if self.kind == "cuda" and self.torch.version.hip else self.kind

    @property
    def is_gpu(self) -> bool:
        """Say whether the device is not the processor itself."""
        return self.kind != "cpu"

    @property
    def place(self) -> Opaque:
        """Give PyTorch's own object for the device."""
        several = self.kind in ("cuda", "xpu")
        return self.torch.device(self.kind, self.index) if several else self.torch.device(self.kind)

    @property
    def _module(self) -> Opaque:
        return getattr(self.torch, self.kind)

    @property
    def properties(self) -> Opaque:
        """Give what the driver says of the device; None where PyTorch has no such call."""
        return self._module.get_device_properties(self.index) if self.kind in ("cuda", "xpu") else None

    def select(self) -> None:
        """Make it the device that new work goes to."""
        if self.kind in ("cuda", "xpu"):
            self._module.set_device(self.index)

    def wait(self) -> None:
        """Wait until all work is done."""
        if self.is_gpu:
            self._module.synchronize()

    def free_memory(self) -> None:
        """Give back what earlier measurements held."""
        gc.collect()
        if self.is_gpu:
            self.wait()
            self._module.empty_cache()

    def memory(self) -> tuple[int, int] | None:
        """Give free and total bytes; None where the device has no memory of its own to ask about."""
        if self.kind in ("cuda", "xpu"):
            try:
                free, total = self._module.mem_get_info(self.index)
            except (RuntimeError, AttributeError):  # not every Intel driver tells
                free = total = self.properties.total_memory
            return int(free), int(total)
        if self.kind == "mps":
            total = int(self._module.recommended_max_memory())
            return total - int(self._module.driver_allocated_memory()), total
        return None

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Tell a full memory from other failures."""
        kinds = tuple(k for k in (getattr(self.torch, "OutOfMemoryError", None),) if k)
        return isinstance(error, (MemoryError, *kinds)) or "out of memory" in str(error).lower()

    def seconds(self, work: Callable[[], object], repetitions: int, calls: int) -> list[float]:
        """Time each repetition of so many calls: by the device's own events where it has them, else by waiting."""
        timed = self._by_events if self.kind == "cuda" else self._by_clock
        return timed(work, repetitions, calls)

    def _by_events(self, work: Callable[[], object], repetitions: int, calls: int) -> list[float]:
        marks = [self.torch.cuda.Event(enable_timing=True) for _ in range(repetitions + 1)]
        self.wait()
        marks[0].record()
        for mark in marks[1:]:
            for _ in range(calls):
                work()
            mark.record()
        self.wait()
        return [before.elapsed_time(after) / 1000 for before, after in pairwise(marks)]

    def _by_clock(self, work: Callable[[], object], repetitions: int, calls: int) -> list[float]:
        times = []
        for _ in range(repetitions):
            self.wait()
            start = time.perf_counter()
            for _ in range(calls):
                work()
            self.wait()
            times.append(time.perf_counter() - start)
        return times

    def dtype(self, precision: str) -> Opaque:
        """Give PyTorch's type for a word of ours."""
        if precision == "fp8":
            arch = getattr(self.properties, "gcnArchName", "").split(":")[0] if self.backend == "rocm" else ""
            return getattr(self.torch, ROCM_FP8.get(arch, "float8_e4m3fn"))
        return getattr(self.torch, DTYPES[precision])

    def lacks(self, precision: str) -> str:
        """Say why this device does not do a number format in hardware; empty when it does."""
        return LACKS[precision](self) if precision in LACKS else ""

    @property
    def half(self) -> str:
        """Name the 16-bit format to use: BF16 where the hardware has it."""
        return "fp16" if self.lacks("bf16") else "bf16"

    @contextmanager
    def exactly(self, precision: str) -> Iterator[None]:
        """Switch TF32 on only for "tf32"; PyTorch leaves it on for convolutions unless told."""
        torch, on = self.torch, precision == "tf32"
        before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
        torch.set_float32_matmul_precision("high" if on else "highest")
        torch.backends.cudnn.allow_tf32 = on
        try:
            yield
        finally:
            torch.set_float32_matmul_precision(before[0])
            torch.backends.cudnn.allow_tf32 = before[1]


def _capability(device: Device) -> tuple[int, int]:
    major, minor = device.torch.cuda.get_device_capability(device.index)
    return int(major), int(minor)


def _lacks_tf32(device: Device) -> str:
    if device.backend != "cuda":
        return "TF32 is a format of NVIDIA's GPUs"
    return "" if _capability(device) >= (8, 0) else "TF32 came with compute capability 8.0"


def _lacks_bf16(device: Device) -> str:
    if device.backend == "cuda" and _capability(device) < (8, 0):
        return "BF16 came with compute capability 8.0"
    return ""


def _lacks_fp8(device: Device) -> str:
    if device.backend == "cuda":
        return "" if _capability(device) >= (8, 9) else "FP8 came with compute capability 8.9"
    if device.backend == "rocm":
        arch = device.properties.gcnArchName.split(":")[0]
        return "" if arch in ROCM_FP8 else f"no FP8 arithmetic is known of {arch}"
    return f"PyTorch multiplies no FP8 matrices in hardware on {device.backend}"


LACKS: Mapping[str, Callable[[Device], str]] = {"tf32": _lacks_tf32, "bf16": _lacks_bf16, "fp8": _lacks_fp8}
