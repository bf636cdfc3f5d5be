"""Chapters whose figures come from the dataset: a reference in the Markdown becomes the figure with its source.

The references (one syntax, everywhere in `docs/`):

    {{ fact("rtx-4090", "memory_gb") }}                     a field, with unit, linked to its claim
    {{ peak("rtx-4090", "fp16", "fp32") }}                  a dense tensor peak; sparsity= and engine= change that
    {{ price("rtx-5090", "used") }}                         the newest dated observation of a kind; old=True where it
                                                            is known to be old, so that the sentence says so;
                                                            market="eu" in euros with tax, market="each" in those of
                                                            the market that the reader chose; brief=True in a table
                                                            whose head names the kind: the price and its month
    {{ rent("h100-sxm5-80gb") }}                            the median on-demand price of an hour, of today; old=,
                                                            market=, brief=
    {{ offer("l40s", "Scaleway") }}                         what one provider asked for an hour on the newest day;
                                                            within="secure cloud" for one of its kinds of offer,
                                                            gpus= for machines with so many of them, old=,
                                                            market="each"
    {{ machine("p5.48xlarge") }}                            the lowest price of one GPU and hour in a cloud's machine,
                                                            on the newest day on which it was seen; kind=, old=,
                                                            market="each"
    {{ price("rtx-3090", "used", at="2021-11") }}           the observation of one month; by="gpu-poet" of one source
    {{ kept(2) }}                                           the share of its price that a used card has kept in so many
                                                            years, as the chooser counts it; new= of a card bought new,
                                                            end="low" or "high" of eight in ten observations
    {{ bench("rtx-3090", "LLaMA 3 8B", metric="…") }}       one measured result, named by its columns
    {{ calc("a / b", a=fact(…), b=fact(…), unit="ms") }}    worked out, with the arithmetic behind it; market="each"
                                                            of dollars, which Europeans read in their currency
    {{ holds("a > 2 * b", a=fact(…), b=fact(…)) }}          prints nothing; fails the build when it is not so
    {{ constant("gpt-3-parameters") }}                      a figure of nature or history from data/constants.yml
    {{ figure("read-by-8b-at-4-bits") }}                    a sum that several chapters need, from data/figures.yml
    {{ rule("rest_w") }}                                    what the chooser counts with, a constant of
                                                            pipeline/advise/rules.yml; its suffix is its unit
    {{ model("qwen3-30b-a3b", "layers") }}                  a measure of a neural network, from data/models
    {{ picture_time("rtx-3090", "qwen-image") }}            seconds of one picture with an image model, estimated as the
                                                            rules of the picks say
    {{ gpu("rtx-4090") }}                                   a card's name, linked to its page
    {{ total("gpus") }}                                     how many rows a table has
    {{ table(["rtx-4090"], ["memory_gb", …]) }}             a line for each card, a column for each field;
                                                            gaps=True allows a dash where no source states one
    {{ chart("memory-bandwidth") }}                         a chart of the site, or the "price-history" of a card
    {{ sample("cnn.py", "Net") }}                           a tested code sample, whole or only what is named
    {{ bars("…", [["LoRA", fact(…)]], unit="GB") }}         a picture of bars: caption, rows, names of the parts
    {{ curve("…", [["A40", [[100, calc(…)]]]], x="W") }}    a picture of curves: caption, curves, names of the axes
    {{ time_line("…", [["one user", [[0, calc(…), 0]]]]) }} a picture of lanes: caption, lanes of start, length, kind
    {{ waves("…", [["1,024 a side", calc(…)]], 108) }}      tiles of a matrix over the processors of a GPU
    {{ american() }}                                        that the chapter's prices are American, and before tax
    {{ decision("…") }}                                     the path from a purpose to a question for the chooser
    {{ picture("topologies", "…", link=fact(…)) }}          a drawing of docs/templates/picture_<name>.html.j2
"""

from __future__ import annotations

import ast
import math
import operator
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup, escape
from pydantic import RootModel

from pipeline.advise import denoise, rules
from pipeline.advise.choose import resale
from pipeline.advise.choose.questions import Question
from pipeline.advise.estimate import models
from pipeline.advise.picks import QUESTIONS
from pipeline.core import constants, currencies, documents
from pipeline.core.constants import Constant
from pipeline.core.documents import Text
from pipeline.core.paths import DATA, ROOT
from pipeline.core.schema import TABLES, SchemaError, field_of, parse_peak
from pipeline.core.schema import peak as peak_field
from pipeline.core.templates import TEMPLATES, Compiled, template, template_of
from pipeline.core.wording import UNKNOWN, day, nice_unit
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import cloud
from pipeline.derive.prices import staleness
from pipeline.derive.prices.quote import Quote, quotes
from pipeline.derive.prices.rules import BUYING, DEFAULT_MARKET, MARKETS, OBSERVED, Kind, Market
from pipeline.editorial import pictures

