"""The file with which somebody begins a new GPU: empty with comments that teach, or drafted from the maker's sheet."""

from __future__ import annotations

import re

from pipeline.core import gpus, identity, makers
from pipeline.core.gpus import ID
from pipeline.core.paths import DataPaths
from pipeline.core.schema import FIELDS, INPUTS, KIND_MEANING, SEGMENTS, SUMS
from pipeline.core.templates import template
from pipeline.tools.sheet import Draft, GpuDraft


class NewGpuError(ValueError):
    """An id that cannot be a new file; the message says what to write."""


def checked(id: str, data: DataPaths) -> str:
    """The path of the new file below data/; NewGpuError for what is no id, is taken or means a card that is there."""
    if not re.fullmatch(ID, id):
        raise NewGpuError(
            f"{id!r} is no id: write maker, line and model in lower case with hyphens, as nvidia-geforce-rtx-4090 or "
            f"nvidia-h100-pcie-80gb"
        )
    known = list(makers.load().values())
    if not any(id.partition("-")[0] in words for words in known):
        raise NewGpuError(
            f"{id!r} begins with no maker of data/makers.yml ({', '.join(words[0] for words in known)}); "
            f"correct the id, or add the maker first: 'Add a maker' in CONTRIBUTING.md"
        )
    if (data.gpus / f"{id}.yml").exists():
        raise NewGpuError(f"data/gpus/{id}.yml is there already; open it and add your document and values")
    for gpu in gpus.sound(data.gpus)[0].values():
        spelled = {identity.key(name) for name in (gpu.id, gpu.name, *gpu.aliases)}
        if identity.key(id) in spelled and identity.vendors(id) <= {gpu.vendor}:
            raise NewGpuError(
                f"{id!r} means {gpu.name}, which data/gpus/{gpu.id}.yml holds already; "
                f"add your document and values there; nothing was written"
            )
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
            sums=SUMS,
            fields=FIELDS,
        )
    ).lstrip("\n")


def drafted(id: str, where: str, draft: Draft) -> str:
    """The file of the one new product that a sheet describes; NewGpuError where it describes another or several.

    Of several products the one is taken whose id was asked for: one file is one product.
    """
    asked = [gpu for gpu in draft.gpus if gpu.id == id] or list(draft.gpus)
    if len(asked) > 1:
        raise NewGpuError(
            f"{where} describes {len(asked)} products, and one file is one product; nothing was written. "
            + "; ".join(_step(gpu, where) for gpu in asked)
        )
    (only,) = asked
    if only.exists:
        raise NewGpuError(f"nothing was written: {_step(only, where)}")
    if only.id.partition("-")[0] != id.partition("-")[0]:
        raise NewGpuError(f"{id!r} names another maker than {where}; nothing was written: {_step(only, where)}")
    return only.yaml.replace(f"# data/gpus/{only.id}.yml", f"# data/gpus/{id}.yml", 1)


def _step(gpu: GpuDraft, where: str) -> str:
    """What to do with one product of a sheet."""
    if gpu.exists:
        return (
            f"{gpu.id} is in the dataset: add the document and the values that 'python -m pipeline sheet {where}' "
            f"prints for it to data/gpus/{gpu.id}.yml"
        )
    return f"for {gpu.id} run: python -m pipeline new-gpu {gpu.id} --sheet {where}"
