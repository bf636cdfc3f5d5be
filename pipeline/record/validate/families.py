"""Rules on families: larger cards have no less, two dies have twice, and prices of one line keep to each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from pipeline.core.schema import Claim, field_of
from pipeline.record.chips import figure
from pipeline.record.reconcile import agree
from pipeline.record.validate.base import Check, Evidence, Problem, problem_of

VECTOR_FP32 = "peak:fp32:fp32:dense:vector"
# Launch prices of GeForce, Radeon and Arc cards for an FP32 teraflop, against the median of the others of their line.
LEAST_FOR_A_TERAFLOP, MOST_FOR_A_TERAFLOP = 0.82, 1.3
FEWEST_OF_A_LINE = 4


def larger_cards_have_no_less(evidence: Evidence) -> Iterator[Problem]:
    """From the small card of a family to the large one, what the table names never falls."""
    for ladder in evidence.architectures.ladders:
        for field in ladder.fields:
            known = [
                record[field].chosen
                for gpu in ladder.gpus
                if gpu in evidence.gpus and field in (record := evidence.records.get(gpu, {}))
            ]
            slack = 1 - field_of(field).tolerance
            for number, claim in enumerate(known):
                below = [other for other in known[:number] if float(claim.value) < float(other.value) * slack]
                above = [other for other in known[number + 1 :] if float(claim.value) * slack > float(other.value)]
                equal = [other for other in known[:number] if ladder.rising and claim.value == other.value]
                against = [*below, *above, *equal]
                # Where one card breaks the order with several, it is the wrong one.
                if against and len(against) >= max(_breaks(known, other.gpu, slack) for other in against):
                    other = against[0]
                    yield problem_of(
                        claim,
                        f"{other.gpu} has {other.value} ({other.source}), and {ladder.reason}; "
                        f"withdraw the wrong one in data/corrections.yml",
                    )


def several_dies_have_several_times(evidence: Evidence) -> Iterator[Problem]:
    """A product of so many dies, or of so many boards, has so many times what one has."""
    for multiple in evidence.architectures.multiples:
        own, one = (evidence.records.get(gpu, {}) for gpu in (multiple.gpu, multiple.of))
        for field in multiple.fields:
            if multiple.gpu not in evidence.gpus or field not in own or field not in one:
                continue
            found, base = own[field].chosen, one[field].chosen
            expected = multiple.times * float(base.value)
            if not agree(field, found.value, f"{expected:.10g}"):
                wrong = min((found, base), key=lambda claim: evidence.records[claim.gpu][field].independent_sources)
                yield problem_of(
                    wrong,
                    f"{multiple.gpu} has {found.value} ({found.source}) and {multiple.of} has {base.value} "
                    f"({base.source}), not {multiple.times:g} to one: {multiple.reason}; withdraw the wrong one in "
                    f"data/corrections.yml",
                )


def launch_price_keeps_to_its_line(evidence: Evidence) -> Iterator[Problem]:
    """What a maker asked for the FP32 rate of a card for players is near what it asked in the rest of the line."""
    lines: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for gpu, record in evidence.records.items():
        about, price = evidence.gpus.get(gpu), figure(record, "launch_price_usd")
        rate = figure(record, VECTOR_FP32)
        if about and about.segment == "consumer" and price and rate:
            lines[about.architecture, about.line or ""][gpu] = price / rate
    for cards in lines.values():
        for gpu, asked in cards.items() if len(cards) >= FEWEST_OF_A_LINE else ():
            usual = median(other for id, other in cards.items() if id != gpu)
            if not LEAST_FOR_A_TERAFLOP <= asked / usual <= MOST_FOR_A_TERAFLOP:
                yield problem_of(
                    evidence.records[gpu]["launch_price_usd"].chosen,
                    f"{asked:.0f} dollars a teraflop of FP32, and the other cards of its line cost {usual:.0f}; the "
                    f"price of another card, or of another day?",
                )


CHECKS: tuple[Check, ...] = (
    larger_cards_have_no_less,
    several_dies_have_several_times,
    launch_price_keeps_to_its_line,
)


def _breaks(known: list[Claim], gpu: str, slack: float) -> int:
    """With how many cards one breaks the order."""
    place = next(number for number, claim in enumerate(known) if claim.gpu == gpu)
    own = float(known[place].value)
    return sum(
        own < float(other.value) * slack if number < place else own * slack > float(other.value)
        for number, other in enumerate(known)
        if number != place
    )
