"""The registry of neural networks: `Model`s by id and by any alias from `data/models/*.yml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import StringConstraints
from rapidfuzz import process

from pipeline.advise.estimate.tensors import parameters
from pipeline.advise.estimate.types import EstimateError, Model
from pipeline.core.documents import Document, Strict, Text, Value, read
from pipeline.core.paths import DATA

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
    if problems:
        raise ModelError("\n".join(problems))
    models = {name: _model(file) for name, file in files.items()}
    return Registry(models, files, _names(files))


def _read(path: Path) -> ModelFile:
    where = f"data/models/{path.name}"
    file = read(path, where, ModelFile, "see another file of the folder", ModelError)
    # Parameters can only be counted from shapes that are all there.
    problems = [f"{where}: {problem}" for problem in list(_problems(file)) or _count_problem(file)]
    if problems:
        raise ModelError("\n".join(problems))
    return file


def _problems(file: ModelFile) -> Iterator[str]:
    seen: set[str] = set()
    for value in file.values:
        if value.field not in VALUE_FIELDS:
            yield f"{value.field}: unknown field; fields: {', '.join(VALUE_FIELDS)}"
        if value.field in seen:
            yield f"{value.field}: stated twice; keep one value"
        if value.document not in file.documents:
            yield f"{value.field}: document {value.document!r} is not listed; add it under documents"
        yield from _range_problem(value)
        seen.add(value.field)
    yield from (f"{name}: missing; a {file.kind} model needs it" for name in REQUIRED[file.kind] if name not in seen)


def _range_problem(value: Value) -> Iterator[str]:
    low, high = LIMITS.get(value.field, (None, None))
    if low is None or high is None:
        return
    if isinstance(value.value, bool | str | date) or not low <= value.value <= high:
        yield f"{value.field}: {value.value!r} is not a number from {low:g} to {high:g}; read the document again"


def _count_problem(file: ModelFile) -> Iterator[str]:
    """The parameters that the shapes add up to must be those that the publisher states."""
    model = _model(file)
    stated = model.stated_parameters_billion if model.is_language else None
    counted = parameters(model) / 1e9
    if stated and abs(counted / stated - 1) > STATED_TOLERANCE:
        yield (
            f"stated_parameters_billion: {stated} is stated, the shapes add up to {counted:.2f}; "
            "one of the shapes is wrong"
        )


def _model(file: ModelFile) -> Model:
    values = {value.field: value.value for value in file.values}
    heads = values.get("attention_heads")
    if heads and "head_size" not in values and "hidden_size" in values and "latent_size" not in values:
        values["head_size"] = int(str(values["hidden_size"])) // int(str(heads))
    if heads and "latent_size" not in values:
        values.setdefault("key_value_heads", heads)
    return Model(id=file.id, name=file.name, kind=file.kind, aliases=file.aliases, **values)  # type: ignore[arg-type]


def _names(files: Mapping[str, ModelFile]) -> dict[str, str]:
    names: dict[str, str] = {}
    for file in files.values():
        # A library holds many vision networks, so its repository names none of them.
        repository = () if file.kind == "vision" else (file.repository,)
        for text in (file.id, file.name, *repository, *file.aliases):
            other = names.setdefault(key(text), file.id)
            if other != file.id:
                raise ModelError(f"data/models/{file.id}.yml: {text!r} also means {other}; take it out of one of them")
    return names
