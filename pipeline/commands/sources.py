"""Reading sources and makers' sheets; beginning a new GPU."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import date, datetime
from pathlib import Path
from types import ModuleType

import click
from rich.progress import Progress

from pipeline.commands.console import OK, SOURCE_FAILED, err, fail, fail_to_write, out
from pipeline.core import files, gpus, identity, paths
from pipeline.core.paths import CACHE
from pipeline.intake import refresh, snapshots
from pipeline.intake.sources import MODULES
from pipeline.record import build as stages
from pipeline.tools import new_gpu, sheet
from pipeline.tools.sheet import vendor_sheets

SHEET_URL = click.option("--url", default="", help="The public address of a sheet that lies here as a file.")


@click.command("refresh")
@click.option(
    "--mirror",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Read this folder (with its MANIFEST.csv) in place of the network.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="SOURCE",
    help="Read only this source (may be given again).",
)
@click.option("--sheets", is_flag=True, help="Read the makers' sheets of data/sheets.yml instead, and report changes.")
@click.option("--accept", is_flag=True, help="With --sheets: record what was read as the last reading.")
@click.option(
    "--accept-change", is_flag=True, help="With --only: take a reading that looked damaged; you looked at it."
)
def refresh_command(
    mirror: Path | None, only: tuple[str, ...], sheets: bool, accept: bool, accept_change: bool
) -> None:
    """Fetch and parse the sources; a source that fails, or looks damaged, keeps its last good rows.

    With --sheets it reads the makers' sheets and prints, as Markdown, what changed; no figure of the dataset does.
    """
    if sheets or accept:
        try:
            with files.alone(paths.DATA.data) if accept else nullcontext():
                failed_sheets = _refresh_sheets(mirror, accept)
        except (ValueError, snapshots.FetchError, files.Busy) as error:
            fail(error)
        except OSError as error:
            fail_to_write(error)
        sys.exit(SOURCE_FAILED if failed_sheets else OK)
    if accept_change and not only:
        raise click.UsageError("--accept-change takes the sources that you looked at: name them with --only")
    chosen = [module for module in MODULES if not only or module.SOURCE.id in only]
    unknown = set(only) - {module.SOURCE.id for module in chosen}
    if unknown:
        known = ", ".join(module.SOURCE.id for module in MODULES)
        raise click.UsageError(f"unknown source {min(unknown)!r}; sources: {known}")
    try:
        with files.alone(paths.DATA.data):
            outcomes = _refresh_sources(chosen, mirror, accept_change)
    except (stages.BuildError, snapshots.FetchError, files.Busy) as error:
        fail(error)
    except OSError as error:
        fail_to_write(error)
    failed = [outcome for outcome in outcomes if outcome.problem]
    out.print(f"{len(outcomes) - len(failed)} of {len(outcomes)} sources read; unknown names: data/unresolved/")
    sys.exit(SOURCE_FAILED if failed else OK)


def _refresh_sources(chosen: Sequence[ModuleType], mirror: Path | None, accept_change: bool) -> list[refresh.Outcome]:
    """Read the sources and tell of each what came of it."""
    names = stages.load_names(paths.DATA)
    store: snapshots.Store = snapshots.Mirror.open(mirror) if mirror else snapshots.Web(CACHE, date.today())
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading sources", total=len(chosen))

        def report(outcome: refresh.Outcome) -> None:
            progress.advance(task)
            counts = refresh.summary(outcome)
            problem = str(counts.pop("problem"))
            if problem:
                err.print(f"FAILED {problem}", markup=False)
            else:
                err.print("  ".join(f"{key} {value}" for key, value in counts.items()), markup=False)

        return refresh.refresh(chosen, store, names, paths.DATA, report, accept_change)


def _refresh_sheets(mirror: Path | None, accept: bool) -> bool:
    """Read each sheet of the list again; true when one is gone or could not be read."""
    today = date.today()
    library = vendor_sheets.library(paths.DATA)
    entries = vendor_sheets.load(paths.DATA.data, library.gpus)
    store: snapshots.Documents = (
        snapshots.Mirror.open(mirror)
        if mirror
        else snapshots.Web(CACHE, today, snapshots.SHEET_RETRY, sheet.MAX_BYTES, snapshots.SHEET_TIMEOUTS_S)
    )
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading sheets", total=len(entries))
        readings = vendor_sheets.read_all(
            entries, store, library, vendor_sheets.last_facts(paths.DATA.data), today, lambda _: progress.advance(task)
        )
    click.echo(vendor_sheets.markdown(readings))
    if accept:
        vendor_sheets.accept(readings, paths.DATA.data, today)
    return any(reading.status in vendor_sheets.FAILED for reading in readings)


@click.command("new-gpu")
@click.argument("id")
@click.option("--sheet", "where", default="", metavar="FILE_OR_ADDRESS", help="Draft it from a maker's sheet.")
@SHEET_URL
def new_gpu_command(id: str, where: str, url: str) -> None:
    """Begin a new GPU: data/gpus/ID.yml, empty with comments that teach, or drafted from a maker's sheet."""
    try:
        path = new_gpu.checked(id, paths.DATA)
        text = new_gpu.drafted(id, where, _drafted(where, date.today(), url)) if where else new_gpu.empty(id)
    except new_gpu.NewGpuError as error:
        raise click.UsageError(str(error)) from None
    files.replace_all(paths.DATA.data, {path: text})
    out.print(f"data/{path} is there; fill it in, then run: python -m pipeline check data/{path}", markup=False)


@click.command("sheet")
@click.argument("where", metavar="FILE_OR_ADDRESS")
@click.option("--read", "day", type=click.DateTime(["%Y-%m-%d"]), help="The day it was read (default: today).")
@SHEET_URL
def sheet_command(where: str, day: datetime | None, url: str) -> None:
    """Draft a GPU's YAML from a vendor's sheet (PDF, HTML, CSV or reStructuredText).

    What it cannot place is listed on stderr; nothing is guessed.
    """
    click.echo(_drafted(where, day.date() if day else date.today(), url).yaml)


def _drafted(where: str, read: date, url: str) -> sheet.Draft:
    """A sheet's figures, drafted against the GPUs that exist; what it cannot place is listed on stderr."""
    try:
        if where.startswith(("http://", "https://")):
            content: bytes | Path = snapshots.Web(CACHE, read).document(where)
        else:
            content = Path(where)
        library = vendor_sheets.library(paths.DATA)
        drafted = sheet.draft(content, where, read=read, url=url, gpus=library.gpus, name_files=library.names)
    except (sheet.SheetError, gpus.GpuError, identity.NamesError, snapshots.FetchError, OSError) as error:
        raise click.ClickException(str(error)) from None
    for line in drafted.unplaced:
        err.print(f"not placed: {line}", markup=False)
    return drafted
