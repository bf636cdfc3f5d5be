"""Published statements held against the dataset: each with its verdict, the figures behind it and the evidence.

A verdict on a figure is worked out again at every build. `facts` names figures, `expect` says what must hold:

    facts   a=fact:nvidia-h200-sxm-141gb:memory_gb; b=fact:nvidia-h100-sxm5-80gb:memory_gb
    expect  a / b < 1.9
    gap     2 * b / a                    how many times too much or too little was said

    fact:GPU:FIELD   price:GPU:KIND[@MONTH]   rent:GPU   constant:NAME   total:TABLE   a figure of the dataset
    text:GPU:COLUMN                           a word of the dataset, for "a is GDDR5"
    given:NUMBER:UNIT                         a figure of the statement or of its evidence

Conditions are joined by " and ": a comparison as `holds` of `prose` knows it, `x == y within N%`, or `a is WORDS`.
In the finding, references of `prose` and the named facts stand for figures: {{ a }}, {{ calc("a / b", a=a, b=b) }}.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from markupsafe import Markup
from pydantic import AfterValidator, StringConstraints, ValidationError

from pipeline.core import documents
from pipeline.core.documents import ReadDay, Strict
from pipeline.core.findings import Finding
from pipeline.core.paths import DATA
from pipeline.core.schema import field_of
from pipeline.dataset import Dataset, GpuRecord
from pipeline.editorial import guide
from pipeline.editorial.guide import ChapterSource
from pipeline.editorial.prose import Prose, ProseError, load_constants, load_figures
from pipeline.editorial.typed_figures import typed_figures

PATH = DATA.data / "statements.csv"
PAGE = "data/statements"
LONGEST_QUOTE = 25  # words: enough to identify a statement, too few to replace the article
Verdict = Literal["confirmed", "imprecise", "wrong", "outdated", "cannot be verified"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# How a named fact is written as a reference of `prose`.
REFERENCES: Mapping[str, str] = {
    "fact": 'fact("{0}", "{1}")',
    "price": 'price("{0}", "{1}", at="{2}")',
    "rent": 'rent("{0}")',
    "constant": 'constant("{0}")',
    "total": 'total("{0}")',
    "given": 'calc("{0}", unit="{1}")',
}
# What a word of a card is that is no figure.
WORDS_OF: Mapping[str, Callable[[GpuRecord], str]] = {
    "vendor": lambda gpu: gpu.vendor,
    "line": lambda gpu: gpu.line,
    "architecture": lambda gpu: gpu.architecture,
    "form_factor": lambda gpu: gpu.form_factor,
}

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Word = Annotated[str, StringConstraints(strip_whitespace=True)]

_WITHIN = re.compile(r"^(.+?) == (.+?) within ([\d.]+)%$")
_IS = re.compile(r"^(\w+) is (.+)$")
_SINCE = r"(?:\d{4}(?:-\d{2}(?:-\d{2})?)?|the start)?"
_NAMED = re.compile(r"^([a-z]\w*)=(\w+):(.+)$")


class StatementsError(RuntimeError):
    """Statements that must not be published; the message lists every problem with its row."""


def _form(pattern: str, otherwise: str) -> AfterValidator:
    """A cell of this form; what it is otherwise and what to do is told in words."""

    def checked(cell: str) -> str:
        if not re.fullmatch(pattern, cell, re.ASCII):
            raise ValueError(f"{cell!r} {otherwise}")
        return cell

    return AfterValidator(checked)


def _open(address: str) -> str:
    """An address that everybody can open, or none; the quote was read there."""
    if address and (wrong := documents.unreachable(address)):
        raise ValueError(wrong)
    return address


class Statement(Strict):
    """One row as written."""

    id: Annotated[str, _form(r"[A-Z]\d{3}", "is no number of a statement; write a letter and three digits, as C157")]
    quote: documents.Text
    source_title: documents.Text
    source_url: Annotated[
        str, _form(r"(?:https?://\S+)?", "is no web address; write one, or leave the cell empty"), AfterValidator(_open)
    ]
    read: ReadDay
    subject: Word  # ids of GPUs, ;-separated
    verdict: Verdict
    since: Annotated[str, _form(_SINCE, "is no day; write 2024, 2024-03 or 2024-03-15, 'the start', or nothing")]
    facts: Word
    expect: Word
    gap: Word
    finding: Text
    evidence: Word  # "label | address" with "; " between; an address of this site has no scheme


@dataclass(frozen=True, slots=True)
class Link:
    """One piece of evidence; an address of this site counts from its root."""

    label: str
    address: str

    @property
    def inside(self) -> bool:
        """Whether it leads to a page of this site."""
        return not self.address.startswith(("https://", "http://"))


@dataclass(frozen=True, slots=True)
class Checked:
    """A statement with its figures filled in; `finding` and `facts` are markup that links each figure."""

    statement: Statement
    finding: Markup
    facts: tuple[tuple[str, Markup], ...]
    evidence: tuple[Link, ...]
    gap: float | None


@dataclass(frozen=True, slots=True)
class Statements:
    """All statements that hold, and what is wrong with the others."""

    checked: tuple[Checked, ...]
    problems: tuple[Finding, ...]

    @property
    def counts(self) -> tuple[tuple[Verdict, int], ...]:
        """How many of each verdict, in the order of VERDICTS."""
        found = Counter(one.statement.verdict for one in self.checked)
        return tuple((verdict, found[verdict]) for verdict in VERDICTS)

    @property
    def worked(self) -> int:
        """How many verdicts are worked out from figures at every build."""
        return sum(bool(one.statement.expect) for one in self.checked)

    @property
    def worst(self) -> Checked | None:
        """The one that is off by the largest factor."""
        return max((one for one in self.checked if one.gap), key=lambda one: one.gap or 0, default=None)


def read(dataset: Dataset, path: Path = PATH, chapters: Path = guide.FOLDER, root: str = "../../") -> Statements:
    """Read, judge and render every statement; one with a problem is left out and reported."""
    prose = Prose(dataset, guide.figure_text, load_constants(guide.CONSTANTS), load_figures())
    anchors = anchors_of(chapters)
    checked: list[Checked] = []
    problems: list[Finding] = []
    seen: set[str] = set()
    for line, row in _rows(path):
        found = list(_problems(row, seen, dataset, anchors, prose)) if isinstance(row, Statement) else [row]
        problems += [Finding(f"data/{path.name}", line, message) for message in found]
        if isinstance(row, Statement) and not found:
            checked.append(_checked(row, prose, root))
    return Statements(tuple(checked), tuple(problems))


def anchors_of(chapters: Path) -> dict[str, list[str]]:
    """Where links into the guide can lead: anchors by chapter file."""
    sources = [ChapterSource(path.stem, path.read_text(encoding="utf-8")) for path in sorted(chapters.glob("*.md"))]
    return {f"guide/{source.name}.md": source.anchors for source in sources}


def ids(path: Path = PATH) -> set[str]:
    """The ids of all rows, which are anchors on the page."""
    return {row.id for _, row in _rows(path) if isinstance(row, Statement)}


def _rows(path: Path) -> Iterator[tuple[int, Statement | str]]:
    """Each row with its line, or what is wrong with it."""
    columns = list(Statement.model_fields)
    try:
        text = documents.text_of(path, "", ValueError)
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        documents.check_heads("", next(reader, None), columns, ValueError)
    except ValueError as error:
        yield 1, re.sub(r"^:(?:1:)? ", "", str(error))
        return
    line = 1
    try:
        for cells in reader:
            line, first = reader.line_num, line + 1
            if cells:
                yield first, _statement(cells, columns)
    except csv.Error as broken:
        yield line + 1, documents.csv_words(broken)


def _statement(cells: Sequence[str], columns: Sequence[str]) -> Statement | str:
    if len(cells) != len(columns):
        step = "put a cell that holds a comma in quotes"
        return f"{cells[0]}: this row has {len(cells)} cells, and there are {len(columns)} columns; {step}"
    try:
        return Statement.model_validate(dict(zip(columns, cells, strict=True)))
    except ValidationError as error:
        return f"{cells[0]}, {'; '.join(documents.told_of_row(error))}"


def _problems(
    row: Statement, seen: set[str], dataset: Dataset, anchors: Mapping[str, list[str]], prose: Prose
) -> Iterator[str]:
    for column, message in (
        *_problems_of_text(row, seen),
        *_problems_of_links(row, dataset, anchors),
        *_problems_of_figures(row, dataset, prose),
    ):
        yield f"{row.id}, {column}: {message}"
    seen.add(row.id)


def _problems_of_text(row: Statement, seen: set[str]) -> Iterator[tuple[str, str]]:
    if row.id in seen:
        yield "id", f"{row.id!r} is used twice; take the next free number"
    if len(row.quote.split()) > LONGEST_QUOTE:
        yield "quote", f"{len(row.quote.split())} words; quote at most {LONGEST_QUOTE}"
    if row.verdict == "outdated" and not row.since:
        yield "since", "an outdated statement was right once; say until when"
    if set(row.finding) & set("<>"):
        yield "finding", "holds < or >; write plain text, links belong into evidence"
    for typed in typed_figures(row.finding):
        yield "finding", f"{typed.figure!r} is typed; name it in facts and write {{{{ a }}}}"


def _problems_of_links(row: Statement, dataset: Dataset, anchors: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for gpu in filter(None, row.subject.split(";")):
        if gpu.strip() not in dataset.gpus:
            yield "subject", f"{gpu.strip()!r} is no GPU; ids stand in data/gpus/"
    if not row.evidence and not row.expect and row.verdict != "cannot be verified":
        yield "evidence", f"{row.verdict!r} without evidence; add a link, or facts with expect"
    for part in filter(None, row.evidence.split("; ")):
        label, _, address = part.partition(" | ")
        if message := broken(address.strip(), dataset, anchors) if label.strip() else "has no label":
            yield "evidence", f"{part!r}: {message}; write label | address"
        if message := documents.markup_in(label):
            yield "evidence", message


def broken(address: str, dataset: Dataset, anchors: Mapping[str, list[str]]) -> str:
    """Why an address leads nowhere, "" when it leads somewhere."""
    if re.fullmatch(r"https?://\S+", address):
        return documents.unreachable(address)
    path, _, anchor = address.partition("#")
    if path.startswith("guide/"):
        known = path in anchors and (not anchor or anchor in anchors[path])
        return "" if known else f"leads to no heading of docs/{path}"
    gpu = dataset.gpus.get(path.removeprefix("gpus/").rstrip("/"))
    if gpu is None:
        return "leads to no GPU and no chapter"
    claims = {f"claim-{field.replace(':', '-')}" for field in gpu.claims}
    known = not anchor or anchor in claims | {"prices", "measured"}
    return "" if known else f"leads to no claim of {gpu.id}"


def _problems_of_figures(row: Statement, dataset: Dataset, prose: Prose) -> Iterator[tuple[str, str]]:
    try:
        prelude = _prelude(row)
        prose.render(prelude + row.finding, row.id, "")
        if row.gap:
            prose.render(f"{prelude}{_calc(row)}", row.id, "")
    except ProseError as error:
        yield "finding", str(error)
        return
    for condition in filter(None, row.expect.split(" and ")):
        if message := _unreadable(condition.strip()):
            yield "expect", message
        elif message := _fails(condition.strip(), row, dataset, prose):
            yield "expect", f"{row.verdict!r} no longer follows: {message}; judge it anew"
    if row.facts and not row.expect:
        yield "expect", "facts are named and nothing is expected of them; say what must hold"


def _unreadable(condition: str) -> str:
    """What to write for a condition that compares nothing, "" for one that does."""
    compares = re.search(r"[<>]|[=!]=", condition) and not re.search(r"(?<![=<>!])=(?!=)", condition)
    return (
        ""
        if compares or _IS.match(condition)
        else f"{condition!r} is no comparison; write a > b, a == b within 5%, or a is WORD"
    )


def _fails(condition: str, row: Statement, dataset: Dataset, prose: Prose) -> str:
    """Why a condition does not hold, "" when it does."""
    if words := _IS.match(condition):
        shown = _texts(row, dataset).get(words[1])
        return "" if shown == words[2] else f"{condition!r} with {words[1]} = {shown!r}"
    try:
        for comparison in _comparisons(condition):
            prose.render(f"{_prelude(row)}{{{{ holds({comparison!r}, {_arguments(row)}) }}}}", row.id, "")
    except ProseError as error:
        return str(error)
    return ""


def _comparisons(condition: str) -> tuple[str, ...]:
    """`x == y within 1%` as two comparisons, everything else as it is."""
    if found := _WITHIN.match(condition):
        one, other, percent = found[1], found[2], float(found[3])
        return (f"{one} >= ({other}) * {1 - percent / 100}", f"{one} <= ({other}) * {1 + percent / 100}")
    return (condition,)


def _named(row: Statement) -> dict[str, tuple[str, list[str]]]:
    """Kind and parts of each named fact; ProseError for one that cannot be read."""
    named = {}
    for part in filter(None, (part.strip() for part in row.facts.split("; "))):
        found = _NAMED.match(part)
        if found is None or found[2] not in (*REFERENCES, "text"):
            raise ProseError(f"{part!r} is no fact; write a=fact:GPU:FIELD or another kind of {', '.join(REFERENCES)}")
        named[found[1]] = (found[2], _parts(found[2], found[3]))
    return named


def _parts(kind: str, text: str) -> list[str]:
    first, _, rest = text.partition(":")
    second, _, month = rest.partition("@")
    return [first, second, month] if kind == "price" else [first, rest, ""]


def _numbers(row: Statement) -> dict[str, str]:
    """Each named figure as a reference of `prose`."""
    return {name: REFERENCES[kind].format(*parts) for name, (kind, parts) in _named(row).items() if kind != "text"}


def _texts(row: Statement, dataset: Dataset) -> dict[str, str]:
    """Each named word with what the dataset says."""
    words = {name: parts for name, (kind, parts) in _named(row).items() if kind == "text"}
    return {
        name: (
            WORDS_OF[column](dataset.gpus[gpu]) if column in WORDS_OF else dataset.gpus[gpu].written(field_of(column))
        )
        for name, (gpu, column, _) in words.items()
        if gpu in dataset.gpus
    }


def _prelude(row: Statement) -> str:
    """The named figures as variables of the finding."""
    return "".join(f"{{% set {name} = {reference} %}}" for name, reference in _numbers(row).items())


def _arguments(row: Statement) -> str:
    return ", ".join(f"{name}={name}" for name in _numbers(row))


def _calc(row: Statement) -> str:
    """The gap as a bare number."""
    return f"{{{{ calc({row.gap!r}, {_arguments(row)}).number }}}}"


def _checked(row: Statement, prose: Prose, root: str) -> Checked:
    prelude = _prelude(row)
    gap = float(prose.render(f"{prelude}{_calc(row)}", row.id, root)) if row.gap else None
    shown = {name: prose.render(f"{prelude}{{{{ {name} }}}}", row.id, root) for name in _numbers(row)}
    shown |= _texts(row, prose.dataset)
    links = (part.partition(" | ") for part in filter(None, row.evidence.split("; ")))
    return Checked(
        row,
        Markup(prose.render(prelude + row.finding, row.id, root)),  # noqa: S704 - ours; `_problems` lets no markup in
        tuple((name, Markup(value)) for name, value in shown.items()),  # noqa: S704 - references escape what they show
        tuple(Link(label.strip(), address.strip()) for label, _, address in links),
        gap,
    )
