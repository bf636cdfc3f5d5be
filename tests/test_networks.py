"""What a network's file may state, at the limits of its fields, and what follows from its shapes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.core import networks


def value(field: str, stated: object, document: str = "config") -> Any:
    return SimpleNamespace(field=field, value=stated, document=document)


@pytest.mark.parametrize(
    ("field", "stated", "wrong"),
    [
        ("layers", 1, ""), ("layers", 1000, ""), ("layers", 0, "a whole number from 1 to 1000"),
        ("layers", 1001, "a whole number from 1 to 1000"), ("layers", 1.5, "a whole number from 1 to 1000"),
        ("layers", "32", "a whole number from 1 to 1000"), ("layers", True, "a whole number from 1 to 1000"),
        ("head_size", 8, ""), ("head_size", 7, "a whole number from 8 to 4096"),
        ("stated_parameters_billion", 1e5, ""), ("stated_parameters_billion", 8, ""),
        ("stated_parameters_billion", 1.1e5, "a number from 0.0001 to 100000"),
        ("tied_embeddings", True, ""), ("tied_embeddings", 1, "yes or no without quotes"),
        ("licence", "MIT", ""), ("licence", 5, "a text"), ("dense_layers", 10_000, ""),
    ],
)  # fmt: skip
def test_a_value_lies_within_the_limits_of_its_field(field: str, stated: object, wrong: str) -> None:
    assert networks._wrong_value(value(field, stated)) == wrong


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([value("layers", 32)], []),
        ([value("layers", 32), value("layers", 32)], [(1, "layers: stated twice; keep one value")]),
        (
            [value("layers", "32k")],
            [(0, "layers: '32k' is not a whole number from 1 to 1000; read the document again")],
        ),
        ([value("layers", 32, "paper")], [(0, "layers: document 'paper' is not listed; add it under documents")]),
    ],
)
def test_what_is_wrong_with_a_value_is_told_at_its_entry(values: list[Any], told: list[tuple[int, str]]) -> None:
    assert list(networks._value_problems(enumerate(values), ["config"])) == told


def test_of_documents_that_cannot_be_read_nothing_is_said() -> None:
    assert list(networks._value_problems(enumerate([value("layers", 32, "paper")]), None)) == []
    ((entry, message),) = networks._value_problems(enumerate([value("layer", 32)]), None)
    assert (entry, message.partition("; fields")[0]) == (0, "layer: unknown field; did you mean 'layers'?")


def file(**shapes: object) -> Any:
    values = [value(field, stated) for field, stated in shapes.items()]
    return SimpleNamespace(id="m", name="M", kind="language", aliases=(), values=values, documents={"config": None})


@pytest.mark.parametrize(
    ("shapes", "wrong"),
    [
        ({"attention_heads": 32, "hidden_size": 4096}, []),
        ({"attention_heads": 32, "hidden_size": 4100}, [0]),
        ({"attention_heads": 32, "hidden_size": 4100, "head_size": 128}, []),
        ({"attention_heads": 32, "hidden_size": 4100, "latent_size": 512}, []),
        ({"attention_heads": 32, "hidden_size": 4096, "key_value_heads": 8}, []),
        ({"attention_heads": 32, "hidden_size": 4096, "key_value_heads": 5}, [2]),
        ({"hidden_size": 4100}, []),
    ],
)
def test_heads_share_the_hidden_size_and_their_keys_evenly(shapes: dict[str, int], wrong: list[int]) -> None:
    assert [entry for entry, _ in networks._head_problems(file(**shapes))] == wrong


@pytest.mark.parametrize(
    ("shapes", "head_size", "groups"),
    [
        ({"attention_heads": 32, "hidden_size": 4096}, 128, 32),
        ({"attention_heads": 32, "hidden_size": 4096, "head_size": 64, "key_value_heads": 8}, 64, 8),
        ({"attention_heads": 32, "hidden_size": 4096, "latent_size": 512}, None, None),
        ({"hidden_size": 4096}, None, None),
    ],
)
def test_the_size_of_a_head_and_its_keys_follow_where_no_document_states_them(
    shapes: dict[str, int], head_size: int | None, groups: int | None
) -> None:
    model = networks.model_of(file(**shapes))
    assert (model.head_size, model.key_value_heads) == (head_size, groups)


def test_a_kind_needs_its_shapes() -> None:
    told = [
        message
        for _, message in networks._problems(file(layers=32, hidden_size=4096, attention_heads=32, context=8192))
    ]
    assert told == [f"{name}: missing; a language model needs it" for name in ("feed_forward_size", "vocabulary")]


@pytest.mark.parametrize(("text", "key"), [(" Meta-Llama/Llama 3_1 ", "llama-3-1"), ("a/b/c", "c"), ("Qwen", "qwen")])
def test_names_are_compared_without_owner_case_and_spaces(text: str, key: str) -> None:
    assert networks.key(text) == key
    assert networks.plain("ResNet-50 v_1") == "resnet50v1"
