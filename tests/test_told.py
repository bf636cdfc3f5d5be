"""What the code makes of the recorded GPUs is what it made of them at the last recording (tests/told.py)."""

from __future__ import annotations

import pytest
import told

SHOWN = 12


@pytest.mark.parametrize("area", told.AREAS)
def test_what_is_told_of_the_recorded_gpus_is_what_was_told(area: str) -> None:
    state, before = told.recorded(area)
    if told.rests_on(area) != state:
        pytest.skip("networks, hosts, coefficients or rules have changed since the recording; run: make told")
    now = told.marks(area)
    changed = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    assert not changed, f"{area}: {len(changed)} told otherwise: {changed[:SHOWN]}; meant so? run: make told"
