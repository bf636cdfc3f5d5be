"""The pairs of cards that people compare most: a static page each that search engines can read, and their list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from pipeline.advise.comparison import NO_RATIO, lead
from pipeline.advise.verdict import PairVerdict, Use, verdict
from pipeline.core.wording import ratio, short, slug
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics, rivals
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import DEFAULT_MARKET, MARKETS, Market
from pipeline.site.charts.svg import pixel
from pipeline.site.pages import addresses, schema_org
from pipeline.site.pages.facts import Fact, facts
from pipeline.site.pages.table import best_known
from pipeline.site.render import Page, Shared

# Written by hand: what people ask for. The second card is the one that they think of moving to, or the rival.
PAIRS: tuple[tuple[str, str], ...] = (
    ("nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-5090"),
    ("nvidia-geforce-rtx-3090", "nvidia-geforce-rtx-4090"),
    ("nvidia-geforce-rtx-3090", "nvidia-geforce-rtx-5090"),
    ("nvidia-geforce-rtx-3090", "nvidia-geforce-rtx-3090-ti"),
    ("nvidia-geforce-rtx-3060-12gb", "nvidia-geforce-rtx-4060-ti-16gb"),
    ("nvidia-geforce-rtx-4060-ti-16gb", "nvidia-geforce-rtx-5060-ti-16gb"),
    ("nvidia-geforce-rtx-4080", "nvidia-geforce-rtx-5080"),
    ("nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-5080"),
    ("nvidia-geforce-rtx-4070-ti-super", "nvidia-geforce-rtx-5070-ti"),
    ("amd-radeon-rx-7900-xtx", "nvidia-geforce-rtx-4090"),
    ("amd-radeon-rx-7900-xtx", "nvidia-geforce-rtx-3090"),
    ("amd-radeon-rx-9070-xt", "nvidia-geforce-rtx-5070-ti"),
    ("nvidia-rtx-a6000", "nvidia-rtx-6000-ada"),
    ("nvidia-geforce-rtx-4090", "nvidia-rtx-6000-ada"),
    ("nvidia-a100-sxm4-80gb", "nvidia-h100-sxm5-80gb"),
    ("nvidia-h100-pcie-80gb", "nvidia-h100-sxm5-80gb"),
    ("nvidia-h100-sxm5-80gb", "nvidia-h200-sxm-141gb"),
    ("nvidia-h200-sxm-141gb", "nvidia-b200"),
    ("nvidia-h100-sxm5-80gb", "amd-instinct-mi300x"),
    ("nvidia-l40s", "nvidia-a100-pcie-80gb"),
    ("nvidia-t4", "nvidia-l4"),
    ("nvidia-v100-sxm2-32gb", "nvidia-a100-sxm4-80gb"),
)
BOOST = 0.14  # who types one name looks for the card
TAGS = ("vs", "versus", "against")  # who types one of these between two names looks for the pair
LISTED_FIRST = 36  # of the list on a phone, where the rest is folded away
# The picture of a pair, in its own pixels: labels at the left, bars to both sides of a middle, each with its text.
PICTURE_PX, LABELS_PX, TEXT_PX, GAP_PX, HEAD_PX, ROW_PX, BASE_PX = 400, 96, 34, 5, 26, 24, 11
ROWS = (
    "memory_gb",
    "memory_bandwidth_gb_s",
    "board_power_w",
    "launch_price_usd",
    "launch_date",
    "memory_type",
    "form_factor",
    "slot_width",
    "link_gb_s",
    "architecture",
)
LOWER_IS_BETTER = ("board_power_w", "launch_price_usd")
NO_BETTER = ("launch_date", "memory_type", "form_factor", "slot_width", "architecture")


@dataclass(frozen=True, slots=True)
class PairRow:
    """One figure of both cards; `better` is 0 or 1 where one is, else None."""

    label: str
    facts: tuple[Fact | None, Fact | None]
    better: int | None
    lead: str  # of the better one: 1.3×, or 4 % where a ratio would read 1×


@dataclass(frozen=True, slots=True)
class RatioBar:
    """How many times one card has what the other has, as a bar from the middle towards the card that has more."""

    label: str
    basis: str  # measured, or nothing where it is the makers' figures
    second: bool  # whether the second card has more
    text: str
    y: int  # of its text
    top: int
    start: str
    width: str
    end: str  # where its text stands


@dataclass(frozen=True, slots=True)
class RatioPicture:
    """The bars of a pair on one scale of ratios, logarithmic so that twice and half are equally long."""

    width: int
    height: int
    middle: str
    bars: tuple[RatioBar, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two cards side by side."""

    one: GpuRecord
    two: GpuRecord

    @property
    def address(self) -> str:
        """Where its page stands."""
        return f"compare/{slug(short(self.one.name))}-vs-{slug(short(self.two.name))}"

    @property
    def title(self) -> str:
        """The pair as people search for it."""
        return f"{short(self.one.name)} vs {short(self.two.name)}"