SAMPLES = ROOT / "pipeline" / "tools" / "measure" / "samples"
FIGURES = DATA.data / "figures.yml"
SHARED = re.compile(r"""\bfigure\(\s*["']([^"']+)["']\s*\)""")

# The decision path: the chooser's tasks that belong together, what is done, and the figure to compare.
BRANCHES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("chat",), "Run a language model for yourself", "memory that holds it, then GB/s"),
    (("serve",), "Serve a model to many", "memory for caches, then GB/s"),
    (("qlora", "full"), "Fine-tune a model", "memory, then 16-bit TFLOPS"),
    (("image",), "Generate images", "memory, then measured steps/s"),
    (("cnn",), "Train image networks", "16-bit TFLOPS for the money"),
    (("train",), "Train from scratch", "links between the cards, then TFLOPS"),
)
RENTED: Mapping[Kind, str] = {"rent": "on demand", "marketplace": "on a marketplace"}  # where, by the kind of a quote
LET_BY: Mapping[Kind, str] = {"rent": "cloud", "marketplace": "host"}  # the same in a cell of a table
OTHERS: tuple[Market, ...] = tuple(one for one in MARKETS if one != DEFAULT_MARKET)
WAYS: Mapping[str, str] = {"": "bought or rented", "buy": "bought", "rent": "rented"}

OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
}
# What a reference may name of a result → the attribute it is held against.
BENCH_COLUMNS = {"set": "set", "precision": "format", "metric": "metric", "batch": "batch"}
COMPARISONS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
RULE_UNITS = {"w": "W", "gb": "GB", "gib": "GiB", "s": "s", "hours": "hours", "months": "months"}  # by a name's suffix
HISTORY = "price-history"
PLACE = re.compile(r"<!--chart ([\w-]+) ([\w.-]*)-->")  # where a chart goes
LAST_SEEN = "last seen "
AMERICAN = Markup(
    "Prices here are American and without sales tax unless a line says otherwise; "
    "[what a card costs now](prices-now.md#europe) has European ones."
)
NO_CENTS = ".00"  # a whole sum of money has none
EACH: Literal["each"] = "each"  # instead of a market: in all of them, of which a reader sees the chosen one
# In an attribute these would end a cell of a Markdown table or start a link, code or an escape.
MARKDOWN = str.maketrans({c: f"&#{ord(c)};" for c in "|[]`\\"})


class ProseError(ValueError):
    """A reference that leads to nothing, or a condition that is false; the message names file and reference."""


@dataclass(frozen=True, slots=True)
class ProseFigure:
    """A number from the dataset on its way into a sentence."""

    number: float
    shown: str  # as formatted, unit included
    link: str  # address of its source on this site, "" for a worked number
    title: str  # what a reader sees when pointing at it
    elsewhere: Mapping[Market, ProseFigure] = field(default_factory=dict)  # what the other markets show instead

    def __str__(self) -> str:
        return self.shown

    def __html__(self) -> str:
        """The Markdown of the figure: attributes are escaped, the text is ours."""
        if self.elsewhere:
            here = replace(self, elsewhere={})
            return str(markup().in_each({DEFAULT_MARKET: here} | dict(self.elsewhere)))
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
    state: str  # of pipeline/derive/prices/staleness.py
    said: bool  # old=True


Quantity = Callable[[float, str], str]  # number and unit to text: the formatting of the whole site


