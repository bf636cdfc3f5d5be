"""The hand-written GPUs: `data/gpus/*.yml` in, GPUs with their names and hand-read claims out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from pipeline.schema import (
    KINDS,
    SEGMENTS,
    VENDORS,
    Claim,
    SchemaError,
    canonical,
    field_of,
)
from pipeline.units import UnitError

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s<>\"]+$", max_length=500)]
ID = r"[a-z0-9]+(-[a-z0-9.]+)+"


class GpuError(ValueError):
    """A GPU's YAML that cannot be read; the message names file, field, value and the next step."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Document(_Strict):
    """What a person read: its title and address, what kind of paper it is, and when it was read."""

    title: Text
    kind: Literal[KINDS]  # type: ignore[valid-type]
    url: Url
    read: date
    licence: Text


class Value(_Strict):
    """One hand-read value as printed, with the place in the document where it stands."""

    field: Text
    value: str | int | float | bool | date
    document: Text
    locator: Text


class Gpu(_Strict):
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
    documents: dict[str, Document] = {}
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
    where = f"data/gpus/{path.name}"
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise GpuError(f"{where}: not readable YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise GpuError(f"{where}: holds no fields; see the recipe for a GPU in CONTRIBUTING.md")
    try:
        gpu = Gpu.model_validate({"id": path.stem, **content})
    except ValidationError as error:
        raise GpuError("\n".join(_explain(where, error))) from None
    list(claims(gpu))
    return gpu


def _explain(where: str, error: ValidationError) -> Iterator[str]:
    for problem in error.errors():
        field = ".".join(str(part) for part in problem["loc"]) or "the file"
        yield f"{where}: {field}: {problem['msg']} (found {problem['input']!r:.80})"