def pages(dataset: Dataset) -> Iterator[Page]:
    """A page for each pair of the list, and the list."""
    known = pairs(dataset)
    related = _related(known)
    found = {
        pair.address: {market: verdict(dataset, pair.one, pair.two, market) for market in MARKETS} for pair in known
    }
    for pair in known:
        yield _page(pair, found[pair.address], dataset, related)
    yield Page(
        "compare/pairs",
        "pairs.html.j2",
        {"pairs": [(pair, _said(found[pair.address], "sentence")) for pair in known], "first": LISTED_FIRST},
        "Popular comparisons",
        "The comparisons that people ask for most, each on a page of its own.",
        "pipeline/site/pages/pairs.py",
        hide=("toc",),
    )


def pairs(dataset: Dataset) -> list[Pair]:
    """The pairs of the list, then the best-known cards with their rivals."""
    listed = [(dataset.gpus[one], dataset.gpus[two]) for one, two in PAIRS if {one, two} <= set(dataset.gpus)]
    found: dict[frozenset[str], Pair] = {}
    for one, two in (*listed, *rivals.pairs(dataset, best_known(dataset))):
        found.setdefault(frozenset((one.id, two.id)), Pair(one, two))
    return list(found.values())


def lines(pair: Pair) -> list[PairRow]:
    """Figures side by side: of one kind only."""
    one, two = facts(pair.one), facts(pair.two)
    made = [_line(name, one.get(name), two.get(name), pair) for name in ROWS if name in one or name in two]
    rates = [metrics.sixteen_bit(gpu) for gpu in (pair.one, pair.two)]
    if all(rates):
        keys = [rate.key.field for rate in rates if rate]
        made.insert(2, _line("16-bit peak, dense", one.get(keys[0]), two.get(keys[1]), pair))
    return made


def picture(pair: Pair, uses: Sequence[Use]) -> RatioPicture | None:
    """The ratios of a pair drawn from a middle line; None where fewer than two are known."""
    one, two = pair.one, pair.two
    rates = [metrics.sixteen_bit_tflops(gpu) for gpu in (one, two)]
    ratios = [
        ("Memory", "", metrics.quotient(*map(metrics.memory, (two, one)))),
        ("Bandwidth", "", metrics.quotient(*map(metrics.memory_bandwidth, (two, one)))),
        ("16-bit peak", "", metrics.quotient(rates[1], rates[0])),
        ("Board power", "", metrics.quotient(two.board_power_w, one.board_power_w)),
    ]
    ratios += [(use.name, "measured", use.times) for use in uses if use.measured]
    known = [(label, basis, times) for label, basis, times in ratios if times]
    if len(known) < 2:
        return None
    reach = max(2.0, *(max(times, 1 / times) for _, _, times in known))
    middle, half = LABELS_PX + (PICTURE_PX - LABELS_PX) / 2, (PICTURE_PX - LABELS_PX) / 2 - TEXT_PX
    bars = []
    for row, (label, basis, times) in enumerate(known):
        length = half * abs(log(times)) / log(reach)
        second = times >= 1
        start = middle if second else middle - length
        end = middle + length + GAP_PX if second else start - GAP_PX
        text = "even" if abs(times - 1) < NO_RATIO - 1 else ratio(max(times, 1 / times))
        top = HEAD_PX + ROW_PX * row
        bars.append(RatioBar(label, basis, second, text, top + BASE_PX, top, pixel(start), pixel(length), pixel(end)))
    return RatioPicture(PICTURE_PX, HEAD_PX + ROW_PX * len(bars), pixel(middle), tuple(bars))


