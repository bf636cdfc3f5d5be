"""Structural rules: a sound card passes, and each rule catches the error that it is there for."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pipeline.core.gpus import Gpu
from pipeline.core.schema import Claim, field_of
from pipeline.core.theory import Alike, Die, load
from pipeline.record.reconcile import Ancestry
from pipeline.record.validate import Evidence, problems, structure

FP64, FP32 = "peak:fp64:fp64:dense:vector", "peak:fp32:fp32:dense:vector"
FP8, INT8 = "peak:fp8:fp32:dense:tensor", "peak:int8:int32:dense:tensor"
# A workstation card of Ada's units: 142 SM with 128 cores and four matrix cores each.
SOUND = {
    "compute_units": "142",
    "shader_cores": "18176",
    "tensor_cores": "568",
    "boost_clock_mhz": "2505",
    FP32: "91.1",
    FP64: "1.42",
    FP8: "728.5",
    INT8: "728.5",
    "l2_cache_mb": "96",
    "link_gb_s": "100",
    "launch_date": "2022-12-03",
}
ERRORS = {
    "units_hold_their_cores": {"compute_units": "144"},
    "units_hold_their_matrix_cores": {"tensor_cores": "284"},
    "fp64_keeps_the_ratio_of_its_architecture": {FP64: "2.85"},
    "int8_keeps_its_ratio_to_fp8": {INT8: "1457"},
    "vector_fp32_names_its_clock": {FP32: "80"},
    "cache_is_not_larger_than_its_die": {"l2_cache_mb": "128"},
}
PAGE = {"title": "Product page", "kind": "datasheet-copy", "url": "https://example.org/page", "read": "2026-11-21"}


def gpu(id: str) -> Gpu:
    documents = {
        "page": {**PAGE, "licence": "not stated"},
        "page-may": {**PAGE, "title": "Product page, state of May", "licence": "not stated"},
    }
    return Gpu.model_validate(
        {
            "id": id,
            "name": id,
            "vendor": "NVIDIA",
            "segment": "workstation",
            "line": "RTX",
            "architecture": "Ada Lovelace",
            "form_factor": "PCIe card",
            "documents": documents,
        }
    )


def claim(id: str, field: str, value: str, source: str = "page") -> Claim:
    unit = field_of(field).unit
    return Claim(id, field, value, unit, source, "datasheet-copy", PAGE["url"], "row", "2026-11-21", "not stated")


def found(
    figures: Mapping[str, str], other: Mapping[str, str] | None = None, states: Mapping[str, str] | None = None
) -> set[str]:
    """The rules that complain about a card, or about it beside another that must be alike."""
    table = load().model_copy(
        update={
            "alike": (Alike(gpus=("a-card", "b-card"), fields=("link_gb_s", "launch_date"), reason="one chip"),),
            "dies": (Die(name="AD102", l2_cache_mb=96, gpus=("a-card",), document="ada-whitepaper", locator="table"),),
        }
    )
    claims = [claim("a-card", field, value, (states or {}).get(field, "page")) for field, value in figures.items()]
    claims += [claim("b-card", field, value) for field, value in (other or {}).items()]
    known = {id: gpu(id) for id in ("a-card", "b-card")}
    evidence = Evidence(known, claims, Ancestry({}, {}), (), (), {}, architectures=table)
    names = {check.__name__ for check in structure.CHECKS}
    return {line.rsplit("[", 1)[1].rstrip("]") for line in problems(evidence)} & names


def test_a_sound_card_passes() -> None:
    assert found(SOUND, SOUND) == set()


@pytest.mark.parametrize("rule", ERRORS)
def test_each_rule_catches_its_error(rule: str) -> None:
    assert rule in found({**SOUND, **ERRORS[rule]})


@pytest.mark.parametrize("figure", [{"link_gb_s": "200"}, {"launch_date": "2022-12-04"}])
def test_cards_of_one_chip_that_differ_are_caught(figure: Mapping[str, str]) -> None:
    assert found(SOUND, {**SOUND, **figure}) == {"cards_of_one_chip_agree"}


def test_figures_of_two_states_of_one_page_are_caught() -> None:
    assert found(SOUND, states={"link_gb_s": "page-may"}) == {"one_state_of_a_document"}
    assert found(SOUND, states=dict.fromkeys(SOUND, "page-may")) == set()


def test_every_structural_rule_is_tried() -> None:
    tried = {*ERRORS, "cards_of_one_chip_agree", "one_state_of_a_document"}
    assert tried == {check.__name__ for check in structure.CHECKS}
