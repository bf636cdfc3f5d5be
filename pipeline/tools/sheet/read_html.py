"""Reads an HTML page: tables, definition lists and pairs of elements as grids, everything else as lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from lxml import etree, html

from pipeline.tools.sheet.form import Cell, Grid, Sheet, SheetError, TextLine, grid_of_pairs, labelled, tidy

# lxml comes without types.
Node: TypeAlias = Any
Known = Callable[[str], bool]

SILENT = {"script", "style", "noscript", "template", "nav", "head", "svg", "iframe"}
WITHDRAWN = {"del", "s", "strike"}
BLOCKS = {
    "p",
    "div",
    "li",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "aside",
    "ul",
    "ol",
    "figure",
    "figcaption",
    "small",
    "blockquote",
    "address",
    "body",
    "form",
    "details",
    "summary",
    "caption",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
# A raised text this short is a footnote mark; a longer one is a word.
MARK_LENGTH = 5


def read(data: bytes, name: str, known: Known) -> Sheet:
    """Read a page; `known` says whether a text is a label we know. SheetError when it holds no table of any kind."""
    try:
        parser = html.HTMLParser(remove_comments=True, huge_tree=False, encoding=_encoding(data))
        root = html.document_fromstring(data, parser=parser)
    except (etree.ParserError, ValueError) as error:
        raise SheetError(f"{name}: no readable HTML ({error}); save the page again") from None
    reader = _PageReader()
    reader.walk(root)
    if not any(known(cell.text) for grid in reader.grids for cell in grid.cells):
        _read_pairs(root, reader, known)
    if not reader.grids:
        raise SheetError(
            f"{name}: no table and no definition list on the page; if a script builds them, "
            f"save the page from the browser once it shows them"
        )
    title = next((tidy(_text(node)) for node in root.iter("h1")), "") or tidy(root.findtext(".//title") or "")
    return Sheet(name, title, tuple(reader.grids), tuple(reader.lines))


def _read_pairs(root: Node, reader: _PageReader, known: Known) -> None:
    """Read pages that write label and figure as two elements side by side, or as "label: figure"."""
    pairs = [pair for node in root.iter() for pair in _pair(node, known)]
    if pairs:
        said = {text for pair in pairs for text in (*pair, " ".join(pair))}
        reader.lines = [line for line in reader.lines if line.text not in said]
    else:
        spoken = labelled((line.text for line in reader.lines), known)
        reader.lines = [line for at, line in enumerate(reader.lines) if at not in spoken]
        pairs = list(spoken.values())
    if pairs:
        reader.grids.append(grid_of_pairs(pairs, 0, 1, "list of pairs"))


def _pair(node: Node, known: Known) -> Iterator[tuple[str, str]]:
    if not isinstance(node.tag, str) or node.tag in SILENT:
        return
    parts = [child for child in node if isinstance(child.tag, str) and child.tag not in SILENT | {"br", "sup"}]
    if len(parts) == 2 and not _plain(node.text).strip():
        label, text = (tidy(_text(part)) for part in parts)
        if label and text and "\n" not in label and known(label.rstrip(":")):
            yield label.rstrip(":"), text


def _encoding(data: bytes) -> str | None:
    """A page is UTF-8 if it can be, whatever it says; lxml alone would take one that says nothing for Latin-1."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "utf-8"


class _PageReader:
    """Walks a page in its order and keeps count of tables, lists and texts."""

    def __init__(self) -> None:
        self.grids: list[Grid] = []
        self.lines: list[TextLine] = []
        self._heading = ""
        self._counts = {"table": 0, "list": 0}

    def walk(self, node: Node) -> None:
        """Take what `node` holds, in order."""
        if not isinstance(node.tag, str) or node.tag in SILENT:
            return
        if node.tag == "table" and not node.xpath(".//table"):
            self._grid("table", list(_table_cells(node)), _caption(node))
            return
        if node.tag == "dl":
            self._grid("list", list(_list_cells(node)), "")
            return
        if node.tag in HEADINGS:
            self._heading = tidy(_text(node))
        said = tidy("".join(_own_text(node)).replace("\n", " "))
        if said:
            self.lines.append(TextLine(said, f"text {len(self.lines) + 1} of the page"))
        for child in node:
            self.walk(child)

    def _grid(self, kind: str, cells: list[Cell], caption: str) -> None:
        if cells:
            self._counts[kind] += 1
            heading = caption or self._heading
            self.grids.append(Grid(tuple(cells), 0, self._counts[kind], kind, heading))


