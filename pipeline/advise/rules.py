"""The rules that Python and the browser share: limits, formulas and sentences of `pipeline/advise/rules.yml`.

A room of that file holds plain values, formulas (`price * count + host`) and sentences with formulas in braces
(`{gib(room)} to spare`). Python works them out here; for the browser pipeline/site/scripts writes them as functions.
So a figure or a sentence is changed in one file and nowhere else.

The language is small: names, numbers, texts, lists, + - * /, comparisons, `in`, and, or, not, `a if c else b`,
`record.field` and the functions of `FUNCTIONS`. Whatever is unknown (None) stays unknown: a sum with an unknown part
is unknown, and a comparison with it is not met.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from pipeline.core.wording import between
from pipeline.core.yaml_text import ours

FILE = Path(__file__).with_name("rules.yml")
HOLE = re.compile(r"\{([^{}]+)\}")
Env = Mapping[str, Any]
Value = Callable[[Env], Any]
Facts = Callable[[dict[str, Any]], None]


class RuleError(ValueError):
    """A rule that cannot be read or worked out; the message names the rule and what is wrong with it."""


@lru_cache(maxsize=8)
def _rooms(path: Path) -> dict[str, Mapping[str, Any]]:
    rooms: dict[str, Mapping[str, Any]] = ours(path.read_text(encoding="utf-8"))
    return rooms


def room(name: str, path: Path = FILE) -> Mapping[str, Any]:
    """A room of the rules as written; RuleError names the rooms that there are."""
    rooms = _rooms(path)
    if name not in rooms:
        raise RuleError(f"{path.name}: no room {name!r}; rooms: {', '.join(rooms)}")
    return rooms[name]


@lru_cache(maxsize=2048)
def formula(text: str) -> Value:
    """A formula as a function of the names that it may use."""
    return _compiled(as_data(text))


@lru_cache(maxsize=2048)
def sentence(text: str) -> Callable[[Env], str]:
    """A sentence as a function: each formula in braces is worked out; an unknown one reads as nothing."""
    parts = [part if isinstance(part, str) else _compiled(part[0]) for part in sentence_data(text)]

    def told(env: Env) -> str:
        return "".join(part if isinstance(part, str) else shown(part(env)) for part in parts)

    return told


def facts(texts: Mapping[str, Any]) -> Facts:
    """Named formulas as one function that puts each value under its name, where the next may ask for it."""
    formulas = [(name, formula(str(text))) for name, text in texts.items()]

    def put(env: dict[str, Any]) -> None:
        for name, value in formulas:
            env[name] = value(env)

    return put


def names_of(text: str) -> set[str]:
    """The names that a formula or the formulas of a sentence ask for."""
    texts = HOLE.findall(text) or [text]
    return {
        node.id
        for part in texts
        for node in ast.walk(ast.parse(part.strip(), mode="eval"))
        if isinstance(node, ast.Name) and node.id not in FUNCTIONS
    }


@lru_cache(maxsize=2048)
def as_data(text: str) -> Any:  # noqa: ANN401 (nested lists of JSON)
    """A formula as nested lists: ["+", ["name", "price"], 3]; RuleError for what the language does not know."""
    try:
        tree = ast.parse(str(text).strip(), mode="eval").body
    except SyntaxError as error:
        raise RuleError(f"{text!r}: {error.msg}") from None
    return _data(tree, str(text))


def sentence_data(text: str) -> list[Any]:
    """A sentence as a list of texts and of formulas, each formula in a list of its own."""
    parts = HOLE.split(text)
    return [[as_data(part)] if place % 2 else part for place, part in enumerate(parts) if part or place % 2]


BINARY: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARED: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
}


def _data(node: Any, text: str) -> Any:  # noqa: ANN401
    """One node of Python's own syntax tree as the language has it."""
    made = NODES.get(type(node))
    data = made(node, lambda part: _data(part, text)) if made else None
    if data is None and not (isinstance(node, ast.Constant) and node.value is None):
        raise RuleError(
            f"{text!r}: {ast.unparse(node)!r} is not in the language of rules; see pipeline/advise/rules.py"
        )
    return data


Part = Callable[[Any], Any]


def _constant(node: ast.Constant, _: Part) -> Any:  # noqa: ANN401
    return ["text", node.value] if isinstance(node.value, str) else node.value


