"""A dataset of twelve GPUs as it stood on one day, for tests that are about the code and not about the data.

`python tests/ten.py` takes it anew from data/clean, where a table has got another column; what the tests say of it is
then recorded anew too (tests/told.py).
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pipeline.core import files
from pipeline.core.paths import DATA
from pipeline.dataset import Dataset

FOLDER = Path(__file__).parent / "recorded" / "ten"
# One of every kind: two generations of one line, a small card, three makers, a workstation card, a laptop, data centre
# on a card and on a module, a TPU, a chip of a whole machine.
GPUS = (
    "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090", "nvidia-geforce-rtx-3060-12gb", "amd-radeon-rx-7900-xtx",
    "intel-arc-b580", "nvidia-rtx-a6000", "nvidia-a100-pcie-80gb", "nvidia-h100-sxm5-80gb", "amd-instinct-mi300x",
    "nvidia-l4", "google-tpu-v5e", "apple-m4-max",
)  # fmt: skip
# Of the long tables so many rows a GPU and set, or GPU, kind and provider: the newest.
RESULTS, PRICES = 8, 3


@cache
def ten() -> Dataset:
    """The dataset, read once for the tests of a process."""
    return Dataset.load(FOLDER)


def _rows(table: str) -> Iterator[dict[str, str]]:
    """The rows of a table that are kept."""
    with (DATA.clean / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row.get("gpu") or row["id"]) in GPUS]
    kept = Counter[tuple[str, ...]]()
    for row in sorted(rows, key=lambda row: row.get("date") or "", reverse=True) if table in MANY else rows:
        names, most = MANY.get(table, ((), len(rows)))
        key = tuple(row[name] for name in names)
        kept[key] += 1
        if kept[key] <= most:
            yield row


MANY = {"benchmarks": (("gpu", "set", "metric"), RESULTS), "prices": (("gpu", "kind", "provider", "country"), PRICES)}


def main() -> None:
    """Take the tables anew from data/clean."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for table in ("gpus", "peaks", "claims", "benchmarks", "prices"):
        rows = list(_rows(table))
        text = files.csv_text(list(rows[0]), [list(row.values()) for row in rows])
        (FOLDER / f"{table}.csv").write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
