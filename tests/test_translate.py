"""What is translated from Python answers in Node as it does in Python, where no data of the site is needed.

The whole answers, with the data, are held together in a browser (test_scripts.py); this is the part that is quick.
"""

from __future__ import annotations

import json
import shlex
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
from pipeline.advise.estimate.types import Card
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


def worked(site: Path, *calls: str) -> list[Any]:
    return worked_out(calls, ["chooser", "estimator", "able", "python"], site)


def test_a_word_of_a_command_line_is_quoted_as_a_shell_wants_it(site: Path) -> None:
    words = ["plain", "a b", "it's", "$HOME", "a=b", "x;y", "50%", "über", "a/b.c-d,e:f@g+h", '"']
    assert said(site, "chooser", "quoted", [[word] for word in words]) == [shlex.quote(word) for word in words]


def test_a_card_is_found_by_its_spelling_without_the_maker(site: Path) -> None:
    data = """{gpus: {a: {id: "a"}, b: {id: "b"}},
      names: {marks: {"®": "", "×": "x"}, names: {rtx4090: 1, x2: 0}, maker_words: ["nvidia"]}}"""
    calls = [f"chooser.findCard({json.dumps(text)}, {data})?.id" for text in
             ("RTX 4090", "nvidia® rtx-4090", "rtx_(4090)", "×2", "4090", "toString", "")]  # fmt: skip
    assert worked(site, *calls) == ["b", "b", "b", "a", None, None, None]


def test_the_machine_around_a_count_of_cards_costs_its_price_in_the_money_of_the_market(site: Path) -> None:
    card = '{hosts: {have: [["PC", 0], ["supply", 100]], new: [["desk", 500], null], rack: [["server", 0], null]}}'
    need = "{host: %s, rack: %s, money: {usd: 1.25}, tax: {added: (usd) => usd * 1.1}}"

    def host(count: int, way: str = "buy", host: str = "have", rack: str = "false") -> str:
        return f"chooser.hostOf({card}, {count}, '{way}', {need % (json.dumps(host), rack)})"

    calls = host(1), host(2), host(1, host="new"), host(2, host="new"), host(1, "rent"), host(1, rack="true")
    found = worked(site, *calls)
    assert [one and (one["name"], round(one["price"], 9)) for one in found] == [
        ("PC", 0), ("supply", 88), ("desk", 440), None, None, ("server", 0),
    ]  # fmt: skip


def test_a_question_fetches_the_parts_that_it_needs_and_that_there_are(site: Path) -> None:
    known = '{parts: ["market-eu", "task-cnn", "names"]}'
    asked = (
        {"market": "eu", "task": "cnn"},
        {"market": "us", "task": "chat", "own": "a"},
        {"market": "eu", "task": "x"},
    )
    calls = [f"chooser.partsFor({json.dumps(words)}, {known})" for words in asked]
    assert worked(site, *calls) == [["market-eu", "task-cnn"], ["names"], ["market-eu"]]


def test_the_bytes_of_a_network_are_parted_into_what_is_looked_up_read_and_shared_out(site: Path) -> None:
    place = list(weights.MIXES).index("q4_k_m")
    formats = json.dumps([[0]] * place + [[100, 10, 30]])
    calls = [
        f"estimator.formatOf({{formats: {formats}}}, 'q4_k_m')",
        "estimator.formatOf({missing: 'no shape'}, 'q8_0')",
    ]
    form, missing = worked(site, *calls)
    assert [form[name] for name in ("weights", "lookup", "dense", "experts")] == [100, 10, 60, 30]
    assert missing == "Error: no shape"


@pytest.mark.parametrize(
    ("row", "memory", "usable", "rate"),
    [([5, 4, 6, True, 0, 1], 24, 43.2, 5), ([None, None, None, False, 1, 0], 24, 43.2, None),
     ([5, 4, 6, True, 0, 1], None, None, 5)],
)  # fmt: skip
def test_a_measured_task_has_the_rate_of_its_count_of_cards(
    site: Path, row: list[Any], memory: float | None, usable: float | None, rate: float | None
) -> None:
    known = {"rows": {"a": [[1, 1, 1, True, 0, 0], row]}, "usable_share": 0.9, "needed_each": 8, "says": ["x", "y"]}
    on = json.dumps({"measured": {"cnn": known}, "counts": [1, 2]})
    card = json.dumps({"id": "a,64", "memory_gb": memory})
    (found,) = worked(site, f"estimator.measuredAbility({on}, {card}, 2, 'cnn')")
    assert (found["needed_gib"], found["usable_gib"] and round(found["usable_gib"], 9)) == (16, usable)
    assert (found["rate"] and found["rate"]["median"], found["measured"]) == (rate, row[3])
    assert (found["statement"], found["problem"]) == (known["says"][row[4]], known["says"][row[5]])


