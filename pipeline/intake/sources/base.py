"""What a source is: its metadata and files, and the snapshot from which its module makes rows."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from pipeline.core.documents import meant
from pipeline.core.schema import BASES, KINDS, Claim, Price, Result, Row, Skipped, canonical, field_of

# How the mirror's copy relates to the public address (see the mirror's README).
FORMS = ("original", "same-format", "extract")
ADDRESS = re.compile(r"https?://[^\s<>\"]+")
LONGEST_ERROR = 600  # letters of a message: a cell, and what a library says, may be as long as the file


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a source; an `extract` is read by hand, so online its last claims are kept."""

    name: str
    url: str
    form: str
    floor: int = 1  # fewer rows than this fail the refresh
    licence: str = ""  # where it is not the source's


@dataclass(frozen=True, slots=True)
class Asked:
    """What holds for all prices of a source: whether they were asked or sold, and where, with how much tax."""

    basis: str = "asked"
    country: str = ""
    tax: float | None = 0.0  # per cent in the price; price lists of clouds and of American shops leave it out


@dataclass(frozen=True, slots=True)
class Source:
    """Who says it, under which licence, and how much it weighs."""

    id: str
    title: str
    publisher: str
    home: str
    licence: str
    kind: str
    gives: str
    files: tuple[SourceFile, ...]
    derived_from: tuple[str, ...] = ()
    mirrored_as: str = ""  # the mirror's folder, where two sources share one
    prices: Asked = Asked()

    @property
    def folder(self) -> str:
        """The name under which the mirror keeps this source's files."""
        return self.mirrored_as or self.id

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"source {self.id}: kind {self.kind!r} is not one of {', '.join(KINDS)}")
        for file in self.files:
            if not ADDRESS.fullmatch(file.url):
                raise ValueError(f"source {self.id}: {file.url!r} of {file.name} is no web address")
            if file.form not in FORMS:
                raise ValueError(f"source {self.id}: form {file.form!r} of {file.name} is not one of {FORMS}")
        if self.prices.basis not in BASES:
            raise ValueError(f"source {self.id}: basis {self.prices.basis!r} is not one of {', '.join(BASES)}")


class SourceListError(ValueError):
    """A list of sources, or a module of it, that cannot be read; the message names the file and the next step."""


FOLDER = Path(__file__).parent
WHERE = "pipeline/intake/sources"
FRAME = ("__init__", "base", "table")  # what every source is made with, and none itself
RECIPE = "see the recipe for a source in CONTRIBUTING.md"


def listed(*names: str) -> tuple[ModuleType, ...]:
    """The modules of some sources, in this order; SourceListError for a list that does not hold each of them once."""
    there = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in FRAME)
    for name, times in Counter(names).items():
        if name not in there:
            near = meant(name, there) or "; the name is that of the file without .py, in quotes and with a comma"
            raise SourceListError(f"{WHERE}/__init__.py: there is no {name}.py beside it{near}")
        if times > 1:
            raise SourceListError(f"{WHERE}/__init__.py: {name!r} stands {times} times in the list; keep one line")
    for name in there:
        if name not in names:
            step = f'add the line "{name}", or delete the file'
            raise SourceListError(f"{WHERE}/__init__.py: {name}.py is not in the list and so is read by nobody; {step}")
    modules = tuple(map(_module, names))
    owner: dict[str, str] = {}
    for name, module in zip(names, modules, strict=True):
        first = owner.setdefault(module.SOURCE.id, name)
        if first != name:
            raise SourceListError(
                f"{WHERE}/{name}.py: the id {module.SOURCE.id!r} is that of {first}.py; choose another"
            )
    return modules


