"""Where the folders and files of a checkout lie, so that no other module spells a path of `data/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True)
class DataPaths:
    """The folders of one `data/` tree, so that a test can use a copy of it."""

    data: Path

    @property
    def gpus(self) -> Path:
        """HAND: one YAML a GPU."""
        return self.data / "gpus"

    @property
    def names(self) -> Path:
        """HAND: ambiguous and ignored names, one YAML a maker."""
        return self.data / "names"

    @property
    def architectures(self) -> Path:
        """HAND: what a compute unit does, and what the cards made of it must look like; a copy may lack it."""
        own = self.data / "architectures.yml"
        return own if own.exists() else ROOT / "data" / "architectures.yml"

    @property
    def clauses(self) -> Path:
        """HAND: what documents say of whole families of products; a copy may lack it."""
        return self.data / "clauses.yml"

    @property
    def corrections(self) -> Path:
        """HAND: known errors in sources."""
        return self.data / "corrections.yml"

    @property
    def benchmark_sets(self) -> Path:
        """HAND or contributed: result sets, a CSV and a YAML each."""
        return self.data / "benchmarks"

    @property
    def models(self) -> Path:
        """HAND: neural networks, a YAML each."""
        return self.data / "models"

    @property
    def claims(self) -> Path:
        """MACHINE: facts parsed from each source."""
        return self.data / "claims"

    @property
    def results(self) -> Path:
        """MACHINE: benchmark results parsed from each source."""
        return self.data / "results"

    @property
    def prices(self) -> Path:
        """MACHINE: dated price observations by month."""
        return self.data / "prices"

    @property
    def price_sets(self) -> Path:
        """HAND: prices that people read or contributed, a CSV and a YAML each set."""
        return self.data / "price-sets"

    @property
    def unresolved(self) -> Path:
        """MACHINE: names of each source that led to no GPU, with the reason."""
        return self.data / "unresolved"

    @property
    def licences(self) -> Path:
        """HAND: what the licence of each source allows, one decision a source."""
        return self.data / "licences.csv"

    @property
    def snapshots(self) -> Path:
        """MACHINE: what was read when, by source and file (no page text)."""
        return self.data / "snapshots.csv"

    @property
    def clean(self) -> Path:
        """MACHINE: the cleaned dataset."""
        return self.data / "clean"


DATA = DataPaths(ROOT / "data")
CACHE = ROOT / ".cache" / "snapshots"
