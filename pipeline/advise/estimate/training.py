"""How many GPU-hours a training run takes, with a range; published runs tell which share of the peak is reached."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Annotated

from pydantic import Field

from pipeline.advise.estimate import words
from pipeline.advise.estimate.coefficients import ROUGH, Coefficients
from pipeline.advise.estimate.models import Registry
from pipeline.advise.estimate.points import Architecture, KeptOfPeak, Tuned
from pipeline.advise.estimate.shapes import shape_of
from pipeline.advise.estimate.speed import FULL, NEEDED, bandwidth, peak, stepped, tuning_seconds, tuning_terms
from pipeline.advise.estimate.tensors import active_parameters
from pipeline.advise.estimate.types import PEAKS as PEAKS  # noqa: PLC0414 - the chooser reads it here
from pipeline.advise.estimate.types import Card, EstimateError, Interval, Request, Task
from pipeline.core.documents import Document, Strict, read
from pipeline.core.networks import Model, ModelError
from pipeline.core.paths import DATA
from pipeline.dataset import Dataset

TERA, HOUR = 1e12, 3600
# The tasks that start from a network that exists. Their speed is fitted to measured steps, and so is that of a run from
# scratch on one machine, whose steps are those of full fine-tuning. A run on more GPUs also pays for restarts and for
# waiting on a network, and the share of the peak that it keeps comes from published runs, which took thousands of GPUs.
TUNING: tuple[Task, ...] = ("full", "lora", "qlora")
TUNED = "fine-tuning"
# Rule for the share of the peak that a whole run keeps, restarts and evaluation included: the median of the published
# runs on the same architecture. Where there are fewer than this many: the runs on REFERENCE, scaled by what MLPerf's
# fine-tuning task keeps of the peak on the one and on the other (machines of eight, at least this many results of
# each). Where there is no such result either: the median of all published runs.
ENOUGH_RUNS = 3
REFERENCE, TASK, MACHINE = "Hopper", "llama2_70b_lora", 8
STATEMENT = "estimated from the share of the 16-bit peak that {} published runs on {} kept"
NO_STEPS = "no step of fine-tuning was measured on {} cards; {} MLPerf results compare them with {}"
STEPS_ONLY = "evaluation, checkpoints and restarts come on top"
COMPARED = "{}, and {} MLPerf fine-tuning results that compare {} with it"
# A measured step answers for dense networks of so nearly the same number of parameters, and for up to so many times as
# many sequences at a time or as few: the formulas carry it over, and the interval holds the speed as it was measured.
NEAR_SIZE, NEAR_STEP = 1.07, 4.0
# Chips of one architecture with HBM and with GDDR are different ones (a B200 and an RTX 5090 are both Blackwell), so
# neither's runs tell what the other keeps.
WITH_GDDR = "{} with GDDR memory"
# Runs in FP8 count against the 16-bit rate too: what FP8 gains differs from run to run and belongs to the range.


class PublishedRun(Strict):
    """One published training run."""

    name: str
    model: str | None = None
    parameters_billion: float | None = None
    tokens_billion: Annotated[float, Field(gt=0)]
    gpu: str
    precision: str
    gpu_hours: Annotated[float, Field(gt=0)]
    document: str
    locator: str


class Runs(Strict):
    """The file of training runs."""

    documents: dict[str, Document]
    runs: tuple[PublishedRun, ...]


@dataclass(frozen=True, slots=True)
class KeptShare:
    """The share of the 16-bit peak that a published run kept over all its GPU-hours."""

    run: PublishedRun
    architecture: str
    value: float
    read: date
    results: int = 0  # 0: the run's own; else how many MLPerf results carry it over to this architecture


@lru_cache(maxsize=4)
def load(path: Path = DATA.data / "estimator" / "training_runs.yml") -> Runs:
    """Read the published runs; ModelError names what is wrong."""
    where = "data/estimator/training_runs.yml"
    runs = read(path, where, Runs, "it needs documents and runs", ModelError)
    for run in runs.runs:
        if run.document not in runs.documents:
            raise ModelError(f"{where}: {run.name}: document {run.document!r} is not listed; add it under documents")
        if (run.model is None) == (run.parameters_billion is None):
            raise ModelError(f"{where}: {run.name}: give either model or parameters_billion")
    return runs


def shares(runs: Runs, cards: Mapping[str, Card], registry: Registry) -> list[KeptShare]:
    """Work out which share of the peak each run kept; runs on a GPU without a known peak are left out."""
    found = []
    for run in runs.runs:
        card = cards.get(run.gpu)
        if card is not None and card.tensor:
            work = FULL * parameters_of(run, registry) * run.tokens_billion * 1e9
            value = work / (run.gpu_hours * HOUR * peak(card) * TERA)
            found.append(KeptShare(run, family(card), value, runs.documents[run.document].read))
    return found


def all_shares(dataset: Dataset, cards: Mapping[str, Card], registry: Registry) -> list[KeptShare]:
    """The shares of the published runs, and what they are on the architectures that MLPerf compares with them."""
    own = shares(load(), cards, registry)
    told = fine_tuning(dataset, cards)
    kept = {architecture: [one.share for one in results] for (_, architecture), results in told.items()}
    return own + carried_over(own, kept)


def carried_over(own: Sequence[KeptShare], kept: Mapping[str, Sequence[float]]) -> list[KeptShare]:
    """The runs on the reference, scaled for each other architecture by the medians of what the task kept there."""
    runs = [share for share in own if share.architecture == REFERENCE]
    known = {name for name in kept if sum(share.architecture == name for share in own) >= ENOUGH_RUNS}
    reference = kept.get(REFERENCE, ())
    if len(reference) < ENOUGH_RUNS:
        return []
    return [
        replace(run, architecture=name, value=run.value * median(values) / median(reference), results=len(values))
        for name, values in sorted(kept.items())
        if name not in known and len(values) >= ENOUGH_RUNS
        for run in runs
    ]


def fine_tuning(dataset: Dataset, cards: Mapping[str, Card]) -> dict[Architecture, tuple[KeptOfPeak, ...]]:
    """By architecture, what each MLPerf result of the task kept of the peak."""
    kept: dict[Architecture, list[KeptOfPeak]] = defaultdict(list)
    for gpu, record in dataset.gpus.items():
        card = cards.get(gpu)
        rate = card.trained if card else 0.0
        if card is None or not rate:
            continue
        for row in record.benchmarks:
            asked = row.model == TASK and row.metric == "time_to_train" and row.gpu_count == MACHINE
            if asked and row.value and not row.flag:
                kept[card.vendor, family(card)].append(KeptOfPeak(1 / (row.number * rate), row.date))
    return {name: tuple(values) for name, values in kept.items()}


def statement(card: Card, request: Request, known: Sequence[KeptShare], found: Coefficients) -> str:
    """Say on which runs the speed of a training on this card rests."""
    if in_steps(request):
        lent = _lent(tuning_terms(card, 1.0, request), found)
        return "; ".join([words.basis(TUNED, found.spread(TUNED)), *lent, *_besides(request)])
    same = _of(family(card), known)
    if not same:
        return STATEMENT.format(sum(not share.results for share in known), "other chips")
    if same[0].results:
        return COMPARED.format(STATEMENT.format(len(same), REFERENCE), same[0].results, family(card))
    return STATEMENT.format(len(same), family(card))


def in_steps(request: Request) -> bool:
    """Whether a run is as fast as its steps: all fine-tuning, and a run from scratch on one machine."""
    return request.task in TUNING or request.gpus <= MACHINE


def _besides(request: Request) -> tuple[str, ...]:
    """What no step shows of a run from scratch."""
    return () if request.task in TUNING else (STEPS_ONLY,)


def family(card: Card) -> str:
    """The chips of one architecture and one kind of memory, which keep about the same share of their peak."""
    return WITH_GDDR.format(card.architecture) if card.memory_class == "gddr" else card.architecture


def _of(architecture: str, known: Sequence[KeptShare]) -> list[KeptShare]:
    """The shares of an architecture, none where there are too few."""
    same = [share for share in known if share.architecture == architecture]
    return same if len(same) >= ENOUGH_RUNS else []


def parameters_of(run: PublishedRun, registry: Registry) -> float:
    """Parameters at work in one token of a run."""
    return active_parameters(registry.find(run.model)) if run.model else (run.parameters_billion or 0.0) * 1e9


def expected_share(architecture: str, known: Sequence[KeptShare]) -> Interval:
    """The rule: median of the shares on this architecture (of all runs where there are too few), and their range."""
    if not known:
        raise EstimateError("no published training run is known; see data/estimator/training_runs.yml")
    values = [s.value for s in _of(architecture, known) or [s for s in known if not s.results]]
    return Interval(median(values), min(values), max(values))


def gpu_hours(
    card: Card, model: Model, tokens: float, request: Request, known: Sequence[KeptShare], found: Coefficients
) -> Interval:
    """GPU-hours of training on `tokens` tokens: median, and the range of what published runs or measured steps kept."""
    if not tokens > 0:
        raise EstimateError(f"tokens is {tokens:g}; a run needs at least one")
    shape = shape_of(model)
    if in_steps(request):
        if not request.batch * request.context >= 1:
            raise EstimateError("a step of fine-tuning has no tokens; ask for a batch and a context of at least 1")
        rate = tuned_tokens_per_s(card, shape.active, shape.layers, request, found)
        hours = Interval(*(tokens / (each * HOUR) for each in (rate.median, rate.p90, rate.p10)))
    else:
        at_peak = FULL * shape.active * tokens / (peak(card) * TERA * HOUR)  # as the runs' own shares are counted
        share = expected_share(family(card), known)
        hours = Interval(at_peak / share.median, at_peak / share.p90, at_peak / share.p10)
    if not math.isfinite(hours.p90):
        raise EstimateError(f"the hours on {card.name} are beyond any number; check the tokens and its 16-bit rate")
    return hours


def tuned_tokens_per_s(card: Card, active: float, layers: float, request: Request, found: Coefficients) -> Interval:
    """Tokens a second and GPU of fine-tuning; no interval reaches above what the peak allows."""
    named = tuning_terms(card, active, request)
    spread, wider = found.spread(TUNED), ROUGH if _lent(named, found) else 1.0
    rate = 1 / tuning_seconds(named, layers, request, found)
    most = 1 / max(named.values())
    low, high = (rate * math.exp(side * wider) for side in (spread.p10, spread.p90))
    return Interval(rate, low, max(rate, min(high, most)))


def measured_step(model: Model, request: Request, steps: Sequence[Tuned]) -> Tuned | None:
    """Of a card's measured steps that of this method, format and length whose network is nearest; None without one."""
    if model.experts or not in_steps(request):
        return None
    active, task = shape_of(model).active, stepped(request)
    near = [
        one
        for one in steps
        if one.request.gpus <= MACHINE
        and (stepped(one.request), one.request.quant, one.request.context) == (task, request.quant, request.context)
        and _apart(one.active, active) <= NEAR_SIZE
        and _apart(one.request.batch, request.batch) <= NEAR_STEP
    ]
    near.sort(key=lambda one: (_apart(one.active, active), _apart(one.request.batch, request.batch), -one.value))
    return near[0] if near else None


