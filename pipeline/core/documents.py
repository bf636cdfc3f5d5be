"""Hand-written files: a YAML becomes a strict model, and what is wrong with it is told by line and in plain words.

Use `read` for a file that is one thing (a GPU, a network), `yaml_text.load` for the plain content of any other, and
`told` for the errors of a model. The document in which a value was read, which many files share, is here too.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from functools import lru_cache
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError

from pipeline.core.schema import KINDS
from pipeline.core.yaml_text import lines_of, load

# A hand-written file is read by people: our largest has 50 kB. What is far larger is no such file.
MAX_BYTES = 2_000_000
# A tag, a comment or an entity of HTML, a scheme that runs code, or an order to the templates.
MARKUP = re.compile(r"<[A-Za-z/!?][^>]*>?|\{\{|\{%|\bjavascript:|&#?\w+;", re.IGNORECASE)
# As Creative Commons and others say it: CC BY-NC 4.0, PolyForm Noncommercial.
NOT_COMMERCIAL = re.compile(r"\bNC\b|\bnon-?commercial\b", re.IGNORECASE)
BLANK = re.compile(r"<[^<>]*>")
# Hosts written as numbers, and names that only one network knows (RFC 6761 and 6762, and what routers give out).
NUMERIC_HOST = re.compile(r"[0-9.]+|0x[0-9a-f.]+|.*:.*")
LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".lan", ".home", ".home.arpa", ".intranet", ".corp")
# Names that stand for no place: RFC 2606 and 6761 keep them for examples and tests.
RESERVED_HOST = re.compile(r"(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid)$")
SEARCH_HOST = re.compile(
    r"(?:^|\.)(?:webcache\.googleusercontent|google|bing|duckduckgo|yahoo|yandex|baidu|ecosia|startpage|qwant|kagi|search\.brave)\.[a-z.]+$"
)
SEARCH_PATH = re.compile(r"/(?:search|s|url)?/?$")
# What stands for an address that is not known yet while the rest is looked at: one that no rule stumbles over.
UNREAD_URL = "https://not-read.org"
# What links in letters, advertisements and answers of assistants add to an address.
TRACKED = re.compile(r"[?&]((?:utm_\w+|gclid|fbclid|msclkid|mc_cid)=[^&#]*)")
# The project began in that year: no document of any file was read before.
FIRST_READING = date(2026, 1, 1)
# What people type into a line that they mean to fill in later.
NO_PLACE = re.compile(
    r"\W*(?:todo|tbd|tba|fixme|xxx+|n\W?a|none|unknown|somewhere|here|link|url|website|document|pdf|"
    r"(?:see )?(?:the )?(?:page|table|section|row|column|figure|chapter|document|sheet))?\W*",
    re.IGNORECASE,
)
# pydantic's kinds of error, in the words of somebody who edits the file.
SAID = {
    "missing": "is missing; add a line '{name}: ...'",
    "extra_forbidden": "is no name that may stand here{meant}; there may be: {words}",
    "literal_error": "{shown} is none of {words}{meant}",
    "date": "{shown} is no day; write it as 2026-11-22",
    # Pages that answer at http:// alone are old, and some are all that is left of a card.
    "address": "{shown} is no web address; it begins with https://, or http:// where the page answers at no other, "
    "and has no spaces",
    "file_name": "the file's name {shown} is no id; rename the file in small letters and hyphens, as nvidia-l4.yml",
    "string_type": "{shown} is no text; put it in quotes",
    "string_too_short": "is empty; write it, or take the line out",
    "string_too_long": "is too long; shorten it",
    "tuple_type": "{shown} is no list; write each entry in a line of its own that begins with '- '",
    "list_type": "{shown} is no list; write each entry in a line of its own that begins with '- '",
    "dict_type": "{shown} is one value; lines of the form 'name: value' belong here",
    "model_type": "{shown} is one value; lines of the form 'name: value' belong here",
    "finite_number": "{shown} is no number",
    "comma": "{shown} holds a comma; write {plain}",
    "float_type": "{shown} is no number; write it in digits, without quotes and unit",
    "float_parsing": "{shown} is no number; write it in digits, without quotes and unit",
    "int_type": "{shown} is no whole number; write it in digits, without quotes and unit",
    "int_parsing": "{shown} is no whole number; write it in digits, without quotes and unit",
    "int_from_float": "{shown} is no whole number",
    "bool_type": "{shown} is not yes or no; write one of the two, without quotes",
    "bool_parsing": "{shown} is not yes or no; write one of the two, without quotes",
    "greater_than": "{shown} is not more than {limit}",
    "greater_than_equal": "{shown} is less than {limit}",
    "less_than": "{shown} is not less than {limit}",
    "less_than_equal": "{shown} is more than {limit}",
    "value_error": "{message}",  # of a rule of ours, which names what it found where that helps
    "no_single_value": "{shown} is no single value; write it as the document prints it, with its unit: 72 W",
    "alone": "{name!r} stands here without a value: a comma parts entries between {{ and }}; write a number with a "
    "point, as 1.14, and put a text that holds a comma in quotes",
}


# How alike, from 0 to 1, a mistyped name and the one that was meant are at least.
NEAR = 0.7
# The kinds of error of a number, and a number as some countries write it, with a comma in it.
NO_NUMBER = ("float_type", "float_parsing", "int_type", "int_parsing")
COMMA = re.compile(r"[+-]?\d+(?:,\d{3})*,\d+|[+-]?\d{1,3}(?:,\d{3})+\.\d+", re.ASCII)
ALTERNATIVES = ("bool", "int", "float", "date", "str")


def markup_in(text: str) -> str:
    """What to do about code of a page in a text, or about a blank that a draft left open; "" where there is neither."""
    found = MARKUP.search(text)
    if BLANK.fullmatch(text):
        return "is still to be filled in, or taken out"
    if not found:
        return ""
    return f"holds {found[0]!r}, which is code of a web page; write the words alone, without it"


def _without_markup(text: str) -> str:
    told = markup_in(text)
    if told:
        raise ValueError(told)
    return text


def _on_the_web(address: str) -> str:
    """The address; ValueError where nobody else can open it."""
    if wrong := unreachable(address):
        raise ValueError(wrong)
    return address


def unreachable(address: str) -> str:
    """Why nobody else can open a web address, "" where it leads to a host that everybody may reach."""
    host = _host(address)
    if RESERVED_HOST.search(host):
        return f"{host!r} is a name for examples, where no page lies; give the address of the document"
    public = "." in host and not host.endswith(LOCAL_ENDINGS)
    if NUMERIC_HOST.fullmatch(host):
        try:
            public = ip_address(host).is_global
        except ValueError:
            public = False
    return "" if public else "this address leads nowhere from another machine; give the public one of the same document"


def _host(address: str) -> str:
    """The host of an address as browsers read it, "" where it names none."""
    try:
        return unicodedata.normalize("NFKC", urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _a_page(address: str) -> str:
    """The address; ValueError for what a search engine found, which is another list tomorrow."""
    parts = urlsplit(address)
    if SEARCH_HOST.search(parts.hostname or "") and (SEARCH_PATH.match(parts.path) or "q=" in parts.query):
        raise ValueError("this address is a search, and no document; open what it found and give that address")
    return address


def _as_published(address: str) -> str:
    """The address; ValueError for one that also says from where its reader came."""
    if found := TRACKED.search(address):
        raise ValueError(f"{found[1]!r} in this address says who led you there, and nothing of the page; take it out")
    return address


@lru_cache(maxsize=4096)  # each claim asks it of its document, more than once
def page_of(address: str) -> str:
    """The address by which two readings are known to be of one page, however each wrote it."""
    page = urlsplit(address.partition("#")[0].rstrip("/"))
    return (
        f"{page.netloc.casefold().removeprefix('www.')}{page.path.rstrip('/')}{'?' if page.query else ''}{page.query}"
    )


def wrong_place(locator: str) -> str:
    """Why a text does not lead to a place in a document, "" where it may; an address leads to the document alone."""
    if NO_PLACE.fullmatch(locator) or re.fullmatch(r"https?://\S+", locator):
        return f"{locator!r} names no place in the document; write the page, the table and row, or the heading"
    return ""


def _a_place(locator: str) -> str:
    if wrong := wrong_place(locator):
        raise ValueError(wrong)
    return locator


def _since_the_beginning(day: date) -> date:
    if day < FIRST_READING:
        raise ValueError(
            f"{day} is before anything was read for this dataset ({FIRST_READING.year}); write the day on which you "
            f"read it, and not that of the document"
        )
    return day


def _handed_on(licence: str) -> str:
    if NOT_COMMERCIAL.search(licence):
        raise ValueError(
            f"{licence!r} forbids commercial use, which the licence of the dataset allows, and the rows of a set are "
            f"handed on under it; leave this set out, or ask its publisher for another licence"
        )
    return licence


Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), AfterValidator(_without_markup)
]
Note = Annotated[str, StringConstraints(max_length=2000), AfterValidator(_without_markup)]
Url = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s<>\"]+$", max_length=500),
    AfterValidator(_on_the_web),
    AfterValidator(_a_page),
    AfterValidator(_as_published),
]
# The licence of a set of rows: they go into the release.
SetLicence = Annotated[Text, AfterValidator(_handed_on)]
# The day on which a person read something.
ReadDay = Annotated[date, AfterValidator(_since_the_beginning)]
Locator = Annotated[Text, AfterValidator(_a_place)]

Model = TypeVar("Model", bound=BaseModel)


class Strict(BaseModel):
    """A model that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Document(Strict):
    """What a person read: its title and address, what kind of paper it is, and when it was read."""

    title: Text
    kind: Literal[KINDS]  # type: ignore[valid-type]
    url: Url
    read: ReadDay
    licence: Text


