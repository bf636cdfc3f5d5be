"""What is translated from Python answers in Node as it does in Python, where no data of the site is needed.

The whole answers, with the data, are held together in a browser (test_scripts.py); this is the part that is quick.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from asked import QUANTS, comparisons, from_json
from node import worked_out
from scripts import FOLDER, differences

from pipeline.advise import rules
from pipeline.advise.choose import need
from pipeline.advise.choose.calculators import words
from pipeline.advise.estimate import EstimateError, engines, shapes, weights
from pipeline.core import wording
from pipeline.site.scripts import listed


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All scripts of the site side by side, as a browser finds them."""
    folder = tmp_path_factory.mktemp("scripts")
    for script in FOLDER.glob("*.js"):
        shutil.copy(script, folder)
    for name, text in listed.modules().items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def said(site: Path, module: str, function: str, asked: Sequence[Sequence[Any]]) -> list[Any]:
    calls = [f"{module}.{function}({', '.join(map(json.dumps, each))})" for each in asked]
    return worked_out(calls, [module], site)


def refusing(work: Any, *asked: Any) -> Any:
    try:
        return work(*asked)
    except (EstimateError, need.NeedError) as error:
        return f"Error: {error}"


SIZES = (0, 0.05, 0.0999, 0.1, 1, 9.995, 12.345, 99.95, 100, 999.5, 1234.5, 65_432.1, 1e6, -7.25)


def test_every_translated_module_can_be_loaded(site: Path) -> None:
    names = [name.removesuffix(".js") for name in listed.modules()]
    assert all(isinstance(keys, list) for keys in worked_out([f"Object.keys({name})" for name in names], names, site))


def test_figures_and_intervals_read_alike(site: Path) -> None:
    assert said(site, "estimated", "figure", [[size] for size in SIZES]) == [words.figure(size) for size in SIZES]
    pairs = [("1", "1"), ("1", "2"), ("-1", "2")]
    assert said(site, "able", "between", pairs) == [wording.between(*pair) for pair in pairs]
    supplies = [(need_w, [450, 850]) for need_w in (449, 450, 451, 850, 851, None)]
    assert said(site, "able", "size_for", supplies) == [rules.size_for(*each) for each in supplies]


def test_weights_and_engines_are_found_alike(site: Path) -> None:
    asked = [[quant] for quant in (*QUANTS, "  Q4-K-M ", "toString", "", "ud-q4_k_xl")]
    mine = [refusing(weights.canonical_quant, *each) for each in asked]
    assert said(site, "estimated", "canonicalQuant", asked) == mine
    marks = said(site, "estimated", "marksOf", [[quant] for quant in weights.MIXES])
    assert [list(each.values()) for each in marks] == [list(shapes.marks_of(quant).values()) for quant in weights.MIXES]
    builds = [[f"{engine.name}@{engine.build}"] for engine in engines.ENGINES]
    assert [one["build"] for one in said(site, "estimated", "findEngine", builds)] == [
        engines.find(*each).build for each in builds
    ]


QUESTIONS: tuple[dict[str, str], ...] = (
    {},
    {"task": "serve", "batch": "4", "market": "eu", "budget_usd": "1.500,25"},
    {"task": "qlora", "units": "2m", "deadline_hours": "5", "quiet": "yes", "current_software": "no"},
    {"context": "8k", "own": "rtx-4090=2, rtx-3090", "own_prices": "rtx-4090=1500"},
    {"budget_usd": "1.500"},
    {"budget_usd": "$1.5k", "psu_w": "1 000", "hours_per_week": "12,5"},
    {"max_gpus": "1.5"},
    {"quiet": "perhaps"},
    {"tusk": "chat"},
    {"own": "rtx-4090=x"},
    {"length_mm": "long"},
)


@pytest.mark.parametrize("words", QUESTIONS, ids=str)
def test_a_question_is_read_alike(site: Path, words: dict[str, str]) -> None:
    mine = refusing(need.parse, words)
    (one,) = said(site, "chosen", "parse", [[words]])
    if isinstance(mine, str):
        assert one == mine
        return
    assert differences({name: getattr(mine, name) for name in need.Need.__dataclass_fields__}, one) == []


def test_cards_side_by_side_are_compared_alike(site: Path) -> None:
    asked = list(comparisons(6))
    found = [from_json(json.dumps(one)) for one in said(site, "compared", "compared", [case.asked for case in asked])]
    wrong = [line for case, one in zip(asked, found, strict=True) for line in differences(case.answer()["answer"], one)]
    assert not wrong, wrong[:5]
