"""The command line of the measuring kit; it works without the rest of the project."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TextIO

from pipeline.core.measured import plausible
from pipeline.tools.measure import hardware, names, output
from pipeline.tools.measure.bench import Bench
from pipeline.tools.measure.device import CHOICES, Device, NoDeviceError, find, load_torch
from pipeline.tools.measure.groups import GROUPS
from pipeline.tools.measure.output import Yaml
from pipeline.tools.measure.plan import choose
from pipeline.tools.measure.power import Meter, meter, typical
from pipeline.tools.measure.runner import MeasuringResult, run
from pipeline.tools.measure.stats import STEADY_PERCENT

OK, FAILED, USAGE, NO_DEVICE = 0, 1, 2, 3
EXIT_CODES = f"""exit codes: {OK} all measured; {FAILED} some measurements failed or the run was stopped, and the files
say which; {USAGE} wrong usage; {NO_DEVICE} PyTorch or the device is not there"""
# Where sets are published: a contributed set has no address of its own before its pull request.
PUBLISHED = "https://github.com/gpu-almanac/gpu-almanac/blob/main/data/benchmarks"
METHOD = (
    "Each measurement: warm-up, then many repetitions; value is their median, p10 and p90 their spread, the raw file "
    "holds each. Times by device events on CUDA and ROCm, elsewhere by a clock read after waiting for the device. "
    "Inputs are random. Results are checked against float64 on the processor; one that fails has no value. Main rates "
    "are measured in two rounds: the second begins when all else is done."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure one device and write the result; gives the exit code."""
    parser = _parser()
    try:
        args = parser.parse_args(argv)
        problem = _usage_problem(args)
        if problem:
            parser.error(problem)
    except SystemExit as stop:  # a caller with a command line of its own wants the code
        return int(stop.code or 0)
    if args.list:
        _say("\n".join(f"{name:<10} {group.meaning}" for name, group in GROUPS.items()))
        return OK
    try:
        device = find(load_torch(), args.device, args.index)
        known = names.load(args.names)
    except (NoDeviceError, OSError, KeyError) as error:
        _say(f"error: {error}", sys.stderr)
        return NO_DEVICE if isinstance(error, NoDeviceError) else USAGE
    return _measure(args, device, known)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="measure",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measure what this machine's GPU does, in the format of data/benchmarks.\n"
        "Takes 5 to 10 minutes; --quick about one.",
    )
    parser.add_argument("--quick", action="store_true", help="about one minute: fewer sizes, shorter loops")
    parser.add_argument("--tiny", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--device", choices=CHOICES, default="auto", help="default: the first accelerator")
    parser.add_argument("--index", type=int, default=0, help="which of several devices, counted from 0")
    parser.add_argument("--gpu", default="", metavar="ID", help="the device's id in the almanac")
    parser.add_argument("--names", type=Path, metavar="FILE", help="gpus.csv of the dataset, to find the id")
    parser.add_argument("--only", default="", metavar="GROUPS", help=f"of {','.join(GROUPS)}; default all")
    parser.add_argument("--list", action="store_true", help="say what the groups measure, and stop")
    parser.add_argument("--out", type=Path, default=Path("measured"), metavar="DIR", help="default: measured/")
    parser.add_argument("--set", default="", metavar="NAME", help="name of the result files")
    parser.add_argument("--by", default="", metavar="TEXT", help="who measured, as it shall be named")
    parser.add_argument("--url", default="", help="where the result is found; default: where sets are kept")
    parser.add_argument("--first-party", action="store_true", help="measured by the project itself")
    return parser


def _usage_problem(args: argparse.Namespace) -> str:
    unknown = sorted(set(_groups(args)) - set(GROUPS))
    if unknown:
        return f"--only: unknown group {unknown[0]!r}; groups: {', '.join(GROUPS)}"
    if args.set and not output.SET_NAME.fullmatch(args.set):
        return f"--set {args.set!r}: use small letters, digits, and single '-' or '.' between them"
    if args.gpu and not output.SET_NAME.fullmatch(args.gpu):
        return f"--gpu {args.gpu!r} is no id; an id is the last part of a GPU's page address, as 'nvidia-l4'"
    if args.url and not re.fullmatch(r"https?://\S+", args.url):
        return f"--url {args.url!r} must begin with https://"
    return ""


def _groups(args: argparse.Namespace) -> list[str]:
    return [name.strip() for name in args.only.split(",") if name.strip()] or list(GROUPS)


def _measure(args: argparse.Namespace, device: Device, known: dict[str, str]) -> int:
    own_name = hardware.name(device)
    memory = device.memory()
    found = names.Found(args.gpu) if args.gpu else names.find(own_name, memory[1] if memory else None, known)
    date = time.strftime("%Y-%m-%d", time.gmtime())
    plan = choose(quick=args.quick, tiny=args.tiny, gpu=device.is_gpu)
    _say(f"{own_name} ({device.backend}), {found.gpu or 'id unknown: ' + found.reason}; {plan.name} run", sys.stderr)
    power = meter(device)
    with power or nullcontext():
        bench = Bench(device, plan, power)
        result = run(bench, _groups(args), found.gpu or "", date, ProgressBar(sys.stderr.isatty()))
    name = output.free_name(args.out, args.set or f"measured-{output.slug(found.gpu or own_name)}-{date}")
    facts = _facts(args, bench, result, name, date, own_name)
    paths = output.write(args.out, name, result.rows, facts)
    return _report(result, [row.cells() for row in result.rows], paths)


def _facts(
    args: argparse.Namespace, bench: Bench, result: MeasuringResult, name: str, date: str, own_name: str
) -> dict[str, Yaml]:
    """Say who measured what, on what, and how."""
    device = bench.device
    return {
        "set": name,
        "title": f"Measured with the kit: {own_name}",
        "source": args.by or "not named; pass --by",
        "kind": "first-party" if args.first_party else "community",
        "url": args.url or f"{PUBLISHED}/{name}.csv",
        "licence": "CC BY-SA 4.0",
        "date": date,
        "hardware": {**hardware.facts(device), **_power_facts(bench)},
        "software": hardware.software(device),
        "run": {"plan": bench.plan.name, "groups": _groups(args), "interrupted": result.interrupted},
        "units": sorted({row.unit for row in result.rows}),
        "method": METHOD,
        "repeatability": {
            "limit_percent": STEADY_PERCENT,
            "worst_percent": result.worst_percent,
            "above_limit": list(result.unsteady),
        },
        "not_measured": list(result.skipped),
        "raw": f"{name}.raw.csv",
    }


def _power_facts(bench: Bench) -> dict[str, Yaml]:
    """Say what power and clocks were while the matrix loops ran without a pause."""
    spans = bench.memo.get("sustained", [])
    if not isinstance(bench.meter, Meter):
        return {"power_read_by": None}
    readings = [reading for start, end in spans for reading in bench.meter.between(start, end)]
    return {
        "power_read_by": bench.meter.tool if readings else None,
        "sustained_power_w": typical([reading.watts for reading in readings]),
        "sustained_core_clock_mhz": typical([reading.core_mhz for reading in readings]),
        "sustained_memory_clock_mhz": typical([reading.memory_mhz for reading in readings]),
        "sustained_temperature_c": typical([reading.celsius for reading in readings]),
    }


def _report(result: MeasuringResult, rows: Sequence[dict[str, str]], paths: Sequence[Path]) -> int:
    """Print the result in short and give the exit code."""
    for row in rows:
        value = f"{row['value']} {row['unit']}" if row["value"] else row["flag"]
        _say(" ".join(f"{row[c]:<{width}}" for c, width in SHOWN) + f" {value}")
    wrong = plausible.problems(rows)
    failed = [row for row in rows if row["flag"]]
    _say(_steadiness(result))
    for problem in wrong:
        _say(f"problem: {problem}", sys.stderr)
    if result.skipped:
        _say(f"{len(result.skipped)} not measured, {len(failed)} failed; the reasons stand in the files", sys.stderr)
    _say("wrote " + ", ".join(str(path) for path in paths))
    return FAILED if failed or wrong or result.interrupted or not rows else OK


SHOWN = (("model", 22), ("precision", 5), ("batch", 4), ("metric", 36))


def _steadiness(result: MeasuringResult) -> str:
    if result.worst_percent is None:
        return "repeatability: not known, no main rate was measured twice"
    if not result.unsteady:
        return f"repeatability: the two rounds of each main rate differ by {result.worst_percent:.1f} % at most"
    listed = "; ".join(result.unsteady)
    return f"repeatability: NOT steady, two rounds differ by {STEADY_PERCENT:g} % or more: {listed}"


class ProgressBar:
    """A progress bar on a terminal; one line for each tenth elsewhere."""

    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal
        self.tenth = -1

    def __call__(self, done: int, total: int, title: str) -> None:
        """Show how far the run is and what it does now."""
        share = done / total if total else 1.0
        if self.terminal:
            full = round(24 * share)
            end = "\n" if done == total else ""
            sys.stderr.write(f"\r[{'#' * full}{' ' * (24 - full)}] {done}/{total} {title:<60.60}{end}")
            sys.stderr.flush()
        elif int(10 * share) > self.tenth:
            self.tenth = int(10 * share)
            _say(f"{done}/{total} {title}", sys.stderr)


def _say(text: str, to: TextIO | None = None) -> None:
    (to or sys.stdout).write(f"{text}\n")
