"""What a sheet says of each GPU: products with their values, and everything that found no place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.tools.sheet import fields, figures, layout, machines, peaks, products, sparsity, words
from pipeline.tools.sheet.fields import DraftValue
from pipeline.tools.sheet.form import (
    Grid,
    Note,
    Sheet,
    SheetError,
    SheetProblem,
    TextLine,
    marks_of,
    notes_in,
    show,
    unmarked,
)
from pipeline.tools.sheet.layout import Entry

FOOTNOTE_GONE = (
    "footnote {mark} is marked here, but its text is not in the file; find the footnote and enter the figure by hand"
)
FOOTNOTE_TWICE = (
    "footnote {mark} has several texts in the file; see which one belongs here and enter the figure by hand"
)
FOOTNOTE_CHANGED = (
    "footnote {mark} does not speak of sparsity ({text!r}), so which figure of the cell is the sparse one is not said; "
    "see whether the footnote changed"
)

UNCLEAR_DOT = (
    "a dot before three digits, and no other figure of the sheet shows whether it groups thousands; "
    "see the English sheet and enter it by hand"
)
SHARED = "one figure beside blanks, taken for all columns as in other rows: check that none is left empty"
OF_CPU = "it stands under the heading of the CPU or the host"
CPU_OR_GPU = "the sheet also has the rows of a CPU, and whose figure this is, is not said; read it by hand"
ONE_UNREAD = "another row {label!r} could not be read ({text!r}), so which of them is the GPU's is not certain"
MACHINE = "the figures of a machine with several GPUs ({why}); read the sheet of the single GPU instead"
NAMELESS = "a column without a product's name over it, on a sheet of several products; read it by hand"


@dataclass
class GpuReading:
    """What the sheet says of one GPU."""

    name: str
    architecture: str = ""
    form: str = ""
    values: list[DraftValue] = field(default_factory=list)
    unread: list[Entry] = field(default_factory=list)  # rows of single fields that gave no value
    problems: list[SheetProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Context:
    """The footnotes and sentences of a sheet, for looking up what qualifies a figure."""

    notes: Mapping[str, tuple[Note, ...]]
    every_rate: bool  # a sentence puts every matrix rate under sparsity
    unclear_dots: bool  # 1.979 may be thousands on this sheet
    row_unit: Mapping[int, tuple[str, str]]  # grid number and page → the one unit of its rates and the row it stands in

    def lookup(self, mark: str, page: int) -> tuple[str, str]:
        """Give the text of a footnote, or why there is none."""
        all_of_it = self.notes.get(mark, ())
        texts = {note.text for note in all_of_it if note.page == page} or {note.text for note in all_of_it}
        if len(texts) == 1:
            return texts.pop(), ""
        return "", (FOOTNOTE_TWICE if texts else FOOTNOTE_GONE).format(mark=mark)


def interpret(sheet: Sheet) -> tuple[list[GpuReading], list[SheetProblem]]:
    """Read every GPU of a sheet, and what belongs to none; SheetError when there is no GPU on it."""
    _refuse_decimal_comma(sheet)
    arranged: list[tuple[Grid, layout.Layout]] = []
    names: Sequence[str] = ()
    for grid in map(layout.headed, sheet.grids):
        found = layout.arrange(grid, names)
        arranged.append((grid, found))
        names = found.names if any(found.names) else names
    arranged = _named_by_heading(arranged)
    entries = [entry for _, found in arranged for entry in found.entries]
    said = [*sheet.lines, *(note for _, found in arranged for note in found.notes)]
    notes, lines = notes_in(said, set(_marks_used(entries)))
    problems = [*sheet.problems, *(problem for _, found in arranged for problem in found.problems)]
    context = _context(entries, notes, lines)
    readings, totals = _readings(sheet, entries, context, problems)
    problems += totals
    problems += _unread_lines(lines, readings, context, sheet.title)
    for reading in readings:
        _settle_twice(reading)
    problems += _unused_notes(notes, entries, [name for _, found in arranged for name in found.names])
    return readings, problems


def _marks_used(entries: Sequence[Entry]) -> Iterator[str]:
    for entry in entries:
        yield from marks_of(f"{entry.gpu} {entry.section} {entry.rate_label} {entry.text} {entry.note}")


def _named_by_heading(arranged: list[tuple[Grid, layout.Layout]]) -> list[tuple[Grid, layout.Layout]]:
    """Where tables without heads stand under the names of different products, the heading is the head."""
    under = {
        id(found): products.clean(grid.heading)
        for grid, found in arranged
        if found.names == ("",) and products.looks_like_name(grid.heading)
    }
    if len({products.models_in(name) for name in under.values()}) < 2:
        return arranged
    return [(grid, _under(found, under[id(found)]) if id(found) in under else found) for grid, found in arranged]


def _under(found: layout.Layout, name: str) -> layout.Layout:
    return replace(found, names=(name,), entries=tuple(replace(entry, gpu=name) for entry in found.entries))


def _refuse_decimal_comma(sheet: Sheet) -> None:
    for grid in sheet.grids:
        for cell in grid.cells:
            if figures.has_decimal_comma(cell.text):
                place = grid.place(cell.top, cell.left)
                raise SheetError(
                    f"{sheet.file}: {place}: {show(cell.text)!r} has a decimal comma; numbers of such a sheet "
                    f"cannot be told from thousands; read the English sheet instead"
                )


def _context(entries: Sequence[Entry], notes: Sequence[Note], lines: Sequence[TextLine]) -> _Context:
    by_mark: dict[str, tuple[Note, ...]] = {}
    for note in notes:
        by_mark[note.mark] = (*by_mark.get(note.mark, ()), note)
    every = any(sparsity.holds_for_every_rate(text) for text in [line.text for line in lines] + [n.text for n in notes])
    unclear = figures.dots_are_unclear((entry.text, _unit_at(entry)) for entry in entries)
    return _Context(by_mark, every, unclear, _row_units(entries))


def _unit_at(entry: Entry) -> str:
    return figures.unit_of(entry.unit) or figures.unit_in_label(entry.label)[1]


def _row_units(entries: Sequence[Entry]) -> dict[int, tuple[str, str]]:
    """Find tables whose rates all have one unit: a rate without unit beside them has it too."""
    units: dict[int, dict[str, str]] = {}
    for entry in entries:
        parsed = peaks.parse_label(entry.rate_label)
        for figure in figures.read(entry.text).figures if parsed else ():
            unit = figure.unit or (parsed.unit if parsed else "")
            if unit and fields._measure(unit) == "flops":
                units.setdefault(id(entry.grid), {}).setdefault(unit, entry.label)
    return {grid: next(iter(found.items())) for grid, found in units.items() if len(found) == 1}


def _readings(
    sheet: Sheet, entries: Sequence[Entry], context: _Context, problems: Sequence[SheetProblem]
) -> tuple[list[GpuReading], list[SheetProblem]]:
    """Read the columns of GPUs one by one; the totals of machines become problems."""
    readings: list[GpuReading] = []
    totals: list[SheetProblem] = []
    machine = ""
    by_head = _by_head(sheet, entries, problems)
    for head, mine in by_head.items():
        name = _name(sheet, head, mine)
        if not name and len(by_head) > 1:
            totals += [_problem(entry, NAMELESS) for entry in mine]
            continue
        if not name:
            raise SheetError(
                f"{sheet.file}: no product's name in title or columns; rename the column or give the sheet a title"
            )
        own, total, several = machines.part(name, sheet.title, mine)
        totals += [_problem(entry, MACHINE.format(why=several)) for entry in total]
        if own:
            readings.append(_reading(sheet, machines.without_machine(name), head, own, context))
        else:
            machine = f"{name}: {MACHINE.format(why=several)}"
    if not readings:
        raise SheetError(f"{sheet.file}: {machine}")
    return readings, totals


def _by_head(sheet: Sheet, entries: Sequence[Entry], problems: Sequence[SheetProblem]) -> dict[str, list[Entry]]:
    """Sort entries by the head of their column; a table without a head on a sheet of one product belongs to it."""
    found: dict[str, list[Entry]] = {}
    named = list(dict.fromkeys(entry.gpu for entry in entries if entry.gpu))
    for entry in entries:
        own = replace(entry, gpu=named[0]) if not entry.gpu and len(named) == 1 else entry
        found.setdefault(own.gpu, []).append(own)
    if not found and not sheet.grids:
        also = "".join(f"; {problem}" for problem in sheet.problems)
        raise SheetError(f"{sheet.file}: no table and no line of label and figure found; read it by hand{also}")
    if not found:
        first = f"; first of {len(problems)} cells: {problems[0]}" if problems else ""
        raise SheetError(
            f"{sheet.file}: tables, but no figure under a label we know; see pipeline/tools/sheet/words.py{first}"
        )
    return found


def _name(sheet: Sheet, head: str, entries: Sequence[Entry]) -> str:
    """Name the product of a column, from its head, or from a row that names it, or from the title; "" by none."""
    said = [show(entry.text) for entry in entries if _how(entry)[0] == words.NAME]
    row = next((text for text in said if products.looks_like_name(text)), "")
    return products.full_name(head, sheet.title) if head or not row else row


def _how(entry: Entry) -> tuple[str, str, str]:
    bare, _ = figures.unit_in_label(entry.label)
    return words.LABELS.get(words.label_key(bare)) or words.LABELS.get(words.label_key(entry.label)) or ("", "", "")


def _reading(sheet: Sheet, name: str, head: str, entries: Sequence[Entry], context: _Context) -> GpuReading:
    reading = GpuReading(name)
    rates: list[peaks.PrintedRate] = []
    cpu = machines.shared_with_cpu(entries)
    for entry in entries:
        doubt = _doubt(entry, cpu, context)
        if doubt:
            reading.problems.append(_problem(entry, doubt))
        else:
            rates += _read_entry(entry, head, context, reading)
    maker = _maker(products.describe(name, sheet.title, ""))
    _place_rates(rates, maker, f"{name} {reading.architecture}", context, reading)
    _settle_unread(reading, entries)
    _settle_twice(reading)
    reading.problems = list(dict.fromkeys(reading.problems))
    _refuse_swapped(sheet, reading)
    return reading


def _doubt(entry: Entry, cpu: frozenset[str], context: _Context) -> str:
    """Say what forbids to read a cell at all."""
    if machines.of_cpu(entry):
        return OF_CPU
    if _how(entry)[1] in cpu and not machines.names_gpu(entry):
        return CPU_OR_GPU
    return UNCLEAR_DOT if context.unclear_dots and figures.has_unclear_dot(entry.text, _unit_at(entry)) else ""


def _read_entry(entry: Entry, head: str, context: _Context, reading: GpuReading) -> Iterator[peaks.PrintedRate]:
    """Read one cell into the reading; rates are given back, since only all of them together can be placed."""
    how, field_name, measures = _how(entry)
    parsed = None if how else _rate_label(entry, context)
    if how == words.ARCHITECTURE:
        reading.architecture = re.sub(
            r"\b(nvidia|amd|intel|architecture)\b|[®™]", "", show(entry.text), flags=re.IGNORECASE
        ).strip()
    elif how == words.NAME:
        if not products.looks_like_name(entry.text):
            reading.problems.append(_problem(entry, "not the name of a product; read it by hand"))
    elif parsed:
        yield from _rates(entry, parsed, head, context, reading)
    elif how:
        _single(entry, how, field_name, measures, context, reading)
    else:
        reading.problems.append(_problem(entry, _ignored(entry) or "no field of the dataset has this label"))


def _rate_label(entry: Entry, context: _Context) -> peaks.RateLabel | None:
    notes = [context.lookup(mark, entry.page)[0] for mark in marks_of(f"{entry.rate_label} {entry.text}")]
    return peaks.parse_label(entry.rate_label) or peaks.format_in_footnote(entry.rate_label, notes)


def _refuse_swapped(sheet: Sheet, reading: GpuReading) -> None:
    """A column called SXM whose form factor is PCIe has another product's figures, or another product's head."""
    head, form = products.kinds_of_form(reading.name), products.kinds_of_form(reading.form)
    if len(head) == len(form) == 1 and head != form:
        raise SheetError(
            f"{sheet.file}: column {reading.name!r} has the form factor {reading.form!r}; heads or cells may be "
            f"swapped, so no figure is certain; compare the sheet with the maker's own"
        )


def _maker(product: products.Product | None) -> str:
    if product is None:
        return ""
    return f"{product.vendor} {product.line}" if product.line in ("Instinct", "Gaudi", "TPU") else product.vendor


def _ignored(entry: Entry) -> str:
    key = words.label_key(figures.unit_in_label(entry.label)[0])
    return next((reason for pattern, reason in words.IGNORED if re.fullmatch(pattern, key)), "")


def _problem(entry: Entry, reason: str, text: str = "") -> SheetProblem:
    return SheetProblem(entry.place, text or entry.text, reason)


# ---------------------------------------------------------------- single fields


def _single(entry: Entry, how: str, field_name: str, measures: str, context: _Context, reading: GpuReading) -> None:
    if how == words.FORM:
        reading.form = show(entry.text)
    remark, reason = _remarks(entry, field_name, context)
    if reason:
        reading.problems.append(_problem(entry, reason))
        return
    before = len(reading.values)
    for found in fields.read(entry, how, field_name, measures, remark):
        if isinstance(found, DraftValue):
            reading.values.append(found)
        else:
            reading.problems.append(_problem(entry, found.reason, found.text))
    if len(reading.values) == before:
        reading.unread.append(entry)


def _remarks(entry: Entry, field_name: str, context: _Context) -> tuple[str, str]:
    """Collect what footnotes and the note column say of a cell, or why one of them forbids to use it."""
    said = [text for text in (show(entry.note), SHARED if entry.lone else "") if text]
    for mark in marks_of(f"{entry.label} {entry.text} {entry.gpu}"):
        text, missing = context.lookup(mark, entry.page)
        if missing:
            return "", missing
        said.append(f"footnote {mark}: {text}")
    if field_name not in words.LINK_FIELDS and any(re.search(words.NOT_ONE_GPU, text.casefold()) for text in said):
        return "", f"not the figure of one GPU ({'; '.join(said)})"
    return "; ".join(said), ""


# ---------------------------------------------------------------- peak rates


def _rates(
    entry: Entry, parsed: peaks.RateLabel, head: str, context: _Context, reading: GpuReading
) -> Iterator[peaks.PrintedRate]:
    """Read the figures of a rate's cell with all that is said of each; a cell not fully understood gives none."""
    text, order = _order_off(_format_off(entry.text, parsed))
    found = figures.read(text)
    left = re.sub(r"[|/,;()]|\band\b", " ", unmarked(found.rest)).strip()
    reason = ("a range, not one figure" if found.is_range else "" if found.figures else "no figure in the cell") or (
        f"more than rates in the cell: {left!r}" if left else ""
    )
    if not reason and len(found.figures) > 2:
        reason = "more than two figures in the cell"
    own, why = _own(entry, found.figures, context)
    row, row_why = _row_stance(entry, parsed, head, context)
    units = _units(entry, parsed, found.figures, context)
    reason = reason or why or row_why or units[1]
    if reason:
        reading.problems.append(_problem(entry, reason))
        return
    stances = peaks.own_stances(found.figures, own, order or row)
    row = "" if row in (words.DENSE_FIRST, words.SPARSE_FIRST) else row
    # "FP64 | FP64 Tensor Core" beside "5.2 | 10.3": formats without sparse rates have one figure each, in their order.
    one_each = len(parsed.inputs) == len(found.figures) and all(i in words.NEVER_SPARSE for i, _ in parsed.inputs)
    for at, (input_, engine) in enumerate(parsed.inputs):
        for of, (figure, unit, stance) in enumerate(zip(found.figures, units[0], stances, strict=True)):
            if not one_each or at == of:
                yield peaks.PrintedRate(
                    input_,
                    engine,
                    parsed.accumulate,
                    figure,
                    unit,
                    units[2],
                    stance,
                    row,
                    len(found.figures) == 1,
                    entry,
                )


