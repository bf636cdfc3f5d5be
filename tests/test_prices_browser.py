"""A reader sees one price by market and kind on every page, in the market that was chosen once."""

from __future__ import annotations

import re
from math import isclose

import pytest
from browsing import Watch, opened
from playwright.sync_api import Browser, Page, expect
from test_one_price import book, cards, dataset

from pipeline.core.wording import money, number
from pipeline.derive.prices.quote import Quote
from pipeline.derive.prices.rules import MARKETS, Market
from pipeline.site.pages import prices

pytestmark = pytest.mark.browser

TOGETHER = 5  # cards on one page of comparison
# How much of the screen has jumped so far, as browsers count it.
SHIFTED = """() => new Promise((resolve) => new PerformanceObserver((list) =>
  resolve(list.getEntries().reduce((sum, one) => sum + one.value, 0))).observe({ type: "layout-shift", buffered: true })
  || setTimeout(() => resolve(0), 300))"""
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


@every_market
def test_the_table_says_the_quotes_of_the_market(desk: tuple[Page, Watch], site: str, market: Market) -> None:
    page, _ = desk
    page.goto(f"{site}gpus/?market={market}")
    keys = page.locator("#gpu-table thead th").evaluate_all("heads => heads.map((head) => head.dataset.key)")
    for gpu in cards():
        texts = page.locator(f'tr[data-id="{gpu}"] > *').all_inner_texts()
        for key, quote in (("buy", book().to_buy(gpu, market)), ("rent", book().to_rent(gpu, market))):
            assert texts[keys.index(key)].split()[0] == number(quote.value), (gpu, key)


def test_the_table_sorts_by_the_prices_of_the_market(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(f"{site}gpus/?sort=buy")
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
    page.goto(f"{site}prices/")
    switch(page, "eu")
    expect(page).to_have_url(re.compile("market=eu"))
    for path in ("gpus/nvidia-geforce-rtx-5090/", "guide/memory/"):
        page.goto(f"{site}{path}")
        expect(page.locator("form[data-markets] select")).to_have_value("eu")
        expect(page).to_have_url(re.compile("market=eu"))
    page.goto(f"{site}gpus/nvidia-geforce-rtx-5090/")
    assert "€" in page.locator(".ga-keys").inner_text()


@pytest.mark.parametrize("path", ["", "gpus/", "gpus/nvidia-geforce-rtx-5090/", "prices/", "guide/picks/"])
def test_prices_of_another_market_move_nothing_on_the_page(browser: Browser, site: str, path: str) -> None:
    shifted = {}
    for market in ("us", "eu"):
        context, page, _ = opened(browser, 390)
        page.goto(f"{site}{path}?market={market}", wait_until="networkidle")
        shifted[market] = page.evaluate(SHIFTED)
        context.close()
    assert shifted["eu"] < shifted["us"] + 0.005


def test_without_a_script_the_header_says_whose_prices_these_are(browser: Browser, site: str) -> None:
    context, page, _ = opened(browser, 390, java_script_enabled=False)
    page.goto(f"{site}gpus/nvidia-geforce-rtx-5090/")
    header = page.locator("form[data-markets]")
    expect(header.locator("select")).to_be_hidden()
    expect(header.get_by_text(MARKETS["us"].label, exact=True).last).to_be_visible()
    assert "$" in page.locator(".ga-keys").inner_text()
    assert "€" not in page.locator(".ga-keys").inner_text()
    context.close()
