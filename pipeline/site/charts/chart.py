"""What a chart is: it draws itself from the dataset, and its pages, files and places in the guide follow from that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pipeline.dataset import Dataset

Kind = Literal["points", "lines", "bars", "table"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart with the dataset in hand: what it found, what its template shows, and the numbers behind it."""

    finding: str
    context: Mapping[str, Any]
    heads: Sequence[str]  # of its CSV
    rows: Iterable[Sequence[object]]
    figure: str = ""  # Plotly's JSON; "" for a table


@dataclass(frozen=True, kw_only=True)
class Chart(ABC):
    """A chart of the list (pipeline/site/charts/listed.py): add an entry there and it has a page, files and a place."""

    id: str  # the last part of its address
    name: str
    menu: str  # its name in the navigation
    kind: Kind
    how: str
    not_shown: str
    edit: str  # the module that makes it, for the page's pencil
    says: str = ""  # what is on it, in the list of charts that show no points
    workload: str = ""  # the work whose price it shows, as the charts of price and performance name one another

    @property
    def in_chapters(self) -> bool:
        """Whether a chapter may show it: its picture holds points."""
        return self.kind in ("points", "bars")

    @property
    @abstractmethod
    def template(self) -> str:
        """What lays its page out."""

    @abstractmethod
    def draw(self, dataset: Dataset) -> Drawn:
        """Work it out."""


@dataclass(frozen=True, kw_only=True)
class OwnChart(Chart):
    """A chart that no other resembles: it has a template of its own, named like it."""

    drawing: Callable[[Dataset], Drawn] = field(repr=False)

    @property
    def template(self) -> str:
        """Named as the chart."""
        return f"{self.id.replace('-', '_')}.html.j2"

    def draw(self, dataset: Dataset) -> Drawn:
        """Work it out."""
        return self.drawing(dataset)
