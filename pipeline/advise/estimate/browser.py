"""What docs/javascripts/estimate.js reads: networks counted, coefficients found, sentences as templates with holes.

The browser repeats core.py and nothing else. Which coefficient a slot has on a card, which stands in for which, what an
engine refuses and what the bytes of a format are is worked out here, once for all cards and networks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, fields, replace
from functools import lru_cache

import pipeline.advise.estimate as estimator
from pipeline.advise.estimate import (
    coefficients,
    core,
    engines,
    inputs,
    memory,
    models,
    shapes,
    speed,
    support,
    training,
    types,
    weights,
    words,
)
from pipeline.advise.estimate.coefficients import ROUGH, Coefficients
from pipeline.advise.estimate.fit import REPEATED
from pipeline.advise.estimate.points import Point
from pipeline.advise.estimate.types import GIB, Card, EstimateError, Model, Request
from pipeline.dataset import Dataset

Plain = dict[str, object]
# Of a card's peaks only those that a formula reads.
PEAKS = tuple(dict.fromkeys((types.VECTOR, *(field for field, _ in types.PEAKS))))
# What stands behind a coefficient's name where it answers for cards that have none of their own.
WIDER = " *"
# Of a network what no formula and no page of the browser reads.
LEFT_OUT = ("aliases", "licence", "stored_weights", "stated_active_parameters_billion")


def data(dataset: Dataset) -> Plain:
    """All that the browser's estimator needs, in one object."""
    cards, registry = inputs.cards(dataset), models.load()
    found = coefficients.load()
    classes = Classes(found)
    return {
        "cards": [card(one, classes) for one in cards.values()],
        "models": [model(one) for one in registry.models.values()],
        "coefficients": fitted(found, training.all_shares(dataset, cards, registry), classes),
        "points": [point(one) for one in inputs.points(dataset, registry).measured],
    }


class Classes:
    """The rows of coefficients that cards share: slots with their names, and who stands in for whom."""

    def __init__(self, found: Coefficients) -> None:
        """Nothing is worked out before a card asks."""
        self.found = found
        self.rows: list[Plain] = []
        self.stood_in: dict[str, str] = {}  # marked coefficient → the sentence on what stands in
        self._places: dict[str, int] = {}

    def of(self, one: Card) -> list[int]:
        """For each engine the place of its row."""
        return [self._place(one, engine) for engine in engines.ENGINES]

    def _place(self, one: Card, engine: engines.Engine) -> int:
        named = speed.names(engine, one)
        row: Plain = {
            "names": {slot: self._nearest(name) for slot, name in named.items()},
            "backend": engines.backend(engine, one) if engine.family == "llama.cpp" else "",
            "support": _support(engine.name, one),
        }
        place = self._places.setdefault(repr(row), len(self.rows))
        if place == len(self.rows):
            self.rows.append(row)
        return place

    def _nearest(self, name: str) -> str:
        """The coefficient that answers, marked where it is of a wider class: cards that share it share a row."""
        other = self.found.find(name)
        if other in (None, name):
            return name
        if name.startswith(speed.NEEDED):
            self.stood_in[f"{other}{WIDER}"] = words.borrowed(name, other)
        return f"{other}{WIDER}"


def _support(engine: str, one: Card) -> dict[str, list[str]]:
    """What the engine refuses or only tries on this card: format → [verdict, sentence with a hole for the card]."""
    found = {}
    for name in support.FORMATS:
        row = support.verdict(engine, one, name)
        if row is not None and row.verdict != "yes":
            told = support.refusal(engine, one, name) or support.caution(engine, one, name)
            found[name] = [row.verdict, told.replace(one.name, "{}", 1)]
    return found


def card(one: Card, classes: Classes) -> Plain:
    """A card; what is unknown is left out."""
    peaks = {field: one.peaks[field] for field in PEAKS if field in one.peaks}
    own = {f.name: getattr(one, f.name) for f in fields(one) if f.name != "form_factor"} | {"peaks": peaks}
    alone = replace(one, link_gb_s=None)  # as a reader asks for it who has no bridge
    extra: Plain = {"memory_class": one.memory_class, "pcie_link": alone.link(2), "rows": classes.of(one)}
    unlinked = classes.of(alone)
    if unlinked != extra["rows"]:
        extra["rows_unlinked"] = unlinked
    marks = {"eight": one.eight, "bridged": one.form_factor == "PCIe card"}
    return _known(own) | extra | {name: True for name, value in marks.items() if value}


@lru_cache(maxsize=512)
def model(one: Model) -> Plain:
    """A network: the shapes that differ from the defaults, its counts, and its bytes in each format."""
    default = {f.name: f.default for f in fields(one) if f.default is not MISSING}
    stated = {f.name: getattr(one, f.name) for f in fields(one) if f.name not in LEFT_OUT}
    own = {name: value for name, value in stated.items() if name not in default or value != default[name]}
    try:
        counted = {
            "shape": {name: value for name, value in asdict(shapes.shape_of(one)).items() if value},
            "formats": {quant: _bytes(one, quant) for quant in weights.MIXES},
        }
    except EstimateError as error:
        return own | {"missing": str(error)}
    return own | counted


def _bytes(one: Model, quant: str) -> list[float]:
    """The whole file, what of it is looked up only, and all experts; the rest is what every token reads."""
    form = shapes.format_of(one, quant)
    told = [form.weights, form.lookup, form.experts]
    while not told[-1]:
        told.pop()
    return [int(value) if value.is_integer() else value for value in map(float, told)]


