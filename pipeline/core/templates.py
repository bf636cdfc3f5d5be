"""The one Jinja environment, and the way from a page back to the site's root."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, Template
from jinja2.bccache import Bucket
from markupsafe import Markup

from pipeline.core import units
from pipeline.core.paths import ROOT
from pipeline.core.wording import FILTERS

TEMPLATES = ROOT / "docs" / "templates"
COMPILED = ROOT / ".cache" / "templates"
DAY = re.compile(r"\b(20\d\d-\d\d(?:-\d\d)?)\b")


def root_of(address: str) -> str:
    """The way from a page's address back to the site's root, so that every link works below any folder."""
    return "../" * address.count("/") or "./"


class Compiled(FileSystemBytecodeCache):
    """Where the compiled templates of one environment are kept, each told by its text: to compile one takes as long as
    to fill it a hundred times.

    Compiled code holds what filters make of constants, so that it is as old as the code of the filters: `made_by` are
    the files that make the environment, beside those of this room. Where nothing can be written nothing is kept.
    """

    def __init__(self, kind: str, *made_by: Path) -> None:
        """The place of the environment of that name; what other code has left there goes."""
        made = b"".join(path.read_bytes() for path in (*sorted(Path(__file__).parent.glob("*.py")), *made_by))
        super().__init__(str(COMPILED / kind / sha256(made + version("jinja2").encode()).hexdigest()))

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take a template that was kept."""
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template that was compiled."""
        folder = Path(self.directory)
        with suppress(OSError):
            if not folder.exists():
                rmtree(folder.parent, ignore_errors=True)
                folder.mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def template_of(text: str, environment: Environment) -> Template:
    """The template of a text that stands in no file, compiled once as those of files are."""
    kept = environment.bytecode_cache
    assert kept is not None
    bucket = kept.get_bucket(environment, sha256(text.encode()).hexdigest(), None, text)
    if bucket.code is None:
        bucket.code = environment.compile(text)
        kept.set_bucket(bucket)
    return environment.template_class.from_code(environment, bucket.code, environment.make_globals(None))


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
        bytecode_cache=Compiled("pages"),
    )
    made.filters.update(FILTERS, text_of=units.text_of, whole_days=whole_days)
    return made


def whole_days(text: object) -> Markup:
    """A text in which no line breaks within a day as 2026-10-04; fill.js does the same for what a script writes."""
    parts = DAY.split(str(text))
    whole = Markup('<span class="ga-whole">{}</span>')
    return Markup("").join(whole.format(part) if at % 2 else part for at, part in enumerate(parts))


def template(name: str) -> Any:  # noqa: ANN401 (Jinja's render takes anything)
    """A compiled template; Jinja keeps it, so each is compiled once."""
    return environment().get_template(name)
