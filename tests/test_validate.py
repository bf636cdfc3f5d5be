"""The limits of the rules on a record: a figure at a limit passes, and one a step beyond it is told.

A card, or several, of which nothing is known but what a line of the table says. Errors that each rule was written for
are in test_built.py, test_structure.py and test_physics.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.core.schema import Claim, Price, Result, field_of
from pipeline.core.theory import Architectures, Die, Ladder, Made, Multiple, Range, Ratio
from pipeline.record.reconcile import Ancestry
from pipeline.record.validate import (
    boards,
    claims,
    families,
    memory,
    observations,
    physics,
    products,
    silicon,
    structure,
    votes,
)
from pipeline.record.validate.base import Evidence, Problem

FP16, FP16_SUMS = "peak:fp16:fp32:dense:tensor", "peak:fp16:fp16:dense:tensor"
SPARSE = "peak:fp16:fp32:sparse:tensor"
FP32, FP64 = "peak:fp32:fp32:dense:vector", "peak:fp64:fp64:dense:vector"
FP8, INT8 = "peak:fp8:fp32:dense:tensor", "peak:int8:int32:dense:tensor"
ABOUT = {
    "name": "Card",
    "vendor": "NVIDIA",
    "segment": "consumer",
    "line": "GeForce RTX 40 series",
    "architecture": "Ada Lovelace",
    "form_factor": "PCIe card",
    "documents": {},
}
Cards = Mapping[str, Mapping[str, str]]  # a card → field → what a document of its maker states
Rule = Callable[[Evidence], Iterator[Problem]]


def stated(gpu: str, field: str, value: str, source: str = "sheet", kind: str = "vendor") -> Claim:
    unit = field_of(field).unit
    return Claim(gpu, field, value, unit, source, kind, f"https://{source}.org", "row 1", "2026-11-21", "not stated")


def evidence(*said: Claim, about: Mapping[str, str] | None = None, **more: Any) -> Evidence:
    """All that is known where these are the claims; of each card the same is `about` known."""
    known: Any = {one.gpu: SimpleNamespace(id=one.gpu, **ABOUT | (about or {})) for one in said}
    given = {"results": (), "prices": (), "siblings": {}} | more
    return Evidence(gpus=known, claims=list(said), ancestry=Ancestry({}, {}), **given)


def told(rule: Rule, cards: Cards, about: Mapping[str, str] | None = None, **more: Any) -> list[str]:
    """The cards that a rule complains about."""
    said = [stated(gpu, field, value) for gpu, figures in cards.items() for field, value in figures.items()]
    return [problem.gpu for problem in rule(evidence(*said, about=about, **more))]


def table(**entries: Any) -> Architectures:
    """A table of architectures with nothing but these entries."""
    return Architectures.none().model_copy(update=entries)


CITED = {"document": "sheet", "locator": "row 1"}
# A rule, what is known of a card beside one figure, that figure, the least and most that passes, a step beyond each.
LIMITS: dict[str, tuple[Rule, dict[str, str], str, tuple[str, ...], tuple[str, ...], dict[str, Any]]] = {
    "slot and plug deliver the board power, rounded": (
        boards.plugs_deliver_the_board_power, {"power_connectors": "1x 8-pin"}, "board_power_w",
        ("255",), ("256",), {},
    ),
    "a supply of NVIDIA has 360 to 500 W to spare": (
        boards.power_supply_fits_the_board, {"board_power_w": "300"}, "recommended_psu_w",
        ("660", "800"), ("659", "801"), {},
    ),
    "of Pascal 220 to 400 W": (
        boards.power_supply_fits_the_board, {"board_power_w": "300"}, "recommended_psu_w",
        ("520", "700"), ("519", "701"), {"about": {"architecture": "Pascal"}},
    ),
    "a name is right within a hundredth": (
        memory.name_states_its_memory, {}, "memory_gb",
        ("99", "101"), ("98.9", "101.1"), {"about": {"name": "Card 100GB"}},
    ),
    "five stacks of 16 or 24 GB hold all of them but an eighth": (
        memory.memory_is_made_of_chips, {"memory_type": "HBM3", "memory_bus_bit": "5120"}, "memory_gb",
        ("70.4", "80", "105.6", "120"), ("70.3", "80.1", "105.5", "120.1"), {},
    ),
    "chips of 2 GB came with the RTX 3090 Ti": (
        memory.memory_is_made_of_chips,
        {"memory_type": "GDDR6X", "memory_bus_bit": "384", "memory_gb": "48"}, "launch_date",
        ("2022-03-29", "2022-03", "2022"), ("2022-03-28", "2022-02", "2021"), {},
    ),
    "a process of 28 nm holds 13 to 15 million, rounded": (
        silicon.transistors_fit_area_and_process, {"die_size_mm2": "100", "process_nm": "28"}, "transistors_millions",
        ("1235", "1575"), ("1234", "1576"), {},
    ),
    "the whole die has a cache of 100 MB": (
        structure.cache_is_not_larger_than_its_die, {}, "l2_cache_mb",
        ("99", "101"), ("98.9", "101.1"),
        {"architectures": table(dies=(Die(name="D", l2_cache_mb=100, gpus=("card",), whole=("card",), **CITED),))},
    ),
    "a ratio is right within a twentieth": (
        structure.int8_keeps_its_ratio_to_fp8, {FP8: "1000"}, INT8,
        ("950", "1050"), ("949", "1051"),
        {"architectures": table(ratios=(
            Ratio(of="int8:int32:tensor", to="fp8:fp32:tensor", low=1, high=1, reason="one unit"),
        ))},
    ),
    "bus times rate is the bandwidth within three per cent": (
        physics.rate_matches_bandwidth, {"memory_bus_bit": "8", "memory_bandwidth_gb_s": "100"},
        "memory_data_rate_gbps", ("97", "103"), ("96.9", "103.1"), {},
    ),
    "cores times clock are the FP32 rate within eight per cent": (
        physics.fp32_matches_cores, {"shader_cores": "50000", "boost_clock_mhz": "1000"}, FP32,
        ("92", "107.9"), ("91.9", "108.1"), {},
    ),
    "FP64 is no faster than FP32 but for rounding": (
        physics.wider_is_not_faster, {FP32: "100"}, FP64,
        ("102",), ("102.1",), {},
    ),
    "a GeForce sums at half the rate": (
        physics.geforce_sums_at_half_rate, {FP16: "100"}, FP16_SUMS,
        ("196.1", "203.9"), ("195.9", "204.1"), {},
    ),
    "FP8 is twice FP16 at most": (
        physics.formats_keep_their_ratio, {FP16: "100"}, FP8,
        ("97", "206"), ("96.9", "206.1"), {},
    ),
    "a limit of the power lies above the board's but for rounding": (
        physics.power_limits_hold_the_board_power, {"power_limit_max_w": "100"}, "board_power_w",
        ("102",), ("102.1",), {},
    ),
    "a figure of a card of its own lies in its range": (
        claims.claim_fits_field, {}, "memory_bus_bit",
        ("10", "20"), ("9", "21"),
        {"architectures": table(ranges=(
            Range(gpus=("card",), field="memory_bus_bit", low=10, high=20, reason="odd", **CITED),
        ))},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", LIMITS)
def test_a_figure_at_the_limit_of_a_rule_passes_and_one_beyond_it_is_told(what: str) -> None:
    rule, known, field, at, beyond, more = LIMITS[what]
    assert {value: told(rule, {"card": {**known, field: value}}, **more) for value in at} == {value: [] for value in at}
    assert [told(rule, {"card": {**known, field: value}}, **more) != [] for value in beyond] == [True] * len(beyond)


def ladder(rising: bool = False) -> Architectures:
    gpus, fields = ("small", "middle", "large"), ("memory_bandwidth_gb_s",)
    return table(ladders=(Ladder(gpus=gpus, fields=fields, rising=rising, reason="a family"),))


def bandwidths(*gb_s: str) -> Cards:
    names = ("small", "middle", "large")
    return {gpu: {"memory_bandwidth_gb_s": value} for gpu, value in zip(names, gb_s, strict=False)}


@pytest.mark.parametrize(
    ("gb_s", "wrong"),
    [
        (("1000", "980"), []),  # rounded figures of one rate
        (("1000", "979"), ["small", "middle"]),  # of two either may be the wrong one
        (("1000", "900", "1100"), ["small", "middle"]),
        (("1000", "400", "500"), ["small"]),  # who breaks the order with two is wrong
        (("400", "500", "300"), ["large"]),
        (("500", "500", "500"), []),
    ],
)
def test_a_family_rises_from_card_to_card_within_rounding(gb_s: tuple[str, ...], wrong: list[str]) -> None:
    assert told(families.larger_cards_have_no_less, bandwidths(*gb_s), architectures=ladder()) == wrong


def test_a_family_that_always_rises_has_no_two_alike() -> None:
    alike = bandwidths("500", "500", "600")
    assert told(families.larger_cards_have_no_less, alike, architectures=ladder(rising=True)) != []


@pytest.mark.parametrize(("gb_s", "wrong"), [("1960", []), ("1959", ["two"]), ("2040", []), ("2042", ["two"])])
def test_two_dies_have_twice_within_rounding(gb_s: str, wrong: list[str]) -> None:
    fields = ("memory_bandwidth_gb_s",)
    twice = table(multiples=(Multiple(gpu="two", of="one", times=2, fields=fields, reason="two dies"),))
    cards = {"two": {fields[0]: gb_s}, "one": {fields[0]: "1000"}}
    assert told(families.several_dies_have_several_times, cards, architectures=twice) == wrong


@pytest.mark.parametrize(
    ("asked", "others", "wrong"), [(1300, 3, 0), (1301, 3, 1), (820, 3, 0), (819, 3, 1), (2000, 2, 0), (2000, 3, 1)]
)
def test_a_launch_price_keeps_to_a_line_of_four_cards(asked: int, others: int, wrong: int) -> None:
    cards = {f"other-{at}": {"launch_price_usd": "1000", FP32: "100"} for at in range(others)}
    cards["card"] = {"launch_price_usd": f"{asked}", FP32: "100"}
    assert told(families.launch_price_keeps_to_its_line, cards) == ["card"] * wrong


@pytest.mark.parametrize(("watts", "wrong"), [("349", 0), ("350", 1)])
def test_a_card_draws_less_than_the_module_of_its_family(watts: str, wrong: int) -> None:
    known = evidence(
        stated("card", "board_power_w", watts),
        stated("module", "board_power_w", "350"),
        siblings={"card": frozenset({"module"})},
    )
    known.gpus["module"].__dict__["form_factor"] = "SXM module"
    assert len(list(boards.cards_draw_less_than_modules(known))) == wrong


@pytest.mark.parametrize(("areas", "wrong"), [(("100", "100", "200"), ["c"]), (("100", "200"), ["a", "b"])])
def test_of_three_cards_of_a_chip_the_odd_one_is_told_and_of_two_both(areas: tuple[str, ...], wrong: list[str]) -> None:
    cards = {gpu: {"die_size_mm2": area} for gpu, area in zip("abc", areas, strict=False)}
    made = table(chips=(Made(name="D", gpus=tuple(cards), **CITED),))
    assert told(silicon.cards_of_one_chip_have_its_size, cards, architectures=made) == wrong


@pytest.mark.parametrize(("with_it", "against", "wrong"), [(0, 1, 0), (0, 2, 1), (1, 2, 1), (2, 2, 0), (2, 3, 1)])
def test_a_figure_is_outvoted_by_two_sources_and_as_many_as_speak_for_it(
    with_it: int, against: int, wrong: int
) -> None:
    said = [stated("card", "memory_gb", "24")]
    said += [stated("card", "memory_gb", "24", f"with-{at}", "reference") for at in range(with_it)]
    said += [stated("card", "memory_gb", "48", f"against-{at}", "reference") for at in range(against)]
    assert len(list(votes.no_outvoted_figure(evidence(*said)))) == wrong


def apart(field: str, chosen: str, *others: str) -> Evidence:
    """What a maker's sheet and some lists state of one field."""
    lists = [stated("card", field, value, f"list-{at}", "reference") for at, value in enumerate(others)]
    return evidence(stated("card", field, chosen), *lists)


