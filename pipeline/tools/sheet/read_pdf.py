"""Reads a PDF by the place of each word on the page: ruled or free-standing tables as grids, and the other lines."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfminer.pdfparser import PDFSyntaxError
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

from pipeline.tools.sheet.form import (
    Cell,
    Grid,
    Sheet,
    SheetError,
    SheetProblem,
    TextLine,
    grid_of_pairs,
    labelled,
    tidy,
)

# pdfplumber comes without types.
Page: TypeAlias = Any

MAX_PAGES = 60
# In parts of the letter height: a wider gap ends a cell; a smaller letter is a footnote mark, and so is one that is
# hardly smaller and stands higher than the others.
CELL_GAP = 1.1
RAISED = 0.8
HARDLY_SMALLER, HIGHER = 0.95, 0.12
SAME_PARAGRAPH = 2.6
OVERLAP = 0.85
# A line without label belongs to the line below it where that is clearly nearer than the one above.
NEARER = 0.85
# In points: how far figures of a left-aligned column may start apart, and a shared figure stand off the middle.
ALIGNED, CENTRED = 1.5, 9.0
# A picture over this share of a page whose text holds no table may be the table.
LARGE_PICTURE = 0.25
MESSAGE_PICTURE = (
    "no table in its text, but a large picture: the table may be in it (a scan); run it through text recognition, "
    "or read it by hand"
)
MESSAGE_SCAN = "the page holds a picture and no text (a scan); run it through text recognition, or read it by hand"
MESSAGE_SIDEWAYS = "text that stands sideways is not read; turn the page in a PDF program and read the sheet again"
MESSAGE_EMPTY = "no page holds text or a picture; fetch the file again"


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that stand together, or one line of them, with their box."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float

    @property
    def middle(self) -> float:
        """The height at which it stands."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """One printed line: its pieces from left to right."""

    pieces: tuple[Piece, ...]

    @property
    def middle(self) -> float:
        """The height at which it stands."""
        return self.pieces[0].middle

    @property
    def size(self) -> float:
        """The height of its letters."""
        return max(piece.size for piece in self.pieces)

    @property
    def text(self) -> str:
        """Its text, pieces apart by a space."""
        return " ".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class DrawnRule:
    """A horizontal line drawn on the page."""

    y: float
    x0: float
    x1: float


Known = Callable[[str], bool]


def read(data: bytes, name: str, known: Known) -> Sheet:
    """Read a PDF; `known` says whether a text is a label we know. SheetError when no page has text."""
    try:
        found = _pages(data, name)
        if len(found) > MAX_PAGES:
            raise SheetError(f"{name}: {len(found)} pages, at most {MAX_PAGES} are read; cut the sheet out")
        pages = [_page(page, name, known) for page in found]
    except (PdfminerException, PDFSyntaxError) as error:
        if isinstance(error.__cause__ or error.__context__, PDFPasswordIncorrect):
            raise SheetError(f"{name}: protected by a password; save a copy without one and read that") from None
        raise SheetError(f"{name}: not a readable PDF ({str(error) or 'broken'}); fetch the file again") from None
    problems = tuple(problem for page in pages for problem in page.problems)
    if not any(page.lines or page.grids for page in pages):
        said = "; ".join(f"{problem.place}: {problem.reason}" for problem in problems)
        raise SheetError(f"{name}: {said or MESSAGE_EMPTY}")
    grids = [grid for page in pages for grid in page.grids]
    lines = [line for page in pages for line in page.lines]
    return Sheet(name, next((page.title for page in pages if page.title), ""), tuple(grids), tuple(lines), problems)


def _pages(data: bytes, name: str) -> list[Page]:
    """The pages of a document; SheetError where one has no size, or one that is no four numbers."""
    document = pdfplumber.open(io.BytesIO(data))  # never closed: that would measure the pages again
    try:
        return list(document.pages)
    except (MalformedPDFException, TypeError, IndexError) as error:
        raise SheetError(f"{name}: a page without a readable size ({str(error)[:80]}); fetch the file again") from None


def _page(page: Page, name: str, known: Known) -> Sheet:
    number = int(page.page_number)
    words = page.extract_words(extra_attrs=["size", "upright"], use_text_flow=False, x_tolerance=2)
    rows = list(_rows([word for word in words if word["upright"]]))
    sideways = "".join(word["text"] for word in words if not word["upright"])
    problems = (SheetProblem(f"page {number}", sideways[:60], MESSAGE_SIDEWAYS),) if re.search(r"\d", sideways) else ()
    if not rows:
        scanned = not problems and (page.images or page.curves or page.rects)
        return Sheet(name, "", (), (), (SheetProblem(f"page {number}", "", MESSAGE_SCAN),) if scanned else problems)
    biggest = max(row.size for row in rows)
    title = " ".join(row.text for row in rows if row.size == biggest and row.size > 1.2 * rows[-1].size)
    grids, rest = _ruled_tables(page, rows, number)
    if not grids:
        grids, rest = _tables_side_by_side(rows, list(_rules(page)), number, known)
    if not any(known(cell.text) for grid in grids for cell in grid.cells):
        grids, rest = _spoken(rows, number, known)
    if not grids and any(_share(image, page) > LARGE_PICTURE for image in page.images):
        problems = (*problems, SheetProblem(f"page {number}", "", MESSAGE_PICTURE))
    return Sheet(name, title, tuple(grids), tuple(_paragraphs(rest, number)), problems)


def _share(image: dict[str, Any], page: Page) -> float:
    """Say how much of a page a picture covers."""
    return float(image["width"] * image["height"] / (page.width * page.height))


def _spoken(rows: list[PrintedRow], number: int, known: Known) -> tuple[list[Grid], list[PrintedRow]]:
    """Read lines that say "GPU memory: 24 GB", where a page has no table."""
    pairs = labelled((row.text for row in rows), known)
    rest = [row for at, row in enumerate(rows) if at not in pairs]
    return [grid_of_pairs(pairs.values(), number, 1, "text")] if pairs else [], rest


def _rows(words: list[dict[str, Any]]) -> Iterator[PrintedRow]:
    """Group the words of a page into printed lines; small raised words become marks."""
    lines: list[list[dict[str, Any]]] = []
    for word in sorted(words, key=lambda word: (-round(word["size"], 1), word["top"], word["x0"])):
        middle = (word["top"] + word["bottom"]) / 2
        home = next(
            (
                line
                for line in lines
                if line[0]["top"] - 0.5 <= middle <= line[0]["bottom"] + 0.5 and _same_height(line[0], word)
            ),
            None,
        )
        if home is None:
            lines.append([word])
        else:
            home.append(word)
    for line in sorted(lines, key=lambda line: (line[0]["top"], line[0]["x0"])):
        yield PrintedRow(tuple(_pieces(sorted(line, key=lambda word: word["x0"]))))


def _same_height(first: dict[str, Any], word: dict[str, Any]) -> bool:
    """A line holds words of its own height and marks; a caption beside a big title is another line."""
    return bool(word["size"] >= RAISED * first["size"]) or _could_be_mark(word["text"])


def _could_be_mark(text: str) -> bool:
    return bool(re.fullmatch(r"[\d*†‡§¶,()\[\]a-z]{1,5}|[®™]|TM", text))


def _pieces(words: list[dict[str, Any]]) -> Iterator[Piece]:
    size = Counter(round(word["size"], 2) for word in words).most_common(1)[0][0]
    size = max(size, *(round(word["size"], 2) for word in words))
    foot = max(word["bottom"] for word in words if word["size"] >= HARDLY_SMALLER * size)
    piece: Piece | None = None
    for word in words:
        text = _mark_or_word(word, size, foot, piece)
        near = piece is not None and word["x0"] - piece.x1 <= CELL_GAP * size
        if piece is not None and near:
            glue = "" if text.startswith("^{") or word["x0"] - piece.x1 < 0.12 * size else " "
            piece = replace(piece, text=f"{piece.text}{glue}{text}", x1=word["x1"])
            continue
        if piece is not None:
            yield replace(piece, text=tidy(piece.text))
        piece = Piece(text, word["x0"], word["x1"], word["top"], word["bottom"], size)
    if piece is not None:
        yield replace(piece, text=tidy(piece.text))


def _mark_or_word(word: dict[str, Any], size: float, foot: float, before: Piece | None) -> str:
    text = str(word["text"])
    higher = word["size"] < HARDLY_SMALLER * size and foot - word["bottom"] > HIGHER * size
    if (word["size"] >= RAISED * size and not (higher and _could_be_mark(text))) or text in ("®", "™", "TM"):
        return text
    if text == "2" and before is not None and re.search(r"[mc]?m$", before.text):
        return text
    bare = re.sub(r"[()\[\]]", "", text)
    return "^{" + bare + "}"


# ---------------------------------------------------------------- tables with a full frame


def _ruled_tables(page: Page, rows: list[PrintedRow], number: int) -> tuple[list[Grid], list[PrintedRow]]:
    """Read tables whose cells are drawn as boxes."""
    grids: list[Grid] = []
    inside: set[int] = set()
    for table in page.find_tables():
        boxes = sorted({tuple(round(edge, 1) for edge in cell) for cell in table.cells}, key=lambda b: (b[1], b[0]))
        edges = _edges(box[0] for box in boxes)
        heights = _edges(box[1] for box in boxes)
        if len(edges) < 2 or len(heights) < 2:
            continue
        cells = [_boxed(box, rows, edges, heights) for box in boxes]
        grids.append(Grid(tuple(cells), number, len(grids) + 1, "table", _heading_above(rows, table.bbox[1])))
        inside |= {
            id(piece)
            for row in rows
            if table.bbox[1] <= row.middle <= table.bbox[3]
            for piece in row.pieces
            if table.bbox[0] <= (piece.x0 + piece.x1) / 2 <= table.bbox[2]
        }
    return grids, list(_with_pieces(rows, lambda _, piece: id(piece) not in inside))


def _with_pieces(rows: list[PrintedRow], fits: Callable[[PrintedRow, Piece], bool]) -> Iterator[PrintedRow]:
    """Give the rows with those of their pieces that fit, where there are any."""
    for row in rows:
        pieces = tuple(piece for piece in row.pieces if fits(row, piece))
        if pieces:
            yield PrintedRow(pieces) if len(pieces) < len(row.pieces) else row


def _boxed(box: tuple[float, ...], rows: list[PrintedRow], edges: list[float], heights: list[float]) -> Cell:
    left, top, right, bottom = box
    text = "\n".join(
        " ".join(piece.text for piece in row.pieces if left <= (piece.x0 + piece.x1) / 2 <= right)
        for row in rows
        if top <= row.middle <= bottom
    )
    return Cell(tidy(text), _index(heights, top), _index(edges, left), _last(heights, bottom), _last(edges, right))


def _edges(values: Iterator[float]) -> list[float]:
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > 2:
            edges.append(value)
    return edges


def _index(edges: list[float], value: float) -> int:
    return max(at for at, edge in enumerate(edges, start=1) if edge <= value + 2)


def _last(edges: list[float], value: float) -> int:
    return max(at for at, edge in enumerate(edges, start=1) if edge < value - 2)


# ---------------------------------------------------------------- tables without a frame


def _tables_side_by_side(
    rows: list[PrintedRow], rules: list[DrawnRule], number: int, known: Known
) -> tuple[list[Grid], list[PrintedRow]]:
    """Read each stack of equally wide rules as a table of its own: beside it stands prose or another table."""
    grids: list[Grid] = []
    for box in _boxes(rules):
        inside = list(_with_pieces(rows, box.holds))
        if len(inside) < 2 or all(box.x0 - 8 <= piece.x0 <= box.x1 for row in rows for piece in row.pieces):
            continue
        own = [rule for rule in rules if box.x0 - 3 <= rule.x0 and rule.x1 <= box.x1 + 3]
        found, rest = _free_tables(inside, own, number, known, len(grids), rows)
        if not any(known(cell.text) for grid in found for cell in grid.cells):
            continue
        grids += found
        left = {id(piece) for row in rest for piece in row.pieces}
        read = {id(piece) for row in inside for piece in row.pieces} - left
        rows = list(_with_pieces(rows, lambda _, piece, read=read: id(piece) not in read))  # type: ignore[misc]
        rules = [rule for rule in rules if rule not in own]
    found, rest = _free_tables(rows, rules, number, known, len(grids), rows)
    return [*grids, *found], rest


@dataclass(frozen=True, slots=True)
class Box:
    """The place of a table that rules draw, from its head to its last rule."""

    x0: float
    x1: float
    top: float
    bottom: float

    def holds(self, row: PrintedRow, piece: Piece) -> bool:
        """Say whether a piece stands inside."""
        high = self.top - 2.6 * row.size < row.middle < self.bottom + 0.5 * row.size
        return high and self.x0 - 8 <= piece.x0 and piece.x1 <= self.x1 + 8


def _boxes(rules: list[DrawnRule]) -> list[Box]:
    """Find stacks of at least three rules of one width; rules drawn cell by cell count as one."""
    stacks: dict[tuple[int, int], list[float]] = {}
    for rule in _joined(rules):
        key = next(
            (key for key in stacks if abs(key[0] - rule.x0) < 4 and abs(key[1] - rule.x1) < 4),
            (round(rule.x0), round(rule.x1)),
        )
        stacks.setdefault(key, []).append(rule.y)
    return [Box(x0, x1, min(ys), max(ys)) for (x0, x1), ys in stacks.items() if len(set(map(round, ys))) >= 3]


def _joined(rules: list[DrawnRule]) -> Iterator[DrawnRule]:
    whole: DrawnRule | None = None
    for rule in sorted(rules, key=lambda rule: (round(rule.y), rule.x0)):
        if whole is not None and round(whole.y) == round(rule.y) and rule.x0 <= whole.x1 + 3:
            whole = replace(whole, x1=max(whole.x1, rule.x1))
            continue
        if whole is not None:
            yield whole
        whole = rule
    if whole is not None:
        yield whole


def _free_tables(
    rows: list[PrintedRow], rules: list[DrawnRule], number: int, known: Known, before: int, page: list[PrintedRow]
) -> tuple[list[Grid], list[PrintedRow]]:
    """Read tables from how the words stand, with horizontal rules where there are some."""
    grids: list[Grid] = []
    rest: list[PrintedRow] = []
    for block in _blocks(rows, rules):
        heading = _heading_above(page, block[0].middle)
        grid = _free_grid(block, rules, number, before + len(grids) + 1, known, heading)
        if grid is None:
            rest += block
        else:
            grids.append(grid)
    taken = {id(row) for block in _blocks(rows, rules) for row in block}
    return grids, [row for row in rows if id(row) not in taken] + rest


def _rules(page: Page) -> Iterator[DrawnRule]:
    for drawn in page.edges:
        if drawn["orientation"] == "h" and drawn["x1"] - drawn["x0"] > 5:
            yield DrawnRule(drawn["top"], drawn["x0"], drawn["x1"])


def _blocks(rows: list[PrintedRow], rules: list[DrawnRule]) -> list[list[PrintedRow]]:
    """Find runs of lines that belong to one table: between its rules, or lines with several pieces."""
    in_table = [_tabular(row, rows, rules) for row in rows]
    blocks: list[list[PrintedRow]] = []
    for index, row in enumerate(rows):
        if not in_table[index]:
            continue
        previous = rows[index - 1] if index else None
        near = previous is not None and row.middle - previous.middle < 6 * row.size
        if blocks and previous is not None and blocks[-1][-1] is previous and near:
            blocks[-1].append(row)
        else:
            blocks.append([row])
    return [block for block in blocks if sum(_wide(row, block) for row in block) >= 2]


def _tabular(row: PrintedRow, rows: list[PrintedRow], rules: list[DrawnRule]) -> bool:
    """A line belongs to a table when it has several pieces, lies between rules, or stands between two that do."""
    if _is_note(row):
        return False
    heights = [rule.y for rule in rules if rule.x0 - 5 <= row.pieces[0].x0 <= rule.x1]
    if heights and min(heights) < row.middle < max(heights):
        return True
    if _wide(row, rows):
        return True
    if (
        heights
        and 0 < min(heights) - row.middle < 1.6 * row.size
        and row.pieces[0].x0 > min(rule.x0 for rule in rules) + 20
    ):
        return True
    if heights:
        return False
    at = rows.index(row)
    around = [other for other in rows[max(at - 2, 0) : at + 3] if other is not row]
    several = [other for other in around if _wide(other, rows) and abs(other.middle - row.middle) < 4 * row.size]
    before = any(other.middle < row.middle for other in several)
    after = any(other.middle > row.middle for other in several)
    return before and (after or _aligned(row, several))


def _wide(row: PrintedRow, rows: list[PrintedRow]) -> bool:
    """Say whether a line has several pieces, or stands beside one that is too near to be another line."""
    at = rows.index(row)
    return len(row.pieces) > 1 or any(_overlap(row, other) for other in rows[max(at - 1, 0) : at + 2])


def _overlap(row: PrintedRow, other: PrintedRow) -> bool:
    """Say whether two lines are too near to stand under one another: a label beside the middle of its two figures."""
    apart = row.pieces[0].x0 > other.pieces[-1].x1 or other.pieces[0].x0 > row.pieces[-1].x1
    return apart and abs(row.middle - other.middle) < OVERLAP * max(row.size, other.size)


def _aligned(row: PrintedRow, others: list[PrintedRow]) -> bool:
    """The last line of a table may be only the second half of a cell, under the first."""
    return any(
        abs(row.pieces[0].x0 - piece.x0) < 1.5 and abs(other.middle - row.middle) < 1.6 * row.size
        for other in others
        for piece in other.pieces[1:]
    )


def _is_note(row: PrintedRow) -> bool:
    """A line that starts with a mark and goes on with words is a footnote, wherever it stands."""
    return bool(re.match(r"\^\{[^}]*\}\s*\S", row.text)) and len(row.pieces) <= 2


def _free_grid(
    block: list[PrintedRow], rules: list[DrawnRule], page: int, number: int, known: Known, heading: str
) -> Grid | None:
    columns = _columns(block)
    if columns is None:
        return None
    groups = _groups(block, rules, columns, known)
    heights = sorted({round(rule.y, 1) for rule in rules if rule.x0 - 8 <= columns[0][0] <= rule.x1})
    right = max([columns[-1][1], *(rule.x1 for rule in rules if rule.x0 - 8 <= columns[0][0])])
    spans = _Spans(
        tuple(columns), right, _lined_up(block, columns, at_end=False), _lined_up(block, columns, at_end=True)
    )
    cells = [
        _over_rule(cell, group, heights)
        for top, group in enumerate(groups, start=1)
        for cell in _group_cells(group, spans, top, ruled=len(heights) > 2)
    ]
    cells = _with_merged(cells, block, rules, columns)
    return Grid(tuple(cells), page, number, "table", heading, unruled=len(heights) < 2)


def _columns(block: list[PrintedRow]) -> list[tuple[float, float]] | None:
    """Where the columns stand: the reach of the pieces in lines that fill every column."""
    most = max(len(row.pieces) for row in block)
    full = [row for row in block if len(row.pieces) == most]
    if most < 2:
        return None
    columns = [(min(row.pieces[at].x0 for row in full), max(row.pieces[at].x1 for row in full)) for at in range(most)]
    if any(left[1] > right[0] for left, right in pairwise(columns)):
        return None
    return columns


def _groups(
    block: list[PrintedRow], rules: list[DrawnRule], columns: list[tuple[float, float]], known: Known
) -> list[list[PrintedRow]]:
    """Put printed lines together that are one row of the table."""
    label = columns[0]
    heights = sorted({round(rule.y, 1) for rule in rules if rule.x0 - 8 <= label[0] <= rule.x1})
    inside = [y for y in heights if block[0].middle < y < block[-1].middle]
    if len(inside) >= 2:
        bands: dict[int, list[PrintedRow]] = {}
        for row in block:
            bands.setdefault(sum(y < row.middle for y in heights), []).append(row)
        return [group for band in bands.values() for group in _unstacked(band, columns, known)]
    return _by_labels(block, columns, known)


def _unstacked(band: list[PrintedRow], columns: list[tuple[float, float]], known: Known) -> list[list[PrintedRow]]:
    """Two labels over each other with a figure each are two rows that share a rule."""
    each = all(
        len(row.pieces) > 1 and _column_of(row.pieces[0], columns)[0] == 1 and known(row.pieces[0].text) for row in band
    )
    return [[row] for row in band] if len(band) > 1 and each else [band]


def _by_labels(block: list[PrintedRow], columns: list[tuple[float, float]], known: Known) -> list[list[PrintedRow]]:
    """Without rules: a line without label goes on above; a label goes on below where only both are a label."""
    groups: list[list[PrintedRow]] = []
    for row, below in zip(block, [*block[1:], None], strict=True):
        above = groups[-1] if groups else None
        if above is not None and _joins(above, row, below, columns, known):
            above.append(row)
        else:
            groups.append([row])
    return groups


def _joins(
    above: list[PrintedRow], row: PrintedRow, below: PrintedRow | None, columns: list[tuple[float, float]], known: Known
) -> bool:
    """Say whether a line belongs to the row of the table above it."""
    last = above[-1]
    if _overlap(last, row) or (len(above) > 1 and _overlap(above[-2], row)):
        return True
    labelled_above = any(_column_of(line.pieces[0], columns)[0] == 1 for line in above)
    if _column_of(row.pieces[0], columns)[0] == 1:
        return (not labelled_above and _close(last, row)) or _goes_on(above, row, columns, known)
    to_below = below.middle - row.middle if below is not None else float("inf")
    return labelled_above and _close(last, row) and to_below > NEARER * (row.middle - last.middle)


def _close(above: PrintedRow, below: PrintedRow) -> bool:
    return below.middle - above.middle < 1.7 * max(above.size, below.size)


def _goes_on(group: list[PrintedRow], row: PrintedRow, columns: list[tuple[float, float]], known: Known) -> bool:
    """A label broken over two lines: neither half is a label we know, or only together they are."""
    if not _close(group[-1], row) or _column_of(row.pieces[0], columns)[0] != 1:
        return False
    upper = " ".join(line.pieces[0].text for line in group if _column_of(line.pieces[0], columns)[0] == 1)
    lower = row.pieces[0].text
    lone = len(row.pieces) == 1 or all(len(line.pieces) == 1 for line in group)
    return known(f"{upper} {lower}") and not known(lower) and (lone or not known(upper))


@dataclass(frozen=True, slots=True)
class _Spans:
    """The columns of a table, and what shows that a figure stands in the middle of several."""

    columns: tuple[tuple[float, float], ...]
    right: float  # where the table ends
    left_aligned: bool  # every figure starts where its column does
    right_aligned: bool  # every figure ends where its column does

    def of(self, piece: Piece, row: PrintedRow) -> tuple[int, int]:
        """Say from which to which column a piece reaches."""
        own = _column_of(piece, list(self.columns))
        starts = any(abs(piece.x0 - left) < ALIGNED for left, _ in self.columns)
        if own[0] == 1 or starts or not self.left_aligned or len(row.pieces) >= len(self.columns):
            return own
        beside = {_column_of(other, list(self.columns))[0] for other in row.pieces if other is not piece}
        middle = (piece.x0 + piece.x1) / 2
        near = [
            (abs(middle - self._middle(first, last)), first, last)
            for first in range(2, len(self.columns))
            for last in range(first + 1, len(self.columns) + 1)
            if not beside & set(range(first, last + 1))
        ]
        off, first, last = min(near, default=(CENTRED, *own))
        return (first, last) if off < CENTRED else own

    def _middle(self, first: int, last: int) -> float:
        ends = self.columns[last][0] if last < len(self.columns) else self.right
        return (self.columns[first - 1][0] + ends) / 2


def _lined_up(block: list[PrintedRow], columns: list[tuple[float, float]], *, at_end: bool) -> bool:
    """Say whether the figures of every column start (or end) at one height of the page's width."""
    full = [row.pieces[1:] for row in block if len(row.pieces) == len(columns)]
    edges = [(left, right)[at_end] for left, right in columns[1:]]
    return len(full) > 2 and all(
        abs((piece.x1 if at_end else piece.x0) - edge) < ALIGNED
        for pieces in full
        for piece, edge in zip(pieces, edges, strict=True)
    )


