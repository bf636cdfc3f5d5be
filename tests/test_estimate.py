from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.advise.estimate import Card, EstimateError, Model, Request, as_json, estimate
from pipeline.advise.estimate.coefficients import Coefficients, Spread
from pipeline.advise.estimate.engines import ENGINES, find
from pipeline.advise.estimate.memory import adapter_parameters, cache_bytes, required
from pipeline.advise.estimate.models import Registry, load
from pipeline.advise.estimate.points import Point
from pipeline.advise.estimate.shapes import format_of
from pipeline.advise.estimate.speed import decode_terms, prefill_terms
from pipeline.advise.estimate.tensors import expert_share, parameters
from pipeline.advise.estimate.types import Coefficient
from pipeline.advise.estimate.weights import MIXES, canonical_quant, weight_bytes

GIB = 2**30
CARD = Card(
    "nvidia-test",
    "Test 24",
    "NVIDIA",
    "consumer",
    "Ada Lovelace",
    24.0,
    "GDDR6X",
    1000.0,
    {"peak:fp32:fp32:dense:vector": 80.0, "peak:fp16:fp16:dense:tensor": 320.0},
    None,
    4.0,
)
CARD_TURING = replace(CARD, architecture="Turing")
FP8 = Request(quant="fp8", engine="vllm")
SMALL = Model("small", "Small", "language", 16, 2048, 32, 8, 64, 8192, 128256, 8192, True)
KNOWN = (
    "1/eta gddr",
    "1/eta hbm",
    "1/eta unified",
    "t0 llama.cpp 2026-07",
    "t0, vllm",
    "1/eta, vllm, gddr",
    "1/eta cache, vllm, gddr",
    "1/mfu, vllm, gddr",
    "1/mfu narrow, vllm, gddr",
    "1/mfu prompt, vllm, gddr",
    "1/mfu narrow prompt, vllm, gddr",
    "1/gain quantized, NVIDIA, gddr, llama.cpp 2024-05",
    "1/gain K types, matrix cores, NVIDIA",
    "1/gain 16-bit, NVIDIA, gddr, llama.cpp 2024-05",
    # What is above them in their paths, as a fit writes it.
    "t0",
    "1/eta",
    "1/eta cache",
    "1/mfu",
    "1/mfu narrow",
    "1/mfu prompt",
    "1/mfu narrow prompt",
    "1/gain quantized, NVIDIA, gddr",
    "1/gain 16-bit, NVIDIA, gddr",
    "1/eta host",
    "t0 host",
)
COEFFICIENTS = Coefficients(
    {name: Coefficient(50.0 if name.startswith("t0") else 1.2, "1", 1.0, 1.4, 10, ("set",)) for name in KNOWN},
    {
        k: Spread(-0.2, 0.1, 100, 9)
        for k in (
            "decode gddr",
            "decode hbm",
            "decode unified",
            "decode experts",
            "experts in main memory",
            "prefill gddr",
            "prefill several GPUs",
            "batched decode on servers",
            "repeated",
        )
    },
    {},
)

languages = st.sampled_from(sorted(name for name, model in load().models.items() if model.is_language))
quants = st.sampled_from(sorted(MIXES))
engines = st.sampled_from([f"{e.name}@{e.build}" for e in ENGINES])


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load()


def decoded(card: Card = CARD, model: Model = SMALL, measured: tuple[Point, ...] = (), **asked: object) -> float:
    found = estimate(card, model, Request(quant="q4_k_m", **asked), COEFFICIENTS, measured).decode_tokens_per_s  # type: ignore[arg-type]
    assert found is not None
    return found.median


# ------------------------------------------------------------------ weights


def test_a_q4_k_m_file_of_llama_31_8b_holds_4_8944_bits_a_weight_as_llama_cpp_prints(registry: Registry) -> None:
    model = registry.find("llama-3.1-8b")
    assert weight_bytes(model, "q4_k_m") * 8 / parameters(model) == pytest.approx(4.8944, abs=1e-4)


def test_rows_that_do_not_divide_into_blocks_of_256_fall_back_to_a_larger_type(registry: Registry) -> None:
    model = registry.find("qwen2.5-0.5b")  # hidden size 896
    assert weight_bytes(model, "q4_k_m") * 8 / parameters(model) > 5.5