def _module(name: str) -> ModuleType:
    where = f"{WHERE}/{name}.py"
    try:
        module = import_module(f"{__package__}.{name}")
    except SyntaxError as error:
        raise SourceListError(f"{where}:{error.lineno}: is no Python: {error.msg}") from error
    except Exception as error:  # whatever a new module does while it is read
        line = next((frame.lineno for frame in reversed(extract_tb(error.__traceback__)) if name in frame.filename), 1)
        raise SourceListError(f"{where}:{line}: cannot be read: {error}") from error
    if not isinstance(getattr(module, "SOURCE", None), Source):
        raise SourceListError(f"{where}: has no SOURCE = Source(...), which says who tells this; {RECIPE}")
    if not callable(getattr(module, "parse", None)):
        raise SourceListError(f"{where}: has no function parse(snapshots), which makes the rows; {RECIPE}")
    return module


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The bytes of one file as read, with where, when and under which licence."""

    source: Source
    file: str
    url: str
    content: bytes
    retrieved: str  # the day the copy was read, ISO
    published: str  # the source's own date where it states one, else ""
    licence: str

    def claim(
        self,
        name: str,
        field: str,
        value: object,
        locator: str,
        unit: str | None = None,
    ) -> Claim:
        """Make a claim about the GPU the source calls `name`.

        `value` is a number in `unit`, or the printed text with its unit; see `schema.canonical`.
        """
        written = canonical(field, value, unit)
        where = f"{self.file}, {locator}"
        return Claim(
            name,
            field,
            written,
            field_of(field).unit,
            self.source.id,
            self.source.kind,
            self.url,
            where,
            self.retrieved,
            self.licence,
        )

    def result(
        self,
        name: str,
        locator: str,
        *,
        gpu_count: int,
        set: str,
        workload: str,
        model: str,
        precision: str,
        batch: str,
        metric: str,
        value: float | None,
        unit: str,
        higher_is_better: bool,
        software: str,
        date: str,
        flag: str = "",
        entered_as: str = "",
        sparsity: str = "",
    ) -> Result:
        """Make a benchmark result of the GPU the source calls `name`."""
        return Result(
            name,
            gpu_count,
            set,
            workload,
            model,
            precision,
            batch,
            metric,
            value,
            unit,
            higher_is_better,
            software,
            date,
            self.source.id,
            flag,
            self.url,
            f"{self.file}, {locator}",
            self.retrieved,
            self.licence,
            entered_as=entered_as,
            sparsity=sparsity,
        )

    def price(
        self,
        name: str,
        locator: str,
        *,
        kind: str,
        provider: str,
        date: str,
        offer: str,
        region: str = "",
        gpus: float | None = None,
        usd_per_gpu_hour: float | None = None,
        usd_per_machine_hour: float | None = None,
        usd_per_unit: float | None = None,
        currency: str = "USD",
        includes: str = "",
        flag: str = "",
        amount: float | None = None,
        country: str = "",
        tax: float | None = None,
        basis: str = "",
        condition: str = "",
        product: str = "",
    ) -> Price:
        """Make a price observation; `offer` tells it from the other offers of this snapshot.

        `date` is the day on which the price was asked or sold, never the day of our reading.
        """
        return Price(
            name,
            kind,
            provider,
            region,
            gpus,
            usd_per_gpu_hour,
            usd_per_machine_hour,
            usd_per_unit,
            currency,
            date,
            self.source.id,
            flag,
            offer,
            includes,
            self.url,
            f"{self.file}, {locator}",
            self.retrieved,
            self.licence,
            self.digest,
            amount,
            country,
            tax,
            basis,
            condition,
            product,
        )

    @property
    def digest(self) -> str:
        """The first 12 hex digits of the SHA-256 of the bytes."""
        return hashlib.sha256(self.content).hexdigest()[:12]

    def skip(self, name: str, locator: str, reason: str) -> Skipped:
        """Say that a row leads to nothing, and why."""
        return Skipped(name, self.file, locator, reason)


Snapshots = Mapping[str, Snapshot]  # by file name
# Works with any subset of the source's files: online, those of form `extract` are not there.


class SourceError(ValueError):
    """A snapshot that does not have the shape its source promises (a renamed column, too few rows).

    The message keeps its beginning, which says where, and its end, which says what to do.
    """

    def __init__(self, message: str) -> None:
        half = LONGEST_ERROR // 2
        super().__init__(message if len(message) <= LONGEST_ERROR else f"{message[:half]} … {message[-half:]}")


def rows_of(module: ModuleType, snapshots: Snapshots) -> Iterator[Row]:
    """The rows that a source's module reads in its snapshots; SourceError for whatever is wrong with their bytes.

    A module says in its own words what it looks for and does not find. Where damage makes it stumble over anything
    else (a letter in a number, a field that is gone), the error names the last row that was sound, or the files.
    """
    last = ""
    try:
        for row in module.parse(snapshots):
            last = f"{row.file}, {row.locator}" if isinstance(row, Skipped) else row.locator
            yield row
    except SourceError:
        raise
    except Exception as error:
        place = f"after {last}" if last else f"in the first rows of {' or '.join(snapshots)}"
        raise SourceError(
            f"{module.SOURCE.id}, {place}: {type(error).__name__}: {error}; look what the source "
            f"changed there, and adapt its module in pipeline/intake/sources/"
        ) from error


def require_columns(snapshot: Snapshot, found: list[str], needed: list[str]) -> None:
    """Fail with file and column when a column that the module reads is not there."""
    missing = [column for column in needed if column not in found]
    if missing:
        raise SourceError(
            f"{snapshot.source.id}/{snapshot.file}: no column {missing[0]!r} (found: {', '.join(found)}); "
            f"if the source renamed it, change the name in pipeline/intake/sources/"
        )


def refuse_unknown_columns(snapshot: Snapshot, found: Iterable[str], known: Container[str]) -> None:
    """Fail with file and column when the source has a column that the module neither reads nor ignores."""
    for column in found:
        if column not in known:
            raise SourceError(
                f"{snapshot.source.id}/{snapshot.file}: unknown column {column!r}; add it to what its module reads, or "
                f"to IGNORED with a reason"
            )
