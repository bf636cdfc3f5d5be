"""Kills a refresh or a build at random moments (holds no test): python tests/killed.py ACTION FOLDER COUNT SEED.

One process that forks for every kill, so that 200 of them cost no 200 starts of Python. It prints as JSON how many
kills left the old and how many the whole new state, and stops at the first that left anything else.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from samples import SOUND, Tree
from test_refresh import LIST, Shelf, module

from pipeline.core import files
from pipeline.intake import refresh
from pipeline.record import build

# The texts between which the source of a refresh changes: other rows, another name, another price.
SHELVES = (LIST, LIST.replace("0.5", "0.4").replace("RTX 4099", "RTX 4098"))


def refreshed(tree: Tree, turn: int) -> None:
    """Read the source in one of its two states; a person has accepted that it changes back and forth."""
    names = build.load_names(tree.data)
    refresh.refresh([module()], Shelf({"0.csv": SHELVES[turn]}), names, tree.data, lambda _: None, accept_change=True)  # type: ignore[list-item]


def built(tree: Tree, turn: int) -> None:
    """Build what stands in the tree."""
    files.replace_all(tree.data.data, build.compile_dataset(tree.data).contents)


def prepared(tree: Tree, turn: int) -> None:
    """Give the build one of its two inputs."""
    tree.claims("wikipedia-gpu-info", SOUND[: len(SOUND) - turn])


LATER, EARLIER = 1.05, 0.8
ACTIONS: dict[str, tuple[Callable[[Tree, int], None], Callable[[Tree, int], None]]] = {
    "refresh": (lambda *_: None, refreshed),
    "build": (prepared, built),
}


def alone(tree: Tree, work: Callable[[Tree, int], None], turn: int) -> None:
    """Do the work as a command does it."""
    with files.alone(tree.data.data):
        work(tree, turn)


def killed(tree: Tree, work: Callable[[Tree, int], None], turn: int, after_s: float) -> None:
    """Do the work in a process of its own that is killed after a time."""
    child = os.fork()
    if child == 0:
        with suppress(Exception):
            alone(tree, work, turn)
        os._exit(0)
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def outputs(tree: Tree) -> dict[str, bytes]:
    """What a refresh and a build write."""
    own = ("clean/", "claims/shop", "prices/", "results/", "unresolved/", "snapshots")
    return {path: content for path, content in tree.state().items() if path.startswith(own)}


def main(action: str, folder: str, count: int, seed: str) -> None:
    """Kill so many times, and print what was left."""
    tree, chance = Tree(Path(folder)), Random(seed)
    prepare, work = ACTIONS[action]
    whole, seconds = [], 0.0
    for turn in (1, 0):
        prepare(tree, turn)
        started = time.monotonic()
        alone(tree, work, turn)
        seconds = time.monotonic() - started
        whole.insert(0, outputs(tree))
    assert whole[0] != whole[1], "the work changes nothing: every moment would leave the old state"
    left: Counter[str] = Counter()
    for _ in range(count):
        before = outputs(tree)
        turn = 1 - whole.index(before)
        prepare(tree, turn)
        killed(tree, work, turn, chance.uniform(0, 1.3 * seconds))
        with files.alone(tree.data.data):  # what the next command does first
            pass
        after = outputs(tree)
        if after not in whole or (tree.data.data / files.STAGE).exists():
            left["neither"] += 1
            break
        state = "old" if after == before else "new"
        left[state] += 1
        # The moments gather around that of the change, also where the machine has become slower or faster.
        seconds *= LATER if state == "old" else EARLIER
    sys.stdout.write(json.dumps(left))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