@pytest.mark.parametrize(
    ("value", "wrong"), [("190", 1), ("210", 1), ("189", 0), ("211", 0), ("50", 1), ("52", 1), ("48", 1), ("47", 0)]
)
def test_a_figure_that_is_twice_or_half_another_is_mixed_up(value: str, wrong: int) -> None:
    assert len(list(products.no_mix_up(apart("memory_bus_bit", "100", value)))) == wrong


@pytest.mark.parametrize(("value", "wrong"), [("400", 1), ("399", 0), ("25", 1), ("26", 0)])
def test_a_digit_has_slipped_from_four_times_on(value: str, wrong: int) -> None:
    assert len(list(products.no_slipped_digit(apart("board_power_w", "100", value)))) == wrong


@pytest.mark.parametrize(("lists", "doubted"), [(1, ["list-0"]), (2, ["sheet"])])
def test_of_two_figures_many_times_apart_the_fewer_sources_are_wrong(lists: int, doubted: list[str]) -> None:
    found = products.no_slipped_digit(apart("board_power_w", "100", *["1000"] * lists))
    assert [problem.where.partition(" ")[0] for problem in found] == doubted


@pytest.mark.parametrize(("day", "wrong"), [("2026-11-21", 0), ("2026-11-22", 1)])
def test_a_launch_lies_not_after_the_newest_reading(day: str, wrong: int) -> None:
    assert len(list(products.launch_is_possible(evidence(stated("card", "launch_date", day))))) == wrong


