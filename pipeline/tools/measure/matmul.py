"""Matrix multiplication: the rate by number format and size, the rate held for long, and the processor beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pipeline.tools.measure.bench import LAG_SECONDS, Bench, Case, Repetitions
from pipeline.tools.measure.device import Device, NotMeasured
from pipeline.tools.measure.kinds import Tensor
from pipeline.tools.measure.output import ResultRow
from pipeline.tools.measure.reference import check_product, must_be_random
from pipeline.tools.measure.stats import Summary, quantile

PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8")
# A third of the free memory leaves room for what libraries take beside the three matrices.
MEMORY_SHARE = 0.33


def cases(bench: Bench) -> Iterator[Case]:
    """List the measurements."""
    sizes = bench.plan.matmul_sizes
    for precision in PRECISIONS:
        for size in sizes:
            yield Case(
                "microbenchmark",
                f"matmul-{size}",
                precision,
                "matmul_rate",
                "TFLOPS",
                partial(rate, bench, precision, size),
                main=size == sizes[-1],
            )
        yield Case(
            "microbenchmark",
            "matmul",
            precision,
            "matmul_rate_sustained",
            "TFLOPS",
            partial(sustained, bench, precision),
        )
    yield from _comparison(bench)


def rate(bench: Bench, precision: str, size: int) -> Repetitions:
    """Measure one size in one number format, after its result was checked."""
    with bench.device.exactly(precision):
        a, b = matrices(bench, precision, size)
        work = product(bench, precision, a, b)
        error = check_product(a, b, work(), precision)
        values = [2 * size**3 / seconds / 1e12 for seconds in bench.seconds(work)]
    best = bench.memo.setdefault("matmul", {})
    best[precision] = max(best.get(precision, (0.0, 0)), (quantile(values, 0.5), size))
    return Repetitions(values, "TFLOPS", f"{NOTES.get(precision, '')}error {error:.1e} of float64")


def sustained(bench: Bench, precision: str) -> Repetitions:
    """Repeat the fastest size without a pause, long enough for heat and power limits to show."""
    _must_have(bench, precision)
    fastest = bench.memo.get("matmul", {}).get(precision)
    if not fastest:
        raise NotMeasured("no size of this number format gave a rate")
    size = fastest[1]
    with bench.device.exactly(precision):
        a, b = matrices(bench, precision, size)
        work = product(bench, precision, a, b)
        check_product(a, b, work(), precision)
        values, start, end = _held(bench, work, size)
    watts = bench.meter.mean_watts(start + LAG_SECONDS, end) if bench.meter else None
    joules = None if watts is None else watts / quantile(values, 0.5)
    seconds = bench.plan.sustained_seconds
    note = f"{NOTES.get(precision, '')}{size} x {size}, {seconds:g} s without a pause"
    return Repetitions(values, "TFLOPS", note, joules, "J/TFLOP")


def _held(bench: Bench, work: Callable[[], Tensor], size: int) -> tuple[list[float], float, float]:
    """Repeat for the time of the plan in stretches of about a fiftieth of it; the rate of each stretch."""
    length = bench.plan.sustained_seconds
    calls = max(1, round(length / 50 / max(min(bench.device.seconds(work, 2, 1)), 1e-6)))
    values: list[float] = []
    start = now = bench.clock()
    while now < start + length or len(values) < 3:
        seconds = bench.device.seconds(work, 1, calls)
        values += [2 * size**3 * calls / each / 1e12 for each in seconds]
        now = bench.clock()
    bench.memo.setdefault("sustained", []).append((start, now))
    return values, start, now


def matrices(bench: Bench, precision: str, size: int) -> tuple[Tensor, Tensor]:
    """Make two random matrices; FP8 wants the second one column by column."""
    _must_have(bench, precision)
    memory = bench.device.memory()
    if memory and 3 * size * size * 4 > MEMORY_SHARE * memory[0]:
        raise NotMeasured(f"matrices of {size} x {size} are too large for the free memory")
    torch, dtype = bench.device.torch, bench.device.dtype(precision)
    torch.manual_seed(size)
    made = torch.float32 if precision == "fp8" else dtype
    a, b = (torch.randn(size, size, device=bench.device.place, dtype=made).to(dtype) for _ in range(2))
    return (a, b.t()) if precision == "fp8" else (a, b)


def product(bench: Bench, precision: str, a: Tensor, b: Tensor) -> Callable[[], Tensor]:
    """Give the piece of work that multiplies them."""
    torch = bench.device.torch
    if precision != "fp8":
        out = torch.empty(a.shape[0], b.shape[1], device=a.device, dtype=a.dtype)
        return lambda: torch.mm(a, b, out=out)
    one = torch.ones((), device=a.device)
    # PyTorch has no other door to FP8 products.
    return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)


NOTES = {"fp8": "e4m3 inputs, bf16 result, fast accumulation; ", "tf32": "float32 matrices; "}


def _must_have(bench: Bench, precision: str) -> None:
    reason = bench.device.lacks(precision)
    if reason:
        raise NotMeasured(reason)


def _comparison(bench: Bench) -> Iterator[Case]:
    """The question of the articles: how much faster than the processor, and what of it do transfers eat?"""
    size = bench.plan.comparison_size
    metrics = ["matmul_time_host_cpu"]
    if bench.device.is_gpu:
        metrics += ["matmul_time_device", "matmul_time_with_transfer"]
    for metric in metrics:
        yield Case(
            "microbenchmark",
            f"matmul-{size}",
            "fp32",
            metric,
            "ms",
            partial(compare, bench, metric, size),
        )


def compare(bench: Bench, metric: str, size: int) -> Repetitions:
    """Time one FP32 product where the metric says."""
    from pipeline.tools.measure.samples import matmul as sample

    torch, place = bench.device.torch, bench.device.place
    torch.manual_seed(size)
    a, b = torch.randn(size, size), torch.randn(size, size)
    must_be_random(a)
    with bench.device.exactly("fp32"):
        if metric == "matmul_time_host_cpu":
            timed, work = Bench(Device(bench.device.torch, "cpu"), bench.plan), partial(sample.product, a, b)
        elif metric == "matmul_time_device":
            timed, work = bench, partial(sample.product, a.to(place), b.to(place))
        else:
            timed, work = bench, partial(sample.product_with_transfer, a, b, place)
        check_product(a, b, work(), "fp32")
        threads = f"{torch.get_num_threads()} threads" if metric == "matmul_time_host_cpu" else ""
        return Repetitions([1000 * seconds for seconds in timed.seconds(work)], "ms", threads)


RATIOS = {
    "speedup_over_host_cpu": "matmul_time_device",
    "speedup_over_host_cpu_with_transfer": "matmul_time_with_transfer",
}


def derived(rows: Sequence[ResultRow]) -> Iterator[ResultRow]:
    """Say which size was best in each number format, and how the device compares with the processor."""
    for precision in PRECISIONS:
        rates = [r for r in rows if r.metric == "matmul_rate" and r.precision == precision and r.summary]
        if rates:
            best = max(rates, key=_median)
            yield _like(best, "matmul", "matmul_rate_best", "TFLOPS", best.summary, f"at {best.model}")
    times = {row.metric: row for row in rows if row.summary and row.metric.startswith("matmul_time_")}
    host = times.get("matmul_time_host_cpu")
    for metric, other in RATIOS.items():
        if host and other in times:
            ratio = _median(host) / _median(times[other])
            note = "median time on the processor divided by that on the device"
            yield _like(times[other], host.model, metric, "times", Summary(ratio, ratio, ratio, 1), note)


def _median(row: ResultRow) -> float:
    return row.summary.median if row.summary else 0.0


def _like(row: ResultRow, model: str, metric: str, unit: str, found: Summary | None, note: str) -> ResultRow:
    return ResultRow(
        row.gpu, row.workload, model, row.precision, metric, unit, row.software, row.date, found, note=note
    )
