"""The files that the Python package carries: names, figures and peaks with their sources, and prices, as small JSON.

They are written by `python -m pipeline build` into `data/clean/package/`, and the wheel takes them from there. The
package itself has no dependencies, so everything that needs a rule of the pipeline (which price counts, which clock a
peak refers to) is worked out here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from pipeline.core import identity, theory
from pipeline.core.paths import DATA
from pipeline.core.schema import FIELDS, DecidedClaim, PeakKey, field_of
from pipeline.core.theory import Architectures, Theory
from pipeline.core.wording import number
from pipeline.dataset import Dataset, GpuRecord
from pipeline.intake import licences
from pipeline.site import quotes
from pipeline.site.pages import addresses

FOLDER = "clean/package"
LICENCE = "CC BY-SA 4.0; each figure with the licence of its source"
COMPUTED = "computed"


class Sources:
    """The documents behind the figures, each once; figures name them by number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str, str, str], int] = {}

    def number(self, title: str, kind: str, url: str, licence: str) -> int:
        """The number of a document, a new one for a document that was not seen before."""
        return self._numbers.setdefault((title, kind, url, licence), len(self._numbers))

    def rows(self) -> list[list[str]]:
        """The documents in the order of their numbers."""
        return [list(source) for source in self._numbers]


def completed(tables: Mapping[str, str], names: Path) -> dict[str, str]:
    """All that a build writes (path below data/ -> text): fresh tables, and the package's files made from them."""
    return {**tables, **contents(Dataset.of_texts(tables), identity.load_names(names))}


def contents(dataset: Dataset, families: list[identity.NameFile]) -> dict[str, str]:
    """Make the package's files: path below data/ -> text."""
    sources, table, decided = Sources(), theory.load(), licences.load(DATA.licences)
    files: dict[str, object] = {
        "about": {
            "version": dataset.newest_reading,
            "site": addresses.SITE,
            "licence": LICENCE,
            "fields": {field.name: [field.label, field.unit] for field in FIELDS.values()},
        },
        "names": _names(dataset, families),
        "gpus": {gpu.id: _card(gpu, sources) for gpu in dataset.gpus.values()},
        "peaks": {gpu.id: list(_peaks(gpu, table, sources)) for gpu in dataset.gpus.values()},
        "prices": _prices(dataset, decided),
        "sources": [],
    }
    files["sources"] = sources.rows()
    return {f"{FOLDER}/{name}.json": _json(content) for name, content in files.items()}


def _names(dataset: Dataset, families: list[identity.NameFile]) -> dict[str, object]:
    """Everything by which a name is found: the spellings, the shared names, and how names are compared."""
    cards = dataset.gpus.values()
    return {
        "maker_words": sorted(identity.MAKER_WORDS),
        "vendor_of_word": dict(sorted(identity.VENDOR_OF_WORD.items())),
        "marks": {chr(code): text for code, text in identity.MARKS.items()},
        "separators": identity.SEPARATORS,
        "cards": {gpu.id: {"name": gpu.name, "vendor": gpu.vendor, "aliases": gpu.aliases} for gpu in cards},
        "spellings": {identity.key(spelling): gpu.id for gpu in cards for spelling in (gpu.id, gpu.name, *gpu.aliases)},
        "families": {
            identity.key(entry.name): {"could_be": entry.could_be, "reason": entry.reason}
            for file in families
            for entry in file.ambiguous
        },
    }


def _card(gpu: GpuRecord, sources: Sources) -> dict[str, object]:
    known = {name: claim for name in FIELDS if (claim := gpu.chosen(name))}
    return {
        "name": gpu.name,
        "vendor": gpu.vendor,
        "segment": gpu.segment,
        "line": gpu.line,
        "architecture": gpu.architecture,
        "form_factor": gpu.form_factor,
        "figures": {
            name: [_value(name, claim.value), *_place(claim, sources), len(gpu.differing(name))]
            for name, claim in known.items()
        },
    }


def _peaks(gpu: GpuRecord, table: Architectures, sources: Sources) -> Iterator[list[object]]:
    """Stated rates, then those by arithmetic that no source states."""
    worked = theory.theory(gpu, table)
    for key in gpu.peaks:
        claim = gpu.chosen(key.field)
        if claim:
            mhz, clock = _clock(claim.value, worked.get(key), table)
            yield [_words(key), gpu.peaks[key], "stated", mhz, clock, *_place(claim, sources)]
    for key, rate in worked.items():
        if key not in gpu.peaks:
            document = table.documents[rate.rate.document]
            source = sources.number(document.title, COMPUTED, document.url, document.licence)
            tflops = float(f"{rate.tflops:.6g}")
            place = [source, rate.rate.locator, document.read.isoformat()]
            yield [_words(key), tflops, COMPUTED, rate.clock_mhz, _arithmetic(rate, table), *place]


def _prices(dataset: Dataset, decided: licences.Licences) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = {}
    for gpu, row in quotes.told(dataset, decided):
        found.setdefault(gpu, []).append(row)
    return found


def _clock(stated: str, rate: Theory | None, table: Architectures) -> tuple[float | None, str]:
    """The clock that a stated rate refers to, as arithmetic finds it; None where units or operations are unknown."""
    if rate is None:
        return None, "clock not known: its units, their operations a clock or its clock have no source"
    if theory.off(stated, rate) is None:
        return rate.clock_mhz, f"at {_arithmetic(rate, table)}"
    mhz = round(theory.fitting_clock_mhz(stated, rate))
    return None, f"would need {number(mhz, 4)} MHz; {_arithmetic(rate, table)} give {number(rate.tflops)}"


def _arithmetic(rate: Theory, table: Architectures) -> str:
    clock = f"by {table.documents[rate.clock.document].title}" if rate.clock else "boost clock"
    units = f"{rate.units} {rate.unit} × {number(rate.operations, 6)} operations"
    return f"{units} × {number(rate.clock_mhz, 5)} MHz ({clock})"


def _place(claim: DecidedClaim, sources: Sources) -> list[object]:
    number = sources.number(claim.source_title, claim.kind, claim.url, claim.licence)
    return [number, claim.locator, claim.retrieved]


def _words(key: PeakKey) -> str:
    return key.field.removeprefix("peak:")


def _value(name: str, text: str) -> str | int | float | bool:
    kind = field_of(name).type
    if kind == "flag":
        return text == "true"
    if kind == "integer":
        return int(float(text))
    if kind == "number":
        return int(amount) if (amount := float(text)).is_integer() else amount
    return text


def _json(content: object) -> str:
    """JSON with a line for each entry, so that a difference shows the cards that changed."""
    if isinstance(content, dict):
        return "{\n" + ",\n".join(f"{_compact(key)}:{_compact(value)}" for key, value in content.items()) + "\n}\n"
    return "[\n" + ",\n".join(map(_compact, content if isinstance(content, list) else [])) + "\n]\n"


def _compact(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