def test_models_with_four_bit_experts_keep_them_in_every_quantization(registry: Registry) -> None:
    model = registry.find("gpt-oss-20b")
    assert weight_bytes(model, "mxfp4") == pytest.approx(13.8e9, rel=0.01)
    assert weight_bytes(model, "f16") == pytest.approx(weight_bytes(model, "mxfp4"), rel=0.002)  # norms in 32 bit


def test_a_four_bit_server_file_keeps_embedding_and_output_at_16_bits(registry: Registry) -> None:
    model = registry.find("qwen3-8b")
    assert weight_bytes(model, "nvfp4") * 8 / parameters(model) == pytest.approx(6.3, abs=0.1)


@settings(deadline=None)
@given(languages)
def test_more_bits_never_make_a_smaller_file(name: str) -> None:
    model = load().models[name]
    sizes = [weight_bytes(model, q) for q in ("q2_k", "q3_k_m", "q4_k_m", "q5_k_m", "q6_k", "q8_0", "f16")]
    assert sizes == sorted(sizes)


@given(languages, quants, st.integers(1, 512))
def test_a_step_reads_at_most_the_whole_file_and_a_larger_batch_reads_no_less(
    name: str, quant: str, batch: int
) -> None:
    model = load().models[name]
    size = format_of(model, quant)
    one, many = (size.dense + size.experts * expert_share(model, users) for users in (1, batch))
    assert 0 < one <= many * (1 + 1e-12) <= weight_bytes(model, quant) * (1 + 1e-9)


def test_an_unknown_quantization_lists_the_known_ones() -> None:
    with pytest.raises(EstimateError, match="q4_k_m"):
        canonical_quant("q99")


# ------------------------------------------------------------------ memory


def test_the_cache_of_llama_3_8b_at_8192_tokens_is_one_gib(registry: Registry) -> None:
    assert cache_bytes(registry.find("llama-3-8b"), 8192, 1, 16, find("vllm")) == GIB


def test_only_an_engine_that_frees_the_window_saves_its_cache(registry: Registry) -> None:
    model = registry.find("gemma-3-12b")
    freed, full = (cache_bytes(model, 32768, 1, 16, find(e)) for e in ("llama.cpp", "vllm"))
    # 40 of 48 layers keep 1,024 + 512 cells instead of 32,768.
    assert freed / full == pytest.approx((8 * 32768 + 40 * 1536) / (48 * 32768))


@given(st.integers(1, 4096), st.integers(1, 8))
def test_a_window_never_costs_more_than_the_full_length(context: int, batch: int) -> None:
    model = load().find("gemma-3-12b")
    freed, full = (cache_bytes(model, context, batch, 16, find(e)) for e in ("llama.cpp", "vllm"))
    assert freed <= full


def test_latent_attention_caches_one_compressed_vector_a_layer(registry: Registry) -> None:
    assert cache_bytes(registry.find("deepseek-r1"), 1, 1, 16, find("vllm")) == 61 * (512 + 64) * 2


def test_mixed_precision_adam_takes_16_bytes_a_parameter_and_8_bit_adam_10(registry: Registry) -> None:
    model = registry.find("llama-3.1-8b")
    for optimizer, each in (("adam", 16), ("adam8bit", 10)):
        parts = required(CARD, model, Request(task="train", optimizer=optimizer, context=1)).parts  # type: ignore[arg-type]
        states = parts["weights"] + parts["gradients"] + parts["optimizer"]
        assert states * GIB == pytest.approx(each * parameters(model))


def test_each_zero_stage_shares_out_one_more_state(registry: Registry) -> None:
    model = registry.find("llama-3.1-8b")
    whole = parameters(model) / GIB
    held = [required(CARD, model, Request(task="train", gpus=4, zero_stage=s, context=1)).parts for s in range(4)]
    states = [sum(parts[k] for k in ("weights", "gradients", "optimizer")) / whole for parts in held]
    assert states == pytest.approx([64, 28, 22, 16])


