"""Contributed benchmark sets: `data/benchmarks/<set>.csv` + `.yml` in, results out."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.documents import Text, Url
from pipeline.measure.judge import Limits, flags, problems
from pipeline.measure.words import COLUMNS
from pipeline.records import number_or_none, yes_no
from pipeline.schema import Result


class ResultSetError(ValueError):
    """A result set that cannot be read; the message names file, row, column, value and the next step."""


class ResultSet(BaseModel):
    """What a set's YAML must say; hardware, software and method are free."""

    model_config = ConfigDict(extra="allow", frozen=True)

    set: Text
    title: Text
    source: Text
    kind: Literal["vendor", "first-party", "reference", "community"]
    url: Url
    licence: Text
    date: date


def load(folder: Path) -> Iterator[Result]:
    """Read every set of a folder; ResultSetError for a broken one."""
    for path in _sets(folder):
        yield from read(path)


def judged(folder: Path, limits: Mapping[str, Limits]) -> Iterator[str]:
    """Say what cannot be right in the sets of a folder, held against what theory allows each GPU."""
    for path in _sets(folder):
        yield from (f"data/benchmarks/{path.name}: {problem}" for problem in problems(_rows(path), limits))


def questions(folder: Path) -> Iterator[str]:
    """Ask about results that are far below what other sets measured with the same GPU."""
    sets = {path: _rows(path) for path in _sets(folder)}
    for path, rows in sets.items():
        peers = [row for other, theirs in sets.items() if other != path for row in theirs]
        yield from (f"data/benchmarks/{path.name}: {question}" for question in flags(rows, peers))


def _sets(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.csv")) if not path.name.endswith(".raw.csv")]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def read(path: Path) -> Iterator[Result]:
    """Read one set; rows without a GPU enter no table."""
    about = _about(path.with_suffix(".yml"))
    where = f"data/benchmarks/{path.name}"
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ResultSetError(f"{where}: columns are {reader.fieldnames}; they must be {','.join(COLUMNS)}")
        for number, row in enumerate(reader, start=2):
            if not row["gpu"]:
                continue  # measured on a processor: judged like the others, but there is no page for it
            yield _result(row, about, f"{where} row {number}", f"{path.name}, row {number}")


def _about(path: Path) -> ResultSet:
    where = f"data/benchmarks/{path.name}"
    try:
        about = ResultSet.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ResultSetError(f"{where} is not there; each set needs its YAML, see data/benchmarks/README.md") from None
    except (yaml.YAMLError, ValidationError) as error:
        raise ResultSetError(f"{where}: {' '.join(str(error).split())}") from None
    if about.set != path.stem:
        raise ResultSetError(f"{where}: set = {about.set!r} must be the file's name, {path.stem!r}")
    return about


def _result(row: dict[str, str], about: ResultSet, where: str, locator: str) -> Result:
    try:
        return Result(
            row["gpu"], int(row["gpu_count"]), about.set, row["workload"], row["model"], row["precision"],
            row["batch"], row["metric"], number_or_none(row["value"]), row["unit"], yes_no(row["higher_is_better"]),
            row["software"], row["date"], about.set, row["flag"], about.url, locator, about.date.isoformat(),
            about.licence,
        )  # fmt: skip
    except (ValueError, TypeError) as error:
        raise ResultSetError(f"{where}: {error}; correct the cell") from None
