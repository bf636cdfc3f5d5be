"""The chooser's page in a real browser: its first answer, changes, the address, own cards, copying, keyboard."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import View, Watch, barriers, opened
from playwright.sync_api import Browser, Locator, Page, Route, expect
from samples import committed
from sampling import Some

from pipeline.advise.choose import browser_parts, choose, parse
from pipeline.advise.choose.questions import questions
from pipeline.advise.picks import QUESTIONS
from pipeline.core.paths import ROOT
from pipeline.site.pages import choose as page_of

pytestmark = pytest.mark.browser

CHOOSE = "choose/"
QUIET_32B = f"{CHOOSE}?task=chat&model=qwen2.5-32b-instruct&quant=q4_k_m&budget_usd=1500&quiet=yes&prefer=buy"
NOTHING = f"{CHOOSE}?task=serve&model=llama-3.1-405b-instruct&budget_usd=500&prefer=buy"


def answer_of(page: Page) -> Locator:
    return page.locator("[data-choose-answer]")


def first_of(page: Page) -> Locator:
    return answer_of(page).locator("article h3").first


def complete(page: Page) -> str:
    """The text of the answer once it stands; that of an address comes after the page's own."""
    if urlsplit(page.url).query:
        expect(page.locator("[data-choose-status]")).not_to_be_empty()
    return answer_of(page).inner_text()


