"""What the measuring kit makes of the seconds that it took: rates by their amounts and units."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from pipeline.core.measured import cells
from pipeline.core.measured.decoders import DECODERS
from pipeline.tools.measure import hardware, inference, matmul, memory, plan, stats, timing, training
from pipeline.tools.measure.device import CheckFailed, NotMeasured
from pipeline.tools.measure.output import ResultRow
from pipeline.tools.measure.stats import Summary
from pipeline.tools.measure.timing import Effort

GB = 10**9


def bench(seconds: float = 0.5, free: int | None = None, cache: int = 0, **about: Any) -> Any:
    """A workbench on which every piece of work takes so long."""
    device = MagicMock(kind="cuda", backend="cuda", is_gpu=True)
    device.memory.return_value = None if free is None else (free, 2 * free)
    device.properties.L2_cache_size = cache
    device.lacks.return_value = ""
    device.seconds.side_effect = lambda work, repetitions, calls: [seconds * calls] * repetitions
    planned = replace(plan.TINY, **about) if about else plan.TINY
    return SimpleNamespace(
        device=device, plan=planned, memo={}, meter=None, seconds=lambda work: [seconds], joules=lambda work: 8.0,
        clock=iter(range(10**6)).__next__, once=lambda key, check: None, compiling=lambda name: nullcontext(),
        keep=lambda key, build: build(),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def _agreeing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No result is checked here: that has its own tests."""
    for module in (memory, inference, training, matmul):
        for name in ("must_agree", "must_be_random", "check_product"):
            monkeypatch.setattr(module, name, lambda *_: 0.0, raising=False)


@pytest.mark.parametrize(
    ("each", "effort", "asked"),
    [
        (0.0005, Effort(1.0, 10), [(2, 1), (50, 4), (200, 4)]),  # four calls make the two milliseconds
        (0.01, Effort(1.0, 10), [(2, 1), (10, 1), (100, 1)]),
        (0.004, Effort(0.1, 10), [(2, 1), (3, 1), (25, 1)]),
        (1.0, Effort(1.0, 10), [(2, 1), (1, 1), (10, 1)]),  # at least so many
        (0.01, Effort(9.0, 10, 40), [(2, 1), (40, 1), (40, 1)]),
    ],
)
def test_a_piece_of_work_is_repeated_for_its_time(each: float, effort: Effort, asked: list[tuple[int, int]]) -> None:
    on = bench(each).device
    assert timing.repeat(on, lambda: None, effort) == [each] * asked[-1][0]
    assert [call.args[1:] for call in on.seconds.call_args_list] == asked


@pytest.mark.parametrize(
    ("cache", "free", "size"),
    [(0, None, 1000), (125, None, 1000), (126, None, 1008), (0, 4000, 1000), (0, 3999, None), (0, 0, None)],
)
def test_an_array_is_eight_caches_large_and_a_quarter_of_the_memory_at_most(
    cache: int, free: int | None, size: int | None
) -> None:
    on = bench(free=free, cache=cache, array_bytes=1000)
    if size is None:
        with pytest.raises(NotMeasured, match="three arrays"):
            memory.array_bytes(on)
        return
    assert memory.array_bytes(on) == size