def test_lora_trains_a_share_of_a_percent_of_the_parameters(registry: Registry) -> None:
    model = registry.find("llama-3.1-8b")
    # Rank 16 on q, k, v, o, gate, up and down of 32 layers: 32 * 16 * (2*8192 + 2*5120 + 3*18432).
    assert adapter_parameters(model, 16) == 32 * 16 * (2 * 8192 + 2 * 5120 + 3 * 18432)


def test_lora_in_16_bit_of_an_8b_model_does_not_fit_14_gb_and_qlora_does(registry: Registry) -> None:
    card = replace(CARD, memory_gb=14.0)
    model = registry.find("llama-3.1-8b")
    asked = Request(context=1024, recompute=True)
    assert required(card, model, replace(asked, task="lora")).fits is False
    assert required(card, model, replace(asked, task="qlora")).fits is True


def test_a_card_whose_memory_the_buyer_chooses_fits_neither_yes_nor_no_until_it_is_stated() -> None:
    chip = replace(CARD, memory_gb=None)
    assert required(chip, SMALL, Request()).fits is None
    assert required(chip, SMALL, Request(memory_gb=64.0)).fits is True


@given(languages, quants, engines, st.integers(1, 8192), st.floats(1, 500), st.floats(0, 500))
def test_more_memory_never_un_fits(name: str, quant: str, engine: str, context: int, gib: float, more: float) -> None:
    asked = Request(quant=quant, engine=engine, context=context)
    model = load().models[name]
    first = required(replace(CARD, memory_gb=gib), model, asked)
    second = required(replace(CARD, memory_gb=gib + more), model, asked)
    assert second.fits or not first.fits


@given(
    languages,
    quants,
    engines,
    st.tuples(st.integers(1, 30_000), st.integers(0, 30_000)),
    st.tuples(st.integers(1, 32), st.integers(0, 32)),
)
def test_a_longer_context_or_larger_batch_never_needs_less_memory(
    name: str, quant: str, engine: str, contexts: tuple[int, int], batches: tuple[int, int]
) -> None:
    model = load().models[name]
    asked = Request(quant=quant, engine=engine, context=contexts[0], batch=batches[0])
    larger = replace(asked, context=sum(contexts), batch=sum(batches))
    assert required(CARD, model, larger).total >= required(CARD, model, asked).total * (1 - 1e-12)


@given(languages, st.sampled_from(["train", "lora", "qlora"]), st.integers(1, 16), st.integers(0, 2))
def test_a_higher_zero_stage_never_needs_more_memory(name: str, task: str, gpus: int, stage: int) -> None:
    model = load().models[name]
    asked = Request(task=task, gpus=gpus, zero_stage=stage)  # type: ignore[arg-type]
    assert required(CARD, model, replace(asked, zero_stage=stage + 1)).total <= required(CARD, model, asked).total


def test_every_gpu_of_a_tensor_parallel_group_holds_the_whole_latent_cache(registry: Registry) -> None:
    deepseek, llama = registry.find("deepseek-v3"), registry.find("llama-3.1-70b-instruct")
    for model, times in ((deepseek, 8), (llama, 1)):
        one, eight = (required(CARD, model, Request(engine="vllm", context=4096, gpus=n)) for n in (1, 8))
        assert eight.parts["kv_cache"] == pytest.approx(times * one.parts["kv_cache"])
    kimi = Request(quant="fp8", engine="vllm", context=131_072, gpus=8)
    h200 = replace(CARD, memory_gb=141.0, memory_type="HBM3e")
    assert required(h200, registry.find("kimi-k2-instruct"), kimi).fits is False


def test_flux_in_16_bit_with_its_text_encoder_fits_neither_12_nor_24_gb(registry: Registry) -> None:
    flux = registry.find("flux.1-dev")
    for memory_gb, fits in ((12, False), (24, False), (48, True)):
        assert required(replace(CARD, memory_gb=float(memory_gb)), flux, Request(quant="f16")).fits is fits


