"""Today's picks: the chooser's answers to the questions of `data/questions.yml` that belong to a tier.

No pick is chosen by hand: the rule is the chooser's (`pipeline/advise/choose`), so a price that changes changes the
pick. A machine for a tier is the cheapest that does every question of the tier well for which somebody may buy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from pipeline.advise import rules
from pipeline.advise.choose import Answer, Need, choose, parse
from pipeline.advise.choose.answer import Option, first_choice, one_of_each, options
from pipeline.advise.choose.catalogue import fits, shelf
from pipeline.advise.choose.need import checked
from pipeline.advise.choose.questions import Question, Variation, questions
from pipeline.advise.estimate import Interval, Request, estimate
from pipeline.core.once import once
from pipeline.dataset import Dataset
from pipeline.derive.prices.rules import DEFAULT_MARKET, Market


@dataclass(frozen=True, slots=True)
class Tier:
    """A class of work, as a reader recognises it."""

    id: str
    name: str
    words: str


TIERS: tuple[Tier, ...] = (
    Tier("light", "Light work", "learning, small networks, a small language model, an evening of fine-tuning"),
    Tier("complex", "Complex work", "models that fill a large card, fine-tuning and training night after night"),
    Tier("demanding", "Very demanding work", "the largest open models, many people at once, training from scratch"),
)
QUESTIONS: tuple[Question, ...] = tuple(question for question in questions() if question.tier)
# What a tier's machine must do besides standing in one place: all of these questions, whatever they cost.
BOUGHT: Mapping[str, object] = {"prefer": "buy", "budget_usd": None, "runs_on": "any"}
LIVING = rules.room("picks")["living"]
STATED = re.compile(r"([\d,]+) tokens/s")  # in a statement of what was measured
SAME_RUN = 0.01  # a speed so near to the measured one is that one
PROMPT = 4096  # tokens: a few pages of text, or a source file with the question about it


@dataclass(frozen=True, slots=True)
class Pick:
    """A question answered."""

    question: Question
    answer: Answer
    changed: tuple[Changed, ...] = ()  # what it would be if one thing of the question were otherwise


@dataclass(frozen=True, slots=True)
class Changed:
    """A question with one thing otherwise: its first choice, and where nothing meets it the whole answer."""

    change: Variation
    need: Need
    first: Option | None
    unmet: Answer | None


@dataclass(frozen=True, slots=True)
class TierMachine:
    """What does everything of a tier, for the least money at once."""

    tier: Tier
    questions: tuple[Question, ...]  # those that can be bought for
    first: Option | None
    runner_up: Option | None
    meeting: int  # GPUs that meet all of them, in some count, and as well as the first
    short: tuple[tuple[Question, str], ...] = ()  # of the first: what it misses of the standard, by question
    barely: Option | None = None  # what does all of them for less, short of the standard in some
    barely_short: tuple[tuple[Question, str], ...] = ()  # in which, and what it misses

    @property
    def paid(self) -> float | None:
        """The cards and the machine around them, in the currency of the market."""
        return paid(self.first) if self.first else None


@dataclass(frozen=True, slots=True)
class Picks:
    """Everything that the pages show."""

    picks: tuple[Pick, ...]
    machines: tuple[TierMachine, ...]

    def of(self, tier: Tier) -> list[Pick]:
        """The picks of one tier."""
        return [pick for pick in self.picks if pick.question.tier == tier.id]


@once
def picks(dataset: Dataset, market: Market = DEFAULT_MARKET) -> Picks:
    """Answer every question in a market, once for a dataset: two pages of one build show them."""
    return Picks(
        tuple(
            Pick(question, choose(dataset, asked(question, market)), tuple(changed(dataset, question, market)))
            for question in QUESTIONS
        ),
        tuple(machine(dataset, tier, market=market) for tier in TIERS),
    )


def asked(question: Question, market: Market) -> Need:
    """A question with its amounts in the currency of a market."""
    return parse({"market": market, **question.asked})


def changed(dataset: Dataset, question: Question, market: Market) -> Iterator[Changed]:
    """The question once more for each thing that a reader may have otherwise."""
    for one in question.changes:
        need = parse({"market": market, **question.asked, **one.asked})
        first = first_choice(dataset, need, last=richer(question, one))
        yield Changed(one, need, first, None if first else choose(dataset, need))


def richer(question: Question, change: Variation) -> bool:
    """Whether nothing but a larger budget is otherwise: the least money stays what it was, so the last step is told."""
    before, after = question.asked.get("budget_usd"), change.asked.get("budget_usd")
    return list(change.asked) == ["budget_usd"] and before is not None and float(after or 0) > float(before)


def living(option: Option) -> list[str]:
    """What it means to have this option, besides its price and its speed: parts, programs, warranty."""
    return [rules.sentence(r["says"])(option.env) for r in LIVING if rules.formula(r["when"])(option.env)]


def offloaded(answer: Answer) -> Option | None:
    """The card that does it with part of a mixture's experts in main memory, where that is far cheaper; else None."""
    return next((aside.option for aside in answer.asides if is_offloaded(aside.option)), None)


