"""A figure that stands alone behind its label reaches over the blank columns, and the label does not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.tools.sheet import read_pdf


@pytest.mark.parametrize(
    ("places", "ruled", "cells"),
    [
        ([(1, 1), (2, 2)], True, [(1, 1), (2, 3)]),
        ([(1, 1), (2, 2)], False, [(1, 1), (2, 2)]),
        ([(1, 1), (3, 3)], True, [(1, 1), (3, 3)]),  # a left-aligned last figure belongs to its column
        ([(1, 1), (2, 2), (3, 3)], True, [(1, 1), (2, 2), (3, 3)]),
    ],
)
def test_a_first_figure_beside_blanks_reaches_over_them(
    places: list[tuple[int, int]], ruled: bool, cells: list[tuple[int, int]]
) -> None:
    pieces = [SimpleNamespace(text=f"{at}", place=place) for at, place in enumerate(places)]
    row: Any = SimpleNamespace(pieces=pieces)
    spans: Any = SimpleNamespace(
        columns=[(0, 1), (1, 2), (2, 3)], of=lambda piece, _: piece.place, right_aligned=False, left_aligned=True
    )
    assert [(cell.left, cell.right) for cell in read_pdf._group_cells([row], spans, 1, ruled)] == cells
