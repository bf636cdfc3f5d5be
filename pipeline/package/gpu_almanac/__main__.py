"""The command `gpu-almanac`: one card, several beside each other, or all peaks of one, with their sources."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

from gpu_almanac.answers import Gpu
from gpu_almanac.errors import AlmanacError
from gpu_almanac.local import detect
from gpu_almanac.lookup import gpu, version

OK, UNKNOWN = 0, 1
COMPARED = (
    "memory_gb",
    "memory_bandwidth_gb_s",
    "board_power_w",
    "boost_clock_mhz",
    "launch_date",
    "launch_price_usd",
)


def main(words: Sequence[str] | None = None) -> int:
    """Answer one command; exit code 1 where a name or figure is not known."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without our signs shows "?" for them
    parser = argparse.ArgumentParser(prog="gpu-almanac", description=f"GPU Almanac, data of {version()}.")
    parser.add_argument("--version", action="version", version=f"gpu-almanac, data of {version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, help in (("show", "one GPU with the source of each figure"), ("peaks", "the peak rates of one GPU")):
        command = commands.add_parser(name, help=help)
        command.add_argument("gpu", nargs="?", help="an id, name or alias; without one, the GPU of this machine")
        command.add_argument("--json", action="store_true")
    compare = commands.add_parser("compare", help="two or more GPUs beside each other")
    compare.add_argument("gpu", nargs="+")
    compare.add_argument("--json", action="store_true")
    asked = parser.parse_args(words)
    try:
        cards = [
            gpu(name)
            for name in (asked.gpu if isinstance(asked.gpu, list) else [_own() if asked.gpu is None else asked.gpu])
        ]
    except AlmanacError as error:
        print(error, file=sys.stderr)
        return UNKNOWN
    if asked.json:
        plain = not str(sys.stdout.encoding).casefold().startswith("utf")  # escaped, nothing is lost
        lines = [json.dumps([asdict(card) for card in cards], indent=1, ensure_ascii=plain)]
    else:
        lines = {"show": show, "peaks": peaks, "compare": compared}[asked.command](cards)
    try:
        print("\n".join(lines), flush=True)
    except BrokenPipeError:  # "| head" has read enough; Python's own last flush goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return OK


def show(cards: Sequence[Gpu]) -> list[str]:
    """Every figure of a card with its source."""
    card = cards[0]
    lines = [f"{card.name}  ({card.id})", card.address]
    for figure in card.figures.values():
        disputed = f"  ({figure.differing} differ)" if figure.differing else ""
        shown = f"{written(figure.value)} {figure.unit}".strip()
        lines.append(f"  {figure.label:28} {shown:>22}  {figure.source.title}, read {figure.source.read}{disputed}")
    return [*lines, *(f"  {line}" for line in peaks(cards)[1:])]


def written(value: object) -> str:
    """A figure in words: yes or no for what a card has or lacks."""
    return str(value) if not isinstance(value, bool) else "yes" if value else "no"


def peaks(cards: Sequence[Gpu]) -> list[str]:
    """The peak rates of a card, with the clock behind each."""
    card = cards[0]
    rows = [
        f"{peak.tflops:>10g} {peak.unit:6} {peak.label:38} {peak.basis:9} {peak.clock}; {peak.source.title}"
        for peak in card.peaks
    ]
    return [f"{card.name}  ({card.id})", *(rows or ["no source states a peak rate of it"])]


def compared(cards: Sequence[Gpu]) -> list[str]:
    """Figures that decide, and every peak that a source states of one of them, one column a card; - is not stated."""
    rows: list[tuple[str, list[str]]] = [("", [card.id for card in cards])]
    for name in COMPARED:
        found = [card.figures.get(name) for card in cards]
        label = next((f"{figure.label} {figure.unit}".strip() for figure in found if figure), name)
        rows.append((label, [written(figure.value) if figure else "unknown" for figure in found]))
    stated = [{(p.label, p.unit): p for p in card.peaks if p.basis == "stated"} for card in cards]
    for label, unit in dict.fromkeys(key for own in stated for key in own):
        rates = [own.get((label, unit)) for own in stated]
        rows.append((f"{label} {unit}", [f"{peak.tflops:g}" if peak else "-" for peak in rates]))
    widths = [max(len(cells[i]) for _, cells in rows) for i in range(len(cards))]
    head = max(len(label) for label, _ in rows)
    return [
        "  ".join((label.ljust(head), *(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))))
        for label, cells in rows
    ]


def _own() -> str:
    """The GPU of this machine; AlmanacError where there is none, or none that has one name here."""
    found = detect()
    if not found:
        raise AlmanacError("no GPU of this machine answers; name one, as: gpu-almanac show 'RTX 4090'")
    first = found[0]
    if first.gpu is None:
        variants = ", ".join(first.variants) or "none that is known"
        raise AlmanacError(f"this machine has {first.driver_name!r}, which may be: {variants}; name one of them")
    return first.gpu


if __name__ == "__main__":
    sys.exit(main())
