"""Coefficients with interval and spread from measured points: robust, weighted and linear in every unknown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from statistics import mean, median

import numpy as np
import numpy.typing as npt

from pipeline.advise.estimate.coefficients import ROUGH, Coefficients, PointSet, Spread
from pipeline.advise.estimate.core import MICRO
from pipeline.advise.estimate.engines import backend, find
from pipeline.advise.estimate.points import HOSTED, Architecture, KeptOfPeak, Point, Points, Tuned, regime_of
from pipeline.advise.estimate.running import running
from pipeline.advise.estimate.speed import (
    FLOOR,
    NEEDED,
    ROOFS,
    TUNED_16,
    calculates,
    decode_kinds,
    decode_terms,
    prefill_terms,
    serving_terms,
    tuning_terms,
)
from pipeline.advise.estimate.training import ENOUGH_RUNS, NO_STEPS, REFERENCE, TUNED
from pipeline.advise.estimate.types import Card, Coefficient, Request
from pipeline.core.networks import Model

ROUNDS = 12
# A relative residual below this counts as hit: without it the points that happen to lie closest would rule the fit.
HIT = 0.02
UNDETERMINED = 1e-12
# Attention grows with the square of a prompt, and the prompts that were measured are shorter than many that are asked
# about: a maker's own coefficient that lies at what physics allows at least was told by no point, and its pool's holds.
ATTENTION = "attention"
# What a coefficient cannot be below: no server does better than tests that do nothing else. No GPU of
# te42kyfo-gpu-stream reads more than 0.98 of the bandwidth that its sheet states, and none of stas00-ml-engineering
# multiplies at more than 0.87 of its 16-bit peak (an A100; an H100 at 0.80). Against limits of 1.11 of the bandwidth
# and all of the peak these predict GPUs left out better (logarithm, mean: batches 0.260 and 0.282, mixtures 0.291 and
# 0.296, several GPUs 0.148 and 0.147), and sources too (0.342 and 0.370, 0.428 and 0.435, 0.286 and 0.283; 2026-11-28).
# GPUs that work on a token together add up twice a layer, and the fastest of the kernels that sglang's pull request
# 2904 times on H100s takes 3.7 microseconds for the smallest sum (read 2026-11-28; vLLM's takes 8.5). Without this
# limit the fit has them wait for nothing; with it GPUs left out are predicted as well or better in every regime
# (batches 0.252 and 0.260), sources in all but several GPUs (0.317 and 0.286).
READS_AT_MOST, MULTIPLIES_AT_MOST, SUM_AT_LEAST = 0.98, 0.87, 3.7
AT_LEAST: Mapping[str, float] = {
    "1/eta": 1 / READS_AT_MOST,
    "1/eta cache": 1 / READS_AT_MOST,
    ATTENTION: 1.0,
    "t0 together": 2 * SUM_AT_LEAST,
    **{name: least / MULTIPLIES_AT_MOST for name, least in ROOFS.items()},
    TUNED_16: ROOFS[TUNED_16],  # counted for cards with GDDR memory in less than their peak (types.TRAINED_SUMS)
}
# The share of points that an interval is to hold; sums of parts are compared with this much tolerance.
COVERED, EVEN = 0.8, 1e-9
# How strongly a coefficient is drawn to the one above it in its path, beside a weight of 1 / 0.05 for a point that is
# missed by 5 %. Of 0.3, 1 and 3 the one with which sources left out of the fit are predicted best.
DRAWN = 0.3
UNITS = {
    "1/eta": "1",
    "1/gai": "1",
    "1/mfu": "1",
    "excha": "1",
    "unpac": "operations a weight",
    "bytes": "bytes a weight",
    "activ": "bytes",
    "atten": "1",
}
UNIT_OF_TIME = "microseconds"
# A serving run with prompts so many times as long as its answers tells of reading prompts.
READS = 8
PREFILL, REPEATED, BUSY = "prefill", "repeated", ", bound by arithmetic"
UNREPEATED = 0.3  # without any configuration that was measured twice
# A back end has a spread of its own from so many GPUs on: with one left out, three still tell how far the next may lie.
# AMD's cards are the reason: their points kept apart miss by twice what the many NVIDIA cards of May 2024 would allow.
ENOUGH_GPUS = 4
# With fewer points, sources or GPUs than these a class is rough: its interval is wider.
ENOUGH_POINTS, ENOUGH_SOURCES = 8, 3
# A step of fewer tokens waits for its layers to start rather than calculates (Qwen 1.8B on an A100: 256 and 512 tokens
# take equally long, 2,048 twice as long).
LONG_STEP = 1024
MLPERF = "mlperf-training"

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
    also: str = ""  # another class that it tells of
    page: str = ""  # of points read by hand: each page is a source
    borrowed: bool = False  # whether, without its group, runs of a wider class stood in for a term that matters

    @property
    def gpu(self) -> str:
        """The GPU that is left out together."""
        return self.group[1]

    @property
    def source(self) -> str:
        """The source that is left out together."""
        return self.page or self.group[0]


Pair = tuple[Sample, float]  # an equation and the logarithm of how far its estimate was off
Group = Callable[[Sample], str]
GPU: Group = attrgetter("gpu")
SOURCE: Group = attrgetter("source")


def fit(found: Points) -> Coefficients:
    """Fit llama.cpp's writing, then its prompts, then all servers; every GPU and every source left out once."""
    values: dict[str, Coefficient] = {}
    by_gpu: list[Pair] = []
    by_source: list[Pair] = []
    for samples in groups(found):
        left_out = without_each(samples, GPU)
        values = {**_fitted(samples, left_out), **values}
        by_gpu += residuals(samples, left_out, GPU)
        by_source += residuals(samples, without_each(samples, SOURCE), SOURCE)
    values |= floors(found.tuned) | compared(values, found.kept)
    return Coefficients(values, {**spreads(by_gpu, by_source), REPEATED: repeated(found)}, _sets(found))


