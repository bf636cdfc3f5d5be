"""Remember what is made of a large object, so that pages and tests which share it make it once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Whole = TypeVar("Whole")
More = ParamSpec("More")
Made = TypeVar("Made")

OBJECTS = 2  # a build has one dataset; a test that changes it has a second one


def once(work: Callable[Concatenate[Whole, More], Made]) -> Callable[Concatenate[Whole, More], Made]:
    """A function that works out its answer once for each object and further arguments.

    For functions of a dataset, which is told by identity because comparing two would cost more than the work; the
    further arguments are compared. The answers of the newest two objects are kept. An error is not remembered.
    """
    kept: list[tuple[Whole, list[tuple[tuple[Any, ...], dict[str, Any], Made]]]] = []

    @wraps(work)
    def remembered(whole: Whole, /, *args: More.args, **named: More.kwargs) -> Made:
        answers = next((answers for known, answers in kept if known is whole), None)
        if answers is None:
            answers = []
            kept[:] = [(whole, answers), *kept[: OBJECTS - 1]]
        for known_args, known_named, made in answers:
            if known_args == args and known_named == named:
                return made
        answers.append((args, named, work(whole, *args, **named)))
        return answers[-1][2]

    return remembered
