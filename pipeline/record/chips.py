"""Records as theory sees them, and every peak that it works out for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.core.gpus import Gpu
from pipeline.core.schema import PeakKey
from pipeline.core.theory import Architectures, Theory, theory
from pipeline.record.reconcile import Decision, Records


@dataclass(frozen=True, slots=True)
class RecordedChip:
    """The figures of a record that theory multiplies; None where no source states them."""

    id: str
    architecture: str
    segment: str
    compute_units: int | None
    shader_cores: int | None
    tensor_cores: int | None
    boost_clock_mhz: float | None


def chip(gpu: Gpu, record: Mapping[str, Decision]) -> RecordedChip:
    """A GPU with the chosen figures of its record."""
    return RecordedChip(
        gpu.id,
        gpu.architecture,
        gpu.segment,
        _count(record, "compute_units"),
        _count(record, "shader_cores"),
        _count(record, "tensor_cores"),
        figure(record, "boost_clock_mhz"),
    )


def worked_out(gpus: Mapping[str, Gpu], records: Records, table: Architectures) -> dict[str, dict[PeakKey, Theory]]:
    """Every peak that theory gives, by GPU."""
    return {gpu: theory(chip(gpus[gpu], record), table) for gpu, record in records.items() if gpu in gpus}


def figure(record: Mapping[str, Decision], field: str) -> float | None:
    """The chosen value of a numeric field."""
    return float(record[field].chosen.value) if field in record else None


def _count(record: Mapping[str, Decision], field: str) -> int | None:
    value = figure(record, field)
    return None if value is None else round(value)
