"""The only door from `data/clean` to everything after it: typed rows, joined by GPU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.core import files, identity, rows, units
from pipeline.core.measured import cells
from pipeline.core.paths import DATA
from pipeline.core.schema import (
    FIELDS,
    PRECISION,
    TABLES,
    DecidedClaim,
    Field,
    Figures,
    Identity,
    PeakKey,
    PeakRow,
    Price,
    Result,
    known_part,
    whole_day,
)

if TYPE_CHECKING:
    from pandas import DataFrame

# A date stays text: of many only the month or the year is known.
FRAME_TYPES = {"number": "Float64", "integer": "Int64", "flag": "boolean", "text": "string", "date": "string"}
Cell = str | int | float | bool | None
Record = TypeVar("Record", Result, Price)


class DatasetError(RuntimeError):
    """The dataset is not there, or not what the schema says."""


@dataclass(frozen=True, kw_only=True)
class GpuRecord(Identity, Figures):
    """One GPU with everything that is known of it."""

    peaks: Mapping[PeakKey, float] = field(default_factory=dict)  # as sources state them
    computed: Mapping[PeakKey, float] = field(default_factory=dict)  # by theory, where no source states one
    claims: Mapping[str, tuple[DecidedClaim, ...]] = field(default_factory=dict)  # by field, the chosen one first
    benchmarks: tuple[Result, ...] = ()
    prices: tuple[Price, ...] = ()

    def value(self, field: Field) -> float | bool | str | None:
        """A figure of any type, for code that treats all fields alike; None when no source states it."""
        value: float | bool | str | None = getattr(self, field.name)
        return None if value == "" else value

    def written(self, field: Field) -> str:
        """A figure in words, for code that treats all fields alike; "" when no source states it."""
        value = self.value(field)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return units.text_of(value) if isinstance(value, int | float) else value or ""

    def cells(self) -> dict[str, Cell]:
        """The GPU as a row of `gpus.csv`; what is not known is None."""
        own = {name: _cell(getattr(self, name)) for name in TABLES["gpus"] if name != PRECISION}
        day, precision = whole_day(self.launch_date)
        return own | {
            "aliases": ";".join(self.aliases) or None,
            "launch_date": _cell(day),
            PRECISION: _cell(precision),
        }

    def peak(
        self,
        input: str,
        accumulate: str,
        sparsity: str = "dense",
        engine: str = "tensor",
    ) -> float | None:
        """A peak rate in TFLOPS (TOPS for integers), or None when no source states it."""
        return self.peaks.get(PeakKey(input, accumulate, sparsity, engine))

    def chosen(self, field: str) -> DecidedClaim | None:
        """The claim behind a figure."""
        claims = self.claims.get(field, ())
        return claims[0] if claims and claims[0].chosen else None

    def differing(self, field: str) -> tuple[DecidedClaim, ...]:
        """The claims that contradict the chosen one (withdrawn ones left out)."""
        return tuple(claim for claim in self.claims.get(field, ()) if claim.verdict == "differs")


@dataclass(frozen=True)
class Dataset:
    """The cleaned dataset, joined once."""

    gpus: Mapping[str, GpuRecord]  # by id, sorted by id
    claims: tuple[DecidedClaim, ...] = field(default=(), repr=False)
    benchmarks: tuple[Result, ...] = field(default=(), repr=False)
    prices: tuple[Price, ...] = field(default=(), repr=False)

    @classmethod
    def load(cls, folder: Path = DATA.clean) -> Dataset:
        """Read the five tables; DatasetError says how to build them when they are missing or out of date."""
        try:
            claims = tuple(rows.read(DecidedClaim, folder / "claims.csv", "data/clean/claims.csv"))
            benchmarks = tuple(rows.read(Result, folder / "benchmarks.csv", "data/clean/benchmarks.csv"))
            prices = tuple(rows.read(Price, folder / "prices.csv", "data/clean/prices.csv"))
            peaks = tuple(rows.read(PeakRow, folder / "peaks.csv", "data/clean/peaks.csv"))
            cards = list(_gpus(folder / "gpus.csv"))
        except FileNotFoundError as error:
            raise DatasetError(f"data/clean/{Path(error.filename).name} is not there; run: make data") from None
        except rows.RecordError as error:
            raise DatasetError(f"{error}; run: make data") from None
        claims_of: dict[str, dict[str, list[DecidedClaim]]] = defaultdict(lambda: defaultdict(list))
        for claim in claims:
            claims_of[claim.gpu][claim.field].append(claim)
        peaks_of: dict[tuple[str, bool], dict[PeakKey, float]] = defaultdict(dict)
        for peak in peaks:
            peaks_of[peak.gpu, peak.computed][peak.key] = peak.tflops
        benchmarks_of, prices_of = _by_gpu(benchmarks), _by_gpu(prices)
        gpus = {
            id: GpuRecord(
                **cells,
                peaks=peaks_of[id, False],
                computed=peaks_of[id, True],
                claims={
                    name: tuple(sorted(stated, key=lambda claim: not claim.chosen))
                    for name, stated in claims_of[id].items()
                },
                benchmarks=tuple(benchmarks_of[id]),
                prices=tuple(prices_of[id]),
            )
            for cells in cards
            for id in (cells["id"],)
        }
        return cls(gpus, claims, benchmarks, prices)

    @classmethod
    def of_texts(cls, tables: Mapping[str, str]) -> Dataset:
        """The dataset of tables that stand in no folder (name of the CSV or path to it -> text)."""
        with TemporaryDirectory() as folder:
            for path, text in tables.items():
                (Path(folder) / Path(path).name).write_text(text, encoding="utf-8", newline="")
            return cls.load(Path(folder))

    def find(self, text: str) -> GpuRecord | None:
        """Find a GPU by id, name or any alias that a person types."""
        return self.gpus.get(self._index.get(identity.key(text), ""))

    def size(self, table: str) -> int:
        """How many rows a table of `data/clean` has."""
        if table == "peaks":
            return sum(len(gpu.peaks) + len(gpu.computed) for gpu in self.gpus.values())
        return len(getattr(self, table))

    def rows(self, table: str) -> Iterator[dict[str, Cell]]:
        """The rows of a table by column, for code that treats all tables alike; what is not known is None."""
        if table == "gpus":
            yield from (gpu.cells() for gpu in self.gpus.values())
        elif table == "peaks":
            for gpu in self.gpus.values():
                for peaks, computed in ((gpu.peaks, False), (gpu.computed, True)):
                    for key, rate in peaks.items():
                        yield {"gpu": gpu.id, **asdict(key), "tflops": rate, "computed": computed}
        else:
            names = TABLES[table]
            for row in getattr(self, table):
                yield {name: _cell(getattr(row, name)) for name in names}

    def frame(self, table: str) -> DataFrame:
        """A table for grouping, medians and joins: a pandas frame of nullable columns, what is not known is NA.

        pandas takes a third of a second to import, so that only those pay who ask for a frame.
        """
        if table not in self._frames:
            import pandas as pd

            rows = list(self.rows(table))
            self._frames[table] = pd.DataFrame(
                {
                    name: pd.Series([row[name] for row in rows], dtype=FRAME_TYPES[kind])
                    for name, kind in TABLES[table].items()
                }
            )
        return self._frames[table]

    @cached_property
    def _frames(self) -> dict[str, DataFrame]:
        return {}

    @cached_property
    def newest_reading(self) -> str:
        """The newest day on which a source was read: the dataset's own today."""
        return max(row.retrieved for table in (self.claims, self.benchmarks, self.prices) for row in table)

    def newest_price(self, *kinds: str) -> str:
        """The newest day of a price of these kinds, which is older than the day on which somebody read it."""
        days = (
            row.date for row in self.prices if row.kind in kinds and not row.flag and len(row.date) == len("2026-11-28")
        )
        return max(days, default="")

    @cached_property
    def _index(self) -> dict[str, str]:
        return {identity.key(s): gpu.id for gpu in self.gpus.values() for s in (gpu.id, gpu.name, *gpu.aliases)}


