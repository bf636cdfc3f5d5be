"""The table of sources in a release: what was decided on each source's own licence, and how many rows rest on it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from samples import price, result

from pipeline.site.release import tables


def test_a_source_stands_with_what_was_decided_on_its_own_licence_and_its_rows() -> None:
    lists = {"shop": ("keep", "facts"), "sheet": ("leave out", "no licence")}
    licences: Any = SimpleNamespace(
        listed=lambda source: source == "shop",
        of=lambda source: SimpleNamespace(decision=lists[source][0], reason=lists[source][1]),
    )
    stated = SimpleNamespace(
        source="sheet", source_title="Sheet", kind="vendor", url="https://e.org/s", licence="not stated"
    )
    released: Any = SimpleNamespace(
        claims=[stated, stated],
        benchmarks=[result(source="shop", url="https://e.org/b", licence="MIT")],
        prices=[price(source="shop", url="https://e.org/p", licence="MIT")],
    )
    assert list(tables._sources(released, licences)) == [
        ("sheet", "Sheet", "vendor", "https://e.org/s", "not stated", "leave out", "no licence", 2),
        ("shop", "shop", None, None, "MIT", "keep", "facts", 2),  # of a list that is named elsewhere no single page
    ]