@dataclass
class Prose:
    """Renders chapters against one dataset and remembers which figures they used."""

    dataset: Dataset
    quantity: Quantity
    constants: Mapping[str, Constant] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)  # the reference behind each name of data/figures.yml
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
            self._page = _template(SHARED.sub(lambda found: self.shared.get(found[1], found[0]), text))
            return self._page.render(self._references(root))
        except (ProseError, SchemaError, TemplateError, pictures.PictureError, TypeError) as error:
            raise ProseError(f"{where}:{_line(error)}: {_told(error, list(self._references(root)))}") from error

    def _references(self, root: str) -> dict[str, Any]:
        return {
            "fact": lambda gpu, name: self._fact(root, gpu, name),
            "peak": lambda gpu, *words, **named: self._fact(root, gpu, peak_field(*words, **named)),
            "price": lambda gpu, kind, **how: self._price(root, gpu, kind, **how),
            "bench": lambda gpu, model, **named: self._bench(root, gpu, model, **named),
            "rent": lambda gpu, kind="", **how: self._rent(root, gpu, kind, **how),
            "offer": lambda gpu, provider, **how: self._offer(root, gpu, provider, **how),
            "machine": lambda name, **how: self._machine(root, name, **how),
            "picture_time": lambda gpu, model: self._picture_time(root, gpu, model),
            "gpu": lambda gpu: self._gpu_link(root, gpu),
            "constant": self._constant,
            "rule": self._rule,
            "model": self._model,
            "figure": self._unknown_figure,
            "total": lambda table: ProseFigure(self._rows(table), f"{self._rows(table):,}", "", f"rows of {table}.csv"),
            "calc": self._calc,
            "holds": self._holds,
            "american": lambda: AMERICAN,
            "kept": self._kept,
            "table": lambda gpus, columns, gaps=False: self._table(root, gpus, columns, gaps),
            "sample": self._sample,
            "chart": self._chart,
            "bars": self._bars,
            "curve": self._curve,
            "time_line": self._time_line,
            "waves": self._waves,
            "picture": self._picture,
            "decision": lambda caption: self._decision(root, caption),
        }

    def _rows(self, table: str) -> int:
        if table not in TABLES:
            raise ProseError(f"no table is called {table!r}; tables: {', '.join(TABLES)}")
        return self.dataset.size(table)

    def _record(self, gpu: str) -> GpuRecord:
        record = self.dataset.find(gpu)
        if record is None:
            raise ProseError(f"no GPU is called {gpu!r}; see data/gpus/")
        return record

    def _fact(self, root: str, gpu: str, name: str) -> ProseFigure:
        record = self._record(gpu)
        spec = field_of(name)
        claim = record.chosen(name)
        if claim is None:
            raise ProseError(f"{record.id} has no {name}: no source states it; take the reference out or add a source")
        self.used.append(("fact", record.id, name))
        numeric = spec.type in ("number", "integer")
        number = float(claim.value) if numeric else float("nan")
        in_words = day(claim.value) if spec.type == "date" else claim.value
        shown = self.quantity(number, _unit(name)) if numeric else in_words
        anchor = name.replace(":", "-")
        return ProseFigure(
            number,
            shown,
            f"{root}gpus/{record.id}/#claim-{anchor}",
            f"{record.name}: {claim.source}, {claim.locator}, read {claim.retrieved}",
        )

    def _price(
        self,
        root: str,
        gpu: str,
        kind: str,
        *,
        at: str = "",
        by: str = "",
        old: bool = False,
        market: Market | Literal["each"] = DEFAULT_MARKET,
        brief: bool = False,
    ) -> ProseFigure:
        """The quote of a kind in a market, of today or of the month `at`, or what one source says `by` itself of it."""
        record = self._record(gpu)
        if by:
            return self._price_by(root, record, kind, at, by)
        if market == EACH:
            asked = next(one for one in BUYING if OBSERVED[one] == kind)
            known = [one for one in OTHERS if not at and quotes(self.dataset).quote(record.id, asked, one).value]
            return _in_each(
                self._price(root, gpu, kind, at=at, old=old, brief=brief),
                {one: self._price(root, gpu, kind, market=one, brief=brief) for one in known},
            )
        if kind == "launch":
            return self._fact(root, gpu, "launch_price_usd")
        found = self._quoted(record, kind, at, _market(market))
        if found is None or found.value is None:
            when = f" of {at}" if at else ""
            raise ProseError(f"{record.id} has no {kind} price{when}; take the reference out or add a source")
        self.used.append(("price", record.id, f"{kind}@{at}" if at else kind))
        if not at:
            self._age(record, kind, found.day, old)
        words = ("" if brief else kind, found.configuration, found.basis_words if found.begins else "")
        said = "".join(f"{word}, " for word in words if word)
        return ProseFigure(
            found.value,
            f"{self.quantity(found.value, found.currency)} ({said}{LAST_SEEN * old}{_month(found.day, brief)})",
            f"{root}gpus/{record.id}/#prices",
            "; ".join((f"{found.who}, {found.day}, {found.tax_words}", *found.doubts)),
        )

    def _price_by(self, root: str, record: GpuRecord, kind: str, month: str, source: str) -> ProseFigure:
        """A month's price of one source, for series that must not mix what sellers ask with what buyers paid."""
        rows = [r for r in record.prices if (r.kind, r.source, r.date, r.flag) == (kind, source, month, "")]
        if len(rows) != 1 or rows[0].usd_per_unit is None:
            raise ProseError(f"{record.id} has {len(rows)} {kind} prices of {source} in {month}; name another month")
        self.used.append(("price", record.id, f"{kind}@{month}"))
        shown = f"{self.quantity(rows[0].usd_per_unit, 'USD')} ({_month(month, brief=True)})"
        link = f"{root}gpus/{record.id}/#prices"
        return ProseFigure(rows[0].usd_per_unit, shown, link, f"{rows[0].provider}, {source}, {month}")

    def _quoted(self, record: GpuRecord, kind: str, at: str, market: Market) -> Quote | None:
        asked = next((one for one in BUYING if OBSERVED[one] == kind), None)
        if asked is None:
            kinds = ", ".join(OBSERVED[one] for one in BUYING)
            raise ProseError(f"price knows the kinds {kinds} and launch; not {kind!r}")
        book = quotes(self.dataset)
        if at:
            return book.month(record.id, asked, at, market)
        now = book.quote(record.id, asked, market)
        return now if now.value is not None else now.last

    def _bench(
        self, root: str, gpu: str, model: str, gpus: int = 1, flagged: str = "", row: str = "", **named: str
    ) -> ProseFigure:
        """One measured result; `flagged` names the flag of a bad example, `row` a part of the locator."""
        record = self._record(gpu)
        if unknown := sorted(set(named) - set(BENCH_COLUMNS)):
            raise ProseError(f"bench knows {', '.join(BENCH_COLUMNS)}; not {', '.join(unknown)}")
        rows = [
            r
            for r in record.benchmarks
            if r.model == model
            and r.gpu_count == gpus
            and r.value is not None
            and row in r.locator
            and bool(r.flag) == bool(flagged)
            and r.flag.startswith(flagged)
            and all(getattr(r, BENCH_COLUMNS[column]) == value for column, value in named.items())
        ]
        if len(rows) != 1:
            further = "".join(f", {column}={value!r}" for column, value in named.items())
            step = "narrow it down to one" if rows else "see data/clean/benchmarks.csv for what was measured"
            raise ProseError(f"{record.id} has {len(rows)} results of {model!r}, gpus={gpus}{further}; {step}")
        self.used.append(("bench", record.id, rows[0].locator))
        number = rows[0].number
        return ProseFigure(
            number,
            self.quantity(number, rows[0].unit),
            f"{root}gpus/{record.id}/#measured",
            f"{rows[0].source}, {rows[0].locator}, {rows[0].date}",
        )

    def _rent(
        self,
        root: str,
        gpu: str,
        kind: str = "",
        *,
        old: bool = False,
        market: Market | Literal["each"] = DEFAULT_MARKET,
        brief: bool = False,
    ) -> ProseFigure:
        """An hour of a card, said by where it is rented; of `kind` alone ("marketplace") where a chapter asks so."""
        if market == EACH:  # clouds and hosts ask the same everywhere
            return _in_each(
                self._rent(root, gpu, kind, old=old, brief=brief),
                {one: self._rent(root, gpu, kind, old=old, market=one, brief=brief) for one in OTHERS},
            )
        record, book = self._record(gpu), quotes(self.dataset)
        asked = next((name for name in RENTED if name == kind), None)
        if kind and asked is None:
            raise ProseError(f"rent knows the kinds {', '.join(RENTED)}; not {kind!r}")
        place = _market(market)
        now = book.quote(record.id, asked, place) if asked else book.to_rent(record.id, place)
        offer = now if now.value is not None else now.last
        if offer is None or offer.value is None:
            raise ProseError(f"{record.id} has no on-demand price; take the reference out or add a source")
        self.used.append(("rent", record.id, "on_demand"))
        self._age(record, "on_demand", offer.day, old)
        where = f"{(LET_BY if brief else RENTED)[offer.kind]}, " if not (brief and asked) else ""
        cost = self.quantity(offer.value, offer.currency) + " an hour" * (not brief)
        shown = f"{cost} ({where}{LAST_SEEN * old}{_month(offer.day, brief)})"
        return ProseFigure(offer.value, shown, f"{root}gpus/{record.id}/#prices", f"{offer.who}, {offer.day[:7]}")

    def _offer(
        self,
        root: str,
        gpu: str,
        provider: str,
        *,
        within: str = "",
        gpus: int = 0,
        old: bool = False,
        market: Literal["us", "each"] = "us",
    ) -> ProseFigure:
        """An hour of a card on demand at one provider, the lowest of the newest day; `within` what the source says.

        `gpus` asks for machines with so many of them.
        """
        record = self._record(gpu)
        rows = [
            row
            for row in record.prices
            if (row.kind, row.provider, row.flag) == ("on_demand", provider, "")
            and row.usd_per_gpu_hour
            and within in row.includes
            and (not gpus or row.gpus == gpus)
        ]
        if not rows:
            raise ProseError(
                f"{record.id} has no on-demand price of {provider}; take the reference out or add a source"
            )
        day = max(row.date for row in rows)
        cost, source = min((row.usd_per_gpu_hour or 0.0, row.source) for row in rows if row.date == day)
        self.used.append(("rent", record.id, f"on_demand@{day}"))
        self._age(record, "on_demand", day, old)
        return self._hour(cost, day, f"{root}gpus/{record.id}/#prices", source, old, market)

    def _hour(self, usd: float, day: str, link: str, source: str, old: bool, market: str) -> ProseFigure:
        """An hour at a provider, who asks dollars everywhere."""
        shown = f"{self.quantity(usd, 'USD')} ({LAST_SEEN * old}{day[:7]})"
        made = ProseFigure(usd, shown, link, f"{source}, {day}")
        return replace(made, elsewhere=self._converted(made, "USD", market))

    @cached_property
    def _machines(self) -> Mapping[str, tuple[cloud.MachineFamily, cloud.MachineType, Mapping[str, cloud.CloudPrice]]]:
        """Each machine of the cloud families with what it costs, by kind."""
        known = cloud.load()
        found: dict[str, tuple[cloud.MachineFamily, cloud.MachineType, Mapping[str, cloud.CloudPrice]]] = {}
        for family in known.families:
            prices = cloud.prices(known, family, self.dataset)
            found |= {machine.name: (family, machine, prices[machine.name]) for machine in family.machines}
        return found

    def _machine(
        self,
        root: str,
        name: str,
        *,
        kind: str = "on_demand",
        old: bool = False,
        market: Literal["us", "each"] = "us",
    ) -> ProseFigure:
        """An hour of one GPU in a machine that a cloud sells by name, at its cheapest region of the newest day."""
        if name not in self._machines:
            raise ProseError(f"no cloud family has a machine {name!r}; see data/cloud.yml")
        family, machine, seen = self._machines[name]
        if kind not in seen:
            raise ProseError(f"no {kind.replace('_', ' ')} price of {name} is known; take the reference out or add one")
        record, cost = self._record(machine.gpu), seen[kind]
        self.used.append(("machine", record.id, f"{kind}@{name}"))
        self._age(record, kind, cost.day, old)
        return self._hour(cost.low_usd_per_gpu, cost.day, f"{root}clouds/{family.id}/", cost.source, old, market)

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
        name = record.name.removeprefix(f"{record.vendor} ")  # "a GeForce …" reads better than "a NVIDIA …"
        return Markup(markup().card(f"{root}gpus/{record.id}/", name))  # noqa: S704 - the macro escapes

    def _constant(self, name: str) -> ProseFigure:
        if name not in self.constants:
            near = documents.meant(name, list(self.constants))
            raise ProseError(
                f"no constant is called {name!r}{near or '; add it to data/constants.yml with its source'}"
            )
        known = self.constants[name]
        self.used.append(("constant", "", name))
        return ProseFigure(known.value, known.text, known.url, f"{known.source}, {known.locator}, read {known.read}")

    def _rule(self, name: str) -> ProseFigure:
        """What the chooser counts with, so that a chapter and the picks cannot tell two values of it."""
        known = rules.room("choose")["constants"]
        if "is" not in known.get(name, ()):
            near = documents.meant(name, list(known))
            raise ProseError(f"the chooser has no constant {name!r}{near or '; see pipeline/advise/rules.yml'}")
        number, suffix = float(known[name]["is"]), name.rpartition("_")[2]
        shown = self.quantity(*(100 * number, "%") if suffix == "share" else (number, RULE_UNITS.get(suffix, "")))
        return ProseFigure(number, shown, "", f"the chooser counts so; {known[name]['from']}")

    def _model(self, name: str, measure: str) -> ProseFigure:
        file = _networks().files.get(name)
        value = next((v for v in file.values if v.field == measure), None) if file else None
        if file is None or value is None:
            raise ProseError(f"no {measure} of a model {name!r} is known; see data/models/")
        try:
            number = float(str(value.value))
        except ValueError:
            raise ProseError(f"{measure} of {name} is no number but {value.value!r}") from None
        self.used.append(("model", name, measure))
        document = file.documents[value.document]
        note = f"{file.name}: {document.title}, {value.locator}, read {document.read}"
        return ProseFigure(number, self.quantity(number, ""), str(document.url), note)

    def _picture_time(self, root: str, gpu: str, model: str) -> ProseFigure:
        """The seconds of one picture, in the two digits that such an estimate is worth."""
        if model not in (known := [row["model"] for row in (denoise.MEASURED, *denoise.RULES["models"])]):
            raise ProseError(f"no time of a picture is estimated with {model!r}; with {', '.join(known)}")
        made = denoise.seconds(_Sourced(self, root), gpu, model)
        number = denoise.rough(made.number)
        return replace(made, number=number, shown=self.quantity(number, "s"))

    def _unknown_figure(self, name: str) -> ProseFigure:
        """A known one never comes here: its reference takes its place before the page is read."""
        near = documents.meant(name, list(self.shared))
        raise ProseError(f"no figure is called {name!r}{near or '; add it to data/figures.yml'}")

    def _calc(
        self,
        expression: str,
        unit: str = "",
        *,
        whole: bool = False,
        market: Literal["us", "each"] = "us",
        **values: ProseFigure,
    ) -> ProseFigure:
        """A worked figure; `whole` rounds a rough estimate, whose three digits would promise too much."""
        number = _evaluate(expression, _numbers(values))
        if isinstance(number, bool):
            raise ProseError(f"calc({expression!r}) is a comparison; use holds")
        number = float(round(number)) if whole else number
        made = ProseFigure(number, self.quantity(number, unit), "", _worked(expression, values))
        shown = made.shown.removesuffix(NO_CENTS) if whole else made.shown
        return replace(made, shown=shown, elsewhere=self._converted(made, unit, market))

    def _converted(self, made: ProseFigure, unit: str, market: str) -> dict[Market, ProseFigure]:
        """An amount of dollars as the other markets read it: at the rates at which their rents are shown."""
        if market == DEFAULT_MARKET:
            return {}
        if market != EACH or unit != MARKETS[DEFAULT_MARKET].currency:
            raise ProseError(f'what is asked in dollars is converted by market="{EACH}"; not {unit!r} by {market!r}')
        dollars, known = self.quantity(made.number, unit), currencies.load()
        return {
            one: replace(made, shown=made.shown.replace(dollars, self.quantity(made.number / known[to].usd, to)))
            for one, to in ((one, MARKETS[one].currency) for one in OTHERS)
        }

    @cached_property
    def _resale(self) -> resale.Kept:
        return resale.kept(self.dataset)

    def _kept(self, years: float, new: str = "", end: Literal["", "low", "high"] = "") -> ProseFigure:
        """The share of its price that a card, bought used or `new`, brings after so many years: that of the chooser.

        `end` is the lower or the upper end between which eight in ten observations lie.
        """
        found = self._resale
        times = {"": 1.0, "low": found.low, "high": found.high}[end]
        share, words = times * found.a_year**years, f"{found.a_year:.3f} a year{found.words}"
        if new:
            first = found.first.at(resale.age_of(self._record(new), self.dataset.newest_reading))
            share, words = share * first, f"{first:.3f} as soon as it is a used card{found.first.words}; then {words}"
        return ProseFigure(100 * share, self.quantity(100 * share, "%"), "", words)

    def _table(self, root: str, gpus: list[str], columns: list[str], gaps: bool) -> Markup:
        """A Markdown table: names to the left, numbers to the right, units in the head."""
        numeric = [field_of(name).type in ("number", "integer") for name in columns]
        lines: list[list[Any]] = [["GPU", *map(_head, columns)], [":--", *("--:" if n else ":--" for n in numeric)]]
        for gpu in gpus:
            lines.append([self._gpu_link(root, gpu), *(self._cell(root, gpu, name, gaps) for name in columns)])
        return Markup("\n").join(Markup("| {} |").format(Markup(" | ").join(line)) for line in lines)

    def _cell(self, root: str, gpu: str, name: str, gaps: bool) -> ProseFigure | str:
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
        if gpu and not any(p.usd_per_unit and not p.flag for p in self._record(gpu).prices if p.kind != "launch"):
            raise ProseError(f"{self._record(gpu).id} has no price to buy; take its history out or add a source")
        return Markup("<!--chart {} {}-->").format(name, self._record(gpu).id if gpu else "")

    def _bars(
        self,
        caption: str,
        rows: list[list[Any]],
        parts: Sequence[str] = (),
        unit: str = "",
        limits: Sequence[list[Any]] = (),
        log: bool = False,
        source: str = "",
    ) -> Markup:
        """Bars below one another: each row is a name and its parts, then, where the sum is no sum, its words."""
        laid = []
        for name, *figures in rows:
            words = figures.pop() if isinstance(figures[-1], str) else ""
            laid.append((name, figures, words or self.quantity(sum(f.number for f in figures), unit)))
        return _drawn("bars", caption, pictures.bars(laid, parts, [(n, f) for n, f in limits], log), source)

    def _curve(
        self,
        caption: str,
        lines: list[list[Any]],
        x: str,
        y: str,
        log: bool = False,
        ticks: Sequence[float] = (),
        source: str = "",
    ) -> Markup:
        """Curves over two axes: each is a name and its points."""
        points = [(name, [(_number(at), figure) for at, figure in pairs]) for name, pairs in lines]
        return _drawn("curve", caption, pictures.curve(points, x, y, log, ticks), source)

    def _time_line(
        self, caption: str, lanes: list[list[Any]], parts: list[str], end: ProseFigure, source: str = ""
    ) -> Markup:
        """Lanes on one clock: each is a name and its spans of start, length and kind."""
        spans = [(name, [(_number(a), _number(b), kind) for a, b, kind in spans]) for name, spans in lanes]
        return _drawn("time_line", caption, pictures.time_line(spans, parts, end.shown), source)

    def _waves(self, caption: str, cases: list[list[Any]], processors: ProseFigure, source: str = "") -> Markup:
        """The last turn in which a GPU works through the tiles of each case."""
        counted = [(name, round(_number(tiles))) for name, tiles in cases]
        return _drawn("waves", caption, pictures.waves(counted, round(processors.number)), source)

    def _picture(self, name: str, caption: str, **figures: ProseFigure) -> Markup:
        """A drawing whose figures the chapter passes in."""
        if not (TEMPLATES / f"picture_{name}.html.j2").exists():
            raise ProseError(f"no picture is called {name!r}; pictures are docs/templates/picture_<name>.html.j2")
        made = template(f"picture_{name}.html.j2").render({"caption": caption} | figures)
        return Markup(made)  # noqa: S704 - our own template, which escapes

    def _decision(self, root: str, caption: str) -> Markup:
        """The questions of today's picks, grouped by what is done; each opens the chooser with itself in it."""
        branches = []
        for tasks, words, compare in BRANCHES:
            asked = [question for question in QUESTIONS if question.asked["task"] in tasks]
            leaves = [(one.words, self._budget(one), f"{root}{one.address}") for one in asked]
            branches.append((words, compare, leaves))
        return _drawn("decision", caption, pictures.decision(branches), "")

    def _budget(self, question: Question) -> str:
        """What the question of a leaf allows, in words."""
        usd = question.asked.get("budget_usd")
        money = f"for up to {self.quantity(float(usd), 'USD')}" if usd else "whatever it costs"
        return f"{money}, {WAYS[question.asked.get('prefer', '')]}"

    def _holds(self, condition: str, **values: ProseFigure) -> str:
        if _evaluate(condition, _numbers(values)) is not True:
            raise ProseError(f"no longer true: {_worked(condition, values)}; rewrite the sentence")
        self.held += 1
        return ""


