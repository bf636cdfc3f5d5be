"""The built site for everybody: by keyboard, magnified, on paper, without scripts, and for those who only read code."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import FEWER, PUBLISHED, SITE, Watch, arrived, opened, settled
from playwright.sync_api import Browser, Page, expect
from test_site_browser import GPU, KINDS, follow, ready

from pipeline.site.pages import addresses

pytestmark = pytest.mark.browser

SMALLEST = {"runOnly": {"type": "rule", "values": ["target-size"]}}
CONTRAST = """() => { const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
  return (r + g + b) / 3; }"""


def pages_of(folder: Path) -> list[Path]:
    """Every page that a reader opens; an embedded chart is a frame in somebody else's."""
    return sorted(page for page in folder.rglob("*.html") if page.name != "404.html" and page.parent.name != "embed")


def head_of(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("</head>")[0]


def test_every_page_says_what_it_is_to_a_search_engine_and_in_the_preview_of_a_link() -> None:
    said: Counter[tuple[str, str]] = Counter()
    for page in pages_of(SITE):
        head, address = head_of(page), PUBLISHED + str(page.parent.relative_to(SITE)).removeprefix(".")
        address = f"{address.rstrip('/')}/"
        (title,) = re.findall(r"<title>(.*?)</title>", head)
        (about,) = re.findall(r'<meta name="description" content="([^"]*)">', head)
        said[title, about] += 1
        assert 20 <= len(about) <= 400, page
        assert re.findall(r'<link rel="canonical" href="([^"]*)">', head) == [address]
        told = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', head))
        assert told["url"] == address
        assert told["title"] in title
        assert told["description"] == about
        assert (SITE / told["image"].removeprefix(PUBLISHED)).exists()
    titles = Counter(title for title, _ in said.elements())
    assert [title for title, times in titles.items() if times > 1] == []


def test_the_address_of_the_site_is_the_one_that_it_is_built_for() -> None:
    assert addresses.SITE == PUBLISHED
    assert f'href="{PUBLISHED}"' in head_of(SITE / "index.html")


def test_the_data_page_describes_the_dataset_in_the_words_of_schema_org() -> None:
    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', head_of(SITE / "data" / "index.html"))
    told = json.loads(text)
    assert told["@type"] == "Dataset"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", told["dateModified"])
    for file in told["distribution"]:
        assert (SITE / file["contentUrl"].removeprefix(PUBLISHED)).exists()


@pytest.mark.parametrize("path", ["gpus/nvidia-geforce-rtx-4090/", "compare/rtx-3090-vs-rtx-4090/"])
def test_each_step_of_the_way_to_a_page_is_a_page_that_it_links_to(path: str) -> None:
    told = [
        json.loads(text)
        for text in re.findall(
            r'<script type="application/ld\+json">(.*?)</script>', head_of(SITE / path / "index.html")
        )
    ]
    (steps,) = [one["itemListElement"] for one in told if one["@type"] == "BreadcrumbList"]
    text = (SITE / path / "index.html").read_text(encoding="utf-8")
    for step in steps:
        address = step["item"].removeprefix(PUBLISHED)
        assert (SITE / address / "index.html").exists(), address
        assert address == path or re.search(rf'href="[./]*{address}"', text), address


@pytest.mark.full
@pytest.mark.parametrize("width", [390, 1280])
def test_whatever_can_be_tapped_is_large_enough_or_stands_apart(browser: Browser, site: str, width: int) -> None:
    context, page, _ = opened(browser, width)
    found = {}
    for kind, path in KINDS.items():
        ready(page, site + path)
        page.evaluate(FEWER)
        if violations := Axe().run(page, options=SMALLEST).response["violations"]:
            found[kind] = [node["html"][:120] for node in violations[0]["nodes"]]
    context.close()
    assert found == {}


@pytest.mark.full
def test_the_first_press_of_tab_leads_past_the_menus(desk: tuple[Page, Watch], site: str) -> None:
    page, _ = desk
    for path in ("", "gpus/", GPU, "compare/", "guide/cloud/"):
        settled(page, site + path)
        skipped(page)
    settled(page, site + GPU)
    follow(page, "GPUs")
    arrived(page, "**/gpus/")
    page.evaluate("document.activeElement.blur()")
    page.locator("[data-skip]").focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("/gpus/")
    page.keyboard.press("Tab")
    expect(page.locator("form.ga-filters [name=card]")).to_be_focused()


def skipped(page: Page) -> None:
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("!!document.activeElement.closest('main')"), page.url


@pytest.mark.full
def test_on_paper_a_page_is_dark_on_white_and_without_controls(browser: Browser, site: str) -> None:
    context, page, _ = opened(browser, 780, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    for path in (GPU, "gpus/", "charts/memory-bandwidth/", "compare/?g=rtx-3090,rtx-4090"):
        ready(page, site + path)
        assert page.evaluate(CONTRAST) > 240, path
        ink = page.locator("h1").evaluate("(h1) => getComputedStyle(h1).color")
        assert max(map(int, re.findall(r"\d+", ink)[:3])) < 90, path
        # The names of a legend are buttons too, and paper needs them.
        controls = ".ga button:not(.ga-sort, .ga-legend button):visible, .ga input:visible"
        assert page.locator(controls).count() == 0, path
    context.close()


def test_nothing_moves_for_a_reader_who_wants_no_motion() -> None:
    for sheet in (SITE / "stylesheets").glob("*.css"):
        moving = re.findall(r"(?:transition|animation)[^:;]*:", sheet.read_text(encoding="utf-8"))
        assert moving == [], sheet.name


@pytest.mark.full
@pytest.mark.parametrize("width", [390, 1280])
def test_every_kind_of_page_says_its_matter_without_javascript(browser: Browser, site: str, width: int) -> None:
    context, page, _ = opened(browser, width, java_script_enabled=False)
    for kind, path in KINDS.items():
        page.goto(site + path)
        expect(page.locator("h1")).to_be_visible()
        body = page.locator(".md-content__inner").inner_text()
        assert len(body) > 80, kind
        assert page.locator(".ga-js:visible").count() == 0, kind
    context.close()
