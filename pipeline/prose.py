"""Prose with references in, Markdown with the dataset's figures out: no figure in a chapter is typed.

The references (one syntax, everywhere in `docs/`):

    {{ fact("rtx-4090", "memory_gb") }}                     a field, with unit, linked to its claim
    {{ peak("rtx-4090", "fp16", "fp32") }}                  a dense tensor peak; sparsity= and engine= change that
    {{ price("rtx-5090", "used") }}                         the newest dated observation of a kind; old=True where it
                                                            is known to be old, so that the sentence says so
    {{ rent("h100-sxm5-80gb") }}                            the median on-demand price of an hour, of today; old=
    {{ price("rtx-3090", "used", at="2021-11") }}           the observation of one month
    {{ bench("rtx-3090", "LLaMA 3 8B", metric="…") }}       one measured result, named by its columns
    {{ calc("a / b", a=fact(…), b=fact(…), unit="ms") }}    worked out, with the arithmetic behind it
    {{ holds("a > 2 * b", a=fact(…), b=fact(…)) }}          prints nothing; fails the build when it is not so
    {{ constant("gpt-3-parameters") }}                      a figure of nature or history from data/constants.yml
    {{ gpu("rtx-4090") }}                                   a card's name, linked to its page
    {{ total("gpus") }}                                     how many rows a table has
    {{ table(["rtx-4090"], ["memory_gb", …]) }}             a line for each card, a column for each field;
                                                            gaps=True allows a dash where no source states one
    {{ chart("memory-bandwidth") }}                         a chart of the site, or the "price-history" of a card
    {{ sample("cnn.py", "Net") }}                           a tested code sample, whole or only what is named
"""

from __future__ import annotations

import ast
import math
import operator
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import yaml
from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup, escape
from pydantic import ValidationError

from pipeline import metrics, staleness
from pipeline.dataset import Dataset, GpuRecord, Row
from pipeline.documents import Strict, Text, Url
from pipeline.paths import ROOT
from pipeline.render import UNKNOWN, day, nice_unit, template
from pipeline.schema import SchemaError, field_of, parse_peak
from pipeline.schema import peak as peak_field

SAMPLES = ROOT / "pipeline" / "measure" / "samples"

OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.LtE: operator.le,
}  # fmt: skip
BENCH_COLUMNS = ("set", "precision", "metric", "batch")
COMPARISONS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
HISTORY = "price-history"
PLACE = re.compile(r"<!--chart ([\w-]+) ([\w.-]*)-->")  # where a chart goes
LAST_SEEN = "last seen "
# In an attribute these would end a cell of a Markdown table or start a link, code or an escape.
MARKDOWN = str.maketrans({c: f"&#{ord(c)};" for c in "|[]`\\"})


class ProseError(ValueError):
    """A reference that leads to nothing, or a condition that is false; the message names file and reference."""


class Constant(Strict):
    """A figure of nature or history that no GPU's record holds, with its source."""

    value: float
    text: Text  # as the prose shows it, unit included
    source: Text
    url: Url
    locator: Text
    read: date


@dataclass(frozen=True, slots=True)
class Figure:
    """A number from the dataset on its way into a sentence."""

    number: float
    shown: str  # as formatted, unit included
    link: str  # address of its source on this site, "" for a worked number
    title: str  # what a reader sees when pointing at it

    def __str__(self) -> str:
        return self.shown

    def __html__(self) -> str:
        """The Markdown of the figure: attributes are escaped, the text is ours."""
        title = Markup(escape(self.title).translate(MARKDOWN))  # noqa: S704 - escaped one step before
        made = markup().fact(self.shown, self.link, title) if self.link else markup().calc(self.shown, title)
        return str(made)


@lru_cache(maxsize=1)
def markup() -> Any:  # noqa: ANN401 (a template's macros)
    """The macros with which figures are written."""
    return template("prose.html.j2").module


@dataclass(frozen=True, slots=True)
class Aged:
    """A reference that states a price of today: where it stands, how old the price is, whether the prose says so."""

    line: int
    gpu: str
    kind: str
    date: str
    state: str  # of pipeline/staleness.py
    said: bool  # old=True


Quantity = Callable[[float, str], str]  # number and unit to text: the formatting of the whole site


