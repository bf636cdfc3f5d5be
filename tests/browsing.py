"""The built site served below /gpu-almanac/ as it is published, and a browser page that is watched."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Request, Response

from pipeline.core.paths import ROOT

if TYPE_CHECKING:
    from _typeshed import SupportsRead, SupportsWrite

# Another folder than site/ may be looked at: SITE=/elsewhere python -m pytest -m browser
SITE = Path(os.environ.get("SITE", ROOT / "site"))
BELOW = "/gpu-almanac/"
PUBLISHED = "https://gpu-almanac.github.io/gpu-almanac/"
# Rows of a long table and dots of a chart are all of one kind: the first ones stand for the rest, and a check for
# barriers takes a second, not a minute.
FEWER = """() => document.querySelectorAll("tbody, ul, ol, dl, svg g").forEach((list) =>
  [...list.children].slice(12).forEach((entry) => entry.remove()))"""
# The scripts of the page have begun, where it has any: until then it does not hear what a reader presses.
STARTED = """() => document.documentElement.dataset.started === location.pathname
  || !document.querySelector('script[src*="javascripts/almanac.js"]')"""
# All that was asked for has come and the page has nothing left to do.
SETTLED = """() => new Promise((resolve) => {
  const quiet = () => requestIdleCallback(() => setTimeout(resolve, 30), { timeout: 300 });
  if (document.readyState === "complete") quiet();
  else addEventListener("load", quiet);
})"""


HEIGHT = 844  # of a phone's screen, and of the window on a desk


class View(NamedTuple):
    """How wide the screen is, and whether the reader likes it light or dark."""

    width: int
    scheme: Literal["light", "dark"]

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}"


VIEWS = tuple(View(width, scheme) for width in (390, 1280) for scheme in ("light", "dark"))


PHONE, DESK = View(390, "light"), View(1280, "light")


class Handler(SimpleHTTPRequestHandler):
    """Serves the built site below its sub-path, and its 404 page where there is nothing, as GitHub Pages does."""

    protocol_version = "HTTP/1.1"  # one connection for the files of a page, as a real host has it

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(BELOW.rstrip("/")))

    def do_GET(self) -> None:
        """Serve a file; the site map as if the site were published at this address, which the theme compares."""
        if not self.path.endswith("/sitemap.xml"):
            super().do_GET()
            return
        here = f"http://{self.headers['Host']}{BELOW}"
        body = (SITE / "sitemap.xml").read_text(encoding="utf-8").replace(PUBLISHED, here)
        self._send(200, body.encode(), "application/xml")

    def copyfile(self, source: SupportsRead[bytes], outputfile: SupportsWrite[bytes]) -> None:
        """Send a file; a page that is left before it has all of it hangs up, which is no fault."""
        with suppress(ConnectionError):
            super().copyfile(source, outputfile)

    def _send(self, code: int, body: bytes, type: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        self._send(code, (SITE / "404.html").read_bytes(), "text/html; charset=utf-8")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the tests tell what went wrong."""


class Watch:
    """Writes down what a page says on the console and whom it asks."""

    def __init__(self, page: Page) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._page = page
        page.on("console", self._said)
        page.on("pageerror", self._failed)
        page.on("request", self._asked)

    def leave(self) -> None:
        """Watch no longer, so that the page can be lent to another test."""
        self._page.remove_listener("console", self._said)
        self._page.remove_listener("pageerror", self._failed)
        self._page.remove_listener("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _failed(self, error: Error) -> None:
        self.complaints.append(str(error))

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)

    def hosts(self) -> set[str | None]:
        return {urlsplit(url).hostname for url in self.requests if not url.startswith(("data:", "blob:"))}


class Screens:
    """Pages that are lent to one test after the other, one by view.

    A browser context of its own and the first page in it take about three times the processor time of a page that is
    open already. Before a page is lent again, what a reader keeps in a browser is thrown away, and what a test may have
    changed is set back. A test that changes more (scripts that run in each page, rights) opens a context with `opened`.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._kept: dict[View, tuple[BrowserContext, Page]] = {}

    @contextmanager
    def lent(self, view: View) -> Iterator[tuple[Page, Watch]]:
        """A page in this view; one that cannot be set back afterwards is closed and not lent again."""
        context, page = self._kept.pop(view, None) or opened(self._browser, view.width, color_scheme=view.scheme)[:2]
        watch = Watch(page)
        try:
            yield page, watch
            self._set_back(context, page, view)
            self._kept[view] = context, page
        finally:
            watch.leave()
            if view not in self._kept:
                context.close()

    @staticmethod
    def _set_back(context: BrowserContext, page: Page, view: View) -> None:
        for other in context.pages:
            if other != page:
                other.close()
        page.unroute_all(behavior="ignoreErrors")
        context.clear_cookies()
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear(), sessionStorage.clear()")
        page.set_viewport_size({"width": view.width, "height": HEIGHT})
        page.emulate_media(media="null", color_scheme=view.scheme, reduced_motion="reduce")
        page.goto("about:blank")


def sound(watch: Watch) -> bool:
    """Whether nothing complained and no other host was asked; tells what did."""
    assert watch.complaints == []
    assert watch.hosts() <= {"127.0.0.1"}
    return True


def opened(browser: Browser, width: int = 1280, **options: object) -> tuple[BrowserContext, Page, Watch]:
    """A page in a context of its own, which the test closes."""
    # Without motion: a colour or a position on its way somewhere is measured as neither of its ends.
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT},
        reduced_motion="reduce",
        **options,  # type: ignore[arg-type]
    )
    page = context.new_page()
    page.goto = partial(_goto, page, page.goto, options.get("java_script_enabled", True))  # type: ignore[method-assign]
    return context, page, Watch(page)


def _goto(
    page: Page, go: Callable[..., Response | None], scripts: bool, address: str, **options: object
) -> Response | None:
    """Go to an address; unless a test says how far to wait, until the page answers to a reader."""
    response = go(address, **options)
    if scripts and not options:
        until(page, STARTED)
    return response


def settled(page: Page, address: str) -> None:
    """Open a page and wait until it has nothing left to do."""
    page.goto(address)
    page.evaluate(SETTLED)


def arrived(page: Page, address: str) -> None:
    """Wait until a link that was followed has brought its page, and the page answers to a reader."""
    page.wait_for_url(address)
    until(page, STARTED)


def until(page: Page, condition: str, about: object = None) -> None:
    """Wait until a condition holds; Playwright's own waiting evaluates text in the page, which its policy forbids."""
    end = monotonic() + 20
    while not page.evaluate(condition, about):
        assert monotonic() < end, f"not within 20 s: {condition}"
        page.wait_for_timeout(50)


def barriers(page: Page) -> list[tuple[str, str]]:
    """What axe finds in a page: the rule and the first place where it is broken. Long lists are cut before."""
    page.evaluate(FEWER)
    answer = Axe().run(page, options={"resultTypes": ["violations"]})
    return [(found["id"], found["nodes"][0]["html"][:160]) for found in answer.response["violations"]]


@contextmanager
def served() -> Iterator[str]:
    """The address of the built site while it is served."""
    assert (SITE / "index.html").exists(), f"{SITE} is not built; run: make site"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}{BELOW}"
    server.shutdown()
    server.server_close()
