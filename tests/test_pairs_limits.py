"""The picture of a pair: the largest ratio reaches its edge, whichever of the two has more."""

from __future__ import annotations

import pytest
from samples import record

from pipeline.site.pages import pairs


@pytest.mark.parametrize(
    ("memory_gb", "power_w", "shares"),
    [
        (16.0, 400.0, [0.5, 1.0]),  # twice the memory, four times the power
        (16.0, 25.0, [0.5, 1.0]),  # a quarter of the power
        (4.0, 25.0, [0.5, 1.0]),
        (8.0, 141.4213562, [0.0, 0.5]),  # what is less than twice reaches no edge
    ],
)
def test_the_largest_ratio_reaches_the_edge_and_twice_at_least(
    memory_gb: float, power_w: float, shares: list[float]
) -> None:
    one = record(memory_gb=8.0, board_power_w=100.0)
    drawn = pairs.picture(pairs.Pair(one, record(memory_gb=memory_gb, board_power_w=power_w)), ())
    assert drawn is not None
    half = (pairs.PICTURE_PX - pairs.LABELS_PX) / 2 - pairs.TEXT_PX
    assert [round(float(bar.width) / half, 2) for bar in drawn.bars] == shares


def test_one_ratio_is_no_picture() -> None:
    assert pairs.picture(pairs.Pair(record(memory_gb=8.0), record(memory_gb=16.0)), ()) is None