def _attribute(node: ast.Attribute, _: Part) -> Any:  # noqa: ANN401
    return ["of", node.value.id, node.attr] if isinstance(node.value, ast.Name) else None


def _unary(node: ast.UnaryOp, part: Part) -> Any:  # noqa: ANN401
    if isinstance(node.op, ast.Not):
        return ["not", part(node.operand)]
    return ["-", 0, part(node.operand)] if isinstance(node.op, ast.USub) else None


def _binary(node: ast.BinOp, part: Part) -> Any:  # noqa: ANN401
    sign = BINARY.get(type(node.op))
    return [sign, part(node.left), part(node.right)] if sign else None


def _bool(node: ast.BoolOp, part: Part) -> Any:  # noqa: ANN401
    return ["and" if isinstance(node.op, ast.And) else "or", *map(part, node.values)]


def _compare(node: ast.Compare, part: Part) -> Any:  # noqa: ANN401
    sign = COMPARED.get(type(node.ops[0])) if len(node.ops) == 1 else None
    return [sign, part(node.left), part(node.comparators[0])] if sign else None


def _call(node: ast.Call, part: Part) -> Any:  # noqa: ANN401
    known = isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and not node.keywords
    return ["call", node.func.id, *map(part, node.args)] if known and isinstance(node.func, ast.Name) else None


NODES: Mapping[type[ast.AST], Callable[[Any, Part], Any]] = {
    ast.Constant: _constant,
    ast.Name: lambda node, _: ["name", node.id],
    ast.Attribute: _attribute,
    ast.List: lambda node, part: ["list", *map(part, node.elts)],
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _bool,
    ast.Compare: _compare,
    ast.IfExp: lambda node, part: ["if", part(node.test), part(node.body), part(node.orelse)],
    ast.Call: _call,
}


def _compiled(data: Any) -> Value:  # noqa: ANN401
    """A formula of the language as a function: Python works one out several times as fast as a tree of closures.

    The text that is compiled holds nothing but what `_written` makes of the nodes that the language knows.
    """
    made: Value = eval(f"lambda env: {_written(data, count(1))}", dict(CALLED))  # noqa: S307
    return made


def _written(data: Any, numbers: Iterator[int]) -> str:  # noqa: ANN401
    """The node as an expression of Python; what an operation needs twice gets a name with the next number."""
    if not isinstance(data, list):
        return repr(data)
    kind, *rest = data
    if kind in LEAVES:
        return LEAVES[kind](next(numbers), *rest)
    if kind == "call":
        return f"{rest[0]}({', '.join(_written(part, numbers) for part in rest[1:])})"
    parts = [_written(part, numbers) for part in rest]
    return CONNECTED[kind](*parts) if kind in CONNECTED else _operation(kind, next(numbers), *parts)


def _operation(kind: str, number: int, left: str, right: str) -> str:
    """Two values and a sign; unknown where one of them is. Both are worked out, so that an unknown name is told."""
    a, b = f"a{number}", f"b{number}"
    work = f"({a} / {b} if {b} else None)" if kind == "/" else f"{a} {kind} {b}"
    return f"(None if (({a} := {left}) is None) | (({b} := {right}) is None) else {work})"


LEAVES: Mapping[str, Callable[..., str]] = {
    "text": lambda _, text: repr(text),
    "name": lambda _, name: f"env[{name!r}]",
    "of": lambda number, record, field: f"(None if (r{number} := env[{record!r}]) is None else r{number}[{field!r}])",
}
CONNECTED: Mapping[str, Callable[..., str]] = {
    "list": lambda *parts: f"[{', '.join(parts)}]",
    "not": lambda part: f"(not {part})",
    "and": lambda *parts: f"(True if {' and '.join(parts)} else False)",
    "or": lambda *parts: f"(True if {' or '.join(parts)} else False)",
    "if": lambda test, body, other: f"({body} if {test} else {other})",
    "==": lambda left, right: f"({left} == {right})",
    "!=": lambda left, right: f"({left} != {right})",
    "in": lambda left, right: f"({left} in ({right} or ()))",
    "not in": lambda left, right: f"({left} not in ({right} or ()))",
}


# ---------------------------------------------------------------- functions of the language


def fixed(value: float | None, digits: int = 0) -> str | None:
    """So many decimals, halves away from zero, thousands apart."""
    if value is None:
        return None
    step = Decimal(1).scaleb(-int(digits))
    return f"{Decimal(value).quantize(step, ROUND_HALF_UP):,f}"


