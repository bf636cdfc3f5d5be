from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.dataset import Dataset, GpuRecord
from pipeline.estimate import coefficients, fit, inputs, training, validation
from pipeline.estimate.engines import find
from pipeline.estimate.fit import Sample
from pipeline.estimate.models import load
from pipeline.estimate.points import Point, Points
from pipeline.estimate.speed import decode_terms, seconds
from pipeline.estimate.types import Card, EstimateError, Request
from pipeline.schema import parse_peak

VECTOR = "peak:fp32:fp32:dense:vector"
CARDS = [
    Card(f"card-{n}", f"Card {n}", "NVIDIA", "consumer", "Test", 24.0, "GDDR6", 300.0 + 100 * n, {VECTOR: 20.0 + n})
    for n in range(6)
]
TRUE = {"1/eta gddr": 1.1, "1/eta_kv gddr, llama.cpp 2024-05": 2.0, "t0 llama.cpp 2024-05": 70.0, "t output": 250.0}
NAMES = ("llama-3-8b", "qwen2.5-1.5b", "gemma-3-4b", "mistral-7b")
BENCHMARK = {"gpu": "card", "gpu_count": "1", "set": "s", "workload": "inference", "model": "LLaMA 3 8B",
             "precision": "Q4_K_M", "batch": "1 stream, 1024 tokens", "metric": "generation_speed", "value": "100",
             "unit": "tokens/s", "software": "llama.cpp", "date": "2024-05", "source": inputs.XIONGJIE, "flag": "",
             "locator": "benchmarks_llama3.csv, row 2"}  # fmt: skip


def points(noise: float = 0.0) -> list[Point]:
    """Points that follow TRUE, each GPU off by its own factor."""
    found = []
    for number, card in enumerate(CARDS):
        for name in NAMES:
            for tokens in (256.0, 2048.0):
                request = Request(quant="q4_k_m", engine="llama.cpp@2024-05")
                model = load().find(name)
                terms = decode_terms(card, model, request, find(request.engine), tokens)
                speed = 1 / sum(v * TRUE.get(k, 0.0) for k, v in terms.items()) * math.exp(noise * (-1) ** number)
                key = f"{card.id} {name} {tokens:g}"
                found.append(Point(key, "set", card, model, request, tokens, speed, "2024-05", "llama.cpp"))
    return found


def dataset(*rows: dict[str, str], memory: str = "24") -> Dataset:
    gpu = {"id": "card", "name": "Card", "vendor": "NVIDIA", "segment": "consumer", "architecture": "Test",
           "aliases": "", "memory_gb": memory, "memory_type": "GDDR6", "memory_bandwidth_gb_s": "900",
           "link_gb_s": "", "pcie_gen": "4"}  # fmt: skip
    record = GpuRecord(gpu, {parse_peak(VECTOR): 30.0}, {}, (), ())
    return Dataset({"card": record}, {"benchmarks": tuple(BENCHMARK | row for row in rows)})


# ------------------------------------------------------------------ the fit


def test_points_that_follow_the_formula_give_its_coefficients_back() -> None:
    found = fit.solve([fit.sample(p) for p in points()], {})
    assert {k: found[k] for k in TRUE} == pytest.approx(TRUE, rel=1e-6)


def test_a_coefficient_that_is_held_fixed_leaves_the_others_as_they_are() -> None:
    held = {"1/eta gddr": TRUE["1/eta gddr"]}
    found = fit.solve([fit.sample(p) for p in points()], held)
    assert {k: found[k] for k in TRUE if k not in held} == pytest.approx(
        {k: v for k, v in TRUE.items() if k not in held}, rel=1e-6
    )


def test_one_wild_point_does_not_move_the_coefficients() -> None:
    spoilt = points()
    spoilt[3] = replace(spoilt[3], value=spoilt[3].value / 20)
    found = fit.solve([fit.sample(p) for p in spoilt], {})
    assert {k: found[k] for k in TRUE} == pytest.approx(TRUE, rel=0.02)


def test_no_coefficient_is_negative() -> None:
    samples = [Sample(("s", f"g{i}"), "k", {"a": 1.0, "b": float(i)}, 1.0 - 0.01 * i, str(i)) for i in range(1, 9)]
    assert min(fit.solve(samples, {}).values()) >= 0


