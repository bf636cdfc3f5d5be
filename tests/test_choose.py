from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline import prices
from pipeline.choose import Answer, Need, NeedError, as_json, as_text, choose, currency
from pipeline.choose.flip import with_price
from pipeline.choose.market import to_buy, to_rent
from pipeline.choose.need import LIMITS, OBJECTIVES, PREFER, RUNS_ON, TASKS, USED, parse
from pipeline.choose.questions import QUESTIONS, Question
from pipeline.choose.shelf import shelf
from pipeline.dataset import Dataset, DatasetError, GpuRecord
from pipeline.estimate.models import load

CHAT = Need("chat", "qwen2.5-32b-instruct", "q4_k_m", prefer="buy")


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return Dataset.load()


def first_of(answer: Answer) -> str:
    return "" if answer.first is None else f"{answer.first.name} to {answer.first.way}"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: str(q.number))
def test_each_of_the_twelve_questions_has_an_answer_with_its_reasons(dataset: Dataset, question: Question) -> None:
    answer = choose(dataset, question.need)
    assert answer.first is not None or (answer.nearest and answer.ways_out)
    assert answer.binding.name and answer.binding.text
    assert len(answer.alternatives) == 3
    assert all(other.gives_up for other in answer.alternatives)
    assert len({(o.option.gpu.id, o.option.way) for o in answer.alternatives}) == 3
    assert answer.flip is not None


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: str(q.number))
def test_a_step_across_the_threshold_changes_the_answer_of_each_question(dataset: Dataset, question: Question) -> None:
    answer = choose(dataset, question.need)
    flip = answer.flip
    assert flip is not None
    assert flip.step <= 1.0
    sides = [
        first_of(choose(dataset, with_price(question.need, flip.gpu, flip.way, flip.threshold + step)))
        for step in (-flip.step, flip.step)
    ]
    stays, turns = sides if flip.direction == "above" else reversed(sides)
    assert stays == first_of(answer)
    assert turns == flip.then != stays


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: str(q.number))
def test_a_first_choice_fits_is_in_the_budget_and_has_a_dated_price(dataset: Dataset, question: Question) -> None:
    first = choose(dataset, question.need).first
    if first is None:
        return
    assert first.quote is not None
    assert first.quote.firm and first.quote.date >= "2025-11"
    assert first.ability.room_gib is not None and first.ability.room_gib >= 0
    assert first.ability.rate is not None
    assert first.ability.rate.p10 <= first.ability.rate.median <= first.ability.rate.p90
    if question.need.budget_usd is not None:
        assert first.cost.paid.at(first.price) <= question.need.budget_usd


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: str(q.number))
def test_the_stated_price_makes_an_alternative_or_an_unpriced_card_first(dataset: Dataset, question: Question) -> None:
    answer = choose(dataset, question.need)
    stated = [(a.option, a.wins_below) for a in answer.alternatives if a.wins_below is not None]
    for option, price in [*stated, *answer.unpriced]:
        cheaper = choose(dataset, with_price(question.need, option.gpu.id, option.way, price * 0.999)).first
        assert cheaper is not None
        assert (cheaper.gpu.id, cheaper.way) == (option.gpu.id, option.way)
        dearer = choose(dataset, with_price(question.need, option.gpu.id, option.way, price * 1.001)).first
        assert dearer is None or dearer.key != option.key


def test_the_questions_are_answered_as_an_expert_would(dataset: Dataset) -> None:
    first = {q.number: choose(dataset, q.need).first for q in QUESTIONS}
    one_evening, quiet, student, twenty_four, serving, once = (first[n] for n in (1, 2, 3, 4, 6, 8))
    assert one_evening is not None and one_evening.way == "rent" and (one_evening.total_usd or 99) < 5
    assert quiet is not None and quiet.count == 1 and (quiet.gpu.number("memory_gb") or 0) >= 24
    assert student is not None and (student.gpu.number("board_power_w") or 999) <= 180
    assert twenty_four is None or (twenty_four.gpu.number("memory_gb") or 0) >= 24
    assert serving is not None and serving.way == "rent"
    assert once is not None and once.way == "rent"
    assert first[11] is not None and first[11].gpu.text("vendor") != "NVIDIA"
    assert first[10] is not None and first[10].count * 2 <= 16


