"""Where a module of a source decides by a number what a cell means: each at its limit and a step beyond.

What a source holds as a whole is read by test_sources.py; here a row holds one figure, and a snapshot hands back what
is made of it.
"""

from __future__ import annotations

from typing import Any

import pytest
from samples import result

from pipeline.core.files import csv_text
from pipeline.intake.price_list import JUMP, street_price
from pipeline.intake.sources import (
    aws_p5_price_history,
    base,
    buildcores_open_db,
    epoch_ml_hardware,
    gpu_poet_specs,
    table,
    teoampatzis_gpu_prices_gr,
    united_compute_amazon,
    xiongjiedai_llm_inference,
)


class Told:
    """A snapshot that gives back what is asked of it."""

    file = "file.csv"

    def price(self, name: str, locator: str, **cells: Any) -> dict[str, Any]:
        return {"name": name, **cells}

    result = price

    def claim(self, name: str, field: str, value: Any, locator: str, unit: str = "") -> tuple[str, Any]:
        return field, value

    def skip(self, name: str, locator: str, reason: str) -> dict[str, Any]:
        return {"name": name, "reason": reason}


TOLD: Any = Told()


@pytest.mark.parametrize(
    ("cells", "shared"),
    [
        (["16384"] * 3, ("16384", 3)),
        (["16384"] * 2, None),
        ([*["16384"] * 9, "1"], ("16384", 9)),  # nine of ten
        ([*["16384"] * 8, "1"], None),
    ],
)
def test_three_cards_and_nine_of_ten_of_them_state_a_figure_of_a_chip(
    cells: list[str], shared: tuple[str, int] | None
) -> None:
    assert buildcores_open_db._shared(cells) == shared


@pytest.mark.parametrize(
    ("size_bytes", "memory"),
    [
        (24 * 2**30, (24.0, "GiB")),
        (80e9, (80e9, "byte")),
        (1024e6, (1024.0, "MiB")),
        (3840e6, (3840.0, "MiB")),
        (4096e6, (4096e6, "byte")),  # from four gigabytes on the sheet counts in billions
        (1500e6, (1500e6, "byte")),  # no whole number of chips
    ],
)
def test_a_memory_of_epoch_counts_in_the_unit_that_makes_it_whole(size_bytes: float, memory: tuple[float, str]) -> None:
    assert epoch_ml_hardware._memory(size_bytes) == memory


EMPTY = dict.fromkeys(
    (
        "NAME",
        "MAKER",
        "PRICE",
        "LINK",
        "CORES",
        "TENSOR",
        "FP8",
        "FP4",
        "FP64",
        "FP32",
        "TF32",
        "FP16",
        "INT8",
        "MEMORY",
    ),
    "",
)


def verdict(column: str, **cells: str) -> bool:
    """Whether a figure of Epoch's is taken."""
    row = {getattr(epoch_ml_hardware, name): text for name, text in (EMPTY | cells).items()}
    field, _ = epoch_ml_hardware._verdicts(row)[getattr(epoch_ml_hardware, column)]
    return field != ""


@pytest.mark.parametrize(
    ("column", "cells", "taken"),
    [
        ("LINK", {"LINK": "65000000000"}, True),
        ("LINK", {"LINK": "64000000000"}, False),  # the host's bus
        ("FP8", {"FP8": "212", "TENSOR": "100"}, True),  # twice the FP16 rate, rounded
        ("FP8", {"FP8": "212.1", "TENSOR": "100"}, False),
        ("FP4", {"FP4": "699", "TENSOR": "100"}, True),
        ("FP4", {"FP4": "700", "TENSOR": "100"}, False),
        ("FP64", {"FP64": "100", "FP32": "100"}, True),
        ("FP64", {"FP64": "101", "FP32": "100"}, False),  # a matrix rate
        ("TF32", {"TF32": "53", "TENSOR": "100"}, True),
        ("TF32", {"TF32": "53.1", "TENSOR": "100"}, False),
        ("INT8", {"INT8": "212", "TENSOR": "100"}, True),
        ("INT8", {"INT8": "212.1", "TENSOR": "100"}, False),
        ("INT8", {"INT8": "8", "FP32": "1"}, True),  # Ampere without a tensor rate
        ("INT8", {"INT8": "8.5", "FP32": "1"}, False),
        ("FP16", {"FP16": "2.11", "FP32": "1"}, True),
        ("FP16", {"FP16": "2.13", "FP32": "1"}, False),
    ],
)
def test_a_rate_of_epoch_is_dense_up_to_the_ratio_that_the_hardware_has(
    column: str, cells: dict[str, str], taken: bool
) -> None:
    maker = sorted(epoch_ml_hardware.LINK_IS_TOTAL)[0]
    assert verdict(column, NAME="NVIDIA Card", MAKER=maker, **cells) == taken


