"""The functions that are translated answer in Chromium as they do in Python: the same numbers, sentences, refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from asked import ASKED, ENGINE_NAMES, QUANTS, TOLD, Case, from_json
from playwright.sync_api import Browser, Page
from samples import committed
from scripts import FOLDER, differences, page_of_scripts

from pipeline.advise.choose import browser_data, browser_parts
from pipeline.advise.choose.calculators import CALCULATORS
from pipeline.advise.choose.calculators import browser as costs
from pipeline.advise.estimate import browser as estimator
from pipeline.advise.estimate import models
from pipeline.site.scripts.translate import Program

# How many random questions are asked, always and in a full run.
QUICK = dict.fromkeys(ASKED, 8) | {"estimate": 60}
FULL = dict.fromkeys(ASKED, 300) | {"estimate": 2400}
PREPARE = """async ([data, costs, shop, parts, told]) => {
  const files = ["able", "chooser", "chosen", "compared", "costs", "estimated", "estimator"];
  const [{ NeedError }, { join, prepare }, { choose, parse, view, lost }, { compared },
    { answer, ranked, known: knownOf }, { estimate, gpuHours, EstimateError, Request }, { cardOf, modelOf, prepared }] =
    await Promise.all(files.map((file) => import(`/${file}.js`)));
  const known = prepared(data), prices = knownOf(known, costs), dataset = prepare(data, shop);
  for (const part of Object.values(parts)) join(dataset, part);
  const asks = (work) => ({ card, model, request, tokens }) =>
    work(cardOf(card), modelOf(model), Object.assign(new Request(), request), tokens);
  const only = (found) => Object.fromEntries(told.map((name) => [name, found[name]]));
  const { coefficients, points } = known;
  const functions = {
    estimate: asks((card, model, wanted) => only(estimate(card, model, wanted, coefficients, points[card.id]))),
    hours: asks((card, model, wanted, tokens) => gpuHours(card, model, tokens, wanted, data.shares, coefficients)),
    choose: (words) => {
      const found = choose(dataset, parse(words));
      return { view: view(found), lost: lost(found) };
    },
    compared: (asked) => compared(...asked),
    ranked: ([calculator, asked]) => ranked(calculator, asked, prices),
  };
  window.ask = (text) => JSON.stringify(eval(text).map(([name, asked]) => {
    try {
      return { answer: functions[name] ? functions[name](asked) : answer(name, asked, prices) };
    } catch (error) {
      const told = error instanceof NeedError || error instanceof EstimateError;
      return told ? { refused: error.message } : { crashed: String(error.stack) };
    }
  }));
}"""


@cache
def cases(what: str, count: int) -> list[tuple[Case, Any]]:
    """The questions with Python's answers."""
    return [(case, case.answer()) for case in ASKED[what](count)]


@cache
def data() -> tuple[dict[str, Any], ...]:
    """What the browser knows: three files of the site, and those that only some questions ask for."""
    on = committed()
    return estimator.data(on), costs.browser_data(on), browser_data(on), browser_parts(on)


def prepared(browser: Browser, *files: dict[str, Any]) -> Page:
    """A page that holds the functions and their data."""
    page = page_of_scripts(browser)
    page.evaluate(PREPARE, [*files, TOLD])
    return page


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = prepared(browser, *data())
    yield page
    page.close()


def problems(page: Page, asked: list[tuple[Case, dict[str, Any]]]) -> list[str]:
    """Where the browser answers otherwise than Python."""
    text = json.dumps([[case.function, case.asked] for case, _ in asked])  # JavaScript, which has a word for NaN
    said = from_json(page.evaluate("(text) => window.ask(text)", text))
    assert len(said) == len(asked)
    pairs = zip(asked, said, strict=True)
    return [f"{d}, asked {case.asked}"[:600] for (case, mine), one in pairs for d in differences(mine, one)[:3]]


@pytest.mark.browser
@pytest.mark.parametrize("sizes", [QUICK, pytest.param(FULL, marks=pytest.mark.full)], ids=["quick", "full"])
@pytest.mark.parametrize("what", ASKED)
def test_the_browser_answers_and_refuses_as_python_does(what: str, sizes: dict[str, int], page: Page) -> None:
    found = problems(page, cases(what, sizes[what]))
    assert not found, "\n".join(found[:5])


