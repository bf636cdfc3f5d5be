"""The check of everything: data, tables that are current, and the prose that is bound to them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

import click

from pipeline.advise.choose import hosts, questions
from pipeline.advise.estimate import models, support, tables, training
from pipeline.advise.estimate.types import EstimateError
from pipeline.commands.console import OK, STALE, err, out
from pipeline.core import currencies, files, gpus, makers, paths
from pipeline.core.gpus import Gpu
from pipeline.core.paths import DATA
from pipeline.core.yaml_text import lines_of
from pipeline.dataset import Dataset, DatasetError
from pipeline.derive import cloud, quality
from pipeline.derive.prices import observe
from pipeline.editorial import coverage, guide, prose, statements
from pipeline.intake import licences, result_sets
from pipeline.intake.sources import MODULES
from pipeline.record import build as stages
from pipeline.site import package_data
from pipeline.site.charts.listed import IN_CHAPTERS
from pipeline.site.pages import table
from pipeline.tools.sheet import vendor_sheets

# Prose, the lists that are bound to figures as prose is, and what both name.
PROSE = (
    *("docs/", "data/statements.csv", "data/coverage.csv", "data/constants.yml", "data/figures.yml"),
    *("data/questions.yml", "data/models/", "data/hosts.yml", "data/providers.yml"),
)


def check(tell: Callable[[Sequence[str]], None]) -> None:
    """Hand every problem to `tell`, which stops where there is one; exit code 3 when data/clean is out of date."""
    evidence, withdrawn, found = stages.survey(paths.DATA)
    found += _problems_of_others()
    tell([*found, *(_problems_of_lists() if found else ())])
    tables = stages.finished(evidence, withdrawn).contents
    stale = files.differing(paths.DATA.data, package_data.completed(tables, paths.DATA.names))
    for path in stale:
        err.print(f"data/{path} is out of date", markup=False)
    if stale:
        err.print("run: make data")
        sys.exit(STALE)
    for question in result_sets.questions(paths.DATA.benchmark_sets):
        err.print(f"asked: {question}", markup=False)
    dataset = Dataset.load()
    tell(_problems_of_prose(dataset))
    for count in quality.counts(dataset, table.listed_first(dataset)):
        out.print(f"{count.found:6} of {count.of:6}  {count.share:6.1%}  {count.name}", markup=False)
    disputed = {(claim.gpu, claim.field) for claim in dataset.claims if claim.verdict == "differs"}
    out.print(
        f"{len(dataset.gpus)} GPUs, {len(dataset.claims)} claims, {len(disputed)} fields in dispute, "
        f"newest reading {dataset.newest_reading}: no problems"
    )


def problems(changed: Sequence[str], known: Mapping[str, Gpu]) -> list[str]:
    """Everything that is wrong, for somebody who touched these files: the prose only where it is among them.

    `known` are GPUs by file name that were read before.
    Prose is held against the tables as a build would write them, since those of data/clean may be older.
    """
    evidence, withdrawn, found = stages.survey(paths.DATA, known)
    found = [*_written_by_machine(changed), *found, *_problems_of_others()]
    if found:
        return [*found, *_problems_of_lists()]
    gone = any(not (paths.DATA.data.parent / path).exists() for path in changed)  # prose may name it
    if gone or any(path.startswith(PROSE) for path in changed):
        found = _problems_of_prose(Dataset.of_texts(_tables(stages.finished(evidence, withdrawn))))
    return found


def _tables(built: stages.Built) -> dict[str, str]:
    return {path: text for path, text in built.contents.items() if path.endswith(".csv")}


def _written_by_machine(changed: Sequence[str]) -> list[str]:
    step = "is written by the build; change the file that it is made of, and run: make data"
    return [f"{path}: {step}" for path in changed if path.startswith("data/clean/")]


def _problems_of_lists() -> list[str]:
    """What is wrong in questions and statements where records are wrong too, by the tables of the last build."""
    try:
        dataset = Dataset.load()
        return [*questions.misread(dataset), *map(str, statements.read(dataset).problems)]
    except (DatasetError, OSError, ValueError):  # no tables yet, or a list that is told above
        return []


def _problems_of_prose(dataset: Dataset) -> list[str]:
    return [
        *check_questions(dataset),
        *hosts.unpriced(dataset.prices),
        *observe.misspelt(dataset.prices),
        *check_guide(dataset),
        *check_statements(dataset),
        *check_coverage(dataset),
    ]


def _problems_of_others() -> list[str]:
    """What is wrong in the hand-written files that no GPU's record is made of."""
    found: list[str] = []
    for read in READERS:
        try:
            read()
        except ValueError as error:
            found.extend(str(error).splitlines())
    return found


def _makers() -> None:
    """Refuse a maker without a card: its words would stand for nothing, or its name is misspelt."""
    known = {gpu.vendor for gpu in gpus.sound(DATA.gpus)[0].values()}
    lines = lines_of(makers.FILE.read_text(encoding="utf-8"))
    idle = [
        f"data/makers.yml:{lines.get((maker,), 1)}: {maker}: no file of data/gpus is of this maker; "
        f"add its first GPU, or take the line out"
        for maker in makers.load()
        if known and maker not in known
    ]
    if idle:
        raise makers.MakerError("\n".join(idle))


def _clouds() -> None:
    unknown = cloud.unknown_gpus(cloud.load(), _ids())
    if unknown:
        raise cloud.CloudError("\n".join(unknown))


def _hosts() -> None:
    unknown = hosts.unknown_gpus(_ids())
    if unknown:
        raise hosts.HostError("\n".join(unknown))


def _support() -> None:
    known = gpus.sound(DATA.gpus)[0].values()
    unknown = support.unknown_gpus({word for gpu in known for word in (gpu.vendor, f"{gpu.vendor} {gpu.architecture}")})
    if unknown:
        raise EstimateError("\n".join(unknown))


def _estimator() -> None:
    wrong = tables.problems(_ids(), models.load())
    if wrong:
        raise EstimateError("\n".join(wrong))


def _ids() -> set[str]:
    return {path.stem for path in DATA.gpus.glob("*.yml")}


def _licences() -> None:
    missing = licences.load(DATA.licences).missing([module.SOURCE.id for module in MODULES])
    if missing:
        raise licences.LicenceError("\n".join(missing))


def _sheets() -> None:
    vendor_sheets.load(DATA.data, gpus.sound(DATA.gpus)[0])


# Who reads the hand-written files that no record is made of.
READERS: tuple[Callable[[], object], ...] = (
    models.load,
    training.load,
    _estimator,
    _support,
    _makers,
    _clouds,
    currencies.load,
    _hosts,
    observe.houses,
    questions.questions,
    lambda: prose.load_constants(guide.CONSTANTS),
    prose.load_figures,
    _licences,
    _sheets,
)


def check_questions(dataset: Dataset) -> list[str]:
    """Say which of the written questions the chooser cannot read."""
    return list(questions.misread(dataset))


def check_guide(dataset: Dataset) -> list[str]:
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


def check_statements(dataset: Dataset) -> list[str]:
    """Print how many published statements are checked; a verdict that the data turned is a problem."""
    read = statements.read(dataset)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in read.counts)
    out.print(f"statements: {len(read.checked)} checked ({counts}), {read.worked} worked out again")
    return list(map(str, read.problems))


def check_coverage(dataset: Dataset) -> list[str]:
    """Print how many names of the coverage list lead somewhere; one that does not is a problem."""
    try:
        found, missing = coverage.report(dataset)
    except coverage.CoverageError as error:
        return str(error).splitlines()
    out.print(f"coverage: {len(found)} of {len(found) + len(missing)} names lead to a page, section or entry")
    return list(map(str, missing))


@click.command("stale")
def stale_command() -> None:
    """List the guide's prices of today that are old; the scheduled refresh fails on them, a pull request warns."""
    found = guide.read(Dataset.load(), IN_CHAPTERS).stale
    for problem in found:
        out.print(str(problem), markup=False)
    sys.exit(STALE if found else OK)
