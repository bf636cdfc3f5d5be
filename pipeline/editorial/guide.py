"""The guide's chapters, rendered and checked: which figures they use, and every problem by file and line."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from jinja2 import TemplateSyntaxError

from pipeline.advise import rules
from pipeline.core.documents import meant, unreachable
from pipeline.core.findings import Finding
from pipeline.core.paths import DATA, ROOT
from pipeline.core.templates import root_of
from pipeline.core.wording import SIGNS, money, quantity, ratio
from pipeline.core.yaml_text import lines_of, ours
from pipeline.dataset import Dataset
from pipeline.editorial.prose import FIGURES, Aged, Prose, ProseError, load_constants, load_figures
from pipeline.editorial.typed_figures import typed_figures, unbound_ratios

FOLDER = ROOT / "docs" / "guide"
CONSTANTS = DATA.data / "constants.yml"
NEEDED = ("title", "description")
LISTS = ("index", "families")  # pages below gpus/ that are no GPU

NOT_OF_A_GPU = ("constant", "model")  # kinds of figures that no GPU's record holds

OLD = ("stale", "withdrawn")  # of pipeline/derive/prices/staleness.py

Use = tuple[str, str, str]  # kind, GPU and field of a figure

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*(?:\{: *#([\w-]+) *\})?$")
_ID = re.compile(r"""\bid=["']([\w-]+)["']""")
_LINKED_FIGURE = re.compile(
    r"\[[^\[\]]*?(\{\{ ?(?:constant|fact|price|rent|bench|peak|gpu)\([^{}]*\) ?\}\})[^\[\]]*\]\("
)
_LINK = re.compile(r"\]\(([^)\s]+)[^)]*\)")
# A comparison of cards can turn false with the data; the line that makes it must state its condition.
_COMPARES = re.compile(
    r"\b(?:\w+er|more|less|fewer)(?: \w+){0,2} than\b(?! \{\{)"
    r"|\bthe (?:cheapest|fastest|slowest|largest|smallest|strongest)\b"
)
_CONSTANT = re.compile(r"""constant\(\s*["']([^"']+)["']""")
_FIGURE = re.compile(r"""figure\(\s*["']([^"']+)["']""")
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


class GuideError(RuntimeError):
    """Chapters that must not be published; the message lists every problem with file and line."""


@dataclass(frozen=True, slots=True)
class ChapterSource:
    """A chapter as written."""

    name: str
    text: str

    @property
    def file(self) -> str:
        """Where it lies in the repository."""
        return f"docs/guide/{self.name}.md"

    @property
    def path(self) -> str:
        """Its place on the site, without suffix."""
        return f"guide/{self.name}"

    @property
    def address(self) -> str:
        """Its address below the site's root."""
        return "guide/" if self.name == "index" else f"{self.path}/"

    @property
    def meta(self) -> Mapping[str, str]:
        """What its front matter says."""
        found = _FRONT_MATTER.match(self.text)
        return (ours(found[1]) or {}) if found else {}

    @property
    def body(self) -> str:
        """The chapter with an empty line in place of each line of the front matter, so that lines still count."""
        return _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), self.text)

    @property
    def anchors(self) -> list[str]:
        """Where a link can lead to inside the chapter."""
        return _anchors(self.body)


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter with its figures filled in."""

    source: ChapterSource
    markdown: str
    used: tuple[Use, ...]
    aged: tuple[Aged, ...]
    held: int  # comparisons that state their condition


@dataclass(frozen=True, slots=True)
class Guide:
    """All chapters, and what is wrong with them."""

    chapters: tuple[Chapter, ...]
    problems: tuple[Finding, ...]

    @property
    def figures(self) -> tuple[Use, ...]:
        """Every figure of a GPU that some chapter uses, once."""
        return tuple(sorted({use for chapter in self.chapters for use in chapter.used if use[0] not in NOT_OF_A_GPU}))

    @property
    def stale(self) -> tuple[Finding, ...]:
        """Prices of today that are old without a word of it, and those called old that are not: to be mended soon."""
        found = {
            Finding(chapter.source.file, one.line, _aged(one))
            for chapter in self.chapters
            for one in chapter.aged
            if one.said != (one.state in OLD)
        }
        return tuple(sorted(found))

    @property
    def comparisons(self) -> int:
        """How many comparisons state the condition under which they are true."""
        return sum(chapter.held for chapter in self.chapters)

    @property
    def references(self) -> int:
        """How often the chapters refer to a figure."""
        return sum(use[0] not in NOT_OF_A_GPU for chapter in self.chapters for use in chapter.used)


def read(
    dataset: Dataset,
    charts: frozenset[str],
    folder: Path = FOLDER,
    constants: Path = CONSTANTS,
    figures: Path = FIGURES,
) -> Guide:
    """Render and check every chapter; a chapter with a reference that leads to nothing is left out and reported.

    `charts` are the names of the charts that a chapter may show (the site's list).
    """
    sources = written(folder)
    prose = prose_of(dataset, charts, constants, figures)
    chapters: list[Chapter] = []
    problems: list[Finding] = []
    for source in sources.values():
        problems += _problems(source, sources, dataset)
        try:
            chapters.append(render(source, prose))
        except ProseError as error:
            problems += _wrong_references(source, prose, error)
    bodies = [source.body for source in sources.values()]
    problems += _idle("figure", prose.shared, _FIGURE, bodies, figures)
    problems += _idle("constant", prose.constants, _CONSTANT, [*bodies, *prose.shared.values()], constants)
    return Guide(tuple(chapters), tuple(sorted(problems)))


def written(folder: Path = FOLDER) -> dict[str, ChapterSource]:
    """Every chapter as it stands in the repository, by name."""
    return {
        path.stem: ChapterSource(path.stem, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.md"))
    }


def prose_of(dataset: Dataset, charts: frozenset[str], constants: Path = CONSTANTS, figures: Path = FIGURES) -> Prose:
    """The prose of the chapters: what they may refer to, and how a figure is written."""
    return Prose(dataset, figure_text, load_constants(constants), load_figures(figures), charts=charts)


def _idle(
    kind: str, known: Iterable[str], reference: re.Pattern[str], texts: Iterable[str], path: Path
) -> Iterator[Finding]:
    """What no chapter names has no business in the file; it is named by a slip of its name too."""
    named = {name for text in texts for name in reference.findall(text)}
    unknown = sorted(named.difference(known))
    for name in sorted(set(known) - named):
        if not meant(name, unknown):
            line = lines_of(path.read_text(encoding="utf-8")).get((name,), 1)
            yield Finding(f"data/{path.name}", line, f"no chapter uses the {kind} {name!r}; take it out")


def _wrong_references(source: ChapterSource, prose: Prose, first: ProseError) -> Iterator[Finding]:
    """What is wrong with the references of a chapter, line by line: each such line is left out to find the next."""
    lines = source.body.splitlines()
    problem = _located(source, first)
    while True:
        yield problem
        if not 1 <= problem.line <= len(lines) or not lines[problem.line - 1]:
            return
        lines[problem.line - 1] = ""
        try:
            prose.render("\n".join(lines), source.file, root_of(source.address))
        except ProseError as error:
            if isinstance(error.__cause__, TemplateSyntaxError):  # perhaps only because the line was left out
                return
            problem = _located(source, error)
        else:
            return


def render(source: ChapterSource, prose: Prose) -> Chapter:
    """Fill the figures of one chapter in; ProseError for a reference that leads to nothing."""
    used, aged, held = len(prose.used), len(prose.aged), prose.held
    markdown = prose.render(source.body, source.file, root_of(source.address)).strip()
    return Chapter(source, markdown, tuple(prose.used[used:]), tuple(prose.aged[aged:]), prose.held - held)


def figure_text(amount: float, unit: str) -> str:
    """A figure as the whole site writes it."""
    if unit in SIGNS:  # an hour of a small GPU costs a few cents: three digits, as everywhere
        return money(amount, unit) if amount >= 1 else str(rules.amount(amount, SIGNS[unit]))
    return ratio(amount) if unit == "×" else quantity(amount, unit)


def anchor(heading: str) -> str:
    """The anchor that a heading gets, by the rule of Python-Markdown."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
    ascii_only = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())


