"""Find the GPU that a source, or a person who types, means by a name; what is unknown or ambiguous is never guessed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, PrivateAttr, ValidationError
from rapidfuzz import process

from pipeline.core import documents, makers, yaml_text
from pipeline.core.documents import Strict, Text
from pipeline.core.gpus import Gpu

# Words that say whose product it is: an "NVIDIA M4" is never Apple's.
VENDOR_OF_WORD = {word: maker for maker, words in makers.load().items() for word in words}
# Words that makers and shops put before a name and that never tell two products apart.
MAKER_WORDS = frozenset((*VENDOR_OF_WORD, "corporation", "inc", "r", "tm"))
# What stands between two words of a name.
SEPARATORS = r"[\s\-_/.,()\[\]:]+"
# A name that fits so many other cards is that of a family; the most that a card of its own has beside it is four
# (RTX 4070: Ti, Super, Ti Super and Laptop).
FAMILY = 5
SHORTEST = 2
# The words of the longest name that is looked for within a text; no card of ours has more.
MOST_WORDS = 9
MARKS = str.maketrans({"®": " ", "™": " ", "\u2011": "-", "\u00a0": " "})


class NamesError(ValueError):
    """Names that contradict one another in `data/`; the message lists all of them."""


# What no source calls anything: a pattern that fits it fits every name.
NO_NAME = "no name of a card at all"


def _pattern(text: str) -> str:
    try:
        fits_all = re.fullmatch(text, NO_NAME, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"this pattern cannot be read: {error.msg}; the plain name of the product will do") from None
    if fits_all:
        raise ValueError("this pattern fits every name, so that no source would be read; write the name that it means")
    return text


class Ambiguous(Strict):
    """A family name that several GPUs share."""

    name: Text
    could_be: tuple[Text, ...]
    reason: Text


class Ignored(Strict):
    """Names that we know and leave out on purpose, as a pattern over the source's own name."""

    pattern: Annotated[Text, AfterValidator(_pattern)]
    sources: tuple[Text, ...]
    reason: Text


