"""The built site in a real browser, below /gpu-almanac/ as it is published: what readers do works, and quietly."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import Watch, opened
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

WIDTHS = {"phone": 390, "desktop": 1280}
GPU = "gpus/nvidia-geforce-rtx-4090/"
CHART = "charts/memory-bandwidth/"
KINDS = {
    "home": "", "gpu": GPU, "table": "gpus/", "families": "gpus/families/", "vendor": "vendors/amd/",
    "compare": "compare/?g=rtx-5090,rtx-4090", "chart": CHART, "charts": "charts/", "data": "data/",
    "sources": "data/sources/", "method": "data/method/", "conflicts": "data/conflicts/",
    "dictionary": "data/dictionary/", "unplaced": "data/unplaced/", "guide": "guide/spec-sheet/",
    "missing": "gpus/rtx-409/",
}  # fmt: skip


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_every_kind_of_page_is_quiet_fits_its_screen_and_asks_nobody_else(
    browser: Browser, site: str, width: int, scheme: str
) -> None:
    context, page, watch = opened(browser, width, color_scheme=scheme)
    for kind, path in KINDS.items():
        page.goto(site + path)
        page.wait_for_load_state("networkidle")
        expect(page.locator("h1")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, kind
    context.close()
    # A missing page is answered with 404, which Chromium tells on the console.
    assert [told for told in watch.complaints if "404" not in told] == []
    assert watch.hosts() == {"127.0.0.1"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_kind_of_page_has_a_barrier(browser: Browser, site: str, scheme: str) -> None:
    context, page, _ = opened(browser, color_scheme=scheme)
    found = {}
    for kind, path in KINDS.items():
        page.goto(site + path)
        page.wait_for_load_state("networkidle")
        answer = Axe().run(page)
        if answer.violations_count:
            found[kind] = [(v["id"], v["nodes"][0]["html"][:160]) for v in answer.response["violations"]]
    context.close()
    assert found == {}


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS.keys())
def test_a_chart_is_a_picture_first_and_plotly_when_touched(browser: Browser, site: str, width: int) -> None:
    context, page, watch = opened(browser, width)
    page.goto(site + CHART)
    page.wait_for_load_state("networkidle")
    assert not [url for url in watch.requests if "plotly" in url]
    picture = page.locator(".ga-picture:visible")
    assert picture.count() == 1
    drawn = picture.locator(".ga-dots path").count()
    page.get_by_role("button", name="Make it interactive").click()
    page.wait_for_selector("[data-state=drawn]")
    assert page.locator(".ga-plot .scatterlayer .point").count() == drawn
    assert sum("plotly" in url for url in watch.requests) == 1
    page.keyboard.press("Escape")
    context.close()
    assert watch.complaints == []
    assert watch.hosts() == {"127.0.0.1"}


def test_a_chart_follows_the_switch_to_dark(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + CHART)
    page.get_by_role("button", name="Make it interactive").click()
    page.wait_for_selector("[data-state=drawn]")
    ink = "getComputedStyle(document.querySelector('.ga-plot .xtick text')).fill"
    light = page.evaluate(ink)
    page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
    page.wait_for_function(f"{ink} !== '{light}'")


def test_the_table_sorts_filters_forgives_typing_and_keeps_its_state_in_the_address(
    desk: tuple[Page, Watch], site: str
) -> None:
    page, _ = desk
    page.goto(f"{site}gpus/")
    rows = page.locator("#gpu-table tbody tr:visible")
    everything = rows.count()
    page.get_by_role("button", name="Memory").click()
    sizes = rows.locator("td:nth-child(4)").all_inner_texts()
    known = [float(size.replace(",", "")) for size in sizes if size != "–"]
    assert known == sorted(known, reverse=True)
    assert set(sizes[len(known) :]) <= {"–"}
    page.get_by_label("Name").fill("gefroce rtx 4090")
    expect(rows.first).to_contain_text("RTX 4090")
    page.get_by_label("Maker").select_option("NVIDIA")
    page.get_by_label("Memory from").fill("24")
    assert 0 < rows.count() < 10 < everything
    address = page.url
    assert {"vendor=NVIDIA", "mem=24", "sort=-memory"} <= set(urlsplit(address).query.split("&"))
    shown = rows.all_inner_texts()
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("[data-count]")).not_to_be_empty()
    assert rows.all_inner_texts() == shown
    page.locator(".ga-filters").get_by_role("button", name="Clear").click()
    expect(rows).to_have_count(everything)
    assert urlsplit(page.url).query == ""


def test_columns_can_be_chosen_and_the_view_exported(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(f"{site}gpus/?vendor=Google&cols=memory,arch")
    expect(page.locator("#gpu-table thead th:visible")).to_have_count(3)
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Bus").check()
    expect(page.locator("#gpu-table thead th:visible")).to_have_count(4)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV of this view").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    table = list(csv.reader(io.StringIO(text)))
    assert len(table) == 1 + page.locator("#gpu-table tbody tr:visible").count()
    assert all(len(row) == 4 for row in table)
    assert all(row[0].startswith("Google") for row in table[1:])


def test_a_comparison_is_restored_from_its_address_and_changes_it(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(f"{site}compare/?g=rtx-5090,rtx-4090,h100-sxm5-80gb")
    heads = page.locator(".ga-compare thead th a")
    expect(heads).to_have_text([re.compile("5090"), re.compile("4090"), re.compile("H100")])
    memory = page.locator(".ga-compare tbody tr", has=page.get_by_text("Memory, GB", exact=True))
    expect(memory.locator("td.ga-better")).to_contain_text("80")
    expect(memory.locator("td.ga-better .ga-ratio")).to_have_text("2.5× more")
    first = page.locator(".ga-compare").inner_text()
    page.reload()
    expect(heads).to_have_count(3)
    assert page.locator(".ga-compare").inner_text() == first
    page.get_by_role("button", name="Remove NVIDIA H100 SXM5 80GB").click()
    expect(heads).to_have_count(2)
    assert page.url.endswith("?g=nvidia-geforce-rtx-5090,nvidia-geforce-rtx-4090")
    page.go_back()
    expect(heads).to_have_count(3)


def test_a_comparison_says_which_name_it_does_not_know(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(f"{site}compare/?g=rtx-4090,%3Cb%3Ezzzzqqqq")
    expect(page.locator("[data-compare]")).to_contain_text("No card is called “<b>zzzzqqqq”")
    expect(page.locator(".ga-compare thead a")).to_have_count(1)


@pytest.mark.parametrize("typed", ["4090", "rtx4090", "RTX 4090", "gefroce 4090"])
def test_a_card_is_found_by_any_name_with_the_keyboard_alone(desk: tuple[Page, Watch], site: str, typed: str) -> None:
    page, _ = desk
    page.goto(site)
    box = page.get_by_label("Name of a GPU")
    box.focus()
    page.keyboard.type(typed)
    expect(page.locator(".ga-suggest li").first).to_have_text("NVIDIA GeForce RTX 4090")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{GPU}")


def test_two_names_on_the_home_page_lead_to_their_comparison(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site)
    page.get_by_label("First GPU").fill("5090")
    page.get_by_label("Second GPU").fill("4090")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**/compare/?g=nvidia-geforce-rtx-5090,nvidia-geforce-rtx-4090")
    expect(page.locator(".ga-compare thead a")).to_have_count(2)


def test_a_mark_shows_its_source_in_place(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site + GPU)
    page.wait_for_load_state("networkidle")
    mark = page.get_by_role("link", name="Source of Memory", exact=True).first
    mark.click()
    shown = page.locator(".ga-pop")
    expect(shown).to_contain_text("24 GB")
    expect(shown).to_contain_text(re.compile(r"read \d+ \w+ \d{4}"))
    expect(shown.get_by_role("link").first).to_have_attribute("href", re.compile("^https://"))
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    expect(mark).to_be_focused()


def test_without_javascript_the_page_reads_and_its_marks_lead_to_the_sources(browser: Browser, site: str) -> None:
    context, page, _ = opened(browser, 390, java_script_enabled=False)
    page.goto(site + GPU)
    expect(page.locator(".ga-keys")).to_contain_text("24 GB")
    page.get_by_role("link", name="Source of Memory", exact=True).first.click()
    expect(page.locator("#claim-memory_gb")).to_be_in_viewport()
    page.goto(f"{site}gpus/")
    expect(page.locator("#gpu-table tbody tr").first).to_be_visible()
    expect(page.locator("form.ga-filters")).to_be_hidden()
    page.goto(site + CHART)
    expect(page.locator(".ga-picture--narrow")).to_be_visible()
    context.close()


def test_pages_work_after_instant_navigation_and_back(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site)
    page.wait_for_load_state("networkidle")
    page.evaluate("window.stayed = true")
    page.locator(".md-tabs").get_by_role("link", name="GPUs").click()
    page.wait_for_url("**/gpus/")
    page.get_by_role("button", name="Memory").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_count(1)
    page.get_by_role("link", name="NVIDIA GeForce RTX 4090", exact=True).click()
    page.wait_for_url(f"**/{GPU}")
    page.get_by_role("link", name="Source of Memory", exact=True).first.click()
    expect(page.locator(".ga-pop")).to_be_visible()
    page.go_back()
    expect(page.locator("#gpu-table")).to_be_visible()
    assert page.evaluate("window.stayed") is True


def test_the_search_finds_a_card_by_name(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    page.goto(site)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    page.keyboard.type("MI300X")
    expect(page.locator(".md-search-result__list > li a").first).to_have_attribute(
        "href", re.compile("amd-instinct-mi300x/")
    )


def test_a_page_that_is_not_there_guesses_the_card(browser: Browser, site: str) -> None:
    context, page, _ = opened(browser)
    page.goto(f"{site}gpus/rtx-4090/")
    expect(page.locator("[data-guess] a").first).to_have_text("NVIDIA GeForce RTX 4090")
    page.locator("[data-guess] a").first.click()
    page.wait_for_url(f"**/{GPU}")
    context.close()