@pytest.mark.parametrize(
    ("sparse", "dense", "wrong"),
    [
        ("200", "100", []),
        ("200", "190", [FP16]),  # a sparse rate that stands as a dense one
        ("200", "210", [FP16]),
        ("100", "100", [FP16]),
    ],
)
def test_a_sparse_rate_is_twice_the_dense_one(sparse: str, dense: str, wrong: list[str]) -> None:
    said = [stated("card", FP16, dense), stated("card", SPARSE, sparse), stated("card", SPARSE, sparse, "page")]
    found = physics.sparse_is_twice_dense(evidence(*said, architectures=Architectures.none()))
    assert sorted({problem.field for problem in found}) == sorted(wrong)


def offered(**changes: Any) -> Price:
    base = Price(
        "card", "retail", "Shop", "", 1, None, None, 1000.0, "USD", "2026-11-20", "prices", "", "", "", "https://e.org",
        "row 2", "2026-11-21", "MIT", "abc", country="US", tax=0.0, amount=1000.0,
    )  # fmt: skip
    return Price(**{name: getattr(base, name) for name in base.__slots__} | changes)


def measured(**changes: Any) -> Result:
    base = Result(
        "card", 1, "runs", "training", "resnet50", "fp16", "64", "throughput", 100.0, "images/s", True, "PyTorch 2",
        "2026-11-20", "runs", "", "https://e.org/b", "row 2", "2026-11-21", "MIT",
    )  # fmt: skip
    return Result(**{name: getattr(base, name) for name in base.__slots__} | changes)


