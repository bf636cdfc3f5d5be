"""What a change of the data means for a reader: figures, statements, prices, results, sentences and picks, as Markdown.

`python -m pipeline diff` prints it, and a pull request gets it as a comment. The text may hold what a stranger wrote,
so nothing of it can act as Markdown: no link, no picture, nobody is called by name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from pipeline.advise import picks
from pipeline.core.schema import DecidedClaim, Price, Result
from pipeline.core.templates import template
from pipeline.core.wording import exact, number, ratio
from pipeline.dataset import Dataset
from pipeline.derive.prices.changes import TOLD
from pipeline.derive.prices.observe import amount, in_market
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import KINDS, MARKETS, WORDS
from pipeline.editorial import guide
from pipeline.site.charts.listed import IN_CHAPTERS
from pipeline.site.pages.facts import heading

SURPRISE = 3  # times
MOST_ROWS = 60  # of each section; a comment holds 65,536 characters
LONGEST_CELL = 300
NONE = "–"
# Signs that Markdown or the hosting service reads as an order, and a sign without width that breaks them up.
ORDERS = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")
CALLS = re.compile(r"(@|://|www\.)")
APART = "\u200b"
Row = tuple[str, ...]
Stated = tuple[str, ...]  # GPU, field, source and value of a claim
Record = TypeVar("Record", Price, Result)


@dataclass(frozen=True, slots=True)
class Section:
    """One table of the comment; `more` rows did not fit."""

    title: str
    heads: Row
    rows: tuple[Row, ...]
    more: int


def markdown(old: Dataset, new: Dataset) -> str:
    """Say what the new state changes for a reader; one sentence where nothing does."""
    found = (
        ("Figures", ("GPU", "figure", "was", "is", "by"), figures(old, new)),
        ("What sources state", ("GPU", "figure", "source", "was", "is", "beside our figure"), statements(old, new)),
        ("New conflicts", ("GPU", "figure", "stated", "by", "we show"), conflicts(old, new)),
        ("Conflicts that are gone", ("GPU", "figure", "stated", "by", "what became of it"), settled(old, new)),
        ("Claims put right", ("GPU", "figure", "stated", "by", "why not"), withdrawn(old, new)),
        (
            "Prices to look at twice",
            ("GPU", "kind", "product and seller", "market", "we showed", "comes", "page"),
            surprises(old, new),
        ),
        ("Prices that we show", ("GPU", "kind", "market", "was", "is", "rests on"), prices(old, new)),
        ("Prices that were seen", ("GPU", "kind", "product and seller", "day", "was", "is", "page"), seen(old, new)),
        ("Results", ("GPU", "set", "test", "metric", "was", "is", "page"), results(old, new)),
        ("Sentences of the guide", ("chapter", "was", "is"), sentences(old, new)),
        ("Picks", ("question", "place", "was", "is"), ranks(old, new)),
    )
    sections = [_section(title, heads, rows) for title, heads, rows in found]
    # The GPUs that come and go
    come, gone = sorted(new.gpus.keys() - old.gpus.keys()), sorted(old.gpus.keys() - new.gpus.keys())
    cards = {"come": [quoted(new.gpus[id].name) for id in come], "gone": [quoted(old.gpus[id].name) for id in gone]}
    context = {"sections": [section for section in sections if section.rows], "gpus": cards}
    return str(template("changes.md.j2").render(context))


def figures(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Chosen figures that come, go or change, with the document behind the new one."""
    for id in sorted(old.gpus.keys() | new.gpus.keys()):
        before, after = old.gpus.get(id), new.gpus.get(id)
        names = dict.fromkeys([*(before.claims if before else ()), *(after.claims if after else ())])
        for name in names:
            was = before.chosen(name) if before else None
            now = after.chosen(name) if after else None
            if (was and was.value) != (now and now.value):
                by = f"{now.source_title}, {now.locator}, {now.url}" if now else NONE
                yield id, heading(name).label, _figure(was), _figure(now), by


