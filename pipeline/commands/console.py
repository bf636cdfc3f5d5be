"""What all commands share: where they print, their exit codes, how they stop, and what git knows."""

from __future__ import annotations

import subprocess
import sys
from typing import NoReturn

from rich.console import Console

from pipeline.core import files, paths
from pipeline.core.paths import ROOT

OK, PROBLEMS, USAGE, STALE, SOURCE_FAILED = 0, 1, 2, 3, 4

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def fail(error: Exception) -> NoReturn:
    """Print all problems and stop."""
    lines = str(error).splitlines()
    for line in lines:
        err.print(line, markup=False)
    err.print(f"{len(lines)} problem(s); nothing was changed")
    sys.exit(PROBLEMS)


def fail_to_write(error: OSError) -> NoReturn:
    """Say that the disk is full or a folder may not be written; what stood before still stands."""
    where = f"{error.filename}: " if error.filename else ""
    err.print(
        f"{where}{error.strerror or error}; make room or give the right to write, then run this again", markup=False
    )
    decided = (paths.DATA.data / files.STAGE / files.MARKER).exists()
    err.print("the next command finishes the change" if decided else "nothing was changed")
    sys.exit(PROBLEMS)


def git(*words: str) -> str | None:
    """What git prints when it is asked about this repository; None where it refuses."""
    answer = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return None if answer.returncode else answer.stdout


def at_commit(commit: str, table: str) -> str:
    """A table of `data/clean` as a commit holds it, "" where it holds none."""
    return git("show", f"{commit}:data/clean/{table}.csv") or ""
