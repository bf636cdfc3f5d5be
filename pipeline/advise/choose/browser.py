"""What the browser's chooser needs beside the estimator's file: cards, prices, machines, measured tasks and the rules.

The figures are those of the catalogue, worked out once; the rules are the room `choose` with every formula and sentence
as nested lists, so that the script holds no limit, no threshold and no sentence of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.advise import rules
from pipeline.advise.choose import catalogue, hosts, picture
from pipeline.advise.choose.answer import ALTERNATIVES, CIRCUITS, CONSTANTS, smaller_models
from pipeline.advise.choose.need import FIELDS, RULES, TASKS, Need
from pipeline.advise.choose.presenter import COMMAND, RANKED_SHOWN
from pipeline.advise.estimate import inputs
from pipeline.advise.estimate.support import format_of
from pipeline.advise.estimate.weights import MIXES
from pipeline.core import currencies, identity
from pipeline.dataset import Dataset
from pipeline.derive.prices.rules import MARKETS, MarketRule

Plain = dict[str, Any]
CARD = ("id", "vendor", "segment", "form", "status", "memory_gb", "power_w", "slots", "length_mm", "passive", "psu_w",
        "ended", "bridge", "linked", "label")  # fmt: skip
QUOTE = ("usd", "kind", "date", "who", "firm", "url", "sellers", "listings", "most_gpus", "doubt", "aged", "basis",
         "words")  # fmt: skip
ABLE = ("rate", "low", "high", "measured", "statement", "problem")


def browser_data(dataset: Dataset) -> Plain:
    """Collect what an answer is computed from besides the estimator's data."""
    on = catalogue.shelf(dataset)
    gpus = list(dataset.gpus)
    return {
        "read": dataset.newest_reading,
        "columns": {"card": CARD, "quote": QUOTE, "able": ABLE},
        "cards": [[{**on.facts[gpu], **_label(on.facts[gpu])}[name] for name in CARD] for gpu in gpus],
        "supports": _shared([{task: [s.level, s.says] for task, s in on.supports[gpu].items()} for gpu in gpus]),
        "smaller_models": {model: smaller_models(model) for model in on.registry.models},
        "splits": {model: on.splits(model) for model in on.registry.models},
        "formats": {quant: format_of(quant) for quant in (*MIXES, "mxfp4_moe")},
        "hosts": _shared([_hosts(on.facts[gpu]) for gpu in gpus]),
        "machines": _machines(on),
        "buy": {
            where: {used: {gpu: _quote(q) for gpu, q in quotes.items()} for used, quotes in known.items()}
            for where, known in on.markets.items()
        },
        "rent": {kind: {gpu: _quote(q) for gpu, q in on.rented(kind).items()} for kind in FIELDS["rented"]["choices"]},
        "rates16": _inferred(dataset, on),
        "matrix": catalogue.MATRIX,
        "measured": {task: _measured(on, gpus, task) for task in on.measured},
        "serving_vendors": sorted(on.serving_vendors),
        "no_serving": catalogue.NO_SERVING,
        "shared_out_times": catalogue.SHARED_OUT_TIMES,
        "kept": on.kept.a_year,
        "kept_words": on.kept.words,
        "names": _names(dataset),
        "maker_words": sorted(identity.MAKER_WORDS),
        "marks": {chr(mark): str(instead) for mark, instead in identity.MARKS.items()},
        "model_names": dict(on.registry.spellings),
        "model_kinds": {model.id: model.kind for model in on.registry.models.values()},
        "markets": {market: _market(rule) for market, rule in MARKETS.items()},
        "need": {name: getattr(Need(), name) for name in FIELDS},
        "constants": dict(CONSTANTS),
        "circuits": dict(CIRCUITS),
        "command": COMMAND,
        "shown": {"ranked": RANKED_SHOWN, "alternatives": ALTERNATIVES},
        "picture": [picture.WIDTH, picture.HEIGHT, picture.LEFT, picture.RIGHT, picture.TOP, picture.BOTTOM],
        "ticks": [picture.STEPS, picture.MOST_TICKS],
        "rules": rules_data(),
    }


