"""Two to six cards side by side, as `compare/` shows and saves them: sentences, a table, bars.

The module is translated to JavaScript, so it works on what a browser holds: the record of each card as
`gpus/<id>.json` has it, and the two files of `pipeline.site.pages.compare`. Figures of one row are of one kind only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from pipeline.advise.verdict import EVEN
from pipeline.core.wording import UNKNOWN, amount, number, ratio, short
from pipeline.derive import metrics

Record = Mapping[str, Any]  # of one card
Row = Mapping[str, Any]  # group, label, better, cells; a cell has text, number, href, note and perhaps when and kind

MEMORY, BANDWIDTH, POWER = "memory_gb", "memory_bandwidth_gb_s", "board_power_w"
SIXTEEN = tuple(key.field for key in metrics.SIXTEEN_BIT)  # the first that a card has counts
NO_RATIO = 1.05  # under this a ratio of two digits would read 1×
PRICES = "Prices, with the day on which they were seen"
MEASURED = "Measured: the same experiment on each card"
EXPERIMENTS, OF_ONE_SET = 8, 2  # so many are shown; the explorer has them all
ASKED = ("set", "model", "metric", "precision", "gpus", "batch")  # how the explorer's address names an experiment
MOST = 6  # cards side by side
RUN_BY = 2  # cards, before an experiment compares anything
KINDS: Mapping[str, str] = {
    "new": "New, {}",
    "used": "Used, {}",
    "system": "Whole machine, {}",
    "rent": "Rent on demand, median, {} an hour",
    "marketplace": "Rent on a marketplace, {} an hour",
}
SAVED = ("", "date", "source")  # the columns of a card in the table to save


def compared(
    records: Sequence[Record], rows: Sequence[Row], experiments: Mapping[str, Any], market: str, root: str
) -> dict[str, Any]:
    """What the page shows of these cards in a market; `root` begins every address. Needs at least one card."""
    names = [record["name"] for record in records]
    several = len(records) > 1
    found = _rows(records, rows, experiments, market)
    groups = [_group(group, found, len(records), root, market) for group in _groups(rows)]
    return {
        "title": f"{' against '.join(names)} - GPU Almanac",
        "said": f"Side by side: {', '.join(names)}",
        "alone": "" if several else "Add a second card to see the difference.",
        "meanings": meanings(records) if several else [],
        "heads": [_head(record) for record in records],
        "groups": [group for group in groups if group["rows"]],
        "bars": bars(records, market) if several else [],
        "saved": saved(names, found),
    }


def _head(record: Record) -> dict[str, str]:
    name = record["name"]
    maker = f"{record['vendor']} "
    begins = name.startswith(maker)
    return {
        "id": record["id"],
        "maker": maker if begins else "",
        "rest": name.removeprefix(maker),
        "remove": f"Remove {name}",
    }


# ---------------------------------------------------------------- sentences


def meanings(records: Sequence[Record]) -> list[dict[str, str]]:
    """What the difference means for each kind of work; a sentence is said only of cards whose figure has a source."""
    told = (
        ("Inference, one user", _inference(records)),
        ("Fine-tuning", _tuning(records)),
        ("Training", _training(records)),
    )
    return [{"work": work, "said": said} for work, said in told]


def _inference(records: Sequence[Record]) -> str:
    speeds = _ranked(records, [BANDWIDTH])
    if len(speeds) < 2:
        return "Too few of these cards have a memory bandwidth with a source to say more."
    return (
        f"Bandwidth decides how fast an answer is written, as long as the model fits: {_faster(speeds)}."
        f"{_not_known(records, BANDWIDTH)}"
    )


def _tuning(records: Sequence[Record]) -> str:
    rooms = _ranked(records, [MEMORY])
    if len(rooms) < 2:
        return "Too few of these cards have a memory size with a source to say more."
    sizes = ", ".join(f"{number(size)} GB on the {card}" for size, card, _ in rooms)
    (most, best, _), (next_most, _, _) = rooms[0], rooms[1]
    more = f" The {best} holds weights, adapters and activations {ratio(most / next_most)} as large as the next."
    if most == rooms[-1][0]:
        all_of_them = "both" if len(rooms) == 2 else f"all {len(rooms)}"
        sizes, more = f"with {number(most)} GB each, {all_of_them} hold models of the same size", ""
    elif most == next_most:
        more = " The first two hold models of the same size."
    return f"Memory decides what can be tuned at all: {sizes}.{more}{_not_known(records, MEMORY)}"


def _training(records: Sequence[Record]) -> str:
    """By dense matrix peaks with FP32 accumulation only; the formats are named where the cards differ in them."""
    peaks = _ranked(records, SIXTEEN)
    lacking = [short(record["name"]) for record in records if _field(record, SIXTEEN) is None]
    left = f" No source states a dense 16-bit matrix peak of the {', '.join(lacking)}, so nothing is said of it."
    note = left if lacking else ""
    if len(peaks) < 2:
        return f"Large batches keep the matrix units busy.{note}"
    formats = [field.split(":")[1].upper() for _, _, field in peaks]
    on_cards = [f"{format} on the {card}" for format, (_, card, _) in zip(formats, peaks, strict=True)]
    mixed = f" ({', '.join(on_cards)})" if any(format != formats[0] for format in formats) else ""
    return f"Large batches keep the matrix units busy: by its makers’ dense 16-bit peak{mixed} {_faster(peaks)}.{note}"


def _ranked(records: Sequence[Record], fields: Sequence[str]) -> list[tuple[float, str, str]]:
    """Of each card that has one of the fields: its value, short name and field; the highest first."""
    known = [(_field(record, fields), record) for record in records]
    found = [(_figure(record, field), short(record["name"]), field) for field, record in known if field is not None]
    positive = [(value, card, field) for value, card, field in found if value is not None and value > 0]
    return sorted(positive, key=lambda one: -one[0])


def _field(record: Record, fields: Sequence[str]) -> str | None:
    return next((field for field in fields if field in record["figures"]), None)


def _figure(record: Record, field: str | None) -> float | None:
    """A figure as a number; None where it is not known or is no number."""
    figure = record["figures"].get(field or "")
    if figure is None:
        return None
    try:
        return float(figure["value"])
    except ValueError:
        return None


def _faster(ranked: Sequence[tuple[float, str, str]]) -> str:
    (most, best, _), (next_most, other, _) = ranked[0], ranked[1]
    if most / next_most < EVEN:
        return f"the {best} and the {other} are even"
    return f"the {best} is up to {ratio(most / next_most)} as fast as the {other}"


def _not_known(records: Sequence[Record], field: str) -> str:
    without = [short(record["name"]) for record in records if field not in record["figures"]]
    return f" Not known of the {', '.join(without)}." if without else ""


# ---------------------------------------------------------------- rows


def _groups(rows: Sequence[Row]) -> list[str]:
    """Prices and measurements stand behind what matters first, all else as the list of rows has it."""
    first, *rest = list(dict.fromkeys([row["group"] for row in rows]))
    return [first, PRICES, MEASURED, *rest]


def _rows(
    records: Sequence[Record], rows: Sequence[Row], experiments: Mapping[str, Any], market: str
) -> list[dict[str, Any]]:
    figures: list[dict[str, Any]] = [
        {
            "group": row["group"],
            "label": f"{row['label']}, {row['unit']}" if row["unit"] else row["label"],
            "better": row["better"],
            "cells": [_figure_cell(record, row["field"]) for record in records],
        }
        for row in rows
    ]
    currency = _currency(records, market)
    prices = [
        {
            "group": PRICES,
            "label": label.format(currency),
            "better": "lower",
            "cells": [_price_cell(record, kind, market) for record in records],
        }
        for kind, label in KINDS.items()
    ]
    found = [*figures, *prices, *measured(records, experiments)]
    return [row for row in found if any(cell is not None for cell in row["cells"])]


def _currency(records: Sequence[Record], market: str) -> str:
    currency: str = records[0]["prices"][market]["currency"]
    return currency


def _figure_cell(record: Record, field: str) -> dict[str, Any] | None:
    figure = record["figures"].get(field)
    if figure is None:
        return None
    return {
        "text": figure["shown"],
        "number": _figure(record, field),
        "saved": figure["value"],
        "href": f"gpus/{record['id']}/#{figure['anchor']}",
        "note": f"{figure['source']} ({figure['kind']}), read {figure['retrieved']}",
        "when": "",
        "kind": "",
    }


def _price_cell(record: Record, kind: str, market: str) -> dict[str, Any] | None:
    price = record["prices"][market][kind]
    if price["value"] is None:
        return None
    which = [price["configuration"]] if price["configuration"] else []  # of a machine: which one it buys
    return {
        "text": amount(price["value"]),
        "number": None if price["doubts"] else price["value"],
        "saved": _plain(price["value"]),
        "href": f"gpus/{record['id']}/#prices",
        "note": "; ".join([price["who"], *price["doubts"]]),
        "when": ", ".join([*which, price["day"][:7], *price["cautions"]]),
        "kind": kind,
    }


def measured(records: Sequence[Record], experiments: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Experiments that two or more of these cards share: those of most cards first, few of one set, each work once."""
    ids: list[str] = experiments["ids"]
    places = [ids.index(record["id"]) for record in records if record["id"] in ids]
    if len(places) < len(records):
        return []
    shared = [
        (experiment, [next((row for row in experiment["rows"] if row[0] == place), None) for place in places])
        for experiment in experiments["experiments"]
    ]
    several = [(experiment, of) for experiment, of in shared if _run_by(of) >= RUN_BY]
    works: set[str] = set()
    of_set: dict[str, int] = {}
    kept: list[dict[str, Any]] = []
    for experiment, of in sorted(several, key=lambda one: (-_run_by(one[1]), one[0]["gpus"], -len(one[0]["rows"]))):
        work = f"{experiment['set']},{experiment['model']},{experiment['metric']}"
        taken = of_set.get(experiment["set"], 0)
        if len(kept) == EXPERIMENTS or work in works or taken == OF_ONE_SET:
            continue
        works.add(work)
        of_set[experiment["set"]] = taken + 1
        kept.append(_measured_row(experiment, of))
    return kept


