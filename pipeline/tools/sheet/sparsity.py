"""What a text says of sparsity: dense, sparse, the order of a pair, or nothing that a reader could rely on."""

from __future__ import annotations

import re

from pipeline.tools.sheet.words import (
    COMPARES,
    DENSE,
    EVERY_RATE_SPARSE,
    HALF_WITHOUT,
    NEGATES_SPARSITY,
    OTHERWISE,
    PAIR_ORDER,
    SPARSE,
    TWISTS,
    UNCLEAR,
)


def stance(text: str) -> str:
    """Say how a text stands; "" when it does not speak of sparsity, UNCLEAR when it does in a way we cannot follow."""
    # "Half precision" compares nothing.
    words = re.sub(r"\b(half|double|single)[ -]precision\b", " ", re.sub(r"\s+", " ", text).casefold())
    words = re.sub(OTHERWISE, " ", words)
    if not mentions(words):
        return ""
    for pattern, order in PAIR_ORDER:
        if re.search(pattern, words):
            return order
    clauses = [clause for clause in re.split(r"[.;](?!\d)", words) if mentions(clause)]
    plain = {_clause(clause) for clause in clauses if not re.search(COMPARES, clause)}
    if len(plain) == 1:
        return plain.pop()
    if not plain and any(re.search(HALF_WITHOUT, clause) for clause in clauses):
        return SPARSE
    return UNCLEAR


def mentions(text: str) -> bool:
    """Say whether a text speaks of sparsity at all."""
    return bool(re.search(r"spars|\bdense\b", text.casefold()))


def holds_for_every_rate(text: str) -> bool:
    """Say whether a sentence outside the table puts every matrix rate under sparsity."""
    return bool(re.search(EVERY_RATE_SPARSE, text.casefold())) and stance(text) == SPARSE


def _clause(clause: str) -> str:
    if re.search(TWISTS, clause) or re.search(r"\bwith (and|or|and/or) without\b", clause):
        return UNCLEAR
    negative = bool(re.search(NEGATES_SPARSITY, clause)) or ("dense" in clause and "spars" not in clause)
    positive = bool(re.search(r"spars", re.sub(NEGATES_SPARSITY, " ", clause)))
    if negative and positive:
        return UNCLEAR
    return DENSE if negative else SPARSE
