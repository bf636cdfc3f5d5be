"""The bytes of a model's weights in a quantisation, tensor by tensor as the program that writes the file decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pipeline.advise.estimate.tensors import Tensor, is_expert, is_lookup, need, parameters, tensors
from pipeline.advise.estimate.types import EstimateError
from pipeline.core.networks import Model

# Bits a weight of each storage type, scales included: block layouts of ggml (ggml/src/ggml-common.h: a Q4_K block
# of 256 weights takes 144 bytes, and so on); compressed-tensors with one 16-bit scale for 128 weights; NVFP4 with
# one 8-bit scale for 16 weights.
BITS: Mapping[str, float] = {
    "f32": 32,
    "f16": 16,
    "q8_0": 8.5,
    "q6_K": 6.5625,
    "q5_K": 5.5,
    "q5_1": 6.0,
    "q5_0": 5.5,
    "q4_K": 4.5,
    "q4_1": 5.0,
    "q4_0": 4.5,
    "iq4_nl": 4.5,
    "iq4_xs": 4.25,
    "mxfp4": 4.25,
    "q3_K": 3.4375,
    "q2_K": 2.625,
    "fp8": 8,
    "int8": 8,
    "int4": 4.125,
    "nvfp4": 4.5,
}
# K types store blocks of 256 weights; where a row's length does not divide, llama.cpp falls back to these
# (tensor_type_fallback in src/llama-quant.cpp).
FALLBACK: Mapping[str, str] = {
    "q2_K": "q4_0",
    "q3_K": "q4_0",
    "q4_K": "q5_0",
    "q5_K": "q5_1",
    "q6_K": "q8_0",
    "iq4_xs": "iq4_nl",
}
BLOCK = 256


@dataclass(frozen=True, slots=True)
class TypeRule:
    """In which layers a role gets a better type than the rest."""

    type: str
    layers: str = "all"  # a name of LAYER_RULES


# Which layers a rule means (use_more_bits and friends in src/llama-quant.cpp).
LAYER_RULES: Mapping[str, Callable[[int, int], bool]] = {
    "all": lambda _, __: True,
    "more": lambda i, n: i < n // 8 or i >= 7 * n // 8 or (i - n // 8) % 3 == 2,
    "eighth": lambda i, n: i < n // 8,
    "sixteenth": lambda i, n: i < n // 16,
    "first two": lambda i, _: i < 2,
    "first four": lambda i, _: i < 4,
    "shared": lambda _, __: True,  # only where four or more query heads share a key-value head
}


@dataclass(frozen=True, slots=True)
class Mix:
    """A quantization: its base type, and the roles that are kept better (first rule that applies wins)."""

    base: str
    rules: Mapping[str, tuple[TypeRule, ...]]
    output: str = "q6_K"
    gguf: bool = True


def _gguf(base: str, output: str = "q6_K", **rules: tuple[TypeRule, ...]) -> Mix:
    return Mix(base, rules, output)


_MORE = (TypeRule("q6_K", "more"),)
# llama_tensor_get_type_impl in src/llama-quant.cpp, read 2026-11-21 at commit 007dbbf, as a table.
MIXES: Mapping[str, Mix] = {
    "q2_k": _gguf(
        "q2_K",
        attention_v=(TypeRule("q4_K", "shared"), TypeRule("q3_K")),
        ffn_down=(TypeRule("q3_K"),),
        attention_output=(TypeRule("q3_K"),),
    ),
    "q3_k_s": _gguf("q3_K"),
    "q3_k_m": _gguf(
        "q3_K",
        attention_v=(TypeRule("q5_K", "first two"), TypeRule("q4_K")),
        attention_output=(TypeRule("q4_K"),),
        ffn_down=(TypeRule("q5_K", "sixteenth"), TypeRule("q4_K")),
    ),
    "q3_k_l": _gguf(
        "q3_K", attention_v=(TypeRule("q5_K"),), attention_output=(TypeRule("q5_K"),), ffn_down=(TypeRule("q5_K"),)
    ),
    "iq4_xs": _gguf("iq4_xs", attention_v=(TypeRule("q5_K", "shared"),), ffn_down=(TypeRule("q5_K", "eighth"),)),
    "q4_0": _gguf("q4_0"),
    "q4_1": _gguf("q4_1"),
    "q4_k_s": _gguf("q4_K", attention_v=(TypeRule("q5_K", "first four"),), ffn_down=(TypeRule("q5_K", "eighth"),)),
    "q4_k_m": _gguf("q4_K", attention_v=_MORE, ffn_down=_MORE),
    "q5_0": _gguf("q5_0"),
    "q5_1": _gguf("q5_1"),
    "q5_k_s": _gguf("q5_K"),
    "q5_k_m": _gguf("q5_K", attention_v=_MORE, ffn_down=_MORE),
    "q6_k": _gguf("q6_K"),
    "q8_0": _gguf("q8_0", output="q8_0"),
    "f16": _gguf("f16", output="f16"),
    # Files of the publisher and of quantizers for servers: embedding and output stay 16 bit.
    "fp8": Mix("fp8", {}, "f16", gguf=False),
    "int8": Mix("int8", {}, "f16", gguf=False),
    "int4": Mix("int4", {}, "f16", gguf=False),
    "nvfp4": Mix("nvfp4", {}, "f16", gguf=False),
    # gpt-oss: experts in MXFP4; the rest 16 bit as published, Q8_0 in GGUF files.
    "mxfp4": Mix("f16", {}, "f16", gguf=False),
    "mxfp4_moe": _gguf("q8_0", output="q8_0"),
}
# Other spellings of the same thing.
QUANT_ALIASES: Mapping[str, str] = {
    "bf16": "f16",
    "fp16": "f16",
    "16bit": "f16",
    "q4": "q4_k_m",
    "awq": "int4",
    "gptq": "int4",
    "w4a16": "int4",
    "w8a8": "int8",
    "fp4": "nvfp4",
    "q3_k": "q3_k_m",
    "q4_k": "q4_k_m",
    "q5_k": "q5_k_m",
    "q8": "q8_0",
    "q4_k _ medium": "q4_k_m",
    "q4_k _ small": "q4_k_s",
    "q5_k _ medium": "q5_k_m",
    "q5_k _ small": "q5_k_s",
    "awq_int4": "int4",
    "gptq_int4": "int4",
}
# How many networks in a format are remembered: all of ours in all formats are some 1,600.
FORMATS_KEPT = 4096
_EXPERTS_MXFP4 = ("mxfp4", "mxfp4_moe")
_KEPT_16_BIT = ("norm", "bias", "router", "expert_bias")
# With eight experts attention is a small share, and llama.cpp keeps it better (n_expert == 8 in llama-quant.cpp).
_EIGHT_EXPERTS = {"attention_v": "q8_0", "attention_k": "q8_0"}
_EIGHT_EXPERTS_OUTPUT = {"q2_k", "q3_k_s", "q3_k_m", "iq4_xs", "q4_k_s", "q4_k_m"}


def canonical_quant(text: str) -> str:
    """Bring a quantization's name to ours; EstimateError lists the known ones."""
    name = text.strip().lower().replace("-", "_").replace("ud_", "")
    name = QUANT_ALIASES.get(name, name)
    if name not in MIXES:
        raise EstimateError(f"unknown quantization {text[:40]!r}; known: {', '.join(MIXES)}")
    return name


