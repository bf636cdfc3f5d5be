"""A reader sees one price by market and kind on every page, in the market that was chosen once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pytest
from browsing import Watch, opened, settled, until
from playwright.sync_api import Browser, Page, expect
from samples import committed
from sampling import counts
from test_one_price import CARDS, book, cards

from pipeline.advise.choose import hosts
from pipeline.advise.choose.catalogue import shelf
from pipeline.advise.choose.market import KIND_WORDS, OBSERVED_AS
from pipeline.advise.choose.need import Need
from pipeline.derive.prices import tax
from pipeline.derive.prices.quote import Quote
from pipeline.derive.prices.rules import MARKETS, RENTING, WORDS, Market
from pipeline.editorial.prose import RENTED
from pipeline.site.pages import pairs

pytestmark = pytest.mark.browser

TOGETHER = 5  # cards on one page of comparison
# Which market's prices each frame shows, from the first one with content.
FRAMES = """window.shown = []; requestAnimationFrame(function look() {
  if (document.querySelector(".md-content")) window.shown.push(document.documentElement.dataset.market ?? "none");
  requestAnimationFrame(look);
})"""
every_market = pytest.mark.parametrize("market", MARKETS)
# Every link of a page that is a price in view: the card, the kind and the market that it says, and its text.
PRICES = """() => [...document.querySelectorAll("[data-price]")].filter((one) => one.checkVisibility()).map((one) => [
  new URL(one.href).pathname.split("/").at(-2), one.dataset.price, one.dataset.market, one.textContent.trim()])"""
# All of a page at once: to ask for each row by itself takes minutes.
RANKED = """() => [...document.querySelectorAll("[data-each=ranked] tr")].map((row) => [
  row.querySelector("[data-t=source]").innerText, row.querySelector("[data-gpu]").getAttribute("href"),
  row.querySelector("[data-t=price]").innerText])"""
IN_PROSE = """() => [...document.querySelectorAll('.md-content a[href$="#prices"]')].map((link) => [
  link.innerText, link.getAttribute("href")])"""
KIND_OF_WORDS = {words: kind for kind, words in WORDS.items()} | {
    KIND_WORDS[observed]: kind for kind, observed in OBSERVED_AS.items()
}
# What stands in brackets behind a price of the guide.
KIND_OF_PROSE = {"retail": "new", "used": "used", "system": "system"} | {words: kind for kind, words in RENTED.items()}
ASKED = ("prefer=buy", "prefer=buy&used=no", "prefer=buy&used=only", "prefer=rent", "prefer=rent&rented=spot")


class Read(NamedTuple):
    """One price as a reader sees it."""

    page: str
    gpu: str
    kind: str
    market: str
    text: str


@pytest.mark.sample(1)
@counts(1, CARDS)
@every_market
def test_a_card_has_one_price_by_market_and_kind_on_every_page(
    desk: tuple[Page, Watch], site: str, market: Market, count: int
) -> None:
    page, _ = desk
    some = cards()[:count]
    found = [read for read in every_price(page, site, market, some) if read.gpu in committed().gpus]
    wrong = [f"{read}: {expected(read).value}" for read in found if not right(read)]
    assert not wrong, "\n".join(wrong[:12])
    pages = {read.page.partition("/")[0] for read in found}
    assert pages >= {"home", "gpus", "card", "prices", "compare", "choose", "picks", "guide"}, pages
    assert len(found) > 12 * count
    assert {read.gpu for read in found if read.market == market} >= {gpu for gpu in some if priced(gpu, market)}


def every_price(page: Page, site: str, market: Market, some: Sequence[str]) -> Iterator[Read]:
    """All prices of the cards on the pages that show them, and all prices of the pages that choose cards themselves."""
    settled(page, f"{site}?market={market}")
    yield from linked(page, "home")
    settled(page, f"{site}guide/picks/")
    yield from linked(page, "picks")
    settled(page, f"{site}prices/")
    yield from (read for read in linked(page, "prices") if read.gpu in some)
    settled(page, f"{site}gpus/")
    for gpu in some:
        yield from of_the_table(page, gpu, market)
    for start in range(0, len(some), TOGETHER):
        settled(page, f"{site}compare/?g={','.join(some[start : start + TOGETHER])}")
        expect(page.locator(".ga-compare thead th a")).to_have_count(len(some[start : start + TOGETHER]))
        expect(page.locator(".ga-compare [data-price]").first).to_be_attached()  # its rows come after its head
        yield from linked(page, "compare")
    for gpu in some:
        settled(page, f"{site}gpus/{gpu}/")
        yield from linked(page, f"card/{gpu}")
        yield from said(page, ".ga-lede", gpu, market)
    for pair in [pair for pair in pairs.pairs(committed()) if {pair.one.id, pair.two.id} & set(some)][: len(some)]:
        settled(page, f"{site}{pair.address}/")
        yield from linked(page, f"pair/{pair.address}")
    for asked in ASKED:
        settled(page, f"{site}choose/?task=chat&model=llama-3.1-8b-instruct&{asked}")
        expect(page.locator("[data-choose-answer]")).to_contain_text(asked.split("&")[-1])
        yield from of_the_chooser(page, market)
    for chapter in ("used-cards", "prices-now", "classes"):
        settled(page, f"{site}guide/{chapter}/")
        yield from of_the_guide(page, chapter)


def linked(page: Page, name: str) -> Iterator[Read]:
    yield from (Read(name, *one) for one in page.evaluate(PRICES))


def of_the_table(page: Page, gpu: str, market: Market) -> Iterator[Read]:
    """Two cells: the kind stands beside the month, where it does not go without saying; of a machine which one."""
    keys = page.locator("table:has(tr[data-id]) thead th").evaluate_all("(all) => all.map((one) => one.dataset.key)")
    cells = page.locator(f'tr[data-id="{gpu}"] > *')
    for column, usual in (("buy", ""), ("rent", "rent")):
        value, _, note = " ".join(cells.nth(keys.index(column)).inner_text().split()).partition(" ")
        kind = "marketplace" if note.startswith("marketplace") else usual or kind_said(note)
        if value != "–":
            yield Read("gpus", gpu, kind, market, value)


def kind_said(words: str) -> str:
    """The kind that words begin with: of a machine they name its configuration ("96 GB machine", "as a module")."""
    first = words.split(", ", maxsplit=1)[0]
    return "system" if re.search(r"\bmachine|\bmodule", first) else KIND_OF_WORDS.get(first, "")


def said(page: Page, selector: str, gpu: str, market: Market) -> Iterator[Read]:
    """The price at the end of a card's first line: "$4,795 used in September 2026"."""
    for amount, words in re.findall(r"([$€£][\d,.]+) ([^$€£]+?) in \w+ 20", page.locator(selector).inner_text()):
        yield Read(f"card/{gpu}", gpu, kind_said(words), market, amount)


