"""Fixtures that all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Watch, opened, served
from playwright.sync_api import Browser, Page, sync_playwright
from samples import Tree

from pipeline.setup.browser import LAUNCH_ARGS, chromium_path


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A sound data tree in a temporary folder."""
    return Tree(tmp_path)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of the built site."""
    with served() as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of one module."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(chromium_path()), args=list(LAUNCH_ARGS))
        yield started
        started.close()


@pytest.fixture
def desk(browser: Browser) -> Iterator[tuple[Page, Watch]]:
    """A page at desktop width; whatever a test does, nothing may complain and no other host be asked."""
    context, page, watch = opened(browser)
    yield page, watch
    context.close()
    assert watch.complaints == []
    assert watch.hosts() <= {"127.0.0.1"}
