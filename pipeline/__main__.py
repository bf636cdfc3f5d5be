"""The command line: the only place that parses arguments and prints."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.progress import Progress

from pipeline.advise import choose, estimate
from pipeline.advise.choose import questions as choose_questions
from pipeline.advise.estimate import coefficients, fit, inputs, models, validation
from pipeline.core import currencies, files, theory
from pipeline.core.paths import CACHE, DATA, ROOT
from pipeline.core.schema import TABLES
from pipeline.dataset import Dataset, DatasetError
from pipeline.derive import cloud, quality
from pipeline.editorial import coverage, guide, statements
from pipeline.intake import licences, refresh, result_sets, snapshots
from pipeline.intake.sources import MODULES
from pipeline.record import build as stages
from pipeline.record import check as checks
from pipeline.record import difference
from pipeline.site import package_data
from pipeline.site.charts.listed import IN_CHAPTERS
from pipeline.site.release import package as release
from pipeline.site.release.tables import ReleaseError
from pipeline.tools import changes, new_gpu, price_audit, schemas, sheet
from pipeline.tools.bench import dataset as bench
from pipeline.tools.bench import prices as price_bench
from pipeline.tools.measure import cli as measure
from pipeline.tools.sheet import vendor_sheets

# What the check read before, so that a second look at one file is quick.
CHECKED = CACHE.parent / "check" / "gpus.pickle"
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
    new-gpu   begins a new GPU: a file with comments that teach
    show      prints one GPU with the source of each figure
    diff      shows which figures changed since a commit
    release   writes the dataset as a data package (CSV, JSON, Parquet, SQLite)
    estimate  says whether a model fits on a GPU and how fast it runs
    choose    answers "which GPU?" with reasons
    questions prints the answers to the written questions
    validate  holds the estimator against every measured point
    price-audit  holds our prices against a collection of others
    measure   measures this machine's GPU
    bench     times refresh and build
    """


@main.command()
def build() -> None:
    """Make data/clean from what is committed; on a problem nothing changes."""
    try:
        with files.alone(DATA.data):
            files.replace_all(DATA.data, _fresh_tables())
    except (stages.BuildError, result_sets.ResultSetError, files.Busy) as error:
        _fail(error)
    except OSError as error:
        _fail_to_write(error)
    dataset = Dataset.load()
    out.print(
        f"data/clean: {len(dataset.gpus)} GPUs, "
        + ", ".join(f"{dataset.size(name)} {name}" for name in TABLES if name != "gpus")
    )


def _fresh_tables() -> dict[str, str]:
    """What stands in data/clean after a build: the tables, and the files of the Python package made from them."""
    tables = stages.compile_dataset(DATA).contents
    return tables | package_data.of_tables(tables, DATA.names)


@main.command("price-audit")
def price_audit_() -> None:
    """Hold our prices against those collected in tests/price_audit; misses are listed with what both rest on."""
    try:
        prices = price_audit.collection()
    except price_audit.AuditError as error:
        _fail(error)
    rows = list(price_audit.held(Dataset.load(), prices))
    why = price_audit.explanations()
    for row in rows:
        price, ours = row.collected, row.quote
        if row.compared and not row.right:
            rests_on = "; ".join(filter(None, (ours.words, *ours.doubts)))
            out.print(
                f"{price.card}, {price.kind}, {price.market}: {ours.value:g} against {price.low:g} to {price.high:g}"
                f" of {price.day} ({price.note or price.url}) · ours: {rests_on} · {why.get(row.key, 'not explained')}"
            )
    for kind in dict.fromkeys(row.collected.kind for row in rows):
        out.print(_share_right(kind, [row for row in rows if row.collected.kind == kind]))
    out.print(_share_right("all", rows))


def _share_right(name: str, rows: list[price_audit.Held]) -> str:
    compared = [row for row in rows if row.compared]
    right = sum(row.right for row in compared)
    share = f"{100 * right / len(compared):.0f} %" if compared else "none"
    return f"{name:12} {right:3} of {len(compared):3} in range ({share}), {len(rows) - len(compared)} not quoted"