def test_an_answer_in_euros_is_that_in_dollars_at_the_dated_rate(dataset: Dataset) -> None:
    euro = currency.load()["EUR"]
    for question in QUESTIONS[:4]:
        amounts = {"budget_usd": (question.need.budget_usd or 0) / euro.usd, "host_usd": 0.0}
        asked = replace(question.need, currency="EUR", electricity_usd_per_kwh=0.2 / euro.usd, **amounts)  # type: ignore[arg-type]
        dollars, euros = choose(dataset, replace(question.need, host_usd=0.0)), choose(dataset, asked)
        assert [o.key for o in euros.ranked] == [o.key for o in dollars.ranked]
        assert first_of(euros) == first_of(dollars)
        for one, other in zip(euros.ranked, dollars.ranked, strict=True):
            assert (one.total_usd or 0) * euro.usd == pytest.approx(other.total_usd)
        assert f"1 EUR = {euro.usd:g} dollars on {euro.date}" in as_text(euros)
        assert " dollars" not in as_text(euros).replace(euro.rate_words, "")
        if dollars.flip:
            assert as_json(euros)["flip"]["threshold"] == pytest.approx(dollars.flip.threshold)


def test_every_currency_has_a_dated_document_and_the_euro_is_that_of_the_prices() -> None:
    rates = currency.load()
    assert list(rates) == ["USD", "EUR", "GBP"]
    for one in list(rates.values())[1:]:
        assert one.url.startswith("https://") and one.source and 0.1 < one.usd < 10
        assert "2026-01-01" < one.date <= "2026-11-21"
    assert (rates["EUR"].usd, rates["EUR"].date) == (prices.EUR.usd, prices.EUR.date)


def test_a_currency_file_without_a_source_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "currencies.yml"
    path.write_text("EUR: {word: euros, sign: E, usd: 1.1, date: 2026-01-01}", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"currencies.yml[\s\S]*source"):
        currency.load(path)


def test_quiet_says_what_it_means_and_that_no_source_states_noise(dataset: Dataset) -> None:
    first = choose(dataset, QUESTIONS[1].need).first
    assert first is not None
    assert any(
        "no source here states how loud it is" in caveat and "at most 360 W" in caveat for caveat in first.caveats
    )
    assert not any(
        "loud" in c for o in choose(dataset, replace(QUESTIONS[1].need, quiet=False)).ranked for c in o.caveats
    )


def test_serving_on_a_makers_cards_that_nobody_measured_says_so(dataset: Dataset) -> None:
    ranked = choose(dataset, QUESTIONS[4].need).ranked
    told = {o.gpu.text("vendor") for o in ranked if "none of these runs used" in o.ability.statement}
    assert "AMD" in told and "NVIDIA" not in told


def test_fitting_without_a_price_never_ranks_until_the_reader_types_one(dataset: Dataset) -> None:
    answer = choose(dataset, CHAT)
    assert all(option.quote is not None and option.quote.firm for option in answer.ranked)
    launch_only = next(
        option for option, why in answer.lost if why.startswith("launch price only") and option.count == 1
    )
    typed = choose(dataset, replace(CHAT, own_prices={launch_only.gpu.id: 10.0}))
    assert typed.first is not None
    assert typed.first.gpu.id == launch_only.gpu.id
    assert typed.first.quote is not None and typed.first.quote.kind == "own"


def test_total_cost_is_lost_value_machine_and_electricity(dataset: Dataset) -> None:
    need = replace(CHAT, own_prices={"nvidia-geforce-rtx-3090": 1000.0}, host_usd=100.0, resale_share=0.25,
                   horizon_months=10, hours_per_week=12, electricity_usd_per_kwh=0.5)  # fmt: skip
    option = next(o for o in choose(dataset, need).ranked if o.gpu.id == "nvidia-geforce-rtx-3090")
    energy = (350 + 100) / 1000 * 12 * 52 / 12 * 0.5
    assert option.count == 1
    assert option.total_usd == pytest.approx((1000 + 100) * 0.75 / 10 + energy)
    assert option.cost.paid.at(1000.0) == pytest.approx(1100)


def test_renting_is_paid_by_the_hour_and_at_least_for_one(dataset: Dataset) -> None:
    need = Need("qlora", "llama-3.1-8b-instruct", units=1e6, prefer="rent", max_gpus=1)
    for option in choose(dataset, need).ranked:
        assert option.cost.run_hours is not None
        assert option.total_usd == pytest.approx(option.price * max(1.0, option.cost.run_hours))


