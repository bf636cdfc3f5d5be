"""One table as CSV, JSON, Parquet and SQLite: the same rows and, as far as a format has them, the same types."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from pipeline.core import files
from pipeline.site.release.columns import KEYS, ReleasedColumn
from pipeline.site.release.tables import Cell, Table

ARROW = {
    "string": pa.string(),
    "number": pa.float64(),
    "integer": pa.int64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
}
SQL = {"string": "TEXT", "number": "REAL", "integer": "INTEGER", "boolean": "INTEGER", "date": "TEXT"}
DATABASE = "gpu-almanac.sqlite"


def write(folder: Path, columns: Mapping[str, tuple[ReleasedColumn, ...]], tables: Mapping[str, Table]) -> list[str]:
    """Write every table in every format below a folder; the relative paths come back in order."""
    written = []
    for name, rows in tables.items():
        for suffix, put in (("csv", _csv), ("json", _json), ("parquet", _parquet)):
            path = folder / suffix / f"{name}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            put(path, columns[name], rows)
            written.append(f"{suffix}/{name}.{suffix}")
    _sqlite(folder / DATABASE, columns, tables)
    return [*written, DATABASE]


def _csv(path: Path, columns: tuple[ReleasedColumn, ...], rows: Table) -> None:
    cells = ([_iso(cell) for cell in row] for row in rows)
    path.write_text(files.csv_text([column.name for column in columns], cells), encoding="utf-8", newline="")


def _json(path: Path, columns: tuple[ReleasedColumn, ...], rows: Table) -> None:
    """An array with one row a line, so that it can be read line by line too."""
    names = [column.name for column in columns]
    lines = (
        json.dumps(dict(zip(names, map(_iso, row), strict=True)), ensure_ascii=False, separators=(",", ":"))
        for row in rows
    )
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="")


def _parquet(path: Path, columns: tuple[ReleasedColumn, ...], rows: Table) -> None:
    fields = [
        pa.field(column.name, ARROW[column.kind], metadata={"unit": column.unit, "description": column.meaning})
        for column in columns
    ]
    cells = list(zip(*rows, strict=True)) or [() for _ in columns]
    arrays = [pa.array(values, ARROW[column.kind]) for column, values in zip(columns, cells, strict=True)]
    parquet.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), path, compression="zstd")


def _sqlite(path: Path, columns: Mapping[str, tuple[ReleasedColumn, ...]], tables: Mapping[str, Table]) -> None:
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    with database:
        for name, rows in tables.items():
            declared = [f'"{column.name}" {SQL[column.kind]}' for column in columns[name]]
            if name in KEYS:
                declared.append(f"PRIMARY KEY ({', '.join(KEYS[name])})")
            elif any(column.name == "gpu" for column in columns[name]):
                declared.append("FOREIGN KEY (gpu) REFERENCES gpus (id)")
            database.execute(f'CREATE TABLE "{name}" ({", ".join(declared)})')
            marks = ", ".join("?" for _ in columns[name])
            # The names are those of our own schema.
            database.executemany(f'INSERT INTO "{name}" VALUES ({marks})', (map_row(row) for row in rows))  # noqa: S608
            if name not in KEYS and any(column.name == "gpu" for column in columns[name]):
                database.execute(f'CREATE INDEX "{name}_gpu" ON "{name}" (gpu)')
    database.close()


def map_row(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """A row as SQLite keeps it: days as ISO text, yes and no as 1 and 0."""
    return tuple(int(cell) if isinstance(cell, bool) else _iso(cell) for cell in row)


def _iso(cell: Cell) -> Cell:
    return cell.isoformat() if isinstance(cell, date) else cell
