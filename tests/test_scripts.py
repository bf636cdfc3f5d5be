"""The functions that are translated answer in Chromium as they do in Python: the same numbers, sentences, refusals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from asked import ASKED, ENGINE_NAMES, QUANTS, TOLD, Case, as_json
from playwright.sync_api import Browser, Page
from samples import committed
from scripts import differences

from pipeline.advise.choose import browser_data
from pipeline.advise.choose.calculators import CALCULATORS
from pipeline.advise.choose.calculators import browser as costs
from pipeline.advise.estimate import browser as estimator
from pipeline.advise.estimate import models

# How many random questions are asked, always and in a full run.
QUICK = dict.fromkeys(ASKED, 15) | {"estimate": 150}
FULL = dict.fromkeys(ASKED, 300) | {"estimate": 2400}
PREPARE = """async ([data, costs, shop, told]) => {
  const files = ["able", "chooser", "chosen", "costs", "estimated", "estimator", "python"];
  const [{ NeedError }, { prepare }, { choose, parse, view, lost }, { answer, ranked, known: knownOf },
    { estimate, gpuHours, EstimateError, Request }, { cardOf, modelOf, prepared }, { starts, ends }] =
    await Promise.all(files.map((file) => import(`/${file}.js`)));
  const known = prepared(data), prices = knownOf(known, costs), dataset = prepare(data, shop);
  const request = (asked) => [cardOf(asked.card), modelOf(asked.model), Object.assign(new Request(), asked.request)];
  const part = (one, names) => one && Object.fromEntries(names.map((name) => [name, one[name]]));
  const functions = {
    estimate: (asked) => {
      const [card, model, wanted] = request(asked);
      const found = estimate(card, model, wanted, known.coefficients, known.points[card.id]);
      const parts = Object.entries(told).map(([name, names]) => [name, part(found[name], names)]);
      return { ...Object.fromEntries(parts), warnings: found.warnings };
    },
    hours: (asked) => {
      const [card, model, wanted] = request(asked);
      return gpuHours(card, model, asked.tokens, wanted, data.shares, known.coefficients);
    },
    choose: (words) => {
      const found = choose(dataset, parse(words));
      return { view: view(found), lost: lost(found) };
    },
    ranked: ([calculator, asked]) => ranked(calculator, asked, prices),
    starts: (asked) => starts(...asked),
    ends: (asked) => ends(...asked),
  };
  const number = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  const read = (_, value) => (value?.not === undefined ? value : number[value.not]);
  window.ask = (text) => JSON.stringify(JSON.parse(text, read).map(([name, asked]) => {
    try {
      return { answer: functions[name] ? functions[name](asked) : answer(name, asked, prices) };
    } catch (error) {
      const told = error instanceof NeedError || error instanceof EstimateError;
      return told ? { refused: error.message } : { crashed: String(error.stack) };
    }
  }));
}"""


@cache
def cases(what: str, count: int) -> list[tuple[Case, dict[str, Any]]]:
    """The questions with Python's answers."""
    return [(case, case.answer()) for case in ASKED[what](count)]


@cache
def data() -> tuple[dict[str, Any], ...]:
    """What the browser knows: three files of the site."""
    return estimator.data(committed()), costs.browser_data(committed()), browser_data(committed())


def prepared(page: Page, scripts: str, *files: dict[str, Any]) -> Page:
    """A page that holds the functions and their data."""
    page.goto(f"{scripts}python.js")
    page.evaluate(PREPARE, [*files, TOLD])
    return page


@pytest.fixture(scope="module")
def page(browser: Browser, scripts: str) -> Iterator[Page]:
    page = prepared(browser.new_page(), scripts, *data())
    yield page
    page.close()


def problems(page: Page, asked: list[tuple[Case, dict[str, Any]]]) -> list[str]:
    """Where the browser answers otherwise than Python."""
    text = json.dumps([[case.function, as_json(case.asked)] for case, _ in asked], allow_nan=False)
    said = json.loads(page.evaluate("(text) => window.ask(text)", text))
    assert len(said) == len(asked)
    pairs = zip(asked, said, strict=True)
    return [f"{d}, asked {case.asked}"[:600] for (case, mine), one in pairs for d in differences("", mine, one)[:3]]