@dataclass(frozen=True, slots=True)
class _Sourced:
    """The figures of an estimate with their sources, as references of the chapter that shows it."""

    prose: Prose
    root: str

    def model(self, name: str, measure: str) -> ProseFigure:
        return self.prose._model(name, measure)

    def constant(self, name: str) -> ProseFigure:
        return self.prose._constant(name)

    def rate(self, gpu: str) -> ProseFigure:
        sdxl = denoise.SDXL
        return self.prose._bench(self.root, gpu, sdxl["model"], set=sdxl["source"], batch=sdxl["batch"])

    def worked(self, expression: str, **values: ProseFigure | float) -> ProseFigure:
        figures = {
            name: value if isinstance(value, ProseFigure) else ProseFigure(value, f"{value:g}", "", "")
            for name, value in values.items()
        }
        number = float(_evaluate(expression, _numbers(figures)))
        return ProseFigure(number, self.prose.quantity(number, ""), "", _worked(expression, figures))


@lru_cache(maxsize=1)
def _networks() -> models.Registry:
    """The neural networks that prose may name."""
    return models.load()


def _drawn(kind: str, caption: str, picture: object, source: str) -> Markup:
    """A picture of figures as HTML."""
    context = {"caption": caption, "p": picture, "source": source}
    return Markup(template(f"picture_{kind}.html.j2").render(context))  # noqa: S704 - our own template, which escapes


