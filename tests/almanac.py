"""The Python package with its files freshly made from data/clean, as a wheel would carry them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from samples import committed

from pipeline.core import identity
from pipeline.core.paths import DATA, ROOT
from pipeline.site import package_data

PACKAGED = ("pyproject.toml", "LICENSE", "LICENSE-DATA", "pipeline/package")


@cache
def bundle() -> dict[str, str]:
    """The package's files: path below data/ -> text."""
    return package_data.contents(committed(), identity.load_names(DATA.names))


def write_bundle(folder: Path) -> Path:
    """Write the package's files into a folder, flat."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in bundle().items():
        (folder / Path(path).name).write_text(text, encoding="utf-8")
    return folder


def wheel(folder: Path) -> Path:
    """Build the wheel from a copy of what it is made of."""
    copy = folder / "checkout"
    for path in PACKAGED:
        source, target = ROOT / path, copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    write_bundle(copy / "data" / "clean" / "package")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(copy)], check=True, capture_output=True, text=True)
    (built,) = folder.glob("*.whl")
    return built