def test_a_gpu_left_out_does_not_enter_its_own_fit() -> None:
    spoilt = [replace(p, value=p.value / 3) if p.card.id == "card-2" else p for p in points()]
    left_out = fit.without_each_gpu([fit.sample(p) for p in spoilt], {})
    assert left_out["card-2"]["1/eta gddr"] == pytest.approx(TRUE["1/eta gddr"], rel=1e-6)


def test_intervals_come_from_the_residuals_and_widen_with_fewer_gpus() -> None:
    one = Sample(("s", "g0"), "k", {}, 1.0, "p")
    many = [(replace(one, group=("s", f"g{i % 20}")), r / 100) for i, r in enumerate(range(-50, 51))]
    few = [(replace(s, group=("s", "g0" if i % 2 else "g1")), r) for i, (s, r) in enumerate(many)]
    wide, narrow = fit.spread(few), fit.spread(many)
    assert wide.p10 < narrow.p10 < -0.39
    assert 0.39 < narrow.p90 < wide.p90 <= 0.5


def test_a_fit_is_written_the_same_twice_and_read_back(tmp_path: Path) -> None:
    found = Points(tuple(points(0.05)), (), (), (), ())
    text = coefficients.text_of(fit.fit(found))
    assert text == coefficients.text_of(fit.fit(found))
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    back = coefficients.load(tmp_path / "c.json")
    assert back.values["1/eta gddr"].low <= back.values["1/eta gddr"].value <= back.values["1/eta gddr"].high
    assert back.values["1/eta gddr"].points == len(found.decode)


def test_a_term_that_was_never_fitted_is_an_error_and_not_free() -> None:
    empty = coefficients.Coefficients({}, {}, {})
    with pytest.raises(EstimateError, match="no point that tells '1/eta gddr'"):
        seconds({"1/eta gddr": 0.01}, empty)


def test_the_committed_coefficients_carry_engine_build_date_and_points_by_name() -> None:
    found = coefficients.load()
    for name, value in found.values.items():
        assert value.points > 0, name
        assert value.low <= value.high, name
        assert value.sets, name
        assert set(value.sets) <= set(found.sets), name
    for one in found.sets.values():
        assert all((one.engine, one.build, one.date, one.points))


# ------------------------------------------------------------------ reading points and labels


def test_a_run_out_of_memory_in_the_overview_alone_is_a_label_at_all_four_contexts() -> None:
    row = {"value": "", "flag": "out of memory", "locator": "overview_llama3_tokens_per_second.csv, row 2"}
    found = inputs.points(dataset(row), load())
    assert [(label.request.context, label.fits) for label in found.labels] == [(n, False) for n in inputs.LENGTHS]


def test_generation_holds_half_of_its_tokens_in_the_cache_on_average() -> None:
    (point,) = inputs.points(dataset({}), load()).decode
    assert (point.tokens, point.request.context, point.model.id) == (512, 1024, "meta-llama-3-8b-instruct")


def test_every_length_of_a_run_flagged_as_broken_is_left_out_with_the_reason() -> None:
    prompts = {"metric": "prompt_speed", "precision": "F16"}
    rows = ({"flag": "broken run: slow", "locator": "1"}, {"batch": "1 stream, 8192 tokens", "locator": "2"})
    found = inputs.points(dataset(*(prompts | row for row in rows)), load())
    assert not found.prefill
    assert {e.key for e in found.excluded} == {f"{inputs.XIONGJIE}: 1", f"{inputs.XIONGJIE}: 2"}


def test_a_community_run_that_may_have_used_the_cpu_is_left_out() -> None:
    row = {"source": inputs.LLMFIT, "model": "Llama-3.1-8B-Instruct-Q4_K_M", "batch": "1 stream"}
    assert len(inputs.points(dataset(row, memory="24"), load()).decode) == 1
    (left,) = inputs.points(dataset(row, memory="6"), load()).excluded
    assert "may have run on the CPU" in left.reason


