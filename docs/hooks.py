"""MkDocs' events in; page bodies past the slow steps, and the second build of a preview, out.

Finished page bodies pass around the Markdown and search steps: taken out before them, put back after them. A pure
accelerator: without it the same pages come out, only slower (see `finished` in docs/templates/layout.html.j2).
A body is read again from its file when it is put back: to keep thousands of them would take hundreds of megabytes.
What stands before such a body is HTML too, which Markdown would leave as it is after looking at every character; and
where the page is in no menu, the theme's menus and switches around it are those of every page beside it.

The search library (lunr) joins labels and numbers to a key without anything between them, so that words with digits
collide and a search for "P100" may end in an error; the key gets a comma.

Every page says what it may load and run (a content security policy): files of our own host, and of scripts in the
page itself only those that the theme writes, each by its hash. What a stranger's text might smuggle in does not run.

A link to a page shows a picture elsewhere: it is drawn after the pages, from what each says of itself, and kept, so
that only what is new is drawn. A preview has none.

`mkdocs serve --dirty` is a preview: after an edit the changed GPU's page comes first, all others follow by themselves.
"""

from __future__ import annotations

import gc
import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from posixpath import dirname
from threading import Timer
from typing import Any

import mkdocs
from mkdocs.exceptions import PluginError
from mkdocs.structure.toc import get_toc

from pipeline.core.templates import Compiled
from pipeline.site import shared
from pipeline.site.render import Shared

BEGIN, END = "<!--finished-->\n", "\n<!--/finished-->"
PLACE = '<div data-finished=""></div>'
HEAD_OF_PAGE, ID = '<div class="ga-head">', re.compile(r'\bid="([^"]+)"')
# As pipeline/site/render.py writes it: a line for each entry, its value in JSON.
FRONT_MATTER, ENTRY = re.compile(r"---\n((?:[a-z]+: .*\n)+)---\n"), re.compile(r"([a-z]+): (.*)\n")
# Of the theme's base.html: what is the same around all pages of one folder that are in no menu.
SHARED_BLOCKS = ("styles", "tabs", "site_nav", "footer", "config", "scripts")
SHARED_PARTIALS = ("partials/palette.html", "partials/search.html")
# To change a file here starts a build; so long after the first the browser has its page.
SECOND_BUILD = Path(__file__).resolve().parent.parent / ".cache" / "preview" / "rest"
SECOND_BUILD_AFTER_S = 1.5
# The line of lunr's TokenSet.toString in the theme's script, and what must stand there.
SEARCH_SCRIPTS = "assets/javascripts/workers/search.*.min.js"
JOINED, APART = "e=e+s+o.id}return e}", 'e=e+s+o.id+","}return e}'
# Comments that fill lines of their own, and the types beside a value: nothing that a string of ours could hold.
SCRIPTS = "javascripts/*.js"
COMMENTS = re.compile(
    r"^[ \t]*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n|/\*\* @type (?:[^*]|\*(?!/))*\*/ ?", re.MULTILINE
)
# A chart's library adds an empty sheet for its own rules, and sets widths on elements; no style runs a script.
POLICY = (
    "default-src 'self'; script-src 'self'{scripts}; style-src-elem 'self' {empty}; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; worker-src 'self'; object-src 'none'; frame-src 'none'; base-uri 'self'; "
    "form-action 'self'"
)
# What the theme writes against the standard and Markdown into the cells of tables, and what stands there instead.
THEME_SLIPS = (
    (' id="__drawer" autocomplete="off"', ' id="__drawer"'),
    (' id="__search" autocomplete="off"', ' id="__search"'),
    (' tabindex=""', ""),
    (' rel="edit"', ""),
    # A style sheet that asks for inline styles has the browser style a whole page again whenever a script sets one.
    (' style="text-align: right;"', ' class="n"'),
    (' style="text-align: left;"', ""),
)
CONTENTS, LABEL_OF_CONTENTS = 'id="__toc"', ' for="__toc"'
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
HEAD = "<head>"
# The theme reads the map on every page that is opened: the day of the build, the same for all, and the spaces between
# its tags were two thirds of what a phone takes apart.
SITE_MAP, NEEDLESS_IN_MAP = "sitemap.xml", re.compile(r"<lastmod>[^<]*</lastmod>|(?<=>)\s+(?=<)")
CHART_LIST = "charts/index.md"
SHARED_KEPT = Path(__file__).resolve().parent.parent / ".cache" / "shared"
finished: set[str] = set()  # by the path of the source
in_menu: set[str] = set()
told_by: dict[str, dict[str, Any]] = {}  # the front matter, by the path of the source
to_share: dict[str, dict[str, Any]] = {}  # by the address of the page
running: list[Any] = []  # the preview, when this is one


