"""Tells one GPU from what surrounds it: which columns and entries belong to a machine or a CPU."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.tools.sheet.form import show
from pipeline.tools.sheet.layout import Entry
from pipeline.tools.sheet.words import (
    COUNTS_GPUS,
    CPU_MEMORY_ROW,
    CPU_ROW,
    CPU_SECTION,
    MACHINE_NAMES,
    OF_GPU,
    OF_ONE_GPU,
    SEVERAL_GPUS,
    SHARED_WITH_CPU,
    SHARED_WITH_CPU_MEMORY,
    label_key,
)


def part(name: str, title: str, entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry], str]:
    """Part a column into the entries of one GPU and the totals of its machine, with what shows the machine."""
    shown = _shows_machine(name, entries)
    if not shown or _takes_apart(title):
        return list(entries), [], ""
    apart = [_takes_apart(entry.section) or _takes_apart(entry.note) for entry in entries]
    own = [entry for entry, is_own in zip(entries, apart, strict=True) if is_own]
    return own, [entry for entry, is_own in zip(entries, apart, strict=True) if not is_own], shown


def without_machine(name: str) -> str:
    """Take the machine out of a name, where the table gives the figures of one of its GPUs."""
    return re.sub(
        r"\s+", " ", re.sub(r"\b(dgx(?! spark)|hgx|nvl ?\d{2,3}(?! ?gb))\b", " ", name, flags=re.IGNORECASE)
    ).strip()


def shared_with_cpu(entries: Sequence[Entry]) -> frozenset[str]:
    """List the fields that, on a sheet with the rows of a CPU, may be the CPU's or the whole module's."""
    keys = [label_key(entry.label) for entry in entries]
    fields = SHARED_WITH_CPU if any(re.search(CPU_ROW, key) for key in keys) else frozenset[str]()
    return fields | SHARED_WITH_CPU_MEMORY if any(re.search(CPU_MEMORY_ROW, key) for key in keys) else fields


def of_cpu(entry: Entry) -> bool:
    """Say whether an entry stands under a heading of the CPU or host."""
    return bool(re.search(CPU_SECTION, show(entry.section).casefold())) and not names_gpu(entry)


def names_gpu(entry: Entry) -> bool:
    """Say whether label, cell or section itself says that a figure is the GPU's."""
    return bool(re.search(OF_GPU, show(f"{entry.label} {entry.text}").casefold()))


def _shows_machine(name: str, entries: Sequence[Entry]) -> str:
    if re.search(MACHINE_NAMES, name.casefold()):
        return f"{name!r} is the name of a machine, not of one GPU"
    counted = next((entry for entry in entries if _counts_several(entry)), None)
    return f"{show(counted.label)!r} is {show(counted.text)!r}" if counted else ""


def _takes_apart(text: str) -> bool:
    return bool(re.search(OF_ONE_GPU, show(text).casefold()))


def _counts_several(entry: Entry) -> bool:
    if not re.fullmatch(COUNTS_GPUS, label_key(entry.label)):
        return False
    return bool(re.search(SEVERAL_GPUS, show(entry.text).casefold()))
