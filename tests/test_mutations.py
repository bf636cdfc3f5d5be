"""Errors of the kind that public tables really hold, seeded into the real dataset one at a time: each is caught."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import pytest
from samples import compiled

from pipeline.core.paths import DATA
from pipeline.core.schema import Claim, Price, Result
from pipeline.record import corrections, validate
from pipeline.record.validate import Evidence

RTX4090, H100, H100_PCIE, L4 = (
    "nvidia-geforce-rtx-4090",
    "nvidia-h100-sxm5-80gb",
    "nvidia-h100-pcie-80gb",
    "nvidia-l4",
)
MI300X, MI250X, K80, RTX5090 = (
    "amd-instinct-mi300x",
    "amd-instinct-mi250x",
    "nvidia-tesla-k80",
    "nvidia-geforce-rtx-5090",
)
FP16 = "peak:fp16:fp32:dense:tensor"


@cache
def accepted() -> tuple[corrections.Accepted, ...]:
    return corrections.load(DATA.corrections).accepted


def said(evidence: Evidence) -> list[str]:
    return validate.problems(evidence, accepted())


def with_claims(change: Callable[[Claim], Claim | None], extra: Sequence[Claim] = ()) -> Evidence:
    base = compiled()
    changed = [*(c for c in map(change, base.claims) if c), *extra]
    return replace(base, claims=changed)


def chosen(gpu: str, field: str) -> Claim:
    return compiled().records[gpu][field].chosen


def scaled(gpu: str, field: str, factor: float) -> Callable[[], Evidence]:
    """Every claim on one field of one GPU, times a factor: a whole table that got it wrong."""

    def change(claim: Claim) -> Claim:
        hit = (claim.gpu, claim.field) == (gpu, field)
        return replace(claim, value=f"{float(claim.value) * factor:.7g}") if hit else claim

    return lambda: with_claims(change)


def stated(gpu: str, field: str, value: str) -> Callable[[], Evidence]:
    """Every claim on one field of one GPU says the same wrong thing: one table that all copied."""
    chosen(gpu, field)
    return lambda: with_claims(lambda c: replace(c, value=value) if (c.gpu, c.field) == (gpu, field) else c)


def said_once(gpu: str, field: str, value: str, **changes: str) -> Callable[[], Evidence]:
    """One more source with a wrong value that loses against the others."""
    model = chosen(gpu, field)
    wrong = replace(model, value=value, source="another-table", locator="row 9", kind="community")
    return lambda: with_claims(lambda c: c, [replace(wrong, **changes)])


def edited(gpu: str, field: str, /, **changes: str) -> Callable[[], Evidence]:
    target = chosen(gpu, field)
    return lambda: with_claims(lambda c: replace(c, **changes) if c == target else c)


def swapped(left: str, right: str, fields: Sequence[str]) -> Callable[[], Evidence]:
    """The rows of two variants exchanged in one source."""
    other = {left: right, right: left}
    source = chosen(left, fields[0]).source
    return lambda: with_claims(
        lambda c: replace(c, gpu=other[c.gpu]) if c.gpu in other and c.field in fields and c.source == source else c
    )


def result(**changes: object) -> Callable[[], Evidence]:
    base = compiled()
    index = next(
        i
        for i, r in enumerate(base.results)
        if r.value and not r.flag and r.gpu == RTX4090 and r.metric == "throughput"
    )
    wrong: list[Result] = [*base.results]
    wrong[index] = replace(wrong[index], **changes)  # type: ignore[arg-type]
    return lambda: replace(base, results=wrong)


def price(kind: str, change: Callable[[Price], Price]) -> Callable[[], Evidence]:
    base = compiled()
    index = next(
        i for i, p in enumerate(base.prices) if p.kind == kind and not p.flag and p.gpu == H100 and (p.gpus or 0) >= 8
    )
    wrong: list[Price] = [*base.prices]
    wrong[index] = change(wrong[index])
    return lambda: replace(base, prices=wrong)


# The error, how it is seeded, and a word that the message must hold.
MUTATIONS: dict[str, tuple[Callable[[], Callable[[], Evidence]], str]] = {
    "bus width halved everywhere": (lambda: scaled(RTX4090, "memory_bus_bit", 0.5), "halved bus"),
    "bus width halved in one table": (lambda: said_once(RTX4090, "memory_bus_bit", "192"), "192"),
    "bandwidth of one die of two": (lambda: scaled(K80, "memory_bandwidth_gb_s", 0.5), "Gbps"),
    "memory of one die of two": (lambda: said_once(K80, "memory_gb", "12"), "factor of two"),
    "sparse FP16 stored as dense, everywhere": (lambda: scaled(H100, FP16, 2), "a sparse peak stored as dense"),
    "sparse FP16 stored as dense, in one table": (lambda: said_once(H100, FP16, "1979"), "1979"),
    "sparse FP8 in the dense column": (lambda: said_once(H100, "peak:fp8:fp32:dense:tensor", "3958"), "3958"),
    "MI300X FP16 2,615 in a dense column": (lambda: said_once(MI300X, FP16, "2615"), "2615"),
    "sparse peak halved once more": (lambda: scaled(MI300X, "peak:fp16:fp32:sparse:tensor", 0.5), "stored as sparse"),
    "FP16 accumulate stored as FP32 accumulate": (lambda: scaled(RTX4090, FP16, 2), "330"),
    "FP64 of a card whose FP64 is accepted at another rate": (
        lambda: scaled("nvidia-h20", "peak:fp64:fp64:dense:vector", 34),
        "fp64_keeps_the_ratio_of_its_architecture",
    ),
    "INT8 rate in the FP16 column": (lambda: said_once(H100, FP16, "1978.9"), "1978.9"),
    "tensor rate in the vector column": (lambda: scaled(RTX4090, "peak:fp32:fp32:dense:vector", 4), "cores"),
    "vector FP32 of the dual-issue kind": (lambda: scaled(RTX4090, "peak:fp32:fp32:dense:vector", 2), "cores"),
    "GFLOPS as TFLOPS": (lambda: scaled(RTX4090, "peak:fp32:fp32:dense:vector", 1000), "cores"),
    "MiB as GB": (lambda: scaled(RTX4090, "memory_gb", 1024), "outside"),
    "MB as GB in a cache": (lambda: scaled(RTX4090, "l2_cache_mb", 1024), "outside"),
    "TB/s as GB/s": (lambda: scaled(H100, "memory_bandwidth_gb_s", 0.001), "outside"),
    "bandwidth off by ten": (lambda: scaled(RTX4090, "memory_bandwidth_gb_s", 10), "Gbps"),
    "bits as bytes a second": (lambda: scaled(RTX4090, "memory_bandwidth_gb_s", 8), "Gbps"),
    "kW as W": (lambda: scaled(H100, "board_power_w", 0.001), "outside"),
    "transistors in billions": (lambda: scaled(RTX4090, "transistors_millions", 0.001), "outside"),
    "die in cm²": (lambda: scaled(RTX4090, "die_size_mm2", 0.01), "outside"),
    "GHz as MHz": (lambda: scaled(RTX4090, "boost_clock_mhz", 0.001), "outside"),
    "streaming multiprocessors as cores": (lambda: scaled(RTX4090, "shader_cores", 1 / 128), "cores"),
    "price in cents": (lambda: scaled(RTX4090, "launch_price_usd", 1000), "outside"),
    "zero launch price": (lambda: edited(RTX4090, "launch_price_usd", value="0"), "leave an unknown value out"),
    "zero for unknown power": (lambda: edited(H100, "board_power_w", value="0"), "leave an unknown value out"),
    "negative bandwidth": (lambda: edited(H100, "memory_bandwidth_gb_s", value="-3350"), "outside"),
    "swapped PCIe and SXM": (lambda: swapped(H100, H100_PCIE, ("memory_bandwidth_gb_s",)), "variant"),
    "power of the sibling variant": (lambda: said_once(H100_PCIE, "board_power_w", "700"), "variant"),
    "L4 with capability 10.0": (lambda: edited(L4, "compute_capability", value="10.0"), "8.9"),
    "GDDR as HBM": (lambda: edited(H100, "memory_type", value="GDDR6X"), "Gbps"),
    "base clock above the boost clock": (lambda: scaled(RTX4090, "base_clock_mhz", 1.5), "boost"),
    "launch in the future": (lambda: edited(RTX4090, "launch_date", value="2031-10-12"), "future"),
    "launch before the architecture": (
        lambda: edited(RTX5090, "launch_date", value="2015-01-30"),
        "first_products_come_first",
    ),
    "day and month exchanged into nonsense": (lambda: edited(RTX4090, "launch_date", value="2022-13-10"), "date"),
    "source without an address": (lambda: edited(RTX4090, "memory_gb", url=""), "no url"),
    "script as address": (lambda: edited(RTX4090, "memory_gb", url="javascript:alert(1)"), "web address"),
    "value without a place": (lambda: edited(RTX4090, "memory_gb", locator=" "), "no locator"),
    "value without a licence": (lambda: edited(RTX4090, "memory_gb", licence=""), "no licence"),
    "rumour as a kind": (lambda: edited(RTX4090, "memory_gb", kind="rumour"), "kind"),
    "GiB left as the unit": (lambda: edited(RTX4090, "memory_gb", unit="GiB"), "unit"),
    "a card that does not exist": (lambda: edited(RTX4090, "memory_gb", gpu="nvidia-rtx-6090"), "unknown GPU"),
    "misspelled field": (lambda: edited(RTX4090, "memory_gb", field="memory_bg"), "unknown field"),
    "four words of a peak mixed up": (
        lambda: edited(RTX4090, "peak:fp32:fp32:dense:vector", field="peak:fp32:dense:fp32:vector"),
        "not one of",
    ),
    "L2 of a larger die": (lambda: stated("nvidia-geforce-rtx-4080", "l2_cache_mb", "96"), "whole L2 of AD103"),
    "half the L2 of a whole die": (lambda: stated("nvidia-l40s", "l2_cache_mb", "48"), "whole L2 of AD102"),
    "L2 of Intel's lists": (lambda: stated("intel-arc-b580", "l2_cache_mb", "4"), "whole L2 of BMG-G21"),
    "twice the L2 of a sister card": (lambda: stated("amd-radeon-rx-7900-xt", "l2_cache_mb", "12"), "Navi 31"),
    "L2 of the next generation": (lambda: stated("nvidia-geforce-rtx-3070", "l2_cache_mb", "6"), "GA104"),
    "bandwidth of a later size": (
        lambda: stated("nvidia-v100-pcie-32gb", "memory_bandwidth_gb_s", "1134"),
        "stacks of two sizes",
    ),
    "bandwidth of the server card": (
        lambda: stated("nvidia-rtx-pro-6000-blackwell-max-q", "memory_bandwidth_gb_s", "1597"),
        "power and clock only",
    ),
    "INT8 half of FP8": (lambda: stated(H100, "peak:int8:int32:dense:tensor", "989.5"), "operations"),
    "INT8 of the FP16 column": (lambda: stated(MI300X, "peak:int8:int32:dense:tensor", "1307"), "operations"),
    "FP64 of the matrix units as that of the others": (
        lambda: stated(H100, "peak:fp64:fp64:dense:tensor", "34"),
        "operations",
    ),
    "a variant before its base": (lambda: stated("nvidia-geforce-rtx-4080-super", "launch_date", "2022-10-01"), "4080"),
    "the day of the chip for a later module": (
        lambda: stated("nvidia-h200-sxm-141gb", "launch_date", "2022-03-01"),
        "before the",
    ),
    "HBM without ECC": (lambda: stated(MI300X, "ecc", "false"), "corrects errors"),
    "a professional card without ECC": (lambda: stated("nvidia-rtx-a6000", "ecc", "false"), "one series"),
    "PCIe of a newer card": (lambda: stated(RTX4090, "pcie_gen", "5"), "generation 4"),
    "PCIe of the slot": (lambda: stated("nvidia-t4", "pcie_gen", "4"), "generation 3"),
    "lanes of no slot": (lambda: stated(RTX4090, "pcie_lanes", "12"), "lanes"),
    "lanes of the slot": (lambda: stated("nvidia-geforce-rtx-4060", "pcie_lanes", "16"), "eight lanes"),
    "NVLink of the generation before": (lambda: stated("nvidia-gh200-96gb", "link_gb_s", "600"), "NVLink 4"),
    "NVLink of the module for the card": (lambda: stated(H100_PCIE, "link_gb_s", "900"), "three bridges"),
    "matrix cores of two halves": (lambda: stated(H100, "tensor_cores", "1056"), "matrix cores"),
    "not a number": (lambda: edited(RTX4090, "memory_gb", value="nan"), "finite"),
    "failed run as 0": (lambda: result(value=0.0), "not above zero"),
    "run without value or reason": (lambda: result(value=None), "no flag"),
    "latency read as throughput": (lambda: result(higher_is_better=False), "direction"),
    "no GPU in a run": (lambda: result(gpu_count=0), "gpu_count"),
    "a result from the future": (lambda: result(date="2031-01-01"), "future"),
    "price of the machine as price of the GPU": (
        lambda: price("on_demand", lambda p: replace(p, usd_per_gpu_hour=p.usd_per_machine_hour)),
        "machine",
    ),
    "machine and GPU price both eight times": (
        lambda: price(
            "on_demand",
            lambda p: replace(
                p,
                usd_per_gpu_hour=(p.usd_per_gpu_hour or 0) * 8,
                usd_per_machine_hour=(p.usd_per_machine_hour or 0) * 8,
            ),
        ),
        "median",
    ),
    "rupees as dollars": (
        lambda: price(
            "on_demand",
            lambda p: replace(
                p,
                usd_per_gpu_hour=(p.usd_per_gpu_hour or 0) * 95,
                usd_per_machine_hour=(p.usd_per_machine_hour or 0) * 95,
            ),
        ),
        "median",
    ),
    "spot price of 0.00": (
        lambda: price("on_demand", lambda p: replace(p, kind="spot", usd_per_gpu_hour=0.0)),
        "not above zero",
    ),
    "price of a made-up kind": (lambda: price("on_demand", lambda p: replace(p, kind="list")), "not one of"),
    "a price from the future": (lambda: price("on_demand", lambda p: replace(p, date="2031-01-01")), "future"),
}


@pytest.mark.full  # "make check" says the same in each run
def test_the_committed_dataset_has_no_problem() -> None:
    assert said(compiled()) == []


@pytest.mark.sample(4)
@pytest.mark.parametrize("error", MUTATIONS)
def test_a_seeded_error_in_the_real_dataset_is_caught(error: str) -> None:
    seed, word = MUTATIONS[error]
    found = said(seed()())
    assert any(word in line for line in found), found or "nothing was said"
