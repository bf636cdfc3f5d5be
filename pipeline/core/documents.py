"""Hand-written files: a YAML becomes a strict model, and what is wrong with it is told by line and in plain words.

Use `read` for a file that is one thing (a GPU, a network), `load` for the plain content of any other, and `told` for
the errors of a model. The document in which a value was read, which many files share, is here too.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from pipeline.core.schema import KINDS

# A hand-written file is read by people: our largest has 50 kB. What is far larger is no such file.
MAX_BYTES = 2_000_000
MERGE, TIMESTAMP = "tag:yaml.org,2002:merge", "tag:yaml.org,2002:timestamp"
# pydantic's kinds of error, in the words of somebody who edits the file.
SAID = {
    "missing": "is missing; add a line '{name}: ...'",
    "extra_forbidden": "is no name that may stand here{meant}; there may be: {words}",
    "literal_error": "{shown} is none of {words}{meant}",
    "date": "{shown} is no day; write it as 2026-11-22",
    "address": "{shown} is no web address; it begins with https:// and has no spaces",
    "file_name": "the file's name {shown} is no id; rename the file in small letters and hyphens, as nvidia-l4.yml",
    "string_type": "{shown} is no text; put it in quotes",
    "string_too_short": "is empty; write it, or take the line out",
    "string_too_long": "is too long; shorten it",
    "tuple_type": "{shown} is no list; write each entry in a line of its own that begins with '- '",
    "list_type": "{shown} is no list; write each entry in a line of its own that begins with '- '",
    "dict_type": "{shown} is one value; lines of the form 'name: value' belong here",
    "model_type": "{shown} is one value; lines of the form 'name: value' belong here",
    "finite_number": "{shown} is no number",
}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader (in C where PyYAML has it), but a key stands once, and a day that does not exist stays text."""


def _mapping(loader: Any, node: yaml.MappingNode) -> dict[Hashable, Any]:  # noqa: ANN401 - PyYAML's own
    seen: dict[Any, yaml.Node] = {}
    for key, _ in node.value:
        if key.tag == MERGE:
            continue
        first = seen.setdefault(key.value if isinstance(key.value, str) else id(key), key)
        if first is not key:
            line = first.start_mark.line + 1
            raise yaml.constructor.ConstructorError(
                None, None, f"{key.value!r} stands twice, here and in line {line}; keep one of them", key.start_mark
            )
    found: dict[Hashable, Any] = yaml.SafeLoader.construct_mapping(loader, node, deep=True)
    return found


def _day(loader: Any, node: yaml.ScalarNode) -> Any:  # noqa: ANN401 - PyYAML's own
    try:
        return yaml.SafeLoader.construct_yaml_timestamp(loader, node)
    except ValueError:
        return node.value  # 2026-02-30: the field says what it wants


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
_Loader.add_constructor(TIMESTAMP, _day)

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s<>\"]+$", max_length=500)]


Model = TypeVar("Model", bound=BaseModel)


class Strict(BaseModel):
    """A model that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Document(Strict):
    """What a person read: its title and address, what kind of paper it is, and when it was read."""

    title: Text
    kind: Literal[KINDS]  # type: ignore[valid-type]
    url: Url
    read: date
    licence: Text


class Value(Strict):
    """One hand-read value as printed, with the place in the document where it stands."""

    field: Text
    value: bool | int | float | date | str
    document: Text
    locator: Text


def read(path: Path, where: str, kind: type[Model], hint: str, error: type[ValueError]) -> Model:
    """Read a YAML; `error` says in plain words what is wrong, each problem with its line.

    A model with an `id` gets the file's name for it.
    """
    text = text_of(path, where, error)
    content = load(text, where, error)
    if not isinstance(content, dict):
        raise error(f"{where}: holds no fields; {hint}")
    try:
        return kind.model_validate({"id": path.stem, **content} if "id" in kind.model_fields else content)
    except ValidationError as wrong:
        raise error("\n".join(told(where, text, wrong, kind))) from None


def text_of(path: Path, where: str, error: type[ValueError], most: int = MAX_BYTES) -> str:
    """The text of a hand-written file; `error` for one that is too large or is no text."""
    size = path.stat().st_size
    if size > most:
        raise error(
            f"{where}: has {size / 1e6:.1f} MB, and at most {most / 1e6:g} MB are read; "
            f"a hand-written file is small: was something else saved under this name?"
        )
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as broken:
        raise error(f"{where}: is no UTF-8 text (byte {broken.start}); save it as UTF-8 in the editor") from None


def check_heads(where: str, found: Sequence[str] | None, wanted: Sequence[str], error: type[ValueError]) -> None:
    """Hold the first line of a CSV against the columns it must have; `error` says which are missing or too many."""
    if tuple(found or ()) == tuple(wanted):
        return
    if not found:
        raise error(f"{where}:1: is empty; its first line must be: {','.join(wanted)}")
    missing, extra = [name for name in wanted if name not in found], [name for name in found if name not in wanted]
    what = [f"missing: {', '.join(missing)}"] if missing else []
    what += [f"not known: {', '.join(extra)}{meant(extra[0], list(missing or wanted))}"] if extra else []
    raise error(
        f"{where}:1: the columns are not those of a set ({'; '.join(what) or 'another order'}); "
        f"the first line must be: {','.join(wanted)}"
    )


def load(text: str, where: str, error: type[ValueError]) -> Any:  # noqa: ANN401 - whatever the file holds
    """The content of a YAML text; `error` names the line that cannot be read."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 (a safe loader)
    except yaml.MarkedYAMLError as broken:
        mark = broken.problem_mark or broken.context_mark
        line = f":{mark.line + 1}" if mark else ""
        raise error(f"{where}{line}: {_yaml_words(broken)}") from None
    except (yaml.YAMLError, RecursionError) as broken:
        raise error(f"{where}: not readable YAML: {' '.join(str(broken).split())[:200]}") from None