@main.command("refresh")
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
        _refresh_sheets(mirror, accept)
        return
    if accept_change and not only:
        raise click.UsageError("--accept-change takes the sources that you looked at: name them with --only")
    chosen = [module for module in MODULES if not only or module.SOURCE.id in only]
    unknown = set(only) - {module.SOURCE.id for module in chosen}
    if unknown:
        known = ", ".join(module.SOURCE.id for module in MODULES)
        raise click.UsageError(f"unknown source {min(unknown)!r}; sources: {known}")
    try:
        with files.alone(DATA.data):
            outcomes = _refresh_sources(chosen, mirror, accept_change)
    except (stages.BuildError, snapshots.FetchError, files.Busy) as error:
        _fail(error)
    except OSError as error:
        _fail_to_write(error)
    failed = [outcome for outcome in outcomes if outcome.problem]
    out.print(f"{len(outcomes) - len(failed)} of {len(outcomes)} sources read; unknown names: data/unresolved/")
    sys.exit(SOURCE_FAILED if failed else OK)


def _refresh_sources(chosen: Sequence[ModuleType], mirror: Path | None, accept_change: bool) -> list[refresh.Outcome]:
    """Read the sources and tell of each what came of it."""
    names = stages.load_names(DATA)
    store: snapshots.Store = snapshots.Mirror.open(mirror) if mirror else snapshots.Web(CACHE, date.today())
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading sources", total=len(chosen))

        def report(outcome: refresh.Outcome) -> None:
            progress.advance(task)
            _print_outcome(outcome)

        return refresh.refresh(chosen, store, names, DATA, report, accept_change)


def _refresh_sheets(mirror: Path | None, accept: bool) -> None:
    """Read each sheet of the list again; exit code 4 when one is gone or could not be read."""
    today = date.today()
    try:
        library = vendor_sheets.library(DATA)
        entries = vendor_sheets.load(DATA.data, library.gpus)
        store: snapshots.Documents = (
            snapshots.Mirror.open(mirror)
            if mirror
            else snapshots.Web(CACHE, today, snapshots.SHEET_RETRY, sheet.MAX_BYTES, snapshots.SHEET_TIMEOUTS_S)
        )
    except (ValueError, snapshots.FetchError) as error:
        _fail(error)
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("reading sheets", total=len(entries))
        readings = vendor_sheets.read_all(
            entries, store, library, vendor_sheets.last_facts(DATA.data), today, lambda _: progress.advance(task)
        )
    click.echo(vendor_sheets.markdown(readings))
    if accept:
        vendor_sheets.accept(readings, DATA.data, today)
    sys.exit(SOURCE_FAILED if any(reading.status in vendor_sheets.FAILED for reading in readings) else OK)


@main.command()
@click.argument("changed", nargs=-1, metavar="[FILE ...]")
@click.option("--since", default="", help="Look at the files of data/ that changed since this commit.")
@click.option("--format", "form", type=click.Choice(["text", "github"]), default="text", show_default=True)
def check(changed: tuple[str, ...], since: str, form: str) -> None:
    """Say everything that is wrong, by file and line; with FILE only what is wrong with that file.

    Without FILE it also says whether data/clean is what a build would write. "github" prints the problems as the
    hosting service shows them beside the lines of a pull request.
    """
    if changed or since:
        wanted = [*map(_from_root, changed), *(_changed_since(since) if since else [])]
        _tell(checks.of_files(DATA, wanted, CHECKED), form)
        out.print(f"{len(wanted)} file(s): no problems")
        return
    try:
        with files.alone(DATA.data):  # what a killed command left is finished or thrown away, and not called a fault
            pass
    except files.Busy as error:
        _fail(error)
    problems = [*stages.survey(DATA)[2], *_problems_of_others()]
    if problems:
        _tell(checks.findings(problems, DATA.data.parent), form)
    stale = files.differing(DATA.data, _fresh_tables())
    if stale:
        for path in stale:
            err.print(f"data/{path} is out of date", markup=False)
        err.print("run: make data")
        sys.exit(STALE)
    for question in result_sets.questions(DATA.benchmark_sets):
        err.print(f"asked: {question}", markup=False)
    dataset = Dataset.load()
    _tell(checks.findings(_problems_of_prose(dataset), DATA.data.parent), form)
    for count in quality.counts(dataset):
        out.print(f"{count.found:6} of {count.of:6}  {count.share:6.1%}  {count.name}", markup=False)
    disputed = {(claim.gpu, claim.field) for claim in dataset.claims if claim.verdict == "differs"}
    out.print(
        f"{len(dataset.gpus)} GPUs, {len(dataset.claims)} claims, {len(disputed)} fields in dispute, "
        f"newest reading {dataset.newest_reading}: no problems"
    )