def test_smaller_optimizers_make_full_fine_tuning_of_8b_fit_80_and_24_gb(registry: Registry) -> None:
    llama = registry.find("llama-3.1-8b-instruct")

    def fits(memory_gb: float, **asked: object) -> bool | None:
        request = Request(task="train", context=512, recompute=True, **asked)  # type: ignore[arg-type]
        return required(replace(CARD, memory_gb=memory_gb, memory_type="HBM2e"), llama, request).fits

    assert not fits(80)
    assert fits(80, optimizer="adam8bit", master_weights=False)
    assert not fits(24, optimizer="adam8bit", master_weights=False)
    assert fits(24, optimizer="paged_adam8bit", master_weights=False, fused_backward=True)


# ------------------------------------------------------------------ speed


def test_a_step_takes_weights_and_cache_over_bandwidth_and_a_time_for_each_layer() -> None:
    cache = 16 * 2 * 8 * 64 * 2 * 1024  # half of a full context
    expected = 1.2 * (format_of(SMALL, "q4_k_m").dense + cache) / 1000e9 + 16 * 50e-6
    assert 1 / decoded(context=2048) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("vendor", "architecture", "memory", "quant", "reasons"),
    [
        ("AMD", "RDNA 2", "GDDR6", "q4_k_m", {"unpack"}),
        ("NVIDIA", "Pascal", "GDDR5", "q8_0", {"unpack"}),
        ("AMD", "GCN 5.1", "HBM2", "q4_0", {"unpack"}),
        ("AMD", "GCN 5.1", "HBM2", "f16", set()),
        ("AMD", "RDNA 3.5", "LPDDR5X", "q4_k_m", set()),
        ("NVIDIA", "Ada Lovelace", "GDDR6X", "q4_k_m", set()),
        ("NVIDIA", "Ada Lovelace", "GDDR6X", "q3_k_m", {"unpack low bits"}),
        ("AMD", "RDNA 2", "GDDR6", "q2_k", {"unpack", "unpack low bits"}),
        ("AMD", "RDNA 2", "GDDR6", "int4", set()),
    ],
)
def test_weights_are_unpacked_with_arithmetic_where_shaders_have_no_pipe_for_it_and_below_four_bits_everywhere(
    vendor: str, architecture: str, memory: str, quant: str, reasons: set[str]
) -> None:
    card = replace(CARD, vendor=vendor, architecture=architecture, memory_type=memory)
    terms = decode_terms(card, SMALL, Request(quant=quant), find("llama.cpp"), 1024)
    found = {name: value for name, value in terms.items() if name.startswith("unpack")}
    assert set(found) == reasons
    # One operation a weight at half the FP32 rate, which counts an addition and a multiplication as two.
    assert all(value == pytest.approx(parameters(SMALL) / 40e12) for value in found.values())


def test_a_server_around_another_engine_takes_a_time_of_its_own_for_each_layer() -> None:
    bare, served = (decode_terms(CARD, SMALL, Request(quant="q4_k_m"), find(e), 1024) for e in ("llama.cpp", "ollama"))
    assert served == bare | {"t0 ollama": 16e-6}
    assert required(CARD, SMALL, Request(engine="ollama")) == required(CARD, SMALL, Request(engine="llama.cpp"))


@given(st.floats(50, 8000), st.floats(1, 4))
def test_more_bandwidth_is_never_slower(bandwidth: float, times: float) -> None:
    slow, fast = (replace(CARD, memory_bandwidth_gb_s=b) for b in (bandwidth, bandwidth * times))
    assert decoded(fast) >= decoded(slow) * (1 - 1e-12)


@given(st.integers(1, 8192), st.integers(0, 4096))
def test_a_longer_context_is_never_faster(context: int, longer: int) -> None:
    asked = min(8192, context + longer)
    assert decoded(context=asked) <= decoded(context=min(context, asked)) * (1 + 1e-12)


def test_an_answer_behind_a_long_prompt_reads_the_prompts_cache_with_each_token() -> None:
    usual, asked, long = (decoded(context=4096, prompt_tokens=prompt) for prompt in (None, 512, 3584))
    assert usual == asked > long
    assert long == pytest.approx(decoded(context=4096 + 3584, prompt_tokens=512), rel=1e-9)


def test_layers_split_over_gpus_run_at_the_speed_of_one_chain_and_tensor_parallel_is_faster() -> None:
    assert decoded(gpus=4) <= decoded(gpus=1)
    assert decoded(gpus=4, layout="tensor") > decoded(gpus=1)


