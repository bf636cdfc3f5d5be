"""Structural rules: a sound card passes, and each rule catches the error that it is there for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from samples import committed

from pipeline.core import gpus
from pipeline.core.gpus import Gpu
from pipeline.core.paths import DATA
from pipeline.core.schema import Claim, PeakKey, field_of
from pipeline.core.theory import Alike, Die, First, Later, Range, load, matches
from pipeline.record.reconcile import Ancestry
from pipeline.record.validate import Evidence, problems, products, structure
from pipeline.record.validate.claims import claim_fits_field, ranges_are_needed

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
    "int8_keeps_its_ratio_to_fp8": {INT8: "1100"},
    "vector_fp32_names_its_clock": {FP32: "86.4"},
    "cache_is_not_larger_than_its_die": {"l2_cache_mb": "128"},
}
PAGE = {"title": "Product page", "kind": "datasheet-copy", "url": "https://e.org/page", "read": "2026-11-21"}


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
    figures: Mapping[str, str],
    other: Mapping[str, str] | None = None,
    states: Mapping[str, str] | None = None,
    same_day: str | None = None,
) -> set[str]:
    """The rules that complain about a card, or about it beside another that must be alike."""
    table = load().model_copy(
        update={
            "alike": (Alike(gpus=("a-card", "b-card"), fields=("link_gb_s", "launch_date"), reason="one chip"),),
            "later": (Later(gpus=("a-card",), than="b-card", same_day=same_day),),
            "first": (First(architecture="Ada Lovelace", line="RTX", card="a-card", day="2022-12-03"),),
            "dies": (Die(name="AD102", l2_cache_mb=96, gpus=("a-card",), document="ada-whitepaper", locator="table"),),
        }
    )
    claims = [claim("a-card", field, value, (states or {}).get(field, "page")) for field, value in figures.items()]
    claims += [claim("b-card", field, value) for field, value in (other or {}).items()]
    known = {id: gpu(id) for id in ("a-card", "b-card")}
    evidence = Evidence(known, claims, Ancestry({}, {}), (), (), {}, architectures=table)
    names = {check.__name__ for check in structure.CHECKS}
    return {name for name in names if any(f"accept {name}," in line for line in problems(evidence))}


def test_a_sound_card_passes() -> None:
    assert found(SOUND, {**SOUND, "launch_date": "2022-12"}) == set()


@pytest.mark.parametrize("rule", ERRORS)
def test_each_rule_catches_its_error(rule: str) -> None:
    assert rule in found({**SOUND, **ERRORS[rule]})


@pytest.mark.parametrize("figure", [{"link_gb_s": "200"}, {"launch_date": "2022-12-02"}])
def test_cards_of_one_chip_that_differ_are_caught(figure: Mapping[str, str]) -> None:
    assert "cards_of_one_chip_agree" in found(SOUND, {**SOUND, **figure})


@pytest.mark.parametrize(
    ("base", "caught"),
    [("2022-12-04", True), ("2022-12-03", True), ("2023", True), ("2022-12-02", False), ("2022-12", False)],
)
def test_a_variant_that_does_not_come_after_the_card_it_varies_is_caught(base: str, caught: bool) -> None:
    told = found(SOUND, {**SOUND, "launch_date": base})
    assert ("variants_come_after_their_base" in told) is caught


def test_a_variant_of_the_same_day_needs_a_reason() -> None:
    base = {**SOUND, "launch_date": "2022-12-03"}
    assert "variants_come_after_their_base" not in found(SOUND, base, same_day="announced together")
    assert "variants_come_after_their_base" in found(
        {**SOUND, "launch_date": "2022-12-02"}, base, same_day="announced together"
    )


def test_every_reason_for_the_same_day_is_needed() -> None:
    known = committed().gpus
    day = {id: gpu.launch_date for id, gpu in known.items()}
    assert [
        entry for entry in load().later if entry.same_day and {day[id] for id in entry.gpus} != {day[entry.than]}
    ] == []


@pytest.mark.parametrize(("other", "caught"), [("2022-12-02", True), ("2022-11", True), ("2022-12-03", False)])
def test_what_comes_before_the_first_product_is_caught(other: str, caught: bool) -> None:
    told = found(SOUND, {**SOUND, "launch_date": other})
    assert ("first_products_come_first" in told) is caught


def test_the_first_product_has_its_day() -> None:
    assert "first_products_come_first" in found({**SOUND, "launch_date": "2022-12-05"})


def test_every_day_of_a_first_product_stands_for_a_line_of_cards() -> None:
    known = {(gpu.architecture, line): gpu for gpu in committed().gpus.values() for line in (None, gpu.line)}
    assert [first for first in load().first if (first.architecture, first.line) not in known] == []


def test_figures_of_two_states_of_one_page_are_caught() -> None:
    assert found(SOUND, states={"link_gb_s": "page-may"}) == {"one_state_of_a_document"}
    assert found(SOUND, states=dict.fromkeys(SOUND, "page-may")) == set()


def test_every_structural_rule_is_tried() -> None:
    tried = {
        *ERRORS,
        "cards_of_one_chip_agree",
        "first_products_come_first",
        "one_state_of_a_document",
        "units_do_what_they_have_circuits_for",
        "variants_come_after_their_base",
    }
    assert tried == {check.__name__ for check in structure.CHECKS}


@pytest.mark.parametrize(
    ("day", "status", "kind", "caught"),
    [
        ("2022-12-01", "shipping", "reference", True),
        ("2022-12-01", "shipping", "vendor", False),
        ("2022-12-03", "shipping", "reference", False),
        ("2022-12-03", "cancelled", "vendor", True),
    ],
)
def test_a_day_that_nobody_can_know_is_caught(day: str, status: str, kind: str, caught: bool) -> None:
    launch = replace(claim("a-card", "launch_date", day), kind=kind)
    evidence = Evidence(
        {"a-card": gpu("a-card")}, [launch, claim("a-card", "status", status)], Ancestry({}, {}), (), (), {}
    )
    assert bool(list(products.launch_day_is_known(evidence))) is caught


@pytest.mark.parametrize(
    ("card", "key", "against", "ratio"),
    [
        ("nvidia-b300", structure.INT8, structure.FP8, 1),
        ("nvidia-b300", structure.VECTOR_FP64, structure.VECTOR_FP32, 0.5),
        ("nvidia-gh200-96gb", structure.INT8, structure.FP8, 2),
        ("amd-radeon-rx-7900-xtx", structure.VECTOR_FP64, structure.VECTOR_FP32, 0.5),
    ],
)
def test_a_wrong_ratio_is_caught_on_cards_without_operations_of_their_unit(
    card: str, key: PeakKey, against: PeakKey, ratio: float
) -> None:
    known = gpus.load(DATA.gpus)[card]
    rates = {against.field: "80", key.field: f"{80 * ratio:g}"}
    claims = [claim(card, field, value) for field, value in rates.items()]
    told = problems(Evidence({card: known}, claims, Ancestry({}, {}), (), (), {}))
    assert any("keeps_" in line and key.field in line for line in told)


@pytest.mark.parametrize(("rate", "caught"), [("peak:fp64:fp64:dense:vector", True), (FP32, False)])
def test_a_rate_that_the_unit_has_no_circuits_for_is_caught(rate: str, caught: bool) -> None:
    card = "intel-arc-a770-16gb"
    known = {card: gpus.load(DATA.gpus)[card]}
    told = Evidence(known, [claim(card, rate, "2.46")], Ancestry({}, {}), (), (), {})
    assert bool(list(structure.units_do_what_they_have_circuits_for(told))) is caught


@pytest.mark.parametrize(
    ("key", "against"),
    [(structure.INT8, structure.FP8), (structure.VECTOR_FP64, structure.VECTOR_FP32)],
)
def test_every_card_with_both_rates_is_judged(key: PeakKey, against: PeakKey) -> None:
    cards = committed().gpus.values()
    both = [gpu for gpu in cards if gpu.chosen(key.field) and gpu.chosen(against.field)]
    assert len(both) > 40
    assert [gpu.id for gpu in both if load().ratio(gpu, key, against) is None] == []


@pytest.mark.parametrize(
    ("card", "cache"),
    [("nvidia-l4", "72"), ("nvidia-geforce-rtx-4060-laptop", "32"), ("nvidia-geforce-rtx-5070-ti", "96")],
)
def test_more_cache_than_the_die_of_a_real_card_is_caught(card: str, cache: str) -> None:
    told = Evidence({card: gpu(card)}, [claim(card, "l2_cache_mb", cache)], Ancestry({}, {}), (), (), {})
    assert list(structure.cache_is_not_larger_than_its_die(told))


@pytest.mark.parametrize(
    ("card", "cache", "caught"),
    [
        ("nvidia-l40s", "48", True),  # as a list has it
        ("intel-arc-b580", "4", True),  # as the same list has the Arc Pro cards of its chip
        ("intel-arc-b580", "18", False),
        ("nvidia-geforce-rtx-4090", "72", False),  # cut from the same die as the L40S, with part of its cache
    ],
)
def test_a_card_that_keeps_the_whole_cache_has_no_less(card: str, cache: str, caught: bool) -> None:
    told = Evidence({card: gpu(card)}, [claim(card, "l2_cache_mb", cache)], Ancestry({}, {}), (), (), {})
    assert bool(list(structure.cache_is_not_larger_than_its_die(told))) == caught


WAFER = Range(
    gpus=("a-*",), field="die_size_mm2", low=40000, high=50000, reason="a wafer", document="page", locator="table"
)


def out_of_range(figures: Mapping[str, str], card: str = "a-card") -> list[str]:
    """What is said of a card's figures where the table gives some cards a range of their own."""
    table = load().model_copy(update={"ranges": (WAFER,)})
    claims = [claim(card, field, value) for field, value in figures.items()]
    evidence = Evidence({card: gpu(card)}, claims, Ancestry({}, {}), (), (), {}, architectures=table)
    rules = (claim_fits_field, ranges_are_needed)
    return [str(problem) for rule in rules for problem in rule(evidence)]


def test_a_chip_of_another_build_has_a_range_of_its_own_and_no_other_card_has() -> None:
    wafer = {"die_size_mm2": "46225"}
    assert out_of_range(wafer) == []
    assert ["outside 20 to 5000 mm2" in told for told in out_of_range(wafer, "b-card")] == [True]
    assert ["outside 40000 to 50000 mm2" in told for told in out_of_range({**wafer, "die_size_mm2": "462250"})] == [
        True
    ]


def test_a_range_that_no_value_needs_is_told() -> None:
    told = out_of_range({"die_size_mm2": "600"})
    assert any("data/architectures.yml: ranges (table) on a-*: die_size_mm2" in line for line in told)
    assert any("take the entry out" in line for line in out_of_range({"link_gb_s": "100"}))


def test_every_range_of_the_table_speaks_of_a_card() -> None:
    known = committed().gpus
    assert [own for own in load().ranges if not any(matches(id, own.gpus) for id in known)] == []
