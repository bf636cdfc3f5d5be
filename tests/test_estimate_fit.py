from __future__ import annotations

import csv
import hashlib
import math
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml
from samples import committed, record, result

from pipeline.advise.estimate import (
    coefficients,
    engines,
    estimate,
    fit,
    inputs,
    measured,
    training,
    types,
    validation,
    words,
)
from pipeline.advise.estimate import estimator as estimated
from pipeline.advise.estimate.engines import find
from pipeline.advise.estimate.fit import Sample
from pipeline.advise.estimate.models import load
from pipeline.advise.estimate.points import HOSTED, READ, Point, Points, Tuned
from pipeline.advise.estimate.shapes import shape_of
from pipeline.advise.estimate.speed import decode_terms, seconds
from pipeline.advise.estimate.types import Card, EstimateError, Interval, Request, Task
from pipeline.core.schema import parse_peak
from pipeline.dataset import Dataset

VECTOR = "peak:fp32:fp32:dense:vector"
CARDS = [
    Card(f"card-{n}", f"Card {n}", "NVIDIA", "consumer", "Test", 24.0, "GDDR6", 300.0 + 100 * n, {VECTOR: 20.0 + n})
    for n in range(6)
]
TRUE = {"1/eta gddr": 1.1, "1/eta_kv gddr, llama.cpp 2024-05": 2.0, "t0 llama.cpp 2024-05": 70.0, "t output": 250.0}
NAMES = ("llama-3-8b", "qwen2.5-1.5b", "gemma-3-4b", "mistral-7b")
BENCHMARK = result(
    gpu="card",
    set="s",
    workload="inference",
    model="LLaMA 3 8B",
    precision="Q4_K_M",
    batch="1 stream, 1024 tokens",
    metric="generation_speed",
    unit="tokens/s",
    software="llama.cpp",
    date="2024-05",
    source=inputs.XIONGJIE,
    locator="benchmarks_llama3.csv, row 2",
)


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


def dataset(*rows: dict[str, object], memory: float = 24) -> Dataset:
    gpu = record(
        id="card",
        name="Card",
        architecture="Test",
        memory_gb=memory,
        memory_type="GDDR6",
        memory_bandwidth_gb_s=900.0,
        pcie_gen=4.0,
        peaks={parse_peak(VECTOR): 30.0},
    )
    return Dataset({"card": gpu}, benchmarks=tuple(replace(BENCHMARK, **row) for row in rows))  # type: ignore[arg-type]


# ------------------------------------------------------------------ the fit


def test_points_that_follow_the_formula_give_its_coefficients_back() -> None:
    found = fit.solve([fit.sample(p) for p in points()])
    assert {k: found[k] for k in TRUE} == pytest.approx(TRUE, rel=1e-6)


def test_no_server_does_better_than_tests_that_do_nothing_else() -> None:
    """Else what was never measured is promised more than a sheet's bandwidth, and sums over GPUs that take no time."""
    values = coefficients.load().values
    at_most = {"1/eta": 0.98, "1/eta cache": 0.98, "1/mfu": 0.87, "1/mfu prompt": 0.87}
    for head, share in at_most.items():
        assert values[head].value >= 1 / share - 1e-3, head
    assert values["t0 together"].value >= 2 * 3.7
    name = "1/eta, vllm, hbm, NVIDIA, Hopper"
    faster = [Sample((f"s{i}", "Hopper"), "k", {name: 1.0}, 0.8, f"{i}") for i in range(30)]
    assert fit.solve(faster)[name] == pytest.approx(1 / 0.98)


def test_an_architecture_with_few_points_stays_near_its_maker_and_one_with_many_goes_its_own_way() -> None:
    def runs(architecture: str, took: float, count: int) -> list[Sample]:
        name = f"1/eta, vllm, hbm, NVIDIA, {architecture}"
        return [Sample((f"s{i}", architecture), "k", {name: 1.0}, took, f"{architecture} {i}") for i in range(count)]

    found = fit.solve([*runs("Ampere", 1.2, 30), *runs("Hopper", 2.0, 30), *runs("Volta", 2.0, 1)])
    maker = "1/eta, vllm, hbm, NVIDIA"
    assert found[f"{maker}, Ampere"] == pytest.approx(1.2, rel=0.02)
    assert found[f"{maker}, Hopper"] == pytest.approx(2.0, rel=0.02)
    assert found[f"{maker}, Ampere"] < found[maker] < found[f"{maker}, Hopper"]
    coefficient = {name: coefficients.Coefficient(v, "1", v, v, 1, ("s",)) for name, v in found.items()}
    known = coefficients.Coefficients(coefficient, {}, {})
    assert known.find(f"{maker}, Blackwell") == maker
    assert known.find("1/eta, sglang, hbm, AMD, CDNA 3") == "1/eta"
    assert known.find("t0, vllm") is None


def test_one_wild_point_does_not_move_the_coefficients() -> None:
    spoilt = points()
    spoilt[3] = replace(spoilt[3], value=spoilt[3].value / 20)
    found = fit.solve([fit.sample(p) for p in spoilt])
    assert {k: found[k] for k in TRUE} == pytest.approx(TRUE, rel=0.02)


def test_no_coefficient_is_negative() -> None:
    samples = [Sample(("s", f"g{i}"), "k", {"a": 1.0, "b": float(i)}, 1.0 - 0.01 * i, str(i)) for i in range(1, 9)]
    assert min(fit.solve(samples).values()) >= 0


def test_a_gpu_left_out_does_not_enter_its_own_fit() -> None:
    spoilt = [replace(p, value=p.value / 3) if p.card.id == "card-2" else p for p in points()]
    left_out = fit.without_each([fit.sample(p) for p in spoilt], fit.GPU)
    assert left_out["card-2"]["1/eta gddr"] == pytest.approx(TRUE["1/eta gddr"], rel=1e-6)


def test_an_interval_holds_eight_of_ten_points_and_each_gpu_counts_once() -> None:
    def off(gpus: int, often: int = 1) -> list[tuple[Sample, float]]:
        """GPU n misses by n percent, too fast and too slow in turn; the first is measured `often`."""
        one = Sample(("s", "g"), "k", {}, 1.0, "p")
        missed = [(replace(one, group=(f"s{n % 3}", f"g{n}")), n / 100 * (-1) ** n) for n in range(1, gpus + 1)]
        return [*missed, *missed[:1] * (often - 1)]

    for pairs in (off(10), off(10, often=500)):
        found = fit.spread("k", pairs)
        assert (found.p10, found.p90, found.gpus, found.rough) == (pytest.approx(-0.08), pytest.approx(0.08), 10, False)
    few = fit.spread("k", off(3))  # too few points: wider, and it says so
    assert (few.p90, few.rough) == (pytest.approx(0.03 * coefficients.ROUGH), True)