def _table_cells(table: Node) -> Iterator[Cell]:
    """Give the cells of a table with what they span."""
    taken: set[tuple[int, int]] = set()
    for row, line in enumerate(table.iter("tr"), start=1):
        column = 1
        for node in line:
            if node.tag not in ("td", "th"):
                continue
            while (row, column) in taken:
                column += 1
            right = column + _span(node, "colspan") - 1
            bottom = row + _span(node, "rowspan") - 1
            taken.update((r, c) for r in range(row, bottom + 1) for c in range(column, right + 1))
            yield Cell(tidy(_text(node)), row, column, bottom, right)
            column = right + 1


def _span(node: Node, name: str) -> int:
    value = str(node.get(name, "1")).strip()
    return min(int(value), 100) if re.fullmatch(r"[1-9]\d{0,3}", value) else 1


def _list_cells(node: Node) -> Iterator[Cell]:
    """Give a definition list as a table of two columns; several definitions of a term are lines of one cell."""
    pairs: list[tuple[str, list[str]]] = []
    for item in node.iter("dt", "dd"):
        if item.tag == "dt":
            pairs.append((tidy(_text(item)), []))
        elif pairs:
            pairs[-1][1].append(tidy(_text(item)))
    for row, (term, definitions) in enumerate(pairs, start=1):
        yield Cell(term, row, 1, row, 1)
        yield Cell("\n".join(definitions), row, 2, row, 2)


def _caption(table: Node) -> str:
    return next((tidy(_text(node)) for node in table.iter("caption")), "")


def _text(node: Node) -> str:
    """Write the text of a node: a line break stays one, a raised mark becomes ^{…}."""
    if not isinstance(node.tag, str) or node.tag in SILENT | WITHDRAWN or _hidden(node):
        return ""
    if node.tag == "br":
        return "\n"
    inner = _plain(node.text) + "".join(_text(child) + _plain(child.tail) for child in node)
    if node.tag == "sup":
        return _raised(inner, node)
    return f"\n{inner}\n" if node.tag in BLOCKS else inner


def _hidden(node: Node) -> bool:
    """Say whether a piece of a cell is not shown; whole tables that wait behind a tab are read."""
    hidden = node.get("hidden") is not None or re.search(r"display\s*:\s*none", str(node.get("style", "")))
    return bool(hidden) and node.tag not in BLOCKS


def _raised(text: str, node: Node) -> str:
    if "reference" in str(node.get("class", "")).split() and re.fullmatch(r"\s*\[\d+\]\s*", text):
        return ""  # a wiki's numbered citation names a source; it qualifies no figure
    before = (node.getprevious().tail if node.getprevious() is not None else node.getparent().text) or ""
    if text.strip() == "2" and re.search(r"[mc]?m\s*$", before, re.IGNORECASE):
        return "2"
    bare = re.sub(r"[\s()\[\]]", "", text)
    return "^{" + bare + "}" if bare and len(bare) <= MARK_LENGTH and bare not in ("®", "™", "TM") else text


def _own_text(node: Node) -> Iterator[str]:
    """Give the text that stands directly in a block, inline elements included, blocks within it not."""
    if node.tag not in BLOCKS:
        return
    yield _plain(node.text)
    for child in node:
        if isinstance(child.tag, str) and child.tag not in BLOCKS | SILENT | {"table", "dl"}:
            yield "" if _has_block(child) else _text(child)
        yield " " + _plain(child.tail)


def _has_block(node: Node) -> bool:
    return any(isinstance(inner.tag, str) and inner.tag in BLOCKS | {"table", "dl"} for inner in node.iter())


def _plain(text: str | None) -> str:
    return re.sub(r"[ \t\r\n\f]+", " ", text or "")
