"""What is made of a large object is made once, told by identity and by the further arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from gc import collect
from typing import Any
from weakref import ref

import pytest

from pipeline.core.once import once


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


def test_answers_outlive_other_objects_but_not_their_own() -> None:
    work, calls = counted()
    first = Whole()
    for whole in (first, Whole(), Whole(), Whole(), first):
        work(whole)
    assert len(calls) == 4
    calls.clear()
    gone = ref(first)
    del first, whole
    collect()
    assert gone() is None


def test_a_changed_copy_begins_without_answers() -> None:
    @dataclass(frozen=True)
    class Table:
        rows: tuple[int, ...]

    total = once(lambda table: sum(table.rows))
    table = Table((1, 2))
    assert total(table) == 3
    assert total(replace(table, rows=(1, 2, 3))) == 6


def test_an_error_is_not_remembered() -> None:
    work, _ = counted()
    whole = Whole()
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            work(whole, "broken")
