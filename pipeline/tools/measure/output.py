"""A run as the CSV and YAML files that `data/benchmarks` takes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from pipeline.core.measured.metrics import COLUMNS, METRICS, RAW_COLUMNS
from pipeline.tools.measure.stats import Summary, significant

Yaml: TypeAlias = "str | int | float | bool | Sequence[Yaml] | Mapping[str, Yaml] | None"
SET_NAME = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
KEY = re.compile(r"[a-z][a-z0-9_]*")
# A table program takes a cell that begins so for a formula.
FORMULA = "=+-@\t\r"
# Line ends to YAML, or not printable: written as escapes.
NOT_PLAIN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class ResultRow:
    """One line of a result file; without `summary` the run failed and `flag` says why."""

    gpu: str
    workload: str
    model: str
    precision: str
    metric: str
    unit: str
    software: str
    date: str
    summary: Summary | None = None
    batch: str = ""
    flag: str = ""
    note: str = ""
    gpu_count: int = 1
    rounds: tuple[tuple[float, ...], ...] = field(default=(), repr=False)

    def cells(self) -> dict[str, str]:
        """Give the row as the columns of the format."""
        found = self.summary
        middle, low, high = (found.median, found.p10, found.p90) if found else (None, None, None)
        # A ratio or a search has one value and no repetitions to spread.
        low, high = (low, high) if found and found.repetitions > 1 else (None, None)
        values = (
            self.gpu,
            str(self.gpu_count),
            self.workload,
            self.model,
            self.precision,
            self.batch,
            self.metric,
            number(middle),
            number(low),
            number(high),
            str(found.repetitions) if found else "",
            self.unit,
            "yes" if METRICS[self.metric].higher_is_better else "no",
            self.software,
            self.date,
            self.flag,
            self.note,
        )
        return {column: cell(value) for column, value in zip(COLUMNS, values, strict=True)}

    def raw(self) -> Iterable[dict[str, str]]:
        """Give every repetition as the columns of the raw file."""
        for round_number, values in enumerate(self.rounds, start=1):
            for repetition, value in enumerate(values, start=1):
                cells = (
                    self.workload,
                    self.model,
                    self.precision,
                    self.batch,
                    self.metric,
                    self.software,
                    str(round_number),
                    str(repetition),
                    number(value),
                    self.unit,
                )
                yield {column: cell(text) for column, text in zip(RAW_COLUMNS, cells, strict=True)}


def number(value: float | None) -> str:
    """Write a number in five significant digits; unknown is empty."""
    return "" if value is None else f"{significant(value):.10g}"


def cell(text: str) -> str:
    """Keep a cell on one line, short, and never the beginning of a formula."""
    return " ".join(text.split()).lstrip(FORMULA)[:400]


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """Write rows as CSV with these columns."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def yaml_text(facts: Mapping[str, Yaml]) -> str:
    """Write facts as YAML, in the small part of it that no reader can mistake: texts are always in double quotes."""
    return "".join(_mapping(facts, ""))


def _mapping(facts: Mapping[str, Yaml], indent: str) -> Iterable[str]:
    for name, value in facts.items():
        if value is None or (isinstance(value, (str, Sequence, Mapping)) and not value):
            continue  # unknown is left out
        label = name if KEY.fullmatch(name) else _scalar(name)
        if isinstance(value, Mapping):
            yield f"{indent}{label}:\n"
            yield from _mapping(value, f"{indent}  ")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"{indent}{label}:\n"
            yield from (f"{indent}  - {_scalar(entry)}\n" for entry in value)
        else:
            yield f"{indent}{label}: {_scalar(value)}\n"


def _scalar(value: Yaml) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")  # 1e+20 would be a text to some readers
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return NOT_PLAIN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    raise TypeError(f"a list may hold texts and numbers only, not {value!r}")


def write(folder: Path, name: str, rows: Sequence[ResultRow], facts: Mapping[str, Yaml]) -> list[Path]:
    """Write the set's three files; each stands whole or not at all."""
    texts = {
        folder / f"{name}.raw.csv": csv_text(RAW_COLUMNS, (raw for row in rows for raw in row.raw())),
        folder / f"{name}.yml": yaml_text(facts),
        folder / f"{name}.csv": csv_text(COLUMNS, (row.cells() for row in rows)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        beside = path.with_name(f"{path.name}.part")
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    return list(texts)


def free_name(folder: Path, name: str) -> str:
    """Find a name that no set in the folder has: an earlier result is never overwritten."""
    candidates = [name, *(f"{name}-{count}" for count in range(2, 1000))]
    return next(n for n in candidates if not (folder / f"{n}.csv").exists())


def slug(text: str) -> str:
    """Make a text fit into a file name."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:60] or "unknown"