def test_sequences_whose_cache_does_not_fit_wait_and_the_answer_says_so() -> None:
    asked = Request(quant="q4_k_m", engine="vllm", batch=512, context=8192, prompt_tokens=4096)
    tight, roomy = (estimate(replace(CARD, memory_gb=m), SMALL, asked, COEFFICIENTS) for m in (6.0, 96.0))
    assert any("the others wait" in warning for warning in tight.warnings)
    assert tight.decode_tokens_per_s is not None
    assert roomy.decode_tokens_per_s is not None
    assert tight.decode_tokens_per_s.median < roomy.decode_tokens_per_s.median


def test_only_an_engine_without_flash_attention_pays_for_the_scores_of_a_prompt() -> None:
    names = [prefill_terms(CARD, SMALL, Request(quant="q4_k_m"), find(e), 4096) for e in ("llama.cpp@2024-05", "vllm")]
    assert [any("scores" in name for name in terms) for terms in names] == [True, False]


def test_without_a_stated_prompt_half_of_the_context_is_the_prompt_and_the_answer_says_so() -> None:
    found = {}
    for context in (512, 1024, 8192):
        answer = estimate(CARD, SMALL, Request(quant="f16", engine="vllm", batch=16, context=context), COEFFICIENTS)
        assert answer.decode_tokens_per_s is not None
        assert answer.decode_basis is not None
        found[context] = (answer.decode_tokens_per_s.median, answer.decode_basis.statement)
    # With a prompt of 512 at any context one token was left to write, and 19 tokens/s came out beside 622.
    assert 0.5 < found[512][0] / found[1024][0] < 2
    assert found[512][1].endswith("prompts of 256 tokens, answers of 256")
    assert found[8192][1].endswith("prompts of 512 tokens, answers of 7,680")


def test_the_link_of_a_module_is_never_taken_for_pcie_and_a_bridge_joins_two() -> None:
    module = replace(CARD, form_factor="OAM module")
    assert module.link(8) == 0.0
    bridged = replace(CARD, form_factor="PCIe card", link_gb_s=112.5)
    assert (bridged.link(2), bridged.link(8)) == (112.5, 64.0)
    assert replace(module, link_gb_s=900.0).link(8) == 900.0
    asked = Request(quant="f16", engine="vllm", gpus=8)
    assert any("link between several" in w for w in estimate(module, SMALL, asked, COEFFICIENTS).warnings)
    shared = replace(CARD, memory_type="LPDDR5X")
    assert any("are several machines" in w for w in estimate(shared, SMALL, asked, COEFFICIENTS).warnings)


def test_an_engine_that_does_not_run_on_a_card_gives_no_speed_but_the_reason() -> None:
    old = replace(CARD, architecture="Kepler", name="Tesla K80")
    found = estimate(old, SMALL, Request(quant="f16", engine="vllm"), COEFFICIENTS)
    assert (found.decode_tokens_per_s, found.prefill_tokens_per_s) == (None, None)
    assert "vllm does not run on Tesla K80: vLLM asks for compute capability 7.5" in found.warnings
    assert any("experimental" in w for w in estimate(CARD_TURING, SMALL, FP8, COEFFICIENTS).warnings)


def test_an_engine_that_was_never_measured_borrows_all_terms_of_one_that_was_and_says_so() -> None:
    ours, theirs = (
        estimate(CARD, SMALL, Request(quant="f16", engine=name, batch=8), COEFFICIENTS) for name in ("vllm", "sglang")
    )
    assert ours.decode_tokens_per_s == theirs.decode_tokens_per_s
    says = "no run with this engine on such a card tells how much of the bandwidth is reached; "
    assert f"{says}runs of a wider class (all kinds) stand in for it" in theirs.warnings
    assert f"{says}runs of a wider class (vllm, GDDR) stand in for it" in ours.warnings


def test_one_measurement_is_a_point_inside_an_interval() -> None:
    point = Point("key", "set", CARD, SMALL, Request(quant="q4_k_m"), 1024.0, 100.0, "2026-07-01", "llama.cpp")
    found = estimate(CARD, SMALL, Request(quant="q4_k_m"), COEFFICIENTS, (point,)).decode_tokens_per_s
    assert found is not None
    assert (found.p10, found.median, found.p90) == pytest.approx((100 * math.exp(-0.2), 100.0, 100 * math.exp(0.1)))


