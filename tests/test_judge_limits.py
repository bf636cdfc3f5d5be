"""What theory allows a card at most: its memory to the last byte, and of its peaks the highest that a run can use."""

from __future__ import annotations

from typing import Any

import pytest
from samples import claim, result

from pipeline.core.schema import parse_peak
from pipeline.core.theory import Cited, Theory
from pipeline.record import judge
from pipeline.record.judge import GIB, CardTheory
from pipeline.record.reconcile import Ancestry, reconcile

DENSE, SPARSE = {"fp16": 100.0, "fp8": 200.0, "fp4": 600.0}, {"fp16": 200.0}


def theory(
    memory_gb: float | None = None, bandwidth: float | None = None, whole: bool = True, **sparse: Any
) -> CardTheory:
    return CardTheory(memory_gb, bandwidth, DENSE, sparse.get("sparse", SPARSE), whole)


def run(**about: Any) -> Any:
    usual = {"workload": "inference", "model": "Llama-2-7b", "precision": "fp8", "batch": "1", "gpu_count": 1}
    return result(**usual | {"metric": "generation_speed", "unit": "tokens/s", "value": 100.0} | about)


@pytest.mark.parametrize(("bytes_held", "refused"), [(7e9, False), (7e9 - 1, True)])
def test_weights_may_fill_a_memory_to_its_last_byte(bytes_held: float, refused: bool) -> None:
    assert bool(judge._weights_fit(run(), theory(bytes_held / GIB))) == refused
    assert bool(judge._weights_fit(run(gpu_count=2), theory(bytes_held / 2 / GIB))) == refused
    assert judge._weights_fit(run(workload="training"), theory(1.0)) == ""


@pytest.mark.parametrize(("gb_s", "refused"), [(700 / 1.02, False), (699 / 1.02, True)])
def test_weights_are_read_once_a_token(gb_s: float, refused: bool) -> None:
    assert bool(judge._reads_fit(run(), theory(bandwidth=gb_s))) == refused


@pytest.mark.parametrize(
    ("changes", "peak"),
    [
        ({"metric": "tflops", "precision": "fp16"}, 100.0),
        ({"metric": "tflops", "precision": "fp16", "sparsity": "sparse"}, 200.0),
        ({"metric": "tflops", "precision": "bf16"}, 100.0),  # the same rate
        ({"precision": "fp16"}, 300.0),  # what is called 16 bit may be multiplied in eight: half the rate of four
        ({"precision": "fp8"}, 600.0),
        ({"precision": "fp16", "quantisation": "awq"}, 600.0),
    ],
)
def test_a_run_uses_the_highest_peak_that_its_format_allows(changes: dict[str, str], peak: float) -> None:
    assert judge._peak(run(**changes), theory()) == peak


def test_without_the_peaks_of_its_matrix_units_a_card_refuses_only_rates_of_a_format_of_its_own() -> None:
    partly = theory(whole=False)
    assert judge._peak(run(metric="tflops", precision="fp16"), partly) == 100.0
    assert judge._peak(run(precision="fp16"), partly) is None


def test_of_a_format_s_peaks_the_highest_counts_stated_or_by_theory_and_half_of_a_sparse_one() -> None:
    said = [
        claim("peak:fp16:fp32:dense:tensor", "165 TFLOPS"),
        claim("peak:fp16:fp16:dense:tensor", "330 TFLOPS"),
        claim("peak:fp8:fp32:sparse:tensor", "1000 TFLOPS"),
        claim("peak:int8:int32:dense:tensor", "600 TOPS"),
        claim("peak:int8:int32:sparse:tensor", "1000 TOPS"),
    ]
    (record,) = reconcile(said, Ancestry({}, {})).values()
    key = parse_peak("peak:bf16:fp32:dense:tensor")
    worked = {key: Theory(key, 1, "SM", 1, 50e6, Cited(document="d", locator="l"), None)}
    found = judge._card(record, worked)
    assert found.dense == {"fp16": 330.0, "fp8": 500.0, "int8": 600.0, "bf16": 50.0}
    assert found.sparse == {"fp8": 1000.0, "int8": 1000.0}


@pytest.mark.parametrize(
    ("precision", "size"),
    [("fp32", 4), ("fp16", 2), ("fp8", 1), ("fp4", 0.5), ("int4", 0.5), ("int3", 0.375), ("", 0.5)],
)
def test_a_weight_has_the_bytes_of_its_format_and_at_least_half_a_one(precision: str, size: float) -> None:
    assert judge._bytes(run(precision=precision)) == size


