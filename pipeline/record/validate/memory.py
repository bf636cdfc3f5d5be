"""Rules on memory: a size that chips of the kind can make, and the size that the product's name states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipeline.record.chips import figure
from pipeline.record.validate.base import Check, Evidence, Problem, problem_of

# Gigabytes of one chip (32 bit of the bus) or stack (1,024 bit) of each kind of memory that the cards of this dataset
# are built with. Two chips can share a channel, so that a board has twice as much; stacks cannot.
CHIP_BIT, STACK_BIT = 32, 1024
CHIP_GB: Mapping[str, tuple[float, ...]] = {
    "GDDR5": (0.5, 1),
    "GDDR5X": (1,),
    "GDDR6": (1, 2),
    "GDDR6X": (1, 2),
    "GDDR7": (2, 3),
}
STACK_GB: Mapping[str, tuple[float, ...]] = {
    "HBM": (1,),
    "HBM2": (4, 8),
    "HBM2E": (8, 16),
    "HBM3": (16, 24),
    "HBM3E": (24, 36),
}
# The day of the first cards with chips of a size that came later than the kind, on their pages here: the RTX 3090 Ti,
# and the RTX PRO boards of Blackwell.
CHIP_SINCE: Mapping[tuple[str, float], str] = {("GDDR6X", 2): "2022-03-29", ("GDDR7", 3): "2025-03-18"}
# Makers leave out what a faulty layer or their own use takes: 32 of 36 GB on the MI325X, 23.5 of 24 GB on the H200.
USED = 0.88
NAMED_GB = re.compile(r"\b(\d+(?:\.\d+)?) ?GB\b")
NAMED_TOLERANCE = 0.01


def memory_is_made_of_chips(evidence: Evidence) -> Iterator[Problem]:
    """Memory is the number of chips or stacks that the bus has room for times a size in which they are made."""
    for gpu, record in evidence.records.items():
        kind, bus, size = record.get("memory_type"), figure(record, "memory_bus_bit"), record.get("memory_gb")
        if not (kind and bus and size) or gpu not in evidence.gpus:
            continue
        word = kind.chosen.value.upper().split(" ")[0]
        launch = record["launch_date"].chosen.value if "launch_date" in record else ""
        chips, sizes = bus / CHIP_BIT, _made(word, launch)
        possible = [each * ways for each in sizes for ways in (1, 2)]
        told = f"{chips:g} chips of {_listed(sizes)} GB, one or two to a channel"
        fits = any(abs(float(size.chosen.value) - chips * each) < 0.01 for each in possible)
        if word in STACK_GB:
            chips, possible = bus / STACK_BIT, list(STACK_GB[word])
            told = f"{chips:g} stacks of {_listed(possible)} GB"
            fits = any(chips * each * USED <= float(size.chosen.value) <= chips * each for each in possible)
        if possible and not fits:
            yield problem_of(
                size.chosen,
                f"{bus:g} bit ({record['memory_bus_bit'].chosen.source}) of {kind.chosen.value} hold {told}"
                f"{f' on {launch}' if launch else ''}; size or bus is of another card. Withdraw the wrong one in "
                f"data/corrections.yml",
            )


def name_states_its_memory(evidence: Evidence) -> Iterator[Problem]:
    """A product whose name states a size of memory has that size."""
    for gpu, record in evidence.records.items():
        about, size = evidence.gpus.get(gpu), record.get("memory_gb")
        named = NAMED_GB.search(about.name) if about else None
        if about and size and named:
            meant, found = float(named[1]), float(size.chosen.value)
            if abs(meant - found) > NAMED_TOLERANCE * meant:
                yield problem_of(size.chosen, f"the name {about.name!r} says {meant:g} GB; is it of another variant?")


CHECKS: tuple[Check, ...] = (memory_is_made_of_chips, name_states_its_memory)


def _made(word: str, launch: str) -> list[float]:
    """Sizes of a chip that could be bought when a card came; all where its day is not known."""
    sizes = CHIP_GB.get(word, ())
    return [size for size in sizes if not launch or launch >= CHIP_SINCE.get((word, size), "")[: len(launch)]]


def _listed(sizes: list[float]) -> str:
    return " or ".join(f"{size:g}" for size in sizes)
