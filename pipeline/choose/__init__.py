"""What a person needs in, a ranked answer with its reasons out: `choose`, `as_json`, `as_text`."""

from __future__ import annotations

from pipeline.choose.answer import Answer, choose
from pipeline.choose.browser import browser_data
from pipeline.choose.need import Need, NeedError, parse
from pipeline.choose.words import as_json, as_text

__all__ = ["Answer", "Need", "NeedError", "as_json", "as_text", "browser_data", "choose", "parse"]
