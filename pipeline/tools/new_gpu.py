"""The file with which somebody begins a new GPU: empty with comments that teach, or drafted from the maker's sheet."""

from __future__ import annotations

import re

from pipeline.core import makers
from pipeline.core.gpus import ID
from pipeline.core.paths import DataPaths
from pipeline.core.schema import ACCUMULATES, FIELDS, INPUTS, KIND_MEANING, SEGMENTS
from pipeline.core.templates import template


class NewGpuError(ValueError):
    """An id that cannot be a new file; the message says what to write."""


def checked(id: str, data: DataPaths) -> str:
    """The path of the new file below data/; NewGpuError for an id that is no id or is taken."""
    if not re.fullmatch(ID, id):
        raise NewGpuError(
            f"{id!r} is no id: write maker, line and model in lower case with hyphens, as nvidia-geforce-rtx-4090 or "
            f"nvidia-h100-pcie-80gb"
        )
    if (data.gpus / f"{id}.yml").exists():
        raise NewGpuError(f"data/gpus/{id}.yml is there already; open it and add your document and values")
    return f"gpus/{id}.yml"


def empty(id: str) -> str:
    """The file to fill in; the maker is taken from the id where it names one."""
    first = id.partition("-")[0]
    vendor = next((maker for maker, words in makers.load().items() if first in words), "<maker>")
    return str(
        template("new_gpu.yml.j2").render(
            id=id,
            vendor=vendor,
            vendors=makers.load(),
            segments=SEGMENTS,
            kinds=[f"{kind}: {meaning}" for kind, meaning in KIND_MEANING.items()],
            inputs=INPUTS,
            accumulates=ACCUMULATES,
            fields=FIELDS,
        )
    ).lstrip("\n")
