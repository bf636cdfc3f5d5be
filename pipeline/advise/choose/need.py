"""A question as typed fields: what may be asked, how its words are read, and one sentence for each silly input.

Every field, limit, default and sentence stands in the room `choose` of pipeline/advise/rules.yml; the browser reads the
same table. `parse` reads the words of an address or a command, `checked` fills in what the task implies.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from pipeline.advise import rules
from pipeline.advise.choose import electricity
from pipeline.advise.estimate import EstimateError, Model
from pipeline.advise.estimate.models import Registry
from pipeline.advise.estimate.weights import canonical_quant
from pipeline.core import currencies
from pipeline.core.networks import key
from pipeline.core.suggest import MOST, nearest
from pipeline.dataset import Dataset
from pipeline.derive.prices import tax
from pipeline.derive.prices.rules import MARKETS, MarketRule

RULES = rules.room("choose")
CONSTANTS: Mapping[str, Any] = {name: one["is"] for name, one in RULES["constants"].items() if "is" in one}
FIELDS: Mapping[str, Mapping[str, Any]] = RULES["fields"]
TASKS: Mapping[str, Mapping[str, Any]] = RULES["tasks"]
TRAINING: tuple[str, ...] = tuple(RULES["training"])
MEASURED: Mapping[str, Mapping[str, str]] = RULES["measured_tasks"]
SAYS: Mapping[str, str] = RULES["refusals"]
FLAGS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
SHOWN, MOST_COUNT = 40, 8
Way = Literal["buy", "rent"]


class NeedError(ValueError):
    """A question that cannot be answered; the message is one sentence for the person who asked."""


def _default(name: str) -> Any:  # noqa: ANN401 (as the table has it)
    return FIELDS[name].get("default")


@dataclass(frozen=True, slots=True)
class Need:
    """What is to be done, with what, and how much of it; None is "does not matter" or the task's usual."""

    task: str = _default("task")
    model: str = _default("model")
    quant: str | None = None
    engine: str = _default("engine")  # "": the task's own
    kv_bits: int = _default("kv_bits")
    optimizer: str = _default("optimizer")  # of full fine-tuning and of training from scratch
    context: int | None = None
    batch: int = _default("batch")  # people at once (serve), or sequences on each GPU (training)
    units: float | None = None  # tokens or images of one run
    deadline_hours: float | None = None  # for one run
    runs_per_month: float | None = None
    least_rate: float | None = None  # tokens (images) a second: of each person, or of the whole in training
    requests_per_s: float | None = None
    answer_tokens: int = _default("answer_tokens")
    first_token_s: float | None = None
    budget_usd: float | None = None  # to buy, at once; to rent, over the months
    budget_per_month_usd: float | None = None
    own_prices: Mapping[str, float] = field(default_factory=dict)  # GPU → USD each, to buy
    own_rents: Mapping[str, float] = field(default_factory=dict)  # GPU → USD for one GPU-hour
    own: Mapping[str, float] = field(default_factory=dict)  # GPU → how many the reader owns
    max_power_w: float | None = None  # of all GPUs together
    power_limit_w: float | None = None  # set on each GPU
    psu_w: float | None = None
    slots: float | None = None
    length_mm: float | None = None
    quiet: bool = _default("quiet")
    rack: bool = _default("rack")  # a server's air flow for cards without fans
    host: str = _default("host")
    machine: str = _default("machine")
    machines: int = _default("machines")  # joined by a network
    max_gpus: int = _default("max_gpus")
    runs_on: str = _default("runs_on")
    current_software: bool = _default("current_software")
    used: str = _default("used")
    min_memory_gb: float | None = None  # of each GPU
    hours_per_week: float = _default("hours_per_week")
    electricity_usd_per_kwh: float | None = None  # None: what households of the market pay
    host_usd: float | None = None  # None: the machine of data/hosts.yml
    horizon_months: float = _default("horizon_months")
    resale_share: float | None = None  # None: what used cards have kept by age
    prefer: str = _default("prefer")
    rented: str = _default("rented")
    market: str = _default("market")  # where it is bought; every amount is in its currency, whatever its name says

    @property
    def where(self) -> MarketRule:
        """Currency and tax of the market."""
        return MARKETS[self.market]  # type: ignore[index]

    @property
    def money(self) -> currencies.Currency:
        """The currency of the question and of its answer."""
        return currencies.load()[self.where.currency]

    @property
    def tariff(self) -> electricity.Tariff:
        """What a household of the market pays for electricity."""
        return electricity.load()[self.market]

    @property
    def tax(self) -> tax.SalesTax:
        """What a private buyer of the market pays on top of what is listed without tax."""
        return tax.load()[self.market]

    @property
    def rule(self) -> Mapping[str, Any]:
        """The rule of the task."""
        return TASKS[self.task]

    @property
    def hours_per_month(self) -> float:
        """Hours of use a month."""
        return self.hours_per_week * 52 / 12


