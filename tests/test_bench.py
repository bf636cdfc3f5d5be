"""The benchmark of the pipeline tells what an added row costs, whatever every run costs anyway."""

from __future__ import annotations

import pytest

from pipeline.tools.bench.dataset import Timing, with_added


def test_an_added_row_is_told_without_what_every_run_costs() -> None:
    told = list(with_added([Timing("1×", 100, 2.1), Timing("10×", 1000, 3.0), Timing("100×", 10000, 12.0)]))

    added = [timing for timing in told if "added" in timing.what]
    assert [timing.rows for timing in added] == [900, 9000]
    assert [timing.us_per_row for timing in added] == pytest.approx([1000, 1000])
