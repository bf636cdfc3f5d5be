"""Measured points in, coefficients with interval and spread out: robust, weighted and linear in every unknown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

import numpy as np
import numpy.typing as npt

from pipeline.estimate.coefficients import (
    Coefficient,
    Coefficients,
    PointSet,
    Spread,
)
from pipeline.estimate.engines import find
from pipeline.estimate.inputs import ENGINE_OF
from pipeline.estimate.points import Point, Points, ServingPoint
from pipeline.estimate.speed import decode_kinds, decode_terms, prefill_terms, serving_terms

ROUNDS = 25
# A relative residual below this counts as hit: without it the points that happen to lie closest would rule the fit.
HIT = 0.02
# The share of points that an interval is to hold, and Student's t for it: how many standard deviations away the next
# draw may lie when the deviation from a known mean comes from this many draws (any t table, 90 % on one side).
COVERED = 0.8
STUDENT_T: Mapping[int, float] = {
    1: 3.078, 2: 1.886, 3: 1.638, 4: 1.533, 5: 1.476, 6: 1.440, 7: 1.415, 8: 1.397, 9: 1.383, 10: 1.372, 15: 1.341,
    20: 1.325, 30: 1.310, 60: 1.296,
}  # fmt: skip
NOTHING = 1e-15  # a pivot below this is the rounding of 0
UNITS = {"1/eta": "1", "1/gai": "1", "1/mfu": "1", "unpac": "operations a weight"}
UNIT_OF_TIME = "microseconds"
PREFILL, SERVING = "prefill", "serving"
# A back end has a spread of its own from so many GPUs on: with one left out, three still tell how far the next may lie.
# AMD's cards are the reason: their points kept apart miss by twice what the many NVIDIA cards of May 2024 would allow.
ENOUGH_GPUS = 4

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """One equation of the fit: the terms times their coefficients should give the measured seconds."""

    group: tuple[str, str]  # set, GPU
    kind: str  # class of points that share a spread
    terms: Mapping[str, float]
    seconds: float
    key: str
    finer: str = ""  # the part of the class with a back end of its own

    @property
    def gpu(self) -> str:
        """The GPU that is left out together."""
        return self.group[1]


def fit(found: Points) -> Coefficients:
    """Fit decode, then prompts, then serving (with what decode found held fixed); every GPU left out once."""
    decode = [sample(p) for p in found.decode]
    prefill = [prompt_sample(p) for p in found.prefill]
    serving = [serving_sample(p) for p in found.serving]
    values, spreads = _fitted(decode, {})
    for samples, fixed in ((prefill, {}), (serving, {k: v.value for k, v in values.items()})):
        more, their = _fitted(samples, fixed)
        values, spreads = {**more, **values}, {**spreads, **their}
    return Coefficients(values, spreads, _sets(found))


def sample(point: Point) -> Sample:
    """Turn a decode point into an equation."""
    engine = find(point.request.engine)
    terms = decode_terms(point.card, point.model, point.request, engine, point.tokens)
    finer, kind = decode_kinds(point.card, point.model, engine)
    return Sample(point.group, kind, terms, 1 / point.value, point.key, finer)


def prompt_sample(point: Point) -> Sample:
    """Turn a prompt point into an equation."""
    engine = find(point.request.engine)
    terms = prefill_terms(point.card, point.model, point.request, engine, round(point.tokens))
    kind = f"{PREFILL} {'several GPUs' if point.request.gpus > 1 else point.card.memory_class}"
    return Sample(point.group, kind, terms, point.tokens / point.value, point.key)


def serving_sample(run: ServingPoint) -> Sample:
    """Turn a serving run into an equation: the seconds of one output token."""
    point = run.point
    terms = serving_terms(point.card, point.model, point.request, find(point.request.engine), run.output_tokens)
    return Sample(point.group, SERVING, terms, 1 / point.value, point.key)


def without_each_gpu(samples: Sequence[Sample], fixed: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Fit once for every GPU, without its points."""
    gpus = sorted({s.gpu for s in samples})
    return {gpu: solve([s for s in samples if s.gpu != gpu], fixed) for gpu in gpus}


def residuals(samples: Iterable[Sample], left_out: Mapping[str, Mapping[str, float]],
              fixed: Mapping[str, float]) -> list[tuple[Sample, float]]:  # fmt: skip
    """Give log(measured speed / estimated speed) of every sample, by the fit that never saw its GPU."""
    found = []
    for one in samples:
        estimated = _total(one, {**fixed, **left_out[one.gpu]})
        if estimated > 0:  # the term of a class of which this is the only GPU cannot be known without it
            found.append((one, math.log(estimated / one.seconds)))
    return found


def spreads(pairs: Sequence[tuple[Sample, float]]) -> dict[str, Spread]:
    """The spread of every class, and of every back end with enough GPUs to have its own."""
    groups: dict[str, list[tuple[Sample, float]]] = {}
    for one, residual in pairs:
        for name in filter(None, (one.kind, one.finer)):
            groups.setdefault(name, []).append((one, residual))
    classes = {one.kind for one, _ in pairs}
    found = {name: spread(group) for name, group in sorted(groups.items())}
    return {name: one for name, one in found.items() if name in classes or one.gpus >= ENOUGH_GPUS}


def spread(pairs: Sequence[tuple[Sample, float]]) -> Spread:
    """How far a GPU that no fit saw may lie off: points of one GPU err together, so the GPUs are the draws.

    Student's t over the medians of the GPUs, about 0 because an estimate without a GPU's own points leans to neither
    side, and the spread of points about their GPU's median, added in squares.
    """
    by_gpu: dict[str, list[float]] = {}
    for one, residual in pairs:
        by_gpu.setdefault(one.gpu, []).append(residual)
    middles = {gpu: median(logs) for gpu, logs in by_gpu.items()}
    about = sorted(residual - middles[one.gpu] for one, residual in pairs)
    between = _next_draw(list(middles.values()))
    low, high = (quantile(about, level) for level in ((1 - COVERED) / 2, (1 + COVERED) / 2))
    return Spread(-math.hypot(between, low), math.hypot(between, high), len(pairs), len(by_gpu))


