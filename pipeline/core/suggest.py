"""Names near a mistyped one, by the same rule in Python and in the browser: shared pairs of letters, and the length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

MOST = 3


def nearest(text: str, names: Iterable[str], most: int = MOST) -> list[str]:
    """The names that share the most pairs of letters with a text (Dice's coefficient), the first by name at a tie."""
    wanted = _pairs(text)
    return sorted(names, key=lambda name: (-_alike(wanted, _pairs(name)), name))[:most]


def _pairs(text: str) -> Counter[str]:
    plain = f" {text} "
    return Counter(plain[i : i + 2] for i in range(len(plain) - 1))


def _alike(a: Counter[str], b: Counter[str]) -> float:
    shared = sum(min(amount, b[pair]) for pair, amount in a.items() if pair in b)
    return 2 * shared / (a.total() + b.total())
