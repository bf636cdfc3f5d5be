"""What speaks against a measured result: words that are not ours, figures above theory, doubts to ask about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from statistics import median

from pipeline.core.measured.cells import number_or_none
from pipeline.core.measured.decoders import DECODERS
from pipeline.core.measured.metrics import KEY, METRICS, PACKED, PACKINGS, PRECISIONS, WORKLOADS, Metric

# How the flag of a result begins whose source says another number format than the settings of its program.
SETTINGS = "format doubted by the settings"
# Cards run above the clock that their theory is computed from; 15 % is more than any stock card was seen to take.
CLOCK_MARGIN = 1.15
# Memory clocks stand still; what remains is rounding on spec sheets.
BANDWIDTH_MARGIN = 1.02
# Another machine, driver or cooler costs some speed. Below this share of the peers' median somebody should look.
FAR_BELOW = 0.7
BYTES_OF: Mapping[str, float] = {"fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "int8": 1}
DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", re.ASCII)

WHOLE = re.compile(r"[1-9]\d*", re.ASCII)
THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", re.ASCII)

ResultRow = Mapping[str, str]


@dataclass(frozen=True)
class CardLimits:
    """What one GPU allows: dense peak by number format (the highest accumulate type), bandwidth, and from which day."""

    peak_tflops: Mapping[str, float] = field(default_factory=dict)
    memory_bandwidth_gb_s: float | None = None
    launched: str = ""  # day, month or year


NO_LIMITS = CardLimits()
Rule = Callable[[ResultRow, CardLimits], Iterator[str]]


def problems(
    rows: Sequence[ResultRow],
    limits: Mapping[str, CardLimits] | None = None,
    metrics: Mapping[str, Metric] = METRICS,
    lines: Iterable[int] = (),
) -> list[str]:
    """Give a reason for every row that cannot be right.

    `limits` is keyed by GPU id, and a GPU may be missing. `metrics` are the words that may stand there, those of the
    kit where nothing else is said; `lines` are the rows' lines in their file, from 2 on where nothing else is said.
    """
    found, numbers = [], list(lines) or list(range(2, len(rows) + 2))
    for line, row in zip(numbers, rows, strict=True):
        allowed = (limits or {}).get(row["gpu"], NO_LIMITS)
        reasons = [*(reason for rule in RULES for reason in rule(row, allowed)), *_metric(row, metrics)]
        found += [f"row {line} ({_title(row)}): {reason}" for reason in reasons]
    return found + list(_duplicates(rows, numbers))


def flags(rows: Sequence[ResultRow], peers: Iterable[ResultRow]) -> list[str]:
    """Ask about rows far below what others measured with the same GPU, model, number format and batch."""
    usual: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for peer in peers:
        value = _value(peer)
        if value and not peer["flag"]:
            usual[_test(peer)].append(value)
    return [question for line, row in enumerate(rows, start=2) for question in _asked(line, row, usual[_test(row)])]


def _known_words(row: ResultRow, _: CardLimits) -> Iterator[str]:
    format = row["precision"].lower()
    if format not in (*PRECISIONS, *PACKINGS) and not PACKED.fullmatch(format):
        words = f"a format ({', '.join(PRECISIONS)}) or the packing of the weights ({', '.join(PACKINGS)}, q4_k_m ...)"
        yield f"precision = {row['precision']!r} is no word of ours; write {words}"
    if not row["model"].strip():
        yield "model is empty; write what ran, as Llama-3.1-8B-Instruct or matmul-8192"
    if row["workload"] not in WORKLOADS:
        yield f"workload = {row['workload']!r} is no word of ours; use one of {', '.join(WORKLOADS)}"
    if row["higher_is_better"] not in ("yes", "no"):
        yield f"higher_is_better = {row['higher_is_better']!r}; write yes or no"
    if not WHOLE.fullmatch(row["gpu_count"]):
        yield f"gpu_count = {row['gpu_count']!r}; write how many GPUs worked together, 1 or more"
    if row["repetitions"] and not WHOLE.fullmatch(row["repetitions"]):
        yield f"repetitions = {row['repetitions']!r}; write how many runs there were, or leave the cell empty"


def _provenance(row: ResultRow, _: CardLimits) -> Iterator[str]:
    if not _is_day(row["date"]):
        yield f"date = {row['date']!r}; write the day of the run as yyyy-mm-dd, a day that the calendar has"
    if not row["software"].strip():
        yield "software is missing; name the framework and its version"
    if not row["unit"].strip():
        yield "unit is missing"


def _after_launch(row: ResultRow, limits: CardLimits) -> Iterator[str]:
    """A run is no older than its card; one on a sample before the launch says so in its flag."""
    if _is_day(row["date"]) and not row["flag"] and row["date"][: len(limits.launched)] < limits.launched:
        yield (
            f"date = {row['date']!r} is before the card's launch, {limits.launched}; write the day of the run, or say "
            "in the column flag how the card came to run earlier"
        )


def _metric(row: ResultRow, metrics: Mapping[str, Metric]) -> Iterator[str]:
    """A metric is a word of the table, in one of its units and in its direction."""
    metric = metrics.get(row["metric"])
    if metric is None:
        near = get_close_matches(row["metric"], metrics, n=1, cutoff=0.6)
        guess = f"did you mean {near[0]!r}? " if near else ""
        yield f"metric = {row['metric']!r} is no word of ours; {guess}All stand in data/benchmarks/README.md"
        return
    if row["unit"] and row["unit"] not in metric.units:
        yield f"unit = {row['unit']!r}; {row['metric']} is in {' or '.join(metric.units)}"
    if row["higher_is_better"] == ("no" if metric.higher_is_better else "yes"):
        yield f"higher_is_better = {row['higher_is_better']!r} is the wrong way round for {row['metric']}"


def _sound_value(row: ResultRow, _: CardLimits) -> Iterator[str]:
    if row["value"] == "":
        if not row["flag"]:
            yield "value is empty and no flag says why"
        return
    value = _value(row)
    if value is None:
        yield f"value = {row['value']!r} {_no_number(row['value'])}"
    elif value <= 0:
        yield f"value = {value:g}; a failed run has an empty value and a flag"


def _no_number(text: str) -> str:
    """Why a cell is no number, and what to write where that is plain."""
    plain = text.replace(",", "")
    if THOUSANDS.fullmatch(text):
        return f"holds a comma: write {plain}"
    if text.count(",") == 1 and _number(text.replace(",", ".")) is not None:
        return f"holds a comma: write {text.replace(',', '.')}"
    return "is no finite number"


def _own_spread(row: ResultRow, _: CardLimits) -> Iterator[str]:
    value, low, high = (_number(row[column]) for column in ("value", "p10", "p90"))
    if (row["p10"] == "") != (row["p90"] == ""):
        yield "p10 and p90 go together; one of them is empty"
    elif row["p10"] and (low is None or high is None):
        yield f"p10 = {row['p10']!r}, p90 = {row['p90']!r}; both must be finite numbers"
    elif value is not None and low is not None and high is not None and not low <= value <= high:
        yield f"the median {value:g} lies outside its own 10 to 90 % range, {low:g} to {high:g}"


def _below_peak(row: ResultRow, limits: CardLimits) -> Iterator[str]:
    value, peak = _value(row), limits.peak_tflops.get(row["precision"])
    if row["unit"] != "TFLOPS" or value is None or peak is None or value <= peak * CLOCK_MARGIN:
        return
    tf32 = limits.peak_tflops.get("tf32")
    if row["precision"] == "fp32" and tf32 is not None and value <= tf32 * CLOCK_MARGIN:
        yield (
            f"{value:g} TFLOPS in fp32 is above theory ({peak:g}) and within that of tf32 ({tf32:g}): "
            "TF32 was on; switch it off, or call the row tf32"
        )
        return
    yield (
        f"{value:g} TFLOPS is above theory, {peak:g} for {row['precision']} (up to {CLOCK_MARGIN:g} times is taken "
        "for a high clock); was the device waited for before the clock was read?"
    )


def _below_bandwidth(row: ResultRow, limits: CardLimits) -> Iterator[str]:
    rate, bandwidth = _memory_rate(row), limits.memory_bandwidth_gb_s
    if rate is not None and bandwidth is not None and rate > bandwidth * BANDWIDTH_MARGIN:
        yield (
            f"{row['value']} {row['unit']} needs {rate:.4g} GB/s from a memory that gives {bandwidth:g} at most; "
            "a cache was measured, or the device was not waited for"
        )


def _memory_rate(row: ResultRow) -> float | None:
    """Say how many GB/s a row must have moved at least: decoding reads every weight once for each step."""
    value = _value(row)
    if value is None:
        return None
    if row["metric"].startswith("stream_") and row["unit"] == "GB/s":
        return value
    decoder, size, batch = DECODERS.get(row["model"]), BYTES_OF.get(row["precision"]), _number(row["batch"])
    if row["metric"] != "generation_speed" or not decoder or not size or not batch:
        return None
    return value / batch * decoder.weights_read * size / 1e9


RULES: tuple[Rule, ...] = (
    _known_words,
    _provenance,
    _after_launch,
    _sound_value,
    _own_spread,
    _below_peak,
    _below_bandwidth,
)


def _duplicates(rows: Sequence[ResultRow], lines: Sequence[int]) -> Iterator[str]:
    first: dict[tuple[str, ...], int] = {}
    for line, row in zip(lines, rows, strict=True):
        key = tuple(row[column] for column in KEY)
        before = first.setdefault(tuple(map(str.casefold, key)), line)
        if before != line:
            said = ", ".join(part for part in key if part)
            yield f"row {line} ({said}): row {before} is of the same measurement; keep one of the two"


def _asked(line: int, row: ResultRow, usual: Sequence[float]) -> Iterator[str]:
    value = _value(row)
    if not value or not usual:
        return
    middle = median(usual)
    share = value / middle if row["higher_is_better"] == "yes" else middle / value
    if share < FAR_BELOW:
        yield (
            f"row {line} ({_title(row)}): {value:g} {row['unit']} is {share:.0%} of what {len(usual)} other "
            f"result(s) reach, {middle:g}; what limited it (power, heat, memory channels, other work)?"
        )


def _test(row: ResultRow) -> tuple[str, ...]:
    compiled = "compiled" if "compile" in row["software"] else "eager"
    return (*(row[column] for column in KEY if column not in ("software", "date")), compiled)


def _title(row: ResultRow) -> str:
    return ", ".join(row[c] for c in ("gpu", "model", "precision", "batch", "metric") if row[c])


def _value(row: ResultRow) -> float | None:
    return _number(row["value"])


def _number(text: str) -> float | None:
    try:
        return number_or_none(text)
    except ValueError:
        return None


def _is_day(text: str) -> bool:
    try:
        return DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False
