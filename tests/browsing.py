"""The built site served below /gpu-almanac/ as it is published, and a browser page that is watched."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Request

from pipeline.paths import ROOT

# Another folder than site/ may be looked at: SITE=/elsewhere python -m pytest -m browser
SITE = Path(os.environ.get("SITE", ROOT / "site"))
BELOW = "/gpu-almanac/"
PUBLISHED = "https://gpu-almanac.github.io/gpu-almanac/"


class Handler(SimpleHTTPRequestHandler):
    """Serves the built site below its sub-path, and its 404 page where there is nothing, as GitHub Pages does."""

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
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._asked)

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)

    def hosts(self) -> set[str | None]:
        return {urlsplit(url).hostname for url in self.requests if not url.startswith(("data:", "blob:"))}


def opened(browser: Browser, width: int = 1280, **options: object) -> tuple[BrowserContext, Page, Watch]:
    context = browser.new_context(viewport={"width": width, "height": 844}, **options)  # type: ignore[arg-type]
    page = context.new_page()
    return context, page, Watch(page)


@contextmanager
def served() -> Iterator[str]:
    """The address of the built site while it is served."""
    assert (SITE / "index.html").exists(), f"{SITE} is not built; run: make site"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}{BELOW}"
    server.shutdown()
    server.server_close()
