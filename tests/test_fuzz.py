"""Damaged inputs of every kind: each parser reads them or says what is wrong, in time and without a traceback."""

from __future__ import annotations

import logging
import math
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from hypothesis import strategies as st
from mutants import mutants
from sampling import counts, examples
from test_result_sets import ABOUT, COLUMNS, ROW
from test_sheet_samples import READ, Stroke, Text, csv, html, pdf
from test_sources import RECORDED, recorded_snapshots

from pipeline.advise.choose import hosts, questions
from pipeline.advise.estimate import models, support, training
from pipeline.core import clauses, currencies, gpus, identity, makers, theory
from pipeline.core.paths import DATA
from pipeline.core.schema import FIELDS, Claim, Price, Result, SchemaError, canonical, field_of
from pipeline.core.units import UnitError
from pipeline.derive import cloud
from pipeline.derive.prices import observe
from pipeline.editorial import prose
from pipeline.intake import licences, price_sets, result_sets
from pipeline.intake.sources import MODULES
from pipeline.intake.sources.base import SourceError, rows_of
from pipeline.record import build, corrections
from pipeline.tools import sheet
from pipeline.tools.sheet import vendor_sheets
from pipeline.tools.sheet.form import SheetError

MOST_SECONDS = 10.0
MOST_BYTES = 1_000_000_000
LONGEST_INPUT = 60_000  # of a file whose form repeats itself; the rest says nothing new

few_or_many = counts(6, 60)


@cache
def known() -> dict[str, gpus.Gpu]:
    return gpus.load(DATA.gpus)