def repeated(found: Points) -> Spread:
    """How far runs of one configuration (card, network, format, engine) lie apart that was measured more than once."""
    runs: dict[tuple[object, ...], list[Point]] = {}
    for p in found.decode:
        asked, held = p.request, round(math.log2(p.tokens))
        key = (p.card.id, p.model.id, asked.quant, asked.gpus, find(asked.engine).name, held)
        runs.setdefault(key, []).append(p)
    several = [group for group in runs.values() if len({p.key for p in group}) > 1]
    about = sorted(math.log(p.value / median(q.value for q in group)) for group in several for p in group)
    if not about:
        return Spread(-UNREPEATED, UNREPEATED, 0, 0, 0, rough=True)
    low, high = (quantile(about, level) for level in ((1 - COVERED) / 2, (1 + COVERED) / 2))
    gpus, sources = {group[0].card.id for group in several}, {p.set for group in several for p in group}
    return Spread(min(low, 0.0), max(high, 0.0), len(about), len(gpus), len(sources))


def floors(tuned: Sequence[Tuned]) -> dict[str, Coefficient]:
    """The least that a layer took in any measured step, microseconds: no shorter step is estimated.

    Whatever is tuned, so long its layers take to start; what each method moves besides has a term of its own.
    """
    known = [p for p in tuned if p.layers]
    took = [p.tokens / p.value / p.layers / MICRO for p in known]
    sets = tuple(sorted({p.set for p in known}))
    return {FLOOR: Coefficient(min(took), UNIT_OF_TIME, min(took), max(took), len(took), sets)} if took else {}


