"""Rules on products: figures of another variant, another architecture or another time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipeline.core.schema import Claim
from pipeline.core.units import is_number
from pipeline.core.wording import number
from pipeline.record.reconcile import agree, first_of_a_month
from pipeline.record.validate.base import Check, Evidence, Problem, by_hand, problem_of
from pipeline.record.validate.physics import MIX_UP_FACTOR

# NVIDIA's table of compute capabilities (developer.nvidia.com/cuda/gpus) by architecture.
CAPABILITIES: Mapping[str, tuple[str, ...]] = {
    "Kepler": ("3.0", "3.5", "3.7"),
    "Maxwell": ("5.0", "5.2", "5.3"),
    "Pascal": ("6.0", "6.1", "6.2"),
    "Volta": ("7.0", "7.2"),
    "Turing": ("7.5",),
    "Ampere": ("8.0", "8.6", "8.7"),
    "Ada Lovelace": ("8.9",),
    "Hopper": ("9.0",),
    "Blackwell": ("10.0", "10.1", "10.3", "11.0", "12.0", "12.1"),
}
# The generation of PCI Express by architecture, of all its products: the claims on pcie_gen in this dataset, each with
# its document. Vega 20 runs Gen4 on the boards for servers and Gen3 on the Radeon VII; Blackwell Ultra brought Gen6.
PCIE_GENERATIONS: Mapping[str, tuple[float, ...]] = {
    "Kepler": (3,),
    "Maxwell": (3,),
    "Pascal": (3,),
    "Volta": (3,),
    "Turing": (3,),
    "Ampere": (4,),
    "Ada Lovelace": (4,),
    "Hopper": (5,),
    "Blackwell": (5, 6),
    "GCN 3": (3,),
    "GCN 4": (3,),
    "GCN 5": (3,),
    "GCN 5.1": (3, 4),
    "RDNA": (4,),
    "RDNA 2": (4,),
    "RDNA 3": (4,),
    "RDNA 4": (5,),
    "CDNA": (4,),
    "CDNA 2": (4,),
    "CDNA 3": (5,),
    "CDNA 4": (5,),
    "Xe-HPG": (4,),
    "Xe2": (4, 5),
}
STACKED = ("HBM2", "HBM3", "HBM4")  # the first HBM had no ECC
LANES = (1, 2, 4, 8, 16)  # widths of a slot
# Sources that speak of the same card disagree by a factor of three at most.
SLIPPED_DIGIT_FACTOR = 4
SIBLING_FIELDS = ("memory_gb", "memory_bandwidth_gb_s", "board_power_w", "shader_cores")
MIX_UP_FIELDS = (
    "memory_gb",
    "memory_bus_bit",
    "memory_bandwidth_gb_s",
    "shader_cores",
    "tensor_cores",
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
                    yield problem_of(
                        claim,
                        f"off by a factor of two from the {record[field].chosen.value} of "
                        f"{record[field].chosen.source}: another variant, or one die of two? "
                        f"Correct the alias, or withdraw the claim in data/corrections.yml with the reason",
                    )


def no_slipped_digit(evidence: Evidence) -> Iterator[Problem]:
    """No claim is many times what the others say: then a digit, a comma or a unit has slipped."""
    for record in evidence.records.values():
        for decision in record.values():
            far = [claim for claim in decision.differing if _times(claim, decision.chosen) >= SLIPPED_DIGIT_FACTOR]
            if not far:
                continue
            near = [claim for claim in (*decision.agreeing, *decision.differing) if claim not in far]
            first = max(far, key=lambda claim: not by_hand(claim, evidence))
            # The fewer are wrong, and of two what was typed: fingers slip more often than a source's table.
            outvoted = (len(near) + 1, not by_hand(decision.chosen, evidence)) < (
                len(far),
                not by_hand(first, evidence),
            )
            for doubted, other in ((decision.chosen, first),) if outvoted else ((one, decision.chosen) for one in far):
                apart = f"{number(_times(doubted, other))} times apart from the {other.value} of {other.source}"
                step = "check digits, comma and unit; where the source itself is wrong, withdraw the claim"
                yield problem_of(doubted, f"{apart}; {step} in data/corrections.yml")


def _times(claim: Claim, other: Claim) -> float:
    """How many times one of two figures is the other; 1 where they are none."""
    if not (is_number(claim.value) and is_number(other.value)):
        return 1.0
    low, high = sorted((float(claim.value), float(other.value)))
    return high / low if low > 0 else 1.0


def no_sibling_value(evidence: Evidence) -> Iterator[Problem]:
    """A claim that contradicts its GPU and states the figure of a sibling variant was put under the wrong one."""
    for gpu, record in evidence.records.items():
        for field in SIBLING_FIELDS:
            for claim in record[field].differing if field in record else ():
                for sibling in sorted(evidence.siblings.get(gpu, ())):
                    other = evidence.records.get(sibling, {}).get(field)
                    if other and agree(field, claim.value, other.chosen.value):
                        yield problem_of(
                            claim,
                            f"that is the figure of the variant {sibling}; {record[field].chosen.source} states "
                            f"{record[field].chosen.value}. Put the claim under the right alias, or withdraw it in "
                            f"data/corrections.yml",
                        )


def launch_is_possible(evidence: Evidence) -> Iterator[Problem]:
    """Nothing was launched in the future."""
    for claim in evidence.claims:
        if claim.field != "launch_date":
            continue
        if claim.value > evidence.newest_reading and not _announced(evidence, claim.gpu):
            yield problem_of(claim, f"in the future of the newest reading ({evidence.newest_reading}); check the year")


def _announced(evidence: Evidence, gpu: str) -> bool:
    status = evidence.records[gpu].get("status")
    return status is not None and status.chosen.value == "announced"


def launch_day_is_known(evidence: Evidence) -> Iterator[Problem]:
    """No day of launch is the first of a month that a table writes for the month, or that of a cancelled product."""
    for gpu, record in evidence.records.items():
        launch, status = record.get("launch_date"), record.get("status")
        if not launch or gpu not in evidence.gpus:
            continue
        if status and status.chosen.value == "cancelled":
            yield problem_of(launch.chosen, "the product was cancelled; withdraw the day in data/corrections.yml")
        elif first_of_a_month(launch.chosen) and not any(
            claim.value == launch.chosen.value and claim.source != launch.chosen.source for claim in launch.agreeing
        ):
            step = f"write the month in data/gpus/{gpu}.yml, or withdraw it in data/corrections.yml"
            yield problem_of(
                launch.chosen, f"tables write the first of a month for a day that they do not know; {step}"
            )


def capability_fits_architecture(evidence: Evidence) -> Iterator[Problem]:
    """A CUDA compute capability belongs to its architecture."""
    for claim in evidence.claims:
        gpu = evidence.gpus.get(claim.gpu)
        if claim.field != "compute_capability" or gpu is None or gpu.architecture not in CAPABILITIES:
            continue
        if claim.value not in CAPABILITIES[gpu.architecture]:
            allowed = ", ".join(CAPABILITIES[gpu.architecture])
            yield problem_of(claim, f"{gpu.architecture} has {allowed}; a CUDA version taken for the capability?")


def pcie_fits_architecture(evidence: Evidence) -> Iterator[Problem]:
    """The PCI Express link of a card has the generation of its architecture and the width of a slot."""
    for claim in evidence.claims:
        gpu = evidence.gpus.get(claim.gpu)
        if claim.field == "pcie_lanes" and is_number(claim.value) and float(claim.value) not in LANES:
            yield problem_of(claim, f"a slot has {', '.join(map(str, LANES))} lanes; another figure of the same line?")
        known = PCIE_GENERATIONS.get(gpu.architecture, ()) if gpu and claim.field == "pcie_gen" else ()
        if known and is_number(claim.value) and float(claim.value) not in known:
            allowed = " or ".join(f"{generation:g}" for generation in known)
            step = "the generation of the slot or of a newer card? Withdraw it in data/corrections.yml"
            yield problem_of(claim, f"cards of {gpu.architecture if gpu else ''} have generation {allowed}; {step}")


def stacked_memory_corrects_errors(evidence: Evidence) -> Iterator[Problem]:
    """Every data-centre card with HBM2 or newer has ECC: the standard has bits for it in each word."""
    for gpu, record in evidence.records.items():
        memory, ecc, about = record.get("memory_type"), record.get("ecc"), evidence.gpus.get(gpu)
        if not (memory and ecc and about) or about.segment != "datacenter" or ecc.chosen.value != "false":
            continue
        if memory.chosen.value.upper().startswith(STACKED):
            message = (
                f"{memory.chosen.value} of a data-centre card corrects errors; withdraw it in data/corrections.yml"
            )
            yield problem_of(ecc.chosen, message)


CHECKS: tuple[Check, ...] = (
    no_mix_up,
    no_sibling_value,
    launch_is_possible,
    launch_day_is_known,
    capability_fits_architecture,
    pcie_fits_architecture,
    stacked_memory_corrects_errors,
)
