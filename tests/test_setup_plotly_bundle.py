"""Plotly's bundle is the pinned one or none."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from pipeline.tools.setup import plotly_bundle
from pipeline.tools.setup.plotly_bundle import BundleError, ensure_bundle


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An npm that hands out the archive that a test lays beside it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "npm"
    program.write_text(f"#!/bin/sh\n/bin/cp {folder}/*.tgz .\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def lay_archive(folder: Path, name: str, script: bytes) -> None:
    with tarfile.open(folder / "plotly.tgz", "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(script)
        archive.addfile(member, io.BytesIO(script))


def test_the_pinned_version_is_the_one_the_python_package_draws_for() -> None:
    found = plotly_bundle.VERSION_LINE.search(plotly_bundle.full_bundle().read_bytes()[:200])

    assert found is not None
    assert found[1].decode() == plotly_bundle.VERSION


def test_the_bundle_of_the_npm_package_is_put_in_place(
    npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plotly_bundle, "SHA256", plotly_bundle.hashlib.sha256(b"charts").hexdigest())
    lay_archive(npm, plotly_bundle.MEMBER, b"charts")

    written = ensure_bundle(tmp_path / "vendor" / "plotly.js", say=lambda line: None)

    assert written.read_bytes() == b"charts"
    assert [path.name for path in written.parent.iterdir()] == ["plotly.js"]


@pytest.mark.parametrize(
    ("member", "complaint"),
    [
        (plotly_bundle.MEMBER, "has SHA-256"),
        ("package/other.js", "holds no"),
    ],
)
def test_a_package_that_is_not_the_pinned_one_is_refused(npm: Path, member: str, complaint: str) -> None:
    lay_archive(npm, member, b"something else")

    with pytest.raises(BundleError, match=complaint):
        plotly_bundle.from_npm()


def test_without_npm_the_full_bundle_takes_its_place_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    said: list[str] = []

    written = ensure_bundle(tmp_path / "plotly.js", say=said.append)

    assert written.read_bytes() == plotly_bundle.full_bundle().read_bytes()
    assert "npm is not installed; using the full bundle" in said[-1]


def test_a_second_run_fetches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bundle = ensure_bundle(tmp_path / "plotly.js", say=lambda line: None)
    said: list[str] = []

    ensure_bundle(bundle, say=said.append)

    assert said == []


def test_a_damaged_bundle_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bundle = tmp_path / "plotly.js"
    bundle.write_bytes(b"half of it")

    ensure_bundle(bundle, say=lambda line: None)

    assert bundle.read_bytes() == plotly_bundle.full_bundle().read_bytes()