@pytest.mark.parametrize(
    ("workload", "model", "metric", "cards", "tflops"),
    [
        ("inference", "Llama-2-7b", "prompt_speed", 1, 14.0),
        ("training", "Llama-2-7b", "prompt_speed", 1, 42.0),
        ("training", "Llama-2-7b, LoRA", "prompt_speed", 1, 28.0),
        ("training", "Llama-2-7b", "prompt_speed", 4, 10.5),
        ("training", "Llama-2-7b", "training_throughput_per_gpu", 4, 42.0),
    ],
)
def test_a_token_takes_two_operations_a_parameter_and_six_in_training(
    workload: str, model: str, metric: str, cards: int, tflops: float
) -> None:
    one = run(workload=workload, model=model, metric=metric, gpu_count=cards, value=1000.0)
    assert judge._tflops(one) == tflops


@pytest.mark.parametrize(("beyond", "refused"), [(0.0, False), (1e-9, True)])
def test_what_a_card_does_may_be_as_much_as_theory_and_its_margin_allow(
    beyond: float, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rate = run(metric="tflops", precision="fp16", value=100.0 * judge.CLOCK_MARGIN + beyond)
    assert bool(judge._work_fits(rate, theory())) == refused
    stream = run(metric="stream_triad", value=1000.0 * judge.BANDWIDTH_MARGIN + beyond)
    assert bool(judge._stream_fits(stream, theory(bandwidth=1000.0))) == refused
    monkeypatch.setattr(judge, "CLOCK_MARGIN", 1.0)
    # 600,000 images of 2 billion multiply-adds, two operations each, a quarter of them: 600 TFLOPS
    images = run(metric="throughput", unit="images/s", model="net", value=600_000.0 + beyond * 1e6)
    assert bool(judge._images_fit(images, theory(), images={"net": 2.0})) == refused


def test_of_formats_that_run_at_one_rate_the_highest_peak_counts() -> None:
    both = CardTheory(None, None, {"fp16": 100.0, "bf16": 90.0}, {}, True)
    for precision in ("fp16", "bf16"):
        assert judge._peak(run(metric="tflops", precision=precision), both) == 100.0


@pytest.mark.parametrize(
    ("fields", "whole"),
    [
        (("peak:fp16:fp32:dense:tensor", "peak:fp32:fp32:dense:vector"), True),
        (("peak:fp32:fp32:dense:vector",), False),
        ((), False),
    ],
)
def test_a_card_is_known_whole_where_a_peak_of_its_matrix_units_is(fields: tuple[str, ...], whole: bool) -> None:
    said = [claim("tensor_cores", 512), *(claim(field, "100 TFLOPS") for field in fields)]
    (record,) = reconcile(said, Ancestry({}, {})).values()
    assert judge._card(record, {}).whole is whole
    (without,) = reconcile([claim("memory_gb", "24 GB")], Ancestry({}, {})).values()
    assert judge._card(without, {}).whole, "a card that has none"


@pytest.mark.parametrize(
    ("changes", "tokens"),
    [
        ({}, None),  # one sequence's speed is no throughput
        ({"metric": "prompt_speed"}, 100.0),
        ({"metric": "prompt_speed", "value": None}, None),
        ({"metric": "offline_throughput", "unit": "samples/s", "model": "llama2-70b-99"}, 26500.0),
        ({"metric": "offline_throughput", "unit": "samples/s", "entered_as": "llama2-70b", "model": "x"}, 26500.0),
        ({"metric": "offline_throughput", "unit": "images/s", "model": "llama2-70b"}, None),
        ({"metric": "offline_throughput", "unit": "samples/s", "model": "gpt-j"}, None),
    ],
)
def test_tokens_are_counted_where_the_unit_or_the_rules_of_a_round_say_them(
    changes: dict[str, Any], tokens: float | None
) -> None:
    assert judge._tokens(run(**changes)) == tokens


@pytest.mark.parametrize(("rows", "doubted"), [(4, 4), (5, 1)])
def test_a_format_that_cannot_be_on_a_quarter_of_the_cards_is_doubted_on_all(rows: int, doubted: int) -> None:
    about = {"division": "closed", "source": "mlperf", "set": "v5"}
    proved = run(**about, flag=f"{judge.DOUBTED}: the weights take more", gpu="small")
    others = [run(**about, gpu=f"card-{at}") for at in range(rows - 1)]
    outside = [run(**about | {"division": "open"}, gpu="open"), run(**about | {"set": "v4"}, gpu="older")]
    found = list(judge._doubted_alike([proved, *others, *outside]))
    assert sum(bool(one.flag) for one in found) == doubted
    assert not any(one.flag for one in found[-2:])
