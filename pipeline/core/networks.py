"""The neural networks of `data/models`: a file each, with the shapes that a publisher states.

Whoever needs a network reads it here. What its parameters add up to, and which names mean it, is worked out in
`pipeline/advise/estimate`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, StringConstraints, ValidationError

from pipeline.core.documents import Document, Strict, Text, Value, meant, read, text_of, without_comma
from pipeline.core.yaml_text import lines_of
from pipeline.core.yaml_text import load as load_yaml


@dataclass(frozen=True, slots=True)
class Model:
    """A neural network's shapes, counted from its configuration; `None` where a field does not apply."""

    id: str
    name: str
    kind: str  # language, diffusion, vision
    layers: int | None = None
    hidden_size: int | None = None
    attention_heads: int | None = None
    key_value_heads: int | None = None
    head_size: int | None = None
    feed_forward_size: int | None = None
    vocabulary: int | None = None
    context: int | None = None
    tied_embeddings: bool = False
    attention_bias: bool = False
    window_tokens: int | None = None
    window_layers: int = 0
    experts: int | None = None
    experts_active: int | None = None
    shared_experts: int = 0
    expert_feed_forward_size: int | None = None
    expert_bias: bool = False
    dense_layers: int = 0
    latent_size: int | None = None
    latent_rope_size: int | None = None
    latent_query_size: int | None = None
    latent_nope_size: int | None = None
    latent_value_size: int | None = None
    stored_weights: str | None = None  # the precision in which the publisher's files come, where not 16 bit
    stored_experts: str | None = None
    stated_parameters_billion: float | None = None
    stated_active_parameters_billion: float | None = None
    text_encoder_parameters_billion: float | None = None
    forward_gmacs: float | None = None
    licence: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def is_language(self) -> bool:
        """Whether it writes tokens, with a cache that grows."""
        return self.kind == "language"


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


class ModelError(ValueError):
    """A model's YAML that cannot be read; the message names file, field, value and the next step."""


def _a_repository(text: str) -> str:
    """The name under which the weights lie: an address of a page is no such name, and would name no network."""
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", text):
        raise ValueError(f"{text!r} is no repository; write owner and name alone, as meta-llama/Llama-3.1-8B-Instruct")
    return text


class ModelFile(Strict):
    """One network: what it is, the names that mean it, and its shapes, each with a source."""

    id: Annotated[str, StringConstraints(pattern=ID)]
    name: Text
    publisher: Text
    kind: Literal["language", "diffusion", "vision"]
    repository: Annotated[Text, AfterValidator(_a_repository)]
    aliases: tuple[Text, ...] = ()
    note: str = ""
    documents: dict[str, Document]
    values: tuple[Value, ...]


def read_model(path: Path) -> ModelFile:
    """A file of the folder, each of its values checked; ModelError names every one that is wrong, by line."""
    where = f"data/models/{path.name}"
    try:
        file = read(path, where, ModelFile, "see another file of the folder", ModelError)
    except ModelError as error:
        raise ModelError("\n".join([str(error), *_told_beside(path, where)])) from None
    # Shapes can only be held against one another where all of them are there.
    problems = list(_problems(file)) or list(_head_problems(file))
    if problems:
        raise ModelError("\n".join(by_line(path, problems)))
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
    yield from by_line(path, _value_problems(readable, known))


# A problem and the place of its value in the list; -1 where no value is to blame.
Problems = Iterator[tuple[int, str]]


def by_line(path: Path, problems: Iterable[tuple[int, str]]) -> list[str]:
    """Problems of a file's values, each with the line that it is told for."""
    lines = lines_of(path.read_text(encoding="utf-8"))
    return [
        f"data/models/{path.name}:{lines.get(('values', entry), lines.get(('values',), 1))}: {problem}"
        for entry, problem in problems
    ]


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
            plain = (
                without_comma(value.value) if isinstance(value.value, str) and not wrong.startswith("a text") else ""
            )
            told = f"holds a comma; write {plain}" if plain else f"is not {wrong}; read the document again"
            yield entry, f"{value.field}: {value.value!r} {told}"
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
    model = model_of(file)
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


def key(text: str) -> str:
    """Bring a name into the form in which names are compared."""
    return text.strip().lower().replace(" ", "-").replace("_", "-").rpartition("/")[2]


def model_of(file: ModelFile) -> Model:
    """The network that a file describes, with the shapes that follow from those it states."""
    values = {value.field: value.value for value in file.values}
    heads = values.get("attention_heads")
    if heads and "head_size" not in values and "hidden_size" in values and "latent_size" not in values:
        values["head_size"] = int(str(values["hidden_size"])) // int(str(heads))
    if heads and "latent_size" not in values:
        values.setdefault("key_value_heads", heads)
    return Model(id=file.id, name=file.name, kind=file.kind, aliases=file.aliases, **values)  # type: ignore[arg-type]


def multiply_adds(folder: Path) -> dict[str, float]:
    """Billions of multiply-adds of one image, forward, by every name of a network, in the form that `plain` gives.

    A file that cannot be read is left out: what is wrong with it is told where all networks are read.
    """
    found: dict[str, float] = {}
    for path in sorted(folder.glob("*.yml")):
        if b"forward_gmacs" not in path.read_bytes():  # most are language models, and reading one takes a while
            continue
        with suppress(ModelError):
            file = read_model(path)
            gmacs = model_of(file).forward_gmacs
            for name in (file.id, file.name, *file.aliases) if gmacs else ():
                found.setdefault(plain(name), float(gmacs or 0))
    return found


def plain(name: str) -> str:
    """A name as people run it together: "ResNet-50", "resnet_50" and "ResNet 50" are one."""
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")
