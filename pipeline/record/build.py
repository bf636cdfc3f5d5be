"""Builds the cleaned dataset from what stands in `data/`, stage by stage."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from pipeline.core import clauses, files, gpus, identity, theory
from pipeline.core import rows as records
from pipeline.core.clauses import Clauses
from pipeline.core.gpus import Gpu
from pipeline.core.measured.plausible import CardLimits
from pipeline.core.networks import multiply_adds
from pipeline.core.paths import DataPaths
from pipeline.core.schema import (
    FIELDS,
    PEAK,
    TABLES,
    Claim,
    Price,
    Result,
    parse_peak,
    whole_day,
)
from pipeline.intake import price_sets, result_sets
from pipeline.intake.sources import MODULES
from pipeline.intake.sources.base import Asked
from pipeline.record import chips, corrections, judge, outliers, reconcile, results, validate
from pipeline.record.corrections import Corrections, Withdrawn
from pipeline.record.reconcile import Ancestry, Records
from pipeline.record.validate import Evidence

# The folders that people put files into, and how the names of these end.
CONTRIBUTED = {
    "gpus": (".yml",),
    "names": (".yml",),
    "models": (".yml",),
    "benchmarks": (".csv", ".yml"),
    "price-sets": (".csv", ".yml"),
}
# The folders of sets: a table and its description lie side by side.
PAIRED = ("benchmarks", "price-sets")
# Of a set that was measured here a second file holds every repetition.
SET_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*\.csv")
Record = TypeVar("Record", Claim, Result, Price)
Item = TypeVar("Item")
Other = TypeVar("Other")


class BuildError(ValueError):
    """The dataset cannot be built; `problems` are all of them, each naming file, field, value and next step."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


@dataclass(frozen=True, slots=True)
class Scope:
    """What somebody touched: GPUs by id, and contributed sets by name. A survey reads no more than bears on them."""

    gpus: frozenset[str]  # those of the sets among them
    price_sets: frozenset[str] = frozenset()
    benchmark_sets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Built:
    """The files of `data/clean` as text, and what they were made of."""

    contents: dict[str, str]  # path below data/ → text
    evidence: Evidence
    withdrawn: list[Withdrawn]


def build(data: DataPaths) -> None:
    """Build `data/clean` anew; on any problem BuildError, and nothing in `data/` changes."""
    files.recover(data.data)
    files.replace_all(data.data, compile_dataset(data).contents)


def compile_dataset(data: DataPaths) -> Built:
    """Do all stages in memory: read, correct, reconcile, validate, write out."""
    evidence, withdrawn, problems = survey(data)
    if problems:
        raise BuildError(problems)
    return finished(evidence, withdrawn)


def finished(evidence: Evidence, withdrawn: list[Withdrawn]) -> Built:
    """The dataset of what a survey without problems read: judge the results and write the tables out."""
    worked = chips.worked_out(evidence.gpus, evidence.records, evidence.architectures)
    evidence = evidence.judged(list(judge.judged(evidence.results, evidence.records, worked, evidence.images)))
    tables: dict[str, Iterable[Sequence[object]]] = {
        "gpus": _gpu_rows(evidence.gpus, evidence.records),
        "peaks": _peak_rows(evidence.records, worked),
    }
    typed: dict[str, Iterable[object]] = {
        "claims": reconcile.decided(
            evidence.records, ((entry.claim, entry.reason) for entry in withdrawn), _titles(evidence.gpus)
        ),
        "benchmarks": evidence.results,
        "prices": [*evidence.prices, *_launch_prices(evidence.records)],
    }
    for name, found in typed.items():  # `astuple` copies each cell, which takes ten times as long
        cells = map(attrgetter(*TABLES[name]), found)
        tables[name] = sorted(cells, key=lambda row: ["" if cell is None else str(cell) for cell in row])
    contents = {f"clean/{name}.csv": files.csv_text(tuple(TABLES[name]), rows) for name, rows in tables.items()}
    contents["clean/schema.json"] = json.dumps(table_schemas(), indent=1, sort_keys=True) + "\n"
    return Built(contents, evidence, withdrawn)


