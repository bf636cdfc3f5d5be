"""Tells a machine from one GPU: a column's name and its entries in, why its figures are no GPU's (or "") out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.sheet.form import show
from pipeline.sheet.layout import Entry
from pipeline.sheet.words import COUNTS_GPUS, MACHINE_NAMES, OF_ONE_GPU, SEVERAL_GPUS, label_key


def why_several(name: str, title: str, entries: Sequence[Entry]) -> str:
    """Say what shows that a column is a machine of several GPUs; "" where its figures are those of one GPU."""
    texts = [title, *(entry.section for entry in entries), *(entry.note for entry in entries)]
    if any(re.search(OF_ONE_GPU, show(text).casefold()) for text in texts):
        return ""
    if re.search(MACHINE_NAMES, name.casefold()):
        return f"{name!r} is the name of a machine, not of one GPU"
    counted = next((entry for entry in entries if _counts_several(entry)), None)
    return f"{show(counted.label)!r} is {show(counted.text)!r}" if counted else ""


def without_machine(name: str) -> str:
    """Take the machine out of a name, where the table gives the figures of one of its GPUs."""
    return re.sub(r"\s+", " ", re.sub(r"\b(dgx|hgx)\b", " ", name, flags=re.IGNORECASE)).strip()


def _counts_several(entry: Entry) -> bool:
    if not re.fullmatch(COUNTS_GPUS, label_key(entry.label)):
        return False
    return bool(re.search(SEVERAL_GPUS, show(entry.text).casefold()))
