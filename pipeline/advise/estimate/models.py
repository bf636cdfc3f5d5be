"""The registry of neural networks: `Model`s by id and by any alias from `data/models/*.yml`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import StringConstraints, ValidationError
from rapidfuzz import process

from pipeline.advise.estimate.tensors import parameters
from pipeline.advise.estimate.types import EstimateError, Model
from pipeline.core.documents import Document, Strict, Text, Value, meant, read, text_of
from pipeline.core.paths import DATA
from pipeline.core.yaml_text import lines_of
from pipeline.core.yaml_text import load as load_yaml

ID = r"^[a-z0-9]+([.-][a-z0-9.]+)*$"
# Fields of `Model` that a file states as values; the others stand in the head of the file.
HEAD = ("id", "name", "kind", "aliases")
VALUE_FIELDS = tuple(f.name for f in fields(Model) if f.name not in HEAD)
# What each kind must state for the formulas to work.
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "language": ("layers", "hidden_size", "attention_heads", "feed_forward_size", "vocabulary", "context"),
    "diffusion": ("stated_parameters_billion",),
    "vision": ("stated_parameters_billion", "forward_gmacs"),
}
LIMITS: Mapping[str, tuple[float, float]] = {
    "layers": (1, 1000),
    "hidden_size": (16, 200_000),
    "attention_heads": (1, 4096),
    "key_value_heads": (1, 4096),
    "head_size": (8, 4096),
    "feed_forward_size": (16, 2_000_000),
    "vocabulary": (100, 5_000_000),
    "context": (128, 100_000_000),
    "window_tokens": (1, 1_000_000),
    "window_layers": (0, 1000),
    "experts": (2, 10_000),
    "experts_active": (1, 1000),
    "stated_parameters_billion": (1e-4, 1e5),
    "stated_active_parameters_billion": (1e-4, 1e5),
    "forward_gmacs": (1e-3, 1e6),
}
# What a value must be for each type of a field of `Model`.
TYPES = {f.name: f.type for f in fields(Model)}
KINDS: Mapping[str, tuple[str, Any]] = {
    "int": ("a whole number", int),
    "float": ("a number", int | float),
    "bool": ("yes or no without quotes", bool),
    "str": ("a text", str),
}
# A stated count is rounded ("8B" for 8.03) and may leave embeddings out.
STATED_TOLERANCE = 0.08


class ModelError(ValueError):
    """A model's YAML that cannot be read; the message names file, field, value and the next step."""


class ModelFile(Strict):
    """One network: what it is, the names that mean it, and its shapes, each with a source."""

    id: Annotated[str, StringConstraints(pattern=ID)]
    name: Text
    publisher: Text
    kind: Literal["language", "diffusion", "vision"]
    repository: Text
    aliases: tuple[Text, ...] = ()
    note: str = ""
    documents: dict[str, Document]
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Registry:
    """Every network by id, and what people call it."""

    models: Mapping[str, Model]
    files: Mapping[str, ModelFile]
    _by_name: Mapping[str, str]

    @property
    def spellings(self) -> Mapping[str, str]:
        """The id behind every name, in the form that `key` gives."""
        return self._by_name

    def find(self, text: str) -> Model:
        """Find a network by id, repository name or alias; EstimateError suggests near names."""
        found = self._by_name.get(key(text))
        if found is None:
            near = ", ".join(_nearest(key(text), tuple(self._by_name)))
            raise EstimateError(f"unknown model {text[:80]!r}; did you mean {near}?")
        return self.models[found]


@lru_cache(maxsize=1024)
def _nearest(text: str, names: tuple[str, ...]) -> list[str]:
    return [name for name, _, _ in process.extract(text, names, limit=3)]


def key(text: str) -> str:
    """Bring a name into the form in which names are compared."""
    return text.strip().lower().replace(" ", "-").replace("_", "-").rpartition("/")[2]


@lru_cache(maxsize=4)
def load(folder: Path = DATA.data / "models") -> Registry:
    """Read every model of a folder; ModelError lists all broken files together."""
    files, problems = {}, []
    for path in sorted(folder.glob("*.yml")):
        try:
            files[path.stem] = _read(path)
        except ModelError as error:
            problems.append(str(error))
    names = _names(files)
    problems += _shared(files, names)
    if problems:
        raise ModelError("\n".join(problems))
    models = {name: _model(file) for name, file in files.items()}
    return Registry(models, files, names)


def _read(path: Path) -> ModelFile:
    where = f"data/models/{path.name}"
    try:
        file = read(path, where, ModelFile, "see another file of the folder", ModelError)
    except ModelError as error:
        raise ModelError("\n".join([str(error), *_told_beside(path, where)])) from None
    # Shapes can only be held against one another, and parameters counted from them, where all of them are there.
    problems = list(_problems(file)) or list(_head_problems(file)) or list(_count_problem(file))
    if problems:
        raise ModelError("\n".join(_by_line(path.read_text(encoding="utf-8"), where, problems)))
    return file


def _told_beside(path: Path, where: str) -> Iterator[str]:
    """What is wrong with the values of a file of which something else cannot be read, as its kind."""
    try:
        text = text_of(path, where, ModelError)
        content = load_yaml(text, where, ModelError)
    except ModelError:  # told already
        return
    if not isinstance(content, dict):
        return
    entries, documents = content.get("values"), content.get("documents")
    readable = []
    for entry, value in enumerate(entries if isinstance(entries, list) else ()):
        with suppress(ValidationError):  # told already
            readable.append((entry, Value.model_validate(value)))
    known = [str(name) for name in documents] if isinstance(documents, dict) else None
    yield from _by_line(text, where, _value_problems(readable, known))


