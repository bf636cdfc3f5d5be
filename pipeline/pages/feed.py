"""What moved in, the feed that a reader can subscribe to out: prices that changed, new cards, figures put right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pipeline import moves
from pipeline.dataset import Dataset
from pipeline.pages import addresses
from pipeline.pages.facts import label_of, source_title
from pipeline.render import Asset, day, dollars, template

FILE = "feed.xml"
MOST = 16  # of each kind, so that none drowns the others
KINDS = {"retail": "new", "used": "used"}


@dataclass(frozen=True, slots=True)
class Entry:
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
    """The feed, the newest first."""
    kinds = (_prices(dataset), _cards(dataset), _figures(dataset))
    found = sorted((entry for kind in kinds for entry in islice(kind, MOST)), key=lambda entry: entry.id)
    found.sort(key=lambda entry: entry.updated, reverse=True)
    context = {"entries": found, "site": addresses.SITE, "file": FILE, "newest": dataset.newest_reading}
    yield Asset(FILE, template("feed.xml.j2").render(context) + "\n")


def _prices(dataset: Dataset) -> Iterator[Entry]:
    for move in moves.price_moves(dataset):
        now, before = dollars(round(move.usd)), dollars(round(move.usd_before))
        yield Entry(
            f"price/{move.gpu.id}/{move.kind}/{move.day}", move.day,
            f"{move.gpu.name}, {KINDS[move.kind]}: {now} in {day(move.day)}",
            f"{move.percent:+.0f} % from {before} in {day(move.before)}, both from {move.provider}.",
            f"{addresses.gpu(move.gpu.id)}#prices",
        )  # fmt: skip


def _cards(dataset: Dataset) -> Iterator[Entry]:
    for gpu in moves.new_cards(dataset):
        launched = gpu.text("launch_date")
        yield Entry(f"card/{gpu.id}", launched, f"New: {gpu.name}", f"Launched {day(launched)}.", addresses.gpu(gpu.id))


def _figures(dataset: Dataset) -> Iterator[Entry]:
    for one in moves.corrected(dataset):
        shown = f"we show {one.chosen} {one.unit}".strip() if one.chosen else "we show none"
        yield Entry(
            f"figure/{one.gpu.id}/{one.field}/{one.source}/{one.stated}".replace(" ", "-"), one.retrieved,
            f"Put right: {label_of(one.field)} of {one.gpu.name}",
            f"{one.stated} {one.unit} in {source_title(one.source)}, read {day(one.retrieved)}; {shown}: {one.reason}.",
            f"{addresses.gpu(one.gpu.id)}#corrections",
        )  # fmt: skip
