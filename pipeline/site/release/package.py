"""Write a release: the tables in four formats, their description, what changed since the last one, and checksums.

`python -m pipeline release OUT` calls it. The version is the dataset's own newest day; nothing in a release shows the
clock, so the same commit gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from pipeline.core.paths import DATA, ROOT
from pipeline.core.wording import count, day
from pipeline.dataset import Dataset
from pipeline.intake import licences
from pipeline.intake.sources import MODULES
from pipeline.record import difference
from pipeline.site.pages import addresses
from pipeline.site.pages.downloads import MEANING
from pipeline.site.release import formats
from pipeline.site.release.columns import KEYS, ReleasedColumn, columns
from pipeline.site.release.tables import Table, tables

LICENCE = {
    "name": "CC-BY-SA-4.0",
    "title": "Creative Commons Attribution-ShareAlike 4.0",
    "path": "https://creativecommons.org/licenses/by-sa/4.0/",
}
SOURCES_MEANING = "One row a source or document: its licence, what that allows, and how many rows rest on it"
MEDIA = {"csv": "text/csv", "json": "application/json", "parquet": "application/vnd.apache.parquet"}


def write(folder: Path, dataset: Dataset, before: difference.Texts | None = None) -> str:
    """Write the release of a dataset into a folder, which is emptied first; the version comes back.

    `before` are the tables of the release before this one (table name -> CSV text), from which the changelog of values
    is worked out.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    described = columns()
    rows = tables(dataset, licences.load(DATA.licences), described)
    paths = formats.write(folder, described, rows)
    version = dataset.newest_reading
    texts = {
        "CHANGES.md": _changes(dataset, before),
        "README.md": _readme(version, rows),
        "LICENSE-DATA": (ROOT / "LICENSE-DATA").read_text(encoding="utf-8"),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    package = _described(folder, version, described, rows)
    (folder / "datapackage.json").write_text(package, encoding="utf-8", newline="")
    lines = (
        f"{hashlib.sha256((folder / path).read_bytes()).hexdigest()}  {path}"
        for path in sorted([*paths, *texts, "datapackage.json"])
    )
    (folder / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return version


def _described(
    folder: Path, version: str, described: Mapping[str, tuple[ReleasedColumn, ...]], rows: Mapping[str, Table]
) -> str:
    """The Frictionless description: every table with its schema, its bytes and its hash."""
    package = {
        "profile": "data-package",
        "name": "gpu-almanac",
        "title": "GPU Almanac: GPUs for deep learning, every figure with its source",
        "description": "Specifications, peak rates, measured results and dated prices. An empty cell is unknown.",
        "homepage": addresses.SITE,
        "version": version,
        "created": f"{version}T00:00:00Z",
        "licenses": [LICENCE],
        "contributors": [{"title": "GPU Almanac contributors", "role": "author", "path": addresses.SITE}],
        "sources": [
            {"title": module.SOURCE.title, "path": module.SOURCE.home, "licence": module.SOURCE.licence}
            for module in MODULES
        ],
        "resources": [_resource(folder, name, described[name], len(rows[name])) for name in rows],
        "other_formats": [
            {
                "path": path,
                "mediatype": MEDIA.get(path.rpartition(".")[2], "application/vnd.sqlite3"),
                **_held(folder, path),
            }
            for path in [*(f"{form}/{name}.{form}" for name in rows for form in ("json", "parquet")), formats.DATABASE]
        ],
    }
    return json.dumps(package, ensure_ascii=False, indent=1) + "\n"


def _resource(folder: Path, name: str, described: tuple[ReleasedColumn, ...], rows: int) -> dict[str, object]:
    path = f"csv/{name}.csv"
    schema: dict[str, object] = {
        "fields": [_field(name, column) for column in described],
        "missingValues": [""],
    }
    if name in KEYS:
        schema["primaryKey"] = list(KEYS[name])
    if name != "gpus" and any(column.name == "gpu" for column in described):
        schema["foreignKeys"] = [{"fields": ["gpu"], "reference": {"resource": "gpus", "fields": ["id"]}}]
    return {
        "name": name,
        "path": path,
        "profile": "tabular-data-resource",
        "title": MEANING.get(name, SOURCES_MEANING),
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "dialect": {"delimiter": ",", "lineTerminator": "\n"},
        "rows": rows,
        **_held(folder, path),
        "schema": schema,
    }


def _field(table: str, column: ReleasedColumn) -> dict[str, object]:
    described: dict[str, object] = {"name": column.name, "type": column.kind, "description": column.meaning}
    if column.unit:
        described["unit"] = column.unit
    if column.kind == "boolean":
        described |= {"trueValues": ["true"], "falseValues": ["false"]}
    if column.kind == "date":
        described["format"] = "%Y-%m-%d"
    constraints: dict[str, object] = {}
    if column.words:
        constraints["enum"] = list(column.words)
    if column.name in KEYS.get(table, ()):
        constraints["required"] = True
    return described | ({"constraints": constraints} if constraints else {})


def _held(folder: Path, path: str) -> dict[str, object]:
    content = (folder / path).read_bytes()
    return {"bytes": len(content), "hash": f"sha256:{hashlib.sha256(content).hexdigest()}"}


def _changes(dataset: Dataset, before: difference.Texts | None) -> str:
    head = f"# What changed in the data of {day(dataset.newest_reading)}\n\n"
    if before is None:
        return head + "This release was compared with none before it.\n"
    return head + difference.markdown(before, difference.texts(DATA.clean))


def _readme(version: str, rows: Mapping[str, Table]) -> str:
    listed = "\n".join(
        f"| {name} | {count(len(table), 'row')} | {MEANING.get(name, SOURCES_MEANING)} |"
        for name, table in rows.items()
    )
    return f"""# GPU Almanac, data of {day(version)}

{addresses.SITE}

| table | rows | what stands in it |
|---|---|---|
{listed}

Each table lies here as `csv/`, `json/` and `parquet/`, and all of them in `{formats.DATABASE}`. `datapackage.json`
describes every column: type, unit, meaning. An empty cell is unknown, never 0.

A CSV has no types: `compute_capability` is text, and read as a number 10.0 becomes 10. In pandas write
`pd.read_csv("csv/gpus.csv", dtype={{"compute_capability": str}})`; Parquet and SQLite keep the type.

A date that a source states as a month or a year stands as its first day, and the column beside it says how much of it
is known (`date_precision`: day, month or year).

`CHANGES.md` says which values changed since the release before. `SHA256SUMS` holds the checksums
(`sha256sum --check SHA256SUMS`).

Licence: CC BY-SA 4.0, see `LICENSE-DATA`; each row keeps the licence of its source, see the table `sources`. Rows of
sources that forbid commercial use are not in this release.
"""
