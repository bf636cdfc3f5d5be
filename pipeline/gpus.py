"""The hand-written GPUs: `data/gpus/*.yml` in, GPUs with their names and hand-read claims out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from pipeline.documents import Document, Strict, Text, Value, read
from pipeline.schema import (
    SEGMENTS,
    VENDORS,
    Claim,
    SchemaError,
    canonical,
    field_of,
)
from pipeline.units import UnitError

ID = r"[a-z0-9]+(-[a-z0-9.]+)+"


class GpuError(ValueError):
    """A GPU's YAML that cannot be read; the message names file, field, value and the next step."""


class Gpu(Strict):
    """One board: its name, what it is, the names that mean it, and values read by hand."""

    id: Annotated[str, StringConstraints(pattern=f"^{ID}$")]
    name: Text
    vendor: Literal[VENDORS]  # type: ignore[valid-type]
    segment: Literal[SEGMENTS]  # type: ignore[valid-type]
    line: Text
    architecture: Text
    form_factor: Text
    dies: Annotated[int, Field(ge=1, le=16)] = 1
    aliases: tuple[Text, ...] = ()
    note: str = ""
    documents: dict[str, Document] = Field(default_factory=dict)
    values: tuple[Value, ...] = ()


def load(folder: Path) -> dict[str, Gpu]:
    """Read every GPU of a folder by id; GpuError lists all broken files together."""
    gpus: dict[str, Gpu] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.yml")):
        try:
            gpus[path.stem] = _read(path)
        except GpuError as error:
            problems.append(str(error))
    if problems:
        raise GpuError("\n".join(problems))
    return gpus


def claims(gpu: Gpu) -> Iterator[Claim]:
    """Turn the hand-read values of a GPU into claims; GpuError for a value that does not fit its field."""
    for value in gpu.values:
        where = f"data/gpus/{gpu.id}.yml: {value.field}"
        document = gpu.documents.get(value.document)
        if document is None:
            known = ", ".join(gpu.documents) or "none"
            raise GpuError(f"{where}: document {value.document!r} is not listed (known: {known}); "
                           f"add it under documents with title, kind, url, read and licence")  # fmt: skip
        try:
            # As text, so that a number without its unit is refused.
            written = canonical(value.field, value.value if isinstance(value.value, bool) else str(value.value))
            unit = field_of(value.field).unit
        except (SchemaError, UnitError, ValueError) as error:
            raise GpuError(f"{where}: value {value.value!r}: {error}") from None
        yield Claim(gpu.id, value.field, written, unit, value.document, document.kind, document.url,
                    value.locator, document.read.isoformat(), document.licence)  # fmt: skip


def _read(path: Path) -> Gpu:
    hint = "see the recipe for a GPU in CONTRIBUTING.md"
    gpu = read(path, f"data/gpus/{path.name}", Gpu, hint, GpuError)
    list(claims(gpu))
    return gpu