def _problems_of_others() -> list[str]:
    """What is wrong in the hand-written files that no GPU's record is made of."""
    found: list[str] = []
    for read in (models.load, theory.load, cloud.load, currencies.load):
        try:
            read()
        except ValueError as error:
            found.extend(str(error).splitlines())
    try:
        decided = licences.load(ROOT / "data" / "licences.csv")
        found.extend(decided.missing([module.SOURCE.id for module in MODULES]))
    except licences.LicenceError as error:
        found.append(str(error))
    return found


def _problems_of_prose(dataset: Dataset) -> list[str]:
    """What is wrong in guide, statements and coverage; how they are bound to the data is printed."""
    return [*_check_guide(dataset), *_check_statements(dataset), *_check_coverage(dataset)]


def _tell(found: Sequence[checks.Finding], form: str) -> None:
    """Print what was found and stop; nothing where there is nothing."""
    if not found:
        return
    for finding in found:
        click.echo(finding.annotation if form == "github" else str(finding), err=form == "text")
    err.print(f"{len(found)} problem(s); nothing was changed")
    sys.exit(PROBLEMS)


def _from_root(path: str) -> str:
    """A file as the checks name it; UsageError where there is none."""
    full = Path(path).resolve()
    if not full.exists():
        raise click.UsageError(f"there is no file {path!r}")
    return full.relative_to(DATA.data.parent.resolve()).as_posix() if DATA.data.resolve() in full.parents else path


def _changed_since(commit: str) -> list[str]:
    """The hand-written files of data/ that a commit does not have as they are now."""
    command = ["git", "-C", str(ROOT), "diff", "--name-only", "--diff-filter=d", commit, "--", "data", ":!data/clean"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise click.UsageError(f"git knows no commit {commit!r}")
    return answer.stdout.splitlines()


def _check_guide(dataset: Dataset) -> list[str]:
    """Print how the guide is bound to the data; a figure that is typed, gone or no longer true is a problem."""
    read = guide.read(dataset, IN_CHAPTERS)
    typed = sum("is typed" in problem.message for problem in read.problems)
    out.print(
        f"guide: {len(read.chapters)} chapters, {len(read.figures)} figures bound to the data in "
        f"{read.references} places, {typed} unbound; {read.comparisons} comparisons bound"
    )
    for problem in read.stale:  # a stranger's change is not held up by the calendar; the scheduled refresh is
        err.print(f"warning: {problem}", markup=False)
    return list(map(str, read.problems))


def _check_statements(dataset: Dataset) -> list[str]:
    """Print how many published statements are checked; a verdict that the data turned is a problem."""
    read = statements.read(dataset)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in read.counts)
    out.print(f"statements: {len(read.checked)} checked ({counts}), {read.worked} worked out again")
    return list(map(str, read.problems))


def _check_coverage(dataset: Dataset) -> list[str]:
    """Print how many names of the coverage list lead somewhere; one that does not is a problem."""
    found, missing = coverage.report(dataset)
    out.print(f"coverage: {len(found)} of {len(found) + len(missing)} names lead to a page, section or entry")
    return list(map(str, missing))


@main.command("stale")
def stale_command() -> None:
    """List the guide's prices of today that are old; the scheduled refresh fails on them, a pull request warns."""
    found = guide.read(Dataset.load(), IN_CHAPTERS).stale
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
            out.print(
                f"  {field:34} {claim.value:>12} {claim.unit:8} {claim.source}, "
                f"{claim.locator}, read {claim.retrieved}{marker}",
                markup=False,
            )


@main.command()
@click.option("--since", default="HEAD", show_default=True, help="The commit to compare with.")
def diff(since: str) -> None:
    """Say, as Markdown, what changed for a reader since a commit: figures, prices, results, sentences, picks."""
    old = {name: _at_commit(since, name) for name in TABLES}
    with TemporaryDirectory() as folder:
        for name, text in old.items():
            (Path(folder) / f"{name}.csv").write_text(text, encoding="utf-8", newline="")
        try:
            click.echo(changes.markdown(Dataset.load(Path(folder)), Dataset.load()))
        except (ValueError, DatasetError):  # tables of another form than today's: row by row, as text
            click.echo(difference.markdown(old, difference.texts(DATA.clean)))


