"""What is said of a family reaches each of its cards, and a clause that says nothing sound is told by line."""

from __future__ import annotations

import re
from typing import Any

import pytest
from samples import GPU, Tree, as_yaml

from pipeline.core import clauses, gpus
from pipeline.core.clauses import FILE, ClauseError
from pipeline.record import build

DOCUMENT = {
    "title": "Driver licence",
    "kind": "vendor",
    "url": "https://e.org/licence",
    "read": "2026-11-21",
    "licence": "not stated",
}
CLAUSE = {
    "field": "licence_terms",
    "value": "not for data centres",
    "document": "licence",
    "locator": "section 2.8",
    "family": {"vendor": "NVIDIA", "segments": ["consumer"]},
}
CARD = "nvidia-geforce-rtx-4090"
LAPTOP = "nvidia-geforce-rtx-4090-laptop"


def written(tree: Tree, documents: dict[str, Any] | None = None, **changes: Any) -> None:
    """One clause, changed, beside a card and its laptop sibling."""
    own = {"tgp": {**DOCUMENT, "title": "Card", "url": "https://e.org/card"}}
    power = {"field": "board_power_w", "value": "450 W", "document": "tgp", "locator": "table 1"}
    tree.gpu(CARD, {**GPU, "documents": own, "values": [power]})
    laptop = {**GPU, "name": "NVIDIA GeForce RTX 4090 Laptop GPU", "aliases": [], "documents": own, "values": [power]}
    tree.gpu(LAPTOP, laptop)
    content = {"documents": {"licence": DOCUMENT} | (documents or {}), "values": [{**CLAUSE, **changes}]}
    tree.write(FILE, as_yaml(content))


def problems(tree: Tree) -> str:
    _, _, found = build.survey(tree.data)
    return "\n".join(found)


def terms(tree: Tree) -> dict[str, str]:
    """The licence terms of each card, by id, with the document behind them."""
    evidence, _, _ = build.survey(tree.data)
    chosen = {
        id: record["licence_terms"].chosen for id, record in evidence.records.items() if "licence_terms" in record
    }
    return {id: f"{claim.value}: {claim.source}, {claim.locator}" for id, claim in chosen.items()}


def test_a_clause_goes_to_every_card_of_its_family_and_to_no_other(tree: Tree) -> None:
    written(tree)
    assert terms(tree) == dict.fromkeys((CARD, LAPTOP), "not for data centres: licence, section 2.8")
    written(tree, family={"vendor": "NVIDIA", "gpus": ["nvidia-geforce-*"], "but": ["*-laptop"]})
    assert terms(tree) == {CARD: "not for data centres: licence, section 2.8"}


def test_without_the_file_nothing_is_said(tree: Tree) -> None:
    assert clauses.load(tree.data.clauses).values == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"field": "licence_term"}, "unknown field 'licence_term'; did you mean licence_terms?"),
        ({"document": "warranty"}, "document 'warranty' is not listed"),
        ({"field": "board_power_w", "value": "450 GB"}, "unit 'GB' does not fit"),
        ({"family": {"segments": ["consumer"]}}, "family, vendor: is missing"),
        ({"family": {"vendor": "NVIDIA", "card": "x"}}, "card: is no name that may stand here"),
    ],
)
def test_a_clause_that_cannot_be_read_is_told_by_its_line(tree: Tree, changes: dict[str, Any], message: str) -> None:
    written(tree, **changes)
    with pytest.raises(ClauseError) as error:
        clauses.load(tree.data.clauses)
    assert message in str(error.value)
    assert re.match(rf"data/{FILE}:\d+: ", str(error.value))
    assert message in problems(tree)


def test_a_clause_whose_family_is_empty_is_told(tree: Tree) -> None:
    written(tree, family={"vendor": "NVIDIA", "architectures": ["Keplar"]})
    told = f"data/{FILE}: values, entry 1: licence_terms by licence (section 2.8): no card is of this family"
    assert told in problems(tree)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"architectures": ["Ada Lovelace", "Ada Lovelase"]},
            "no card has 'Ada Lovelase'; did you mean 'Ada Lovelace'",
        ),
        ({"segments": ["consumer", "consumers"]}, "no card has 'consumers'; did you mean 'consumer'"),
        ({"gpus": [CARD, f"{CARD}-d"]}, f"no card has '{CARD}-d'; did you mean '{CARD}'"),
        ({"but": ["*-labtop"]}, "no card has '*-labtop'; correct it, or take it out"),
    ],
)
def test_a_word_of_a_family_that_no_card_answers_to_is_told(
    tree: Tree, words: dict[str, list[str]], message: str
) -> None:
    written(tree, family={"vendor": "NVIDIA", **words})
    assert f"data/{FILE}: values, entry 1: licence_terms by licence (section 2.8): family: {message}" in problems(tree)


def test_a_maker_in_other_letters_is_told_and_not_its_cards(tree: Tree) -> None:
    written(tree, family={"vendor": "Nvidia", "segments": ["consumer"]})
    told = problems(tree)
    assert "family: no card is of the maker 'Nvidia'; did you mean 'NVIDIA'" in told
    assert "no card has" not in told


def test_a_clause_that_stands_twice_is_told(tree: Tree) -> None:
    written(tree)
    tree.write(FILE, as_yaml({"documents": {"licence": DOCUMENT}, "values": [CLAUSE, CLAUSE]}))
    assert "values, entry 2: licence_terms by licence (section 2.8): stands in entry 1 already" in problems(tree)


def test_a_document_behind_no_clause_is_told(tree: Tree) -> None:
    written(tree, {"warranty": DOCUMENT})
    assert f"data/{FILE}: document 'warranty' is behind no clause" in problems(tree)


def test_a_document_has_one_description_under_one_name(tree: Tree) -> None:
    written(tree, {"tgp": DOCUMENT}, document="tgp")
    assert f"data/{FILE}: document 'tgp' is another one in data/gpus/{CARD}.yml" in problems(tree)


def test_a_wrong_value_of_a_family_is_told_at_the_clause(tree: Tree) -> None:
    written(tree, field="idle_power_w", value="4500 W")
    assert f"data/{FILE}: licence (section 2.8) on {CARD}: idle_power_w = '4500': outside" in problems(tree)


def test_what_a_card_says_of_itself_stays(tree: Tree) -> None:
    written(tree)
    known = gpus.load(tree.data.gpus)
    joined = clauses.load(tree.data.clauses).joined(known)
    assert [value.field for value in joined[CARD].values] == ["board_power_w", "licence_terms"]
    assert list(known[CARD].documents) == ["tgp"]