class Value(Strict):
    """One hand-read value as printed, with the place in the document where it stands."""

    field: Text
    value: bool | int | float | date | str
    document: Text
    locator: Locator


def read(path: Path, where: str, kind: type[Model], hint: str, error: type[ValueError]) -> Model:
    """Read a YAML; `error` says in plain words what is wrong, each problem with its line.

    A model with an `id` gets the file's name for it.
    """
    return model_of(path.stem, text_of(path, where, error), where, kind, hint, error)


def model_of(id: str, text: str, where: str, kind: type[Model], hint: str, error: type[ValueError]) -> Model:
    """The model of a YAML text, with that id where the model has one; errors as in `read`."""
    content = load(text, where, error)
    if not isinstance(content, dict):
        raise error(f"{where}: holds no fields; {hint}")
    try:
        return kind.model_validate({"id": id, **content} if "id" in kind.model_fields else content)
    except ValidationError as wrong:
        raise error("\n".join(told(where, text, wrong, kind))) from None


def text_of(path: Path, where: str, error: type[ValueError], most: int = MAX_BYTES) -> str:
    """The text of a hand-written file; `error` for one that is too large or is no text."""
    with path.open("rb") as file:
        begin = file.read(8)
    kind = next((name for start, name in BINARY.items() if begin.startswith(start)), "")
    if kind:
        step = "export it as CSV" if path.suffix == ".csv" else "write it as plain text"
        raise error(f"{where}: this is {kind}: {step}; a new name makes no other file of it")
    size = path.stat().st_size
    if size > most:
        raise error(
            f"{where}: has {size / 1e6:.1f} MB, and at most {most / 1e6:g} MB are read; "
            f"a hand-written file is small: was something else saved under this name?"
        )
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as broken:
        raise error(f"{where}: is no UTF-8 text (byte {broken.start}); save it as UTF-8 in the editor") from None


