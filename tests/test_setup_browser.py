"""The browser tests get a Chromium that starts, or a sentence that says how to get one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.tools.setup import browser
from pipeline.tools.setup.browser import NoBrowserError, chromium_path


def program(path: Path, exit_code: int = 0) -> Path:
    path.write_text(f"#!/bin/sh\nexit {exit_code}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def remembered(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "browser"


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Path]]:
    """Make these the browsers of the machine; gives the list of those that were looked at."""

    def set_up(*found: Path) -> list[Path]:
        looked_at: list[Path] = []

        def candidates(say: browser.Say) -> Iterator[Path]:
            for path in found:
                looked_at.append(path)
                yield path

        monkeypatch.setattr(browser, "candidates", candidates)
        return looked_at

    return set_up


def quiet(line: str) -> None:
    """Say nothing."""


def test_the_first_browser_that_starts_is_taken_and_no_further_one_is_set_up(
    tmp_path: Path, remembered: Path, offer: Callable[..., list[Path]]
) -> None:
    broken, good, never = (program(tmp_path / name, code) for name, code in (("a", 1), ("b", 0), ("c", 0)))
    looked_at = offer(broken, good, never)

    assert chromium_path(remembered, quiet) == good
    assert looked_at == [broken, good]


def test_the_browser_of_last_time_is_used_without_looking(
    tmp_path: Path, remembered: Path, offer: Callable[..., list[Path]]
) -> None:
    good = program(tmp_path / "good")
    offer(good)
    chromium_path(remembered, quiet)
    looked_at = offer(program(tmp_path / "other"))

    assert chromium_path(remembered, quiet) == good
    assert looked_at == []


def test_a_browser_that_was_removed_is_looked_for_anew(
    tmp_path: Path, remembered: Path, offer: Callable[..., list[Path]]
) -> None:
    gone = program(tmp_path / "gone")
    offer(gone)
    chromium_path(remembered, quiet)
    gone.unlink()
    other = program(tmp_path / "other")
    offer(other)

    assert chromium_path(remembered, quiet) == other


def test_without_any_browser_the_error_says_how_to_get_one(remembered: Path, offer: Callable[..., list[Path]]) -> None:
    offer()

    with pytest.raises(NoBrowserError, match=r"install one \(Debian: apt-get install chromium"):
        chromium_path(remembered, quiet)
    assert not remembered.exists()


def test_a_program_that_hangs_counts_as_one_that_does_not_start(tmp_path: Path) -> None:
    hangs = tmp_path / "hangs"
    hangs.write_text("#!/bin/sh\nexec sleep 30\n", encoding="utf-8")
    hangs.chmod(0o755)

    assert not browser.run(str(hangs), limit_s=1)
    assert not browser.run(str(tmp_path / "is not there"), limit_s=1)


# The fixture starts Playwright in this thread; one more in it is an error.
@pytest.mark.full
@pytest.mark.browser
@pytest.mark.usefixtures("browser")
def test_a_browser_is_found_while_playwright_runs_already(remembered: Path) -> None:
    assert chromium_path(remembered, quiet).is_file()