def _format_off(text: str, parsed: peaks.RateLabel) -> str:
    """Take the format out of "130 INT8 TOPS", where it is the one of the label, and "AI" out of "4000 AI TOPS"."""
    text = re.sub(r"(?<=\d) AI(?= [TP]?OPS)", "", text)
    said = re.search(r"(?<=\d) ((?:INT|FP|BF|TF)\d{1,2})(?= [TPG]?(?:FL)?OPS)", text, re.IGNORECASE)
    only = said is not None and [input_ for input_, _ in parsed.inputs] == [said[1].casefold()]
    return text.replace(said[0], "", 1) if said is not None and only else text


def _order_off(text: str) -> tuple[str, str]:
    """Take "(dense / sparse)" off a pair, and give the order it says."""
    said = re.search(r"\(([^()\d]*(?:dense|spars)[^()\d]*)\)\s*$", text, re.IGNORECASE)
    order = sparsity.stance(said[1]) if said else ""
    return (text[: said.start()], order) if said and order in (words.DENSE_FIRST, words.SPARSE_FIRST) else (text, "")


def _own(entry: Entry, found: Sequence[figures.PrintedNumber], context: _Context) -> tuple[list[str], str]:
    """What the footnotes at each figure say of sparsity; a mark that leads nowhere spoils the cell."""
    stances: list[str] = []
    silent = ""
    for figure in found:
        said: set[str] = set()
        for mark in figure.marks:
            text, missing = context.lookup(mark, entry.page)
            if missing:
                return [], missing
            if re.search(words.NOT_ONE_GPU, text.casefold()):
                return [], f"not the figure of one GPU (footnote {mark}: {text})"
            said.add(sparsity.stance(text))
        if said == {""}:
            silent = FOOTNOTE_CHANGED.format(mark=figure.marks[-1], text=text)
        said.discard("")
        stances.append(words.UNCLEAR if len(said) > 1 else "".join(said))
    return stances, "" if any(stances) or len(found) == 1 else silent


