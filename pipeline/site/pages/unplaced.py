"""Names in sources that led to no GPU: counted by source, with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.core import files
from pipeline.core.paths import DATA
from pipeline.dataset import Dataset
from pipeline.site.pages.facts import source_title
from pipeline.site.render import Page

NAMES_SHOWN = 400  # of one source; the rest is counted


def pages(_dataset: Dataset, folder: Path = DATA.unresolved) -> Iterator[Page]:
    """One page, when a refresh has left such names."""
    tables = {path.stem: list(files.read_rows(path)) for path in sorted(folder.glob("*.csv"))}
    tables = {source: rows for source, rows in tables.items() if rows}
    context = {
        "sources": [
            (
                source,
                source_title(source),
                sorted(Counter(row.get("verdict", "") for row in rows).items()),
                rows[:NAMES_SHOWN],
                len(rows),
            )
            for source, rows in tables.items()
        ],
        "total": sum(map(len, tables.values())),
    }
    yield Page(
        "data/unplaced",
        "unplaced.html.j2",
        context,
        "Names without a place",
        "Names that sources use and that we could not or would not give to one GPU, with the reason.",
        "pipeline/core/identity.py",
    )
