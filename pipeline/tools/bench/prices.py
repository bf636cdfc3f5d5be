"""The monthly summary of ten million generated observations on each engine: seconds, ratio to the best, peak memory.

Each engine runs in a process of its own, so that the peak is its own. Run it alone as
`python -m pipeline.tools.bench.prices ENGINE FOLDER MONTH...`; the bench command starts it for all.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from pipeline.derive.prices import summary

ROWS = 10_000_000
MONTHS = tuple(f"{year}-{month:02}" for year in (2025, 2026) for month in range(1, 13))
CARDS, PROVIDERS, DAYS = 300, 40, 28
FLAGGED = 0.02  # share of rows that must not count
SEED = 18


@dataclass(frozen=True, slots=True)
class Run:
    """One engine on one choice of months."""

    engine: str
    months: int
    rows: int  # of the summary
    seconds: float
    peak_mib: float


def run(rows: int = ROWS) -> Iterator[Run]:
    """Generate the observations once and summarise them on every engine: all months, then two of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, rows)
        for asked in (MONTHS, MONTHS[-2:]):
            for engine in summary.ENGINES:
                yield _alone(engine, folder, asked)


def best(runs: Iterable[Run]) -> dict[int, float]:
    """The least seconds of any engine, by the number of months asked for."""
    found: dict[int, float] = {}
    for one in runs:
        found[one.months] = min(one.seconds, found.get(one.months, one.seconds))
    return found


def generate(folder: Path, rows: int) -> None:
    """Write `rows` observations, a Parquet file a month: the same bytes of content at every run."""
    import pandas as pd

    random = np.random.default_rng(SEED)
    each = rows // len(MONTHS)
    for month in MONTHS:
        card = random.integers(0, CARDS, each)
        made = pd.DataFrame(
            {
                "gpu": np.array([f"card-{n}" for n in range(CARDS)])[card],
                "kind": "on_demand",
                "provider": np.array([f"provider-{n}" for n in range(PROVIDERS)])[random.integers(0, PROVIDERS, each)],
                "date": np.array([f"{month}-{day + 1:02}" for day in range(DAYS)])[random.integers(0, DAYS, each)],
                "usd": np.round(0.1 + card / 50 * random.lognormal(0, 0.3, each), 4),
                "flag": np.where(random.random(each) < FLAGGED, "implausible", ""),
            }
        )
        place = folder / f"month={month}"
        place.mkdir(parents=True)
        made.to_parquet(place / "observations.parquet", index=False)


def _alone(engine: str, folder: Path, asked: tuple[str, ...]) -> Run:
    command = [sys.executable, "-m", "pipeline.tools.bench.prices", engine, str(folder), *asked]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603
    return Run(engine, len(asked), told["rows"], told["seconds"], told["peak_mib"])


def _main(engine: str, folder: str, *asked: str) -> None:
    start = perf_counter()
    rows = len(summary.summary(Path(folder), asked, engine))
    seconds = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps({"rows": rows, "seconds": seconds, "peak_mib": peak}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