def _row_stance(entry: Entry, parsed: peaks.RateLabel, head: str, context: _Context) -> tuple[str, str]:
    """What label, section, column and note say of sparsity; several that differ are unclear."""
    said = {parsed.stance, sparsity.stance(entry.note), sparsity.stance(unmarked(head))}
    tensor = any(input_ not in words.NEVER_SPARSE and engine != "vector" for input_, engine in parsed.inputs)
    every_rate = context.every_rate
    if len(entry.section.split()) <= 8:
        said.add(sparsity.stance(unmarked(entry.section)))
    stray = [
        mark for mark in marks_of(entry.text) if not any(mark in f.marks for f in figures.read(entry.text).figures)
    ]
    for mark in (*marks_of(f"{entry.rate_label} {entry.section} {head}"), *stray):
        text, missing = context.lookup(mark, entry.page)
        if missing:
            return "", missing
        if re.search(words.NOT_ONE_GPU, text.casefold()):
            return "", f"not the figure of one GPU (footnote {mark}: {text})"
        general = sparsity.holds_for_every_rate(text)
        every_rate = every_rate or general
        said.add("" if general else sparsity.stance(text))
    said.discard("")
    if len(said) > 1:
        return words.UNCLEAR, ""
    stance = said.pop() if said else ""
    own = len(figures.read(entry.text).figures) > 1 or marks_of(entry.text) or sparsity.mentions(entry.text)
    if not stance and every_rate and tensor and not own:
        return words.SPARSE, ""
    return stance, ""


