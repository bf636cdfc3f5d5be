"""Files are replaced all together or not at all, wherever the process is killed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
