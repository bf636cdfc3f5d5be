"""The cards that people weigh: the generation beside, the next up and down, another maker, the same money."""

from __future__ import annotations

import pytest
from samples import committed, record
from sampling import Some

from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import metrics, rivals
from pipeline.derive.prices.quote import quotes
from pipeline.derive.rivals import AFTER, BEFORE, DOWN, MAKER, MONEY, SAME_MONEY, SAME_TIME_YEARS, UP, Rivals, pairs
from pipeline.site.pages import method

CASES = [
    ("nvidia-geforce-rtx-4090", AFTER, "nvidia-geforce-rtx-5090"),
    ("nvidia-geforce-rtx-4090", BEFORE, "nvidia-geforce-rtx-3090"),
    ("nvidia-geforce-rtx-4090", DOWN, "nvidia-geforce-rtx-4080-super"),
    ("nvidia-geforce-rtx-4090", MAKER, "amd-radeon-rx-7900-xtx"),
    ("nvidia-geforce-rtx-3090", UP, "nvidia-geforce-rtx-3090-ti"),
    ("nvidia-geforce-rtx-5060-ti-16gb", BEFORE, "nvidia-geforce-rtx-4060-ti-16gb"),
    ("nvidia-h100-sxm5-80gb", BEFORE, "nvidia-a100-sxm4-80gb"),
    ("nvidia-h100-sxm5-80gb", MAKER, "amd-instinct-mi300x"),
    ("nvidia-rtx-a6000", AFTER, "nvidia-rtx-6000-ada"),
    ("amd-radeon-rx-9070-xt", BEFORE, "amd-radeon-rx-7800-xt"),
]


SAMPLE = 80  # cards


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return committed()


@pytest.mark.parametrize(("card", "role", "rival"), CASES)
def test_a_card_stands_beside_those_that_people_weigh(dataset: Dataset, card: str, role: str, rival: str) -> None:
    found = {found.role: found.gpu.id for found in Rivals(dataset).of(dataset.gpus[card])}
    assert found[role] == rival


def test_the_method_page_states_the_rule_by_the_limits_that_choose(dataset: Dataset) -> None:
    (page,) = method.pages(dataset)
    said = page.context["rules"]["rivals"]
    assert f"launched within {SAME_TIME_YEARS:g} years" in said
    assert f"at most {100 * (SAME_MONEY - 1):.0f} % more" in said
    assert "launch price, memory and bandwidth (least sum" in said  # the figures of `_logs`
    assert "bandwidth times the square root of memory" in said  # that of `_strength`


def test_no_variant_for_one_countrys_export_rules_is_a_rival(dataset: Dataset) -> None:
    known = Rivals(dataset)
    special = {"nvidia-geforce-rtx-4090-d", "nvidia-geforce-rtx-5090-d-v2", "nvidia-h800-sxm5-80gb", "nvidia-h20-96gb"}
    shown = {found.gpu.id for gpu in dataset.gpus.values() for found in known.of(gpu)}
    assert special & shown == set()


def test_a_rival_is_shown_once_and_is_another_card(dataset: Dataset) -> None:
    known = Rivals(dataset)
    for gpu in dataset.gpus.values():
        found = [rival.gpu.id for rival in known.of(gpu)]
        assert len(found) == len(set(found))
        assert gpu.id not in found


def test_cards_for_the_same_money_cost_the_same_within_a_fifth(dataset: Dataset) -> None:
    known, book = Rivals(dataset), quotes(dataset)
    held = 0
    for gpu in dataset.gpus.values():
        for rival in known.of(gpu):
            if rival.role == MONEY and gpu.segment != "datacenter":
                one, two = book.to_buy(gpu.id).value, book.to_buy(rival.gpu.id).value
                assert one
                assert two
                assert max(one, two) / min(one, two) <= SAME_MONEY
                held += 1
    assert held > 10


def test_what_is_found_in_columns_is_what_a_look_at_every_card_finds(dataset: Dataset, some: Some) -> None:
    """The rules, a card at a time: a few hundred cards show what thousands would take too long for."""
    known = Rivals(dataset)
    maker, money = 0, 0
    for gpu in map(dataset.gpus.__getitem__, some(dataset.gpus, SAMPLE)):
        others = [other for other in dataset.gpus.values() if metrics.use_of(other) == metrics.use_of(gpu)]
        others = [other for other in others if other is not gpu and not rivals._is_special(other)]
        of_its_time = [other for other in others if abs(rivals._year(other) - rivals._year(gpu)) <= SAME_TIME_YEARS]

        affordable = [other for other in of_its_time if known._cost_alike(gpu, other)]
        dearest = max(affordable, key=rivals._strength, default=None)
        assert known._for_the_same_money(gpu) is dearest, gpu.id
        money += dearest is not None

        near = [other for other in others if other.vendor != gpu.vendor and comparable(gpu, other)]
        timely = [other for other in near if other in of_its_time]
        to_have = [other for other in timely if other.id in known._to_have]
        rented = [other for other in to_have if {other.id, gpu.id} <= known._rented]
        pool = rented or to_have or timely or near
        alike = min(pool, key=lambda other: rivals._unlike(gpu, other), default=None)
        assert known._of_another_maker(gpu) is alike, gpu.id
        maker += alike is not None
    assert min(maker, money) > SAMPLE / 8


def comparable(one: GpuRecord, other: GpuRecord) -> bool:
    """Whether two figures are known of both."""
    both = zip(metrics.known_figures(one), metrics.known_figures(other), strict=True)
    return sum(one and other for one, other in both) >= metrics.NEIGHBOUR_FIGURES


def test_pairs_are_made_of_rivals_and_the_earlier_card_stands_first(dataset: Dataset) -> None:
    made = pairs(dataset, [dataset.gpus["nvidia-geforce-rtx-4090"]])
    assert ("nvidia-geforce-rtx-3090", "nvidia-geforce-rtx-4090") in [(one.id, two.id) for one, two in made]
    assert all(one.launch_date <= two.launch_date for one, two in made)


@pytest.mark.parametrize(
    ("launches", "year"),
    [
        (("2024", "2020", "2022"), 2022),
        (("2020", "2021", "2022", "2024", "2025"), 2022),
        (("2020", "2022"), 2022),
        (("",), 0),
    ],
)
def test_a_generation_was_launched_when_the_middle_one_of_its_cards_was(launches: tuple[str, ...], year: int) -> None:
    cards = [record(launch_date=f"{launch}-01-01" if launch else "") for launch in launches]
    assert rivals._launched_together(cards) == year
