"""The arithmetic of image networks, by every name that means one: what a card must do for each image."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pipeline.core import yaml_text

FIELD = "forward_gmacs"
# A name ends where a library appends the weights or a person the version: "resnet50.a1_in1k", "ResNet-50 v1.5".
END = re.compile(r"[\s,.(]")


def multiply_adds(folder: Path) -> dict[str, float]:
    """Billions of multiply-adds of one image, forward, by the key of each name; a file that cannot be read is none.

    What is wrong with such a file is told where the networks themselves are read.
    """
    found: dict[str, float] = {}
    for path in sorted(folder.glob("*.yml")):
        try:
            text = path.read_text(encoding="utf-8")
            content = yaml_text.load(text, path.name, ValueError) if FIELD in text else {}
            stated = [value["value"] for value in content.get("values", ()) if value["field"] == FIELD]
            names = (path.stem, content.get("name", path.stem), *content.get("aliases", ()))
        except (AttributeError, KeyError, TypeError, ValueError):
            continue
        for name in names if len(stated) == 1 and isinstance(stated[0], int | float) and stated[0] > 0 else ():
            found.setdefault(_key(str(name)), float(stated[0]))
    return found


def of_image(model: str, known: Mapping[str, float]) -> float | None:
    """Billions of multiply-adds of one image of a network as a result names it; None where nothing counts them."""
    return known.get(_key(END.split(model.strip(), maxsplit=1)[0]))


def _key(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")