def test_all_sources_left_out_count_as_much_as_all_gpus_and_each_source_alike() -> None:
    by_gpu = [(Sample((f"s{n % 3}", f"g{n}"), "k", {}, 1.0, f"p{n}"), 0.1) for n in range(9)]
    off = {"s0": 0.3, "s1": 0.05, "s2": 0.05}
    by_source = [(one, off[one.source]) for one, _ in by_gpu]
    assert fit.spread("k", by_gpu, by_source).p90 == pytest.approx(0.1)  # one of three is a sixth of the votes
    off["s1"] = 0.2
    by_source = [(one, off[one.source]) for one, _ in by_gpu]
    assert fit.spread("k", by_gpu, by_source).p90 == pytest.approx(0.2)  # two are a third
    often = [*by_source, *[pair for pair in by_source if pair[0].source == "s0"] * 50]
    assert fit.spread("k", by_gpu, often).p90 == pytest.approx(0.2)  # a source measured often still counts once


def test_a_point_for_which_a_wider_class_stood_in_votes_by_as_much_less_as_answers_are_widened() -> None:
    pairs = [(Sample((f"s{n % 3}", f"g{n}"), "k", {}, 1.0, f"p{n}", borrowed=True), 0.25) for n in range(9)]
    assert fit.spread("k", pairs).p90 == pytest.approx(0.25 / coefficients.ROUGH)


def test_a_source_without_which_a_kind_of_card_is_unknown_tells_nothing_of_a_new_source() -> None:
    by_gpu = [(Sample((f"s{n % 3}", f"g{n}"), "k", {}, 1.0, f"p{n}"), 0.1) for n in range(9)]
    alone = [(replace(one, borrowed=True), 0.9) for one, _ in by_gpu]
    assert fit.spread("k", by_gpu, alone).p90 == pytest.approx(0.1)
    left_out = fit.residuals(
        [Sample(("s", "g"), "k", {"1/eta gddr": 1.0, "1/eta, vllm": 1.0}, 1.0, "p")],
        {"s": {"1/eta gddr": 1.0, "1/eta": 1.0}},
        fit.SOURCE,
    )
    assert [one.borrowed for one, _ in left_out] == [True]


def test_each_page_that_points_were_read_from_by_hand_is_a_source_of_its_own() -> None:
    found = inputs.points(committed(), load())
    read = [fit.sample(p) for p in found.prefill if p.set == READ]
    assert len({one.source for one in read}) >= 10
    assert {one.group[0] for one in read} == {READ}


def test_where_a_class_that_pools_others_stands_in_the_interval_is_wider_rough_or_not() -> None:
    names = ("several GPUs on servers", "decode experts", "decode gddr", "prefill gddr")
    known = {name: coefficients.Spread(-0.2, 0.2, 9, 9, 3) for name in names}
    known["prefill gddr"] = replace(known["prefill gddr"], rough=True)
    found = coefficients.Coefficients({}, known, {})
    wide = 0.2 * coefficients.ROUGH
    assert found.spread("several GPUs on servers").p90 == pytest.approx(0.2)
    assert found.spread("several GPUs on servers, sglang", "several GPUs on servers").p90 == pytest.approx(wide)
    assert found.spread("decode experts, Metal", "decode experts").p10 == pytest.approx(-wide)
    assert found.spread("decode gddr, Metal", "decode gddr").p90 == pytest.approx(0.2)
    assert found.spread("prefill gddr, Metal", "prefill gddr").p90 == pytest.approx(wide)  # rough besides


def test_a_class_of_few_gpus_is_filled_up_with_what_other_classes_were_off() -> None:
    def pairs(kind: str, gpus: int, off: float) -> list[tuple[Sample, float]]:
        return [(Sample((f"s{n % 3}", f"{kind}{n}"), kind, {}, 1.0, f"{kind}{n}"), off) for n in range(gpus)]

    far = pairs("far", 10, 0.4)
    assert fit.spread("near", [*pairs("near", 2, 0.01), *far]).p90 == pytest.approx(0.4 * coefficients.ROUGH)
    assert fit.spread("near", [*pairs("near", 9, 0.01), *far]).p90 == pytest.approx(0.01)


def test_the_same_error_on_every_gpu_widens_the_interval_instead_of_moving_it_off_the_estimate() -> None:
    leaning = [(Sample(("s", f"g{i}"), "k", {}, 1.0, f"p{i}"), 0.2) for i in range(6)]
    found = fit.spread("k", leaning)
    assert found.p10 == pytest.approx(-found.p90)
    assert found.p90 >= 0.2


def test_a_back_end_has_a_spread_of_its_own_from_four_gpus_on() -> None:
    def pairs(gpus: int) -> list[tuple[Sample, float]]:
        """Many GPUs that hardly err, and a few of another back end that err ten times as much."""
        near = [(Sample(("s", f"n{i}"), "decode gddr", {}, 1.0, f"n{i}", "near"), 0.02 * (-1) ** i) for i in range(12)]
        far = [(Sample(("s", f"f{i}"), "decode gddr", {}, 1.0, f"f{i}", "far"), 0.2 * (-1) ** i) for i in range(gpus)]
        return near + far

    assert set(fit.spreads(pairs(3), ())) == {"decode gddr", "near"}
    found = fit.spreads(pairs(4), ())
    assert set(found) == {"decode gddr", "far", "near"}
    assert found["far"].p10 == found["decode gddr"].p10 < found["near"].p10
    assert found["decode gddr"].gpus == 16


def test_a_batch_that_arithmetic_holds_up_has_a_wider_interval_than_one_that_reads() -> None:
    found, model = coefficients.load(), load().find("llama-3.1-8b")
    card = inputs.cards(committed())["nvidia-h100-sxm5-80gb"]

    def width(batch: int, prompt: int) -> float:
        asked = Request(engine="vllm", batch=batch, context=prompt + 256, prompt_tokens=prompt)
        told = estimate(card, model, asked, found).decode_tokens_per_s
        assert told is not None
        return told.p90 / told.median

    assert width(256, 8192) > 1.2 * width(4, 256)


def test_amd_cards_get_the_interval_of_their_own_back_end() -> None:
    found = coefficients.load()
    finer = "decode gddr, llama.cpp 2026-07 ROCm or Vulkan"
    assert found.spread_name(finer, "decode gddr") == finer
    assert found.spread(finer).p10 < found.spread("decode gddr").p10