def compared(
    values: Mapping[str, Coefficient], kept: Mapping[Architecture, Sequence[KeptOfPeak]]
) -> dict[str, Coefficient]:
    """What a step of fine-tuning reaches on cards of a maker that none was measured on, as MLPerf compares them."""
    maker = next((vendor for vendor, architecture in kept if architecture == REFERENCE), "")
    reference, base = kept.get((maker, REFERENCE), ()), values.get(f"{TUNED_16}, {maker}, hbm")
    if base is None or len(reference) < ENOUGH_RUNS:
        return {}
    found = {TUNED_16: base}  # of makers that nobody compares: the least that the reference's maker reaches
    for other in sorted({vendor for vendor, _ in kept if f"{TUNED_16}, {vendor}" not in values}):
        theirs = [one.share for (vendor, _), results in kept.items() if vendor == other for one in results]
        if len(theirs) >= ENOUGH_RUNS:
            times = median(one.share for one in reference) / median(theirs)
            note = NO_STEPS.format(other, len(theirs), f"{maker} {REFERENCE}")
            found[f"{TUNED_16}, {other}"] = replace(
                base,
                value=max(1.0, base.value * times),
                low=base.low * times,
                high=base.high * times,
                points=len(theirs),
                sets=(MLPERF,),
                note=note,
            )
    return found


def groups(found: Points) -> tuple[list[Sample], ...]:
    """The equations solved together: writing with llama.cpp, its prompts, everything of the servers, fine-tuning."""
    everything = [*found.decode, *found.prefill, *found.serving]
    local = [p for p in everything if is_local(p)]
    return (
        [sample(p) for p in local if p.kind == "decode"],
        [sample(p) for p in local if p.kind == "prompt"],
        [sample(p) for p in everything if not is_local(p)],
        [tuned_sample(p) for p in found.tuned if p.tokens >= LONG_STEP],
    )


def is_local(point: Point) -> bool:
    """Whether llama.cpp's code ran; everything else is a server with formulas of its own."""
    return find(point.request.engine).family == "llama.cpp"


def sample(point: Point) -> Sample:
    """Turn a measured point into an equation."""
    engine, card, model, asked = find(point.request.engine), point.card, point.model, point.request
    if point.kind == "prompt":
        terms = prefill_terms(card, model, asked, engine, point.tokens)
        took = point.tokens / point.value
    elif point.kind == "decode":
        terms, took = decode_terms(card, model, asked, engine, point.tokens), 1 / point.value
    else:
        output = asked.context - (asked.prompt_tokens or 0)
        terms = serving_terms(card, model, asked, engine, output, running(card, model, asked, engine))
        took = 1 / point.value
    finer, kind = kinds_of(card, model, asked, terms, prompt=point.kind == "prompt")
    reads = point.kind == "serving" and (asked.prompt_tokens or 0) >= READS * (
        asked.context - (asked.prompt_tokens or 0)
    )
    also = kinds_of(card, model, asked, terms, prompt=True)[1] if reads else ""
    return Sample(point.group, kind, terms, took, point.key, finer, also, point.source)


def tuned_sample(point: Tuned) -> Sample:
    """Turn a measured step of fine-tuning into an equation."""
    named = tuning_terms(point.card, point.active, point.request)
    return Sample(point.group, TUNED, named, 1 / point.value, point.key)


def kinds_of(card: Card, model: Model, asked: Request, terms: Mapping[str, float], *, prompt: bool) -> tuple[str, str]:
    """The classes whose spread a point shares, the finer first: its engine's or back end's, then the whole regime's.

    What a server writes while arithmetic holds it up is a class of its own. With each GPU left out, fitted batches that
    calculate for under a quarter of their time are off by up to 24 % and those that do for over three quarters by a
    factor of up to three (eight of ten GPUs each).
    Prompts of llama.cpp go by back end too: with each GPU left out, those on AMD's cards are off by 0.33 in the
    median of the logarithm, those on NVIDIA's by 0.14 (fitted points, 2026-11-27).
    """
    engine = find(asked.engine)
    regime = "prefill" if prompt else regime_of(model, asked)
    if regime == HOSTED:
        return "", regime
    if engine.family != "llama.cpp":
        kind = f"{regime} on servers{BUSY if not prompt and calculates(terms) else ''}"
        return f"{kind}, {engine.family}", kind
    if prompt:
        kind = f"{PREFILL} {'several GPUs' if asked.gpus > 1 else card.memory_class}"
        return f"{kind}, {backend(engine, card)}", kind
    return decode_kinds(card, model, engine)


def without_each(samples: Sequence[Sample], group: Group) -> dict[str, dict[str, float]]:
    """Fit once for every GPU, or for every source, without its points."""
    names = sorted({group(s) for s in samples})
    return {name: solve([s for s in samples if group(s) != name]) for name in names}


