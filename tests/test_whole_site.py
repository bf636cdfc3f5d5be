"""The built site as a whole: valid HTML, links and anchors that lead somewhere, a sitemap of every page."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from browsing import BELOW, PUBLISHED, SITE
from lxml import html

from pipeline.core.paths import ROOT
from pipeline.tools.setup import scripts

pytestmark = pytest.mark.browser

CONFIGURATION = ROOT / "pipeline" / "tools" / "setup" / "htmlvalidate.json"
SAMPLE, AT_ONCE = 24, 100  # pages
ADDRESS = re.compile(r"(https?://[^\s<>\"]+|mailto:[^\s<>\"]+|[^\s:<>\"]*)")
# What the theme asks search engines not to list, or what is no page of its own.
NOT_LISTED = ("404.html", "embed/")


@cache
def pages() -> tuple[Path, ...]:
    return tuple(sorted(SITE.rglob("*.html")))


@cache
def sample() -> tuple[Path, ...]:
    """The first page of each folder, and some of the others."""
    first = {path.relative_to(SITE).parts[:1]: path for path in reversed(pages())}
    return tuple({*first.values(), *random.Random(20261123).sample(pages(), SAMPLE)})


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.full)], ids=["sample", "every page"])
def test_a_validator_finds_no_error_in_the_pages(
    every: bool, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    scripts.ensure_tools()
    looked_at = pages() if every else sample()
    parts = [looked_at[at : at + AT_ONCE] for at in range(0, len(looked_at), AT_ONCE)]
    found = [problem for part in parts for problem in invalid(part, tmp_path / "told")]
    record_property("cases", len(looked_at))
    assert found == []


def invalid(files: tuple[Path, ...], told: Path) -> Iterator[str]:
    """What html-validate says of files, each problem with its page and line; by way of a file: it cuts a pipe off."""
    program = [str(scripts.node_folder() / "bin" / "node"), str(scripts.MODULES / ".bin" / "html-validate")]
    command = [*program, "--config", str(CONFIGURATION), "--formatter", "text", *map(str, files)]
    with told.open("w") as out:
        answer = subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    problems = told.read_text(encoding="utf-8").splitlines()
    assert bool(answer.returncode) == bool(problems), answer.stderr
    return (problem.removeprefix(f"{SITE}/") for problem in problems)


def test_every_link_and_anchor_within_the_site_leads_somewhere(
    record_property: Callable[[str, object], None],
) -> None:
    anchors, links = {}, []
    for path in pages():
        document = html.document_fromstring(path.read_bytes())
        own = BELOW + path.relative_to(SITE).as_posix().removesuffix("index.html")
        anchors[own] = {*document.xpath("//@id"), *document.xpath("//a/@name"), "", "__top"}
        addresses = {*document.xpath("//@href"), *document.xpath("//@src"), *document.xpath("//form/@action")}
        links += [(own, str(address)) for address in addresses]
    broken = sorted({f"{own} -> {address}" for own, address in links if not _leads(own, address, anchors)})
    record_property("cases", len(links))
    assert broken == []


def _leads(own: str, address: str, anchors: dict[str, set[str]]) -> bool:
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
    if target in anchors:
        return not there.fragment or unquote(there.fragment) in anchors[target] or "=" in there.fragment
    return (SITE / target.removeprefix(BELOW)).is_file()


def test_the_sitemap_lists_every_page_once_and_nothing_else() -> None:
    listed = re.findall(r"<loc>(.*?)</loc>", (SITE / "sitemap.xml").read_text(encoding="utf-8"))
    names = [path.relative_to(SITE).as_posix() for path in pages()]
    wanted = [PUBLISHED + name.removesuffix("index.html") for name in names if not name.startswith(NOT_LISTED)]
    assert sorted(listed) == sorted(wanted)
