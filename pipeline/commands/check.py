"""The check: everything that is wrong, by file and line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click

from pipeline.commands.console import PROBLEMS, err, fail, git, out
from pipeline.core import files, paths
from pipeline.core.findings import Finding
from pipeline.core.paths import CACHE
from pipeline.record import check as checks

# What the check read before, so that a second look at one file is quick.
CHECKED = CACHE.parent / "check" / "gpus.pickle"


@click.command()
@click.argument("changed", nargs=-1, metavar="[FILE ...]")
@click.option("--since", default="", help="Look at the files of data/ and docs/ that changed since this commit.")
@click.option("--format", "form", type=click.Choice(["text", "github"]), default="text", show_default=True)
def check(changed: tuple[str, ...], since: str, form: str) -> None:
    """Say everything that is wrong, by file and line; with FILE only what is wrong with that file.

    Without FILE it also says whether data/clean is what a build would write. "github" prints the problems as the
    hosting service shows them beside the lines of a pull request.
    """
    wanted = [*map(_from_root, changed), *(_changed_since(since) if since else [])]
    alone = checks.only_records(wanted) and all((paths.DATA.data.parent / path).is_file() for path in wanted)
    if wanted and alone:  # reads no more of the pipeline than it needs: the answer is quick
        _tell(checks.of_records(paths.DATA, wanted, CHECKED, _today()), form)
    elif wanted:
        whole = _whole(form)
        known = checks.remembered(paths.DATA, CHECKED)
        told = checks.with_days(whole.problems(wanted, known), paths.DATA, _today())
        _tell(checks.with_what_rests(told, wanted, paths.DATA.data.parent), form)
    if changed or since:
        out.print(f"{len(wanted)} file(s): no problems")
        return
    whole = _whole(form)
    # What a killed command left is finished or thrown away, and not called a fault.
    try:
        with files.alone(paths.DATA.data):
            pass
    except files.Busy as error:
        fail(error)

    def tell(problems: Sequence[str]) -> None:
        told = checks.with_days(problems, paths.DATA, _today())
        _tell(checks.findings(told, paths.DATA.data.parent), form)

    whole.check(tell)


def _whole(form: str) -> ModuleType:
    """What checks everything; a list that it rests on, and that cannot be read, is told."""
    try:
        return import_module("pipeline.commands.whole")
    except ValueError as error:
        _tell(checks.findings(str(error).splitlines(), paths.DATA.data.parent), form)
        raise


def _today() -> date:
    """The day that it is where the day begins first: whoever types today's date is right everywhere."""
    return datetime.now(timezone(timedelta(hours=14))).date()


def _tell(found: Sequence[Finding], form: str) -> None:
    """Print what was found, what is alike together, and stop; nothing where there is nothing."""
    if not found:
        return
    for finding in checks.together(found):
        click.echo(finding.annotation if form == "github" else str(finding), err=form == "text")
    err.print(f"{len(found)} problem(s); nothing was changed")
    sys.exit(PROBLEMS)


def _from_root(path: str) -> str:
    """A file as the checks name it; UsageError where there is none."""
    full, root = Path(path).resolve(), paths.DATA.data.parent.resolve()
    if not full.is_file():
        raise click.UsageError(
            f"there is no file {path!r}; if you took it out, say 'python -m pipeline check --since HEAD', which tells "
            "what still names it"
        )
    if not {root / "data", root / "docs"} & set(full.parents):
        raise click.UsageError(f"{path!r} is no file of data/ or docs/; only these are checked one by one")
    return full.relative_to(root).as_posix()


def _changed_since(commit: str) -> list[str]:
    """The hand-written files that a commit does not have as they are now; one that is gone is among them."""
    changed = git("diff", "--name-only", "--no-renames", commit, "--", "data", "docs", ":!data/clean")
    if changed is None:
        raise click.UsageError(f"git knows no commit {commit!r}")
    return changed.splitlines()
