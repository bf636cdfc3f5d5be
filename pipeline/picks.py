"""The questions below and the dataset in; the recommender's pick for each and one machine for each tier out.

No pick is chosen by hand: the rule is the recommender's (`pipeline/choose`), so a price that changes changes the pick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from urllib.parse import urlencode

from pipeline.choose import Answer, Need, choose, parse
from pipeline.choose.judge import Option, options
from pipeline.choose.need import checked
from pipeline.choose.shelf import shelf
from pipeline.dataset import Dataset


@dataclass(frozen=True, slots=True)
class Tier:
    """A class of work, as a reader recognises it."""

    id: str
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Question:
    """One need; `asked` is in the words of an address, so that the chooser opens with the same question."""

    id: str
    tier: str
    words: str
    asked: Mapping[str, str]
    reading: str  # what the question leaves open and this project filled in
    home: bool = False  # also on the first page
    expected: tuple[tuple[str, int], ...] = ()  # GPUs, and how many, after which readers ask: why not this one?

    @property
    def address(self) -> str:
        """Where the chooser answers it, below the site's root."""
        return f"choose/?{urlencode(self.asked)}"


TIERS: tuple[Tier, ...] = (
    Tier("light", "Light work", "learning, small networks, a small language model, an evening of fine-tuning"),
    Tier("complex", "Complex work", "models that fill a large card, fine-tuning and training night after night"),
    Tier("demanding", "Very demanding work", "the largest open models, many people at once, training from nothing"),
)
IMAGENET = 1_281_167  # images of ImageNet's training set, once over
_CHAT_8B = {"task": "chat", "model": "llama-3.1-8b-instruct", "quant": "q4_k_m", "context": "8192"}
_CHAT_32B = {"task": "chat", "model": "qwen2.5-32b-instruct", "quant": "q4_k_m", "context": "8192"}
QUESTIONS: tuple[Question, ...] = (
    Question("chat-8b", "light", "Chat with an 8 B model at home",
             {**_CHAT_8B, "budget_usd": "300", "prefer": "buy"},
             "4 bits a weight, 8,192 tokens of context, at least 10 tokens a second", home=True,
             expected=(("nvidia-geforce-rtx-3060-12gb", 1), ("nvidia-geforce-rtx-3070", 1), ("intel-arc-b580", 1))),
    Question("cnn-small", "light", "Train image networks with a 450 W power supply",
             {"task": "cnn", "model": "resnet-50", "budget_usd": "300", "psu_w": "450", "max_gpus": "1",
              "prefer": "buy"},
             "the fastest card that the money and the power supply allow",
             expected=(("nvidia-geforce-rtx-3060-ti", 1), ("nvidia-geforce-rtx-3060-12gb", 1))),
    Question("qlora-8b", "light", "Fine-tune an 8 B model in one evening",
             {"task": "qlora", "model": "llama-3.1-8b-instruct", "units": "5e6", "deadline_hours": "5",
              "context": "2048", "budget_usd": "800", "max_gpus": "1"},
             "QLoRA, 5 million tokens within five hours, one card of your own or rented", home=True,
             expected=(("nvidia-geforce-rtx-3090", 1), ("nvidia-geforce-rtx-4090", 1), ("nvidia-h100-sxm5-80gb", 1))),
    Question("chat-32b", "complex", "Chat with a 32 B model at home",
             {**_CHAT_32B, "budget_usd": "1000", "prefer": "buy"},
             "4 bits a weight, 8,192 tokens of context, any maker", home=True,
             expected=(("nvidia-geforce-rtx-3090", 1), ("nvidia-geforce-rtx-5060-ti-16gb", 2))),
    Question("chat-32b-cuda", "complex", "The same on one card that runs CUDA",
             {**_CHAT_32B, "budget_usd": "1500", "prefer": "buy", "runs_on": "cuda", "max_gpus": "1"},
             "for whoever wants to train on it too: CUDA is where most code runs first",
             expected=(("nvidia-geforce-rtx-5060-ti-16gb", 1), ("nvidia-geforce-rtx-4090", 1),
                       ("nvidia-geforce-rtx-5090", 1))),
    Question("qlora-14b", "complex", "Fine-tune a 14 B model overnight on a card of your own",
             {"task": "qlora", "model": "qwen2.5-14b-instruct", "units": "10e6", "deadline_hours": "12",
              "context": "2048", "budget_usd": "2000", "max_gpus": "1", "prefer": "buy", "runs_on": "cuda"},
             "QLoRA, 10 million tokens within twelve hours, CUDA",
             expected=(("nvidia-geforce-rtx-3090", 1), ("nvidia-geforce-rtx-5060-ti-16gb", 1),
                       ("nvidia-geforce-rtx-4090", 1))),
    Question("cnn-nightly", "complex", "Train image networks every night",
             {"task": "cnn", "model": "resnet-50", "units": str(10 * IMAGENET), "deadline_hours": "8",
              "hours_per_week": "56", "max_gpus": "1", "prefer": "buy", "objective": "cheapest"},
             "ResNet-50, ten times over ImageNet in eight hours", home=True,
             expected=(("nvidia-geforce-rtx-3080-10gb", 1), ("nvidia-geforce-rtx-3090", 1),
                       ("nvidia-geforce-rtx-4090", 1))),
    Question("chat-120b", "demanding", "A 120 B mixture-of-experts model at home",
             {"task": "chat", "model": "gpt-oss-120b", "quant": "mxfp4", "context": "8192", "max_gpus": "4",
              "prefer": "buy"},
             "one person, at least 10 tokens a second, at most four cards in one machine",
             expected=(("nvidia-geforce-rtx-3090", 4), ("nvidia-rtx-pro-6000-blackwell-max-q", 1),
                       ("nvidia-geforce-rtx-5090", 2))),
    Question("serve-70b", "demanding", "Four people share a 70 B model",
             {"task": "serve", "model": "llama-3.3-70b-instruct", "quant": "int4", "context": "4096", "batch": "4",
              "budget_usd": "10000", "prefer": "buy", "hours_per_week": "40"},
             "all four at once, 10 tokens a second and 4,096 tokens of context each", home=True,
             expected=(("nvidia-geforce-rtx-3090", 2), ("nvidia-geforce-rtx-5090", 2),
                       ("nvidia-rtx-pro-6000-blackwell-max-q", 1))),
    Question("serve-8b", "demanding", "Serve an 8 B model to 100 people around the clock",
             {"task": "serve", "model": "llama-3.1-8b-instruct", "quant": "fp8", "context": "2048", "batch": "100",
              "prefer": "rent", "objective": "cheapest_work", "hours_per_week": "168"},
             "rented, 8 bits a weight, the cheapest million tokens, 10 tokens a second each",
             expected=(("nvidia-geforce-rtx-4090", 1), ("nvidia-l40s", 1), ("nvidia-h100-sxm5-80gb", 1))),
    Question("full-7b", "demanding", "Fine-tune every weight of a 7 B model once",
             {"task": "full", "model": "qwen2.5-7b-instruct", "units": "20e6", "deadline_hours": "48",
              "context": "2048"},
             "20 million tokens within two days, bought or rented", home=True,
             expected=(("nvidia-h100-sxm5-80gb", 1), ("nvidia-h100-sxm5-80gb", 2), ("nvidia-h200-sxm-141gb", 1))),
    Question("train-1b", "demanding", "Train a 1 B model from nothing",
             {"task": "train", "model": "llama-3.2-1b-instruct", "units": "20e9", "deadline_hours": "336",
              "prefer": "rent", "batch": "4"},
             "20 billion tokens within two weeks, rented, one machine",
             expected=(("nvidia-h100-sxm5-80gb", 1), ("nvidia-h100-sxm5-80gb", 8), ("nvidia-geforce-rtx-4090", 8))),
)  # fmt: skip
# What a tier's machine must do besides standing in one place: all of these questions, whatever they cost.
BOUGHT: Mapping[str, object] = {"prefer": "buy", "budget_usd": None, "runs_on": "any"}


