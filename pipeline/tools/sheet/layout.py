"""Turns a grid around its labels: which column is which GPU, which row is a section; entries and problems out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.tools.sheet import figures, peaks, products
from pipeline.tools.sheet.form import Cell, Grid, SheetProblem, TextLine, show, unmarked
from pipeline.tools.sheet.words import (
    COLUMN_ROLES,
    IGNORED,
    LABELS,
    NAME,
    QUALIFIER_NOISE,
    QUALIFIERS,
    UNIT_PAIR,
    label_key,
)

NOTHING = {"", "-", "–", "—", "n/a", "na", "none listed", "tbd", "tba", "not applicable", "―"}
NO_FIGURE = "no figure beside the label: left empty, or in a cell merged with its neighbour; read it by hand"
UNNAMED = "a column without a product's name over it"
_UNIT_IN_HEAD = rf"(?:{UNIT_PAIR}|[(\[][TPG](?:FL)?OPS[)\]])"
MERGED = "a merged cell: it reaches over several rows, so the row it belongs to is not certain; read it by hand"
BESIDE_BARE = (
    "the figure above or below it has no label: a merged label, or a row that lost its own, so the row it belongs to "
    "is not certain; read it by hand"
)
BLANK_OR_MERGED = (
    "one figure in a row of several GPUs, on a sheet that also leaves cells blank: blank, or a merged cell for all? "
    "read it by hand"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure's cell with everything that qualifies it."""

    gpu: str  # the head of its column; "" where the sheet has one GPU
    label: str
    text: str
    unit: str
    section: str
    note: str
    grid: Grid
    row: int
    column: int
    page: int
    reach: int = 0  # the last of the columns that share the cell
    lone: bool = False  # only blanks beside it show that it reaches over them
    qualifier: str = ""  # what the column's head adds to the label: "with sparsity"

    @property
    def place(self) -> str:
        """Where it stands, as a reader of the sheet counts, with the row's label and the column's head."""
        head = f"{self.gpu} {self.qualifier}".strip()
        return self.grid.place(self.row, self.column, self.reach, self.label, head, self.section)

    @property
    def rate_label(self) -> str:
        """The label as a rate's row and column together say it."""
        return f"{self.label} {self.qualifier}".strip()


@dataclass(frozen=True, slots=True)
class Layout:
    """What a grid holds once it is turned the right way."""

    entries: tuple[Entry, ...]
    names: tuple[str, ...]  # the heads of the value columns, "" where there is none
    problems: tuple[SheetProblem, ...]
    notes: tuple[TextLine, ...]  # footnotes inside the table


def is_label(text: str) -> bool:
    """Say whether a text is a label that we know, its unit and marks aside."""
    bare, _ = figures.unit_in_label(text)
    key = label_key(bare)
    if not key:
        return False
    return key in LABELS or any(re.fullmatch(pattern, key) for pattern, _ in IGNORED) or bool(peaks.parse_label(text))


def headed(grid: Grid) -> Grid:
    """Take a first row over the whole table that names a product as the table's heading."""
    first = [cell for cell in grid.cells if cell.top == 1 and cell.text]
    over_all = len(first) == 1 and first[0].left == first[0].bottom == 1 and first[0].right == grid.columns > 1
    if not over_all or not products.looks_like_name(first[0].text):
        return grid
    return replace(grid, heading=first[0].text, cells=tuple(cell for cell in grid.cells if cell.top > 1))


def arrange(grid: Grid, names_before: Sequence[str]) -> Layout:
    """Read a grid; `names_before` are the heads of the table above, for one that goes on without its own."""
    notes = dict(_note_rows(grid))
    table = _Table(_upright(replace(grid, cells=tuple(cell for cell in grid.cells if cell.top not in notes))))
    found = table.layout(names_before)
    return replace(found, notes=(*notes.values(), *found.notes))


def _note_rows(grid: Grid) -> Iterator[tuple[int, TextLine]]:
    """Find rows below the table that hold nothing but a footnote, before the table is turned."""
    filled: dict[int, list[Cell]] = {}
    for cell in grid.cells:
        if cell.text:
            filled.setdefault(cell.top, []).append(cell)
    for row, cells in filled.items():
        if len(cells) == 1 and re.match(r"\^\{[^}]*\}\s*\S", cells[0].text):
            yield row, TextLine(cells[0].text, grid.place(row, cells[0].left), grid.page)


