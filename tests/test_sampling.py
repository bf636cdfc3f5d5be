"""A sample is the same everywhere, changes little when a case comes, and the full tests leave nothing out."""

from __future__ import annotations

from pathlib import Path

import pytest
from sampling import drawn

pytest_plugins = ["pytester"]
TESTS = """
import pytest
from sampling import counts

@pytest.mark.sample(2)
@pytest.mark.parametrize("letter", "abcde")
def test_letters(letter): pass

@pytest.mark.parametrize("kind", "xyz")
def test_pages(view, kind): pass

@counts(3, 30)
def test_random(count): pass

def test_walk(some): some(range(9), 3)
"""
CONFTEST = """
import pytest
from conftest_of_the_house import pytest_collection_modifyitems, pytest_generate_tests, some

@pytest.fixture
def view(request): return request.param
"""


def test_a_sample_follows_from_the_names_alone() -> None:
    cases = [f"case {n}" for n in range(100)]
    few = drawn(cases, 10)
    assert len(few) == 10
    assert few == sorted(few, key=cases.index)
    assert drawn(reversed(cases), 10) == few[::-1]
    assert len(set(drawn([*cases, "one more"], 10)) & set(few)) >= 9
    assert drawn(cases, 1000) == cases


@pytest.mark.parametrize(("marks", "cases"), [("not full", [2, 3, 1, 1]), ("", [5, 12, 2, 2])], ids=["quick", "full"])
def test_the_quick_tests_take_a_sample_and_the_full_ones_everything(
    request: pytest.FixtureRequest, marks: str, cases: list[int]
) -> None:
    pytester: pytest.Pytester = request.getfixturevalue("pytester")
    here = Path(__file__).parent
    pytester.makeini("[pytest]\nmarkers = full: slow\n    sample(count): some")
    pytester.makepyfile(test_these=TESTS, conftest=CONFTEST)
    pytester.makepyfile(conftest_of_the_house=(here / "conftest.py").read_text(encoding="utf-8"))
    found = pytester.runpytest_inprocess("--collect-only", "-q", "-m", marks).stdout.str()
    counted = [found.count(f"::{name}[") for name in ("test_letters", "test_pages", "test_random", "test_walk")]
    assert counted == cases
