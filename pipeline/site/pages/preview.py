"""What `mkdocs serve` shows after an edit: the changed GPUs' own pages first, all others after them.

Only `mkdocs serve` uses this. To make every page anew takes seconds; the page that somebody edits should not wait for
the pages that show it among others, so these follow in a second build that starts by itself (see docs/hooks.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from pipeline.core.paths import DATA, DataPaths
from pipeline.core.templates import environment
from pipeline.dataset import Dataset
from pipeline.site.pages import gpu, gpu_charts
from pipeline.site.pages.listed import every_file
from pipeline.site.render import Asset

OWN = (gpu.pages, gpu_charts.pages)
FEW = 10  # more changed GPUs at once are no edit by hand


class Preview:
    """The files of the last build, as text."""

    def __init__(self, data: DataPaths = DATA) -> None:
        self._data = data
        self._inputs = self._seen()
        self._dataset: Dataset | None = None
        self._files: dict[str, Asset] = {}
        self.behind = False  # whether pages wait for the second build

    def compile(self, build: Callable[[DataPaths], None]) -> None:
        """Build the dataset anew when a file that people write has changed since."""
        now = self._seen()
        if now != self._inputs:
            build(self._data)
            self._inputs = now

    def files(self, dataset: Dataset) -> Iterator[tuple[Asset, bool]]:
        """Every file, and whether it is another than in the last build."""
        changed = self._changed(dataset)
        self.behind = 0 < len(changed) <= FEW
        before = self._files
        self._files = {**before, **_own(dataset, changed)} if self.behind else _all(dataset)
        self._dataset = dataset
        for name, file in self._files.items():
            yield file, before.get(name) != file

    def _changed(self, dataset: Dataset) -> Collection[str]:
        """The GPUs that are new or not what they were; none before the first build."""
        known = self._dataset.gpus if self._dataset else dataset.gpus
        return {id for id, record in dataset.gpus.items() if known.get(id) != record}

    def _seen(self) -> list[tuple[Path, int]]:
        """The files that people write and when each was saved."""
        folders = (self._data.gpus, self._data.names, self._data.benchmark_sets)
        files = [self._data.corrections, *(path for folder in folders for path in sorted(folder.iterdir()))]
        return [(path, path.stat().st_mtime_ns) for path in files]


def _own(dataset: Dataset, ids: Collection[str]) -> dict[str, Asset]:
    return {file.file: Asset(file.file, file.text(), file.edit_path) for pages in OWN for file in pages(dataset, ids)}


def _all(dataset: Dataset) -> dict[str, Asset]:
    environment.cache_clear()  # a template may be what was edited
    return {file.file: Asset(file.file, file.text(), file.edit_path) for file in every_file(dataset)}


_running: list[Preview] = []


def start() -> Preview:
    """From now on this process serves a preview."""
    _running[:] = [Preview()]
    return _running[0]


def running() -> Preview | None:
    """The preview that this process serves, None in a plain build."""
    return _running[0] if _running else None
