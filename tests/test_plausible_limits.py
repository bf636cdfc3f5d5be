"""What a row of a contributed set may state, at the limit of each rule."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.core.measured import plausible
from pipeline.core.measured.metrics import Metric
from pipeline.core.measured.plausible import CardLimits

LIMITS = CardLimits({"fp16": 100.0, "fp32": 50.0, "tf32": 80.0}, 1000.0, "2022-10-12")


def row(**cells: str) -> dict[str, str]:
    usual = {
        "gpu": "card", "workload": "matmul", "model": "GEMM", "precision": "fp16", "batch": "1",
        "metric": "matmul_rate", "value": "50",
        "unit": "TFLOPS", "higher_is_better": "yes", "software": "PyTorch 2", "date": "2026-01-01", "flag": "",
        "p10": "", "p90": "", "repetitions": "", "gpu_count": "1",
    }  # fmt: skip
    return usual | cells


def told(rule: Any, **cells: str) -> list[str]:
    return list(rule(row(**cells), LIMITS))


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"value": "0.1"}, ""),
        ({"value": "0"}, "value = 0; a failed run has an empty value and a flag"),
        ({"value": "-1"}, "value = -1"),
        ({"value": "", "flag": "out of memory"}, ""),
        ({"value": ""}, "value is empty and no flag says why"),
        ({"value": "1,234"}, "holds a comma: write 1234"),
        ({"value": "1,5"}, "holds a comma: write 1.5"),
        ({"value": "fast"}, "is no finite number"),
        ({"value": "nan"}, "is no finite number"),
    ],
)
def test_a_value_is_a_number_above_zero_or_a_flag_says_why(cells: dict[str, str], said: str) -> None:
    found = told(plausible._sound_value, **cells)
    assert bool(found) is bool(said)
    assert said in "".join(found)


@pytest.mark.parametrize(
    ("p10", "p90", "wrong"),
    [
        ("", "", False), ("50", "50", False), ("40", "60", False), ("40", "", True), ("", "60", True),
        ("51", "60", True),
        ("40", "49", True), ("a", "60", True),
    ],
)  # fmt: skip
def test_a_median_lies_within_its_own_range(p10: str, p90: str, wrong: bool) -> None:
    assert bool(told(plausible._own_spread, p10=p10, p90=p90)) is wrong


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"value": "114.9"}, ""),  # a high clock
        ({"value": "115.1"}, "is above theory, 100 for fp16"),
        ({"value": "57.4", "precision": "fp32"}, ""),
        ({"value": "57.6", "precision": "fp32"}, "TF32 was on"),
        ({"value": "91.9", "precision": "fp32"}, "TF32 was on"),
        ({"value": "92.1", "precision": "fp32"}, "is above theory, 50 for fp32"),
        ({"value": "999", "precision": "int8"}, ""),  # no peak is known
        ({"value": "999", "unit": "GB/s"}, ""),
        ({"value": ""}, ""),
    ],
)
def test_a_rate_lies_below_the_peak_of_its_format(cells: dict[str, str], said: str) -> None:
    found = told(plausible._below_peak, **cells)
    assert bool(found) is bool(said)
    assert said in "".join(found)


@pytest.mark.parametrize(
    ("cells", "wrong"),
    [
        ({"metric": "stream_triad", "unit": "GB/s", "value": "1020"}, False),
        ({"metric": "stream_triad", "unit": "GB/s", "value": "1020.1"}, True),
        ({"metric": "stream_triad", "unit": "TB/s", "value": "1021"}, False),
        ({"metric": "other", "unit": "GB/s", "value": "1021"}, False),
    ],
)
def test_a_stream_reads_no_more_than_the_memory_gives(cells: dict[str, str], wrong: bool) -> None:
    assert bool(told(plausible._below_bandwidth, **cells)) is wrong


@pytest.mark.parametrize("batch", ["1", "4"])
def test_decoding_reads_all_weights_once_a_step(batch: str) -> None:
    model, decoder = next(iter(plausible.DECODERS.items()))
    size = plausible.BYTES_OF["fp16"]
    most = 1020e9 * int(batch) / (decoder.weights_read * size)
    cells = {"metric": "generation_speed", "unit": "tokens/s", "model": model, "batch": batch}
    assert not told(plausible._below_bandwidth, value=f"{most * 0.9999}", **cells)
    assert told(plausible._below_bandwidth, value=f"{most * 1.0001}", **cells)
    assert not told(plausible._below_bandwidth, value=f"{most * 9}", **cells | {"model": "unknown"})


@pytest.mark.parametrize(
    ("cells", "wrong"),
    [
        ({"date": "2022-10-12"}, False), ({"date": "2022-10-11"}, True),
        ({"date": "2022-10-11", "flag": "sample"}, False),
        ({"date": "2022-13-01"}, False),
    ],
)  # fmt: skip
def test_a_run_is_no_older_than_its_card(cells: dict[str, str], wrong: bool) -> None:
    assert bool(told(plausible._after_launch, **cells)) is wrong
    month = CardLimits(launched="2022-10")
    assert not list(plausible._after_launch(row(date="2022-10-01"), month))
    assert list(plausible._after_launch(row(date="2022-09-30"), month))


@pytest.mark.parametrize(
    ("cells", "missing"),
    [({}, 0), ({"date": "2026-02-30"}, 1), ({"date": "2026-02"}, 1), ({"software": " "}, 1), ({"unit": ""}, 1)],
)
def test_a_row_says_when_with_what_and_in_which_unit(cells: dict[str, str], missing: int) -> None:
    assert len(told(plausible._provenance, **cells)) == missing


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({}, ""),
        ({"metric": "matmul_rates"}, "did you mean 'matmul_rate'?"),
        ({"unit": "GFLOPS"}, "matmul_rate is in TFLOPS"),
        ({"unit": ""}, ""),
        ({"higher_is_better": "no"}, "the wrong way round"),
    ],
)
def test_a_metric_has_its_unit_and_its_direction(cells: dict[str, str], said: str) -> None:
    found = list(plausible._metric(row(**cells), {"matmul_rate": Metric("a rate", ("TFLOPS",), True)}))
    assert bool(found) is bool(said)
    assert said in "".join(found)


@pytest.mark.parametrize(
    ("value", "better", "asked"),
    [("70", "yes", False), ("69.9", "yes", True), ("142", "no", False), ("143", "no", True), ("", "yes", False)],
)
def test_a_value_far_below_the_usual_is_asked_about(value: str, better: str, asked: bool) -> None:
    found = list(plausible._asked(5, row(value=value, higher_is_better=better), [90.0, 100.0, 110.0]))
    assert bool(found) is asked
    assert not list(plausible._asked(5, row(value="1"), []))


def test_a_measurement_stands_once_whatever_its_case_and_is_told_at_its_second_line() -> None:
    rows: Any = [row(), row(model="gemm"), row(model="other")]
    (message,) = plausible._duplicates(rows, [2, 3, 4])
    assert message.startswith("row 3 (")
    assert "row 2 is of the same measurement" in message
