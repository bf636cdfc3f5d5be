"""The built site as a whole: valid HTML, links and anchors that lead somewhere, a sitemap of every page."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

import pytest
from browsing import BELOW, PUBLISHED, SITE
from lxml import html
from lxml.html import HtmlElement
from sampling import Some

from pipeline.core.paths import ROOT
from pipeline.tools.setup import scripts

pytestmark = pytest.mark.browser

CONFIGURATION = ROOT / "pipeline" / "tools" / "setup" / "htmlvalidate.json"
SAMPLE, LINKING, AT_ONCE = 8, 60, 100  # pages
ADDRESS = re.compile(r"(https?://[^\s<>\"]+|mailto:[^\s<>\"]+|[^\s:<>\"]*)")
# What the theme asks search engines not to list, or what is no page of its own.
NOT_LISTED = ("404.html", "embed/")


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")))


def test_a_validator_finds_no_error_in_the_pages(
    some: Some, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    scripts.ensure_tools()
    looked_at = [SITE / name for name in some(names(), SAMPLE)]
    parts = [looked_at[at : at + AT_ONCE] for at in range(0, len(looked_at), AT_ONCE)]
    found = [problem for part in parts for problem in invalid(part, tmp_path / "told")]
    record_property("cases", len(looked_at))
    assert found == []


def invalid(files: Sequence[Path], told: Path) -> Iterator[str]:
    """What html-validate says of files, each problem with its page and line; by way of a file: it cuts a pipe off."""
    program = [str(scripts.node_folder() / "bin" / "node"), str(scripts.MODULES / ".bin" / "html-validate")]
    command = [*program, "--config", str(CONFIGURATION), "--formatter", "text", *map(str, files)]
    with told.open("w") as out:
        answer = subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    problems = told.read_text(encoding="utf-8").splitlines()
    assert bool(answer.returncode) == bool(problems), answer.stderr
    return (problem.removeprefix(f"{SITE}/") for problem in problems)


def test_every_link_and_anchor_within_the_site_leads_somewhere(
    some: Some, record_property: Callable[[str, object], None]
) -> None:
    count, broken = 0, []
    for name in some(names(), LINKING):
        own, document = BELOW + name.removesuffix("index.html"), page(name)
        addresses = {*document.xpath("//@href"), *document.xpath("//@src"), *document.xpath("//form/@action")}
        broken += [f"{own} -> {address}" for address in map(str, addresses) if not _leads(own, address)]
        count += len(addresses)
    record_property("cases", count)
    assert broken == []


def page(name: str) -> HtmlElement:
    return html.document_fromstring((SITE / name).read_bytes())


@cache
def anchors(name: str) -> frozenset[str]:
    """What an address of a page may name after its #."""
    document = page(name)
    return frozenset({*document.xpath("//@id"), *document.xpath("//a/@name"), "", "__top"})


def _leads(own: str, address: str) -> bool:
    """Whether an address is well formed and, within the site, leads to a file and to an anchor that it holds."""
    if address.startswith(("data:", "blob:")):
        return True
    if not ADDRESS.fullmatch(address):
        return False
    there = urlsplit(urljoin(f"https://here{own}", address.replace(PUBLISHED, f"https://here{BELOW}")))
    if there.netloc != "here":
        return True
    target = unquote(there.path)
    if own.endswith("404.html") and not target.startswith(BELOW):
        return False
    file = target.removeprefix(BELOW)
    name = f"{file}index.html" if not file or file.endswith("/") else file
    if name.endswith(".html") and (SITE / name).is_file():
        return not there.fragment or "=" in there.fragment or unquote(there.fragment) in anchors(name)
    return (SITE / file).is_file()


def test_the_map_of_the_site_holds_addresses_and_nothing_that_every_page_would_take_apart_for_no_use() -> None:
    text = (SITE / "sitemap.xml").read_text(encoding="utf-8")
    rest = re.sub(r"<url><loc>[^<]+</loc></url>", "", text)
    assert len(rest) < 200, rest[:300]
    ElementTree.fromstring(text)


def test_the_sitemap_lists_every_page_once_and_nothing_else() -> None:
    listed = re.findall(r"<loc>(.*?)</loc>", (SITE / "sitemap.xml").read_text(encoding="utf-8"))
    wanted = [PUBLISHED + name.removesuffix("index.html") for name in names() if not name.startswith(NOT_LISTED)]
    assert sorted(listed) == sorted(wanted)
