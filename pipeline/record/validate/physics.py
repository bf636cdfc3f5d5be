"""Rules of arithmetic and hardware: figures of one GPU that cannot all be true together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from pipeline.core.schema import PEAK, Claim, parse_peak
from pipeline.core.theory import theory
from pipeline.record.chips import chip
from pipeline.record.reconcile import Decision, agree
from pipeline.record.validate.base import Check, Evidence, Problem, problem_of

# Bits a second and pin that memory of a kind has been sold with, with a margin of 5 %. Lowest and highest data
# rates of the claims on memory_data_rate_gbps in this dataset and the JEDEC standards' own ceilings; GDDR7 ends below
# its ceiling, at twice the slowest part less the margins, so that a halved bus of that part is still seen.
# Slowest of their kind: LPDDR5 of the Jetson Orin Nano (68.2 GB/s over 128 bit, TechPowerUp GPU database) and GDDR7 of
# the 70 W boards RTX PRO 2000 (288 GB/s, "128-bit") and RTX PRO 4000 SFF ("192-bit, 432 GB/s rated"), 2026-11-21.
PIN_RATE_GBPS: Mapping[str, tuple[float, float]] = {
    "GDDR5": (3.5, 9.5),
    "GDDR5X": (9.0, 12.5),
    "GDDR6": (10.0, 21.0),
    "GDDR6X": (17.5, 25.0),
    "GDDR7": (18.0, 32.0),
    "HBM": (0.95, 1.1),
    "HBM2": (1.2, 2.6),
    "HBM2e": (2.3, 3.8),
    "HBM3": (3.8, 6.9),
    "HBM3e": (5.5, 10.2),
    "LPDDR4X": (3.0, 4.5),
    "LPDDR5": (4.26, 6.8),
    "LPDDR5X": (7.0, 9.7),
}
POWER_TOLERANCE = 0.02  # sheets round a board's power
# The highest idle power of a board's own that was measured is a fifth of it (A100, H200, MI300X: HBM stays awake).
MOST_IDLE = 1 / 3
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
PIN_RATE_TOLERANCE = 0.05
# A claim that is off by this factor from the chosen value is a mix-up (sparse as dense, one die of two, half the
# bus, another variant), not a difference of opinion; a correction must say so.
MIX_UP_FACTOR = (1.9, 2.1)
# Two of four weights may be zero on these makers' chips, which doubles the rate. Trainium goes up to four of sixteen
# and states a rate that is less than four times the dense one.
TWO_OF_FOUR_SPARSITY = ("NVIDIA", "AMD")
# GeForce chips of these architectures accumulate FP16 products in FP32 at half the rate that FP16 sums reach.
HALF_RATE_FP32_SUMS = ("Turing", "Ampere", "Ada Lovelace", "Blackwell")
# What the dense matrix rate of a format is against FP16 with FP32 sums, on one chip: lowest and highest seen.
AGAINST_FP16: Mapping[str, tuple[float, float]] = {
    "peak:bf16:fp32:dense:tensor": (0.97, 1.03),
    "peak:tf32:fp32:dense:tensor": (0.24, 0.52),
    "peak:fp8:fp32:dense:tensor": (0.97, 2.06),
}


def bus_matches_bandwidth(evidence: Evidence) -> Iterator[Problem]:
    """Bandwidth is bus width times data rate: no claim on either may need memory that was never made."""
    for gpu, record in evidence.records.items():
        memory = record["memory_type"].chosen.value if "memory_type" in record else ""
        # The memory type in the spelling of PIN_RATE_GBPS
        word = memory.upper().split(" ")[0]
        memory_word = {known.upper(): known for known in PIN_RATE_GBPS}.get(word, word)
        limits = PIN_RATE_GBPS.get(memory_word)
        if not limits:
            continue
        for claim, bus, bandwidth in _bus_and_bandwidth(record):
            rate = bandwidth * 8 / bus
            if not limits[0] * (1 - PIN_RATE_TOLERANCE) <= rate <= limits[1] * (1 + PIN_RATE_TOLERANCE):
                yield problem_of(
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
            yield problem_of(
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
        ratios = [
            peak * 1e6 / (ops * cores * clock)
            for ops in FP32_OPS_PER_CORE_CLOCK.get(evidence.gpus[gpu].architecture, (2,))
        ]
        if all(abs(ratio - 1) > FP32_TOLERANCE for ratio in ratios):
            yield problem_of(
                record[names[0]].chosen,
                f"{cores:g} cores at {clock:g} MHz give {peak / ratios[0]:.1f} TFLOPS; one of the three is wrong "
                f"(cores: {record[names[1]].chosen.source}, clock: {record[names[2]].chosen.source})",
            )


def sparse_is_twice_dense(evidence: Evidence) -> Iterator[Problem]:
    """A sparse peak is twice the dense one, and no claim on one of them is the other."""
    for gpu, record in evidence.records.items():
        if gpu not in evidence.gpus or evidence.gpus[gpu].vendor not in TWO_OF_FOUR_SPARSITY:
            continue
        # The peaks that the units of a card reach, without those that a stated one is known to lie apart from
        table = evidence.architectures
        known = theory(chip(evidence.gpus[gpu], evidence.records[gpu]), table)
        computed = {key: found.tflops for key, found in known.items() if not table.reason(gpu, key)}
        for field, decision in record.items():
            if field.startswith("peak:") and field.endswith(":dense:tensor"):  # only matrix units know sparsity
                sparse = record.get(field.replace(":dense:", ":sparse:"))
                yield from _mixed_up(decision, sparse, computed.get(parse_peak(field)))


def _mixed_up(dense: Decision, sparse: Decision | None, computed: float | None) -> Iterator[Problem]:
    """What contradicts the dense rate for which the most claims speak: a sparse one by its half, and the units.

    Of two rates with as many, the lower: a sparse peak is taken for a dense one far more often than the other way.
    """
    told = [(claim, float(claim.value)) for claim in _all(dense)]
    told += [(claim, float(claim.value) / 2) for claim in _all(sparse)] if sparse else []
    rates = sorted([rate for _, rate in told] + ([computed] if computed else []))
    rate = max(rates, key=lambda rate: sum(_same_rate(rate, other) for other in rates))
    witness = next((claim for claim, own in told if _same_rate(own, rate)), None)
    stated = f"{computed or 0:.4g} of its units, operations and clock"
    if witness:
        stated = f"{'dense' if witness.field == dense.field else 'sparse'} {witness.value} of {witness.source}"
    for claim, own in told:
        is_dense = claim.field == dense.field
        if MIX_UP_FACTOR[0] <= own / rate <= MIX_UP_FACTOR[1] and is_dense:
            step = f"store it as {claim.field.replace(':dense:', ':sparse:')}, {OR}"
            yield problem_of(claim, f"a sparse peak stored as dense? It does not fit the {stated}; {step}")
        elif MIX_UP_FACTOR[0] <= rate / own <= MIX_UP_FACTOR[1]:
            kind = "one die of two, or of another accumulate type" if is_dense else "a dense peak stored as sparse"
            yield problem_of(claim, f"{kind}? It does not fit the {stated}; correct it, {OR}")
    if sparse and not agree(sparse.field, sparse.chosen.value, f"{2 * rate:.6g}") and not _is_mixed_up(sparse, rate):
        yield problem_of(sparse.chosen, f"is not twice the {stated}; find which one is neither, and correct it")


OR = "or withdraw it in data/corrections.yml"


def _all(decision: Decision) -> tuple[Claim, ...]:
    return (decision.chosen, *decision.agreeing, *decision.differing)


def _same_rate(one: float, other: float) -> bool:
    return abs(one - other) <= PEAK.tolerance * max(one, other) + 1e-9


def _is_mixed_up(sparse: Decision, rate: float) -> bool:
    return MIX_UP_FACTOR[0] <= 2 * rate / float(sparse.chosen.value) <= MIX_UP_FACTOR[1]


def memory_technology_agrees(evidence: Evidence) -> Iterator[Problem]:
    """No source says HBM where another says GDDR."""
    for record in evidence.records.values():
        for claim in record["memory_type"].differing if "memory_type" in record else ():
            chosen = record["memory_type"].chosen
            if _technology(claim.value) != _technology(chosen.value):
                yield problem_of(
                    claim,
                    f"another technology than the {chosen.value} of {chosen.source}, which would need another rate in "
                    f"Gbps a pin; withdraw the wrong one in data/corrections.yml",
                )


def clocks_are_in_order(evidence: Evidence) -> Iterator[Problem]:
    """The base clock is not above the boost clock."""
    for record in evidence.records.values():
        if "base_clock_mhz" not in record or "boost_clock_mhz" not in record:
            continue
        base, boost = record["base_clock_mhz"].chosen, record["boost_clock_mhz"].chosen
        if float(base.value) > float(boost.value):
            yield problem_of(base, f"above the boost clock of {boost.value} MHz ({boost.source}); one is wrong")


def formats_keep_their_ratio(evidence: Evidence) -> Iterator[Problem]:
    """On one chip the dense matrix rates of the formats stand in the ratios that hardware has."""
    for gpu, record in evidence.records.items():
        base = record.get("peak:fp16:fp32:dense:tensor")
        if not base or gpu not in evidence.gpus or evidence.gpus[gpu].vendor != "NVIDIA":
            continue  # the MI100, Gaudi 3 and Trainium have other ratios
        known = {field: limits for field, limits in AGAINST_FP16.items() if field in record}
        odd = [field for field in known if not _in_ratio(record[field], base, known[field])]
        # What fits no other format is at fault itself, and FP16 where nothing fits it.
        fp16_alone = len(odd) == len(known)
        for field in odd[:1] if fp16_alone else odd:
            ratio = float(record[field].chosen.value) / float(base.chosen.value)
            wrong, other = (base, record[field]) if fp16_alone else (record[field], base)
            yield problem_of(
                wrong.chosen,
                f"{other.field} is {other.chosen.value} ({other.chosen.source}), so {field} is {ratio:.2f} times FP16; "
                f"{known[field][0]:g} to {known[field][1]:g} is possible. One of them is sparse, or of another "
                f"accumulate type",
            )


def _in_ratio(decision: Decision, base: Decision, limits: tuple[float, float]) -> bool:
    return limits[0] <= float(decision.chosen.value) / float(base.chosen.value) <= limits[1]


def geforce_sums_at_half_rate(evidence: Evidence) -> Iterator[Problem]:
    """GeForce cards reach half the FP16 rate with FP32 sums; boards for work and data centre the full one."""
    for gpu, record in evidence.records.items():
        fields = ("peak:fp16:fp32:dense:tensor", "peak:fp16:fp16:dense:tensor")
        if gpu not in evidence.gpus or not all(field in record for field in fields):
            continue
        about = evidence.gpus[gpu]
        if about.vendor != "NVIDIA" or about.segment != "consumer" or about.architecture not in HALF_RATE_FP32_SUMS:
            continue
        with_fp32, with_fp16 = (record[field].chosen for field in fields)
        if abs(float(with_fp16.value) / float(with_fp32.value) - 2) > 2 * PEAK.tolerance:
            yield problem_of(
                with_fp32,
                f"not half of the {with_fp16.value} with FP16 sums ({with_fp16.source}); "
                f"one of them has the other's accumulate type, or is sparse",
            )


def wider_is_not_faster(evidence: Evidence) -> Iterator[Problem]:
    """On one kind of unit nothing multiplies FP64 faster than FP32: a comma or a unit has slipped."""
    for record in evidence.records.values():
        wide, narrow = (record.get(f"peak:{kind}:{kind}:dense:vector") for kind in ("fp64", "fp32"))
        if wide and narrow and float(wide.chosen.value) > float(narrow.chosen.value) * (1 + PEAK.tolerance):
            message = f"more than the {narrow.chosen.value} of FP32 ({narrow.chosen.source}); check digits and unit"
            yield problem_of(wide.chosen, message)


def power_limits_hold_the_board_power(evidence: Evidence) -> Iterator[Problem]:
    """The power as delivered lies between the lowest and the highest limit that can be set."""
    for record in evidence.records.values():
        limits = [record.get(field) for field in ("power_limit_min_w", "board_power_w", "power_limit_max_w")]
        known = [decision.chosen for decision in limits if decision]
        for lower, higher in pairwise(known):
            if float(lower.value) > float(higher.value) * (1 + POWER_TOLERANCE):
                message = f"above the {higher.field} of {higher.value} W ({higher.source}); is it of another board?"
                yield problem_of(lower, message)


def idle_is_far_below_the_board_power(evidence: Evidence) -> Iterator[Problem]:
    """A card that draws a third of its power has work: the reading is no idle power."""
    for record in evidence.records.values():
        idle, board = record.get("idle_power_w"), record.get("board_power_w")
        if idle and board:
            for claim in (idle.chosen, *idle.agreeing, *idle.differing):
                if float(claim.value) > MOST_IDLE * float(board.chosen.value):
                    message = f"more than a third of the {board.chosen.value} W of the board; something was running"
                    yield problem_of(claim, message)


CHECKS: tuple[Check, ...] = (
    power_limits_hold_the_board_power,
    idle_is_far_below_the_board_power,
    wider_is_not_faster,
    bus_matches_bandwidth,
    rate_matches_bandwidth,
    fp32_matches_cores,
    memory_technology_agrees,
    clocks_are_in_order,
    formats_keep_their_ratio,
    geforce_sums_at_half_rate,
)


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


def _technology(memory: str) -> str:
    """HBM, GDDR or LPDDR: the letters before the generation."""
    return memory.upper().rstrip("0123456789EX ").split(" ")[0].removesuffix("X")
