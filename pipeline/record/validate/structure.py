"""Rules on how chips are built: what `data/architectures.yml` expects of every card that is made of a kind of unit.

A maker's own figures that do not fit are accepted in `data/corrections.yml` with the reason; CONTRIBUTING says how.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from pipeline.core.gpus import Gpu
from pipeline.core.schema import PeakKey, parse_peak
from pipeline.core.theory import UnitGroup, matches
from pipeline.record.chips import chip, figure
from pipeline.record.reconcile import Decision, agree
from pipeline.record.validate.base import Check, Evidence, Problem, problem_of

ROUNDED = 0.01  # caches are printed in whole or half megabytes
RATIO_TOLERANCE = 0.05  # of two peaks of one card: each is rounded, to two digits at worst
VECTOR_FP32 = PeakKey("fp32", "fp32", "dense", "vector")
VECTOR_FP64 = PeakKey("fp64", "fp64", "dense", "vector")
TENSOR_FP64 = PeakKey("fp64", "fp64", "dense", "tensor")
FP8, INT8 = PeakKey("fp8", "fp32", "dense", "tensor"), PeakKey("int8", "int32", "dense", "tensor")
NAMED_CLOCKS = ("boost_clock_mhz", "base_clock_mhz")
CLOCK_TOLERANCE = 0.03  # clocks are printed to two digits of a GHz, peaks to three digits
YEAR_LENGTH, DAY_LENGTH = len("2022"), len("2022-10-12")
Grouped = Iterator[tuple[Gpu, Mapping[str, Decision], UnitGroup]]


def units_hold_their_cores(evidence: Evidence) -> Iterator[Problem]:
    """Shader cores are compute units times the cores of one unit."""
    for gpu, record, group in _grouped(evidence):
        units, cores = figure(record, "compute_units"), figure(record, "shader_cores")
        if units and cores and units * group.cores != cores:
            yield _on(
                record,
                "compute_units",
                f"{units:g} {group.unit} of {group.name} hold {units * group.cores:g} cores, "
                f"not the {cores:g} of {record['shader_cores'].chosen.source}",
                gpu,
            )


def units_hold_their_matrix_cores(evidence: Evidence) -> Iterator[Problem]:
    """Matrix cores are compute units times the matrix units of one."""
    for gpu, record, group in _grouped(evidence):
        found, units = figure(record, "tensor_cores"), _units(record, group)
        if found and units and group.matrix_units and units * group.matrix_units != found:
            yield _on(
                record,
                "tensor_cores",
                f"{units:g} {group.unit} of {group.name} hold {units * group.matrix_units:g} matrix cores",
                gpu,
            )


def fp64_keeps_the_ratio_of_its_architecture(evidence: Evidence) -> Iterator[Problem]:
    """Vector FP64 stands to vector FP32, and FP64 of the matrix units to both, as the operations of the unit do."""
    yield from _ratio(evidence, VECTOR_FP64, VECTOR_FP32)
    yield from _ratio(evidence, TENSOR_FP64, VECTOR_FP64)


def units_do_what_they_have_circuits_for(evidence: Evidence) -> Iterator[Problem]:
    """No peak is shown of a format for which the compute unit has no circuits."""
    for _, record, group in _grouped(evidence):
        for lacking in group.lacks:
            for field, decision in record.items():
                if field.startswith("peak:") and matches(_words(field), lacking.peaks):
                    yield problem_of(
                        decision.chosen,
                        f"a {group.unit} of {group.name} has no circuits for it ({lacking.locator}); "
                        f"withdraw the figure in data/corrections.yml",
                    )


def int8_keeps_its_ratio_to_fp8(evidence: Evidence) -> Iterator[Problem]:
    """INT8 stands to FP8 as the operations of the unit do: equal from Ada to Blackwell, cut in Blackwell Ultra."""
    yield from _ratio(evidence, INT8, FP8)


def vector_fp32_names_its_clock(evidence: Evidence) -> Iterator[Problem]:
    """Vector FP32 is that of the boost clock, of the base clock, or of a clock that the table names."""
    for gpu, record, group in _grouped(evidence):
        units, found = _units(record, group), record.get(VECTOR_FP32.field)
        rate = group.by_peak.get(VECTOR_FP32)
        if not units or not found or not rate or evidence.architectures.reason(gpu.id, VECTOR_FP32):
            continue
        clocks = [clock for name in NAMED_CLOCKS if (clock := figure(record, name))]
        clock, _ = evidence.architectures.clock(chip(gpu, record), VECTOR_FP32)
        if not clocks:
            continue
        fits = float(found.chosen.value) * 1e6 / (units * rate[0])
        if all(abs(fits - named) > CLOCK_TOLERANCE * named for named in (*clocks, *([clock] if clock else []))):
            known = ", ".join(f"{clock:g}" for clock in clocks)
            yield problem_of(
                found.chosen,
                f"fits {fits:.0f} MHz, and the clocks on record are {known} MHz; correct one, "
                f"or say under apart in data/architectures.yml which clock the maker means",
            )


def cards_of_one_chip_agree(evidence: Evidence) -> Iterator[Problem]:
    """Cards that the table calls alike have the same value: cache of one die, link, bandwidth or day of variants."""
    for alike in evidence.architectures.alike:
        for field in alike.fields:
            of_card = {
                gpu: record[field].chosen for gpu in alike.gpus if field in (record := evidence.records.get(gpu, {}))
            }
            if not of_card:
                continue
            first = next(iter(of_card.values()))
            for gpu, claim in of_card.items():
                if not _same(field, first.value, claim.value):
                    yield problem_of(
                        claim,
                        f"{alike.reason}; {first.gpu} has {first.value} ({first.source}). Find the wrong "
                        f"one of {gpu} and {first.gpu} and withdraw it in data/corrections.yml",
                    )


def variants_come_after_their_base(evidence: Evidence) -> Iterator[Problem]:
    """Every variant was launched after the card that it varies, as far as both days are known."""
    for later in evidence.architectures.later:
        base = evidence.records.get(later.than, {}).get("launch_date")
        for gpu in later.gpus if base else ():
            own = evidence.records.get(gpu, {}).get("launch_date")
            if not own or not base:
                continue
            if own.chosen.value == base.chosen.value and len(own.chosen.value) == DAY_LENGTH and not later.same_day:
                relation = "is also the day"
            elif _before(own.chosen.value, base.chosen.value):
                relation = f"is before the {base.chosen.value}"
            else:
                continue
            yield problem_of(
                own.chosen,
                f"{relation} of {later.than}, of which it is a variant ({base.chosen.source}); the day of the other "
                f"card? Withdraw the wrong one in data/corrections.yml, or give same_day in data/architectures.yml",
            )


def first_products_come_first(evidence: Evidence) -> Iterator[Problem]:
    """Nothing is dated before the first product of its architecture or line, and that product to the day on record.

    A claim that was not chosen may be an announcement of the same year.
    """
    dated = [claim for claim in evidence.claims if claim.field == "launch_date"]
    chosen = {id: record["launch_date"].chosen for id, record in evidence.records.items() if "launch_date" in record}
    for first in evidence.architectures.first:
        what = first.line or first.architecture
        own = chosen.get(first.card)
        if own and own.value != first.day:
            yield problem_of(
                own,
                f"data/architectures.yml dates it {first.day} as the first product of {what}; correct the wrong one",
            )
        for claim in dated:
            gpu = evidence.gpus.get(claim.gpu)
            if not gpu or gpu.architecture != first.architecture:
                continue
            bar = first.day if claim == chosen.get(claim.gpu) else first.day[:YEAR_LENGTH]
            if first.line in (None, gpu.line) and _before(claim.value, bar):
                yield problem_of(
                    claim, f"before {bar}, when {first.card} came as the first product of {what}; check the day"
                )


def cache_is_not_larger_than_its_die(evidence: Evidence) -> Iterator[Problem]:
    """No card has more L2 than the whole die it is cut from, and a card that keeps all of it has no less."""
    for die in evidence.architectures.dies:
        for gpu in die.gpus:
            found = evidence.records.get(gpu, {}).get("l2_cache_mb")
            share = float(found.chosen.value) / die.l2_cache_mb if found else 1
            if found and share > 1 + ROUNDED:
                yield problem_of(found.chosen, f"the whole {die.name} has {die.l2_cache_mb:g} MB")
            elif found and share < 1 - ROUNDED and gpu in die.whole:
                yield problem_of(found.chosen, f"the card keeps the whole L2 of {die.name}, {die.l2_cache_mb:g} MB")


def one_state_of_a_document(evidence: Evidence) -> Iterator[Problem]:
    """The chosen figures of a card come from one state of a page: of two states of one address the newest counts."""
    for gpu, record in evidence.records.items():
        if gpu not in evidence.gpus:
            continue
        documents = evidence.gpus[gpu].documents
        chosen: dict[str, dict[str, str]] = defaultdict(dict)
        for field, decision in record.items():
            document = documents.get(decision.chosen.source)
            if document:
                chosen[document.url.rstrip("/")].setdefault(decision.chosen.source, field)
        for states in chosen.values():
            titles = {documents[source].title for source in states}
            if len(states) > 1 and len(titles) > 1 and any("state of" in title for title in titles):
                (_, field), *_ = states.items()
                yield problem_of(
                    record[field].chosen,
                    f"the figures of one page come from several states of it: "
                    f"{', '.join(states)}; withdraw those of the older state in data/corrections.yml",
                )


CHECKS: tuple[Check, ...] = (
    units_hold_their_cores,
    units_hold_their_matrix_cores,
    fp64_keeps_the_ratio_of_its_architecture,
    units_do_what_they_have_circuits_for,
    int8_keeps_its_ratio_to_fp8,
    vector_fp32_names_its_clock,
    cards_of_one_chip_agree,
    variants_come_after_their_base,
    first_products_come_first,
    cache_is_not_larger_than_its_die,
    one_state_of_a_document,
)


def _grouped(evidence: Evidence) -> Grouped:
    for id, record in evidence.records.items():
        gpu = evidence.gpus.get(id)
        group = evidence.architectures.group(chip(gpu, record)) if gpu else None
        if gpu and group:
            yield gpu, record, group


def _units(record: Mapping[str, Decision], group: UnitGroup) -> float | None:
    """Compute units, from the cores where no source states them; the matrix cores are what is checked."""
    cores = figure(record, "shader_cores")
    return figure(record, "compute_units") or (cores / group.cores if cores else None)


def _words(field: str) -> str:
    """A peak's field as the table of architectures names it: without its sparsity."""
    key = parse_peak(field)
    return f"{key.input}:{key.accumulate}:{key.engine}"


