"""What was measured, as the fit and the validation read it: points of decode, prompt and serving speed, and labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pipeline.advise.estimate.types import Card, Request
from pipeline.core.networks import Model

Architecture = tuple[str, str]  # maker, name
Regime = Literal[
    "single stream", "batched decode", "prefill", "mixture of experts", "several GPUs", "experts in main memory"
]
# Single results read by hand from public pages, one line each with its address; `use` says fit or test.
READ = "decode-points"
HOSTED: Regime = "experts in main memory"
REGIMES: tuple[Regime, ...] = (
    "single stream",
    "batched decode",
    "prefill",
    "mixture of experts",
    "several GPUs",
    HOSTED,
)


def regime_of(model: Model, request: Request) -> Regime:
    """What kind of writing a request is: experts first, then how many GPUs, then how many streams."""
    if request.host_share:
        return HOSTED
    if model.experts:
        return "mixture of experts"
    if request.gpus > 1:
        return "several GPUs"
    return "single stream" if request.batch == 1 else "batched decode"


@dataclass(frozen=True, slots=True)
class Point:
    """One measured speed in tokens a second."""

    key: str  # source and place, as the benchmarks table has them
    set: str
    card: Card
    model: Model
    request: Request
    tokens: float  # in the cache while it was measured (decode), or in the prompt
    value: float
    date: str
    software: str
    kind: Literal["decode", "prompt", "serving"] = "decode"

    @property
    def regime(self) -> str:
        """What kind of work it is: each kind has an efficiency and an interval of its own."""
        if self.kind == "prompt":
            return "prefill"
        return regime_of(self.model, self.request)

    @property
    def group(self) -> tuple[str, str]:
        """Points of one GPU in one set vary together."""
        return (self.set, self.card.id)

    @property
    def source(self) -> str:
        """Where it comes from: its set, or its page where points were read by hand from many."""
        return self.key.partition(", ")[0] if self.set == READ else self.set

    @property
    def configuration(self) -> str:
        """GPU and count, as tables show them."""
        return self.card.name if self.request.gpus == 1 else f"{self.request.gpus} x {self.card.name}"


@dataclass(frozen=True, slots=True)
class ReadPoint:
    """A row of the measured points that somebody read by hand (`data/estimator`)."""

    gpu: str
    model: str
    quant: str
    gpus: int
    tokens: float
    tokens_per_s: float
    date: str
    back_end: str
    use: str  # whether the fit sees it
    url: str
    locator: str
    host_gb_s: float | None = None  # where part of the experts stays in the host's memory
    host_layers: float | None = None


@dataclass(frozen=True, slots=True)
class Tuned:
    """One measured speed of fine-tuning, tokens a second and GPU.

    The request's batch and context are those of one micro step on one GPU; its format is fp8 where steps ran in that.
    Publishers name networks that the registry lacks, so the counts stand here.
    """

    key: str
    set: str
    card: Card
    request: Request
    active: float  # parameters at work in one token
    layers: float  # 0 where the source gives no shape
    value: float
    date: str
    software: str

    @property
    def tokens(self) -> float:
        """Tokens of one micro step on one GPU."""
        return float(self.request.batch * self.request.context)

    @property
    def group(self) -> tuple[str, str]:
        """Points of one GPU in one set vary together."""
        return (self.set, self.card.id)


@dataclass(frozen=True, slots=True)
class KeptOfPeak:
    """What one MLPerf result of fine-tuning kept of the peak, in units that cancel, and its day."""

    share: float
    date: str


@dataclass(frozen=True, slots=True)
class MemoryLabel:
    """Whether a configuration ran at a context or went out of memory."""

    key: str
    card: Card
    model: Model
    request: Request
    fits: bool


@dataclass(frozen=True, slots=True)
class Excluded:
    """A point that was left out, and why."""

    key: str
    set: str
    reason: str


@dataclass(frozen=True, slots=True)
class Points:
    """Everything measured that the estimator reads."""

    decode: tuple[Point, ...]
    prefill: tuple[Point, ...]
    serving: tuple[Point, ...]
    labels: tuple[MemoryLabel, ...]
    excluded: tuple[Excluded, ...]
    apart: tuple[Point, ...] = ()  # points of the sources that are never fitted, and GPUs kept apart: they test it
    tuned: tuple[Tuned, ...] = ()
    tuned_apart: tuple[Tuned, ...] = ()
    kept: Mapping[Architecture, tuple[KeptOfPeak, ...]] = field(default_factory=dict)

    @property
    def measured(self) -> tuple[Point, ...]:
        """Every decode point: what was measured wins over an estimate, whether a fit saw it or not."""
        kept = (p for p in self.apart if p.kind == "decode")
        return tuple(p for p in (*self.decode, *kept) if p.regime != HOSTED)

    @property
    def steps(self) -> tuple[Tuned, ...]:
        """Every measured step of training, whether a fit saw it or not."""
        return (*self.tuned, *self.tuned_apart)
