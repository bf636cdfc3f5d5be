"""The browser's chooser against Python's, in Chromium: the same picks, orders, numbers and sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from scripts import differences

from pipeline.choose import browser_data, vectors
from pipeline.choose.need import Need, as_words, parse
from pipeline.choose.questions import QUESTIONS
from pipeline.dataset import Dataset
from pipeline.estimate import browser as estimator
from pipeline.estimate import inputs

pytestmark = pytest.mark.browser
QUICK, MOST = 28, vectors.COUNT
# Suggested spellings of a model come from a library that only Python has.
SUGGESTION = ("; did you mean", "; choose one of the list")
PREPARE = """async ([estimator, data]) => {
  const files = ["choose", "choose-need", "choose-view"];
  const [engine, need, words] = await Promise.all(files.map((name) => import(`./${name}.js`)));
  const shelf = engine.prepare(estimator, data), at = (o, line) => line.fixed + line.slope * o.price;
  const option = (o) => {
    const { ability: a, cost: c, quote } = o;
    return [
      `${o.gpu.id} ${o.count} ${o.way}`, quote ? o.price : null, a.needed_gib, a.usable_gib, a.room_gib,
      a.rate ? [a.rate.median, a.rate.p10, a.rate.p90] : null, a.measured, quote ? at(o, c.paid) : null, o.total_usd,
      quote ? at(o, c.monthly) : null, quote && c.per_million ? at(o, c.per_million) : null, c.run_hours, c.power_w,
      c.energy_usd, c.used_hours,
    ];
  };
  const numbers = (a) => ({
    first: a.first && option(a.first), ranked: a.ranked.map(option),
    alternatives: a.alternatives.map((other) => [option(other.option), other.wins_below]),
    flip: a.flip && [a.flip.gpu, a.flip.way, a.flip.price_now, a.flip.threshold, a.flip.direction, a.flip.then],
    workload: a.workload && [a.workload.amount, a.workload.unit, a.workload.buy, a.workload.rent],
    unpriced: a.unpriced.map(([o, price]) => [option(o), price]),
    lost: a.lost.map(({ option: o }) => `${o.gpu.id} ${o.count} ${o.way}`),
    ways_out: a.ways_out.map((way) => [way.change, option(way.option)]),
  });
  const attempt = (wish) => {
    try {
      const answer = engine.choose(shelf, need.parse(wish, shelf));
      return { answer, view: words.view(shelf, answer) };
    } catch (error) {
      return error instanceof need.NeedError ? { refused: error.message } : { crashed: String(error.stack) };
    }
  };
  window.answerOf = (wish) => {
    const { answer, ...rest } = attempt(wish);
    if (!answer) return rest;
    const said = { lost: words.lostWords(answer), text: words.asText(shelf, answer) };
    return { ...rest, view: { ...rest.view }, numbers: numbers(answer), ...said };
  };
  window.textOf = (wish) => {
    const { answer, refused, crashed, view } = attempt(wish);
    if (crashed) return { crashed };
    return answer ? words.asText(shelf, answer) + JSON.stringify(view) : refused;
  };
}"""


@lru_cache(maxsize=1)
def loaded() -> Dataset:
    return Dataset.load()


@lru_cache(maxsize=2)
def cases(count: int) -> list[dict[str, Any]]:
    """The vectors as they come back from JSON."""
    found: list[dict[str, Any]] = json.loads(json.dumps(vectors.vectors(loaded(), count), allow_nan=False))
    return found


@pytest.fixture(scope="module")
def chooser(browser: Browser, scripts: str) -> Iterator[Page]:
    """A page that holds the modules and the data."""
    page = browser.new_page()
    page.goto(f"{scripts}choose.js")
    page.evaluate(PREPARE, [estimator.data(loaded()), browser_data(loaded())])
    yield page
    page.close()


def without_suggestion(answer: dict[str, Any]) -> dict[str, Any]:
    refused = answer.get("refused")
    for words in SUGGESTION if refused else ():
        refused = refused.partition(words)[0]
    return answer | {"refused": refused} if refused else answer


def compared(page: Page, known: list[dict[str, Any]]) -> list[str]:
    found = []
    for case in known:
        python = without_suggestion({name: value for name, value in case.items() if name != "words"})
        script = without_suggestion(page.evaluate("(words) => answerOf(words)", case["words"]))
        found += [f"{d} in {case['words']}" for d in differences("", python, script)[:3]]
    return found


@pytest.mark.parametrize("count", [QUICK, pytest.param(MOST, marks=pytest.mark.full)])
def test_the_browser_picks_ranks_counts_and_says_what_python_does(chooser: Page, count: int) -> None:
    found = compared(chooser, cases(count))
    assert not found, f"{len(found)} differences, first: " + "\n".join(found[:5])


def test_a_price_that_is_off_by_a_millionth_is_noticed(browser: Browser, scripts: str) -> None:
    data = browser_data(loaded())
    changed = data | {"rent": {gpu: [usd * (1 + 1e-6), *rest] for gpu, (usd, *rest) in data["rent"].items()}}
    page = browser.new_page()
    page.goto(f"{scripts}choose.js")
    page.evaluate(PREPARE, [estimator.data(loaded()), changed])
    assert compared(page, cases(QUICK)[:1])
    page.close()


@pytest.mark.parametrize("count", [200, pytest.param(2000, marks=pytest.mark.full)])
def test_random_inputs_raise_no_error_and_say_nothing_that_is_no_number(chooser: Page, count: int) -> None:
    wishes = [dict(words) for words in vectors.random_words(loaded(), count)]
    answers = chooser.evaluate("(wishes) => wishes.map((words) => textOf(words))", wishes)
    assert [answer["crashed"] for answer in answers if isinstance(answer, dict)] == []
    assert sum("Pick: " in answer for answer in answers) > count / 2
    # "units is nan" repeats what somebody typed.
    said = [answer for answer in answers if "; it must be" not in answer]
    assert [a[:300] for a in said if any(word in a for word in ("NaN", "nan ", "Infinity", " inf ", "undefined"))] == []


@pytest.mark.full
def test_the_vectors_hold_picks_refusals_and_needs_that_nothing_meets() -> None:
    known = cases(MOST)
    assert len(known) >= 300 + len(QUESTIONS)
    assert sum("refused" in case for case in known) >= 30
    assert sum(case["numbers"]["first"] is None for case in known if "numbers" in case) >= 20
    assert sum(bool(case["numbers"]["ways_out"]) for case in known if "numbers" in case) >= 15


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: str(q.number))
def test_a_need_survives_being_written_as_words(question: Any) -> None:
    assert parse(as_words(question.need)) == question.need
    assert parse(as_words(Need(own_prices={"a": 1e-5, "b": 1500.0}))) == Need(own_prices={"a": 1e-5, "b": 1500.0})


def test_the_data_repeats_nothing_of_the_estimators_file() -> None:
    data, other = browser_data(loaded()), estimator.data(loaded())
    assert not set(data) & {"models", "coefficients", "points", "tables"}
    assert [row[0] for row in data["cards"]] == [card["id"] for card in other["cards"]]  # type: ignore[index, attr-defined]
    stated = inputs.cards(loaded())
    assert all(data["inferred_peak"] not in stated[gpu].peaks for gpu in data["rates16"])