def off(name: str) -> dict[str, Any]:
    """The estimator's data with coefficients whose name begins so off by a millionth."""
    values = data()[0]["coefficients"]["values"]
    moved = {one: v | {"value": v["value"] * (1 + 1e-6)} for one, v in values.items() if one.startswith(name)}
    assert moved
    return data()[0] | {"coefficients": data()[0]["coefficients"] | {"values": values | moved}}


def dearer() -> dict[str, Any]:
    """The chooser's data with every offer to rent a thousandth dearer."""
    known = data()[2]["rent"]["on_demand"].items()
    offers = {gpu: [[row[0] * 1.001, *row[1:]] for row in rows] for gpu, rows in known}
    return data()[2] | {"rent": data()[2]["rent"] | {"on_demand": offers}}


COEFFICIENTS = ("1/eta gddr", "t0 llama.cpp 2024-05", "1/eta, vllm, gddr", "t0 sequence, vllm")
OFF = (*(("estimate", name) for name in COEFFICIENTS), ("speed", ""), ("several", ""), ("choose", None))


@pytest.mark.full
@pytest.mark.browser
@pytest.mark.sample(1)
@pytest.mark.parametrize(("what", "name"), OFF)
def test_data_that_is_a_little_off_is_noticed(what: str, name: str | None, browser: Browser) -> None:
    files = (*data()[:2], dearer(), data()[3]) if name is None else (off(name), *data()[1:])
    page = prepared(browser, *files)
    assert problems(page, cases(what, QUICK[what]))
    page.close()


def answers(what: str, sizes: dict[str, int] = QUICK) -> tuple[list[Any], int]:
    """What Python answers to these questions, and how many it refuses."""
    said = [answer for _, answer in cases(what, sizes[what])]
    return [one["answer"] for one in said if "answer" in one], sum("refused" in one for one in said)


def test_no_answer_holds_a_number_that_is_none() -> None:
    for name in CALCULATORS:
        text = json.dumps(answers(name)[0])
        assert not any(word in text for word in ("NaN", "nan ", "Infinity", "inf "))


@pytest.mark.parametrize("name", [*CALCULATORS, "choose"])
def test_most_questions_have_an_answer_and_some_have_none(name: str) -> None:
    answered, refused = answers(name)
    assert refused
    assert len(answered) > QUICK[name] / 2


MOST_LINES = 2800


def first_large(of: list[int]) -> int | None:
    return next((one for one in of if one > 2 and one < 9), None)


def any_large(of: list[int]) -> bool:
    return any(one > 2 for one in of if one < 9)


def test_what_asks_for_the_first_or_for_any_looks_no_further_in_the_browser_either() -> None:
    program = Program({}, {})
    program.add("asked", {"first": first_large, "large": any_large})
    text = program.module("asked")
    first, large = text.split("function ")[1:3]
    assert ".find(" in first and ".filter(" not in first
    assert ".some(" in large and ".map(" not in large


def test_what_is_written_by_hand_for_the_browser_stays_short() -> None:
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in FOLDER.glob("*.js")}
    assert sum(lines.values()) < MOST_LINES, lines


@pytest.mark.full
def test_the_estimates_hold_every_card_network_and_engine_with_answers_refusals_and_measured_points() -> None:
    asked = [case.asked for case, _ in cases("estimate", FULL["estimate"]) if case.function == "estimate"]
    assert {one["card"][0] for one in asked} >= {card[0] for card in data()[0]["cards"]}
    assert {one["model"]["id"] for one in asked} >= set(models.load().models)
    for name, every in (
        ("quant", QUANTS),
        ("engine", ENGINE_NAMES),
        ("task", ("serve", "train", "full", "lora", "qlora")),
    ):
        assert {one["request"][name] for one in asked} >= set(every)
    answered, refused = answers("estimate", FULL)
    kinds = [(one["decode_basis"] or {}).get("kind") for one in answered if "decode_basis" in one]
    assert refused >= 100
    assert kinds.count("measured") >= 50
    assert kinds.count("estimated") >= 500