@pytest.fixture(autouse=True)
def within_limits() -> Iterator[None]:
    """No test of this file may make the process a gigabyte larger."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < MOST_BYTES


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """Counts what a test tries, for the page "How we test"."""
    counted: Counter[str] = Counter()
    yield counted
    record_property("cases", counted.total())


def timed(work: Callable[[], object], tried: Counter[str]) -> None:
    tried["cases"] += 1
    started = time.process_time()
    work()
    assert time.process_time() - started < MOST_SECONDS


# ---------------------------------------------------------------- sources


@few_or_many
@pytest.mark.parametrize("module", MODULES, ids=[module.SOURCE.id for module in MODULES])
def test_a_damaged_file_of_a_source_is_read_or_refused_by_name(
    module: ModuleType, count: int, tried: Counter[str]
) -> None:
    sound = recorded_snapshots(module)
    for file, snapshot in sound.items():
        for damaged in mutants(snapshot.content, f"{module.SOURCE.id}/{file}", count):
            timed(lambda: parsed(module, {**sound, file: replace(snapshot, content=damaged)}), tried)  # noqa: B023


def parsed(module: ModuleType, snapshots: dict[str, Any]) -> None:
    """Read the rows as the refresh does; each must fit its table, or the error must say where to look."""
    try:
        for row in rows_of(module, snapshots):
            if isinstance(row, Claim) and field_of(row.field).type in ("number", "integer"):
                assert math.isfinite(float(row.value))
            if isinstance(row, Price | Result):
                amounts = (row.value,) if isinstance(row, Result) else (row.usd_per_gpu_hour, row.usd_per_unit)
                assert all(amount is None or isinstance(amount, float | int) for amount in amounts)
    except SourceError as error:
        assert module.SOURCE.id in str(error)
        assert any(file in str(error) for file in snapshots), str(error)
        assert len(str(error)) < 2000


def test_an_error_that_a_module_did_not_foresee_names_the_last_sound_row_and_the_next_step() -> None:
    module = next(module for module in MODULES if module.SOURCE.id == "te42kyfo-gpu-stream")
    snapshots = recorded_snapshots(module)
    (file,) = snapshots

    def stumbles(_: object) -> Iterator[object]:
        yield from list(module.parse(snapshots))[:1]
        raise ZeroDivisionError("float division by zero")

    stumbling: Any = type("Stumbling", (), {"SOURCE": module.SOURCE, "parse": staticmethod(stumbles)})
    with pytest.raises(SourceError, match=rf"after {file}, .*ZeroDivisionError.*look what the source changed there"):
        list(rows_of(stumbling, snapshots))


# ---------------------------------------------------------------- sheets


ROWS = [
    ("FP16 Tensor Core", "1,979 TFLOPS*", "1,513 TFLOPS*"),
    ("GPU memory", "80 GB", "94 GB HBM3"),
    ("GPU memory bandwidth", "3.35 TB/s", "2 TB/s"),
    ("Max TDP", "Up to 700W", "300-350W"),
]
TEXTS: list[Text] = [(60, 60, 18, "NVIDIA H100"), (250, 120, 8, "H100 SXM"), (420, 120, 8, "H100 PCIe")] + [
    (x, 140 + 20 * row, 8, cell)
    for row, cells in enumerate(ROWS)
    for x, cell in zip((60, 250, 420), cells, strict=True)
]
RULES: list[Stroke] = [(56, y, 560, y) for y in (133.0, 153.0, 173.0, 193.0, 213.0)]
FRAME: list[Stroke] = [(56, 113, 560, 113), *((x, 113.0, x, 213.0) for x in (56.0, 240.0, 400.0, 560.0))]
SHEETS: dict[str, bytes] = {
    "ruled.pdf": pdf((TEXTS, RULES)),
    "framed.pdf": pdf((TEXTS, [*RULES, *FRAME]), (TEXTS, [])),
    "page.html": html("NVIDIA H100", ROWS, "<p>* With sparsity.</p>", ("", "H100 SXM", "H100 NVL")).encode(),
    "export.csv": csv([("Specification", "H100 SXM", "H100 NVL"), *ROWS]).encode(),
    "specs.rst": (RECORDED / "amd-rocm-gpu-arch-specs" / "gpu-arch-specs.2025-02.rst").read_bytes(),
}


@few_or_many
@pytest.mark.parametrize("name", SHEETS)
def test_a_damaged_sheet_is_drafted_or_refused_by_name(name: str, count: int, tried: Counter[str]) -> None:
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    assert drafted(SHEETS[name], name), "the sound sheet"
    for damaged in mutants(SHEETS[name], name, 4 * count):
        timed(lambda: drafted(damaged, name), tried)  # noqa: B023


def drafted(content: bytes, name: str) -> list[str]:
    try:
        return [gpu.id for gpu in sheet.draft(content, name, read=READ, gpus=known()).gpus]
    except SheetError as error:
        assert str(error)
        assert "report the sheet" not in str(error), str(error)
        return []


def test_a_heading_too_long_for_a_file_name_is_no_product() -> None:
    page = html("NVIDIA H100 " + "very " * 100, [("GPU memory", "80 GB"), ("TDP", "700 W")])
    with pytest.raises(SheetError, match=r"a product's name of .* letters .* is none"):
        sheet.draft(page.encode(), "page.html", read=READ, gpus={})


@pytest.mark.parametrize("box", [b"[0 0 /W 792]", b"[0 0]", b"null"])
def test_a_page_whose_box_is_no_four_numbers_refuses_the_pdf(box: bytes) -> None:
    broken = SHEETS["ruled.pdf"].replace(b"[0 0 612 792]", box)
    with pytest.raises(SheetError, match=r"ruled.pdf: .*; fetch the file again"):
        sheet.draft(broken, "ruled.pdf", read=READ, gpus={})


# ---------------------------------------------------------------- hand-written files


def _gpu(path: Path) -> None:
    found, problems = gpus.sound(path.parent)
    if problems:
        raise gpus.GpuError("\n".join(problems))
    for gpu in found.values():
        list(gpus.claims(gpu))


def _names(path: Path) -> None:
    identity.Names(known(), identity.load_names(path.parent))


# The files of data/ that people write, and who reads them.
HAND: dict[str, Callable[[Path], object]] = {
    "gpus/nvidia-h100-sxm5-80gb.yml": _gpu,
    "gpus/amd-instinct-mi300x.yml": _gpu,
    "names/nvidia.yml": _names,
    "models/llama-3.1-8b-instruct.yml": lambda path: models.load(path.parent),
    "estimator/training_runs.yml": training.load,
    "architectures.yml": theory.load,
    "clauses.yml": clauses.load,
    "cloud.yml": cloud.load,
    "constants.yml": prose.load_constants,
    "figures.yml": prose.load_figures,
    "corrections.yml": corrections.load,
    "currencies.yml": currencies.load,
    "hosts.yml": hosts.load,
    "licences.csv": licences.load,
    "makers.yml": makers.load,
    "providers.yml": observe.houses,
    "questions.yml": questions.questions,
    "sheets.yml": lambda path: vendor_sheets.load(path.parent, known()),
    "support.yml": support.load,
}


@few_or_many
@pytest.mark.parametrize("name", HAND)
def test_a_damaged_hand_written_file_is_read_or_refused_by_name(
    tmp_path: Path, name: str, count: int, tried: Counter[str]
) -> None:
    sound = (DATA.data / name).read_bytes()
    if len(sound) > LONGEST_INPUT:
        sound = sound[:LONGEST_INPUT].rpartition(b"\n")[0] + b"\n"
    for number, damaged in enumerate(mutants(sound, name, count)):
        path = tmp_path / str(number) / Path(name).name
        path.parent.mkdir()
        path.write_bytes(damaged)
        timed(lambda: loaded(HAND[name], path), tried)  # noqa: B023


def loaded(load: Callable[[Path], object], path: Path) -> None:
    """Read a file; what is wrong is told by an error of the project's own that names the file."""
    try:
        load(path)
    except ValueError as error:
        assert type(error).__module__.startswith("pipeline."), repr(error)
        # A name that means two things is told by the folder, in whose files both stand.
        assert path.stem in str(error) or "data/names" in str(error), str(error)


