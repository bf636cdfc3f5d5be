"""What is wrong in `data/`, by file and line, for the person who changed it.

`of_records` looks at the files of GPUs and the sets that somebody touched, in a second or two, since only what is known
of these GPUs and their variants is read. For files of any other kind everything is read, and `among` keeps what is
about them.
"""

from __future__ import annotations

import csv
import io
import pickle
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import reduce
from hashlib import sha256
from pathlib import Path

from pipeline.core import gpus
from pipeline.core.documents import MAX_BYTES, named
from pipeline.core.findings import WHERE, Finding
from pipeline.core.gpus import Gpu
from pipeline.core.paths import DataPaths
from pipeline.core.yaml_text import lines_of
from pipeline.core.yaml_text import load as load_yaml
from pipeline.record import build

GPU_FILE = re.compile(r"data/gpus/[^/]+\.yml")
SET_FILE = re.compile(r"data/(?:benchmarks|price-sets)/[^/]+\.(?:csv|yml)")
# A row of a contributed set is named by the set's file: "shop (shop.csv, row 15: page of the card): gpu = 'x': ..."
ROW = re.compile(r"[^ ]+ \([^ ]+\.csv, row (\d+).*?\): (?=[a-z_]+ = )")
# What is told of so many other places has a cause that they share.
MANY_PLACES = 5
SHOWN_FILES = 3  # of those that rest on a file that is gone
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
# A day that stands in a file for itself, in YAML or in a table.
DAYS = re.compile(r"(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])")
# What every rule says of such a day.
FUTURE = "lies in the future"
# A set is two files, and each is at fault for what its pair lacks.
SET_FOLDERS = ("data/benchmarks", "data/price-sets")
# A problem of an entry of a list is counted from 1: "withdrawn, entry 3: ..."
ENTRY = re.compile(r"(?P<list>[a-z_]+), entry (?P<number>\d+)\b")
# A problem of a document names its place in the file: "documents, data-sheet, read: 2031-01-01 lies in the future"
PART = re.compile(r"(?P<path>documents, [^:\s]+, [a-z]+): ")
# A problem of a name or a word shows what stands there: "aliases: 'RTX' is the name of a family".
WRITTEN = re.compile(r"(?P<field>[a-z_]+)(?:: | = )(?P<quoted>'[^']*'|\"[^\"]*\")")
# A problem of a claim names field and place: "nvidia-l4-sheet (page 2) on nvidia-l4: memory_gb = '48': ..."
CLAIM = re.compile(r"(?P<source>[^ ]+) \((?P<locator>.*)\) on [^ ]+: (?P<field>[^ ]+) = ")


def findings(problems: Iterable[str], root: Path) -> list[Finding]:
    """Problems as the checks tell them, each with its place; `root` is the folder that holds data/."""
    return sorted({_placed(problem, root) for problem in problems})


def together(found: Iterable[Finding]) -> list[Finding]:
    """Findings of which those are joined that say the same in many places of a folder: these have one cause."""
    alike: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in sorted(found):
        alike[finding.file.rpartition("/")[0], ENTRY.sub(r"\g<list>", finding.message)].append(finding)
    return sorted(one for same in alike.values() for one in _joined(*same))


def _joined(first: Finding, *others: Finding) -> list[Finding]:
    if len(others) < MANY_PLACES:
        return [first, *others]
    places = ", ".join(f"{one.file}:{one.line}" if one.line else one.file for one in others[:2])
    step = f"the same holds in {len(others)} more places, {places} …; look first at the list that they share"
    return [replace(first, message=f"{first.message} ({step})")]


def only_records(changed: Iterable[str]) -> bool:
    """Whether nothing but files of GPUs and of contributed sets was touched."""
    return all(GPU_FILE.fullmatch(path) or SET_FILE.fullmatch(path) for path in changed)


def of_records(
    data: DataPaths, changed: Iterable[str], cache: Path | None = None, today: date | None = None
) -> list[Finding]:
    """What is wrong with these files of GPUs and sets (paths from the root, as data/gpus/nvidia-l4.yml), alone.

    `cache` keeps the other GPUs' files as they were read, so that a second look is quick; no document was read after
    `today`.
    """
    wanted = set(changed)
    of_sets = {
        folder: frozenset(Path(path).stem for path in wanted if path.startswith(folder)) for folder in SET_FOLDERS
    }
    tables = [data.data.parent / folder / f"{name}.csv" for folder, names in of_sets.items() for name in names]
    ids = {Path(path).stem for path in wanted if GPU_FILE.fullmatch(path)}.union(*map(_named_gpus, tables))
    scope = build.Scope(frozenset(ids), of_sets["data/price-sets"], of_sets["data/benchmarks"])
    _, _, problems = build.survey(data, remembered(data, cache), scope)
    told = [*_renamed(data, ids), *with_days(problems, data, today)]
    return among(told, wanted, data.data.parent)


