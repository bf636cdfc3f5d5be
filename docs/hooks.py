"""Finished page bodies pass around the Markdown and search steps: taken out before them, put back after them.

A pure accelerator: without it the same pages come out, only slower (see `finished` in docs/templates/layout.html.j2).
A body is read again from its file when it is put back: to keep thousands of them would take hundreds of megabytes.
"""

from __future__ import annotations

import re
from typing import Any

FINISHED = re.compile(r"<!--finished-->\n(.*?)\n<!--/finished-->", re.DOTALL)
PLACE = '<div data-finished=""></div>'


def on_page_markdown(markdown: str, **_: Any) -> str:  # noqa: ANN401 (MkDocs' own types)
    """Take the finished body out of a page."""
    return FINISHED.sub(PLACE, markdown, count=1)


def on_post_page(output: str, *, page: Any, **_: Any) -> str:  # noqa: ANN401
    """Put the body back where it stood."""
    if PLACE not in output:
        return output
    found = FINISHED.search(page.file.content_string)
    return output.replace(PLACE, found[1], 1) if found else output
