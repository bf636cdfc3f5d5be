"""Runs the groups of a bench: rows, what was left out and why, and how steady the main rates were."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from pipeline.tools.measure import hardware, matmul
from pipeline.tools.measure.bench import Bench, Case, Repetitions
from pipeline.tools.measure.device import CheckFailed, NotMeasured
from pipeline.tools.measure.groups import GROUPS
from pipeline.tools.measure.output import ResultRow
from pipeline.tools.measure.stats import STEADY_PERCENT, Summary, difference_percent, summary

OUT_OF_MEMORY = "out of memory"
OUT_OF_TIME = "the time of this run was spent"
Progress = Callable[[int, int, str], None]


@dataclass
class CaseOutcome:
    """All that is known of one case."""

    case: Case
    rounds: list[Repetitions] = field(default_factory=list)
    failure: str = ""
    skipped: str = ""


@dataclass(frozen=True)
class MeasuringResult:
    """What a run gives."""

    rows: tuple[ResultRow, ...]
    skipped: tuple[str, ...]
    unsteady: tuple[str, ...]
    worst_percent: float | None
    interrupted: bool


def run(bench: Bench, groups: Iterable[str], gpu: str, date: str, progress: Progress) -> MeasuringResult:
    """Measure everything once, then the main rates again."""
    outcomes = [CaseOutcome(case) for name in groups for case in GROUPS[name].cases(bench)]
    todo = [*outcomes, *(outcome for outcome in outcomes if outcome.case.main)]
    interrupted = False
    start = bench.clock()
    bench.device.select()
    try:
        for number, outcome in enumerate(todo):
            progress(number, len(todo), outcome.case.title)
            if number and todo[number - 1].case.model != outcome.case.model:
                bench.kept.clear()
            _measure(bench, outcome, late=bench.clock() - start > bench.plan.deadline_seconds)
    except KeyboardInterrupt:
        interrupted = True  # what was measured so far is kept
    progress(len(todo), len(todo), "")
    return _result(bench, outcomes, gpu, date, interrupted)


def _measure(bench: Bench, outcome: CaseOutcome, *, late: bool) -> None:
    if outcome.failure or outcome.skipped:
        return
    if late:
        outcome.skipped = "" if outcome.rounds else OUT_OF_TIME
        return
    try:
        outcome.rounds.append(outcome.case.run())
    except NotMeasured as reason:
        outcome.skipped = str(reason)
    except CheckFailed as reason:
        outcome.failure = f"failed: {reason}"
    # Drivers and compilers raise all sorts of errors; each is the result of its case, and the run goes on.
    except Exception as error:  # noqa: BLE001
        full = bench.device.is_out_of_memory(error)
        text = " ".join(str(error).split())[:200]
        outcome.failure = OUT_OF_MEMORY if full else f"failed: {type(error).__name__}: {text}"
    bench.device.free_memory()


def _result(bench: Bench, outcomes: Sequence[CaseOutcome], gpu: str, date: str, interrupted: bool) -> MeasuringResult:
    label = hardware.label(bench.device)
    rows = [row for outcome in outcomes for row in _rows(outcome, gpu, date, label)]
    rows += matmul.derived(rows)
    apart = {
        o.case.title: difference_percent([measured.values for measured in o.rounds]) for o in outcomes if o.case.main
    }
    known = {title: percent for title, percent in apart.items() if percent is not None}
    return MeasuringResult(
        tuple(rows),
        tuple(f"{o.case.title}: {o.skipped}" for o in outcomes if o.skipped),
        tuple(f"{title}: {percent:.1f} %" for title, percent in known.items() if percent >= STEADY_PERCENT),
        max(known.values(), default=None),
        interrupted,
    )


def _rows(outcome: CaseOutcome, gpu: str, date: str, label: str) -> Iterable[ResultRow]:
    case = outcome.case
    software = f"{label}, {case.mode}" if case.mode else label

    row = ResultRow(
        gpu, case.workload, case.model, case.precision, case.metric, case.unit, software, date, batch=case.batch
    )
    if outcome.failure:
        yield replace(row, flag=outcome.failure)
        return
    if not outcome.rounds:
        return
    first = outcome.rounds[0]
    # A second round with another batch (memory was fuller) is another measurement, and left out.
    alike = [measured for measured in outcome.rounds if measured.batch == first.batch]
    rounds = tuple(tuple(measured.values) for measured in alike)
    row = replace(row, batch=first.batch or case.batch)
    together = summary([value for values in rounds for value in values])
    yield replace(row, summary=together, note=first.note, rounds=rounds)
    if first.joules:
        found = Summary(first.joules, first.joules, first.joules, 1)
        note = "the device's own power reading, idle power included"
        yield replace(row, metric="energy", unit=first.energy_unit, summary=found, note=note)
