"""The score of the tests: a change is noticed when a test fails, and the module is whole again afterwards."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pipeline.tools import mutation

MODULE = 'def older(days: int) -> bool:\n    """Whether it is too old."""\n    return days > 30\n'
TEST = "from pipeline.core.age import older\n\n\ndef test_age() -> None:\n    assert {}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("pipeline", "pipeline/core"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "pipeline/core/age.py").write_text(MODULE)
    (tmp_path / "tests").mkdir()
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\npythonpath = ["."]\nmarkers = ["full", "browser", "torch"]\n'
    )
    return tmp_path


@pytest.mark.parametrize(("held", "noticed"), [("older(31) and not older(30)", True), ("older(99)", False)])
def test_a_moved_limit_is_noticed_by_a_test_at_the_boundary_alone(project: Path, held: str, noticed: bool) -> None:
    (project / "tests/test_age.py").write_text(TEST.format(held))
    tests = mutation.tests_of(project, "pipeline/core/age.py")
    assert tests == ["tests/test_age.py"]
    assert mutation.passes(project, tests)
    moved = mutation.Mutant("pipeline/core/age.py", 3, "", "", MODULE.replace("30", "31"))
    assert mutation.noticed(project, moved, tests) is noticed
    assert (project / "pipeline/core/age.py").read_text() == MODULE


def test_a_module_that_no_test_names_notices_nothing(project: Path) -> None:
    moved = mutation.Mutant("pipeline/core/age.py", 3, "", "", MODULE.replace("30", "31"))
    assert mutation.tests_of(project, "pipeline/core/age.py") == []
    assert not mutation.noticed(project, moved, [])


def test_a_module_that_no_test_names_is_reached_through_its_package(project: Path) -> None:
    (project / "tests/test_all.py").write_text("from pipeline.core import MODULES\n")
    assert mutation.tests_of(project, "pipeline/core/age.py") == ["tests/test_all.py"]


def test_what_is_told_of_the_recorded_gpus_is_asked_of_every_module_and_last(project: Path) -> None:
    (project / "tests/test_told.py").write_text("def test_told() -> None:\n    assert True\n")
    assert mutation.tests_of(project, "pipeline/core/age.py") == ["tests/test_told.py"]
    (project / "tests/test_age.py").write_text(TEST.format("older(99)"))
    assert mutation.tests_of(project, "pipeline/core/age.py") == ["tests/test_age.py", "tests/test_told.py"]


def test_a_sample_is_the_same_twice_and_each_of_it_changes_one_place(project: Path) -> None:
    first, again = (mutation.sample(project, "core", 2) for _ in range(2))
    assert first
    assert first == again
    assert all(change.before != change.after and change.line == 3 for change in first)
    assert mutation.mutant(project, "pipeline/core/__init__.py", Random(0)) is None


def test_a_test_of_limits_is_named_after_its_module_too(project: Path) -> None:
    for name in ("age_limits", "ageing", "other"):
        (project / f"tests/test_{name}.py").write_text("def test_it() -> None:\n    assert True\n")
    assert mutation.tests_of(project, "pipeline/core/age.py") == ["tests/test_age_limits.py"]


def test_what_nobody_noticed_is_told_before_the_scores_of_the_rooms(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutation, "passes", lambda root, tests: True)
    (project / "tests/test_age.py").write_text(TEST.format("older(99)"))
    *survivors, head, score = mutation.told(project, ("core",), 2)
    assert survivors
    assert all(line.startswith("pipeline/core/age.py:3: return days > 30  ->  ") for line in survivors)
    assert (head, score) == ("room         tried noticed  score", str(mutation.Score("core", 0, len(survivors))))
    table = list(
        mutation.table([mutation.Score("core", 3, 4), mutation.Score("site", 4, 4), mutation.Score("x", 0, 0)])
    )
    assert table[1:] == [
        "core             4       3   75%", "site             4       4  100%", "x                0       0    –",
        "all              8       7   88%",
    ]  # fmt: skip
