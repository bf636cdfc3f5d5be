"""Turns a page of the site into the text that MkDocs reads, and names the files beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pipeline.core.templates import root_of, template
from pipeline.core.wording import plain

# Characters that no XML may hold, not even escaped (XML 1.0, section 2.2).
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Shared:
    """What the picture of a link to a page says (pipeline/site/shared.py draws it)."""

    title: str
    figures: tuple[tuple[str, str], ...] = ()  # up to four: label and value
    maker: str = ""  # whose hue it wears
    marks: tuple[tuple[float, float, str], ...] = ()  # of a chart: across and down, 0 to 1, and the maker


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
    boost: float = 1.0  # of its words in the search: under 1 where many pages say the same names
    tags: tuple[str, ...] = ()  # words that lead to pages of this kind before all others in the search
    about: Mapping[str, object] | None = None  # what it is, in the words of schema.org, for search engines
    trail: Mapping[str, object] | None = None  # the way to it from the first page, in the same words
    embed: str = ""  # where the oEmbed answer of its picture lies, below the site's root
    shared: Shared | None = None  # what a link to it shows elsewhere; without it, what a link to the first page shows

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
        meta |= {name: list(words) for name, words in (("hide", self.hide), ("tags", self.tags)) if words}
        if not self.search:
            meta["search"] = {"exclude": True}
        elif self.boost != 1.0:
            meta["search"] = {"boost": self.boost}
        parts = {"about": self.about, "trail": self.trail, "embed": self.embed}
        meta |= {name: part for name, part in parts.items() if part}
        if self.shared:
            meta["shared"] = asdict(self.shared)
        # A name may hold markup; in the head it is no markup either, whoever copies it from there.
        told = {key: json.dumps(value, ensure_ascii=False).replace("<", "\\u003c") for key, value in meta.items()}
        lines = (f"{key}: {value}" for key, value in told.items())
        return "\n".join(("---", *lines, "---"))


@dataclass(frozen=True, slots=True)
class Asset:
    """One file beside the pages: a table or a JSON for the browser and for re-users."""

    file: str
    content: str = field(repr=False)
    edit_path: str = ""

    def text(self) -> str:
        """What stands in the file, in XML without the characters that it cannot hold."""
        return NO_XML.sub("", self.content) if self.file.endswith((".svg", ".xml")) else self.content