def told(where: str, text: str, error: ValidationError, kind: type[BaseModel]) -> Iterator[str]:
    """What a model says is wrong with a file, in plain words, each with its line in the text."""
    lines = lines_of(text)
    for problem in error.errors():
        place = tuple(part for part in problem["loc"] if not str(part).startswith("function-"))
        line = next((lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in lines), 1)
        yield f"{where}:{line}: {_named(place)}: {_plain(problem, _known_fields(kind, place))}"


def lines_of(text: str) -> dict[tuple[str | int, ...], int]:
    """The line of every entry of a YAML text, by its path: ("values", 0, "document") -> 31."""
    found: dict[tuple[str | int, ...], int] = {}
    root = yaml.compose(text, Loader=_Loader)
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


def _yaml_words(broken: yaml.MarkedYAMLError) -> str:
    problem = " ".join(str(broken.problem or broken.context or "").split())
    if "stands twice" in problem:
        return problem
    hints = {
        "mapping values are not allowed": "a colon stands inside a value; put the whole value in quotes",
        "cannot start any token": "a tab stands where spaces belong, or a sign that needs quotes; indent with spaces",
        "could not find expected ':'": "a line has no 'name: value'; the colon or a quote is missing",
        "did not find expected": "the indentation, a quote or a bracket is off here or in the line above",
        "found unexpected end of stream": "a quote that was opened is never closed",
    }
    hint = next((words for sign, words in hints.items() if sign in problem), "this line is no YAML")
    return f"{hint} ({problem})"


def _named(place: tuple[str | int, ...]) -> str:
    """A path in words: values, entry 3, document."""
    return ", ".join(f"entry {part + 1}" if isinstance(part, int) else str(part) for part in place) or "the file"


def _known_fields(kind: type[BaseModel], place: tuple[str | int, ...]) -> list[str]:
    """The names that may stand where an unknown one was found."""
    schema: Any = kind.model_json_schema()
    defined = schema.get("$defs", {})
    for part in place[:-1]:
        schema = defined.get(str(schema.get("$ref", "")).rpartition("/")[2], schema)
        if isinstance(part, int):
            schema = schema.get("items", {})
        else:
            schema = schema.get("properties", {}).get(part) or schema.get("additionalProperties") or {}
    schema = defined.get(str(schema.get("$ref", "")).rpartition("/")[2], schema) if isinstance(schema, dict) else {}
    return [name for name in schema.get("properties", {}) if name != "id"]


def _plain(problem: Mapping[str, Any], known: list[str]) -> str:
    """One problem of pydantic's in the words of somebody who edits the file."""
    found, sort, context = problem["input"], str(problem["type"]), problem.get("ctx", {})
    name, shown = str(problem["loc"][-1]) if problem["loc"] else "", f"{found!r}"[:80]
    sort = "date" if sort.startswith("date") else sort
    sort = "address" if sort == "string_pattern_mismatch" and "https" in str(context) else sort
    sort = "file_name" if sort == "string_pattern_mismatch" and name == "id" else sort
    unknown = sort == "extra_forbidden"
    words = known if unknown else re.findall(r"'([^']*)'", str(context.get("expected", "")))
    if sort not in SAID:
        return f"{str(problem['msg']).removeprefix('Value error, ')} (found {shown})"
    guess = meant(name if unknown else str(found), words)
    return SAID[sort].format(name=name, shown=shown, words=", ".join(words), meant=guess)


def meant(word: str, known: list[str]) -> str:
    """The nearest known word as a question, or nothing."""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), folded, n=1, cutoff=0.7)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""
