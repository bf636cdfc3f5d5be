"""What a document says of a whole family of products: `data/clauses.yml`.

Some papers name no card. A driver's licence speaks of GeForce, a support plan of an architecture, a warranty of all
cards that the maker sells itself. Such a statement stands once, with the family that it holds for, and every card of
the family gets it as if it stood in the card's own file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import Field

from pipeline.core.documents import Document, Strict, Text, Value, meant, read
from pipeline.core.gpus import Gpu, claim_of
from pipeline.core.theory import matches
from pipeline.core.yaml_text import lines_of

FILE = "clauses.yml"


class ClauseError(ValueError):
    """A clause that cannot be read; the message names file, line, field and the next step."""


class CardFamily(Strict):
    """Which cards a clause holds for: those that fit all that is named here, and none of `but`."""

    vendor: Text
    architectures: tuple[Text, ...] = ()
    segments: tuple[Text, ...] = ()
    gpus: tuple[Text, ...] = ()  # patterns on ids
    but: tuple[Text, ...] = ()

    def holds(self, gpu: Gpu) -> bool:
        """Whether the card belongs to the family."""
        return (
            gpu.vendor == self.vendor
            and (not self.architectures or gpu.architecture in self.architectures)
            and (not self.segments or gpu.segment in self.segments)
            and (not self.gpus or matches(gpu.id, self.gpus))
            and not matches(gpu.id, self.but)
        )

    def idle(self, gpus: Iterable[Gpu]) -> Iterator[tuple[str, str]]:
        """Its words that no card of the maker answers to, each with the one that may be meant."""
        own = [gpu for gpu in gpus if gpu.vendor == self.vendor]
        for words, found in (
            (self.architectures, {gpu.architecture for gpu in own}),
            (self.segments, {gpu.segment for gpu in own}),
        ):
            yield from ((word, meant(word, sorted(found))) for word in words if word not in found)
        ids = [gpu.id for gpu in own]
        for pattern in (*self.gpus, *self.but):
            if own and not any(matches(id, (pattern,)) for id in ids):
                yield pattern, meant(pattern, ids)


class Clause(Value):
    """One statement and the family that it holds for."""

    family: CardFamily


class Clauses(Strict):
    """All statements on families, with the documents that make them."""

    documents: dict[str, Document] = Field(default_factory=dict)
    values: tuple[Clause, ...] = ()

    @property
    def stated(self) -> frozenset[tuple[str, str]]:
        """Document and field of every clause: by these a claim is known to come from here."""
        return frozenset((clause.document, clause.field) for clause in self.values)

    def joined(self, gpus: Mapping[str, Gpu]) -> dict[str, Gpu]:
        """The cards with the clauses of their families added to what their own files say."""
        return {id: self._with_clauses(gpu) for id, gpu in gpus.items()}

    def problems(self, gpus: Mapping[str, Gpu]) -> Iterator[str]:
        """What is wrong with the clauses when they are held against the cards as their own files tell them."""
        for entry, clause in enumerate(self.values, start=1):
            yield from (f"{_named(entry, clause)}: {told}" for told in self._wrong(entry, clause, gpus.values()))
        for name in sorted(self.documents.keys() - {clause.document for clause in self.values}):
            yield f"data/{FILE}: document {name!r} is behind no clause; take it out"
        for gpu in gpus.values():
            for name in sorted(self.documents.keys() & gpu.documents.keys()):
                if self.documents[name] != gpu.documents[name]:
                    yield (
                        f"data/{FILE}: document {name!r} is another one in data/gpus/{gpu.id}.yml; "
                        f"describe it alike in both, or give one of them another name"
                    )

    def _wrong(self, entry: int, clause: Clause, gpus: Collection[Gpu]) -> Iterator[str]:
        """What is wrong with one clause: it says what an earlier one says, or its family is no card's."""
        if (first := self.values.index(clause) + 1) < entry:
            yield f"stands in entry {first} already; keep one of the two"
        vendors = sorted({gpu.vendor for gpu in gpus})
        if vendors and clause.family.vendor not in vendors:
            near = meant(clause.family.vendor, vendors)
            yield f"family: no card is of the maker {clause.family.vendor!r}{near}; correct it"
            return
        if not any(clause.family.holds(gpu) for gpu in gpus):
            yield "no card is of this family; correct it, or take the clause out"
        for word, near in clause.family.idle(gpus):
            yield f"family: no card has {word!r}{near}; correct it, or take it out"

    def _with_clauses(self, gpu: Gpu) -> Gpu:
        own = [clause for clause in self.values if clause.family.holds(gpu)]
        if not own:
            return gpu
        named = {clause.document: self.documents[clause.document] for clause in own}
        return gpu.model_copy(update={"documents": named | gpu.documents, "values": (*gpu.values, *own)})


def load(path: Path) -> Clauses:
    """Read the clauses; none where there is no file. ClauseError names all that is wrong, by line."""
    if not path.exists():
        return Clauses()
    clauses = read(path, f"data/{FILE}", Clauses, "it needs documents and values", ClauseError)
    found = list(_unfit(clauses))
    if found:
        lines = lines_of(path.read_text(encoding="utf-8"))
        raise ClauseError(
            "\n".join(f"data/{FILE}:{lines.get(('values', place), 1)}: {message}" for place, message in found)
        )
    return clauses


def _unfit(clauses: Clauses) -> Iterator[tuple[int, str]]:
    """Values that do not fit their field, or whose document is not listed, by their place in the file."""
    for place, clause in enumerate(clauses.values):
        try:
            claim_of("", clause, clauses.documents)
        except ValueError as error:
            yield place, str(error)


def _named(entry: int, clause: Clause) -> str:
    return f"data/{FILE}: values, entry {entry}: {clause.field} by {clause.document} ({clause.locator})"
