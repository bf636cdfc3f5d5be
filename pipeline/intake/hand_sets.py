"""What contributed sets of prices and of results share: a CSV of rows, beside it a YAML that says whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

from pipeline.core import documents, yaml_text

About = TypeVar("About", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Form(Generic[About]):
    """What a kind of set looks like, and how its problems are told."""

    folder: str  # below data/
    about: type[About]
    name: str  # the field of its YAML that is the file's name
    columns: Sequence[str]
    hint: str
    error: type[ValueError]

    def origin(self, path: Path) -> About:
        """The YAML of a set; the error names the field and the value that are wrong."""
        where = f"data/{self.folder}/{path.name}"
        if not path.exists():
            raise self.error(f"{where} is not there; each set needs its YAML, {self.hint}")
        try:
            found = documents.read(path, where, self.about, self.hint, self.error)
        except self.error as error:
            raise self.error("\n".join([str(error), *self._misnamed(path, where)])) from None
        if told := self._misnamed(path, where):
            raise self.error("\n".join(told))
        return found

    def _misnamed(self, path: Path, where: str) -> list[str]:
        """What is said where a set calls itself otherwise than its file."""
        try:
            content = yaml_text.load(documents.text_of(path, where, self.error), where, self.error)
        except self.error:
            return []  # told already
        said = content.get(self.name) if isinstance(content, dict) else None
        if not isinstance(said, str) or said == path.stem:
            return []
        return [f"{where}: {self.name}: {said!r} must be the file's name, {path.stem!r}; correct one of the two"]

    def read(self, path: Path, unread: About) -> tuple[About, list[tuple[int, dict[str, str]]], list[str]]:
        """Both files: the YAML (`unread` where it cannot be read), the rows with their lines, and every problem."""
        origin, rows, problems = unread, list[tuple[int, dict[str, str]]](), list[str]()
        try:
            origin = self.origin(path.with_suffix(".yml"))
        except self.error as error:
            problems += str(error).splitlines()
        try:
            rows, broken = documents.table(path, f"data/{self.folder}/{path.name}", self.columns, self.error)
            problems += broken
        except self.error as error:
            problems += str(error).splitlines()
        return origin, rows, problems