def _run_by(results: Sequence[Any]) -> int:
    return len([result for result in results if result is not None])


def _measured_row(experiment: Mapping[str, Any], of: Sequence[Any]) -> dict[str, Any]:
    address = f"charts/benchmarks/?{urlencode({name: experiment[name] for name in ASKED})}"
    cells = [
        None
        if result is None
        else {
            "text": number(result[1]),
            "number": result[1],
            "saved": _plain(result[1]),
            "href": address,
            "note": "The experiment with every card and its source",
            "when": result[2] or "no date",
            "kind": "",
        }
        for result in of
    ]
    better = "higher" if experiment["higher"] else "lower"
    return {"group": MEASURED, "label": experiment["label"], "better": better, "cells": cells}


def _group(group: str, rows: Sequence[Row], cards: int, root: str, market: str) -> dict[str, Any]:
    own = [row for row in rows if row["group"] == group]
    shown = [{"label": row["label"], "cells": _shown(row, root, market)} for row in own]
    return {"group": group, "width": cards + 1, "rows": shown}


def _shown(row: Row, root: str, market: str) -> list[dict[str, Any]]:
    """The cells of a row; the best one, where one is better than the next, says by how much."""
    cells, higher = row["cells"], row["better"] == "higher"
    known = [cell["number"] for cell in cells if cell is not None and (cell["number"] or 0) > 0]
    ordered = sorted(known, key=lambda value: -value if higher else value)
    best = ordered[0] if row["better"] and len(ordered) > 1 and ordered[0] != ordered[1] else None
    told = f"{lead(ordered[0], ordered[1])} {'more' if higher else 'less'}" if best is not None else ""
    made = []
    for cell in cells:
        if cell is None:
            made.append({"missing": UNKNOWN, "look": "n"})
            continue
        leads = best is not None and cell["number"] == best
        shown = {
            "text": cell["text"],
            "note": cell["note"],
            "href": f"{root}{cell['href']}",
            "figure": "ga-fig" if cell["number"] is not None else "",
            "when": cell["when"],
            "kind": cell["kind"],
            "market": market if cell["kind"] else "",
            "lead": told if leads else "",
            "look": "n ga-better" if leads else "n",
        }
        made.append(shown)
    return made


