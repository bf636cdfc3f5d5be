"""Hand-written YAML as plain values, and the line of each entry; what cannot be read is told by line, in plain words.

Only what a person needs is read: lines of the form `name: value`, lists and texts. Anchors, aliases and tags are
refused, since a kilobyte of them can stand for gigabytes, and so is nesting deeper than any of our files has.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

import yaml

MERGE, TIMESTAMP = "tag:yaml.org,2002:merge", "tag:yaml.org,2002:timestamp"
DEEPEST = 20  # our files nest seven levels; the parser in C ends the whole process at some ten thousand
# What git leaves in a file when two people changed the same lines.
UNMERGED = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
FENCE = re.compile(r"^\s*(?:```|~~~)")
NO_SPACE = re.compile(r"^\s*(?:- +)*(?P<name>[A-Za-z_]+):(?P<value>[^\s/].*)$")
NOT_READ = "& and * are not read here (a text that begins with one of them goes into quotes)"
RUNS_ON = "begin the second with '- ' where it is an entry of its own, or write both as one line"
TOLD = "told: "  # how a problem begins that is in our own words already


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader (in C where PyYAML has it), but a key stands once, and a day that does not exist stays text."""


def _mapping(loader: Any, node: yaml.MappingNode) -> dict[Hashable, Any]:  # noqa: ANN401 - PyYAML's own
    seen: dict[Any, yaml.Node] = {}
    for key, _ in node.value:
        if key.tag == MERGE:
            raise _refused("'<<' takes in what stands elsewhere; write its lines out, it is not read here", key)
        first = seen.setdefault(key.value if isinstance(key.value, str) else id(key), key)
        if first is not key:
            line = first.start_mark.line + 1
            raise _refused(f"{key.value!r} stands twice, here and in line {line}; keep one of them", key)
    found: dict[Hashable, Any] = yaml.SafeLoader.construct_mapping(loader, node, deep=True)
    return found


def _day(loader: Any, node: yaml.ScalarNode) -> Any:  # noqa: ANN401 - PyYAML's own
    try:
        return yaml.SafeLoader.construct_yaml_timestamp(loader, node)
    except ValueError:
        return node.value  # 2026-02-30: the field says what it wants


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
_Loader.add_constructor(TIMESTAMP, _day)


_READER = _Loader("")  # of no text: it knows what a value without quotes means


