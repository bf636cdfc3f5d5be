"""The formulas and sentences of `pipeline/advise/rules.yml` as functions of JavaScript.

Whatever is unknown stays unknown, as pipeline/advise/rules.py says; the helpers that see to it stand in
docs/javascripts/rules.js.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.advise import rules
from pipeline.site.scripts.translate import Program, literal

HELPERS: Mapping[str, str] = {
    "+": "plus", "-": "minus", "*": "times", "/": "over", "<": "below", "<=": "upTo", ">": "above", ">=": "from",
}  # fmt: skip
HELD = "./rules.js"
ASKED = (
    "holds",
    "gap",
    "when",
    "step",
    "leads",
    "offers",
    "same_until",
)  # a rule's formulas; those of `set` stand under the names they give
NAMED = ("set",)


def module_text(room: Mapping[str, Any], program: Program) -> str:
    """Two tables, of every formula and of every sentence with a formula, and the functions that look one up."""
    for name in HELPERS.values():
        program.take(HELD, name)
    formulas = {text: f"(env) => {_written(rules.as_data(text), program)}" for text in asked(room)}
    told = (text for text in rules.texts(room) if rules.HOLE.search(text) and text not in formulas)
    put = {when: _facts(texts, program) for when, texts in room.get("facts", {}).items()}
    sentences = {text: _sentence(text, program) for text in told}
    return "\n".join(
        (
            f"const formulas = {_table(formulas)};",
            f"const sentences = {_table(sentences)};",
            "const formula = (text) => formulas[text];",
            "const sentence = (text) => sentences[text] ?? (() => text);",
            f"const facts = {_table(put)};",
            "export { facts, formula, sentence };",
        )
    )


def asked(room: Mapping[str, Any]) -> Iterator[str]:
    """Every formula of a room, and the one that stands in for a missing one."""
    yield "1"
    yield from _formulas(room)


def _formulas(part: Any, named: bool = False) -> Iterator[str]:  # noqa: ANN401
    if isinstance(part, Mapping):
        for name, value in part.items():
            if name == "facts":
                continue  # one function of its own
            if (named or name in ASKED) and not isinstance(value, Mapping | list):
                yield str(value)
            else:
                yield from _formulas(value, name in NAMED)
    elif isinstance(part, list):
        for value in part:
            yield from _formulas(value)


def _table(functions: Mapping[str, str]) -> str:
    return "{\n" + ",\n".join(f"  {literal(text)}: {made}" for text, made in functions.items()) + "\n}"


def _facts(texts: Mapping[str, Any], program: Program) -> str:
    """Named formulas as one function: a browser reads names that stand there faster than those it is handed."""
    put = (f"env.{name} = {_written(rules.as_data(str(text)), program)};" for name, text in texts.items())
    return f"(env) => {{ {' '.join(put)} }}"


def _sentence(text: str, program: Program) -> str:
    shown = program.name_of(rules.shown, "shown", rules.__name__)
    parts = (
        literal(part) if isinstance(part, str) else f"{shown}({_written(part[0], program)})"
        for part in rules.sentence_data(text)
    )
    return "(env) => " + " + ".join(('""', *parts))


def _written(data: Any, program: Program) -> str:  # noqa: ANN401
    """One node of the nested lists in JavaScript."""
    if not isinstance(data, list):
        return literal(data)
    kind, *rest = data
    if kind in LEAVES:
        return str(LEAVES[kind](*rest))
    if kind == "call":
        name, *rest = rest
        called = program.name_of(rules.FUNCTIONS[name], rules.FUNCTIONS[name].__name__, rules.__name__)
        return f"{called}({', '.join(_written(part, program) for part in rest)})"
    parts = [_written(part, program) for part in rest]
    return str(CONNECTED[kind](parts)) if kind in CONNECTED else f"{HELPERS[kind]}({', '.join(parts)})"


LEAVES: Mapping[str, Any] = {
    "text": literal,
    "name": lambda name: f"env.{name}",
    "of": lambda record, field: f"env.{record}?.{field}",
}
CONNECTED: Mapping[str, Any] = {
    "list": lambda parts: f"[{', '.join(parts)}]",
    "not": lambda parts: f"!{parts[0]}",
    "and": lambda parts: f"Boolean({' && '.join(parts)})",
    "or": lambda parts: f"Boolean({' || '.join(parts)})",
    "if": lambda parts: f"({parts[0]} ? {parts[1]} : {parts[2]})",
    "==": lambda parts: f"(({parts[0]} ?? null) === ({parts[1]} ?? null))",
    "!=": lambda parts: f"(({parts[0]} ?? null) !== ({parts[1]} ?? null))",
    "in": lambda parts: f"({parts[1]} ?? []).includes({parts[0]})",
    "not in": lambda parts: f"!({parts[1]} ?? []).includes({parts[0]})",
}
