"""The written questions of data/questions.yml: the pages show them ready made, the picks answer, tests hold them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from pydantic import ValidationError

from pipeline.advise.choose.answer import Answer
from pipeline.core import currencies, documents, yaml_text
from pipeline.core.currencies import DOLLAR
from pipeline.core.documents import Strict, Text
from pipeline.core.paths import DATA
from pipeline.derive.prices.rules import MARKETS, Market


class QuestionError(ValueError):
    """data/questions.yml cannot be read; the message names field, value and the next step."""


class Read(Strict):
    """What a reader who knows the field says of an answer."""

    answer: Text  # the first choice as it was read: "buy 2 nvidia-geforce-rtx-3090", or "none"
    day: date
    signed: Literal["yes", "partly", "no"]
    why: Text  # one sentence
    apart: bool = True  # whether the reader had no part in the rules


class Question(Strict):
    """A question as a reader asks it, and what it means in the words of the chooser's address."""

    id: Text
    words: Text
    asked: Mapping[str, Text]
    reading: Text  # what was assumed where the question leaves room
    tier: str = ""  # of the picks
    home: bool = False  # also on the first page
    ready: bool = False  # also on the chooser's page
    expected: tuple[Text, ...] = ()  # GPUs after which readers ask: why not this one?
    expects: tuple[Text, ...] = ()  # formulas that the least money must meet
    refused: str = ""  # part of the sentence that refuses it
    way_out: bool = False  # nothing meets it
    read: Read | None = None

    @property
    def by_market(self) -> dict[Market, str]:
        """Its words with the currency of each market: whoever asks elsewhere has as many euros or pounds."""
        known = currencies.load()
        return {market: self.words.replace(DOLLAR.word, known[rule.currency].word) for market, rule in MARKETS.items()}

    @property
    def query(self) -> str:
        """The question as the end of the chooser's address."""
        return f"?{urlencode(self.asked)}"

    @property
    def address(self) -> str:
        """Where the chooser answers it, below the site's root."""
        return f"choose/{self.query}"


def as_read(answer: Answer | None) -> str:
    """An answer's first choice in the words in which a read names it; "none" where there is none or it was refused."""
    first = answer.first if answer else None
    return f"{first.way} {first.count} {first.gpu}" if first else "none"


@lru_cache(maxsize=2)
def questions(path: Path = DATA.data / "questions.yml") -> tuple[Question, ...]:
    """Every question, in the order of the file; QuestionError for one that is broken or stands twice."""
    where = f"data/{path.name}"
    rows = yaml_text.load(documents.text_of(path, where, QuestionError), where, QuestionError)
    if not isinstance(rows, list):
        raise QuestionError(f"{where}: holds no list of questions; each begins with '- id: '")
    found = []
    for place, row in enumerate(rows, 1):
        try:
            found.append(Question.model_validate(row))
        except ValidationError as error:
            what = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            raise QuestionError(f"data/{path.name}: question {place}: {what}") from None
    names = [question.id for question in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise QuestionError(f"data/{path.name}: {twice} stands twice; give one of them another id")
    return tuple(found)