@dataclass(frozen=True, slots=True)
class Pick:
    """A question answered."""

    question: Question
    answer: Answer

    @property
    def runner_up(self) -> Option | None:
        """The next in the order of the objective."""
        return self.answer.ranked[1] if len(self.answer.ranked) > 1 else None

    @property
    def gives_up(self) -> str:
        """What one loses by taking the runner-up."""
        return self.answer.lost[0][1] if self.runner_up is not None else ""

    @property
    def sure(self) -> Option | None:
        """The first that meets the need at the slow end of its estimate too."""
        return next((option for option in self.answer.ranked if at_the_slow_end(option, self.answer.need)), None)

    @property
    def in_one(self) -> tuple[tuple[Option, float], ...]:
        """Where the pick is several cards: what would do it alone and lacks only a price; first below this one."""
        first = self.answer.first
        return tuple(o for o in self.answer.unpriced if first is not None and o[0].count == 1 < first.count)


@dataclass(frozen=True, slots=True)
class Machine:
    """What does everything of a tier, for the least money at once."""

    tier: Tier
    questions: tuple[Question, ...]  # those that can be bought for
    first: Option | None
    runner_up: Option | None
    meeting: int  # GPUs that meet all of them, in some count
    flips_above: float | None  # the price of one GPU above which the runner-up costs less

    @property
    def paid_usd(self) -> float | None:
        """Cards and what they need around them."""
        return paid(self.first) if self.first else None