def test_a_card_without_fans_or_bf16_or_support_says_so(dataset: Dataset) -> None:
    reasons = {(o.gpu.id, o.way): why for o, why in choose(dataset, replace(CHAT, prefer="both")).lost}
    assert "server's air flow" in " ".join(reasons.values())
    assert "support ended with CUDA 12.x" in reasons["nvidia-p40", "rent"]
    training = choose(dataset, Need("lora", "llama-3.1-8b-instruct", units=1e6))
    assert any("BF16" in why for _, why in training.lost)


def test_the_ranked_list_holds_the_best_count_of_each_gpu_and_way_in_order(dataset: Dataset) -> None:
    found = choose(dataset, Need("chat", "llama-3.3-70b-instruct", "q4_k_m", prefer="buy")).ranked
    assert len({(option.gpu.id, option.way) for option in found}) == len(found) > 5
    totals = [option.total_usd or 0.0 for option in found]
    assert totals == sorted(totals)


def test_layers_that_lie_whole_on_one_gpu_need_room_for_one(dataset: Dataset) -> None:
    on = shelf(dataset)
    need = Need("chat", "gpt-oss-120b", "mxfp4", context=8192, prefer="buy", max_gpus=4)
    ability = on.ability("nvidia-geforce-rtx-5060-ti-16gb", 4, need)
    assert ability.room_gib is not None and 0 < ability.room_gib < ability.indivisible_gib
    reasons = {option.gpu.id: why for option, why in choose(dataset, need).lost}
    assert "share whole layers out" in reasons["nvidia-geforce-rtx-5060-ti-16gb"]


def test_an_alternative_says_what_it_gives_up_in_numbers(dataset: Dataset) -> None:
    answer = choose(dataset, replace(CHAT, runs_on="cuda"))
    assert answer.first is not None
    for other in answer.alternatives:
        more = (other.option.total_usd or 0) - (answer.first.total_usd or 0)
        assert more <= 0 or f"{more:,.2f} dollars more" in other.gives_up or f"{more:,.0f} dollars" in other.gives_up


def test_nothing_fits_says_by_how_much_and_every_way_out_leads_out(dataset: Dataset) -> None:
    need = Need("chat", "llama-3.3-70b-instruct", "q8_0", context=32768, max_gpus=1, budget_usd=7000, prefer="buy")
    answer = choose(dataset, need)
    assert answer.first is None
    assert all(option.failures for option in answer.nearest)
    assert "GiB of memory too little" in as_text(answer)
    assert len(answer.ways_out) >= 2
    more = next(way for way in answer.ways_out if way.change == "use more GPUs")
    assert choose(dataset, replace(need, max_gpus=8)).first == more.option
    assert "GiB" in answer.offload and "main memory" in answer.offload


def test_lora_in_16_bit_of_8_b_needs_more_than_14_gb(dataset: Dataset) -> None:
    need = Need("lora", "llama-3.1-8b-instruct", units=1e6, max_gpus=1)
    for option in choose(dataset, need).ranked:
        assert (option.gpu.number("memory_gb") or 0) > 14


