"""Which experiments the explorer lists, which shows first, and how its bars are drawn."""

from __future__ import annotations

from typing import Any

import pytest
from samples import result

from pipeline.site.pages import benchmarks, compare


def rows(cards: int, value: float = 100.0, **about: Any) -> list[Any]:
    return [result(gpu=f"card-{at}", value=value - at, **about) for at in range(cards)]


@pytest.mark.parametrize(("cards", "listed"), [(3, 1), (2, 0)])
def test_an_experiment_is_listed_from_three_cards_on(cards: int, listed: int) -> None:
    assert len(benchmarks.comparisons(rows(cards))) == listed
    repeated = [result(gpu="card-0", value=float(at)) for at in range(1, 9)]
    assert benchmarks.comparisons(repeated) == [], "one card that ran it eight times"


def test_experiments_stand_by_set_model_metric_format_and_count() -> None:
    kinds = [
        {"set": "b"}, {"model": "vit"}, {"model": "vit", "metric": "latency"}, {"gpu_count": 8}, {"batch": "128"},
        {"precision": "fp32"}, {}, {"division": "open"},
    ]  # fmt: skip
    found = benchmarks.comparisons([row for kind in kinds for row in rows(3, **({"set": "a"} | kind))])
    told = [(c.of.set, c.of.model, c.of.metric, c.of.precision, c.of.gpus, c.of.batch, c.of.kind) for c in found]
    assert told == sorted(told)
    assert len(told) == len(kinds)


def test_the_wanted_experiment_with_the_most_cards_shows_first_else_the_one_with_the_most() -> None:
    name, model, precision, metric, gpus = benchmarks.FIRST
    wanted = {"set": name, "model": model, "precision": precision, "metric": metric, "gpu_count": gpus}
    other = rows(6)
    few, more = rows(3, **wanted), rows(4, **wanted | {"batch": "2"})
    first = benchmarks._first(benchmarks.comparisons([*other, *few, *more]))
    assert first is not None
    assert (first.of.set, len(first.rows)) == (name, 4)
    largest = benchmarks._first(benchmarks.comparisons([*other, *rows(4, model="vit")]))
    assert largest is not None
    assert len(largest.rows) == 6
    assert benchmarks._first([]) is None


def test_a_bar_is_as_wide_as_its_share_of_the_largest_value() -> None:
    (found,) = benchmarks.comparisons(
        [result(gpu=gpu, value=value) for gpu, value in (("a", 80.0), ("b", 20.0), ("c", 60.0))]
    )
    assert [width for _, width in found.bars] == ["100.0", "75.0", "25.0"]
    slow = [
        result(gpu=gpu, value=value, higher_is_better=False) for gpu, value in (("a", 80.0), ("b", 20.0), ("c", 60.0))
    ]
    (found,) = benchmarks.comparisons(slow)
    assert [width for _, width in found.bars] == ["25.0", "75.0", "100.0"], "less is better, and the bar is the time"


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("mlperf-inference-v5.1-open", "MLPerf inference v5.1, open"),
        ("mamf", "MAMF: best matrix multiplication"),
        ("a-b", "a b"),
    ],
)
def test_a_set_is_called_as_people_call_it(name: str, called: str) -> None:
    assert benchmarks.set_name(name) == called


@pytest.mark.parametrize(
    ("field", "better", "group"),
    [
        ("memory_gb", "higher", "What matters first"), ("board_power_w", "lower", "What matters first"),
        ("launch_date", "", "What matters first"), ("shader_cores", "", "Everything else"),
        ("link_gb_s", "higher", "Everything else"),
        ("peak:fp16:fp32:dense:tensor", "higher", "Dense peak rates"),
        ("peak:fp16:fp32:sparse:tensor", "higher", "Sparse peak rates (two of four weights zero)"),
    ],
)  # fmt: skip
def test_a_row_of_a_comparison_says_which_way_is_better(field: str, better: str, group: str) -> None:
    row = compare._row(field)
    assert (row["better"], row["group"]) == (better, group)


def test_peaks_are_compared_in_the_order_in_which_people_ask() -> None:
    keys = list(compare._peak_keys())
    dense = [key for key in keys if key.sparsity == "dense" and key.accumulate == "fp32"]
    assert keys.index(dense[0]) == 0
    assert [(key.input, key.engine) for key in dense[:3]] == [
        ("bf16", "tensor"),
        ("bf16", "vector"),
        ("fp16", "tensor"),
    ]
    assert [key.sparsity for key in keys] == sorted(key.sparsity for key in keys), "all dense ones first"


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({}, "resnet50, FP16, throughput, 64, images/s"),
        ({"gpu_count": 8}, "resnet50, FP16, throughput, 8 GPUs together, 64, images/s"),
        ({"metric": "tflops", "batch": ""}, "resnet50, FP16, best matrix multiplication, images/s"),
    ],
)
def test_an_experiment_is_told_by_what_is_the_same_in_it(about: dict[str, Any], said: str) -> None:
    (found,) = benchmarks.comparisons(rows(3, **about))
    assert compare._experiment(found.of) == said
