"""`data/clean` in, look-ups by GPU out: the site's, the estimator's and the commands' only door to the data."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from pipeline import identity
from pipeline.paths import DATA
from pipeline.schema import FIELDS, PeakKey, parse_peak

Row = Mapping[str, str]  # a row of a CSV: text as written, "" is unknown
TABLES = ("gpus", "peaks", "claims", "benchmarks", "prices")
# Columns of gpus.csv that say what a thing is (ours), before those that sources state.
IDENTITY_COLUMNS = (
    "id",
    "name",
    "aliases",
    "vendor",
    "segment",
    "line",
    "architecture",
    "form_factor",
    "dies",
    "note",
)
NUMBERS = frozenset(f.name for f in FIELDS.values() if f.type in ("number", "integer"))


class DatasetError(RuntimeError):
    """The dataset is not there, or not what the schema says."""


@dataclass(frozen=True)
class GpuRecord:
    """One GPU with everything that is known of it."""

    row: Row
    peaks: Mapping[PeakKey, float]
    claims: Mapping[str, tuple[Row, ...]]  # by field, the chosen one first
    benchmarks: tuple[Row, ...]
    prices: tuple[Row, ...]

    @property
    def id(self) -> str:
        """Our id, which is also the last part of its address."""
        return self.row["id"]

    @property
    def name(self) -> str:
        """The display name."""
        return self.row["name"]

    @property
    def aliases(self) -> tuple[str, ...]:
        """Every other spelling that means this GPU."""
        return tuple(a for a in self.row["aliases"].split(";") if a)

    def number(self, column: str) -> float | None:
        """A numeric field, or None when no source states it."""
        if column not in NUMBERS:
            raise DatasetError(f"{column!r} is no numeric field; see FIELDS in pipeline/schema.py")
        text = self.row[column]
        return float(text) if text else None

    def text(self, column: str) -> str:
        """A field as written, "" when no source states it."""
        return self.row[column]

    def peak(
        self,
        input: str,
        accumulate: str,
        sparsity: str = "dense",
        engine: str = "tensor",
    ) -> float | None:
        """A peak rate in TFLOPS (TOPS for integers), or None when no source states it."""
        return self.peaks.get(PeakKey(input, accumulate, sparsity, engine))

    def chosen(self, field: str) -> Row | None:
        """The claim behind a figure."""
        rows = self.claims.get(field, ())
        return rows[0] if rows and rows[0]["chosen"] == "yes" else None

    def differing(self, field: str) -> tuple[Row, ...]:
        """The claims that contradict the chosen one (withdrawn ones left out)."""
        return tuple(row for row in self.claims.get(field, ()) if row["reason"].startswith("differs"))


@dataclass(frozen=True)
class Dataset:
    """The cleaned dataset, joined once."""

    gpus: Mapping[str, GpuRecord]  # by id, sorted by id
    tables: Mapping[str, tuple[Row, ...]] = field(repr=False)

    @classmethod
    def load(cls, folder: Path = DATA.clean) -> Dataset:
        """Read the five tables; DatasetError says how to build them when they are missing."""
        tables = {name: _read(folder / f"{name}.csv") for name in TABLES}
        by_gpu = {name: _grouped(tables[name]) for name in TABLES[1:]}
        records = {row["id"]: _record(row, by_gpu) for row in tables["gpus"]}
        return cls(records, tables)

    def find(self, text: str) -> GpuRecord | None:
        """Find a GPU by id, name or any alias that a person types."""
        return self.gpus.get(self._index.get(identity.key(text), ""))

    def frame(self, table: str) -> pd.DataFrame:
        """A table as a DataFrame, numeric columns as numbers, unknown as NaN."""
        frame = pd.DataFrame(list(self.tables[table]))
        numeric = [c for c in frame.columns if c in NUMBERS or c in _OTHER_NUMBERS.get(table, ())]
        for column in numeric:
            frame[column] = pd.to_numeric(frame[column])
        return frame

    @cached_property
    def newest_reading(self) -> str:
        """The newest day on which a source was read: the dataset's own today."""
        return max(row["retrieved"] for name in TABLES[2:] for row in self.tables[name])

    @cached_property
    def _index(self) -> dict[str, str]:
        return {identity.key(s): gpu.id for gpu in self.gpus.values() for s in (gpu.id, gpu.name, *gpu.aliases)}


_OTHER_NUMBERS = {
    "peaks": ("tflops",),
    "benchmarks": ("value", "gpu_count"),
    "prices": ("gpus", "usd_per_gpu_hour", "usd_per_machine_hour", "usd_per_unit"),
}


def _read(path: Path) -> tuple[Row, ...]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return tuple(csv.DictReader(file, strict=True))
    except FileNotFoundError:
        raise DatasetError(f"data/clean/{path.name} is not there; run: make data") from None


def _grouped(rows: Iterable[Row]) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["gpu"]].append(row)
    return grouped


def _record(row: Row, by_gpu: Mapping[str, Mapping[str, list[Row]]]) -> GpuRecord:
    gpu = row["id"]
    claims: dict[str, list[Row]] = defaultdict(list)
    for claim in by_gpu["claims"].get(gpu, ()):
        claims[claim["field"]].append(claim)
    return GpuRecord(
        row,
        {_peak_key(peak): float(peak["tflops"]) for peak in by_gpu["peaks"].get(gpu, ())},
        {name: tuple(sorted(rows, key=lambda r: r["chosen"] != "yes")) for name, rows in claims.items()},
        tuple(by_gpu["benchmarks"].get(gpu, ())),
        tuple(by_gpu["prices"].get(gpu, ())),
    )


def _peak_key(row: Row) -> PeakKey:
    return parse_peak(f"peak:{row['input']}:{row['accumulate']}:{row['sparsity']}:{row['engine']}")
