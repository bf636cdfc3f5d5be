"""The words of a result in one place: columns, number formats, and each metric with its unit and direction."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

COLUMNS = (
    "gpu",
    "gpu_count",
    "workload",
    "model",
    "precision",
    "batch",
    "metric",
    "value",
    "p10",
    "p90",
    "repetitions",
    "unit",
    "higher_is_better",
    "software",
    "date",
    "flag",
    "note",
)
RAW_COLUMNS = ("workload", "model", "precision", "batch", "metric", "software", "round", "repetition", "value", "unit")
PRECISIONS = ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "fp4")
# How weights are packed: where a network ran on them, the name of the packing stands for its number format.
PACKINGS = ("mxfp8", "nvfp4", "mxfp4", "awq", "gptq", "w4a16", "w8a8")
# llama.cpp's packed formats name their bits: q4_k_m, iq3_xxs, q6_k.
PACKED = re.compile(r"(?:ud-)?i?q(?P<bits>[1-8])(?:_[0-9a-z]+)*")
WORKLOADS = ("microbenchmark", "training", "inference")
# What makes a row itself; two rows that agree in all of these are the same measurement twice.
KEY = ("gpu", "gpu_count", "workload", "model", "precision", "batch", "metric", "software", "date")


@dataclass(frozen=True)
class Metric:
    """What a number measures, the units it may have, and whether more is better."""

    meaning: str
    units: tuple[str, ...]
    higher_is_better: bool


WORK_UNITS = ("images", "sequences", "tokens", "samples")
RATES = tuple(f"{unit}/s" for unit in WORK_UNITS)
ENERGIES = (*(f"J/{unit[:-1]}" for unit in WORK_UNITS), "J/TFLOP")
METRICS: Mapping[str, Metric] = {
    "matmul_rate": Metric("arithmetic a second of one square matrix product", ("TFLOPS",), True),
    "matmul_rate_best": Metric("the fastest size of this number format", ("TFLOPS",), True),
    "matmul_rate_sustained": Metric("the rate held over a long loop, as heat and power allow", ("TFLOPS",), True),
    "matmul_time_host_cpu": Metric("one product on the processor of the same machine", ("ms",), False),
    "matmul_time_device": Metric("one product, matrices already on the device", ("ms",), False),
    "matmul_time_with_transfer": Metric("one product, matrices sent there and the result back", ("ms",), False),
    "speedup_over_host_cpu": Metric("processor's time divided by the device's", ("times",), True),
    "speedup_over_host_cpu_with_transfer": Metric("the same, transfers counted", ("times",), True),
    "stream_copy": Metric("one array read, one written", ("GB/s",), True),
    "stream_triad": Metric("two arrays read, one written", ("GB/s",), True),
    "host_to_device_pinned": Metric("to the device from page-locked memory", ("GB/s",), True),
    "host_to_device_pageable": Metric("to the device from ordinary memory", ("GB/s",), True),
    "device_to_host_pinned": Metric("from the device to page-locked memory", ("GB/s",), True),
    "device_to_host_pageable": Metric("from the device to ordinary memory", ("GB/s",), True),
    "launch_latency": Metric("one tiny kernel, started and waited for", ("us",), False),
    "launch_interval": Metric("time per tiny kernel when many are queued", ("us",), False),
    "throughput": Metric("work a second", RATES, True),
    "generation_speed": Metric("tokens generated a second, all sequences of the batch together", ("tokens/s",), True),
    "prompt_speed": Metric("prompt tokens read a second", ("tokens/s",), True),
    "largest_batch": Metric("the largest batch that fits into the memory", WORK_UNITS, True),
    "energy": Metric("energy of the device for one unit of work", ENERGIES, False),
}
