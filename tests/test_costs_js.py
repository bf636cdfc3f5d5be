"""The five calculators in the browser answer as Python does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from scripts import differences

from pipeline.advise.choose.calculators import CALCULATORS
from pipeline.advise.choose.calculators import browser as costs
from pipeline.advise.choose.calculators.vectors import COUNT, cases
from pipeline.advise.estimate import browser as estimator
from pipeline.dataset import Dataset

pytestmark = pytest.mark.browser
QUICK = 40
# Keeps the module and the data on the page; numbers that JSON has no word for come as a word in a list.
PREPARE = """async ([data, costs]) => {
  const files = ["/costs.js", "/estimator.js", "/able.js"].map((file) => import(file));
  const [{ answer, known: knownOf }, { prepared }, { NeedError }] = await Promise.all(files);
  const number = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  const known = knownOf(prepared(data), costs);
  window.ask = ({ calculator, asked }) => {
    const read = ([name, value]) => [name, Array.isArray(value) ? number[value[0]] : value];
    const plain = Object.fromEntries(Object.entries(asked).map(read));
    try {
      return { answer: answer(calculator, plain, known) };
    } catch (error) {
      return error instanceof NeedError ? { refused: error.message } : { crashed: String(error.stack) };
    }
  };
}"""


@lru_cache(maxsize=1)
def dataset() -> Dataset:
    return Dataset.load()


@lru_cache(maxsize=2)
def asked(count: int) -> list[dict[str, Any]]:
    """The questions with Python's answers as they come back from JSON."""
    found: list[dict[str, Any]] = json.loads(json.dumps(cases(dataset(), count), allow_nan=False))
    return found


@pytest.fixture(scope="module")
def calculators(browser: Browser, scripts: str) -> Iterator[Page]:
    """A page that holds the calculators and the data."""
    page = browser.new_page()
    page.goto(f"{scripts}python.js")
    page.evaluate(PREPARE, [estimator.data(dataset()), costs.browser_data(dataset())])
    yield page
    page.close()


def given(page: Page, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the module says to each question."""
    bare = [{"calculator": q["calculator"], "asked": q["asked"]} for q in questions]
    found: list[dict[str, Any]] = json.loads(page.evaluate("(all) => JSON.stringify(all.map(window.ask))", bare))
    return found


def problems(page: Page, questions: list[dict[str, Any]]) -> list[str]:
    """Where the module answers otherwise than Python."""
    found = []
    for case, answer in zip(questions, given(page, questions), strict=True):
        for name in ("answer", "refused", "crashed"):
            unequal = differences(name, case.get(name), answer.get(name))
            found += [f"{problem}, asked {case['asked']}" for problem in unequal]
    return found


@pytest.mark.parametrize("count", [QUICK, pytest.param(COUNT, marks=pytest.mark.full)])
@pytest.mark.parametrize("calculator", CALCULATORS)
def test_the_browser_says_what_python_says(calculator: str, count: int, calculators: Page) -> None:
    found = problems(calculators, [case for case in asked(count) if case["calculator"] == calculator])
    assert not found, f"{len(found)} differences, first: " + "\n".join(found[:5])


def test_an_estimate_that_is_off_by_a_millionth_is_noticed(browser: Browser, scripts: str) -> None:
    data = estimator.data(dataset())
    values = {name: one | {"value": one["value"] * (1 + 1e-6)} for name, one in data["coefficients"]["values"].items()}
    page = browser.new_page()
    page.goto(f"{scripts}python.js")
    changed = data | {"coefficients": data["coefficients"] | {"values": values}}
    page.evaluate(PREPARE, [changed, costs.browser_data(dataset())])
    assert problems(page, asked(QUICK))
    page.close()


@pytest.mark.full
def test_most_random_questions_have_an_answer_and_many_have_none() -> None:
    for calculator in CALCULATORS:
        questions = [case for case in asked(COUNT) if case["calculator"] == calculator]
        assert len(questions) >= 300
        assert sum("answer" in case for case in questions) >= 150
        assert sum("refused" in case for case in questions) >= 30


def test_no_answer_holds_a_number_that_is_none() -> None:
    for case in asked(QUICK):
        text = json.dumps(case.get("answer"))
        assert not any(word in text for word in ("NaN", "nan ", "Infinity", "inf "))
