"""The written questions of data/questions.yml: the pages show them ready made, the picks answer, tests hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from pydantic import RootModel, ValidationError

from pipeline.advise import rules
from pipeline.advise.choose.answer import Answer
from pipeline.advise.choose.need import NeedError, checked, parse
from pipeline.advise.estimate import models
from pipeline.core import currencies, documents, yaml_text
from pipeline.core.currencies import DOLLAR
from pipeline.core.documents import Strict, Text, no_such_gpu
from pipeline.core.paths import DATA, ROOT
from pipeline.dataset import Dataset
from pipeline.derive.prices.rules import MARKETS, Market

PATH = DATA.data / "questions.yml"
DOCS = ROOT / "docs"


class QuestionError(ValueError):
    """data/questions.yml cannot be read; the message names field, value and the next step."""


class Read(Strict):
    """What a reader who knows the field says of an answer."""

    answer: Text  # the first choice as it was read: "buy 2 nvidia-geforce-rtx-3090", or "none"
    day: date
    signed: Literal["yes", "partly", "no"]
    why: Text  # one sentence
    apart: bool = True  # whether the reader had no part in the rules
    at_first: Literal["partly", "no"] | None = None  # what another reader said before rules were mended


class Variation(Strict):
    """One thing of a question that a reader may have otherwise."""

    words: Text  # completes "the pick is another one ..."
    asked: Mapping[str, Text]

    @property
    def by_market(self) -> dict[Market, str]:
        """Its words with the currency of each market."""
        return in_each_currency(self.words)


class Question(Strict):
    """A question as a reader asks it, and what it means in the words of the chooser's address."""

    id: Text
    words: Text
    asked: Mapping[str, Text]
    reading: Text  # what was assumed where the question leaves room
    tier: Literal["", "light", "complex", "demanding"] = ""  # of the picks
    home: bool = False  # also on the first page
    ready: bool = False  # also on the chooser's page
    expected: tuple[Text, ...] = ()  # GPUs after which readers ask: why not this one?
    worth: Mapping[str, Text] = {}  # of a pick: when another GPU is the better one, going on from "take it"; no figure
    expects: tuple[Text, ...] = ()  # formulas that the least money must meet
    refused: str = ""  # part of the sentence that refuses it
    way_out: bool = False  # nothing meets it
    read: Read | None = None
    decides: str = ""  # of a pick: what matters in this kind of work, whichever card is picked
    chapter: str = ""  # of the guide, which explains it: an address below the site's root
    changes: tuple[Variation, ...] = ()  # of a pick: what the pages ask besides

    @property
    def by_market(self) -> dict[Market, str]:
        """Its words with the currency of each market: whoever asks elsewhere has as many euros or pounds."""
        return in_each_currency(self.words)

    @property
    def query(self) -> str:
        """The question as the end of the chooser's address."""
        return f"?{urlencode(self.asked)}"

    @property
    def address(self) -> str:
        """Where the chooser answers it, below the site's root."""
        return f"choose/{self.query}"


def in_each_currency(words: str) -> dict[Market, str]:
    """Words that name dollars, with the name of each market's own money in their place."""
    known = currencies.load()
    return {market: words.replace(DOLLAR.word, known[rule.currency].word) for market, rule in MARKETS.items()}


def as_read(answer: Answer | None) -> str:
    """An answer's first choice in the words in which a read names it; "none" where there is none or it was refused."""
    first = answer.first if answer else None
    return f"{first.way} {first.count} {first.gpu}" if first else "none"


class _Questions(RootModel[tuple[Question, ...]]):
    """The file."""


@lru_cache(maxsize=2)
def questions(path: Path = PATH) -> tuple[Question, ...]:
    """Every question, in the order of the file; QuestionError for one that is broken or stands twice."""
    where = f"data/{path.name}"
    text = documents.text_of(path, where, QuestionError)
    rows = yaml_text.load(text, where, QuestionError)
    if not isinstance(rows, list):
        raise QuestionError(f"{where}: holds no list of questions; each begins with '- id: '")
    try:
        found = _Questions.model_validate(rows).root
    except ValidationError as error:
        raise QuestionError("\n".join(documents.told(where, text, error, _Questions))) from None
    first: dict[str, int] = {}
    for place, question in enumerate(found):
        if first.setdefault(question.id, place) != place:
            line = yaml_text.lines_of(text)[place,]
            raise QuestionError(f"{where}:{line}: {question.id} stands twice; give one of them another id")
    return found


def misread(dataset: Dataset, path: Path = PATH) -> Iterator[str]:
    """What the chooser cannot read of the questions, each with its line; some are asked to be refused."""
    lines = yaml_text.lines_of(path.read_text(encoding="utf-8"))
    for place, question in enumerate(questions(path)):
        where = f"data/{path.name}:{lines[place,]}: {question.id}"
        try:
            checked(parse(question.asked), models.load(), dataset)
        except NeedError as error:
            if not question.refused:
                yield f"{where}, asked: {error}"
        yield from (f"{where}, {wrong}" for wrong in _unanswerable(question, dataset))


def _unanswerable(question: Question, dataset: Dataset) -> Iterator[str]:
    """Cards, chapters and formulas of a question that do not exist or cannot be read."""
    named = (*(("expected", gpu) for gpu in question.expected), *(("worth", gpu) for gpu in question.worth))
    for field, gpu in named:
        if gpu not in dataset.gpus:
            yield f"{field}: {no_such_gpu(gpu, dataset.gpus)}"
    folder, _, rest = question.chapter.partition("#")[0].partition("/")
    chapter = DOCS / folder / f"{rest.partition('/')[0] or 'index'}.md"
    if question.chapter and not (folder == "guide" and chapter.is_file()):
        yield f"chapter: {question.chapter!r} is no chapter; write guide/, the name of a file of docs/guide, and /"
    for text in question.expects:
        try:
            rules.formula(text)
        except rules.RuleError as error:
            yield f"expects: {error}; write a comparison, as price.usd <= 800"
