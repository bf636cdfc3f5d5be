"""How many errors the tests notice, room by room: mutmut changes one place of a module, and its quick tests run.

`make mutation` samples ten changes of every room; `ROOM=derive COUNT=30` asks one room for more. The choice follows
from the room's name, so that two runs of one state try the same. A change counts as noticed when a test fails or
hangs. What nobody noticed is printed first, and the scores as a table at the end. A score is a lower bound: only the
tests that know a module best run, not all that could notice.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from mutmut.mutation.file_mutation import create_mutations, deep_replace

from pipeline.core.paths import ROOT

ROOMS = ("core", "intake", "record", "derive", "advise", "editorial", "site", "tools")
COUNT = 10
# What was built or set up at the root of a checkout, and is no part of the project.
BUILT = (".git", ".venv", ".venv-torch", ".cache", ".hypothesis", "site", "node_modules", "dist", "build")
# The tests that import a module and the fewest others know it best. What the code says of the recorded GPUs is asked
# whatever module changed.
MOST_TESTS = 3
OF_ALL = ("tests/test_told.py",)
MOST_SECONDS = 240
QUICK = "not full and not browser and not torch"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one place changed."""

    path: str  # below the root
    line: int
    before: str
    after: str
    text: str  # the whole module


def modules(root: Path, room: str) -> list[str]:
    """The modules of a room that hold code, below the root."""
    found = (root / "pipeline" / room).rglob("*.py")
    return sorted(path.relative_to(root).as_posix() for path in found if "def " in path.read_text(encoding="utf-8"))


def mutant(root: Path, path: str, chance: Random) -> Mutant | None:
    """One of the changes that mutmut makes in a module; None where it knows none."""
    text = (root / path).read_text(encoding="utf-8")
    module, changes, *_ = create_mutations(path, text)
    if not changes:
        return None
    change = chance.choice(changes)
    changed = str(getattr(deep_replace(module, change.original_node, change.mutated_node), "code", text))
    pairs = enumerate(zip(text.splitlines(), changed.splitlines(), strict=False), start=1)
    line, (old, new) = next((pair for pair in pairs if pair[1][0] != pair[1][1]), (0, ("", "")))
    return Mutant(path, line, old.strip(), new.strip(), changed) if line else None


def sample(root: Path, room: str, count: int) -> list[Mutant]:
    """So many changes of a room, in as many of its modules as there are; the same for the same state."""
    chance = Random(room)  # noqa: S311 - a sample, no secret
    listed = modules(root, room)
    found: dict[tuple[str, str], Mutant] = {}
    for path in chance.sample(listed, len(listed)) * (count // len(listed) + 2):
        if len(found) < count and (chosen := mutant(root, path, chance)):
            found[path, chosen.text] = chosen
    return list(found.values())


def tests_of(root: Path, path: str) -> list[str]:
    """The tests that know a module best: named after it, as test_quote_limits.py after quote.py, or importing it.

    Those with the fewest imports come first. A module that no test names is reached through its package, as the sources
    are. The tests of `OF_ALL` come last.
    """
    module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    of_all = [test for test in OF_ALL if (root / test).exists()]
    tests = {test: _imports(test) for test in sorted((root / "tests").glob("test_*.py"))}
    while "." in module:
        own = f"test_{module.rpartition('.')[2]}"
        named = {test for test in tests if test.stem in (own, f"{own}_limits")}
        found = [
            (test not in named, len(imports), test.relative_to(root).as_posix())
            for test, imports in tests.items()
            if module in imports or test in named
        ]
        if found:
            return [*(name for _, _, name in sorted(found)[:MOST_TESTS]), *of_all]
        module = module.rpartition(".")[0]
    return of_all


@cache  # asked for every module of a sample
def _imports(test: Path) -> set[str]:
    nodes = ast.walk(ast.parse(test.read_text(encoding="utf-8")))
    statements = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    names = {f"{node.module}.{alias.name}" for node in statements for alias in node.names}
    return {name for name in {str(node.module) for node in statements} | names if name.startswith("pipeline")}


def noticed(root: Path, change: Mutant, tests: Sequence[str]) -> bool:
    """Whether a test of the copy in `root` fails or hangs with the change; the module is whole again afterwards."""
    target = root / change.path
    whole = target.read_text(encoding="utf-8")
    target.write_text(change.text, encoding="utf-8")
    try:
        return bool(tests) and not passes(root, tests)
    finally:
        target.write_text(whole, encoding="utf-8")


def passes(root: Path, tests: Sequence[str]) -> bool:
    """Whether the quick tests of some files pass in a copy of the project."""
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", QUICK, *tests]
    # A change of the same length within the same second would be run from what was compiled before it.
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(  # noqa: S603
            words, cwd=root, env=env, capture_output=True, check=False, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, 5)  # 5: every test of the files is a slow one


def _built(folder: str, names: list[str]) -> set[str]:
    left_out = {"__pycache__", "vendor", *(BUILT if Path(folder) == ROOT else ())}
    return {name for name in names if name in left_out or name.endswith("_cache")}


@dataclass(frozen=True, slots=True)
class Score:
    """How many of the changes that were tried in a room the tests noticed."""

    room: str
    noticed: int
    tried: int

    def __str__(self) -> str:
        share = f"{self.noticed / self.tried:4.0%}" if self.tried else "  –"
        return f"{self.room:10} {self.tried:7} {self.noticed:7}  {share}"


def table(scores: Sequence[Score]) -> Iterator[str]:
    """The scores of several rooms, and of all together."""
    yield f"{'room':10} {'tried':>7} {'noticed':>7}  score"
    yield from map(str, scores)
    if len(scores) > 1:
        yield str(Score("all", sum(one.noticed for one in scores), sum(one.tried for one in scores)))


def score(root: Path, room: str, count: int) -> Generator[str, None, Score]:
    """The score of a room in a copy of the project; before it what nobody noticed, a line each."""
    chosen = sample(root, room, count)
    tests = {one.path: tests_of(root, one.path) for one in chosen}
    red = {path for path, names in tests.items() if names and not passes(root, names)}
    tried = [one for one in chosen if one.path not in red]
    survivors = [one for one in tried if not noticed(root, one, tests[one.path])]
    for one in survivors:
        yield f"{one.path}:{one.line}: {one.before}  ->  {one.after}"
    for path in sorted(red):
        yield f"{path}: not tried, its tests fail without any change: {' '.join(tests[path])}"
    return Score(room, len(tried) - len(survivors), len(tried))


def told(root: Path, rooms: Sequence[str], count: int) -> Iterator[str]:
    """What nobody noticed in some rooms, then their scores as a table."""
    scores = []
    for room in rooms:
        scores.append((yield from score(root, room, count)))
    yield from table(scores)


def main(room: str, count: int) -> int:
    """Print the score of a room, or of each where none is named."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(ROOT, Path(folder) / "project", ignore=_built))
        for line in told(root, (room,) if room else ROOMS, count):
            print(line, flush=True)  # noqa: T201
    return 0


if __name__ == "__main__":
    ROOM, ASKED = [*sys.argv[1:], "", ""][:2]
    sys.exit(main(ROOM, int(ASKED or COUNT)))
