"""The almanac's id for the name that a device gives itself; where none or several fit it stays empty, never guessed."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import resources
from pathlib import Path

# Words that makers put before or into a name and that never tell two products apart (as in pipeline/core/identity.py,
# which needs more than the standard library), and marks that drivers print.
MAKER_WORDS = frozenset(
    ("nvidia", "amd", "intel", "google", "apple", "amazon", "aws", "geforce", "tesla", "corporation", "inc", "r", "tm")
)
DRIVER_WORDS = frozenset(("graphics", "gpu"))
# The dataset's table of GPUs where the repository keeps it, from the folder of the kit.
NAME_FILE = Path("../../../data/clean/gpus.csv")


@dataclass(frozen=True)
class Found:
    """The id, or None with the reason and the next step."""

    gpu: str | None
    reason: str = ""


def key(name: str) -> str:
    """Bring a name into the form in which names are compared: lower case, letters and digits only, no maker."""
    words = re.split(r"[\s\-_/.,()\[\]:]+", re.sub("[®™]", " ", name).casefold())
    return "".join(word for word in words if word and word not in MAKER_WORDS)


def find(name: str, memory_bytes: int | None, names: Mapping[str, str]) -> Found:
    """Find the id of a device by its name, then by its name with the memory that tells two cards apart."""
    plain = " ".join(word for word in name.split() if word.casefold() not in DRIVER_WORDS)
    spellings = [name, plain]
    if memory_bytes:
        # A driver keeps a little for itself: a "12 GB" card shows 11.6 to 12 GiB.
        spellings += [f"{plain} {round(memory_bytes / 2**30)}GB"]
    for spelling in spellings:
        if key(spelling) in names:
            return Found(names[key(spelling)])
    if not names:
        return Found(None, "no table of names at hand; pass --gpu ID, or --names with gpus.csv of the dataset")
    near = get_close_matches(key(name), names, n=3, cutoff=0.6)
    hint = f"; nearest: {', '.join(sorted({names[n] for n in near}))}" if near else ""
    return Found(None, f"the table of names has no {name!r}{hint}; pass --gpu ID")


def load(path: Path | None = None) -> dict[str, str]:
    """Read names from the dataset's gpus.csv; without a path those packed with the kit, or of its checkout, or none."""
    if path:
        return _read(path.read_text(encoding="utf-8"))
    packed = resources.files("pipeline.tools.measure").joinpath("gpus.csv")
    if packed.is_file():
        return _read(packed.read_text(encoding="utf-8"))
    kept = Path(__file__).resolve().parent / NAME_FILE
    return _read(kept.read_text(encoding="utf-8")) if kept.is_file() else {}


def _read(text: str) -> dict[str, str]:
    return index(csv.DictReader(io.StringIO(text)))


def index(rows: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Map every spelling of the rows (`id`, `name`, `aliases`) to its id; a spelling of two GPUs leads to none."""
    ids: dict[str, set[str]] = {}
    for row in rows:
        for spelling in (row["name"], row["id"], *row["aliases"].split(";")):
            ids.setdefault(key(spelling), set()).add(row["id"])
    return {spelling: min(gpus) for spelling, gpus in ids.items() if spelling and len(gpus) == 1}