@lru_cache(maxsize=64)
def _anchors(body: str) -> list[str]:
    """Worked out once for all the links that lead into a chapter."""
    lines = _FENCE.sub("", body).splitlines()
    headings = [found[2] or anchor(found[1]) for line in lines if (found := _HEADING.match(line))]
    return headings + _ID.findall(body)


def _problems(source: ChapterSource, sources: Mapping[str, ChapterSource], dataset: Dataset) -> Iterator[Finding]:
    for name in NEEDED:
        if not source.meta.get(name):
            yield Finding(source.file, 1, f"front matter has no {name}; add it between two lines of ---")
    for typed in typed_figures(source.text):
        message = f"{typed.figure!r} is typed; write a reference, or a constant of data/constants.yml"
        yield Finding(source.file, typed.line, message)
    for found in unbound_ratios(source.text):
        message = f"{found.figure!r} is a ratio in words; bind it in the same line with {{{{ holds(…) }}}} or calc"
        yield Finding(source.file, found.line, message)
    for twice, times in Counter(source.anchors).items():
        if times > 1:
            yield Finding(source.file, 1, f"{times} headings lead to #{twice}; give each its own name")
    yield from _problems_of_lines(source, sources, dataset)


def _problems_of_lines(
    source: ChapterSource, sources: Mapping[str, ChapterSource], dataset: Dataset
) -> Iterator[Finding]:
    prose = _FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), source.body)
    for at, line in enumerate(prose.splitlines(), start=1):
        if line.startswith("#") and "{{" in line:
            yield Finding(source.file, at, "a heading carries a reference: its anchor would change with the data")
        if "gpu(" in line and "holds(" not in line and (found := _COMPARES.search(line)):
            yield Finding(source.file, at, f"{found[0]!r} compares; bind it in the same line with {{{{ holds(…) }}}}")
        for linked in _LINKED_FIGURE.findall(line):
            yield Finding(
                source.file,
                at,
                f"{linked} stands in a link and is a link itself; let words beside it carry the address",
            )
        for target in _LINK.findall(line):
            if message := _broken(target, source, sources, dataset):
                yield Finding(source.file, at, message)