def _upright(grid: Grid) -> Grid:
    """Turn a table with one GPU a row, so that labels always stand in a column."""
    grid = _one_head(grid)
    by_column = max((_known(grid, column=column) for column in range(1, min(grid.columns, 6) + 1)), default=0)
    by_row = max((_known(grid, row=row) for row in range(1, min(grid.rows, 4) + 1)), default=0)
    if by_row <= by_column or by_row < 2:
        return grid
    turned = tuple(
        replace(cell, top=cell.left, left=cell.top, bottom=cell.right, right=cell.bottom) for cell in grid.cells
    )
    return replace(grid, cells=turned, transposed=True)


def _one_head(grid: Grid) -> Grid:
    """Join a head of two rows ("Memory" over "Size" and "Bandwidth"), where that makes its labels known."""
    upper = {column: cell for cell in grid.cells if cell.top == 1 for column in range(cell.left, cell.right + 1)}
    lower = {cell.left: cell for cell in grid.cells if cell.top == cell.bottom == 2 and cell.left == cell.right}
    groups = {column for column, cell in upper.items() if cell.right > cell.left and cell.bottom == 1}
    if not groups or not all(column in lower and lower[column].text for column in groups):
        return grid
    joined = [
        replace(lower[column], text=_joined_label(upper[column].text, lower[column].text), top=1, bottom=1)
        for column in sorted(groups)
    ]
    if sum(is_label(cell.text) for cell in joined) < 2:
        return grid
    single = [replace(cell, bottom=1) for column, cell in upper.items() if column not in groups]
    return replace(grid, cells=(*joined, *single, *(cell for cell in grid.cells if cell.top > 2)))


def _joined_label(group: str, own: str) -> str:
    joined = (f"{group} {own}", f"{own} {group}", own)
    return next((text for text in joined if is_label(text)), joined[0])


def _known(grid: Grid, row: int = 0, column: int = 0) -> int:
    return sum(is_label(cell.text) for cell in grid.cells if row in (0, cell.top) and column in (0, cell.left))


def _one_a_label(entry: Entry) -> Iterator[Entry]:
    """Part a cell that holds several labels over each other, with as many lines of figures beside them."""
    labels, texts = entry.label.split("\n"), entry.text.split("\n")
    if len(labels) == len(texts) > 1 and all(is_label(label) for label in labels) and not is_label(entry.label):
        yield from (replace(entry, label=label, text=text) for label, text in zip(labels, texts, strict=True))
    else:
        yield entry


def _has_figure(text: str) -> bool:
    """Whether a cell holds a figure with its unit: a number alone may be a name, a mark or a count of rows."""
    return any(figure.unit for figure in figures.read(text).figures)


