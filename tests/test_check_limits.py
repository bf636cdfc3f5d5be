"""Where a problem is told: once for many places, at its line, and to whoever touched the file or its pair."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pipeline.core.findings import Finding
from pipeline.core.paths import DataPaths
from pipeline.record import check


@pytest.mark.parametrize(("places", "told"), [(5, 5), (6, 1)])
def test_what_is_told_of_five_other_places_is_told_once(places: int, told: int) -> None:
    found = [Finding(f"data/gpus/card-{at}.yml", at, "the list is wrong") for at in range(places)]
    joined = check.together(found)
    assert len(joined) == told
    if told == 1:
        step = "the same holds in 5 more places, data/gpus/card-1.yml:1, data/gpus/card-2.yml:2 …; look first at"
        assert joined[0].message == f"the list is wrong ({step} the list that they share)"
        assert (joined[0].file, joined[0].line) == ("data/gpus/card-0.yml", 0)
    elsewhere = [Finding(f"data/{at}/card.yml", at, "the list is wrong") for at in range(places)]
    assert len(check.together(elsewhere)) == places, "one folder has one cause"


@pytest.mark.parametrize(
    ("changed", "alone"),
    [
        (["data/gpus/nvidia-l4.yml", "data/price-sets/shop.csv", "data/benchmarks/a.yml"], True),
        (["data/gpus/nvidia-l4.yml", "data/makers.yml"], False),
        (["data/claims/a.csv"], False),
        (["data/gpus/nvidia-l4.csv"], False),
        ([], True),
    ],
)
def test_only_cards_and_sets_are_looked_at_alone(changed: list[str], alone: bool) -> None:
    assert check.only_records(changed) is alone


@pytest.mark.parametrize(
    ("path", "pair"),
    [
        ("data/price-sets/shop.csv", "data/price-sets/shop.yml"),
        ("data/benchmarks/a.yml", "data/benchmarks/a.csv"),
        ("data/gpus/nvidia-l4.yml", ""),
        ("data/price-sets/README.md", ""),
        ("data/claims/a.csv", ""),
    ],
)
def test_a_set_is_two_files(path: str, pair: str) -> None:
    assert check._pair(path) == pair


PROBLEMS = ["data/gpus/a.yml:3: wrong", "data/gpus/b.yml:4: wrong too", "data/makers.yml:2: wrong", "of no file"]


def test_a_problem_is_told_to_whoever_touched_its_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"data/gpus/{name}.yml").parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"data/gpus/{name}.yml").write_text("name: A\n")
    own = check.among(PROBLEMS, ["data/gpus/a.yml"], tmp_path)
    assert [(one.file, one.line) for one in own] == [("data/gpus/a.yml", 3)]


@pytest.mark.parametrize(
    ("count", "said"), [(1, "because of this one: "), (2, "(2 problems in 2 files; this is the first)")]
)
def test_what_rests_on_a_touched_file_is_told_at_it_once(count: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "data/gpus").mkdir(parents=True)
    for name in ("makers.yml", "gpus/a.yml"):
        (tmp_path / "data" / name).write_text("a: 1\n")
    problems = [f"data/gpus/{name}.yml:4: of no maker, {name}" for name in "bc"[:count]]
    (told,) = check.with_what_rests(problems, ["data/gpus/a.yml", "data/makers.yml"], tmp_path)
    assert (told.file, told.line) == ("data/makers.yml", 0), "a list before a card, on which nothing rests"
    assert said in told.message
    assert ("this is the first" in told.message) is (count > 1)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (1, "and 1 line(s) still rest on it, in data/gpus/a.yml; put"),
        (3, "in data/gpus/a.yml, data/gpus/b.yml, data/gpus/c.yml; put"),
        (4, "in data/gpus/a.yml, data/gpus/b.yml, data/gpus/c.yml and 1 more; put"),
    ],
)
def test_a_file_that_is_gone_names_three_that_rest_on_it(files: int, said: str, tmp_path: Path) -> None:
    problems = [f"data/gpus/{name}.yml:4: rests on it" for name in "abcd"[:files]]
    (told,) = check.with_what_rests(problems, ["data/names/gone.yml"], tmp_path)
    assert told.file == "data/names/gone.yml"
    assert said in told.message


TODAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.yml", "x:\n  read: 2026-11-20\n", []),
        ("a.yml", "x:\n  read: 2026-11-21\n", [2]),
        ("a.yml", "x:\n  date: 2026-11-21\n  note: 2026-12-01\n", [2]),
        ("a.yml", "x:\n  note: 2026-12-01\n", []),
        ("a.yml", "x:\n  read: 2026-11-31\n", []),  # no day at all: another rule tells it
        ("s.csv", "id,read\na,2026-11-20\nb,2026-11-21\n", [3]),
    ],
)
def test_nothing_was_read_behind_today(name: str, text: str, lines: list[int], tmp_path: Path) -> None:
    path = tmp_path / "data" / name
    path.parent.mkdir()
    path.write_text(text)
    told = list(check._early(path, DataPaths(tmp_path / "data"), TODAY))
    assert [int(one.split(":")[1]) for one in told] == lines


@pytest.mark.parametrize(("size", "read"), [(0, True), (1, False)])
def test_a_file_of_the_largest_size_is_still_read(
    size: int, read: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'gpu,value\n"nvidia-l4",1\n'
    monkeypatch.setattr(check, "MAX_BYTES", len(text) - size)
    (tmp_path / "set.csv").write_text(text)
    assert check._named_gpus(tmp_path / "set.csv") == ({"gpu", "nvidia-l4"} if read else set())
    assert check._named_gpus(tmp_path / "none.csv") == set()


CARD = """name: A
values:
- {field: memory_gb, value: 24, document: sheet, locator: page 1}
- {field: memory_gb, value: 48, document: sheet, locator: page 2}
- {field: board_power_w, value: 48, document: sheet, locator: page 2}
aliases:
- RTX 48
- '48'
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("sheet (page 2) on a: memory_gb = '48': wrong", 4),
        ("sheet (page 1) on a: memory_gb = '24': wrong", 3),
        ("sheet (page 9) on a: memory_gb = '24': wrong", 3),  # the first of the field
        ("sheet (page 2) on a: board_power_w = '48': wrong", 5),
        ("other (page 2) on a: memory_gb = '48': wrong", 0),
        ("aliases: '48' is the name of a family", 8),  # the word itself before one that holds it
        ("aliases: 'RTX' is the name of a family", 7),
        ("values, entry 2: stands twice", 4),
        ("nothing of the kind", 0),
    ],
)
def test_a_problem_is_told_at_the_line_of_its_value(message: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "data" / "gpus" / "a.yml"
    path.parent.mkdir(parents=True)
    path.write_text(CARD)
    (found,) = check.findings([f"data/gpus/a.yml: {message}"], tmp_path)
    assert (found.line, found.message) == (line, message)


def test_the_row_of_a_set_is_its_line(tmp_path: Path) -> None:
    told = "data/price-sets/shop.csv: shop (shop.csv, row 15: page of the card): gpu = 'x': no such card"
    (found,) = check.findings([told], tmp_path)
    assert (found.file, found.line, found.message) == ("data/price-sets/shop.csv", 15, "gpu = 'x': no such card")
