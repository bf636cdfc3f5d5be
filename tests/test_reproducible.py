"""Two builds of the site are equal byte for byte, wherever, in whatever language and zone they are made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.core.paths import ROOT

PLACES = {
    "here": {"TZ": "UTC", "LANG": "C.UTF-8", "PYTHONHASHSEED": "1", "umask": "022"},
    "another place, with a blank": {"TZ": "Asia/Kathmandu", "LANG": "C", "PYTHONHASHSEED": "7", "umask": "077"},
}
QUIET = {"DISABLE_MKDOCS_2_WARNING": "true", "NO_MKDOCS_2_WARNING": "1"}


def built(folder: Path, umask: str, **environment: str) -> dict[str, bytes]:
    """The files of the site that a copy of the working tree builds."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True, text=True
    ).stdout.split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "docs/javascripts/vendor", folder / "docs/javascripts/vendor", dirs_exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", "site"],
        cwd=folder,
        env=os.environ | QUIET | environment | {"PYTHONPATH": str(folder)},
        umask=int(umask, 8),
        check=True,
        capture_output=True,
    )
    site = folder / "site"
    return {str(path.relative_to(site)): path.read_bytes() for path in site.rglob("*") if path.is_file()}


@pytest.mark.full
def test_two_builds_of_the_site_are_equal_byte_for_byte(tmp_path: Path) -> None:
    one, other = (built(tmp_path / name, **settings) for name, settings in PLACES.items())
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []
