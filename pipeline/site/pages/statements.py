"""Published statements with their verdicts: counts and the worst case first, then a row for each that can be quoted."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.dataset import Dataset
from pipeline.editorial import coverage, statements
from pipeline.editorial.statements import Link
from pipeline.site.pages import addresses
from pipeline.site.render import Page


def pages(dataset: Dataset) -> Iterator[Page]:
    """One page with all of them; StatementsError lists every problem, for a wrong verdict is not published."""
    read = statements.read(dataset)
    if read.problems:
        raise statements.StatementsError("\n".join(map(str, read.problems)))
    # The numbers of the old articles and the statement that settles each: only these rows the search must know
    here = f"{statements.PAGE}#"
    numbers = [(e.name, e.target.removeprefix(here)) for e in coverage.entries() if e.target.startswith(here)]
    context = {
        "statements": read,
        "sources": len({one.statement.source_title for one in read.checked}),
        "newest": dataset.newest_reading,
        "address_of": address_of,
        "numbers": numbers,
        "edit": addresses.edit("data/statements.csv"),
        "report": addresses.report("statement"),
    }
    yield Page(
        statements.PAGE,
        "statements.html.j2",
        context,
        "Statements checked",
        "What articles, vendors and calculators say of GPUs, checked against the data at every build.",
        "data/statements.csv",
    )


def address_of(link: Link, root: str) -> str:
    """Where a piece of evidence stands, seen from a page whose way to the site's root is `root`."""
    if not link.inside:
        return link.address
    path, _, anchor = link.address.partition("#")
    page = path.removesuffix(".md").removesuffix("index").rstrip("/")
    return f"{root}{page}/#{anchor}" if anchor else f"{root}{page}/"
