"""The modules of docs/javascripts served to a browser, and what they say held against what Python says."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pipeline.core.paths import ROOT
from pipeline.site.scripts import listed

FOLDER = ROOT / "docs" / "javascripts"
TOLERANCE = 1e-9
SHOWN = 200  # characters of a value in a difference


class Quiet(SimpleHTTPRequestHandler):
    """Serves the modules, written by hand or translated, and says nothing."""

    def translate_path(self, path: str) -> str:
        """The file of an address: one of our own, or one that is made from Python."""
        made = listed.FOLDER / path.strip("/")
        return str(made) if made.name in listed.modules() else super().translate_path(path)

    def log_message(self, format: str, *args: object) -> None:
        """The tests tell what went wrong."""


@contextmanager
def served_scripts() -> Iterator[str]:
    """The address of the modules while they are served."""
    listed.write()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(FOLDER)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def differences(where: str, python: Any, script: Any) -> list[str]:
    """Where the two differ: numbers by more than one in a billion, everything else at all; a missing name is null."""
    if isinstance(python, list) and isinstance(script, list) and len(python) == len(script):
        pairs = zip(python, script, strict=True)
        return [d for i, pair in enumerate(pairs) for d in differences(f"{where}[{i}]", *pair)]
    if isinstance(python, dict) and isinstance(script, dict):
        names = sorted({*python, *script})
        return [d for name in names for d in differences(f"{where}.{name}", python.get(name), script.get(name))]
    same = _close(python, script) if _is_number(python) and _is_number(script) else _same(python, script)
    return [] if same else [f"{where}: {str(python)[:SHOWN]!r}, JavaScript {str(script)[:SHOWN]!r}"]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(python: Any, script: Any) -> bool:
    return type(python) is type(script) and bool(python == script)  # True is not 1


def _close(python: float, script: float) -> bool:
    return math.isclose(python, script, rel_tol=TOLERANCE, abs_tol=1e-12)
