"""The picks follow the data: the chooser's own answers, dated, and another price makes another pick."""

from __future__ import annotations

import csv
import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from browsing import Watch, opened
from playwright.sync_api import Browser, Page, expect

from pipeline import picks as rule
from pipeline.choose import NeedError, choose, parse
from pipeline.choose.judge import options
from pipeline.choose.need import checked
from pipeline.choose.shelf import shelf
from pipeline.dataset import Dataset
from pipeline.pages import picks as page
from pipeline.paths import DATA
from pipeline.picks import QUESTIONS, TIERS, Picks, machine, paid, picks


@cache
def real() -> tuple[Dataset, Picks]:
    dataset = Dataset.load()
    return dataset, picks(dataset)


def with_price(folder: Path, gpu: str, usd: float) -> Dataset:
    """A copy of the tables in which every price to buy this GPU is another one."""
    shutil.copytree(DATA.clean, folder, dirs_exist_ok=True)
    path = folder / "prices.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["gpu"] == gpu and row["usd_per_unit"]:
            row["usd_per_unit"] = str(usd)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return Dataset.load(folder)


def test_each_tier_has_its_questions_and_each_question_a_tier_and_a_name_of_its_own() -> None:
    assert {question.tier for question in QUESTIONS} == {tier.id for tier in TIERS}
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)
    assert 5 <= sum(question.home for question in QUESTIONS) <= 6


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_the_chooser_opens_with_the_question_that_was_answered(question: rule.Question) -> None:
    path, _, words = question.address.partition("?")
    asked = dict(parse_qsl(words, strict_parsing=True))
    assert (path, parse(asked)) == ("choose/", parse(question.asked))
    with pytest.raises(NeedError, match="nothing that can be asked"):
        parse({**asked, "budget": "1"})


def test_every_question_has_a_pick_with_a_date_a_reason_and_a_turning_point() -> None:
    dataset, found = real()
    for pick in found.picks:
        shown = page.line(pick)
        assert shown.pick is not None, pick.question.id
        assert "2025-11" < shown.pick.date <= dataset.newest_reading
        assert shown.decides
        assert shown.runner_up is None or shown.gives_up or shown.same_cost
        assert shown.flip is not None, pick.question.id


def test_a_pick_is_the_recommenders_answer() -> None:
    dataset, found = real()
    for pick in found.picks[::5]:
        assert pick.answer == choose(dataset, parse(pick.question.asked))


def test_a_price_above_the_turning_point_makes_another_pick(tmp_path: Path) -> None:
    _, found = real()
    pick = next(p for p in found.picks if p.question.id == "chat-32b")
    flip, first = pick.answer.flip, pick.answer.first
    assert flip is not None
    assert first is not None
    for usd, stays in ((flip.threshold - 1, True), (flip.threshold + 1, False)):
        other = with_price(tmp_path, flip.gpu, usd)
        again = choose(other, parse(pick.question.asked)).first
        assert again is not None
        assert (again.gpu.id == first.gpu.id) is stays
        assert stays or f"{again.name} to {again.way}" == flip.then


def test_a_tiers_machine_meets_each_of_its_questions_and_is_the_cheapest_that_does(tmp_path: Path) -> None:
    dataset, found = real()
    for made in found.machines:
        assert made.first is not None
        for question in made.questions:
            need = replace(parse(question.asked), **rule.BOUGHT)  # type: ignore[arg-type]
            assert made.first.gpu.id in {option.gpu.id for option in choose(dataset, need).ranked}
        assert made.runner_up is None or paid(made.first) <= paid(made.runner_up)
    light = found.machines[0]
    assert light.first is not None
    assert light.runner_up is not None
    dearer = machine(with_price(tmp_path, light.first.gpu.id, (light.flips_above or 0) + 1), light.tier)
    assert dearer.first is not None
    assert dearer.first.gpu.id == light.runner_up.gpu.id


def test_a_tiers_machine_costs_the_least_of_all_that_meet_its_questions_in_any_count() -> None:
    dataset, found = real()
    on = shelf(dataset)
    for made in found.machines:
        meeting: list[dict[str, float]] = []
        for question in made.questions:
            need = checked(replace(parse(question.asked), **rule.BOUGHT), on.registry, dataset)  # type: ignore[arg-type]
            meeting.append({option.name: paid(option) for option in options(on, need) if option.meets})
        costs = {name: cost for name, cost in meeting[0].items() if all(name in other for other in meeting)}
        assert made.first is not None
        assert (made.first.name, paid(made.first)) == min(costs.items(), key=lambda item: item[1])


def test_a_pick_that_may_come_too_late_or_be_too_slow_names_one_that_will_not() -> None:
    _, found = real()
    lines = {pick.question.id: page.line(pick) for pick in found.picks}
    unsafe = [id for id, line in lines.items() if not line.safe]
    assert any("slow end" in caveat for id in unsafe for caveat in lines[id].caveats)
    for pick in found.picks:
        line = lines[pick.question.id]
        assert line.safe == (not any("slow end" in caveat for caveat in line.caveats)), pick.question.id
        if line.sure is not None:
            assert pick.sure is not None
            assert not any("slow end" in caveat for caveat in pick.sure.caveats)