@pytest.mark.parametrize(("metric", "rate"), [("stream_copy", 16.0), ("stream_triad", 24.0)])
def test_a_stream_counts_every_array_that_it_touches(metric: str, rate: float, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {name: replace(kind, exact=lambda b, c: b) for name, kind in memory.STREAMS.items()}
    monkeypatch.setattr(memory, "STREAMS", kinds)
    found = memory.stream(bench(0.5, array_bytes=4 * GB), metric)
    assert (found.values, found.unit) == ([rate], "GB/s")


def test_a_stream_works_on_the_arrays_in_their_order() -> None:
    copy, triad = memory.STREAMS["stream_copy"], memory.STREAMS["stream_triad"]
    assert copy.exact(3.0, 5.0) == 3.0
    assert triad.exact(3.0, 5.0) == 5.0
    a, torch = MagicMock(), MagicMock()
    copy.work(torch, a, "b", "c")
    a.copy_.assert_called_once_with("b")
    triad.work(torch, a, "b", "c")
    torch.add.assert_called_once_with("b", "c", alpha=0.4, out=a)


@pytest.mark.parametrize("metric", memory.TRANSFERS)
def test_a_transfer_goes_its_way_in_gigabytes_a_second(metric: str) -> None:
    on = bench(0.1, transfer_bytes=256_000_000)
    found = memory.transfer(on, metric)
    assert (found.values, found.unit) == ([pytest.approx(2.56)], "GB/s")
    assert memory.TRANSFERS[metric].to_device is metric.startswith("host")
    assert on.device.torch.randn.return_value.pin_memory.called is metric.endswith("pinned")


def test_what_shares_its_memory_with_the_host_has_no_pinned_transfer() -> None:
    on = bench()
    on.device.kind = "mps"
    assert memory.transfer(on, "host_to_device_pageable").values
    with pytest.raises(NotMeasured, match="share one memory"):
        memory.transfer(on, "host_to_device_pinned")
    on.device.is_gpu = False
    with pytest.raises(NotMeasured, match="host itself"):
        memory.transfer(on, "host_to_device_pageable")


def test_a_launch_takes_so_many_millionths_of_a_second() -> None:
    assert memory.launch_interval(bench(0.005)).values == [5.0] * 3
    found = memory.launch_latency(bench()).values
    assert found == [1e6] * (20 * plan.TINY.effort.at_least), "the first ten warm up"


def test_a_product_of_matrices_counts_two_operations_a_step_and_the_fastest_size_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(matmul, "matrices", lambda *_: (None, None))
    monkeypatch.setattr(matmul, "product", lambda *_: lambda: None)
    on = bench(0.002)
    assert matmul.rate(on, "fp16", 1000).values == [1.0]
    matmul.rate(on, "fp16", 500)
    assert on.memo["matmul"]["fp16"] == (1.0, 1000)
    with pytest.raises(NotMeasured, match="no size"):
        matmul.sustained(on, "bf16")
    assert matmul.sustained(on, "fp16").joules is None, "no meter, no energy"
    on.meter = SimpleNamespace(mean_watts=lambda start, end: 300.0)
    monkeypatch.setattr(matmul, "_held", lambda *_: ([1.0, 2.0, 9.0], 0.0, 10.0))
    held = matmul.sustained(on, "fp16")
    assert (held.joules, held.energy_unit) == (150.0, "J/TFLOP"), "by the rate in the middle"


@pytest.mark.parametrize(("free", "fits"), [(37, True), (36, False), (None, True)])
def test_three_matrices_take_a_third_of_the_free_memory_at_most(free: int | None, fits: bool) -> None:
    on = bench(free=None if free is None else 1_000_000 * free)
    with nullcontext() if fits else pytest.raises(NotMeasured, match="too large"):
        matmul.matrices(on, "fp32", 1000)  # 12 MB together


@pytest.mark.parametrize("metric", ["matmul_time_device", "matmul_time_with_transfer"])
def test_a_product_is_compared_in_thousandths_of_a_second(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = MagicMock()
    monkeypatch.setitem(sys.modules, "pipeline.tools.measure.samples.matmul", sample)
    found = matmul.compare(bench(0.25), metric, 64)
    assert (found.values, found.unit, found.note) == ([250.0], "ms", "")
    assert (sample.product if metric.endswith("device") else sample.product_with_transfer).called


def measured(metric: str, median: float, **about: Any) -> ResultRow:
    row = {"gpu": "g", "workload": "w", "model": "matmul-64", "precision": "fp32", "unit": "u", "software": "s"}
    return ResultRow(**row | about, metric=metric, date="2026-11-20", summary=Summary(median, median, median, 1))


def test_the_best_size_and_the_ratio_to_the_processor_are_told() -> None:
    rows = [measured("matmul_rate", 5.0, model="matmul-64"), measured("matmul_rate", 9.0, model="matmul-128")]
    rows += [measured("matmul_time_host_cpu", 80.0), measured("matmul_time_device", 4.0)]
    best, ratio = matmul.derived(rows)
    assert (best.metric, best.summary and best.summary.median, best.note) == ("matmul_rate_best", 9.0, "at matmul-128")
    assert (ratio.metric, ratio.summary and ratio.summary.median) == ("speedup_over_host_cpu", 20.0)
    assert [row.metric for row in matmul.derived(rows[2:3])] == []


def test_a_step_of_decoding_writes_one_token_for_each_and_a_prompt_all_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inference, "make_step", lambda *_: lambda: None)
    monkeypatch.setattr(inference, "build", lambda *_: MagicMock())
    on = bench(0.5, context_tokens=16)
    alone, many = (inference.decode(on, "kit-decoder-tiny", "bf16", batch) for batch in (1, 4))
    assert (alone.values, alone.joules, alone.energy_unit) == ([2.0], 8.0, "J/token")
    assert (many.values, many.joules) == ([8.0], None)
    assert inference.decode(on, "kit-decoder-tiny", "bf16", 1, "inductor").joules is None
    assert inference.prefill(on, "kit-decoder-tiny", "bf16", 4).values == [4 * 16 / 0.5]


@pytest.mark.parametrize(("more", "fits"), [(0, True), (-1, False)])
def test_a_decoder_needs_half_as_much_again_as_its_16_bit_weights(
    more: int, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inference, "_random_model", lambda *_: MagicMock())
    free = int(DECODERS["kit-decoder-1b"].weights * 3) + more
    with nullcontext() if fits else pytest.raises(NotMeasured, match="needs about"):
        inference._built(bench(free=free), "kit-decoder-1b", "bf16", "")


def test_training_counts_a_batch_a_step_and_halves_it_three_times_where_the_memory_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loss = MagicMock()
    loss.return_value.item.return_value = 1.0
    monkeypatch.setattr(training, "make_step", lambda *_: loss)
    found = training._measured(bench(0.5), "cnn", "full", 4, "bf16", "")
    assert (found.values, found.unit, found.joules, found.energy_unit) == ([8.0], "images/s", 2.0, "J/image")
    tried: list[int] = []

    def full(*asked: Any) -> Any:
        tried.append(asked[3])
        raise MemoryError

    monkeypatch.setattr(training, "_measured", full)
    on = bench()
    on.device.is_out_of_memory.return_value = True
    with pytest.raises(MemoryError):
        training.measure(on, "cnn", "full", 64, "fp32", "")
    assert tried == [64, 32, 16, 8]


@pytest.mark.parametrize("losses", [(float("inf"), 1.0), (1.0, float("inf")), (1.0, float("nan")), (float("nan"), 1.0)])
def test_a_loss_that_is_no_number_before_or_after_is_a_failure(
    losses: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = MagicMock()
    loss.return_value.item.side_effect = losses
    monkeypatch.setattr(training, "make_step", lambda *_: loss)
    with pytest.raises(CheckFailed, match="the loss went from"):
        training._measured(bench(0.5), "cnn", "full", 4, "bf16", "")


def test_what_is_trained_small_is_trained_eagerly_and_compiled_only_in_half_precision_at_full_size() -> None:
    on = bench(training_sizes=("small", "full"), training_batches=(8, 4), compile_backend="inductor")
    on.device.half = "bf16"
    rows = list(training.cases(on))
    eager = [row for row in rows if row.mode == "eager"]
    assert len(eager) == 2 * 2 * len(training.TASKS)
    assert {(row.model.split("-")[-1], row.batch, row.main) for row in eager} == {
        ("small", "8", False), ("full", "4", True),
    }  # fmt: skip
    compiled = rows[len(eager) :]
    assert {(row.precision, row.batch, row.main) for row in compiled} == {("bf16", "4", False)}
    assert len(compiled) == len(training.TASKS)


@pytest.mark.parametrize(
    ("backend", "told"),
    [("cuda", "PyTorch 2.9.1, CUDA 13.0"), ("rocm", "PyTorch 2.9.1, ROCm 7.1"), ("mps", "PyTorch 2.9.1, MPS"),
     ("xpu", "PyTorch 2.9.1, XPU"), ("cpu", "PyTorch 2.9.1, CPU")],
)  # fmt: skip
def test_the_software_is_named_with_what_lies_below_it(backend: str, told: str) -> None:
    on = bench().device
    on.backend, on.torch.__version__ = backend, "2.9.1+cu130"
    on.torch.version.cuda, on.torch.version.hip = "13.0", "7.1"
    assert hardware.label(on) == told


@pytest.mark.parametrize(("answer", "known"), [("580.1, 24564, 450, 2520, 10501, 4, 16, [N/A]", 7), ("580.1, 1", 0)])
def test_what_the_driver_does_not_tell_is_left_out(answer: str, known: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware.shutil, "which", lambda _: "/usr/bin/nvidia-smi")
    monkeypatch.setattr(hardware, "nvidia_id", lambda _: "0")
    monkeypatch.setattr(hardware, "_answer", lambda _: answer)
    found = hardware._driver_facts(bench().device)
    assert len(found) == known
    assert not known or (found["memory_total_mib"], found["pcie_lanes"]) == ("24564", "16")


@pytest.mark.parametrize(("text", "number"), [("1.5", 1.5), ("-2", -2.0), (".5", 0.5), ("1e3", 1000.0), ("", None)])
def test_a_cell_is_read_as_the_number_that_it_is(text: str, number: float | None) -> None:
    assert cells.number_or_none(text) == number
    assert cells.integer_or_none("7") == 7
    assert cells.integer_or_none("") is None


@pytest.mark.parametrize("text", ["１２", "1_000", "nan", "inf", "1e999", "1,5", " 1", "0x1"])
def test_what_no_table_holds_is_no_number(text: str) -> None:
    with pytest.raises(ValueError):
        cells.number_or_none(text)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("yes", True), ("false", False), ("no", False)])
