"""The known errors of sources (`data/corrections.yml`): claims to withdraw, and oddities that are accepted."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, ValidationError

from pipeline.core import documents, yaml_text
from pipeline.core.documents import Strict, Text
from pipeline.core.schema import Claim, Price

FEWEST_WORDS = 4  # "wrong" or "typing error" repeats only that it is withdrawn
WITHDRAWN = "withdrawn: "  # how the flag of a price begins that a correction takes out


class CorrectionError(ValueError):
    """A corrections file of which something is wrong.

    `left` are all its entries, the wrong ones as far as they go, so that the others still count; None where nothing can
    be read.
    """

    left: Corrections | None = None


def _says_why(reason: str) -> str:
    if len(reason.split()) < FEWEST_WORDS:
        raise ValueError(
            f"{reason!r} does not say why; write in a sentence what is wrong and by what you know it, as 'figure of "
            f"the 40 GB card; NVIDIA's data sheet says 80'"
        )
    return reason


Reason = Annotated[Text, AfterValidator(_says_why)]


class Correction(Strict):
    """One claim of one source that is known to be wrong; `expect` is the value that it must still state."""

    source: Text
    gpu: Text
    field: Text
    expect: Text
    reason: Reason


class PriceCorrection(Strict):
    """One observed price that is known to be wrong; `expect` is the amount that its row must still state."""

    source: Text
    gpu: Text
    kind: Text
    date: Text
    offer: Text | None = None  # needed where a source states several of the day
    expect: float
    reason: Reason


class Accepted(Strict):
    """One problem that a check finds and that we know to be real: the maker's own figures do not fit together."""

    check: Text
    gpu: Text
    field: Text
    value: Text  # what the message prints: another value of the same field is a problem again
    reason: Reason


Entry = TypeVar("Entry", Correction, PriceCorrection, Accepted)


class Corrections(Strict):
    """The whole file."""

    withdrawn: tuple[Correction, ...] = ()
    prices: tuple[PriceCorrection, ...] = ()
    accepted: tuple[Accepted, ...] = ()


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A claim that a correction takes out, kept with the reason."""

    claim: Claim
    reason: str


def load(path: Path) -> Corrections:
    """Read the corrections; CorrectionError names entry and field."""
    if not path.exists():
        return Corrections()
    where = f"data/{path.name}"
    text = documents.text_of(path, where, CorrectionError)
    content = yaml_text.load(text, where, CorrectionError) or {}
    try:
        found = Corrections.model_validate(content)
        told = [f"{where}: {message}" for message in _twice(found)]
    except ValidationError as error:
        found, told = _left(content), list(documents.told(where, text, error, Corrections))
    if told:
        wrong = CorrectionError("\n".join(told))
        wrong.left = found
        raise wrong
    return found


def _left(content: object) -> Corrections:
    """The entries of a file of which some are wrong; an entry keeps its number, and a part of it may be empty."""
    listed = content if isinstance(content, dict) else {}

    def of(name: str, kind: type[Entry]) -> tuple[Entry, ...]:
        entries = listed.get(name)
        return tuple(_as_far(kind, entry) for entry in entries) if isinstance(entries, list) else ()

    return Corrections.model_construct(
        withdrawn=of("withdrawn", Correction), prices=of("prices", PriceCorrection), accepted=of("accepted", Accepted)
    )


def _as_far(kind: type[Entry], entry: object) -> Entry:
    """An entry, with nothing in place of what cannot be read."""
    try:
        return kind.model_validate(entry)
    except ValidationError:
        written = entry if isinstance(entry, dict) else {}
        parts: dict[str, Any] = {name: str(written.get(name, "")) for name in kind.model_fields}
        if kind is PriceCorrection:
            amount = written.get("expect")
            parts |= {
                "expect": float(amount) if isinstance(amount, int | float) else math.nan,
                "offer": written.get("offer"),
            }
        return kind.model_construct(**parts)


def _twice(found: Corrections) -> Iterator[str]:
    """Entries of a list that take back, or accept, what an earlier one does already."""
    for name in ("withdrawn", "accepted", "prices"):
        first: dict[object, int] = {}
        for number, entry in enumerate(getattr(found, name), 1):
            before = first.setdefault(entry.model_copy(update={"reason": ""}), number)
            if before != number:
                yield f"{name}, entry {number}: says what entry {before} says already; take one of them out"


def apply(claims: Iterable[Claim], corrections: Sequence[Correction]) -> tuple[list[Claim], list[Withdrawn], list[str]]:
    """Split claims into those that stand and those withdrawn; the third part lists corrections without use."""
    wanted = {(c.source, c.gpu, c.field, c.expect): c for c in corrections}
    used = set()
    standing: list[Claim] = []
    withdrawn: list[Withdrawn] = []
    for claim in claims:
        found = (claim.source, claim.gpu, claim.field, claim.value)
        if found in wanted:
            used.add(found)
            withdrawn.append(Withdrawn(claim, wanted[found].reason))
        else:
            standing.append(claim)
    idle = [
        (number, c) for number, c in enumerate(corrections, start=1) if (c.source, c.gpu, c.field, c.expect) not in used
    ]
    said = StatedValues()
    for claim in (*standing, *(entry.claim for entry in withdrawn)) if idle else ():
        said.note(claim.gpu, claim.source, claim.field, claim.value)
    told = "data/corrections.yml: withdrawn, entry"
    return (
        standing,
        withdrawn,
        [f"{told} {number}: {said.why_not(c.gpu, c.source, c.field, c.expect)}" for number, c in idle],
    )


class StatedValues:
    """What sources say of cards, to tell why a correction of it finds nothing."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, dict[str, list[str]]]] = {}

    def note(self, gpu: str, source: str, what: str, value: str) -> None:
        """Keep that a source states a value of something (a field, or a kind of price and its day) of a card."""
        self._values.setdefault(gpu, {}).setdefault(source, {}).setdefault(what, []).append(value)

    def why_not(self, gpu: str, source: str, what: str, expect: str) -> str:
        """What keeps a correction from finding its value, from the card down to the value, and the next step."""
        of_card = self._values.get(gpu)
        if of_card is None:
            return f"gpu: {gpu!r} is no card of which anything is said{_meant(gpu, self._values)}; correct the id"
        if source not in of_card:
            step = f"correct the source, or take the correction out; there are: {_few(of_card)}"
            return f"source: {source!r} says nothing of {gpu}{_meant(source, of_card)}; {step}"
        if what not in of_card[source]:
            step = f"take the correction out, or name what it states: {_few(of_card[source])}"
            return f"{source} states no {what} of {gpu}{_meant(what, of_card[source])}; {step}"
        now = " and ".join(dict.fromkeys(of_card[source][what]))
        step = "take the correction out, or set expect to what it says now"
        return f"{source} says {what} = {now} of {gpu}, not {expect}; {step}"