def _group_cells(group: list[PrintedRow], spans: _Spans, top: int, ruled: bool) -> Iterator[Cell]:
    """Give the cells of a row; where rules part the rows, a first figure beside blanks may reach over them."""
    columns = spans.columns
    texts: dict[tuple[int, int], list[str]] = {}
    for row in group:
        for piece in row.pieces:
            texts.setdefault(spans.of(piece, row), []).append(piece.text)
    filled = sorted(texts)
    last = len(columns)
    ends = [(2, 2), *([(last, last)] if spans.right_aligned and not spans.left_aligned else [])]
    alone = len(filled) == 2 and filled[0] == (1, 1) and filled[1] in ends and last > 2
    for left, right in filled:
        stretched = alone and left > 1 and ruled
        yield Cell(
            "\n".join(texts[left, right]),
            top,
            2 if stretched else left,
            top,
            last if stretched else right,
            stretched or right > left,
            stretched,
        )


def _over_rule(cell: Cell, group: list[PrintedRow], heights: list[float]) -> Cell:
    """A text across which a rule runs belongs to both rows: a merged cell on shaded lines."""
    pieces = [piece for row in group for piece in row.pieces if cell.left > 1 and piece.text in cell.text]
    crossed = [
        y for piece in pieces for y in heights if piece.top + 0.2 * piece.size < y < piece.bottom - 0.2 * piece.size
    ]
    if not crossed:
        return cell
    above = any(row.middle > crossed[0] for row in group if row.pieces[0].text not in cell.text)
    return replace(cell, top=cell.top - 1) if above else replace(cell, bottom=cell.bottom + 1)