def _apart(one: float, other: float) -> float:
    return max(one, other) / min(one, other)


def carried(
    near: Tuned, measured_on: Card, card: Card, model: Model, request: Request, found: Coefficients
) -> Interval:
    """What a measured step says of another one near it, tokens a second and GPU; its own speed lies in the interval.

    Of another card with the same chip it says what the formulas have between the two, and as surely as they do: so no
    estimate of a lesser card stands above what the fuller one was measured at.
    """
    shape, same = shape_of(model), measured_on.id == card.id
    apart = found.spread("repeated" if same else TUNED)
    asked = tuned_tokens_per_s(card, shape.active, shape.layers, request, found).median
    middle = near.value * asked / tuned_tokens_per_s(measured_on, near.active, near.layers, near.request, found).median
    low, high = (middle * math.exp(side) for side in (apart.p10, apart.p90))
    return Interval(middle, min(low, near.value), max(high, near.value)) if same else Interval(middle, low, high)


def held(
    each: Interval, steps: Sequence[tuple[Tuned, Card]], card: Card, model: Model, request: Request, found: Coefficients
) -> tuple[Interval, str]:
    """An estimate beside measured steps of its maker's other cards with its kind of memory, and what holds it down, "".

    A card may train faster than one that was measured by the ratio of their peaks or of their bandwidths, whichever is
    larger, and by no more.
    """
    said, middle = "", each.median
    for near, measured_on in steps:
        peaks, reads = peak(card) / peak(measured_on), bandwidth(card) / bandwidth(measured_on)
        most = carried(near, measured_on, measured_on, model, request, found).median * max(peaks, reads)
        if most < middle:
            what = "bandwidths" if reads > peaks else "peaks"
            middle, said = most, words.HELD.format(max(peaks, reads), measured_on.name, what)
    share = middle / each.median
    return Interval(middle, each.p10 * share, each.p90 * share), said