def lead(one: float, other: float) -> str:
    """By how much the larger of two leads: 1.3×, or 4 % where a ratio would read 1×."""
    times = max(one, other) / min(one, other)
    return f"{number(100 * (times - 1), 1)} %" if times < NO_RATIO else ratio(times)


# ---------------------------------------------------------------- bars, and a table to save


def bars(records: Sequence[Record], market: str) -> list[dict[str, Any]]:
    """The main figures as bars, in per cent of the largest; a figure of fewer than two cards is left out."""
    currency = _currency(records, market)
    groups = [
        ("Memory, GB", [_figure(record, MEMORY) for record in records]),
        ("Memory bandwidth, GB/s", [_figure(record, BANDWIDTH) for record in records]),
        (
            "16-bit peak of the maker, dense, TFLOPS",
            [_figure(record, _field(record, SIXTEEN)) for record in records],
        ),
        ("Board power, W", [_figure(record, POWER) for record in records]),
        (KINDS["rent"].format(currency), [_priced(record, market, "rent") for record in records]),
        (KINDS["marketplace"].format(currency), [_priced(record, market, "marketplace") for record in records]),
    ]
    made = []
    for label, values in groups:
        known = [value for value in values if value is not None and value > 0]
        if len(known) > 1:
            longest = max(known)
            lines = [_bar(record, value, longest) for record, value in zip(records, values, strict=True)]
            made.append({"label": label, "lines": lines})
    return made


def _priced(record: Record, market: str, kind: str) -> float | None:
    value: float | None = record["prices"][market][kind]["value"]
    return value


def _bar(record: Record, value: float | None, longest: float) -> dict[str, str]:
    return {
        "name": short(record["name"]),
        "shown": number(value) if value else "",
        "missing": "" if value else UNKNOWN,
        "look": f"ga-bar ga-v-{record['vendor'].lower()}",
        "width": f"{100 * (value or 0) / longest:.1f}",
    }


def saved(names: Sequence[str], rows: Sequence[Row]) -> list[list[str]]:
    """The comparison as lines of a table: of each card the figure, when a price or result is from, and its source."""
    heads = [f"{name}, {column}" if column else name for name in names for column in SAVED]
    return [["Group", "Figure", *heads], *([row["group"], row["label"], *_fields(row)] for row in rows)]


def _fields(row: Row) -> list[str]:
    cells: list[Mapping[str, str] | None] = row["cells"]
    return ["" if cell is None else cell[name] for cell in cells for name in ("saved", "when", "note")]


def _plain(value: float) -> str:
    return number(value, 6).replace(",", "")
