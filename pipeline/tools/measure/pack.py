"""The measuring kit as one file: `make kit` writes it, and any Python with PyTorch runs it.

Somebody who only wants to measure a machine needs neither this checkout nor its environment: the file holds the kit,
what `pipeline/core/measured` says of results, and the names of all GPUs, so that it finds the device's id by itself.
"""

from __future__ import annotations

import csv
import io
import sys
import zipfile
from pathlib import Path

from pipeline.core.paths import DATA, ROOT

FILES = (
    "pipeline/__init__.py",
    "pipeline/core/__init__.py",
    "pipeline/core/measured/*.py",
    "pipeline/tools/__init__.py",
    "pipeline/tools/measure/*.py",
    "pipeline/tools/measure/samples/*.py",
)
NAMES = "pipeline/tools/measure/gpus.csv"
START = "import sys\n\nfrom pipeline.tools.measure import cli\n\nsys.exit(cli.main(sys.argv[1:]))\n"
# Two packings of one commit are equal byte for byte.
DAY = (1980, 1, 1, 0, 0, 0)


def pack(target: Path) -> None:
    """Write the kit to one file; OSError where it cannot be written."""
    members = {"__main__.py": START, NAMES: _names(DATA.clean / "gpus.csv")}
    for pattern in FILES:
        for path in sorted(set(ROOT.glob(pattern)) - {Path(__file__).resolve()}):
            members[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in sorted(members.items()):
                archive.writestr(zipfile.ZipInfo(name, DAY), text)


def _names(table: Path) -> str:
    """The columns by which the kit knows a device, of the dataset's table of GPUs."""
    text = io.StringIO()
    with table.open(encoding="utf-8", newline="") as file:
        columns = ("id", "name", "aliases")
        written = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
        written.writeheader()
        written.writerows(csv.DictReader(file, strict=True))
    return text.getvalue()


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
