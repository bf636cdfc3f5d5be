"""The door to data/clean hands out typed rows, writes back what it read, and says what to do with a file it cannot."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import Annotated

import pytest
from samples import Tree, claim, committed, record

from pipeline.core import schema
from pipeline.core.paths import DATA
from pipeline.core.schema import FIELDS, TABLES, Field, Figures
from pipeline.dataset import Dataset, DatasetError
from pipeline.record import build

GPU = "nvidia-geforce-rtx-4090"
IN_WORDS = {"true": "yes", "false": "no"}


@pytest.fixture
def built(tree: Tree) -> Dataset:
    build.build(tree.data)
    return Dataset.load(tree.data.clean)


def test_a_figure_is_an_attribute_of_the_type_of_its_field(built: Dataset) -> None:
    gpu = built.gpus[GPU]
    assert (gpu.memory_gb, gpu.memory_bus_bit, gpu.memory_type, gpu.launch_date) == (24.0, 384, "GDDR6X", "2022-10-12")
    assert (gpu.length_mm, gpu.compute_units, gpu.cooling, gpu.ecc) == (None, None, "", None)
    assert isinstance(gpu.memory_gb, float) and isinstance(gpu.memory_bus_bit, int)


def test_a_field_is_declared_in_one_place() -> None:
    @dataclass(frozen=True, kw_only=True)
    class More(Figures):
        noise_db: Annotated[float | None, Field("Noise", "Sound pressure at one metre", "dB", 0, 120, 0.1)] = None

    made = schema._fields_of(More)
    assert list(made) == [*FIELDS, "noise_db"]
    assert (made["noise_db"].name, made["noise_db"].type, made["noise_db"].unit) == ("noise_db", "number", "dB")


def test_every_cell_of_gpus_csv_is_told_as_it_was_read() -> None:
    dataset = committed()
    with (DATA.clean / "gpus.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            gpu = dataset.gpus[row["id"]]
            told = {name: IN_WORDS.get(row[name], row[name]) for name, field in FIELDS.items() if field.type != "date"}
            assert {name: gpu.written(field) for name, field in FIELDS.items() if name in told} == told


def test_a_flag_is_yes_no_or_unknown() -> None:
    field = FIELDS["ecc"]
    assert [record(ecc=value).written(field) for value in (True, False, None)] == ["yes", "no", ""]


def test_the_verdict_of_a_claim_says_what_became_of_it(tree: Tree) -> None:
    tree.claims(
        "shop",
        (
            claim("board_power_w", "425 W", source="shop", kind="community"),
            claim("memory_gb", "24 GB", source="shop", kind="community"),
        ),
    )
    tree.write(
        "corrections.yml",
        "withdrawn:\n  - {source: wikipedia-gpu-info, gpu: nvidia-geforce-rtx-4090, "
        "field: memory_bus_bit, expect: '384', reason: misread from the neighbouring row}\n",
    )
    build.build(tree.data)
    gpu = Dataset.load(tree.data.clean).gpus[GPU]
    assert [found.verdict for found in gpu.claims["board_power_w"]] == ["chosen", "differs"]
    assert [found.verdict for found in gpu.claims["memory_gb"]] == ["chosen", "agrees"]
    (gone,) = gpu.claims["memory_bus_bit"]
    assert (gone.verdict, gone.chosen, gone.why) == ("withdrawn", False, "misread from the neighbouring row")
    assert gpu.chosen("memory_bus_bit") is None and gpu.memory_bus_bit is None
    assert [found.value for found in gpu.differing("board_power_w")] == ["425"]
    assert gpu.differing("memory_gb") == gpu.differing("memory_bus_bit") == ()


def test_every_table_has_the_columns_of_the_schema_and_counts_its_rows(built: Dataset) -> None:
    for name, columns in TABLES.items():
        rows = list(built.rows(name))
        assert len(rows) == built.size(name)
        assert all(tuple(row) == tuple(columns) for row in rows)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("claims.csv", ("verdict", "judgement"), "data/clean/claims.csv: no column 'verdict'; run: make data"),
        ("claims.csv", (",true,chosen,", ",true,perhaps,"), "column 'verdict' holds 'perhaps'"),
        ("prices.csv", (",1599,", ",cheap,"), "column 'usd_per_unit' holds 'cheap'; run: make data"),
        ("gpus.csv", (",384,", ",wide,"), f"data/clean/gpus.csv, {GPU}: .*'wide'.*run: make data"),
    ],
)
def test_a_file_that_an_older_build_wrote_is_told_with_the_next_step(
    tree: Tree, file: str, change: tuple[str, str], message: str
) -> None:
    build.build(tree.data)
    path = tree.data.clean / file
    text = path.read_text(encoding="utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(DatasetError, match=message):
        Dataset.load(tree.data.clean)


def test_a_missing_table_is_told_with_the_next_step(tree: Tree) -> None:
    with pytest.raises(DatasetError, match=r"claims\.csv is not there; run: make data"):
        Dataset.load(tree.data.clean)


def test_the_newest_price_is_that_of_its_kinds_and_older_than_the_newest_reading() -> None:
    dataset = Dataset.load()
    bought, rented = dataset.newest_price("retail", "used", "system"), dataset.newest_price("on_demand", "spot")
    assert bought == max(dataset.newest_price(kind) for kind in ("retail", "used", "system"))
    assert max(bought, rented) <= dataset.newest_reading
    assert dataset.newest_price("no such kind") == ""
