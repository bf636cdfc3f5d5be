"""A release holds the same rows in every format, describes itself so that a validator agrees, and breaks no licence."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import duckdb
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from frictionless import Package
from pyarrow import parquet
from samples import committed, price, result

from pipeline import __main__ as cli
from pipeline.commands.console import USAGE
from pipeline.core.paths import DATA, ROOT
from pipeline.core.schema import TABLES
from pipeline.dataset import Dataset
from pipeline.intake import licences
from pipeline.intake.sources import MODULES
from pipeline.record import difference
from pipeline.site.release import package
from pipeline.site.release.columns import PRECISIONS, columns
from pipeline.site.release.tables import ReleaseError, tables

ALL = (*TABLES, "sources")
LEFT_OUT = "teoampatzis-gpu-prices-gr"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    package.write(folder, committed(), difference.texts(DATA.clean))
    return folder


def as_text(value: object) -> str:
    """A cell of any format as the CSV writes it."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, date) else str(value)


def rows_of_csv(path: Path) -> list[tuple[str, ...]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


@pytest.mark.parametrize("table", ALL)
def test_four_formats_hold_equal_rows(released: Path, table: str) -> None:
    described = columns()[table]
    flags = [place for place, column in enumerate(described) if column.kind == "boolean"]
    wanted = rows_of_csv(released / "csv" / f"{table}.csv")
    assert wanted
    from_json = [
        tuple(map(as_text, row.values())) for row in json.loads((released / f"json/{table}.json").read_bytes())
    ]
    frame = parquet.read_table(released / f"parquet/{table}.parquet").to_pylist()
    from_parquet = [tuple(map(as_text, row.values())) for row in frame]
    with sqlite3.connect(released / "gpu-almanac.sqlite") as database:
        kept = [list(row) for row in database.execute(f'SELECT * FROM "{table}"')]
    for row in kept:
        for place in flags:
            row[place] = None if row[place] is None else bool(row[place])
    assert from_json == wanted
    assert from_parquet == wanted
    assert [tuple(map(as_text, row)) for row in kept] == wanted


@pytest.mark.full
def test_the_frictionless_validator_agrees(released: Path) -> None:
    report = Package(str(released / "datapackage.json")).validate()
    assert report.valid, report.flatten(["taskId", "title", "message"])[:5]
    assert len(report.tasks) == len(ALL)


@pytest.mark.full
def test_the_validator_would_see_a_wrong_cell(released: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "csv").mkdir()
    for path in released.glob("csv/*.csv"):
        (copy / "csv" / path.name).write_bytes(path.read_bytes())
    (copy / "datapackage.json").write_bytes((released / "datapackage.json").read_bytes())
    peaks = copy / "csv" / "peaks.csv"
    peaks.write_text(peaks.read_text(encoding="utf-8").replace(",dense,", ",dens,", 1), encoding="utf-8")
    assert not Package(str(copy / "datapackage.json")).validate().valid


@pytest.mark.parametrize("table", TABLES)
def test_pandas_and_duckdb_read_every_date(released: Path, table: str) -> None:
    dates = [column.name for column in columns()[table] if column.kind == "date"]
    path = released / "csv" / f"{table}.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name in dates:
        written = frame[name][frame[name] != ""]
        assert pd.to_datetime(written, format="%Y-%m-%d", errors="raise").notna().all()
        (unread,) = duckdb.sql(
            f"SELECT count(*) FROM read_csv('{path}', all_varchar=true) "
            f'WHERE "{name}" IS NOT NULL AND "{name}" <> \'\' AND try_cast("{name}" AS DATE) IS NULL'
        ).fetchall()[0]
        assert unread == 0
        kind = duckdb.sql(f"SELECT \"{name}\" FROM '{released}/parquet/{table}.parquet'").types[0]
        assert str(kind) == "DATE"


def test_a_month_stands_as_its_first_day_and_says_so(released: Path) -> None:
    with (released / "csv/prices.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    months = [row for row in rows if row["date_precision"] == "month"]
    assert months
    assert {row["date"][7:] for row in months} == {"-01"}
    assert {row["date_precision"] for row in rows} <= {*PRECISIONS, ""}


def test_a_compute_capability_stays_a_word(released: Path) -> None:
    schema = parquet.read_schema(released / "parquet/gpus.parquet")
    assert str(schema.field("compute_capability").type) == "string"
    assert schema.field("memory_gb").metadata[b"unit"] == b"GB"


def test_every_column_has_a_meaning_and_physical_ones_a_unit() -> None:
    described = columns()
    assert [(name, c.name) for name, found in described.items() for c in found if not c.meaning] == []
    units = {c.name: c.unit for c in described["gpus"]}
    assert (units["board_power_w"], units["memory_bandwidth_gb_s"]) == ("W", "GB/s")


def test_the_checksums_are_those_of_the_files(released: Path) -> None:
    lines = (released / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    held = {str(path.relative_to(released)) for path in released.rglob("*") if path.is_file()} - {"SHA256SUMS"}
    assert {line.split("  ")[1] for line in lines} == held
    for line in lines:
        digest, path = line.split("  ")
        assert hashlib.sha256((released / path).read_bytes()).hexdigest() == digest


@pytest.mark.full
def test_two_releases_of_one_dataset_are_equal_byte_for_byte(released: Path, tmp_path: Path) -> None:
    package.write(tmp_path / "again", Dataset.load(), difference.texts(DATA.clean))
    first = (released / "SHA256SUMS").read_text(encoding="utf-8")
    assert (tmp_path / "again" / "SHA256SUMS").read_text(encoding="utf-8") == first


def test_the_version_is_the_datasets_newest_day(released: Path) -> None:
    described = json.loads((released / "datapackage.json").read_bytes())
    assert described["version"] == committed().newest_reading
    assert described["created"].startswith(described["version"])


def test_a_source_that_forbids_commercial_use_is_in_no_table(released: Path) -> None:
    assert any(row.source == LEFT_OUT for row in committed().prices)
    for table in ALL:
        assert LEFT_OUT not in (released / "csv" / f"{table}.csv").read_text(encoding="utf-8")


def test_neither_statements_nor_results_nor_prices_of_such_a_source_are_released() -> None:
    reasons = {"open": "attribution", LEFT_OUT: "left out", licences.BY_HAND: "facts only"}
    decided = licences.Licences(
        licences.Licence(source, decision, "why", "", "") for source, decision in reasons.items()
    )
    first = replace(committed().claims[0], chosen=False, verdict="differs")
    kept = {
        "claims": tuple(replace(first, source=source) for source in reasons),
        "benchmarks": tuple(result(source=source) for source in reasons),
        "prices": tuple(price(source=source) for source in reasons),
    }
    made, heads = tables(Dataset({}, **kept), decided, columns()), columns()  # type: ignore[arg-type]
    for table in kept:
        at = [column.name for column in heads[table]].index("source")
        assert sorted(str(row[at]) for row in made[table]) == [licences.BY_HAND, "open"], table
    assert LEFT_OUT not in str(made["sources"])


def test_a_chosen_figure_that_rests_on_such_a_source_stops_the_release() -> None:
    dataset = committed()
    claim = replace(dataset.claims[0], chosen=True, source=LEFT_OUT)
    broken = replace(dataset, claims=(claim,))
    with pytest.raises(ReleaseError, match="leaves out of releases"):
        tables(broken, licences.load(DATA.licences), columns())


def test_every_source_has_a_decision_on_its_licence() -> None:
    decided = licences.load(DATA.licences)
    assert decided.missing([module.SOURCE.id for module in MODULES]) == []
    assert len(decided.missing(["nobody"])) == 1 + len(MODULES)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a-source,free,because,,", "decision 'free' is none of"),
        ("a-source,facts only,,,", "has no reason"),
        ("a-source,facts only,because,22.11.2026,asked", "licences.csv:2: asked '22.11.2026' is no day; write it as"),
        (
            "a-source,facts only,because,,\na-source,left out,no,,",
            "licences.csv:3: 'a-source' stands in line 2 already",
        ),
    ],
)
def test_a_decision_that_says_nothing_is_refused(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "licences.csv"
    path.write_text(f"source,decision,reason,asked,answer\n{line}\n", encoding="utf-8")
    with pytest.raises(licences.LicenceError, match=message):
        licences.load(path)


@pytest.mark.full
def test_the_changelog_says_which_value_changed(tmp_path: Path) -> None:
    before: Mapping[str, str] = difference.texts(DATA.clean)
    row = next(row for row in csv.reader(before["gpus"].splitlines()) if row[0] == "nvidia-l4")
    head = next(csv.reader(before["gpus"].splitlines()))
    old = dict(before) | {"gpus": before["gpus"].replace(row[head.index("name")], "Another name", 1)}
    package.write(tmp_path / "out", committed(), old)
    assert "Another name" in (tmp_path / "out" / "CHANGES.md").read_text(encoding="utf-8")


def test_the_command_empties_no_folder_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    answer = CliRunner().invoke(cli.main, ["release", str(tmp_path)])
    assert answer.exit_code == USAGE
    assert (tmp_path / "thesis.tex").exists()


def test_citation_archive_and_package_say_the_same_of_the_licence() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    archive = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert citation["license"] == ["CC-BY-SA-4.0"]
    assert archive["license"] == package.LICENCE["name"].lower()
    assert citation["title"] == archive["title"]
    assert citation["url"].startswith("https://")


def test_the_line_of_the_readme_reads_a_compute_capability_as_it_stands(
    released: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = re.findall(r"`(pd\.read_csv\(.*?\))`", (released / "README.md").read_text(encoding="utf-8"))
    monkeypatch.chdir(released)
    frame = eval(line, {"pd": pd})
    assert {"10.0", "8.9"} <= set(frame["compute_capability"])
