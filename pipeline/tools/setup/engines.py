"""Builds the site with a successor of MkDocs, and says where its pages differ from MkDocs' own.

    make engine ENGINE=properdocs        (or zensical)

MkDocs 1.6 is the last of its line and its theme ends on 2027-05-05; each week both successors prove that they could
take over (.github/workflows/engines.yml). They get complete pages and run neither our plugin nor our hooks: what the
hooks add to a page is added afterwards. What is known to differ stands in docs/engines.yml with its reason; anything
else that differs fails, and so does an entry that is no longer needed.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import yaml
from lxml import html

from pipeline.core.documents import text_of
from pipeline.core.paths import ROOT
from pipeline.core.yaml_text import load
from pipeline.dataset import Dataset
from pipeline.site.pages.listed import File, every_file, write_folder
from pipeline.site.render import Page

DOCS = ROOT / "docs"
KNOWN = DOCS / "engines.yml"
# What the pages need of MkDocs' settings; the rest is about MkDocs itself.
SETTINGS = (
    *("site_name", "site_url", "site_description", "edit_uri", "copyright", "theme", "nav", "not_in_nav"),
    *("markdown_extensions", "extra", "extra_css", "extra_javascript"),
)
PENCIL = re.compile(r'<a [^>]*title="Edit this page"[^>]*>.*?</a>', re.DOTALL)
# A link of a page to a page or file of ours: neither a whole address, nor a place on the same page.
OURS = re.compile(r'(?P<head>\s(?:href|src)=")(?P<link>(?![a-z]+:|/|#|")[^"]*)')


class EngineError(ValueError):
    """The list of known differences cannot be read, or there is no such engine."""


@dataclass(frozen=True)
class SiteEngine:
    """A successor: what is installed, how it is called, and whether it reads a link as MkDocs does."""

    packages: tuple[str, ...]
    command: tuple[str, ...]
    searches_with_lunr: bool = True  # whose keys our hooks mend
    links_from_source: bool = False  # HTML's links are read from the folder of the Markdown file, not of the page


ENGINES = {
    "properdocs": SiteEngine(
        ("properdocs==1.6.7", f"mkdocs-material=={version('mkdocs-material')}"), ("properdocs", "build", "--quiet")
    ),
    "zensical": SiteEngine(
        ("zensical==0.0.73",), ("zensical", "build"), searches_with_lunr=False, links_from_source=True
    ),
}


def our_hooks() -> Any:  # noqa: ANN401 - MkDocs reads them as a file too
    """The module docs/hooks.py."""
    spec = spec_from_file_location("almanac_hooks", DOCS / "hooks.py")
    if spec is None or spec.loader is None:
        raise EngineError("docs/hooks.py is no module")
    hooks = module_from_spec(spec)
    spec.loader.exec_module(hooks)
    return hooks


def build(name: str, folder: Path) -> Path:
    """Write pages and settings into a folder, build them there with an engine, and give the folder of the site."""
    engine, pages = ENGINES[name], list(every_file(Dataset.load()))
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__", "templates"))
    shutil.copytree(DOCS / "templates" / "theme", folder / "theme")
    write_folder(pages, folder / "docs")
    if engine.links_from_source:
        for path in (folder / "docs").rglob("*.md"):
            text = path.read_text(encoding="utf-8")
            path.write_text(from_source(text, path.relative_to(folder / "docs")), encoding="utf-8")
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings(), allow_unicode=True, sort_keys=False), "utf-8")
    programs = installed(name, engine.packages)
    subprocess.run([str(programs / engine.command[0]), *engine.command[1:]], cwd=folder, check=True)
    finish(folder / "site", pages, engine)
    return folder / "site"


def settings() -> dict[str, Any]:
    """MkDocs' settings without what only MkDocs runs; what our hooks add to them is in."""
    own = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    own = our_hooks().on_config(own)
    found = {name: own[name] for name in SETTINGS}
    found["extra"]["markets"] = [
        {name: value for name, value in asdict(market).items() if isinstance(value, str)}
        for market in found["extra"]["markets"]
    ]
    found["theme"]["custom_dir"] = "theme"
    return {**found, "plugins": ["search"]}


def from_source(text: str, page: Path) -> str:
    """A page's Markdown with HTML's links as seen from the folder of the file instead of the finished page's."""
    folder = page.parent.as_posix()
    address = folder if page.stem == "index" else page.with_suffix("").as_posix()

    def seen(match: re.Match[str]) -> str:
        path, mark, rest = re.fullmatch(r"([^?#]*)([?#]?)(.*)", match["link"], re.DOTALL).groups()  # type: ignore[union-attr]
        target = posixpath.relpath(posixpath.join(address, path), folder)
        return f"{match['head']}{target}{'/' if path.endswith('/') or not path else ''}{mark}{rest}"

    return OURS.sub(seen, text)


