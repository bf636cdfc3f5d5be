from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from samples import as_yaml

from pipeline.advise.estimate.models import STATED_TOLERANCE, load
from pipeline.advise.estimate.tensors import active_parameters, parameters
from pipeline.core.networks import ModelError
from pipeline.core.paths import DATA

FILE = DATA.data / "models" / "llama-3.2-3b-instruct.yml"
# Issue 6 names these.
PROMISED = (
    "deepseek-r1-distill-qwen-14b",
    "llama-3.1-8b-instruct",
    "llama-3.1-70b-instruct",
    "llama-3.1-405b-instruct",
    "llama-3.2-3b-instruct",
    "qwen2.5-7b-instruct",
    "qwen2.5-14b-instruct",
    "qwen2.5-32b-instruct",
    "qwen2.5-72b-instruct",
    "qwen3-8b",
    "qwen3-14b",
    "qwen3-32b",
    "qwen3-30b-a3b",
    "qwen3-235b-a22b",
    "gemma-3-4b-it",
    "gemma-3-12b-it",
    "gemma-3-27b-it",
    "mistral-7b-instruct-v0.3",
    "mistral-small-24b-instruct-2501",
    "mixtral-8x7b-instruct-v0.1",
    "gpt-oss-20b",
    "gpt-oss-120b",
    "deepseek-v3",
    "deepseek-r1",
    "flux.1-dev",
    "stable-diffusion-xl-base-1.0",
    "stable-diffusion-v1-5",
    "resnet-50",
)


def broken(tmp_path: Path, **changes: object) -> str:
    """The message of a file that is like a good one but for some changes (field=value, field=None to leave out)."""
    content = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    for name, value in changes.items():
        if name in content:
            content[name] = value
            continue
        content["values"] = [v for v in content["values"] if v["field"] != name]
        if value is not None:
            content["values"].append({"field": name, "value": value, "document": "litgpt", "locator": "config.json"})
    (tmp_path / "some-model.yml").write_text(as_yaml(content), encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        load(tmp_path)
    return str(caught.value)


@pytest.mark.parametrize("name", PROMISED)
def test_the_registry_holds_the_models_people_run(name: str) -> None:
    assert name in load().models


def test_every_value_stands_in_a_listed_document_with_a_locator() -> None:
    for name, file in load().files.items():
        assert file.values, name
        for value in file.values:
            assert value.document in file.documents, (name, value.field)
            assert value.locator.strip(), (name, value.field)


@pytest.mark.parametrize("name", [n for n, m in load().models.items() if m.is_language and m.stated_parameters_billion])
def test_shapes_add_up_to_the_parameters_that_the_publisher_states(name: str) -> None:
    model = load().models[name]
    assert parameters(model) / 1e9 == pytest.approx(model.stated_parameters_billion, rel=STATED_TOLERANCE)


@pytest.mark.parametrize(
    ("name", "billions"), [("gpt-oss-120b", 5.1), ("gpt-oss-20b", 3.6), ("deepseek-v3", 37), ("qwen3-235b-a22b", 22)]
)
def test_active_parameters_are_those_that_the_publisher_states(name: str, billions: float) -> None:
    assert active_parameters(load().models[name]) / 1e9 == pytest.approx(billions, rel=0.03)


def test_a_model_is_found_by_repository_alias_and_any_spelling_of_case_and_blanks() -> None:
    registry = load()
    for text in ("meta-llama/Llama-3.1-8B-Instruct", "LLAMA 3.1 8B", "llama3.1:8b", "llama-3.1-8b-instruct"):
        assert registry.find(text).id == "llama-3.1-8b-instruct"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": 0}, "layers: 0 is not a whole number from 1 to 1000"),
        ({"layers": 28.5}, "layers: 28.5 is not a whole number"),
        ({"hidden_size": "3,072"}, "hidden_size: '3,072' holds a comma; write 3072"),
        ({"repository": "https://huggingface.co/a/b"}, "'https://huggingface.co/a/b' is no repository; write owner"),
        ({"tied_embeddings": "no"}, "tied_embeddings: 'no' is not yes or no without quotes"),
        ({"attention_heads": 23}, "attention_heads: 23 heads do not divide the hidden size of 3072; correct one"),
        ({"key_value_heads": 7}, "key_value_heads: 7 do not divide the 24 attention heads"),
        ({"key_value_heads": 48}, "key_value_heads: 48 do not divide the 24 attention heads"),
        ({"hidden_sise": 3072}, "unknown field; did you mean 'hidden_size'?"),
        ({"layers": None}, "layers: missing; a language model needs it"),
        ({"layers": 56}, "the shapes add up to"),
        ({"colour": 3}, "colour: unknown field; fields: layers"),
        ({"kind": "audio"}, "kind: 'audio' is none of language, diffusion, vision"),
    ],
)
def test_a_broken_file_is_named_with_field_value_and_next_step(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    assert message in broken(tmp_path, **changes)


def test_a_wrong_kind_hides_no_wrong_value(tmp_path: Path) -> None:
    told = broken(tmp_path, kind="audio", layers=5000, hidden_sise=3072)
    assert "kind: 'audio' is none of language, diffusion, vision" in told
    assert "layers: 5000 is not a whole number from 1 to 1000" in told
    assert "hidden_sise: unknown field; did you mean 'hidden_size'?" in told
    assert "missing" not in told


@pytest.mark.parametrize("field", ["layers", "attention_heads", "key_value_heads"])
def test_a_wrong_value_is_told_with_the_line_of_its_entry(tmp_path: Path, field: str) -> None:
    file, line, _ = broken(tmp_path, **{field: 5000}).split(":", 2)
    written = (tmp_path / "some-model.yml").read_text(encoding="utf-8").splitlines()
    assert file == "data/models/some-model.yml"
    assert written[int(line) - 1].startswith("- ")
    assert f"field: {field}" in "\n".join(written[int(line) - 1 : int(line) + 2])


def test_a_value_stated_twice_is_named(tmp_path: Path) -> None:
    content = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    content["values"].append(content["values"][0])
    (tmp_path / "twice.yml").write_text(as_yaml(content), encoding="utf-8")
    with pytest.raises(ModelError, match="layers: stated twice; keep one value"):
        load(tmp_path)


def test_two_models_may_not_share_a_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.yml").write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(ModelError, match="also means one; take it out of one of them") as caught:
        load(tmp_path)
    # Whoever touched either of the two is told.
    for file, other in (("one", "two"), ("two", "one")):
        assert f"data/models/{file}.yml: aliases: 'llama-3.2-3b' also means {other}" in str(caught.value)


def test_yaml_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "odd.yml").write_text("a: [", encoding="utf-8")
    with pytest.raises(ModelError, match=r"data/models/odd.yml:1: the indentation"):
        load(tmp_path)
