"""The figures of nature and history that no GPU's record holds, each with its source (`data/constants.yml`).

Chapters name them in their prose; advice takes what a kilowatt-hour costs from them.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import RootModel

from pipeline.core import documents
from pipeline.core.documents import Locator, ReadDay, Strict, Text, Url
from pipeline.core.paths import DATA

PATH = DATA.data / "constants.yml"


class ConstantError(ValueError):
    """A file of constants that cannot be read; the message names entry and field."""


class Constant(Strict):
    """A figure of nature or history with its source."""

    value: float
    text: Text  # as the prose shows it, unit included
    source: Text
    url: Url
    locator: Locator
    read: ReadDay


class _Constants(RootModel[dict[str, Constant]]):
    """The file: an entry a figure."""


def load(path: Path = PATH, error: type[ValueError] = ConstantError) -> dict[str, Constant]:
    """Every constant by its name; `error` names entry and field of one that is wrong."""
    if not path.exists():
        return {}
    return documents.read(path, f"data/{path.name}", _Constants, "each figure has a name of its own", error).root