def residuals(
    samples: Iterable[Sample], left_out: Mapping[str, Mapping[str, float]], group: Group
) -> list[tuple[Sample, float]]:
    """Give log(measured speed / estimated speed) of every sample, by the fit that never saw its GPU or source.

    Where a term that matters cannot be known without the group that was left out, there is nothing to compare.
    """
    found = []
    for one in samples:
        known = left_out[group(one)]
        estimated = sum(value * nearest(known, name) for name, value in one.terms.items())
        blind = any(v > 0 and name.startswith(NEEDED) and not _told(known, name) for name, v in one.terms.items())
        if estimated > 0 and not blind:
            borrowed = any(v > 0 and name.startswith(NEEDED) and name not in known for name, v in one.terms.items())
            found.append((replace(one, borrowed=borrowed), math.log(estimated / one.seconds)))
    return found


def spreads(by_gpu: Sequence[Pair], by_source: Sequence[Pair]) -> dict[str, Spread]:
    """The spread of every class, and of every engine or back end with enough GPUs to have its own."""
    classes = {one.kind for one, _ in by_gpu}
    classes |= {one.also for one, _ in by_gpu if one.also}
    names = sorted({name for one, _ in by_gpu for name in (one.kind, one.finer, one.also) if name})
    found = {name: spread(name, by_gpu, by_source) for name in names}
    return {name: one for name, one in found.items() if name in classes or one.gpus >= ENOUGH_GPUS}


def spread(name: str, by_gpu: Sequence[Pair], by_source: Sequence[Pair] = ()) -> Spread:
    """How far a run of a class may lie off that no fit saw: one of a new GPU, or one of a new source.

    Points of one GPU err together, and so do those of one source. So each GPU counts alike, by what the fit without it
    was off, and each source alike, by what the fit without that was; all GPUs together count as much as all sources,
    and the width holds the share COVERED of them. A class with fewer votes than ENOUGH_POINTS is filled up to as many
    with what all other classes were off.
    Points of one source lie closer together than sources do: where ten GPUs of four sources had a vote each, the GPUs
    outvoted what a new source may be off. With each source left out of the width too, the intervals of fitted points
    score 1.37 this way (width, and ten times what lies outside), 1.41 with a vote each (2026-11-27, before Oracle's
    points came; of single streams, batches, prompts, experts, several GPUs and fine-tuning, every GPU and source
    alike). What never-fitted points say had no part in it.
    No narrower rule did better on the fitted points, each source left out of fit and width (2026-11-27, without points
    that no source left over tells of): 1.18 as it is and between two votes instead of at the next, 1.41 with a tenth of
    the votes outside on either side, 1.20 without ROUGH, 1.22 without the votes of other classes, 1.20 without finer
    classes. It holds 81 % of the single streams so, 75 % of the batches, 80 % of the prompts, 84 % of the mixtures,
    74 % of what runs on several GPUs and 95 % of the fine-tuning.
    """
    ours, told = _of_class(by_gpu, name), _of_class(by_source, name)
    votes = _halves(_votes(ours, GPU), _votes(told, SOURCE))
    others = _halves(_votes(_of_others(by_gpu, name), GPU), _votes(_of_others(by_source, name), SOURCE))
    missing = max(0.0, ENOUGH_POINTS - sum(vote for _, vote in votes))
    if missing and others:
        each = missing / sum(vote for _, vote in others)
        votes += [(distance, vote * each) for distance, vote in others]
    sources, gpus = len({one.group[0] for one, _ in ours}), len({one.gpu for one, _ in ours})
    rough = len(ours) < ENOUGH_POINTS or sources < ENOUGH_SOURCES or gpus < ENOUGH_GPUS
    reach = _reach(votes) * (ROUGH if rough else 1.0)
    return Spread(-reach, reach, len(ours), gpus, sources, rough)


def _of_class(pairs: Sequence[Pair], name: str) -> list[Pair]:
    return [(one, residual) for one, residual in pairs if name in (one.kind, one.finer, one.also)]


