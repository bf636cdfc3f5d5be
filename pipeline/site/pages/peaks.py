"""The table of a card's peaks: the maker's figure, theory with its arithmetic, measurements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.schema import PeakKey
from pipeline.core.theory import Architectures, Theory, fitting_clock_mhz, off
from pipeline.core.wording import number, quantity
from pipeline.dataset import GpuRecord
from pipeline.site.charts.measured_peak import MEASURES, PeakShare
from pipeline.site.pages.facts import INPUT_NAMES, Fact, heading

# Which measurement stands beside which peak; the others are no rate of a number format.
FIELD_OF = dict(MEASURES.values())
HALF_SUMS = PeakKey("fp16", "fp32", "dense", "tensor")
NAMED = 2  # peaks off theory that a note names; the others it counts
WIDER = 1.2  # less is rounding between two sheets


@dataclass(frozen=True, slots=True)
class Computed:
    """A peak by arithmetic, as the page shows it."""

    shown: str
    unit: str
    product: str  # 128 SM × 1,024 × 2.52 GHz
    document: str
    url: str
    locator: str
    clock: str  # where another clock than the boost clock is meant: who says so


@dataclass(frozen=True, slots=True)
class PeakLine:
    """One format, accumulator and engine: dense and sparse as stated, theory, and the best that was measured."""

    input: str
    accumulate: str
    engine: str
    unit: str
    dense: Fact | None
    sparse: Fact | None
    theory: Computed | None
    measured: PeakShare | None


@dataclass(frozen=True, slots=True)
class OffTheory:
    """Stated peaks that theory does not reach or passes, with one reason."""

    peaks: tuple[str, ...]
    stated: str
    theory: str
    ratio: float
    clock: str
    reason: str


def peak_lines(
    gpu: GpuRecord,
    known: Mapping[str, Fact],
    table: Architectures | None = None,
    theories: Mapping[PeakKey, Theory] | None = None,
    shares: Sequence[PeakShare] = (),
) -> list[PeakLine]:
    """The peaks with dense and sparse side by side, formats in the order of the schema."""
    order, worked = list(INPUT_NAMES), theories or {}
    triples = sorted(
        {(key.input, key.engine, key.accumulate) for key in (*gpu.peaks, *worked)},
        key=lambda t: (order.index(t[0]), t[1], t[2]),
    )
    lines = []
    for input, engine, accumulate in triples:
        dense, sparse = (PeakKey(input, accumulate, sparsity, engine) for sparsity in ("dense", "sparse"))
        lines.append(
            PeakLine(
                INPUT_NAMES[input],
                INPUT_NAMES[accumulate],
                engine,
                heading(dense.field).unit,
                known.get(dense.field),
                known.get(sparse.field),
                computed(table, worked.get(dense)),
                best(shares, dense.field),
            )
        )
    return lines


def best(shares: Iterable[PeakShare], field: str) -> PeakShare | None:
    """The highest measured share of one peak ("" is the memory bandwidth)."""
    of_it = [share for share in shares if FIELD_OF[share.what] == field]
    return max(of_it, key=lambda share: share.share, default=None)


def off_theory(
    gpu: GpuRecord, known: Mapping[str, Fact], table: Architectures, theories: Mapping[PeakKey, Theory]
) -> list[OffTheory]:
    """The stated peaks that are off theory: those of one reason and ratio together, with the first as the example."""
    groups: dict[tuple[str, str], list[tuple[Fact, Theory, float]]] = {}
    for key, theory in theories.items():
        fact = known.get(key.field)
        times = fact and off(gpu.claims[key.field][0].value, theory)
        if fact and times:
            groups.setdefault((table.reason(gpu.id, key), number(times, 2)), []).append((fact, theory, times))
    return [_off(gpu, reason, entries) for (reason, _), entries in groups.items()]


def traps(gpu: GpuRecord, theories: Mapping[PeakKey, Theory] | None = None) -> Iterator[str]:
    """What people mix up on this card, with its own figures; where none is stated, with those of theory."""
    dense, sparse = _pair(gpu, theories, HALF_SUMS, PeakKey("fp16", "fp32", "sparse", "tensor"))
    if dense and sparse:
        yield (
            f"Its FP16 rate is {quantity(dense, 'TFLOPS')} dense and {quantity(sparse, 'TFLOPS')} sparse, but only "
            f"networks in which two of every four weights were set to zero can use the sparse one."
        )
    wide, narrow = _pair(gpu, theories, HALF_SUMS, PeakKey("fp16", "fp16", "dense", "tensor"))
    if wide and narrow and narrow > WIDER * wide:
        yield (
            f"It reaches {quantity(narrow, 'TFLOPS')} when it accumulates in FP16 and {quantity(wide, 'TFLOPS')} "
            f"when it accumulates in FP32, as training does."
        )
    matrix, vector = _pair(gpu, theories, HALF_SUMS, PeakKey("fp32", "fp32", "dense", "vector"))
    if matrix and vector:
        yield (
            f"The {quantity(vector, 'TFLOPS')} in FP32 come from its shader cores, the "
            f"{quantity(matrix, 'TFLOPS')} from its matrix units."
        )


def as_json(theories: Mapping[PeakKey, Theory], table: Architectures) -> list[dict[str, object]]:
    """Theory for re-users: every factor of the product and its source."""
    return [
        {
            "peak": key.field.removeprefix("peak:"),
            "tflops": float(f"{t.tflops:.6g}"),
            "units": t.units,
            "unit": t.unit,
            "operations_per_unit_and_clock": t.operations,
            "clock_mhz": t.clock_mhz,
            "source": table.documents[t.rate.document].url,
            "locator": t.rate.locator,
        }
        for key, t in theories.items()
    ]


def _pair(
    gpu: GpuRecord, theories: Mapping[PeakKey, Theory] | None, one: PeakKey, other: PeakKey
) -> tuple[float | None, float | None]:
    """Two peaks of one kind: both as stated, or else both by arithmetic, never one of each."""
    if one in gpu.peaks and other in gpu.peaks:
        return gpu.peaks[one], gpu.peaks[other]
    worked = theories or {}
    return (worked[one].tflops, worked[other].tflops) if one in worked and other in worked else (None, None)


def computed(table: Architectures | None, theory: Theory | None) -> Computed | None:
    """A peak by arithmetic as the page shows it."""
    if not table or not theory:
        return None
    document = table.documents[theory.rate.document]
    clock = f"{table.documents[theory.clock.document].title}: {theory.clock.locator}" if theory.clock else ""
    return Computed(
        number(theory.tflops),
        heading(theory.key.field).unit,
        f"{theory.units} {theory.unit} × {number(theory.operations)} × {_ghz(theory.clock_mhz)}",
        document.title,
        document.url,
        theory.rate.locator,
        clock,
    )


def _off(gpu: GpuRecord, reason: str, entries: Sequence[tuple[Fact, Theory, float]]) -> OffTheory:
    fact, theory, times = entries[0]
    value = gpu.claims[theory.key.field][0].value
    names = [fact.label for fact, _, _ in entries]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return OffTheory(
        (*names[:NAMED], *more),
        f"{fact.shown} {fact.unit}",
        f"{number(theory.tflops)}",
        times,
        _ghz(fitting_clock_mhz(value, theory)),
        reason,
    )


def _ghz(mhz: float) -> str:
    return quantity(mhz / 1000, "GHz")
