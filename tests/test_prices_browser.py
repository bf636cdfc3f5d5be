"""A reader sees one price by market and kind on every page, in the market that was chosen once."""

from __future__ import annotations

import re
from math import isclose

import pytest
from browsing import Watch
from playwright.sync_api import Page, expect
from test_one_price import book, cards, dataset

from pipeline.core.wording import money, number
from pipeline.derive.prices.quote import Quote
from pipeline.derive.prices.rules import MARKETS, Market
from pipeline.site.pages import prices

pytestmark = pytest.mark.browser

TOGETHER = 5  # cards on one page of comparison
every_market = pytest.mark.parametrize("market", MARKETS)


def said(quote: Quote) -> str:
    return money(quote.value, quote.currency) if quote.value is not None else quote.reason[:24]


@every_market
def test_the_tiles_of_forty_cards_say_the_quotes_of_the_market(
    desk: tuple[Page, Watch], site: str, market: Market
) -> None:
    page, _ = desk
    page.goto(f"{site}prices/?market={market}")  # chosen once
    for gpu in cards():
        page.goto(f"{site}gpus/{gpu}/")
        for label, quote in (("To buy", book().to_buy(gpu, market)), ("To rent", book().to_rent(gpu, market))):
            tile = page.locator(".ga-keys > div", has=page.locator("dt", has_text=re.compile(f"^{label}$")))
            assert said(quote) in tile.inner_text()


@every_market
def test_the_price_page_says_the_quotes_of_the_market(desk: tuple[Page, Watch], site: str, market: Market) -> None:
    page, _ = desk
    page.goto(f"{site}prices/?market={market}")
    rows = page.locator("table.ga-big tbody tr")
    told = {row.split("\t")[0].strip(): row.split("\t")[1:] for row in rows.all_inner_texts()}
    for gpu in cards():
        cells = told[dataset().gpus[gpu].name]
        for kind, text in zip(prices.SHOWN, cells, strict=False):
            quote = book().quote(gpu, kind, market)
            assert quote.value is None or text.strip().startswith(money(quote.value, quote.currency)), (gpu, kind)


@every_market
def test_the_compare_page_says_the_quotes_of_the_market(desk: tuple[Page, Watch], site: str, market: Market) -> None:
    page, _ = desk
    for start in range(0, len(cards()), TOGETHER):
        some = cards()[start : start + TOGETHER]
        page.goto(f"{site}compare/?g={','.join(some)}&market={market}")
        expect(page.locator(".ga-compare thead th a")).to_have_count(len(some))
        row = page.locator(".ga-compare tbody tr", has=page.locator("th", has_text=re.compile("^New, ")))
        quotes = [book().quote(gpu, "new", market) for gpu in some]
        if not any(quote.value is not None for quote in quotes):
            assert row.count() == 0
            continue
        for cell, quote in zip(row.locator("td").all(), quotes, strict=True):
            link = cell.locator("a")
            assert link.count() == (quote.value is not None)
            if quote.value is not None:
                assert isclose(float(link.inner_text().replace(",", "")), quote.value, rel_tol=0.005)


def test_the_table_says_the_quotes_of_the_united_states(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(f"{site}gpus/")
    for gpu in cards():
        texts = page.locator(f'tr[data-id="{gpu}"] td').all_inner_texts()
        quote = book().to_buy(gpu)
        if quote.value is not None:
            assert any(text.startswith(number(quote.value)) for text in texts), gpu


def test_a_market_chosen_on_one_page_holds_on_the_next_and_stands_in_the_address(
    desk: tuple[Page, Watch], site: str
) -> None:
    page, _ = desk
    page.goto(f"{site}prices/")
    page.locator("form[data-markets] select").select_option("eu")
    expect(page).to_have_url(re.compile("market=eu"))
    page.goto(f"{site}gpus/nvidia-geforce-rtx-5090/")
    assert page.evaluate("document.documentElement.dataset.market") == "eu"
    assert "€" in page.locator(".ga-keys").inner_text()