def test_a_flag_has_four_words(text: str, value: bool) -> None:
    assert cells.yes_no(text) is value
    for read in (cells.yes_no, cells.whole, cells.number):
        with pytest.raises(ValueError):
            read("")


def test_a_run_has_the_plan_of_its_length_and_its_device() -> None:
    chosen = [plan.choose(quick=quick, tiny=False, gpu=gpu) for quick in (False, True) for gpu in (True, False)]
    assert chosen == [plan.FULL, plan.FULL_CPU, plan.QUICK, plan.QUICK_CPU]
    assert plan.choose(quick=True, tiny=True, gpu=True) is plan.TINY


@pytest.mark.parametrize(("value", "kept"), [(123456.7, 123460.0), (0.00123456, 0.0012346), (12.3456, 12.346)])
def test_a_rate_is_written_with_five_digits(value: float, kept: float) -> None:
    assert stats.significant(value) == kept


def test_a_short_run_asks_less_of_the_same_and_ends_within_its_minute() -> None:
    for short, long in ((plan.QUICK, plan.FULL), (plan.QUICK_CPU, plan.FULL_CPU)):
        assert set(short.matmul_sizes) < set(long.matmul_sizes)
        assert set(short.training_sizes) < set(long.training_sizes)
        assert set(short.decoders) <= set(long.decoders)
        assert short.comparison_size == long.comparison_size, "so that runs of both lengths compare"
        assert short.context_tokens == long.context_tokens
        assert short.effort.seconds < long.effort.seconds
        assert short.sustained_seconds < long.sustained_seconds
        # What has begun before the end is finished: a minute and ten.
        assert 50 <= short.deadline_seconds < 60
        assert 540 <= long.deadline_seconds < 600
        for one in (short, long):
            assert all(larger == 2 * size for size, larger in pairwise(one.matmul_sizes))
            assert len(one.training_sizes) == len(one.training_batches)
            assert one.decode_batches[0] == one.prefill_batches[0] == 1, "one stream is the main rate"
            assert one.array_bytes >= one.transfer_bytes >= 64 * plan.MIB
