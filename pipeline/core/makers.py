"""Who makes GPUs: the makers of `data/makers.yml`, and the words by which sources call them.

A new maker is an entry there; nothing in Python names one.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pipeline.core.paths import DATA
from pipeline.core.yaml_text import lines_of
from pipeline.core.yaml_text import load as load_yaml

FILE = DATA.data / "makers.yml"


class MakerError(ValueError):
    """The file of makers cannot be read; the message names the file and the next step."""


@lru_cache(maxsize=2)
def load(path: Path = FILE) -> dict[str, tuple[str, ...]]:
    """Read the makers with the words that mean them, in lower case and in the order of the file."""
    shape = "write a line for each maker, as NVIDIA: [nvidia, geforce, tesla]"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MakerError(f"data/{path.name}: {' '.join(str(error).split())}; {shape}") from None
    listed = load_yaml(text, f"data/{path.name}", MakerError)
    if not isinstance(listed, dict):
        raise MakerError(f"data/{path.name}: holds no makers; {shape}")
    lines = lines_of(text)
    where = {maker: f"data/{path.name}:{lines.get((str(maker),), 1)}: {maker}" for maker in listed}
    for maker, words in listed.items():
        if wrong := _no_words(words):
            raise MakerError(f"{where[maker]}: {wrong}; {shape}")
    owner: dict[str, str] = {}
    for maker, words in listed.items():
        for word in {str(word).casefold() for word in (maker, *words)}:
            other = owner.setdefault(word, str(maker))
            if other != str(maker):
                step = "a word means one maker; take it out of one of them"
                raise MakerError(f"{where[maker]}: {word!r} stands for {other} already; {step}")
    return {str(maker): tuple(str(word).casefold() for word in words) for maker, words in listed.items()}


def _no_words(words: object) -> str:
    """Why this is no list of words, "" where it is one."""
    if words is None:
        return "no word stands behind it"
    if not isinstance(words, list) or not words:
        return f"{words!r} is no list of words"
    odd = [word for word in words if not isinstance(word, str) or not word.strip()]
    return f"{odd[0]!r} is no word" if odd else ""
