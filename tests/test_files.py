"""Files are replaced all together or not at all, wherever the process is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sampling import counts

from pipeline.core import files

OLD = {"clean/gpus.csv": "old", "clean/peaks.csv": "old", "prices/2026-01.csv": "old"}
NEW = {"clean/gpus.csv": "new", "clean/peaks.csv": "new", "prices/2026-01.csv": None, "claims/a.csv": "new"}


class Killed(BaseException):
    """The process ends here."""


def state(root: Path) -> dict[str, str]:
    return {str(p.relative_to(root)): p.read_text() for p in sorted(root.rglob("*")) if p.is_file()}


def wanted() -> dict[str, str]:
    return {path: text for path, text in NEW.items() if text is not None}


def test_a_kill_at_any_step_leaves_the_old_or_the_whole_new_state(tmp_path: Path) -> None:
    outcomes = set()
    for step in range(1, 60):
        root = tmp_path / str(step)
        files.replace_all(root, OLD)
        if not _killed_at(step, root):
            break
        files.recover(root)
        assert state(root) in (OLD, wanted()), f"killed at step {step}"
        outcomes.add(state(root) == OLD)
    assert outcomes == {True, False}, "the kills must hit both sides of the commit"
    assert state(root) == wanted()


def _killed_at(step: int, root: Path) -> bool:
    """Run a replacement that is killed before its nth change of the file system."""
    left = step
    originals = {"replace": os.replace, "fsync": os.fsync}
    unlink, rmtree = Path.unlink, files.shutil.rmtree

    def counted(call: object) -> object:
        def wrapper(*args: object, **kwargs: object) -> object:
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed
            return call(*args, **kwargs)  # type: ignore[operator]

        return wrapper

    with pytest.MonkeyPatch.context() as patch:
        for name, call in originals.items():
            patch.setattr(os, name, counted(call))
        patch.setattr(Path, "unlink", counted(unlink))
        patch.setattr(files.shutil, "rmtree", counted(rmtree))
        try:
            files.replace_all(root, NEW)
        except Killed:
            return True
    return False


@counts(5, 100)
@pytest.mark.parametrize("action", ["refresh", "build"])
def test_a_command_killed_at_a_random_moment_leaves_the_old_or_the_whole_new_state(
    tmp_path: Path, action: str, count: int, record_property: Callable[[str, object], None]
) -> None:
    tests = Path(__file__).parent
    command = [sys.executable, str(tests / "killed.py"), action, str(tmp_path), str(count), f"2026-11-23 {action}"]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": f"{tests}:{tests.parent}"}
    )
    left = json.loads(answer.stdout)
    record_property("cases", count)
    told = f"{action}: {left.get('old', 0)} kills left the old state, {left.get('new', 0)} the whole new one"
    record_property("outcome", told)
    assert left.get("old", 0) + left.get("new", 0) == count, left
    if count >= 100:
        assert left.keys() == {"old", "new"}, "the kills must hit both sides of the commit"


def test_where_folders_cannot_be_held_a_command_still_recovers_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LOCKS", None)
    (tmp_path / files.STAGE).mkdir()
    with files.alone(tmp_path):
        assert not (tmp_path / files.STAGE).exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_that_may_not_be_written_keeps_what_it_holds(tmp_path: Path) -> None:
    files.replace_all(tmp_path, OLD)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(PermissionError):
            files.replace_all(tmp_path, NEW)
        assert state(tmp_path) == OLD
    finally:
        tmp_path.chmod(0o755)


def test_a_file_that_does_not_change_is_not_touched(tmp_path: Path) -> None:
    files.replace_all(tmp_path, OLD)
    before = (tmp_path / "clean/gpus.csv").stat().st_mtime_ns
    files.replace_all(tmp_path, OLD)
    assert (tmp_path / "clean/gpus.csv").stat().st_mtime_ns == before
    assert not (tmp_path / files.STAGE).exists()


@pytest.mark.parametrize("text", ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "\t=1"])
def test_no_cell_of_a_csv_starts_a_formula(text: str) -> None:
    cell = files.csv_text(["name"], [[text]]).splitlines()[1].strip('"')
    assert not cell.startswith(("=", "+", "@", "-", "\t"))


def test_numbers_keep_their_sign_and_unknown_stays_empty() -> None:
    assert files.csv_text(["a", "b", "c"], [[-2.5, None, True]]) == "a,b,c\n-2.5,,true\n"
