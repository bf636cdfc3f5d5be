"""MkDocs' events in; page bodies past the slow steps, and the second build of a preview, out.

Finished page bodies pass around the Markdown and search steps: taken out before them, put back after them. A pure
accelerator: without it the same pages come out, only slower (see `finished` in docs/templates/layout.html.j2).
A body is read again from its file when it is put back: to keep thousands of them would take hundreds of megabytes.

`mkdocs serve --dirty` is a preview: after an edit the changed GPU's page comes first, all others follow by themselves.
"""

from __future__ import annotations

from pathlib import Path
from threading import Timer
from typing import Any

BEGIN, END = "<!--finished-->\n", "\n<!--/finished-->"
PLACE = '<div data-finished=""></div>'
# To change a file here starts a build; so long after the first the browser has its page.
SECOND_BUILD = Path(__file__).resolve().parent.parent / ".cache" / "preview" / "rest"
SECOND_BUILD_AFTER_S = 1.5
running: list[Any] = []  # the preview, when this is one


def on_startup(*, command: str, dirty: bool, **_: Any) -> None:  # noqa: ANN401 (MkDocs' own types)
    """Begin a preview."""
    if command == "serve" and dirty:
        from pipeline.pages import preview  # a plain build of pages made elsewhere does not need it

        running[:] = [preview.start()]


def on_serve(server: Any, **_: Any) -> Any:  # noqa: ANN401
    """Watch for the wish for a second build."""
    SECOND_BUILD.parent.mkdir(parents=True, exist_ok=True)
    server.watch(str(SECOND_BUILD.parent))
    return server


def on_post_build(**_: Any) -> None:  # noqa: ANN401
    """Wish for a second build when this one left pages behind."""
    if any(preview.behind for preview in running):
        Timer(SECOND_BUILD_AFTER_S, SECOND_BUILD.touch).start()


def on_page_markdown(markdown: str, **_: Any) -> str:  # noqa: ANN401
    """Take the finished body out of a page."""
    parts = _parted(markdown)
    return f"{parts[0]}{PLACE}{parts[2]}" if parts else markdown


def on_post_page(output: str, *, page: Any, **_: Any) -> str:  # noqa: ANN401
    """Put the body back where it stood."""
    if PLACE not in output:
        return output
    parts = _parted(page.file.content_string)
    return output.replace(PLACE, parts[1], 1) if parts else output


def _parted(text: str) -> tuple[str, str, str] | None:
    """What stands before the finished body, the body, and what follows (a pattern would take a millisecond a page)."""
    before, begin, rest = text.partition(BEGIN)
    body, end, after = rest.partition(END)
    return (before, body, after) if begin and end else None
