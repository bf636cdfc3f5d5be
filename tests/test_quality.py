"""Coverage, agreement and grades are counted from the dataset, not stated."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from samples import GPU, SOUND, Tree, committed, price, record, result

from pipeline.core import files
from pipeline.core.schema import PeakKey, Price, Result, columns
from pipeline.dataset import Dataset
from pipeline.derive import quality
from pipeline.derive.prices.rules import AGES
from pipeline.record import build
from pipeline.site.pages import quality as page

ID = "nvidia-geforce-rtx-4090"
# A card of which one thing is known that none of the counts below asks for.
DOCUMENTS = {
    "sheet": {
        "title": "A sheet",
        "kind": "vendor",
        "url": "https://e.org/sheet",
        "read": "2026-11-19",
        "licence": "not stated",
    }
}
SLOTS = {"field": "slot_width", "value": 2, "document": "sheet", "locator": "page 1"}


def counted(tree: Tree) -> dict[str, tuple[int, int]]:
    build.build(tree.data)
    return {c.name: (c.found, c.of) for c in quality.counts(Dataset.load(tree.data.clean))}


def graded(tree: Tree) -> str:
    build.build(tree.data)
    return quality.grade(Dataset.load(tree.data.clean).gpus[ID])


def second_witness(tree: Tree) -> None:
    other = {"source": "epoch-ml-hardware", "url": "https://epoch-ml-hardware.e.org/gpus"}
    tree.claims("epoch-ml-hardware", tuple(replace(c, **other) for c in SOUND))


def write(tree: Tree, path: str, kind: type, *rows: object) -> None:
    cells = [[getattr(row, name) for name in columns(kind)] for row in rows]
    tree.write(path, files.csv_text(columns(kind), cells))


def test_a_second_independent_source_is_counted(tree: Tree) -> None:
    name = "core figures with two or more independent sources"
    assert counted(tree)[name] == (0, 5)
    second_witness(tree)
    assert counted(tree)[name] == (5, 5)


def test_an_empty_gpu_counts_as_a_gap(tree: Tree) -> None:
    tree.gpu("nvidia-empty-card", {**GPU, "name": "Empty", "aliases": [], "documents": DOCUMENTS, "values": [SLOTS]})
    assert counted(tree)["with memory"] == (1, 2)
    assert counted(tree)["with a dense peak"] == (1, 2)


def test_prices_count_by_kind_age_and_flag(tree: Tree) -> None:
    used = {"kind": "used", "gpus": None, "usd_per_gpu_hour": None, "usd_per_machine_hour": None, "usd_per_unit": 900.0}
    write(tree, "prices/2026-08.csv", Price, price(), price(**used, offer="u"))
    write(tree, "prices/2024-01.csv", Price, price(**used, date="2024-01", offer="u", flag="old stock"))
    found = counted(tree)
    assert found["with rental offers"] == (1, 1)
    assert found["with a retail or used price under 12 months old"] == (1, 1)
    assert found["with a price history of 3 or more dates"] == (0, 1), "the flagged date does not count"


def test_reasons_that_differ_in_a_number_are_counted_as_one() -> None:
    told = ("the same runs as row 12", "the same runs as row 30", "fewer than 3 offers", "broken run: 2 of 3 failed")
    results = tuple(result(flag=flag) for flag in told)
    found = quality.flags(Dataset(gpus={}, benchmarks=results))
    assert found == {"the same runs as row …": 2, "fewer than 3 offers": 1, "broken run": 1}


def test_an_old_price_is_not_recent(tree: Tree) -> None:
    row = price(
        kind="used", gpus=None, usd_per_gpu_hour=None, usd_per_machine_hour=None, usd_per_unit=1.0, date="2025-11"
    )
    write(tree, "prices/2025-11.csv", Price, row)
    assert counted(tree)["with a retail or used price under 12 months old"] == (0, 1)


NO_RENT = {"gpus": None, "usd_per_gpu_hour": None, "usd_per_machine_hour": None}
BUY = {**NO_RENT, "usd_per_unit": 900.0, "country": "US", "tax": 0.0}
TO_BUY = "with a price to buy, of card or machine, under six months old"


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"kind": "retail", "date": "2026-08-20"}, 1),
        ({"kind": "system", "date": "2026-08-20"}, 1),
        ({"kind": "launch", "date": "2026-08-20"}, 0),
        ({"kind": "used", "date": "2026"}, 0),
        ({"kind": "used", "date": "2026-01-02"}, 0),
        ({"kind": "used", "date": "2026-08-20", "flag": "old stock"}, 0),
    ],
)
def test_a_price_to_buy_of_the_last_half_year_is_counted_by_class(
    tree: Tree, changes: dict[str, str], found: int
) -> None:
    write(tree, f"prices/{changes['date'][:7]}.csv", Price, price(**{**BUY, **changes}))
    counts = counted(tree)
    assert counts[TO_BUY] == counts[f"{TO_BUY}: consumer"] == (found, 1)


@pytest.mark.parametrize(("days", "found"), [(0, 1), (1, 0)])
def test_a_price_to_buy_counts_as_long_as_it_is_a_quote_of_now(tree: Tree, days: int, found: int) -> None:
    limit = AGES["retail"]
    assert limit is not None
    seen = str(date(2026, 11, 20) - timedelta(days=limit.ageing + days))
    write(tree, f"prices/{seen[:7]}.csv", Price, price(**BUY, kind="retail", date=seen))
    assert counted(tree)[TO_BUY] == (found, 1)


@pytest.mark.parametrize(("day", "recent"), [("2026-08-20", 1), ("2025-06-01", 0), ("2026", 0)])
def test_a_rental_offer_counts_at_any_age_and_apart_from_that_when_recent(tree: Tree, day: str, recent: int) -> None:
    write(tree, f"prices/{day[:7]}.csv", Price, price(date=day))
    found = counted(tree)
    assert found["with rental offers"] == (1, 1)
    assert found["with a rental offer under 12 months old"] == (recent, 1)


@pytest.mark.parametrize(("measured", "letter"), [(False, "B"), (True, "A")])
def test_the_grade_follows_the_written_rule(tree: Tree, measured: bool, letter: str) -> None:
    assert graded(tree) == "C"
    second_witness(tree)
    if measured:
        write(tree, "results/lab.csv", Result, result())
    assert graded(tree) == letter


def test_a_bare_gpu_gets_the_lowest_grade(tree: Tree) -> None:
    tree.claims("wikipedia-gpu-info", SOUND[:1])
    assert graded(tree) == "D"


def test_the_papers_of_the_first_cards_are_counted_by_kind() -> None:
    dataset = committed()
    listed = [dataset.gpus[ID]]
    found = {c.name: c.found for c in quality.counts(dataset, listed) if "first 1 cards" in c.name}
    kinds = [claim.kind for field in dataset.gpus[ID].claims if (claim := dataset.gpus[ID].chosen(field))]
    assert list(found.values()) == [kinds.count("vendor"), kinds.count("datasheet-copy")]
    assert sum(found.values()) > 0


@pytest.mark.parametrize(("kind", "counted"), [("NVLink bridge", True), ("none", False), ("", False)])
def test_a_card_has_a_link_where_a_source_states_its_kind(kind: str, counted: bool) -> None:
    card = replace(committed().gpus["nvidia-l4"], link_type=kind, link_gb_s=None)
    (linked,) = (c for c in quality._provenance([card]) if "link" in c.name)
    assert (linked.found, linked.of) == (0, int(counted))


def test_the_page_lists_what_is_least_known_first_and_of_equal_gaps_the_worst_grade(monkeypatch: Any) -> None:
    """By missing fields, then by grade from the worst, then by name."""
    letters = {"whole-b": "B", "whole-a": "A", "gap-d": "D", "gap-c": "C", "gap-c2": "C", "empty": "D"}
    known = {"memory_gb": 24.0, "memory_bandwidth_gb_s": 1008.0, "launch_date": "2022-10-12"}
    peaks = {PeakKey("fp16", "fp32", "dense", "tensor"): 165.2}
    whole, gap = {**known, "board_power_w": 450.0, "peaks": peaks}, {**known, "peaks": peaks}
    figures = {id: {} if id == "empty" else gap if id.startswith("gap") else whole for id in letters}
    monkeypatch.setattr(quality, "grade", lambda gpu: letters[gpu.id])
    found = [page._graded(record(id=id, name=id, **figures[id])) for id in letters]
    assert [one.gpu.id for one in sorted(found, key=page._least_known)] == [
        "empty", "gap-d", "gap-c", "gap-c2", "whole-b", "whole-a",
    ]  # fmt: skip
    assert [one.missing for one in found[1:3]] == [(), ("board power",)]