def _broken(target: str, source: ChapterSource, sources: Mapping[str, ChapterSource], dataset: Dataset) -> str:
    """Why a link leads nowhere, "" when it does lead somewhere or to a page that the site's own check knows."""
    path, _, fragment = target.partition("#")
    if path.startswith(("http://", "https://")):
        return f"{target}: {wrong}" if (wrong := unreachable(path)) else ""
    if path.startswith("mailto:"):
        return ""
    if path.startswith("../"):
        folder, _, name = path.removeprefix("../").removesuffix(".md").partition("/")
        known = folder != "gpus" or name in dataset.gpus or name in LISTS
        return "" if known else f"{target} leads to no GPU; write {{{{ gpu(…) }}}}"
    chapter = source if not path else sources.get(path.removesuffix(".md"))
    if chapter is None or (path and not path.endswith(".md")):
        return f"{target} leads to no chapter; chapters: {', '.join(f'{name}.md' for name in sources)}"
    if fragment and fragment not in chapter.anchors:
        return f"{target} leads to no heading of {chapter.file}"
    return ""


def _aged(one: Aged) -> str:
    kind = one.kind.replace("_", " ")
    if one.said:
        return f"the {kind} price of {one.gpu} is of {one.date} and not old any more; take old=True out"
    return f"the {kind} price of {one.gpu} is of {one.date}, which is {one.state}; find a newer one or write old=True"


def _located(source: ChapterSource, error: ProseError) -> Finding:
    """A ProseError starts with file and line: take them apart."""
    found = re.match(r"(.+?):(\d+): (.*)", str(error), re.DOTALL)
    return Finding(source.file, int(found[2]), found[3]) if found else Finding(source.file, 1, str(error))