def same_chip(dataset: Dataset, measured: Collection[str]) -> dict[str, list[str]]:
    """By GPU the others with its chip (maker, architecture, transistors) on which steps of training were measured."""
    chips = {gpu: (one.vendor, one.architecture, one.transistors_millions) for gpu, one in dataset.gpus.items()}
    found = {
        gpu: [other for other in sorted(measured) if other != gpu and chips[other] == chip]
        for gpu, chip in chips.items()
        if chip[-1]
    }
    return {gpu: others for gpu, others in found.items() if others}


def measured_statement(near: Tuned, measured_on: Card, card: Card, gpus: int) -> str:
    """Say where and how a step was measured."""
    asked, billions, same = near.request, near.active / 1e9, measured_on.id == card.id
    each = (near.value, asked.gpus, "s" if asked.gpus > 1 else "")
    told = words.MEASURED_STEP.format(near.date, near.software, *each, asked.batch, billions)
    said = words.REPEATED.format(told) if same else words.SAME_CHIP.format(measured_on.name, told)
    return words.MULTIPLIED.format(gpus, said) if asked.gpus == 1 < gpus else said


def _lent(named: Mapping[str, float], found: Coefficients) -> list[str]:
    """What stands in for steps of this maker's cards, in words; nothing where some were measured."""
    pairs = [(name, other) for name in named if name.startswith(NEEDED) and (other := found.find(name)) is not None]
    return [
        found.values[other].note or words.borrowed(name, other)
        for name, other in pairs
        if other != name or found.values[other].note
    ]
