"""The command line's front door: which commands there are, and in which room of `pipeline.commands` each stands.

A room is read only when one of its commands is called: what a check of one file does not need, it does not wait for.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from pathlib import Path
from traceback import extract_tb

import click

from pipeline.commands import console
from pipeline.core.findings import stated
from pipeline.core.paths import ROOT

# The command, the room it stands in, and its name there.
COMMANDS = {
    "bench": ("measuring", "bench_command"),
    "build": ("dataset", "build"),
    "check": ("check", "check"),
    "choose": ("advice", "choose_command"),
    "diff": ("publish", "diff"),
    "estimate": ("advice", "estimate_command"),
    "estimator-fit": ("advice", "estimator_fit"),
    "measure": ("measuring", "measure_command"),
    "new-gpu": ("sources", "new_gpu_command"),
    "price-audit": ("measuring", "price_audit_command"),
    "questions": ("advice", "questions_command"),
    "refresh": ("sources", "refresh_command"),
    "release": ("publish", "release_command"),
    "schemas": ("publish", "schemas_command"),
    "sheet": ("sources", "sheet_command"),
    "show": ("dataset", "show"),
    "stale": ("whole", "stale_command"),
    "validate": ("advice", "validate_command"),
}
EXIT_CODES = """\b
Exit codes: 0 all well · 1 problems in the data · 2 wrong usage
            3 data/clean is out of date · 4 a source failed, its last rows were kept"""


class Rooms(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click hands it over
        """Every command's name."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name; None where there is none, which click tells with the names near it."""
        if cmd_name not in COMMANDS:
            return None
        room, name = COMMANDS[cmd_name]
        try:
            command: click.Command = getattr(import_module(f"pipeline.commands.{room}"), name)
        except ValueError as error:  # a list that everything rests on, as data/makers.yml, cannot be read
            return _refused(cmd_name, str(error))
        except (SyntaxError, NameError) as error:  # a list in Python, as that of the charts, or what it names
            raise click.ClickException(_place(error)) from None
        except ImportError as error:
            if not (error.name or "").startswith("pipeline"):
                raise
            told = str(error).partition(" from ")[0]
            raise click.ClickException(f"{told} from {error.name}: is there a file of this name beside it?") from None
        return command


def _refused(name: str, error: str) -> click.Command:
    """The command that only says why no other can run, line by line as the check says it; it takes any options."""

    def tell(words: tuple[str, ...]) -> None:
        problems = [stated(line) for line in error.splitlines()]
        for problem in problems:
            click.echo(problem.annotation if "github" in words else str(problem), err="github" not in words)
        console.err.print(f"{len(problems)} problem(s); nothing was changed")
        sys.exit(console.PROBLEMS)

    words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
    takes_all = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=tell, params=[words], context_settings=takes_all, help=error)


def _place(error: SyntaxError | NameError) -> str:
    """File, line and next step of an error in a file of ours that is Python."""
    if isinstance(error, SyntaxError):
        file, line, step = error.filename or "", error.lineno, "see this line or the one above"
    else:
        last = extract_tb(error.__traceback__)[-1]
        file, line, step = last.filename, last.lineno, "a name of a list of sources stands in quotes"
    return f"{Path(file).resolve().relative_to(ROOT)}:{line}: is no Python: {getattr(error, 'msg', error)}; {step}"


@click.group(cls=Rooms, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """GPU Almanac: from sources to a dataset in which every number has a source."""
    gc.set_threshold(20_000, 20, 20)  # what a command makes goes with its process: its rubbish is looked for seldom


if __name__ == "__main__":
    main(prog_name="python -m pipeline")
