"""Which rows a build takes, in which file and month a price may stand, and what it takes for the highest peak."""

from __future__ import annotations

from dataclasses import astuple
from types import SimpleNamespace
from typing import Any

import pytest
from samples import Tree, claim, price

from pipeline.core.files import csv_text
from pipeline.core.schema import Price, columns
from pipeline.intake.sources.base import Asked
from pipeline.record import build
from pipeline.record.reconcile import Ancestry, reconcile


def test_of_a_format_the_highest_dense_peak_is_its_limit() -> None:
    said = [
        claim("peak:fp16:fp32:dense:tensor", "165 TFLOPS"),
        claim("peak:fp16:fp16:dense:tensor", "330 TFLOPS"),
        claim("peak:fp16:fp32:dense:vector", "82 TFLOPS"),
        claim("peak:fp16:fp32:sparse:tensor", "660 TFLOPS"),
        claim("memory_gb", "24 GB"),
    ]
    (record,) = reconcile(said, Ancestry({}, {})).values()
    assert build._highest_peaks(record) == {"fp16": 330.0}
    (limits,) = build._limits({"card": record}).values()
    assert (limits.peak_tflops, limits.memory_bandwidth_gb_s, limits.launched) == ({"fp16": 330.0}, None, "")


@pytest.mark.parametrize(
    ("stem", "date", "told"),
    [
        ("2026-08", "2026-08-22", False),
        ("2026-08", "2026-08", False),
        ("2026-08", "2026-09-01", True),
        ("2026-08", "2025-08-22", True),
    ],
)
def test_a_price_stands_in_the_file_of_its_month(tree: Tree, stem: str, date: str, told: bool) -> None:
    tree.write(f"prices/{stem}.csv", csv_text(columns(Price), [astuple(price(date=date))]))
    found: list[str] = []
    assert [one.date for one in build._prices(tree.data, found, None)] == [date]
    step = f"move the row to data/prices/{date[:7]}.csv, or correct the date"
    where = f"data/prices/{stem}.csv row 2: column 'date' holds {date!r}, in the file of {stem}"
    assert found == ([f"{where}; {step}"] if told else [])


@pytest.mark.parametrize(
    ("row", "tax", "basis", "country"),
    [({}, 24.0, "asked", "GR"), ({"tax": 0.0, "basis": "sold", "country": "DE"}, 0.0, "sold", "DE")],
)
def test_what_a_source_says_of_all_its_prices_counts_where_the_row_is_silent(
    row: dict[str, Any], tax: float, basis: str, country: str
) -> None:
    silent = price(**{"tax": None, "basis": "", "country": ""} | row)
    made = build.completed(silent, Asked(basis="asked", country="GR", tax=24.0))
    assert (made.tax, made.basis, made.country) == (tax, basis, country)


def test_the_newest_day_of_a_snapshot_is_the_last_on_which_a_file_was_fetched(tree: Tree) -> None:
    assert build._newest_snapshot(tree.data) == ""
    tree.data.snapshots.parent.mkdir(parents=True, exist_ok=True)
    tree.data.snapshots.write_text("retrieved\n2026-11-02\n2026-11-20\n2026-10-31\n", encoding="utf-8")
    assert build._newest_snapshot(tree.data) == "2026-11-20"


def test_variants_share_a_family_name_and_nothing_is_a_variant_of_itself() -> None:
    families: Any = [
        SimpleNamespace(ambiguous=[SimpleNamespace(could_be=["a", "b"]), SimpleNamespace(could_be=["b", "c"])]),
        SimpleNamespace(ambiguous=[SimpleNamespace(could_be=["d", "e"])]),
    ]
    assert {gpu: sorted(others) for gpu, others in build.siblings(families).items()} == {
        "a": ["b"], "b": ["a", "c"], "c": ["b"], "d": ["e"], "e": ["d"],
    }  # fmt: skip


def test_of_the_sets_only_those_are_read_that_are_asked_about(tree: Tree) -> None:
    for name in ("one", "two"):
        tree.write(f"benchmarks/{name}.csv", "gpu\n")
    scope = build.Scope(frozenset(), frozenset(), frozenset({"two"}))
    assert [path.stem for path in build._benchmark_sets(tree.data, scope)] == ["two"]
    assert [path.stem for path in build._benchmark_sets(tree.data, None)] == ["one", "two"]


def test_a_peak_that_theory_alone_gives_stands_behind_the_stated_ones_to_four_digits() -> None:
    said = [claim("peak:fp16:fp32:dense:tensor", "165 TFLOPS"), claim("memory_gb", "24 GB")]
    (gpu, record), *_ = reconcile(said, Ancestry({}, {})).items()
    keys = [build.parse_peak(f"peak:{name}:fp32:dense:tensor") for name in ("tf32", "bf16", "fp16")]
    worked: Any = {gpu: {key: SimpleNamespace(tflops=82.57536) for key in keys}}
    rows = [row[1:] for row in build._peak_rows({gpu: record}, worked)]
    assert rows == [
        ("fp16", "fp32", "dense", "tensor", "165", False),
        ("bf16", "fp32", "dense", "tensor", 82.58, True),
        ("tf32", "fp32", "dense", "tensor", 82.58, True),
    ]


def test_a_launch_price_is_dated_by_its_launch() -> None:
    said = [claim("launch_price_usd", "1599 USD"), claim("launch_date", "2022-10-12")]
    known = reconcile(said, Ancestry({}, {}))
    (made,) = build._launch_prices(known)
    assert (made.kind, made.unit_usd, made.date) == ("launch", 1599.0, "2022-10-12")
    (undated,) = build._launch_prices(reconcile(said[:1], Ancestry({}, {})))
    assert undated.date == ""
    assert not list(build._launch_prices(reconcile(said[1:], Ancestry({}, {}))))
