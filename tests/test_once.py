"""What is made of a large object is made once, told by identity and by the further arguments."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.core.once import OBJECTS, once


class Whole:
    """Something that cannot be compared: equality would fail."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise AssertionError("two large objects were compared")


def counted() -> tuple[Any, list[tuple[Whole, str]]]:
    calls: list[tuple[Whole, str]] = []

    @once
    def work(whole: Whole, more: str = "usual") -> list[str]:
        if more == "broken":
            raise ValueError(more)
        calls.append((whole, more))
        return [more]

    return work, calls


def test_an_answer_is_made_once_for_an_object_and_its_further_arguments() -> None:
    work, calls = counted()
    whole = Whole()
    assert work(whole) is work(whole)
    assert work(whole, "other") is not work(whole)
    assert work(whole, more="other") == ["other"]
    assert len(calls) == 3  # by place and by name are two ways to ask


def test_only_the_newest_objects_are_remembered() -> None:
    work, calls = counted()
    wholes = [Whole() for _ in range(OBJECTS + 1)]
    for whole in wholes:
        work(whole)
    work(wholes[-1])
    assert len(calls) == OBJECTS + 1
    work(wholes[0])
    assert len(calls) == OBJECTS + 2


def test_an_error_is_not_remembered() -> None:
    work, _ = counted()
    whole = Whole()
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            work(whole, "broken")
