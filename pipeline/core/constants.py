"""The figures of nature and history that no GPU's record holds, each with its source (`data/constants.yml`).

Chapters name them in their prose; advice takes what a kilowatt-hour costs from them.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, RootModel, ValidationInfo, field_validator

from pipeline.core import documents
from pipeline.core.documents import Locator, ReadDay, Strict, Text, Url
from pipeline.core.paths import DATA

PATH = DATA.data / "constants.yml"
# The number in a constant's text, and what lies between its unit and that of the value: thousands, hundredths, minutes.
DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
SCALES = (1.0, 100.0, 0.01, 60.0, 3600.0, *(1000.0**power for power in range(-4, 7) if power))
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
NUMBER_WORDS = {
    **{word: float(number) for number, word in enumerate(f"{ONES} eighteen nineteen twenty".split())},
    "half": 0.5,
    "third": 1 / 3,
    "quarter": 0.25,
    "twice": 2.0,
    "thirty": 30.0,
    "forty": 40.0,
    "fifty": 50.0,
    "hundred": 100.0,
    "thousand": 1000.0,
}
EXACT = 6  # decimals of a number in a word
POWER_OF_TEN = re.compile(r"(\d+(?:\.\d+)?)\s*[·×]\s*10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")  # 2·10⁻⁴
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


class ConstantError(ValueError):
    """A file of constants that cannot be read; the message names entry and field."""


class Constant(Strict):
    """A figure of nature or history with its source."""

    value: float
    text: Text  # as the prose shows it, unit included
    source: Text
    url: Url
    locator: Locator
    read: ReadDay
    most: float | None = None  # of a text that names two ends, the upper one; the value is then the lower
    month: Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")] | None = None  # of which the figure is

    @field_validator("most")
    @classmethod
    def _is_the_other_end(cls, most: float | None, known: ValidationInfo) -> float | None:
        text, value = known.data.get("text"), known.data.get("value")
        if most is not None and text is not None and value is not None and not (most > value and _shows(text, most)):
            raise ValueError(f"{most:g} is not the upper end of {text!r}; correct one of the two")
        return most

    @field_validator("text")
    @classmethod
    def _shows_the_value(cls, text: str, known: ValidationInfo) -> str:
        value = known.data.get("value")
        if value is not None and not _shows(text, value):
            raise ValueError(
                f"{text!r} does not show the value {value:g} to the digit that it is rounded to; correct one of the two"
            )
        return text


def _shows(text: str, value: float) -> bool:
    """Whether a text holds this value: rounded, in another unit or power of ten, between two ends or as a product."""
    plain = DIGITS.findall(POWER_OF_TEN.sub("", text))
    found = [(float(digits.replace(",", "")), len(digits.partition(".")[2])) for digits in plain]
    found += [(NUMBER_WORDS[word], EXACT) for word in re.findall("[a-z]+", text.casefold()) if word in NUMBER_WORDS]
    numbers = [number for number, _ in found]
    for digits, raised in POWER_OF_TEN.findall(text):  # the value may be counted in this power: 4.33 of 10¹⁹
        decimals = len(digits.partition(".")[2])
        power = int(raised.translate(RAISED))
        found += [(float(digits), decimals), (float(f"{digits}e{power}"), decimals - power)]
    if any(abs(value / scale - number) <= 0.501 / 10**decimals for number, decimals in found for scale in SCALES):
        return True
    if not numbers:
        return False
    minutes = len(numbers) == 2 and 60 * numbers[0] + numbers[1] == value  # 14 min 30 s
    between = " to " in text and min(numbers) < value < max(numbers)
    return minutes or between or math.prod(numbers) == value  # 16 × 8 × 16


class _Constants(RootModel[dict[str, Constant]]):
    """The file: an entry a figure."""


def load(path: Path = PATH, error: type[ValueError] = ConstantError) -> dict[str, Constant]:
    """Every constant by its name; `error` names entry and field of one that is wrong."""
    if not path.exists():
        return {}
    where = f"data/{path.name}"
    try:
        return dict(_read(documents.text_of(path, where, error), where))
    except ConstantError as wrong:
        raise error(str(wrong)) from None


@lru_cache(maxsize=4)  # every line of a page may ask for one of them, and the file is large
def _read(text: str, where: str) -> dict[str, Constant]:
    hint = "each figure has a name of its own"
    return documents.model_of("", text, where, _Constants, hint, ConstantError).root