def _column_of(piece: Piece, columns: list[tuple[float, float]]) -> tuple[int, int]:
    """Say from which to which column a piece reaches; one that stands in a gap reaches over both sides."""
    touched = [at for at, (left, right) in enumerate(columns, start=1) if piece.x0 < right and piece.x1 > left]
    if touched:
        first = 1 if touched[0] == 1 else touched[0]
        return (first, first) if first == 1 else (first, touched[-1])
    before = sum(right <= piece.x0 for _, right in columns)
    if before in (0, len(columns)):
        return (max(before, 1), max(before, 1))
    gap = columns[before][0] - columns[before - 1][1]
    middle = (piece.x0 + piece.x1) / 2 - columns[before - 1][1]
    if before == 1:
        return (2, 2) if middle > gap / 2 else (1, 1)
    if middle < gap / 3:
        return (before, before)
    return (before + 1, before + 1) if middle > 2 * gap / 3 else (before, before + 1)


def _with_merged(
    cells: list[Cell], block: list[PrintedRow], rules: list[DrawnRule], columns: list[tuple[float, float]]
) -> list[Cell]:
    """Where a rule stops short of a column, the cells above and below it are one."""
    label = columns[0]
    heights = sorted({round(rule.y, 1) for rule in rules if rule.x0 - 8 <= label[0] <= rule.x1})
    inside = [y for y in heights if block[0].middle < y < block[-1].middle]
    if len(inside) < 2:
        return cells
    merged = list(cells)
    for y in inside:
        for column, (left, right) in enumerate(columns[1:], start=2):
            crossed = any(abs(rule.y - y) < 1.5 and rule.x0 < right and rule.x1 > left for rule in rules)
            if not crossed:
                merged = [_grown(cell, column, sum(h < y for h in _tops(block, heights))) for cell in merged]
    return merged


