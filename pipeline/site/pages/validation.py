"""How far the estimator can be trusted: every measured point beside its prediction, computed anew at each build."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

from pipeline.advise.choose import cnn
from pipeline.advise.estimate import coefficients, inputs, models, training, validation
from pipeline.advise.estimate.engines import ENGINES
from pipeline.advise.estimate.points import Excluded
from pipeline.advise.estimate.validation import Breakdown, LabelRow, SizeRow, SpeedRow, TargetCheck, Validation
from pipeline.core import files
from pipeline.core.wording import number
from pipeline.dataset import Dataset
from pipeline.site.pages import addresses
from pipeline.site.render import Asset, Page

# Groups of points whose mean error is above this are named as weak.
WEAK = 0.12
GIGA = 1e9
CSV_COLUMNS = (
    "kind",
    "gpu",
    "gpus",
    "model",
    "quant",
    "engine",
    "batch",
    "tokens",
    "measured_tokens_per_s",
    "predicted_tokens_per_s",
    "p10",
    "p90",
    "date",
    "point",
)
# A reason that names its point belongs to a group; the rest of the sentence is the point's own.
GROUPS: Mapping[str, str] = {
    "unknown model": "a model that the registry does not hold",
    "unknown quantization": "a quantization that the registry does not hold",
    "the memory bandwidth of": "a GPU whose memory bandwidth no source states",
    "the FP32 rate of": "a GPU whose FP32 rate no source states",
}
_kept: list[tuple[object, Validation]] = []


@dataclass(frozen=True, slots=True)
class Total:
    """One kind of speed: how many points, how far off, how many inside their interval."""

    name: str
    points: int
    gpus: int
    error: float
    middle: float
    covered: float


@dataclass(frozen=True, slots=True)
class Kinds:
    """One kind of speed with its points for a table."""

    id: str
    name: str
    unit: str
    rows: Sequence[SpeedRow]


@dataclass(frozen=True, slots=True)
class Ran:
    """One GPU configuration with one model file: the longest context that ran, and the room we see at the longest."""

    ran: int
    predicted: int
    room_gib: float
    context: int

    @property
    def right(self) -> bool:
        """Whether measured and predicted agree at every context."""
        return self.ran == self.predicted


@dataclass(frozen=True, slots=True)
class LeftOutPoints:
    """Points left out for one reason."""

    set: str
    reason: str
    keys: Sequence[str]


def pages(dataset: Dataset) -> Iterator[Page | Asset]:
    """The validation page and its points as CSV."""
    yield Page(
        "data/validation",
        "validation.html.j2",
        context(dataset),
        "Validation of the estimator",
        "Every measured speed and memory label beside what the estimator says; errors and failures by name.",
        "pipeline/advise/estimate/validation.py",
        hide=("toc",),
    )
    yield Asset("data/validation.csv", files.csv_text(CSV_COLUMNS, _csv_rows(validated(dataset))))


def validated(dataset: Dataset) -> Validation:
    """The validation of a dataset, worked out once for a build; a rebuild with the same points takes it over."""
    now = (dataset.benchmarks, inputs.cards(dataset), models.load())
    if not _kept or _kept[0][0] != now:
        _kept[:] = [(now, validation.validate(dataset))]
    return _kept[0][1]


def context(dataset: Dataset) -> dict[str, Any]:
    """All that the page shows."""
    found, runs = validated(dataset), training.load()
    models_of_labels, labels = label_table(found.labels)
    # The architectures whose share of the peak is carried over from the runs on another
    shares = training.all_shares(dataset, inputs.cards(dataset), models.load())
    results = {share.architecture: share.results for share in shares if share.results}
    told = [(name, training.expected_share(name, shares).median, count) for name, count in results.items()]
    carried = {
        "reference": training.REFERENCE,
        "task": training.TASK,
        "machine": training.MACHINE,
        "architectures": told,
    }
    return {
        "findings": [(f, _shown(f, f.value), _target(f)) for f in found.findings],
        "passed": found.passed,
        "kinds": _kinds(found),
        "totals": [_total(kind) for kind in _kinds(found)],
        "breakdowns": found.breakdowns,
        "regimes": found.regimes,
        "carried_tasks": cnn.validated(dataset),
        "weak": _weak(found.breakdowns),
        "weak_above": WEAK,
        "narrow": _narrow(found.breakdowns),
        "failures": found.failures,
        "failure": validation.FAILURE,
        "false_labels": [row for row in found.labels if row.predicted != row.label.fits],
        "label_models": models_of_labels,
        "labels": labels,
        "label_count": len(found.labels),
        "cases": found.cases,
        "cases_wrong": sum(not row.right for row in found.cases),
        "task_words": TASKS,
        "rules": sorted(found.rules.items(), key=lambda pair: pair[1]),
        "rule_points": sum(1 for row in found.decode if validation._is_reference(row.point)),
        "memory_rules": found.memory_rules,
        "runs": [(row, runs.documents[row.run.document]) for row in found.runs],
        "in_range": validation.IN_RANGE,
        "carried": carried,
        "sizes": {"Model files": _by_error(found.files), "Key-value caches": _by_error(found.caches)},
        "excluded": excluded_groups(found.excluded),
        "excluded_count": len(found.excluded),
        "fitted": coefficients.load(),
        "engines": ENGINES,
        "gpus": dataset.gpus,
        "addresses": addresses,
        "newest": dataset.newest_reading,
    }


TASKS = {
    "serve": "inference",
    "train": "full fine-tuning",
    "full": "full fine-tuning",
    "lora": "LoRA",
    "qlora": "QLoRA",
}


def label_table(rows: Sequence[LabelRow]) -> tuple[list[str], list[tuple[str, dict[str, Ran]]]]:
    """Fit labels as one row a configuration, one column a model file."""
    found: dict[str, dict[str, list[LabelRow]]] = {}
    for row in sorted(rows, key=lambda row: (row.label.card.name, row.label.request.gpus)):
        one = row.label
        count = one.request.gpus
        name = one.card.name if count == 1 else f"{count} x {one.card.name}"
        found.setdefault(name, {}).setdefault(f"{one.model.name}, {one.request.quant}", []).append(row)
    columns = sorted({column for cells in found.values() for column in cells})
    return columns, [(name, {c: _ran(rows) for c, rows in cells.items()}) for name, cells in found.items()]


def excluded_groups(rows: Iterable[Excluded]) -> list[LeftOutPoints]:
    """Points left out by source and reason, the largest group first."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        start = next((start for start in GROUPS if row.reason.startswith(start)), None)
        detail = f"{row.key} ({row.reason.partition(';')[0]})" if start else row.key
        found.setdefault((row.set, GROUPS[start] if start else row.reason), []).append(detail)
    groups = [LeftOutPoints(set, reason, sorted(keys)) for (set, reason), keys in found.items()]
    return sorted(groups, key=lambda g: (-len(g.keys), g.set, g.reason))