# How files begin that people rename.
BINARY = {
    b"PK\x03\x04": "a spreadsheet (xlsx or ods) or another archive",
    b"\xd0\xcf\x11\xe0": "a spreadsheet (xls) or another office file",
    b"%PDF-": "a PDF",
    b"\x89PNG": "a picture (png)",
    b"\xff\xd8\xff": "a picture (jpg)",
}
# What a CSV's reader says, in the words of somebody who has it open in a spreadsheet.
CSV_WORDS = {
    "unexpected end of data": 'a quote (") that opens here is never closed',
    "expected after": "a quote stands inside the cell; write it twice and put the whole cell in quotes",
    "field limit": "a cell holds far too much text",
}
# A number as people group it, which a comma takes apart into two cells.
THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}(?:\.\d+)?", re.ASCII)
SEPARATORS = {";": "semicolons", "\t": "tabs"}


def table(
    path: Path, where: str, columns: Sequence[str], error: type[ValueError]
) -> tuple[list[tuple[int, dict[str, str]]], list[str]]:
    """The rows of a contributed CSV, each with its line, and what is wrong with those that cannot be taken apart.

    `error` for a file that cannot be read at all. Spaces around a cell are left out, and so is the mark that a
    spreadsheet writes before UTF-8.
    """
    text = text_of(path, where, error).removeprefix("\ufeff")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, dict[str, str]]] = []
    problems: list[str] = []
    line = 1
    try:
        check_heads(where, next(reader, None), columns, error)
        while True:
            line = reader.line_num + 1
            cells = next(reader, None)
            if cells is None:
                empty = (
                    [] if rows or problems else [f"{where}: holds no row below its heads; add one, or delete the set"]
                )
                return rows, [*problems, *empty]
            if any(cells):
                told = list(_wrong_cells(cells, columns, reader.line_num - line))
                problems += [f"{where}:{line}: {message}" for message in told]
            if len(cells) == len(columns) and any(cells):
                rows.append((line, dict(zip(columns, map(str.strip, cells), strict=True))))
    except csv.Error as broken:
        return rows, [*problems, f"{where}:{line}: {csv_words(broken)}"]