def _tops(block: list[PrintedRow], heights: list[float]) -> list[float]:
    """The heights of the rows of a ruled block, first line of each."""
    first: dict[int, float] = {}
    for row in block:
        first.setdefault(sum(y < row.middle for y in heights), row.middle)
    return list(first.values())


def _grown(cell: Cell, column: int, above: int) -> Cell:
    """Let the cells next to a missing piece of rule reach over it."""
    if not cell.left <= column <= cell.right:
        return cell
    if cell.bottom == above:
        return replace(cell, bottom=above + 1)
    if cell.top == above + 1:
        return replace(cell, top=above)
    return cell


# ---------------------------------------------------------------- texts


def _heading_above(rows: list[PrintedRow], top: float) -> str:
    above = [row for row in rows if row.middle < top and len(row.pieces) == 1]
    return above[-1].text if above and above[-1].middle > top - 6 * above[-1].size else ""


def _paragraphs(rows: list[PrintedRow], page: int) -> Iterator[TextLine]:
    """Join the lines of a paragraph, so that a footnote keeps its second line."""
    text = ""
    last: PrintedRow | None = None
    for row in sorted(rows, key=lambda row: (row.middle, row.pieces[0].x0)):
        joins = last is not None and _continues(last, row)
        if not joins and text:
            yield TextLine(tidy(text), f"page {page}", page)
        text = f"{text} {row.text}" if joins else row.text
        last = row
    if text:
        yield TextLine(tidy(text), f"page {page}", page)


def _continues(last: PrintedRow, row: PrintedRow) -> bool:
    starts_note = bool(re.match(r"\^\{|\d{1,2}[.)]\s|\d\s[A-Z][a-z]", row.text))
    near = row.middle - last.middle < SAME_PARAGRAPH * max(last.size, row.size)
    return near and not starts_note and abs(last.size - row.size) < 1
