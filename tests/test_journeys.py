"""Seven readers with a question each: on a phone the first screen holds the answer, after few touches and at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import monotonic

import pytest
from browsing import SETTLED, Watch, arrived, until
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

PHONE = 390
MOST_S = 15.0  # from the first touch to the answer, on a machine that has much else to do


class Reader:
    """A reader with a phone: counts the touches, and the seconds from the question to the answer."""

    def __init__(self, page: Page, site: str) -> None:
        self.page, self.site = page, site
        self.touches = 0
        self.began = monotonic()

    def comes_to(self, path: str) -> None:
        self.page.goto(self.site + path)
        self.page.evaluate(SETTLED)
        self.began = monotonic()

    def touches_on(self, what: Locator) -> None:
        what.click()
        self.touches += 1

    def chooses(self, what: Locator, label: str | re.Pattern[str]) -> None:
        options = what.locator("option").all_inner_texts()
        what.select_option(label=next(text for text in options if re.search(label, text)))
        self.touches += 1

    def types(self, what: Locator, text: str) -> None:
        what.fill(text)
        self.touches += 1

    def reads(self, answer: Locator, says: str | re.Pattern[str], most: int) -> None:
        """The answer stands on the screen without scrolling, after at most so many touches."""
        expect(answer).to_contain_text(says)
        expect(answer).to_be_in_viewport(ratio=0.5)
        assert self.touches <= most
        assert monotonic() - self.began < MOST_S


@pytest.fixture
def reader(phone: tuple[Page, Watch], site: str) -> Iterator[Reader]:
    """Somebody with a phone who has not been here before."""
    page, watch = phone
    yield Reader(page, site)
    assert watch.complaints == []


def first_choice(page: Page) -> Locator:
    return page.locator(".ga-choice:visible").first.locator("h3")


def test_a_student_with_400_dollars_learns_which_card_to_buy_for_an_8_b_model(reader: Reader) -> None:
    page = reader.page
    reader.comes_to("")
    reader.chooses(page.get_by_label("I want to"), "^chat with$")
    reader.types(page.get_by_label("with", exact=True), "400")
    reader.touches_on(page.get_by_role("button", name="Show the GPU"))
    arrived(page, "**/choose/?*")
    reader.reads(first_choice(page), re.compile(r"^\s*Buy\s"), most=3)


def test_who_wants_to_fine_tune_once_learns_what_to_rent(reader: Reader) -> None:
    page = reader.page
    reader.comes_to("")
    reader.touches_on(page.get_by_role("button", name="Show the GPU"))
    arrived(page, "**/choose/?*")
    reader.reads(first_choice(page), re.compile(r"^\s*Rent\s"), most=1)
    expect(page.locator(".ga-choice:visible").first.locator(".ga-choice-cost")).to_be_in_viewport()


def test_a_lab_that_serves_four_people_a_70_b_model_learns_how_many_cards_and_why(reader: Reader) -> None:
    page = reader.page
    reader.comes_to("")
    pick = page.locator("#picks ~ .ga-picks li", has_text="Four people, one 70 B model")
    expect(pick).to_contain_text(re.compile(r"\d × "))
    reader.touches_on(pick.get_by_role("link").first)
    arrived(page, "**/guide/picks/*/")
    reader.reads(page.locator(".ga-lede"), re.compile(r"\d × .* tokens/s"), most=1)


def test_who_comes_from_a_search_engine_for_3090_vs_4090_reads_the_verdict_with_money_in_it(reader: Reader) -> None:
    reader.comes_to("compare/rtx-3090-vs-rtx-4090/")
    verdict = reader.page.locator(".ga-lede")
    reader.reads(verdict, re.compile(r"answers 1\.\d× as fast \(measured\) and costs \d\.\d× as much"), most=0)


def test_who_uses_a_keyboard_and_a_screen_reader_finds_a_card_and_hears_what_is_what(reader: Reader) -> None:
    page = reader.page
    reader.comes_to("")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to content")
    page.keyboard.press("Enter")
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.locator("#home-q:focus").count():
            break
    expect(page.get_by_role("combobox", name="Name of a GPU")).to_be_focused()
    page.keyboard.type("4090")
    expect(page.locator(".ga-suggest [role=option]").first).to_have_text("NVIDIA GeForce RTX 4090")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    arrived(page, "**/gpus/nvidia-geforce-rtx-4090/")
    reader.reads(page.get_by_role("heading", level=1), "NVIDIA GeForce RTX 4090", most=0)
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page.get_by_role("navigation", name="On this page")).to_have_count(1)
    expect(page.get_by_role("link", name="Source of Memory", exact=True).first).to_have_count(1)


def test_who_makes_images_learns_which_card_draws_them(reader: Reader) -> None:
    page = reader.page
    reader.comes_to("choose/")
    reader.chooses(page.locator("form[data-choose] select").first, "generate images")
    until(page, "() => /task=/.test(location.search)")
    reader.reads(page.locator(".ga-choice:visible").first, re.compile("steps/s|images/"), most=1)


def test_who_lives_in_europe_sees_euros_with_tax_here_and_on_the_next_page(reader: Reader) -> None:
    page = reader.page
    reader.comes_to("gpus/nvidia-geforce-rtx-5090/")
    reader.chooses(page.get_by_label("Prices for"), "^EU")
    bought = page.locator(".ga-keys > div", has_text="To buy")
    reader.reads(bought.locator(".ga-market--eu:visible").first, re.compile("€|euro", re.IGNORECASE), most=1)
    reader.comes_to("compare/rtx-4090-vs-rtx-5090/")
    expect(page.locator(".ga-compare .ga-market--eu:visible", has_text="€").first).to_be_visible()
