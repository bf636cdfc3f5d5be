"""Every source module against its recorded input, and against the mirror of the real files where there is one.

A recorded case is a folder `tests/recorded/<source id>/` with a cut-down copy of the source's files and an
`expected.csv`: the rows that must come out, checked by a person against the input. One test runs them all.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest
from click import ClickException

from pipeline import __main__ as command_line
from pipeline.core.paths import ROOT
from pipeline.core.schema import Claim, Price, Result, Row, Skipped, field_of
from pipeline.intake.snapshots import Mirror
from pipeline.intake.sources import MODULES, base, timm_benchmarks, wikipedia_gpu_info
from pipeline.intake.sources.base import Snapshot

FOLDER = base.FOLDER
RECORDED = Path(__file__).parent / "recorded"
OTHERS = {"api", "changes", "ten", "told"}  # what test_api.py, test_changes.py and test_told.py record: no source
FOLDERS = sorted(path for path in RECORDED.iterdir() if path.is_dir() and path.name not in OTHERS)
MIRROR = ROOT.parent / "shared" / "sources"
BY_ID = {module.SOURCE.id: module for module in MODULES}
EXPECTED = "expected.csv"
COLUMNS = ["type", "gpu", "field_or_metric", "value", "unit", "locator", "note"]
READ_ON, PUBLISHED_ON = "2026-11-20", "2026-10-01"  # of every recorded snapshot

every_module = pytest.mark.parametrize("module", MODULES, ids=[m.__name__.rpartition(".")[2] for m in MODULES])


@pytest.mark.parametrize("folder", FOLDERS, ids=[f.name for f in FOLDERS])
def test_the_recorded_input_gives_exactly_the_expected_rows(folder: Path) -> None:
    assert folder.name in BY_ID, f"no module with SOURCE.id {folder.name!r} in pipeline.intake.sources.MODULES"
    module = BY_ID[folder.name]
    found = [compact(row) for row in module.parse(recorded_snapshots(module))]
    expected = folder / EXPECTED
    wanted = read(expected) if expected.is_file() else []
    missing = [row for row in wanted if row not in found]
    surplus = [row for row in found if row not in wanted]
    assert not missing and not surplus, (
        f"\nexpected and missing:\n{written(missing)}\nfound and not expected (look at the input, then correct the "
        f"module or {EXPECTED}):\n{written(surplus)}"
    )
    assert found == wanted, f"the rows are right, but in another order or number; all of them:\n{written(found)}"


SOUND = (FOLDER / "timm_benchmarks.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("names", "text", "words"),
    [
        (("new_lst",), SOUND, "/__init__.py: there is no new_lst.py beside it; did you mean 'new_list'?"),
        (("other",), SOUND, "there is no other.py beside it; the name is that of the file without .py, in quotes"),
        (("new_list", "new_list"), SOUND, "'new_list' stands 2 times in the list; keep one line"),
        ((), SOUND, 'new_list.py is not in the list and so is read by nobody; add the line "new_list", or delete'),
        (("new_list",), "X = 1\n", "/new_list.py: has no SOURCE = Source(...), which says who tells this; see the rec"),
        (("new_list",), SOUND.replace("def parse", "def pars"), "/new_list.py: has no function parse(snapshots)"),
        (("new_list",), "X = 1\ny ==\n", "/new_list.py:2: is no Python: invalid syntax"),
        (("new_list",), "X = 1\ny\n", "/new_list.py:2: cannot be read: name 'y' is not defined"),
        (("new_list",), SOUND.replace('kind="', 'kind="x'), "cannot be read: source timm-benchmarks: kind 'x"),
    ],
)
def test_a_slip_in_the_list_of_sources_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], text: str, words: str
) -> None:
    package = f"listed_{abs(hash((names, text)))}"
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "new_list.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(base, "FOLDER", folder)
    monkeypatch.setattr(base, "__package__", package)
    with pytest.raises(base.SourceListError, match=r"^pipeline/intake/sources/\w+\.py(?::\d+)?: ") as error:
        base.listed(*names)
    assert words in str(error.value)


def test_two_sources_of_one_id_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_module", lambda _: timm_benchmarks)
    with pytest.raises(base.SourceListError, match="the id 'timm-benchmarks' is that of amd_rocm"):
        base.listed(*sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in base.FRAME))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SyntaxError("invalid syntax", (str(FOLDER / "base.py"), 3, 1, "")), "base.py:3: is no Python: invalid syntax"),
        (ImportError("cannot import name 'x' from y", name="pipeline.site.charts"), "is there a file of this name"),
    ],
)
def test_a_command_that_cannot_be_read_ends_in_words(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def broken(_: str) -> ModuleType:
        raise error

    monkeypatch.setattr(command_line, "import_module", broken)
    with pytest.raises(ClickException) as told:
        command_line.main.get_command(None, "check")  # type: ignore[arg-type]
    assert words in told.value.message


def test_no_two_modules_share_a_source_id() -> None:
    # The refresh writes one file of claims a source: the second module would take the first one's place.
    assert len(BY_ID) == len(MODULES)


@every_module
def test_every_source_has_a_recorded_case_of_each_of_its_files(module: ModuleType) -> None:
    folder = RECORDED / module.SOURCE.id
    missing = [file.name for file in module.SOURCE.files if not (folder / file.name).is_file()]
    assert not missing, f"{folder} lacks {', '.join(missing)}"


@every_module
def test_a_source_without_its_files_gives_no_rows(module: ModuleType) -> None:
    assert list(module.parse({})) == []


@every_module
def test_parsing_the_same_bytes_twice_gives_the_same_rows(module: ModuleType) -> None:
    snapshots = recorded_snapshots(module)
    assert list(module.parse(snapshots)) == list(module.parse(snapshots))


@every_module
def test_the_real_files_parse_fully_above_their_floors_and_within_range(module: ModuleType) -> None:
    if not (MIRROR / "MANIFEST.csv").is_file():
        pytest.skip(f"no mirror of the real files at {MIRROR}")
    mirror = Mirror.open(MIRROR)
    rows = list(module.parse({file.name: mirror.get(module.SOURCE, file) for file in module.SOURCE.files}))
    counts = Counter(file_of(row) for row in rows if not isinstance(row, Skipped))
    assert {f.name: counts[f.name] for f in module.SOURCE.files if counts[f.name] < f.floor} == {}
    assert [row for row in rows if isinstance(row, Claim) and not within_range(row)] == []
    assert [row for row in rows if isinstance(row, Claim | Result | Price) and not row.gpu.strip()] == []


@every_module
def test_address_and_form_of_every_file_are_those_of_the_mirrors_manifest(module: ModuleType) -> None:
    if not (MIRROR / "MANIFEST.csv").is_file():
        pytest.skip(f"no mirror of the real files at {MIRROR}")
    entries = Mirror.open(MIRROR).entries
    stated = {f.name: (f.url, f.form, f.licence or module.SOURCE.licence) for f in module.SOURCE.files}
    manifest = {name: entries[module.SOURCE.folder, name] for name in stated}
    # The manifest says behind some addresses, after a blank, what of the place was taken.
    addresses = {name: entry["upstream_url"].partition(" ")[0] for name, entry in manifest.items()}
    assert stated == {name: (addresses[name], e["form"], e["licence"]) for name, e in manifest.items()}


def recorded_snapshots(module: ModuleType) -> dict[str, Snapshot]:
    source, folder = module.SOURCE, RECORDED / module.SOURCE.id
    return {
        file.name: Snapshot(
            source,
            file.name,
            file.url,
            (folder / file.name).read_bytes(),
            READ_ON,
            PUBLISHED_ON,
            file.licence or source.licence,
        )
        for file in source.files
        if (folder / file.name).is_file()
    }


def compact(row: Row) -> list[str]:
    """Write a row as the seven columns of expected.csv; what a source always says the same is left out."""
    if isinstance(row, Claim):
        return ["claim", row.gpu, row.field, row.value, row.unit, row.locator, ""]
    if isinstance(row, Skipped):
        return ["skipped", row.name, "", "", "", f"{row.file}, {row.locator}", row.reason]
    if isinstance(row, Result):
        note = joined(
            f"{row.gpu_count}x",
            row.workload,
            row.model,
            f"for {row.entered_as}" if row.entered_as else "",
            row.precision,
            row.sparsity,
            row.batch,
            row.software,
            row.date,
            row.flag,
        )
        return ["result", row.gpu, row.metric, number(row.value), row.unit, row.locator, note]
    rates = {
        "USD/GPU-hour": row.usd_per_gpu_hour,
        "USD/machine-hour": row.usd_per_machine_hour,
        "USD": row.usd_per_unit,
    }
    unit = next((unit for unit, rate in rates.items() if rate is not None), "")
    note = joined(
        row.provider,
        row.region,
        f"{number(row.gpus)}x",
        row.currency,
        row.date,
        row.offer,
        row.includes,
        row.flag,
        row.basis,
        row.product,
    )
    return ["price", row.gpu, row.kind, number(rates.get(unit)), unit, row.locator, note]


def joined(*parts: str) -> str:
    return " | ".join(part for part in parts if part)


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.7g}"


def read(path: Path) -> list[list[str]]:
    header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    assert header == COLUMNS, f"{path} has the columns {header}, not {COLUMNS}"
    return rows


def written(rows: Iterable[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue() or "(none)\n"


def file_of(row: Claim | Result | Price | Skipped) -> str:
    return row.file if isinstance(row, Skipped) else row.locator.split(", ", 1)[0]


def within_range(claim: Claim) -> bool:
    field = field_of(claim.field)
    return field.low is None or field.high is None or field.low <= float(claim.value) <= field.high


@pytest.mark.parametrize(
    ("config", "units", "tensor"),
    [
        ("1792:112:64:14", 14, 0),
        ("1280:80:40:9", 0, 0),  # Quadro P2200: 1280 cores are ten units, so the nine is a misprint
        ("9728:76:304", 76, 304),
        ("18176:568 :192:142:568", 142, 568),
        ("10496:328 :112:328:82", 82, 328),
        ("4608:288:96:72:576", 72, 576),
        ("4096:256:64", 0, 0),  # texture and raster units of an AMD card, not units and tensor cores
    ],
)
def test_wikipedia_core_configurations_of_workstation_lists(config: str, units: int, tensor: int) -> None:
    assert wikipedia_gpu_info._units_by_place(config) == units
    assert wikipedia_gpu_info._tensor_cores(config) == tensor