def survey(
    data: DataPaths, known: Mapping[str, Gpu] | None = None, only: Scope | None = None
) -> tuple[Evidence, list[Withdrawn], list[str]]:
    """Read everything that can be read, and say every problem of every layer together.

    A file that cannot be read is told and left out; what would only follow from its absence is not told. `known` are
    GPUs by file name that were read before. With `only` nothing is read of other GPUs but their names, and of the
    variants of these what sources say.
    """
    found = [*(_strays(data.data) if only is None else ()), *_single(data.data)]
    gpus_known, problems = gpus.sound(data.gpus, known)
    broken = {path.stem for path in data.gpus.glob("*.yml")} - gpus_known.keys()
    architectures = _tried(found, theory.Architectures.none(), theory.load, data.architectures)
    found += [*problems, *gpus.misspelled(gpus_known, {group.architecture for group in architectures.groups})]
    stated = _tried(found, Clauses(), clauses.load, data.clauses)
    if not found and not broken and only is None:
        found += stated.problems(gpus_known)
    gpus_known = stated.joined(gpus_known)
    families = _tried(found, (), identity.load_names, data.names)
    found += identity.too_wide(gpus_known)
    # Names that two cards share are told beside a broken file; what a list of names says of that card is not judged.
    named = _tried(found, None, identity.Names, gpus_known, () if broken else families)
    named = None if broken else named
    known_errors, wrong_entries = _known_errors(data.corrections)
    errors = known_errors or Corrections()
    related = siblings(families)
    wanted = None if only is None else only.gpus.union(*(related.get(gpu, frozenset()) for gpu in only.gpus))
    stated_claims = [
        claim for gpu in gpus_known.values() if wanted is None or gpu.id in wanted for claim in gpus.claims(gpu)
    ]
    for path in sorted(data.claims.glob("*.csv")):
        stated_claims += _rows(path, Claim, found, wanted)
    claims, withdrawn, idle = corrections.apply(stated_claims, errors.withdrawn)
    prices, idle_prices = corrections.withdraw(_prices(data, found, only), errors.prices)
    prices = outliers.flagged(prices)
    evidence = Evidence(
        gpus_known if wanted is None else {id: gpu for id, gpu in gpus_known.items() if id in wanted},
        [claim for claim in claims if claim.gpu not in broken],
        ancestry(MODULES),
        [result for result in _results(data, found, only) if result.gpu not in broken],
        [price for price in prices if price.gpu not in broken and (wanted is None or price.gpu in wanted)],
        related,
        frozenset(price_sets.names(data.price_sets)),
        frozenset(path.stem for path in result_sets.sets(data.benchmark_sets)),
        _newest_snapshot(data),
        frozenset(gpus_known) | broken,
        architectures,
        stated.stated,
        named,
        multiply_adds(data.models),
    )
    if not found and only is None and known_errors:
        found += [*idle, *idle_prices, *_tried(found, (), _idle_names, gpus_known, families, data)]
    found += wrong_entries
    if known_errors:  # without them everything that they withdraw or accept would be told
        found += [
            problem
            for problem in _tried(found, (), validate.problems, evidence, known_errors.accepted)
            if (architectures.groups and not broken) or _stands(problem)
        ]
    found += _tried(found, (), list, result_sets.judged(_benchmark_sets(data, only), _limits(evidence.records)))
    found += _beyond_theory(evidence)
    # A list that cannot be read is stumbled over by everybody who asks for it.
    return evidence, withdrawn, list(dict.fromkeys(found))


def _strays(root: Path) -> Iterator[str]:
    """Files in a folder of contributions that nothing reads, since their names end otherwise."""
    for folder, endings in CONTRIBUTED.items():
        for path in sorted((root / folder).glob("[!.]*")):
            if path.suffix not in (*endings, ".md"):
                step = f"a file here ends in {' or '.join(endings)}; rename it"
                step = f"move its files to data/{folder}, where all lie side by side" if path.is_dir() else step
                yield f"data/{folder}/{path.name}: is read by nothing: {step}"


def _single(root: Path) -> Iterator[str]:
    """Sets that lack their table or a name; a table without its description is told where it is read."""
    for folder in PAIRED:
        for path in sorted((root / folder).glob("*.csv")):
            if not SET_NAME.fullmatch(path.name):
                step = "name it and its YAML in small letters, digits and hyphens, as shop-pages-2026-07"
                yield f"data/{folder}/{path.name}: this name is none of a set; {step}"
        for path in sorted((root / folder).glob("*.yml")):
            table = path.with_suffix(".csv")
            if not table.exists():
                step = f"each set needs its table, see data/{folder}/README.md"
                yield f"data/{folder}/{path.name}: there is no {table.name} beside it; {step}"


def _tried(found: list[str], otherwise: Other, work: Callable[..., Item], *about: object) -> Item | Other:
    """What a step gives; where it fails its problems are noted, and what stands in for it is given."""
    try:
        return work(*about)
    except ValueError as error:
        found.extend(str(error).splitlines())
        return otherwise


def _known_errors(path: Path) -> tuple[Corrections | None, list[str]]:
    """The corrections and what is wrong with them; None where nothing of the file can be read."""
    try:
        return corrections.load(path), []
    except corrections.CorrectionError as error:
        return error.left, str(error).splitlines()


