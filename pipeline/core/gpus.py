"""The hand-written entries of `data/gpus`: what each GPU is, its names, and the claims read for it by hand."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError
from rapidfuzz.distance import Levenshtein

from pipeline.core import makers
from pipeline.core.documents import Document, Note, Strict, Text, Value, markup_in, meant, model_of, page_of, text_of
from pipeline.core.paths import ROOT
from pipeline.core.schema import SEGMENTS, VENDORS, Claim, SchemaError, canonical, field_of
from pipeline.core.units import UnitError
from pipeline.core.yaml_text import lines_of
from pipeline.core.yaml_text import load as load_yaml

MAX_LATIN = 0x7F
# Emoji and other pictures, quotes of print, signs that print nothing, and what stands for no sign. Makers print marks.
PICTURES, MARKS = ("So", "Sk", "Cf", "Cc", "Co", "Cs", "Cn", "Me", "Pi", "Pf"), "®™©°"
# A word of a name that stands twice, as in NVIDIA NVIDIA L4.
TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
DOCUMENT_ID = re.compile(r"[a-z0-9][a-z0-9._-]*")
# A slip of the keyboard: in a word of so many letters at most so many are wrong.
SHORTEST_WORD, SLIP = 5, 2
Placed = tuple[tuple[str | int, ...], str]  # the place of an entry in a file, and what is wrong with it
ID = r"[a-z0-9]+(-[a-z0-9.]+)+"


class GpuError(ValueError):
    """A GPU's YAML that cannot be read; the message names file, field, value and the next step.

    `gpu` is what is left without the values that cannot be read, None where nothing is.
    """

    gpu: Gpu | None = None


# What stands for a document that cannot be read itself while its values are looked at.
UNREAD = Document.model_construct(title="?", kind="community", url="?", read=date.min, licence="?")


class Gpu(Strict):
    """One board: its name, what it is, the names that mean it, and values read by hand."""

    id: Annotated[str, StringConstraints(pattern=f"^{ID}$")]
    name: Text
    vendor: Literal[VENDORS]  # type: ignore[valid-type]
    segment: Literal[SEGMENTS]  # type: ignore[valid-type]
    line: Text
    architecture: Text
    form_factor: Text
    dies: Annotated[int, Field(ge=1, le=16)] = 1
    aliases: tuple[Text, ...] = ()
    note: Note = ""
    documents: dict[str, Document] = Field(default_factory=dict)
    values: tuple[Value, ...] = ()


def rests_on() -> tuple[Path, ...]:
    """The files that decide, beside a GPU's own, how it is read and what is wrong with it.

    Whoever keeps what was read throws it away when one of them changes.
    """
    return (makers.FILE, ROOT / "requirements.lock", *sorted(Path(__file__).parent.rglob("*.py")))


def load(folder: Path) -> dict[str, Gpu]:
    """Read every GPU of a folder by id; GpuError lists all that is wrong in all files together."""
    gpus, problems = sound(folder)
    if problems:
        raise GpuError("\n".join(problems))
    return gpus


def sound(folder: Path, known: Mapping[str, Gpu] | None = None) -> tuple[dict[str, Gpu], list[str]]:
    """The GPUs of a folder by id, and what is wrong with their files.

    A file of which only values or names are wrong gives its GPU without these values, so that the rules still look at
    the others.

    `known` are GPUs (by file name) that were read before and need not be read again.
    """
    gpus: dict[str, Gpu] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.yml")):
        try:
            gpus[path.stem] = (known or {}).get(path.name) or _read(path)
        except GpuError as error:
            problems.extend(str(error).splitlines())
            if error.gpu is not None:
                gpus[path.stem] = error.gpu
    return gpus, problems


def misspelled(gpus: Mapping[str, Gpu], known: Collection[str] = ()) -> list[str]:
    """Words that one GPU alone has and that are a slip away from those of others, or from `known` architectures."""
    counted = Counter((gpu.vendor, gpu.architecture) for gpu in gpus.values())
    makers_of: dict[str, set[str]] = defaultdict(set)
    for vendor, architecture in counted:
        makers_of[architecture].add(vendor)
    found = [*_odd_words(gpus, "form_factor"), *_odd_words(gpus, "line")]
    for gpu in gpus.values():
        others_have = sorted(makers_of[gpu.architecture] - {gpu.vendor})
        if counted[gpu.vendor, gpu.architecture] == 1 and others_have:
            found.append(
                f"data/gpus/{gpu.id}.yml: architecture: {gpu.architecture!r} is an architecture of "
                f"{' and '.join(others_have)}, and this card is made by {gpu.vendor}; correct one of the two"
            )
            continue
        if counted[gpu.vendor, gpu.architecture] == 1 and gpu.architecture not in known:
            others = [name for (vendor, name), count in counted.items() if vendor == gpu.vendor and count > 1]
            others += known
            near = [name for name in others if _is_slip(gpu.architecture, name)]
            if near:
                found.append(
                    f"data/gpus/{gpu.id}.yml: architecture: {gpu.architecture!r} stands in no other file; "
                    f"did you mean {near[0]!r}? A new architecture has a name of its own"
                )
    return found


def _odd_words(gpus: Mapping[str, Gpu], field: str) -> Iterator[str]:
    """Words of a field that one GPU alone has and that begin, or nearly are, one that several have."""
    counted = Counter(getattr(gpu, field) for gpu in gpus.values())
    for gpu in gpus.values():
        word = getattr(gpu, field)
        usual = [other for other, count in counted.items() if count > 1 and counted[word] == 1]
        near = [other for other in usual if _is_slip(word, other) or other.casefold().startswith(word.casefold())]
        if near:
            step = "write it alike, or tell the two apart"
            yield f"data/gpus/{gpu.id}.yml: {field}: {word!r} stands in no other file; did you mean {near[0]!r}? {step}"


def claims(gpu: Gpu) -> Iterator[Claim]:
    """Turn the hand-read values of a GPU into claims; GpuError for a value that does not fit its field."""
    for value in gpu.values:
        try:
            yield claim_of(gpu.id, value, gpu.documents)
        except GpuError as error:
            raise GpuError(f"data/gpus/{gpu.id}.yml: {error}") from None


def claim_of(gpu: str, value: Value, documents: Mapping[str, Document]) -> Claim:
    """A value read by hand as a claim on a card; GpuError where it does not fit its field or has no document."""
    document = documents.get(value.document)
    if document is None:
        known = list(documents)
        raise GpuError(
            f"{value.field}: document {value.document!r} is not listed{meant(value.document, known)} "
            f"(known: {', '.join(known) or 'none'}); add it under documents with title, kind, url, read and licence"
        )
    try:
        # As text, so that a number without its unit is refused.
        written, unit = _written(value.field, value.value if isinstance(value.value, bool) else str(value.value))
    except (SchemaError, UnitError, ValueError) as error:
        raise GpuError(f"{value.field}: value {value.value!r}: {error}") from None
    day = document.read.isoformat()
    return Claim(
        gpu,
        value.field,
        written,
        unit,
        value.document,
        document.kind,
        document.url,
        value.locator,
        day,
        document.licence,
    )


@lru_cache(maxsize=65_536, typed=True)  # every check of a file asks it of every value: typed, for 1 is not true
def _written(field: str, value: bool | str) -> tuple[str, str]:
    """A value in the written form of its field, and the unit of that."""
    return canonical(field, value), field_of(field).unit


def _read(path: Path) -> Gpu:
    """Read one file; GpuError holds a line for each thing that is wrong with it, with its line in the file."""
    where = f"data/gpus/{path.name}"
    return _gpu_of(path.stem, text_of(path, where, GpuError), where)


@cache
def _gpu_of(id: str, text: str, where: str) -> Gpu:
    """The GPU of a text; one that was read before is not read again: a command asks for all files several times."""
    try:
        gpu = model_of(id, text, where, Gpu, "see the recipe for a GPU in CONTRIBUTING.md", GpuError)
    except GpuError as error:
        values = _placed(text, where, _problems_of_values(*_what_is_left(text, where)))
        raise GpuError("\n".join([str(error), *values])) from None
    found = [
        *_problems_of_values(gpu.documents, dict(enumerate(gpu.values))),
        *_problems_of_documents(gpu),
        *_problems_of_names(gpu),
    ]
    if found:
        told = GpuError("\n".join(_placed(text, where, found)))
        told.gpu = gpu.model_copy(
            update={"values": tuple(value for value in gpu.values if _fits(value, gpu.documents))}
        )
        raise told
    return gpu


def _placed(text: str, where: str, found: Iterable[Placed]) -> list[str]:
    listed = list(found)
    lines = lines_of(text) if listed else {}
    return [f"{where}:{lines.get(place, 1)}: {message}" for place, message in listed]


def _what_is_left(text: str, where: str) -> tuple[dict[str, Document], dict[int, Value]]:
    """The documents and values of a file of which other parts are wrong, the values by their number in the file."""
    try:
        content = load_yaml(text, where, GpuError)
        documents, values = content["documents"], content["values"]
        if not isinstance(documents, dict):  # told already; that values name none of them would only repeat it
            return {}, {}
        return dict.fromkeys(documents, UNREAD), {
            number: Value.model_validate(value) for number, value in enumerate(values) if _is_value(value)
        }
    except (GpuError, KeyError, TypeError):
        return {}, {}


def _is_value(entry: object) -> bool:
    try:
        return Value.model_validate(entry) is not None
    except ValidationError:
        return False


def _fits(value: Value, documents: Mapping[str, Document]) -> bool:
    try:
        return claim_of("", value, documents) is not None
    except GpuError:
        return False


def _problems_of_values(documents: Mapping[str, Document], values: Mapping[int, Value]) -> Iterator[Placed]:
    """What is wrong with values that have the right form, by their place in the file."""
    read_before: dict[tuple[str, str, str], int] = {}
    for number, value in values.items():
        first = read_before.setdefault((value.field, value.document, value.locator), number)
        if first != number:
            yield (
                ("values", number),
                f"{value.field}: {value.document!r} states it already in entry {first + 1}, at the same place "
                f"({value.locator}); keep the entry that the document bears out",
            )
        try:
            claim_of("", value, documents)
        except GpuError as error:
            yield ("values", number), str(error)
        told = markup_in(str(value.value))
        if told:
            yield ("values", number), f"{value.field}: value {value.value!r} {told}"


def _problems_of_documents(gpu: Gpu) -> Iterator[Placed]:
    """Documents that no value rests on, or that stand twice: a page that two ids name would count as two sources."""
    used = {value.document for value in gpu.values}
    # A slip in the name of a document is told where the value names it.
    meant_by = {near for name in used - gpu.documents.keys() for near in get_close_matches(name, gpu.documents, n=1)}
    stated = {name: set(_stated(gpu, name)) for name in gpu.documents}
    seen: dict[str, str] = {}
    for name, document in gpu.documents.items():
        first = seen.setdefault(page_of(document.url), name)
        alike = sorted(field for field, _ in stated[name] & stated[first])
        if not DOCUMENT_ID.fullmatch(name):
            step = "write small letters, digits, dots and hyphens, as data-sheet-2023, and so in the values"
            yield ("documents", name), f"documents: {name!r} is no id of a document; {step}"
        if name not in used | meant_by:
            yield ("documents", name), f"documents, {name}: no value names it; take it out, or enter what it states"
        if first != name and (alike or document.title == gpu.documents[first].title):
            both = f" and states {', '.join(alike)} as it does" if alike else ""
            yield (
                ("documents", name),
                f"documents, {name}: is the same document as {first}: it has its address{both}; a page counts once, so "
                f"keep one of the two and let the values name it",
            )


def _stated(gpu: Gpu, document: str) -> Iterator[tuple[str, str]]:
    """What a document says of a card, in written form: the fields with their values."""
    for value in gpu.values:
        if value.document == document:
            with suppress(GpuError):  # what does not fit is told where the value stands
                claim = claim_of("", value, gpu.documents)
                yield claim.field, claim.value


def _problems_of_names(gpu: Gpu) -> Iterator[Placed]:
    """What is wrong with the names and the maker of a GPU."""
    if gpu.id.partition("-")[0] not in makers.load()[gpu.vendor]:
        words = " or ".join(makers.load()[gpu.vendor])
        yield (
            ("vendor",),
            f"vendor: {gpu.vendor!r} is not the maker that the file's name begins with, {gpu.id.partition('-')[0]!r}; "
            f"a card of {gpu.vendor} is in a file that begins with {words}: correct the vendor or rename the file",
        )
    named: dict[tuple[str | int, ...], str] = {
        ("name",): gpu.name,
        ("line",): gpu.line,
        ("architecture",): gpu.architecture,
        ("form_factor",): gpu.form_factor,
        **{("aliases", number): alias for number, alias in enumerate(gpu.aliases)},
    }
    for place, text in named.items():
        yield from ((place, message) for message in _foreign(text))
        if twice := TWICE.search(text):
            yield place, f"{text!r} holds {twice[1]!r} twice; take one out"
    seen: dict[str, int] = {}
    for number, alias in enumerate(gpu.aliases):
        first = seen.setdefault(alias.casefold(), number)
        if first != number:
            yield (
                ("aliases", number),
                f"aliases: {alias!r} stands twice, as entries {first + 1} and {number + 1}; take one out",
            )


def _foreign(text: str) -> Iterator[str]:
    """Letters and digits of another script, which look like ours and match no name."""
    for letter in text:
        if unicodedata.category(letter) in PICTURES and letter not in MARKS:
            yield f"{text!r} holds {letter!r}, which is no part of a name; take it out"
        script = unicodedata.name(letter, "").split(" ")[0]
        if letter.isdecimal() and not letter.isascii():
            yield f"{text!r} holds {letter!r}, a digit of another script; type it as {int(letter)}"
        if letter.isalpha() and ord(letter) > MAX_LATIN and script not in ("LATIN", "MICRO", "FEMININE", "MASCULINE"):
            yield f"{text!r} holds {letter!r}, a {script.title()} letter; type the name again in Latin letters"


def _is_slip(written: str, known: str) -> bool:
    """Whether two words are a typing error apart: the same digits, and at most two letters changed."""
    same_digits = re.sub(r"\D", "", written) == re.sub(r"\D", "", known)
    distance = Levenshtein.distance(written.casefold(), known.casefold())
    return same_digits and len(known) >= SHORTEST_WORD and 0 < distance <= SLIP
