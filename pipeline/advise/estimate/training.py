"""A card, a model and tokens in, GPU-hours with a range out; published runs tell the share of the peak."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Annotated

from pydantic import Field

from pipeline.advise.estimate.memory import recomputes
from pipeline.advise.estimate.models import ModelError, Registry
from pipeline.advise.estimate.shapes import shape_of
from pipeline.advise.estimate.tensors import active_parameters
from pipeline.advise.estimate.types import PEAKS as PEAKS  # noqa: PLC0414 - the chooser reads it here
from pipeline.advise.estimate.types import Card, EstimateError, Interval, Model, Request
from pipeline.core.documents import Document, Strict, read
from pipeline.core.paths import DATA
from pipeline.dataset import Dataset

TERA, HOUR = 1e12, 3600
# Operations a parameter and token: forward 2, gradients of the activations 2, of the weights 2 (Kaplan et al.,
# arXiv 2001.08361, section 2.1). A frozen base needs no gradients of its weights; recomputation is one more forward.
FULL, FROZEN, RECOMPUTE = 6, 4, 2
# Rule for the share of the peak that a whole run keeps, restarts and evaluation included: the median of the published
# runs on the same architecture. Where there are fewer than this many: the runs on REFERENCE, scaled by what MLPerf's
# fine-tuning task keeps of the peak on the one and on the other (machines of eight, at least this many results of
# each). Where there is no such result either: the median of all published runs.
ENOUGH_RUNS = 3
REFERENCE, TASK, MACHINE = "Hopper", "llama2_70b_lora", 8
STATEMENT = "estimated from the share of the 16-bit peak that {} published runs on {} kept"
COMPARED = "{}, and {} MLPerf fine-tuning results that compare {} with it"
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
            found.append(KeptShare(run, card.architecture, value, runs.documents[run.document].read))
    return found


def all_shares(dataset: Dataset, cards: Mapping[str, Card], registry: Registry) -> list[KeptShare]:
    """The shares of the published runs, and what they are on the architectures that MLPerf compares with them."""
    own = shares(load(), cards, registry)
    return own + carried_over(own, _fine_tuning(dataset, cards))


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


def _fine_tuning(dataset: Dataset, cards: Mapping[str, Card]) -> dict[str, list[float]]:
    """By architecture, what each MLPerf result of the task kept of the peak, in units that cancel."""
    kept: dict[str, list[float]] = defaultdict(list)
    for gpu, record in dataset.gpus.items():
        card = cards.get(gpu)
        rate = card.tensor if card else 0.0
        if card is None or not rate:
            continue
        for row in record.benchmarks:
            asked = row.model == TASK and row.metric == "time_to_train" and row.gpu_count == MACHINE
            if asked and row.value and not row.flag:
                kept[card.architecture].append(1 / (row.number * rate))
    return dict(kept)


def statement(card: Card, known: Sequence[KeptShare]) -> str:
    """Say on which runs the share of the peak of this card rests."""
    same = _of(card.architecture, known)
    if not same:
        return STATEMENT.format(sum(not share.results for share in known), "other architectures")
    if same[0].results:
        return COMPARED.format(STATEMENT.format(len(same), REFERENCE), same[0].results, card.architecture)
    return STATEMENT.format(len(same), card.architecture)


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


def gpu_hours(card: Card, model: Model, tokens: float, request: Request, known: Sequence[KeptShare]) -> Interval:
    """GPU-hours of training on `tokens` tokens: median, and the range of what published runs kept."""
    if not tokens > 0:
        raise EstimateError(f"tokens is {tokens:g}; a run needs at least one")
    share = expected_share(card.architecture, known)
    work = _operations(request) * shape_of(model).active * tokens
    at_peak = work / (peak(card) * TERA * HOUR)
    hours = Interval(at_peak / share.median, at_peak / share.p90, at_peak / share.p10)
    if not math.isfinite(hours.p90):
        raise EstimateError(f"the hours on {card.name} are beyond any number; check the tokens and its 16-bit rate")
    return hours


def tokens_per_s(card: Card, model: Model, request: Request) -> float:
    """Tokens a second and GPU if all of the peak were kept."""
    return peak(card) * TERA / (_operations(request) * shape_of(model).active)


def peak(card: Card) -> float:
    """The dense 16-bit rate that shares refer to, TFLOPS."""
    if not card.tensor:
        raise EstimateError(f"no dense 16-bit rate of {card.name} is known, so training time cannot be estimated")
    return card.tensor


def _operations(request: Request) -> int:
    base = FROZEN if request.task in ("lora", "qlora") else FULL
    return base + (RECOMPUTE if recomputes(request) else 0)
