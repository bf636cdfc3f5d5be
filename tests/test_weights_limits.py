"""In which type a file keeps each matrix: by its role, its layer, its width and what the network is."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.advise.estimate import weights
from pipeline.advise.estimate.tensors import Tensor
from pipeline.core.networks import Model


def network(**known: Any) -> Model:
    usual = {"layers": 32, "attention_heads": 32, "key_value_heads": 8}
    return Model("m", "M", "language", **usual | known)


def kept(quant: str, role: str, layer: int | None = 16, columns: int = 4096, **known: Any) -> str:
    return weights._type(network(**known), quant, weights.MIXES[quant], Tensor(role, layer, columns, 1))


@pytest.mark.parametrize(
    ("asked", "type_"),
    [
        (("q4_k_m", "norm"), "f32"),
        (("fp8", "norm"), "f16"),
        (("q4_k_m", "router"), "f32"),
        (("q4_k_m", "attention_q"), "q4_K"),
        (("q4_k_m", "output", None), "q6_K"),
        (("q8_0", "output", None), "q8_0"),
        (("fp8", "output", None), "f16"),
        (("q4_k_m", "token_embedding", None), "q4_K"),
        (("fp8", "token_embedding", None), "f16"),
        (("fp8", "attention_q"), "fp8"),
        (("mxfp4", "attention_q"), "f16"),
        (("mxfp4", "expert_up"), "mxfp4"),
        (("mxfp4_moe", "attention_q"), "q8_0"),
        # more bits in the first and the last eighth of 32 layers, and in every third between
        (("q4_k_m", "ffn_down", 3), "q6_K"),
        (("q4_k_m", "ffn_down", 4), "q4_K"),
        (("q4_k_m", "ffn_down", 6), "q6_K"),
        (("q4_k_m", "ffn_down", 7), "q4_K"),
        (("q4_k_m", "ffn_down", 27), "q6_K"),
        (("q4_k_m", "ffn_down", 26), "q4_K"),
        (("q4_k_m", "ffn_down", 28), "q6_K"),
        (("q4_k_m", "expert_down", 3), "q6_K"),
        (("iq4_xs", "ffn_down", 3), "q5_K"),
        (("iq4_xs", "ffn_down", 4), "iq4_xs"),
        (("q3_k_m", "ffn_down", 1), "q5_K"),  # a sixteenth
        (("q3_k_m", "ffn_down", 2), "q4_K"),
        (("q3_k_m", "attention_v", 1), "q5_K"),
        (("q3_k_m", "attention_v", 2), "q4_K"),
        (("q4_k_s", "attention_v", 3), "q5_K"),
        (("q4_k_s", "attention_v", 4), "q4_K"),
    ],
)
def test_a_matrix_is_kept_by_its_role_and_its_layer(asked: tuple[Any, ...], type_: str) -> None:
    assert kept(*asked) == type_


@pytest.mark.parametrize(
    ("asked", "known", "type_"),
    [
        (("q2_k", "attention_v"), {"key_value_heads": 8}, "q4_K"),  # four heads share one
        (("q2_k", "attention_v"), {"key_value_heads": 9}, "q3_K"),
        (("q2_k", "attention_v"), {"key_value_heads": None}, "q4_K"),
        (("q4_k_m", "token_embedding", None), {"tied_embeddings": True}, "q6_K"),
        (("q4_k_m", "expert_up"), {"stored_experts": "mxfp4"}, "mxfp4"),
        (("q4_k_m", "attention_v"), {"experts": 8}, "q8_0"),
        (("q4_k_m", "attention_k"), {"experts": 8}, "q8_0"),
        (("q4_k_m", "attention_k"), {"experts": 9}, "q4_K"),
        (("q4_k_m", "attention_output"), {"experts": 8}, "q5_K"),
        (("q5_k_m", "attention_output"), {"experts": 8}, "q5_K"),
        (("q6_k", "attention_output"), {"experts": 8}, "q6_K"),
        (("q4_k_m", "attention_output"), {"experts": 7}, "q4_K"),
        (("f16", "attention_v"), {"experts": 8}, "f16"),
        (("q8_0", "attention_v"), {"experts": 8}, "q8_0"),
        (("q4_k_m", "attention_v", 31), {"layers": 80}, "q5_K"),
        (("q4_k_m", "attention_v", 31), {"layers": 79}, "q4_K"),
        (("q4_k_m", "attention_v", 1), {"layers": 80}, "q6_K"),
        (("q4_k_m", "attention_q", 31), {"layers": 80}, "q4_K"),
    ],
)
def test_a_matrix_is_kept_by_what_the_network_is(asked: tuple[Any, ...], known: dict[str, Any], type_: str) -> None:
    assert kept(*asked, **known) == type_


@pytest.mark.parametrize(
    ("quant", "columns", "type_"),
    [
        ("q4_k_m", 256, "q4_K"), ("q4_k_m", 255, "q5_0"), ("q4_k_m", 4000, "q5_0"), ("q6_k", 4000, "q8_0"),
        ("q5_k_m", 4000, "q5_1"), ("iq4_xs", 4000, "iq4_nl"), ("q3_k_m", 4000, "q4_0"), ("q2_k", 4000, "q4_0"),
        ("q8_0", 4000, "q8_0"),
    ],
)  # fmt: skip
def test_a_row_that_its_blocks_do_not_divide_is_kept_in_another_type(quant: str, columns: int, type_: str) -> None:
    assert kept(quant, "attention_q", columns=columns) == type_
