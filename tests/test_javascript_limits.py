"""The scripts written by hand at their limits, in Node: what they work out without a page."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from node import worked_out

from pipeline.advise import rules as of_rules

MODULES = ("python", "rules", "csv", "names", "measures", "market-choice", "table", "saved")
NAMES = [
    ["rtx-4090", "NVIDIA GeForce RTX 4090"],
    ["h100-sxm5-80gb", "NVIDIA H100 SXM5 80GB"],
    ["h100-nvl-94gb", "NVIDIA H100 NVL 94GB"],
    ["rtx-4080", "NVIDIA GeForce RTX 4080", "4080 16GB"],
    ["gh100", "NVIDIA GH100"],
]
CARDS = {
    "gpus": ["a", "b", "c"],
    "currencies": {"us": "US dollars", "eu": "euros"},
    "figures": {
        "memory_gb": {"title": "Memory, GB", "values": [24, 16, None]},
        "power": {"title": "Power, W", "values": [450, None, 75.25]},
    },
    "prices": {"to_buy": {"title": "Price, {currency}", "values": {"us": [1000, 1500, 800], "eu": [1100, 1600, None]}}},
}
TRACE = {
    "x": [1, 2, 3], "y": [4, 5, 6], "text": ["A: 1", "B: 2", "C: 3"], "customdata": ["a", "b", "c"],
    "meta": {"segments": ["consumer"] * 3},
}  # fmt: skip
MEASURES = f"({{...{json.dumps(CARDS)}, at: new Map([['a', 0], ['b', 1], ['c', 2]])}})"


def find(text: str, *most: int) -> str:
    return f"names.find({', '.join(map(json.dumps, [NAMES, text, *most]))}).map((one) => one.id)"


def meant(text: str) -> str:
    found = f"names.meant({json.dumps(NAMES)}, {json.dumps(text)})"
    return f"(({{ card, others }}) => [card?.id ?? null, ...others.map((one) => one.id)])({found})"


def drawn(what: str, **asked: str) -> str:
    wanted = {"memory": "", "price": "", "x": "", "y": ""} | asked
    return f"measures.filtered([{json.dumps(TRACE)}], {MEASURES}, {json.dumps(wanted)}).map((one) => one.{what})[0]"


def ordered(direction: str, *cells: str, look: str = "n") -> str:
    """The texts of a column after it is sorted, its cells made of nothing but what a sort asks for."""
    return f"""(() => {{
      const cell = (text) => ({{ dataset: {{}}, textContent: text, classList: {{ contains: (one) => one === "{look}" }},
        querySelector: (what) => what.endsWith("ga-unknown") && text === "unknown" ? {{}} : null }});
      const head = {{ removeAttribute() {{}}, setAttribute() {{}} }};
      const rows = {json.dumps(cells)}.map((text) => ({{ cells: [cell(text)] }}));
      let found = [];
      const body = {{ rows, append: (...all) => (found = all) }};
      const made = {{ tBodies: [body], tHead: {{ rows: [{{ cells: [head] }}] }} }};
      table.sort(made, 0, "{direction}");
      return found.map((row) => row.cells[0].textContent);
    }})()"""


IN_EUROPE = """(() => {
  const { dataset } = document.documentElement;
  dataset.market = "eu";
  const found = market_choice.withMarket("g=a");
  delete dataset.market;
  return found;
})()"""
CASES: dict[str, Any] = {
    # truth, equality and order as Python has them
    "python.truly([])": False, "python.truly([0])": True, "python.truly({})": False, "python.truly({a: 0})": True,
    "python.truly(null)": False, "python.truly(0)": False, "python.truly('0')": True,
    "python.truly(new (class A {})())": True,
    "python.same([1, 2], [1, 2])": True, "python.same([1, 2], [1, 3])": False, "python.same([1], [1, 2])": False,
    "python.same({a: 1}, {a: 1})": True, "python.same({a: 1}, {b: 1})": False, "python.same(null, undefined)": True,
    "python.same(null, 0)": False, "python.same([], {})": False, "python.same({a: 1}, {a: 1, b: 2})": False,
    "python.compare(1, 2)": -1, "python.compare(2, 1)": 1, "python.compare(2, 2)": 0,
    "python.compare([1, 'b'], [1, 'a'])": 1, "python.compare([1], [1, 0])": -1, "python.compare([2], [1, 5])": 1,
    # lists and dictionaries
    "python.each('ab')": ["a", "b"], "python.each({a: 1})": ["a"], "python.each([3])": [3],
    "python.has('abc', 'bc')": True, "python.has([[1]], [1])": True, "python.has({a: 1}, 'a')": True,
    "python.has({a: 1}, 'toString')": False, "python.has(new Set(['1,2']), [1, 2])": True,
    "python.set([[1, 2], [1, 2]])": ["1,2"], "python.dict([['a', 1]])": {"a": 1}, "python.dict({a: 1})": {"a": 1},
    "python.get({a: null}, 'a', 1)": None, "python.get({}, 'a', 1)": 1, "python.get({}, 'a')": None,
    "python.setdefault({a: 1}, 'a', 2)": 1, "python.setdefault({}, 'a', 2)": 2,
    "python.at([1, 2, 3], -1)": 3, "python.at({a: 5}, 'a')": 5,
    "python.cut([1, 2, 3, 4], 1, 3)": [2, 3], "python.cut([1, 2, 3], null, -1)": [1, 2],
    "python.cut([1, 2, 3], 1, null)": [2, 3], "python.cut('abcd', null, 2)": "ab", "python.cut('abcd', 1, null)": "bcd",
    "python.cut([1, 2], 0, 0)": [], "python.plus([1], [2])": [1, 2], "python.plus(1, 2)": 3,
    "python.zip([1, 2], [3, 4])": [[1, 3], [2, 4]], "python.pairwise([1, 2, 3])": [[1, 2], [2, 3]],
    "python.range(3)": [0, 1, 2], "python.range(2, 4)": [2, 3], "python.range(4, 2)": [],
    "python.isMapping([])": False, "python.isMapping({})": True, "python.isMapping(null)": False,
    "python.sorted([10, 9, 2])": [2, 9, 10], "python.sorted(['b', 'a'])": ["a", "b"],
    "python.sorted([1, 2, 3], (one) => -one)": [3, 2, 1],
    "python.sorted([[1, 'a'], [0, 'b'], [1, 'c']], (one) => one[0])": [[0, "b"], [1, "a"], [1, "c"]],
    "(() => { const of = [2, 1]; python.sort(of, null); return of; })()": [1, 2],
    "(() => { const of = [1, 2]; python.sort(of, (one) => -one); return of; })()": [2, 1],
    "python.min([3, 1, 2])": 1, "python.max([3, 1, 2])": 3, "python.min([], null, 7)": 7,
    "python.min([[1, 'a'], [1, 'b']], (one) => one[0])": [1, "a"],
    "python.max([[1, 'a'], [1, 'b']], (one) => one[0])": [1, "a"],
    "python.min([])": "Error: nothing to choose from", "python.sum([1, true, 2])": 4,
    "python.median([3, 1, 2])": 2, "python.median([4, 1, 3, 2])": 2.5, "python.median([10, 9])": 9.5,
    "(() => { let n = 0; const f = python.cached((a) => (n += a)); f(1); f(1); f(2); return n; })()": 3,
    # texts
    "python.strip('--a-', '-')": "a", "python.strip(' a ')": "a", "python.rstrip('a00', '0')": "a",
    "python.starts('abc', ['x', 'ab'])": True, "python.starts('abc', 'b')": False, "python.ends('abc', ['bc'])": True,
    "python.ends('abc', 'b')": False, "python.split(' a  b ')": ["a", "b"], "python.split('a,,b', ',')": ["a", "", "b"],
    "python.partition('a=b=c', '=')": ["a", "=", "b=c"], "python.partition('abc', '=')": ["abc", "", ""],
    "python.rpartition('a=b=c', '=')": ["a=b", "=", "c"], "python.rpartition('abc', '=')": ["", "", "abc"],
    "python.replaced('a.a', '.', '$&')": "a$&a", "python.removeprefix('abc', 'ab')": "c",
    "python.removesuffix('abc', 'bc')": "a", "python.removesuffix('abc', '')": "abc",
    "python.named('{} of {}', [1, 2])": "1 of 2", "python.named('{n:,} {m}', {n: 1234, m: 'x'})": "1,234 x",
    # numbers
    "python.int(-1.7)": -1, "python.float('1e3')": 1000, "python.float('x')": "Error: no number: x",
    "python.float('')": "Error: no number: ", "python.float('1,5')": "Error: no number: 1,5",
    "python.grouped('1234567.1234')": "1,234,567.1234", "python.grouped('-1000')": "-1,000",
    "python.grouped('999')": "999",
    "python.str(null)": "None", "python.str(true)": "True", "python.str(Infinity)": "inf",
    "python.str(-Infinity)": "-inf",
    "python.repr(\"a'b\")": '"a\'b"', "python.repr('a')": "'a'", "python.repr(NaN)": "nan",
    # arithmetic of rules: the unknown stays unknown
    "rules.plus(1, null)": None, "rules.plus(1, 2)": 3, "rules.minus(5, 2)": 3, "rules.times(5, 2)": 10,
    "rules.over(5, 2)": 2.5, "rules.over(5, 0)": None, "rules.over(null, 2)": None, "rules.below(1, 1)": False,
    "rules.below(1, 2)": True, "rules.upTo(1, 1)": True, "rules.upTo(2, 1)": False, "rules.above(1, 1)": False,
    "rules.above(2, 1)": True, "rules.from(1, 1)": True, "rules.from(1, 2)": False, "rules.fixed(null)": None,
    # a saved table
    "csv.safe('=1+1')": "'=1+1", "csv.safe('@a')": "'@a", "csv.safe('\\ta')": "'\ta", "csv.safe('a=1')": "a=1",
    "csv.safe('a,b')": '"a,b"', "csv.safe('a\"b')": '"a""b"', "csv.safe('a\\nb')": '"a\nb"',
    "csv.lines([['a', '-1'], ['b', 'c']])": "a,'-1\nb,c\n",
    # names
    "names.key('NVIDIA GeForce RTX 4090')": "rtx4090", "names.key('NVIDIA')": "nvidia",
    "names.key('gefroce rtx 4090')": "rtx4090",
    "names.key('amd. rx 7900 XT')": "amdrx7900xt", "names.key('A.100')": "a100", "names.key('genforce x')": "x",
    "names.key('gold x')": "goldx", "names.key('geoforse x')": "x", "names.key('geoforsa x')": "geoforsax",
    "names.find([['slip', 'abcxefg'], ['part', 'zabcdef']], 'abcdef').map((one) => one.id)": ["part", "slip"],
    find("4090"): ["rtx-4090"], find("rxt 4090"): ["rtx-4090"],
    find("h10"): ["h100-sxm5-80gb", "h100-nvl-94gb", "gh100"],
    find("hx0"): [], find("h100zzm"): ["h100-sxm5-80gb"], find("h10zzx"): [],
    find("rtx 4091"): ["rtx-4090", "rtx-4080"],
    find(""): [], find("h100", 1): ["h100-sxm5-80gb"], find("rtx"): ["rtx-4090", "rtx-4080"],
    meant("rtx 4080"): ["rtx-4080"], meant("h100"): ["h100-sxm5-80gb", "h100-nvl-94gb"],
    meant("4080 16gb"): ["rtx-4080"],
    meant("rtx 40"): ["rtx-4090", "rtx-4080"], meant("zzzzzz"): [None],
    "names.fits('NVIDIA H100', 'h100')": True, "names.fits('NVIDIA H200', 'h100 sxm')": False,
    # charts
    drawn("x", memory="24"): [1, None, None], drawn("x", memory="16"): [1, 2, None],
    drawn("y", memory="16"): [4, 5, None],
    drawn("x", price="1000"): [1, None, 3], drawn("x", price="999"): [None, None, 3], drawn("x"): [1, 2, 3],
    drawn("x", x="power"): [450, None, 75.25], drawn("y", x="power"): [4, 5, 6],
    drawn("y", y="to_buy"): [1000, 1500, 800],
    drawn("text", x="power"): ["A, Power, W: 450", "B", "C, Power, W: 75.3"],
    drawn("text", memory="24"): ["A: 1", "B: 2", "C: 3"],
    f"measures.saidOf([{json.dumps(TRACE)}], {MEASURES}, {{memory: '16', price: '', x: '', y: ''}}).split(';')[0]":
    "2 of 3 cards are shown",
    f"measures.measureOf({MEASURES}, 'to_buy').title": "Price, US dollars",
    "measures.axisOf({title: 'a'}, true).type": "linear", "measures.axisOf({title: 'a'}, false).title.text": "a (log)",
    "measures.axisOf({title: 'a'}, false).tickvals.filter((one) => one >= 1 && one < 20)": [1, 2, 5, 10],
    "measures.asksMore({x: ''})": False, "measures.asksMore({x: '', y: 'a'})": True,
    # the market in an address
    "market_choice.withMarket('market=eu&g=a,b')": "?g=a,b", "market_choice.withMarket('market=us')": "",
    IN_EUROPE: "?g=a&market=eu",
    # a table in order, the unknown last either way
    ordered("ascending", "10", "9", "–", "1,000"): ["9", "10", "1,000", "–"],
    ordered("descending", "10", "9", "–", "1,000"): ["1,000", "10", "9", "–"],
    ordered("descending", "unknown", "$5", "2 ×"): ["$5", "2 ×", "unknown"],
    ordered("ascending", "b", "A", "", look=""): ["A", "b", ""],
    ordered("ascending", "10", "9", look=""): ["10", "9"],
}  # fmt: skip


@cache
def answers() -> dict[str, Any]:
    return dict(zip(CASES, worked_out(list(CASES), MODULES), strict=True))


@pytest.mark.parametrize("case", CASES)
def test_a_function_of_the_scripts_gives_what_it_says(case: str) -> None:
    assert answers()[case] == CASES[case]


def numbers() -> Iterator[float]:
    chance = random.Random(11)
    yield from (0.5, 1.5, 2.5, -0.5, 0.125, 0.375, 99.95, 999.5, 9995.0, 0.00005, 1e-5, 0.0, -2.675, 123456.5)
    for _ in range(60):
        yield chance.choice((1, -1)) * 10 ** chance.uniform(-7, 12)


def test_a_number_is_rounded_and_written_as_python_does() -> None:
    specs = (".0f", ".1f", ".2f", ".3g", ".4g", ".1e", ",.0f", ",.2f", ",.4g")
    cases = [(value, spec) for value in numbers() for spec in specs]
    said = worked_out([f"python.format({value!r}, {spec!r})" for value, spec in cases], ["python"])
    wrong = [(*case, one) for case, one in zip(cases, said, strict=True) if one != format(*case)]
    assert not wrong


@pytest.mark.parametrize("digits", [None, 0, 1, 2, 3])
def test_a_number_is_rounded_to_the_even_one_of_two_that_are_as_near(digits: int | None) -> None:
    more = "" if digits is None else f", {digits}"
    said = worked_out([f"python.round({value!r}{more})" for value in numbers()], ["python"])
    assert said == [round(value, digits) if digits is not None else round(value) for value in numbers()]


def test_a_number_of_the_rules_reads_as_python_writes_it() -> None:
    asked = [value for value in numbers() if value != 2.5]
    three = worked_out([f"rules.three({value!r})" for value in asked], ["rules"])
    assert three == [of_rules.three(value) for value in asked]
    fixed = worked_out([f"rules.fixed({value!r}, {digits})" for value in asked for digits in (0, 1, 2)], ["rules"])
    assert fixed == [of_rules.fixed(value, digits) for value in asked for digits in (0, 1, 2)]