def _of_others(pairs: Sequence[Pair], name: str) -> list[Pair]:
    return [(one, residual) for one, residual in pairs if name not in (one.kind, one.finer, one.also)]


def _votes(pairs: Sequence[Pair], group: Group) -> list[tuple[float, float]]:
    """How far each point is off, with its share of the one vote that its group has.

    An answer for which a wider class stands in gets a wider interval (`around`), so a point for which one stood in
    counts by as much less: else the width would pay twice for what was borrowed, and answers that borrow nothing too.
    Without a source that alone measured a kind of card, its points tell nothing of a new source, but of a kind of card
    that nobody measured: they do not vote for it.
    """
    voting = [(one, residual) for one, residual in pairs if group is not SOURCE or not one.borrowed]
    size = Counter(group(one) for one, _ in voting)
    return [(abs(residual) / (ROUGH if one.borrowed else 1.0), 1 / size[group(one)]) for one, residual in voting]


def _halves(
    by_gpu: Sequence[tuple[float, float]], by_source: Sequence[tuple[float, float]]
) -> list[tuple[float, float]]:
    """The votes of GPUs and of sources, those that are fewer made to weigh as much as the others."""
    sums = [sum(vote for _, vote in votes) for votes in (by_gpu, by_source)]
    most = max(sums)
    return [
        (distance, vote * most / own)
        for votes, own in zip((by_gpu, by_source), sums, strict=True)
        for distance, vote in votes
    ]


def _reach(votes: Sequence[tuple[float, float]]) -> float:
    """The distance from the estimate within which the share COVERED of the votes lies."""
    held, wanted = 0.0, COVERED * sum(vote for _, vote in votes) - EVEN
    for distance, vote in sorted(votes):
        held += vote
        if held >= wanted:
            return distance
    return 0.0


def quantile(ordered: Sequence[float], level: float) -> float:
    """Interpolate between the two nearest values."""
    place = level * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def solve(samples: Sequence[Sample]) -> dict[str, float]:
    """Find coefficients that keep the sum of relative errors small (reweighted least squares).

    None is negative, and none reads faster than the bandwidth allows (AT_LEAST).

    Every part of a coefficient's path ("1/eta, vllm, hbm") is a coefficient too, and each is drawn to the one above
    it: an architecture with few points stays near its maker's others, one with many goes its own way.
    """
    leaves = sorted({n for s in samples for n, v in s.terms.items() if v > 0})
    names = sorted({part for name in leaves for part in path(name)})
    if not names:  # nothing was measured
        return {}
    place = {name: i for i, name in enumerate(names)}
    rows = np.zeros((len(samples), len(names)))
    for i, one in enumerate(samples):
        for name, value in one.terms.items():
            if value > 0:
                rows[i, place[name]] = value / one.seconds
    prior = _prior(rows, names, place)
    base = np.array(_group_weights(samples))
    least = np.array([AT_LEAST.get(path(name)[0], 0.0) for name in names])
    weights, found = base, least
    for _ in range(ROUNDS):
        found = least + _non_negative(rows, 1 - rows @ least, weights, prior)
        missed = np.abs(rows @ found - 1)
        weights = base / np.maximum(missed, HIT)
    solved = dict(zip(names, found.tolist(), strict=True))
    untold = {n for n in names if n.startswith(f"{ATTENTION}, ") and solved[n] <= AT_LEAST[ATTENTION] * (1 + EVEN)}
    return {name: value for name, value in solved.items() if name not in untold}


def path(name: str) -> list[str]:
    """A coefficient's name and all that is above it, the most general first."""
    parts = name.split(", ")
    return [", ".join(parts[: i + 1]) for i in range(len(parts))]


def _told(coefficients: Mapping[str, float], name: str) -> bool:
    """Whether any point tells a coefficient or one above it in its path."""
    return any(coefficients.get(part) for part in path(name))


def nearest(coefficients: Mapping[str, float], name: str) -> float:
    """A coefficient, or the nearest one above it in its path that is known; 0 without any."""
    return next((coefficients[part] for part in reversed(path(name)) if part in coefficients), 0.0)


