"""What one, two, four and eight of a card do with a model: how much fits, how fast, and what holds them up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.advise.choose.calculators.card_facts import Known
from pipeline.advise.choose.calculators.fields import ENGINE, QUANT, choice, context, whole
from pipeline.advise.choose.calculators.fields import CalculatorInput as Input
from pipeline.advise.choose.calculators.sheet import AnswerTable, CalculatorAnswer, TableCell, number, words
from pipeline.advise.choose.calculators.words import figure, gib, span, times
from pipeline.advise.choose.catalogue import COUNTS
from pipeline.advise.choose.need import NeedError
from pipeline.advise.estimate import Card, Interval, Model, Request, estimate
from pipeline.advise.estimate.speed import TENSOR_TERM

NOT_FASTER = 1.05  # below this nobody would notice
LAYERS, TENSOR = "layers", "tensor"
LAYOUTS = {LAYERS: "layers split", TENSOR: "tensor parallel"}
LINKS = {"own": "as the card has it", "pcie": "PCI Express only"}
FIELDS: tuple[Input, ...] = (
    Input("gpu", "GPU", "gpu", "nvidia-geforce-rtx-3090"),
    Input("model", "Model", "model", "llama-3.3-70b-instruct"),
    QUANT,
    context(4096),
    whole("streams", "Streams together", 4, 1, 4096),
    choice("link", "Link", "own", LINKS),
    ENGINE,
)
ASSUMED = (
    "Layers split: each card holds whole layers, as llama.cpp does by itself. Tensor parallel: each card holds a "
    "part of every layer and waits for the others twice a layer. Without a link of their own the cards talk over "
    "16 lanes of PCI Express."
)
Speeds = tuple[Interval | None, bool]  # the speed, and whether it was measured


@dataclass(frozen=True, slots=True)
class CardCount:
    """What a number of cards does: memory, and speeds by layout and number of streams."""

    count: int
    each_gib: float
    usable_gib: float
    room_gib: float
    fits: bool
    one: dict[str, Speeds]
    many: dict[str, Speeds]


def answer(asked: dict[str, Any], known: Known) -> CalculatorAnswer:
    """Memory and speed by count and layout, and whether twice the cards are any faster."""
    card, model = known.facts[asked["gpu"]].card, known.models[asked["model"]]
    if asked["link"] == "pcie":
        card = replace(card, link_gb_s=None)
    counts = [_count(card, model, count, asked, known) for count in COUNTS]
    least = next((one for one in counts if one.fits), None)
    twice = next((one for one in counts if least and one.count == 2 * least.count), None)
    notes = _notes(card, least, twice, asked, known) if least and twice else []
    single = least.one[LAYERS][0] if least else None
    return CalculatorAnswer(
        _lead(card, model, counts, least, asked),
        notes,
        (_memory_table(counts), _speed_table(counts, asked)),
        None,
        {
            "least": None if least is None else float(least.count),
            "room_gib": counts[0].room_gib,
            "one_stream": single.median if single else None,
            "tensor_times": _times(least, twice, "one", TENSOR),
            "layers_times": _times(least, twice, "one", LAYERS),
            "many_tensor_times": _times(least, twice, "many", TENSOR),
        },
    )


def link_words(card: Card) -> str:
    """How cards of this kind talk to one another."""
    if card.link_gb_s:
        return f"its own link ({card.link_gb_s:g} GB/s, both directions)"
    return f"PCI Express {card.pcie_gen:g}" if card.pcie_gen else "PCI Express of a generation not known"


def _count(card: Card, model: Model, count: int, asked: dict[str, Any], known: Known) -> CardCount:
    streams = asked["streams"]
    found = {
        (n, layout): _speed(card, model, count, n, layout, asked, known)
        for n in (1, streams)
        for layout in (LAYERS, TENSOR)
    }
    memory = found[streams, LAYERS][0].memory
    if memory.usable is None or memory.room is None:
        raise NeedError(f"the memory of {card.name} is the buyer’s choice or not known, so nothing can be said")
    # A layer lies on one card: where layers are shared out, room for one must be left.
    layer = memory.parts["weights"] / (model.layers or 1) if count > 1 else 0.0
    return CardCount(
        count,
        memory.total / count,
        memory.usable / count,
        memory.room,
        memory.room >= layer,
        {layout: found[1, layout][1] for layout in (LAYERS, TENSOR)},
        {layout: found[streams, layout][1] for layout in (LAYERS, TENSOR)},
    )


def _speed(
    card: Card,
    model: Model,
    count: int,
    streams: int,
    layout: Any,  # noqa: ANN401 - a row of the browser form
    asked: dict[str, Any],
    known: Known,
) -> tuple[Any, Speeds]:
    tokens = asked["context"]
    request = Request(
        asked["quant"],
        asked["engine"],
        tokens,
        streams,
        count,
        layout=layout,
        prompt_tokens=min(512, max(1, tokens // 2)),
    )
    # Whoever measured several cards let the engine share the layers out.
    measured = known.on.points.get(card.id, ()) if count == 1 or layout == LAYERS else ()
    got = estimate(card, model, request, known.on.coefficients, measured)
    return got, (got.decode_tokens_per_s, got.decode_basis is not None and got.decode_basis.kind == "measured")


def _times(least: CardCount | None, twice: CardCount | None, streams: str, layout: str) -> float | None:
    if least is None or twice is None:
        return None
    a, b = (getattr(one, streams)[layout][0] for one in (least, twice))
    return b.median / a.median if a and b else None


def _lead(card: Card, model: Model, counts: Sequence[CardCount], least: CardCount | None, asked: dict[str, Any]) -> str:
    what = f"{model.name} at {asked['quant']}, {figure(asked['context'])} tokens"
    what += f", {asked['streams']} streams" if asked["streams"] > 1 else ""
    if least is None:
        last = counts[-1]
        return f"Even {times(card.name, last.count)} do not hold {what}: {gib(-last.room_gib)} are missing."
    if least.count == 1:
        return f"One {card.name} holds {what}, with {gib(least.room_gib)} to spare."
    return (
        f"It takes {times(card.name, least.count)} to hold {what}, with {gib(least.room_gib)} to spare; "
        f"one lacks {gib(-counts[0].room_gib)}."
    )


def _notes(card: Card, least: CardCount, twice: CardCount, asked: dict[str, Any], known: Known) -> list[str]:
    both = f"{twice.count} are"
    told = [
        (
            f"Layers split, one stream: {both} {{}}{_than(least)}. A token passes one card after the other.",
            _times(least, twice, "one", LAYERS),
        ),
        (
            f"Tensor parallel over {link_words(card)}, one stream: {both} {{}}{_than(least)}.",
            _times(least, twice, "one", TENSOR),
        ),
    ]
    if asked["streams"] > 1:
        told.append(
            (
                f"Tensor parallel, {asked['streams']} streams together: {both} {{}}{_than(least)}.",
                _times(least, twice, "many", TENSOR),
            )
        )
    said = [sentence.format(_faster(ratio)) for sentence, ratio in told if ratio is not None]
    return [*said, _basis(known)] if said else ["The speed of this card is not known."]


def _basis(known: Known) -> str:
    """What the weaker of the two layouts rests on."""
    found = known.on.coefficients.values.get(TENSOR_TERM)
    count = len(found.sets) if found else 0
    sets = "one set of measured runs" if count == 1 else f"{count} sets of measured runs"
    return f"Tensor parallel rests on {sets} alone; layers split on many more."


def _than(least: CardCount) -> str:
    return " as one" if least.count == 1 else f" as {least.count}"


def _faster(ratio: float) -> str:
    if ratio < 1 / NOT_FASTER:
        return f"slower, {figure(ratio)} times as fast"
    return f"{figure(ratio)} times as fast" if ratio >= NOT_FASTER else "not faster, about as fast"


def _memory_table(counts: Sequence[CardCount]) -> AnswerTable:
    heads = (("Cards", None), ("Needed on each", "GB"), ("Usable of each", "GB"), ("Room in all", "GB"))
    rows = [
        [words(str(one.count)), *(number(f"{v:.1f}") for v in (one.each_gib, one.usable_gib, one.room_gib))]
        for one in counts
    ]
    return AnswerTable("Memory", heads, rows)


def _speed_table(counts: Sequence[CardCount], asked: dict[str, Any]) -> AnswerTable:
    """A row for each count that holds it, each number of streams and each layout; one card has none."""
    rows = [
        _speed_row(one.count, layout, streams, *speeds)
        for one in counts
        if one.fits
        for streams, by_layout in ((1, one.one), (asked["streams"], one.many))[: 1 + (asked["streams"] > 1)]
        for layout, speeds in by_layout.items()
        if one.count > 1 or layout == LAYERS
    ]
    heads = (("Cards and layout", None), ("Streams", ""), ("Together", "tokens/s"), ("80 % interval", ""))
    return AnswerTable("Speed", heads, rows)


def _speed_row(count: int, layout: str, streams: int, rate: Interval | None, measured: bool) -> list[TableCell]:
    kind = "" if rate is None else "measured" if measured else "estimated"
    return [
        words(f"{count}, {LAYOUTS[layout]}" if count > 1 else "1"),
        number(str(streams)),
        number(figure(rate.median) if rate else "–", kind),
        number(span(rate.p10, rate.p90) if rate else "–"),
    ]