def test_a_run_without_a_stated_quantization_is_left_out() -> None:
    row = {"source": inputs.LLMFIT, "model": "llama-3.1-8b-instruct", "precision": "", "batch": "1 stream"}
    (left,) = inputs.points(dataset(row), load()).excluded
    assert "no quantization is stated" in left.reason


def test_a_model_that_the_registry_lacks_is_left_out_by_name() -> None:
    (left,) = inputs.points(dataset({"model": "Unheard-Of 9B"}), load()).excluded
    assert "unknown model" in left.reason


def test_an_exclusion_that_matches_nothing_is_reported() -> None:
    assert any("gtx-1050-ti" in text for text in inputs.unused_exclusions(inputs.points(dataset({}), load())))


# ------------------------------------------------------------------ sizes and training runs


def test_file_sizes_are_within_2_percent_of_real_files() -> None:
    rows = validation.file_rows(load())
    assert len(rows) >= 25
    assert max(abs(row.error) for row in rows) <= 0.02


def test_cache_sizes_are_within_1_percent_of_what_engines_print() -> None:
    rows = validation.cache_rows(load())
    assert len(rows) >= 3
    assert max(abs(row.error) for row in rows) <= 0.01


PEAKS = {"nvidia-a100-sxm4-80gb": ("Ampere", 312.0), "nvidia-a100-sxm4-40gb": ("Ampere", 312.0),
         "nvidia-h100-sxm5-80gb": ("Hopper", 989.4)}  # fmt: skip
TRAINERS = {
    name: replace(CARDS[0], id=name, architecture=arch, peaks={"peak:bf16:fp32:dense:tensor": tflops})
    for name, (arch, tflops) in PEAKS.items()
}


def test_at_least_8_published_runs_are_predicted_within_0_7_to_1_5_times_from_the_others() -> None:
    rows = validation.run_rows(TRAINERS, load())
    assert sum(row.in_range for row in rows) >= 8
    assert {row.run.name for row in rows if not row.in_range} == {"Llama 3 8B", "Llama 3.1 8B", "MPT 1.3B"}


def test_a_run_does_not_enter_its_own_prediction() -> None:
    known = training.shares(training.load(), TRAINERS, load())
    row = next(r for r in validation.run_rows(TRAINERS, load()) if r.run.name == "Llama 3.1 405B")
    others = [s for s in known if s.run.name != "Llama 3.1 405B"]
    expected = training.expected_share("Hopper", others).median
    assert row.predicted_hours == pytest.approx(row.run.gpu_hours * row.share / expected)


def test_training_takes_6_operations_a_parameter_and_token_and_a_frozen_base_4() -> None:
    known = training.shares(training.load(), TRAINERS, load())
    card, model = TRAINERS["nvidia-h100-sxm5-80gb"], load().find("llama-3.1-8b")
    full = training.gpu_hours(card, model, 1e9, Request(task="train"), known)
    lora = training.gpu_hours(card, model, 1e9, Request(task="lora"), known)
    assert lora.median / full.median == pytest.approx(4 / 6)
    assert full.p10 < full.median < full.p90


def test_no_tokens_and_no_peak_are_sentences() -> None:
    known = training.shares(training.load(), TRAINERS, load())
    model = load().find("llama-3.1-8b")
    with pytest.raises(EstimateError, match="tokens is 0"):
        training.gpu_hours(TRAINERS["nvidia-h100-sxm5-80gb"], model, 0, Request(), known)
    with pytest.raises(EstimateError, match="no dense 16-bit rate of Card 0 is known"):
        training.gpu_hours(replace(CARDS[0], peaks={}), model, 1e9, Request(), known)


# ------------------------------------------------------------------ the whole validation, on the committed dataset


def test_every_target_of_the_validation_is_reached_on_the_committed_dataset() -> None:
    found = Dataset.load()
    if not any(row["source"] == inputs.XIONGJIE for row in found.tables["benchmarks"]):
        pytest.skip("data/clean holds no llama.cpp results yet; run: make data")
    result = validation.validate(found)
    assert len(result.labels) == 496
    assert [finding.name for finding in result.findings if not finding.reached] == []
    assert result.rules["bandwidth / file size"] == pytest.approx(0.60, abs=0.01)
    assert result.rules["0.55 x bandwidth / file size"] == pytest.approx(0.27, abs=0.01)
