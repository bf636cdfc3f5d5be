"""The bundled files, read once each when they are first needed."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from gpu_almanac.errors import AlmanacError

# In a checkout the files stand where the build wrote them; a wheel carries them beside the modules.
CHECKOUT = Path(__file__).resolve().parents[3] / "data" / "clean" / "package"


@cache
def table(name: str) -> Any:  # noqa: ANN401 - JSON; the modules that read it know its shape
    """Read one bundled file: about, names, sources, gpus, peaks or prices."""
    try:
        bundled = resources.files("gpu_almanac") / "data" / f"{name}.json"
        text = (
            bundled.read_text(encoding="utf-8")
            if bundled.is_file()
            else (CHECKOUT / f"{name}.json").read_text(encoding="utf-8")
        )
    except OSError:
        raise AlmanacError(f"the bundled file {name}.json is missing; install the package again") from None
    return json.loads(text)