@pytest.mark.parametrize(
    ("need", "says"),
    [
        (Need(budget_usd=-5), "budget_usd is -5; it must be at least 1 USD"),
        (Need(hours_per_week=0), "hours_per_week is 0; it must be at least 0.1 hours"),
        (Need(hours_per_week=169), "at most 168 hours"),
        (Need(context=10**7), "reads at most 131,072"),
        (Need(model="gpt-99"), "unknown model 'gpt-99'; did you mean"),
        (Need(max_gpus=1_000_000), "max_gpus is 1,000,000; it must be at most 8 GPUs"),
        (Need(budget_usd=math.nan), "budget_usd is nan; it must be a number of USD"),
        (Need(budget_usd=math.inf), "it must be a number"),
        (Need(electricity_usd_per_kwh=-0.1), "at least 0 USD"),
        (Need(batch=1.5), "batch is 1.5; it must be a whole number"),  # type: ignore[arg-type]
        (Need(task="dance"), "task is 'dance'; it is one of chat"),  # type: ignore[arg-type]
        (Need(objective="best"), "objective is 'best'"),  # type: ignore[arg-type]
        (Need(quant="q99"), "unknown quantization"),
        (Need(kv_bits=5), "kv_bits is 5"),
        (Need("cnn", "llama-3.1-8b-instruct"), "no convolutional network"),
        (Need("serve", "resnet-50"), "no language model"),
        (Need("train", deadline_hours=5), "a deadline needs the size of a run"),
        (Need(own_prices={"rtx 9999": 5.0}), "is no GPU of the dataset"),
        (Need(own_prices={"rtx 4090": -1.0}), "own_prices of NVIDIA GeForce RTX 4090 is -1"),
        (Need(own_rents={"rtx 4090": math.nan}), "must be a number"),
    ],
)
def test_silly_input_gets_one_clear_sentence(dataset: Dataset, need: Need, says: str) -> None:
    with pytest.raises(NeedError) as error:
        choose(dataset, need)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_words_of_an_address_make_the_same_need(dataset: Dataset) -> None:
    words = {"task": "serve", "model": "llama-3.1-8b-instruct", "batch": "100", "budget_usd": "1500.5", "quiet": "yes",
             "own_prices": "rtx 4090=1800,rtx-3090=700"}  # fmt: skip
    need = parse(words)
    assert need == Need("serve", "llama-3.1-8b-instruct", batch=100, budget_usd=1500.5, quiet=True,
                        own_prices={"rtx 4090": 1800.0, "rtx-3090": 700.0})  # fmt: skip
    assert parse({}) == Need()
    assert parse({"budget_usd": ""}) == Need()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("budget_usd", "much", "budget_usd is 'much'; it must be a number"),
        ("batch", "2.5", "batch is '2.5'; it must be a whole number"),
        ("quiet", "perhaps", "quiet is 'perhaps'; it is yes or no"),
        ("color", "red", "'color' is nothing that can be asked; known: task, model"),
        ("own_prices", "rtx 4090", "own_prices is 'rtx 4090'; write it as GPU=dollars"),
    ],
)
def test_words_that_are_no_need_get_one_sentence(name: str, value: str, says: str) -> None:
    with pytest.raises(NeedError) as error:
        parse({name: value})
    assert says in str(error.value)


SILLY = st.sampled_from([0.0, -1.0, math.nan, math.inf, 1e30])
LANGUAGE = sorted(name for name, model in load().models.items() if model.is_language)
REAL = Dataset.load()


def some(name: str) -> st.SearchStrategy[float | None]:
    low, high, _ = LIMITS[name]
    return st.none() | st.floats(low, min(high, 1e7))


def sound(task: str) -> st.SearchStrategy[Need]:
    return st.builds(
        Need, task=st.just(task), model=st.just("resnet-50") if task == "cnn" else st.sampled_from(LANGUAGE),
        quant=st.none() | st.sampled_from(["q4_k_m", "int4", "f16", "fp8"]), kv_bits=st.sampled_from([4, 8, 16]),
        context=st.none() | st.integers(1, 4096), batch=st.integers(1, 300), units=st.floats(1, 1e13),
        deadline_hours=some("deadline_hours"), least_rate=some("least_rate"), budget_usd=some("budget_usd"),
        budget_per_month_usd=some("budget_per_month_usd"), max_power_w=some("max_power_w"), psu_w=some("psu_w"),
        slots=some("slots"), length_mm=some("length_mm"), quiet=st.booleans(), rack=st.booleans(),
        max_gpus=st.integers(1, 8), runs_on=st.sampled_from(RUNS_ON), used=st.sampled_from(USED),
        current_software=st.booleans(), min_memory_gb=some("min_memory_gb"), hours_per_week=st.floats(0.1, 168),
        electricity_usd_per_kwh=st.floats(0, 10), resale_share=st.floats(0, 0.99), prefer=st.sampled_from(PREFER),
        objective=st.none() | st.sampled_from(sorted(OBJECTIVES)), host_usd=some("host_usd"),
        horizon_months=st.floats(1, 120),
        own_prices=st.dictionaries(st.sampled_from(["rtx-3090", "rtx-4090", "GB10"]), st.floats(1, 1e5), max_size=2),
    )  # fmt: skip


def answered(need: Need) -> None:
    answer = choose(REAL, need)
    json.dumps(as_json(answer), allow_nan=False)
    words = as_text(answer).split()
    assert not {"nan", "inf", "-inf", "None"} & set(words)
    assert answer.binding.text
    assert answer.first is None or not answer.first.failures


@given(need=st.sampled_from(sorted(TASKS)).flatmap(sound))
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_every_sound_need_ends_in_an_answer_without_nan(need: Need) -> None:
    answered(need)