@dataclass(frozen=True, slots=True)
class Picks:
    """Everything that the pages show."""

    picks: tuple[Pick, ...]
    machines: tuple[Machine, ...]

    def of(self, tier: Tier) -> list[Pick]:
        """The picks of one tier."""
        return [pick for pick in self.picks if pick.question.tier == tier.id]


_KNOWN: list[tuple[Dataset, Picks]] = []


def picks(dataset: Dataset) -> Picks:
    """Answer every question, once for a dataset: two pages of one build show them."""
    for known, found in _KNOWN:
        if known is dataset:
            return found
    made = Picks(
        tuple(Pick(question, choose(dataset, parse(question.asked))) for question in QUESTIONS),
        tuple(machine(dataset, tier) for tier in TIERS),
    )
    _KNOWN[:] = [(dataset, made)]
    return made


def machine(dataset: Dataset, tier: Tier, questions: Sequence[Question] = QUESTIONS) -> Machine:
    """The cheapest configuration to buy that meets every question of a tier for which one may buy."""
    asked = [(q, parse(q.asked)) for q in questions if q.tier == tier.id]
    bought = tuple(q for q, need in asked if need.prefer != "rent")
    able = [_able(dataset, replace(need, **BOUGHT)) for q, need in asked if q in bought]  # type: ignore[arg-type]
    shared = reduce(lambda a, b: {key: a[key] for key in a if key in b}, able) if able else {}
    order = _one_of_each_gpu(sorted(shared.values(), key=lambda option: (paid(option), option.key)))
    first, runner_up = (*order[:2], None, None)[:2]
    flips = first.cost.paid.price_for(paid(runner_up)) if first and runner_up else None
    return Machine(tier, bought, first, runner_up, len(order), flips)


def at_the_slow_end(option: Option, need: Need) -> bool:
    """Whether an option meets the need even if it is as slow as one run in ten was."""
    span, rate = option.cost.run_hours_range, option.ability.rate
    in_time = span is None or need.deadline_hours is None or span[1] <= need.deadline_hours
    people = need.batch if need.task == "serve" else 1
    return in_time and (rate is None or need.least_rate is None or rate.p10 / people >= need.least_rate)


def expected(dataset: Dataset, pick: Pick) -> list[Option]:
    """Of the options after which readers ask, those offered in the way of the pick; without it and its runner-up."""
    on, need, first = shelf(dataset), pick.answer.need, pick.answer.first
    way = first.way if first else "buy"
    judged = {option.key: option for option in options(on, need)}
    wanted = [judged.get((gpu, count, way)) for gpu, count in pick.question.expected]
    shown = {option.key for option in (first, pick.runner_up) if option}
    return [option for option in wanted if option and option.key not in shown]


def paid(option: Option) -> float:
    """What an option to buy costs at once: the cards, and the machine around several of them."""
    return option.cost.paid.at(option.price)


def _able(dataset: Dataset, need: Need) -> dict[tuple[str, int, str], Option]:
    on = shelf(dataset)
    asked = checked(need, on.registry, dataset)
    return {option.key: option for option in options(on, asked) if option.meets}


def _one_of_each_gpu(order: Sequence[Option]) -> list[Option]:
    first: dict[str, Option] = {}
    for option in order:
        first.setdefault(option.gpu.id, option)
    return list(first.values())
