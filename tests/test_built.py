"""Rules on dies, boards, memory, families and votes: each catches an error that was put into the real record for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from samples import compiled

from pipeline.core.paths import DATA
from pipeline.core.theory import Ladder, Multiple, load
from pipeline.record import corrections, validate
from pipeline.record.validate import Evidence, boards, families, memory, rules, silicon, votes

A100, H100, V5P = "nvidia-a100-pcie-80gb", "nvidia-h100-sxm5-80gb", "google-tpu-v5p"
RTX_4090, RTX_5080, RTX_5090 = (f"nvidia-geforce-rtx-{number}" for number in (4090, 5080, 5090))
MAX_1100, M4_MAX = "intel-data-center-gpu-max-1100", "apple-m4-max"
# Card, field, a value that another card or a slip of the finger gives, and the rule that must see it when all the
# documents of the card say so.
SEEDS = [
    (A100, "board_power_w", "400", "plugs_deliver_the_board_power"),
    (A100, "board_power_w", "400", "cards_draw_less_than_modules"),
    (H100, "transistors_millions", "54200", "cards_of_one_chip_have_its_size"),
    (H100, "transistors_millions", "54200", "transistors_fit_area_and_process"),
    (H100, "process_nm", "7", "process_fits_architecture"),
    (RTX_5090, "die_size_mm2", "378", "cards_of_one_chip_have_its_size"),
    (RTX_5090, "die_size_mm2", "378", "transistors_fit_area_and_process"),
    (RTX_5090, "launch_price_usd", "1499", "launch_price_keeps_to_its_line"),
    (RTX_5090, "launch_price_usd", "999", "launch_price_keeps_to_its_line"),
    (RTX_4090, "recommended_psu_w", "450", "power_supply_fits_the_board"),
    (RTX_4090, "recommended_psu_w", "1000", "power_supply_fits_the_board"),
    (RTX_4090, "recommended_psu_w", "650", "larger_cards_have_no_less"),
    (RTX_4090, "process_nm", "8", "process_fits_architecture"),
    ("nvidia-geforce-rtx-4060-laptop", "pcie_lanes", "16", "lanes_do_not_exceed_the_chip"),
    (RTX_5080, "memory_gb", "24", "memory_is_made_of_chips"),
    (RTX_5080, "memory_gb", "12", "memory_is_made_of_chips"),
    (A100, "memory_gb", "40", "name_states_its_memory"),
    ("nvidia-h200-sxm-141gb", "memory_gb", "160", "memory_is_made_of_chips"),
    (MAX_1100, "l2_cache_mb", "204", "several_dies_have_several_times"),
    (M4_MAX, "memory_bandwidth_gb_s", "273", "larger_cards_have_no_less"),
    (M4_MAX, "memory_bandwidth_gb_s", "410", "several_dies_have_several_times"),
    ("nvidia-geforce-rtx-4070", "memory_bandwidth_gb_s", "256", "larger_cards_have_no_less"),
]
# One document of several says so, and the figure would be shown.
LONE = [
    (A100, "board_power_w", "400"),
    (V5P, "memory_bandwidth_gb_s", "2000"),
    (RTX_5090, "die_size_mm2", "378"),
    (RTX_5090, "launch_price_usd", "1499"),
]
NEW = {check.__name__: check for check in rules.BUILT}


def seeded(gpu: str, field: str, value: str, lone: bool = False) -> Evidence:
    """The record with a wrong value in the chosen document of a cell, or in all; claims of other makers left out."""
    base = compiled()
    chosen, vendor = base.records[gpu][field].chosen, base.gpus[gpu].vendor
    claims = [claim for claim in base.claims if base.gpus[claim.gpu].vendor == vendor]
    wrong = {claim for claim in claims if (claim.gpu, claim.field) == (gpu, field) and (not lone or claim == chosen)}
    return replace(base, claims=[replace(claim, value=value) if claim in wrong else claim for claim in claims])


def spoken_of(rule: str, evidence: Evidence) -> Iterator[str]:
    accepted = {
        (entry.check, entry.gpu, entry.field, entry.value) for entry in corrections.load(DATA.corrections).accepted
    }
    yield from (
        f"{problem.gpu} {problem}"
        for problem in NEW[rule](evidence)
        if (rule, problem.gpu, problem.field, problem.value) not in accepted
    )


@pytest.mark.sample(8)
@pytest.mark.parametrize(("gpu", "field", "value", "rule"), SEEDS)
def test_each_rule_sees_the_error_that_all_documents_of_a_card_repeat(
    gpu: str, field: str, value: str, rule: str
) -> None:
    assert any(gpu in told for told in spoken_of(rule, seeded(gpu, field, value)))


@pytest.mark.parametrize("rule", NEW)
def test_the_record_as_it_is_passes(rule: str) -> None:
    assert list(spoken_of(rule, compiled())) == []


@pytest.mark.parametrize(("gpu", "field", "value"), LONE)
def test_a_slip_in_the_document_that_wins_is_seen_by_the_others(gpu: str, field: str, value: str) -> None:
    told = list(spoken_of("no_outvoted_figure", seeded(gpu, field, value, lone=True)))
    assert len(told) == 1
    assert gpu in told[0]
    assert f"{field} = '{value}'" in told[0]


def test_every_new_rule_was_seen_to_catch_an_error() -> None:
    assert {rule for *_, rule in SEEDS} | {"no_outvoted_figure"} == set(NEW)


def test_the_message_says_how_a_makers_odd_figure_is_accepted() -> None:
    told = validate.problems(seeded(RTX_4090, "recommended_psu_w", "1000"))
    assert any("accept power_supply_fits_the_board, see CONTRIBUTING.md" in line for line in told)


@pytest.mark.parametrize(
    ("plugs", "watts"),
    [
        ("none", 0),
        ("1x 6-pin + 1x 8-pin", 250),
        ("8-pin EPS", 300),
        ("2x 8-pin PCIe", 350),
        ("1x 12+4-pin 12V-2x6", 600),
        ("3x PCIe 8-pin cables (adapter in box) or 450 W or greater PCIe Gen 5 cable", 525),
        ("a plug of its own", None),
    ],
)
def test_plugs_are_read_as_sources_write_them(plugs: str, watts: float | None) -> None:
    assert boards._delivered(plugs) == watts


def test_memory_chips_of_a_size_count_from_the_day_on_which_they_were_sold() -> None:
    assert memory._made("GDDR7", "2025-03-17") == [2]
    assert (
        memory._made("GDDR7", "2025-03-18") == memory._made("GDDR7", "2025-03") == memory._made("GDDR7", "") == [2, 3]
    )


def test_a_larger_card_may_have_as_much_where_the_family_only_never_falls() -> None:
    base = compiled()
    cards = ("nvidia-geforce-rtx-4070-ti", "nvidia-geforce-rtx-4070-ti-super")
    for rising, caught in ((False, False), (True, True)):
        ladder = Ladder(gpus=cards, fields=("board_power_w",), rising=rising, reason="one is larger")
        table = load().model_copy(update={"ladders": (ladder,)})
        assert bool(list(families.larger_cards_have_no_less(replace(base, architectures=table)))) is caught


def test_tables_of_families_name_cards_and_fields_that_exist() -> None:
    base, table = compiled(), load()
    named = {gpu for made in table.chips for gpu in made.gpus} | {
        gpu for ladder in table.ladders for gpu in ladder.gpus
    }
    named |= {gpu for own in table.multiples for gpu in (own.gpu, own.of)}
    assert sorted(named - base.gpus.keys()) == []
    judged: list[Ladder | Multiple] = [*table.ladders, *table.multiples]
    for entry in judged:
        cards = entry.gpus if isinstance(entry, Ladder) else (entry.gpu, entry.of)
        idle = [f for f in entry.fields if sum(f in base.records.get(gpu, {}) for gpu in cards) < 2]
        assert idle == [], f"{cards}: {idle} are known of fewer than two of them"


def test_no_card_is_cut_from_two_chips() -> None:
    cards = [gpu for made in load().chips for gpu in made.gpus]
    assert sorted({gpu for gpu in cards if cards.count(gpu) > 1}) == []


def test_most_cards_are_cut_from_a_chip_of_the_table() -> None:
    cut = {gpu for made in load().chips for gpu in made.gpus}
    sized = [gpu for gpu, record in compiled().records.items() if "die_size_mm2" in record]
    assert len(cut) > 150
    assert len([gpu for gpu in sized if gpu in cut]) > 0.75 * len(sized)


def test_densities_are_those_of_the_record() -> None:
    for process, (low, high) in silicon.DENSITY.items():
        known = [
            float(record["transistors_millions"].chosen.value) / float(record["die_size_mm2"].chosen.value)
            for record in compiled().records.values()
            if {"transistors_millions", "die_size_mm2", "process_nm"} <= record.keys()
            and float(record["process_nm"].chosen.value) == process
        ]
        assert low - 1 <= min(known) <= low + 2, process
        assert high - 2 <= max(known) <= high + 1, process


def test_votes_below_two_leave_a_makers_figure_alone() -> None:
    base = compiled()
    lone = [
        decision
        for record in base.records.values()
        for decision in record.values()
        if decision.differing and base.ancestry.independent(decision.differing) < votes.ENOUGH
    ]
    told = {(problem.gpu, problem.field) for problem in votes.no_outvoted_figure(base)}
    assert len(lone) > 50
    assert [d for d in lone if (d.chosen.gpu, d.field) in told] == []
