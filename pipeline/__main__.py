"""The command line: the only place that parses arguments and prints."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.progress import Progress

from pipeline import (
    bench,
    choose,
    coverage,
    difference,
    estimate,
    files,
    guide,
    quality,
    refresh,
    result_sets,
    sheet,
    snapshots,
    statements,
    vendor_sheets,
)
from pipeline import build as stages
from pipeline.dataset import TABLES, Dataset, DatasetError
from pipeline.estimate import coefficients, fit, inputs, models, validation
from pipeline.measure import cli as measure
from pipeline.paths import CACHE, DATA, ROOT
from pipeline.sources import MODULES

OK, PROBLEMS, USAGE, STALE, SOURCE_FAILED = 0, 1, 2, 3, 4
EXIT_CODES = """\b
Exit codes: 0 all well · 1 problems in the data · 2 wrong usage
            3 data/clean is out of date · 4 a source failed, its last rows were kept"""

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


@click.group(epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """GPU Almanac: from sources to a dataset in which every number has a source.

    \b
    refresh   reads the sources again (network or a mirror folder)
    build     makes data/clean from what is committed
    check     runs every check and says what is wrong
    sheet     drafts a GPU's YAML from a vendor's sheet
    show      prints one GPU with the source of each figure
    diff      shows which figures changed since a commit
    estimate  says whether a model fits on a GPU and how fast it runs
    choose    answers "which GPU?" with reasons
    validate  holds the estimator against every measured point
    measure   measures this machine's GPU
    bench     times refresh and build
    """


@main.command()
def build() -> None:
    """Make data/clean from what is committed; on a problem nothing changes."""
    try:
        stages.build(DATA)
    except (stages.BuildError, result_sets.ResultSetError) as error:
        _fail(error)
    dataset = Dataset.load()
    out.print(f"data/clean: {len(dataset.gpus)} GPUs, " + ", ".join(
        f"{len(dataset.tables[name])} {name}" for name in TABLES[1:]))  # fmt: skip


@main.command("refresh")
@click.option("--mirror", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Read this folder (with its MANIFEST.csv) in place of the network.")  # fmt: skip
@click.option(
    "--only",
    multiple=True,
    metavar="SOURCE",
    help="Read only this source (may be given again).",
)
@click.option("--sheets", is_flag=True, help="Read the makers' sheets of data/sheets.yml instead, and report changes.")
@click.option("--accept", is_flag=True, help="With --sheets: record what was read as the last reading.")
def refresh_command(mirror: Path | None, only: tuple[str, ...], sheets: bool, accept: bool) -> None:
    """Fetch and parse the sources; a source that fails keeps its last good rows.

    With --sheets it reads the makers' sheets and prints, as Markdown, what changed; no figure of the dataset does.
    """
    if sheets or accept:
        _refresh_sheets(mirror, accept)
        return
    chosen = [module for module in MODULES if not only or module.SOURCE.id in only]
    unknown = set(only) - {module.SOURCE.id for module in chosen}
    if unknown:
        known = ", ".join(module.SOURCE.id for module in MODULES)
        raise click.UsageError(f"unknown source {min(unknown)!r}; sources: {known}")
    try:
        files.recover(DATA.data)
        names = stages.load_names(DATA)
        store: snapshots.Store = snapshots.Mirror.open(mirror) if mirror else snapshots.Web(CACHE, date.today())
    except (stages.BuildError, snapshots.FetchError) as error:
        _fail(error)
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading sources", total=len(chosen))

        def report(outcome: refresh.Outcome) -> None:
            progress.advance(task)
            _print_outcome(outcome)

        outcomes = refresh.refresh(chosen, store, names, DATA, report)
    failed = [outcome for outcome in outcomes if outcome.problem]
    out.print(f"{len(outcomes) - len(failed)} of {len(outcomes)} sources read; unknown names: data/unresolved/")
    sys.exit(SOURCE_FAILED if failed else OK)


def _refresh_sheets(mirror: Path | None, accept: bool) -> None:
    """Read each sheet of the list again; exit code 4 when one is gone or could not be read."""
    today = date.today()
    try:
        library = vendor_sheets.library(DATA)
        entries = vendor_sheets.load(DATA.data, library.gpus)
        store: snapshots.Documents = snapshots.Mirror.open(mirror) if mirror else snapshots.Web(
            CACHE, today, snapshots.SHEET_RETRY, sheet.MAX_BYTES, snapshots.SHEET_TIMEOUTS_S)  # fmt: skip
    except (ValueError, snapshots.FetchError) as error:
        _fail(error)
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading sheets", total=len(entries))
        readings = vendor_sheets.read_all(entries, store, library, vendor_sheets.last_facts(DATA.data), today,
                                          lambda _: progress.advance(task))  # fmt: skip
    click.echo(vendor_sheets.markdown(readings))
    if accept:
        vendor_sheets.accept(readings, DATA.data, today)
    sys.exit(SOURCE_FAILED if any(reading.status in vendor_sheets.FAILED for reading in readings) else OK)


@main.command()
def check() -> None:
    """Run every check on what is committed, and whether data/clean is what a build would write."""
    try:
        stale = stages.stale_files(DATA)
    except (stages.BuildError, result_sets.ResultSetError) as error:
        _fail(error)
    if stale:
        for path in stale:
            err.print(f"data/{path} is out of date", markup=False)
        err.print("run: make data")
        sys.exit(STALE)
    for question in result_sets.questions(DATA.benchmark_sets):
        err.print(f"asked: {question}", markup=False)
    dataset = Dataset.load()
    _check_guide(dataset)
    _check_statements(dataset)
    _check_coverage(dataset)
    for count in quality.counts(dataset):
        out.print(f"{count.found:6} of {count.of:6}  {count.share:6.1%}  {count.name}", markup=False)
    disputed = {(row["gpu"], row["field"]) for row in dataset.tables["claims"] if row["reason"].startswith("differs")}
    out.print(f"{len(dataset.gpus)} GPUs, {len(dataset.tables['claims'])} claims, {len(disputed)} fields in dispute, "
              f"newest reading {dataset.newest_reading}: no problems")  # fmt: skip


def _check_guide(dataset: Dataset) -> None:
    """Print how the guide is bound to the data; stop at a figure that is typed, gone or no longer true."""
    read = guide.read(dataset)
    typed = sum("is typed" in problem.message for problem in read.problems)
    out.print(f"guide: {len(read.chapters)} chapters, {len(read.figures)} figures bound to the data in "
              f"{read.references} places, {typed} unbound; {read.comparisons} comparisons bound")  # fmt: skip
    if read.problems:
        _fail(guide.GuideError("\n".join(map(str, read.problems))))
    for problem in read.stale:  # a stranger's change is not held up by the calendar; the scheduled refresh is
        err.print(f"warning: {problem}", markup=False)


def _check_statements(dataset: Dataset) -> None:
    """Print how many published statements are checked; stop at a verdict that the data turned."""
    read = statements.read(dataset)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in read.counts)
    out.print(f"statements: {len(read.checked)} checked ({counts}), {read.worked} worked out again")
    if read.problems:
        _fail(statements.StatementsError("\n".join(map(str, read.problems))))


def _check_coverage(dataset: Dataset) -> None:
    """Print how many names of the coverage list lead somewhere; stop at one that does not."""
    found, missing = coverage.report(dataset)
    out.print(f"coverage: {len(found)} of {len(found) + len(missing)} names lead to a page, section or entry")
    if missing:
        _fail(coverage.CoverageError("\n".join(map(str, missing))))


@main.command("stale")
def stale_command() -> None:
    """List the guide's prices of today that are old; the scheduled refresh fails on them, a pull request warns."""
    found = guide.read(Dataset.load()).stale
    for problem in found:
        out.print(str(problem), markup=False)
    sys.exit(STALE if found else OK)


