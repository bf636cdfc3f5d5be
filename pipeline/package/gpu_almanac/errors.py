"""What a look-up can fail with; every message says what to type instead."""

from __future__ import annotations

from collections.abc import Sequence


class AlmanacError(LookupError):
    """Anything that the almanac cannot answer; catch this to catch all of them."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UnknownGpuError(AlmanacError, KeyError):
    """No GPU has this name; `suggestions` are the nearest names that exist."""

    def __init__(self, message: str, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.suggestions = tuple(suggestions)


class AmbiguousGpuError(AlmanacError):
    """Several GPUs share this name; `variants` are their ids."""

    def __init__(self, message: str, variants: Sequence[str]) -> None:
        super().__init__(message)
        self.variants = tuple(variants)


class AmbiguousPeakError(AlmanacError):
    """The GPU has several rates for this input that differ; the message lists what tells them apart."""


class UnknownFigureError(AlmanacError, KeyError):
    """No source of the almanac states this figure of this GPU."""
