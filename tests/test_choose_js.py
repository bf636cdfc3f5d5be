"""The browser's chooser against Python's, in Chromium: the same questions, the same answers, the same refusals."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from scripts import differences

from pipeline.advise.choose import NeedError, browser_data, choose, parse
from pipeline.advise.choose.need import FIELDS, TASKS
from pipeline.advise.choose.presenter import lost, view
from pipeline.advise.choose.questions import questions
from pipeline.advise.estimate import browser as estimator
from pipeline.advise.estimate import models
from pipeline.dataset import Dataset

pytestmark = pytest.mark.browser
SEED, QUICK, MOST, SILLY_SHARE = 20_261_122, 40, 300, 0.15
# Values that make sense, field by field; a need takes a few of them. Fields with choices bring their own.
SENSIBLE = {
    "context": ("1024", "4096", "32.768", "8k"),
    "batch": ("2", "4", "32"),
    "engine": ("llama.cpp", "vllm"),
    "optimizer": ("adam8bit", "paged_adam8bit"),
    "units": ("1e6", "20000000", "2e9"),
    "deadline_hours": ("5", "48", "336"),
    "runs_per_month": ("1", "30"),
    "least_rate": ("1", "33.3", "400"),
    "requests_per_s": ("0.05", "2"),
    "first_token_s": ("0.5", "5"),
    "budget_usd": ("100", "800", "1,500", "9999.5", "$60k", "1 500 USD"),
    "budget_per_month_usd": ("5", "49.5", "400"),
    "max_power_w": ("300", "1200"),
    "power_limit_w": ("100", "250"),
    "machines": ("1",),
    "psu_w": ("450", "850"),
    "slots": ("2", "2.5"),
    "length_mm": ("180", "300"),
    "quiet": ("yes",),
    "rack": ("yes",),
    "max_gpus": ("1", "3"),
    "min_memory_gb": ("12", "24"),
    "hours_per_week": ("1", "168"),
    "electricity_usd_per_kwh": ("0", "0.45"),
    "host_usd": ("0", "750"),
    "horizon_months": ("1", "36"),
    "resale_share": ("0", "0.3"),
    "own": ("rtx-3090=1,rtx-4070=2", "rtx-3090", "nvidia-geforce-rtx-3090=2", "rtx-4090-laptop"),
    "own_prices": ("rtx-4090=1500", "RTX 3090=612.5,nvidia-geforce-rtx-5090=1999"),
    "own_rents": ("nvidia-geforce-rtx-4090=0.2",),
}
SILLY = {
    "task": ("dance",),
    "model": ("gpt-99", "resnet-50", "llama3.1-8b-instrukt", "qwen 3 30b"),
    "quant": ("q99",),
    "kv_bits": ("5", "x"),
    "context": ("0", "131073", "8.5"),
    "budget_usd": ("-800", "lots", "inf", "1.500"),
    "max_gpus": ("9",),
    "quiet": ("maybe",),
    "own_prices": ("rtx-4090", "no-such-card=5", "rtx-4090=x"),
    "own": ("titan", "rtx-4090=9"),
    "colour": ("blue",),
    "market": ("mars",),
    "machines": ("2",),
}
RUN = """async ([estimator, data, wishes]) => {
  const [{ choose, parse, view, lost }, { prepare }, { NeedError }] =
    await Promise.all(["./chosen.js", "./chooser.js", "./able.js"].map((file) => import(file)));
  const dataset = prepare(estimator, data);
  return wishes.map((words) => {
    try {
      const answer = choose(dataset, parse(words));
      return { view: view(answer), lost: lost(answer) };
    } catch (error) {
      return error instanceof NeedError ? { refused: error.message } : { crashed: String(error.stack) };
    }
  });
}"""


@cache
def loaded() -> Dataset:
    return Dataset.load()


def wishes(count: int) -> Iterator[dict[str, str]]:
    """Every task as it stands, then questions as somebody might type them, some of them silly."""
    yield from ({"task": task} for task in TASKS)
    chance = random.Random(SEED)
    language = [m.id for m in models.load().models.values() if m.is_language]
    known = SENSIBLE | {n: [c for c in f["choices"] if c] for n, f in FIELDS.items() if "choices" in f}
    for _ in range(count):
        task = chance.choice(list(TASKS))
        words = {"task": task}
        if TASKS[task]["kind"] == "language":
            words["model"] = chance.choice(language)
        words |= {name: str(chance.choice(known[name])) for name in chance.sample(sorted(known), chance.randint(0, 5))}
        if chance.random() < SILLY_SHARE:
            name = chance.choice(sorted(SILLY))
            words[name] = chance.choice(SILLY[name])
        yield words


def python(words: dict[str, str]) -> dict[str, Any]:
    try:
        answer = choose(loaded(), parse(words))
    except NeedError as error:
        return {"refused": str(error)}
    return {"view": view(answer), "lost": lost(answer)}


@pytest.fixture
def page(browser: Browser, scripts: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{scripts}python.js")
    yield page
    page.close()


@pytest.mark.parametrize("count", [QUICK, pytest.param(MOST, marks=pytest.mark.full)])
def test_the_browser_answers_and_refuses_as_python_does(page: Page, count: int) -> None:
    asked = list(wishes(count))
    said = page.evaluate(RUN, [estimator.data(loaded()), browser_data(loaded()), asked])
    mine = json.loads(json.dumps([python(words) for words in asked], allow_nan=False))
    found = [f"{d} in {w}" for w, p, s in zip(asked, mine, said, strict=True) for d in differences("", p, s)[:3]]
    assert not found, f"{len(found)} differences, first: " + "\n".join(found[:8])
    assert sum("refused" in one for one in mine) >= count / 20
    assert sum(bool(one["view"]["choices"]) for one in mine if "view" in one) > count / 2


def test_the_form_answers_every_written_question_as_the_command_does(page: Page) -> None:
    asked = [dict(question.asked) for question in questions()]
    said = page.evaluate(RUN, [estimator.data(loaded()), browser_data(loaded()), asked])
    mine = json.loads(json.dumps([python(words) for words in asked], allow_nan=False))
    found = [f"{d} in {w}" for w, p, s in zip(asked, mine, said, strict=True) for d in differences("", p, s)[:3]]
    assert not found, f"{len(found)} differences, first: " + "\n".join(found[:8])


def test_a_price_that_is_off_by_a_thousandth_is_noticed(page: Page) -> None:
    data = browser_data(loaded())
    spoiled = {gpu: [row[0] * 1.001, *row[1:]] for gpu, row in data["rent"]["on_demand"].items()}
    asked = [{"task": "chat", "prefer": "rent"}]
    changed = data | {"rent": data["rent"] | {"on_demand": spoiled}}
    (said,) = page.evaluate(RUN, [estimator.data(loaded()), changed, asked])
    assert differences("", json.loads(json.dumps(python(asked[0]))), said)