def _by_line(text: str, where: str, problems: Iterable[tuple[int, str]]) -> list[str]:
    lines = lines_of(text)
    return [
        f"{where}:{lines.get(('values', entry), lines.get(('values',), 1))}: {problem}" for entry, problem in problems
    ]


# A problem and the place of its value in the list; -1 where no value is to blame.
Problems = Iterator[tuple[int, str]]


def _problems(file: ModelFile) -> Problems:
    yield from _value_problems(list(enumerate(file.values)), list(file.documents))
    seen = {value.field for value in file.values}
    yield from (
        (-1, f"{name}: missing; a {file.kind} model needs it") for name in REQUIRED[file.kind] if name not in seen
    )


def _value_problems(values: Iterable[tuple[int, Value]], documents: list[str] | None) -> Problems:
    """What is wrong with single values; `documents` are the listed ones, None where their list cannot be read."""
    seen: set[str] = set()
    for entry, value in values:
        if value.field not in VALUE_FIELDS:
            near = meant(value.field, list(VALUE_FIELDS))
            yield entry, f"{value.field}: unknown field{near}; fields: {', '.join(VALUE_FIELDS)}"
        elif wrong := _wrong_value(value):
            yield entry, f"{value.field}: {value.value!r} is not {wrong}; read the document again"
        if value.field in seen:
            yield entry, f"{value.field}: stated twice; keep one value"
        if documents is not None and value.document not in documents:
            told = f"document {value.document!r} is not listed{meant(value.document, documents)}"
            yield entry, f"{value.field}: {told}; add it under documents"
        seen.add(value.field)


def _wrong_value(value: Value) -> str:
    """What a value should have been, "" where it is that."""
    words, types = KINDS[str(TYPES[value.field]).partition(" ")[0]]
    low, high = LIMITS.get(value.field, (-math.inf, math.inf))
    if not isinstance(value.value, types) or (isinstance(value.value, bool) and types is not bool):
        return words if math.isinf(low) else f"{words} from {low:g} to {high:g}"
    if isinstance(value.value, int | float) and not low <= value.value <= high:
        return f"{words} from {low:g} to {high:g}"
    return ""


def _head_problems(file: ModelFile) -> Problems:
    """Heads share the hidden size evenly, unless their size is stated, and each group of them has one key."""
    entry = {value.field: number for number, value in enumerate(file.values)}
    model = _model(file)
    heads, groups, hidden = model.attention_heads, model.key_value_heads, model.hidden_size
    if heads and hidden and not {"head_size", "latent_size"} & entry.keys() and hidden % heads:
        yield (
            entry["attention_heads"],
            f"attention_heads: {heads} heads do not divide the hidden size of {hidden}; correct one of the two, "
            f"or add head_size where the document states it",
        )
    if heads and groups and heads % groups:
        yield (
            entry["key_value_heads"],
            f"key_value_heads: {groups} do not divide the {heads} attention heads; correct one of the two",
        )


def _count_problem(file: ModelFile) -> Problems:
    """The parameters that the shapes add up to must be those that the publisher states."""
    model = _model(file)
    stated = model.stated_parameters_billion if model.is_language else None
    counted = parameters(model) / 1e9
    if stated and abs(counted / stated - 1) > STATED_TOLERANCE:
        entry = next(n for n, value in enumerate(file.values) if value.field == "stated_parameters_billion")
        yield (
            entry,
            f"stated_parameters_billion: {stated} is stated, the shapes add up to {counted:.2f}; "
            "one of the shapes is wrong",
        )


def _model(file: ModelFile) -> Model:
    values = {value.field: value.value for value in file.values}
    heads = values.get("attention_heads")
    if heads and "head_size" not in values and "hidden_size" in values and "latent_size" not in values:
        values["head_size"] = int(str(values["hidden_size"])) // int(str(heads))
    if heads and "latent_size" not in values:
        values.setdefault("key_value_heads", heads)
    return Model(id=file.id, name=file.name, kind=file.kind, aliases=file.aliases, **values)  # type: ignore[arg-type]


def _spellings(file: ModelFile) -> Iterator[tuple[str, str]]:
    """What a network may be called, each with the line of its file that says so."""
    yield "id", file.id
    yield "name", file.name
    if file.kind != "vision":  # a library holds many vision networks, so its repository names none of them
        yield "repository", file.repository
    yield from (("aliases", alias) for alias in file.aliases)


def _names(files: Mapping[str, ModelFile]) -> dict[str, str]:
    names: dict[str, str] = {}
    for file in files.values():
        for _, text in _spellings(file):
            names.setdefault(key(text), file.id)
    return names


def _shared(files: Mapping[str, ModelFile], names: Mapping[str, str]) -> Iterator[str]:
    """Names that mean two networks, told in the files of both: whoever touched one of them reads of it."""
    taken = {key(text) for file in files.values() for _, text in _spellings(file) if names[key(text)] != file.id}
    for file in files.values():
        for field, text in _spellings(file):
            others = [o.id for o in files.values() if o is not file and key(text) in {key(t) for _, t in _spellings(o)}]
            if key(text) in taken:
                told = f"{field}: {text!r} also means {', '.join(others)}; take it out of one of them"
                yield f"data/models/{file.id}.yml: {told}"