def test_prompts_on_amd_cards_get_the_interval_of_their_own_back_end() -> None:
    found, model, known = coefficients.load(), load().find("llama-3.1-8b-instruct"), inputs.cards(committed())
    asked = Request("q4_k_m", "llama.cpp", 1024)
    finer, kind = fit.kinds_of(known["amd-radeon-rx-7900-xtx"], model, asked, {}, prompt=True)
    assert (finer, kind) == ("prefill gddr, llama.cpp 2026-07 ROCm or Vulkan", "prefill gddr")
    assert found.spread_name(finer, kind) == finer
    assert found.spread(finer).p10 < found.spread("prefill gddr, llama.cpp 2024-05").p10


@pytest.mark.parametrize(
    ("gpu", "kind", "eight", "sixteen"),
    [
        ("nvidia-p40", engines.DOT, 4, 1),
        ("nvidia-p100-pcie-16gb", engines.NEITHER, 1, 1),
        ("nvidia-geforce-gtx-1660-super", engines.DOT, 4, 1),
        ("nvidia-geforce-rtx-2060-laptop", engines.MATRIX, 16, 8),
        ("nvidia-geforce-rtx-3060-12gb", engines.MATRIX, 8, 4),
        ("nvidia-a100-pcie-80gb", engines.MATRIX, 32, 16),
        ("nvidia-v100-pcie-16gb", engines.MATRIX, 8, 8),
        ("nvidia-l40", engines.MATRIX, 4, 2),
        ("amd-radeon-rx-5700-xt", engines.NEITHER, 1, 1),
        ("amd-radeon-rx-6800", engines.DOT, 4, 1),
        ("amd-radeon-rx-7900-xtx", engines.MATRIX, 2, 2),
        ("intel-arc-a770-16gb", engines.DOT, 4, 1),
        ("intel-arc-b580", engines.MATRIX, 16, 8),
        ("apple-m2-max", engines.NEITHER, 1, 1),
    ],
)
def test_what_multiplies_weights_is_known_of_every_kind_of_card(
    gpu: str, kind: str, eight: float, sixteen: float
) -> None:
    card = inputs.cards(committed())[gpu]
    assert engines.multiplier(card) == kind
    assert engines.times_shaders(card, packed=True) == pytest.approx(eight, rel=0.07)
    assert engines.times_shaders(card, packed=False) == pytest.approx(sixteen, rel=0.07)


def test_how_often_matrix_cores_multiply_is_read_from_the_peaks_of_a_card_or_of_its_kind() -> None:
    known = inputs.cards(committed())
    peaks = known["nvidia-h20"].peaks  # held back: a seventh of what other Hoppers do
    own = peaks["peak:int8:int32:dense:tensor"] / known["nvidia-h20"].vector
    assert known["nvidia-h20"].times[0] == pytest.approx(own, rel=0.01)
    silent = known["nvidia-geforce-rtx-2060-laptop"]
    assert not any(field.startswith("peak:int8") for field in silent.peaks)
    assert silent.times[0] == pytest.approx(known["nvidia-geforce-rtx-2080-ti"].times[0], rel=0.02)
    assert inputs.card(committed().gpus[silent.id]).times == types.MATRIX_TIMES  # alone it tells nothing


def prompt_speed(gpu: str, quant: str) -> float:
    known, model = inputs.cards(committed()), load().find("llama-3.1-8b-instruct")
    answer = estimate(known[gpu], model, Request(quant, "llama.cpp", 1024, prompt_tokens=512), coefficients.load())
    assert answer.prefill_tokens_per_s
    return answer.prefill_tokens_per_s.median


def test_unpacking_k_types_costs_a_card_with_matrix_cores_less_than_one_with_dot_products() -> None:
    with_cores, without = (
        prompt_speed(gpu, "q4_0") / prompt_speed(gpu, "q4_k_m")
        for gpu in ("nvidia-geforce-rtx-3090", "amd-radeon-rx-6800")
    )
    assert 1.0 <= with_cores < 1.25 < 1.6 < without


def test_a_pascal_reads_prompts_without_the_matrix_cores_of_a_turing() -> None:
    turing, pascal = (inputs.cards(committed())[gpu] for gpu in ("nvidia-geforce-rtx-2080-ti", "nvidia-p40"))
    slower = prompt_speed(pascal.id, "q4_0") / prompt_speed(turing.id, "q4_0")
    assert slower < 0.7 * pascal.vector / turing.vector


def test_every_spread_has_a_sentence_that_says_how_many_runs_on_how_many_gpus() -> None:
    for name, one in coefficients.load().spreads.items():
        if name == fit.REPEATED:
            continue
        said = words.basis(name, one)
        assert f"estimated from {one.points} measured " in said
        assert f" on {one.gpus} " in said
        assert said.startswith("rough") == one.rough


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
    with pytest.raises(EstimateError, match="tells how much of the bandwidth is reached"):
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


def test_no_source_that_is_set_aside_enters_a_fit() -> None:
    aside, fitted = measured.never_fitted(), set(coefficients.load().sets)
    assert not aside & fitted
    found = inputs.points(committed(), load())
    assert not aside & {p.set for p in (*found.decode, *found.prefill, *found.serving)}


def test_batches_of_a_document_are_read_with_network_gpus_cache_and_lengths_as_it_states_them() -> None:
    read = inputs.points(committed(), load())
    served = {point.key: point for point in (*read.apart, *read.serving)}

    def said(source: str, row: int) -> tuple[object, ...]:
        asked = (point := served[f"{source}: {source}.csv, row {row}"]).request
        return point.model.id, asked.quant, asked.kv_bits, asked.gpus, asked.batch, asked.prompt_tokens, asked.context

    def rate(source: str, row: int) -> float:
        return served[f"{source}: {source}.csv, row {row}"].value

    # NVIDIA states the rate of one GPU, AMD the seconds of a batch, Qwen the rate of prompt and answer together.
    assert said("nvidia-tensorrt-llm-0-9-0", 15) == ("llama-2-70b-chat-hf", "fp8", 8, 4, 512, 128, 2176)
    assert rate("nvidia-tensorrt-llm-0-9-0", 15) == 2725 * 4
    assert said("rocm-vllm", 33) == ("llama-3.1-405b-instruct", "fp8", 16, 8, 128, 2048, 4096)
    assert rate("rocm-vllm", 33) == pytest.approx(128 * 2048 / 125.471, rel=1e-4)
    assert said("rocm-vllm", 34) == ("llama-3.1-70b-instruct", "fp8", 16, 8, 1, 128, 2176)
    assert rate("rocm-vllm", 34) == pytest.approx(2048 / 19.08859, rel=1e-4)
    assert said("qwenlm-qwen3", 5) == ("qwen3-0.6b", "f16", 16, 1, 1, 6144, 8192)
    assert rate("qwenlm-qwen3", 5) == pytest.approx(1426.46 * 2048 / 8192, rel=1e-4)
    assert said("btbtyler09-mi100-llm-testing", 4)[:2] == ("llama-3.3-70b-instruct", "int8")