SHOP: dict[str, Any] = {
    "columns": {"card": ["label", "memory_gb"], "quote": ["usd", "kind"]}, "kept": {}, "rates16": {"b": {"fp16": 7}},
    "smaller_models": {"big": ["small"]}, "model_names": {}, "serving_vendors": [], "parts": [], "read": "2026-11-20",
    "machines": {}, "splits": {"big": [1, 2]}, "rent": {"on_demand": {"a": [[2.5, "cloud"]]}},
    "cards": [["", 24], ["B, 16 GB", 16]], "hosts": {"kinds": [{"have": []}, {"have": [["PC", 1]]}], "of": [1, 0]},
    "supports": {"kinds": [{"chat": ["none", "no"]}, {"chat": ["supported", "yes"]}], "of": [1, 0]},
    "buy": {"us": {"kinds": [[1000, "used"], [2000, "retail"]], "of": {"allowed": [1, -1], "only": [0, -1]}}},
}  # fmt: skip


@pytest.fixture(scope="module")
def shopped(site: Path) -> list[Any]:
    """Expressions of `on`, the chooser's data of two cards, in one run of Node."""
    cards = [Card(id, id.upper(), "AMD", "consumer", "RDNA", 24.0, "GDDR6", 1000.0, {"fp32": 5.0}) for id in "ab"]
    rows = [[getattr(card, name) for name in Card.__dataclass_fields__] for card in cards]
    known = {"points": [], "cards": rows, "models": [], "coefficients": {"values": {}, "spreads": {}}}
    on = f"chooser.prepare({json.dumps(known)}, {json.dumps(SHOP)}).on"
    return worked(site, *(f"((on) => {expression})({on})" for expression, _ in FOUND))


FOUND: list[tuple[str, Any]] = [
    ("on.markets.us.allowed", {"a": {"usd": 2000, "kind": "retail"}}),  # of b no price is known
    ("on.markets.us.only.a.usd", 1000),
    ("on.rented('on_demand').a[0].usd", 2.5),
    ("on.priced_in({code: 'USD', usd: 1}) === on", True),
    ("on.priced_in({code: 'EUR', usd: 1.25}).markets.us.allowed.a.usd", 1600),
    ("on.priced_in({code: 'EUR', usd: 1.25}).rented('on_demand').a[0].usd", 2),
    ("on.facts.a.label", "A"),  # its name, where nothing else is said
    ("on.facts.b.label", "B, 16 GB"),
    ("on.facts.a.hosts.have", [["PC", 1]]),
    ("on.supports.a.chat", {"level": "supported", "says": "yes"}),
    ("on.supports.b.chat", {"level": "none", "says": "no"}),
    ("on.cards.a.peaks", {"fp32": 5}),
    ("on.cards.b.peaks", {"fp32": 5, "fp16": 7}),  # with the rate of its kin
    ("on.splits('big')", [1, 2]),
    ("on.splits('other')", [1, 2, 3, 4, 6, 8]),
    ("chooser.smallerModels('big')", ["small"]),
    ("chooser.smallerModels('other')", []),
    ("Object.keys(chooser.some(on.dataset, ['b']).gpus)", ["b"]),
    ("(chooser.join(on.dataset, {measured: {cnn: 1}, names: {x: 1}}), on.measured.cnn)", 1),
    ("(chooser.join(on.dataset, {measured: {cnn: 1}, names: {x: 2}}), on.dataset.names.names.x)", 2),
]


@pytest.mark.parametrize(("at", "found"), list(enumerate(FOUND)))
def test_what_the_site_s_files_hold_is_found_by_card_and_market(
    shopped: list[Any], at: int, found: tuple[str, Any]
) -> None:
    assert shopped[at] == found[1], found[0]
