"""What was measured, as the fit and the validation read it: points of decode, prompt and serving speed, and labels."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.estimate.types import Card, Model, Request


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

    @property
    def group(self) -> tuple[str, str]:
        """Points of one GPU in one set vary together."""
        return (self.set, self.card.id)

    @property
    def configuration(self) -> str:
        """GPU and count, as tables show them."""
        return self.card.name if self.request.gpus == 1 else f"{self.request.gpus} x {self.card.name}"


@dataclass(frozen=True, slots=True)
class ServingPoint:
    """One measured serving run: output tokens a second over all streams."""

    point: Point
    prompt_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Label:
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
    serving: tuple[ServingPoint, ...]
    labels: tuple[Label, ...]
    excluded: tuple[Excluded, ...]
    apart: tuple[Point, ...] = ()  # decode points that no fit sees: they test it

    @property
    def measured(self) -> tuple[Point, ...]:
        """Every decode point: what was measured wins over an estimate, whether a fit saw it or not."""
        return (*self.decode, *self.apart)
