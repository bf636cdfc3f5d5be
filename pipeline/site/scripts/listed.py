"""Which functions of Python the browser asks, in which module of the site each stands, and what is given by hand there.

A new formula needs nothing here: whatever a listed function uses comes with it. `modules` gives the texts, `write` puts
them into a folder for the checks of `pipeline.tools.setup.scripts` and for the tests.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

from pipeline.advise import comparison, rules
from pipeline.advise import estimate as estimator
from pipeline.advise.choose import answer, calculators, catalogue, electricity, market, need, presenter
from pipeline.advise.choose.calculators import card_facts, words
from pipeline.advise.estimate import coefficients, engines, memory, shapes, support, tensors, training, types, weights
from pipeline.core import currencies, wording
from pipeline.core.networks import Model
from pipeline.core.paths import ROOT
from pipeline.derive.prices import tax
from pipeline.site.scripts import formulas
from pipeline.site.scripts.translate import Program, literal

FOLDER = ROOT / ".cache" / "javascripts"
# What asks a network tensor by tensor stands in calculators/data.json, worked out once for all browsers.
BY_HAND: Mapping[object, tuple[str, str]] = {
    shapes.shape_of: ("./estimator.js", "shapeOf"),
    shapes.format_of: ("./estimator.js", "formatOf"),
    tensors.parameters: ("./estimator.js", "parameters"),
    catalogue.measured_ability: ("./estimator.js", "measuredAbility"),
    catalogue.shelf: ("./chooser.js", "shelf"),
    answer.host_in: ("./chooser.js", "hostOf"),
    answer.plain: ("./chooser.js", "plain"),
    answer.priced: ("./chooser.js", "plain"),
    answer.smaller_models: ("./chooser.js", "smallerModels"),
    need.as_plain: ("./chooser.js", "plain"),
    shlex.quote: ("./chooser.js", "quoted"),
    rules.fixed: ("./rules.js", "fixed"),
    rules.three: ("./rules.js", "three"),
    rules.formula: ("./told.js", "formula"),
    rules.sentence: ("./told.js", "sentence"),
}
# Module → names that scripts written by hand ask for → functions, classes and tables. A module also has what those
# before it lack.
GROUPS: Mapping[str, Mapping[str, object]] = {
    "compared": {"compared": comparison.compared},
    "estimated": {
        "estimate": estimator.estimate,
        "checked": estimator.checked,
        "required": memory.required,
        "gpuHours": training.gpu_hours,
        "findEngine": engines.find,
        "canonicalQuant": weights.canonical_quant,
        "marksOf": shapes.marks_of,
        "MIXES": weights.MIXES,
        "Card": types.Card,
        "Coefficients": coefficients.Coefficients,
        "EstimateError": types.EstimateError,
        "Format": shapes.Format,
        "Interval": types.Interval,
        "Model": Model,
        "Request": types.Request,
        "Shape": shapes.Shape,
        "figure": words.figure,
    },
    "able": {
        "between": wording.between,
        "COUNTS": catalogue.COUNTS,
        "ability": catalogue.ability_of,
        "Ability": catalogue.Ability,
        "Need": need.Need,
        "NeedError": need.NeedError,
        "size_for": rules.size_for,  # the calculators and the chooser ask it
    },
    "costed": {
        "answered": calculators.answered,
        "ranked": calculators.ranked,
        "Facts": card_facts.Facts,
        "Measured": card_facts.MeasuredPower,
        "Price": card_facts.CardPrice,
    },
    "told": {"shown": rules.shown},
    "chosen": {
        "Quote": market.RankedQuote,
        "choose": answer.choose,
        "lost": presenter.lost,
        "parse": need.parse,
        "opening": presenter.opening,
        "reasons": presenter.reasons,
        "rest": presenter.rest,
        "tried": answer.tried,
        "view": presenter.view,
    },
}


@lru_cache(maxsize=1)
def modules() -> dict[str, str]:
    """File name → text of every module that is made."""
    rows = [SimpleNamespace(**{name: getattr(row, name) for name in SUPPORT}) for row in support.load().rows]
    tables: Mapping[object, object] = {
        support.load: SimpleNamespace(rows=rows),
        currencies.load: currencies.load(),
        electricity.load: electricity.load(),
        tax.load: tax.load(),
    }
    program = Program(BY_HAND, tables)
    texts = set(rules.texts(need.RULES))
    program.closures = {id(rules.formula(text)): f"formula({literal(text)})" for text in formulas.asked(need.RULES)}
    program.closures |= {id(rules.sentence(text)): f"sentence({literal(text)})" for text in texts}
    program.closures |= {id(answer.EARLY): "facts.early", id(answer.LATE): "facts.late"}
    for group, roots in GROUPS.items():
        program.add(group, roots)
        if group == "told":
            program.more[group] = formulas.module_text(need.RULES, program)
        if group == "chosen":
            program.take("./told.js", "facts")
            program.take("./told.js", "formula")
            program.take("./told.js", "sentence")
    return {f"{group}.js": program.module(group) for group in GROUPS}


SUPPORT = ("engine", "gpus", "formats", "verdict", "reason")


def write(folder: Path = FOLDER) -> None:
    """Put the modules into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in modules().items():
        target = folder / name
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue  # tests that run side by side read it while others come here
        beside = folder / f".{name}.{os.getpid()}"
        beside.write_text(text, encoding="utf-8")
        beside.replace(target)
