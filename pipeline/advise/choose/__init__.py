"""Which GPU for a task and a budget: `parse` reads a question, `choose` answers, `as_text` and `as_json` print."""

from __future__ import annotations

from pipeline.advise.choose.answer import Answer, choose
from pipeline.advise.choose.browser import browser_data, browser_parts
from pipeline.advise.choose.need import Need, NeedError, parse
from pipeline.advise.choose.presenter import as_json, as_text

__all__ = ["Answer", "Need", "NeedError", "as_json", "as_text", "browser_data", "browser_parts", "choose", "parse"]