def _prior(rows: Matrix, names: Sequence[str], place: Mapping[str, int]) -> Matrix:
    """The equations that draw each coefficient to the one above it, in the size of what it adds to a point's time."""
    squares: dict[str, list[float]] = {}
    for name in names:
        values = rows[:, place[name]]
        squares.setdefault(path(name)[0], []).extend((values[values > 0] ** 2).tolist())
    found = []
    for name in names:
        above, _, last = name.rpartition(", ")
        if above and last:
            row = np.zeros(len(names))
            row[place[name]], row[place[above]] = 1.0, -1.0
            found.append(row * math.sqrt(mean(squares[path(name)[0]])) * DRAWN)
    return np.array(found).reshape(len(found), len(names))


def _fitted(samples: Sequence[Sample], left_out: Mapping[str, Mapping[str, float]]) -> dict[str, Coefficient]:
    """The coefficients of equations solved together, with the range that each takes when any one GPU is left out."""
    if not samples:
        return {}
    everything = solve(samples)
    # A term that the points push to 0 is not known, not free; a part of a path that they push to 0 is.
    kept = {name: v for name, v in everything.items() if v > 0 or everything[path(name)[0]] > 0}
    return {name: _coefficient(name, v, left_out, samples) for name, v in kept.items()}


def _coefficient(
    name: str, value: float, left_out: Mapping[str, Mapping[str, float]], samples: Sequence[Sample]
) -> Coefficient:
    seen = [found[name] for found in left_out.values() if name in found] or [value]
    ours = [s for s in samples if any(v > 0 and (n == name or n.startswith(f"{name}, ")) for n, v in s.terms.items())]
    sets = tuple(sorted({s.group[0] for s in ours}))
    return Coefficient(value, UNITS.get(name[:5], UNIT_OF_TIME), min(seen), max(seen), len(ours), sets)


def _group_weights(samples: Sequence[Sample]) -> list[float]:
    """A GPU measured often says more than one measured once, but not in proportion: its points err together."""
    counts = Counter(s.group for s in samples)
    return [counts[s.group] ** -0.5 for s in samples]


def _non_negative(rows: Matrix, wanted: Matrix, weights: Matrix, prior: Matrix) -> Matrix:
    """Weighted least squares; what comes out negative is set to 0 until nothing does."""
    scaled = rows * weights[:, None]
    left, right = rows.T @ scaled + prior.T @ prior, scaled.T @ wanted
    left[np.diag_indices_from(left)] += UNDETERMINED  # what nothing determines becomes 0
    free = np.arange(rows.shape[1])
    while free.size:
        answer = np.linalg.solve(left[np.ix_(free, free)], right[free])
        if (answer >= 0).all():
            found = np.zeros(rows.shape[1])
            found[free] = answer
            return found
        free = free[answer >= 0]
    return np.zeros(rows.shape[1])


def _sets(found: Points) -> dict[str, PointSet]:
    sets = {}
    everything = [*found.decode, *found.prefill, *found.serving]
    for name in sorted({p.set for p in everything}):
        ours = [p for p in everything if p.set == name]
        builds = sorted({find(p.request.engine) for p in ours}, key=lambda one: (one.name, one.build))
        span = _span(p.date for p in ours)
        engines, versions = (
            ", ".join(dict.fromkeys(texts)) for texts in zip(*((b.name, b.build) for b in builds), strict=True)
        )
        sets[name] = PointSet(engines, versions, span, len({p.key for p in ours}))
    results = [one for several in found.kept.values() for one in several]
    if results:
        sets[MLPERF] = PointSet("training", "MLPerf Training", _span(one.date for one in results), len(results))
    for name in sorted({p.set for p in found.tuned}):
        steps = [p for p in found.tuned if p.set == name]
        sets[name] = PointSet(
            "training", ", ".join(sorted({p.software for p in steps})), _span(p.date for p in steps), len(steps)
        )
    return sets


def _span(days: Iterable[str]) -> str:
    """The first day and the last."""
    ordered = sorted({day for day in days if day})
    return f"{ordered[0]} to {ordered[-1]}" if ordered[0] != ordered[-1] else ordered[0]
