"""How `make test` takes samples of what `make test-full` walks through whole.

A test says how many of its cases are enough in daily work, in one of five ways; which ones they are follows from their
names alone, so that they are the same on every machine, and one more case changes hardly any other.

- `@pytest.mark.sample(8)` above a parametrised test: 8 of its cases.
- the fixture `some` in a test that walks through many things itself: `for page in some(pages, 30)`. Such a test runs
  twice, once with the sample and once, in the full tests, with everything.
- `@counts(40, 300)` above a test of random cases: its argument `count` is 40, and 300 in the full tests.
- `@examples(40, 300, texts())` in place of Hypothesis' own `@given`: 40 examples, and 300 in the full tests.
- the fixture `view` in a test of a page: each case is seen in one of the four views, in the full tests in all.

What is left out gets the mark `full`. A sample is of cases of one kind: what a fault of another kind would break has
a test, or a case that is never left out, of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

Case = TypeVar("Case")


class Some(Protocol):
    """So many of the cases, in their order; in the full tests all of them."""

    def __call__(self, cases: Iterable[Case], count: int) -> list[Case]: ...


def drawn(cases: Iterable[Case], count: int, name: Callable[[Case], object] = str) -> list[Case]:
    """So many of the cases, in their order, which their names alone choose."""
    every = list(cases)
    ranked = sorted(range(len(every)), key=lambda at: (crc32(str(name(every[at])).encode()), at))
    return [every[at] for at in sorted(ranked[:count])]


def counts(quick: int, full: int) -> pytest.MarkDecorator:
    """Random cases by number: the argument `count` of a test."""
    return pytest.mark.parametrize("count", [quick, pytest.param(full, marks=pytest.mark.full)])


def examples(
    quick: int, full: int, *strategies: SearchStrategy[object]
) -> Callable[[Callable[..., None]], Callable[[int], None]]:
    """Examples of Hypothesis, the same in each run: the arguments of a test that takes nothing else."""

    def made(test: Callable[..., None]) -> Callable[[int], None]:
        @counts(quick, full)
        def tried(count: int) -> None:
            slow = [HealthCheck.too_slow]
            drawn_so_often = settings(max_examples=count, deadline=None, suppress_health_check=slow, derandomize=True)
            drawn_so_often(given(*strategies)(test))()

        return tried

    return made


def leave_to_the_full_tests(items: Iterable[pytest.Item]) -> None:
    """Mark as `full` the cases of each test that are not in its sample, and all but one view of a case."""
    by_test: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            by_test[item.nodeid.partition("[")[0]].append(item)
    for cases in by_test.values():
        for views in _seen(cases):
            _leave(views, drawn(views, 1, lambda case: case.nodeid))
        if sample := cases[0].get_closest_marker("sample"):
            quick = [case for case in cases if not case.get_closest_marker("full")]
            _leave(quick, drawn(quick, sample.args[0], lambda case: case.nodeid))


def _seen(cases: Iterable[pytest.Function]) -> Iterable[list[pytest.Function]]:
    """The views of each case that is seen in several."""
    views: dict[str, list[pytest.Function]] = defaultdict(list)
    for case in cases:
        if "view" in case.callspec.params:
            views[str({name: value for name, value in case.callspec.params.items() if name != "view"})].append(case)
    return views.values()


def _leave(cases: Iterable[pytest.Function], quick: list[pytest.Function]) -> None:
    for case in cases:
        if case not in quick:
            case.add_marker(pytest.mark.full)