def of_the_chooser(page: Page, market: Market) -> Iterator[Read]:
    for source, address, price in page.evaluate(RANKED):
        gpu = address.rstrip("/").split("/")[-1]
        yield Read("choose", gpu, kind_said(source), market, price)


def of_the_guide(page: Page, chapter: str) -> Iterator[Read]:
    """Figures of the prose: "$4,795 (used, 2026-09)"; of another month than the newest they say so by naming it."""
    for text, address in page.evaluate(IN_PROSE):
        told = re.fullmatch(r"\$([\d,.]+)(?:\san\shour)? \((.+), ([\d-]+)\)", text)
        gpu = address.split("/")[-2]
        kind = KIND_OF_PROSE.get(told[2].split(", ")[0]) if told else None  # of a machine, which one stands behind it
        if told and kind and book().quote(gpu, kind, "us").day.startswith(told[3]):  # type: ignore[arg-type]
            yield Read(f"guide/{chapter}", gpu, kind, "us", told[1])


def expected(read: Read) -> Quote:
    return book().quote(read.gpu, read.kind, read.market)  # type: ignore[arg-type]


def right(read: Read) -> bool:
    """The quote of this card, kind and market, to the digits that are shown; of a machine the configuration named."""
    quote = expected(read)
    digits = re.sub(r"[^\d.]", "", read.text)
    off = 0.51 * 10 ** -len(digits.partition(".")[2])
    if quote.value is None:
        return False
    values = [quote.value / quote.gpus, quote.value]
    if quote.kind in RENTING and read.page in ("choose", "home", "picks"):
        # Two reasons that are stated: whoever rents takes the offer of one house, which is named, and beside prices to
        # buy it holds the sales tax of the market.
        values = [tax.load()[quote.market].added(usd) for usd in offered(read)]
    if quote.kind == "system" and read.page in ("choose", "home", "picks"):
        # A reason that is stated: the chooser takes a configuration of its own, and names the product beside its price.
        named = hosts.machines().get(read.gpu)
        values += [seen.amount for seen in quote.configurations if named and seen.price.product == named.product]
    if read.page.startswith("guide/"):  # another reason: the sentence is about the month that it names
        month = book().month(quote.gpu, quote.kind, quote.day[:7], quote.market)
        values += [month.value] if month and month.value is not None else []
    return any(abs(float(digits) - value) <= off for value in values)


