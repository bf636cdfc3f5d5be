"""Which GPUs this machine has, asked of the maker's own tool; nothing is installed and nothing is sent."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gpu_almanac.errors import AmbiguousGpuError, UnknownGpuError
from gpu_almanac.names import resolve, words
from gpu_almanac.store import table

NVIDIA = ("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits")
AMD = ("rocm-smi", "--showproductname", "--showmeminfo", "vram", "--json")
APPLE = ("sysctl", "-n", "machdep.cpu.brand_string")
SECONDS = 10
# A driver counts the memory left beside its own share.
MEMORY_TOLERANCE = 0.12

Run = Callable[[Sequence[str]], str]


@dataclass(frozen=True)
class Local:
    """One GPU of this machine: what its driver calls it, and the id it has here.

    `gpu` is None where the name leads to no single GPU; `variants` are then the ids that it may be.
    """

    driver_name: str
    memory_gb: float | None
    gpu: str | None
    variants: tuple[str, ...] = ()


def detect(run: Run | None = None) -> tuple[Local, ...]:
    """List the GPUs of this machine; empty where no tool of NVIDIA, AMD or Apple answers."""
    ask = run or _run
    return tuple(_placed(name, memory) for read in (_nvidia, _amd, _apple) for name, memory in read(ask))


def _nvidia(ask: Run) -> Iterator[tuple[str, float | None]]:
    for line in ask(NVIDIA).splitlines():
        name, _, mib = line.rpartition(",")
        if name.strip():
            yield name.strip(), _number(mib, 1024)


def _amd(ask: Run) -> Iterator[tuple[str, float | None]]:
    try:
        cards = json.loads(ask(AMD) or "{}")
    except json.JSONDecodeError:
        return
    for card in cards.values():
        name = card.get("Card Series") or card.get("Card series") or card.get("Card Model")
        if name:
            yield str(name), _number(card.get("VRAM Total Memory (B)", ""), 1024**3)


def _apple(ask: Run) -> Iterator[tuple[str, float | None]]:
    if platform.system() == "Darwin":
        name = ask(APPLE).strip()
        if name.startswith("Apple"):
            yield name, None


def _placed(name: str, memory_gb: float | None) -> Local:
    try:
        return Local(name, memory_gb, resolve(name))
    except AmbiguousGpuError as error:
        fitting = [id for id in error.variants if _has_memory(id, memory_gb)]
        named = [id for id in fitting if _form(name) <= words(id)] or fitting
        return Local(name, memory_gb, named[0] if len(named) == 1 else None, tuple(named))
    except UnknownGpuError as error:
        return Local(name, memory_gb, None, error.suggestions)


def _has_memory(id: str, memory_gb: float | None) -> bool:
    stated = table("gpus")[id]["figures"].get("memory_gb", [None])[0]
    return memory_gb is None or stated is None or abs(memory_gb - stated) <= MEMORY_TOLERANCE * stated


def _form(name: str) -> frozenset[str]:
    return words(name) & {"pcie", "nvl", "sxm2", "sxm3", "sxm4", "sxm5"}


def _number(text: object, divisor: float) -> float | None:
    try:
        return round(float(str(text).strip()) / divisor, 1)
    except ValueError:
        return None


def _run(command: Sequence[str]) -> str:
    """What a tool prints, or nothing where it is not installed or fails."""
    try:
        answer = subprocess.run(  # noqa: S603 - fixed commands of this module
            command, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout if answer.returncode == 0 else ""