def is_offloaded(option: Option) -> bool:
    """Whether part of the experts lies in main memory."""
    return "away" in option.env


def is_worked_out(option: Option) -> bool:
    """Whether the speed called measured is that of a run of another size, carried over to the work asked for."""
    able = option.env["able"]
    return (
        bool(able["measured"])
        and option.env["need"]["task"] in rules.room("choose")["training"]
        and not any(
            abs(float(told.replace(",", "")) * count / able["rate"] - 1) < SAME_RUN
            for told in STATED.findall(able["statement"])
            for count in {1, option.count}
        )
    )


def prompt_seconds(dataset: Dataset, option: Option, need: Need) -> Interval | None:
    """How long somebody who chats waits for the first word after a prompt of `PROMPT` tokens; None where unknown."""
    if need.task != "chat" or need.context is None or need.context < 2 * PROMPT or is_offloaded(option):
        return None
    on = shelf(dataset)
    card, model = on.card(option.gpu), on.registry.models[need.model]
    asked = Request(need.quant or "f16", need.engine, need.context, 1, option.count, prompt_tokens=PROMPT)
    rate = estimate(card, model, asked, on.coefficients).prefill_tokens_per_s
    return None if rate is None else Interval(PROMPT / rate.median, PROMPT / rate.p90, PROMPT / rate.p10)


def machine(
    dataset: Dataset, tier: Tier, questions: Sequence[Question] = QUESTIONS, market: Market = DEFAULT_MARKET
) -> TierMachine:
    """The cheapest configuration to buy that does well what a tier asks of whoever may buy.

    Where none reaches the standard of every question, the cheapest of those that miss it in the fewest.
    """
    needs = [(q, asked(q, market)) for q in questions if q.tier == tier.id]
    bought = tuple(q for q, need in needs if need.prefer != "rent")
    able = [_able(dataset, replace(need, **BOUGHT)) for q, need in needs if q in bought]  # type: ignore[arg-type]
    shared = reduce(lambda a, b: {key: a[key] for key in a if key in b}, able) if able else {}

    def short(option: Option) -> tuple[tuple[Question, str], ...]:
        """What a machine misses of the standard of each question; nothing where it does all of them well."""
        missed = [(q, there[option.key].narrow) for q, there in zip(bought, able, strict=True)]
        return tuple((q, "; ".join(one.text for one in narrow)) for q, narrow in missed if narrow)

    missed = {key: len(short(option)) for key, option in shared.items()}
    fewest = min(missed.values(), default=0)
    best = [option for key, option in shared.items() if missed[key] == fewest]
    order = one_of_each(sorted(best, key=lambda option: (paid(option), option.key)))
    first, runner_up = (*order[:2], None, None)[:2]
    if first is None:
        return TierMachine(tier, bought, None, None, 0)
    barely = min(shared.values(), key=lambda option: (paid(option), option.key))
    less = (None, ()) if barely.key == first.key else (barely, short(barely))
    return TierMachine(tier, bought, first, runner_up, len(order), short(first), *less)


def expected(dataset: Dataset, pick: Pick) -> list[Option]:
    """Of the GPUs after which readers ask, those that are no choice: each in the count that comes nearest.

    A count that does the work and costs too much is nearer than a smaller one that does not hold the model.
    """
    on, need = shelf(dataset), pick.answer.need
    chosen = {choice.option.gpu for choice in pick.answer.choices}
    judged = list(options(on.priced_in(need.money), need, only=pick.question.expected))
    held = {o.key: fits(on.ability(o.gpu, o.count, need)) for o in judged}
    judged.sort(key=lambda o: (not o.well, not held[o.key], -o.stage, len(o.failures), len(o.narrow), o.count, o.way))
    nearest = {o.gpu: o for o in reversed(judged)}
    return [nearest[gpu] for gpu in pick.question.expected if gpu in nearest and gpu not in chosen]


def paid(option: Option) -> float:
    """What an option to buy costs at once: the cards, and the machine around them."""
    return float(option.env["paid"])


def _able(dataset: Dataset, need: Need) -> dict[tuple[str, int, str], Option]:
    on = shelf(dataset)
    sound = checked(need, on.registry, dataset)
    able = options(on.priced_in(need.money), sound, every_count=True, meeting=True)
    return {option.key: option for option in able}