def test_the_browser_gives_the_answer_that_the_page_was_built_with(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    built = complete(page)
    picture = answer_of(page).locator("svg").inner_html()
    budget = page.get_by_label("with", exact=True)
    first = budget.input_value()
    budget.fill("801")
    expect(page).to_have_url(re.compile("budget_usd=801"))
    expect(answer_of(page)).to_contain_text("budget_usd=801")
    budget.fill(first)
    expect(answer_of(page)).to_contain_text(f"budget_usd={first}")
    assert complete(page) == built
    assert answer_of(page).locator("svg").inner_html() == picture
    expect(page).to_have_url(site + CHOOSE)


def test_home_page_picks_form_and_command_give_one_answer_to_one_question(
    desk: tuple[Page, Watch], site: str, some: Some
) -> None:
    page, _ = desk
    for question in some((question for question in QUESTIONS if question.home), 1):
        command = choose(committed(), parse(question.asked)).first
        assert command is not None
        card = re.compile(rf"/gpus/{command.gpu}/$")
        page.goto(site)
        told = page.locator(f"li:has(a[href$='picks/{question.id}/']) .ga-market--us .ga-pick")
        expect(told.locator("strong a")).to_have_attribute("href", card)
        assert ("rented at" in told.inner_text()) == (command.way == "rent")
        page.goto(f"{site}guide/picks/")
        reasons = page.locator(f"#{question.id} + * .ga-market--us")
        price = re.compile(rf"/gpus/{command.gpu}/(#prices)?$")
        expect(reasons.locator("a[href*='/gpus/']").first).to_have_attribute("href", price)
        page.goto(site + question.address)
        complete(page)
        expect(first_of(page)).to_have_text(f"{'Rent' if command.way == 'rent' else 'Buy'} {command.name}")


def test_a_change_ranks_anew_and_stands_in_the_address_which_restores_it(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    before = complete(page)
    page.get_by_label("Model", exact=True).select_option("llama-3.3-70b-instruct")
    page.get_by_label("with", exact=True).fill("6000")
    page.get_by_label("Buy or rent").select_option("buy")
    page.get_by_text("More: context").click()
    page.get_by_label("Software").select_option("no-nvidia")
    expect(page.locator("[data-set]")).to_have_text("Set: Software no NVIDIA")
    expect(answer_of(page)).to_contain_text("runs_on=no-nvidia")
    expect(first_of(page)).not_to_contain_text("NVIDIA")
    after = complete(page)
    assert after != before
    expect(page).to_have_url(re.compile("runs_on=no-nvidia"))
    asked = parse_qs(urlsplit(page.url).query)
    assert asked["runs_on"] == ["no-nvidia"] and asked["budget_usd"] == ["6000"] and "units" not in asked
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(answer_of(page)).to_contain_text("runs_on=no-nvidia")
    assert complete(page) == after


@pytest.mark.full
def test_a_change_made_before_the_script_came_is_kept_and_answered(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    late: list[Route] = []

    def wait(route: Route) -> None:
        late.append(route)

    page.route("**/choose-page.js", wait)
    page.goto(site + CHOOSE, wait_until="domcontentloaded")
    page.get_by_label("I want to").select_option("qlora")
    expect(page.locator("form[data-choose]")).not_to_have_attribute("data-ready", "yes")
    late[0].continue_()
    expect(answer_of(page)).to_contain_text("task=qlora")
    expect(page).to_have_url(re.compile("task=qlora"))
    expect(page.locator("[data-run-fields]")).to_be_visible()


@pytest.mark.full
def test_the_readers_own_price_and_cards_count_and_can_be_taken_back(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + QUIET_32B)
    before = complete(page)
    page.get_by_text("Cards you own, or a better price").click()
    page.locator("[data-own-way]").select_option("own_prices")
    page.get_by_label("GPU", exact=True).fill("RTX 3090")
    page.locator("[data-own-usd]").fill("200")
    page.get_by_role("button", name="Use this").click()
    expect(first_of(page)).to_contain_text("RTX 3090")
    expect(answer_of(page)).to_contain_text("your price")
    page.get_by_role("button", name="Take back").first.click()
    expect(answer_of(page)).not_to_contain_text("your price")
    assert complete(page) == before
    page.locator("[data-own-way]").select_option("own")
    page.get_by_label("GPU", exact=True).fill("rtx 3090")
    page.get_by_label("GPU", exact=True).press("Enter")
    expect(first_of(page)).to_contain_text("RTX 3090")
    expect(page).to_have_url(re.compile("own=nvidia-geforce-rtx-3090"))


def test_a_price_is_typed_over_from_a_choice(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + QUIET_32B)
    complete(page)
    page.locator(".ga-choice summary").first.click()
    page.get_by_role("button", name="type your own price").first.click()
    expect(page.locator("[data-own-usd]")).to_be_focused()
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(answer_of(page)).to_contain_text("your price")


def test_an_unknown_card_or_number_is_told_beside_the_field(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    page.get_by_text("Cards you own, or a better price").click()
    page.get_by_label("GPU", exact=True).fill("<b>zzz")
    page.get_by_role("button", name="Use this").click()
    expect(page.locator("[data-own-says]")).to_have_text("No GPU is called “<b>zzz”. Choose one of the list.")
    page.get_by_label("GPU", exact=True).fill("RTX 3090")
    page.locator("[data-own-usd]").fill("-4")
    page.get_by_role("button", name="Use this").click()
    expect(page.locator("[data-own-says]")).to_have_text("Type a number.")


@pytest.mark.full
def test_the_whole_answer_is_copied_as_text(browser: Browser, site: str) -> None:
    context, page, watch = opened(browser)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(site + QUIET_32B)
    complete(page)
    page.get_by_role("button", name="Copy the answer as text").click()
    expect(page.locator("[data-choose-copied]")).to_have_text("Copied.")
    text = page.evaluate("navigator.clipboard.readText()")
    assert all(part in text for part in ("Cheapest that does it well", "Why:", "Speed:", "Cost:", page.url))
    context.close()
    assert watch.complaints == []


def test_a_need_that_nothing_meets_names_ways_out(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + NOTHING)
    expect(page.locator("#nothing")).to_have_text(
        re.compile("^Nothing meets the need; for example, .+ to buy: .+ too little$")
    )
    ways = answer_of(page).locator("#nothing ~ ul li")
    expect(ways.first).to_contain_text(re.compile("a month"))
    expect(answer_of(page).locator("article")).to_have_count(0)
    expect(answer_of(page).locator("svg")).to_be_hidden()


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("budget_usd=-800", "Your budget is -800; it must be at least 1 USD"),
        ("budget_usd=1.500", "which can be read in two ways; write 1500 or 1.5"),
        ("hours_per_week=0", "Use is 0; it must be at least 0.1 hours"),
        ("context=99999999", "Context is 99,999,999 tokens; Llama 3.1 8B Instruct reads at most 131,072"),
        ("model=llama3.1-8b-instrukt", "the nearest names are llama-3.1-8b-instruct, "),
        ("task=dance", "The task is “dance”; it is one of chat"),
        ("max_gpus=1000000", "GPUs at most is 1,000,000; it must be at most 8 GPUs"),
    ],
)
def test_a_silly_question_gets_one_clear_sentence(
    desk: tuple[Page, Watch], site: str, query: str, sentence: str
) -> None:
    page, _ = desk
    page.goto(f"{site}{CHOOSE}?{query}")
    expect(page.locator("[data-choose-refused]")).to_contain_text(sentence)
    expect(answer_of(page)).to_be_hidden()


@pytest.mark.full
def test_the_question_is_asked_with_the_keyboard_alone(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    page.get_by_label("I want to").focus()
    page.keyboard.type("serve")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("600")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")  # to "bought"; letters typed fast are joined by the clock
    expect(first_of(page)).to_contain_text(re.compile("^Buy"))
    expect(answer_of(page)).to_contain_text("task=serve")
    expect(page.locator("[data-choose-status]")).to_contain_text("Buy ")


def test_the_switch_in_the_header_is_a_part_of_the_question(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + QUIET_32B)
    complete(page)
    page.locator("form[data-markets] select").select_option("eu")
    expect(answer_of(page)).to_contain_text("1 EUR = 1.1699 dollars on 2026-08-21")
    expect(answer_of(page)).to_contain_text("prices to buy: Europe, in EUR with sales tax")
    page.get_by_label("with", exact=True).fill("1.500")  # as Europe writes it
    expect(answer_of(page)).to_contain_text("market=eu")
    expect(answer_of(page)).to_contain_text("budget_usd=1500")
    expect(answer_of(page).locator("article").first).to_contain_text("€")
    expect(page).to_have_url(re.compile("market=eu"))
    expect(page.locator("form[data-choose]")).to_contain_text("euros")
    asked = page.url
    page.goto(site + CHOOSE + "?market=us")
    page.goto(asked)
    expect(answer_of(page)).to_contain_text("market=eu")


def test_a_reader_of_another_market_never_sees_the_answer_of_the_first(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/choose/data.json", hold)
    with page.expect_request("**/choose/data.json"):
        page.goto(f"{site}{CHOOSE}?market=uk")
    expect(answer_of(page)).to_have_css("visibility", "hidden")
    while not held:
        page.wait_for_timeout(50)
    for route in held:
        route.continue_()
    expect(answer_of(page)).to_have_css("visibility", "visible")
    expect(answer_of(page).locator("article").first).to_contain_text("£")


@pytest.mark.full
def test_why_the_others_lost_is_told_when_the_list_is_opened(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + QUIET_32B)
    complete(page)
    summary = answer_of(page).locator("[data-lost] summary")
    others = int((re.search(r"\d+", summary.inner_text()) or [""])[0])
    summary.click()
    expect(answer_of(page).locator("[data-lost] tbody tr")).to_have_count(others)


def test_without_javascript_the_first_answer_and_the_questions_read(browser: Browser, site: str) -> None:
    context, page, _ = opened(browser, 390, java_script_enabled=False)
    page.goto(site + CHOOSE)
    expect(page.locator("form[data-choose]")).to_be_hidden()
    expect(first_of(page)).to_be_visible()
    assert answer_of(page).locator("article").count() == 3
    expect(answer_of(page).locator("svg")).to_be_visible()
    expect(page.get_by_text("Any other question needs JavaScript")).to_be_visible()
    assert page.locator(".ga-questions li").count() == sum(question.ready for question in questions())
    answer_of(page).locator("[data-lost] summary").click()
    expect(answer_of(page).locator("[data-lost] tbody tr").first).to_be_visible()
    context.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize("path", [CHOOSE, QUIET_32B, NOTHING, f"{CHOOSE}?budget_usd=-1"])
@pytest.mark.parametrize("view", [View(390, "light"), View(390, "dark")], ids=str, indirect=True)
def test_an_answer_of_each_kind_fits_a_phone_and_has_no_barrier(view: tuple[Page, Watch], site: str, path: str) -> None:
    page, _ = view
    page.goto(site + path)
    if path != CHOOSE:
        expect(page.locator("[data-choose-status]")).not_to_be_empty()
    for opener in page.locator("form details summary, .ga-choice details summary").all():
        if opener.is_visible():
            opener.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert barriers(page) == []


@pytest.mark.full
def test_a_ready_made_question_is_answered_in_place_and_the_back_button_leads_back(
    desk: tuple[Page, Watch], site: str
) -> None:
    page, _ = desk
    page.goto(site)
    page.wait_for_load_state("networkidle")
    page.evaluate("window.stayed = true")
    page.locator(".md-tabs").get_by_role("link", name="Choose").click()
    first = complete(page)
    expect(page.locator("form[data-choose]")).to_have_attribute("data-ready", "yes")
    page.get_by_role("link", name="A 32 B model without NVIDIA").click()
    expect(answer_of(page)).to_contain_text("runs_on=no-nvidia")
    without = complete(page)
    assert parse_qs(urlsplit(page.url).query)["runs_on"] == ["no-nvidia"]
    page.get_by_role("link", name="Train image networks every night").click()
    expect(answer_of(page)).to_contain_text("task=cnn")
    page.go_back()
    expect(answer_of(page)).to_contain_text("runs_on=no-nvidia")
    assert complete(page) == without
    page.go_back()
    expect(answer_of(page)).not_to_contain_text("runs_on=no-nvidia")
    assert complete(page) == first
    assert page.evaluate("window.stayed") is True


def test_the_page_asks_what_its_first_question_says(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    assert page.get_by_label("I want to").input_value() == page_of.FIRST.task
    assert page.get_by_label("with", exact=True).input_value() == f"{page_of.FIRST.budget_usd:.0f}"


@pytest.mark.full
def test_what_only_some_questions_need_is_fetched_when_one_of_them_is_asked(
    desk: tuple[Page, Watch], site: str
) -> None:
    page, watch = desk
    page.goto(site + CHOOSE, wait_until="networkidle")
    page.get_by_label("with", exact=True).fill("900")
    expect(answer_of(page)).to_contain_text("budget_usd=900")
    asked = [name for name in browser_parts(committed()) if any(f"choose/{name}.json" in url for url in watch.requests)]
    assert asked == []
    page.get_by_label("I want to").select_option("image")
    expect(answer_of(page)).to_contain_text("task=image")
    assert sum("choose/task-image.json" in url for url in watch.requests) == 1


@pytest.mark.full
def test_the_figures_for_another_question_come_when_somebody_enters_the_form(
    desk: tuple[Page, Watch], site: str
) -> None:
    page, watch = desk
    page.goto(site + CHOOSE, wait_until="networkidle")
    assert not [url for url in watch.requests if url.endswith("data.json")]
    with page.expect_request("**/choose/data.json"):
        page.get_by_label("I want to").focus()
    page.get_by_label("I want to").select_option("image")
    expect(answer_of(page)).to_contain_text("task=image")


def test_the_built_scripts_carry_no_comments_and_still_run(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    for script in (ROOT / "docs" / "javascripts").glob("*.js"):
        text = page.request.get(f"{site}javascripts/{script.name}").text()
        assert text.count("\n") < script.read_text(encoding="utf-8").count("\n")
        assert not re.search(r"^\s*(//|/\*\*)", text, re.M), script.name