def on_startup(*, command: str, dirty: bool, **_: Any) -> None:  # noqa: ANN401 (MkDocs' own types)
    """Begin a preview; a build, which ends with its process, looks for rubbish seldom."""
    if command == "build":
        gc.set_threshold(20_000, 20, 20)
    if command == "serve" and dirty:
        from pipeline.site.pages import preview  # a plain build of pages made elsewhere does not need it

        running[:] = [preview.start()]


def on_config(config: Any, **_: Any) -> Any:  # noqa: ANN401
    """Put the charts behind their list in the navigation, and the markets into the header's switch of prices."""
    from pipeline.derive.prices.rules import MARKETS
    from pipeline.site.charts.listed import CHARTS

    config["extra"] = {**config.get("extra", {}), "markets": list(MARKETS.values())}

    section = _section(config["nav"] or [], CHART_LIST)
    if section is not None:
        at = section.index(CHART_LIST) + 1
        section[at:at] = [{chart.menu: f"charts/{chart.id}.md"} for chart in CHARTS]
    return config


def on_env(env: Any, **_: Any) -> Any:  # noqa: ANN401
    """Keep the theme's compiled templates, as those of our pages are."""
    env.bytecode_cache = Compiled("theme", Path(__file__), Path(mkdocs.__file__))
    keep_frame(env)
    return env


def keep_frame(env: Any) -> None:  # noqa: ANN401
    """Have the theme write the parts that all finished pages outside the navigation share once for each folder."""
    kept: dict[Any, str] = {}
    base = env.get_template("base.html")
    for name in SHARED_BLOCKS:
        base.blocks[name] = _written_once(name, base.blocks[name], kept)
    for name in SHARED_PARTIALS:
        partial = env.get_template(name)
        partial.root_render_func = _written_once(name, partial.root_render_func, kept)


def _written_once(name: str, write: Callable[..., Iterator[str]], kept: dict[Any, str]) -> Callable[..., Iterator[str]]:
    """A part of the theme that writes again what it wrote for a page beside it that hides the same."""

    def written(context: Any, *args: Any, **named: Any) -> Iterator[str]:  # noqa: ANN401
        page = context.get("page")
        if page is None or page.file.src_uri not in finished or page.file.src_uri in in_menu:
            yield from write(context, *args, **named)
            return
        key = (name, context["base_url"], dirname(page.url.rstrip("/")), tuple(page.meta.get("hide", ())))
        if key not in kept:
            kept[key] = "".join(write(context, *args, **named))
        yield kept[key]

    return written


def _section(nav: list[Any], page: str) -> list[Any] | None:
    """The part of the navigation that holds a page."""
    if page in nav:
        return nav
    parts = (part for entry in nav if isinstance(entry, dict) for part in entry.values() if isinstance(part, list))
    return next((found for part in parts if (found := _section(part, page)) is not None), None)


def on_nav(nav: Any, **_: Any) -> Any:  # noqa: ANN401
    """Note which pages are in the navigation."""
    in_menu.clear()
    in_menu.update(page.file.src_uri for page in nav.pages)
    return nav


def on_serve(server: Any, **_: Any) -> Any:  # noqa: ANN401
    """Watch for the wish for a second build."""
    SECOND_BUILD.parent.mkdir(parents=True, exist_ok=True)
    server.watch(str(SECOND_BUILD.parent))
    return server


def on_post_build(config: Any, **_: Any) -> None:  # noqa: ANN401
    """Mend the search, draw what links show; wish for a second build when this one left pages behind."""
    mend_search(Path(config["site_dir"]))
    if not running:
        trim_scripts(Path(config["site_dir"]))
        draw_shared(Path(config["site_dir"]))
    if any(preview.behind for preview in running):
        Timer(SECOND_BUILD_AFTER_S, SECOND_BUILD.touch).start()


def mend_search(site: Path) -> None:
    """Give the theme's search keys that cannot collide."""
    for script in site.glob(SEARCH_SCRIPTS):
        script.write_text(mended(script.read_text(encoding="utf-8"), script.name), encoding="utf-8")


