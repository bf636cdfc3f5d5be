"""The stages in order: what stands in `data/` in, the cleaned dataset out."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from pipeline import (
    corrections,
    files,
    gpus,
    identity,
    reconcile,
    records,
    result_sets,
    validate,
)
from pipeline.corrections import Withdrawn
from pipeline.dataset import IDENTITY_COLUMNS
from pipeline.gpus import Gpu
from pipeline.measure.judge import Limits
from pipeline.paths import DataPaths
from pipeline.reconcile import Ancestry, Records
from pipeline.refresh import read_rows
from pipeline.schema import FIELDS, PEAK, Claim, Price, Result, columns, parse_peak
from pipeline.sources import MODULES

PEAK_COLUMNS = ("gpu", "input", "accumulate", "sparsity", "engine", "tflops")
Record = TypeVar("Record", Claim, Result, Price)
CLAIM_COLUMNS = (*columns(Claim), "chosen", "reason", "independent_sources", "source_title")


class BuildError(ValueError):
    """The dataset cannot be built; `problems` are all of them, each naming file, field, value and next step."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


@dataclass(frozen=True, slots=True)
class Built:
    """The files of `data/clean` as text, and what they were made of."""

    contents: dict[str, str]  # path below data/ → text
    evidence: validate.Evidence
    withdrawn: list[Withdrawn]


def build(data: DataPaths) -> None:
    """Build `data/clean` anew; on any problem BuildError, and nothing in `data/` changes."""
    files.recover(data.data)
    files.replace_all(data.data, compile_dataset(data).contents)


def compile_dataset(data: DataPaths) -> Built:
    """Do all stages in memory: read, correct, reconcile, validate, write out."""
    known = _hand_written(data)
    known_errors = corrections.load(data.corrections)
    claims, withdrawn, idle = corrections.apply(_claims(known, data), known_errors.withdrawn)
    observed = list(_results(data)), list(_prices(data))
    evidence = validate.Evidence(known, claims, ancestry(MODULES), *observed, siblings(data))
    found = [*idle, *_idle_names(known, data), *validate.problems(evidence, known_errors.accepted),
             *result_sets.judged(data.benchmark_sets, _limits(evidence.records))]  # fmt: skip
    if found:
        raise BuildError(found)
    return Built(_tables(evidence, withdrawn), evidence, withdrawn)


def _limits(decided: Records) -> dict[str, Limits]:
    """What theory allows each GPU: its bandwidth, and for each format the highest dense peak."""
    return {
        gpu: Limits(_highest_peaks(record), _number(record, "memory_bandwidth_gb_s")) for gpu, record in decided.items()
    }


def _highest_peaks(record: Mapping[str, reconcile.Decision]) -> dict[str, float]:
    highest: dict[str, float] = {}
    for field, decision in record.items():
        if field.startswith("peak:") and (key := parse_peak(field)).sparsity == "dense":
            highest[key.input] = max(highest.get(key.input, 0.0), float(decision.chosen.value))
    return highest


def _number(record: Mapping[str, reconcile.Decision], field: str) -> float | None:
    return float(record[field].chosen.value) if field in record else None


def stale_files(data: DataPaths) -> list[str]:
    """List the files of `data/clean` that are not what a build would write."""
    fresh = compile_dataset(data).contents
    return [path for path, text in sorted(fresh.items()) if not _is(data.data / path, text)]


def ancestry(modules: Iterable[ModuleType]) -> Ancestry:
    """The order of the sources in their list, and which is derived from which."""
    listed = [module.SOURCE for module in modules]
    return Ancestry({s.id: s.derived_from for s in listed}, {s.id: i for i, s in enumerate(listed)})


def load_names(data: DataPaths) -> identity.Names:
    """Read GPUs and names, ready to resolve; BuildError when they contradict one another."""
    return identity.Names(_hand_written(data), identity.load_names(data.names))


def siblings(data: DataPaths) -> dict[str, frozenset[str]]:
    """For each GPU the variants with which it shares a family name."""
    families = [set(entry.could_be) for file in identity.load_names(data.names) for entry in file.ambiguous]
    members = {gpu for family in families for gpu in family}
    return {gpu: frozenset().union(*(f for f in families if gpu in f)) - {gpu} for gpu in members}


def _hand_written(data: DataPaths) -> dict[str, Gpu]:
    try:
        known = gpus.load(data.gpus)
        identity.Names(known, identity.load_names(data.names))
    except (gpus.GpuError, identity.NamesError) as error:
        raise BuildError(str(error).splitlines()) from None
    return known


def _claims(known: dict[str, Gpu], data: DataPaths) -> Iterator[Claim]:
    for gpu in known.values():
        yield from gpus.claims(gpu)
    yield from _records(data.claims, Claim)


def _results(data: DataPaths) -> Iterator[Result]:
    yield from _records(data.results, Result)
    yield from result_sets.load(data.benchmark_sets)


def _prices(data: DataPaths) -> Iterator[Price]:
    yield from _records(data.prices, Price)


def _records(folder: Path, kind: type[Record]) -> Iterator[Record]:
    """Read the machine files of a folder; BuildError names file, row and column of a broken one."""
    for path in sorted(folder.glob("*.csv")):
        where = f"data/{folder.name}/{path.name}"
        try:
            for number, row in enumerate(read_rows(path), start=2):
                yield records.from_row(kind, row, f"{where} row {number}")
        except (csv.Error, UnicodeDecodeError, records.RecordError) as error:
            step = "restore it with git, or run: python -m pipeline refresh"
            raise BuildError([f"{where}: {error}; {step}"]) from None