CARD = (stated("card", "launch_date", "2022-10-12"), stated("card", "memory_gb", "10"))
ROWS: dict[str, tuple[Rule, Callable[..., Any], str, tuple[Any, ...], tuple[Any, ...]]] = {
    "a result is above zero": (observations.result_is_sound, measured, "value", (0.1,), (0.0, -1.0)),
    "one GPU took part": (observations.result_is_sound, measured, "gpu_count", (1, 2), (0,)),
    "a price is above zero": (observations.price_is_sound, offered, "usd_per_unit", (0.1,), (0.0, -1.0)),
    "shops of the United States add no tax": (observations.cells_belong_together, offered, "tax", (0.0, None), (0.1,)),
    "a card is sold by itself": (observations.cells_belong_together, offered, "gpus", (1, None), (2,)),
    "a price is of the day of the launch or later": (
        observations.cells_belong_together, offered, "date",
        ("2022-10-12", "2022-10", "2022"), ("2022-10-11", "2022-09", "2021"),
    ),
    "a price is of the day of its reading or before": (
        observations.dates_are_past, offered, "date", ("2026-11-21", "2026-11"), ("2026-11-22", "2026-12"),
    ),
    "a result too": (
        observations.dates_are_past, measured, "date", ("2026-11-21", "2026-11"), ("2026-11-22", "2026-12"),
    ),
    "a card for players costs 5 to 500 dollars a gigabyte": (
        observations.price_to_buy_is_plausible, offered, "usd_per_unit", (50.0, 5000.0), (49.0, 5001.0),
    ),
    "a person reads a page within a month of the newest file": (
        observations.typed_days_are_near, offered, "retrieved", ("2026-12-21",), ("2026-12-22",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ROWS)
def test_a_row_at_the_limit_of_a_rule_passes_and_one_beyond_it_is_told(what: str) -> None:
    rule, row, column, at, beyond = ROWS[what]
    field = "prices" if row is offered else "results"
    more: dict[str, Any] = {"price_sets": frozenset({"prices"}), "newest_snapshot": "2026-11-20"}

    def wrong(value: object) -> bool:
        return bool(list(rule(evidence(*CARD, **more, **{field: [row(**{column: value})]}))))

    assert {value: wrong(value) for value in at} == dict.fromkeys(at, False)
    assert {value: wrong(value) for value in beyond} == dict.fromkeys(beyond, True)


@pytest.mark.parametrize(("usd", "wrong"), [(200.0, 0), (199.0, 1), (5000.0, 0), (5001.0, 1)])
def test_a_contributed_price_lies_between_a_fifth_and_five_times_of_what_others_ask(usd: float, wrong: int) -> None:
    rows = [offered(source="shop"), offered(usd_per_unit=usd, amount=usd)]
    found = observations.price_to_buy_is_plausible(evidence(CARD[1], prices=rows, price_sets=frozenset({"prices"})))
    assert len(list(found)) == wrong


@pytest.mark.parametrize(("usd", "wrong"), [("100", 0), ("99", 1), ("10000", 0), ("10001", 1)])
def test_a_launch_price_lies_between_a_tenth_and_ten_times_of_what_shops_ask(usd: str, wrong: int) -> None:
    known = evidence(stated("card", "launch_price_usd", usd), prices=[offered(source="shop")])
    assert len(list(observations.launch_price_is_plausible(known))) == wrong


@pytest.mark.parametrize(("usd", "wrong"), [(0.04, 0), (0.039, 1), (6.0, 0), (6.01, 1)])
def test_an_offer_lies_between_a_twenty_fifth_and_six_times_of_the_usual(usd: float, wrong: int) -> None:
    rows = [offered(kind="on_demand", usd_per_unit=None, usd_per_gpu_hour=each) for each in (*[1.0] * 5, usd)]
    assert len(list(observations.rent_is_plausible(evidence(*CARD, prices=rows)))) == wrong