def trim_scripts(site: Path) -> None:
    """Leave the comments of our scripts to those who read the repository: they are a quarter of what a phone loads."""
    for script in site.glob(SCRIPTS):
        script.write_text(COMMENTS.sub("", script.read_text(encoding="utf-8")), encoding="utf-8")


def draw_shared(site: Path) -> None:
    """Draw beside each page what a link to it shows elsewhere."""
    for address, told in to_share.items():
        (site / address / shared.FILE).write_bytes(_picture(told))


def _picture(told: dict[str, Any]) -> bytes:
    """The picture of a link, drawn anew only where what it says or the code that draws it is new."""
    kept = SHARED_KEPT / f"{sha256(json.dumps(told).encode() + Path(shared.__file__).read_bytes()).hexdigest()}.png"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        part.write_bytes(shared.picture(Shared(**told)))
        part.replace(kept)
    return kept.read_bytes()


def mended(script: str, name: str) -> str:
    """The search script with keys that cannot collide; PluginError when a new theme writes that line otherwise."""
    if script.count(JOINED) + script.count(APART) != 1:
        raise PluginError(f"{name}: lunr's TokenSet.toString is not what docs/hooks.py expects; look at JOINED there")
    return script.replace(JOINED, APART)


def on_page_read_source(*, page: Any, **_: Any) -> str | None:  # noqa: ANN401
    """Read the page without its finished body, and its front matter as the JSON that it is (YAML takes ten times as
    long); None where it has none.
    """
    text = page.file.content_string
    parts = _parted(text)
    told = FRONT_MATTER.match(parts[0]) if parts else None
    if not parts or not told:
        return None
    told_by[page.file.src_uri] = {key: json.loads(value) for key, value in ENTRY.findall(told[1])}
    return f"{parts[0][told.end() :]}{BEGIN}{END}{parts[2]}"


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:  # noqa: ANN401
    """Take the finished body out of a page."""
    page.meta = told_by.pop(page.file.src_uri, page.meta)
    parts = _parted(markdown)
    if parts and parts[0].startswith(HEAD_OF_PAGE) and not parts[2].strip():
        finished.add(page.file.src_uri)
        page.render = partial(_as_it_is, page, parts[0].strip())
    return f"{parts[0]}{PLACE}{parts[2]}" if parts else markdown


def _as_it_is(page: Any, head: str, *_: Any) -> None:  # noqa: ANN401
    """In place of the page's own step from Markdown to HTML, where there is no Markdown."""
    page.content = f"{head}\n\n{PLACE}"
    page.toc = get_toc([])
    page.present_anchor_ids = set(ID.findall(head))


def on_post_page(output: str, *, page: Any, **_: Any) -> str:  # noqa: ANN401
    """Say what the page may run, put the body back where it stood, and note what a link to the page shows."""
    if told := page.meta.get("shared"):
        to_share[page.url] = told
    output = guarded(valid(output))
    if PLACE not in output:
        return output
    parts = _parted(page.file.content_string)
    return output.replace(PLACE, parts[1], 1) if parts else output


def on_post_template(output_content: str, *, template_name: str, **_: Any) -> str:  # noqa: ANN401
    """Say what the page for missing addresses may run; keep the map of the site short."""
    if template_name == SITE_MAP:
        return NEEDLESS_IN_MAP.sub("", output_content)
    return guarded(valid(output_content)) if template_name.endswith(".html") else output_content


def valid(page: str) -> str:
    """The page without the theme's slips: a validator that finds nothing is one that people read."""
    for written, meant in THEME_SLIPS:
        page = page.replace(written, meant)
    return page if CONTENTS in page else page.replace(LABEL_OF_CONTENTS, "")


def guarded(page: str) -> str:
    """The page with its content security policy; the scripts it holds so far are the theme's."""
    scripts = "".join(f" {_hash(script)}" for script in INLINE_SCRIPT.findall(page))
    policy = POLICY.format(scripts=scripts, empty=_hash(""))
    return page.replace(HEAD, f'{HEAD}<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)


@cache
def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _parted(text: str) -> tuple[str, str, str] | None:
    """What stands before the finished body, the body, and what follows (a pattern would take a millisecond a page)."""
    before, begin, rest = text.partition(BEGIN)
    body, end, after = rest.partition(END)
    return (before, body, after) if begin and end else None
