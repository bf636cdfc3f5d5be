"""The rules that the dataset must obey: `rules.py` runs them, the other modules hold them by what they look at."""

from __future__ import annotations

from pipeline.record.validate.base import Evidence, Problem
from pipeline.record.validate.rules import problems

__all__ = ["Evidence", "Problem", "problems"]