def _renamed(data: DataPaths, ids: Iterable[str]) -> Iterator[str]:
    """The files of these GPUs that hold a card of the last build whose own file is gone: they were renamed."""
    table = data.clean / "gpus.csv"
    if not table.exists():
        return
    built = {row["id"]: row["name"] for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8")))}
    lost = {name: id for id, name in built.items() if not (data.gpus / f"{id}.yml").exists()}
    for path in (data.gpus / f"{id}.yml" for id in sorted(ids) if lost and id not in built):
        was = lost.get(_name_in(path), "") if path.is_file() else ""
        if was:
            yield (
                f"data/gpus/{path.name}:1: holds {built[was]}, which the last build read in data/gpus/{was}.yml, and "
                f"that file is gone; call this one {was}.yml again, since prices, results and links name a card by its "
                f"file, and write a new name under name or aliases. What else is told of this file may end with that"
            )


def _name_in(path: Path) -> str:
    try:
        content = load_yaml(path.read_text(encoding="utf-8", errors="replace"), path.name, ValueError)
    except ValueError:  # the survey tells it
        return ""
    return str(content.get("name", "")) if isinstance(content, dict) else ""


def with_days(problems: Sequence[str], data: DataPaths, today: date | None) -> list[str]:
    """The problems, with the days of hand-written files that have not come; a rule that says so too is not heard.

    Nothing is added where nobody says what day it is.
    """
    early = [message for path in _by_hand(data) for message in _early(path, data, today)] if today else []
    told = {_file_of(message) for message in early}
    return [*(one for one in problems if FUTURE not in one or _file_of(one) not in told), *early]


def _by_hand(data: DataPaths) -> list[Path]:
    folders = (data.data, *(data.data / folder for folder in build.CONTRIBUTED))
    return [*sorted(path for folder in folders for path in folder.glob("*.yml")), data.data / "statements.csv"]


def _file_of(problem: str) -> str:
    return problem.partition(":")[0]


def _early(path: Path, data: DataPaths, today: date) -> Iterator[str]:
    """The days on which a file says that something was read, or seen, and that lie behind today."""
    if not path.exists() or path.stat().st_size > MAX_BYTES:
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    where = path.relative_to(data.data.parent).as_posix()
    if max(DAYS.findall(text), default="") <= today.isoformat():
        return
    for place, line, written in _days_of(path, text):
        if written > today.isoformat():
            step = "write the day on which you read it" if place[-1] == "read" else "write the day of the document"
            yield f"{where}:{line}: {named(place)}: {written} {FUTURE}, today is {today}; {step}"


def _days_of(path: Path, text: str) -> Iterator[tuple[tuple[str | int, ...], int, str]]:
    """Each day under `read` or `date`: its place in the file, its line, and the day as it is written."""
    if path.suffix == ".csv":
        reader = csv.DictReader(io.StringIO(text, newline=""))
        yield from (((row.get("id") or "", "read"), reader.line_num, row.get("read") or "") for row in reader)
        return
    try:
        content = load_yaml(text, path.name, ValueError)
    except ValueError:  # the survey tells it
        return
    for place, line in lines_of(text).items():
        if place[-1] in ("read", "date"):
            day = str(reduce(lambda whole, part: whole[part], place, content))
            yield place, line, day if _in_the_calendar(day) else ""


def _in_the_calendar(day: str) -> bool:
    try:
        return bool(DAY.fullmatch(day) and date.fromisoformat(day))
    except ValueError:
        return False


def _named_gpus(table: Path) -> set[str]:
    """What stands in the first column of a set's table, which is that of the GPU."""
    if not table.exists() or table.stat().st_size > MAX_BYTES:
        return set()
    lines = table.read_text(encoding="utf-8", errors="replace").splitlines()
    return {line.partition(",")[0].strip(' "') for line in lines}


def among(problems: Iterable[str], changed: Iterable[str], root: Path) -> list[Finding]:
    """Of all problems those of some files; a set's table and its description count as one."""
    return _divided(problems, changed, root)[0]


def with_what_rests(problems: Iterable[str], changed: Sequence[str], root: Path) -> list[Finding]:
    """The problems of some files, and as one more what is wrong in files that nobody touched but that rest on them.

    A maker's name is wrong in no line of its list: the cards that are then of no maker say so. On a file of a card or
    a set nothing else rests, unless it is gone.
    """
    own, others = _divided(problems, changed, root)
    if not others:
        return own
    files = {finding.file for finding in others}
    gone = [path for path in changed if not (root / path).exists()]
    if gone:
        named = ", ".join(sorted(file for file in files if file)[:SHOWN_FILES]) or "what is read from sources"
        rest = f" and {len(files) - SHOWN_FILES} more" if len(files) > SHOWN_FILES else ""
        told = (
            f"the file is gone, and {len(others)} line(s) still rest on it, in {named}{rest}; put it back, since the "
            f"name of a file never changes, or change those as well. The first: {others[0]}"
        )
        return [*own, Finding(gone[0], 0, told)]
    within = "the same file" if len(files) == 1 else f"{len(files)} files"
    many = f" ({len(others)} problems in {within}; this is the first)" if len(others) > 1 else ""
    told = f"a file that was not touched is wrong now, perhaps because of this one: {others[0]}{many}"
    return [*own, Finding(min(changed, key=lambda path: only_records([path])), 0, told)]


def _divided(problems: Iterable[str], changed: Iterable[str], root: Path) -> tuple[list[Finding], list[Finding]]:
    """The problems of some files, and all others."""
    paths = set(changed)
    wanted = {*paths, *(pair for path in paths if (pair := _pair(path)))}
    # What is told of a folder is told to whoever touched a file of it.
    wanted |= {path.rpartition("/")[0] for path in wanted}
    found = findings(problems, root)
    return [one for one in found if one.file in wanted], [one for one in found if one.file not in wanted]


def _pair(path: str) -> str:
    """The other file of a contributed set, "" for a file that stands alone."""
    folder, _, name = path.rpartition("/")
    other = {".csv": ".yml", ".yml": ".csv"}.get(Path(name).suffix, "")
    return f"{folder}/{Path(name).stem}{other}" if other and folder in SET_FOLDERS else ""


def remembered(data: DataPaths, cache: Path | None) -> dict[str, Gpu]:
    """The GPUs whose files are as they were when the cache was written; it is written anew when a file changed."""
    if cache is None:
        return {}
    stamps = _stamps(data)
    held = _read_cache(cache)
    fresh = {name: gpu for name, (stamp, gpu) in held.items() if stamps.get(name) == stamp}
    if len(fresh) < len(stamps):
        read, problems = gpus.sound(data.gpus, fresh)
        doubtful = {problem.partition(".yml")[0].rpartition("/")[2] for problem in problems}
        fresh = {f"{id}.yml": gpu for id, gpu in read.items() if id not in doubtful}
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_bytes(pickle.dumps({name: (stamps[name], gpu) for name, gpu in fresh.items()}))
    return fresh


def _stamps(data: DataPaths) -> dict[str, bytes]:
    """For each GPU's file what it holds and all that decides how it is read, in a few bytes."""
    shared = sha256()
    for path in gpus.rests_on():
        shared.update(sha256(path.read_bytes() if path.exists() else b"").digest())
    stamps = {}
    for path in data.gpus.glob("*.yml"):
        own = shared.copy()
        own.update(path.read_bytes())
        stamps[path.name] = own.digest()
    return stamps


def _read_cache(cache: Path) -> dict[str, tuple[bytes, Gpu]]:
    """What an earlier run wrote into our own cache folder; one of another version counts as none."""
    try:
        held: dict[str, tuple[bytes, Gpu]] = pickle.loads(cache.read_bytes())  # noqa: S301 - our own file
    except (OSError, pickle.UnpicklingError, AttributeError, EOFError, ImportError):
        return {}
    return held


def _placed(problem: str, root: Path) -> Finding:
    match = WHERE.match(problem)
    if not match:
        return Finding("", 0, problem)
    file, message = match["file"], match["message"].replace("'?; ", "'? ")
    row = ROW.match(message)
    line = match["line"] or (row[1] if row else 0)
    message = message[row.end() :] if row else message  # file and line say it already
    return Finding(
        file, int(line) or _line_of_claim(root / file, message) or _line_of_word(root / file, message), message
    )


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


def _line_of_word(path: Path, message: str) -> int:
    """The line of a YAML in which the quoted word of a problem stands under its field; 0 where it is not found."""
    told, entry, part = WRITTEN.match(message), ENTRY.match(message), PART.match(message)
    if not (told or entry or part) or path.suffix != ".yml" or not path.is_file():
        return 0
    text = path.read_text(encoding="utf-8")
    if entry:
        return lines_of(text).get((entry["list"], int(entry["number"]) - 1), 0)
    if part:
        return lines_of(text).get(tuple(part["path"].split(", ")), 0)
    word = told["quoted"][1:-1] if told else ""
    written = text.splitlines()
    lines = sorted(line for place, line in lines_of(text).items() if told and told["field"] in place)
    fitting = [(word != _bare(written[line - 1]), line) for line in lines if word in written[line - 1]]
    return min(fitting, default=(True, 0))[1]


def _bare(line: str) -> str:
    """The value of a line of YAML without its name, dash and quotes."""
    return re.sub(r"^[\s-]*(?:[a-z_]+:\s+)?", "", line).strip().strip("'\"")
