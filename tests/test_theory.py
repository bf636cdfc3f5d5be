"""Identities of hardware over the real dataset, and theory beside what the makers state."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from samples import committed

from pipeline.core import theory
from pipeline.core.schema import PeakKey
from pipeline.core.theory import Architectures, Theory, off
from pipeline.dataset import GpuRecord

AGREE = 0.94  # of the stated peaks whose theory is known; the others have their reason under apart
ROUNDED = 0.02
HALF_RATE = ("Ampere", "Ada Lovelace", "Blackwell")
HALF, FULL = PeakKey("fp16", "fp32", "dense", "tensor"), PeakKey("fp16", "fp16", "dense", "tensor")
# Not two of four: the maker's own figures say otherwise.
OTHER_SPARSITY = ("Trainium2", "Trainium3")
# Further than rounding to three digits from twice the dense figure, and why.
UNEVEN = {
    ("nvidia-b200", "tf32"): "stated as 2.2 PFLOPS, with two digits",
    ("nvidia-b300", "fp4"): "Blackwell Ultra raised only the dense rate: 18 PFLOPS sparse, 13.5 dense",
}


@cache
def table() -> Architectures:
    return theory.load()


@cache
def computed(id: str) -> dict[PeakKey, Theory]:
    return theory.theory(gpu(id), table())


def gpu(id: str) -> GpuRecord:
    return committed().gpus[id]


def stated(id: str, key: PeakKey) -> str:
    """The stated figure with the digits of its source."""
    return gpu(id).claims[key.field][0].value


def compared() -> list[tuple[str, PeakKey]]:
    return [(id, key) for id, record in committed().gpus.items() for key in record.peaks if key in computed(id)]


def test_more_than_nine_of_ten_stated_peaks_are_units_times_operations_times_clock() -> None:
    pairs = compared()
    assert len(pairs) >= 700
    agree = sum(off(stated(id, key), computed(id)[key]) is None for id, key in pairs)
    assert agree / len(pairs) >= AGREE


def test_every_peak_off_theory_is_named_with_its_reason() -> None:
    unexplained = [
        f"{id} {key.field}: stated {stated(id, key)}, theory {computed(id)[key].tflops:.4g}; find out why "
        f"and say so under apart in data/architectures.yml"
        for id, key in compared()
        if off(stated(id, key), computed(id)[key]) and not table().reason(id, key)
    ]
    assert unexplained == []


def test_no_reason_outlives_what_it_explains() -> None:
    pairs = [(id, key) for id, key in compared() if off(stated(id, key), computed(id)[key])]
    idle = [entry.reason for entry in table().apart if not any(entry.holds(id, key) for id, key in pairs)]
    assert idle == [], "take these out of apart in data/architectures.yml"


def test_every_stated_sparse_peak_is_twice_the_dense_one() -> None:
    pairs = [
        (id, key.input, dense, sparse)
        for id, record in committed().gpus.items()
        if record.architecture not in OTHER_SPARSITY
        for key, dense in record.peaks.items()
        if key.sparsity == "dense"
        and (sparse := record.peaks.get(PeakKey(key.input, key.accumulate, "sparse", key.engine)))
    ]
    uneven = {(id, input) for id, input, dense, sparse in pairs if sparse != pytest.approx(2 * dense, rel=ROUNDED)}
    assert len(pairs) >= 60
    assert uneven == set(UNEVEN)


def test_geforce_cards_sum_fp16_products_in_fp32_at_half_the_rate() -> None:
    newer = (id for id, record in committed().gpus.items() if record.architecture in HALF_RATE)
    cards = [id for id in newer if id.startswith("nvidia-geforce-") and computed(id)]
    assert len(cards) >= 30
    for id in cards:
        assert computed(id)[HALF].tflops * 2 == pytest.approx(computed(id)[FULL].tflops), id
        both = gpu(id).peaks.get(HALF), gpu(id).peaks.get(FULL)
        if both[0] and both[1]:
            assert both[0] * 2 == pytest.approx(both[1], rel=ROUNDED), id


def test_boards_for_work_and_data_centre_sum_at_the_full_rate() -> None:
    for id in ("nvidia-rtx-a6000", "nvidia-a40", "nvidia-rtx-6000-ada", "nvidia-t4", "nvidia-a100-sxm4-80gb"):
        assert computed(id)[HALF].tflops == computed(id)[FULL].tflops


@pytest.mark.parametrize(
    ("id", "key", "tflops"),
    [
        ("nvidia-geforce-rtx-4090", HALF, 165.2),
        ("nvidia-geforce-rtx-4090", FULL, 330.3),
        ("nvidia-h100-sxm5-80gb", HALF, 989.4),
    ],
)
def test_the_figures_that_papers_mix_up_are_stated_and_computed_alike(id: str, key: PeakKey, tflops: float) -> None:
    assert gpu(id).peaks[key] == tflops
    assert round(computed(id)[key].tflops, 1) == tflops


def test_the_matrix_units_of_the_h100_run_at_another_clock_than_its_vector_units() -> None:
    h100 = computed("nvidia-h100-sxm5-80gb")
    vector = h100[PeakKey("fp32", "fp32", "dense", "vector")]
    assert (h100[HALF].clock_mhz, vector.clock_mhz) == (1830, 1980)
    assert h100[HALF].clock is not None


@pytest.mark.parametrize("gone", [("boost_clock_mhz",), ("compute_units", "shader_cores", "tensor_cores")])
def test_without_clock_or_units_there_is_no_theory(gone: tuple[str, ...]) -> None:
    card = gpu("nvidia-geforce-rtx-4090")
    assert theory.theory(replace(card, **dict.fromkeys(gone)), table()) == {}


def test_without_a_source_for_operations_or_for_the_clock_of_the_matrix_units_there_is_no_theory() -> None:
    assert computed("nvidia-b200") == {}
    assert computed("apple-m4-max") == {}
    assert HALF not in computed("nvidia-h100-nvl-94gb")


@pytest.mark.parametrize(
    ("stated", "units"),
    [
        ({"compute_units": 60}, 60),
        ({"shader_cores": 16384}, 128),
        ({"tensor_cores": 512}, 128),
        ({"shader_cores": 16385}, None),
    ],
)
def test_units_are_stated_or_follow_from_cores(stated: dict[str, int], units: int | None) -> None:
    card = gpu("nvidia-geforce-rtx-4090")
    none = dict.fromkeys(("compute_units", "shader_cores", "tensor_cores"))
    group = table().group(card)
    assert group is not None
    assert theory.units_of(replace(card, **{**none, **stated}), group) == units


def test_every_rate_stands_in_a_document_with_address_and_place() -> None:
    for group in table().groups:
        for _, cited in group.by_peak.values():
            assert table().documents[cited.document].url.startswith("https://")
            assert cited.locator


@pytest.mark.parametrize(
    ("stated", "agrees"),
    [("330.3", True), ("330", True), ("337", False), ("323", False), ("660.6", False)],
)
def test_rounding_is_no_difference_and_more_is(stated: str, agrees: bool) -> None:
    assert (off(stated, computed("nvidia-geforce-rtx-4090")[FULL]) is None) is agrees


def test_a_figure_of_two_digits_may_be_off_by_half_a_step() -> None:
    p40 = computed("nvidia-p40")[PeakKey("fp32", "fp32", "dense", "vector")]
    assert abs(12 / p40.tflops - 1) > ROUNDED
    assert off("12", p40) is None
    assert off("12.0", p40) is not None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("operations: 0", "0 is not more than 0"),
        ("document: nowhere", "'nowhere' is not listed"),
        ("peaks: [fp17:fp32:vector]", "'fp17' is not one of"),
        ("peaks: [fp32:vector]", "needs three words"),
    ],
)
def test_a_table_that_cannot_be_is_refused_by_name(tmp_path: Path, wrong: str, message: str) -> None:
    rate = {"peaks": "[fp32:fp32:vector]", "operations": "256", "document": "paper", "locator": "page 1"}
    name, _, value = wrong.partition(": ")
    lines = [f"      - {{{', '.join(f'{k}: {v}' for k, v in {**rate, name: value}.items())}}}"]
    head = [
        "documents:",
        "  paper: {title: A, kind: vendor, url: 'https://e.org', read: 2026-11-21, licence: A}",
        "clocks: []",
        "groups:",
        "  - name: A",
        "    architecture: Ampere",
        "    unit: SM",
        "    cores: 128",
        "    rates:",
    ]
    path = tmp_path / "architectures.yml"
    path.write_text("\n".join([*head, *lines]), encoding="utf-8")
    with pytest.raises(theory.ArchitectureError, match=message):
        theory.load(path)
