"""The hand-written entries of `data/gpus`: what each GPU is, its names, and the claims read for it by hand."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints
from rapidfuzz.distance import Levenshtein

from pipeline.core.documents import Document, Strict, Text, Value, lines_of, meant, read
from pipeline.core.schema import SEGMENTS, VENDORS, Claim, SchemaError, canonical, field_of
from pipeline.core.units import UnitError

MAX_LATIN = 0x7F
# A slip of the keyboard: in a word of so many letters at most so many are wrong.
SHORTEST_WORD, SLIP = 5, 2
ID = r"[a-z0-9]+(-[a-z0-9.]+)+"


class GpuError(ValueError):
    """A GPU's YAML that cannot be read; the message names file, field, value and the next step."""


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
    note: str = ""
    documents: dict[str, Document] = Field(default_factory=dict)
    values: tuple[Value, ...] = ()


def load(folder: Path) -> dict[str, Gpu]:
    """Read every GPU of a folder by id; GpuError lists all that is wrong in all files together."""
    gpus, problems = sound(folder)
    if problems:
        raise GpuError("\n".join(problems))
    return gpus


def sound(folder: Path, known: Mapping[str, Gpu] | None = None) -> tuple[dict[str, Gpu], list[str]]:
    """The GPUs of a folder that can be read, by id, and what is wrong with the others.

    `known` are GPUs (by file name) that were read before and need not be read again.
    """
    gpus: dict[str, Gpu] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.yml")):
        try:
            gpus[path.stem] = (known or {}).get(path.name) or _read(path)
        except GpuError as error:
            problems.extend(str(error).splitlines())
    return gpus, problems


def misspelled(gpus: Mapping[str, Gpu], known: Collection[str] = ()) -> list[str]:
    """Architectures that one GPU alone has and that are a slip away from one that others have, or from a known one."""
    counted = Counter((gpu.vendor, gpu.architecture) for gpu in gpus.values())
    found = []
    for gpu in gpus.values():
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


def claims(gpu: Gpu) -> Iterator[Claim]:
    """Turn the hand-read values of a GPU into claims; GpuError for a value that does not fit its field."""
    for value in gpu.values:
        try:
            yield _claim(gpu, value)
        except GpuError as error:
            raise GpuError(f"data/gpus/{gpu.id}.yml: {error}") from None


def _claim(gpu: Gpu, value: Value) -> Claim:
    document = gpu.documents.get(value.document)
    if document is None:
        known = list(gpu.documents)
        raise GpuError(
            f"{value.field}: document {value.document!r} is not listed{meant(value.document, known)} "
            f"(known: {', '.join(known) or 'none'}); add it under documents with title, kind, url, read and licence"
        )
    try:
        # As text, so that a number without its unit is refused.
        written = canonical(value.field, value.value if isinstance(value.value, bool) else str(value.value))
        unit = field_of(value.field).unit
    except (SchemaError, UnitError, ValueError) as error:
        raise GpuError(f"{value.field}: value {value.value!r}: {error}") from None
    day = document.read.isoformat()
    return Claim(
        gpu.id,
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


def _read(path: Path) -> Gpu:
    """Read one file; GpuError holds a line for each thing that is wrong with it, with its line in the file."""
    where, hint = f"data/gpus/{path.name}", "see the recipe for a GPU in CONTRIBUTING.md"
    gpu = read(path, where, Gpu, hint, GpuError)
    found = list(_problems(gpu))
    if found:
        lines = lines_of(path.read_text(encoding="utf-8"))
        raise GpuError("\n".join(f"{where}:{lines.get(place, 1)}: {message}" for place, message in found))
    return gpu


def _problems(gpu: Gpu) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What is wrong with a file that has the right form, by its place in the file."""
    for number, value in enumerate(gpu.values):
        try:
            _claim(gpu, value)
        except GpuError as error:
            yield ("values", number), str(error)
    named = {"name": gpu.name, "line": gpu.line, "architecture": gpu.architecture, "form_factor": gpu.form_factor}
    for field, text in named.items():
        yield from (((field,), message) for message in _foreign(text))
    texts: dict[tuple[str | int, ...], str] = {(field,): text for field, text in named.items()}
    texts |= {("values", number, "locator"): value.locator for number, value in enumerate(gpu.values)}
    texts |= {("aliases", number): alias for number, alias in enumerate(gpu.aliases)}
    for place, text in texts.items():
        if text.startswith("<"):
            yield place, f"{text!r} is still to be filled in, or taken out"
    seen: dict[str, int] = {}
    for number, alias in enumerate(gpu.aliases):
        place = ("aliases", number)
        yield from ((place, message) for message in _foreign(alias))
        first = seen.setdefault(alias.casefold(), number)
        if first != number:
            yield place, f"aliases: {alias!r} stands twice, as entries {first + 1} and {number + 1}; take one out"


def _foreign(text: str) -> Iterator[str]:
    """Letters of another script, which look like ours and match no name."""
    for letter in text:
        script = unicodedata.name(letter, "").split(" ")[0]
        if letter.isalpha() and ord(letter) > MAX_LATIN and script not in ("LATIN", "MICRO", "FEMININE", "MASCULINE"):
            yield f"{text!r} holds {letter!r}, a {script.title()} letter; type the name again in Latin letters"


def _is_slip(written: str, known: str) -> bool:
    """Whether two words are a typing error apart: the same digits, and at most two letters changed."""
    same_digits = re.sub(r"\D", "", written) == re.sub(r"\D", "", known)
    distance = Levenshtein.distance(written.casefold(), known.casefold())
    return same_digits and len(known) >= SHORTEST_WORD and 0 < distance <= SLIP