def _units(
    entry: Entry, parsed: peaks.RateLabel, found: Sequence[figures.PrintedNumber], context: _Context
) -> tuple[list[str], str, str]:
    """Give each figure its unit: its own, its neighbour's, the label's, the column's, or the table's only one."""
    if any(figure.printed_unit and not figure.unit for figure in found):
        return [], "a unit that we do not know; add it to UNITS in pipeline/tools/sheet/words.py", ""
    beside = next((figure.unit for figure in reversed(found) if figure.unit), "")
    beside = beside or parsed.unit or figures.unit_of(entry.unit) or figures.unit_in_label(entry.section)[1]
    taken_from = ""
    if not beside and all(input_ in peaks.REAL for input_, _ in parsed.inputs) and id(entry.grid) in context.row_unit:
        beside, taken_from = context.row_unit[id(entry.grid)]
    if not beside and found:
        return [], "no unit is printed, neither in the cell nor in label, column or table", ""
    units = [figure.unit or beside for figure in found]
    if any(fields._measure(unit) not in ("flops", "ops") for unit in units):
        return [], f"{units[0]} is no rate of operations", ""
    return units, "", taken_from


def _place_rates(
    rates: Sequence[peaks.PrintedRate], maker: str, about: str, context: _Context, reading: GpuReading
) -> None:
    for placed in peaks.place(rates, maker, about):
        rate = placed.rate
        entry = rate.entry
        assert isinstance(entry, Entry)
        text = fields.quantity_text(rate.figure, rate.unit)
        reason = placed.reason or fields.problem_with(placed.name, text)
        if reason:
            shown = f"{show(entry.text)} ({rate.figure.number} {rate.unit})" if not rate.alone else entry.text
            said = reason if rate.input == "-" else f"{rate.input}: {reason}"
            reading.problems.append(_problem(entry, said, entry.text if rate.input == "-" else shown))
            continue
        unit = f'no unit in the row, taken from row "{show(rate.unit_from)}"' if rate.unit_from else ""
        shared = SHARED if entry.lone else ""
        notes = [f"footnote {mark}: {context.lookup(mark, entry.page)[0]}" for mark in rate.figure.marks]
        notes = [note for note in notes if not sparsity.mentions(note)]  # what it says of sparsity is in the field
        remark = "; ".join(part for part in (placed.remark, *notes, unit, shared) if part)
        reading.values.append(DraftValue(placed.name, text, entry.place, show(entry.text), remark))