def parse(words: Mapping[str, str]) -> Need:
    """Read a question from the words of an address or a command; "" is not said. NeedError for a word that is none."""
    values: dict[str, Any] = {}
    market = words.get("market") or str(_default("market"))
    for name, text in words.items():
        if name not in FIELDS:
            raise refused("unknown", name=quoted(name), names=", ".join(FIELDS))
        if text.strip():
            values[name] = _read(name, text.strip(), market)
    return Need(**values)


def as_words(need: Need) -> dict[str, str]:
    """A question in the words that `parse` reads: what differs from the defaults, the task always."""
    plain = Need()
    return {
        name: _written(getattr(need, name))
        for name in FIELDS
        if name == "task" or getattr(need, name) != getattr(plain, name)
    }


def checked(need: Need, registry: Registry, dataset: Dataset) -> Need:
    """Fill in what the task implies, or say in one sentence what is wrong."""
    for name, rule in FIELDS.items():
        value = getattr(need, name)
        if name == "task" or (name != "quant" and "choices" in rule and rule["kind"] == "text"):
            known = TASKS if name == "task" else rule["choices"]
            if value not in known:
                raise refused("choice", name, quoted(value), names=", ".join(filter(None, known)))
        elif "low" in rule:
            _within(name, value, need)
    if need.kv_bits not in (4, 8, 16):
        raise refused("choice", "kv_bits", quoted(need.kv_bits), names="16, 8, 4")
    _can_be_answered(need)
    task = need.rule
    need = replace(need, engine=task["engine"] and (need.engine or task["engine"]))
    need = replace(
        need,
        units=first(need.units, task["units"]),
        runs_per_month=first(need.runs_per_month, task["runs"]),
        least_rate=first(need.least_rate, task["least"]),
        own_prices=_known_gpus("own_prices", need.own_prices, dataset),
        own_rents=_known_gpus("own_rents", need.own_rents, dataset),
        own=_known_gpus("own", need.own, dataset),
        rented=need.rented or task["rented"],
        quant=_quant(need),
        context=first(need.context, task["context"]),
    )
    if task["kind"] == "none":
        return replace(need, model="")
    model = _model(need, registry)
    if model.context and need.context and need.context > model.context:
        raise refused("longer", context=rules.fixed(need.context), model=model.name, limit=rules.fixed(model.context))
    return replace(need, model=model.id)


def as_plain(need: Need) -> dict[str, Any]:
    """The fields of a question as formulas ask for them."""
    return {field.name: getattr(need, field.name) for field in fields(need)}


def first(value: Any, other: Any) -> Any:  # noqa: ANN401
    """The value, or the other one where there is none."""
    return other if value is None else value


def quoted(text: object) -> str:
    """What somebody typed, the start of it, as a sentence repeats it."""
    return f"“{str(text)[:SHOWN]}”"


def counted(value: float) -> str:
    """A number as a sentence says it: whole as it is, any other with three digits."""
    whole = value == int(value) and abs(value) < 1e15
    return (rules.fixed(value) if whole else rules.three(value)) or ""


def refused(why: str, name: str = "", text: object = "", **more: object) -> NeedError:
    """The sentence that refuses a field, ready to be raised."""
    told = {"text": text, "name": name, **more}
    if name in FIELDS:
        told = {"label": FIELDS[name]["label"], **told}
    return NeedError(rules.sentence(SAYS[why])(told))


def read_number(name: str, text: str, market: str) -> float:
    """A number as a market writes it: thousands and decimals told apart, and asked again where both are possible."""
    suffixes: Mapping[str, float] = RULES["context_suffixes" if name == "context" else "suffixes"]
    plain = _bare(name, text)
    times = suffixes.get(plain[-1:])
    if times is not None and len(plain) > 1:
        return times * read_number(name, plain[:-1], market)
    thousands, decimal = RULES["numbers"].get(market, RULES["numbers"][_default("market")])
    if not re.fullmatch(r"[+-]?[0-9.,]*[0-9][0-9.,]*(e[+-]?[0-9]+)?", plain):
        raise refused("number", name, quoted(text))
    marks = [mark for mark in plain if mark in ".,"]
    if len(set(marks)) == 2:  # the last one marks the decimals, whatever the market
        last = marks[-1]
        return _finite(name, text, plain.replace("," if last == "." else ".", "").replace(last, "."))
    if len(marks) > 1:
        return _finite(name, text, plain.replace(marks[0], ""))
    if marks and re.search(r"[1-9][0-9]{0,2}[.,][0-9]{3}$", plain) and "e" not in plain:
        if marks[0] == thousands:
            return _finite(name, text, plain.replace(thousands, ""))
        whole = plain.replace(decimal, "")
        if FIELDS[name].get("money"):
            raise refused("ambiguous", name, quoted(text), whole=whole, small=plain.rstrip("0").rstrip(decimal))
    return _finite(name, text, plain.replace(",", "."))


