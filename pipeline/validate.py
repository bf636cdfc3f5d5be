"""Claims, records, results and prices in, problems out: every rule is a small generator, all run, all are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from pipeline.corrections import Accepted
from pipeline.gpus import Gpu
from pipeline.reconcile import Decision, Records, agree
from pipeline.schema import (
    KINDS,
    PRICE_KINDS,
    Claim,
    Price,
    Result,
    SchemaError,
    canonical,
    field_of,
)
from pipeline.units import UnitError

# Bits a second and pin that memory of a kind has been sold with, with a margin of 5 %. Lowest and highest data
# rates of the claims on memory_data_rate_gbps in this dataset and the JEDEC standards' own ceilings.
PIN_RATE_GBPS: Mapping[str, tuple[float, float]] = {
    "GDDR5": (3.5, 9.5),
    "GDDR5X": (9.0, 12.5),
    "GDDR6": (10.0, 21.0),
    "GDDR6X": (17.5, 25.0),
    "GDDR7": (22.0, 37.0),
    "HBM": (0.95, 1.1),
    "HBM2": (1.2, 2.6),
    "HBM2e": (2.3, 3.8),
    "HBM3": (3.8, 6.9),
    "HBM3e": (5.5, 10.2),
    "LPDDR4X": (3.0, 4.5),
    "LPDDR5": (5.0, 6.8),
    "LPDDR5X": (7.0, 9.7),
}
# Vector FP32 operations a core and clock: a fused multiply-add counts two; CDNA 2 and newer and RDNA 3 and newer
# issue two of them at once, which their makers' figures include.
FP32_OPS_PER_CORE_CLOCK: Mapping[str, tuple[float, ...]] = {
    "RDNA 3": (2, 4),
    "RDNA 3.5": (2, 4),
    "RDNA 4": (2, 4),
    "CDNA 2": (2, 4),
    "CDNA 3": (2, 4),
    "CDNA 4": (2, 4),
}
FP32_TOLERANCE = 0.08  # sheets round clocks, and some quote the rate of another clock than the one they print
BANDWIDTH_TOLERANCE = 0.03
# A claim that is off by this factor from the chosen value is a mix-up (sparse as dense, one die of two, half the
# bus, another variant), not a difference of opinion; a correction must say so.
MIX_UP_FACTOR = (1.9, 2.1)
# Two of four weights may be zero on these makers' chips, which doubles the rate. Trainium goes up to four of sixteen
# and states a rate that is less than four times the dense one.
TWO_OF_FOUR_SPARSITY = ("NVIDIA", "AMD")
MIX_UP_FIELDS = (
    "memory_gb",
    "memory_bus_bit",
    "memory_bandwidth_gb_s",
    "shader_cores",
    "tensor_cores",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, which field, which value, and what to do next."""

    where: str
    field: str
    value: str
    message: str
    gpu: str = ""
    check: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.field} = {self.value!r}: {self.message}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the rules look at."""

    gpus: Mapping[str, Gpu]
    claims: Sequence[Claim]  # without the withdrawn ones
    records: Records
    results: Sequence[Result]
    prices: Sequence[Price]


Check = Callable[[Evidence], Iterator[Problem]]


def problems(evidence: Evidence, accepted: Sequence[Accepted] = ()) -> list[str]:
    """Run every check and say what they find, in the order of CHECKS; accepted problems that are gone are one too."""
    found = [replace(problem, check=check.__name__) for check in CHECKS for problem in check(evidence)]
    known = {(entry.check, entry.gpu, entry.field): entry for entry in accepted}
    idle = known.keys() - {_key(problem) for problem in found}
    return [
        *(
            f"data/corrections.yml: accepted {' '.join(key)} is no problem any more; take it out"
            for key in sorted(idle)
        ),
        *(f"{problem} [{problem.check}]" for problem in found if _key(problem) not in known),
    ]


def _key(problem: Problem) -> tuple[str, str, str]:
    return problem.check, problem.gpu, problem.field


def claim_has_source(evidence: Evidence) -> Iterator[Problem]:
    """Each claim names who says it, where, on which day and under which licence."""
    for claim in evidence.claims:
        for column in ("source", "url", "locator", "retrieved", "licence"):
            if not getattr(claim, column).strip():
                yield _problem(
                    claim,
                    f"the claim has no {column}; a value without it is not shown, add it",
                )
        if claim.url and not claim.url.startswith(("https://", "http://")):
            yield _problem(claim, f"the address {claim.url!r} is no web address; correct it")
        if claim.kind not in KINDS:
            yield _problem(claim, f"the kind {claim.kind!r} is not one of {', '.join(KINDS)}")
        if not _is_day(claim.retrieved):
            yield _problem(
                claim,
                f"the date {claim.retrieved!r} is no day as 2026-11-21; correct it",
            )


def gpu_is_known(evidence: Evidence) -> Iterator[Problem]:
    """Each row speaks of a GPU that has its file."""
    rows: list[Claim | Result | Price] = [
        *evidence.claims,
        *evidence.results,
        *evidence.prices,
    ]
    for row in rows:
        if row.gpu not in evidence.gpus:
            field = row.field if isinstance(row, Claim) else "gpu"
            step = "add data/gpus/<id>.yml, or put the name into the aliases of the GPU it means"
            yield Problem(
                f"{row.source} ({row.locator})",
                field,
                row.gpu,
                f"unknown GPU name {row.gpu!r}; {step}",
            )


def claim_fits_field(evidence: Evidence) -> Iterator[Problem]:
    """Each value is in the written form, unit and range of its field; a zero is never an unknown."""
    for claim in evidence.claims:
        try:
            field = field_of(claim.field)
            written = canonical(claim.field, claim.value, claim.unit or None)
        except (SchemaError, UnitError, ValueError) as error:
            yield _problem(claim, f"{error}; correct the value or its unit")
            continue
        if claim.unit != field.unit:
            yield _problem(
                claim,
                f"the unit is {claim.unit!r}, the field's is {field.unit!r}; convert it",
            )
        elif written != claim.value:
            yield _problem(claim, f"not in written form; write {written!r}")
        elif field.low is not None and field.high is not None and not field.low <= float(written) <= field.high:
            step = "leave an unknown value out" if float(written) == 0 else "check unit and digits at the source"
            yield _problem(claim, f"outside {field.low:g} to {field.high:g} {field.unit}; {step}")


def bus_matches_bandwidth(evidence: Evidence) -> Iterator[Problem]:
    """Bandwidth is bus width times data rate: no claim on either may need memory that was never made."""
    for gpu, record in evidence.records.items():
        memory = record["memory_type"].chosen.value if "memory_type" in record else ""
        limits = PIN_RATE_GBPS.get(_memory_word(memory))
        if not limits:
            continue
        for claim, bus, bandwidth in _bus_and_bandwidth(record):
            rate = bandwidth * 8 / bus
            if not limits[0] * 0.95 <= rate <= limits[1] * 1.05:
                yield _problem(
                    claim,
                    f"{bandwidth:g} GB/s over {bus:g} bit needs {rate:.1f} Gbps a pin; {memory} runs at "
                    f"{limits[0]:g} to {limits[1]:g}. A halved bus, one die of two or another variant? "
                    f"Correct it, or withdraw the claim in data/corrections.yml ({gpu})",
                )


def rate_matches_bandwidth(evidence: Evidence) -> Iterator[Problem]:
    """The chosen bandwidth is the chosen bus width times the chosen data rate."""
    for record in evidence.records.values():
        names = ("memory_bandwidth_gb_s", "memory_bus_bit", "memory_data_rate_gbps")
        if not all(name in record for name in names):
            continue
        bandwidth, bus, rate = (float(record[name].chosen.value) for name in names)
        if abs(bus * rate / 8 - bandwidth) > BANDWIDTH_TOLERANCE * bandwidth:
            yield _problem(
                record["memory_data_rate_gbps"].chosen,
                f"{bus:g} bit at {rate:g} Gbps give {bus * rate / 8:.0f} GB/s, not the {bandwidth:g} of "
                f"{record['memory_bandwidth_gb_s'].chosen.source}; find the wrong one and correct it",
            )


def fp32_matches_cores(evidence: Evidence) -> Iterator[Problem]:
    """Vector FP32 is operations a core and clock × cores × boost clock."""
    for gpu, record in evidence.records.items():
        names = ("peak:fp32:fp32:dense:vector", "shader_cores", "boost_clock_mhz")
        if gpu not in evidence.gpus or not all(name in record for name in names):
            continue
        peak, cores, clock = (float(record[name].chosen.value) for name in names)
        ratios = [peak * 1e6 / (ops * cores * clock) for ops in _ops(evidence.gpus[gpu])]
        if all(abs(ratio - 1) > FP32_TOLERANCE for ratio in ratios):
            yield _problem(
                record[names[0]].chosen,
                f"{cores:g} cores at {clock:g} MHz give {peak / ratios[0]:.1f} TFLOPS; one of the three is wrong "
                f"(cores: {record[names[1]].chosen.source}, clock: {record[names[2]].chosen.source})",
            )


def sparse_is_twice_dense(evidence: Evidence) -> Iterator[Problem]:
    """A sparse peak is twice the dense one, and no dense claim is as high as the sparse peak."""
    for gpu, record in evidence.records.items():
        if gpu not in evidence.gpus or evidence.gpus[gpu].vendor not in TWO_OF_FOUR_SPARSITY:
            continue
        for field, decision in record.items():
            if not field.startswith("peak:") or not field.endswith(":dense:tensor"):
                continue  # only matrix units know sparsity
            sparse = record.get(field.replace(":dense:", ":sparse:"))
            yield from _sparse_as_dense(field, decision, sparse)


def _sparse_as_dense(field: str, decision: Decision, sparse: Decision | None) -> Iterator[Problem]:
    twice = f"{2 * float(decision.chosen.value):.6g}"
    if sparse and not agree(field, sparse.chosen.value, twice):
        yield _problem(sparse.chosen, f"not twice the dense {decision.chosen.value} of {decision.chosen.source}; "
                                      f"find which one is neither, and correct it")  # fmt: skip
    for claim in decision.differing:
        if MIX_UP_FACTOR[0] <= float(claim.value) / float(decision.chosen.value) <= MIX_UP_FACTOR[1]:
            yield _problem(
                claim,
                f"twice the dense {decision.chosen.value} of {decision.chosen.source}: a sparse peak stored as "
                f"dense? Store it as {field.replace(':dense:', ':sparse:')}, or withdraw it in data/corrections.yml",
            )
        if MIX_UP_FACTOR[0] <= float(decision.chosen.value) / float(claim.value) <= MIX_UP_FACTOR[1]:
            yield _problem(
                claim,
                f"half the dense {decision.chosen.value} of {decision.chosen.source}: one of them is a sparse peak, "
                f"another accumulate type or one die of two; withdraw the wrong one in data/corrections.yml",
            )


def no_mix_up(evidence: Evidence) -> Iterator[Problem]:
    """A claim that is twice or half the chosen value is explained by a correction."""
    for record in evidence.records.values():
        for field in MIX_UP_FIELDS:
            for claim in record[field].differing if field in record else ():
                high, low = sorted(
                    (float(claim.value), float(record[field].chosen.value)),
                    reverse=True,
                )
                if low and MIX_UP_FACTOR[0] <= high / low <= MIX_UP_FACTOR[1]:
                    yield _problem(
                        claim,
                        f"off by a factor of two from the {record[field].chosen.value} of "
                        f"{record[field].chosen.source}: another variant, or one die of two? "
                        f"Correct the alias, or withdraw the claim in data/corrections.yml with the reason",
                    )


def result_is_sound(evidence: Evidence) -> Iterator[Problem]:
    """A result is positive, or flagged as failed; it has a date and stands once."""
    counted = Counter((r.source, r.locator, r.gpu, r.metric) for r in evidence.results)
    for result in evidence.results:
        where = f"{result.source} ({result.locator})"
        if (result.value is None) != bool(result.flag) and result.value is None:
            yield Problem(
                where,
                result.metric,
                "",
                "no value and no flag that says why; add the flag",
            )
        if result.value is not None and result.value <= 0:
            yield Problem(
                where,
                result.metric,
                f"{result.value:g}",
                "not above zero; a failed run has no value but a flag",
            )
        if not _is_day(result.date):
            yield Problem(
                where,
                "date",
                result.date,
                "no day as 2026, 2026-11 or 2026-11-21; correct it",
            )
        if counted[result.source, result.locator, result.gpu, result.metric] > 1:
            yield Problem(
                where,
                result.metric,
                f"{result.value}",
                "stands twice; drop one, or give them different locators",
            )


def price_is_sound(evidence: Evidence) -> Iterator[Problem]:
    """A price is positive, of a known kind, dated, and its per-GPU and per-machine figures belong together."""
    for price in evidence.prices:
        where = f"{price.source} ({price.locator})"
        amounts = (
            price.usd_per_gpu_hour,
            price.usd_per_machine_hour,
            price.usd_per_unit,
        )
        if price.kind not in PRICE_KINDS:
            yield Problem(where, "kind", price.kind, f"not one of {', '.join(PRICE_KINDS)}")
        if not any(amount is not None for amount in amounts):
            yield Problem(where, "price", "", "no amount at all; leave the row out")
        for amount in amounts:
            if amount is not None and amount <= 0:
                yield Problem(
                    where,
                    "price",
                    f"{amount:g}",
                    "not above zero; leave an unknown price out",
                )
        if not _is_day(price.date):
            yield Problem(
                where,
                "date",
                price.date,
                "no day as 2026-11-21 or month as 2026-11; correct it",
            )
        yield from _machine_price(where, price)


def _machine_price(where: str, price: Price) -> Iterator[Problem]:
    machine, each, gpus = price.usd_per_machine_hour, price.usd_per_gpu_hour, price.gpus
    if machine and each and gpus and abs(each * gpus / machine - 1) > 0.02 and not price.flag:
        yield Problem(
            where, "usd_per_gpu_hour", f"{each:g}",
            f"{gpus:g} GPUs at that make {each * gpus:.4g}, not {machine:g} a machine-hour: "
            f"a machine's price stored as a GPU's? Correct it, or flag the row with the reason",
        )  # fmt: skip


CHECKS: tuple[Check, ...] = (
    claim_has_source,
    gpu_is_known,
    claim_fits_field,
    bus_matches_bandwidth,
    rate_matches_bandwidth,
    fp32_matches_cores,
    sparse_is_twice_dense,
    no_mix_up,
    result_is_sound,
    price_is_sound,
)


def _problem(claim: Claim, message: str) -> Problem:
    where = f"{claim.source} ({claim.locator}) on {claim.gpu}"
    return Problem(where, claim.field, claim.value, message, claim.gpu)


def _bus_and_bandwidth(
    record: Mapping[str, Decision],
) -> Iterator[tuple[Claim, float, float]]:
    """Each claim on one of the two with the chosen value of the other."""
    bus, bandwidth = record.get("memory_bus_bit"), record.get("memory_bandwidth_gb_s")
    if not bus or not bandwidth:
        return
    for claim in (bus.chosen, *bus.agreeing, *bus.differing):
        if float(claim.value) > 0:
            yield claim, float(claim.value), float(bandwidth.chosen.value)
    for claim in bandwidth.differing:
        yield claim, float(bus.chosen.value), float(claim.value)


def _memory_word(memory: str) -> str:
    """The memory type in the spelling of PIN_RATE_GBPS."""
    word = memory.upper().split(" ")[0]
    return {known.upper(): known for known in PIN_RATE_GBPS}.get(word, word)


def _ops(gpu: Gpu) -> tuple[float, ...]:
    return FP32_OPS_PER_CORE_CLOCK.get(gpu.architecture, (2,))


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text + "-01-01"[len(text) - 4 :] if len(text) in (4, 7) else text)
    except ValueError:
        return False
    return True