class _Table:
    """One grid while it is being read."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.at = {
            (r, c): cell
            for cell in grid.cells
            for r in range(cell.top, cell.bottom + 1)
            for c in range(cell.left, cell.right + 1)
        }
        columns = range(1, grid.columns + 1)
        self.label_column = max(columns, key=lambda column: (_known(grid, column=column), -column), default=1)
        said = {column: COLUMN_ROLES.get(label_key(self._text(1, column)), "") for column in columns}
        if "section" in said.values() and list(said.values()).count("label") == 1:
            self.label_column = next(column for column, role in said.items() if role == "label")
        self.roles: dict[int, str] = {self.label_column: "label"}
        self.units: dict[int, str] = {}
        self.heads: dict[int, list[str]] = {}
        self.qualifiers: dict[int, str] = {}
        self.unread_head = False
        self.first_row = 1
        self.problems: list[SheetProblem] = []
        self.notes: list[TextLine] = []

    def layout(self, names_before: Sequence[str]) -> Layout:
        """Read head, then rows."""
        for row in range(1, min(self.grid.rows, 6) + 1):
            if not self._take_head(row):
                if self.heads or self.qualifiers or row > 2 or is_label(self._text(row, self.label_column)):
                    break
                continue
            self.first_row = row + 1
        self.unread_head = self._looks_like_head(self.first_row)
        self._find_sections()
        self._find_values()
        used = {column for _, column in self.at}
        values = [c for c in range(1, self.grid.columns + 1) if c in used and self.roles.get(c, "value") == "value"]
        names = {column: " ".join(dict.fromkeys(self.heads.get(column, []))) for column in values}
        same = len(names_before) == len(values) and not self.qualifiers and not self.unread_head
        if not any(names.values()) and same:
            names = dict(zip(values, names_before, strict=True))
        entries = tuple(self._entries(values, names))
        self.problems.extend(self._lost(values))
        return Layout(entries, tuple(names.values()), tuple(self.problems), tuple(self.notes))

    def _text(self, row: int, column: int) -> str:
        cell = self.at.get((row, column))
        return cell.text if cell else ""

    # -------------------------------------------------------- head

    def _take_head(self, row: int) -> bool:
        """Take a row as head when it names columns' roles or products."""
        cells = {column: self._text(row, column) for column in range(1, self.grid.columns + 1)}
        roles = {
            column: COLUMN_ROLES[label_key(text)] for column, text in cells.items() if label_key(text) in COLUMN_ROLES
        }
        others = {
            column: text
            for column, text in cells.items()
            if column != self.label_column and column not in roles and text
        }
        label = cells.get(self.label_column, "")
        if self._take_qualifiers(label, others) or self._take_title(row, label, others, roles):
            return True
        if row == 1 and others and all(figures.unit_of(text) for text in others.values()) and not is_label(label):
            self.units.update(others)
            return True
        how = LABELS.get(label_key(label), ("",))[0]
        named = bool(others) and all(products.looks_like_name(text) for text in others.values())
        if any(column in self.heads and not products.is_form(text) for column, text in others.items()):
            named = False  # a second line of a head adds a form, as SXM or PCIe; "PCIe dual-slot" is a figure's cell
        free = not label or self.label_column in roles or not is_label(label) or how == NAME
        free = (free and not self.heads) if len(cells) - len(roles) <= 2 else (free or row == 1)
        first = self.at.get((row, 1))
        if first is not None and first.right == self.grid.columns and len(cells) > 1:
            return False
        named = named or self._names_some(row, label, others)
        called = how == NAME and bool(others) and not self.heads and (named or len(others) > 1)
        if (named and free) or called or (len(roles) > 1 and not others):
            self.roles.update({column: role for column, role in roles.items() if column != self.label_column})
            family = products.clean(label) if products.looks_like_name(label) and not is_label(label) else ""
            for column, text in self._products(row, label, others).items():
                self._take_name(column, f"{family} {text}" if family and products.is_form(text) else text)
            return True
        return False

    def _names_some(self, row: int, label: str, others: dict[int, str]) -> bool:
        """Whether a first row names a product over some columns and something else, no figure, over the others."""
        products_there = [text for text in others.values() if products.looks_like_name(text)]
        plain = not any(_has_figure(text) for text in others.values())
        free = not label or label_key(label) in COLUMN_ROLES
        return row == 1 and free and plain and 0 < len(products_there) < len(others)

    def _products(self, row: int, label: str, others: dict[int, str]) -> dict[int, str]:
        """The columns that get a product's name; what stands under another head is listed, for it may be of another."""
        if not self._names_some(row, label, others):
            return others
        return {column: text for column, text in others.items() if products.looks_like_name(text)}

    def _take_name(self, column: int, text: str) -> None:
        """Split "H100 SXM (with sparsity)" into the product and what its column adds to every label."""
        said = re.search(peaks.SPARSITY_IN_LABEL, text, re.IGNORECASE)
        if said and products.looks_like_name(text.replace(said[0], " ")):
            self.qualifiers[column] = said[0]
            text = re.sub(r"\s+", " ", text.replace(said[0], " ")).strip(" ,-–|")
        self.heads.setdefault(column, []).append(text)

    def _take_title(self, row: int, label: str, others: dict[int, str], roles: dict[int, str]) -> bool:
        """Take a head "NVIDIA A40 | Value": the product stands over the labels of its only column."""
        only = [column for column, role in roles.items() if role == "value"]
        if row > 1 or others or len(only) != 1 or not products.looks_like_name(label):
            return False
        self.roles.update({column: role for column, role in roles.items() if column != self.label_column})
        self.heads[only[0]] = [label]
        return True

    def _take_qualifiers(self, label: str, others: dict[int, str]) -> bool:
        """Take a row "Dense | Sparse" as head: it says of each column what its rates are, perhaps in which unit."""
        heads = {column: re.sub(r"\s+", " ", text) for column, text in others.items()}
        units = {
            found[0] for found in (re.search(_UNIT_IN_HEAD, text, re.IGNORECASE) for text in heads.values()) if found
        }
        said = {
            column: re.sub(f"{_UNIT_IN_HEAD}|{QUALIFIER_NOISE}", " ", unmarked(text), flags=re.IGNORECASE).strip()
            for column, text in heads.items()
        }
        fits = any(said.values()) and all(re.fullmatch(QUALIFIERS, text, re.IGNORECASE) for text in said.values())
        if not fits or is_label(label):
            return False
        unit = f" {units.pop()}" if len(units) == 1 else ""
        self.qualifiers.update(
            {
                column: text if re.search(_UNIT_IN_HEAD, text, re.IGNORECASE) else f"{text}{unit}"
                for column, text in heads.items()
            }
        )
        return True

    def _looks_like_head(self, row: int) -> bool:
        """Say whether a row without label and figures stands over the columns: a head that we could not read."""
        label = self._text(row, self.label_column)
        cells = [self._text(row, column) for column in range(1, self.grid.columns + 1) if column != self.label_column]
        free = not label or label_key(label) in COLUMN_ROLES
        return free and len(cells) > 1 and all(cells) and not any(re.search(r"\d", text) for text in cells)

    def _find_sections(self) -> None:
        """A column left of the labels that holds no figure names sections."""
        for column in range(1, self.label_column):
            texts = [self._text(row, column) for row in range(self.first_row, self.grid.rows + 1)]
            if column not in self.roles and column not in self.heads and not any(re.search(r"\d", t) for t in texts):
                self.roles[column] = "section"

    def _find_values(self) -> None:
        """A second column that is called like labels ("Specification | Description") and holds figures has values."""
        for column, role in self.roles.items():
            if role == "label" and column != self.label_column and self._holds_figures(column):
                self.roles[column] = "value"

    def _holds_figures(self, column: int) -> bool:
        texts = (self._text(row, column) for row in range(self.first_row, self.grid.rows + 1))
        return any(figures.read(text).figures for text in texts)

    def _lost(self, values: Sequence[int]) -> Iterator[SheetProblem]:
        """Cells with a figure that no rule above took: each is told, so that none is lost in silence."""
        for (row, column), cell in sorted(self.at.items()):
            role, text = self.roles.get(column, "value"), cell.text
            if (row, column) != (cell.top, cell.left) or not _has_figure(text) or column == self.label_column:
                continue
            if row < self.first_row:
                known = column in self.heads or column in self.qualifiers or column in self.units
                reason = "a figure in the head of the table"
            else:
                beside = any(self._text(row, value) for value in values)
                known = role == "value" or (role in ("unit", "note") and beside)
                reason = f"a figure in a column that is called {self._called(column)!r}, which holds no values"
            if not known:
                yield SheetProblem(self.grid.place(row, column), text, f"{reason}; read it by hand")

    def _called(self, column: int) -> str:
        heads = (self._text(row, column) for row in range(1, self.first_row))
        return next((show(text) for text in heads if text), self.roles.get(column, ""))

    # -------------------------------------------------------- rows

    def _entries(self, values: list[int], names: dict[int, str]) -> Iterator[Entry]:
        section = ""
        partial = self._leaves_blanks(values)
        for row in range(self.first_row, self.grid.rows + 1):
            label = self._text(row, self.label_column)
            filled = [column for column in values if self._text(row, column)]
            if self._is_section(row, label, filled):
                section = self._section(row, label, section)
                continue
            for column in filled:
                yield from self._entry(row, column, values, names, section, partial)
            self._missing(row, label, filled, values, names)

    def _is_section(self, row: int, label: str, filled: list[int]) -> bool:
        cell = self.at.get((row, self.label_column))
        spans = cell is not None and any(self.at.get((row, column)) is cell for column in filled)
        heading = bool(re.search(r"\bspecifications?$", label_key(label))) or self._heads_next(row, label)
        return bool(label) and (spans or (not filled and (heading or not is_label(label))))

    def _heads_next(self, row: int, label: str) -> bool:
        """Say whether the row below needs a label without figures to be understood: "Memory" over "Size"."""
        below = self._text(row + 1, self.label_column)
        return bool(below) and not is_label(below) and is_label(f"{label} {below}")

    def _section(self, row: int, label: str, before: str) -> str:
        """A line over the whole table opens a section, or is a footnote."""
        if label.startswith("^{") or re.match(r"(Note\s+)?\d{1,2}[.:)]\s", label):
            self.notes.append(TextLine(label, self.grid.place(row, self.label_column), self.grid.page))
            return before
        if any(figure.unit for figure in figures.read(label).figures):
            place = self.grid.place(row, self.label_column)
            reason = "a label and its figure in one cell, merged or run together; read it by hand"
            self.problems.append(SheetProblem(place, label, reason))
            return before
        return label

    def _entry(
        self, row: int, column: int, values: list[int], names: dict[int, str], section: str, partial: bool
    ) -> Iterator[Entry]:
        cell = self.at[row, column]
        label = self._text(row, self.label_column)
        text = cell.text
        if unmarked(text).casefold() in NOTHING and not text.startswith("^{"):
            return
        if re.fullmatch(r"\d{1,2}[.)]?", label) and re.search(r"notes?$", self._own_section(row, section).casefold()):
            label = "^{" + label.rstrip(".)") + "}"
        if unmarked(label) == "" and label:
            self.notes.append(TextLine(f"{label} {text}", self.grid.place(row, column), self.grid.page))
            return
        label = self._with_section(row, label, section)
        reaches = [c for c in values if cell.left <= c <= cell.right]
        doubtful = cell.inferred and len(reaches) > 1 and partial and column != cell.left
        unit = self._role_text(row, "unit") or self.units.get(column, "")
        entry = Entry(
            names[column],
            label,
            text,
            unit,
            self._own_section(row, section),
            self._role_text(row, "note"),
            self.grid,
            row,
            cell.left,
            self.grid.page,
            max(reaches) if len(reaches) > 1 else 0,
            cell.lone and len(reaches) > 1,
            self.qualifiers.get(column, "") if len(reaches) == 1 else "",
        )
        reason = self._why_not(cell, label, doubtful, names[column], values)
        if reason:
            self.problems.append(SheetProblem(entry.place, text, reason, show(names[column])))
            return
        yield from _one_a_label(entry)

    def _why_not(self, cell: Cell, label: str, doubtful: bool, name: str, values: list[int]) -> str:
        if cell.bottom > cell.top and self._labels_over(cell) > 1:
            return MERGED
        if self.grid.unruled and label and self._beside_bare_figure(cell):
            return BESIDE_BARE
        if not label:
            return "a figure without a label; it may belong to a merged cell beside or above it; read it by hand"
        if doubtful:
            return BLANK_OR_MERGED
        if not name and len(values) > 1 and not all(column in self.qualifiers for column in values):
            return UNNAMED
        return ""

    def _beside_bare_figure(self, cell: Cell) -> bool:
        """Say whether the row above or below has a figure in the same column and no label of its own."""
        return any(
            self._text(row, cell.left) and not self._text(row, self.label_column)
            for row in (cell.top - 1, cell.top + 1)
            if row >= self.first_row
        )

    def _labels_over(self, cell: Cell) -> int:
        labels = {id(self.at.get((row, self.label_column))) for row in range(cell.top, cell.bottom + 1)}
        return len(labels)

    def _role_text(self, row: int, role: str) -> str:
        column = next((c for c, what in self.roles.items() if what == role), None)
        return self._text(row, column) if column else ""

    def _own_section(self, row: int, section: str) -> str:
        column = next((c for c, what in self.roles.items() if what == "section"), None)
        if column is None:
            return section or self.grid.heading
        above = (self._text(r, column) for r in range(row, self.first_row - 1, -1))
        return next((text for text in above if text), section)

    def _with_section(self, row: int, label: str, section: str) -> str:
        """Complete a label that only its section makes known: "Bandwidth" under "Memory", "Vector" beside "FP64"."""
        group = show(unmarked(self._own_section(row, section)))
        joined = f"{group} {label}"
        return joined if label and group != self.grid.heading and not is_label(label) and is_label(joined) else label

    def _leaves_blanks(self, values: list[int]) -> bool:
        """Say whether some row fills some, not all, of the columns by cells of their own.

        One row alone with a single figure shows no habit of merging cells either.
        """
        if sum(cell.lone for cell in self.grid.cells) == 1:
            return True
        for row in range(self.first_row, self.grid.rows + 1):
            cells = [self.at.get((row, column)) for column in values]
            own = [cell for cell in cells if cell and cell.text]
            if own and len(own) < len(values) and self._text(row, self.label_column):
                return True
        return False

    def _missing(self, row: int, label: str, filled: list[int], values: list[int], names: dict[int, str]) -> None:
        if not is_label(label):
            return
        for column in values:
            if column not in filled:
                place = self.grid.place(row, column, 0, label, names[column])
                self.problems.append(SheetProblem(place, "", NO_FIGURE, show(names[column])))
