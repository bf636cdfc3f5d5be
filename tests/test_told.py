"""What the code makes of the recorded GPUs is what it made of them at the last recording (tests/told.py)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import told

from pipeline.core.paths import ROOT

SHOWN = 12
# The pages take as long as all other areas together: each half reads the recorded data in a process of its own.
HALVES = {"pages": ["pages"], "the rest": [area for area in told.AREAS if area != "pages"]}


def compared(areas: list[str]) -> dict[str, list[str]]:
    """What each area tells otherwise than at the last recording."""
    paths = os.pathsep.join(map(str, (ROOT, Path(told.__file__).parent)))
    done = subprocess.run(
        [sys.executable, told.__file__, *areas],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("half", HALVES)
def test_what_is_told_of_the_recorded_gpus_is_what_was_told(half: str) -> None:
    for area, changed in compared(HALVES[half]).items():
        assert not changed, f"{area}: {len(changed)} told otherwise: {changed[:SHOWN]}; meant so? run: make told"