@dataclass
class Prose:
    """Renders chapters against one dataset and remembers which figures they used."""

    dataset: Dataset
    quantity: Quantity
    constants: Mapping[str, Constant] = field(default_factory=dict)
    samples: Path = SAMPLES
    charts: frozenset[str] = frozenset()  # those that a chapter may show
    used: list[tuple[str, str, str]] = field(default_factory=list)  # (kind, gpu, field) of every figure
    aged: list[Aged] = field(default_factory=list)
    held: int = 0  # conditions that were found true
    _page: Template | None = None

    def render(self, text: str, where: str, root: str) -> str:
        """Resolve every reference of a page; `root` leads from the page to the site's root ("../../").

        ProseError names `where` and line for a reference that leads to nothing.
        """
        try:
            # The chapter's own words are ours; what the references bring in is escaped.
            self._page = _template(text)
            return self._page.render(self._references(root))
        except (ProseError, SchemaError, TemplateError, TypeError) as error:
            raise ProseError(f"{where}:{_line(error)}: {error}") from error

    def _references(self, root: str) -> dict[str, Any]:
        return {
            "fact": lambda gpu, name: self._fact(root, gpu, name),
            "peak": lambda gpu, *words, **named: self._fact(root, gpu, peak_field(*words, **named)),
            "price": lambda gpu, kind, at="", old=False: self._price(root, gpu, kind, at, old),
            "bench": lambda gpu, model, **named: self._bench(root, gpu, model, **named),
            "rent": lambda gpu, old=False: self._rent(root, gpu, old),
            "gpu": lambda gpu: self._gpu_link(root, gpu),
            "constant": self._constant,
            "total": lambda table: Figure(len(self.dataset.tables[table]), f"{len(self.dataset.tables[table]):,}", "",
                                          f"rows of {table}.csv"),
            "calc": self._calc,
            "holds": self._holds,
            "table": lambda gpus, columns, gaps=False: self._table(root, gpus, columns, gaps),
            "sample": self._sample,
            "chart": self._chart,
        }  # fmt: skip

    def _record(self, gpu: str) -> GpuRecord:
        record = self.dataset.find(gpu)
        if record is None:
            raise ProseError(f"no GPU is called {gpu!r}; see data/gpus/")
        return record

    def _fact(self, root: str, gpu: str, name: str) -> Figure:
        record = self._record(gpu)
        spec = field_of(name)
        claim = record.chosen(name)
        if claim is None:
            raise ProseError(f"{record.id} has no {name}: no source states it; take the reference out or add a source")
        self.used.append(("fact", record.id, name))
        numeric = spec.type in ("number", "integer")
        number = float(claim["value"]) if numeric else float("nan")
        shown = self.quantity(number, _unit(name)) if numeric else _words(spec.type, claim["value"])
        anchor = name.replace(":", "-")
        return Figure(number, shown, f"{root}gpus/{record.id}/#claim-{anchor}", _source_note(record, claim))

    def _price(self, root: str, gpu: str, kind: str, at: str, old: bool) -> Figure:
        """The newest observation of a kind, or the one of the month `at`."""
        record = self._record(gpu)
        rows = [r for r in record.prices if r["kind"] == kind and not r["flag"] and r["usd_per_unit"]]
        rows = [r for r in rows if r["date"].startswith(at)]
        if not rows:
            when = f" of {at}" if at else ""
            raise ProseError(f"{record.id} has no {kind} price{when}; take the reference out or add a source")
        newest = max(rows, key=lambda r: (r["date"], r["source"], r["offer"]))
        self.used.append(("price", record.id, f"{kind}@{at}" if at else kind))
        number = float(newest["usd_per_unit"])
        if not at:
            self._age(record, kind, newest["date"], old)
        return Figure(number, f"{self.quantity(number, 'USD')} ({kind}, {LAST_SEEN * old}{newest['date'][:7]})",
                      f"{root}gpus/{record.id}/#prices", f"{newest['source']}, {newest['date']}")  # fmt: skip

    def _bench(self, root: str, gpu: str, model: str, gpus: int = 1, flagged: str = "", row: str = "",
               **named: str) -> Figure:  # fmt: skip
        """One measured result; `flagged` names the flag of a bad example, `row` a part of the locator."""
        record = self._record(gpu)
        if unknown := sorted(set(named) - set(BENCH_COLUMNS)):
            raise ProseError(f"bench knows {', '.join(BENCH_COLUMNS)}; not {', '.join(unknown)}")
        rows = [r for r in record.benchmarks
                if r["model"] == model and r["gpu_count"] == str(gpus) and r["value"] and row in r["locator"]
                and bool(r["flag"]) == bool(flagged) and r["flag"].startswith(flagged)
                and all(r[column] == value for column, value in named.items())]  # fmt: skip
        if len(rows) != 1:
            raise ProseError(f"{record.id} has {len(rows)} results of {model!r} with {gpus} GPUs and {named}; name one")
        self.used.append(("bench", record.id, rows[0]["locator"]))
        number = float(rows[0]["value"])
        return Figure(number, self.quantity(number, rows[0]["unit"]), f"{root}gpus/{record.id}/#measured",
                      f"{rows[0]['source']}, {rows[0]['locator']}, {rows[0]['date']}")  # fmt: skip

    def _rent(self, root: str, gpu: str, old: bool) -> Figure:
        record = self._record(gpu)
        offer = metrics.rent(record, self.dataset.newest_reading)
        if offer is None:
            raise ProseError(f"{record.id} has no on-demand price; take the reference out or add a source")
        self.used.append(("rent", record.id, "on_demand"))
        self._age(record, "on_demand", offer.month, old)
        shown = f"{self.quantity(offer.median_usd, 'USD')} an hour (on demand, {LAST_SEEN * old}{offer.month})"
        return Figure(offer.median_usd, shown, f"{root}gpus/{record.id}/#prices",
                      f"median of {offer.offers} offers of {offer.providers} providers, {offer.month}")  # fmt: skip

    def _age(self, record: GpuRecord, kind: str, date: str, old: bool) -> None:
        """Remember a price of today with its age."""
        state = staleness.state(kind, date, self.dataset.newest_reading)
        self.aged.append(Aged(self._line_now(), record.id, kind, date, state, old))

    def _line_now(self) -> int:
        """The line of the page that is being rendered."""
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_code.co_filename != "<template>":
            frame = frame.f_back
        return self._page.get_corresponding_lineno(frame.f_lineno) if frame is not None and self._page else 1

    def _gpu_link(self, root: str, gpu: str) -> Markup:
        record = self._record(gpu)
        name = record.name.removeprefix(f"{record.text('vendor')} ")  # "a GeForce …" reads better than "a NVIDIA …"
        return Markup(markup().card(f"{root}gpus/{record.id}/", name))  # noqa: S704 - the macro escapes

    def _constant(self, name: str) -> Figure:
        if name not in self.constants:
            raise ProseError(f"no constant is called {name!r}; add it to data/constants.yml with its source")
        known = self.constants[name]
        self.used.append(("constant", "", name))
        return Figure(known.value, known.text, known.url, f"{known.source}, {known.locator}, read {known.read}")

    def _calc(self, expression: str, unit: str = "", **values: Figure) -> Figure:
        number = _evaluate(expression, {name: figure.number for name, figure in values.items()})
        if isinstance(number, bool):
            raise ProseError(f"calc({expression!r}) is a comparison; use holds")
        return Figure(number, self.quantity(number, unit), "", _worked(expression, values))

    def _table(self, root: str, gpus: list[str], columns: list[str], gaps: bool) -> Markup:
        """A Markdown table: names to the left, numbers to the right, units in the head."""
        numeric = [field_of(name).type in ("number", "integer") for name in columns]
        lines: list[list[Any]] = [["GPU", *map(_head, columns)], [":--", *("--:" if n else ":--" for n in numeric)]]
        for gpu in gpus:
            lines.append([self._gpu_link(root, gpu), *(self._cell(root, gpu, name, gaps) for name in columns)])
        return Markup("\n").join(Markup("| {} |").format(Markup(" | ").join(line)) for line in lines)

    def _cell(self, root: str, gpu: str, name: str, gaps: bool) -> Figure | str:
        if gaps and self._record(gpu).chosen(name) is None:
            return UNKNOWN
        figure = self._fact(root, gpu, name)
        bare = figure.shown if math.isnan(figure.number) else self.quantity(figure.number, "")
        return replace(figure, shown=bare)

    def _sample(self, name: str, *parts: str) -> Markup:
        """A code sample as a fenced block; with `parts`, only those functions and classes."""
        known = sorted(path.name for path in self.samples.glob("*.py"))
        if name not in known:
            raise ProseError(f"no code sample is called {name!r}; samples: {', '.join(known)}")
        text = (self.samples / name).read_text(encoding="utf-8")
        code = "\n\n\n".join(_part(text, name, part) for part in parts) if parts else text.strip()
        return Markup("```python\n{}\n```").format(Markup(code))  # noqa: S704 - our own tested file, fenced

    def _chart(self, name: str, gpu: str = "") -> Markup:
        """The place of a chart: the page of the chapter draws it, for prose knows no pictures."""
        if (name == HISTORY) != bool(gpu) or (not gpu and name not in self.charts):
            known = ", ".join(sorted(self.charts))
            raise ProseError(f"no chart is called {name!r}; charts: {known}, and {HISTORY!r} with a GPU")
        if gpu and all(metrics.newest_price(self._record(gpu), kind) is None for kind in metrics.BUY_KINDS):
            raise ProseError(f"{self._record(gpu).id} has no price to buy; take its history out or add a source")
        return Markup("<!--chart {} {}-->").format(name, self._record(gpu).id if gpu else "")

    def _holds(self, condition: str, **values: Figure) -> str:
        if _evaluate(condition, {name: figure.number for name, figure in values.items()}) is not True:
            raise ProseError(f"no longer true: {_worked(condition, values)}; rewrite the sentence")
        self.held += 1
        return ""


