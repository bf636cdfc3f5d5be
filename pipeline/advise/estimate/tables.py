"""The tables of `data/estimator` that people write: what is wrong in them, by file and row, in words.

The fit passes over a row of a card that the dataset lacks, so that a trimmed dataset can be fitted too; here a card, a
network or a packing that does not exist is told, and so is a cell that the validation could not read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from pipeline.advise.estimate import training
from pipeline.advise.estimate.engines import find
from pipeline.advise.estimate.models import Registry
from pipeline.advise.estimate.types import EstimateError, Optimizer, Task
from pipeline.advise.estimate.weights import canonical_quant
from pipeline.core import documents
from pipeline.core.documents import Locator, ReadDay, Strict, Text, Url, no_such_gpu
from pipeline.core.paths import DATA

FOLDER = DATA.data / "estimator"
RUNS = "training_runs.yml"


def _or_none(cell: object) -> object:
    return None if cell == "" else cell


def _a_day_or_month(cell: str) -> str:
    try:
        if cell:
            date.fromisoformat(f"{cell}-01" if re.fullmatch(r"\d{4}-\d{2}", cell) else cell)
    except ValueError:
        raise ValueError(f"{cell!r} is no day as 2026-11-21 or month as 2026-11") from None
    return cell


Count: TypeAlias = Annotated[int, Field(ge=1)]
Amount: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
DayOrMonth: TypeAlias = Annotated[str, AfterValidator(_a_day_or_month)]
CountOrNone: TypeAlias = Annotated[Count | None, BeforeValidator(_or_none)]
Mark: TypeAlias = Annotated[Literal["yes", "no"] | None, BeforeValidator(_or_none)]


class _Point(Strict):
    gpu: Text
    model: Text
    quant: Text
    gpus: Count
    tokens: Amount
    tokens_per_s: Amount
    date: DayOrMonth
    back_end: Literal["cuda", "hip", "metal", "ollama", "sycl", "vulkan", ""]
    use: Literal["fit", "test"]
    url: Url
    locator: Locator
    retrieved: ReadDay


class _Hosted(_Point):
    host_gb_s: Amount
    host_layers: Amount
    licence: Text


class _Case(Strict):
    gpu: Text
    gpus: Count
    model: Text
    task: Task
    quant: Text
    engine: str
    context: Count
    batch: Count
    lora_rank: CountOrNone
    optimizer: Annotated[Optimizer | None, BeforeValidator(_or_none)]
    master_weights: Mark
    fused_backward: Mark
    recompute: Mark
    zero_stage: CountOrNone
    fits: Literal["yes", "no"]
    read: ReadDay
    url: Url
    locator: Locator


class _File(Strict):
    model: Text
    quant: Text
    size: Amount
    unit: Literal["B", "GiB", "bits a weight"]
    read: ReadDay
    url: Url
    locator: Locator


class _Cache(Strict):
    model: Text
    engine: Literal["llama.cpp", "sglang", "vllm"]
    tokens: Count
    bits: Amount
    size: Amount
    unit: Literal["GiB", "MiB"]
    read: ReadDay
    url: Url
    locator: Locator


TABLES: Mapping[str, type[Strict]] = {
    "decode_points.csv": _Point,
    "prompt_points.csv": _Point,
    "hosted_points.csv": _Hosted,
    "memory_cases.csv": _Case,
    "file_sizes.csv": _File,
    "cache_sizes.csv": _Cache,
}
# Where the columns of a table do not stand in the order of its class.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "hosted_points.csv": (
        *("gpu", "model", "quant", "gpus", "tokens", "tokens_per_s", "date", "back_end", "use"),
        *("host_gb_s", "host_layers", "url", "locator", "retrieved", "licence"),
    )
}


def problems(gpus: Collection[str], registry: Registry, folder: Path = FOLDER) -> list[str]:
    """Everything that is wrong in the tables and in the list of published runs, each with its file and line."""
    found = [told for name in TABLES for told in _of_table(folder / name, gpus, registry)]
    return [*found, *_of_runs(folder / RUNS, gpus, registry)]


def _of_table(path: Path, gpus: Collection[str], registry: Registry) -> Iterator[str]:
    where, kind = f"data/estimator/{path.name}", TABLES[path.name]
    try:
        rows, broken = documents.table(path, where, COLUMNS.get(path.name, tuple(kind.model_fields)), EstimateError)
    except EstimateError as error:
        yield str(error)
        return
    yield from broken
    for line, cells in rows:
        yield from (f"{where}:{line}: {message}" for message in _of_row(kind, cells, gpus, registry))


def _of_row(kind: type[Strict], cells: Mapping[str, str], gpus: Collection[str], registry: Registry) -> Iterator[str]:
    try:
        kind.model_validate(cells)
    except ValidationError as error:
        yield from documents.told_of_row(error)
    yield from _unknown_gpu(cells.get("gpu", ""), gpus)
    yield from _unknown_model(cells["model"], registry)
    try:
        canonical_quant(cells.get("quant") or "f16")
        find(cells.get("engine") or "vllm")
    except EstimateError as error:
        yield str(error)


def _of_runs(path: Path, gpus: Collection[str], registry: Registry) -> list[str]:
    found = [
        (("runs", place), f"{run.name}: {message}")
        for place, run in enumerate(training.load(path).runs)
        for message in (*_unknown_gpu(run.gpu, gpus), *_unknown_model(run.model or "", registry))
    ]
    return documents.placed(f"data/estimator/{RUNS}", path.read_text(encoding="utf-8"), found)


def _unknown_gpu(id: str, gpus: Collection[str]) -> Iterator[str]:
    if id and id not in gpus:
        yield f"gpu: {no_such_gpu(id, gpus)}"


def _unknown_model(name: str, registry: Registry) -> Iterator[str]:
    try:
        if name:
            registry.find(name)
    except EstimateError as error:
        yield f"model: {error}"
