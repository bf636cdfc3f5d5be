"""The chooser's page in a real browser: its first answer, changes, the address, own prices, copying, keyboard."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import Watch, barriers, opened
from playwright.sync_api import Browser, Locator, Page, Route, expect

pytestmark = pytest.mark.browser

CHOOSE = "choose/"
QUIET_32B = f"{CHOOSE}?task=chat&model=qwen2.5-32b-instruct&quant=q4_k_m&budget_usd=1500&quiet=yes&prefer=buy"
NOTHING = f"{CHOOSE}?task=serve&model=llama-3.1-405b-instruct&budget_usd=500&prefer=buy"


def answer_of(page: Page) -> Locator:
    return page.locator("[data-choose-answer]")


def complete(page: Page) -> str:
    """The text of the answer once its last list stands; that of an address comes after the page's own."""
    if urlsplit(page.url).query:
        expect(page.locator("[data-choose-status]")).not_to_be_empty()
    expect(answer_of(page).locator("#ranking + div .ga-table, #ways-out + div ul")).to_be_visible()
    return answer_of(page).inner_text()


def test_the_browser_gives_the_answer_that_the_page_was_built_with(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    built = complete(page)
    budget = page.get_by_label("with", exact=True)
    first = budget.input_value()
    budget.fill("801")
    expect(page).to_have_url(re.compile("budget_usd=801"))
    expect(answer_of(page)).to_contain_text("budget_usd=801")
    budget.fill(first)
    expect(answer_of(page)).to_contain_text(f"budget_usd={first}")
    assert complete(page) == built
    expect(page).to_have_url(site + CHOOSE)


def test_a_change_ranks_anew_and_stands_in_the_address_which_restores_it(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    before = complete(page)
    page.get_by_label("I want to").select_option("chat")
    page.get_by_label("Model", exact=True).select_option("llama-3.3-70b-instruct")
    expect(page.locator("[data-run]")).to_be_hidden()
    page.get_by_label("with", exact=True).fill("6000")
    page.get_by_label("Buy or rent").select_option("buy")
    page.get_by_text("More: context").click()
    page.get_by_label("Software").select_option("no-nvidia")
    expect(page.locator("[data-set]")).to_have_text("Set: Software no NVIDIA")
    expect(answer_of(page).locator("#pick")).not_to_contain_text("NVIDIA")
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
    expect(page.locator("[data-set]")).to_have_text("Set: Software no NVIDIA")


def test_a_change_made_before_the_script_came_is_kept_and_answered(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    late: list[Route] = []

    def wait(route: Route) -> None:
        late.append(route)

    page.route("**/choose-page.js", wait)
    page.goto(site + CHOOSE, wait_until="domcontentloaded")
    page.get_by_label("I want to").select_option("chat")
    expect(page.locator("form[data-choose]")).not_to_have_attribute("data-ready", "yes")
    late[0].continue_()
    expect(answer_of(page)).to_contain_text("task=chat")
    expect(page).to_have_url(re.compile("task=chat"))
    expect(page.locator("[data-run]")).to_be_hidden()


def test_the_readers_own_price_ranks_anew_and_can_be_taken_back(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + QUIET_32B)
    before = complete(page)
    page.get_by_text("Know a better price?").click()
    page.get_by_label("GPU", exact=True).fill("RTX 5090")
    page.get_by_label("for", exact=True).fill("250")
    page.get_by_role("button", name="Use this price").click()
    page.locator("details[data-own] input[data-own-gpu]").fill("RTX 4090")
    page.get_by_label("for", exact=True).fill("200")
    page.get_by_label("for", exact=True).press("Enter")
    page.get_by_text("More: context").click()
    page.get_by_label("Quiet").select_option("")
    expect(answer_of(page).locator("#pick")).to_contain_text("RTX 4090")
    expect(answer_of(page)).to_contain_text("your price")
    expect(page).to_have_url(re.compile("own_prices="))
    for _ in range(2):
        page.get_by_role("button", name="Take back").first.click()
    page.get_by_label("Quiet").select_option("yes")
    expect(answer_of(page)).to_contain_text("quiet=yes")
    expect(answer_of(page)).not_to_contain_text("your price")
    assert complete(page) == before


def test_a_card_without_a_price_of_today_asks_for_the_readers(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + QUIET_32B)
    complete(page)
    button = answer_of(page).locator("#unpriced + ul .ga-own-set").first
    name = button.get_attribute("data-gpu") or ""
    button.click()
    expect(page.get_by_label("for", exact=True)).to_be_focused()
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(answer_of(page).locator("#pick")).to_contain_text(name)


def test_an_unknown_card_or_price_is_told_beside_the_field(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    page.get_by_text("Know a better price?").click()
    page.get_by_label("GPU", exact=True).fill("<b>zzz")
    page.get_by_role("button", name="Use this price").click()
    expect(page.locator("[data-own-says]")).to_have_text("No GPU is called “<b>zzz”. Choose one of the list.")
    page.get_by_label("GPU", exact=True).fill("RTX 3090")
    page.get_by_label("for", exact=True).fill("-4")
    page.get_by_role("button", name="Use this price").click()
    expect(page.locator("[data-own-says]")).to_have_text("Type the price in dollars.")


def test_the_whole_answer_is_copied_as_text(browser: Browser, site: str) -> None:
    context, page, watch = opened(browser)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(site + QUIET_32B)
    complete(page)
    page.get_by_role("button", name="Copy the answer as text").click()
    expect(page.locator("[data-choose-copied]")).to_have_text("Copied.")
    text = page.evaluate("navigator.clipboard.readText()")
    pick = answer_of(page).locator("#pick a").inner_text()
    assert f"Pick: {pick} to " in text
    assert all(part in text for part in ("What decides:", "Alternatives:", "Turns:", "Why others lost:", page.url))
    context.close()
    assert watch.complaints == []


def test_a_need_that_nothing_meets_says_by_how_much_and_names_ways_out(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + NOTHING)
    expect(answer_of(page).locator("#pick")).to_have_text("Nothing meets the need")
    expect(answer_of(page)).to_contain_text(re.compile(r"[\d,]+ dollars over the budget"))
    ways = answer_of(page).locator("#ways-out + div li")
    expect(ways.first).to_contain_text(re.compile("^(?!pay ).* to (buy|rent); "))
    expect(ways.last).to_contain_text(re.compile("^pay [0-9,]+ dollars more than the budget"))


@pytest.mark.parametrize(("query", "sentence"), [
    ("budget_usd=-800", "Your budget is -800; it must be at least 1 USD"),
    ("budget_usd=lots", "Your budget is 'lots'; it must be a number"),
    ("hours_per_week=0", "Use is 0; it must be at least 0.1 hours"),
    ("context=99999999", "Context is 99,999,999 tokens; Llama 3.1 8B Instruct reads at most 131,072"),
    ("model=llama3.1-8b-instrukt", "unknown model 'llama3.1-8b-instrukt'; did you mean llama-3.1-8b-instruct, "),
    ("task=dance", "task is 'dance'; it is one of chat"),
    ("max_gpus=1000000", "GPUs at most is 1,000,000; it must be at most 8 GPUs"),
])  # fmt: skip
def test_a_silly_question_gets_one_clear_sentence(
    desk: tuple[Page, Watch], site: str, query: str, sentence: str
) -> None:
    page, _ = desk
    page.goto(f"{site}{CHOOSE}?{query}")
    expect(answer_of(page).locator("p.ga-trap")).to_contain_text(sentence)
    expect(answer_of(page).locator("#pick")).to_have_count(0)


def test_the_question_is_asked_with_the_keyboard_alone(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHOOSE)
    complete(page)
    page.get_by_label("I want to").focus()
    page.keyboard.type("chat")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("600")
    for _ in range(2):  # past the currency
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")  # to "bought"; letters typed fast are joined by the clock
    expect(answer_of(page).locator("#pick")).to_contain_text(re.compile("^Buy"))
    expect(page.locator("[data-choose-status]")).to_contain_text("Buy ")


def test_an_answer_in_euros_says_its_rate_and_the_day_of_it(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + QUIET_32B)
    complete(page)
    page.get_by_label("Currency").select_option("EUR")
    expect(answer_of(page).locator("#pick + p b")).to_contain_text(" euros")
    expect(answer_of(page).locator("#pick + p + p")).to_contain_text("1 EUR = 1.1699 dollars on 2026-08-21")
    expect(answer_of(page)).not_to_contain_text("$")
    expect(page.locator("[data-own] [data-money]")).to_have_text("euros")
    expect(page).to_have_url(re.compile("currency=EUR"))
    expect(answer_of(page).locator("code")).to_contain_text("currency=EUR")


def test_what_else_meets_the_need_is_told_when_its_door_is_opened(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(f"{site}{CHOOSE}?task=chat&budget_usd=5000")
    complete(page)
    door = answer_of(page).locator("[data-further]")
    assert answer_of(page).locator("#ranking + div tbody tr").count() == 5
    expect(door.locator("table")).to_have_count(0)
    door.locator("summary").click()
    expect(door.locator("tbody tr")).to_have_count(20)


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
    expect(answer_of(page).locator("#pick a")).to_be_visible()
    expect(page.get_by_text("Any other question needs JavaScript")).to_be_visible()
    assert answer_of(page).locator("#ranking + div tbody tr").count() == 5
    assert page.locator(".ga-questions li").count() == 12
    answer_of(page).locator("[data-lost] summary").click()
    expect(answer_of(page).locator("[data-lost] tbody tr").first).to_be_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_answers_of_every_kind_fit_a_phone_and_have_no_barrier(browser: Browser, site: str, scheme: str) -> None:
    context, page, watch = opened(browser, 390, color_scheme=scheme)
    found = {}
    for path in (CHOOSE, QUIET_32B, NOTHING, f"{CHOOSE}?budget_usd=-1"):
        page.goto(site + path)
        if path != CHOOSE:
            expect(page.locator("[data-choose-status]")).not_to_be_empty()
        for opener in page.locator("form details summary").all():
            opener.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        found[path] = barriers(page)
    context.close()
    assert not any(found.values()), found
    assert watch.complaints == []


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
    page.locator(".ga-questions a").nth(10).click()
    expect(answer_of(page)).to_contain_text("runs_on=no-nvidia")
    eleventh = complete(page)
    assert parse_qs(urlsplit(page.url).query)["runs_on"] == ["no-nvidia"]
    page.locator(".ga-questions a").nth(2).click()
    expect(answer_of(page)).to_contain_text("task=cnn")
    page.go_back()
    expect(answer_of(page)).to_contain_text("runs_on=no-nvidia")
    assert complete(page) == eleventh
    page.go_back()
    expect(answer_of(page)).not_to_contain_text("runs_on=no-nvidia")
    assert complete(page) == first
    assert page.evaluate("window.stayed") is True
