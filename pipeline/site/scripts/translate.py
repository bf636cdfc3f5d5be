"""Translates functions of Python into a module of JavaScript: what answers at once in a browser is written once.

The functions that are named, and whatever they use of this project, are read as syntax trees and written as one module
for each group: functions as functions, data classes as classes, tables as literals. What a browser cannot have (the
dataset) is given by hand instead. The subset is that of plain functions over numbers, texts, lists, dictionaries and
data classes, with type hints, which decide how a truth value, a sum or an index is written; anything else is a
TranslateError that names file and line. PScript, the library for this, was tried (0.8.1, 2026-11-23): it refuses
imports, data classes, generators, sets, spreads and computed format specifications, and guards every sum, product
and truth value at run time; that is why this is our own.
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
import dataclasses
import datetime
import functools
import inspect
import json
import math
import re
import textwrap
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.core.paths import ROOT

RUNTIME = "./python.js"
RUNTIME_FILE = ROOT / "docs" / "javascripts" / "python.js"
PROJECT = "pipeline."
# What Python brings, under its names in docs/javascripts/python.js or the browser's own.
LIBRARY: Mapping[object, str] = {
    math.exp: "Math.exp", math.log: "Math.log", math.ceil: "Math.ceil", math.floor: "Math.floor", math.pow: "Math.pow",
    math.log10: "Math.log10",
    math.isfinite: "Number.isFinite", math.isnan: "Number.isNaN", abs: "Math.abs",
}  # fmt: skip
# The helpers of the runtime, named as what they stand for in Python.
HELD = frozenset(re.findall(r"^export (?:const|function|class) (\w+)", RUNTIME_FILE.read_text(encoding="utf-8"), re.M))
METHODS: Mapping[str, str] = {
    "get": "get", "setdefault": "setdefault", "strip": "strip", "startswith": "starts", "endswith": "ends",
    "split": "split",
    "partition": "partition", "rpartition": "rpartition", "replace": "replaced", "format": "named", "rstrip": "rstrip",
    "removeprefix": "removeprefix", "removesuffix": "removesuffix",
}  # fmt: skip
DIRECT: Mapping[str, str] = {"append": "push", "lower": "toLowerCase", "upper": "toUpperCase", "index": "indexOf"}
VIEWS: Mapping[str, str] = {"items": "entries", "values": "values", "keys": "keys"}
BINARY: Mapping[type[ast.operator], str] = {ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%"}
ORDER: Mapping[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
RESERVED_WORDS = """
arguments await case catch class const debugger default delete do enum eval export extends function implements
instanceof interface let new null package private protected public static super switch this throw typeof undefined var
void with yield
"""
RESERVED = frozenset(RESERVED_WORDS.split())


class TranslateError(ValueError):
    """A construct outside the subset; the message names file, line and what it is."""


@dataclass(slots=True)
class Unit:
    """One function, class or table in JavaScript, and the group that it stands in."""

    name: str
    group: str
    rank: Any  # classes before functions before tables
    text: str = ""


@dataclass
class Program:
    """What has been translated so far; `by_hand`: which objects a script of our own gives."""

    by_hand: Mapping[object, tuple[str, str]]  # object → module, name there
    frozen: Mapping[object, object] = field(
        default_factory=dict
    )  # function without arguments → its value, worked out here
    units: dict[int, Unit] = field(default_factory=dict)
    used: dict[str, dict[str, set[str]]] = field(default_factory=dict)  # group → module → names taken from it
    roots: dict[str, dict[str, str]] = field(default_factory=dict)  # group → name of a root → its name there
    _kept: list[object] = field(default_factory=list)  # so that no id is used twice
    _names: set[str] = field(default_factory=set)
    group: str = ""
    closures: Mapping[int, str] = field(default_factory=dict)  # id of a function without a source → how it is written
    more: dict[str, str] = field(default_factory=dict)  # group → text that stands behind its units
    _done: int = 0

    def add(self, group: str, roots: Mapping[str, object]) -> None:
        """Translate the roots of a group, and whatever they use and no earlier group has."""
        self.group = group
        found = {name: self.name_of(root, name, getattr(root, "__module__", group)) for name, root in roots.items()}
        self.roots[group] = found

    def module(self, group: str) -> str:
        """The text of a group's module."""
        units = sorted((u for u in self.units.values() if u.group == group), key=lambda u: u.rank)
        lines = ["// @ts-nocheck", "// Made from Python by pipeline/site/scripts; never edited."]
        for module, names in sorted(self.used.get(group, {}).items()):
            lines.append(f'import {{ {", ".join(sorted(names))} }} from "{module}";')
        exported = [u.name for u in units] + [f"{own} as {name}" for name, own in self.roots[group].items()]
        return (
            "\n".join(
                [*lines, *(u.text for u in units), self.more.get(group, ""), f"export {{ {', '.join(exported)} }};"]
            )
            + "\n"
        )

    def held(self, name: str) -> str:
        """A name of the runtime, imported."""
        if name not in HELD:
            raise TranslateError(f"{name} is not in {RUNTIME}")
        self._imported(RUNTIME, f"{name} as ${name}")
        return f"${name}"

    def take(self, module: str, name: str) -> None:
        """Import a name of a script written by hand into the group at work."""
        self._imported(module, name)

    def _imported(self, module: str, name: str) -> None:
        self.used.setdefault(self.group, {}).setdefault(module, set()).add(name)

    def name_of(self, value: object, name: str, module: str) -> str:
        """The JavaScript name, or the literal, of an object of a Python module."""
        if value is None or isinstance(value, bool | int | float | str):
            return literal(value)
        try:
            given = self.by_hand.get(value)
        except TypeError:  # not hashable: a table
            given = None
        if given:
            # Marked, so that no local name hides it.
            self._imported(given[0], f"{given[1]} as {given[1]}$")
            return f"{given[1]}$"
        if id(value) in self.closures:
            return self.closures[id(value)]
        unit = self.units.get(id(value))
        if unit is None:
            unit = self._made(value, name, module)
        elif unit.group != self.group:
            self._imported(f"./{unit.group}.js", unit.name)
        return unit.name

    def _made(self, value: Any, name: str, module: str) -> Unit:
        own = getattr(value, "__module__", None) if isinstance(value, type | types.FunctionType) else None
        home = (own or module).split(".")
        named = next(n for n in (f"{'_'.join(home[-k:])}${name}" for k in (1, 2, 3)) if n not in self._names)
        self._names.add(named)
        self._kept.append(value)
        unit = self.units[id(value)] = Unit(named, self.group, 2)
        if isinstance(value, type):
            unit.rank, unit.text = 0, self._class(value, named)
        elif callable(value):
            plain = inspect.unwrap(value)
            body = Writer(self, plain).function(named)
            cached = isinstance(value, functools._lru_cache_wrapper)
            unit.rank, unit.text = 1, f"const {named} = {self.held('cached')}({body});" if cached else body
        else:
            unit.text = f"const {named} = {self.table(value, module)};"
        self._done += 1
        unit.rank = (unit.rank, self._done)  # each after those that it rests on
        return unit

    def table(self, value: Any, module: str) -> str:
        """A table as a literal."""
        if value is None or isinstance(value, bool | int | float | str):
            return literal(value)
        if isinstance(value, types.SimpleNamespace):
            value = vars(value)
        if isinstance(value, datetime.date):
            return literal(value.isoformat())
        if isinstance(value, Mapping):
            return "{ " + ", ".join(f"{literal(_key(k))}: {self.table(v, module)}" for k, v in value.items()) + " }"
        if isinstance(value, set | frozenset):
            value = sorted(value)  # no order of hashes in an output
        if isinstance(value, list | tuple):
            return "[" + ", ".join(self.table(one, module) for one in value) + "]"
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            made = self.name_of(type(value), type(value).__name__, type(value).__module__)
            held = [self.table(getattr(value, f.name), module) for f in dataclasses.fields(value)]
            return f"new {made}({', '.join(held)})"
        if callable(value):
            return self.name_of(value, getattr(value, "__name__", "value"), module)
        raise TranslateError(f"{module}: a table holds {type(value).__name__}, which has no literal")

    def _class(self, value: type, name: str) -> str:
        if issubclass(value, Exception):
            base = value.__mro__[1]
            known = base.__module__.startswith(PROJECT)
            above = self.name_of(base, base.__name__, base.__module__) if known else self.held("ValueError")
            return f"class {name} extends {above} {{}}"
        if not dataclasses.is_dataclass(value):
            raise TranslateError(f"{value.__qualname__}: only data classes and exceptions are translated")
        fields = dataclasses.fields(value)
        parameters = ", ".join(_safe(f.name) + self._default(f, value.__module__) for f in fields)
        lines = [f"class {name} {{", f"  constructor({parameters}) {{"]
        lines += [f"    this.{f.name} = {_safe(f.name)};" for f in fields]
        lines.append("  }")
        for member, held in vars(value).items():
            cached = isinstance(held, functools.cached_property)
            plain = held.func if cached else held.fget if isinstance(held, property) else held
            if (
                isinstance(plain, types.FunctionType)
                and plain.__module__ == value.__module__
                and not member.startswith("__")
            ):
                lines.append(textwrap.indent(Writer(self, plain, value).method(member, plain is not held), "  "))
        return "\n".join([*lines, "}"])

    def _default(self, one: dataclasses.Field[Any], module: str) -> str:
        if one.default is not dataclasses.MISSING:
            return f" = {self.table(one.default, module)}"
        if one.default_factory is not dataclasses.MISSING:
            return f" = {self.table(one.default_factory(), module)}"
        return ""