def told(read: tuple[object, list[str]]) -> None:
    """Problems that a reader gives back, as the error that others raise."""
    if read[1]:
        raise build.BuildError(read[1])


def _prices(path: Path) -> None:
    told(price_sets.sound(path.with_suffix(".csv")))


def _results(path: Path) -> None:
    told(result_sets.sound(path.with_suffix(".csv")))


def _benchmark_set() -> dict[str, bytes]:
    lines = [
        ",".join(COLUMNS),
        *[",".join({**ROW, "value": value}[name] for name in COLUMNS) for value in ("150", "9")],
    ]
    return {"mine.csv": "\n".join(lines).encode(), "mine.yml": yaml.safe_dump({**ABOUT, "set": "mine"}).encode()}


# What is contributed as two files of one name, and who reads them.
SETS: dict[str, tuple[Callable[[], dict[str, bytes]], Callable[[Path], None]]] = {
    "prices": (lambda: {p.name: p.read_bytes() for p in DATA.price_sets.glob("jetson-2026-07.*")}, _prices),
    "benchmarks": (_benchmark_set, _results),
}


@few_or_many
@pytest.mark.parametrize("ending", [".csv", ".yml"])
@pytest.mark.parametrize("name", SETS)
def test_a_damaged_contributed_set_is_read_or_refused_by_name(
    tmp_path: Path, name: str, ending: str, count: int, tried: Counter[str]
) -> None:
    make, load = SETS[name]
    sound = make()
    (file,) = (file for file in sound if file.endswith(ending))
    for number, damaged in enumerate(mutants(sound[file], f"{name}{ending}", count)):
        path = tmp_path / str(number) / file
        path.parent.mkdir()
        for other, content in (sound | {file: damaged}).items():
            (path.parent / other).write_bytes(content)
        timed(lambda: loaded(load, path), tried)  # noqa: B023


# ---------------------------------------------------------------- single values


@examples(
    100,
    300,
    st.sampled_from(sorted(FIELDS)),
    st.one_of(st.text(max_size=60), st.floats(), st.integers(), st.booleans()),
)
def test_any_value_of_any_field_is_canonical_or_refused(field: str, value: object) -> None:
    try:
        written = canonical(field, value)
    except (SchemaError, UnitError):
        return
    if FIELDS[field].type in ("number", "integer"):
        assert math.isfinite(float(written))


@cache
def names() -> identity.Names:
    return identity.Names(known(), [])


@examples(100, 300, st.text(max_size=80))
def test_any_name_is_resolved_or_told_to_be_unknown(name: str) -> None:
    match = names().resolve("sheet", name)
    assert match.gpu in {None, "", *known()}
