"""What contributed sets of prices and of results share: a CSV of rows, beside it a YAML that says whose they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
            told = [str(error), *self._misnamed(path, where, self._named(path, where))]
            raise self.error("\n".join(told)) from None
        for wrong in self._misnamed(path, where, getattr(found, self.name)):
            raise self.error(wrong)
        return found

    def _misnamed(self, path: Path, where: str, said: object) -> Iterator[str]:
        """What is said where a set calls itself otherwise than its file."""
        if isinstance(said, str) and said != path.stem:
            yield f"{where}: {self.name}: {said!r} must be the file's name, {path.stem!r}; correct one of the two"

    def _named(self, path: Path, where: str) -> object:
        """What a YAML that is wrong elsewhere calls its set; None where that cannot be read."""
        try:
            content = yaml_text.load(documents.text_of(path, where, self.error), where, self.error)
        except self.error:
            return None  # told already
        return content.get(self.name) if isinstance(content, dict) else None

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
