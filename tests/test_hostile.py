"""Five hundred hostile strings through every text field: none runs, none becomes markup, a formula or a path."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import cycle, product

import pytest
from lxml import etree, html
from playwright.sync_api import Browser
from samples import Tree, price, result
from sampling import Some
from test_pages import all_but_prose, dataset_of, rows_of

from pipeline.dataset import Dataset
from pipeline.site.render import Asset, Page

ADDRESSES = ("href", "src", "action", "srcdoc")
HOSTILE_ADDRESS = re.compile(r"\s*(javascript|vbscript|data:text|(https?:)?//evil\.example)", re.IGNORECASE)
DATA_BLOCKS = ("application/json", "application/ld+json")  # scripts that no browser runs
RUNS = "window.hostile=1"
# What a stranger would write: each would run, or become the element <x-hostile>, where it is not taken as text.
ATTACKS = (
    f"<script>{RUNS}</script>",
    f"<img src=x onerror={RUNS}>",
    f"<svg onload={RUNS}>",
    f"<svg><script>{RUNS}</script></svg>",
    f"<iframe srcdoc='<script>parent.{RUNS}</script>'></iframe>",
    f"<body onload={RUNS}>",
    f"<details open ontoggle={RUNS}><summary>x</summary></details>",
    f"<input autofocus onfocus={RUNS}>",
    f"<a href='javascript:{RUNS}'>x</a>",
    f"<object data='javascript:{RUNS}'></object>",
    f"<math><mi//xlink:href='data:x,<script>{RUNS}</script>'>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href=https://evil.example/>",
    "<form action=https://evil.example><button>x</button></form>",
    "<template><x-hostile></x-hostile></template>",
    "<x-hostile data-hostile=1>",
    "{{ 7 * 7 }}{% raw %}",
    "{{ config.__class__.__init__.__globals__ }}",
    "${7*7}#{7*7}<%= 7*7 %>",
    f"[x](javascript:{RUNS})",
    f'![x](x "onerror={RUNS}")',
    "`` `code` ``| table | cell |\n|---|---|\n# head\n- list",
    '=HYPERLINK("https://evil.example","x")',
    "=cmd|' /C calc'!A0",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "../../../../etc/passwd",
    "..\\..\\windows\\system32",
    "/etc/passwd\x00.yml",
    "CON.yml",
    "\u202egnp.exe",
    "\u200b\u200d\ufeff",
    "Z̸̧̢͚̹͙̗̈́̂a̵̙͎͗l̶̰̈́g̷̪̾ö̶́" * 4,
    "𝓡𝓣𝓧 ４０９０ ⅯⅩ",
    "'; DROP TABLE gpus; --",
    "]]><!--<x-hostile>-->",
)
# Where a string may end up, and what would let it out of there.
WAYS_OUT = (
    *("{}", '"{}', "'{}", '">{}', "'>{}", "-->{}", "</script>{}", "</title>{}", "</textarea>{}"),
    *("</td></table>{}", "]]>{}", "&quot;&gt;{}", "%22%3E{}"),
)
STRINGS = tuple(way.format(attack) for attack, way in product(ATTACKS, WAYS_OUT))
SAMPLE = 40  # more than fields: no field may see only harmless ones
IN_A_BROWSER = 10  # each makes a page for every kind of page
SHOWN = 40  # pages of those that are made of them
FIELDS = (
    "name",
    "line",
    "architecture",
    "form_factor",
    "note",
    "aliases",
    "memory_type",
    "cooling",
    "software_support",
)


def hostile(tree: Tree, tried: Sequence[str]) -> Dataset:
    """A dataset in which every text from outside is one of the strings, each string in every field of some row."""
    (gpu, *_), (claimed, *_) = rows_of(tree, "gpus"), rows_of(tree, "claims")
    gpus, claims, results, prices = [], [], [], []
    for n, text in enumerate(tried):
        others = cycle([*tried[n:], *tried[:n]])
        about = gpu | {"id": f"nvidia-hostile-{n}"} | {field: next(others) for field in FIELDS if field in gpu}
        gpus.append(about)
        address = f"javascript:{text}"
        said = {"source": text, "locator": next(others), "licence": next(others), "url": address}
        claims.append(claimed | said | {"gpu": about["id"]})
        ran = {"model": text, "software": text, "precision": text, "batch": text, "url": address}
        asked = {"provider": text, "source": text, "region": text, "includes": text, "url": address, "locator": text}
        results.append(asdict(result(gpu=about["id"], **ran)))
        prices.append(asdict(price(gpu=about["id"], **asked)))
    return dataset_of(tree, gpus=gpus, claims=claims, benchmarks=results, prices=prices)


def test_there_are_five_hundred_of_them() -> None:
    assert len(set(STRINGS)) >= 500


def test_no_string_becomes_markup_a_formula_or_a_path(
    tree: Tree, some: Some, record_property: Callable[[str, object], None]
) -> None:
    tried = some(STRINGS, SAMPLE)
    looked_at = 0
    for file in all_but_prose(hostile(tree, tried)):
        assert re.fullmatch(r"[a-z0-9._/-]+", file.file), file.file
        assert ".." not in file.file.split("/"), file.file
        text = file.text()
        if isinstance(file, Page):
            assert list(_broken(_body(text))) == [], file.file
            looked_at += 1
        elif file.file.endswith(".csv"):
            cells = (cell for row in csv.reader(io.StringIO(text)) for cell in row)
            assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t"))], file.file
        elif file.file.endswith(".json"):
            json.loads(text)
        elif file.file.endswith((".xml", ".svg")):
            etree.fromstring(text.encode())
    record_property("cases", len(tried))
    assert looked_at > len(tried)


@pytest.mark.parametrize(("file", "held"), [("a.svg", "<t>ab</t>"), ("a.xml", "<t>ab</t>"), ("a.txt", "<t>a\x00b</t>")])
def test_a_drawing_and_a_feed_hold_no_character_that_xml_forbids(file: str, held: str) -> None:
    assert Asset(file, "<t>a\x00b</t>").text() == held


def _body(text: str) -> str:
    """A page without its head of YAML."""
    head, _, body = text.partition("\n---\n")
    return body if head.startswith("---") else text


def _broken(page: str) -> Iterator[str]:
    """What a string made of a page that is no text: an element, an attribute or an address of its own."""
    for element in html.fromstring(f"<main>{page}</main>").iter(etree.Element):
        if element.tag == "script" and element.get("type") in DATA_BLOCKS:
            json.loads(element.text or "")
        elif element.tag in ("script", "style", "iframe", "object", "base", "meta", "link", "x-hostile", "math"):
            yield f"<{element.tag}>"
        for name, value in element.attrib.items():
            if name.startswith("on") or name == "data-hostile" or (name in ADDRESSES and HOSTILE_ADDRESS.match(value)):
                yield f"{element.tag} {name}={value[:40]}"


@pytest.mark.long
@pytest.mark.browser
def test_no_string_runs_in_a_browser(
    tree: Tree, some: Some, browser: Browser, record_property: Callable[[str, object], None]
) -> None:
    tried = some(STRINGS, IN_A_BROWSER)
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    made = {file.file: file for file in all_but_prose(hostile(tree, tried)) if isinstance(file, Page)}
    for name in some(made, SHOWN):
        body = _body(made[name].text())
        page.set_content(f"<!doctype html><title>x</title><main>{body}</main>", wait_until="domcontentloaded")
        assert page.evaluate("window.hostile !== 1 && !document.querySelector('x-hostile')"), name
    context.close()
    record_property("cases", len(tried))
    assert [url for url in asked if "evil.example" in url] == []