@main.command("new-gpu")
@click.argument("id")
@click.option("--sheet", "where", default="", metavar="FILE_OR_ADDRESS", help="Draft it from a maker's sheet.")
@click.option("--url", default="", help="The public address of a sheet that lies here as a file.")
def new_gpu_command(id: str, where: str, url: str) -> None:
    """Begin a new GPU: data/gpus/ID.yml, empty with comments that teach, or drafted from a maker's sheet."""
    try:
        path = new_gpu.checked(id, DATA)
        text = _drafted(where, date.today(), url) if where else new_gpu.empty(id)
    except new_gpu.NewGpuError as error:
        raise click.UsageError(str(error)) from None
    files.replace_all(DATA.data, {path: text})
    out.print(f"data/{path} is there; fill it in, then run: python -m pipeline check data/{path}", markup=False)


@main.command("schemas")
def schemas_command() -> None:
    """Write data/schemas anew, by which editors help with the files of data/."""
    files.replace_all(DATA.data, schemas.contents())
    out.print(f"data/schemas: {len(schemas.contents())} schemas")


@main.command("release")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--since", default="", help="The release before this one: a tag or commit, or a folder with its CSV files."
)
def release_command(out: Path, since: str) -> None:
    """Write the dataset as a data package: CSV, JSON, Parquet and SQLite, described, with checksums and changes."""
    if out.exists() and any(out.iterdir()) and not (out / "datapackage.json").exists():
        raise click.UsageError(f"{out} holds something else than a release; name a new or an empty folder")
    try:
        version = release.write(out, Dataset.load(), _tables_of(since) if since else None)
    except (DatasetError, ReleaseError, licences.LicenceError) as error:
        _fail(error)
    out_files = sum(path.is_file() for path in out.rglob("*"))
    click.echo(f"{out}: {out_files} files, version {version}")


def _tables_of(state: str) -> dict[str, str]:
    """The tables of an earlier state: a folder's, or those of a commit."""
    if Path(state).is_dir():
        return difference.texts(Path(state))
    return {name: _at_commit(state, name) for name in TABLES}


@main.command("sheet")
@click.argument("where", metavar="FILE_OR_ADDRESS")
@click.option("--read", "day", type=click.DateTime(["%Y-%m-%d"]), help="The day it was read (default: today).")
@click.option("--url", default="", help="The public address of a sheet that lies here as a file.")
def sheet_command(where: str, day: datetime | None, url: str) -> None:
    """Draft a GPU's YAML from a vendor's sheet (PDF, HTML, CSV or reStructuredText).

    What it cannot place is listed on stderr; nothing is guessed.
    """
    click.echo(_drafted(where, day.date() if day else date.today(), url))


def _drafted(where: str, read: date, url: str) -> str:
    """A sheet's figures as a GPU's YAML; what it cannot place is listed on stderr."""
    try:
        if where.startswith(("http://", "https://")):
            content: bytes | Path = snapshots.Web(CACHE, read).document(where)
        else:
            content = Path(where)
        drafted = sheet.draft(content, where, read=read, url=url)
    except (sheet.SheetError, snapshots.FetchError, OSError) as error:
        raise click.ClickException(str(error)) from None
    for line in drafted.unplaced:
        err.print(f"not placed: {line}", markup=False)
    return drafted.yaml


@main.command("estimate")
@click.option("--gpu", required=True, help="A GPU's id or any of its names.")
@click.option("--model", required=True, help="A model's id (data/models/) or its repository name.")
@click.option("--quant", default="q4_k_m", show_default=True, help="How the weights are stored.")
@click.option(
    "--engine", default="llama.cpp", show_default=True, help="llama.cpp, ollama, vllm, sglang …, also as name@build."
)
@click.option("--context", default=2048, show_default=True, help="Tokens of prompt and answer together.")
@click.option("--prompt", "prompt_tokens", type=int, help="Tokens of the prompt; half of the context by itself.")
@click.option("--batch", default=1, show_default=True, help="Requests at a time.")
@click.option("--gpus", default=1, show_default=True, help="How many of that GPU.")
@click.option("--task", type=click.Choice(["serve", "train", "lora", "qlora"]), default="serve", show_default=True)
def estimate_command(gpu: str, model: str, **asked: Any) -> None:  # noqa: ANN401 - the options above, by name
    """Print memory and speed of a model on a GPU as one JSON object, with the basis of each number."""
    try:
        dataset, registry = Dataset.load(), models.load()
        record, memory_gb = inputs.find_gpu(dataset, gpu)
        request = estimate.Request(memory_gb=memory_gb, **asked)
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