def test_of_requests_sent_all_at_once_those_count_that_were_at_work() -> None:
    streams = {
        found[1]: p.request.batch
        for p in inputs.points(committed(), load()).serving
        if p.set == "gpustack-performance-lab" and (found := re.search(r"row (\d+)", p.key))
    }
    # Of 1,000 requests at once TensorRT-LLM on an A100 answers 725, writing 2,771 tokens/s, one each 261.8 ms.
    assert streams["187"] == 725 == round(2770.99 * 0.26177)
    assert streams["318"] == 2  # two at a time, as the source says


def test_a_source_that_comes_later_moves_no_other() -> None:
    first = [f"source-{at}" for at in range(9)]
    aside = measured.set_aside(first, (), ())
    assert aside == set(measured.every_third(first, ()))
    later = [f"later-{at}" for at in range(30)]
    together = measured.set_aside([*first, *later], (), later)
    assert together & set(first) == aside
    assert 5 <= len(together & set(later)) <= 15  # by its own place one in three goes aside


def test_the_sources_set_aside_are_every_third_by_the_hash_of_their_names() -> None:
    written = yaml.safe_load(measured.SPLIT.read_text(encoding="utf-8"))
    kinds = {row.source: row.workload for row in committed().benchmarks}
    for workload in ("inference", "training"):
        sources = {name for name in (*written["fitted"], *written["never_fitted"]) if kinds.get(name) == workload}
        aside = measured.set_aside(sources, written["alone"], written["added"])
        assert aside == sources & set(written["never_fitted"]), workload
        assert len(aside) >= len(sources) / 3 - 1
    read = {p.set for p in (*inputs.points(committed(), load()).apart, *inputs.points(committed(), load()).serving)}
    assert read <= {*written["fitted"], *written["never_fitted"]}


def test_with_experts_in_main_memory_a_rough_interval_ends_where_memory_does() -> None:
    terms = {"1/eta gddr": 0.004, "1/eta host": 0.01, "t0 host": 0.002}
    values = {name: coefficients.load().values[name] for name in ("1/eta gddr", "1/eta host")}
    few = coefficients.Coefficients(values, {}, {})
    most = seconds(terms, few) / 0.014  # at all of both bandwidths
    told = estimated.around(20.0, terms, coefficients.Spread(-0.1, 0.1, 7, 4, 1, rough=True), few)
    assert (told.p10, told.p90) == (pytest.approx(20 / most), pytest.approx(20 * most))
    many = estimated.around(20.0, terms, coefficients.Spread(-0.1, 0.1, 70, 14, 4), few)
    assert told.p10 < many.p10 < many.p90 < told.p90


def test_pages_on_experts_in_main_memory_are_fitted_and_tested_in_turn_by_the_hash_of_their_address() -> None:
    with inputs.READ_HOSTED.open(encoding="utf-8", newline="") as file:
        uses = {row["url"]: row["use"] for row in csv.DictReader(file)}
    ordered = sorted(uses, key=lambda url: hashlib.sha256(url.encode()).hexdigest())
    assert [uses[url] for url in ordered] == [("fit", "test")[at % 2] for at in range(len(ordered))]


def test_of_forty_public_memory_cases_at_most_two_are_wrong_and_none_falsely_fits() -> None:
    rows = validation.case_rows(inputs.cards(committed()), load())
    assert len(rows) >= 40
    assert {row.request.task for row in rows} == {"serve", "train", "lora", "qlora"}
    assert {row.model.kind for row in rows} == {"language", "diffusion"}
    assert sum(row.fits for row in rows) >= 15 <= sum(not row.fits for row in rows)
    assert [row.locator for row in rows if row.predicted and not row.fits] == []
    assert len([row.locator for row in rows if not row.right]) <= 2


def test_a_coefficient_that_runs_push_below_what_hardware_can_do_stays_at_that() -> None:
    name = "1/eta, vllm, hbm, NVIDIA, Hopper"
    found = fit.solve([Sample((f"s{i}", f"g{i}"), "k", {name: 1.0}, 0.1, str(i)) for i in range(9)])
    assert found[name] == fit.AT_LEAST["1/eta"]


def test_attention_that_no_prompt_of_a_maker_tells_is_taken_from_all_makers() -> None:
    def prompts(maker: str, took: float) -> list[Sample]:
        term = {f"attention, {maker}": 1.0}
        return [Sample((f"{maker} {i}", f"{maker} {i}"), "k", term, took, f"{maker} {i}") for i in range(9)]

    known, at_once = prompts("NVIDIA", 5.0), prompts("AMD", 0.5)
    found = fit.solve([*known, *at_once])
    assert found["attention, NVIDIA"] == pytest.approx(5, rel=0.1)
    assert "attention, AMD" not in found  # faster than its peak: nothing was told
    assert fit.nearest(found, "attention, AMD") == found["attention"] >= fit.AT_LEAST[fit.ATTENTION]


def test_eight_mi300x_are_estimated_within_their_interval_and_far_from_a_tenth_of_it() -> None:
    rows = [r for r in validation.apart_rows(inputs.points(committed(), load())) if r.point.card.id.endswith("mi300x")]
    eight = [r for r in rows if r.point.request.gpus == 8]
    assert len(eight) >= 10
    # They are runs of vLLM 0.6.4. Since those of 0.10.0 are fitted, few streams come out a third too fast.
    assert sum(r.covered for r in eight) >= 0.6 * len(eight)
    assert all(-0.5 < r.error < 4 for r in eight)


def test_a_short_context_keeps_its_speed_because_the_prompt_shrinks_with_it() -> None:
    card, model = inputs.cards(committed())["nvidia-geforce-rtx-4090"], load().find("llama-3.1-8b-instruct")
    rates = []
    for context in (512, 1024):
        asked = Request(quant="f16", engine="vllm", context=context, batch=16)
        found = estimate(card, model, asked, coefficients.load()).decode_tokens_per_s
        assert found is not None
        rates.append(found.median)
    assert 0.8 < rates[1] / rates[0] < 1.25


def test_every_regime_is_reported_on_sources_that_no_fit_saw() -> None:
    rows = {row.regime: row for row in validation.validate(committed()).regimes}
    assert set(rows) == set(validation.GOALS)
    for row in rows.values():
        assert sum(count for _, count, _ in row.by_source) == row.points
        assert row.fitted_points >= 100 or row.regime == HOSTED
    assert rows["single stream"].sources >= 3