def load(text: str, where: str, error: type[ValueError]) -> Any:  # noqa: ANN401 - whatever the file holds
    """The content of a YAML text; `error` names the line that cannot be read."""
    unmerged = UNMERGED.search(text)
    if unmerged:
        number = text.count("\n", 0, unmerged.start()) + 1
        step = "keep one of the two versions below, and take out the lines of <, = and >"
        raise error(f"{where}:{number}: two changes of this file were not put together; {step}")
    with suppress(ValueError, ArithmeticError, yaml.YAMLError):
        return _usual(text)
    try:
        _refuse_references(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 (a safe loader)
    except yaml.MarkedYAMLError as broken:
        line, words = _yaml_words(broken, text.splitlines())
        raise error(f"{where}{f':{line}' if line else ''}: {words}") from None
    except yaml.reader.ReaderError as broken:
        number = text.count("\n", 0, broken.position) + 1
        step = "a sign that no text holds; delete the line and type it again"
        raise error(f"{where}:{number}: holds {chr(broken.character)!r}, {step}") from None
    except (yaml.YAMLError, RecursionError) as broken:
        raise error(f"{where}: not readable YAML: {' '.join(str(broken).split())[:200]}") from None


class _UnusualError(ValueError):
    """Something stands in a text that hand-written files seldom hold: PyYAML's own way reads it, or says what is wrong.

    That way looks at a text twice and makes nodes of it first, which took a fifth of the time of a build.
    """


def _usual(text: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """The content of a text of mappings, lists and single values, made from the parser's events in one pass."""
    events = iter(yaml.parse(text, Loader=_Loader))
    found = [_made(event, events, 0) for event in events if isinstance(event, yaml.NodeEvent)]
    if len(found) > 1:
        raise _UnusualError
    return found[0] if found else None


def _made(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Any:  # noqa: ANN401
    """The value that begins with an event; `depth` is the number of lists and mappings around it."""
    if not isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) or depth >= DEEPEST:
        raise _UnusualError
    if event.anchor is not None or event.tag is not None:
        raise _UnusualError
    if isinstance(event, yaml.ScalarEvent):
        return event.value if event.style else _plain(event.value)
    made = _listed if isinstance(event, yaml.SequenceStartEvent) else _named
    return made(events, depth + 1)


def _listed(events: Iterator[yaml.Event], depth: int) -> list[Any]:
    entries = []
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        if isinstance(event, yaml.ScalarEvent) and not event.style and _lines(event) > 1:
            raise _UnusualError
        entries.append(_made(event, events, depth))
    return entries


def _named(events: Iterator[yaml.Event], depth: int) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    names: set[str] = set()
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        if not isinstance(event, yaml.ScalarEvent) or event.value in names:
            raise _UnusualError
        names.add(event.value)
        name = _made(event, events, depth)
        found[name] = _made(next(events), events, depth)
    return found


@lru_cache(maxsize=16_384)  # names of fields, kinds, days and licences stand in every file
def _plain(text: str) -> Any:  # noqa: ANN401 - a text, number, day, yes or no, or nothing
    """A value without quotes as the loader reads it."""
    tag = _READER.resolve(yaml.ScalarNode, text, (True, False))
    construct = _Loader.yaml_constructors.get(tag)
    if construct is None or tag == MERGE:
        raise _UnusualError
    return construct(_READER, yaml.ScalarNode(tag, text))


def ours(text: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """The content of a YAML text that belongs to the code, anchors included: fourteen times as fast as `safe_load`.

    PyYAML's `safe_load` always takes the parser in Python; rules.yml alone costs each command a quarter of a second so.
    """
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 (a safe loader)


def lines_of(text: str) -> dict[tuple[str | int, ...], int]:
    """The line of every entry of a YAML text by its path, ("values", 0, "document") -> 31; none where it is no YAML."""
    found: dict[tuple[str | int, ...], int] = {}
    try:
        _refuse_references(text)
        root = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError:
        return found
    stack: list[tuple[tuple[str | int, ...], yaml.Node]] = [((), root)] if root else []
    while stack:
        path, node = stack.pop()
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = (*path, str(key.value))
                found[inner] = key.start_mark.line + 1
                stack.append((inner, value))
        elif isinstance(node, yaml.SequenceNode):
            for place, value in enumerate(node.value):
                found[*path, place] = value.start_mark.line + 1
                stack.append(((*path, place), value))
    return found


def _refuse_references(text: str) -> None:
    """Refuse anchors, aliases, tags, deep nesting and texts that run on unseen before anything is made of the text."""
    within: list[yaml.Event] = []
    for event in yaml.parse(text, Loader=_Loader):
        name = getattr(event, "anchor", None)
        if name is not None:
            sign, does = ("*", "refers to") if isinstance(event, yaml.AliasEvent) else ("&", "is a name for")
            raise _refused(f"'{sign}{name}' {does} a value; write the value out: {NOT_READ}", event)
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise _refused(f"'{tag}' is not read here; write the value alone, in quotes if it begins with !", event)
        entry = within and isinstance(within[-1], yaml.SequenceStartEvent)
        if entry and isinstance(event, yaml.ScalarEvent) and not event.style and _lines(event) > 1:
            raise _refused(f"{event.value!r} goes over two lines; {RUNS_ON}", event)
        if isinstance(event, yaml.CollectionStartEvent):
            within.append(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            within.pop()
        if len(within) > DEEPEST:
            raise _refused(f"more than {DEEPEST} lists stand inside one another here; take the brackets out", event)


def _lines(event: Any) -> int:  # noqa: ANN401 - PyYAML's own
    """On how many lines something stands; a text without quotes on two is two entries of which one lost its dash."""
    return int(event.end_mark.line - event.start_mark.line + 1)


def _refused(words: str, at: Any) -> yaml.constructor.ConstructorError:  # noqa: ANN401 - a node or an event
    return yaml.constructor.ConstructorError(None, None, f"{TOLD}{words}", at.start_mark)


def _yaml_words(broken: yaml.MarkedYAMLError, written: list[str]) -> tuple[int, str]:
    """The line of an error, 0 where it has none, and what to do there."""
    mark = broken.problem_mark or broken.context_mark
    line = min(mark.line, len(written) - 1) + 1 if mark else 0
    problem = " ".join(str(broken.problem or broken.context or "").split())
    if problem.startswith(TOLD):
        return line, problem.removeprefix(TOLD)
    fence = next((number for number, text in enumerate(written, 1) if FENCE.match(text)), 0)
    if fence:
        listing = written[fence - 1].strip()
        return fence, f"{listing!r} marks a listing in Markdown; take this line out, and the one that closes it"
    # The parser stumbles at the line itself, or where the next one begins.
    for number in (line, line - 1):
        glued = NO_SPACE.match(written[number - 1]) if number > 0 else None
        if glued:
            return number, f"a space is missing behind the colon; write '{glued['name']}: {glued['value']}'"
    hints = {
        "mapping values are not allowed": "a colon stands inside a value; put the whole value in quotes",
        "cannot start any token": "a tab stands where spaces belong, or a sign that needs quotes; indent with spaces",
        "found a tab character": "a tab stands where spaces belong; indent with spaces",
        "could not find expected ':'": "a line has no 'name: value'; the colon or a quote is missing",
        "did not find expected": "the indentation, a quote or a bracket is off here or in the line above",
        "found unexpected end of stream": "a quote that was opened is never closed",
    }
    hint = next((words for sign, words in hints.items() if sign in problem), "this line is no YAML")
    return line, f"{hint} ({problem})"