def fitted(found: Coefficients, runs: Iterable[training.KeptShare], classes: Classes) -> Plain:
    """The terms of all rows with value, sets and sentences; spreads with theirs; the tables of the formulas."""
    named = {name for row in classes.rows for name in row["names"].values()}  # type: ignore[attr-defined]
    spreads = {
        name: {"p10": one.p10, "p90": one.p90, "statement": "" if name == REPEATED else words.basis(name, one)}
        for name, one in found.spreads.items()
    }
    return {
        "terms": {name: _term(name, found, classes) for name in sorted(named)},
        "rows": classes.rows,
        "spreads": spreads,
        "tuned": _tuned(found),
        "runs": [{"architecture": run.architecture, "value": run.value, "results": run.results} for run in runs],
        "tables": tables(),
    }


def _tuned(found: Coefficients) -> Plain:
    """Fine-tuning: a coefficient by maker, with who stands in for a maker that was never measured."""
    head = speed.TUNED_16
    makers = {name.partition(", ")[2]: one.value for name, one in found.values.items() if name.startswith(f"{head}, ")}
    floors = {task: found.values.get(speed.FLOOR.format(task)) for task in training.TUNING}
    return {
        "spread": training.TUNED,
        "makers": makers,
        "other": [found.values[head].value, words.borrowed(f"{head}, another maker", head)],
        "unpacked": found.values["bytes unpacked"].value,
        "floors": {task: one.value if one else 0.0 for task, one in floors.items()},
    }


def _term(name: str, found: Coefficients, classes: Classes) -> Plain:
    """What a term costs; a sentence where a wider class stands in for it, or where nothing tells and it is needed."""
    one, note = found.values.get(name.removesuffix(WIDER)), classes.stood_in.get(name, "")
    if one is None:
        return {"missing": words.missing(name)} if name.startswith(speed.NEEDED) else {}
    roof = speed.roof(name.removesuffix(WIDER))
    told: Plain = {"value": one.value, "sets": list(one.sets)}
    return told | ({"note": note} if note else {}) | ({"roof": roof} if roof else {})


def point(one: Point) -> Plain:
    """A measured point; a single stream each."""
    asked = one.request
    return {
        "card": one.card.id,
        "model": one.model.id,
        "quant": asked.quant,
        "engine": asked.engine,
        "gpus": asked.gpus,
        "batch": asked.batch,
        "tokens": one.tokens,
        "value": one.value,
        "date": one.date,
        "software": one.software,
        "key": one.key,
    }


def tables() -> Plain:
    """Every table, constant and sentence of the formulas."""
    return {
        "request": asdict(Request()),
        "limits": {
            "gpus": estimator.MOST_GPUS,
            "batch": estimator.MOST_BATCH,
            "near_context": estimator.NEAR_CONTEXT,
            "near_time": estimator.NEAR_TIME,
            "usual_prompt": estimator.USUAL_PROMPT,
        },
        "quants": {name: _quant(name) for name in weights.MIXES},
        "quant_aliases": dict(weights.QUANT_ALIASES),
        "engines": [asdict(one) | {"family": one.family} for one in engines.ENGINES],
        "engine_aliases": dict(engines.ENGINE_ALIASES),
        "driver_share": dict(engines.DRIVER_SHARE),
        "memory": _memory(),
        "speed": {
            "vector": types.VECTOR,
            "pcie_gb_s": dict(types.PCIE_GB_S),
            "pipeline_piece": core.PIPELINE_PIECE,
            "tensor_term": speed.TENSOR_TERM,
            "wider": WIDER,
            "rough": ROUGH,
        },
        "training": _training(),
        "sentences": {
            "unknown_link": estimator.UNKNOWN_LINK,
            "tensor_lent": estimator.TENSOR_LENT,
            "several_machines": estimator.SEVERAL_MACHINES,
            "lengths": words.LENGTHS,
            "measured": words.MEASURED_BASIS,
            "repeated": REPEATED,
        },
    }


def _quant(name: str) -> Plain:
    """What a format is, whatever the network."""
    bits = weights.BITS[weights.MIXES[name].base]
    marks = shapes.marks_of(name)
    return {"format": support.format_of(name), "bits": bits} | {k: True for k, v in marks.items() if v}


def _memory() -> Plain:
    return {
        "gib": GIB,
        "window_pad": core.WINDOW_PAD,
        "cache_bits": {family: {str(k): v for k, v in bits.items()} for family, bits in core.CACHE_BITS.items()},
        "logit_bytes": core.LOGIT_BYTES,
        "weight_bytes": memory.WEIGHT_BYTES,
        "gradient_bytes": memory.GRADIENT_BYTES,
        "master_bytes": memory.MASTER_BYTES,
        "optimizer_bytes": {name: list(pair) for name, pair in memory.OPTIMIZER_BYTES.items()},
        "adapter_bytes": memory.ADAPTER_BYTES,
        "hidden_bytes": memory.HIDDEN_BYTES,
        "inner_bytes": memory.INNER_BYTES,
        "recomputed_bytes": memory.RECOMPUTED_BYTES,
        "loss_bytes": memory.LOSS_BYTES,
        "training_overhead_gib": memory.TRAINING_OVERHEAD_GIB,
        "frozen_quant": dict(memory.FROZEN_QUANT),
    }


def _training() -> Plain:
    return {
        "peaks": [list(one) for one in types.PEAKS],
        "enough_runs": training.ENOUGH_RUNS,
        "reference": training.REFERENCE,
        "statement": training.STATEMENT,
        "compared": training.COMPARED,
        "full": speed.FULL,
        "frozen": speed.FROZEN,
        "recompute": speed.RECOMPUTE,
        "tuning": list(training.TUNING),
    }


def _known(row: Mapping[str, object]) -> Plain:
    return {name: value for name, value in row.items() if value not in (None, "")}