def _month(day: str, brief: bool) -> str:
    """The month of a day; in a narrow cell it does not break at its hyphen."""
    return day[:7].replace("-", "\u2011") if brief else day[:7]


def _in_each(here: ProseFigure, there: Mapping[Market, ProseFigure]) -> ProseFigure:
    """An American figure with those of the other markets; where one has none, the American one stands and says so."""
    american = replace(here, shown=f"{here.shown.removesuffix(')')}, in the US)")
    return replace(here, elsewhere={one: there.get(one, american) for one in OTHERS})


def _market(name: Market) -> Market:
    if name not in MARKETS:
        raise ProseError(f"markets are {', '.join(MARKETS)}; not {name!r}")
    return name


def _number(value: ProseFigure | float) -> float:
    """A bound figure's number, or a plain one that says where on an axis a point stands."""
    return value.number if isinstance(value, ProseFigure) else float(value)


@lru_cache(maxsize=64)
def _template(text: str) -> Template:
    """A compiled page: checks render the same chapter against many datasets."""
    return template_of(text, _sandbox())


@cache
def _sandbox() -> SandboxedEnvironment:
    made = SandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=True,
        keep_trailing_newline=True,
        bytecode_cache=Compiled("prose", Path(__file__)),
    )
    made.globals.clear()  # only what the head of this module lists
    return made