def three(value: float | None) -> str | None:
    """Three significant digits without an exponent, no trailing zeros."""
    if value is None:
        return None
    if value == 0:
        return "0"
    # The power of ten is counted by comparison: logarithms differ in their last bit between languages.
    power = 0
    while abs(value) >= 10 ** (power + 1):
        power += 1
    while abs(value) < 10**power and power > -12:
        power -= 1
    if power > 2:
        scale = 10 ** (power - 2)
        whole = (Decimal(value) / scale).quantize(Decimal(1), ROUND_HALF_UP) * scale
        return f"{whole:,f}"
    written = fixed(value, 2 - power) or ""
    return written.rstrip("0").rstrip(".") if "." in written else written


def hours(value: float | None) -> str | None:
    """A time as a reader reads it."""
    if value is None:
        return None
    if value < 1:
        return f"{fixed(value * 60)} minutes"
    if value < 72:
        told = three(value)
        return f"{told} {'hour' if told == '1' else 'hours'}"
    days = value / 24
    return f"{three(days)} days" if days < 730 else f"{three(days / 365)} years"


def gib(value: float | None) -> str | None:
    """An amount of memory as a reader reads it."""
    if value is None:
        return None
    return f"{fixed(value, 1)} GB" if abs(value) >= 0.1 else "under 0.1 GB"


def amount(value: float | None, sign: str) -> str | None:
    """Money: whole from a hundred on, cents from one on, three digits below and never less than the cents."""
    if value is None:
        return None
    size = abs(value)
    written = fixed(size) if size >= 100 else fixed(size, 2) if size >= 1 else _with_cents(three(size) or "")
    return f"{'-' if value < 0 else ''}{sign}{written}"


def _with_cents(written: str) -> str:
    """An amount below one, of which a single decimal gets its second."""
    return f"{written}0" if len(written) == len("0.5") else written


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{fixed(value * 100)} %"


def _least(*values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return min(known) if known else None


def _most(*values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if known else None


def _power(base: float | None, exponent: float | None) -> float | None:
    return None if base is None or exponent is None else math.pow(base, exponent)


def _curve(at: float | None, points: Sequence[Sequence[float]]) -> float | None:
    """The height of a line through points at a place; unknown before its first point and after its last."""
    for (left, low), (right, high) in pairwise(points):
        if at is not None and left <= at <= right:
            return low + (high - low) * (at - left) / (right - left)
    return None


def size_for(need: float | None, sizes: Sequence[float]) -> float | None:
    """The smallest of some sizes, in their order, that is enough; None beyond the largest."""
    for size in sizes:
        if need is not None and need <= size:
            return size
    return None


def _joined(parts: Sequence[Any], between: str) -> str:
    return between.join(shown(part) for part in parts if part is not None and part != "")


def _known(value: Any) -> bool:  # noqa: ANN401
    return value is not None and value != ""


def _starts(text: str | None, start: str) -> bool:
    return (text or "").startswith(start)


def _holds(text: str | None, part: str) -> bool:
    return part in (text or "")


def _first_of(a: Any, b: Any) -> Any:  # noqa: ANN401
    return a if a is not None else b


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "known": _known,
    "least": _least,
    "most": _most,
    "power": _power,
    "whole": fixed,
    "fixed": fixed,
    "three": three,
    "between": between,
    "hours": hours,
    "gib": gib,
    "amount": amount,
    "percent": _percent,
    "joined": _joined,
    "starts": _starts,
    "holds": _holds,
    "first_of": _first_of,
    "curve": _curve,
    "size_for": size_for,
}
CALLED: Mapping[str, Any] = {**FUNCTIONS, "__builtins__": {}}  # what a compiled formula may call


def shown(value: Any) -> str:  # noqa: ANN401
    """A value as a sentence says it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (three(value) or "") if isinstance(value, int | float) else str(value)


def texts(rules: Any) -> Iterator[str]:  # noqa: ANN401
    """Every text of a room, for tests that read all of them."""
    if isinstance(rules, Mapping):
        for value in rules.values():
            yield from texts(value)
    elif isinstance(rules, list):
        for value in rules:
            yield from texts(value)
    elif isinstance(rules, str):
        yield rules
