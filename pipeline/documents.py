"""A hand-written YAML in, a strict model out; and the document in which a value was read, which many files share."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from pipeline.schema import KINDS

# The same safe loader in C reads hundreds of files in a tenth of the time; not every build of PyYAML has it.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

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
    """Read a YAML whose id is its file name; `error` names `where`, field and value, or gives the `hint`."""
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)  # noqa: S506 (both are safe loaders)
    except (yaml.YAMLError, UnicodeDecodeError) as broken:
        raise error(f"{where}: not readable YAML: {' '.join(str(broken).split())}") from None
    if not isinstance(content, dict):
        raise error(f"{where}: holds no fields; {hint}")
    try:
        return kind.model_validate({"id": path.stem, **content})
    except ValidationError as wrong:
        raise error("\n".join(_explained(where, wrong))) from None


def _explained(where: str, error: ValidationError) -> Iterator[str]:
    for problem in error.errors():
        field = ".".join(str(part) for part in problem["loc"]) or "the file"
        yield f"{where}: {field}: {problem['msg']} (found {problem['input']!r:.80})"