def test_no_interval_reaches_above_what_bandwidth_allows() -> None:
    cards, model, found = inputs.cards(committed()), load().find("llama-3.1-8b-instruct"), coefficients.load()
    reached = 0
    for name in ("intel-arc-pro-b60", "nvidia-geforce-rtx-4090", "nvidia-h100-sxm5-80gb", "apple-m2-ultra"):
        for engine in ("llama.cpp", "vllm"):
            told = estimate(cards[name], model, Request("f16", engine, 2048), found).decode_tokens_per_s
            if told is not None:
                most = cards[name].memory_bandwidth_gb_s * 1e9 / (2 * shape_of(model).active)
                assert told.p90 <= max(told.median, most) * 1.001, (name, engine)
                reached += told.p90 > 0.9 * most
    assert reached  # at least one would be above it


# ------------------------------------------------------------------ reading points and labels


def test_a_run_out_of_memory_in_the_overview_alone_is_a_label_at_all_four_contexts() -> None:
    row = {"value": None, "flag": "out of memory", "locator": "overview_llama3_tokens_per_second.csv, row 2"}
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
    assert len(inputs.points(dataset(row, memory=24), load()).decode) == 1
    (left,) = inputs.points(dataset(row, memory=6), load()).excluded
    assert "may have run on the CPU" in left.reason


def test_a_run_without_a_stated_quantization_is_left_out() -> None:
    row = {"source": inputs.LLMFIT, "model": "llama-3.1-8b-instruct", "precision": "", "batch": "1 stream"}
    (left,) = inputs.points(dataset(row), load()).excluded
    assert "no quantization is stated" in left.reason


def test_a_model_that_the_registry_lacks_is_left_out_by_name() -> None:
    (left,) = inputs.points(dataset({"model": "Unheard-Of 9B"}), load()).excluded
    assert "unknown model" in left.reason


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama-3.1-8b-instruct"),
        ("meta-llama_Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama-3.1-8b-instruct"),
        ("Qwen3-8B-GGUF:Q4_K_M", "qwen3-8b"),
        ("Qwen3-8B.Q4_K_M.gguf", "qwen3-8b"),
        ("internlm2_5-1_8b-chat-Q4_K_M.gguf", "unknown model 'internlm2_5-1_8b-chat'"),
        ("mistralai_Voxtral-9000-Q4_K_M.gguf", "unknown model 'Voxtral-9000'"),
    ],
)
def test_a_publisher_and_a_quantization_are_cut_off_a_models_name_and_a_version_is_not(
    written: str, found: str
) -> None:
    row = {"source": inputs.LLMFIT, "model": written, "batch": "1 stream"}
    read = inputs.points(dataset(row, memory=80), load())
    assert [p.model.id for p in read.decode] == [found] or found in read.excluded[0].reason


def test_a_repeat_far_under_the_best_run_of_the_same_gpu_is_left_out() -> None:
    row = {"source": inputs.LLMFIT, "model": "Qwen3-8B-Q4_K_M", "batch": "1 stream"}
    rows = [row | {"value": value, "locator": str(value)} for value in (100.0, 49.0, 51.0)]
    found = inputs.points(dataset(*rows), load())
    assert sorted(p.value for p in found.decode) == [51, 100]
    assert found.excluded[0].reason == "under half the 100 tokens/s of the same model on the same GPU"


def test_points_of_other_engines_are_left_out_for_that_and_not_for_their_names() -> None:
    row = {"source": inputs.LLMFIT, "model": "Qwen3-8B-4bit", "software": "MLX", "batch": "1 stream"}
    assert inputs.points(dataset(row), load()).excluded[0].reason == "another engine, with too few points"


# ------------------------------------------------------------------ points read by hand


def hand_read() -> list[dict[str, str]]:
    with inputs.READ_POINTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_no_gpu_stands_on_both_sides_of_the_line_between_fit_and_test() -> None:
    sides = {use: {row["gpu"] for row in hand_read() if row["use"] == use} for use in ("fit", "test")}
    assert not sides["fit"] & sides["test"]
    assert {row["use"] for row in hand_read()} == {"fit", "test"}


def test_the_gpus_of_each_back_end_and_memory_are_shared_evenly_between_fit_and_test() -> None:
    known, sides = inputs.cards(committed()), {row["gpu"]: row["use"] for row in hand_read()}
    uses: dict[tuple[str, str], list[str]] = {}
    for gpu, use in sides.items():
        group = (engines.backend(engines.find("llama.cpp"), known[gpu]), known[gpu].memory_class)
        uses.setdefault(group, []).append(use)
    for group, found in uses.items():
        assert 0 <= found.count("fit") - found.count("test") <= 1, group


def test_every_point_read_by_hand_is_read_and_carries_address_place_and_dates() -> None:
    rows, known = hand_read(), committed()
    found = inputs.points(known, load())
    ours = [p for p in found.measured if p.set == READ]
    assert len(ours) == len({p.key for p in ours}) == len(rows)
    for row in rows:
        assert row["url"].startswith("https://") and row["locator"]
        assert re.fullmatch(r"\d{4}-\d\d(-\d\d)?", row["date"]) and date.fromisoformat(row["retrieved"])
    assert len([p for p in found.apart if not p.model.experts]) >= 40


def test_the_fit_never_sees_a_point_that_is_kept_apart_and_an_answer_does() -> None:
    found = inputs.points(committed(), load())
    kept = {p.key for p in found.apart}
    assert kept and not kept & {p.key for p in found.decode}
    assert not kept & set(validation.predictions())
    answering = {p.key for p in found.apart if p.set == READ and p.kind == "decode" and p.regime != HOSTED}
    assert answering < {p.key for p in found.measured}


@pytest.mark.parametrize(
    ("unstated", "kind"),
    [
        ({"architecture": "Volta", "memory_gb": 16.0, "memory_bandwidth_gb_s": 900.0}, "hbm"),
        ({"architecture": "Ampere", "memory_gb": 40.0, "memory_bandwidth_gb_s": 1555.0}, "hbm"),
        ({"architecture": "Ampere", "memory_gb": 24.0, "memory_bandwidth_gb_s": 600.0}, "gddr"),
        ({"architecture": "Blackwell", "memory_gb": 96.0, "memory_bandwidth_gb_s": 1597.0}, "gddr"),
        ({"architecture": "Blackwell", "memory_gb": 128.0, "memory_bandwidth_gb_s": 273.0}, "unified"),
        ({"architecture": "Ampere", "memory_gb": 8.0, "memory_bandwidth_gb_s": 102.0, "segment": "edge"}, "unified"),
        ({"architecture": "Maxwell", "memory_gb": 24.0, "memory_bandwidth_gb_s": 288.0}, "gddr"),
        ({"architecture": "Maxwell", "memory_gb": None, "memory_bandwidth_gb_s": None}, "gddr"),
    ],
)
def test_a_memory_whose_type_nobody_states_is_classed_by_its_speed(unstated: dict[str, object], kind: str) -> None:
    gpu = replace(dataset().gpus["card"], memory_type="", **unstated)  # type: ignore[arg-type]
    assert inputs.card(gpu).memory_class == kind


