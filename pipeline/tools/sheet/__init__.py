"""Reads vendors' spec sheets and drafts a GPU's YAML from them: `drafting.py` is the way in."""

from __future__ import annotations

from pipeline.tools.sheet.drafting import MAX_BYTES, Draft, GpuDraft, draft, read_sheet
from pipeline.tools.sheet.fields import DraftValue
from pipeline.tools.sheet.form import SheetError

__all__ = ["MAX_BYTES", "Draft", "DraftValue", "GpuDraft", "SheetError", "draft", "read_sheet"]