def _bare(name: str, text: str) -> str:
    """A number without the spaces, and an amount without the currency, that people write around it."""
    plain = re.sub(r"[\u00a0 '_]", "", text).lower()
    for mark in RULES["currency_marks"] if FIELDS[name].get("money") else ():
        plain = plain.removeprefix(mark).removesuffix(mark)
    return plain


def _finite(name: str, text: str, plain: str) -> float:
    try:
        value = float(plain)
    except ValueError:
        value = math.inf
    if not math.isfinite(value):
        raise refused("number", name, quoted(text))
    return value


def _read(name: str, text: str, market: str) -> Any:  # noqa: ANN401
    kind = FIELDS[name]["kind"]
    if kind in ("prices", "counts"):
        return dict(_pair(name, pair, kind) for pair in text.split(",") if pair.strip())
    if kind == "flag":
        if text.lower() not in FLAGS:
            raise refused("flag", name, quoted(text))
        return FLAGS[text.lower()]
    if kind == "text":
        return text
    value = read_number(name, text, market)
    if kind == "whole" and value != int(value):
        raise refused("whole", name, quoted(text))
    return int(value) if kind == "whole" else value


def _pair(name: str, text: str, kind: str) -> tuple[str, float]:
    gpu, mark, value = text.partition("=")
    if not mark and kind == "counts":
        return gpu.strip(), 1
    try:
        amount = float(value)
    except ValueError:
        amount = math.nan
    if not math.isfinite(amount):
        raise refused("pair", name, quoted(text))
    return gpu.strip(), amount


def _written(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{gpu}={_written(amount)}" for gpu, amount in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _can_be_answered(need: Need) -> None:
    """Refuse what no source here measured, with the nearest question that can be answered."""
    env = {"need": as_plain(need), "task": need.rule, "training": TRAINING, "asked_model": key(need.model)}
    for row in RULES["cannot"]:
        if rules.formula(row["when"])(env):
            raise refused("nearest", **{name: rules.sentence(row[name])(env) for name in ("reason", "way")})


def _within(name: str, value: float | None, need: Need) -> None:
    if value is None:
        return
    rule = FIELDS[name]
    if not math.isfinite(value):
        raise refused("number", name, value)
    unit = need.where.currency if rule.get("unit") == "currency" else rule.get("unit", "")
    for why, wrong in (("low", value < rule["low"]), ("high", value > rule["high"])):
        if wrong:
            raise refused(why, name, counted(value), limit=counted(rule[why]), unit=unit)


def _model(need: Need, registry: Registry) -> Model:
    wanted = need.rule
    text = need.model or str(wanted["model"])
    found = registry.spellings.get(key(text))
    kinds = RULES["kinds"]
    if found is None:
        known = {
            spelling: name
            for spelling, name in registry.spellings.items()
            if registry.models[name].kind == wanted["kind"]
        }
        names = dict.fromkeys(known[spelling] for spelling in near(key(text), known))
        raise refused("model", text=quoted(text), names=", ".join(names))
    model = registry.models[found]
    if model.kind != wanted["kind"]:
        kind = kinds[wanted["kind"]]
        raise refused("kind", model=model.name, task=wanted["words"], wanted=kind, example=wanted["model"])
    return model


def near(text: str, names: Collection[str]) -> list[str]:
    """The names that begin as a text does, whatever stands between its letters, before those that look like it."""
    start = text.replace("-", "")
    begin = sorted(name for name in names if start and name.replace("-", "").startswith(start))
    return list(dict.fromkeys([*begin, *nearest(text, names)]))[:MOST]


def _quant(need: Need) -> str:
    try:
        usual = need.rule["quant"] if need.engine == need.rule["engine"] else RULES["usual_quant"][need.engine]
        return canonical_quant(str(need.quant or usual))
    except EstimateError as error:
        raise NeedError(str(error)) from None


def _known_gpus(name: str, pairs: Mapping[str, float], dataset: Dataset) -> dict[str, float]:
    found = {}
    high = MOST_COUNT if name == "own" else 1e8
    for text, value in pairs.items():
        gpu = dataset.find(str(text))
        if gpu is None:
            known = near(str(text).lower(), [*dataset.gpus])
            raise refused("gpu", name, quoted(text), names=", ".join(known))
        if not 0 < value <= high:
            limit = high if value > high else 0
            raise refused("high" if limit else "low", name, counted(value), limit=counted(limit), unit="of a kind")
        found[gpu.id] = value
    return found