class NameFile(Strict):
    """One file of `data/names`."""

    ambiguous: tuple[Ambiguous, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    _path: str = PrivateAttr("data/names")


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


def too_wide(gpus: Mapping[str, Gpu]) -> Iterator[str]:
    """Say which names of GPUs mean no single product: one letter, a family, or a card of another maker."""
    cards: dict[str, set[str]] = defaultdict(set)  # a word -> the cards in whose name it stands
    groups: dict[frozenset[str], set[str]] = defaultdict(set)  # the words of a line or architecture -> its cards
    for gpu in gpus.values():
        for word in _told(gpu.name):
            cards[word].add(gpu.id)
        for family in (gpu.line, gpu.architecture):
            groups[_told(family) - {"series"}].add(gpu.id)
    for gpu in gpus.values():
        for field, name in (("name", gpu.name), *(("aliases", alias) for alias in gpu.aliases)):
            words = _told(name)
            shared = (set.intersection(*(cards[word] for word in words)) if words else set()) | groups[words]
            others = sorted(shared - {gpu.id}) if words != _told(gpu.name) else []
            message = _too_wide(gpu, name, [gpus[id].name for id in others])
            if message:
                yield f"data/gpus/{gpu.id}.yml: {field}: {name!r} {message}"


def _too_wide(gpu: Gpu, name: str, others: Sequence[str]) -> str:
    """What is wrong with a name of a GPU that `others` bear too, "" where it may stand."""
    if not (vendors(name) or {gpu.vendor}) & _makers(gpu):
        named = " and ".join(sorted(vendors(name)))
        return f"names a product of {named}, and this one is made by {gpu.vendor}; correct one"
    if len(key(name)) < SHORTEST:
        return "is too short to mean one product; write the model as it is sold, or take it out"
    if len(others) >= FAMILY:
        return (
            f"is the name of a family: {len(others)} other cards have it, as {others[0]}; "
            f"take it out, or write the whole name of this product"
        )
    return ""


def _makers(gpu: Gpu) -> set[str]:
    """Whose product a name of a GPU may say it is: its maker's, and that of a house in its name (NVIDIA Groq 3 LPU)."""
    named = vendors(gpu.name)
    return named | {gpu.vendor} if gpu.vendor in named else {gpu.vendor}


def _told(name: str) -> frozenset[str]:
    """The words of a name that tell products apart."""
    return frozenset(_words(name)) - MAKER_WORDS


def _words(name: str) -> list[str]:
    return [word for word in re.split(SEPARATORS, name.translate(MARKS).casefold()) if word]


class Names:
    """The index of all names that we know, share or ignore."""

    def __init__(self, gpus: Mapping[str, Gpu], files: Iterable[NameFile] = ()) -> None:
        self._known = _index(gpus)
        self._makers = {gpu.id: _makers(gpu) for gpu in gpus.values()}
        files = tuple(files)
        self._ambiguous = {key(entry.name): entry for file in files for entry in file.ambiguous}
        self._listed_in = {key(entry.name): file._path for file in files for entry in file.ambiguous}
        self._ignored = [
            (re.compile(entry.pattern, re.IGNORECASE), entry, file._path) for file in files for entry in file.ignored
        ]
        self._twice = [
            f"{file._path}: name: {entry.name!r} stands twice, with other cards; keep one entry, with all of them"
            for file in files
            for entry in file.ambiguous
            if set(self._ambiguous[key(entry.name)].could_be) != set(entry.could_be)
        ]
        self._spellings = sorted({s for gpu in gpus.values() for s in (gpu.name, *gpu.aliases)})
        self._check_ambiguous(gpus)

    def resolve(self, source: str, name: str) -> Match:
        """Find the GPU that `source` means by `name`."""
        known = self._known.get(key(name))
        if known and (vendors(name) or self._makers[known]) & self._makers[known]:
            return Match(known, "known")
        family = self._ambiguous.get(key(name))
        if family:
            return Match(
                None,
                "ambiguous",
                f"{family.reason}; could be {', '.join(family.could_be)}",
            )
        for pattern, entry, _ in self._ignored:
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
            f"{file}: pattern: {entry.pattern!r} matches nothing in {source}; take it out, or correct the source"
            for pattern, entry, file in self._ignored
            for source in entry.sources
            if not any(pattern.fullmatch(name) for name in unresolved.get(source, ()))
        ]

    def find(self, text: str) -> str | None:
        """Resolve what a person types (an id or any alias) for commands and permalinks."""
        return self._known.get(key(text))

    def named_in(self, text: str) -> list[tuple[str, frozenset[str]]]:
        """The names that stand within a longer text, each with the cards it may mean: "ASUS Dual RTX 4070 Ti OC".

        Of names within one another the longest counts, so that a Ti is never the card without it.
        """
        words = [word for word in re.split(SEPARATORS, text.translate(MARKS)) if word]
        found: list[tuple[int, int, str, frozenset[str]]] = []
        for length in range(min(len(words), MOST_WORDS), 0, -1):
            for start in range(len(words) - length + 1):
                name = " ".join(words[start : start + length])
                cards = self._meant(name)
                if cards and not any(first <= start and start + length <= last for first, last, *_ in found):
                    found.append((start, start + length, name, cards))
        return [(name, cards) for _, _, name, cards in found]

    def _meant(self, name: str) -> frozenset[str]:
        """The cards that a name may mean, none for what is no name of ours."""
        spelled, makers_told = key(name), vendors(name)
        cards = {self._known[spelled]} if spelled in self._known else set()
        cards |= set(self._ambiguous[spelled].could_be) if spelled in self._ambiguous else set()
        return frozenset(card for card in cards if not makers_told or makers_told & self._makers.get(card, makers_told))

    def _check_ambiguous(self, gpus: Mapping[str, Gpu]) -> None:
        problems = self._twice
        for spelled, entry in self._ambiguous.items():
            listed = f"{self._listed_in[spelled]}: name: {entry.name!r}"
            if spelled in self._known:
                card = gpus[self._known[spelled]]
                alias = next((name for name in card.aliases if key(name) == spelled), card.name)
                shared = f"{len(entry.could_be)} cards share it ({entry.reason})"
                problems += [
                    f"{listed} is also a name of {card.name} in data/gpus/{card.id}.yml; take it out of one of them",
                    f"data/gpus/{card.id}.yml: {'name' if alias == card.name else 'aliases'}: {alias!r} is ambiguous: "
                    f"{shared}; take it out here, or out of {self._listed_in[spelled]} where it means this card alone",
                ]
            problems += [
                f"{listed} could be {gpu!r}, which is no file in data/gpus; correct the id"
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
            file = NameFile.model_validate(yaml_text.load(text, where, NamesError) or {})
        except ValidationError as error:
            raise NamesError("\n".join(documents.told(where, text, error, NameFile))) from None
        file._path = where
        files.append(file)
    return files


def _index(gpus: Mapping[str, Gpu]) -> dict[str, str]:
    index: dict[str, str] = {}
    problems = []
    for gpu in gpus.values():
        for spelling, written in {key(name): name for name in (*reversed(gpu.aliases), gpu.name, gpu.id)}.items():
            other = index.setdefault(spelling, gpu.id)
            if other != gpu.id:
                problems += [_clash(gpu, written, other), _clash(gpus[other], written, gpu.id)]
    if problems:
        raise NamesError("\n".join(problems))
    return index


def _clash(gpu: Gpu, written: str, other: str) -> str:
    """What to do in the file of a GPU about a name that another one has too."""
    own = next((name for name in (gpu.name, *gpu.aliases) if key(name) == key(written)), written)
    field = "name" if own == gpu.name else "aliases"
    return (
        f"data/gpus/{gpu.id}.yml: {field}: {own!r} already means {other}; where both are one product, "
        f"move the values into one file and delete the other; else give each its own name, "
        f"or list the shared one as ambiguous in data/names/"
    )
