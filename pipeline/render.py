"""Values and contexts in, formatted text and finished pages out: the only place for formatting."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.paths import ROOT

TEMPLATES = ROOT / "docs" / "templates"
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
SIGNIFICANT = 3
# The theme prints titles and descriptions without escaping them; these characters cannot break out of a tag.
PLAIN = str.maketrans({"<": "‹", ">": "›", '"': "”", "&": "＆", "\n": " ", "\r": " "})
UNKNOWN = "–"


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the site; `path` has no suffix and ends in `index` for the first page of a folder."""

    path: str
    template: str
    context: Mapping[str, Any]
    title: str
    description: str
    edit_path: str  # from the root of the repository
    hide: tuple[str, ...] = ("navigation", "toc")
    search: bool = True
    about: Mapping[str, object] | None = None  # what it is, in the words of schema.org, for search engines

    @property
    def file(self) -> str:
        """Where the page's source lies in the documentation folder."""
        return f"{self.path}.md"

    @property
    def address(self) -> str:
        """The page's address below the site's root, with its slash at the end ("" for the home page)."""
        return self.path.removesuffix("index") if self.path.split("/")[-1] == "index" else f"{self.path}/"

    def text(self) -> str:
        """The whole page: front matter, the part that the search reads, and the finished body."""
        context = {**self.context, "root": root_of(self.address), "here": self.address}
        return f"{self._front_matter()}\n{template(self.template).render(context)}\n"

    def _front_matter(self) -> str:
        meta: dict[str, object] = {"title": plain(self.title), "description": plain(self.description)}
        if self.hide:
            meta["hide"] = list(self.hide)
        if not self.search:
            meta["search"] = {"exclude": True}
        if self.about:
            meta["about"] = self.about
        lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in meta.items())
        return "\n".join(("---", *lines, "---"))


@dataclass(frozen=True, slots=True)
class Asset:
    """One file beside the pages: a table or a JSON for the browser and for re-users."""

    file: str
    content: str = field(repr=False)
    edit_path: str = ""

    def text(self) -> str:
        """What stands in the file."""
        return self.content


def root_of(address: str) -> str:
    """The way from a page's address back to the site's root, so that every link works below any folder."""
    return "../" * address.count("/") or "./"


def plain(text: str) -> str:
    """Text for places that the theme does not escape."""
    return " ".join(text.translate(PLAIN).split())


def number(value: float | str | None, significant: int = SIGNIFICANT) -> str:
    """Three significant digits, every digit before the point, thousands apart, no trailing zeros."""
    if value is None or value == "":
        return UNKNOWN
    amount = float(value)
    if amount == 0:
        return "0"
    decimals = max(0, significant - 1 - math.floor(math.log10(abs(amount))))
    written = f"{amount:,.{decimals}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def exact(value: str) -> str:
    """A value with all digits of its source, thousands apart; other text as it is."""
    if re.fullmatch(r"-?\d{5,}(\.\d+)?", value) or re.fullmatch(r"-?\d{4}\.\d+", value):
        whole, _, rest = value.partition(".")
        return f"{int(whole):,}" + (f".{rest}" if rest else "")
    return value


def quantity(value: float | str | None, unit: str) -> str:
    """A number with its unit behind a space that does not break."""
    return f"{number(value)}\u00a0{nice_unit(unit)}" if value not in (None, "") and unit else number(value)


def nice_unit(unit: str) -> str:
    """A unit as people print it."""
    return {"mm2": "mm²", "million": "million"}.get(unit, unit)


def dollars(value: float | str | None) -> str:
    """A price: cents below 100 dollars, whole dollars above."""
    if value is None or value == "":
        return UNKNOWN
    return f"${float(value):,.2f}" if float(value) < 100 else f"${float(value):,.0f}"


@lru_cache(maxsize=4096)  # a page of a card writes a hundred dates, all of them among a few hundred
def day(text: str) -> str:
    """A date as people write it: 12 October 2022, October 2022 or 2022."""
    parts = text.split("-")
    if len(parts) < 2:
        return text or UNKNOWN
    return " ".join((*(str(int(p)) for p in parts[2:3]), MONTHS[int(parts[1]) - 1], parts[0]))


def ratio(value: float | None) -> str:
    """How many times as much, with two digits: 1.8×."""
    return UNKNOWN if value is None else f"{number(value, 2)}×"


def count(amount: int, one: str, many: str = "") -> str:
    """A count with its noun: 1 source, 2 sources."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"


def words(text: str) -> str:
    """A name of the dataset as words: on_demand → on demand."""
    return text.replace("_", " ")


def web_address(text: str) -> str:
    """An address that may stand in a link; anything but http(s) leads nowhere."""
    return text if text.startswith(("https://", "http://")) else "#"


def slug(text: str) -> str:
    """A name as part of an address: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


FILTERS = {
    f.__name__: f
    for f in (number, exact, quantity, nice_unit, dollars, day, ratio, count, words, web_address, slug, plain)
}


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
    made.filters.update(FILTERS)
    return made


def template(name: str) -> Any:  # noqa: ANN401 (Jinja's render takes anything)
    """A compiled template; Jinja keeps it, so each is compiled once."""
    return environment().get_template(name)