def offered(read: Read) -> Iterator[float]:
    """What houses ask for an hour of the card in machines of this size or that, in the market's currency."""
    money = Need(task="chat", market=read.market).money
    for by_card in shelf(committed()).priced_in(money).lets.values():
        yield from (one.usd for one in by_card.get(read.gpu, ()) if one.kind == OBSERVED_AS[read.kind])


def priced(gpu: str, market: Market) -> bool:
    return book().to_buy(gpu, market).value is not None or book().to_rent(gpu, market).value is not None


@pytest.mark.full
def test_the_table_sorts_by_the_prices_of_the_market(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    settled(page, f"{site}gpus/?sort=buy")
    for market in ("us", "eu"):
        switch(page, market)
        values = page.locator(f"td .ga-market--{market}[data-v]").evaluate_all(
            "found => found.filter((one) => one.closest('td').cellIndex === 5).map((one) => Number(one.dataset.v))"
        )
        assert len(values) > 9 and values == sorted(values)


def switch(page: Page, market: str) -> None:
    page.locator("form[data-markets] select").select_option(market)


def test_a_market_chosen_on_one_page_holds_on_the_next_and_stands_in_the_address(
    desk: tuple[Page, Watch], site: str
) -> None:
    page, _ = desk
    settled(page, f"{site}prices/")
    switch(page, "eu")
    expect(page).to_have_url(re.compile("market=eu"))
    for path in ("gpus/nvidia-geforce-rtx-5090/", "guide/memory/"):
        settled(page, f"{site}{path}")
        expect(page.locator("form[data-markets] select")).to_have_value("eu")
        expect(page).to_have_url(re.compile("market=eu"))
    settled(page, f"{site}gpus/nvidia-geforce-rtx-5090/")
    assert "€" in page.locator(".ga-keys").inner_text()


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", ["", "gpus/", "gpus/nvidia-geforce-rtx-5090/", "prices/", "guide/picks/"])
def test_no_frame_of_a_page_shows_the_prices_of_another_market(browser: Browser, site: str, path: str) -> None:
    context, page, _ = opened(browser, 390)
    page.add_init_script(FRAMES)
    settled(page, f"{site}{path}?market=eu")
    until(page, "() => window.shown.length > 1")
    assert set(page.evaluate("window.shown")) == {"eu"}
    context.close()


def test_without_a_script_the_header_says_whose_prices_these_are(browser: Browser, site: str) -> None:
    context, page, _ = opened(browser, 390, java_script_enabled=False)
    page.goto(f"{site}gpus/nvidia-geforce-rtx-5090/")
    header = page.locator("form[data-markets]")
    expect(header.locator("select")).to_be_hidden()
    expect(header.get_by_text(MARKETS["us"].label, exact=True).last).to_be_visible()
    assert "$" in page.locator(".ga-keys").inner_text()
    assert "€" not in page.locator(".ga-keys").inner_text()
    context.close()
