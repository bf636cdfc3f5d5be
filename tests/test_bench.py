"""The benchmark of the pipeline tells what an added row costs, whatever every run costs anyway."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from pipeline.core.paths import ROOT
from pipeline.tools.bench.dataset import Timing, with_added
from pipeline.tools.bench.prices import EngineRun, best


def test_an_added_row_is_told_without_what_every_run_costs() -> None:
    told = list(with_added([Timing("1×", 100, 2.1), Timing("10×", 1000, 3.0), Timing("100×", 10000, 12.0)]))

    added = [timing for timing in told if "added" in timing.what]
    assert [timing.rows for timing in added] == [900, 9000]
    assert [timing.us_per_row for timing in added] == pytest.approx([1000, 1000])


def test_the_best_of_several_engines_is_taken_figure_by_figure() -> None:
    runs = [
        EngineRun("a", 2, 9, 4.0, 3.0, 100),
        EngineRun("b", 2, 9, 5.0, 2.0, 80),
        EngineRun("a", 24, 9, 9.0, 8.0, 300),
    ]
    found = best(runs)
    assert {months: (one.seconds, one.processor_s) for months, one in found.items()} == {2: (4.0, 2.0), 24: (9.0, 8.0)}


def test_make_hands_the_number_of_observations_on() -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("no make here")
    asked = [make, "-n", "bench", "OBSERVATIONS=12000", "READY="]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "pipeline bench" in told and "--observations 12000" in told
