"""The language of rules: what it knows, what it refuses, how it counts the unknown, and that the browser agrees."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from node import worked_out
from playwright.sync_api import Browser
from scripts import FOLDER, page_of_scripts

from pipeline.advise import rules
from pipeline.site.scripts import formulas, listed
from pipeline.site.scripts.translate import Program

ENV = {"price": 800.0, "count": 2, "name": "RTX", "unknown": None, "card": {"gb": 24.0, "form": "SoC"}, "yes": True}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("price * count + 3", 1603),
        ("-price / 0", None),
        ("unknown + 1", None),
        ("unknown < 3 or yes", True),
        ("unknown < 3", None),
        ("card.gb >= 24 and card.form in ['SoC', 'x']", True),
        ("'big' if card.gb > 24 else 'small'", "small"),
        ("first_of(unknown, 7)", 7),
        ("least(unknown, 3, 2)", 2),
        ("not known(unknown)", True),
    ],
)
def test_a_formula_is_worked_out_and_what_is_unknown_stays_unknown(text: str, value: object) -> None:
    assert rules.formula(text)(ENV) == value


@pytest.mark.parametrize(
    "text", ["price.real.imag", "__import__('os')", "price ** 2", "[x for x in y]", "1 < 2 < 3", "("]
)
def test_what_the_language_does_not_know_is_refused(text: str) -> None:
    with pytest.raises(rules.RuleError):
        rules.as_data(text)


def test_a_sentence_fills_its_holes_and_leaves_out_what_is_unknown() -> None:
    told = rules.sentence("{name} costs {amount(price, '$')}{joined([', ', unknown], '') if known(unknown) else ''}.")
    assert told(ENV) == "RTX costs $800."
    assert rules.names_of("{name} costs {amount(price, '$')}") == {"name", "price"}


@pytest.mark.parametrize(
    ("value", "three", "fixed"),
    [
        (99.95, "100", "100"),
        (0.0123456, "0.0123", "0"),
        (12345.6, "12,300", "12,346"),
        (2.5, "2.5", "3"),
        (0, "0", "0"),
    ],
)
def test_numbers_are_rounded_half_away_and_to_three_digits(value: float, three: str, fixed: str) -> None:
    assert (rules.three(value), rules.fixed(value)) == (three, fixed)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (0.99, "59 minutes"),
        (1, "1 hour"),
        (71.9, "71.9 hours"),
        (72, "3 days"),
        (17519, "730 days"),
        (17520, "2 years"),
    ],
)
def test_a_time_changes_its_unit_at_an_hour_three_days_and_two_years(value: float, says: str) -> None:
    assert rules.hours(value) == says


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (99.99, "$99.99"),
        (100, "$100"),
        (1, "$1.00"),
        (0.999, "$0.999"),
        (0.5, "$0.50"),
        (0.07, "$0.07"),
        (0.0004, "$0.0004"),
        (0, "$0"),
        (-5, "-$5.00"),
    ],
)
def test_money_has_cents_below_a_hundred_and_three_digits_below_one(value: float, says: str) -> None:
    assert rules.amount(value, "$") == says


def test_every_rule_of_the_chooser_can_be_read_and_no_constant_is_without_its_source() -> None:
    assert len([rules.formula(text) for text in formulas.asked(rules.room("choose"))]) > 100
    for one in rules.room("choose")["constants"].values():
        for constant in [one] if "is" in one else one.values():
            assert constant["from"].startswith("ours: ") or "http" in constant["from"]


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Functions of the language on numbers of every size, and formulas on values that are unknown now and then."""
    chance = random.Random(7)
    for text in ("three(x)", "whole(x)", "fixed(x, 1)", "hours(x)", "gib(x)", "amount(x, '$')", "percent(x)"):
        for _ in range(60):
            yield text, {"x": chance.choice((1, -1)) * 10 ** chance.uniform(-6, 12)}
        yield text, {"x": chance.choice((0.5, 1.5, 2.5, 0.125, 99.95, 0))}
        yield text, {"x": None}
    plain = ("x + y", "x / y", "x < y", "x == y", "x != y", "least(x, y)", "most(x, y)", "not (x > y)", "x or y")
    for text in (*plain, "joined([x, y], '-')", "y if x else x", "x in [1, 2]", "first_of(x, y)"):
        for x in (None, 0, 1, 2.5):
            yield text, {"x": x, "y": 1}


def test_a_formula_that_is_translated_gives_in_node_what_it_gives_in_python(tmp_path: Path) -> None:
    asked = list(cases())
    program = Program(listed.BY_HAND)
    program.add("cases", {})
    program.more["cases"] = formulas.module_text({"rows": [{"when": text} for text, _ in asked]}, program)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "cases.js").write_text(program.module("cases") + "export { formula as asked };", encoding="utf-8")
    for name in ("python.js", "rules.js"):
        shutil.copy(FOLDER / name, tmp_path)
    calls = [f"cases.asked({json.dumps(text)})({json.dumps(env)})" for text, env in asked]
    said = worked_out(calls, ["cases"], tmp_path)
    wrong = [
        (text, env, mine, one)
        for (text, env), one in zip(asked, said, strict=True)
        if (mine := rules.formula(text)(env)) != one
    ]
    assert not wrong, wrong[:5]


@pytest.mark.browser
def test_the_browser_works_a_formula_out_as_python_does(browser: Browser) -> None:
    page, asked = page_of_scripts(browser), list(cases())
    program = Program(listed.BY_HAND)
    program.add("cases", {})
    program.more["cases"] = formulas.module_text({"rows": [{"when": text} for text, _ in asked]}, program)
    page.add_script_tag(content=program.module("cases") + "window.formula = formula;", type="module")
    page.wait_for_function("typeof window.formula === 'function'")
    said = page.evaluate("(cases) => cases.map(([text, env]) => window.formula(text)(env))", asked)
    page.close()
    mine = [rules.formula(text)(env) for text, env in asked]
    wrong = [(text, env, a, b) for (text, env), a, b in zip(asked, mine, said, strict=True) if a != b]
    assert not wrong, wrong[:5]


@pytest.mark.parametrize(
    ("amount", "told"), [(0.5, "0.50"), (1.2, "1.20"), (0.381, "0.381"), (6.41, "6.41"), (0.04, "0.04"), (12, "12.00")]
)
def test_an_hour_is_told_with_its_cents(amount: float, told: str) -> None:
    assert rules.amount(amount, "$") == f"${told}"
