"""The registry of neural networks: `Model`s by id and by any alias from `data/models/*.yml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rapidfuzz import process

from pipeline.advise.estimate.tensors import parameters
from pipeline.advise.estimate.types import EstimateError
from pipeline.core.networks import Model, ModelError, ModelFile, Problems, by_line, key, model_of, read_model
from pipeline.core.paths import DATA

# A stated count is rounded ("8B" for 8.03) and may leave embeddings out.
STATED_TOLERANCE = 0.08


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


@lru_cache(maxsize=4)
def load(folder: Path = DATA.data / "models") -> Registry:
    """Read every model of a folder; ModelError lists all broken files together."""
    files, problems = {}, []
    for path in sorted(folder.glob("*.yml")):
        try:
            files[path.stem] = read_model(path)
            problems += by_line(path, _count_problem(files[path.stem]))
        except ModelError as error:
            problems.append(str(error))
    names = _names(files)
    problems += _shared(files, names)
    if problems:
        raise ModelError("\n".join(problems))
    models = {name: model_of(file) for name, file in files.items()}
    return Registry(models, files, names)


def _count_problem(file: ModelFile) -> Problems:
    """The parameters that the shapes add up to must be those that the publisher states."""
    model = model_of(file)
    stated = model.stated_parameters_billion if model.is_language else None
    counted = parameters(model) / 1e9
    if stated and abs(counted / stated - 1) > STATED_TOLERANCE:
        entry = next(n for n, value in enumerate(file.values) if value.field == "stated_parameters_billion")
        yield (
            entry,
            f"stated_parameters_billion: {stated} is stated, the shapes add up to {counted:.2f}; "
            "one of the shapes is wrong",
        )


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
