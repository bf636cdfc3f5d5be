"""Rules on dies: cards that are cut from one chip, and what a manufacturing process can hold on an area."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipeline.core.schema import Claim
from pipeline.record.chips import figure
from pipeline.record.reconcile import agree
from pipeline.record.validate.base import Check, Evidence, Problem, problem_of

OF_THE_CHIP = ("die_size_mm2", "transistors_millions", "process_nm")
# Million transistors a square millimetre, lowest and highest of the chips of this dataset by the name of their process;
# each chip's two figures have a document there. The makers' 4 nm and 5 nm are one process of TSMC, and the lowest of
# them are chips that hold their input and output on dies of 6 nm as well.
DENSITY: Mapping[float, tuple[float, float]] = {
    4: (98, 151),
    5: (72, 151),
    6: (37, 66),
    7: (34, 66),
    8: (43, 48),
    10: (78, 79),
    12: (23, 26),
    14: (24, 26),
    16: (22, 26),
    28: (13, 15),
}
DENSITY_TOLERANCE = 0.05  # areas and numbers of transistors are printed to three digits at best
# The processes that the chips of an architecture are made in, by the claims of this dataset on each chip.
PROCESSES: Mapping[str, tuple[float, ...]] = {
    "Kepler": (28,),
    "Maxwell": (28,),
    "Pascal": (14, 16),
    "Volta": (12,),
    "Turing": (12,),
    "Ampere": (7, 8),
    "Ada Lovelace": (4,),
    "Hopper": (4,),
    "Blackwell": (3, 4),
    "Rubin": (3,),
    "GCN 3": (28,),
    "GCN 4": (14,),
    "GCN 5": (14,),
    "GCN 5.1": (7,),
    "RDNA": (7,),
    "RDNA 2": (6, 7),
    "RDNA 3": (5, 6),
    "RDNA 3.5": (4,),
    "RDNA 4": (4,),
    "CDNA": (7,),
    "CDNA 2": (6,),
    "CDNA 3": (5,),
    "CDNA 4": (3,),
    "Xe-HPC": (10,),
    "Xe-HPG": (6,),
    "Xe2": (5,),
}


def cards_of_one_chip_have_its_size(evidence: Evidence) -> Iterator[Problem]:
    """Cards cut from one chip have its area, its transistors and its process, whatever part of it is switched on."""
    for made in evidence.architectures.chips:
        for field in OF_THE_CHIP:
            told = {
                gpu: record[field].chosen
                for gpu in made.gpus
                if gpu in evidence.gpus and field in (record := evidence.records.get(gpu, {}))
            }
            for gpu, claim in told.items():
                others = [other for other in told if other != gpu]
                same = [other for other in others if agree(field, claim.value, told[other].value)]
                if len(others) > 2 * len(same):  # the fewer are wrong, and of two both are told
                    first = told[next(other for other in others if other not in same)]
                    yield problem_of(
                        claim,
                        f"{made.name} is also the chip of {first.gpu}, which has {first.value} ({first.source}); "
                        f"withdraw the wrong one in data/corrections.yml",
                    )


def lanes_do_not_exceed_the_chip(evidence: Evidence) -> Iterator[Problem]:
    """No card has more PCI Express lanes than the whole chip that it is cut from."""
    for made in evidence.architectures.chips:
        for gpu in made.gpus if made.pcie_lanes else ():
            found = evidence.records.get(gpu, {}).get("pcie_lanes")
            if found and made.pcie_lanes and float(found.chosen.value) > made.pcie_lanes:
                yield problem_of(
                    found.chosen,
                    f"the whole {made.name} has {made.pcie_lanes} lanes; withdraw the figure in data/corrections.yml",
                )


def transistors_fit_area_and_process(evidence: Evidence) -> Iterator[Problem]:
    """Transistors over area is a density that the process has been seen to reach."""
    for gpu, record in evidence.records.items():
        area, count, process = (figure(record, field) for field in OF_THE_CHIP)
        limits = DENSITY.get(process or 0)
        if not (area and count and process and limits) or gpu not in evidence.gpus:
            continue
        density = count / area
        if not limits[0] * (1 - DENSITY_TOLERANCE) <= density <= limits[1] * (1 + DENSITY_TOLERANCE):
            claims = [record[field].chosen for field in OF_THE_CHIP]
            yield problem_of(
                _least_confirmed(claims, evidence),
                f"{count:g} million transistors on {area:g} mm2 are {density:.0f} million a mm2, and chips of "
                f"{process:g} nm have {limits[0]:g} to {limits[1]:g}; one of the three is of another chip "
                f"({', '.join(f'{claim.field}: {claim.source}' for claim in claims)})",
            )


def process_fits_architecture(evidence: Evidence) -> Iterator[Problem]:
    """A chip is made in one of the processes of its architecture."""
    for gpu, record in evidence.records.items():
        about, process = evidence.gpus.get(gpu), record.get("process_nm")
        known = PROCESSES.get(about.architecture, ()) if about else ()
        if about and process and known and float(process.chosen.value) not in known:
            allowed = " or ".join(f"{nm:g} nm" for nm in known)
            yield problem_of(
                process.chosen,
                f"chips of {about.architecture} are made in {allowed}, by the maker's name of the process; "
                f"withdraw it in data/corrections.yml",
            )


CHECKS: tuple[Check, ...] = (
    cards_of_one_chip_have_its_size,
    lanes_do_not_exceed_the_chip,
    transistors_fit_area_and_process,
    process_fits_architecture,
)


def _least_confirmed(claims: list[Claim], evidence: Evidence) -> Claim:
    return min(claims, key=lambda claim: evidence.records[claim.gpu][claim.field].independent_sources)
