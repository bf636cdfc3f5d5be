"""Brings the results of sources to the words of METRICS, and flags the impossible ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from statistics import median

from pipeline.core.measured.metrics import METRICS as KIT_METRICS
from pipeline.core.measured.metrics import Metric
from pipeline.core.schema import Result

WORKLOADS: Mapping[str, str] = {
    "training": "a model learns, forward and backward",
    "inference": "a trained model answers",
    "matmul": "large matrix multiplications alone",
    "microbenchmark": "one property of the hardware alone, such as memory bandwidth",
}


THROUGHPUT_UNITS = (
    "images/s",
    "videos/s",
    "iterations/s",
    "sequences/s",
    "tokens/s",
    "samples/s",
    "queries/s",
    "requests/s",
)
# The words of the measuring kit, and those that only other sources use.
METRICS: Mapping[str, Metric] = {
    **KIT_METRICS,
    "throughput": Metric("work a second of the whole configuration", THROUGHPUT_UNITS, True),
    "generation_speed": Metric("tokens generated a second", ("tokens/s",), True),
    "prompt_speed": Metric("prompt tokens read a second", ("tokens/s",), True),
    "output_throughput": Metric("output tokens a second over all streams", ("tokens/s",), True),
    "output_throughput_per_gpu": Metric("output tokens a second divided by the GPUs", ("tokens/s per GPU",), True),
    "training_throughput_per_gpu": Metric("tokens trained a second divided by the GPUs", ("tokens/s per GPU",), True),
    "model_rate_per_gpu": Metric("useful arithmetic of the model divided by the GPUs", ("TFLOPS per GPU",), True),
    "request_throughput": Metric("requests answered a second", ("requests/s",), True),
    "time_to_first_token": Metric("mean wait for the first token", ("ms",), False),
    "request_latency": Metric("mean time a request takes", ("ms",), False),
    "offline_throughput": Metric("MLPerf Offline: all samples at once", THROUGHPUT_UNITS, True),
    "server_throughput": Metric(
        "MLPerf Server: queries at random times within a latency limit", THROUGHPUT_UNITS, True
    ),
    "interactive_throughput": Metric("MLPerf Interactive: Server with a tight latency limit", THROUGHPUT_UNITS, True),
    "single_stream_latency": Metric(
        "MLPerf SingleStream: 90th percentile, one query after another", ("ms", "s"), False
    ),
    "multi_stream_latency": Metric("MLPerf MultiStream: 99th percentile of eight samples at once", ("ms",), False),
    "system_power": Metric("mean power of the whole machine during the run", ("W",), False),
    "energy_per_stream": Metric("energy of the whole machine for one query", ("mJ",), False),
    "memory_peak": Metric("the most memory that the framework held", ("GiB",), False),
    "time_to_train": Metric("run time until the quality target is met", ("min",), False),
    "tflops": Metric("rate of multiplications and additions reached", ("TFLOPS",), True),
    "stream_init": Metric("memory written", ("GB/s",), True),
    "stream_read": Metric("memory read", ("GB/s",), True),
    "stream_scale": Metric("one array read, one written", ("GB/s",), True),
    "stream_triad": Metric("two arrays read, one written", ("GB/s",), True),
    "stream_3pt": Metric("three-point stencil", ("GB/s",), True),
    "stream_5pt": Metric("five-point stencil", ("GB/s",), True),
}

FAILED = "failed run (0 in the source)"
OUT_OF_MEMORY = "out of memory"
# More GPUs than one can at best do as much more work. Caches and batch sizes give some room; beyond this the number
# was not measured right (Lambda's ncf runs are 47 times over).
SUPER_LINEAR = 1.5


def higher_is_better(metric: str) -> bool:
    """Look up a metric's direction; KeyError for a word that is not in METRICS."""
    return METRICS[metric].higher_is_better


def mark_super_linear(results: Iterable[Result]) -> list[Result]:
    """Flag throughputs that are more per GPU than the fewest GPUs of that kind reach in the same set."""
    rows = list(results)
    per_gpu: dict[tuple[str, ...], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.value is not None and not row.flag:
            per_gpu[_test(row)][row.gpu_count].append(row.value / row.gpu_count)
    usual = {test: median(counts[min(counts)]) for test, counts in per_gpu.items()}
    return [_compared(row, usual[_test(row)]) if _test(row) in usual else row for row in rows]


def _test(row: Result) -> tuple[str, ...]:
    return (row.set, row.gpu, row.model, row.precision, row.metric)


def _compared(row: Result, usual: float) -> Result:
    if row.value is None or row.flag or row.value / row.gpu_count <= SUPER_LINEAR * usual:
        return row
    times = row.value / row.gpu_count / usual
    return replace(row, flag=f"super-linear: {times:.3g} times the rate per GPU of the smallest configuration")