def test_a_measured_point_wins_over_the_estimate_and_is_marked() -> None:
    point = Point("key", "set", CARD, SMALL, Request(quant="q4_k_m"), 1024.0, 123.4, "2026-07-01", "llama.cpp")
    found = estimate(CARD, SMALL, Request(quant="q4_k_m"), COEFFICIENTS, (point,))
    assert found.decode_basis is not None
    assert (found.decode_basis.kind, found.decode_basis.points) == ("measured", ("key",))
    assert found.decode_tokens_per_s is not None
    assert found.decode_tokens_per_s.median == 123.4


def test_a_point_answers_for_other_contexts_at_which_a_step_takes_nearly_as_long() -> None:
    point = Point("key", "set", CARD, SMALL, Request(quant="q4_k_m"), 64.0, 123.4, "2026-07-01", "llama.cpp")
    kinds = {}
    for context in (256, 2048, 8192):
        found = estimate(CARD, SMALL, Request(quant="q4_k_m", context=context), COEFFICIENTS, (point,))
        assert found.decode_basis is not None
        kinds[context] = found.decode_basis.kind
    assert kinds == {256: "measured", 2048: "measured", 8192: "estimated"}


def test_a_run_of_ollama_answers_for_llama_cpp_only_where_llama_cpp_itself_was_not_measured() -> None:
    def run(engine: str, value: float, day: str) -> Point:
        return Point(
            f"{engine}", "set", CARD, SMALL, Request(quant="q4_k_m", engine=engine), 1024.0, value, day, engine
        )

    ollama, own = run("ollama", 90.0, "2026-08-01"), run("llama.cpp", 100.0, "2026-07-01")
    assert decoded(measured=(ollama,)) == 90.0
    assert decoded(measured=(ollama, own)) == 100.0
    assert decoded(measured=(ollama, own), engine="ollama") == 90.0


@pytest.mark.parametrize("other", [{"gpus": 2}, {"quant": "q8_0"}, {"context": 8192}, {"engine": "vllm"}])
def test_a_point_of_another_configuration_does_not_answer(other: dict[str, object]) -> None:
    point = Point("key", "set", CARD, SMALL, Request(quant="q4_k_m"), 1024.0, 123.4, "2026-07-01", "llama.cpp")
    found = estimate(CARD, SMALL, Request(**({"quant": "q4_k_m"} | other)), COEFFICIENTS, (point,))  # type: ignore[arg-type]
    assert found.decode_basis is not None
    assert found.decode_basis.kind == "estimated"


def test_an_unknown_bandwidth_gives_no_speed_and_says_why() -> None:
    found = estimate(replace(CARD, memory_bandwidth_gb_s=None), SMALL, Request(quant="q4_k_m"), COEFFICIENTS)
    assert found.decode_tokens_per_s is None
    assert any("memory bandwidth of Test 24 is not known" in warning for warning in found.warnings)


def test_a_coefficient_of_another_build_is_named_as_borrowed() -> None:
    found = estimate(CARD, SMALL, Request(quant="q4_k_m"), COEFFICIENTS)
    term = "how fast prompts and batches are worked on with quantized weights"
    says = f"no run with this engine on such a card tells {term}; runs of a wider class (NVIDIA, GDDR) stand in for it"
    assert says in found.warnings


# ------------------------------------------------------------------ answers


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"context": -1}, "context is -1; it must be at least 1"),
        ({"context": 10**6}, "the most of Small is 8192"),
        ({"gpus": 10**6}, "gpus is 1e[+]06; the most is 16384"),
        ({"gpus": 0}, "gpus is 0; it must be at least 1"),
        ({"batch": 0}, "batch is 0"),
        ({"memory_gb": math.nan}, "memory_gb is nan; it must be a number"),
        ({"quant": "q4_k_z"}, "unknown quantization 'q4_k_z'"),
        ({"engine": "magic"}, "unknown engine 'magic'; known: llama.cpp@2026-07"),
        ({"kv_bits": 3}, "kv_bits is 3"),
        ({"zero_stage": 9}, "zero_stage is 9"),
    ],
)
def test_silly_input_gets_one_clear_sentence(asked: dict[str, object], sentence: str) -> None:
    with pytest.raises(EstimateError, match=sentence):
        estimate(CARD, SMALL, Request(**asked), COEFFICIENTS)  # type: ignore[arg-type]


