"""How the words of a question become its fields: numbers by market, limits, and the names that are offered instead."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.advise.choose import need as needs
from pipeline.advise.choose.need import Need, NeedError, parse


@pytest.mark.parametrize(
    ("name", "text", "market", "value"),
    [
        ("hours_per_week", "12", "us", 12),
        ("hours_per_week", "12.5", "us", 12.5),
        ("hours_per_week", "12,5", "us", 12.5),
        ("hours_per_week", "12,5", "eu", 12.5),
        ("hours_per_week", "12.5", "eu", 12.5),
        ("budget_usd", "1,500", "us", 1500),
        ("budget_usd", "1.500", "eu", 1500),
        ("budget_usd", "1,500", "uk", 1500),
        ("budget_usd", "1,500", "nowhere", 1500),
        ("budget_usd", "1,500.25", "eu", 1500.25),
        ("budget_usd", "1.500,25", "us", 1500.25),
        ("budget_usd", "1,500,000", "eu", 1500000),
        ("budget_usd", "1.500.000", "us", 1500000),
        ("budget_usd", "0.500", "us", 0.5),
        ("budget_usd", "0.500", "eu", 0.5),
        ("budget_usd", "1.50", "eu", 1.5),
        ("psu_w", "1.500", "us", 1.5),
        ("psu_w", "1.500", "eu", 1500),
        ("psu_w", "1e3", "us", 1000),
        ("psu_w", "-5", "us", -5),
        ("psu_w", "+5", "us", 5),
        ("psu_w", "1 500", "us", 1500),
        ("psu_w", "1'500", "us", 1500),
        ("psu_w", "1_500", "us", 1500),
        ("budget_usd", "$1,500", "us", 1500),
        ("budget_usd", "1500 EUR", "eu", 1500),
        ("budget_usd", "$1.5k", "us", 1500),
        ("units", "2m", "us", 2_000_000),
        ("units", "1.5b", "us", 1_500_000_000),
        ("units", "3K", "us", 3000),
        ("context", "8k", "us", 8192),
        ("context", "1m", "us", 1_048_576),
    ],
)
def test_a_number_is_read_as_its_market_writes_it(name: str, text: str, market: str, value: float) -> None:
    assert needs.read_number(name, text, market) == value


@pytest.mark.parametrize(
    ("name", "text", "market", "says"),
    [
        ("budget_usd", "1.500", "us", "read in two ways; write 1500 or 1.5"),
        ("budget_usd", "1,500", "eu", "read in two ways; write 1500 or 1,5"),
        ("budget_usd", "999.120", "us", "read in two ways; write 999120 or 999.12"),
        ("budget_usd", "many", "us", "must be a number"),
        ("budget_usd", "k", "us", "must be a number"),
        ("budget_usd", ".", "us", "must be a number"),
        ("psu_w", "$5", "us", "must be a number"),
        ("psu_w", "1e999", "us", "must be a number"),
        ("context", "1b", "us", "must be a number"),
        ("psu_w", "5 6e", "us", "must be a number"),
    ],
)
def test_a_number_that_is_none_or_two_is_asked_for_again(name: str, text: str, market: str, says: str) -> None:
    with pytest.raises(NeedError, match=says):
        needs.read_number(name, text, market)


def test_the_market_of_the_words_decides_how_its_numbers_are_read() -> None:
    assert parse({"psu_w": "1.500", "market": "eu"}).psu_w == 1500
    assert parse({"psu_w": "1.500"}).psu_w == 1.5
    assert parse({"budget_usd": " ", "psu_w": " 7 "}) == Need(psu_w=7)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"colour": "red"}, "“colour” is nothing that can be asked; known: task, market, model"),
        ({"context": "1.5"}, "must be a whole number"),
        ({"quiet": "maybe"}, "it is yes or no"),
        ({"own_prices": "a"}, "write it as GPU=number"),
        ({"own_prices": "a=x"}, "write it as GPU=number"),
        ({"own": "a=inf"}, "write it as GPU=number"),
    ],
)
def test_a_word_that_is_none_is_refused(words: dict[str, str], says: str) -> None:
    with pytest.raises(NeedError, match=says):
        parse(words)


def test_flags_cards_and_prices_are_read() -> None:
    flags = {"yes": True, "TRUE": True, "1": True, "no": False, "false": False, "0": False}
    assert {text: parse({"quiet": text}).quiet for text in flags} == flags
    assert parse({"own": "a, b=2, ,"}).own == {"a": 1, "b": 2}
    assert parse({"own_prices": "a = 700 ,b=0.5"}).own_prices == {"a": 700, "b": 0.5}
    context = parse({"context": "4096"}).context
    assert context == 4096
    assert isinstance(context, int)


def test_a_question_is_written_as_it_is_read() -> None:
    asked = Need(task="serve", own={"a": 1, "b": 2.0}, quiet=True, current_software=False, psu_w=750.0, batch=4)
    words = needs.as_words(asked)
    assert words == {
        "task": "serve", "own": "a=1,b=2", "quiet": "yes", "current_software": "no", "psu_w": "750", "batch": "4",
    }  # fmt: skip
    assert parse(words) == asked
    assert needs.as_words(Need()) == {"task": "chat"}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("psu_w", 100, ""),
        ("psu_w", 99.9, "is 99.9; it must be at least 100 W"),
        ("psu_w", 100_000, ""),
        ("psu_w", 100_001, "is 100,001; it must be at most 100,000 W"),
        ("hours_per_week", 168, ""),
        ("hours_per_week", 168.5, "is 168; it must be at most 168 hours|is 169"),
        ("budget_usd", 0.5, "is 0.500; it must be at least 1 EUR|is 0.5; it must be at least 1 EUR"),
        ("resale_share", 0, ""),
        ("resale_share", -0.01, "must be at least 0 of the price"),
        ("psu_w", float("nan"), "must be a number"),
        ("psu_w", None, ""),
    ],
)
def test_a_field_is_held_to_its_limits_which_are_allowed(name: str, value: float | None, says: str) -> None:
    asked = Need(market="eu")
    if not says:
        return needs._within(name, value, asked)
    with pytest.raises(NeedError, match=says):
        needs._within(name, value, asked)
    return None


def test_a_number_is_said_whole_as_it_is_and_else_with_three_digits() -> None:
    told = [needs.counted(value) for value in (0, 7, 123456, 1.5, 0.12345, 1234.5)]
    assert told[:3] == ["0", "7", "123,456"]
    assert told[3:] == ["1.5", "0.123", "1,230"]


def test_what_somebody_typed_is_repeated_up_to_forty_characters() -> None:
    assert needs.quoted("x" * 40) == f"“{'x' * 40}”"
    assert needs.quoted("x" * 40 + "y") == f"“{'x' * 40}”"


def test_names_that_begin_so_stand_before_those_that_look_so() -> None:
    names = ["geforce-rtx-3090", "rtx-4090-d", "rtx-4090", "radeon"]
    assert needs.near("rtx4090", names)[:2] == ["rtx-4090", "rtx-4090-d"]
    many = [f"rtx-{each}" for each in range(100, 120)]
    assert needs.near("rtx-", many) == many[: needs.MOST]


def known(*ids: str) -> Any:
    gpus = {each: SimpleNamespace(id=each) for each in ids}
    return SimpleNamespace(gpus=gpus, find=lambda text: gpus.get(text.lower()))


def test_own_cards_and_prices_are_held_to_limits_and_known_names() -> None:
    data = known("rtx-4090", "rtx-3090")
    assert needs._known_gpus("own", {"RTX-4090": 8}, data) == {"rtx-4090": 8}
    assert needs._known_gpus("own_prices", {"rtx-4090": 1e8, "rtx-3090": 0.01}, data) == {
        "rtx-4090": 1e8, "rtx-3090": 0.01,
    }  # fmt: skip
    for name, pairs, says in [
        ("own", {"rtx-4090": 9}, "is 9; it must be at most 8 of a kind"),
        ("own", {"rtx-4090": 0}, "is 0; it must be at least 0 of a kind"),
        ("own_prices", {"rtx-4090": 1e8 + 1}, "must be at most 100,000,000"),
        ("own_rents", {"rtx-4090": -1}, "is -1; it must be at least 0|is −1; it must be at least 0"),
        ("own", {"rtx-409": 1}, "“rtx-409”, which is no GPU of the dataset; the nearest names are rtx-4090"),
    ]:
        with pytest.raises(NeedError, match=says):
            needs._known_gpus(name, pairs, data)


def test_a_month_of_use_is_a_twelfth_of_52_weeks() -> None:
    assert Need(hours_per_week=12).hours_per_month == 52


def test_only_a_field_without_a_value_takes_the_usual_one() -> None:
    assert needs.first(None, 3) == 3
    assert needs.first(0, 3) == 0


def registry(**models: Any) -> Any:
    found = {
        name: SimpleNamespace(id=name, name=name.upper(), kind="language", **about) for name, about in models.items()
    }
    return SimpleNamespace(spellings={name: name for name in found}, models=found)


def filled(**asked: Any) -> Need:
    need = Need(**{"model": "small", **asked})
    return needs.checked(need, registry(small={"context": 4096}), known("rtx-4090"))


def test_what_the_task_implies_is_filled_in_and_what_is_asked_stays() -> None:
    plain, rule = filled(context=4096), needs.TASKS["chat"]
    assert (plain.model, plain.engine, plain.quant) == ("small", rule["engine"], rule["quant"])
    assert (plain.units, plain.runs_per_month, plain.least_rate) == (rule["units"], rule["runs"], rule["least"])
    assert plain.rented == rule["rented"]
    said = filled(context=1, units=5, runs_per_month=2, least_rate=0.5, rented="spot", engine="vllm", quant="f16")
    assert (said.units, said.runs_per_month, said.least_rate, said.rented) == (5, 2, 0.5, "spot")
    assert (said.engine, said.quant, said.context) == ("vllm", "f16", 1)
    assert filled(engine="vllm", context=1).quant == needs.RULES["usual_quant"]["vllm"]
    assert filled(context=1, own={"RTX-4090": 2}).own == {"rtx-4090": 2}


def test_a_prompt_is_as_long_as_the_model_reads_at_most() -> None:
    assert filled(context=4096).context == 4096
    with pytest.raises(NeedError, match="Context is 4,097 tokens; SMALL reads at most 4,096"):
        filled(context=4097)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"kv_bits": 5}, "it is one of 16, 8, 4"),
        ({"task": "dance"}, "it is one of chat"),
        ({"market": "moon"}, "it is one of us, eu, uk"),
        ({"model": "smaller"}, "no model here is called “smaller”; the nearest names are small"),
        ({"machines": 2}, "ask for one machine"),
        ({"batch": 0}, "must be at least 1 sequences"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(NeedError, match=says):
        filled(context=1, **asked)


@pytest.mark.parametrize("bits", [4, 8, 16])
def test_a_cache_has_four_eight_or_sixteen_bits(bits: int) -> None:
    assert filled(context=1, kv_bits=bits).kv_bits == bits