def _ratio(evidence: Evidence, key: PeakKey, against: PeakKey) -> Iterator[Problem]:
    for id, record in evidence.records.items():
        if id not in evidence.gpus or not {key.field, against.field} <= record.keys():
            continue
        expected = evidence.architectures.ratio(chip(evidence.gpus[id], record), key, against)
        if not expected:
            continue
        low, high, why = expected
        found, other = record[key.field].chosen, record[against.field].chosen
        value, least, most = float(found.value), low * float(other.value), high * float(other.value)
        half_step = 0.5 * 10.0 ** -len(found.value.partition(".")[2])
        nearest = min(max(value, least), most)
        if abs(value - nearest) > max(RATIO_TOLERANCE * nearest, half_step):
            yield problem_of(found, f"{why}: with the {other.value} of {other.source} that is {nearest:.4g}")


def _on(record: Mapping[str, Decision], field: str, message: str, gpu: Gpu) -> Problem:
    step = f"find the wrong one and withdraw it in data/corrections.yml, or correct data/gpus/{gpu.id}.yml"
    return problem_of(record[field].chosen, f"{message}; {step}")


def _same(field: str, one: str, other: str) -> bool:
    """Days of variants are equal, as far as both are known; other figures agree within their tolerance."""
    if field == "launch_date":
        return one.startswith(other) or other.startswith(one)
    return agree(field, one, other)


def _before(one: str, other: str) -> bool:
    """Whether a day is earlier than another, as far as both are known."""
    known = min(len(one), len(other))
    return one[:known] < other[:known]
