"""A GPU's YAML is read strictly: what is wrong is named with file, field, value and next step."""

from __future__ import annotations

import pytest
from samples import GPU, Tree, committed

from pipeline.core import gpus

DOCUMENT = {
    "title": "Ada whitepaper",
    "kind": "vendor",
    "url": "https://e.org/ada.pdf",
    "read": "2026-11-21",
    "licence": "not stated",
}
DATASET = committed()
VALUE = {"field": "board_power_w", "value": "450 W", "document": "ada", "locator": "page 29, row TGP"}


def with_value(**changes: object) -> dict[str, object]:
    return {**GPU, "documents": {"ada": DOCUMENT}, "values": [{**VALUE, **changes}]}


def test_a_hand_read_value_becomes_a_claim_with_its_document(tree: Tree) -> None:
    tree.gpu("nvidia-geforce-rtx-4090", with_value())
    (claim,) = gpus.claims(gpus.load(tree.data.gpus)["nvidia-geforce-rtx-4090"])
    assert (claim.value, claim.unit, claim.kind) == ("450", "W", "vendor")
    assert (claim.source, claim.locator, claim.retrieved) == ("ada", "page 29, row TGP", "2026-11-21")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (with_value(value="450 GB"), "board_power_w: value '450 GB': unit 'GB' does not fit"),
        (with_value(value=450), "unit"),
        (with_value(field="power"), "unknown field 'power'"),
        (with_value(document="turing"), "document 'turing' is not listed"),
        ({**GPU, "vendor": "Nvidia"}, "vendor"),
        ({**GPU, "memory": 24}, "memory: is no name that may stand here"),
        ({**GPU, "documents": {"ada": {**DOCUMENT, "url": "javascript:alert(1)"}}}, "documents, ada, url"),
    ],
)
def test_a_wrong_yaml_is_refused_with_file_field_and_value(
    tree: Tree, content: dict[str, object], message: str
) -> None:
    tree.gpu("nvidia-geforce-rtx-4090", content)
    with pytest.raises(gpus.GpuError) as error:
        gpus.load(tree.data.gpus)
    assert "data/gpus/nvidia-geforce-rtx-4090.yml" in str(error.value)
    assert message in str(error.value)


def test_all_broken_files_are_named_together(tree: Tree) -> None:
    tree.write("gpus/nvidia-a.yml", "name: [")
    tree.write("gpus/nvidia-b.yml", "just text")
    with pytest.raises(gpus.GpuError) as error:
        gpus.load(tree.data.gpus)
    assert "nvidia-a.yml" in str(error.value)
    assert "nvidia-b.yml" in str(error.value)


@pytest.mark.parametrize(
    ("id", "field", "values"),
    [
        ("nvidia-h100-sxm5-80gb", "launch_date", {"2022-03-22", "2022-09-20"}),
        ("nvidia-h200-sxm-141gb", "launch_date", {"2023-11-13", "2024-11-18"}),
        ("nvidia-b200", "launch_date", {"2024-03-18", "2024-11-15"}),
        ("nvidia-v100-sxm2-16gb", "launch_date", {"2017-05-10", "2017-06-21"}),
        ("google-tpu-v2", "memory_bandwidth_gb_s", {"600", "700"}),
        ("amd-radeon-pro-w7500", "memory_bandwidth_gb_s", {"172", "256"}),
        ("nvidia-quadro-rtx-8000", "board_power_w", {"260", "295"}),
        ("amd-instinct-mi455x", "peak:fp8:fp32:dense:tensor", {"10000", "20100"}),
    ],
)
def test_where_documents_differ_both_values_stand(id: str, field: str, values: set[str]) -> None:
    card = DATASET.gpus[id]
    stated = {card.claims[field][0].value, *(claim.value for claim in card.differing(field))}
    assert values <= stated


def test_the_mi308x_has_no_figure_of_the_mi300x() -> None:
    card = DATASET.gpus["amd-instinct-mi308x"]
    assert card.compute_units == 80
    chosen = {claim.value for rows in card.claims.values() for claim in rows if claim.chosen}
    assert not chosen & {"1216", "653.7", "81.72"}


@pytest.mark.parametrize(
    ("written", "slip"), [("Hoper", True), ("HOPPER", False), ("Hopper", False), ("Hopper 2", False), ("Hxxxer", False)]
)
def test_a_word_in_other_letters_is_the_same_word_and_no_slip(written: str, slip: bool) -> None:
    assert gpus._is_slip(written, "Hopper") is slip