def _cell(value: Cell) -> Cell:
    return None if value == "" else value


def _by_gpu(table: Iterable[Record]) -> dict[str, list[Record]]:
    grouped: dict[str, list[Record]] = defaultdict(list)
    for row in table:
        grouped[row.gpu].append(row)
    return grouped


# How a cell of gpus.csv is read, by the type of its field.
CELLS: Mapping[str, Callable[[str], Any]] = {
    "number": cells.number_or_none,
    "integer": lambda text: int(float(text)) if text else None,
    "flag": lambda text: cells.yes_no(text) if text else None,
    "text": str,
    "date": str,
}


def _gpus(path: Path) -> Iterable[dict[str, Any]]:
    """The rows of gpus.csv as the attributes of a GpuRecord."""
    for row in files.read_rows(path):
        try:
            figures = {name: CELLS[spec.type](row[name]) for name, spec in FIELDS.items()}
            yield {
                **{name: text for name, text in row.items() if name not in FIELDS and name != PRECISION},
                **figures,
                "launch_date": known_part(row["launch_date"], row[PRECISION]),
                "aliases": tuple(alias for alias in row["aliases"].split(";") if alias),
                "dies": int(row["dies"]),
            }
        except (KeyError, ValueError) as error:
            raise DatasetError(f"data/clean/{path.name}, {row['id']}: {error}; run: make data") from None