def csv_words(broken: csv.Error) -> str:
    """What a CSV's reader stumbled over, in words; what stands below it is not read."""
    words = next((said for sign, said in CSV_WORDS.items() if sign in str(broken)), str(broken))
    return f"{words}; the rows from here on are not read"


def _wrong_cells(cells: Sequence[str], columns: Sequence[str], breaks: int) -> Iterator[str]:
    """What keeps a row from being one row of these columns, and code of a page in its cells."""
    if len(cells) != len(columns):
        few, step = len(cells) < len(columns), "a cell that holds a comma stands in quotes"
        split = next((pair for pair in pairwise(cells) if THOUSANDS.fullmatch(",".join(pair))), None)
        if split:
            step = f"{split[0]!r} and {split[1]!r} are one number with a comma: write {''.join(split)}"
        what = f"the last ones, from {columns[len(cells)]!r} on, are missing" if few else step
        yield f"this row has {len(cells)} cells, and there are {len(columns)} columns; {what}"
    elif breaks:
        yield "a cell of this row holds a line break; write it in one line"
    for column, cell in zip(columns, cells, strict=False):
        told = markup_in(cell)
        if told:
            yield f"column {column!r} {told}"


def check_heads(where: str, found: Sequence[str] | None, wanted: Sequence[str], error: type[ValueError]) -> None:
    """Hold the first line of a CSV against the columns it must have; `error` says which are missing or too many."""
    if tuple(found or ()) == tuple(wanted):
        return
    if not found:
        raise error(f"{where}:1: is empty; its first line must be: {','.join(wanted)}")
    other = next((words for sign, words in SEPARATORS.items() if len(found) == 1 and sign in found[0]), "")
    if other:
        raise error(f"{where}:1: its cells are parted by {other}; save it as CSV with commas")
    missing, extra = [name for name in wanted if name not in found], [name for name in found if name not in wanted]
    what = [f"missing: {', '.join(missing)}"] if missing else []
    what += [f"not known: {', '.join(extra)}{meant(extra[0], list(missing or wanted))}"] if extra else []
    twice = [name for name, times in Counter(found).items() if times > 1 and name in wanted]
    what += [f"twice: {', '.join(twice)}"] if twice else []
    raise error(
        f"{where}:1: the columns are not those of this table ({'; '.join(what) or 'another order'}); "
        f"the first line must be: {','.join(wanted)}"
    )


def told(where: str, text: str, error: ValidationError, kind: type[BaseModel]) -> Iterator[str]:
    """What a model says is wrong with a file, in plain words, each with its line in the text."""
    lines, one_of_several = lines_of(text), set()
    for problem in error.errors():
        place = tuple(part for part in problem["loc"] if not str(part).startswith("function-"))
        known = _known_fields(kind, place)
        # Each form that a value could have had is refused once; a field may be called as a form is ("date").
        if place and place[-1] in ALTERNATIVES and place[-1] not in known:
            place = place[:-1]
            if place in one_of_several:
                continue
            one_of_several.add(place)
            problem["type"] = "no_single_value"
        if _alone(problem):
            place, problem["type"] = place[:-1], "alone"
        instead = _written_instead(problem, known)
        lies = (*place[:-1], instead) if instead else place
        yield f"{where}:{_line(lines, lies)}: {named(place)}: {_plain(problem, known)}"


def placed(where: str, text: str, problems: Iterable[tuple[tuple[str | int, ...], str]]) -> list[str]:
    """What is wrong with a file that has its form, each problem at the line of its path in the text."""
    lines = lines_of(text)
    return [f"{where}:{_line(lines, place)}: {message}" for place, message in problems]


def _line(lines: Mapping[tuple[str | int, ...], int], place: tuple[str | int, ...]) -> int:
    """The line of an entry, or of the innermost one around it that has one."""
    return next((lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in lines), 1)


def _alone(problem: Mapping[str, Any]) -> bool:
    """Whether this is the rest of a number or a text that a comma between { and } took apart."""
    name = str(problem["loc"][-1]) if problem["loc"] else ""
    unknown = problem["type"] == "extra_forbidden" and problem["input"] is None
    return problem["type"] == "invalid_key" or (unknown and not re.fullmatch(r"[a-z_]+", name))