@pytest.mark.parametrize(("rate", "alike"), [("200.9", True), ("202", False), ("199.1", True), ("197.9", False)])
def test_a_rate_is_twice_another_within_a_hundredth(rate: str, alike: bool) -> None:
    column = gpu_poet_specs.FP16
    assert gpu_poet_specs._is({column: rate, gpu_poet_specs.INT8: "100"}, column, 2) == alike


def listings(listed: int, *euros: float) -> list[str]:
    """The flags of the listings of a card, of which so many stand on the sites."""
    rows = [
        {"id": f"{at}", "title": f"Card {at}", "price": each, "source": "shop", "scrapedAt": "2026-11-01T00:00"}
        for at, each in enumerate(euros)
    ]
    most = dict.fromkeys([teoampatzis_gpu_prices_gr._name("RTX 4090", 24, "Card")], sorted(euros)[:3][-1])
    made: Any = teoampatzis_gpu_prices_gr._rows(TOLD, ("RTX 4090", 24), rows, listed, most)
    return [row["flag"] for row in made]


def test_two_listings_are_what_is_left_of_a_card_and_of_many_the_three_cheapest_count() -> None:
    assert listings(2, 100.0, 200.0) == ["old stock: listings left: 2"] * 2
    assert listings(3, 100.0, 200.0) == ["", ""]
    assert listings(9, 300.0, 100.0, 200.0, 300.1) == ["", "", "", "dearer than the 3 cheapest of the card"]


@pytest.mark.parametrize(("count", "said"), [(3, "new"), (4, "new; one of the 3 cheapest of 4 listings")])
def test_of_more_than_three_listings_it_is_said_that_the_cheapest_count(count: int, said: str) -> None:
    listing = {"id": "1", "title": "Card", "price": 100, "source": "shop", "scrapedAt": "2026-11-01T00:00"}
    made: Any = teoampatzis_gpu_prices_gr._row(TOLD, ("RTX 4090", 24), listing, "Card", count, "")
    assert (made["includes"], made["date"]) == (said, "2026-11-01")


def month(usd: float, readings: int = 6) -> united_compute_amazon.ListingMonth:
    made = united_compute_amazon.ListingMonth()
    made.prices += [usd] * readings
    made.rows += list(range(readings))
    return made


@pytest.mark.parametrize(
    ("usd", "readings", "flagged"),
    [(1300.0, 6, False), (1000 * (1 + JUMP) + 1, 6, True), (1000 * (1 - JUMP) - 1, 6, True), (1000.0, 5, True)],
)
def test_a_listing_is_flagged_that_jumps_by_a_third_or_is_seldom_read(usd: float, readings: int, flagged: bool) -> None:
    months = {"2026-01": month(1000.0), "2026-02": month(usd, readings)}
    made: Any = list(united_compute_amazon._series(TOLD, "Card", months))
    assert bool(made[-1]["flag"]) == flagged


@pytest.mark.parametrize(("speed", "broken"), [(60.0, False), (59.9, True)])
def test_a_prompt_read_in_16_bit_at_six_tenths_of_the_packed_rate_is_sound(speed: float, broken: bool) -> None:
    about = {"model": "LLaMA 3 8B", "metric": "prompt_speed"}
    rows = [result(precision="Q4_K_M", value=100.0, **about), result(precision="F16", value=speed, **about)]
    *_, judged = xiongjiedai_llm_inference._mark_broken(rows)
    assert bool(judged.flag) == broken


