"""BuildCores OpenDB, cards of board partners: what all cards of a chip share, and how the makers' own measure out.

Clocks, power and length of a partner's card are the partner's. Lanes and cores belong to the chip: they are taken where
the cards of a chip agree. Length, slots and plugs are taken from the cards that the maker of the chip sells itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from pipeline.core.schema import Claim, Rows
from pipeline.intake.sources import table
from pipeline.intake.sources.base import Snapshot, Snapshots, Source, SourceFile

FILE = "gpu_cards.csv"
SOURCE = Source(
    id="buildcores-open-db",
    title="BuildCores OpenDB: graphics cards",
    publisher="BuildCores and contributors",
    home="https://github.com/buildcores/buildcores-open-db",
    licence="ODC-By 1.0 (BuildCores OpenDB)",
    kind="community",
    gives="PCI Express lanes and shader cores by chip; length, slots and plugs of the makers' own cards",
    files=(
        SourceFile(
            FILE, "https://github.com/buildcores/buildcores-open-db/tree/main/open-db/GPU", "extract", floor=300
        ),
    ),
)

NAME, SELLER, MAKER, CHIP, MEMORY = "name", "manufacturer", "chipset_manufacturer", "chipset", "memory_gb"
INTERFACE, CORES, LENGTH, SLOTS = "interface", "core_count", "length_mm", "total_slot_width"
# Their column → the plug in our words. Four zeros mean that nobody looked, not that there is none.
PLUGS = {"pcie_6_pin": "6-pin", "pcie_8_pin": "8-pin", "pcie_12VHPWR": "16-pin", "pcie_12V_2x6": "16-pin"}
CARDS = 3  # so many cards of a chip must state a figure
AGREE = 0.9  # and this share of them the same one
EMPTY = ("", "0")
# Cards that partners sell stand under the maker in some rows.
PARTNERS = ("ASUS", "EVGA", "Gigabyte", "MSI", "PNY", "Sapphire", "XFX", "Zotac")

Row = dict[str, str]
Numbered = tuple[int, Row]


def parse(snapshots: Snapshots) -> Rows:
    """Yield the claims of each chip, then those of the makers' own cards, and each chip whose cards disagree."""
    snapshot = snapshots.get(FILE)
    if snapshot is None:
        return
    chips: dict[tuple[str, str, str], list[Numbered]] = defaultdict(list)
    needed = [NAME, SELLER, MAKER, CHIP, MEMORY, INTERFACE, CORES, LENGTH, SLOTS, *PLUGS]
    for number, row in table.rows(snapshot, needed):
        chips[row[MAKER], row[CHIP], row[MEMORY]].append((number, row))
    sizes = Counter((maker, chip) for maker, chip, _ in chips)
    for (maker, chip, memory), cards in chips.items():
        several = sizes[maker, chip] > 1 and f"{memory} GB" not in chip
        name = f"{maker} {chip} {memory}GB" if several else f"{maker} {chip}"
        claims = [*_of_the_chip(snapshot, name, chip, cards), *_of_the_makers_card(snapshot, name, cards)]
        yield from claims
        if not claims:
            yield snapshot.skip(name, f"{len(cards)} cards", "no figure that enough cards of the chip share")


def _of_the_chip(snapshot: Snapshot, name: str, chip: str, cards: Sequence[Numbered]) -> Iterator[Claim]:
    interface = _shared(
        [row[INTERFACE] for _, row in cards if row[INTERFACE].startswith("PCIe ") and "." in row[INTERFACE]]
    )
    if interface:
        link, count = interface
        generation, lanes = link.removeprefix("PCIe ").split(" x")
        where = f"{count} cards with the chipset {chip}, column {INTERFACE}"
        yield snapshot.claim(name, "pcie_gen", float(generation), where, "")
        yield snapshot.claim(name, "pcie_lanes", int(lanes), where, "")
    cores = _shared([row[CORES] for _, row in cards if row[CORES] not in EMPTY])
    if cores:
        where = f"{cores[1]} cards with the chipset {chip}, column {CORES}"
        yield snapshot.claim(name, "shader_cores", int(cores[0]), where, "")


def _shared(cells: Sequence[str]) -> tuple[str, int] | None:
    """The figure on which the cards agree, and how many have it; None where too few do."""
    if len(cells) < CARDS:
        return None
    figure, count = Counter(cells).most_common(1)[0]
    return (figure, count) if count >= AGREE * len(cells) else None


def _of_the_makers_card(snapshot: Snapshot, name: str, cards: Sequence[Numbered]) -> Iterator[Claim]:
    own = [(n, row) for n, row in cards if row[SELLER] == row[MAKER] and not row[NAME].startswith(PARTNERS)]
    for number, row in own:
        if row[LENGTH] not in EMPTY:
            yield snapshot.claim(
                name, "length_mm", table.number(snapshot, number, row, LENGTH), f"row {number}, column {LENGTH}", "mm"
            )
        if row[SLOTS] not in EMPTY:
            yield snapshot.claim(
                name, "slot_width", table.number(snapshot, number, row, SLOTS), f"row {number}, column {SLOTS}", ""
            )
        plugs = " + ".join(f"{row[column]}x {plug}" for column, plug in PLUGS.items() if row[column] not in EMPTY)
        if plugs:
            yield snapshot.claim(name, "power_connectors", plugs, f"row {number}, columns {', '.join(PLUGS)}")