def _stands(problem: str) -> bool:
    """Whether a problem may be told while a GPU's file cannot be read: an accepted one may seem to be gone."""
    return ": accepted, entry " not in problem


def _beyond_theory(evidence: Evidence) -> Iterator[str]:
    """Contributed results that no card can have reached, by row; TFLOPS and GB/s are judged cell by cell."""
    contributed = [
        result
        for result in evidence.results
        if result.source in evidence.benchmark_sets and result.unit not in ("TFLOPS", "GB/s")
    ]
    if contributed:
        worked = chips.worked_out(evidence.gpus, evidence.records, evidence.architectures)
        for one, reason in judge.refused(contributed, evidence.records, worked, evidence.images):
            said = ", ".join(part for part in (one.gpu, one.model, one.precision, one.batch, one.metric) if part)
            yield (
                f"data/benchmarks/{one.locator.replace(', row ', ' row ')} ({said}): {one.value:g} {one.unit} is "
                f"{reason}; correct value, model, precision or batch, or say in the column flag what explains it"
            )


def _limits(decided: Records) -> dict[str, CardLimits]:
    """What each GPU allows: its bandwidth, for each format the highest dense peak, and from which day."""
    return {
        gpu: CardLimits(
            _highest_peaks(record),
            chips.figure(record, "memory_bandwidth_gb_s"),
            record["launch_date"].chosen.value if "launch_date" in record else "",
        )
        for gpu, record in decided.items()
    }


def _highest_peaks(record: Mapping[str, reconcile.Decision]) -> dict[str, float]:
    highest: dict[str, float] = {}
    for field, decision in record.items():
        if field.startswith("peak:") and (key := parse_peak(field)).sparsity == "dense":
            highest[key.input] = max(highest.get(key.input, 0.0), float(decision.chosen.value))
    return highest


def ancestry(modules: Iterable[ModuleType]) -> Ancestry:
    """The order of the sources in their list, and which is derived from which."""
    listed = [module.SOURCE for module in modules]
    return Ancestry({s.id: s.derived_from for s in listed}, {s.id: i for i, s in enumerate(listed)})


def load_names(data: DataPaths) -> identity.Names:
    """Read GPUs and names, ready to resolve; BuildError when they contradict one another."""
    try:
        return identity.Names(gpus.load(data.gpus), identity.load_names(data.names))
    except (gpus.GpuError, identity.NamesError) as error:
        raise BuildError(str(error).splitlines()) from None


def siblings(families: Iterable[identity.NameFile]) -> dict[str, frozenset[str]]:
    """For each GPU the variants with which it shares a family name."""
    shared = [set(entry.could_be) for file in families for entry in file.ambiguous]
    members = {gpu for family in shared for gpu in family}
    return {gpu: frozenset().union(*(f for f in shared if gpu in f)) - {gpu} for gpu in members}


def _results(data: DataPaths, found: list[str], only: Scope | None) -> Iterator[Result]:
    """Every result in our words for what kind of run it was; of a source's in words that no table knows it is told."""
    for path in sorted(data.results.glob("*.csv")) if only is None else ():
        for result in _rows(path, Result, found, None):
            try:
                yield from results.classified([result])
            except results.ResultError as error:
                found.append(str(error))
    for path in _benchmark_sets(data, only):
        rows, problems = result_sets.sound(path)
        found += problems
        for result in rows:
            try:
                yield from results.classified([result])
            except results.ResultError:
                yield result  # `result_sets.judged` tells it, in words that need no Python


def _benchmark_sets(data: DataPaths, only: Scope | None) -> list[Path]:
    return [path for path in result_sets.sets(data.benchmark_sets) if only is None or path.stem in only.benchmark_sets]


def _prices(data: DataPaths, found: list[str], only: Scope | None) -> Iterator[Price]:
    """Every observed price, with what its source says of all its prices where the row is silent."""
    asked = {module.SOURCE.id: module.SOURCE.prices for module in MODULES}
    for path in sorted(data.prices.glob("*.csv")):
        rows = _rows(path, Price, found, None if only is None else only.gpus)
        for number, price in enumerate(rows, start=2):
            if price.date[: len(path.stem)] != path.stem:
                step = f"move the row to data/prices/{price.date[:7]}.csv, or correct the date"
                found.append(
                    f"data/prices/{path.name} row {number}: column 'date' holds {price.date!r}, in the file of "
                    f"{path.stem}; {step}"
                )
            yield completed(price, asked.get(price.source, Asked()))
    for path in sorted(data.price_sets.glob("*.csv")):
        prices, problems = _tried(found, ((), ()), price_sets.sound, path)
        found += problems
        yield from prices


