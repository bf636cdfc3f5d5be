"""In which machine a number of cards goes: places, slots and watts up to the limit, the cheapest first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise import rules
from pipeline.advise.choose import hosts
from pipeline.advise.choose.hosts import SECOND_SLOT, SERVER, Place

C = rules.room("choose")["constants"]
REST, SHARE = C["rest_w"]["is"], C["psu_share"]["is"]


@pytest.mark.parametrize(
    ("variant", "form", "count", "place"),
    [
        ("have", "SoC", 1, Place("", 0.0)),
        ("new", "laptop module", 1, Place("", 0.0)),
        ("have", "SoC", 2, None),
        ("rack", "SoC", 2, None),
        ("rack", "PCIe card", 8, SERVER),
        ("rack", "PCIe card", 9, None),
        ("have", "PCIe card", 1, Place("the PC that you have, with an 850 W supply", 0.0)),
        ("have", "PCIe card", 2, Place(f"the PC that you have, with an 850 W supply{SECOND_SLOT}", 0.0)),
    ],
)
def test_what_stands_there_takes_two_cards_and_a_server_eight(
    variant: str, form: str, count: int, place: Place | None
) -> None:
    assert hosts.host_for(variant, form, count, 2.0 * count, 100.0) == place


def host(name: str, usd: float, **about: Any) -> Any:
    made = {"cards": 2, "slots": 7.0, "psu_w": 1000.0, "into_pc": False, **about}
    return SimpleNamespace(name=name, price_usd=usd, **made)


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    made = SimpleNamespace(hosts=(host("large", 900.0, cards=4, slots=14.0, psu_w=2000.0), host("small", 500.0),
                                  host("parts", 100.0, into_pc=True)))  # fmt: skip
    monkeypatch.setattr(hosts, "load", lambda: made)
    hosts.host_for.cache_clear()
    yield
    hosts.host_for.cache_clear()


def name(variant: str, count: int, slots: float, watts: float | None) -> str:
    found = hosts.host_for(variant, "PCIe card", count, slots, watts)
    return found.name if found else ""


@pytest.mark.usefixtures("two")
def test_a_machine_takes_as_many_cards_slots_and_watts_as_it_has() -> None:
    limit = 1000 * SHARE - REST
    assert name("new", 2, 7.0, limit) == "small"
    assert name("new", 3, 7.0, limit) == "large"
    assert name("new", 2, 7.1, limit) == "large"
    assert name("new", 2, 7.0, limit + 1) == "large"
    assert name("new", 5, 7.0, 1.0) == ""
    assert name("new", 1, 2.0, None) == "small"
    assert name("new", 2, 7.0, 2000 * SHARE - REST + 1) == ""


@pytest.mark.usefixtures("two")
def test_parts_for_a_pc_count_only_where_one_stands_there() -> None:
    assert name("have", 2, 7.0, 100.0) == f"parts{SECOND_SLOT}"
    assert name("have", 1, 7.0, 100.0) == "parts"
    assert name("new", 2, 7.0, 100.0) == "small"


@pytest.mark.parametrize(
    ("count", "segment", "watts"),
    [(2, "consumer", 600.0), (3, "consumer", 675.0), (3, "workstation", 900.0), (4, "consumer", 900.0)],
)
def test_three_gaming_cards_in_one_machine_are_held_at_three_quarters(count: int, segment: str, watts: float) -> None:
    assert hosts.drawn_w({"power_w": 300.0, "segment": segment}, count) == watts
    assert hosts.drawn_w({"power_w": None, "segment": segment}, count) is None


@pytest.mark.parametrize(("lanes", "known"), [(1, True), (2, True), (4, True), (8, True), (16, True), (12, False)])
def test_a_slot_has_a_width_of_pcie(lanes: int, known: bool) -> None:
    if known:
        assert hosts._a_width(lanes) == lanes
        return
    with pytest.raises(ValueError, match="12 is no width of a slot; write 1, 2, 4, 8 or 16"):
        hosts._a_width(lanes)


@pytest.mark.parametrize(
    ("product", "gb"),
    [("Studio M3, 96GB, 1TB", "96"), ("box 128 GB / 2000 GB", "128"), ("M4GB", None), ("8GBit", None)],
)
def test_the_first_memory_that_a_product_names_is_its_own(product: str, gb: str | None) -> None:
    found = hosts.STATED_GB.search(product)
    assert (found[1] if found else None) == gb


@pytest.mark.parametrize(
    ("variant", "count", "slots", "watts", "usd"),
    [
        ("new", 1, 3.5, 500.0, 497.5),  # the desktop PC: 850 W, of which four fifths less 180 W are for cards
        ("new", 1, 3.6, 500.0, 1034.0),
        ("new", 1, 3.5, 501.0, 1314.0),
        # One supply for one card as for two: the PC that stands there has 850 W, and what needs more pays for it.
        ("have", 1, 2.0, 500.0, 0.0),
        ("have", 1, 2.0, 501.0, 380.0),
        ("have", 2, 7.0, 500.0, 0.0),
        ("have", 2, 7.0, 501.0, 380.0),
        ("have", 2, 7.0, 1020.0, 380.0),
        ("have", 2, 7.0, 1021.0, 1314.0),
        ("have", 2, 7.1, 500.0, 1034.0),
        ("new", 2, 7.0, 500.0, 1034.0),
        ("new", 6, 21.0, 1100.0, 1314.0),
        ("new", 6, 21.0, 1101.0, None),
        ("new", 6, 21.1, 500.0, None),
        ("new", 7, 21.0, 500.0, None),
    ],
)
def test_the_machines_that_we_know_take_so_many_cards_slots_and_watts(
    variant: str, count: int, slots: float, watts: float, usd: float | None
) -> None:
    found = hosts.host_for(variant, "PCIe card", count, slots, watts)
    assert (found.usd if found else None) == usd


def test_the_price_of_a_machine_is_the_sum_that_its_document_gives() -> None:
    usd = {host.id: host.price_usd for host in hosts.load().hosts}
    assert usd["desktop"] == 110 + 100 + 57.5 + 100 + 65 + 65
    assert usd["open-frame"] == 4314 - 4 * 750
    assert usd["open-frame-850"] == usd["open-frame"] - usd["larger-supply"] + 100


def test_the_pc_that_stands_there_has_the_supply_that_answers_say_and_the_desktop_pc_has() -> None:
    watts = {host.id: host.psu_w for host in hosts.load().hosts}
    assert watts["pc"] == watts["desktop"] == C["pc_psu_w"]["is"]
