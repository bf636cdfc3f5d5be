"""The browser's estimator against Python's, in Chromium: the same answers, refusals and bases."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest
from playwright.sync_api import Browser
from scripts import differences

from pipeline.advise.estimate import browser as estimator
from pipeline.advise.estimate import vectors
from pipeline.core.paths import ROOT
from pipeline.dataset import Dataset

MODULE = ROOT / "docs" / "javascripts" / "estimate.js"
QUICK, MOST = 150, vectors.COUNT
# Answers each case with the module, which also repeats what it was asked. Numbers that JSON has no word for come as
# words.
RUNNER = """async (text) => {
  const { estimate, gpuHours, EstimateError } = await import("/estimate.js");
  const data = JSON.parse(text);
  const words = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  const number = (value) => (typeof value === "string" && Object.hasOwn(words, value) ? words[value] : value);
  const attempt = (refused, make) => {
    try { return make(); } catch (error) {
      if (error instanceof EstimateError) return { [refused]: error.message };
      return { crashed: String(error.stack) };
    }
  };
  return JSON.stringify(data.cases.map(({ card, model, request, tokens }) => {
    const asked = Object.fromEntries(Object.entries(request).map(([name, value]) => [name, number(value)]));
    return {
      ...attempt("refused", () => {
        const { request, ...answer } = estimate(card, model, asked, data.coefficients, data.points);
        return { answer };
      }),
      ...attempt("hours_refused", () => ({ hours: gpuHours(card, model, number(tokens), asked, data.coefficients) })),
    };
  }));
}"""


@lru_cache(maxsize=2)
def written(count: int) -> dict[str, Any]:
    """The vectors as they come back from JSON."""
    found: dict[str, Any] = json.loads(json.dumps(vectors.vectors(Dataset.load(), count), allow_nan=False))
    return found


def answers(browser: Browser, scripts: str, data: dict[str, Any]) -> list[dict[str, Any]]:
    """What the module says to each case."""
    page = browser.new_page()
    page.goto(f"{scripts}estimate.js")
    found: list[dict[str, Any]] = json.loads(page.evaluate(RUNNER, json.dumps(data)))
    page.close()
    return found


def problems(data: dict[str, Any], given: list[dict[str, Any]]) -> list[str]:
    assert len(given) == len(data["cases"])
    found = []
    for case, answer in zip(data["cases"], given, strict=True):
        asked = f"in {case['request']} of {case['card']['id']}, {case['model']['id']}"
        for name in ("answer", "refused", "hours", "hours_refused", "crashed"):
            found += [f"{problem} {asked}" for problem in differences(name, case.get(name), answer.get(name))]
    return found


@pytest.mark.browser
@pytest.mark.parametrize("count", [QUICK, pytest.param(MOST, marks=pytest.mark.full)])
def test_the_browser_answers_and_refuses_as_python_does(count: int, browser: Browser, scripts: str) -> None:
    data = written(count)
    found = problems(data, answers(browser, scripts, data))
    assert not found, f"{len(found)} differences, first: " + "\n".join(found[:5])


@pytest.mark.browser
@pytest.mark.parametrize(
    "name",
    ["1/eta gddr", "t0 llama.cpp 2024-05", "1/eta, vllm, gddr *", "t0 sequence, vllm"],
)
def test_one_coefficient_that_is_off_by_a_millionth_is_noticed(name: str, browser: Browser, scripts: str) -> None:
    data = written(QUICK)
    terms = data["coefficients"]["terms"]
    moved = terms[name] | {"value": terms[name]["value"] * (1 + 1e-6)}
    off = data | {"coefficients": data["coefficients"] | {"terms": terms | {name: moved}}}
    assert problems(data, answers(browser, scripts, off))


@pytest.mark.full
def test_the_cases_hold_every_card_network_quantization_engine_and_task() -> None:
    cases = written(MOST)["cases"]
    assert len(cases) >= 2000
    asked = [case["request"] for case in cases]
    assert {c["card"]["id"] for c in cases} >= {c["id"] for c in written(MOST)["cards"]}
    assert {c["model"]["id"] for c in cases} >= {m["id"] for m in written(MOST)["models"]}
    assert {r["quant"] for r in asked} >= set(vectors.MIXES) | set(vectors.QUANT_ALIASES)
    assert {r["engine"] for r in asked} >= set(vectors.ENGINE_NAMES)
    assert {r["task"] for r in asked} == {"serve", "train", "lora", "qlora"}


@pytest.mark.full
def test_the_cases_hold_answers_refusals_and_measured_points() -> None:
    cases = written(MOST)["cases"]
    kinds = [(c["answer"]["decode_basis"] or {}).get("kind") for c in cases if "answer" in c]
    assert sum("refused" in c for c in cases) >= 100
    assert kinds.count("measured") >= 50
    assert kinds.count("estimated") >= 500


def test_every_table_of_the_formulas_travels_as_data() -> None:
    json.dumps(estimator.tables(), allow_nan=False)
    text = MODULE.read_text(encoding="utf-8")
    assert "q4_k_m" not in text
    assert "0.98" not in text