def _idle_names(known: dict[str, Gpu], data: DataPaths) -> list[str]:
    """Ignore patterns that no unresolved name of their source needs any more."""
    names = identity.Names(known, identity.load_names(data.names))
    unresolved = {path.stem: [row["name"] for row in read_rows(path)] for path in sorted(data.unresolved.glob("*.csv"))}
    return names.idle_patterns(unresolved)


def _tables(evidence: validate.Evidence, withdrawn: Sequence[Withdrawn]) -> dict[str, str]:
    tables = {
        "gpus": (gpu_columns(), _gpu_rows(evidence.gpus, evidence.records)),
        "peaks": (PEAK_COLUMNS, _peak_rows(evidence.records)),
        "claims": (
            CLAIM_COLUMNS,
            sorted(_claim_rows(evidence, withdrawn), key=_by_text),
        ),
        "benchmarks": (
            columns(Result),
            sorted((astuple(r) for r in evidence.results), key=_by_text),
        ),
        "prices": (columns(Price), sorted(_price_rows(evidence), key=_by_text)),
    }
    contents = {f"clean/{name}.csv": files.csv_text(heads, rows) for name, (heads, rows) in tables.items()}
    return contents | {"clean/schema.json": json.dumps(table_schemas(), indent=1, sort_keys=True) + "\n"}


def gpu_columns() -> tuple[str, ...]:
    """The columns of gpus.csv: what the GPU is, then every field of the schema."""
    return (*IDENTITY_COLUMNS, *FIELDS)


def _gpu_rows(known: Mapping[str, Gpu], decided: Records) -> Iterator[tuple[object, ...]]:
    for gpu in known.values():
        record = decided.get(gpu.id, {})
        identity_cells = (gpu.id, gpu.name, ";".join(gpu.aliases), gpu.vendor, gpu.segment, gpu.line,
                          gpu.architecture, gpu.form_factor, gpu.dies, gpu.note)  # fmt: skip
        yield (
            *identity_cells,
            *(record[name].chosen.value if name in record else "" for name in FIELDS),
        )


def _peak_rows(decided: Records) -> Iterator[tuple[object, ...]]:
    for gpu, record in decided.items():
        for field, decision in record.items():
            if field.startswith("peak:"):
                yield (gpu, *astuple(parse_peak(field)), decision.chosen.value)


def _claim_rows(evidence: validate.Evidence, withdrawn: Sequence[Withdrawn]) -> Iterator[tuple[object, ...]]:
    titles = _titles(evidence.gpus)
    for record in evidence.records.values():
        for decision in record.values():
            for claim in (decision.chosen, *decision.agreeing, *decision.differing):
                chosen = claim == decision.chosen
                agreeing = decision.independent_sources if chosen else None
                reason = reconcile.reason(claim, decision)
                yield (*astuple(claim), chosen, reason, agreeing, titles.get((claim.gpu, claim.source), claim.source))
    for entry in withdrawn:
        title = titles.get((entry.claim.gpu, entry.claim.source), entry.claim.source)
        yield (*astuple(entry.claim), False, f"withdrawn: {entry.reason}", None, title)


def _titles(known: Mapping[str, Gpu]) -> dict[tuple[str, str], str]:
    """What a source is called, by GPU and source: a person's document may have another title on each GPU."""
    listed = {module.SOURCE.id: module.SOURCE.title for module in MODULES}
    titles = {(gpu, source): title for gpu in known for source, title in listed.items()}
    documents = ((gpu.id, key, document) for gpu in known.values() for key, document in gpu.documents.items())
    return titles | {(gpu, key): document.title for gpu, key, document in documents}


def _price_rows(evidence: validate.Evidence) -> Iterator[tuple[object, ...]]:
    yield from (astuple(price) for price in evidence.prices)
    for gpu, record in evidence.records.items():
        if "launch_price_usd" in record:
            yield astuple(_launch_price(gpu, record))


def _launch_price(gpu: str, record: dict[str, reconcile.Decision]) -> Price:
    """The launch price as a dated observation: its date is the launch, or empty where that is unknown."""
    claim = record["launch_price_usd"].chosen
    launched = record["launch_date"].chosen.value if "launch_date" in record else ""
    return Price(gpu, "launch", "", "", None, None, None, float(claim.value), "USD", launched, claim.source, "",
                 f"launch {gpu}", "", claim.url, claim.locator, claim.retrieved, claim.licence, "")  # fmt: skip


def table_schemas() -> dict[str, object]:
    """Describe the tables and fields for re-users (schema.json)."""
    described = [{"name": f.name, "type": f.type, "unit": f.unit, "label": f.label, "meaning": f.meaning,
                  "minimum": f.low, "maximum": f.high, "relative_tolerance": f.tolerance}
                 for f in (*FIELDS.values(), PEAK)]  # fmt: skip
    heads = {"gpus": gpu_columns(), "peaks": PEAK_COLUMNS, "claims": CLAIM_COLUMNS,
             "benchmarks": columns(Result), "prices": columns(Price)}  # fmt: skip
    return {"fields": described, "tables": {name: list(columns) for name, columns in heads.items()},
            "licence": "CC BY-SA 4.0", "unknown": "an empty cell; never 0"}  # fmt: skip


def _by_text(row: Sequence[object]) -> list[str]:
    return ["" if cell is None else str(cell) for cell in row]


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_bytes() == text.encode("utf-8")
