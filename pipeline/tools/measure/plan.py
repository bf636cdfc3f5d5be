"""How much a run does, by its length: one table for `--quick`, the default and the tests' `--tiny`."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.tools.measure.timing import Effort


@dataclass(frozen=True)
class Plan:
    """Sizes and durations of one run."""

    name: str
    effort: Effort  # of each measurement, and again in the second round of the main rates
    matmul_sizes: tuple[int, ...]
    comparison_size: int  # the product of the articles: processor against GPU
    sustained_seconds: float
    array_bytes: int  # of each array in the memory tests, at least
    transfer_bytes: int
    training_sizes: tuple[str, ...]
    training_batches: tuple[int, ...]  # one per size
    compile_backend: str  # empty: nothing is compiled
    decoders: tuple[str, ...]
    decode_batches: tuple[int, ...]
    prefill_batches: tuple[int, ...]
    context_tokens: int
    energy_seconds: float  # 0: only the sustained loop measures energy
    bisections: int  # refine the largest batch so often; -1: do not search
    deadline_seconds: float  # no new measurement begins after this


MIB = 2**20
FULL = Plan(
    "full",
    Effort(1.2, 10),
    (1024, 2048, 4096, 8192, 16384),
    1024,
    10,
    512 * MIB,
    256 * MIB,
    ("small", "full"),
    (64, 64),
    "inductor",
    ("kit-decoder-1b", "kit-decoder-8b"),
    (1, 2, 4, 8, 16, 32, 64),
    (1, 8),
    512,
    4,
    3,
    560,
)
QUICK = Plan(
    "quick",
    Effort(0.25, 5),
    (4096, 8192),
    1024,
    3,
    256 * MIB,
    128 * MIB,
    ("full",),
    (32,),
    "",
    ("kit-decoder-1b",),
    (1, 8, 64),
    (1,),
    512,
    0,
    -1,
    55,
)
# A processor does in a second what a GPU does in a hundredth: the same questions, smaller.
FULL_CPU = Plan(
    "full, sized for a processor",
    Effort(1.0, 5),
    (256, 512, 1024, 2048),
    1024,
    5,
    256 * MIB,
    64 * MIB,
    ("small", "full"),
    (16, 4),
    "inductor",
    ("kit-decoder-100m",),
    (1, 4, 16),
    (1,),
    128,
    0,
    -1,
    560,
)
QUICK_CPU = Plan(
    "quick, sized for a processor",
    Effort(0.25, 3),
    (512, 1024),
    1024,
    2,
    256 * MIB,
    64 * MIB,
    ("small",),
    (8,),
    "",
    ("kit-decoder-100m",),
    (1, 8),
    (1,),
    128,
    0,
    -1,
    55,
)
TINY = Plan(
    "tiny, for tests only",
    Effort(0.01, 3, 5),
    (48, 64),
    64,
    0.05,
    MIB,
    MIB,
    ("tiny",),
    (4,),
    "eager",
    ("kit-decoder-tiny",),
    (1, 4),
    (1,),
    16,
    0,
    -1,
    300,
)


def choose(*, quick: bool, tiny: bool, gpu: bool) -> Plan:
    """Choose the plan of a run."""
    if tiny:
        return TINY
    if quick:
        return QUICK if gpu else QUICK_CPU
    return FULL if gpu else FULL_CPU
