"""Fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import DESK, PHONE, VIEWS, Screens, View, Watch, opened, served, sound
from playwright.sync_api import Browser, Page, expect, sync_playwright
from samples import Tree
from sampling import Some, drawn, leave_to_the_full_tests

from pipeline.tools.setup.browser import LAUNCH_ARGS, chromium_path

# A machine with much else to do draws a chart late, which is no fault of the site.
expect.set_options(timeout=20_000)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A sound data tree in a temporary folder."""
    return Tree(tmp_path)


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the built site."""
    with served() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser for all tests; each opens a context of its own in it."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(chromium_path()), args=list(LAUNCH_ARGS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def screens(browser: Browser) -> Screens:
    """Pages that the tests use one after the other."""
    return Screens(browser)


@pytest.fixture
def desk(screens: Screens) -> Iterator[tuple[Page, Watch]]:
    """A page at desktop width; whatever a test does, nothing may complain and no other host be asked."""
    yield from _quiet(screens, DESK)


@pytest.fixture
def phone(screens: Screens) -> Iterator[tuple[Page, Watch]]:
    """The same on a phone."""
    yield from _quiet(screens, PHONE)


@pytest.fixture
def alone(browser: Browser) -> Iterator[tuple[Page, Watch]]:
    """The same as `desk` in a context that no other test uses: for a test that changes the browser itself."""
    context, page, watch = opened(browser)
    yield page, watch
    context.close()
    assert sound(watch)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Show a test of the page in any view all four."""
    shown = any("view" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "view" in metafunc.fixturenames and not shown:
        metafunc.parametrize("view", VIEWS, ids=str, indirect=True)


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to the full tests what is not in a sample, and begin with what takes longest."""
    leave_to_the_full_tests(items)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(params=["sample", pytest.param("all", marks=pytest.mark.full)])
def some(request: pytest.FixtureRequest) -> Some:
    """Takes so many of the cases that a test walks through; in the full tests all of them."""
    return drawn if request.param == "sample" else lambda cases, count: list(cases)


@pytest.fixture
def view(screens: Screens, request: pytest.FixtureRequest) -> Iterator[tuple[Page, Watch]]:
    """The same on a phone or a desktop, in the dark or the light (see sampling.py)."""
    yield from _quiet(screens, request.param)


def _quiet(screens: Screens, view: View) -> Iterator[tuple[Page, Watch]]:
    with screens.lent(view) as (page, watch):
        yield page, watch
    assert sound(watch)
