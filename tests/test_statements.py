"""A published statement keeps its verdict only while the dataset carries it; every row names what is wrong with it."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest
from samples import Tree, committed

from pipeline.core import files
from pipeline.core.schema import field_of, parse_peak
from pipeline.dataset import Dataset, GpuRecord
from pipeline.editorial import coverage, statements
from pipeline.editorial.statements import Statement, Statements
from pipeline.record import build
from pipeline.site.pages.statements import pages

CARD = "nvidia-geforce-rtx-4090"
SOUND = {
    "id": "C001",
    "quote": "24 GB of memory",
    "source_title": "An article",
    "source_url": "https://e.org/a",
    "read": "2026-11-21",
    "subject": CARD,
    "verdict": "confirmed",
    "since": "",
    "facts": f"a=fact:{CARD}:memory_gb; b=fact:{CARD}:memory_bandwidth_gb_s",
    "expect": "a == 24 within 1%",
    "gap": "",
    "finding": "It has {{ a }}, read in {{ calc('1000 * a / b', a=a, b=b, unit='ms') }}.",
    "evidence": "",
}


@pytest.fixture
def dataset(tree: Tree) -> Dataset:
    build.build(tree.data)
    return Dataset.load(tree.data.clean)


def read(dataset: Dataset, folder: Path, *rows: dict[str, str]) -> Statements:
    """The statements of a file with these changes to a sound row."""
    written = [{**SOUND, **row} for row in rows or ({},)]
    text = files.csv_text(list(written[0]), [list(row.values()) for row in written])
    (folder / "statements.csv").write_text(text, encoding="utf-8")
    (folder / "cards.md").write_text("# Cards\n\n## Memory size\n", encoding="utf-8")
    return statements.read(dataset, folder / "statements.csv", folder)


def problem(dataset: Dataset, folder: Path, **changes: str) -> str:
    found = read(dataset, folder, changes).problems
    assert len(found) == 1, found
    return str(found[0])


def test_a_statement_that_holds_shows_its_figures_with_links(dataset: Dataset, tmp_path: Path) -> None:
    (one,) = read(dataset, tmp_path).checked
    assert f'<a class="fact" href="../../gpus/{CARD}/#claim-memory_gb"' in one.finding
    assert "23.8\u00a0ms</span>" in one.finding
    assert [name for name, _ in one.facts] == ["a", "b"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": "C1"}, "C1, id: 'C1' is no number of a statement; write a letter and three digits"),
        ({"since": "last year"}, "C001, since: 'last year' is no day; write 2024"),
        ({"source_url": "www.x.org"}, "C001, source_url: 'www.x.org' is no web address"),
        ({"read": "21.11.2026"}, "C001, read: '21.11.2026' is no day; write it as 2026-11-22"),
        ({"read": "2019-11-21"}, "C001, read: 2019-11-21 is before anything was read for this dataset"),
        ({"verdict": "true"}, "C001, verdict: 'true' is none of confirmed, imprecise, wrong"),
        ({"quote": ""}, "C001, quote: is empty; write it"),
        ({"quote": "<b>24 GB</b> of memory"}, "C001, quote: holds '<b>', which is code of a web page"),
        ({"source_title": "An <i>article</i>"}, "C001, source_title: holds '<i>', which is code of a web page"),
        (
            {"source_url": "https://example.com/a"},
            "C001, source_url: 'example.com' is a name for examples, where no page",
        ),
        (
            {"evidence": "A page | https://b.example/c"},
            "evidence: 'A page | https://b.example/c': 'b.example' is a name",
        ),
        ({"evidence": "<b>A page</b> | https://e.org/c"}, "which is code of a web page"),
        ({"expect": "a = 24"}, "expect: 'a = 24' is no comparison; write a > b, a == b within 5%, or a is WORD"),
        ({"id": "C1", "since": "x"}, "; since: 'x' is no day"),
    ],
)
def test_a_cell_that_cannot_be_read_is_told_in_words(
    dataset: Dataset, tmp_path: Path, changes: dict[str, str], words: str
) -> None:
    told = problem(dataset, tmp_path, **changes)
    assert told.startswith("data/statements.csv:2: ")
    assert words in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"\nC001,", b"\nC001\nC900,", "2: C001: this row has 1 cells, and there are 13 columns"),
        (b"\nC001,", b'\n"C001,', "2: a quote stands inside the cell; write it twice"),
        (b"id,quote", b"id;quote", "1: the columns are not those of this table"),
        (b"An article", b"An \xe9t\xe9", "1: is no UTF-8 text"),
    ],
)
def test_a_table_that_cannot_be_taken_apart_is_told_and_stops_nothing(
    dataset: Dataset, tmp_path: Path, old: bytes, new: bytes, words: str
) -> None:
    read(dataset, tmp_path)
    file = tmp_path / "statements.csv"
    assert old in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    found = statements.read(dataset, file, tmp_path).problems
    assert str(found[0]).startswith(f"data/statements.csv:{words}")


def test_a_verdict_that_the_data_turn_false_is_a_problem(dataset: Dataset, tmp_path: Path) -> None:
    message = problem(dataset, tmp_path, expect="a > 20 and a == 12 within 5%")
    assert message.startswith("data/statements.csv:2: C001, expect: 'confirmed' no longer follows")
    assert "a = 24\u00a0GB" in message


def test_a_word_of_the_dataset_is_compared_whole(dataset: Dataset, tmp_path: Path) -> None:
    right = {"facts": f"t=text:{CARD}:vendor", "expect": "t is NVIDIA", "finding": "So it is."}
    assert not read(dataset, tmp_path, right).problems
    assert "t = 'NVIDIA'" in problem(dataset, tmp_path, **{**right, "expect": "t is NVIDI"})


def test_a_given_figure_counts_in_the_arithmetic(dataset: Dataset, tmp_path: Path) -> None:
    given = {"facts": f"a=fact:{CARD}:memory_gb; n=given:48:GB", "expect": "n / a == 2 within 1%", "gap": "n / a"}
    found = read(dataset, tmp_path, {**given, "finding": "{{ a }}, not {{ n }}."})
    assert found.checked[0].gap == 2
    assert found.worst is found.checked[0]


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("id", "1", "id: '1'"),
        ("quote", "word " * 26, "26 words; quote at most 25"),
        ("read", "yesterday", "read: 'yesterday'"),
        ("source_url", "ftp://x", "source_url: 'ftp://x'"),
        ("subject", "nvidia-geforce-rtx-9999", "'nvidia-geforce-rtx-9999' is no GPU"),
        ("verdict", "false", "verdict: 'false'"),
        ("verdict", "outdated", "say until when"),
        ("finding", "It has 24 GB.", "'24 GB' is typed"),
        ("finding", "<b>So</b> it is.", "holds < or >"),
        ("finding", "It has {{ c }}.", "'c' is undefined"),
        ("facts", "a=guess:24", "'a=guess:24' is no fact"),
        ("facts", f"a=fact:{CARD}:die_size_mm2", "no source states it"),
        ("expect", "a ! 24", "is no comparison"),
        ("evidence", "A card | gpus/nvidia-none", "leads to no GPU"),
        ("evidence", f"A claim | gpus/{CARD}#claim-none", "leads to no claim"),
        ("evidence", "A chapter | guide/cards.md#gone", "leads to no heading of docs/guide/cards.md"),
        ("evidence", "https://e.org", "has no label|leads to no GPU"),
    ],
)
def test_a_row_with_an_error_names_row_column_and_value(
    dataset: Dataset, tmp_path: Path, column: str, value: str, message: str
) -> None:
    said = problem(dataset, tmp_path, **{column: value})
    assert said.startswith("data/statements.csv:2: ")
    assert re.search(message if "|" in message else re.escape(message), said)


def test_evidence_may_lead_to_a_claim_a_heading_or_the_web(dataset: Dataset, tmp_path: Path) -> None:
    links = f"A claim | gpus/{CARD}#claim-memory_gb; A heading | guide/cards.md#memory-size; A page | https://e.org/x"
    (one,) = read(dataset, tmp_path, {"evidence": links}).checked
    assert [link.inside for link in one.evidence] == [True, True, False]


def test_a_statement_without_figures_needs_evidence(dataset: Dataset, tmp_path: Path) -> None:
    plain = {"facts": "", "expect": "", "finding": "So it is."}
    assert "without evidence" in problem(dataset, tmp_path, **plain)
    assert not read(dataset, tmp_path, {**plain, "verdict": "cannot be verified"}).problems


def test_named_figures_need_a_condition(dataset: Dataset, tmp_path: Path) -> None:
    said = problem(dataset, tmp_path, expect="", evidence="A page | https://e.org/x")
    assert "facts are named and nothing is expected" in said


def test_an_id_is_used_once(dataset: Dataset, tmp_path: Path) -> None:
    (found,) = read(dataset, tmp_path, {}, {}).problems
    assert "'C001' is used twice" in str(found)


def test_other_columns_are_refused(dataset: Dataset, tmp_path: Path) -> None:
    (found,) = read(dataset, tmp_path, {"opinion": "good"}).problems
    assert "columns are" in str(found)


def test_the_published_statements_hold_and_are_at_least_139() -> None:
    found = statements.read(committed())
    assert [str(problem) for problem in found.problems] == []
    ids = [one.statement.id for one in found.checked]
    assert {f"C{number:03}" for number in range(1, 120)} <= set(ids)
    assert len(ids) >= 139
    assert sum(1 for id in ids if id.startswith("P")) >= 20
    assert found.worst is not None


@pytest.mark.parametrize("id", ["C003", "C020", "C034", "P006", "P028", "P035"])
def test_a_figure_ten_per_cent_higher_breaks_the_verdict_or_changes_the_page(tmp_path: Path, id: str) -> None:
    assert _unnoticed(id, tmp_path) == []


@pytest.mark.full
def test_no_figure_of_any_statement_changes_unnoticed(tmp_path: Path) -> None:
    assert [found for id in sorted(statements.ids()) for found in _unnoticed(id, tmp_path)] == []


def test_the_page_opens_with_the_counts_and_every_row_has_its_own_address() -> None:
    (page,) = pages(committed())
    text = page.text()
    ids = re.findall(r'<tr id="([CP]\d{3})">', text)
    assert ids == list(_rows())
    head = text[: text.index("<!--finished-->")]
    for verdict in statements.VERDICTS:
        assert re.search(rf"\d+ {verdict}", head), verdict
    assert f'href="#{statements.read(committed()).worst.statement.id}"' in head  # type: ignore[union-attr]


def test_the_verdict_stands_before_what_is_so_in_one_cell_by_which_the_table_sorts() -> None:
    (page,) = pages(committed())
    text = page.text()
    for id, row in _rows().items():
        cell = text[text.index(f'<tr id="{id}">') :].partition("<td")[2]
        assert cell.startswith(
            f' class="ga-wrap" data-v="{row["verdict"]}"><strong>{row["verdict"].capitalize()}</strong>'
        )


def test_what_the_search_reads_of_the_page_are_the_numbers_that_articles_repeat_and_not_the_table() -> None:
    (page,) = pages(committed())
    head, _, body = page.text().partition("<!--finished-->")
    numbers = [entry for entry in coverage.entries() if entry.target.startswith(f"{statements.PAGE}#")]
    assert len(numbers) == 16
    for entry in numbers:
        assert f'<a href="#{entry.target.partition("#")[2]}">{entry.name}</a>' in head
        assert f'<tr id="{entry.target.partition("#")[2]}">' in body
    assert "<table" not in head


def _rows() -> dict[str, dict[str, str]]:
    with statements.PATH.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def _unnoticed(id: str, folder: Path) -> list[str]:
    """Figures of a statement whose change neither is a problem nor shows."""
    alone = {**_rows()[id], "evidence": "", "verdict": "cannot be verified"}
    (before,) = read(committed(), folder, alone).checked
    found = []
    for _, gpu, field in _figures(before.statement):
        after = read(_changed(committed(), gpu, field), folder, alone)
        if not after.problems and (after.checked[0].facts, after.checked[0].finding) == (before.facts, before.finding):
            found.append(f"{id}: {gpu} {field}")
    return found


def _figures(row: Statement) -> list[tuple[str, str, str]]:
    if not row.facts:
        return []
    parts = (part.split("=", 1)[1].split(":", 2) for part in row.facts.split("; "))
    return [(kind, gpu, field) for kind, gpu, field in (part for part in parts if len(part) == 3) if kind == "fact"]


def _changed(dataset: Dataset, gpu: str, field: str) -> Dataset:
    """The dataset with one figure ten per cent higher."""
    record = dataset.gpus[gpu]
    first = record.claims[field][0]
    claim = replace(first, value=f"{float(first.value) * 1.1:g}")
    claims = {**record.claims, field: (claim, *record.claims[field][1:])}
    changed: GpuRecord = replace(record, claims=claims)
    if field.startswith("peak:"):
        changed = replace(changed, peaks={**record.peaks, parse_peak(field): float(claim.value)})
    else:
        assert field_of(field).type in ("number", "integer")
        changed = replace(changed, **{field: float(claim.value)})
    return replace(dataset, gpus={**dataset.gpus, gpu: changed})


@pytest.mark.parametrize(("about", "holds"), [("24.9", True), ("25.2", False), ("23.2", True), ("22.9", False)])
def test_what_is_held_within_some_per_cent_is_held_on_both_sides(
    dataset: Dataset, tmp_path: Path, *, about: str, holds: bool
) -> None:
    assert bool(read(dataset, tmp_path, {"expect": f"a == {about} within 4%"}).problems) != holds