def quantile(ordered: Sequence[float], level: float) -> float:
    """Interpolate between the two nearest values."""
    place = level * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _next_draw(draws: Sequence[float]) -> float:
    """How far from 0, their known mean, the next draw may lie."""
    t = STUDENT_T[max(known for known in STUDENT_T if known <= len(draws))]
    return t * math.sqrt(mean(draw * draw for draw in draws))


def solve(samples: Sequence[Sample], fixed: Mapping[str, float]) -> dict[str, float]:
    """Find coefficients, none negative, that keep the sum of relative errors small (reweighted least squares)."""
    names = sorted({n for s in samples for n, v in s.terms.items() if v > 0 and n not in fixed})
    if not names:  # everything is fixed, or nothing was measured
        return {}
    base = _group_weights(samples)
    rows = np.array([_row(s, names, fixed) for s in samples]).reshape(len(samples), len(names) + 1)
    weights, found = list(base), dict.fromkeys(names, 0.0)
    for _ in range(ROUNDS):
        found = _non_negative(rows, weights, names)
        missed = np.abs((rows[:, :-1] * [found[n] for n in names]).cumsum(axis=1)[:, -1] - rows[:, -1])
        weights = [w / max(m, HIT) for w, m in zip(base, missed.tolist(), strict=True)]
    return found


def _row(one: Sample, names: Sequence[str], fixed: Mapping[str, float]) -> list[float]:
    """An equation divided by its seconds: the terms, then what they should add up to."""
    return [*(one.terms.get(n, 0.0) / one.seconds for n in names), 1 - _total(one, fixed) / one.seconds]


def _fitted(samples: Sequence[Sample],
            fixed: Mapping[str, float]) -> tuple[dict[str, Coefficient], dict[str, Spread]]:  # fmt: skip
    if not samples:
        return {}, {}
    used = {n for s in samples for n, v in s.terms.items() if v > 0}
    held = {n: v for n, v in fixed.items() if n in used}
    everything, left_out = solve(samples, held), without_each_gpu(samples, held)
    # A term that the points push to 0 is not known, not free.
    values = {name: _coefficient(name, v, left_out, samples) for name, v in everything.items() if v > 0}
    return values, spreads(residuals(samples, left_out, held))


def _coefficient(name: str, value: float, left_out: Mapping[str, Mapping[str, float]],
                 samples: Sequence[Sample]) -> Coefficient:  # fmt: skip
    seen = [found[name] for found in left_out.values() if name in found] or [value]
    ours = [s for s in samples if s.terms.get(name, 0.0) > 0]
    sets = tuple(sorted({s.group[0] for s in ours}))
    return Coefficient(value, UNITS.get(name[:5], UNIT_OF_TIME), min(seen), max(seen), len(ours), sets)


def _group_weights(samples: Sequence[Sample]) -> list[float]:
    """A GPU measured often says more than one measured once, but not in proportion: its points err together."""
    counts = Counter(s.group for s in samples)
    return [counts[s.group] ** -0.5 for s in samples]


def _total(one: Sample, coefficients: Mapping[str, float]) -> float:
    return sum(value * coefficients.get(name, 0.0) for name, value in one.terms.items())


def _non_negative(rows: Matrix, weights: Sequence[float], names: Sequence[str]) -> dict[str, float]:
    """Weighted least squares; the most negative unknown is set to 0 until none is."""
    free = list(range(len(names)))
    while free:
        answer = _normal_equations(rows.take([*free, -1], axis=1), weights)
        worst = min(range(len(free)), key=lambda i: answer[i])
        if answer[worst] >= 0:
            return dict.fromkeys(names, 0.0) | {names[i]: value for i, value in zip(free, answer, strict=True)}
        free.pop(worst)
    return dict.fromkeys(names, 0.0)


def _normal_equations(rows: Matrix, weights: Sequence[float]) -> list[float]:
    scaled = rows[:, :-1] * np.array(weights)[:, None]
    return _eliminate((scaled[:, :, None] * rows[:, None, :]).sum(axis=0))


def _eliminate(matrix: Matrix) -> list[float]:
    """Solve by Gaussian elimination with pivoting; an unknown that nothing determines becomes 0."""
    size = len(matrix)
    for column in range(size):
        pivot = column + int(np.abs(matrix[column:, column]).argmax())
        matrix[[column, pivot]] = matrix[[pivot, column]]
        if abs(matrix[column, column]) < NOTHING:
            continue
        factors = matrix[:, column] / matrix[column, column]
        factors[column] = 0.0
        matrix -= factors[:, None] * matrix[column]
    return [line[size] / line[i] if abs(line[i]) >= NOTHING else 0.0 for i, line in enumerate(matrix.tolist())]


def _sets(found: Points) -> dict[str, PointSet]:
    sets = {}
    everything: list[Point] = [*found.decode, *found.prefill, *(s.point for s in found.serving)]
    for name, engine in ENGINE_OF.items():
        ours = [p for p in everything if p.set == name]
        build = find(engine)
        dates = sorted({p.date for p in ours})
        excluded = {e.key: e.reason for e in found.excluded if e.set == name}
        span = f"{dates[0]} to {dates[-1]}" if dates and dates[0] != dates[-1] else "".join(dates[:1])
        sets[name] = PointSet(build.name, build.build, span, tuple(sorted({p.key for p in ours})), excluded)
    return sets