@lru_cache(maxsize=64)
def _template(text: str) -> Template:
    """A compiled page: checks render the same chapter against many datasets."""
    environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=True, keep_trailing_newline=True)
    environment.globals.clear()  # only what the head of this module lists
    return environment.from_string(text)


def load_constants(path: Path) -> dict[str, Constant]:
    """Read data/constants.yml; ProseError names entry and field."""
    if not path.exists():
        return {}
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        return {name: Constant.model_validate(entry) for name, entry in entries.items()}
    except (yaml.YAMLError, ValidationError) as error:
        raise ProseError(f"data/{path.name}: {' '.join(str(error).split())}") from None


def _evaluate(expression: str, values: Mapping[str, float]) -> float | bool:
    """Work out + - * / ** and one comparison over named numbers; ProseError for anything else."""
    try:
        result: float | bool = _node(ast.parse(expression, mode="eval").body, values)
    except (SyntaxError, KeyError, ZeroDivisionError, OverflowError) as error:
        raise ProseError(f"cannot work out {expression!r}: {type(error).__name__}: {error}") from None
    return result


def _node(node: ast.expr, values: Mapping[str, float]) -> Any:  # noqa: ANN401 - a number or a truth value
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return values[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_node(left, values), _node(right, values))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, COMPARISONS):
            return OPERATORS[type(op)](_node(left, values), _node(right, values))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_node(operand, values)
    raise ProseError(f"{ast.unparse(node)!r} is not allowed; use + - * / ** and one comparison")


