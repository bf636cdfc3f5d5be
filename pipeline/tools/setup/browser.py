"""From whatever this machine has to the path of a Chromium that starts, for the browser tests.

Looked for in this order: the one found last time, Playwright's own, one on the PATH, a download by
Playwright, the system's package (Debian, as root or with sudo that asks no password).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import sync_playwright

from pipeline.core.paths import ROOT

REMEMBERED = ROOT / ".cache" / "browser"
ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
START_LIMIT_S = 60
# The download is large; on a closed network it fails at once, on a hanging one it must not hold us up.
DOWNLOAD_LIMIT_S = 300
PACKAGE_LIMIT_S = 600
# A browser that draws one empty page can draw ours. As root Chromium starts only without its sandbox.
TRIAL = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--dump-dom")
# What the tests start Chromium with; --no-sandbox for the same reason.
LAUNCH_ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
)

Say = Callable[[str], None]


class NoBrowserError(Exception):
    """No Chromium starts here; the message says what was tried and what to do."""


def chromium_path(remembered: Path = REMEMBERED, say: Say = print) -> Path:
    """A Chromium that starts, set up if need be, remembered for the next time."""
    known = recall(remembered)
    if known:
        return known
    for candidate in candidates(say):
        if starts(candidate):
            remember(remembered, candidate)
            return candidate
        say(f"    {candidate} does not start")
    raise NoBrowserError(
        f"no Chromium found on the PATH ({', '.join(ON_PATH)}), by Playwright or as a system package; "
        "install one (Debian: apt-get install chromium; elsewhere: playwright install --with-deps chromium)"
    )


def recall(remembered: Path) -> Path | None:
    """The browser of the last time, if it is still there."""
    if not remembered.is_file():
        return None
    known = Path(remembered.read_text(encoding="utf-8").strip())
    return known if is_program(known) else None


def remember(remembered: Path, browser: Path) -> None:
    """Keep the path for the next run."""
    remembered.parent.mkdir(parents=True, exist_ok=True)
    remembered.write_text(f"{browser}\n", encoding="utf-8")


def candidates(say: Say) -> Iterator[Path]:
    """Programs that may be it, cheapest first; a later step runs only if no earlier one gave a browser."""
    yield from playwrights_own()
    yield from on_path()
    say("==> Installing Chromium with Playwright")
    if run(sys.executable, "-m", "playwright", "install", "chromium", limit_s=DOWNLOAD_LIMIT_S):
        yield from playwrights_own()
    else:
        say("    Playwright could not download it")
    yield from from_system_package(say)


def playwrights_own() -> Iterator[Path]:
    """The build that this Playwright was made for, if it was downloaded before."""
    # In a thread of its own: the caller may be inside a running Playwright, and a thread holds only one.
    with ThreadPoolExecutor(max_workers=1) as aside:
        path = aside.submit(playwrights_path).result()
    if is_program(path):
        yield path


def playwrights_path() -> Path:
    """Where this Playwright keeps its Chromium, there or not."""
    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


def on_path() -> Iterator[Path]:
    """Chromium or Chrome as the system has it."""
    yield from (Path(found) for name in ON_PATH if (found := shutil.which(name)))


def from_system_package(say: Say) -> Iterator[Path]:
    """Debian's package, where we may install one."""
    may = administrator()
    if shutil.which("apt-get") is None or may is None:
        return
    say("==> Installing the system's package chromium (apt-get)")
    if run(*may, "apt-get", "update", limit_s=PACKAGE_LIMIT_S) and run(
        *may, "apt-get", "install", "--yes", "--no-install-recommends", "chromium", limit_s=PACKAGE_LIMIT_S
    ):
        yield from on_path()


def administrator() -> tuple[str, ...] | None:
    """What stands before a command that installs: nothing for root, sudo where it asks nothing, else None."""
    if os.geteuid() == 0:
        return ()
    return ("sudo", "--non-interactive") if run("sudo", "--non-interactive", "true", limit_s=10) else None


def starts(browser: Path) -> bool:
    """Whether the browser draws an empty page; a missing library or a broken download shows here."""
    return run(str(browser), *TRIAL, "about:blank", limit_s=START_LIMIT_S)


def is_program(path: Path) -> bool:
    """Whether the path is a file we may execute."""
    return path.is_file() and os.access(path, os.X_OK)


def run(*command: str, limit_s: int) -> bool:
    """Run a command without its output and without questions; whether it succeeded in time."""
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, env=quiet, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main() -> int:
    """Print the browser's path; exit code 1 when there is none."""
    try:
        print(f"    browser: {chromium_path()}")
    except NoBrowserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