@pytest.mark.parametrize(
    ("typed", "gpu", "memory_gb"),
    [
        ("Apple M2 Ultra 192GB", "apple-m2-ultra", 192),
        ("rtx 4090", "nvidia-geforce-rtx-4090", None),
        ("4090", "nvidia-geforce-rtx-4090", None),
        ("7900xtx", "amd-radeon-rx-7900-xtx", None),
        ("gb10", "nvidia-gb10", None),
        ("mi50", "amd-instinct-mi50-16gb", None),
        ("RTX 4060 Ti", "nvidia-geforce-rtx-4060-ti-8gb", None),
        ("rtx 4060 ti 16gb", "nvidia-geforce-rtx-4060-ti-16gb", None),
        ("5060 ti 16gb", "nvidia-geforce-rtx-5060-ti-16gb", None),
        ("5060 ti 8 GB", "nvidia-geforce-rtx-5060-ti-8gb", None),
        ("Strix Halo", "amd-ryzen-ai-max-plus-395", None),  # a family of which one part is listed
    ],
)
def test_names_as_people_type_them_find_a_gpu(typed: str, gpu: str, memory_gb: float | None) -> None:
    record, stated = inputs.find_gpu(committed(), typed)
    assert (record.id, stated) == (gpu, memory_gb)


@pytest.mark.parametrize("typed", ["a100", "h100", "rtx pro 6000", "arc a770"])
def test_a_name_of_cards_that_differ_in_speed_is_asked_back(typed: str) -> None:
    with pytest.raises(EstimateError, match=r"may be .*; name one of them"):
        inputs.find_gpu(committed(), typed)


def test_a_name_that_several_gpus_share_names_those_and_no_other() -> None:
    with pytest.raises(EstimateError) as caught:
        inputs.find_gpu(committed(), "A100")
    assert "nvidia-rtx-a1000" not in str(caught.value)


@pytest.mark.parametrize("typed", ["", "no such card"])
def test_a_name_of_no_card_is_an_error(typed: str) -> None:
    with pytest.raises(EstimateError, match="no GPU is called"):
        inputs.find_gpu(committed(), typed)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("Jetson Orin AGX", "nvidia-jetson-agx-orin-64gb"), ("MacBook Pro M3 Max", "did you mean apple-m3-max")],
)
def test_a_name_that_is_nearly_that_of_a_card_gets_it_suggested(typed: str, meant: str) -> None:
    with pytest.raises(EstimateError, match=f"no GPU is called '{typed}'; did you mean .*\\?") as caught:
        inputs.find_gpu(committed(), typed)
    assert meant in str(caught.value)


def test_every_back_end_of_the_table_is_that_of_a_card() -> None:
    cards = inputs.cards(committed()).values()
    kinds = {c.vendor for c in cards} | {f"{c.vendor} {c.architecture}" for c in cards}
    assert all(set(own) <= kinds for own in engines.BACK_ENDS.values())


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


