"""A small but complete data tree, and the rows that go into it, for the tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from pipeline.core import files
from pipeline.core.paths import DATA, DataPaths
from pipeline.core.schema import Claim, Price, Result, canonical, columns, field_of
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.prices.quote import Book
from pipeline.record import build
from pipeline.record.validate import Evidence

if TYPE_CHECKING:
    from pipeline.site.pages.listed import File

GPU = {
    "name": "NVIDIA GeForce RTX 4090",
    "vendor": "NVIDIA",
    "segment": "consumer",
    "line": "GeForce RTX 40 series",
    "architecture": "Ada Lovelace",
    "form_factor": "PCIe card",
    "aliases": ["RTX 4090"],
}


@cache
def committed() -> Dataset:
    """The dataset of data/clean, read once for the tests of a process, as what follows from it is worked out once."""
    return Dataset.load()


@cache
def compiled() -> Evidence:
    """What the build made data/clean of, without problems and judged; worked out once for the tests of a process."""
    return build.compile_dataset(DATA).evidence


class Texts(Mapping[str, str]):
    """The texts of files by their names; each is written when it is first asked for."""

    def __init__(self, files: Mapping[str, File]) -> None:
        self._files, self._written = files, dict[str, str]()

    def __getitem__(self, file: str) -> str:
        if file not in self._written:
            self._written[file] = self._files[file].text()
        return self._written[file]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


class _WrittenOut(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


def as_yaml(content: object) -> str:
    """YAML as people write it by hand: what stands twice is written out twice."""
    return yaml.dump(content, Dumper=_WrittenOut)


def claim(field: str, value: object, **changes: str) -> Claim:
    """A claim on the RTX 4090 of the tests, complete unless `changes` says otherwise; each source has its address."""
    source = changes.get("source", "wikipedia-gpu-info")
    written = canonical(field, value)
    base = Claim(
        "nvidia-geforce-rtx-4090",
        field,
        written,
        field_of(field).unit,
        source,
        "reference",
        f"https://{source}.e.org/gpus",
        "gpu.json, row 1",
        "2026-11-20",
        "CC BY-SA 4.0",
    )
    return replace(base, **changes)


def result(**changes: object) -> Result:
    """A benchmark result of the RTX 4090 of the tests."""
    base = Result(
        "nvidia-geforce-rtx-4090",
        1,
        "set",
        "training",
        "resnet50",
        "fp16",
        "64",
        "throughput",
        100.0,
        "images/s",
        True,
        "PyTorch 2",
        "2026-01",
        "lab",
        "",
        "https://e.org/b",
        "b.csv, row 2",
        "2026-11-20",
        "MIT",
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def price(**changes: object) -> Price:
    """A rental offer of the RTX 4090 of the tests."""
    base = Price(
        "nvidia-geforce-rtx-4090",
        "on_demand",
        "Cloud",
        "eu",
        2,
        0.5,
        1.0,
        None,
        "USD",
        "2026-08-22",
        "gpu-price-feed",
        "",
        "2x",
        "",
        "https://e.org/p",
        "p.json, row 3",
        "2026-11-20",
        "MIT",
        "abc",
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def record(**known: object) -> GpuRecord:
    """A GPU of which nothing is known but what a test says."""
    base = GpuRecord(id="x-y", name="X", vendor="NVIDIA", segment="consumer", form_factor="PCIe card")
    return replace(base, **known)  # type: ignore[arg-type]


def book(*cards: GpuRecord, today: str = "2026-11-20") -> Book:
    """The prices of cards as they stand on a day."""
    of_today = replace(result(), retrieved=today)
    return Book(Dataset({card.id: card for card in cards}, (), (of_today,)))


# What the tests' RTX 4090 is: figures that hold together, so that one wrong claim stands out.
SOUND = (
    claim("memory_gb", "24 GB"),
    claim("memory_type", "GDDR6X"),
    claim("memory_bus_bit", "384 bit"),
    claim("memory_bandwidth_gb_s", "1008 GB/s"),
    claim("shader_cores", 16384),
    claim("boost_clock_mhz", "2520 MHz"),
    claim("board_power_w", "450 W"),
    claim("launch_date", "2022-10-12"),
    claim("launch_price_usd", "1599 USD"),
    claim("peak:fp32:fp32:dense:vector", "82.6 TFLOPS"),
    claim("peak:fp16:fp32:dense:tensor", "165.2 TFLOPS"),
)


class Tree:
    """A data tree in a temporary folder that tests fill and break."""

    def __init__(self, root: Path) -> None:
        self.data = DataPaths(root / "data")
        self.gpu("nvidia-geforce-rtx-4090", GPU)
        self.claims("wikipedia-gpu-info", SOUND)

    def gpu(self, id: str, content: dict[str, object]) -> None:
        """Write a GPU's YAML."""
        self._write(f"gpus/{id}.yml", yaml.safe_dump(content, allow_unicode=True))

    def claims(self, source: str, rows: tuple[Claim, ...]) -> None:
        """Write the claims of a source."""
        self._write(f"claims/{source}.csv", files.csv_text(columns(Claim), map(astuple, rows)))

    def write(self, path: str, text: str) -> None:
        """Write any file below data/."""
        self._write(path, text)

    def state(self) -> dict[str, bytes]:
        """Every file below data/ with its bytes."""
        root = self.data.data
        return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}

    def _write(self, path: str, text: str) -> None:
        target = self.data.data / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