def _settle_unread(reading: GpuReading, entries: Sequence[Entry]) -> None:
    """Of two rows with the same label, one of which could not be read, the other is not certain either."""
    for unread in reading.unread:
        key = words.label_key(unread.label)
        places = {entry.place for entry in entries if words.label_key(entry.label) == key and entry.row != unread.row}
        reason = ONE_UNREAD.format(label=show(unread.label), text=show(unread.text))
        reading.problems += [
            SheetProblem(value.place, value.printed, reason) for value in reading.values if value.place in places
        ]
        reading.values = [value for value in reading.values if value.place not in places]


def _settle_twice(reading: GpuReading) -> None:
    """A field printed twice counts once when both agree, and not at all when they differ."""
    seen: dict[str, DraftValue] = {}
    values: dict[str, set[str]] = {}
    for value in reading.values:
        seen.setdefault(value.field, value)
        values.setdefault(value.field, set()).add(value.converted)
    for value in reading.values:
        if len(values[value.field]) > 1:
            others = ", ".join(sorted(values[value.field]))
            reading.problems.append(
                SheetProblem(
                    value.place, value.printed, f"{value.field} is on the sheet with several values ({others})"
                )
            )
    reading.values = [value for name, value in seen.items() if len(values[name]) == 1]


# ---------------------------------------------------------------- texts outside the tables


