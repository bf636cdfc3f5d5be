"""Tiny sheets for the tests of pipeline.tools.sheet (holds no test): rows in, bytes of HTML, CSV or PDF out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from html import escape

import yaml

from pipeline.tools import sheet
from pipeline.tools.sheet import Draft

READ = date(2026, 11, 21)
Text = tuple[float, float, float, str]  # x, y from the top, size, text
Stroke = tuple[float, float, float, float]  # x0, y0, x1, y1 from the top
HEIGHT = 792.0


def drafted(data: bytes | str, name: str) -> Draft:
    """Draft a sheet with no GPU known beforehand."""
    raw = data.encode() if isinstance(data, str) else data
    return sheet.draft(raw, name, read=READ, gpus={})


def values(draft: Draft, gpu: str = "") -> dict[str, str]:
    """The values of one GPU of a draft (the only one unless named), by field."""
    found = [one for one in draft.gpus if gpu in ("", one.id)]
    assert len(found) == 1, [one.id for one in draft.gpus]
    return {value["field"]: value["value"] for value in yaml.safe_load(found[0].yaml)["values"] or ()}


def html(title: str, rows: Iterable[Sequence[str]], notes: str = "", head: Sequence[str] = ()) -> str:
    """A page with one table; cells are markup, so that a test can write <sup> and spans."""
    lines = [head, *rows] if head else list(rows)
    body = "".join(
        "<tr>" + "".join(cell if cell.startswith("<t") else f"<td>{cell}</td>" for cell in row) + "</tr>"
        for row in lines
    )
    return f"<!doctype html><html><body><h1>{escape(title)}</h1><table>{body}</table>{notes}</body></html>"


def csv(rows: Iterable[Sequence[str]], delimiter: str = ",") -> str:
    """An export with each cell in quotes."""
    return "\n".join(delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows) + "\n"


def pdf(*pages: tuple[Sequence[Text], Sequence[Stroke]]) -> bytes:
    """A PDF of text and strokes, page after page; a page without either is a scan (a filled box and no text)."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    kids = []
    for texts, strokes in pages:
        stream = _stream(texts, strokes)
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 {HEIGHT:.0f}] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {len(objects) + 2} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    return _assembled(objects)


def table_pdf(
    title: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    notes: Sequence[str] = (),
    lefts: Sequence[float] = (60, 230, 400),
    rules: bool = True,
    frame: bool = False,
) -> bytes:
    """A one-page sheet: a big title, a table whose rows stand under rules, footnotes below."""
    texts: list[Text] = [(60, 60, 18, title)]
    strokes: list[Stroke] = []
    y = 120.0
    right = lefts[-1] + 150
    for row in [head, *rows]:
        depth = max(len(cell.split("\n")) for cell in row)
        for left, cell in zip(lefts, row, strict=False):
            texts += [(left, y + 11 * at, 8, line) for at, line in enumerate(cell.split("\n")) if line]
        y += 11 * depth + 7
        strokes += [(lefts[0] - 4, y - 5, right, y - 5)] if rules or frame else []
    if frame:
        strokes.append((lefts[0] - 4, 108, right, 108))
        strokes += [(x, 108, x, y - 5) for x in [*(left - 4 for left in lefts), right]]
    texts += [(60, y + 20 + 14 * at, 7, note) for at, note in enumerate(notes)]
    return pdf((texts, strokes))


def _stream(texts: Sequence[Text], strokes: Sequence[Stroke]) -> str:
    if not texts and not strokes:
        return "0.5 g 0 0 612 792 re f"
    lines = [f"{x0} {HEIGHT - y0} m {x1} {HEIGHT - y1} l S" for x0, y0, x1, y1 in strokes]
    for x, y, size, text in texts:
        safe = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        lines.append(f"BT /F1 {size} Tf {x} {HEIGHT - y - size} Td ({safe}) Tj ET")
    return "\n".join(lines)


def _assembled(objects: Sequence[str]) -> bytes:
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    start = len(out)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    return out + f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
