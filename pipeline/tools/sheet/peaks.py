"""Which field peak:<input>:<accumulate>:<sparsity>:<engine> a row's label and cell mean, or why none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.tools.sheet import figures
from pipeline.tools.sheet.form import MARK
from pipeline.tools.sheet.sparsity import stance
from pipeline.tools.sheet.words import (
    ACCUMULATE,
    DENSE,
    DENSE_FIRST,
    DENSE_OVER_16_BIT,
    ENGINES,
    FORMAT_IN_FOOTNOTE,
    FORMATS,
    FP32_BY_RATIO,
    LABEL_NOISE,
    MATRIX_RATES_ONLY,
    NEVER_SPARSE,
    ONE_RATE,
    ONLY_TENSOR,
    PLAIN_VECTOR,
    RATIO_TOLERANCE,
    SPARSE,
    SPARSE_FIRST,
    UNCLEAR,
    UNIT_PAIR,
    WITHOUT_SPARSITY,
)

SPARSITY_IN_LABEL = (
    r"\(?\b((with|without|w/|no)( structured| structural| fine-grained)* sparsity|sparsity|sparse|dense)\b\)?"
)
ACCUMULATE_IN_LABEL = r"\(?\b(?:with |w/ ?)?(fp32|fp16|fp64|int32)[ -]accum\w*\)?"
# A sparse rate is more than the dense one, at most twice it but for rounding.
SPARSE_OVER_DENSE = (1.05, 2.3)
NOTHING_SAID = (
    "the sheet does not say whether it is dense or with sparsity (no mark, no word, no sparse figure beside it)"
)
REAL = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4"}


@dataclass(frozen=True, slots=True)
class RateLabel:
    """What the label of a rate says."""

    inputs: tuple[tuple[str, str], ...]  # (format, engine), engine "" where it says none
    accumulate: str
    stance: str
    unit: str


@dataclass(frozen=True, slots=True)
class PrintedRate:
    """One printed rate: for which format, on which engine, and everything the sheet says of its sparsity."""

    input: str
    engine: str
    accumulate: str
    figure: figures.PrintedNumber
    unit: str
    unit_from: str  # the row whose unit it takes over, where its own prints none
    own: str  # said behind this figure, or by its footnote
    row: str  # said by label, section, column, note
    alone: bool  # the only figure of its cell
    entry: object = field(compare=False)

    @property
    def trillions(self) -> float:
        """The rate in TFLOPS or TOPS."""
        return self.figure.value * {"G": 0.001, "T": 1.0, "P": 1000.0}[self.unit[0]]


@dataclass(frozen=True, slots=True)
class Placed:
    """A rate with its field, or with the reason why it has none."""

    rate: PrintedRate
    name: str
    reason: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """A rate with its sparsity and engine, or with the reason why they are not certain."""

    rate: PrintedRate
    sparsity: str
    engine: str
    reason: str
    remark: str = ""


def format_in_footnote(label: str, notes: Sequence[str]) -> RateLabel | None:
    """Read the one format that the footnotes of a row without one name: "Effective FP4 TOPS with sparsity"."""
    bare, unit = figures.unit_in_label(label)
    if not re.fullmatch(FORMAT_IN_FOOTNOTE, " ".join(MARK.sub(" ", bare).casefold().split())):
        return None
    said = " ".join(notes).casefold()
    formats = {word for pattern, word in FORMATS if re.search(rf"(?<![a-z0-9])({pattern})(?![a-z0-9])", said)}
    return RateLabel(((formats.pop(), "tensor"),), "", "", unit) if len(formats) == 1 else None


def parse_label(label: str) -> RateLabel | None:
    """Read the label of a rate; None when it is none, or holds a word that we do not know."""
    pair = re.search(UNIT_PAIR, label, re.IGNORECASE)
    bare, unit = figures.unit_in_label(label.replace(pair[0], " ") if pair else label)
    text = MARK.sub(" ", bare).casefold().replace("®", " ").replace("™", " ")
    text = re.sub(r"\b(nvidia|amd|intel|xe)\b", " ", text)
    text = re.sub(r"\bper (chip|accelerator)\b", " ", text)
    # The two kinds of FP8 are no list of formats, and a format in brackets says more than the words before it.
    text = re.sub(r"\(?e[45]m[23]\s*(,|/|and|&)\s*e[45]m[23]\)?", " ", text)
    text = re.sub(
        r"\b(single|half|double|(?:eight|six|four|\d)[ -]bit)[ -]precision( matrix)?\s*\((?=[^)]*(tf32|fp|bf16|int))",
        r"\2 (",
        text,
    )
    text = re.sub(r"\b(first|second|third|fourth|fifth|sixth|\d(st|nd|rd|th))[ -]gen(eration)?\b", " ", text)
    accumulate = re.search(ACCUMULATE_IN_LABEL, text)
    text = re.sub(ACCUMULATE_IN_LABEL, " ", text)
    mixed = re.search(r"mixed[ -]precision\s*\(?fp16\s*/\s*fp32\)?", text)
    if mixed:
        text = text.replace(mixed[0], "fp16 tensor")
    said = stance(text)
    text = re.sub(SPARSITY_IN_LABEL, " ", text)
    parts = [_part(part) for part in re.split(r"\s*(?:/|\||,|&|\band\b)\s*(?=\S)", text) if part.strip(" ()")]
    if not parts or any(part is None for part in parts):
        return None
    inputs = _inputs([part for part in parts if part is not None])
    if not inputs:
        return None
    named = accumulate[1] if accumulate else ("fp32" if mixed else "")
    if pair and not unit:
        unit = pair[1].upper() + ("FLOPS" if inputs[0][0] in REAL else "OPS")
    return RateLabel(tuple(inputs), named, said, unit)


def _part(text: str) -> tuple[list[str], list[str]] | None:
    """Read one alternative of a label: its formats and engines; None when a word is left over."""
    formats: list[str] = []
    engines: list[str] = []
    for table, found in ((FORMATS, formats), (ENGINES, engines)):
        for pattern, word in table:
            matched = re.search(rf"(?<![a-z0-9])({pattern})(?![a-z0-9])", text)
            if matched:
                found.append(word)
                text = re.sub(rf"(?<![a-z0-9])({pattern})(?![a-z0-9])", " ", text)
    left = re.sub(rf"(?<![a-z0-9])({LABEL_NOISE})(?![a-z0-9])", " ", text)
    return None if re.search(r"[a-z0-9]", left) else (list(dict.fromkeys(formats)), list(dict.fromkeys(engines)))


def _inputs(parts: Sequence[tuple[list[str], list[str]]]) -> list[tuple[str, str]]:
    """Spread engines over the formats: "FP8/FP6 Tensor Core" is two, "FP64/FP64 Tensor Core" one on each engine."""
    formats = [word for part in parts for word in part[0]]
    engines = [word for part in parts for word in part[1]]
    if not formats:
        return []
    if len(formats) != len(set(formats)):
        return [(word, part[1][0] if part[1] else "vector") for part in parts for word in part[0]]
    if len(set(engines)) > 1:
        return [(formats[0], engine) for engine in dict.fromkeys(engines)] if len(formats) == 1 else []
    return [(word, engines[0] if engines else "") for word in formats]


def own_stances(found: Sequence[figures.PrintedNumber], notes: Sequence[str], row: str) -> list[str]:
    """Say what stands at each figure of a cell itself: words behind it, its footnote, or the order of the pair."""
    own = [stance(figure.said) or note for figure, note in zip(found, notes, strict=True)]
    orders = {DENSE_FIRST: [DENSE, SPARSE], SPARSE_FIRST: [SPARSE, DENSE]}
    said = next((word for word in [*own, row] if word in orders), "")
    if not said:
        return own
    return orders[said] if len(found) == 2 else [UNCLEAR] * len(found)


def place(rates: Sequence[PrintedRate], maker: str, about: str) -> Iterator[Placed]:
    """Name the field of each rate of one GPU; `maker` and `about` (name, architecture) open the rule tables."""
    settled = [_settle(rate, rates, maker, about) for rate in rates]
    settled = [_dense_by_width(one, settled, maker, about) for one in settled]
    for one in settled:
        rate, sparsity, engine = one.rate, one.sparsity, one.engine
        if one.reason:
            yield Placed(rate, "", one.reason)
            continue
        accumulate, remark = _accumulate(one, settled, maker, about)
        if not accumulate:
            yield Placed(
                rate,
                "",
                f"{sparsity}, but the sheet does not say in which format it accumulates "
                f"({rate.input} may be FP16 or FP32)",
            )
            continue
        said = "; ".join(part for part in (one.remark, remark) if part)
        yield Placed(rate, f"peak:{rate.input}:{accumulate}:{sparsity}:{engine}", "", said)


def _settle(rate: PrintedRate, rates: Sequence[PrintedRate], maker: str, about: str) -> Settled:
    """Decide sparsity and engine of a rate, or why they cannot be decided."""
    if rate.input == "-":
        return Settled(rate, "", "", "a format that the dataset has no word for")
    if (rate.input in REAL) != rate.unit.endswith("FLOPS") and rate.input not in ("fp4", "fp6", "fp8"):
        return Settled(rate, "", "", f"unit {rate.unit} does not fit {rate.input}")
    engine = rate.engine or _plain_engine(rate, rates, maker)
    if not engine:
        reason = f"the label does not say whether {rate.input} runs on the vector or the matrix unit"
        return Settled(rate, "", "", reason)
    sparsity, reason = _sparsity(rate, engine, rates, maker, about)
    return Settled(rate, sparsity, engine, reason)


def _dense_by_width(one: Settled, settled: Sequence[Settled], maker: str, about: str) -> Settled:
    """Settle an unmarked rate as dense where the sheet marks its sparse ones, and its bits explain its rate.

    Sparse, it would be twice that: INT8 is 2 × the dense FP16 rate, with sparsity 4 ×. The FP16 rate must be the one
    with FP32 accumulate: where FP16 accumulate is faster, 2 × that one is also the sparse FP8 rate (RTX 4090: 660.6).
    """
    ratio = DENSE_OVER_16_BIT.get(one.rate.input)
    if one.reason != NOTHING_SAID or ratio is None or not one.rate.alone:
        return one
    if not any(other.sparsity == SPARSE for other in settled):
        return one
    for other in settled:
        dense = other.rate.input in ("fp16", "bf16") and (other.sparsity, other.engine) == (DENSE, "tensor")
        if dense and _is_ratio(one.rate, other.rate, ratio) and _accumulate(other, settled, maker, about)[0] == "fp32":
            times = f"{ratio:g} × the sheet's dense {other.rate.input.upper()} rate"
            return Settled(one.rate, DENSE, one.engine, "", f"dense: unmarked beside marked rows, and {times}")
    return one


def _is_ratio(rate: PrintedRate, other: PrintedRate, ratio: float) -> bool:
    return abs(rate.trillions / (ratio * other.trillions) - 1) <= RATIO_TOLERANCE


def _plain_engine(rate: PrintedRate, rates: Sequence[PrintedRate], maker: str) -> str:
    if rate.input in ONLY_TENSOR or SPARSE in (rate.own, rate.row) or maker in MATRIX_RATES_ONLY:
        return "tensor"
    if rate.input in PLAIN_VECTOR:
        return "vector"
    return "tensor" if _partner(rate, rates) else ""


def _sparsity(rate: PrintedRate, engine: str, rates: Sequence[PrintedRate], maker: str, about: str) -> tuple[str, str]:
    """A rate is dense only on evidence; without it, it stays unplaced."""
    reason = _contradiction(rate)
    said = rate.own or (rate.row if rate.alone else "")
    never = engine == "vector" or rate.input in NEVER_SPARSE
    if not reason and said == SPARSE:
        reason = _not_sparse(rate, engine, never, rates)
        return ("", reason) if reason else (SPARSE, "")
    if not reason and said == DENSE:
        reason = _not_dense(rate, rates)
    dense = said == DENSE or never or bool(_partner(rate, rates)) or _cannot_be_sparse(maker, about)
    if not reason and not dense:
        reason = NOTHING_SAID
    return ("", reason) if reason else (DENSE, "")


def _contradiction(rate: PrintedRate) -> str:
    if rate.row == SPARSE and rate.own == "" and not rate.alone:
        return "the row is marked as sparse, and the cell holds several figures: which one is meant is not said"
    if UNCLEAR in (rate.own, rate.row if not rate.own else ""):
        return "what the sheet says of its sparsity is not clear; read it by hand"
    if {rate.own, rate.row} == {DENSE, SPARSE}:
        return "its footnote and its row contradict one another on sparsity"
    return ""


def _not_sparse(rate: PrintedRate, engine: str, never: bool, rates: Sequence[PrintedRate]) -> str:
    """Say why a figure that is marked as sparse cannot be that."""
    if never:
        return f"marked as sparse, but {rate.input} on the {engine} unit has no sparse rate; read it by hand"
    beside = next(
        (
            other
            for other in rates
            if other.entry is rate.entry and other.input == rate.input and other is not rate and other.own == ""
        ),
        None,
    )
    if beside and beside.trillions >= rate.trillions:
        return "marked as sparse, but not larger than the unmarked figure beside it; the mark may have moved"
    return ""


def _not_dense(rate: PrintedRate, rates: Sequence[PrintedRate]) -> str:
    """Say why a figure that is marked as dense cannot be that: it is the larger one of its pair."""
    beside = (other for other in rates if other.entry is rate.entry and other.input == rate.input and other is not rate)
    if any(other.own == "" and other.trillions < rate.trillions for other in beside):
        return "marked as dense, but larger than the unmarked figure beside it; mark or footnote may have changed"
    return ""


def _partner(rate: PrintedRate, rates: Sequence[PrintedRate]) -> PrintedRate | None:
    """Find the figure that is said to be the sparse one of the same format, and is larger as it must be."""
    low, high = SPARSE_OVER_DENSE
    for other in rates:
        sparse = SPARSE in (other.own, other.row if other.alone else "")
        same = other.input == rate.input and other is not rate and other.figure is not rate.figure
        if sparse and same and low <= other.trillions / rate.trillions <= high:
            return other
    return None


def _cannot_be_sparse(maker: str, about: str) -> bool:
    return any(maker == who and re.search(pattern, about.casefold()) for who, pattern in WITHOUT_SPARSITY)


def _accumulate(one: Settled, settled: Sequence[Settled], maker: str, about: str) -> tuple[str, str]:
    rate = one.rate
    if rate.accumulate:
        return rate.accumulate, ""
    if one.engine == "vector":
        # A vector unit adds in the format it multiplies in; the dataset has no word for BF16 sums.
        own = {"fp64": "fp64", "fp32": "fp32", "fp16": "fp16", "int8": "int32"}
        return own.get(rate.input, ""), ""
    known = ACCUMULATE.get((maker, rate.input)) or ACCUMULATE.get(("", rate.input))
    if known:
        return known, ""
    if not maker.startswith("NVIDIA"):
        return "", ""
    by_ratio = next((said for said in (_by_ratio(other, settled) for other in _pair(one, settled)) if said), "")
    one_rate = rate.input in ONE_RATE and re.search(ONE_RATE[rate.input], about.casefold())
    said = by_ratio or (f"the chip has one {rate.input.upper()} rate, whichever format it adds in" if one_rate else "")
    return ("fp32", f"FP32 accumulate: {said}") if said else ("", "")


def _pair(one: Settled, settled: Sequence[Settled]) -> Iterator[Settled]:
    """Give a rate and the dense or sparse one of the same row or format, which accumulates in the same format."""
    yield one
    low, high = SPARSE_OVER_DENSE
    for other in settled:
        same = (other.rate.input, other.engine) == (one.rate.input, one.engine)
        if same and {other.sparsity, one.sparsity} == {DENSE, SPARSE}:
            sparse, dense = (other, one) if one.sparsity == DENSE else (one, other)
            if low <= sparse.rate.trillions / dense.rate.trillions <= high:
                yield other


def _by_ratio(one: Settled, settled: Sequence[Settled]) -> str:
    """Say that a rate keeps its ratio to a row that adds in FP32 only, as it does with FP32 as its accumulator."""
    for (input_, reference), ratio in FP32_BY_RATIO.items():
        rows = [
            other.rate
            for other in settled
            if (other.sparsity, other.engine) == (one.sparsity, "tensor")
            and (one.rate.input, other.rate.input) == (input_, reference)
        ]
        if any(_is_ratio(one.rate, row, ratio) for row in rows):
            times = "equals" if ratio == 1 else f"is {ratio:g} ×"
            return f"its rate {times} the sheet's {reference.upper()} rate, which has FP32 accumulate only"
    return ""
