"""What the browser's chooser needs beside the estimator's file: cards, prices, machines, measured tasks, spellings.

The figures are those of the catalogue, worked out once; rules, limits and sentences are translated with the scripts
(pipeline/site/scripts). One file holds what most questions need, those of `browser_parts` what only some do: another
market's prices, a task whose speed was measured as such, the names of the reader's own cards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.advise.choose import catalogue, hosts
from pipeline.advise.choose.answer import smaller_models
from pipeline.advise.estimate import inputs
from pipeline.core import identity
from pipeline.dataset import Dataset
from pipeline.derive.prices.rules import DEFAULT_MARKET

Plain = dict[str, Any]
# What the estimator's file says of a card is not said again.
CARD = ("status", "memory_gb", "power_w", "load_w", "slots", "length_mm", "passive", "bf16",
        "psu_w", "ended", "bridge", "linked", "known", "experts_share", "experts_on", "label")  # fmt: skip
QUOTE = ("usd", "kind", "date", "who", "firm", "url", "sellers", "listings", "most_gpus", "least_gpus", "past_gpus",
         "past_seen", "doubt", "aged", "basis", "first_share", "dearer")  # fmt: skip


def browser_data(dataset: Dataset) -> Plain:
    """Collect what an answer to most questions is computed from besides the estimator's data."""
    on = catalogue.shelf(dataset)
    gpus = list(dataset.gpus)
    return {
        "read": dataset.newest_reading,
        "columns": {"card": CARD, "quote": QUOTE},
        "parts": list(browser_parts(dataset)),
        "cards": [[{**on.facts[gpu], **_label(on.facts[gpu])}[name] for name in CARD] for gpu in gpus],
        "supports": _shared([{task: [s.level, s.says] for task, s in on.supports[gpu].items()} for gpu in gpus]),
        "smaller_models": {model: smaller_models(model) for model in on.registry.models},
        "splits": {model: on.splits(model) for model in on.registry.models},
        "hosts": _shared([_hosts(on.facts[gpu]) for gpu in gpus]),
        "machines": machines(on),
        "buy": {DEFAULT_MARKET: _to_buy(on, gpus, DEFAULT_MARKET)},
        "rent": {how: {gpu: [*map(_quote, one)] for gpu, one in known.items()} for how, known in on.lets.items()},
        "rates16": _inferred(dataset, on),
        "serving_vendors": sorted(on.serving_vendors),
        "headroom": catalogue.HEADROOM,
        "kept": {"a_year": on.kept.a_year, "words": on.kept.words, "first": {"words": on.kept.first.words}},
        "maker_words": sorted(identity.MAKER_WORDS),
        "marks": {chr(mark): str(instead) for mark, instead in identity.MARKS.items()},
        "model_names": dict(on.registry.spellings),
    }


def browser_parts(dataset: Dataset) -> Plain:
    """Name of a file → what only some questions need, as it is joined to the rest."""
    on = catalogue.shelf(dataset)
    gpus = list(dataset.gpus)
    others = [where for where in on.markets if where != DEFAULT_MARKET]
    return {
        **{f"market-{where}": {"buy": {where: _to_buy(on, gpus, where)}} for where in others},
        **{f"task-{task}": {"measured": {task: _measured(on, gpus, task)}} for task in on.measured},
        "names": {"names": _names(dataset)},
    }


def _label(card: Mapping[str, Any]) -> dict[str, str]:
    """What a card is called where that is not its name; the estimator's file holds the names."""
    return {"label": "" if card["label"] == card["name"] else str(card["label"])}


def _shared(rows: Sequence[Any]) -> Plain:
    """Rows of which many are equal: each kind once, and for each card which of them."""
    kinds: list[Any] = []
    places = []
    for row in rows:
        if row not in kinds:
            kinds.append(row)
        places.append(kinds.index(row))
    return {"kinds": kinds, "of": places}


def _hosts(card: Mapping[str, Any]) -> Plain:
    """In which machine a card goes, by what the reader says of it and by count; null where there is none."""
    found = {
        variant: [
            hosts.host_for(variant, card["form"], n, card["slots"] * n, hosts.drawn_w(card, n))
            for n in catalogue.COUNTS
        ]
        for variant in hosts.VARIANTS
    }
    return {variant: [place and [place.name, place.usd] for place in places] for variant, places in found.items()}


def machines(on: catalogue.Shelf) -> Plain:
    """Of chips that are sold as whole machines, what the configuration that has a price holds."""
    cards = {gpu: on.card(gpu) for gpu in hosts.machines() if gpu in on.cards}
    told = ("id", "memory_gb", "memory_bandwidth_gb_s")
    return {gpu: {name: getattr(card, name) for name in told} for gpu, card in cards.items()}


def _to_buy(on: catalogue.Shelf, gpus: Sequence[str], where: str) -> Plain:
    """A market's prices: what is said of used cards → each card's price, -1 where it has none."""
    known = on.markets[where]
    rows = list(dict.fromkeys(tuple(_quote(q)) for quotes in known.values() for q in quotes.values()))
    places = {row: i for i, row in enumerate(rows)}
    of = {
        used: [places[tuple(_quote(quotes[gpu]))] if gpu in quotes else -1 for gpu in gpus]
        for used, quotes in known.items()
    }
    return {"kinds": rows, "of": of}


def _quote(quote: Any) -> list[Any]:  # noqa: ANN401 (a quote)
    return [getattr(quote, name) for name in QUOTE]


def _inferred(dataset: Dataset, on: catalogue.Shelf) -> dict[str, dict[str, float]]:
    stated, rate = inputs.cards(dataset), catalogue.MATRIX
    return {gpu: {rate: card.peaks[rate]} for gpu, card in on.cards.items() if card.peaks != stated[gpu].peaks}


def _measured(on: catalogue.Shelf, gpus: Sequence[str], task: str) -> Plain:
    """Memory and speed of a task that was measured as such: by card and count."""
    needed = usable = None
    rows: Plain = {}
    for gpu in gpus:
        made = []
        for count in catalogue.COUNTS:
            able = catalogue.measured_ability(on, on.card(gpu), count, task)
            rate = able.rate
            middle = (rate.median, rate.p10, rate.p90) if rate else (None, None, None)
            made.append([*middle, able.measured, able.statement, able.problem])
            needed = able.needed_gib / count
        rows[gpu] = made
        usable = 0.98
    says = list(dict.fromkeys(text for made in rows.values() for one in made for text in one[4:]))
    places = {text: i for i, text in enumerate(says)}
    packed = {gpu: [[*one[:4], places[one[4]], places[one[5]]] for one in made] for gpu, made in rows.items()}
    return {"needed_each": needed, "usable_share": usable, "says": says, "rows": packed}


def _names(dataset: Dataset) -> dict[str, int]:
    """Every spelling of a card, as docs/javascripts/chooser.js writes it, with its place in the list of cards."""
    place = {gpu: i for i, gpu in enumerate(dataset.gpus)}
    return {
        identity.key(text): place[gpu.id] for gpu in dataset.gpus.values() for text in (gpu.id, gpu.name, *gpu.aliases)
    }
