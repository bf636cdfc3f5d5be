"""Time, bytes and memory of building the pages, for the real GPUs once, four and fourteen times over.

MkDocs builds them with the site's own theme, hooks and search, and nothing else: what is left is the cost of a page.
Seconds are of the processor, so that a busy machine shows the same; both steps use one core only.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time

import yaml

from pipeline.core.paths import ROOT
from pipeline.dataset import Dataset
from pipeline.site.pages import gpu
from pipeline.site.render import Page
from pipeline.tools.bench import verdicts
from pipeline.tools.bench.verdicts import BenchFigure

GROWTH = (1, 4, 14)  # the last makes about 4,000 pages
# The budgets of the plan: a page in milliseconds, everything from the dataset on; bytes; memory at the largest step.
PAGE_MS, FRAME_KB, INDEX_KB, MEMORY_MB = 5.0, 30.0, 1.5, 250.0
# Prints the processor's seconds and the memory, in kilobytes, that a program took, after all that it says itself.
MEASURED = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL); "
    "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
    "print(used.ru_utime + used.ru_stime, used.ru_maxrss); sys.exit(code)"
)


@dataclass(frozen=True, slots=True)
class GrowthStep:
    """One step of growth."""

    pages: int
    making_s: float
    building_s: float
    index_kb: float  # of the search index, a page
    frame_kb: float  # of HTML around a page's own content
    memory_mb: float
    zensical_s: float | None  # on the clock: it works on all cores


def run(dataset: Dataset) -> Iterator[GrowthStep]:
    """Make and build the pages at every step."""
    for times in GROWTH:
        with tempfile.TemporaryDirectory() as folder:
            yield _built(_multiplied(dataset, times), Path(folder))


def lines(steps: list[GrowthStep]) -> Iterator[str]:
    """The steps as text, each with the cost of a page, then the cost of one page more between the ends."""
    for step in steps:
        other = f", by Zensical in {step.zensical_s:.1f} s on the clock" if step.zensical_s else ""
        yield (
            f"{step.pages:5} GPU pages: made in {step.making_s:.1f} s, built in {step.building_s:.1f} s{other}; "
            f"a page: {_page_ms(step):.1f} ms, {step.frame_kb:.1f} kB of frame, {step.index_kb:.2f} kB of search "
            f"index; {step.memory_mb:.0f} MB"
        )
    if len(steps) > 1:
        yield f"one page more: {_more_ms(steps):.1f} ms"


def rows(steps: list[GrowthStep]) -> Iterator[BenchFigure]:
    """Every budget of the pages with its figure."""
    first, last = steps[0], steps[-1]
    more = _more_ms(steps) if len(steps) > 1 else _page_ms(first)
    yield BenchFigure("one GPU page more", more, "ms", PAGE_MS)
    yield BenchFigure("HTML around a GPU page", first.frame_kb, "kB", FRAME_KB)
    yield BenchFigure("search index a GPU page", first.index_kb, "kB", INDEX_KB)
    yield BenchFigure(f"memory at {last.pages} pages", last.memory_mb, "MB", MEMORY_MB)


def _page_ms(step: GrowthStep) -> float:
    return (step.making_s + step.building_s) / step.pages * 1000


def _more_ms(steps: list[GrowthStep]) -> float:
    first, last = steps[0], steps[-1]
    seconds = last.making_s + last.building_s - first.making_s - first.building_s
    return seconds / (last.pages - first.pages) * 1000


def _multiplied(dataset: Dataset, times: int) -> Dataset:
    """The same GPUs so many times, each under a name of its own."""
    gpus = {}
    for n in range(times):
        for id, record in dataset.gpus.items():
            name = f"{id}-{n}" if n else id
            gpus[name] = replace(record, id=name)
    return replace(dataset, gpus=gpus)


def _built(dataset: Dataset, folder: Path) -> GrowthStep:
    docs, site = folder / "docs", folder / "site"
    (docs / "gpus").mkdir(parents=True)
    (docs / "index.md").write_text("# Pages\n", encoding="utf-8")
    start = process_time()
    content = [_written(page, docs) for page in gpu.pages(dataset) if isinstance(page, Page)]
    making = process_time() - start
    config = _config(folder, docs, site)
    _, building, memory = _timed([sys.executable, "-m", "mkdocs", "build", "--config-file", str(config)])
    html = sum(page.stat().st_size for page in (site / "gpus").rglob("index.html"))
    index = (site / "search" / "search_index.json").stat().st_size
    # The same by Zensical, where somebody has installed it beside us
    program = shutil.which("zensical") or shutil.which("zensical", path=str(Path(sys.executable).parent))
    zensical = _timed([program, "build", "--clean", "--config-file", str(config)])[0] if program else None
    return GrowthStep(
        len(content),
        making,
        building,
        index / len(content) / 1000,
        (html - sum(content)) / len(content) / 1000,
        memory,
        zensical,
    )


def _written(page: Page, docs: Path) -> int:
    """Write a page; the bytes of its own content."""
    text = page.text()
    (docs / page.file).write_text(text, encoding="utf-8")
    return len(text.encode())


def _config(folder: Path, docs: Path, site: Path) -> Path:
    """The site's own configuration without its navigation and without the generator."""
    own = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    kept = {name: own[name] for name in ("site_name", "site_url", "theme", "markdown_extensions", "extra")}
    kept["theme"]["custom_dir"] = str(ROOT / own["theme"]["custom_dir"])
    kept |= {
        "docs_dir": str(docs),
        "site_dir": str(site),
        "nav": [{"Pages": "index.md"}],
        "plugins": ["search"],
        "not_in_nav": "/gpus/*.md",
        "hooks": [str(ROOT / hook) for hook in own["hooks"]],
        "validation": {"links": {"not_found": "ignore", "unrecognized_links": "ignore"}},
    }
    path = folder / "mkdocs.yml"
    path.write_text(yaml.safe_dump(kept, allow_unicode=True), encoding="utf-8")
    return path


def _timed(command: list[str]) -> tuple[float, float, float]:
    """Seconds on the clock, seconds of the processor and megabytes of a program."""
    start = perf_counter()
    done = subprocess.run([sys.executable, "-c", MEASURED, *command], capture_output=True, text=True, check=False)  # noqa: S603
    seconds = perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{command[:3]} failed: {done.stderr[-2000:]}")
    used, memory = map(float, done.stdout.split()[-2:])
    return seconds, used, memory / 1000


def main() -> int:
    """Measure, print, judge."""
    steps = []
    for step in run(Dataset.load()):
        steps.append(step)
        sys.stdout.write(next(lines([step])) + "\n")
        sys.stdout.flush()
    judged = list(rows(steps))
    sys.stdout.write("\n".join([list(lines(steps))[-1], "", *verdicts.lines(judged)]) + "\n")
    return int(any(row.over for row in judged))


if __name__ == "__main__":
    sys.exit(main())