def _meant(word: str, known: Iterable[str]) -> str:
    return documents.meant(word, list(known)).removesuffix("?")


def _few(words: Iterable[str], most: int = 8) -> str:
    """Some of the words that would fit."""
    listed = sorted(words)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def withdraw(prices: Iterable[Price], corrections: Sequence[PriceCorrection]) -> tuple[list[Price], list[str]]:
    """Flag the prices that are withdrawn, so that nothing counts them; second, the corrections without use."""
    wanted: dict[tuple[str, str, str, str], list[PriceCorrection]] = defaultdict(list)
    for entry in corrections:
        wanted[entry.source, entry.gpu, entry.kind, entry.date].append(entry)
    used: set[PriceCorrection] = set()
    kept: list[Price] = []
    said = StatedValues()
    for price in prices:
        if corrections:
            for stated in dict.fromkeys(filter(None, _amounts(price))):
                said.note(price.gpu, price.source, _what(price), f"{stated:g} ({price.offer})")
        entries = wanted.get((price.source, price.gpu, price.kind, price.date), ())
        found = next(
            (entry for entry in entries if (entry.expect in _amounts(price) and entry.offer in (None, price.offer))),
            None,
        )
        if found:
            used.add(found)
        kept.append(replace(price, flag=f"{WITHDRAWN}{found.reason}") if found else price)
    return kept, [
        f"data/corrections.yml: prices, entry {number}: "
        + said.why_not(entry.gpu, entry.source, _what(entry), f"{entry.expect:g} ({entry.offer or 'any offer'})")
        for number, entry in enumerate(corrections, start=1)
        if entry not in used
    ]


def _what(price: Price | PriceCorrection) -> str:
    return f"{price.kind} price on {price.date}"


def _amounts(price: Price) -> tuple[float | None, ...]:
    return (price.amount, price.usd_per_unit, price.usd_per_gpu_hour, price.usd_per_machine_hour)