def _kinds(found: Validation) -> list[Kinds]:
    return [
        Kinds("decode", "Decode, one stream", "Tokens in the cache", _sorted(found.decode)),
        Kinds("apart", "Decode, kept apart from the fit", "Tokens in the cache", _sorted(found.apart)),
        Kinds("prefill", "Reading a prompt", "Tokens of the prompt", _sorted(found.prefill)),
        Kinds("serving", "Serving many requests", "Tokens in the cache", _sorted(found.serving)),
    ]


def _sorted(rows: Iterable[SpeedRow]) -> list[SpeedRow]:
    def order(row: SpeedRow) -> tuple[object, ...]:
        asked = row.point.request
        return (
            row.point.card.name,
            asked.gpus,
            row.point.model.name,
            asked.quant,
            asked.engine,
            asked.batch,
            row.point.tokens,
            row.point.key,
        )

    return sorted(rows, key=order)


def _total(kind: Kinds) -> Total:
    errors = [abs(row.error) for row in kind.rows] or [0.0]
    gpus = len({row.point.card.id for row in kind.rows})
    covered = mean(row.covered for row in kind.rows) if kind.rows else 0.0
    return Total(kind.name, len(kind.rows), gpus, mean(errors), median(errors), covered)


def _weak(breakdowns: Mapping[str, Sequence[Breakdown]]) -> list[tuple[str, Breakdown]]:
    found = [(name, group) for name, groups in breakdowns.items() for group in groups if group.error > WEAK]
    return sorted(found, key=lambda pair: (-pair[1].error, pair[0], pair[1].group))


def _narrow(breakdowns: Mapping[str, Sequence[Breakdown]]) -> list[tuple[str, Breakdown]]:
    """Groups of which fewer points than promised lie inside their interval, the worst first."""
    low, _ = validation.TARGETS["share of decode points inside their 80 % interval"]
    found = [(name, group) for name, groups in breakdowns.items() for group in groups if group.covered < low]
    return sorted(found, key=lambda pair: (pair[1].covered, pair[0], pair[1].group))


def _ran(rows: Sequence[LabelRow]) -> Ran:
    longest = max(rows, key=lambda row: row.label.request.context)
    ran = max((r.label.request.context for r in rows if r.label.fits), default=0)
    predicted = max((r.label.request.context for r in rows if r.predicted), default=0)
    return Ran(ran, predicted, longest.room_gib, longest.label.request.context)


def _by_error(rows: Iterable[SizeRow]) -> list[tuple[SizeRow, float, float]]:
    """Sizes with found and counted GB, the furthest off first."""
    ordered = sorted(rows, key=lambda row: (-abs(row.error), row.name))
    return [(row, row.found / GIGA, row.counted / GIGA) for row in ordered]


def _shown(finding: TargetCheck, value: float) -> str:
    if not math.isfinite(value):
        return "no point"
    return f"{value:g}" if finding.counts else f"{number(100 * value, 2)}\u00a0%"


def _target(finding: TargetCheck) -> str:
    low, high = _shown(finding, finding.low), _shown(finding, finding.high)
    if finding.high == 0:
        return "none"
    if finding.low == 0:
        return f"at most {high}"
    return f"at least {low}" if finding.high >= 1 else f"{low} to {high}"


def _csv_rows(found: Validation) -> Iterator[tuple[object, ...]]:
    for kind in _kinds(found):
        for row in kind.rows:
            p, asked = row.point, row.point.request
            yield (
                kind.id,
                p.card.id,
                asked.gpus,
                p.model.id,
                asked.quant,
                asked.engine,
                asked.batch,
                p.tokens,
                p.value,
                *(float(f"{v:.4g}") for v in (row.predicted, row.p10, row.p90)),
                p.date,
                p.key,
            )
