"""Find the GPU that a source, or a person who types, means by a name; what is unknown or ambiguous is never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from rapidfuzz import process

from pipeline.core import documents, makers
from pipeline.core.documents import Strict, Text
from pipeline.core.gpus import Gpu

# Words that say whose product it is: an "NVIDIA M4" is never Apple's.
VENDOR_OF_WORD = {word: maker for maker, words in makers.load().items() for word in words}
# Words that makers and shops put before a name and that never tell two products apart.
MAKER_WORDS = frozenset((*VENDOR_OF_WORD, "corporation", "inc", "r", "tm"))
# What stands between two words of a name.
SEPARATORS = r"[\s\-_/.,()\[\]:]+"
MARKS = str.maketrans({"®": " ", "™": " ", "\u2011": "-", "\u00a0": " "})


class NamesError(ValueError):
    """Names that contradict one another in `data/`; the message lists all of them."""


class Ambiguous(Strict):
    """A family name that several GPUs share."""

    name: Text
    could_be: tuple[Text, ...]
    reason: Text


class Ignored(Strict):
    """Names that we know and leave out on purpose, as a pattern over the source's own name."""

    pattern: Text
    sources: tuple[Text, ...]
    reason: Text


class NameFile(Strict):
    """One file of `data/names`."""

    ambiguous: tuple[Ambiguous, ...] = ()
    ignored: tuple[Ignored, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """What became of a name: `gpu` is our id, or None with the verdict and its reason."""

    gpu: str | None
    verdict: str  # known, ambiguous, ignored, unknown
    reason: str = ""


def key(name: str) -> str:
    """Bring a name into the form in which names are compared: lower case, letters and digits only, no maker."""
    return "".join(word for word in _words(name) if word not in MAKER_WORDS)


def vendors(name: str) -> set[str]:
    """Say whose product a name claims to be; empty when it does not say."""
    return {VENDOR_OF_WORD[word] for word in _words(name) if word in VENDOR_OF_WORD}


def _words(name: str) -> list[str]:
    return [word for word in re.split(SEPARATORS, name.translate(MARKS).casefold()) if word]


class Names:
    """The index of all names that we know, share or ignore."""

    def __init__(self, gpus: Mapping[str, Gpu], files: Iterable[NameFile] = ()) -> None:
        self._known = _index(gpus)
        self._vendors: dict[str, str] = {gpu.id: gpu.vendor for gpu in gpus.values()}
        files = tuple(files)
        self._ambiguous = {key(entry.name): entry for file in files for entry in file.ambiguous}
        self._ignored = [(re.compile(entry.pattern, re.IGNORECASE), entry) for file in files for entry in file.ignored]
        self._spellings = sorted({s for gpu in gpus.values() for s in (gpu.name, *gpu.aliases)})
        self._check_ambiguous(gpus)

    def resolve(self, source: str, name: str) -> Match:
        """Find the GPU that `source` means by `name`."""
        known = self._known.get(key(name))
        if known and self._vendors[known] in (vendors(name) or {self._vendors[known]}):
            return Match(known, "known")
        family = self._ambiguous.get(key(name))
        if family:
            return Match(
                None,
                "ambiguous",
                f"{family.reason}; could be {', '.join(family.could_be)}",
            )
        for pattern, entry in self._ignored:
            if source in entry.sources and pattern.fullmatch(name):
                return Match(None, "ignored", entry.reason)
        return Match(None, "unknown", self.suggestion(name))

    def suggestion(self, name: str) -> str:
        """Say which known name is nearest, for a person to judge."""
        near = process.extractOne(name, self._spellings, score_cutoff=85)
        hint = f"nearest known name: {near[0]!r}; " if near else ""
        return f"{hint}add it to aliases in data/gpus/*.yml, or to data/names/*.yml with a reason"

    def idle_patterns(self, unresolved: Mapping[str, Iterable[str]]) -> list[str]:
        """List the ignore patterns that match no unresolved name of a source they name (source → its names)."""
        return [
            f"data/names: pattern {entry.pattern!r} matches nothing in {source}; take it out"
            for pattern, entry in self._ignored
            for source in entry.sources
            if not any(pattern.fullmatch(name) for name in unresolved.get(source, ()))
        ]

    def find(self, text: str) -> str | None:
        """Resolve what a person types (an id or any alias) for commands and permalinks."""
        return self._known.get(key(text))

    def _check_ambiguous(self, gpus: Mapping[str, Gpu]) -> None:
        problems = [
            f"data/names: ambiguous name {entry.name!r} is also an alias of {self._known[spelled]}; take one out"
            for spelled, entry in self._ambiguous.items()
            if spelled in self._known
        ]
        problems += [
            f"data/names: {entry.name!r} could be {gpu!r}, which is no file in data/gpus; correct the id"
            for entry in self._ambiguous.values()
            for gpu in entry.could_be
            if gpu not in gpus
        ]
        if problems:
            raise NamesError("\n".join(problems))


def load_names(folder: Path) -> list[NameFile]:
    """Read `data/names/*.yml`; NamesError names the file and field that is wrong."""
    files = []
    for path in sorted(folder.glob("*.yml")):
        where = f"data/names/{path.name}"
        text = documents.text_of(path, where, NamesError)
        try:
            files.append(NameFile.model_validate(documents.load(text, where, NamesError) or {}))
        except ValidationError as error:
            raise NamesError("\n".join(documents.told(where, text, error, NameFile))) from None
    return files


def _index(gpus: Mapping[str, Gpu]) -> dict[str, str]:
    index: dict[str, str] = {}
    problems = []
    for gpu in gpus.values():
        for spelling, written in {key(name): name for name in (*reversed(gpu.aliases), gpu.name, gpu.id)}.items():
            other = index.setdefault(spelling, gpu.id)
            if other != gpu.id:
                problems.append(
                    f"data/gpus/{gpu.id}.yml: the name {written!r} already means {other}; where both are one product, "
                    f"move the values into data/gpus/{other}.yml and delete this file; else give each its own name, "
                    f"or list the shared one as ambiguous in data/names/"
                )
    if problems:
        raise NamesError("\n".join(problems))
    return index
