"""The static API keeps its contract: every file fits it, and no promised field gets lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from samples import committed, record, result

from pipeline.core.paths import ROOT
from pipeline.dataset import Dataset
from pipeline.site.pages import api as v1
from pipeline.site.pages.gpu import results

PROMISED = ROOT / "tests" / "recorded" / "api" / "v1-fields.txt"


@cache
def files() -> Mapping[str, Any]:
    return {asset.file.removeprefix("api/v1/"): json.loads(asset.text()) for asset in v1.pages(committed())}


def schema_of(name: str) -> str:
    return "Gpu" if name.startswith("gpus/") else name.removesuffix(".json").capitalize()


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/components/schemas/{schema_of(name)}", **v1.contract()})


def test_the_contract_is_a_valid_openapi_document() -> None:
    validate(v1.contract())
    assert v1.contract()["openapi"].startswith("3.1")


@pytest.mark.parametrize("name", ["index.json", *(f"{name}.json" for name in v1.FILES)])
def test_a_table_fits_its_contract(name: str) -> None:
    assert [error.message[:200] for error in validator(name).iter_errors(files()[name])][:5] == []


def test_the_file_of_every_gpu_fits_its_contract() -> None:
    one = validator("gpus/x.json")
    cards = {name: content for name, content in files().items() if name.startswith("gpus/")}
    assert len(cards) == len(committed().gpus)
    assert [name for name, content in cards.items() if not one.is_valid(content)] == []


def test_every_path_of_the_contract_is_there() -> None:
    paths = {path.removeprefix("/") for path in v1.contract()["paths"]}
    card = next(name for name in files() if name.startswith("gpus/"))
    assert {path.replace("{id}", card.removeprefix("gpus/").removesuffix(".json")) for path in paths} <= files().keys()


def test_a_lost_or_an_unannounced_field_breaks_the_contract() -> None:
    card = dict(files()["gpus/nvidia-l4.json"])
    assert not validator("gpus/x.json").is_valid({**card, "extra": 1})
    card.pop("peaks")
    assert not validator("gpus/x.json").is_valid(card)


def promises(schemas: Mapping[str, Any]) -> Iterator[str]:
    """Every field that the contract promises, as Schema.field and Schema.list[].field."""

    def walk(where: str, schema: Mapping[str, Any]) -> Iterator[str]:
        for name in schema.get("required", ()):
            yield f"{where}.{name}"
        for name, inner in schema.get("properties", {}).items():
            yield from walk(f"{where}.{name}", inner)
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                yield from walk(f"{where}[]", schema[key])

    for name, schema in schemas.items():
        yield from walk(name, schema)


def test_the_contract_promises_what_it_ever_promised() -> None:
    before = set(PROMISED.read_text(encoding="utf-8").split())
    now = set(promises(v1.contract()["components"]["schemas"]))
    assert before - now == set(), "a field of version 1 may not go; a new version of the API may do without it"
    assert now - before == set(), f"add the new fields to {PROMISED.name}, so that they are kept from now on"


def test_figures_are_those_of_the_dataset_and_unknown_is_null() -> None:
    listed = {card["id"]: card for card in files()["gpus.json"]["gpus"]}
    for gpu in committed().gpus.values():
        assert listed[gpu.id]["figures"]["memory_gb"] == gpu.memory_gb
        if gpu.length_mm is None:
            assert listed[gpu.id]["figures"]["length_mm"] is None


def test_no_price_of_a_source_that_forbids_commercial_use_is_handed_out() -> None:
    from pipeline.core.paths import DATA
    from pipeline.derive.prices.quote import quotes
    from pipeline.intake import licences

    decided, book = licences.load(DATA.licences), quotes(committed())
    for price in files()["prices.json"]["prices"]:
        quote = book.quote(price["gpu"], price["kind"], price["market"])
        seen = (quote if price["current"] else quote.last).seen  # type: ignore[union-attr]
        assert all(decided.of(one.price.source).released for one in seen)


def test_no_result_of_a_source_that_forbids_commercial_use_is_handed_out() -> None:
    """Of the same source the site may show what no file of the API holds."""
    allowed: Any = SimpleNamespace(of=lambda source: SimpleNamespace(released=source != "closed"))
    rows = [result(source=source, model=f"model of {source}") for source in ("closed", "open")]
    card = record(benchmarks=tuple(rows))
    assert [row.source for row in results(card)] == ["closed", "open"]
    assert [told["source"] for told in v1._results(Dataset({"x-y": card}), allowed)] == ["open"]