def _worked(expression: str, values: Mapping[str, Figure]) -> str:
    """The arithmetic as a reader can follow it."""
    given = ", ".join(f"{name} = {figure.shown}" for name, figure in values.items())
    return f"{expression} with {given}" if given else expression


def _words(type: str, value: str) -> str:
    """A value that is no number, as prose shows it."""
    return day(value) if type == "date" else value


def _head(name: str) -> str:
    """The head of a column: what it is and its unit."""
    label = _peak_words(name) if name.startswith("peak:") else field_of(name).label
    return f"{label}, {nice_unit(_unit(name))}" if _unit(name) else label


def _unit(name: str) -> str:
    """The unit of a field; integers are no floating-point operations."""
    return "TOPS" if name.startswith("peak:int") else field_of(name).unit


def _peak_words(name: str) -> str:
    key = parse_peak(name)
    return f"{key.input.upper()} → {key.accumulate.upper()}, {key.sparsity}, {key.engine}"


def _part(text: str, name: str, part: str) -> str:
    """One function or class of a sample, its decorators included."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == part:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    raise ProseError(f"{name} has no function or class {part!r}")


def _source_note(record: GpuRecord, claim: Row) -> str:
    return f"{record.name}: {claim['source']}, {claim['locator']}, read {claim['retrieved']}"


def _line(error: BaseException) -> int:
    """The line of the template at which an error arose."""
    trace = error.__traceback__
    line = getattr(error, "lineno", None) or 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return int(line)
