from __future__ import annotations

import json
import math
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from pipeline.dataset import Dataset
from pipeline.estimate import browser, vectors
from pipeline.paths import ROOT

MODULE = ROOT / "docs" / "javascripts" / "estimate.js"
TOLERANCE = 1e-9
QUICK, MOST = 150, vectors.COUNT
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; it runs the browser's estimator")
# Reads the cases, answers each with the module, prints the answers. Numbers that JSON has no word for come as words.
RUNNER = """
import { readFileSync } from "node:fs";
const { estimate, gpuHours, EstimateError } = await import(process.argv[1]);
const data = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const words = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const number = (value) => (typeof value === "string" && Object.hasOwn(words, value) ? words[value] : value);
const attempt = (refused, make) => {
  try { return make(); } catch (error) {
    if (error instanceof EstimateError) return { [refused]: error.message };
    return { crashed: String(error.stack) };
  }
};
const answers = data.cases.map(({ card, model, request, tokens }) => {
  const asked = Object.fromEntries(Object.entries(request).map(([name, value]) => [name, number(value)]));
  return {
    ...attempt("refused", () => ({ answer: estimate(card, model, asked, data.coefficients, data.points) })),
    ...attempt("hours_refused", () => ({ hours: gpuHours(card, model, number(tokens), asked, data.coefficients) })),
  };
});
console.log(JSON.stringify(answers));
"""


@lru_cache(maxsize=2)
def written(count: int) -> dict[str, Any]:
    """The vectors as they come back from JSON."""
    found: dict[str, Any] = json.loads(json.dumps(vectors.vectors(Dataset.load(), count), allow_nan=False))
    return found


def answers(data: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """What the module says to each case. Copied as .mjs, which every Node takes for a module."""
    module, cases = folder / "estimate.mjs", folder / "cases.json"
    module.write_bytes(MODULE.read_bytes())
    cases.write_text(json.dumps(data), encoding="utf-8")
    assert NODE is not None
    command = [NODE, "--input-type=module", "--eval", RUNNER, module.as_uri(), str(cases)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def differences(data: dict[str, Any], given: list[dict[str, Any]]) -> list[str]:
    assert len(given) == len(data["cases"])
    found = []
    for case, answer in zip(data["cases"], given, strict=True):
        for name in ("answer", "refused", "hours", "hours_refused", "crashed"):
            found += [f"{problem} in {case['request']} of {case['card']['id']}, {case['model']['id']}"
                      for problem in compare(name, case.get(name), answer.get(name))]  # fmt: skip
    return found


def compare(where: str, python: Any, script: Any) -> list[str]:
    """Where the two differ: numbers by more than one in a billion, everything else at all."""
    if isinstance(python, bool) or python is None or isinstance(python, str):
        return [] if python == script else [f"{where}: {python!r}, JavaScript {script!r}"]
    if isinstance(python, int | float):
        same = isinstance(script, int | float) and math.isclose(python, script, rel_tol=TOLERANCE, abs_tol=1e-12)
        return [] if same else [f"{where}: {python!r}, JavaScript {script!r}"]
    if isinstance(python, list):
        pairs = enumerate(python) if isinstance(script, list) and len(script) == len(python) else [(-1, python)]
        return [d for i, value in pairs for d in compare(f"{where}[{i}]", value, script[i] if i >= 0 else None)]
    return [d for key, value in python.items() for d in compare(f"{where}.{key}", value, (script or {}).get(key))]


@pytest.mark.parametrize("count", [QUICK, pytest.param(MOST, marks=pytest.mark.full)])
def test_the_browser_answers_and_refuses_as_python_does(count: int, tmp_path: Path) -> None:
    data = written(count)
    found = differences(data, answers(data, tmp_path))
    assert not found, f"{len(found)} differences, first: " + "\n".join(found[:5])


@pytest.mark.parametrize("name", ["1/eta gddr", "t0 llama.cpp 2024-05", "1/gain gddr, quantized, llama.cpp 2024-05"])
def test_one_coefficient_that_is_off_by_a_millionth_is_noticed(name: str, tmp_path: Path) -> None:
    data = written(QUICK)
    values = data["coefficients"]["values"]
    off = data | {"coefficients": data["coefficients"] | {"values": values | {name: values[name] * (1 + 1e-6)}}}
    assert differences(data, answers(off, tmp_path))


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
    json.dumps(browser.tables(), allow_nan=False)
    text = MODULE.read_text(encoding="utf-8")
    assert "q4_k_m" not in text
    assert "0.98" not in text
