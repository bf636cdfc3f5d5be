"""Memory and launches: the device's own bandwidth, transfers to and from the host, the time to start a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from pipeline.tools.measure.bench import Bench, Case, Repetitions
from pipeline.tools.measure.device import NotMeasured
from pipeline.tools.measure.kinds import Tensor, Torch
from pipeline.tools.measure.reference import must_agree, must_be_random

# Arrays this many times larger than the last cache leave nothing worth having in it.
CACHES = 8
MEMORY_SHARE = 0.25
FACTOR = 0.4
LAUNCHES = 1000


@dataclass(frozen=True)
class Stream:
    """A pass over arrays: how many are touched, what it does, what must come out."""

    arrays: int
    work: Callable[[Torch, Tensor, Tensor, Tensor], Tensor]  # torch, a, b, c
    exact: Callable[[Tensor, Tensor], Tensor]  # b, c in float64


STREAMS: Mapping[str, Stream] = {
    "stream_copy": Stream(2, lambda _, a, b, __: a.copy_(b), lambda b, _: b),
    "stream_triad": Stream(3, lambda torch, a, b, c: torch.add(b, c, alpha=FACTOR, out=a), lambda b, c: b + FACTOR * c),
}


def cases(bench: Bench) -> Iterator[Case]:
    """List the measurements."""
    for metric in STREAMS:
        run = partial(stream, bench, metric)
        yield Case("microbenchmark", "stream", "fp32", metric, "GB/s", run, main=True)
    for metric in TRANSFERS:
        yield Case("microbenchmark", "transfer", "fp32", metric, "GB/s", partial(transfer, bench, metric))
    yield Case("microbenchmark", "launch", "fp32", "launch_latency", "us", partial(launch_latency, bench))
    yield Case("microbenchmark", "launch", "fp32", "launch_interval", "us", partial(launch_interval, bench))


def stream(bench: Bench, metric: str) -> Repetitions:
    """Measure one pass over arrays far larger than the caches."""
    torch, kind = bench.device.torch, STREAMS[metric]
    count = array_bytes(bench) // 4
    torch.manual_seed(count % 1000)
    b, c = (torch.randn(count, device=bench.device.place) for _ in range(2))
    a = torch.empty_like(b)
    must_be_random(b[:1000])
    kind.work(torch, a, b, c)
    some = slice(None, None, max(1, count // 4096))
    exact = kind.exact(b[some].cpu().double(), c[some].cpu().double())
    must_agree(a[some], exact, 1e-6, metric)
    moved = kind.arrays * count * 4
    values = [moved / seconds / 1e9 for seconds in bench.seconds(lambda: kind.work(torch, a, b, c))]
    return Repetitions(values, "GB/s", f"arrays of {count * 4 / 2**20:.0f} MiB")


def array_bytes(bench: Bench) -> int:
    """Choose the size of an array: beyond the caches, and within the memory."""
    cache = int(getattr(bench.device.properties, "L2_cache_size", 0) or 0)
    wanted = max(bench.plan.array_bytes, CACHES * cache)
    memory = bench.device.memory()
    if memory and 3 * wanted > 3 * MEMORY_SHARE * memory[0]:
        raise NotMeasured(f"three arrays of {wanted / 2**20:.0f} MiB do not fit into the free memory")
    return wanted


@dataclass(frozen=True)
class Transfer:
    """One way of a transfer, from or to page-locked or ordinary memory."""

    to_device: bool
    pinned: bool


TRANSFERS: Mapping[str, Transfer] = {
    "host_to_device_pinned": Transfer(True, True),
    "host_to_device_pageable": Transfer(True, False),
    "device_to_host_pinned": Transfer(False, True),
    "device_to_host_pageable": Transfer(False, False),
}


def transfer(bench: Bench, metric: str) -> Repetitions:
    """Measure one way of a transfer."""
    torch, way, device = bench.device.torch, TRANSFERS[metric], bench.device
    if not device.is_gpu:
        raise NotMeasured("the processor is the host itself")
    if way.pinned and device.kind == "mps":
        raise NotMeasured("host and device share one memory here")
    count = bench.plan.transfer_bytes // 4
    host = torch.randn(count)
    if way.pinned:
        host = host.pin_memory()
    there = torch.randn(count, device=device.place)
    to, of = (there, host) if way.to_device else (host, there)
    to.copy_(of, non_blocking=way.pinned)
    device.wait()
    must_agree(to[:4096], of[:4096], 0.0, metric)
    seconds = bench.seconds(lambda: to.copy_(of, non_blocking=way.pinned))
    return Repetitions([count * 4 / each / 1e9 for each in seconds], "GB/s", f"{count * 4 / 2**20:.0f} MiB at a time")


def launch_latency(bench: Bench) -> Repetitions:
    """Start the smallest of kernels, wait for it, look at the clock; again and again."""
    one = bench.device.torch.zeros(1, device=bench.device.place)
    repetitions = 20 * bench.plan.effort.at_least
    values = []
    for _ in range(repetitions + 10):
        bench.device.wait()
        start = bench.clock()
        one.add_(1)
        bench.device.wait()
        values.append(1e6 * (bench.clock() - start))
    must_agree(one, one.new_full((1,), float(repetitions + 10)), 0.0, "a sum of ones")
    return Repetitions(values[10:], "us", "one addition to one number, through PyTorch")


def launch_interval(bench: Bench) -> Repetitions:
    """Queue many of the smallest kernels and divide: how fast can they follow one another?"""
    one = bench.device.torch.zeros(1, device=bench.device.place)

    def burst() -> None:
        for _ in range(LAUNCHES):
            one.add_(1)

    burst()
    seconds = bench.device.seconds(burst, max(3, bench.plan.effort.at_least), 1)
    return Repetitions(
        [1e6 * each / LAUNCHES for each in seconds], "us", f"{LAUNCHES} additions to one number in a row"
    )
