"""The roofs of a card: what memory feeds up to the ridge, and the peak beyond."""

from __future__ import annotations

import pytest

from pipeline.site.charts import roofline
from pipeline.site.charts.svg import Scale


@pytest.mark.parametrize(
    ("intensity", "tflops"), [(1.0, 1.0), (64.0, 64.0), (99.0, 99.0), (100.0, 100.0), (101.0, 100.0), (1024.0, 100.0)]
)
def test_work_reaches_what_memory_feeds_and_the_peak_at_most(intensity: float, tflops: float) -> None:
    x, y = Scale(0.5, 4096.0, 0.0, 100.0, True), Scale(0.1, 1000.0, 100.0, 0.0, True)
    found = roofline._work("work", intensity, 100.0, 1000.0, x, y)
    assert (found.name, found.intensity) == ("work", intensity)
    assert (found.tflops, found.share) == (pytest.approx(tflops), pytest.approx(tflops / 100))
