"""The five calculators in the browser answer as Python does."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from functools import lru_cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pipeline.choose.calculators import CALCULATORS
from pipeline.choose.calculators import browser as costs
from pipeline.choose.calculators.vectors import COUNT, cases
from pipeline.dataset import Dataset
from pipeline.estimate import browser as estimator
from pipeline.paths import ROOT

pytestmark = pytest.mark.browser
SCRIPTS = ROOT / "docs" / "javascripts"
TOLERANCE = 1e-9
QUICK = 40
# Keeps the module and the data on the page; numbers that JSON has no word for come as a word in a list.
PREPARE = """async ([data, costs]) => {
  const files = ["/costs.js", "/costs-base.js", "/estimate.js"].map((file) => import(file));
  const [{ answer }, { prepared }, { EstimateError }] = await Promise.all(files);
  const number = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  const known = prepared(data, costs);
  window.ask = ({ calculator, asked }) => {
    const read = ([name, value]) => [name, Array.isArray(value) ? number[value[0]] : value];
    const plain = Object.fromEntries(Object.entries(asked).map(read));
    try {
      return { answer: answer(calculator, plain, known) };
    } catch (error) {
      return error instanceof EstimateError ? { refused: error.message } : { crashed: String(error.stack) };
    }
  };
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@lru_cache(maxsize=1)
def dataset() -> Dataset:
    return Dataset.load()


@lru_cache(maxsize=2)
def asked(count: int) -> list[dict[str, Any]]:
    """The questions with Python's answers as they come back from JSON."""
    found: list[dict[str, Any]] = json.loads(json.dumps(cases(dataset(), count), allow_nan=False))
    return found


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Iterator[Page]:
    """A page that can import the modules."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SCRIPTS)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/costs-words.js")
    page.evaluate(PREPARE, [estimator.data(dataset()), costs.browser_data(dataset())])
    yield page
    page.close()
    server.shutdown()
    server.server_close()


def given(page: Page, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the module says to each question."""
    bare = [{"calculator": q["calculator"], "asked": q["asked"]} for q in questions]
    found: list[dict[str, Any]] = json.loads(page.evaluate("(all) => JSON.stringify(all.map(window.ask))", bare))
    return found


def compare(where: str, python: Any, script: Any) -> list[str]:
    """Where the two differ: numbers by more than one in a billion, everything else at all."""
    if isinstance(python, bool) or python is None or isinstance(python, str):
        return [] if python == script else [f"{where}: {python!r}, JavaScript {script!r}"]
    if isinstance(python, int | float):
        same = isinstance(script, int | float) and math.isclose(python, script, rel_tol=TOLERANCE, abs_tol=1e-12)
        return [] if same else [f"{where}: {python!r}, JavaScript {script!r}"]
    if isinstance(python, list):
        if not isinstance(script, list) or len(script) != len(python):
            return [f"{where}: {python!r}, JavaScript {script!r}"]
        return [d for i, value in enumerate(python) for d in compare(f"{where}[{i}]", value, script[i])]
    names = sorted({*python, *(script or {})})
    return [d for name in names for d in compare(f"{where}.{name}", python.get(name), (script or {}).get(name))]


@pytest.mark.parametrize("count", [QUICK, pytest.param(COUNT, marks=pytest.mark.full)])
@pytest.mark.parametrize("calculator", CALCULATORS)
def test_the_browser_says_what_python_says(calculator: str, count: int, scripts: Page) -> None:
    questions = [case for case in asked(count) if case["calculator"] == calculator]
    found = []
    for case, answer in zip(questions, given(scripts, questions), strict=True):
        for name in ("answer", "refused", "crashed"):
            found += [
                f"{problem}, asked {case['asked']}" for problem in compare(name, case.get(name), answer.get(name))
            ]
    assert not found, f"{len(found)} differences, first: " + "\n".join(found[:5])


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