def statements(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Values that a source states, no longer states or states otherwise, where they are not the figure that changed.

    A source that is not the one we show may change too: it then agrees with our figure within its tolerance, or not.
    """
    of_old, of_new = {_stated(c): c for c in old.claims}, {_stated(c): c for c in new.claims}
    gone: dict[Stated, list[DecidedClaim]] = defaultdict(list)
    for key in (Counter(map(_stated, old.claims)) - Counter(map(_stated, new.claims))).elements():
        gone[key[:-1]].append(of_old[key])
    for key in sorted((Counter(map(_stated, new.claims)) - Counter(map(_stated, old.claims))).elements()):
        now = of_new[key]
        was = gone[key[:-1]].pop(0) if gone[key[:-1]] else None
        if not (now.chosen and _shown_value(old, now) != now.value):  # `figures` tells it
            yield _statement(new, was, now, now)
    for was in (claim for claims in gone.values() for claim in claims):
        if not (was.chosen and _shown_value(new, was) != was.value):
            yield _statement(new, was, None, was)


def conflicts(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Statements that contradict the figure we show and did not before."""
    for claim in _newly("differs", old, new):
        yield claim.gpu, heading(claim.field).label, _figure(claim), claim.source_title, _figure(_shown(new, claim))


def settled(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Statements that contradicted the figure we showed and no longer do, each with what became of it."""
    by_statement, by_source = {_stated(c): c for c in new.claims}, {_stated(c)[:-1]: c for c in new.claims}
    for claim in _newly("differs", new, old):
        same, other = by_statement.get(_stated(claim)), by_source.get(_stated(claim)[:-1])
        if same:
            told = f"a correction takes it out: {same.why}" if same.verdict == "withdrawn" else _beside(new, same)
        else:
            told = f"the source now states {_figure(other)}" if other else "the source no longer states it"
        yield claim.gpu, heading(claim.field).label, _figure(claim), claim.source_title, told


def withdrawn(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Statements that a correction takes out and did not before."""
    for claim in _newly("withdrawn", old, new):
        yield claim.gpu, heading(claim.field).label, _figure(claim), claim.source_title, claim.why


def prices(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Prices as the site quotes them."""
    before, after = quotes(old), quotes(new)
    for id in sorted(old.gpus.keys() & new.gpus.keys()):
        for kind in KINDS:
            for market in MARKETS:
                was, now = before.quote(id, kind, market), after.quote(id, kind, market)
                if was.value != now.value:
                    told = now.who if now.value is not None else now.reason
                    yield (
                        id,
                        WORDS[kind],
                        market,
                        _price(was.value, was.currency),
                        _price(now.value, now.currency),
                        told,
                    )


def surprises(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Prices that come and are more than `SURPRISE` times, or less than that part of, what the site showed before."""
    before = quotes(old)
    for price in Counter(new.prices) - Counter(old.prices):
        for kind, market in TOLD:
            if price.gpu not in old.gpus or not in_market([price], kind, market):
                continue
            quote = before.quote(price.gpu, kind, market)
            shown = quote if quote.value is not None else quote.last
            comes = amount(price, market)
            if shown and shown.value and not 1 / SURPRISE <= comes / shown.value <= SURPRISE:
                told = f"{_price(comes, quote.currency)}, {ratio(comes / shown.value)} as much"
                offer = ", ".join(dict.fromkeys(filter(None, (price.product, price.provider))))
                yield price.gpu, WORDS[kind], offer, market, _price(shown.value, quote.currency), told, price.url


def seen(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Single prices that come, go, change or are withdrawn, each with the page on which it stands."""
    for was, now in _paired(old.prices, new.prices, lambda p: (p.gpu, p.kind, p.source, p.offer, p.region, p.date)):
        price = now or was
        offer = ", ".join(dict.fromkeys(filter(None, (price.product, price.provider)))) if price else ""
        if price:
            yield price.gpu, price.kind.replace("_", " "), offer, price.date, _asked(was), _asked(now), price.url


def results(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Single results that come, go or change, each with the page on which it stands."""
    for was, now in _paired(
        old.benchmarks,
        new.benchmarks,
        lambda r: (r.gpu, r.set, r.model, r.precision, r.batch, r.metric, r.gpu_count, r.software, r.date),
    ):
        result = now or was
        if result:
            batch = f"batch {result.batch}" if result.batch else ""
            test = ", ".join(filter(None, (result.workload, result.model, result.format, batch)))
            card = f"{result.gpu_count} × {result.gpu}" if result.gpu_count > 1 else result.gpu
            yield card, result.set, test, result.metric, _measured(was), _measured(now), result.url


def _paired(
    old: Iterable[Record], new: Iterable[Record], key: Callable[[Record], tuple[object, ...]]
) -> Iterator[tuple[Record | None, Record | None]]:
    """Rows that differ between two states, the old one beside the new one of the same thing where both are there."""
    before, after = list(old), list(new)
    gone, come = Counter(before) - Counter(after), Counter(after) - Counter(before)
    of_old: dict[tuple[object, ...], list[Record]] = defaultdict(list)
    for row in gone.elements():
        of_old[key(row)].append(row)
    for row in sorted(come.elements(), key=lambda row: str(key(row))):
        was = of_old[key(row)]
        yield was.pop(0) if was else None, row
    for rows in of_old.values():
        yield from ((row, None) for row in rows)


def _asked(price: Price | None) -> str:
    if price is None:
        return NONE
    if price.amount is not None:
        told = f"{number(price.amount, 6)} {price.currency}"
    else:
        usd = price.usd_per_unit if price.usd_per_unit is not None else price.usd_per_gpu_hour
        told = f"{number(usd, 6)} USD" if usd is not None else "no amount"
    hour = "" if price.usd_per_gpu_hour is None else " an hour and GPU"
    return f"{told}{hour} ({price.flag})" if price.flag else f"{told}{hour}"


def _measured(result: Result | None) -> str:
    if result is None:
        return NONE
    told = f"{number(result.value, 6)} {result.unit}" if result.value is not None else "no value"
    return f"{told} ({result.flag})" if result.flag else told


def sentences(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Lines of the guide that read otherwise, since a figure in them changed."""
    before = {chapter.source.name: chapter.markdown for chapter in guide.read(old, IN_CHAPTERS).chapters}
    for chapter in guide.read(new, IN_CHAPTERS).chapters:
        past = before.get(chapter.source.name, "")
        if not past:  # the old data lacks a figure that the chapter needs: every line would differ
            continue
        for was, now in zip_longest(past.splitlines(), chapter.markdown.splitlines(), fillvalue=""):
            if _plain(was) != _plain(now):
                yield chapter.source.name, *_around(_plain(was), _plain(now))


def ranks(old: Dataset, new: Dataset) -> Iterator[Row]:
    """Picks and their runners-up that change."""
    before = {pick.question.id: pick for pick in picks.picks(old).picks}
    for pick in picks.picks(new).picks:
        was = before.get(pick.question.id)
        for place, name in enumerate(("pick", "runner-up")):
            now, then = _ranked(pick, place), _ranked(was, place) if was else NONE
            if now != then:
                yield pick.question.words, name, then, now


def _section(title: str, heads: Row, rows: Iterable[Row]) -> Section:
    made = [tuple(map(quoted, row)) for row in rows]
    return Section(title, heads, tuple(made[:MOST_ROWS]), max(0, len(made) - MOST_ROWS))


def quoted(text: str) -> str:
    """A stranger's text in a cell: every sign of Markdown is shown as it is, and nothing becomes a link or a call."""
    cut = text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"
    return ORDERS.sub(r"\\\1", CALLS.sub(rf"\1{APART}", " ".join(cut.split()))).replace("\\<", "&lt;")


def _newly(verdict: str, old: Dataset, new: Dataset) -> Iterator[DecidedClaim]:
    known = {(c.gpu, c.field, c.source, c.value) for c in old.claims if c.verdict == verdict}
    for claim in new.claims:
        if claim.verdict == verdict and (claim.gpu, claim.field, claim.source, claim.value) not in known:
            yield claim


def _stated(claim: DecidedClaim) -> Stated:
    return claim.gpu, claim.field, claim.source, claim.value


def _statement(new: Dataset, was: DecidedClaim | None, now: DecidedClaim | None, about: DecidedClaim) -> Row:
    beside = _beside(new, now) if now else "the source no longer states it"
    return about.gpu, heading(about.field).label, about.source_title, _figure(was), _figure(now), beside


def _beside(new: Dataset, claim: DecidedClaim) -> str:
    """In words, what a statement means for the figure that we show."""
    if claim.verdict == "chosen":
        return "is the one we show"
    if claim.verdict == "withdrawn":
        return "a correction takes it out"
    shown = _shown(new, claim)
    if claim.verdict == "differs":
        return f"contradicts the {_figure(shown)} that we show"
    same = shown is not None and shown.value == claim.value
    return f"agrees with the {_figure(shown)} that we show{'' if same else ', within the tolerance'}"


def _shown(dataset: Dataset, claim: DecidedClaim) -> DecidedClaim | None:
    return dataset.gpus[claim.gpu].chosen(claim.field) if claim.gpu in dataset.gpus else None


def _shown_value(dataset: Dataset, claim: DecidedClaim) -> str | None:
    shown = _shown(dataset, claim)
    return shown.value if shown else None


def _figure(claim: DecidedClaim | None) -> str:
    return f"{exact(claim.value)} {claim.unit}".strip() if claim else NONE


def _price(value: float | None, currency: str) -> str:
    return f"{number(value, 4)} {currency}" if value is not None else NONE


def _ranked(pick: picks.Pick, place: int) -> str:
    option = pick.answer.ranked[place] if len(pick.answer.ranked) > place else None
    return f"{option.name}, to {option.way}" if option else NONE


def _plain(line: str) -> str:
    """A line of a chapter as it is read, without the markup that figures carry."""
    return " ".join(re.sub(r"<[^>]*>", "", line).split())


def _around(was: str, now: str) -> Row:
    """The part of two lines that differs, with some words around it."""
    start = next((place for place, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    start = max(0, start - LONGEST_CELL // 4)
    lead = "…" if start else ""
    return f"{lead}{was[start:]}" or NONE, f"{lead}{now[start:]}" or NONE