def literal(value: object) -> str:
    """A number, text or truth value as JavaScript writes it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return json.dumps(value, ensure_ascii=False)


def _is_plain(of: ast.GeneratorExp) -> bool:
    """Whether it goes through one list, and its condition names nothing that its item uses."""
    return len(of.generators) == 1 and not any(isinstance(part, ast.NamedExpr) for part in ast.walk(of))


def _key(key: object) -> str:
    return ",".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _safe(name: str) -> str:
    return f"{name}_" if name in RESERVED else name


# ---------------------------------------------------------------- what a type hint tells


def plain_hint(hint: Any) -> Any:
    """A hint without its None, and with a text's or a literal's own type; None where it tells nothing."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        parts = {plain_hint(part) for part in typing.get_args(hint) if part is not type(None)}
        kinds = {kind_of(part) for part in parts}
        return next(iter(parts)) if len(kinds) == 1 else None
    if typing.get_origin(hint) is typing.Literal:
        return type(typing.get_args(hint)[0])
    return None if hint is Any else hint


def kind_of(hint: Any) -> str:
    """What a value of this hint is to JavaScript: number, text, truth, list, mapping, object, or "" where not known."""
    hint = plain_hint(hint)
    origin = typing.get_origin(hint) or hint
    if not isinstance(origin, type):
        return ""
    for kind, known in (("truth", bool), ("number", (int, float)), ("text", str), ("list", (list, tuple))):
        if issubclass(origin, known):
            return kind
    if origin is collections.abc.Sequence:
        return "list"
    if issubclass(origin, Mapping):
        return "mapping"
    return "object" if dataclasses.is_dataclass(origin) or issubclass(origin, Exception) else ""


def item_hint(hint: Any, place: int | None = None) -> Any:
    """The hint of what a sequence or mapping holds."""
    args = typing.get_args(plain_hint(hint))
    if not args or kind_of(hint) not in ("list", "mapping"):
        return None
    if kind_of(hint) == "mapping":
        return args[1]
    fixed = typing.get_origin(plain_hint(hint)) is tuple and Ellipsis not in args
    return (args[place] if place is not None and -len(args) <= place < len(args) else None) if fixed else args[0]


@functools.cache
def hints_of(value: Any) -> Mapping[str, Any]:
    """The type hints of a function or class, none where they cannot be read."""
    try:
        return typing.get_type_hints(value)
    except (NameError, TypeError):
        return {}


# ---------------------------------------------------------------- one function