def completed(price: Price, asked: Asked) -> Price:
    """A price with what its source says of all its prices where its row is silent."""
    return replace(
        price,
        basis=price.basis or asked.basis,
        country=price.country or asked.country,
        tax=asked.tax if price.tax is None else price.tax,
    )


def _newest_snapshot(data: DataPaths) -> str:
    """The newest day on which a file was fetched, "" where none was: the day that nobody types."""
    if not data.snapshots.exists():
        return ""
    return max((row["retrieved"] for row in files.read_rows(data.snapshots)), default="")


def _rows(path: Path, kind: type[Record], found: list[str], only: frozenset[str] | None) -> list[Record]:
    """The rows of a machine file, or those on some GPUs; of a broken one none, and file, row and column are told."""
    where = f"data/{path.parent.name}/{path.name}"
    try:
        return list(records.read(kind, path, where, only))
    except (csv.Error, UnicodeDecodeError, records.RecordError) as error:
        step = "restore it with git, or run: python -m pipeline refresh"
        found.append(f"{where}: {error}; {step}")
        return []


def _idle_names(known: dict[str, Gpu], families: Sequence[identity.NameFile], data: DataPaths) -> list[str]:
    """Ignore patterns that no unresolved name of their source needs any more."""
    names = identity.Names(known, families)
    unresolved = sorted(data.unresolved.glob("*.csv"))
    return names.idle_patterns({path.stem: [row["name"] for row in files.read_rows(path)] for path in unresolved})


def _gpu_rows(known: Mapping[str, Gpu], decided: Records) -> Iterator[tuple[object, ...]]:
    for gpu in known.values():
        record = decided.get(gpu.id, {})
        identity_cells = (
            gpu.id,
            gpu.name,
            ";".join(gpu.aliases),
            gpu.vendor,
            gpu.segment,
            gpu.line,
            gpu.architecture,
            gpu.form_factor,
            gpu.dies,
            gpu.note,
        )
        known_values = {name: record[name].chosen.value if name in record else "" for name in FIELDS}
        day, precision = whole_day(known_values["launch_date"])
        yield (*identity_cells, *(known_values | {"launch_date": day}).values(), precision)


def _peak_rows(decided: Records, worked: judge.Worked) -> Iterator[tuple[object, ...]]:
    """The stated peaks of each GPU, then those that no source states and theory gives."""
    for gpu, record in decided.items():
        for field, decision in record.items():
            if field.startswith("peak:"):
                yield (gpu, *astuple(parse_peak(field)), decision.chosen.value, False)
        for key, peak in sorted(worked.get(gpu, {}).items(), key=lambda entry: entry[0].field):
            if key.field not in record:
                yield (gpu, *astuple(key), float(f"{peak.tflops:.4g}"), True)


def _titles(known: Mapping[str, Gpu]) -> dict[tuple[str, str], str]:
    """What a source is called, by GPU and source: a person's document may have another title on each GPU."""
    listed = {module.SOURCE.id: module.SOURCE.title for module in MODULES}
    titles = {(gpu, source): title for gpu in known for source, title in listed.items()}
    documents = ((gpu.id, key, document) for gpu in known.values() for key, document in gpu.documents.items())
    return titles | {(gpu, key): document.title for gpu, key, document in documents}


def _launch_prices(decided: Records) -> Iterator[Price]:
    """Launch prices as dated observations: the date is the launch, or empty where that is unknown."""
    for gpu, record in decided.items():
        if "launch_price_usd" not in record:
            continue
        claim = record["launch_price_usd"].chosen
        yield Price(
            gpu,
            "launch",
            "",
            "",
            None,
            None,
            None,
            float(claim.value),
            "USD",
            record["launch_date"].chosen.value if "launch_date" in record else "",
            claim.source,
            "",
            f"launch {gpu}",
            "",
            claim.url,
            claim.locator,
            claim.retrieved,
            claim.licence,
            "",
        )


def table_schemas() -> dict[str, object]:
    """Describe the tables and fields for re-users (schema.json)."""
    described = [
        {
            "name": f.name,
            "type": f.type,
            "unit": f.unit,
            "label": f.label,
            "meaning": f.meaning,
            "minimum": f.low,
            "maximum": f.high,
            "relative_tolerance": f.tolerance,
        }
        for f in (*FIELDS.values(), PEAK)
    ]
    return {
        "fields": described,
        "tables": {name: list(columns) for name, columns in TABLES.items()},
        "licence": "CC BY-SA 4.0",
        "unknown": "an empty cell; never 0",
    }
