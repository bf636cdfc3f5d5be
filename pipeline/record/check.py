"""What is wrong in `data/`, by file and line, for the person who changed it.

`of_gpus` looks at the files of GPUs that somebody touched, in a second or two, since only what is known of these
GPUs and their variants is read. For files of any other kind everything is read, and `among` keeps what is about them.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline.core import gpus
from pipeline.core.documents import lines_of
from pipeline.core.gpus import Gpu
from pipeline.core.paths import DataPaths
from pipeline.record import build

GPU_FILE = re.compile(r"data/gpus/[^/]+\.yml")
WHERE = re.compile(
    r"(?P<file>(?:data|docs)/(?:[^:\n]+?\.(?:ya?ml|csv|md)\b|[^\s:]+))(?:(?::| row )(?P<line>\d+))?:? ?(?P<message>.*)"
)
# A row of a contributed set is named by the set's file: "shop (shop.csv, row 15: page of the card): gpu = 'x': ..."
ROW = re.compile(r"[^ ]+ \([^ ]+\.csv, row (\d+)")
# A set is two files, and each is at fault for what its pair lacks.
SET_FOLDERS = ("data/benchmarks", "data/price-sets")
# A problem of a claim names field and place: "nvidia-l4-sheet (page 2) on nvidia-l4: memory_gb = '48': ..."
CLAIM = re.compile(r"(?P<source>[^ ]+) \((?P<locator>.*)\) on [^ ]+: (?P<field>[^ ]+) = ")


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that is wrong: in which file and line of the repository, and what to do; line 0 is the whole file."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.message}" if where else self.message

    @property
    def annotation(self) -> str:
        """The finding as the hosting service reads it, so that it stands beside the line of a pull request."""
        place = f" file={_property(self.file)},line={max(self.line, 1)}" if self.file else ""
        return f"::error{place}::{_data(self.message)}"


def findings(problems: Iterable[str], root: Path) -> list[Finding]:
    """Problems as the checks tell them, each with its place; `root` is the folder that holds data/."""
    return sorted({_placed(problem, root) for problem in problems})


def only_gpus(changed: Iterable[str]) -> bool:
    """Whether nothing but files of GPUs was touched."""
    return all(GPU_FILE.fullmatch(path) for path in changed)


def of_gpus(data: DataPaths, changed: Iterable[str], cache: Path | None = None) -> list[Finding]:
    """What is wrong with these files of GPUs (paths from the root, as data/gpus/nvidia-l4.yml), and nothing of others.

    `cache` keeps the other GPUs' files as they were read, so that a second look is quick.
    """
    wanted = set(changed)
    ids = frozenset(Path(path).stem for path in wanted)
    _, _, problems = build.survey(data, _remembered(data, cache), ids)
    return among(problems, wanted, data.data.parent)


def among(problems: Iterable[str], changed: Iterable[str], root: Path) -> list[Finding]:
    """Of all problems those of some files; a set's table and its description count as one."""
    wanted = {*changed, *(pair for path in changed if (pair := _pair(path)))}
    return [finding for finding in findings(problems, root) if finding.file in wanted]


def _pair(path: str) -> str:
    """The other file of a contributed set, "" for a file that stands alone."""
    folder, _, name = path.rpartition("/")
    other = {".csv": ".yml", ".yml": ".csv"}.get(Path(name).suffix, "")
    return f"{folder}/{Path(name).stem}{other}" if other and folder in SET_FOLDERS else ""


def _remembered(data: DataPaths, cache: Path | None) -> dict[str, Gpu]:
    """The GPUs whose files are as they were when the cache was written; it is written anew when a file changed."""
    if cache is None:
        return {}
    stamps = {path.name: (path.stat().st_mtime_ns, path.stat().st_size) for path in data.gpus.glob("*.yml")}
    held = _read_cache(cache)
    fresh = {name: gpu for name, (stamp, gpu) in held.items() if stamps.get(name) == stamp}
    if len(fresh) < len(stamps):
        read, _ = gpus.sound(data.gpus, fresh)
        fresh = {f"{id}.yml": gpu for id, gpu in read.items()}
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_bytes(pickle.dumps({name: (stamps[name], gpu) for name, gpu in fresh.items()}))
    return fresh


def _read_cache(cache: Path) -> dict[str, tuple[tuple[int, int], Gpu]]:
    """What an earlier run wrote into our own cache folder; one of another version counts as none."""
    try:
        held: dict[str, tuple[tuple[int, int], Gpu]] = pickle.loads(cache.read_bytes())  # noqa: S301 - our own file
    except (OSError, pickle.UnpicklingError, AttributeError, EOFError, ImportError):
        return {}
    return held


def _placed(problem: str, root: Path) -> Finding:
    match = WHERE.match(problem)
    if not match:
        return Finding("", 0, problem)
    file, message = match["file"], match["message"]
    line = match["line"] or next(iter(ROW.findall(message)), 0)
    return Finding(file, int(line) or _line_of_claim(root / file, message), message)


def _line_of_claim(path: Path, message: str) -> int:
    """The line of a hand-read value in its file, found by field, document and place; 0 where it is not found."""
    claim = CLAIM.match(message)
    if not claim or path.suffix != ".yml" or not path.exists():
        return 0
    text = path.read_text(encoding="utf-8")
    written = text.splitlines()
    starts = sorted(line for place, line in lines_of(text).items() if place[:1] == ("values",) and len(place) == 2)
    fitting = [
        (claim["locator"] not in block, start)
        for start, end in zip(starts, [*starts[1:], len(written) + 1], strict=True)
        if f"field: {claim['field']}" in (block := "\n".join(written[start - 1 : end - 1]))
        and f"document: {claim['source']}" in block
    ]
    return min(fitting, default=(True, 0))[1]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
