"""Names near a mistyped one, by one rule: shared pairs of letters, and the length."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3


def nearest(text: str, names: Iterable[str], most: int = MOST) -> list[str]:
    """The names that share the most pairs of letters with a text (Dice's coefficient), the first by name at a tie."""
    wanted = _pairs(text)
    return sorted(names, key=lambda name: (-_alike(wanted, _pairs(name)), name))[:most]


def _pairs(text: str) -> dict[str, int]:
    plain = f" {text} "
    found: dict[str, int] = {}
    for i in range(len(plain) - 1):
        found[plain[i : i + 2]] = found.get(plain[i : i + 2], 0) + 1
    return found


def _alike(a: dict[str, int], b: dict[str, int]) -> float:
    shared = sum(min(amount, b[pair]) for pair, amount in a.items() if pair in b)
    return 2 * shared / (sum(a.values()) + sum(b.values()))