def told_of_row(error: ValidationError) -> Iterator[str]:
    """What a model says is wrong with the row of a table, each problem behind the name of its column."""
    for problem in error.errors():
        yield f"{problem['loc'][0]}: {_plain(problem, [])}"


def named(place: tuple[str | int, ...]) -> str:
    """A path in words: values, entry 3, document."""
    return ", ".join(f"entry {part + 1}" if isinstance(part, int) else str(part) for part in place) or "the file"


def _known_fields(kind: type[BaseModel], place: tuple[str | int, ...]) -> list[str]:
    """The names that may stand where an unknown one was found."""
    schema: Any = kind.model_json_schema()
    defined = schema.get("$defs", {})
    for part in place[:-1]:
        schema = defined.get(str(schema.get("$ref", "")).rpartition("/")[2], schema)
        if isinstance(part, int):
            schema = schema.get("items", {})
        else:
            schema = schema.get("properties", {}).get(part) or schema.get("additionalProperties") or {}
    schema = defined.get(str(schema.get("$ref", "")).rpartition("/")[2], schema) if isinstance(schema, dict) else {}
    return [name for name in schema.get("properties", {}) if name != "id"]


def _plain(problem: Mapping[str, Any], known: list[str]) -> str:
    """One problem of pydantic's in the words of somebody who edits the file."""
    found, sort, context = problem["input"], str(problem["type"]), problem.get("ctx", {})
    name, shown = str(problem["loc"][-1]) if problem["loc"] else "", _shown(found)
    sort = "date" if sort.startswith("date") else sort
    sort = "address" if sort == "string_pattern_mismatch" and "https" in str(context) else sort
    sort = "file_name" if sort == "string_pattern_mismatch" and name == "id" else sort
    plain = without_comma(found) if sort in NO_NUMBER else ""
    sort = "comma" if plain else sort
    unknown = sort == "extra_forbidden"
    words = known if unknown else re.findall(r"'([^']*)'", str(context.get("expected", "")))
    if found is None and sort not in ("missing", "alone"):
        return SAID["string_too_short"]
    if instead := _written_instead(problem, known):
        return f"is missing; {instead!r} stands there, did you mean that? Write {name!r}"
    if sort not in SAID:
        return f"{problem['msg']} (found {shown})"
    guess = meant(name if unknown else str(found), words)
    limit = next((f"{context[bound]:g}" for bound in ("gt", "ge", "lt", "le") if bound in context), "")
    message = str(problem["msg"]).removeprefix("Value error, ")
    told = {"words": ", ".join(words), "meant": guess, "limit": limit, "message": message, "plain": plain}
    return SAID[sort].format(name=name, shown=shown, **told)


def without_comma(found: object) -> str:
    """How a number that holds a comma is to be written, "" for what is no such number.

    Before three digits a comma may part thousands or decimals: both ways are shown.
    """
    if not isinstance(found, str) or not COMMA.fullmatch(found):
        return ""
    point, whole = found.replace(",", "."), found.replace(",", "")
    if found.count(",") > 1 or "." in found:
        return whole
    return f"{whole}, or {point} if the comma stands before the decimals" if THOUSANDS.fullmatch(found) else point


def _written_instead(problem: Mapping[str, Any], known: list[str]) -> str:
    """The unknown name, as license, that stands where a missing one, as licence, belongs; "" where there is none."""
    if problem["type"] != "missing" or not isinstance(problem["input"], Mapping):
        return ""
    others = {str(key).casefold(): str(key) for key in problem["input"] if key not in known}
    near = get_close_matches(str(problem["loc"][-1]).casefold(), others, n=1, cutoff=NEAR)
    return others[near[0]] if near else ""


def _shown(found: object) -> str:
    """What stands in the file, as somebody wrote it; a list or a group of lines by its beginning."""
    if isinstance(found, bool):
        return "yes" if found else "no"
    return found.isoformat() if isinstance(found, date) else f"{found!r}"[:80]


def no_such_gpu(id: str, gpus: Collection[str]) -> str:
    """That no file describes a card, the nearest id, and the next step."""
    return f"no GPU has the id {id!r}{meant(id, sorted(gpus))}; write the name of a file of data/gpus without .yml"


def meant(word: str, known: list[str], near_from: float = NEAR) -> str:
    """The nearest known word as a question, or nothing where none is as near as that."""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), folded, n=1, cutoff=near_from)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""
