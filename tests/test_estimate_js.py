"""The browser's estimator against Python's, in Chromium: the same answers, refusals and bases."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest
from playwright.sync_api import Browser
from scripts import differences

from pipeline.advise.estimate import vectors
from pipeline.dataset import Dataset

QUICK, MOST = 150, vectors.COUNT
# Answers each case with the module, which also repeats what it was asked. Numbers that JSON has no word for come as
# words.
RUNNER = """async (text) => {
  const { estimate, gpuHours, EstimateError, Request } = await import("/estimated.js");
  const { cardOf, modelOf, prepared } = await import("/estimator.js");
  const data = JSON.parse(text), known = prepared(data);
  const words = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  const number = (value) => (typeof value === "string" && Object.hasOwn(words, value) ? words[value] : value);
  const attempt = (refused, make) => {
    try { return make(); } catch (error) {
      if (error instanceof EstimateError) return { [refused]: error.message };
      return { crashed: String(error.stack) };
    }
  };
  const basis = (one) => one && (({ kind, statement, points, coefficients }) =>
    ({ kind, statement, points, coefficients }))(one);
  return JSON.stringify(data.cases.map(({ card: row, model: counted, request, tokens }) => {
    const asked = Object.assign(new Request(), request);
    for (const name of Object.keys(request)) asked[name] = number(request[name]);
    const card = cardOf(row), model = modelOf(counted);
    return {
      ...attempt("refused", () => {
        const answer = estimate(card, model, asked, known.coefficients, known.points[card.id]);
        const { parts, total, usable, fits, room } = answer.memory;
        return { answer: {
          memory: { parts, total, usable, fits, room }, warnings: answer.warnings,
          decode_tokens_per_s: answer.decode_tokens_per_s, prefill_tokens_per_s: answer.prefill_tokens_per_s,
          decode_basis: basis(answer.decode_basis), prefill_basis: basis(answer.prefill_basis),
        } };
      }),
      ...attempt("hours_refused", () =>
        ({ hours: gpuHours(card, model, number(tokens), asked, data.shares, known.coefficients) })),
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
    page.goto(f"{scripts}python.js")
    found: list[dict[str, Any]] = json.loads(page.evaluate(RUNNER, json.dumps(data)))
    page.close()
    return found


def problems(data: dict[str, Any], given: list[dict[str, Any]]) -> list[str]:
    assert len(given) == len(data["cases"])
    found = []
    for case, answer in zip(data["cases"], given, strict=True):
        asked = f"in {case['request']} of {case['card'][0]}, {case['model']['id']}"
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
    ["1/eta gddr", "t0 llama.cpp 2024-05", "1/eta, vllm, gddr", "t0 sequence, vllm"],
)
def test_one_coefficient_that_is_off_by_a_millionth_is_noticed(name: str, browser: Browser, scripts: str) -> None:
    data = written(QUICK)
    values = data["coefficients"]["values"]
    moved = values[name] | {"value": values[name]["value"] * (1 + 1e-6)}
    off = data | {"coefficients": data["coefficients"] | {"values": values | {name: moved}}}
    assert problems(data, answers(browser, scripts, off))


@pytest.mark.full
def test_the_cases_hold_every_card_network_quantization_engine_and_task() -> None:
    cases = written(MOST)["cases"]
    assert len(cases) >= 2000
    asked = [case["request"] for case in cases]
    assert {c["card"][0] for c in cases} >= {c[0] for c in written(MOST)["cards"]}
    assert {c["model"]["id"] for c in cases} >= {m["id"] for m in written(MOST)["models"]}
    assert {r["quant"] for r in asked} >= set(vectors.MIXES) | set(vectors.QUANT_ALIASES)
    assert {r["engine"] for r in asked} >= set(vectors.ENGINE_NAMES)
    assert {r["task"] for r in asked} == {"serve", "train", "full", "lora", "qlora"}


@pytest.mark.full
def test_the_cases_hold_answers_refusals_and_measured_points() -> None:
    cases = written(MOST)["cases"]
    kinds = [(c["answer"]["decode_basis"] or {}).get("kind") for c in cases if "answer" in c]
    assert sum("refused" in c for c in cases) >= 100
    assert kinds.count("measured") >= 50
    assert kinds.count("estimated") >= 500


@pytest.mark.browser
@pytest.mark.parametrize("method", ["startswith", "endswith"])
def test_a_text_is_asked_for_several_beginnings_and_endings_as_in_python(
    method: str, browser: Browser, scripts: str
) -> None:
    asked: list[tuple[str, str | tuple[str, ...]]] = [
        ("narrow experts", ("scores", "narrow experts")),
        ("narrow experts", ("narrow", "wide")),
        ("scores", ("cores", "sco")),
        ("scores", "scores"),
        ("scores", ()),
        ("scores", "experts"),
    ]
    page = browser.new_page()
    page.goto(f"{scripts}python.js")
    name = {"startswith": "starts", "endswith": "ends"}[method]
    run = """async ([name, asked]) => {
      const known = await import("/python.js");
      return asked.map(([text, of]) => known[name](text, of));
    }"""
    found = page.evaluate(run, [name, asked])
    page.close()
    assert found == [getattr(text, method)(of) for text, of in asked]
