"""The feed that a reader can subscribe to: prices that changed, new cards, figures put right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pipeline.core.templates import template
from pipeline.core.wording import day, money
from pipeline.dataset import Dataset
from pipeline.derive import news
from pipeline.derive.prices.changes import Change, changes, of_card
from pipeline.derive.prices.quote import quotes
from pipeline.derive.prices.rules import MARKETS, WORDS
from pipeline.site.pages import addresses
from pipeline.site.pages.facts import heading, source_title
from pipeline.site.render import Asset

FILE = "feed.xml"
MOST = 16  # of each kind, so that none drowns the others


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One thing that moved; `id` stays the same in every build that holds it."""

    id: str
    day: str
    title: str
    text: str
    address: str  # below the site's root

    @property
    def updated(self) -> str:
        """The day as a feed writes it; of a month the first day counts."""
        return f"{self.day}-01-01"[:10] + "T00:00:00Z"


def pages(dataset: Dataset) -> Iterator[Asset]:
    """The feed of all that moved, and one for each card's prices, the newest first."""
    about = "Prices of cards that changed, new cards, and figures of sources put right"
    yield _feed(FILE, "GPU Almanac: what moved", about, "", entries(dataset), dataset)
    for gpu in dataset.gpus.values():
        found = [_move(dataset, move) for move in of_card(quotes(dataset), gpu.id)[:MOST]]
        if found:
            about = f"Prices of the {gpu.name} that changed from month to month"
            yield _feed(of(gpu.id), f"{gpu.name}: prices", about, addresses.gpu(gpu.id), found, dataset)


def of(gpu: str) -> str:
    """The file of the feed of a card's prices."""
    return f"gpus/{gpu}/prices.xml"


def _feed(file: str, title: str, about: str, address: str, found: Sequence[FeedEntry], dataset: Dataset) -> Asset:
    context = {
        "entries": found,
        "title": title,
        "about": about,
        "address": address,
        "site": addresses.SITE,
        "file": file,
        "newest": dataset.newest_reading,
    }
    return Asset(file, template("feed.xml.j2").render(context) + "\n")


def entries(dataset: Dataset) -> list[FeedEntry]:
    """What moved, the newest first."""
    kinds = ((_move(dataset, move) for move in changes(quotes(dataset))), _cards(dataset), _figures(dataset))
    found = sorted((entry for kind in kinds for entry in islice(kind, MOST)), key=lambda entry: entry.id)
    found.sort(key=lambda entry: entry.updated, reverse=True)
    return found


def _move(dataset: Dataset, move: Change) -> FeedEntry:
    gpu, market, kind = dataset.gpus[move.gpu], MARKETS[move.market], WORDS[move.kind]
    now, before = money(move.value, market.currency), money(move.before_value, market.currency)
    share = f"{move.percent:+.0f} % from {before} in {day(move.before.month)}"
    like = f"{share}, the same product in the same shop, index or provider."
    doubts = "".join(f" In doubt: {doubt}." for doubt in move.doubts)
    return FeedEntry(
        f"price/{gpu.id}/{move.kind}/{move.market}/{move.after.month}",
        move.after.month,
        f"{gpu.name}, {kind}, {market.name}: {now} in {day(move.after.month)}",
        (like if move.share is not None else f"Not a change of price: {move.sources}.") + doubts,
        f"{addresses.gpu(gpu.id)}#prices",
    )


def _cards(dataset: Dataset) -> Iterator[FeedEntry]:
    for gpu in news.new_cards(dataset):
        launched = gpu.launch_date
        yield FeedEntry(
            f"card/{gpu.id}", launched, f"New: {gpu.name}", f"Launched {day(launched)}.", addresses.gpu(gpu.id)
        )


def _figures(dataset: Dataset) -> Iterator[FeedEntry]:
    for one in news.corrected(dataset):
        shown = f"we show {one.chosen} {one.unit}".strip() if one.chosen else "we show none"
        yield FeedEntry(
            f"figure/{one.gpu.id}/{one.field}/{one.source}/{one.stated}".replace(" ", "-"),
            one.retrieved,
            f"Put right: {heading(one.field).label} of {one.gpu.name}",
            f"{one.stated} {one.unit} in {source_title(one.source)}, read {day(one.retrieved)}; {shown}: {one.reason}.",
            f"{addresses.gpu(one.gpu.id)}#corrections",
        )
