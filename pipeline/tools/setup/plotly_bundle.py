"""From npm's package of Plotly's basic bundle to one hash-checked file that the site serves itself.

Without npm the full bundle inside the Python package takes its place: the same charts, four times the bytes.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from pipeline.core.paths import ROOT

# The plotly.js that the Python package in requirements.lock carries; a test holds the two together.
VERSION = "4.1.1"
NPM_PACKAGE = "plotly.js-basic-dist-min"
MEMBER = "package/plotly-basic.min.js"
SHA256 = "99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba"
BUNDLE = ROOT / "docs" / "javascripts" / "vendor" / "plotly-basic.min.js"
NPM_LIMIT_S = 120
VERSION_LINE = re.compile(rb"plotly\.js (?:\(basic - minified\) )?v([0-9.]+)")


class BundleError(Exception):
    """The bundle cannot be had; the message names the file and the next step."""


def ensure_bundle(bundle: Path = BUNDLE, say: Callable[[str], None] = print) -> Path:
    """Put Plotly's bundle at `bundle` unless it is there already."""
    if not is_ready(bundle):
        say(f"==> Fetching {NPM_PACKAGE} {VERSION}")
        try:
            script = from_npm()
        except BundleError as error:
            say(f"    {error}; using the full bundle of the Python package instead")
            script = from_python_package()
        write_whole(bundle, script)
    return bundle


def is_ready(bundle: Path) -> bool:
    """Whether the file is the pinned bundle, or the full one of the same version."""
    if not bundle.exists():
        return False
    script = bundle.read_bytes()
    return hashlib.sha256(script).hexdigest() == SHA256 or script == full_bundle().read_bytes()


def from_npm() -> bytes:
    """The pinned bundle, by npm as this machine has it set up."""
    with tempfile.TemporaryDirectory() as folder:
        run_npm_pack(Path(folder))
        script = read_member(Path(folder))
    found = hashlib.sha256(script).hexdigest()
    if found != SHA256:
        raise BundleError(f"{MEMBER} of {NPM_PACKAGE} {VERSION} has SHA-256 {found}, expected {SHA256}")
    return script


def run_npm_pack(folder: Path) -> None:
    """Leave the package's archive in an empty folder."""
    command = ["npm", "pack", "--silent", f"{NPM_PACKAGE}@{VERSION}"]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=NPM_LIMIT_S)
    except FileNotFoundError:
        raise BundleError("npm is not installed") from None
    except subprocess.TimeoutExpired:
        raise BundleError(f"npm pack gave nothing within {NPM_LIMIT_S} s") from None
    except subprocess.CalledProcessError as error:
        raise BundleError(f"npm pack ended with exit code {error.returncode}") from None


def read_member(folder: Path) -> bytes:
    """The one file we want out of the archive; nothing is unpacked to disk."""
    archives = sorted(folder.glob("*.tgz"))
    if len(archives) != 1:
        raise BundleError(f"npm pack left {len(archives)} archives instead of one")
    with tarfile.open(archives[0]) as archive:
        try:
            member = archive.extractfile(MEMBER)
        except KeyError:
            member = None
        if member is None:
            raise BundleError(f"the package of {NPM_PACKAGE} {VERSION} holds no {MEMBER}")
        return member.read()


def from_python_package() -> bytes:
    """The full bundle of the installed Python package, if it is of the pinned version."""
    script = full_bundle().read_bytes()
    found = VERSION_LINE.search(script[:200])
    if found is None or found[1].decode() != VERSION:
        raise BundleError(f"{full_bundle()} is not plotly.js {VERSION}; set VERSION and SHA256 in {__file__}")
    return script


def full_bundle() -> Path:
    """Where the Python package keeps its plotly.js, found without importing it."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise BundleError("the Python package plotly is not installed; run: make venv")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


def write_whole(path: Path, content: bytes) -> None:
    """Write beside and rename, so that a killed run leaves no half file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    beside.write_bytes(content)
    os.replace(beside, path)


def main() -> int:
    """Set the bundle up; exit code 1 when it cannot be had."""
    try:
        ensure_bundle()
    except BundleError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
