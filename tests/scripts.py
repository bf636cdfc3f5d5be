"""The modules of docs/javascripts served to a browser, and what they say held against what Python says."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, Page, Route

from pipeline.core.paths import ROOT
from pipeline.site.scripts import listed

FOLDER = ROOT / "docs" / "javascripts"
TOLERANCE = 1e-9


def page_of_scripts(browser: Browser) -> Page:
    """A page into which the modules, written by hand or translated, can be imported."""
    listed.write()

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        folder = listed.FOLDER if name in listed.modules() else FOLDER
        route.fulfill(path=folder / name, content_type="text/javascript")

    page = browser.new_page()
    page.route("http://scripts/*", answer)
    page.goto("http://scripts/python.js")
    return page


def differences(python: Any, script: Any) -> list[str]:
    """Where the two differ: numbers by more than one in a billion, everything else at all; a missing name is null."""
    mine, other = dict(_leaves(python)), dict(_leaves(script))
    pairs = {where: (mine.get(where), other.get(where)) for where in sorted({*mine, *other})}
    return [
        f"{where}: {str(a)[:200]!r}, JavaScript {str(b)[:200]!r}" for where, (a, b) in pairs.items() if not _same(a, b)
    ]


def _leaves(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    if value and isinstance(value, dict | list):
        for name, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(one, f"{where}.{name}")
    else:
        yield where, value


def _same(one: Any, other: Any) -> bool:
    if {type(one), type(other)} <= {int, float}:  # True is not 1
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-12)
    return type(one) is type(other) and bool(one == other)