def _label(card: Mapping[str, Any]) -> dict[str, str]:
    """What a card is called where that is not its name; the estimator's file holds the names."""
    return {"label": "" if card["label"] == card["name"] else str(card["label"])}


def rules_data() -> Plain:
    """The rules that the script works with, formulas and sentences as nested lists."""

    def row(one: Mapping[str, Any]) -> Plain:
        made = {name: rules.as_data(str(one[name])) for name in ("holds", "gap", "when") if name in one}
        plain = {name: one[name] for name in ("name", "all", "only", "each", "fastest") if name in one}
        return {**plain, **made, "says": rules.sentence_data(one["says"])}

    def change(one: Mapping[str, Any]) -> Plain:
        return {**row(one), "set": {name: rules.as_data(str(f)) for name, f in one["set"].items()}}

    told = {name: rules.sentence_data(text) for name, text in RULES["shows"].items() if isinstance(text, str)}
    return {
        "counts": RULES["counts"],
        "tasks": TASKS,
        "fields": FIELDS,
        **{name: RULES[name] for name in ("numbers", "suffixes", "context_suffixes", "currency_marks")},
        "kinds": RULES["kinds"],
        "refusals": {name: rules.sentence_data(text) for name, text in RULES["refusals"].items()},
        "facts": {when: {n: rules.as_data(str(f)) for n, f in facts.items()} for when, facts in RULES["facts"].items()},
        "constraints": {
            per: [row(one) for one in RULES["constraints"] if one["per"] == per] for per in ("offer", "count", "able")
        },
        "standard": [row(one) for one in RULES["standard"]],
        "remarks": [row(one) for one in RULES["remarks"]],
        "gives_up": [row(one) for one in RULES["gives_up"]],
        "nothing_given_up": RULES["nothing_given_up"],
        "assumptions": [row(one) for one in RULES["assumptions"]],
        "ways_out": [change(one) for one in RULES["ways_out"]],
        "eased": [change(one) for one in RULES["eased"]],
        "cannot": [
            {name: rules.as_data(text) if name == "when" else rules.sentence_data(text) for name, text in one.items()}
            for one in RULES["cannot"]
        ],
        "power_curves": {name: one["points"] for name, one in RULES["power_curves"].items()},
        "step": rules.as_data(RULES["step"]),
        "leads": rules.as_data(RULES["leads"]),
        "most_ways_out": RULES["most_ways_out"],
        "smaller": RULES["smaller"],
        "usual_quant": RULES["usual_quant"],
        "choices": {
            id: {name: rules.sentence_data(text) for name, text in one.items()} for id, one in RULES["choices"].items()
        },
        "only_narrow": RULES["only_narrow"],
        "same": rules.sentence_data(RULES["same"]),
        "option": {name: rules.sentence_data(text) for name, text in RULES["shows"]["option"].items()},
        "shows": told,
        "training": RULES["training"],
    }


def _market(rule: MarketRule) -> Plain:
    """Whose prices they are, and in which money."""
    money = currencies.load()[rule.currency]
    about = {"name": rule.name, "currency": rule.currency, "tax_words": rule.tax_words}
    return about | {"usd": money.usd, "sign": money.sign, "rate": money.rate_words}


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


def _machines(on: catalogue.Shelf) -> Plain:
    cards = {gpu: on.card(gpu) for gpu in hosts.machines() if gpu in on.cards}
    return {gpu: [card.id, card.memory_gb, card.memory_bandwidth_gb_s] for gpu, card in cards.items()}


def _quote(quote: Any) -> list[Any]:  # noqa: ANN401 (a quote)
    return [getattr(quote, name) for name in QUOTE]


def _inferred(dataset: Dataset, on: catalogue.Shelf) -> dict[str, float]:
    stated = inputs.cards(dataset)
    return {gpu: card.peaks[catalogue.MATRIX] for gpu, card in on.cards.items() if card.peaks != stated[gpu].peaks}


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
    """Every spelling of a card, as docs/javascripts/choose.js writes it, with its place in the list of cards."""
    place = {gpu: i for i, gpu in enumerate(dataset.gpus)}
    return {
        identity.key(text): place[gpu.id] for gpu in dataset.gpus.values() for text in (gpu.id, gpu.name, *gpu.aliases)
    }