def load_constants(path: Path) -> dict[str, Constant]:
    """Read data/constants.yml; ProseError names entry and field."""
    return constants.load(path, ProseError)


class _Shared(RootModel[dict[str, Text]]):
    """The file: a reference by the name under which chapters share it."""


def load_figures(path: Path = FIGURES) -> dict[str, str]:
    """Read data/figures.yml, the sums that several chapters need; ProseError names the entry that is wrong."""
    if not path.exists():
        return {}
    return documents.read(path, f"data/{path.name}", _Shared, "each figure has a name of its own", ProseError).root


def _numbers(values: Mapping[str, ProseFigure]) -> dict[str, float]:
    for name, figure in values.items():
        if not isinstance(figure, ProseFigure):
            raise ProseError(
                f"{name}={figure!r} is no figure of the dataset; write {name}=fact(...) or another reference"
            )
    return {name: figure.number for name, figure in values.items()}


def _evaluate(expression: str, values: Mapping[str, float]) -> float | bool:
    """Work out + - * / ** and one comparison over named numbers; ProseError for anything else."""
    wrong = f"cannot work out {expression!r}: "
    try:
        result: float | bool = _node(ast.parse(expression, mode="eval").body, values)
    except SyntaxError:
        raise ProseError(f"{wrong}write numbers and names with + - * / ** and one comparison between") from None
    except KeyError as error:
        raise ProseError(f"{wrong}nothing says what {error} is; write {error.args[0]}=fact(...) behind it") from None
    except ZeroDivisionError:
        raise ProseError(f"{wrong}it divides by zero") from None
    except OverflowError:
        raise ProseError(f"{wrong}its result is too large") from None
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


