"""Results of sources: one spelling for each number format, and what theory refuses has its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from samples import committed, result

from pipeline.advise.estimate import inputs, models
from pipeline.core.networks import multiply_adds
from pipeline.core.paths import ROOT
from pipeline.core.schema import Claim, Result
from pipeline.dataset import Dataset
from pipeline.record import judge
from pipeline.record.reconcile import Ancestry, reconcile
from pipeline.record.results import ResultError, classified
from pipeline.site.charts.listed import CHARTS
from pipeline.site.pages import compare, conflicts

FIGURES = {
    "memory_gb": "24",
    "memory_bandwidth_gb_s": "1008",
    "peak:fp8:fp32:dense:tensor": "330.3",
    "peak:fp16:fp32:dense:tensor": "165.2",
    "peak:fp32:fp32:dense:vector": "82.6",
}


def card() -> Any:
    claims = [
        Claim("card", field, value, "", "sheet", "vendor", "https://e.org", "row", "2026-11-21", "not stated")
        for field, value in FIGURES.items()
    ]
    return reconcile(claims, Ancestry({}, {}))


def run(**changes: Any) -> Result:
    about = {"gpu": "card", "workload": "inference", "model": "Llama-2-7b-chat", "precision": "fp8", "gpu_count": 1}
    return result(
        **{**about, "batch": "1", "metric": "generation_speed", "value": 100.0, "unit": "tokens/s", **changes}
    )


def flag(**changes: Any) -> str:
    (one,) = judge.judged(classified([run(**changes)]), card(), {})
    return one.flag.partition(":")[0]


def lesser(count: int, bandwidth: float = 500.0) -> Any:
    claims = [
        Claim(
            f"lesser-{n}",
            "memory_bandwidth_gb_s",
            f"{bandwidth:g}",
            "GB/s",
            "sheet",
            "vendor",
            "https://e.org",
            "row",
            "2026-11-21",
            "not stated",
        )
        for n in range(count)
    ]
    return {**card(), **reconcile(claims, Ancestry({}, {}))}


@pytest.mark.parametrize(
    ("cards", "bandwidth", "speed", "flagged"),
    [(5, 500, 69.9, True), (5, 500, 70.0, False), (4, 500, 10.0, False), (5, 1008, 10.0, False)],
)
def test_writing_far_slower_than_lesser_cards_of_the_experiment_is_flagged(
    cards: int, bandwidth: float, speed: float, flagged: bool
) -> None:
    others = [run(gpu=f"lesser-{n}", precision="int4", value=100.0) for n in range(cards)]
    mine = run(precision="int4", value=speed)
    *kept, one = judge.judged(classified([*others, mine]), lesser(cards, bandwidth), {})
    assert one.flag.startswith(judge.HELD_BACK) == flagged
    assert not any(other.flag for other in kept)


@pytest.mark.parametrize(
    ("word", "precision", "quantisation"),
    [
        ("F16", "fp16", ""),
        ("Q4_K_M", "int4", "q4_k_m"),
        ("q4_k_m", "int4", "q4_k_m"),
        ("MXFP4", "fp4", "mxfp4"),
        ("clip1:fp32,unet:fp8", "mixed", "clip1: fp32, unet: fp8"),
        ("", "", ""),
    ],
)
def test_a_format_has_one_spelling(word: str, precision: str, quantisation: str) -> None:
    (one,) = classified([run(precision=word)])
    assert (one.precision, one.quantisation) == (precision, quantisation)


@pytest.mark.parametrize(
    ("changes", "quantisation"),
    [
        ({"model": "Llama-2-70b-hf, QLoRA"}, "4bit"),
        ({"batch": "Q-LoRA, micro 1"}, "4bit"),
        ({"model": "Llama-2-70b-hf, LoRA"}, ""),
        ({"model": "Llama-2-70b-hf, QLoRA", "quantisation": "gptq"}, "gptq"),
    ],
)
def test_adapters_on_a_four_bit_base_say_how_its_weights_are_packed(changes: dict[str, str], quantisation: str) -> None:
    (one,) = classified([run(precision="bf16", **changes)])
    assert (one.precision, one.quantisation) == ("bf16", quantisation)


@pytest.mark.parametrize(
    ("changes", "precision", "quantisation"),
    [
        ({"model": "llama3_1-70b-fp8_dyn"}, "fp8", ""),
        ({"model": "laguna-xs-2.1:mxfp8"}, "fp8", "mxfp8"),
        ({"model": "llama3_1-70b-fp8_dyn", "precision": "fp16"}, "fp16", ""),  # what the source says comes first
        ({"model": "llama3_1-70b-fp8_dyn", "workload": "training"}, "", ""),
        ({"model": "llama3_1-70b"}, "", ""),
        ({"model": "xfp80b"}, "", ""),
    ],
)
def test_a_format_that_only_the_network_s_name_says_is_taken_from_there(
    changes: dict[str, str], precision: str, quantisation: str
) -> None:
    (one,) = classified([run(**{"precision": "", **changes})])
    assert (one.precision, one.quantisation) == (precision, quantisation)


def test_a_format_that_cannot_be_in_a_quarter_of_a_closed_round_is_doubted_in_all_of_it() -> None:
    round = {"set": "mlperf-inference-v6.0", "model": "qwen3-vl-235b-a22b", "batch": "Offline", "precision": "fp32"}
    round |= {"metric": "offline_throughput", "unit": "samples/s"}
    small, large = run(**round, gpu_count=4), run(**round, gpu="other", gpu_count=400)
    apart = [replace(large, set="mlperf-inference-v6.0-open"), replace(large, precision="fp8")]
    first, second, *rest = judge.judged(classified([small, large, *apart]), card(), {})
    assert first.flag.startswith(judge.DOUBTED) and "take" in first.flag
    assert second.flag == f"{judge.DOUBTED}: in the same round the weights do not fit on card"
    assert [one.flag for one in rest] == ["", ""]
    assert not list(judge.judged(classified([small, *[large] * 4]), card(), {}))[-1].flag  # one of five


def test_a_format_that_no_table_knows_fails_the_build() -> None:
    with pytest.raises(ResultError, match=r"PRECISIONS in pipeline/record/results\.py"):
        list(classified([run(precision="float9")]))


def test_division_and_engine_are_read_from_the_source_s_words() -> None:
    (one,) = classified([run(set="mlperf-inference-v4.1-open", software="vLLM 0.5.2")])
    assert (one.division, one.engine) == ("open", "vLLM")
    (one,) = classified([run(set="mlperf-training-v5.1", software="PyTorch NVIDIA Release 25.09")])
    assert (one.division, one.engine) == ("closed", "PyTorch")


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, ""),
        ({"value": 150.0}, judge.REFUSED),  # 7 GB read 150 times a second from 1,008 GB/s
        ({"value": 150.0, "batch": "2"}, ""),
        ({"value": 150.0, "batch": "2 streams", "metric": "output_throughput"}, ""),
        ({"value": 300.0, "batch": "2 streams", "metric": "output_throughput"}, judge.REFUSED),
        ({"model": "llama2-70b-99.9", "value": 1.0}, judge.REFUSED),  # 70 GB in 24
        ({"model": "llama2-70b-99.9", "value": 1.0, "set": "mlperf-inference-v4.1"}, judge.DOUBTED),
        ({"model": "llama2-70b-99.9", "value": 1.0, "software": "llama.cpp"}, judge.HOST),
        ({"metric": "offline_throughput", "value": 20_000.0}, ""),
        ({"metric": "offline_throughput", "value": 30_000.0}, judge.REFUSED),  # 420 TFLOPS of 330
        ({"metric": "prompt_speed", "model": "Qwen3.5-0.8B", "value": 200_000.0}, ""),
        ({"metric": "prompt_speed", "model": "Qwen3.5-0.8B", "value": 250_000.0}, judge.REFUSED),  # 400 TFLOPS of 330
        ({"metric": "stream_triad", "value": 1200.0, "unit": "GB/s", "model": ""}, judge.REFUSED),
        ({"metric": "matmul_rate", "value": 300.0, "unit": "TFLOPS", "precision": "fp16", "model": ""}, judge.REFUSED),
        ({"value": 150.0, "model": "qwen3-30b-a3b", "precision": "int4"}, ""),
        ({"value": 150.0, "flag": "failed run"}, "failed run"),
    ],
)
def test_theory_refuses_what_no_card_can_do(changes: dict[str, Any], verdict: str) -> None:
    assert flag(**changes) == verdict


# The card's 330.3 TFLOPS, 15 % above for a high clock, four times for a fast convolution: 1,519.4 TFLOPS of plain work
# at most. An image takes 8.18 GFLOP forward and 24.54 in training.
@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"value": 185_700.0}, False),
        ({"value": 185_800.0}, True),
        ({"value": 9e8}, True),
        ({"value": 185_800.0, "model": "ResNet-50 v1.5"}, True),
        ({"value": 185_800.0, "model": "resnet50.a1_in1k"}, True),
        ({"value": 185_800.0, "model": "wide_resnet50"}, False),
        ({"value": 61_900.0, "workload": "training"}, False),
        ({"value": 62_000.0, "workload": "training"}, True),
        ({"value": 185_800.0, "gpu_count": 2}, False),
        ({"value": 185_800.0, "batch": "1024 images, 160 x 160"}, False),
        ({"value": 142_000.0, "batch": "1024 images, 256 × 256"}, False),
        ({"value": 142_500.0, "batch": "1024 images, 256 × 256"}, True),
        ({"value": 9e8, "metric": "largest_batch", "unit": "images"}, False),
    ],
)
def test_no_card_sees_more_images_than_its_arithmetic_allows(changes: dict[str, Any], refused: bool) -> None:
    images = multiply_adds(ROOT / "data" / "models")
    about = {"model": "resnet50", "batch": "1024", "metric": "throughput", "unit": "images/s", **changes}
    (one,) = judge.judged(classified([run(**about)]), card(), {}, images)
    assert one.flag.startswith(judge.REFUSED) == refused


def test_a_network_whose_file_is_broken_sets_no_ceiling(tmp_path: Path) -> None:
    broken = ("forward_gmacs: [", "- forward_gmacs", "values: forward_gmacs", "values: [{field: forward_gmacs}]")
    for number, text in enumerate(broken):
        (tmp_path / f"{number}.yml").write_text(text, encoding="utf-8")
    sound = (ROOT / "data" / "models" / "resnet-50.yml").read_text(encoding="utf-8")
    (tmp_path / "net.yml").write_text(sound, encoding="utf-8")
    (tmp_path / "odd.yml").write_text(sound.replace("value: 4.09", "value: -4"), encoding="utf-8")
    assert multiply_adds(tmp_path) == {"net": 4.09, "resnet50": 4.09}


@pytest.mark.parametrize(("precision", "verdict"), [("bf16", judge.REFUSED), ("fp4", ""), ("int4", "")])
def test_a_run_in_sixteen_bits_is_held_to_half_the_rate_of_four(precision: str, verdict: str) -> None:
    figures = {"memory_gb": "128", "tensor_cores": "192", "peak:fp4:fp32:sparse:tensor": "1000"}
    claims = [
        Claim("card", field, value, "", "sheet", "vendor", "https://e.org", "row", "2026-11-21", "not stated")
        for field, value in figures.items()
    ]
    about = {"metric": "prompt_speed", "model": "Qwen3.5-0.8B", "value": 275_040.0, "precision": precision}
    (one,) = judge.judged(classified([run(**about)]), reconcile(claims, Ancestry({}, {})), {})
    assert one.flag.partition(":")[0] == verdict


def test_the_open_run_of_a_small_model_under_a_large_one_s_name_says_so() -> None:
    rows = [r for r in committed().benchmarks if r.gpu == "nvidia-geforce-rtx-4090" and r.value == 1337.46]
    assert [(r.entered_as, r.division, r.flag.partition(":")[0]) for r in rows] == [
        ("llama2-70b-99.9", "open", judge.REFUSED)
    ]


def test_the_dataset_has_one_spelling_for_each_format() -> None:
    spelled = Counter(row.precision for row in committed().benchmarks)
    assert all(word == word.lower() for word in spelled)
    assert len(spelled) <= 16


def with_results(dataset: Dataset, results: Iterable[Result]) -> Dataset:
    """The dataset with other results."""
    rows = tuple(results)
    of_gpu: dict[str, list[Result]] = {id: [] for id in dataset.gpus}
    for row in rows:
        of_gpu[row.gpu].append(row)
    gpus = {id: replace(gpu, benchmarks=tuple(of_gpu[id])) for id, gpu in dataset.gpus.items()}
    return replace(dataset, gpus=gpus, benchmarks=rows)


def drawn(dataset: Dataset) -> object:
    """The numbers behind every chart."""
    return {chart.id: [tuple(map(str, row)) for row in chart.draw(dataset).rows] for chart in CHARTS}


def compared(dataset: Dataset) -> object:
    """Every row of measured results on the page of comparisons."""
    (measured,) = (made for made in compare.pages(dataset) if getattr(made, "file", "") == "compare/measured.json")
    return measured.text()


def fitted(dataset: Dataset) -> object:
    """The points of the estimator's fit, and those that are kept apart to test it."""
    found = inputs.points(dataset, models.load())
    return [
        (point.key, point.value)
        for points in (found.decode, found.prefill, found.serving, found.apart)
        for point in points
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize("use", [drawn, compared, fitted])
def test_a_refused_result_stands_in_no_chart_compare_row_or_fit(use: Callable[[Dataset], object]) -> None:
    """Every second result is refused: what is made of the dataset is the same as without these results."""
    dataset = committed()
    kept = [row for number, row in enumerate(dataset.benchmarks) if number % 2]
    refused = [
        row if number % 2 else replace(row, flag=f"{judge.REFUSED}: said here")
        for number, row in enumerate(dataset.benchmarks)
    ]
    without = use(with_results(dataset, kept))
    assert use(with_results(dataset, refused)) == without
    assert use(dataset) != without, "the refused half is used by nothing: this test could not fail"


def test_every_refused_result_stands_on_the_page_of_conflicts_under_its_source() -> None:
    dataset = committed()
    found = Counter(row.source for row in dataset.benchmarks if row.flag.startswith(judge.FLAGS))
    assert {source: len(rows) for source, rows in conflicts.refused(dataset)} == found
    assert found, "theory refuses nothing any more: is it still asked?"
