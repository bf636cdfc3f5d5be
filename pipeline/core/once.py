"""Remember what is made of a large object, so that pages and tests which share it make it once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Whole = TypeVar("Whole")
More = ParamSpec("More")
Made = TypeVar("Made")

KEPT = "_once"  # the attribute of an object that holds the answers


def once(work: Callable[Concatenate[Whole, More], Made]) -> Callable[Concatenate[Whole, More], Made]:
    """A function that works out its answer once for each object and further arguments.

    For functions of a dataset, which is told by identity because comparing two would cost more than the work; the
    further arguments are compared. The object carries its answers, so that they go when it goes, and a changed copy
    (`dataclasses.replace`) begins with none. An error is not remembered.
    """

    @wraps(work)
    def remembered(whole: Whole, /, *args: More.args, **named: More.kwargs) -> Made:
        kept: dict[Any, list[tuple[tuple[Any, ...], dict[str, Any], Made]]] = vars(whole).setdefault(KEPT, {})
        answers = kept.setdefault(work, [])
        for known_args, known_named, made in answers:
            if known_args == args and known_named == named:
                return made
        answers.append((args, named, work(whole, *args, **named)))
        return answers[-1][2]

    return remembered
