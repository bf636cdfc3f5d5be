"""Find figures typed into prose: numerals, number words, ratios ("twice as fast"), numbers alone in a table's cell.

They belong into references (see `prose`), so that they change with the dataset and lead to their source. A ratio in
words may stay where the same line states the condition under which it is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Units whose figures age or need a source. "4-bit" and "FP16" are names of formats, not figures.
UNITS = (
    "GB",
    "GiB",
    "MB",
    "MiB",
    "TB",
    "TiB",
    "kB",
    "(?:giga|tera|mega|kilo)bytes?",
    "GB/s",
    "TB/s",
    "MB/s",
    "Gbps",
    "KiB",
    "KB",
    "GT/s",
    "MT/s",
    "Mbit/s",
    "GFLOPS",
    "TFLOPS",
    "TFLOP/s",
    "PFLOPS",
    "(?:giga|tera|peta)flops",
    "TOPS",
    "W",
    "kW",
    "kWh",
    "watts?",
    "Wh",
    "MWh",
    "joules?",
    "°C",
    "dB",
    "MHz",
    "GHz",
    "nm",
    "mm",
    "ms",
    "µs",
    "ns",
    "fps",
    "tokens?(?:/s| a second| per second)",
    "images?(?:/s| a second| per second)",
    "USD",
    "EUR",
    "dollars?",
    "euros?",
    "cents?",
    "bucks?",
    "quid",
    "grand",
    "pounds?",
    "yen",
    "yuan",
    "GBP",
    "CNY",
    "JPY",
    "%",
    "percent",
    "per cent",
    "times",
    "×",
    "x",
    "hours?",
    "days?",
    "months?",
    "years?",
    "cores?",
    "slots?",
    "billion",
    "million",
    "trillion",
)
# Units that are figures behind numerals only: "five seconds" is how people talk, "5 seconds" is a measurement.
COUNTED = ("s", "h", "min", "seconds?", "minutes?", "weeks?")
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_NUMERAL = rf"{_NUMBER}(?:\s?(?:to|-|–)\s?{_NUMBER})?k?[ \u00a0-]?"
_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand"
)
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_PART = "half|(?:a|one|two|three) (?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|hundredth)s?"
# What is compared: "half the price" is a figure, "the first half of the layers" is not.
_MEASURES = (
    "speed|rate|bandwidth|memory|price|rent|power|cost|time|performance|throughput|energy|arithmetic|weights|size|peak"
    "|tokens|heat|money|watts|gigabytes"
)
_RATIO = re.compile(
    rf"\b(?:(?:twice|thrice|{_PART}|(?:{_WORDS}) times) as \w+"
    rf"|(?:twice|thrice|double|triple|doubles|triples|halves|{_PART})(?: of)? (?:the|its|their)"
    rf" (?:\w+ )?(?:{_MEASURES})\b"
    rf"|(?:{_WORDS})[ -]?fold)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:holds|calc)\(")


def _any(units: tuple[str, ...]) -> str:
    """One of these units, the longest that fits."""
    return "|".join(sorted(units, key=len, reverse=True))


# The first letters of these words: to see that a word is none of them takes a tenth of what it takes to try them all.
_INITIALS = "".join(sorted({word[0] for word in _WORDS.split("|")}))
_FIGURE = re.compile(
    rf"(?<![\w.-])(?=[$€£\d]|(?i:[{_INITIALS}]))(?:[$€£]\s?{_NUMBER}"
    rf"|(?:{_NUMERAL}|(?i:{_WORDS})(?:-(?:{_ONES}))?[ ])(?:{_any(UNITS)})(?![\w-])"
    rf"|{_NUMERAL}(?:{_any(COUNTED)})(?![\w-]))"
)
# A table's cell that holds nothing but a number: its unit stands in the head of the column.
_CELL = re.compile(rf"(?:about |[~≈<>≤≥+−-] ?)?{_NUMBER}(?:k|\+)?(?:\s?(?:to|-|–)\s?{_NUMBER})?")
_TABLE = re.compile(r"\s*\|")
_RULE = re.compile(r"\s*\|[\s:|-]+\|\s*")  # the line between the head of a table and its rows
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
    written = text.splitlines()
    lines = _prose(text).splitlines()
    for number, line in enumerate(lines, start=1):
        for match in _FIGURE.finditer(line):
            yield Typed(number, match.group())
        is_head = number < len(lines) and _RULE.fullmatch(lines[number])
        if _TABLE.match(line) and not is_head:
            yield from (Typed(number, cell) for cell in _bare_cells(line, written[number - 1]))


def _bare_cells(line: str, written: str) -> Iterator[str]:
    """The cells of a row that hold a number and nothing else; the first cell names the row, as "16 users" does."""
    end = line.index("|") + 1
    for at, cell in enumerate(line[end:].rstrip().removesuffix("|").split("|")):
        start, end = end, end + len(cell) + 1
        if at and _CELL.fullmatch(whole := written[start : end - 1].strip()):
            yield whole


def unbound_ratios(text: str) -> Iterator[Typed]:
    """Find the ratios in words whose line neither works them out nor states a condition, in order."""
    bound = [bool(_BOUND.search(line)) for line in text.splitlines()]
    for number, line in enumerate(_prose(text).splitlines(), start=1):
        for match in _RATIO.finditer(line):
            if not bound[number - 1]:
                yield Typed(number, match.group())


def _prose(text: str) -> str:
    """The text with everything that is no prose blanked out, so that lines and columns still count."""
    for pattern in _NOT_PROSE:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    return text