def test_each_question_says_why_the_cards_that_readers_expect_are_not_the_pick() -> None:
    dataset, found = real()
    for pick in found.picks:
        named = page.why_not(dataset, pick)
        shown = [(o.gpu.id, o.count) for o in (pick.answer.first, pick.runner_up) if o]
        assert pick.question.expected
        assert len(named) == len([one for one in pick.question.expected if one not in shown]), "one is not offered"
        assert all(other.why and "type yours" not in other.why for other in named), pick.question.id
    serve = next(pick for pick in found.picks if pick.question.id == "serve-70b")
    assert "memory too little" in next(o.why for o in page.why_not(dataset, serve) if o.name == "2 × GeForce RTX 3090")


def test_a_card_that_nobody_offers_is_no_card_that_readers_expect() -> None:
    dataset, found = real()
    question = replace(found.picks[0].question, expected=(("nvidia-geforce-rtx-3090", 3),))
    assert rule.expected(dataset, replace(found.picks[0], question=question)) == []


def test_a_cent_more_is_said_to_be_the_same_cost() -> None:
    dataset, found = real()
    (made,) = page.pages(dataset)
    assert "0.00 dollars" not in made.text()
    for pick in found.picks:
        first, other, line = pick.answer.first, pick.runner_up, page.line(pick)
        if first is not None and other is not None and pick.answer.need.ranked_by == "cheapest":
            close = abs((other.total_usd or 0) / (first.total_usd or 1) - 1) < page.SAME
            assert line.same_cost is close
            assert ("dollars more" in line.gives_up) is not close


def test_where_several_cards_are_the_pick_one_machine_without_a_price_is_named() -> None:
    _, found = real()
    for pick in found.picks:
        first, line = pick.answer.first, page.line(pick)
        assert first is not None
        assert first.count > 1 or not line.in_one
    several = next(pick for pick in found.picks if pick.question.id == "chat-120b")
    assert all(below > 1000 for _, below in several.in_one)
    assert [option.count for option, _ in several.in_one] == [1] * len(several.in_one) != []


def test_questions_that_nothing_meets_are_said_so_with_the_nearest_way_out() -> None:
    dataset, _ = real()
    asked = {**QUESTIONS[0].asked, "budget_usd": "20"}
    shown = page.line(rule.Pick(replace(QUESTIONS[0], asked=asked), choose(dataset, parse(asked))))
    assert (shown.pick, shown.runner_up) == (None, None)
    assert shown.way_out


def test_the_picks_of_a_dataset_are_worked_out_once() -> None:
    dataset, found = real()
    assert picks(dataset) is found


def test_the_page_names_each_pick_its_price_its_date_and_where_to_ask_it_again() -> None:
    dataset, found = real()
    (made,) = page.pages(dataset)
    text = made.text()
    for pick in found.picks:
        shown = page.line(pick).pick
        assert shown is not None
        assert f'<h3 id="{pick.question.id}">' in text
        assert f"../../{pick.question.address.replace('&', '&amp;')}" in text
        assert f"gpus/{shown.gpu}/" in text
        assert shown.seen in text


@pytest.mark.browser
@pytest.mark.parametrize("id", ["chat-8b", "cnn-nightly", "full-7b"])
def test_the_link_of_a_pick_leads_to_the_same_pick_in_the_chooser(desk: tuple[Page, Watch], site: str, id: str) -> None:
    page_, _ = desk
    page_.goto(f"{site}guide/picks/")
    pick = next(p for p in real()[1].picks if p.question.id == id).answer.first
    assert pick is not None
    page_.locator(f"#{id} + dl").get_by_role("link", name="Open this question in the chooser").click()
    verb = "Rent" if pick.way == "rent" else "Buy"
    expect(page_.locator("[data-choose-answer] h2").first).to_have_text(f"{verb} {pick.name}")


@pytest.mark.browser
def test_the_sentence_of_the_first_page_leads_to_its_answer(desk: tuple[Page, Watch], site: str) -> None:
    page_, _ = desk
    page_.goto(site)
    page_.locator("#home-task").select_option("chat")
    page_.locator("#home-budget").fill("300")
    page_.get_by_role("button", name="Show the GPU").click()
    expect(page_).to_have_url(re.compile(r"choose/\?task=chat&model=llama-3\.1-8b-instruct&budget_usd=300$"))
    expect(page_.locator("#choose-budget")).to_have_value("300")


@pytest.mark.browser
def test_the_first_screen_of_a_phone_holds_the_doors(browser: Browser, site: str) -> None:
    context, page_, _ = opened(browser, 390)
    page_.goto(site)
    for name in ("Show the GPU", "Look up", "Compare"):
        box = page_.get_by_role("button", name=name, exact=True).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 844, name
    context.close()