@pytest.mark.full
@given(need=st.sampled_from(sorted(TASKS)).flatmap(sound))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_many_sound_needs_end_in_an_answer_without_nan(need: Need) -> None:
    answered(need)


@given(need=sound("chat"), name=st.sampled_from(sorted(set(LIMITS))), value=SILLY)
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_a_silly_number_in_any_field_ends_in_a_sentence_or_an_answer(need: Need, name: str, value: float) -> None:
    try:
        answered(replace(need, **{name: value}))  # type: ignore[arg-type]
    except NeedError as error:
        assert name in str(error)


def test_json_carries_price_date_basis_and_the_flip(dataset: Dataset) -> None:
    found = as_json(choose(dataset, CHAT))
    first = found["first"]
    assert first["price_date"] and first["price_kind"] in ("used", "retail")
    assert first["rate_basis"] in ("measured", "estimated")
    assert found["flip"]["threshold"] > first["price_usd"]
    assert found["assumptions"] and found["lost"]


def priced(rows: list[dict[str, str]], **fields: str) -> GpuRecord:
    empty = dict.fromkeys(
        ("usd_per_unit", "usd_per_gpu_hour", "flag", "gpus", "offer", "includes", "provider", "source", "url"), ""
    )
    gpu = {"id": "x-y", "name": "X", "launch_price_usd": "", "launch_date": "", "form_factor": "PCIe card", **fields}
    return GpuRecord(gpu, {}, {}, (), tuple({**empty, **row} for row in rows))


USED_2025 = {"kind": "used", "usd_per_unit": "500", "date": "2025-01", "provider": "shop"}
NEW_2026 = {"kind": "retail", "usd_per_unit": "900", "date": "2026-09", "provider": "shop"}
USED_2026 = {"kind": "used", "usd_per_unit": "600", "date": "2026-09", "provider": "shop"}


def test_a_street_price_is_the_cheaper_fresh_kind_that_is_allowed() -> None:
    gpu = priced([USED_2025, NEW_2026, USED_2026])
    prices = {used: to_buy(gpu, "2026-11-20", used) for used in USED}
    assert {used: quote.usd for used, quote in prices.items() if quote} == {"allowed": 600, "only": 600, "no": 900}


def test_an_old_price_and_a_launch_price_are_shown_but_not_firm() -> None:
    old = to_buy(priced([USED_2025]), "2026-11-20", "allowed")
    assert old is not None and not old.firm and old.kind == "used"
    launch = to_buy(priced([], launch_price_usd="1499", launch_date="2020"), "2026-11-20", "allowed")
    assert launch is not None and not launch.firm and launch.kind == "launch"
    assert to_buy(priced([], launch_price_usd="1499"), "2026-11-20", "only") is None
    assert to_buy(priced([]), "2026-11-20", "allowed") is None


def test_a_flagged_price_does_not_count() -> None:
    flagged = {**USED_2026, "usd_per_unit": "5", "flag": "implausible"}
    quote = to_buy(priced([flagged, NEW_2026]), "2026-11-20", "allowed")
    assert quote is not None and quote.usd == 900


def test_each_provider_counts_once_in_a_rental_price() -> None:
    def offer(provider: str, usd: str, **more: str) -> dict[str, str]:
        row = {"kind": "on_demand", "provider": provider, "usd_per_gpu_hour": usd, "date": "2026-09", "gpus": "1"}
        return {**row, **more}

    many = [offer("Azure", usd) for usd in ("6", "6", "7")]
    rows = [*many, offer("A", "1"), offer("B", "2", gpus="4"), offer("B", "0.1", gpus="0.5"), offer("C", "9", flag="x"),
            offer("D", "1", date="2025-01")]  # fmt: skip
    quote = to_rent(priced(rows), "2026-11-20")
    assert quote is not None
    assert (quote.usd, quote.lowest_usd, quote.providers, quote.most_gpus) == (2, 1, 3, 4)
    assert to_rent(priced([]), "2026-11-20") is None


def test_abilities_are_worked_out_once_for_a_workload(dataset: Dataset) -> None:
    on = shelf(dataset)
    choose(dataset, CHAT)
    known = len(on._abilities)
    assert known > 0
    choose(dataset, replace(CHAT, budget_usd=5000.0, electricity_usd_per_kwh=0.4))
    assert len(on._abilities) == known
    assert shelf(dataset) is on