@pytest.mark.browser
@pytest.mark.parametrize(
    "sizes", [pytest.param(QUICK, id="quick"), pytest.param(FULL, id="full", marks=pytest.mark.full)]
)
@pytest.mark.parametrize("what", ASKED)
def test_the_browser_answers_and_refuses_as_python_does(what: str, sizes: dict[str, int], page: Page) -> None:
    found = problems(page, cases(what, sizes[what]))
    assert not found, f"{len(found)} differences, first: " + "\n".join(found[:5])


def off(name: str) -> dict[str, Any]:
    """The estimator's data with coefficients whose name begins so off by a millionth."""
    values = data()[0]["coefficients"]["values"]
    moved = {one: v | {"value": v["value"] * (1 + 1e-6)} for one, v in values.items() if one.startswith(name)}
    assert moved
    return data()[0] | {"coefficients": data()[0]["coefficients"] | {"values": values | moved}}


def dearer() -> dict[str, Any]:
    """The chooser's data with every offer to rent a thousandth dearer."""
    rent = data()[2]["rent"]
    offers = {gpu: [row[0] * 1.001, *row[1:]] for gpu, row in rent["on_demand"].items()}
    return data()[2] | {"rent": rent | {"on_demand": offers}}


@pytest.mark.browser
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("what", "files"),
    [
        *(
            ("estimate", lambda name=name: (off(name), *data()[1:]))
            for name in ("1/eta gddr", "t0 llama.cpp 2024-05", "1/eta, vllm, gddr", "t0 sequence, vllm")
        ),
        *((name, lambda: (off(""), *data()[1:])) for name in ("speed", "several")),
        ("choose", lambda: (*data()[:2], dearer())),
    ],
)
def test_data_that_is_a_little_off_is_noticed(
    what: str, files: Callable[[], tuple[dict[str, Any], ...]], browser: Browser, scripts: str
) -> None:
    page = prepared(browser.new_page(), scripts, *files())
    assert problems(page, cases(what, QUICK[what]))
    page.close()


def test_no_answer_holds_a_number_that_is_none() -> None:
    for name in CALCULATORS:
        for _, said in cases(name, QUICK[name]):
            text = json.dumps(said.get("answer"))
            assert not any(word in text for word in ("NaN", "nan ", "Infinity", "inf "))


def test_the_chooser_answers_most_questions_and_refuses_some() -> None:
    said = [answer for _, answer in cases("choose", QUICK["choose"])]
    assert sum("refused" in one for one in said) >= QUICK["choose"] / 20
    assert sum(bool(one["answer"]["view"]["choices"]) for one in said if "answer" in one) > QUICK["choose"] / 2


@pytest.mark.full
def test_most_random_questions_to_a_calculator_have_an_answer_and_many_have_none() -> None:
    for name in CALCULATORS:
        said = [answer for case, answer in cases(name, FULL[name]) if case.function == name]
        assert len(said) >= 300
        assert sum("answer" in one for one in said) >= 150
        assert sum("refused" in one for one in said) >= 30


@pytest.mark.full
def test_the_estimates_hold_every_card_network_quantization_engine_and_task() -> None:
    asked = [case.asked for case, _ in cases("estimate", FULL["estimate"]) if case.function == "estimate"]
    assert len(asked) >= 2000
    assert {one["card"][0] for one in asked} >= {card[0] for card in data()[0]["cards"]}
    assert {one["model"]["id"] for one in asked} >= set(models.load().models)
    assert {one["request"]["quant"] for one in asked} >= set(QUANTS)
    assert {one["request"]["engine"] for one in asked} >= set(ENGINE_NAMES)
    assert {one["request"]["task"] for one in asked} == {"serve", "train", "full", "lora", "qlora"}


@pytest.mark.full
def test_the_estimates_hold_answers_refusals_and_measured_points() -> None:
    said = [answer for case, answer in cases("estimate", FULL["estimate"]) if case.function == "estimate"]
    kinds = [(one["answer"]["decode_basis"] or {}).get("kind") for one in said if "answer" in one]
    assert sum("refused" in one for one in said) >= 100
    assert kinds.count("measured") >= 50
    assert kinds.count("estimated") >= 500
