"""What a published statement may hold, cell by cell, and where a name of the coverage list may lead."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from samples import record

from pipeline.dataset import Dataset
from pipeline.editorial import coverage, statements
from pipeline.editorial.coverage import OldTopic, Targets


def statement(**cells: str) -> Any:
    usual = {
        "id": "C001", "quote": "a quote", "verdict": "confirmed", "since": "", "finding": "So it is.", "subject": "",
        "evidence": "", "expect": "", "facts": "", "gap": "",
    }  # fmt: skip
    return SimpleNamespace(**usual | cells)


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({"quote": "w " * 25}, ""), ({"quote": "w " * 26}, "quote"), ({"id": "C002"}, "id"),
        ({"verdict": "outdated"}, "since"), ({"verdict": "outdated", "since": "2024"}, ""),
        ({"finding": "a < b"}, "finding"), ({"finding": "a > b"}, "finding"), ({"finding": "It has 24 GB."}, "finding"),
    ],
)  # fmt: skip
def test_a_statement_is_short_plain_and_stands_once(cells: dict[str, str], column: str) -> None:
    found = [name for name, _ in statements._problems_of_text(statement(**cells), {"C002"})]
    assert found == ([column] if column else [])


@pytest.mark.parametrize(
    ("cells", "columns"),
    [
        ({"subject": "x-y"}, ["evidence"]),  # confirmed by nothing
        ({"subject": "x-y", "expect": "a > b"}, []),
        ({"subject": "x-y", "verdict": "cannot be verified"}, []),
        ({"subject": "x-y; z", "expect": "a > b"}, ["subject"]),
        ({"evidence": "a | gpus/x-y/"}, []),
        ({"evidence": "a | gpus/x-y/#prices"}, []),
        ({"evidence": "a | gpus/x-y/#claim-memory_gb"}, ["evidence"]),
        ({"evidence": "a | gpus/none/"}, ["evidence"]),
        ({"evidence": " | gpus/x-y/"}, ["evidence"]),
        ({"evidence": "a | guide/a.md#one; b | guide/a.md"}, []),
        ({"evidence": "a | guide/a.md#two; b | guide/b.md"}, ["evidence", "evidence"]),
        ({"evidence": "a | https://e.org/x"}, []),
    ],
)
def test_evidence_leads_somewhere(cells: dict[str, str], columns: list[str]) -> None:
    dataset, anchors = Dataset({"x-y": record()}), {"guide/a.md": ["one"]}
    found = [name for name, _ in statements._problems_of_links(statement(**cells), dataset, anchors)]
    assert found == columns


@pytest.mark.parametrize(
    ("condition", "parts"),
    [
        ("a == b within 1%", ("a >= (b) * 0.99", "a <= (b) * 1.01")),
        ("a == b within 12.5%", ("a >= (b) * 0.875", "a <= (b) * 1.125")),
        ("a > b", ("a > b",)),
    ],
)
def test_an_equality_holds_within_its_per_cent(condition: str, parts: tuple[str, ...]) -> None:
    assert statements._comparisons(condition) == parts


@pytest.mark.parametrize(
    ("condition", "readable"),
    [
        ("a > b", True),
        ("a <= b", True),
        ("a == b within 5%", True),
        ("a != b", True),
        ("a is GDDR5", True),
        ("a = b", False),
        ("a", False),
    ],
)
def test_a_condition_compares(condition: str, readable: bool) -> None:
    assert (statements._unreadable(condition) == "") is readable


def test_a_fact_is_named_with_its_kind_and_parts() -> None:
    named = statements._named(
        statement(facts="a=fact:x-y:memory_gb; b=price:x-y:used@2026-05; c=text:x-y:vendor; d=given:5:GB")
    )
    assert named == {
        "a": ("fact", ["x-y", "memory_gb", ""]), "b": ("price", ["x-y", "used", "2026-05"]),
        "c": ("text", ["x-y", "vendor", ""]), "d": ("given", ["5", "GB", ""]),
    }  # fmt: skip
    with pytest.raises(statements.ProseError, match="is no fact"):
        statements._named(statement(facts="a=figure:x"))


def test_the_worst_statement_is_off_by_the_most_and_verdicts_are_counted_in_their_order() -> None:
    def checked(verdict: str, gap: float | None, expect: str = "") -> Any:
        return SimpleNamespace(statement=SimpleNamespace(verdict=verdict, expect=expect), gap=gap)

    found = statements.Statements(
        (
            checked("wrong", 2.0, "a > b"),
            checked("confirmed", None),
            checked("wrong", 9.0),
            checked("outdated", 0.5, "a < b"),
        ),
        (),
    )
    assert found.worst is found.checked[2]
    assert found.worked == 2
    assert found.counts == (
        ("confirmed", 1),
        ("imprecise", 0),
        ("wrong", 2),
        ("outdated", 1),
        ("cannot be verified", 0),
    )
    assert statements.Statements((checked("wrong", None),), ()).worst is None


@pytest.mark.parametrize(("address", "inside"), [("gpus/x/", True), ("https://e.org", False), ("http://e.org", False)])
def test_an_address_without_a_scheme_is_of_this_site(address: str, inside: bool) -> None:
    assert statements.Link("a", address).inside is inside


SITE = Targets(
    {"gpus": frozenset({"x-y"}), "clouds": frozenset({"aws-p5"})},
    frozenset({"vendors/nvidia", "lines/nvidia-rtx"}),
    {"guide/a.md": ["one"]},
    frozenset({"C001"}),
)


@pytest.mark.parametrize(
    ("target", "there"),
    [
        ("gpus/x-y", True), ("gpus/x", False), ("clouds/aws-p5", True), ("clouds/x-y", False), ("vendors/nvidia", True),
        ("vendors/amd", False), ("lines/nvidia-rtx", True), ("guide/a.md", True), ("guide/a.md#one", True),
        ("guide/a.md#two", False), ("guide/b.md", False), ("data/statements#C001", True),
        ("data/statements#C002", False),
        ("left out: a processor", True), ("left out: ", False), ("left out:", False), ("nowhere", False),
    ],
)  # fmt: skip
def test_a_name_of_the_coverage_list_leads_to_what_is_there(target: str, there: bool) -> None:
    assert (coverage._why_missing(OldTopic("Cards", "name", target), SITE) == "") is there


def test_a_family_has_its_maker_in_front_once() -> None:
    card = record(vendor="AMD", line="AMD Instinct", architecture="CDNA 3")
    assert list(coverage._families(Dataset({"x-y": card}))) == [
        "vendors/amd", "lines/amd-instinct", "architectures/amd-cdna-3",
    ]  # fmt: skip
