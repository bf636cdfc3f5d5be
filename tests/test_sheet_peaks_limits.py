"""When a printed rate is dense or sparse by the figures beside it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.tools.sheet import peaks
from pipeline.tools.sheet.peaks import DENSE, SPARSE, Settled


def rate(trillions: float, input: str = "fp16", own: str = "", row: str = "", alone: bool = True, **about: Any) -> Any:
    usual = {"entry": about.pop("entry", None), "figure": object(), "accumulate": "", "engine": "", "unit": "TFLOPS"}
    return SimpleNamespace(trillions=trillions, input=input, own=own, row=row, alone=alone, **usual | about)


@pytest.mark.parametrize(
    ("trillions", "partner"), [(105.0, True), (104.9, False), (200.0, True), (230.0, True), (230.1, False)]
)
def test_the_sparse_figure_of_a_format_is_larger_by_what_sparsity_can_bring(trillions: float, partner: bool) -> None:
    dense = rate(100.0)
    sparse = rate(trillions, own=SPARSE)
    assert (peaks._partner(dense, [dense, sparse]) is sparse) is partner
    assert peaks._partner(dense, [dense, rate(200.0)]) is None, "nothing says that it is sparse"
    assert peaks._partner(dense, [dense, rate(200.0, "fp8", own=SPARSE)]) is None
    by_row = rate(200.0, row=SPARSE)
    assert peaks._partner(dense, [dense, by_row]) is by_row
    assert peaks._partner(dense, [dense, rate(200.0, row=SPARSE, alone=False)]) is None


@pytest.mark.parametrize(("trillions", "paired"), [(105.0, 1), (104.9, 0), (230.0, 1), (230.1, 0)])
def test_a_dense_and_a_sparse_rate_are_a_pair_within_the_same_limits(trillions: float, paired: int) -> None:
    dense = Settled(rate(100.0), DENSE, "tensor", "")
    sparse = Settled(rate(trillions), SPARSE, "tensor", "")
    assert len(list(peaks._pair(dense, [dense, sparse]))) == 1 + paired
    assert len(list(peaks._pair(sparse, [dense, sparse]))) == 1 + paired
    assert len(list(peaks._pair(dense, [Settled(rate(200.0), SPARSE, "vector", "")]))) == 1


@pytest.mark.parametrize(("other", "is_it"), [(102.9, True), (97.1, True), (103.2, False), (96.9, False)])
def test_a_ratio_holds_within_three_per_cent(other: float, is_it: bool) -> None:
    assert peaks._is_ratio(rate(other * 2), rate(100.0), 2) is is_it


CELL = object()


@pytest.mark.parametrize(("beside", "wrong"), [(200.0, True), (199.9, False), (100.0, False)])
def test_a_marked_figure_is_larger_than_the_unmarked_one_beside_it(beside: float, wrong: bool) -> None:
    marked, other = rate(200.0, own=SPARSE, entry=CELL), rate(beside, entry=CELL)
    assert bool(peaks._not_sparse(marked, "tensor", False, [marked, other])) is wrong
    assert peaks._not_sparse(marked, "vector", True, [marked]) != ""
    elsewhere = rate(300.0, entry=object())
    assert peaks._not_sparse(marked, "tensor", False, [marked, elsewhere]) == ""


@pytest.mark.parametrize(("beside", "wrong"), [(99.9, True), (100.0, False), (200.0, False)])
def test_a_figure_that_is_marked_as_dense_is_not_the_larger_one(beside: float, wrong: bool) -> None:
    marked, other = rate(100.0, own=DENSE, entry=CELL), rate(beside, entry=CELL)
    assert bool(peaks._not_dense(marked, [marked, other])) is wrong


@pytest.mark.parametrize(
    ("own", "row", "alone", "contradicts"),
    [
        (SPARSE, DENSE, True, True), (DENSE, SPARSE, True, True), (SPARSE, SPARSE, True, False),
        ("", SPARSE, True, False),
        ("", SPARSE, False, True), (DENSE, "", True, False), (peaks.UNCLEAR, "", True, True),
        ("", peaks.UNCLEAR, True, True),
        (DENSE, peaks.UNCLEAR, True, False),
    ],
)  # fmt: skip
def test_what_a_footnote_and_a_row_say_may_contradict_one_another(
    own: str, row: str, alone: bool, contradicts: bool
) -> None:
    assert bool(peaks._contradiction(rate(1.0, own=own, row=row, alone=alone))) is contradicts
