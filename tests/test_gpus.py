"""A GPU's YAML is read strictly: what is wrong is named with file, field, value and next step."""

from __future__ import annotations

import pytest
from samples import GPU, Tree

from pipeline import gpus

DOCUMENT = {
    "title": "Ada whitepaper", "kind": "vendor", "url": "https://example.org/ada.pdf", "read": "2026-11-21",
    "licence": "not stated",
}  # fmt: skip
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
        ({**GPU, "memory": 24}, "memory: Extra inputs"),
        ({**GPU, "documents": {"ada": {**DOCUMENT, "url": "javascript:alert(1)"}}}, "documents.ada.url"),
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