def test_an_unknown_model_gets_suggestions(registry: Registry) -> None:
    with pytest.raises(EstimateError, match=r"llama-3\.1-8b"):
        registry.find("llamma 3.1 8b")


def test_the_answer_holds_what_the_command_promises() -> None:
    answer = as_json(estimate(CARD, SMALL, Request(quant="q4_k_m"), COEFFICIENTS))
    assert set(answer) >= {"fits", "memory_gib", "decode_tokens_per_s", "prefill_tokens_per_s", "basis"}
    assert set(answer["decode_tokens_per_s"]) == {"median", "p10", "p90"}  # type: ignore[call-overload]
    assert set(answer["memory_gib"]) == {"weights", "kv_cache", "activations", "engine", "total", "usable", "room"}  # type: ignore[call-overload]
    json.dumps(answer, allow_nan=False)


@settings(max_examples=200, deadline=None)
@given(
    languages,
    quants,
    engines,
    st.integers(1, 200_000),
    st.integers(1, 4096),
    st.integers(1, 64),
    st.sampled_from(["serve", "train", "lora", "qlora"]),
)
def test_an_answer_is_finite_json_or_one_sentence(
    name: str, quant: str, engine: str, context: int, batch: int, gpus: int, task: str
) -> None:
    asked = Request(quant=quant, engine=engine, context=context, batch=batch, gpus=gpus, task=task)  # type: ignore[arg-type]
    try:
        text = json.dumps(as_json(estimate(CARD, load().models[name], asked, COEFFICIENTS)), allow_nan=False)
    except EstimateError as error:
        text = str(error)
        assert "\n" not in text
    assert text


@given(languages, st.floats(100, 5000), st.integers(1, 4096))
def test_the_median_lies_inside_its_interval(name: str, bandwidth: float, context: int) -> None:
    card, model = replace(CARD, memory_bandwidth_gb_s=bandwidth), load().models[name]
    asked = Request(quant="q4_k_m", context=min(context, model.context or context))
    found = estimate(card, model, asked, COEFFICIENTS)
    assert found.decode_tokens_per_s is not None
    assert found.decode_tokens_per_s.p10 <= found.decode_tokens_per_s.median <= found.decode_tokens_per_s.p90


# ------------------------------------------------------------------ experts in main memory


def test_experts_that_do_not_fit_stay_in_main_memory_layer_by_layer(registry: Registry) -> None:
    model, small = registry.find("qwen3-30b-a3b"), replace(CARD, memory_gb=8.0)
    asked = Request(quant="q4_k_m", context=4096)
    assert required(small, model, asked).fits is False
    answer = estimate(small, model, replace(asked, host_gb_s=100.0), COEFFICIENTS)
    share = answer.request.host_share
    assert answer.memory.fits and share is not None and 0 < share < 1
    assert share * 48 == pytest.approx(round(share * 48))
    one_less = replace(asked, host_gb_s=100.0, host_share=share - 1 / 48)
    assert required(small, model, one_less).fits is False
    assert answer.prefill_tokens_per_s is None
    assert any("stay in main memory" in warning for warning in answer.warnings)


def test_a_faster_main_memory_writes_faster_and_a_card_with_room_needs_none(registry: Registry) -> None:
    model, asked = registry.find("qwen3-30b-a3b"), Request(quant="q4_k_m", context=4096)

    def rate(memory_gb: float, host_gb_s: float | None) -> float:
        card = replace(CARD, memory_gb=memory_gb)
        found = estimate(card, model, replace(asked, host_gb_s=host_gb_s), COEFFICIENTS).decode_tokens_per_s
        assert found is not None
        return found.median

    assert rate(8.0, 50.0) < rate(8.0, 100.0) < rate(48.0, None)
    assert rate(48.0, 50.0) == rate(48.0, None)
    assert rate(8.0, 50.0) < rate(12.0, 50.0)