def _page(
    pair: Pair, found: Mapping[Market, PairVerdict], dataset: Dataset, related: Mapping[str, Sequence[Pair]]
) -> Page:
    book = quotes(dataset)
    context = {
        "pair": pair,
        "short_names": (short(pair.one.name), short(pair.two.name)),
        "uses": found[DEFAULT_MARKET].uses,
        "picture": picture(pair, found[DEFAULT_MARKET].uses),
        "sentence": _said(found, "sentence"),
        "money": _said(found, "money"),
        "lines": lines(pair),
        "buy": [{market: book.to_buy(gpu.id, market) for market in MARKETS} for gpu in (pair.one, pair.two)],
        "rent": [{market: book.to_rent(gpu.id, market) for market in MARKETS} for gpu in (pair.one, pair.two)],
        "others": [other for gpu in (pair.one, pair.two) for other in related[gpu.id] if other != pair],
        "addresses": addresses,
    }
    uses = found[DEFAULT_MARKET].uses
    # What a link to the pair shows: its ratios, the measured ones first
    drawn = picture(pair, uses)
    bars = sorted(drawn.bars, key=lambda bar: not bar.basis) if drawn else []
    names = {True: short(pair.two.name), False: short(pair.one.name)}
    shared_figures = tuple(
        (bar.label if bar.text == "even" else f"{bar.label}: {names[bar.second]}", bar.text) for bar in bars
    )
    return Page(
        pair.address,
        "pair.html.j2",
        context,
        f"{pair.title} for deep learning",
        f"{pair.title} for training, fine-tuning and inference. {found[DEFAULT_MARKET].sentence}",
        "pipeline/site/pages/pairs.py",
        hide=("navigation", "toc"),
        boost=BOOST,
        tags=TAGS,
        about=_for_search_engines(pair, found[DEFAULT_MARKET].sentence),
        trail=schema_org.trail(
            ("Compare", "compare/"), ("Popular comparisons", "compare/pairs/"), (pair.title, f"{pair.address}/")
        ),
        shared=Shared(f"{pair.title} for deep learning", shared_figures),
    )


def _for_search_engines(pair: Pair, sentence: str) -> dict[str, object]:
    """The comparison in the words of schema.org."""
    return {
        "@context": schema_org.CONTEXT,
        "@type": "WebPage",
        "name": pair.title,
        "description": sentence,
        "url": f"{addresses.SITE}{pair.address}/",
        "about": [
            {"@type": "Product", "name": gpu.name, "url": f"{addresses.SITE}{addresses.gpu(gpu.id)}"}
            for gpu in (pair.one, pair.two)
        ],
    }


def _said(found: Mapping[Market, PairVerdict], part: str) -> dict[Market, str]:
    """A part of the verdict in each market."""
    return {market: getattr(one, part) for market, one in found.items()}


def _line(name: str, one: Fact | None, two: Fact | None, pair: Pair) -> PairRow:
    label = next((fact.label for fact in (one, two) if fact), name)
    better, led = None, ""
    if one and two and name not in NO_BETTER:
        a, b = (
            float(gpu.claims[fact.field][0].value) for gpu, fact in zip((pair.one, pair.two), (one, two), strict=True)
        )
        led = lead(a, b)
        lower = name in LOWER_IS_BETTER
        better = None if a == b else int((b < a) if lower else (b > a))
    return PairRow(label if name != "16-bit peak, dense" else name, (one, two), better, led)


def _related(known: Sequence[Pair]) -> dict[str, list[Pair]]:
    """The pairs of each card."""
    found: dict[str, list[Pair]] = {}
    for pair in known:
        for gpu in (pair.one, pair.two):
            found.setdefault(gpu.id, []).append(pair)
    return found


def missing(dataset: Dataset) -> Sequence[str]:
    """Ids of the list that the dataset does not hold: a test keeps it empty."""
    return [id for pair in PAIRS for id in pair if id not in dataset.gpus]
