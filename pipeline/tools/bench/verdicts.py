"""The rows of `make bench`: what was measured, its budget, its floor, and whether the budget holds.

A budget is the plan's; a floor is the least that the same work could take, measured in the same run, so that a row can
be read on a machine of any speed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

HEADS = f"{'what':44} {'figure':>10} {'budget':>10} {'× floor':>8}  verdict"


@dataclass(frozen=True, slots=True)
class BenchFigure:
    """One figure in its unit; a budget of None is none, and a floor of None was not measured."""

    what: str
    figure: float
    unit: str
    budget: float | None = None
    floor: float | None = None

    @property
    def over(self) -> bool:
        """Whether the figure is above its budget."""
        return self.budget is not None and self.figure > self.budget

    @property
    def verdict(self) -> str:
        """What a reader of the table wants to know."""
        return "no budget" if self.budget is None else "OVER" if self.over else "holds"


def lines(rows: Iterable[BenchFigure]) -> Iterator[str]:
    """The table, its heads first."""
    yield HEADS
    for row in rows:
        budget = f"{row.budget:g}" if row.budget is not None else "–"
        ratio = f"{row.figure / row.floor:.1f}" if row.floor else "–"
        yield f"{row.what + ', ' + row.unit:44} {row.figure:10.2f} {budget:>10} {ratio:>8}  {row.verdict}"