@main.command()
@click.argument("gpu")
def show(gpu: str) -> None:
    """Print one GPU (id, name or alias) with the source of each figure."""
    try:
        record = Dataset.load().find(gpu)
    except DatasetError as error:
        _fail(error)
    if record is None:
        raise click.UsageError(f"no GPU is called {gpu!r}; names stand in data/gpus/*.yml")
    out.print(f"{record.name}  ({record.id})", markup=False)
    for field in record.claims:
        claim = record.chosen(field)
        if claim:
            marker = "  (disputed)" if record.differing(field) else ""
            out.print(f"  {field:34} {claim['value']:>12} {claim['unit']:8} {claim['source']}, "
                      f"{claim['locator']}, read {claim['retrieved']}{marker}", markup=False)  # fmt: skip


@main.command()
@click.option("--since", default="HEAD", show_default=True, help="The commit to compare with.")
def diff(since: str) -> None:
    """Show, as Markdown, which figures of data/clean changed since a commit."""
    old = {name: _at_commit(since, name) for name in TABLES}
    new = {name: (DATA.clean / f"{name}.csv").read_text(encoding="utf-8") for name in TABLES}
    click.echo(difference.markdown(old, new))


@main.command("sheet")
@click.argument("where", metavar="FILE_OR_ADDRESS")
@click.option("--read", "day", type=click.DateTime(["%Y-%m-%d"]), help="The day it was read (default: today).")
@click.option("--url", default="", help="The public address of a sheet that lies here as a file.")
def sheet_command(where: str, day: datetime | None, url: str) -> None:
    """Draft a GPU's YAML from a vendor's sheet (PDF, HTML, CSV or reStructuredText).

    What it cannot place is listed on stderr; nothing is guessed.
    """
    read = day.date() if day else date.today()
    try:
        if where.startswith(("http://", "https://")):
            content: bytes | Path = snapshots.Web(CACHE, read).document(where)
        else:
            content = Path(where)
        drafted = sheet.draft(content, where, read=read, url=url)
    except (sheet.SheetError, snapshots.FetchError, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(drafted.yaml)
    for line in drafted.unplaced:
        err.print(f"not placed: {line}", markup=False)


@main.command("estimate")
@click.option("--gpu", required=True, help="A GPU's id or any of its names.")
@click.option("--model", required=True, help="A model's id (data/models/) or its repository name.")
@click.option("--quant", default="q4_k_m", show_default=True, help="How the weights are stored.")
@click.option("--engine", default="llama.cpp", show_default=True, help="llama.cpp, ollama or vllm, also as name@build.")
@click.option("--context", default=2048, show_default=True, help="Tokens of prompt and answer together.")
@click.option("--batch", default=1, show_default=True, help="Requests at a time.")
@click.option("--gpus", default=1, show_default=True, help="How many of that GPU.")
@click.option("--task", type=click.Choice(["serve", "train", "lora", "qlora"]), default="serve", show_default=True)
def estimate_command(gpu: str, model: str, **asked: Any) -> None:  # noqa: ANN401 - the options above, by name
    """Print memory and speed of a model on a GPU as one JSON object, with the basis of each number."""
    try:
        dataset, registry = Dataset.load(), models.load()
        record, memory_gb = inputs.find_gpu(dataset, gpu)
        request = estimate.Request(prompt_tokens=min(512, asked["context"]), memory_gb=memory_gb, **asked)
        measured = inputs.points(dataset, registry).measured
        answer = estimate.estimate(inputs.card(record), registry.find(model), request, coefficients.load(), measured)
    except (DatasetError, estimate.EstimateError, models.ModelError) as error:
        raise click.UsageError(str(error)) from None
    click.echo(json.dumps(estimate.as_json(answer), indent=1, ensure_ascii=False))


@main.command("choose")
@click.argument("wishes", nargs=-1, metavar="NAME=VALUE ...")
@click.option("--json", "as_object", is_flag=True, help="Print one JSON object instead of text.")
def choose_command(wishes: tuple[str, ...], as_object: bool) -> None:
    """Answer "which GPU?": task=chat model=llama-3.1-8b-instruct budget_usd=800 …"""
    try:
        unpaired = [wish for wish in wishes if "=" not in wish]
        if unpaired:
            raise click.UsageError(f"{unpaired[0]!r} is no wish; write it as name=value, as task=chat")
        need = choose.parse(dict(wish.split("=", 1) for wish in wishes))
        answer = choose.choose(Dataset.load(), need)
    except (choose.NeedError, DatasetError) as error:
        raise click.UsageError(str(error)) from None
    click.echo(
        json.dumps(choose.as_json(answer), indent=1, ensure_ascii=False) if as_object else choose.as_text(answer)
    )


@main.command("estimator-fit")
def estimator_fit() -> None:
    """Fit the estimator's coefficients anew to the measured points of data/clean."""
    points = inputs.points(Dataset.load(), models.load())
    fitted = coefficients.text_of(fit.fit(points))
    files.replace_all(DATA.data, {"estimator/coefficients.json": fitted})
    out.print(f"fitted to {len(points.decode)} decode, {len(points.prefill)} prompt and {len(points.serving)} serving "
              f"points; data/estimator/coefficients.json")  # fmt: skip


@main.command("validate")
def validate_command() -> None:
    """Hold the estimator against every measured point; exit code 1 when a target is missed."""
    result = validation.validate(Dataset.load())
    for finding in result.findings:
        verdict = "reached" if finding.reached else "MISSED"
        target = f"{finding.low:g} to {finding.high:g}"
        out.print(
            f"{verdict:8} {finding.value:8.4g}  (target {target}; {finding.count} points)  {finding.name}", markup=False
        )
    for name, error in result.rules.items():
        out.print(f"  {name:48} mean error {error:.1%}", markup=False)
    sys.exit(OK if result.passed else PROBLEMS)


@main.command("measure", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def measure_command(words: tuple[str, ...]) -> None:
    """Measure this machine's GPU (needs PyTorch); measure --help lists the options."""
    sys.exit(measure.main([*words]))


@main.command("bench")
@click.option("--mirror", type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="Time the refresh too, from this mirror folder.")  # fmt: skip
def bench_command(mirror: Path | None) -> None:
    """Time refresh and build, and the cost of a row as rows grow (works on a copy of data/)."""
    out.print(f"{'what':28} {'rows':>9} {'seconds':>8} {'µs a row':>9}", markup=False)
    for timing in bench.run(DATA, mirror):
        out.print(f"{timing.what:28} {timing.rows:9} {timing.seconds:8.2f} {timing.us_per_row:9.1f}", markup=False)


def _at_commit(commit: str, table: str) -> str:
    command = ["git", "-C", str(ROOT), "show", f"{commit}:data/clean/{table}.csv"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return answer.stdout if answer.returncode == 0 else ""


def _print_outcome(outcome: refresh.Outcome) -> None:
    counts = refresh.summary(outcome)
    problem = str(counts.pop("problem"))
    if problem:
        err.print(f"FAILED {problem}", markup=False)
    else:
        err.print("  ".join(f"{key} {value}" for key, value in counts.items()), markup=False)


def _fail(error: Exception) -> NoReturn:
    """Print all problems and stop."""
    lines = str(error).splitlines()
    for line in lines:
        err.print(line, markup=False)
    err.print(f"{len(lines)} problem(s); nothing was changed")
    sys.exit(PROBLEMS)


if __name__ == "__main__":
    main(prog_name="python -m pipeline")