@lru_cache(maxsize=FORMATS_KEPT)
def weight_bytes(model: Model, quant: str) -> float:
    """Bytes of all weights, as the file holds them."""
    if not model.is_language:
        return parameters(model) * BITS[MIXES[quant].base] / 8
    return sum(sizes(model, quant).values())


@lru_cache(maxsize=FORMATS_KEPT)
def lookup_bytes(model: Model, quant: str) -> float:
    """Bytes of an embedding of which a token reads one row: llama.cpp keeps it in the host's memory."""
    return sum(size for t, size in sizes(model, quant).items() if is_lookup(t, model)) if model.is_language else 0.0


@lru_cache(maxsize=FORMATS_KEPT)
def sizes(model: Model, quant: str) -> dict[Tensor, float]:
    """Bytes of the tensors of a network, as the writer of the file decides; one stands for all of its kind."""
    mix = MIXES[quant]
    return {tensor: elements * BITS[_type(model, quant, mix, tensor)] / 8 for tensor, elements in _kinds(model).items()}


@lru_cache(maxsize=FORMATS_KEPT)
def _kinds(model: Model) -> dict[Tensor, int]:
    """The weights of a network by kind: of one kind are tensors that every rule about formats treats alike."""
    first: dict[object, Tensor] = {}
    elements: dict[Tensor, int] = {}
    for tensor in tensors(model):
        layer = tensor.layer
        treated = None if layer is None else [rule(layer, need(model, "layers")) for rule in LAYER_RULES.values()]
        kind = first.setdefault((tensor.role, tensor.columns, repr(treated)), tensor)
        elements[kind] = elements.get(kind, 0) + tensor.elements
    return elements


def _type(model: Model, quant: str, mix: Mix, tensor: Tensor) -> str:
    if tensor.role in _KEPT_16_BIT:
        return "f32" if mix.gguf else "f16"
    if is_expert(tensor) and (quant in _EXPERTS_MXFP4 or model.stored_experts == "mxfp4"):
        return "mxfp4"  # a model published with four-bit experts keeps them in every file
    if tensor.role == "output" or (tensor.role == "token_embedding" and model.tied_embeddings):
        return _fitting(mix.output, tensor)
    if not mix.gguf:
        return "f16" if tensor.role == "token_embedding" else mix.base
    return _fitting(_by_rule(model, quant, mix, tensor), tensor)


def _by_rule(model: Model, quant: str, mix: Mix, tensor: Tensor) -> str:
    role = tensor.role.replace("expert_", "ffn_")
    if model.experts == 8 and BITS[mix.base] < BITS["q8_0"]:
        if role in _EIGHT_EXPERTS:
            return _EIGHT_EXPERTS[role]
        if role == "attention_output" and quant in _EIGHT_EXPERTS_OUTPUT:
            return "q5_K"
    chosen = next((r.type for r in mix.rules.get(role, ()) if _applies(r, model, tensor)), mix.base)
    # With 80 layers eight query heads share one value head, so llama.cpp gives that small tensor more bits.
    small = role == "attention_v" and need(model, "layers") == 80
    return "q5_K" if small and chosen in ("q3_K", "q4_K") else chosen


def _applies(rule: TypeRule, model: Model, tensor: Tensor) -> bool:
    if rule.layers == "shared" and need(model, "attention_heads") < 4 * (model.key_value_heads or 1):
        return False
    return tensor.layer is not None and LAYER_RULES[rule.layers](tensor.layer, need(model, "layers"))


def _fitting(type_: str, tensor: Tensor) -> str:
    return FALLBACK.get(type_, type_) if tensor.columns % BLOCK else type_
