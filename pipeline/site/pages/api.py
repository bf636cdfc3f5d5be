"""The files of `/api/v1/`: what the site knows, as JSON for programs, with the source of every figure.

`api_v1.yml` beside this module is their contract. It is written by hand and handed out as `openapi.json`; a test holds
every file against it, so that a field cannot get lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.advise.estimate import models
from pipeline.advise.estimate.tensors import parameters
from pipeline.core.paths import DATA
from pipeline.core.schema import FIELDS, DecidedClaim
from pipeline.core.yaml_text import ours
from pipeline.dataset import Dataset, GpuRecord
from pipeline.intake import licences
from pipeline.site import quotes
from pipeline.site.package_data import LICENCE
from pipeline.site.pages import addresses, feed
from pipeline.site.pages.facts import heading
from pipeline.site.pages.gpu import results
from pipeline.site.render import Asset

CONTRACT = Path(__file__).with_name("api_v1.yml")
ROOT = "api/v1"
FILES = ("gpus", "peaks", "prices", "benchmarks", "models", "changes")
RESULT_COLUMNS = (
    "gpu", "gpu_count", "workload", "model", "precision", "batch", "metric", "value", "unit", "higher_is_better",
    "software", "date", "source", "url",
)  # fmt: skip


@cache
def contract() -> Any:  # noqa: ANN401 - an OpenAPI document
    """The contract as an OpenAPI document."""
    document = ours(CONTRACT.read_text(encoding="utf-8"))
    del document["x-parts"]  # the parts that its schemas share stand in each of them by now
    return document


def pages(dataset: Dataset) -> Iterator[Asset]:
    """The contract, the list of files, the tables, and a file for each GPU."""
    decided = licences.load(DATA.licences)
    head = {"version": dataset.newest_reading, "licence": LICENCE}
    prices = [{"gpu": gpu, **row} for gpu, row in quotes.told(dataset, decided)]
    by_gpu: dict[str, list[dict[str, object]]] = {}
    for price in prices:
        by_gpu.setdefault(str(price["gpu"]), []).append(price)
    peaks = {gpu.id: list(_peaks(gpu)) for gpu in dataset.gpus.values()}
    yield _asset("openapi", contract())
    yield _asset(
        "index",
        head
        | {
            "contract": f"{addresses.SITE}{ROOT}/openapi.json",
            "gpus": len(dataset.gpus),
            "files": {name: f"{addresses.SITE}{ROOT}/{name}.json" for name in FILES},
        },
    )
    yield _asset(
        "gpus",
        head
        | {
            "units": {field.name: field.unit for field in FIELDS.values()},
            "gpus": [
                (_identity(gpu) | {"figures": {name: _plain(gpu.value(field)) for name, field in FIELDS.items()}})
                for gpu in dataset.gpus.values()
            ],
        },
    )
    yield _asset("peaks", head | {"peaks": [peak for found in peaks.values() for peak in found]})
    yield _asset("prices", head | {"prices": prices})
    yield _asset("benchmarks", head | {"benchmarks": list(_results(dataset, decided))})
    yield _asset("models", head | {"models": list(_models())})
    yield _asset("changes", head | {"changes": list(_changes(dataset))})
    for gpu in dataset.gpus.values():
        one = {"figures": _figures(gpu), "peaks": peaks[gpu.id], "prices": by_gpu.get(gpu.id, [])}
        yield _asset(f"gpus/{gpu.id}", head | _identity(gpu) | one)


def _asset(name: str, content: object) -> Asset:
    return Asset(f"{ROOT}/{name}.json", json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")


def _identity(gpu: GpuRecord) -> dict[str, object]:
    return {
        "id": gpu.id,
        "name": gpu.name,
        "vendor": gpu.vendor,
        "segment": gpu.segment,
        "line": gpu.line,
        "architecture": gpu.architecture,
        "form_factor": gpu.form_factor,
        "aliases": gpu.aliases,
        "page": f"{addresses.SITE}{addresses.gpu(gpu.id)}",
    }


def _figures(gpu: GpuRecord) -> dict[str, object]:
    return {
        name: {
            "label": FIELDS[name].label,
            "value": _plain(gpu.value(FIELDS[name])),
            "unit": FIELDS[name].unit,
            "source": _source(claim),
            "independent_sources": claim.independent_sources or 1,
            "differing": len(gpu.differing(name)),
            "address": _anchor(gpu, name),
        }
        for name in FIELDS
        if (claim := gpu.chosen(name))
    }


def _peaks(gpu: GpuRecord) -> Iterator[dict[str, object]]:
    for key, tflops in gpu.peaks.items():
        claim = gpu.chosen(key.field)
        if claim:
            words = {
                "gpu": gpu.id,
                "input": key.input,
                "accumulate": key.accumulate,
                "sparsity": key.sparsity,
                "engine": key.engine,
                "tflops": tflops,
            }
            yield words | {"source": _source(claim), "address": _anchor(gpu, key.field)}


def _source(claim: DecidedClaim) -> dict[str, str]:
    return {
        "id": claim.source,
        "title": claim.source_title,
        "kind": claim.kind,
        "url": claim.url,
        "locator": claim.locator,
        "read": claim.retrieved,
        "licence": claim.licence,
    }


def _results(dataset: Dataset, decided: licences.Licences) -> Iterator[dict[str, object]]:
    for gpu in dataset.gpus.values():
        for result in results(gpu):
            if decided.of(result.source).released:
                yield {name: getattr(result, name) for name in RESULT_COLUMNS}


def _models() -> Iterator[dict[str, object]]:
    for model in models.load().models.values():
        yield {
            "id": model.id,
            "name": model.name,
            "kind": model.kind,
            "aliases": model.aliases,
            "parameters_billion": float(f"{parameters(model) / 1e9:.4g}"),
        }


def _changes(dataset: Dataset) -> Iterator[dict[str, object]]:
    for entry in feed.entries(dataset):
        yield {
            "id": entry.id,
            "day": entry.day,
            "title": entry.title,
            "text": entry.text,
            "address": f"{addresses.SITE}{entry.address}",
        }


def _anchor(gpu: GpuRecord, field: str) -> str:
    return f"{addresses.SITE}{addresses.gpu(gpu.id)}#{heading(field).anchor}"


def _plain(value: str | float | bool | None) -> str | float | bool | None:
    """A whole number without its point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
