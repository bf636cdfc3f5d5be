"""Prose as written in, figures with a unit that someone typed out: they belong into references (see `prose`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Units whose figures age or need a source. "4-bit" and "FP16" are names of formats, not figures.
UNITS = (
    "GB", "GiB", "MB", "MiB", "TB", "TiB", "kB", "GB/s", "TB/s", "MB/s", "Gbps", "TFLOPS", "TFLOP/s", "PFLOPS", "TOPS",
    "W", "kW", "kWh", "watts?", "MHz", "GHz", "nm", "mm", "ms", "µs", "tokens?(?:/s| a second| per second)",
    "images?(?:/s| a second| per second)", "USD", "EUR", "dollars?", "euros?", "cents?", "%", "percent", "per cent",
    "times", "×", "x", "hours?", "days?", "months?", "years?", "cores?", "slots?", "billion", "million", "trillion",
)  # fmt: skip
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_WORDS = "two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|hundred|thousand"
_FIGURE = re.compile(
    rf"(?<![\w.-])(?:[$€£]\s?{_NUMBER}|(?:{_NUMBER}(?:\s?(?:to|-|–)\s?{_NUMBER})?[ \u00a0]?|(?:{_WORDS})[ ])"
    rf"(?:{'|'.join(sorted(UNITS, key=len, reverse=True))})(?![\w-]))"
)
# What is not prose: code, references, HTML attributes, addresses, front matter.
_NOT_PROSE = (
    re.compile(r"\A---\n.*?\n---\n", re.DOTALL),
    re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE),
    re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL),
    re.compile(r"`[^`\n]*`"),
    re.compile(r"<[^>]*>"),
    re.compile(r"\]\([^)]*\)"),
    re.compile(r"https?://\S+"),
)


@dataclass(frozen=True, slots=True)
class Typed:
    """A figure that stands in the prose by itself."""

    line: int
    figure: str


def typed_figures(text: str) -> Iterator[Typed]:
    """Find the typed figures of one page, in order."""
    prose = text
    for pattern in _NOT_PROSE:
        prose = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), prose)
    for number, line in enumerate(prose.splitlines(), start=1):
        for match in _FIGURE.finditer(line):
            yield Typed(number, match.group())