def _unread_lines(
    lines: Sequence[TextLine], readings: list[GpuReading], context: _Context, title: str
) -> Iterator[SheetProblem]:
    """Read "Launch date 12/13/2022"; list other lines with figures, so that nothing is lost."""
    for line in lines:
        entry = _as_entry(line)
        if entry is not None and len(readings) == 1:
            before = len(readings[0].values)
            how, field_name, measures = _how(entry)
            _single(entry, how, field_name, measures, context, readings[0])
            readings[0].values[before:] = [
                replace(v, place=f'{line.place}: "{show(line.text)}"') for v in readings[0].values[before:]
            ]
        elif re.search(r"\d{4}-\d\d|\d ?(GB|TB|W|MHz|GHz|TFLOPS|TOPS)\b|\d\d/\d\d", line.text) and show(
            line.text
        ) != show(title):
            yield SheetProblem(line.place, line.text, "a text outside the tables; read it by hand")
        elif sparsity.mentions(line.text):
            yield SheetProblem(
                line.place, line.text, "a text on sparsity outside the tables; check the rates against it"
            )


def _as_entry(line: TextLine) -> Entry | None:
    match = re.match(r"^([A-Za-z][A-Za-z ]+?)\s*:?\s+(?=[\dQ$]|[A-Z][a-z]{2,8} \d)(.+)$", unmarked(line.text))
    if not match or words.LABELS.get(words.label_key(match[1]), ("",))[0] != words.DATE:
        return None
    return Entry("", match[1], match[2], "", "", "", Grid((), line.page, 0, "text"), 1, 1, line.page)


def _unused_notes(notes: Sequence[Note], entries: Sequence[Entry], heads: Sequence[str]) -> Iterator[SheetProblem]:
    used = Counter(
        mark for entry in entries for mark in marks_of(f"{entry.text} {entry.rate_label} {entry.section} {entry.note}")
    )
    used.update(mark for head in heads for mark in marks_of(head))
    for note in notes:
        if not used[note.mark]:
            yield SheetProblem(
                note.place,
                f"{note.mark} {note.text}",
                "a footnote to which no figure points; see whether its mark was lost",
            )
