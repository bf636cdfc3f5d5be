"""The monthly summary of ten million generated observations on each engine: seconds, ratio to the best, peak memory.

Each engine runs in a process of its own, so that the peak is its own, after one month that is not timed and imports it.
The engines take turns, and the least time of three counts: what else the machine does falls on all of them. Run one as
`python -m pipeline.tools.bench.prices ENGINE FOLDER MONTH...`; the bench command starts it for all.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from pipeline.derive.prices import summary

ROWS = 10_000_000
MONTHS = tuple(f"{year}-{month:02}" for year in (2025, 2026) for month in range(1, 13))
CARDS, PROVIDERS, DAYS = 300, 40, 28
FLAGGED = 0.02  # share of rows that must not count
SEED = 18
TURNS = 3


@dataclass(frozen=True, slots=True)
class EngineRun:
    """One engine on one choice of months."""

    engine: str
    months: int
    rows: int  # of the summary
    seconds: float  # by the clock
    processor_s: float  # of all cores together: hardly longer on a busy machine
    peak_mib: float


def run(rows: int = ROWS) -> Iterator[EngineRun]:
    """Generate the observations once and summarise them on every engine: all months, then two of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, rows)
        for asked in (MONTHS, MONTHS[-2:]):
            turns = [[_alone(engine, folder, asked) for engine in summary.ENGINES] for _ in range(TURNS)]
            yield from (_least(of_one) for of_one in zip(*turns, strict=True))


def best(runs: Iterable[EngineRun]) -> dict[int, EngineRun]:
    """The least of any engine, by the number of months asked for."""
    asked: dict[int, list[EngineRun]] = defaultdict(list)
    for one in runs:
        asked[one.months].append(one)
    return {months: _least(of_months) for months, of_months in asked.items()}


def _least(runs: Sequence[EngineRun]) -> EngineRun:
    return replace(
        runs[0],
        seconds=min(run.seconds for run in runs),
        processor_s=min(run.processor_s for run in runs),
        peak_mib=min(run.peak_mib for run in runs),
    )


def generate(folder: Path, rows: int) -> None:
    """Write `rows` observations, a Parquet file a month: the same bytes of content at every run."""
    import pandas as pd

    random = np.random.default_rng(SEED)
    each = rows // len(MONTHS)
    for month in MONTHS:
        card = random.integers(0, CARDS, each)
        text = {
            "gpu": np.array([f"card-{n}" for n in range(CARDS)])[card],
            "kind": ["on_demand"] * each,
            "provider": np.array([f"provider-{n}" for n in range(PROVIDERS)])[random.integers(0, PROVIDERS, each)],
            "flag": np.where(random.random(each) < FLAGGED, "implausible", ""),
        }
        made = pd.DataFrame(text).astype("category")
        made["day"] = random.integers(0, DAYS + 1, each).astype("int8")  # 0: only the month is known
        made["usd"] = np.round(0.1 + card / 50 * random.lognormal(0, 0.3, each), 4)
        place = folder / f"month={month}"
        place.mkdir(parents=True)
        made.to_parquet(place / "observations.parquet", index=False)


def _alone(engine: str, folder: Path, asked: tuple[str, ...]) -> EngineRun:
    command = [sys.executable, "-m", "pipeline.tools.bench.prices", engine, str(folder), *asked]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603
    return EngineRun(engine, len(asked), told["rows"], told["seconds"], told["processor_s"], told["peak_mib"])


def _main(engine: str, folder: str, *asked: str) -> None:
    summary.summary(Path(folder), asked[:1], engine)
    start, worked = perf_counter(), process_time()
    rows = len(summary.summary(Path(folder), asked, engine))
    seconds, processor_s = perf_counter() - start, process_time() - worked
    # The most memory this process has held; getrusage begins at that of the process which started it
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    peak_kib = int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told = {"rows": rows, "seconds": seconds, "processor_s": processor_s, "peak_mib": peak_kib / 1024}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    _main(*sys.argv[1:])
