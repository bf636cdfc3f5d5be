"""The one Jinja environment, and the way from a page back to the site's root."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.core import units
from pipeline.core.paths import ROOT
from pipeline.core.wording import FILTERS

TEMPLATES = ROOT / "docs" / "templates"


def root_of(address: str) -> str:
    """The way from a page's address back to the site's root, so that every link works below any folder."""
    return "../" * address.count("/") or "./"


@lru_cache(maxsize=1)
def environment(templates: Path = TEMPLATES) -> Environment:
    """The one Jinja environment: everything is escaped, an unknown name is an error."""
    made = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(FILTERS, text_of=units.text_of)
    return made


def template(name: str) -> Any:  # noqa: ANN401 (Jinja's render takes anything)
    """A compiled template; Jinja keeps it, so each is compiled once."""
    return environment().get_template(name)