def installed(name: str, packages: Sequence[str]) -> Path:
    """The folder of an engine's programs, in an environment of its own."""
    place = ROOT / f".venv-{name}"
    ready = place / "-".join(("ready", *packages)).replace("==", "-")
    if not ready.exists():
        venv.create(place, clear=True, with_pip=True)
        subprocess.run([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", *packages], check=True)
        ready.touch()
    return place / "bin"


def finish(site: Path, pages: Iterable[File], engine: SiteEngine) -> None:
    """Give the pages what our hooks give them under MkDocs; a made page has no Markdown file to edit."""
    hooks = our_hooks()
    generated = {page.file.removesuffix("index.md").removesuffix(".md").rstrip("/"): page for page in pages}
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        if path.name == "index.html" and path.relative_to(site).parent.as_posix().removeprefix(".") in generated:
            text = PENCIL.sub("", text)
        path.write_text(hooks.guarded(hooks.valid(text)) if hooks.HEAD in text else text, encoding="utf-8")
    shown = {name: page.shared for name, page in generated.items() if isinstance(page, Page) and page.shared}
    hooks.to_share.update({name: asdict(told) for name, told in shown.items()})
    hooks.draw_shared(site)
    if engine.searches_with_lunr:
        hooks.mend_search(site)


# ---------------------------------------------------------------- what differs


def _text(page: html.HtmlElement) -> str:
    articles = page.xpath("//article")
    return " ".join(articles[0].text_content().split()) if articles else ""


def _links(page: html.HtmlElement) -> set[str]:
    """Where the links of a page lead, whatever way they are written."""
    return {
        urljoin(page.base_url, link)
        for link in page.xpath("//article//a[not(@title='Edit this page')]/@href | //article//img/@src")
    }


def _ids(page: html.HtmlElement) -> set[str]:
    """The places of a page that a link can name; those that begin with "__" are the theme's own."""
    return {name for name in page.xpath("//article//@id") if not name.startswith("__")}


def _meta(page: html.HtmlElement, name: str) -> list[str]:
    return list(page.xpath(f"//meta[@name='{name}' or @property='{name}' or @http-equiv='{name}']/@content"))


# What a reader, a link or a machine finds on a page; each is the same under every engine, or listed.
ASPECTS: Mapping[str, Callable[[html.HtmlElement], object]] = {
    "title": lambda page: page.xpath("//head/title/text()"),
    "description": lambda page: _meta(page, "description"),
    "canonical address": lambda page: page.xpath("//link[@rel='canonical']/@href"),
    "policy": lambda page: bool(_meta(page, "Content-Security-Policy")),
    "text": _text,
    "links": _links,
    "anchors": _ids,
    "pencil": lambda page: page.xpath("//a[@title='Edit this page']/@href"),
    "tabs": lambda page: [" ".join(tab.text_content().split()) for tab in page.xpath("//*[@class='md-tabs__item']")],
    "search box": lambda page: bool(page.xpath("//*[@data-md-component='search']")),
}


def differences(ours: Path, theirs: Path) -> dict[str, list[str]]:
    """On which pages two built sites differ, by what differs; "pages" and "files" are those that one of them lacks."""
    mine, other = (set(_files(site, "*.html")) for site in (ours, theirs))
    beside = (set(_files(site, "*.*")) for site in (ours, theirs))
    found = {"pages": sorted(mine ^ other), "files": sorted(set.symmetric_difference(*beside) - mine - other)}
    for path in sorted(mine & other):
        one, two = (_parsed(site / path, path) for site in (ours, theirs))
        for name, of in ASPECTS.items():
            if of(one) != of(two):
                found.setdefault(name, []).append(path)
    return {name: pages for name, pages in found.items() if pages}


def _parsed(file: Path, path: str) -> html.HtmlElement:
    address = f"https://site.example/{path.removesuffix('index.html')}"
    return html.document_fromstring(file.read_bytes(), base_url=address)


def _files(site: Path, ending: str) -> Iterator[str]:
    """What was built, but for the theme's own files, which carry its version in their names."""
    found = (path.relative_to(site).as_posix() for path in site.rglob(ending) if path.is_file())
    return (path for path in found if not path.startswith("assets/"))


def unexplained(name: str, found: Mapping[str, Sequence[str]], known: Mapping[str, str]) -> list[str]:
    """What differs and is not listed, and what is listed and no longer differs."""
    told = [
        f"{name}: {what} differs on {len(pages)} pages, as {pages[0]}; mend it, or say why in docs/{KNOWN.name}"
        for what, pages in found.items()
        if what not in known
    ]
    idle = [f"{name}: {what} differs no more; take it out of docs/{KNOWN.name}" for what in known if what not in found]
    return told + idle


def listed(name: str) -> dict[str, str]:
    """The known differences of an engine, each with its reason."""
    if name not in ENGINES:
        raise EngineError(f"no engine {name!r}; there are: {', '.join(ENGINES)}")
    where = f"docs/{KNOWN.name}"
    found: dict[str, dict[str, str]] = load(text_of(KNOWN, where, EngineError), where, EngineError)
    return found.get(name) or {}


def main(name: str) -> int:
    """Build with an engine, compare with `site/`, and print what is known and what is not."""
    known = listed(name)
    found = differences(ROOT / "site", build(name, ROOT / "build" / name))
    for what, pages in found.items():
        print(f"{what}: {len(pages)} pages, as {pages[0]}: {known.get(what, 'NOT LISTED')}")
    problems = unexplained(name, found, known)
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
