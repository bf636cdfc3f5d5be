"""Measuring: this machine's GPU, the pipeline's own time, our prices against others."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pipeline.commands.console import fail, out
from pipeline.core import paths
from pipeline.dataset import Dataset
from pipeline.tools import price_audit
from pipeline.tools.bench import dataset as bench
from pipeline.tools.bench import prices as price_bench
from pipeline.tools.bench import verdicts
from pipeline.tools.measure import cli as measure


@click.command("price-audit")
def price_audit_command() -> None:
    """Hold our prices against those collected in tests/price_audit; misses are listed with what both rest on."""
    try:
        held = price_audit.held(Dataset.load())
    except price_audit.AuditError as error:
        fail(error)
    why = price_audit.explanations()
    for name, rows in held.items():
        out.print(f"{name}: against our prices of {'its months' if rows[0].month else 'now'}")
        for row in rows:
            if row.compared and not row.right:
                out.print(_miss(row, why.get(row.key, "not explained")))
        for kind in sorted({row.kind for row in rows}):
            out.print(_share_right(kind, [row for row in rows if row.kind == kind]))
        out.print(_share_right("all", rows))
        out.print(_share_right("not in doubt", [row for row in rows if not row.doubted]))


def _miss(row: price_audit.Held, why: str) -> str:
    price, ours = row.collected, row.quote
    rests_on = "; ".join(filter(None, (ours.words, *ours.doubts))) if ours else ""
    return (
        f"{price.card}, {price.kind}, {price.market}: {row.value:g} against {price.low:g} to {price.high:g}"
        f" of {price.day} ({price.note or price.url}) · ours: {rests_on} · {why}"
    )


def _share_right(name: str, rows: list[price_audit.Held]) -> str:
    compared = [row for row in rows if row.compared]
    right = sum(row.right for row in compared)
    share = f"{100 * right / len(compared):.0f} %" if compared else "none"
    return f"{name:12} {right:3} of {len(compared):3} in range ({share}), {len(rows) - len(compared)} not quoted"


@click.command("measure", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def measure_command(words: tuple[str, ...]) -> None:
    """Measure this machine's GPU (needs PyTorch); measure --help lists the options."""
    sys.exit(measure.main([*words]))


@click.command("bench")
@click.option(
    "--mirror",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Time the refresh too, from this mirror folder.",
)
@click.option("--observations", default=0, help="Summarise so many generated prices on each engine too.")
def bench_command(mirror: Path | None, observations: int) -> None:
    """Time refresh and build, and the cost of a row as rows grow (works on a copy of data/)."""
    out.print(f"{'what':28} {'rows':>9} {'seconds':>8} {'µs a row':>9}", markup=False)
    timings = []
    for timing in bench.run(paths.DATA, mirror):
        timings.append(timing)
        out.print(f"{timing.what:28} {timing.rows:9} {timing.seconds:8.2f} {timing.us_per_row:9.1f}", markup=False)
    out.print("")
    for line in verdicts.lines(bench.judged(timings, bench.floor_s(paths.DATA))):
        out.print(line, markup=False)
    runs = list(price_bench.run(observations)) if observations else []
    for asked, best in price_bench.best(runs).items():
        out.print(f"\nprices by month, {observations:,} observations, {asked} months", markup=False)
        heads = f"{'seconds':>9} {'× best':>8} {'processor s':>12} {'× best':>8} {'peak MiB':>9}"
        out.print(f"{'engine':12} {heads}", markup=False)
        for one in (one for one in runs if one.months == asked):
            clock = f"{one.seconds:9.2f} {one.seconds / best.seconds:8.2f}"
            worked = f"{one.processor_s:12.2f} {one.processor_s / best.processor_s:8.2f}"
            out.print(f"{one.engine:12} {clock} {worked} {one.peak_mib:9.0f}", markup=False)
