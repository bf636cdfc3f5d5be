"""How names of cards are compared, found within texts and held to mean one product."""

from __future__ import annotations

from typing import Any

import pytest
from samples import GPU

from pipeline.core import identity
from pipeline.core.gpus import Gpu
from pipeline.core.identity import Ambiguous, NameFile, Names, key, too_wide, vendors


def cards(*made: tuple[str, str, list[str]], **about: Any) -> dict[str, Gpu]:
    return {
        id: Gpu.model_validate({**GPU, "id": id, "name": name, "aliases": also, **about}) for id, name, also in made
    }


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("NVIDIA RTX 4090", "rtx4090"),
        ("NVIDIA® RTX™ 4090", "rtx4090"),
        ("Nvidia Corporation RTX-4090 (R)", "rtx4090"),
        ("RTX\u00a04090/D", "rtx4090d"),
        ("RTX [4090]: D, x.1_2", "rtx4090dx12"),
    ],
)
def test_names_are_compared_by_letters_and_digits(name: str, spelled: str) -> None:
    assert key(name) == spelled


def test_the_makers_that_a_name_tells() -> None:
    assert vendors("NVIDIA RTX 4090") == {"NVIDIA"}
    assert vendors("RTX 4090") == set()
    assert vendors("AMD or NVIDIA") == {"AMD", "NVIDIA"}


def told(shared: int) -> list[str]:
    """What is said of a card with the alias X1, which so many others have in their names."""
    one = ("nvidia-one", "NVIDIA Own Card", ["X1"])
    others = [(f"nvidia-{at}", f"NVIDIA X1 Model{at}", []) for at in range(shared)]
    return [line for line in too_wide(cards(one, *others)) if "aliases: 'X1'" in line]


def test_a_name_that_five_others_bear_is_that_of_a_family() -> None:
    assert told(4) == []
    (line,) = told(5)
    assert line.startswith("data/gpus/nvidia-one.yml: aliases: 'X1' is the name of a family: 5 other cards have it")
    assert "as NVIDIA X1 Model0;" in line


@pytest.mark.parametrize(("alias", "short"), [("X", True), ("X1", False), ("NVIDIA X", True)])
def test_one_sign_is_too_short_for_a_name(alias: str, short: bool) -> None:
    found = [line for line in too_wide(cards(("nvidia-one", "NVIDIA Own Card", [alias]))) if "too short" in line]
    assert bool(found) is short


def test_a_name_of_another_maker_is_told() -> None:
    (line,) = too_wide(cards(("nvidia-one", "NVIDIA Own Card", ["AMD Own"])))
    assert line.endswith("'AMD Own' names a product of AMD, and this one is made by NVIDIA; correct one")


TWO = cards(("nvidia-a", "NVIDIA RTX 1", ["RTX 1"]), ("nvidia-b", "NVIDIA RTX 1 Ti", ["RTX 1 Ti"]))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("RTX 1", [("RTX 1", {"nvidia-a"})]),
        ("RTX 1 and RTX 1 Ti", [("RTX 1 Ti", {"nvidia-b"}), ("RTX 1", {"nvidia-a"})]),
        ("two RTX 1 Ti", [("RTX 1 Ti", {"nvidia-b"})]),
        ("RTX 1, RTX 1", [("RTX 1", {"nvidia-a"}), ("RTX 1", {"nvidia-a"})]),
        ("AMD RTX 1", [("RTX 1", {"nvidia-a"})]),
        ("RTX", []),
        ("", []),
    ],
)
def test_names_within_a_text(text: str, found: list[tuple[str, set[str]]]) -> None:
    assert [(name, set(of)) for name, of in Names(TWO).named_in(text)] == found


def test_a_name_of_nine_words_is_found_and_one_of_ten_is_not() -> None:
    nine, ten = " ".join("abcdefghi"), " ".join("abcdefghij")
    known = Names(cards(("nvidia-n", "NVIDIA N N", [nine]), ("nvidia-t", "NVIDIA T T", [ten])))
    assert known.named_in(nine) == [(nine, frozenset({"nvidia-n"}))]
    assert known.named_in(ten) == [(nine, frozenset({"nvidia-n"}))]


def test_a_family_is_ambiguous_and_its_cards_are_told() -> None:
    family = Ambiguous(name="RTX", could_be=("nvidia-a", "nvidia-b"), reason="which is not stated")
    known = Names(TWO, [NameFile(ambiguous=(family,))])
    found = known.resolve("shop", "NVIDIA RTX")
    assert (found.gpu, found.verdict) == (None, "ambiguous")
    assert found.reason == "which is not stated; could be nvidia-a, nvidia-b"
    assert known.find("rtx-1-ti") == "nvidia-b"
    assert known.find("rtx") is None


def test_the_nearest_name_is_told_from_85_of_100_on() -> None:
    known = Names(TWO)
    assert known.suggestion("NVIDIA RTX 1x").startswith("nearest known name: 'NVIDIA RTX 1'; add it")
    assert known.suggestion("something else").startswith("add it")


@pytest.mark.parametrize("pattern", [".*", ".+", "[a-z ]*"])
def test_a_pattern_that_fits_every_name_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="fits every name"):
        identity._pattern(pattern)
    assert identity._pattern("RTX.*") == "RTX.*"
    with pytest.raises(ValueError, match="cannot be read"):
        identity._pattern("(")