PEAKS = {
    "nvidia-a100-sxm4-80gb": ("Ampere", 312.0),
    "nvidia-a100-sxm4-40gb": ("Ampere", 312.0),
    "nvidia-h100-sxm5-80gb": ("Hopper", 989.4),
}
TRAINERS = {
    name: replace(
        CARDS[0], id=name, architecture=arch, memory_type="HBM3", peaks={"peak:bf16:fp32:dense:tensor": tflops}
    )
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
    found = coefficients.load()
    full, lora, begun, many = (
        training.gpu_hours(card, model, 1e9, Request(task=task, batch=4096, gpus=gpus, recompute=True), known, found)
        for task, gpus in (("full", 8), ("lora", 8), ("train", 8), ("train", 9))
    )
    assert lora.median / full.median == pytest.approx(
        (4 + 2) / (6 + 2), rel=0.001
    )  # with a forward pass worked out anew
    assert begun == full  # on one machine a run is as fast as its steps
    # Published runs on more are counted without what they worked out anew, and so is what they tell of others.
    assert many.median == pytest.approx(
        6 * shape_of(model).active * 1e9 / (989.4e12 * 3600) / training.expected_share("Hopper", known).median
    )
    for hours in (full, many):
        assert hours.p10 < hours.median < hours.p90


def test_more_sequences_at_a_time_train_faster() -> None:
    cards, found, model = inputs.cards(committed()), coefficients.load(), load().find("llama-3.2-1b")
    active, layers = shape_of(model).active, shape_of(model).layers
    for name in ("nvidia-a100-sxm4-80gb", "nvidia-geforce-rtx-4090"):
        for task in ("train", "full", "lora", "qlora"):
            few, many = (
                training.tuned_tokens_per_s(cards[name], active, layers, Request(task=task, batch=batch), found).median
                for batch in (4, 32)
            )
            assert 1.02 * few < many < 3 * few, (name, task)


STEP = Request(task="full", batch=8, context=2048, gpus=8, recompute=False)


def tuned_step(value: float = 20_000.0, request: Request = STEP, size: float = 1.0) -> Tuned:
    """A measured step on an A100 of a network so many times as large as Llama 3.2 1B."""
    active = shape_of(load().find("llama-3.2-1b")).active * size
    card = inputs.cards(committed())["nvidia-a100-sxm4-80gb"]
    return Tuned("step", "set", card, request, active, 16, value, "2026-01", "PyTorch")


@pytest.mark.parametrize(
    ("near", "asked", "size"),
    [
        (True, {}, 1.0),
        (True, {"task": "train"}, 1.0),  # the steps are the same
        (True, {}, 1.0699),
        (False, {}, 1.0701),
        (True, {}, 1 / 1.0699),
        (False, {}, 1 / 1.0701),
        (True, {"batch": 2}, 1.0),
        (False, {"batch": 1}, 1.0),
        (True, {"batch": 32}, 1.0),
        (False, {"batch": 33}, 1.0),
        (False, {"context": 2047}, 1.0),
        (False, {"task": "lora"}, 1.0),
        (False, {"quant": "fp8"}, 1.0),
        (False, {"task": "train", "gpus": 9}, 1.0),
    ],
)
def test_a_measured_step_answers_for_what_is_near_it(near: bool, asked: dict[str, Any], size: float) -> None:
    model, known = load().find("llama-3.2-1b"), tuned_step(size=size)
    found = training.measured_step(model, replace(STEP, **asked), [known])
    assert (found is known) is near


def test_of_a_larger_machine_and_of_experts_no_measured_step_tells() -> None:
    model, known, found = load().find("llama-3.2-1b"), tuned_step(), training.measured_step
    assert found(model, STEP, [replace(known, request=replace(STEP, gpus=9))]) is None
    assert found(replace(model, experts=8), STEP, [known]) is None
    nearer = tuned_step(size=1.01)
    assert found(model, STEP, [tuned_step(size=1.05), nearer, tuned_step(size=1.04)]) is nearer


def test_what_a_measured_step_tells_of_others_holds_its_own_speed() -> None:
    model, fitted = load().find("llama-3.2-1b"), coefficients.load()
    step = tuned_step()
    same, fewer = (
        training.carried(step, step.card, step.card, model, replace(STEP, batch=batch), fitted) for batch in (8, 2)
    )
    assert same.median == pytest.approx(20_000)
    assert same.p10 < 20_000 < same.p90
    assert fewer.median < 0.95 * same.median and fewer.p90 >= 20_000


def test_a_measured_step_is_carried_to_a_card_of_the_same_chip_as_the_formulas_have_it() -> None:
    model, fitted, cards = load().find("llama-3.2-1b"), coefficients.load(), inputs.cards(committed())
    full, lesser = cards["nvidia-h100-sxm5-80gb"], cards["nvidia-h100-pcie-80gb"]
    step = replace(tuned_step(), card=full)
    found = training.carried(step, full, lesser, model, STEP, fitted)
    active, layers = shape_of(model).active, shape_of(model).layers
    of_each = [training.tuned_tokens_per_s(card, active, layers, STEP, fitted) for card in (lesser, full)]
    assert found.median / 20_000 == pytest.approx(of_each[0].median / of_each[1].median)
    assert found.p90 / found.median == pytest.approx(math.exp(fitted.spread(training.TUNED).p90))
    told = training.measured_statement(step, full, lesser, 1)
    assert told.startswith("carried over from the NVIDIA H100 SXM5 80GB, which has the same chip (measured 2026-01 ")
    assert training.same_chip(committed(), {full.id})[lesser.id] == [full.id]
    assert full.id not in training.same_chip(committed(), {full.id})
    assert "nvidia-b200" not in training.same_chip(committed(), {full.id})


def test_no_estimate_exceeds_a_measured_step_by_more_than_peaks_or_bandwidths_do() -> None:
    model, fitted, cards = load().find("llama-3.2-1b"), coefficients.load(), inputs.cards(committed())
    known, newer = cards["nvidia-h100-sxm5-80gb"], cards["nvidia-b200"]
    step = replace(tuned_step(), card=known)
    measured = training.carried(step, known, known, model, STEP, fitted).median
    ratio = max(newer.trained / known.trained, newer.memory_bandwidth_gb_s / known.memory_bandwidth_gb_s)
    for times, limited in ((1.1, True), (0.9, False)):
        middle = measured * ratio * times
        each, said = training.held(
            Interval(middle, middle / 2, middle * 2), [(step, known)], newer, model, STEP, fitted
        )
        assert each.median == pytest.approx(min(middle, measured * ratio))
        assert (each.p10 / each.median, each.p90 / each.median) == pytest.approx((0.5, 2))
        assert bool(said) == limited
    low = Interval(measured * ratio * 2, measured, measured * 9)
    assert training.held(low, [(step, known)], newer, model, STEP, fitted)[1] == (
        "held to 2.30 times what was measured on the NVIDIA H100 SXM5 80GB, the ratio of the two cards' bandwidths"
    )


def test_measured_training_of_small_networks_and_of_adapters_lies_inside_what_is_estimated() -> None:
    """An outside reader found what was measured 1.3 to 2.6 times as fast as what was estimated for it."""
    known, fitted = inputs.points(committed(), load()).steps, coefficients.load()
    ratios = {}
    for one in known:
        asked = one.request
        small = one.active < 1.4e9 and asked.context == 2048 and asked.gpus == 8 and one.set == "mosaicml-llm-foundry"
        if (small or one.set == "pytorch-torchtune") and one.request.quant == "f16":
            rate = training.tuned_tokens_per_s(one.card, one.active, one.layers, asked, fitted)
            assert rate.p10 < one.value < rate.p90, one.key
            ratios[one.key] = one.value / rate.median
    assert len(ratios) >= 6
    assert all(0.75 < ratio < 1.33 for ratio in ratios.values()), ratios


def test_a_step_of_fine_tuning_in_8_bit_is_faster_a_short_one_waits_and_4_bit_weights_cost() -> None:
    card, found = inputs.cards(committed())["nvidia-h100-sxm5-80gb"], coefficients.load()

    def rate(task: Task, tokens: int, quant: str = "f16") -> float:
        asked = Request(task=task, context=tokens, quant=quant, recompute=True)
        return training.tuned_tokens_per_s(card, 8e9, 32, asked, found).median

    assert 1.2 < rate("full", 8192, "fp8") / rate("full", 8192) < 2
    assert rate("lora", 64) == pytest.approx(rate("lora", 128) / 2)  # both take as long as their layers do
    assert rate("lora", 8192) == pytest.approx(rate("lora", 16384), rel=0.1)
    assert rate("qlora", 2048) < rate("qlora", 8192) < rate("lora", 8192)


def test_a_maker_whose_cards_no_fine_tuning_measured_gets_a_wider_interval_and_a_word_on_it() -> None:
    found = coefficients.load()
    ours, theirs = (replace(TRAINERS["nvidia-h100-sxm5-80gb"], vendor=maker) for maker in ("NVIDIA", "Intel"))
    asked = Request(task="lora", context=2048, recompute=True)
    near, far = (training.tuned_tokens_per_s(card, 8e9, 32, asked, found) for card in (ours, theirs))
    assert far.median / far.p10 > near.median / near.p10
    assert far.p90 <= 989.4e12 / (6 * 8e9)  # all of the peak
    said = [training.statement(card, asked, [], found) for card in (ours, theirs)]
    assert "stand in" not in said[0]
    assert "runs of a wider class (all kinds) stand in for it" in said[1]


def test_an_architecture_without_runs_takes_those_of_the_reference_as_mlperf_compares_them() -> None:
    own = training.shares(training.load(), TRAINERS, load())
    kept = {"Hopper": [2.0, 2.0, 4.0], "CDNA 3": [1.0, 1.5, 0.5], "Ampere": [9.0] * 5, "Rubin": [1.0, 1.0]}
    known = own + training.carried_over(own, kept)

    hopper, carried = (training.expected_share(name, known) for name in ("Hopper", "CDNA 3"))
    assert carried.median == pytest.approx(hopper.median / 2)
    assert (carried.p10, carried.p90) == pytest.approx((hopper.p10 / 2, hopper.p90 / 2))
    # Ampere has runs of its own, Rubin too few results: both as if nothing were compared.
    assert training.expected_share("Ampere", known) == training.expected_share("Ampere", own)
    assert training.expected_share("Rubin", known) == training.expected_share("Rubin", own)
    assert training.carried_over(own, {"CDNA 3": [1.0] * 9}) == []


def test_an_estimate_of_training_says_on_which_runs_it_rests() -> None:
    own = training.shares(training.load(), TRAINERS, load())
    known = own + training.carried_over(own, {"Hopper": [2.0] * 3, "CDNA 3": [1.0] * 4})
    said = {
        name: training.statement(
            replace(CARDS[0], architecture=name, memory_type="HBM3"),
            Request(task="train", gpus=9),
            known,
            coefficients.load(),
        )
        for name in ("Hopper", "CDNA 3", "RDNA 4")
    }
    runs = sum(share.architecture == "Hopper" for share in own)
    assert said["Hopper"].endswith(f"that {runs} published runs on Hopper kept")
    assert said["CDNA 3"].endswith(
        f"{runs} published runs on Hopper kept, and 4 MLPerf fine-tuning results that compare CDNA 3 with it"
    )
    assert said["RDNA 4"].endswith(f"{len(own)} published runs on other chips kept")


def test_a_chip_with_gddr_takes_nothing_from_runs_on_the_one_of_its_architecture_with_hbm() -> None:
    own = training.shares(training.load(), TRAINERS, load())
    known = own + training.carried_over(own, {"Hopper": [2.0] * 3, "Blackwell": [1.0] * 3})
    server = replace(CARDS[0], architecture="Blackwell", memory_type="HBM3e")
    said = training.statement(
        replace(server, memory_type="GDDR7"), Request(task="train", gpus=9), known, coefficients.load()
    )
    assert said.endswith(f"that {len(own)} published runs on other chips kept")
    pooled = training.expected_share("none of them", known)
    assert training.expected_share(training.family(replace(server, memory_type="GDDR7")), known) == pooled
    assert training.expected_share(training.family(server), known) != pooled


def test_of_two_cards_of_one_maker_the_one_that_is_better_in_every_figure_trains_faster() -> None:
    """What order the estimate puts the cards of a shop in: no answer may hang on whose sheet says more."""
    cards, found = inputs.cards(committed()), coefficients.load()
    shares = training.all_shares(committed(), cards, load())
    model = load().find("llama-3.1-8b-instruct")

    def hours(name: str, task: Task) -> float:
        asked = Request(task=task, context=2048, recompute=True)
        return training.gpu_hours(cards[name], model, 1e9, asked, shares, found).median

    better = (
        ("nvidia-geforce-rtx-5060-ti-16gb", "nvidia-geforce-rtx-4060-ti-16gb"),
        ("nvidia-geforce-rtx-5080", "nvidia-geforce-rtx-4080"),
        ("nvidia-geforce-rtx-3090-ti", "nvidia-geforce-rtx-3090"),
        ("nvidia-geforce-rtx-3090", "nvidia-rtx-a5000"),  # 350 against 230 W, 936 against 768 GB/s
        ("nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"),
    )
    for task in ("train", "full", "lora", "qlora"):
        for one, other in better:
            assert hours(one, task) < hours(other, task), (task, one, other)


def test_a_card_with_gddr_is_counted_in_training_with_the_rate_of_the_geforce_of_its_chip() -> None:
    cards = inputs.cards(committed())
    workstation, gamer = cards["nvidia-rtx-6000-ada"], cards["nvidia-geforce-rtx-4090"]
    assert workstation.trained == pytest.approx(2 * workstation.vector)
    assert workstation.tensor > 1.9 * workstation.trained
    assert gamer.trained == pytest.approx(gamer.tensor, rel=0.01)
    for name in ("nvidia-h100-sxm5-80gb", "amd-radeon-rx-7900-xtx", "intel-arc-b580"):
        assert cards[name].trained == cards[name].tensor


def test_no_tokens_and_no_peak_are_sentences() -> None:
    known = training.shares(training.load(), TRAINERS, load())
    model = load().find("llama-3.1-8b")
    with pytest.raises(EstimateError, match="tokens is 0"):
        training.gpu_hours(TRAINERS["nvidia-h100-sxm5-80gb"], model, 0, Request(), known, coefficients.load())
    with pytest.raises(EstimateError, match="no dense 16-bit rate of Card 0 is known"):
        training.gpu_hours(replace(CARDS[0], peaks={}), model, 1e9, Request(), known, coefficients.load())


# ------------------------------------------------------------------ the whole validation, on the committed dataset


def test_a_rough_class_of_memory_counts_only_where_its_interval_holds_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(memory: str, inside: int) -> list[validation.SpeedRow]:
        card = SimpleNamespace(memory_class=memory)
        about = [SimpleNamespace(point=SimpleNamespace(card=card), covered=place < inside) for place in range(10)]
        return cast("list[validation.SpeedRow]", about)

    rough = {"decode hbm": True, "decode gddr": False}
    known = SimpleNamespace(spread=lambda name: SimpleNamespace(rough=rough[name]))
    monkeypatch.setattr(coefficients, "load", lambda: known)
    assert validation._worst_class([*rows("hbm", 10), *rows("gddr", 9)]) == (0.9, 10)
    assert validation._worst_class([*rows("hbm", 6), *rows("gddr", 9)]) == (0.6, 10)


def test_every_target_of_the_validation_is_reached_on_the_committed_dataset() -> None:
    found = committed()
    if not any(row.source == inputs.XIONGJIE for row in found.benchmarks):
        pytest.skip("data/clean holds no llama.cpp results yet; run: make data")
    result = validation.validate(found)
    assert len(result.labels) == 496
    assert [finding.name for finding in result.findings if not finding.reached] == []
    assert result.rules["bandwidth / file size"] == pytest.approx(0.60, abs=0.01)
    assert result.rules["0.55 x bandwidth / file size"] == pytest.approx(0.27, abs=0.01)