def _worked(expression: str, values: Mapping[str, ProseFigure]) -> str:
    """The arithmetic as a reader can follow it."""
    given = ", ".join(f"{name} = {figure.shown}" for name, figure in values.items())
    return f"{expression} with {given}" if given else expression


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


# What Python and Jinja say of a reference that is written wrongly, and what somebody who edits a chapter is told.
SAID = {
    r"'(\w+)' is undefined": "'{0}' is undefined{meant}; what is no reference stands in quotes",
    r".* missing \d+ required positional arguments?: (.*)": "this reference lacks {0}",
    r".* got an unexpected keyword argument '(\w+)'": "this reference knows no {0}=",
    r".* got multiple values for argument '(\w+)'": "this reference names its {0} twice",
    r".* takes .* positional arguments? but (\d+) w.*": "this reference holds {0} values, more than it has room for",
    r".* has no attribute '(\w+)'": "nothing here is called .{0}; take it out",
}


def _told(error: Exception, references: list[str]) -> str:
    """An error of a template in plain words; one of ours has them."""
    said = str(error)
    if isinstance(error, ProseError | SchemaError | pictures.PictureError):
        return said
    for pattern, words in SAID.items():
        if found := re.fullmatch(pattern, said):
            step = "" if "undefined" in words else "; how it is written stands on top of pipeline/editorial/prose.py"
            return words.format(found[1], meant=documents.meant(found[1], references)) + step
    if curly := re.match("unexpected char '([“”„‘’«»])'", said):
        return f'{curly[1]} is a quote of print; inside {{{{ name(...) }}}} write the straight ones of code, "'
    is_open = isinstance(error, TemplateSyntaxError)
    return f"a reference is not closed as it is opened, {{{{ name(...) }}}}: {said}" if is_open else said


def _line(error: BaseException) -> int:
    """The line of the template at which an error arose."""
    trace = error.__traceback__
    line = getattr(error, "lineno", None) or 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return int(line)
