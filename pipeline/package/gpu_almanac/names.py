"""From what people and drivers call a GPU to its id; a name that several GPUs share is never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache

from gpu_almanac.errors import AmbiguousGpuError, UnknownGpuError
from gpu_almanac.store import table

SUGGESTIONS = 3
LIKENESS = 0.6


def resolve(name: object) -> str:
    """Find the id of a GPU by id, name or alias, as "H100 SXM" or "rtx-4090".

    AmbiguousGpuError lists the variants where several GPUs share the name; UnknownGpuError suggests near names.
    """
    if not isinstance(name, str) or not name.strip():
        raise UnknownGpuError(f"a GPU's name is a text, as 'RTX 4090'; {name!r} is none")
    names = table("names")
    if name in names["cards"]:
        return name
    spelled = key(name)
    found: str | None = names["spellings"].get(spelled)
    if found and _same_maker(name, found):
        return found
    family = names["families"].get(spelled)
    if family:
        raise AmbiguousGpuError(_which(name, family["could_be"], family["reason"]), family["could_be"])
    variants = [id for id in _sharing(words(name)) if _same_maker(name, id)]
    if len(variants) > 1:
        raise AmbiguousGpuError(_which(name, variants, "several GPUs have these words in their names"), variants)
    near = variants or suggestions(name)
    hint = f"; did you mean {' or '.join(repr(_called(id)) for id in near)}?" if near else ""
    raise UnknownGpuError(f"no GPU is called {name!r}{hint}", near)


def suggestions(name: str) -> list[str]:
    """The ids of the GPUs whose names look most like a name that nobody has, the nearest first."""
    spellings = table("names")["spellings"]
    near = get_close_matches(key(name), spellings, n=4 * SUGGESTIONS, cutoff=LIKENESS)
    return list(dict.fromkeys(spellings[spelling] for spelling in near))[:SUGGESTIONS]


def key(name: str) -> str:
    """The form in which names are compared: lower case, letters and digits only, without the maker."""
    makers = table("names")["maker_words"]
    return "".join(word for word in _split(name) if word not in makers)


def words(name: str) -> frozenset[str]:
    """The words of a name, without the maker and with "80 GB" and "80G" as "80gb"."""
    makers = table("names")["maker_words"]
    joined = re.sub(r"(\d)\s*gb?\b", r"\1gb", name.casefold())
    return frozenset(word for word in _split(joined) if word not in makers)


def _split(name: str) -> list[str]:
    rules = table("names")
    for mark, plain in rules["marks"].items():
        name = name.replace(mark, plain)
    return [word for word in re.split(rules["separators"], name.casefold()) if word]


def _same_maker(name: str, id: str) -> bool:
    """Whether a maker that a name mentions, if any, is the GPU's, or a house in its own name (NVIDIA Groq 3 LPU)."""
    card, claimed = table("names")["cards"][id], _makers(name)
    named = _makers(card["name"])
    own = named if card["vendor"] in named else {card["vendor"]}
    return not claimed or bool(claimed & own)


def _makers(name: str) -> set[str]:
    makers: dict[str, str] = table("names")["vendor_of_word"]
    return {makers[word] for word in _split(name) if word in makers}


def _sharing(asked: frozenset[str]) -> list[str]:
    """The GPUs of which one spelling holds all words of a name."""
    if not asked:
        return []
    return sorted(id for id, spellings in _spelled().items() if any(asked <= spelling for spelling in spellings))


@cache
def _spelled() -> Mapping[str, tuple[frozenset[str], ...]]:
    cards = table("names")["cards"]
    return {id: tuple(map(words, (id, card["name"], *card["aliases"]))) for id, card in cards.items()}


def _which(name: str, variants: Iterable[str], reason: str) -> str:
    listed = ", ".join(f"{_called(id)!r} ({id})" for id in variants)
    return f"{name!r} is shared by several GPUs ({reason}); say which: {listed}"


def _called(id: str) -> str:
    """The shortest spelling that leads to a GPU and to no other."""
    name: str = table("names")["cards"][id]["name"]
    return name