@pytest.mark.parametrize(("length", "cut"), [(600, False), (601, True)])
def test_a_long_error_keeps_its_beginning_and_its_end(length: int, cut: bool) -> None:
    message = "b" * (length // 2) + "e" * (length - length // 2)
    told = str(base.SourceError(message))
    assert (told != message) == cut
    assert (told[0], told[-1]) == ("b", "e")
    assert len(told) <= 603


def test_a_cell_that_holds_no_number_is_told_by_file_row_and_column() -> None:
    source = aws_p5_price_history.SOURCE
    snapshot = base.Snapshot(source, "gpu_prices.csv", "https://e.org", b"", "2026-11-20", "", "MIT")
    assert table.number(snapshot, 7, {"price_usd": "98.32"}, "price_usd") == 98.32
    with pytest.raises(base.SourceError) as told:
        table.number(snapshot, 7, {"price_usd": "n/a"}, "price_usd")
    where = f"{source.id}/gpu_prices.csv row 7: price_usd is 'n/a'"
    assert str(told.value) == f"{where}, not a number; look at the file"


def test_a_column_that_a_module_neither_reads_nor_ignores_is_told() -> None:
    snapshot = base.Snapshot(epoch_ml_hardware.SOURCE, "file.csv", "https://e.org", b"", "2026-11-20", "", "MIT")
    base.refuse_unknown_columns(snapshot, ["a", "b"], {"a", "b", "c"})
    with pytest.raises(base.SourceError, match=r"epoch-ml-hardware/file\.csv: unknown column 'd'; add it to what"):
        base.refuse_unknown_columns(snapshot, ["a", "d"], {"a", "b", "c"})


def test_a_street_price_is_the_middle_of_the_three_cheapest_whatever_they_are_called() -> None:
    found = street_price([("a", 400.0), ("b", 100.0), ("c", 300.0), ("d", 200.0)], 4)
    assert (found.usd, found.includes) == (200.0, "median of the 3 cheapest of 4 offers; 4 products listed")
    twice = street_price([("a", 100.0), ("a", 100.0), ("b", 500.0)], 3)
    assert (twice.usd, twice.includes) == (300.0, "median of the 2 cheapest of 2 offers; 3 products listed")
    assert street_price([("a", 100.0)], 1).includes.startswith("the only offer")


def named(*memories: str) -> set[str]:
    """Under which names the cards of a chip with these sizes of memory are told."""
    module = buildcores_open_db
    heads = [module.NAME, module.SELLER, module.MAKER, module.CHIP, module.MEMORY, module.INTERFACE, module.CORES]
    heads += [module.LENGTH, module.SLOTS, *module.PLUGS]
    known = {module.MAKER: "NVIDIA", module.CHIP: "GeForce RTX 3060", module.CORES: "3584"}
    rows = [
        [(known | {module.MEMORY: memory}).get(head, "") for head in heads] for memory in memories for _ in range(3)
    ]
    text = csv_text(heads, rows).encode()
    snapshot = base.Snapshot(module.SOURCE, module.FILE, "https://e.org", text, "2026-11-20", "", "MIT")
    return {row.gpu for row in module.parse({module.FILE: snapshot})}


def test_a_chip_is_told_by_its_memory_where_it_is_sold_with_several() -> None:
    assert named("12") == {"NVIDIA GeForce RTX 3060"}
    assert named("8", "12") == {"NVIDIA GeForce RTX 3060 8GB", "NVIDIA GeForce RTX 3060 12GB"}


@pytest.mark.parametrize(
    ("title", "card"),
    [
        ("Nvidia RTX Pro 4500 32GB GDDR7 Blackwell Server Edition", "RTX PRO 4500 Blackwell Server Edition"),
        ("PNY RTX PRO 4500 32GB GDDR7 Blackwell", "RTX PRO 4500 Blackwell"),
    ],
)
def test_a_title_tells_the_card_for_servers_from_the_one_for_workstations(title: str, card: str) -> None:
    """BestPrice, October 2026: the Server Edition, at 5,125 euros, stood as a second workstation card."""
    assert teoampatzis_gpu_prices_gr._name("RTX PRO 4500", 32, title) == card


@pytest.mark.parametrize(
    ("name", "memory", "told"),
    [
        ("NVIDIA A100 PCIe", "80000000000", "NVIDIA A100 PCIe 80GB"),
        ("NVIDIA A100 PCIe", "", "NVIDIA A100 PCIe"),
        ("NVIDIA A100 PCIe 40GB", "80000000000", "NVIDIA A100 PCIe 40GB"),
        ("NVIDIA T4", "16000000000", "NVIDIA T4"),  # there is one T4
    ],
)
def test_a_name_that_several_cards_share_gets_its_memory(name: str, memory: str, told: str) -> None:
    assert epoch_ml_hardware._name({epoch_ml_hardware.NAME: name, epoch_ml_hardware.MEMORY: memory}) == told


@pytest.mark.parametrize(
    ("cells", "claims"),
    [
        ({}, []),
        ({"length_mm": "0", "total_slot_width": ""}, []),  # nobody looked
        ({"length_mm": "304"}, [("length_mm", 304.0)]),
        ({"total_slot_width": "3"}, [("slot_width", 3.0)]),
        ({"pcie_8_pin": "2", "pcie_6_pin": "1"}, [("power_connectors", "1x 6-pin + 2x 8-pin")]),
        ({"length_mm": "304", "manufacturer": "Somebody"}, []),  # not the maker's own card
        ({"length_mm": "304", "name": "MSI GeForce RTX 4090"}, []),
    ],
)
def test_the_maker_s_own_card_states_what_was_looked_at(cells: dict[str, str], claims: list[Any]) -> None:
    of = buildcores_open_db
    columns = (of.NAME, of.SELLER, of.MAKER, of.LENGTH, of.SLOTS, *of.PLUGS)
    row = dict.fromkeys(columns, "") | {of.NAME: "RTX 4090", of.SELLER: "NVIDIA", of.MAKER: "NVIDIA"} | cells
    assert list(of._of_the_makers_card(TOLD, "RTX 4090", [(7, row)])) == claims