class Writer:
    """Writes one function as JavaScript."""

    def __init__(self, program: Program, function: types.FunctionType, owner: type | None = None) -> None:
        """Read the function's source and hints."""
        self.program, self.python = program, function
        source, self.first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(source)))
        self.tree = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
        self.owner = owner
        self.types: dict[str, Any] = {k: v for k, v in hints_of(function).items() if k != "return"}
        if owner:
            self.types["self"] = owner
        self.local: list[set[str]] = []
        self.temporary = 0

    def refuse(self, node: ast.AST, why: str) -> TranslateError:
        """The error for a construct that is not in the subset."""
        line = self.first + getattr(node, "lineno", 1) - 1
        return TranslateError(f"{self.python.__module__}, line {line}: {why}: {ast.unparse(node)[:80]}")

    def function(self, name: str) -> str:
        """The whole function."""
        return self._function(self.tree, f"function {name}")

    def method(self, name: str, is_property: bool) -> str:
        """A method, or a property, which is worked out once for each object."""
        body = self._function(self.tree, name, method=True)
        if not is_property:
            return body
        simple = (
            len(self.tree.body) <= 2
            and isinstance(self.tree.body[-1], ast.Return)
            and not any(
                isinstance(node, ast.GeneratorExp)
                or (isinstance(node, ast.Call) and self._live(node.func) not in (float, str, int, bool))
                for node in ast.walk(self.tree.body[-1])
            )
        )
        if simple:
            return f"get {body}"
        inner, kept = body.removeprefix(f"{name}() "), f'"${name}"'
        once = f"if (!Object.hasOwn(this, {kept})) Object.defineProperty(this, {kept}, {{ value: (() => {inner})() }});"
        return f"get {name}() {{ {once} return this.${name}; }}"

    def _function(self, tree: ast.FunctionDef, head: str, *, method: bool = False) -> str:
        yields = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in _own_nodes(tree))
        arguments = tree.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        defaults = [None] * (len(names) - len(arguments.defaults)) + list(arguments.defaults)
        if method and names[:1] == ["self"]:
            names, defaults = names[1:], defaults[1:]
        names += [a.arg for a in arguments.kwonlyargs]
        defaults += list(arguments.kw_defaults)
        own = {*names, *(a.arg for a in (arguments.vararg, arguments.kwarg) if a)}
        assigned = _assigned(tree) - own
        nested = {child.name for child in tree.body if isinstance(child, ast.FunctionDef)}
        self.local.append(own | assigned | nested)
        written = [
            _safe(n) + ("" if d is None else f" = {self.value(d)}") for n, d in zip(names, defaults, strict=True)
        ]
        if arguments.vararg:
            written.append(f"...{_safe(arguments.vararg.arg)}")
        if arguments.kwarg:
            written.append(f"{_safe(arguments.kwarg.arg)} = {{}}")
        started = [f"let {', '.join(map(_safe, sorted(assigned)))};"] if assigned else []
        lines = started + [line for statement in tree.body for line in self.statement(statement)]
        self.local.pop()
        star = "*" if yields else ""
        named = f"function{star}{head.removeprefix('function')}" if head.startswith("function") else f"{star}{head}"
        return f"{named}({', '.join(written)}) {{\n" + textwrap.indent("\n".join(lines), "  ") + "\n}"

    # ------------------------------------------------------------ statements

    def statement(self, node: ast.stmt) -> list[str]:
        """One statement, as lines."""
        write = getattr(self, f"_{type(node).__name__.lower()}", None)
        if write is None:
            raise self.refuse(node, "a statement that is not translated")
        lines: list[str] = write(node)
        return lines

    def _block(self, nodes: Iterable[ast.stmt]) -> str:
        return "{\n" + textwrap.indent("\n".join(line for n in nodes for line in self.statement(n)), "  ") + "\n}"

    def _expr(self, node: ast.Expr) -> list[str]:
        if isinstance(node.value, ast.Constant):
            return []  # a docstring
        return [f"{self.value(node.value)};"]

    def _return(self, node: ast.Return) -> list[str]:
        return [f"return {self.value(node.value)};" if node.value else "return null;"]

    def _assign(self, node: ast.Assign) -> list[str]:
        (target,) = node.targets
        if (
            isinstance(target, ast.Tuple)
            and isinstance(node.value, ast.Tuple)
            and len(target.elts) == len(node.value.elts)
        ):
            for one, value in zip(target.elts, node.value.elts, strict=True):
                self._typed(one, self.hint(value))
        else:
            self._typed(target, self.hint(node.value))
        return [f"{self._target(target)} = {self.value(node.value)};"]

    def _annassign(self, node: ast.AnnAssign) -> list[str]:
        self._typed(node.target, self._annotation(node.annotation))
        return [f"{self._target(node.target)} = {self.value(node.value)};"] if node.value else []

    def _annotation(self, node: ast.expr) -> Any:
        try:
            return eval(ast.unparse(node), {**vars(typing), **self.python.__globals__})  # noqa: S307 (our own source)
        except NameError:
            return None

    def _augassign(self, node: ast.AugAssign) -> list[str]:
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        value = ast.copy_location(ast.BinOp(load, node.op, node.value), node)
        return [f"{self._target(node.target)} = {self.value(value)};"]

    def _if(self, node: ast.If) -> list[str]:
        text = f"if ({self.condition(node.test)}) {self._block(node.body)}"
        return [text + (f" else {self._block(node.orelse)}" if node.orelse else "")]

    def _for(self, node: ast.For) -> list[str]:
        each = self.items(node.iter)
        self._typed(node.target, self._element(node.iter))
        return [f"for ({self._target(node.target)} of {each}) {self._block(node.body)}"]

    def _while(self, node: ast.While) -> list[str]:
        return [f"while ({self.condition(node.test)}) {self._block(node.body)}"]

    def _raise(self, node: ast.Raise) -> list[str]:
        if node.exc is None:
            raise self.refuse(node, "an error without a value")
        return [f"throw {self.value(node.exc)};"]

    def _try(self, node: ast.Try) -> list[str]:
        (handler,) = node.handlers
        name = handler.name or "error"
        self.local[-1].add(name)
        self.types[name] = ValueError
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        tests = " || ".join(f"{name} instanceof {self.value(kind)}" for kind in kinds if kind)
        caught = [f"if (!({tests})) throw {name};", *(line for n in handler.body for line in self.statement(n))]
        return [f"try {self._block(node.body)} catch ({name}) {{\n" + textwrap.indent("\n".join(caught), "  ") + "\n}"]

    def _assert(self, _: ast.Assert) -> list[str]:
        return []

    def _continue(self, _: ast.Continue) -> list[str]:
        return ["continue;"]

    def _break(self, _: ast.Break) -> list[str]:
        return ["break;"]

    def _functiondef(self, node: ast.FunctionDef) -> list[str]:
        for one in node.args.args:
            self.types[one.arg] = self._annotation(one.annotation) if one.annotation else None
        return [self._function(node, f"function {node.name}")]

    def _target(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return _safe(node.id)
        if isinstance(node, ast.Tuple):
            if any(isinstance(n, ast.Starred) for n in node.elts[:-1]):
                raise self.refuse(node, "a star that is not the last target")
            # What nobody reads may stand there twice.
            skipped = ["" if isinstance(n, ast.Name) and n.id == "_" else self._target(n) for n in node.elts]
            return f"[{', '.join(skipped)}]"
        if isinstance(node, ast.Starred):
            return f"...{self._target(node.value)}"
        if isinstance(node, ast.Subscript):
            return f"{self.value(node.value)}[{self.value(node.slice)}]"
        raise self.refuse(node, "nothing is assigned to this")

    def _typed(self, target: ast.expr, hint: Any) -> None:
        if isinstance(target, ast.Name):
            self.types[target.id] = hint
        elif isinstance(target, ast.Tuple):
            for place, one in enumerate(target.elts):
                self._typed(one, item_hint(hint, place) if kind_of(hint) == "list" else None)

    # ------------------------------------------------------------ hints of expressions

    def hint(self, node: ast.expr) -> Any:
        """What is known of an expression's type; None where nothing is."""
        match node:
            case ast.Constant(value):
                return type(value)
            case ast.JoinedStr():
                return str
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return bool
            case ast.List() | ast.Tuple() | ast.ListComp() | ast.GeneratorExp():
                return list
            case ast.Dict() | ast.DictComp():
                return dict
            case ast.Set() | ast.SetComp():
                return set
            case ast.Name("self") if self.owner:
                return self.owner
            case ast.Name(id):
                if self._is_local(id):
                    return self.types.get(id)
                value = self._live(node)
                return None if value is None else type(value)
            case ast.UnaryOp(operand=operand):
                return self.hint(operand)
            case ast.NamedExpr(value=value):
                return self.hint(value)
            case ast.BinOp(left, op, right):
                kinds = {kind_of(self.hint(left)), kind_of(self.hint(right))}
                if isinstance(op, ast.BitOr):
                    return dict
                if not isinstance(op, ast.Add | ast.Mult):
                    return float
                return self.hint(left) if len(kinds) == 1 else (float if kinds == {"number", "truth"} else None)
            case ast.BoolOp(values=values):
                hints = [self.hint(v) for v in values]
                return hints[0] if len({kind_of(h) for h in hints}) == 1 else None
            case ast.IfExp(body=body, orelse=orelse):
                mine, other = self.hint(body), self.hint(orelse)
                if other is type(None):
                    return mine
                if mine is type(None):
                    return other
                return mine if kind_of(mine) == kind_of(other) else None
            case ast.Attribute(value=owner, attr=attr):
                live = self._live(node)
                if live is not None and not isinstance(live, property):
                    return type(live)
                holder = plain_hint(self.hint(owner))
                if not isinstance(holder, type):
                    return None
                found = inspect.getattr_static(holder, attr, None)
                if isinstance(found, property):
                    return hints_of(found.fget).get("return")
                return hints_of(holder).get(attr)
            case ast.Subscript(value=owner, slice=place):
                live = self._live(node)
                if live is not None:
                    return type(live)
                if isinstance(place, ast.Slice):
                    return self.hint(owner)
                constant = place.value if isinstance(place, ast.Constant) and isinstance(place.value, int) else None
                return item_hint(self.hint(owner), constant)
            case ast.Call(func=func):
                called = self._live(func)
                if isinstance(called, type):
                    return called
                if called in (len, sum, round, abs, math.log, math.exp, math.ceil, math.floor):
                    return float
                if called in (any, all, isinstance, math.isfinite, math.isnan):
                    return bool
                if isinstance(func, ast.Attribute) and func.attr == "fromkeys":
                    return dict
                if called in (min, max) and len(node.args) > 1:
                    return float
                if called is sorted:
                    return list
                if isinstance(called, types.FunctionType | functools._lru_cache_wrapper):
                    return hints_of(inspect.unwrap(called)).get("return")
                if isinstance(func, ast.Attribute):
                    method = self._method(func)
                    if method:
                        return hints_of(method).get("return")
                    if func.attr in ("strip", "lower", "upper", "replace", "join", "format", "rstrip"):
                        return str
                    if func.attr in ("startswith", "endswith"):
                        return bool
                    if func.attr in ("get", "setdefault"):
                        return item_hint(self.hint(func.value))
        return None

    def _element(self, node: ast.expr) -> Any:
        """What is known of the items of an expression that is gone through."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS:
            held = typing.get_args(plain_hint(self.hint(node.func.value)))
            if len(held) == 2:
                return {"items": tuple[held[0], held[1]], "values": held[1], "keys": held[0]}[node.func.attr]  # type: ignore[valid-type]
            return None
        hint = self.hint(node)
        args = typing.get_args(plain_hint(hint))
        if kind_of(hint) == "mapping":
            return args[0] if args else None
        if kind_of(hint) == "list":
            return item_hint(hint)
        return (
            args[0]
            if args and typing.get_origin(plain_hint(hint)) in (collections.abc.Iterable, collections.abc.Iterator)
            else None
        )

    def _method(self, func: ast.Attribute) -> types.FunctionType | None:
        """The method of a data class that is called."""
        holder = plain_hint(self.hint(func.value))
        found = inspect.getattr_static(holder, func.attr, None) if isinstance(holder, type) else None
        mine = isinstance(found, types.FunctionType) and found.__module__.startswith(PROJECT)
        return found if mine else None

    # ------------------------------------------------------------ expressions

    def _is_local(self, name: str) -> bool:
        return any(name in names for names in self.local)

    def _live(self, node: ast.expr) -> Any:
        """The Python object that a global name or an attribute of a module means; None where it is no such thing."""
        if isinstance(node, ast.Name) and not self._is_local(node.id):
            if node.id in self.python.__globals__:
                return self.python.__globals__[node.id]
            return getattr(builtins, node.id, None)
        if isinstance(node, ast.Attribute):
            owner = self._live(node.value)
            if isinstance(owner, types.ModuleType) or owner is dict:
                return getattr(owner, node.attr)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            # Of a table of which only a part is asked for, that part stands in the module.
            table = self._live(node.value)
            return table.get(node.slice.value) if isinstance(table, Mapping) else None
        return None

    def held(self, name: str) -> str:
        """A helper of the runtime."""
        return self.program.held(name)

    def value(self, node: ast.expr) -> str:
        """An expression in JavaScript."""
        write = getattr(self, f"_x_{type(node).__name__.lower()}", None)
        if write is None:
            raise self.refuse(node, "an expression that is not translated")
        text: str = write(node)
        return text

    def condition(self, node: ast.expr) -> str:
        """An expression whose truth is asked."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return f"({sign.join(map(self.condition, node.values))})"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{self.condition(node.operand)}"
        kind = kind_of(self.hint(node))
        if kind == "list":
            return f"({self.value(node)}?.length > 0)"
        if kind in ("truth", "number", "text"):
            return f"({self.value(node)})"
        if kind == "object":
            return f"({self.value(node)} != null)"
        return f"{self.held('truly')}({self.value(node)})"

    def items(self, node: ast.expr) -> str:
        """An expression whose items are gone through, as an array."""
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr in VIEWS and self._method(func) is None:
            return self.value(node)
        if (
            isinstance(node, ast.List | ast.Tuple | ast.ListComp | ast.GeneratorExp)
            or kind_of(self.hint(node)) == "list"
        ):
            return self.value(node)
        if kind_of(self.hint(node)) == "mapping":
            return f"Object.keys({self.value(node)})"
        return f"{self.held('each')}({self.value(node)})"

    def _x_constant(self, node: ast.Constant) -> str:
        return literal(node.value)

    def _x_name(self, node: ast.Name) -> str:
        if node.id == "self" and self.owner:
            return "this"
        if self._is_local(node.id):
            return _safe(node.id)
        value = self._live(node)
        if value is None and node.id not in self.python.__globals__:
            raise self.refuse(node, "a name that is not known")
        return self._named(value, node.id)

    def _named(self, value: Any, name: str) -> str:
        if isinstance(value, typing.Hashable) and value in LIBRARY:
            return LIBRARY[value]
        module = getattr(value, "__module__", None)
        if module in ("builtins", "statistics", "dataclasses", "itertools", "urllib.parse") and callable(value):
            return {"bool": self.held("truly"), "len": "((x) => x.length)"}.get(name) or self.held(value.__name__)
        return self.program.name_of(value, name, self.python.__module__)

    def _x_attribute(self, node: ast.Attribute) -> str:
        live = self._live(node)
        if live is not None or isinstance(self._live(node.value), types.ModuleType):
            return self._named(live, node.attr)
        return f"{self.value(node.value)}.{node.attr}"

    def _x_tuple(self, node: ast.Tuple) -> str:
        return f"[{', '.join(map(self.value, node.elts))}]"

    _x_list = _x_tuple

    def key(self, node: ast.expr) -> str:
        """What stands for an expression as a key; a tuple is written as the text that JavaScript would make of it."""
        if not isinstance(node, ast.Tuple) or any(isinstance(one, ast.Starred) for one in node.elts):
            return self.value(node)
        return "`" + ",".join(f'${{{self.value(one)} ?? ""}}' for one in node.elts) + "`"

    def _x_set(self, node: ast.Set) -> str:
        return f"{self.held('set')}({self._x_tuple(node)})"  # type: ignore[arg-type]

    def _x_starred(self, node: ast.Starred) -> str:
        return f"...{self.items(node.value)}"

    def _x_dict(self, node: ast.Dict) -> str:
        parts = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                parts.append(f"...{self.value(value)}")
            else:
                written = self.value(key)
                parts.append(f"{written if isinstance(key, ast.Constant) else f'[{written}]'}: {self.value(value)}")
        return "({ " + ", ".join(parts) + " })"

    def _x_joinedstr(self, node: ast.JoinedStr) -> str:
        return "`" + "".join(self._part(part) for part in node.values) + "`"

    def _part(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return str(node.value).replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
        assert isinstance(node, ast.FormattedValue)
        value = self.value(node.value)
        if node.conversion == ord("r"):
            return f"${{{self.held('repr')}({value})}}"
        if node.format_spec is not None:
            return f"${{{self.held('format')}({value}, {self.value(node.format_spec)})}}"
        return f"${{{value}}}" if kind_of(self.hint(node.value)) == "text" else f"${{{self.held('str')}({value})}}"

    def _x_binop(self, node: ast.BinOp) -> str:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.FloorDiv):
            return f"Math.floor({left} / {right})"
        if isinstance(node.op, ast.BitOr):
            return f"({{ ...{left}, ...{right} }})"
        if isinstance(node.op, ast.Add):
            kinds = {kind_of(self.hint(node.left)), kind_of(self.hint(node.right))}
            if kinds <= {"number", "truth"} or "text" in kinds or (kinds == {"", "number"}):
                return f"({left} + {right})"
            return f"[...{left}, ...{right}]" if kinds == {"list"} else f"{self.held('plus')}({left}, {right})"
        sign = BINARY.get(type(node.op))
        if sign is None:
            raise self.refuse(node, "an operation that is not translated")
        return f"({left} {sign} {right})"

    def _x_unaryop(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return f"!{self.condition(node.operand)}"
        return f"(-{self.value(node.operand)})"

    def _x_boolop(self, node: ast.BoolOp) -> str:
        kinds = {kind_of(self.hint(v)) for v in node.values[:-1]}
        sign = "&&" if isinstance(node.op, ast.And) else "||"
        if kinds <= {"truth", "number", "text", "object"}:
            return "(" + f" {sign} ".join(map(self.value, node.values)) + ")"
        *first, last = node.values
        text = self.value(last)
        for one in reversed(first):
            self.temporary += 1
            name = f"$t{self.temporary}"
            both = (name, text) if isinstance(node.op, ast.Or) else (text, name)
            text = f"(({name}) => {self.held('truly')}({name}) ? {both[0]} : {both[1]})({self.value(one)})"
        return text

    def _x_compare(self, node: ast.Compare) -> str:
        values = [node.left, *node.comparators]
        parts = [self._compared(a, op, b) for a, op, b in zip(values, node.ops, values[1:], strict=False)]
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def _compared(self, a: ast.expr, op: ast.cmpop, b: ast.expr) -> str:
        left, right = self.value(a), self.value(b)
        if type(op) in ORDER:
            return f"({left} {ORDER[type(op)]} {right})"
        none = isinstance(b, ast.Constant) and b.value is None
        if isinstance(op, ast.Is | ast.IsNot):
            sign = ("==" if none else "===") if isinstance(op, ast.Is) else ("!=" if none else "!==")
            return f"({left} {sign} {right})"
        if isinstance(op, ast.Eq | ast.NotEq):
            simple = {kind_of(self.hint(a)), kind_of(self.hint(b))} & {"number", "text", "truth"}
            sign = "===" if isinstance(op, ast.Eq) else "!=="
            if simple:
                return f"({left} {sign} {right})"
            return f"{'' if isinstance(op, ast.Eq) else '!'}{self.held('same')}({left}, {right})"
        negated = "!" if isinstance(op, ast.NotIn) else ""
        kind = kind_of(self.hint(b))
        if kind == "mapping":
            return f"{negated}Object.hasOwn({right}, {self.key(a)})"
        if self.hint(b) is set:
            return f"{negated}{self.held('has')}({right}, {self.key(a)})"
        scalar = kind_of(self.hint(a)) in ("number", "text", "truth")
        if kind == "text" or (kind == "list" and scalar):
            return f"{negated}{right}.includes({left})"
        return f"{negated}{self.held('has')}({right}, {left})"

    def _x_ifexp(self, node: ast.IfExp) -> str:
        return f"({self.condition(node.test)} ? {self.value(node.body)} : {self.value(node.orelse)})"

    def _x_namedexpr(self, node: ast.NamedExpr) -> str:
        self._typed(node.target, self.hint(node.value))
        return f"({_safe(node.target.id)} = {self.value(node.value)})"

    def _x_subscript(self, node: ast.Subscript) -> str:
        live = self._live(node)
        if live is not None:
            return self._named(live, re.sub(r"\W+", "_", ast.unparse(node)).strip("_"))
        owner, place = self.value(node.value), node.slice
        if isinstance(place, ast.Slice):
            low, high = (self.value(end) if end else "null" for end in (place.lower, place.upper))
            return f"{self.held('cut')}({owner}, {low}, {high})"
        if isinstance(place, ast.Constant) and isinstance(place.value, str):
            return f"{owner}.{place.value}" if place.value.isidentifier() else f"{owner}[{literal(place.value)}]"
        if isinstance(place, ast.Constant) and isinstance(place.value, int):
            return f"{owner}[{place.value}]"
        if isinstance(place, ast.UnaryOp):
            return f"{owner}.at({self.value(place)})"
        if (
            isinstance(place, ast.Tuple)
            or kind_of(self.hint(node.value)) == "mapping"
            or kind_of(self.hint(place)) == "text"
        ):
            return f"{owner}[{self.key(place)}]"
        if isinstance(place, ast.IfExp):
            return f"{owner}[{self.value(place)}]"
        return f"{self.held('at')}({owner}, {self.value(place)})"

    def _x_lambda(self, node: ast.Lambda) -> str:
        names = [a.arg for a in node.args.args]
        self.local.append(set(names))
        text = f"(({', '.join(map(_safe, names))}) => {self.value(node.body)})"
        self.local.pop()
        return text

    def _x_yield(self, node: ast.Yield) -> str:
        return f"yield {self.value(node.value)}" if node.value else "yield"

    def _x_yieldfrom(self, node: ast.YieldFrom) -> str:
        mapping = kind_of(self.hint(node.value)) == "mapping"
        return f"yield* {self.items(node.value) if mapping else self.value(node.value)}"

    def _x_listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> str:
        return self._gathered(node.generators, lambda: self.value(node.elt))

    _x_generatorexp = _x_listcomp

    def _x_setcomp(self, node: ast.SetComp) -> str:
        return f"{self.held('set')}({self._gathered(node.generators, lambda: self.key(node.elt))})"

    def _x_dictcomp(self, node: ast.DictComp) -> str:
        pairs = self._gathered(node.generators, lambda: f"[{self.value(node.key)}, {self.value(node.value)}]")
        return f"Object.fromEntries({pairs})"

    def _gathered(self, generators: Sequence[ast.comprehension], item: Any, last: str = "map") -> str:
        """A comprehension as filter, map and, where it is nested, flatMap; a plain one may end on `last` instead."""
        first, *rest = generators
        text = self.items(first.iter)
        names = {n.id for n in ast.walk(first.target) if isinstance(n, ast.Name)}
        before = {name: self.types.get(name) for name in names}
        element = self._element(first.iter)
        self.local.append(names)
        self._typed(first.target, element)
        target = self._target(first.target)
        parameter = f"({target})"
        if any(isinstance(n, ast.NamedExpr) for test in first.ifs for n in ast.walk(test)):
            # What a condition names is used by the item, so both are worked out together.
            tests = " && ".join(map(self.condition, first.ifs))
            text = f"{text}.flatMap({parameter} => ({tests} ? [{item()}] : []))"
            self.local.pop()
            self.types.update(before)
            return text
        for test in first.ifs:
            text = f"{text}.filter({parameter} => {self.condition(test)})"
        if rest:
            text = f"{text}.flatMap({parameter} => {self._gathered(rest, item)})"
        else:
            made = item()
            if last != "map" or made != target:
                text = f"{text}.{last}({parameter} => {f'({made})' if made.startswith('{') else made})"
        self.local.pop()
        self.types.update(before)
        return text

    # ------------------------------------------------------------ calls

    def _x_call(self, node: ast.Call) -> str:
        called = self._live(node.func)
        if called is not None:
            return self._known_call(node, called)
        if isinstance(node.func, ast.Attribute):
            return self._method_call(node, node.func)
        return f"{self.value(node.func)}({', '.join(map(self.value, node.args))})"

    def _known_call(self, node: ast.Call, called: Any) -> str:
        if (
            isinstance(node.func, ast.Attribute)
            and isinstance(called, types.BuiltinMethodType)
            and node.func.attr == "fromkeys"
        ):
            return f"Object.fromEntries({self.items(node.args[0])}.map((x) => [x, null]))"
        name = getattr(called, "__name__", "")
        if isinstance(called, typing.Hashable) and called in self.program.frozen:
            value = self.program.frozen[called]
            return self.program.name_of(value, f"{name}_value", called.__module__)
        special = getattr(self, f"_c_{name}", None)
        if special and getattr(called, "__module__", "") in ("builtins", "dataclasses", "re"):
            text: str = special(node)
            return text
        written = self._named(called, name)
        if written.startswith(("$", "Math.", "Number.")) and not written.startswith("$t"):
            if node.keywords:
                raise self.refuse(node, "a named argument of Python's own function")
            return f"{written}({', '.join(map(self.value, node.args))})"
        new = "new " if isinstance(called, type) else ""
        if isinstance(called, type) and node.keywords and node.keywords[0].arg is None:
            return f"Object.assign(new {written}(), {self.value(node.keywords[0].value)})"
        if isinstance(called, type) and issubclass(called, Exception):
            return f"new {written}({', '.join(map(self.value, node.args))})"
        plain = called if isinstance(called, type) else inspect.unwrap(called)
        return f"{new}{written}({self._arguments(node, inspect.signature(plain))})"

    def _arguments(self, node: ast.Call, signature: inspect.Signature, skip: int = 0) -> str:
        parameters = list(signature.parameters.values())[skip:]
        given = list(map(self.value, node.args))
        by_name = {k.arg: self.value(k.value) for k in node.keywords if k.arg}
        spread = [self.value(k.value) for k in node.keywords if k.arg is None]
        kinds = {p.kind for p in parameters}
        places = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        more = {name: text for name, text in by_name.items() if name not in places}
        if (more or spread) and inspect.Parameter.VAR_KEYWORD not in kinds:
            raise self.refuse(node, "arguments that are spread")
        if by_name or spread:
            if any(isinstance(a, ast.Starred) for a in node.args):
                raise self.refuse(node, "arguments that are both spread and named")
            given += [by_name.get(name, "undefined") for name in places[len(given) :]]
        if more or spread:
            named = [f"{literal(n)}: {t}" for n, t in more.items()]
            given.append("{ " + ", ".join([*(f"...{s}" for s in spread), *named]) + " }")
        while given and given[-1] == "undefined":
            given.pop()
        return ", ".join(given)

    def _method_call(self, node: ast.Call, func: ast.Attribute) -> str:
        owner = self.value(func.value)
        method = self._method(func)
        if method:
            return f"{owner}.{func.attr}({self._arguments(node, inspect.signature(method), 1)})"
        if node.keywords and func.attr not in ("sort", "format"):
            raise self.refuse(node, "a named argument of a method that is not known")
        given = list(map(self.value, node.args))
        if func.attr in VIEWS:
            return f"Object.{VIEWS[func.attr]}({owner})"
        if func.attr == "join":
            return f"{self.items(node.args[0])}.join({owner})"
        if func.attr == "sort":
            return f"{self.held('sort')}({owner}, {self._keyword(node, 'key')})"
        if func.attr == "format" and node.keywords:
            pairs = ", ".join(f"{literal(k.arg)}: {self.value(k.value)}" for k in node.keywords)
            return f"{self.held('named')}({owner}, {{ {pairs} }})"
        if func.attr == "format":
            return f"{self.held('named')}({owner}, [{', '.join(given)}])"
        if func.attr in DIRECT:
            return f"{owner}.{DIRECT[func.attr]}({', '.join(given)})"
        if func.attr in ("get", "setdefault"):
            given[0] = self.key(node.args[0])
        if func.attr in METHODS:
            return f"{self.held(METHODS[func.attr])}({', '.join([owner, *given])})"
        return f"{owner}.{func.attr}({', '.join(given)})"

    def _keyword(self, node: ast.Call, name: str) -> str:
        found = next((k.value for k in node.keywords if k.arg == name), None)
        return "null" if found is None else self.value(found)

    def _c_len(self, node: ast.Call) -> str:
        (of,) = node.args
        if kind_of(self.hint(of)) == "mapping":
            return f"Object.keys({self.value(of)}).length"
        return (
            f"({self.value(of)}.size ?? {self.value(of)}.length)"
            if kind_of(self.hint(of)) == ""
            else f"{self.value(of)}.length"
        )

    def _c_min(self, node: ast.Call) -> str:
        return self._extreme(node, "min")

    def _c_max(self, node: ast.Call) -> str:
        return self._extreme(node, "max")

    def _extreme(self, node: ast.Call, name: str) -> str:
        if len(node.args) > 1 or isinstance(node.args[0], ast.Starred):
            return f"Math.{name}({', '.join(map(self.value, node.args))})"
        last = next((self.value(k.value) for k in node.keywords if k.arg == "default"), "undefined")
        return f"{self.held(name)}({self.items(node.args[0])}, {self._keyword(node, 'key')}, {last})"

    def _c_sorted(self, node: ast.Call) -> str:
        return f"{self.held('sorted')}({self.items(node.args[0])}, {self._keyword(node, 'key')})"

    def _c_sum(self, node: ast.Call) -> str:
        return f"{self.held('sum')}({self.items(node.args[0])})"

    def _c_list(self, node: ast.Call) -> str:
        return f"[...{self.items(node.args[0])}]" if node.args else "[]"

    _c_tuple = _c_list

    def _c_any(self, node: ast.Call) -> str:
        return self._quantified(node, "some")

    def _c_all(self, node: ast.Call) -> str:
        return self._quantified(node, "every")

    def _quantified(self, node: ast.Call, name: str) -> str:
        (of,) = node.args
        if isinstance(of, ast.GeneratorExp) and _is_plain(of):  # it ends at the first that decides, as Python does
            return self._gathered(of.generators, lambda: self.condition(of.elt), name)
        return f"{self.items(of)}.{name}((x) => {self.held('truly')}(x))"

    def _c_zip(self, node: ast.Call) -> str:
        return f"{self.held('zip')}({', '.join(map(self.items, node.args))})"

    def _c_enumerate(self, node: ast.Call) -> str:
        return f"[...{self.items(node.args[0])}.entries()]"

    def _c_map(self, node: ast.Call) -> str:
        return f"{self.items(node.args[1])}.map((x) => {self.value(node.args[0])}(x))"

    def _c_filter(self, node: ast.Call) -> str:
        return f"{self.items(node.args[1])}.filter((x) => {self.held('truly')}(x))"

    def _c_next(self, node: ast.Call) -> str:
        default = self.value(node.args[1]) if len(node.args) > 1 else "undefined"
        of = node.args[0]
        if isinstance(of, ast.GeneratorExp) and _is_plain(of) and of.generators[0].ifs:
            (one,) = of.generators
            if ast.unparse(of.elt) == ast.unparse(one.target):  # it ends at the first, as Python does
                every = ast.comprehension(one.target, one.iter, [], is_async=0)
                found = self._gathered([every], lambda: " && ".join(map(self.condition, one.ifs)), "find")
                return f"({found} ?? {default})"
        return f"({self.items(of)}[0] ?? {default})"

    def _c_str(self, node: ast.Call) -> str:
        (of,) = node.args
        if kind_of(self.hint(of)) == "object":
            return f"{self.value(of)}.message"
        return f"{self.held('str')}({self.value(of)})"

    def _c_bool(self, node: ast.Call) -> str:
        return self.condition(node.args[0])

    def _c_getattr(self, node: ast.Call) -> str:
        return f"{self.value(node.args[0])}[{self.value(node.args[1])}]"

    def _c_isinstance(self, node: ast.Call) -> str:
        kinds = []
        pending = [node.args[1]]
        while pending:
            one = pending.pop(0)
            if isinstance(one, ast.BinOp):
                pending[:0] = [one.left, one.right]
                continue
            live = self._live(one)
            of = self.value(node.args[0])
            simple = {bool: "boolean", int: "number", float: "number", str: "string"}.get(live)
            if simple:
                kinds.append(f'typeof {of} === "{simple}"')
            elif live is Mapping:
                kinds.append(f"{self.held('isMapping')}({of})")
            elif live in (list, tuple):
                kinds.append(f"Array.isArray({of})")
            else:
                kinds.append(f"{of} instanceof {self.value(one)}")
        return f"({' || '.join(dict.fromkeys(kinds))})"

    def _c_fullmatch(self, node: ast.Call) -> str:
        return self._matched(node, "^(?:", ")$")

    def _c_search(self, node: ast.Call) -> str:
        return self._matched(node, "", "")

    def _c_sub(self, node: ast.Call) -> str:
        pattern, instead, text = node.args
        if not isinstance(pattern, ast.Constant):
            raise self.refuse(node, "a pattern that is worked out")
        return f'{self.value(text)}.replace(new RegExp({literal(pattern.value)}, "g"), {self.value(instead)})'

    def _matched(self, node: ast.Call, start: str, end: str) -> str:
        """Whether a pattern that stands there in letters is found; the two languages write these alike."""
        pattern, text, *flags = node.args
        if not isinstance(pattern, ast.Constant):
            raise self.refuse(node, "a pattern that is worked out")
        ignore = "i" if flags else ""
        return f"new RegExp({literal(start + str(pattern.value) + end)}, {literal(ignore)}).test({self.value(text)})"

    def _c_dict(self, node: ast.Call) -> str:
        if not node.args:
            return "({})"
        (of,) = node.args
        if kind_of(self.hint(of)) == "mapping":
            return f"({{ ...{self.value(of)} }})"
        return f"{self.held('dict')}({self.value(of)})"

    def _c_replace(self, node: ast.Call) -> str:
        changes = [
            f"...{self.value(k.value)}" if k.arg is None else f"{literal(k.arg)}: {self.value(k.value)}"
            for k in node.keywords
        ]
        return f"{self.held('replace')}({self.value(node.args[0])}, {{ {', '.join(changes)} }})"


def _own_nodes(tree: ast.AST) -> Sequence[ast.AST]:
    """The nodes of a function without those of the functions in it."""
    found: list[ast.AST] = []
    left = [tree]
    while left:
        children = [
            one for one in ast.iter_child_nodes(left.pop()) if not isinstance(one, ast.FunctionDef | ast.Lambda)
        ]
        found += children
        left += children
    return found


def _assigned(tree: ast.FunctionDef) -> set[str]:
    """The names that a function assigns, without those of its comprehensions and errors."""
    found: set[str] = set()
    inner: set[str] = set()
    nodes = _own_nodes(tree)
    for node in nodes:
        if isinstance(node, ast.comprehension):
            inner |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    outer: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.For | ast.AugAssign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            stored = (n for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))
            outer |= {n.id for n in stored if isinstance(n.ctx, ast.Store)}
    nested = {child.name for child in tree.body if isinstance(child, ast.FunctionDef)}
    return (found - inner | outer) - nested