@main.command("questions")
def questions_command() -> None:
    """Print the answer to every written question of data/questions.yml, for an expert to read."""
    dataset = Dataset.load()
    for question in choose_questions.questions():
        click.echo(f"\n## {question.id}: {question.words}\n({question.reading})")
        try:
            answer = choose.choose(dataset, choose.parse(question.asked))
        except choose.NeedError as error:
            click.echo(f"Refused: {error}")
            continue
        click.echo(choose.as_text(answer).partition("Why others lost:")[0].rstrip())


@main.command("estimator-fit")
def estimator_fit() -> None:
    """Fit the estimator's coefficients anew to the measured points of data/clean."""
    points = inputs.points(Dataset.load(), models.load())
    fitted = coefficients.text_of(fit.fit(points))
    told = files.csv_text(validation.PREDICTION_COLUMNS, validation.predict(points))
    files.replace_all(
        DATA.data, {"estimator/coefficients.json": fitted, f"estimator/{validation.PREDICTIONS.name}": told}
    )
    out.print(
        f"fitted to {len(points.decode)} decode, {len(points.prefill)} prompt and {len(points.serving)} serving "
        f"points; data/estimator/coefficients.json"
    )


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
    out.print("on sources that no fit ever saw:", markup=False)
    for row in result.regimes:
        if not row.points:
            out.print(f"  {row.regime:20} no point; fitted to {row.fitted_points} points", markup=False)
            continue
        out.print(
            f"  {row.regime:20} {row.points:4} points, {row.sources} sources  median {row.median:.0%} (goal "
            f"{row.goal:.0%}: {'reached' if row.reached else 'missed'})  mean {row.mean:.0%}  inside the interval "
            f"{row.covered:.0%} ({'as promised' if row.covers else 'not 75 to 88 %'}); fitted to "
            f"{row.fitted_points} points of {row.fitted_sources} sources",
            markup=False,
        )
        for source, count, middle in row.by_source:
            out.print(f"    {source:30} {count:4} points, median {middle:.0%}", markup=False)
    sys.exit(OK if result.passed else PROBLEMS)


@main.command("measure", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def measure_command(words: tuple[str, ...]) -> None:
    """Measure this machine's GPU (needs PyTorch); measure --help lists the options."""
    sys.exit(measure.main([*words]))


@main.command("bench")
@click.option(
    "--mirror",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Time the refresh too, from this mirror folder.",
)
@click.option("--observations", default=0, help="Summarise so many generated prices on each engine too.")
def bench_command(mirror: Path | None, observations: int) -> None:
    """Time refresh and build, and the cost of a row as rows grow (works on a copy of data/)."""
    out.print(f"{'what':28} {'rows':>9} {'seconds':>8} {'µs a row':>9}", markup=False)
    for timing in bench.run(DATA, mirror):
        out.print(f"{timing.what:28} {timing.rows:9} {timing.seconds:8.2f} {timing.us_per_row:9.1f}", markup=False)
    runs = list(price_bench.run(observations)) if observations else []
    for asked, best in price_bench.best(runs).items():
        out.print(f"\nprices by month, {observations:,} observations, {asked} months", markup=False)
        out.print(f"{'engine':28} {'seconds':>9} {'× best':>8} {'peak MiB':>9}", markup=False)
        for one in (one for one in runs if one.months == asked):
            line = f"{one.engine:28} {one.seconds:9.1f} {one.seconds / best:8.2f} {one.peak_mib:9.0f}"
            out.print(line, markup=False)


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


def _fail_to_write(error: OSError) -> NoReturn:
    """Say that the disk is full or a folder may not be written; what stood before still stands."""
    where = f"{error.filename}: " if error.filename else ""
    err.print(
        f"{where}{error.strerror or error}; make room or give the right to write, then run this again", markup=False
    )
    decided = (DATA.data / files.STAGE / files.MARKER).exists()
    err.print("the next command finishes the change" if decided else "nothing was changed")
    sys.exit(PROBLEMS)


def _fail(error: Exception) -> NoReturn:
    """Print all problems and stop."""
    lines = str(error).splitlines()
    for line in lines:
        err.print(line, markup=False)
    err.print(f"{len(lines)} problem(s); nothing was changed")
    sys.exit(PROBLEMS)


if __name__ == "__main__":
    main(prog_name="python -m pipeline")
