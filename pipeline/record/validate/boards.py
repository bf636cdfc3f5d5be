"""Rules on boards: what plugs deliver, what a card draws beside the module of its chip, and what a supply must give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipeline.record.chips import figure
from pipeline.record.validate.base import Check, Evidence, Problem, problem_of

SLOT_W = 75  # what a card may draw from its slot (PCI Express Card Electromechanical Specification)
# What a plug delivers: 6 pins and 12V-2x6 by that specification, 8 pins of EPS12V by the makers' own boards. Eight pins
# have 150 W by it, and NVIDIA sells boards of 250 W with one such plug (Power Guidelines for Workstation Products,
# DA-07261-001_v14 of July 2023, section "Power Requirements for 250 W Cards with a Single PCIe 8-Pin Connector").
PLUG = re.compile(
    r"(?:(\d)\s*x\s*)?(?:PCIe\s*)?(12\+4-pin(?: 12V-2x6)?|12V-2x6|12VHPWR|16-pin|12-pin|4\+4-pin|8-pin|6-pin)", re.I
)
WIDE_W, EPS_W, EIGHT_W, SIX_W = 600, 300, 175, 75
SERVER_PLUG = re.compile(r"\b(?:EPS|EPS12V|CPU)\b", re.I)
POWER_TOLERANCE = 0.02  # sheets round a board's power
CARD, MODULES = "PCIe card", ("SXM", "OAM")
# Watts that the supply which a maker recommends has more than the board: lowest and highest of the makers' own pages.
# Up to Pascal NVIDIA added less: 320 W on its page of the GeForce GTX 1080.
SPARE_W: Mapping[str, tuple[float, float]] = {"NVIDIA": (360, 500), "AMD": (210, 560), "Intel": (200, 420)}
SPARE_OLD_W: Mapping[str, tuple[float, float]] = {"Maxwell": (220, 400), "Pascal": (220, 400)}


def plugs_deliver_the_board_power(evidence: Evidence) -> Iterator[Problem]:
    """Slot and plugs of a card deliver its board power."""
    for gpu, record in evidence.records.items():
        about, power, plugs = evidence.gpus.get(gpu), record.get("board_power_w"), record.get("power_connectors")
        if not (about and power and plugs) or about.form_factor != CARD:
            continue
        delivered = _delivered(plugs.chosen.value)
        if delivered is not None and float(power.chosen.value) > (SLOT_W + delivered) * (1 + POWER_TOLERANCE):
            yield problem_of(
                power.chosen,
                f"the slot and {plugs.chosen.value} ({plugs.chosen.source}) deliver {SLOT_W + delivered:g} W; "
                f"the power of a module, or the plugs of another board? Withdraw the wrong one in data/corrections.yml",
            )


def cards_draw_less_than_modules(evidence: Evidence) -> Iterator[Problem]:
    """A PCIe card draws less than the SXM or OAM module of the same family."""
    for gpu, record in evidence.records.items():
        about, power = evidence.gpus.get(gpu), record.get("board_power_w")
        if not about or not power or about.form_factor != CARD:
            continue
        for sibling in sorted(evidence.siblings.get(gpu, ())):
            other, module = evidence.gpus.get(sibling), evidence.records.get(sibling, {}).get("board_power_w")
            if not (other and module and other.form_factor.startswith(MODULES)):
                continue
            if float(power.chosen.value) >= float(module.chosen.value):
                yield problem_of(
                    power.chosen,
                    f"not below the {module.chosen.value} W of the module {sibling} ({module.chosen.source}); "
                    f"is it the module's? Withdraw the wrong one in data/corrections.yml",
                )
                break


def power_supply_fits_the_board(evidence: Evidence) -> Iterator[Problem]:
    """The recommended supply has as much to spare over the board as the maker's others have."""
    for gpu, record in evidence.records.items():
        about, supply, power = evidence.gpus.get(gpu), record.get("recommended_psu_w"), figure(record, "board_power_w")
        limits = SPARE_OLD_W.get(about.architecture, SPARE_W.get(about.vendor)) if about else None
        if not (about and supply and power and limits):
            continue
        spare = float(supply.chosen.value) - power
        if not limits[0] <= spare <= limits[1]:
            yield problem_of(
                supply.chosen,
                f"{spare:g} W more than the {power:g} W of the board ({record['board_power_w'].chosen.source}); "
                f"{about.vendor} recommends {limits[0]:g} to {limits[1]:g} W more. Of another card, or of the board?",
            )


CHECKS: tuple[Check, ...] = (
    plugs_deliver_the_board_power,
    cards_draw_less_than_modules,
    power_supply_fits_the_board,
)


def _delivered(plugs: str) -> float | None:
    """Watts that plugs deliver, None where the text names none that is known; of alternatives the strongest."""
    if plugs.casefold() == "none":
        return 0
    eight = EPS_W if SERVER_PLUG.search(plugs) else EIGHT_W
    watts = {"8-pin": eight, "4+4-pin": eight, "6-pin": SIX_W}
    ways = [
        sum(int(count or 1) * watts.get(kind.casefold(), WIDE_W) for count, kind in PLUG.findall(way))
        for way in re.split(r"\bor\b|,", plugs)
    ]
    return max(ways) or None
