"""Reads the entries of a sheet that are single fields of the dataset, and says what was left over and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime

from pipeline.core.schema import SchemaError, canonical, field_of
from pipeline.core.units import SPELLINGS, UnitError
from pipeline.core.wording import MONTHS
from pipeline.tools.sheet import figures, words
from pipeline.tools.sheet.form import show, unmarked
from pipeline.tools.sheet.layout import Entry

# "Up to" in front of these is how makers name a peak; the number is the peak itself.
UP_TO_IS_THE_VALUE = {"boost_clock_mhz", "memory_bandwidth_gb_s", "memory_data_rate_gbps", "link_gb_s", "pcie_gen"}
SAYS_MAXIMUM = r"\b(max|maximum|peak)\b"
HARMLESS = (
    r"\b(max|maximum|typical|typ|peak|theoretical|total|with|of|at|and|memory|on-package|integrated|effective|"
    r"per pin|gpu|configurable)\b|[(),|/@.+&-]"
)
# Inches are printed with one decimal: 11" beside 280 mm.
SAME_IN_TWO_UNITS = 0.02
SLOT_WORDS = {"single": "1", "dual": "2", "double": "2", "triple": "3", "quad": "4", "one": "1", "two": "2"}
YES, NO = (
    {"yes", "supported", "✓", "✔", "true", "enabled", "standard"},
    {"no", "not supported", "✗", "✘", "false", "none"},
)


@dataclass(frozen=True, slots=True)
class DraftValue:
    """One value for the draft, as printed, with its place and a remark for the person who reads it."""

    field: str
    text: str
    place: str
    printed: str
    remark: str = ""

    @property
    def converted(self) -> str:
        """The value in the field's unit."""
        unit = "TOPS" if self.field.startswith("peak:int") else field_of(self.field).unit
        return f"{canonical(self.field, self.text)} {unit}".strip()


@dataclass(frozen=True, slots=True)
class Left:
    """A part of an entry that became no value, and why."""

    text: str
    reason: str


Found = Iterator[DraftValue | Left]


def read(entry: Entry, how: str, field: str, measures: str, remark: str) -> Found:
    """Read one entry as `how` says; every value is checked against its field before it counts."""
    for found in READERS[how](entry, field, measures):
        if isinstance(found, Left):
            yield found
            continue
        reason = problem_with(found[0], found[1])
        if reason:
            yield Left(entry.text, reason)
        else:
            yield DraftValue(found[0], found[1], entry.place, show(entry.text), _joined(remark, found))


def _joined(remark: str, found: tuple[str, str, str]) -> str:
    """A footnote in a cell of several links speaks of the link, not of the PCIe slot."""
    return "; ".join(part for part in (remark if found[0] != "pcie_gen" else "", found[2]) if part)


def problem_with(field: str, text: str) -> str:
    """Say why a value does not fit its field; "" when it does."""
    known = field_of(field)
    try:
        written = canonical(field, text)
    except (SchemaError, UnitError, ValueError) as error:
        return f"does not fit {field}: {str(error)[:150]}"
    if known.type in ("number", "integer"):
        low, high = known.low, known.high
        if (low is not None and float(written) < low) or (high is not None and float(written) > high):
            return f"{written} {known.unit} is outside what {field} can be ({low:g} to {high:g}); check number and unit"
    return ""


def quantity_text(figure: figures.PrintedNumber, unit: str) -> str:
    """Write a figure with the unit as printed, or in the nearest spelling that the dataset reads."""
    if figure.printed_unit in SPELLINGS and figure.printed_unit:
        return figure.printed
    return f"{figure.number} {figure.unit or unit}".strip()


_Raw = Iterator[tuple[str, str, str] | Left]


def _quantity(entry: Entry, field: str, measures: str) -> _Raw:
    if measures == "money":
        money = re.fullmatch(r"(US)?\$\s?[\d,]+(\.\d\d)?( USD)?|[\d,]+(\.\d\d)? USD", unmarked(entry.text))
        yield (field, unmarked(entry.text), "") if money else Left(entry.text, "no price in US dollars")
        return
    text = _whole(entry.text)
    # Take "Total board power:" off a cell that repeats what its field is called
    before, colon, after = text.partition(":")
    same = words.LABELS.get(words.label_key(before), ("", ""))[1] == field
    bare = after.strip() if colon and same else text
    reading = _one_of_two_units(figures.read(bare), field)
    reason = _why_no_quantity(reading, entry, field)
    if reason:
        yield Left(entry.text, reason)
        return
    figure = reading.figures[0]
    unit = figure.unit or _unit_beside(entry, measures)
    if figure.printed_unit and not figure.unit:
        yield Left(
            entry.text, f"unknown unit {figure.printed_unit!r}; add it to UNITS in pipeline/tools/sheet/words.py"
        )
    elif not unit:
        yield Left(entry.text, "no unit is printed, neither in the cell nor in the label or column")
    elif _measure(unit) != measures:
        yield Left(entry.text, f"unit {unit} does not measure {field}")
    else:
        yield field, quantity_text(figure, unit), "unit from label or column" if not figure.printed_unit else ""


def _one_of_two_units(reading: figures.CellReading, field: str) -> figures.CellReading:
    """Take one of two figures that say the same in two units: 11" (280 mm)."""
    if len(reading.figures) != 2 or reading.is_range or len({figure.unit for figure in reading.figures}) != 2:
        return reading
    wanted = field_of(field).unit
    try:
        first, second = (float(canonical(field, quantity_text(figure, ""))) for figure in reading.figures)
    except (SchemaError, UnitError, ValueError):
        return reading
    if abs(first / second - 1) > SAME_IN_TWO_UNITS:
        return reading
    best = next((figure for figure in reading.figures if figure.unit == wanted), reading.figures[0])
    return replace(reading, figures=(best,))


def _whole(text: str) -> str:
    return re.sub(words.TAKEN_APART, "", unmarked(text), flags=re.IGNORECASE)


def _why_no_quantity(reading: figures.CellReading, entry: Entry, field: str) -> str:
    if reading.is_range:
        return "a range or a choice, not one figure; read the footnotes and decide by hand"
    if not reading.figures:
        return "no figure in the cell"
    if len(reading.figures) > 1:
        return "several figures in one cell; which one the field means is not said"
    if re.sub(HARMLESS, "", unmarked(reading.rest), flags=re.IGNORECASE).strip():
        return f"more than a figure in the cell: {show(reading.rest)!r}"
    before = reading.figures[0].before.casefold()
    configurable = "configurable" in before or "configurable" in reading.rest.casefold()
    if "up to" in before or configurable:
        at_most = "up to" in before and bool(re.search(SAYS_MAXIMUM, entry.label.casefold()))
        allowed = field in UP_TO_IS_THE_VALUE and not configurable
        return "" if at_most or allowed else "an upper bound, and the label does not ask for a maximum; decide by hand"
    return "only approximate" if before and not re.match(r"max|maximum|peak", before) else ""


def _unit_beside(entry: Entry, measures: str) -> str:
    """The unit in the row's unit column, the label or the section, where it measures the right thing."""
    for text in (entry.unit, figures.unit_in_label(entry.label)[1], figures.unit_in_label(entry.section)[1]):
        unit = figures.unit_of(text) if text else ""
        if unit and _measure(unit) == measures:
            return unit
    return ""


def _measure(unit: str) -> str:
    return next((kind for spelling, kind in words.UNITS.values() if spelling == unit), "")


def _count(entry: Entry, field: str, _measures: str) -> _Raw:
    reading = figures.read(_whole(entry.text))
    rest = re.sub(
        r"\b(cuda|tensor|ai|xmx|xe|stream|compute)?[ -]?(cores?|units?|processors|accelerators|engines|sms|cus)\b",
        "",
        unmarked(reading.rest),
        flags=re.IGNORECASE,
    )
    if len(reading.figures) == 1 and not reading.figures[0].unit and not rest.strip(" ()") and not reading.is_range:
        yield field, reading.figures[0].number, ""
    else:
        yield Left(entry.text, "not one bare number")


# "with ECC", "with error-correcting code (ECC)"; a line break may have taken the hyphen.
ECC = (
    r"\(?\b(?:with )?error[ -]?correct(?:ing|ion) codes?(?: \(ECC\))?|"
    r"\(?\b(?:with )?(?:\w+ )?ECC\b(?: (?:memory|support))?\)?"
)
MEMORY_WORDS = r"\b(capacity|size|bandwidth)\b:?"
MEMORY_FIELDS = {
    "memory": "memory_gb",
    "rate": "memory_bandwidth_gb_s",
    "bits a second": "memory_data_rate_gbps",
    "width": "memory_bus_bit",
}


def _memory(entry: Entry, field: str, measures: str) -> _Raw:
    """Split "80 GB HBM3 3.35 TB/s" into its quantities and the kind of memory."""
    text = re.sub(words.TAKEN_APART, "", re.sub(r"\s+", " ", entry.text), flags=re.IGNORECASE)
    kinds = list(dict.fromkeys(match[0] for match in re.finditer(words.MEMORY_TYPES, text, re.IGNORECASE)))
    ecc = re.search(ECC, text, re.IGNORECASE)
    bare = re.sub(words.MEMORY_TYPES, " ", text.replace(ecc[0], " ") if ecc else text, flags=re.IGNORECASE)
    reading = figures.read(bare)
    rest = re.sub(f"{HARMLESS}|{MEMORY_WORDS}", "", unmarked(reading.rest), flags=re.IGNORECASE).strip()
    if rest or reading.is_range or len(kinds) > 1:
        yield Left(entry.text, f"more than memory figures in the cell: {show(rest) or show(entry.text)!r}")
        return
    yield from _memory_figures(entry, reading, field, measures)
    if kinds and field in ("memory_gb", "memory_type", "memory_bus_bit"):
        yield "memory_type", kinds[0], ""
    elif field == "memory_type":
        yield Left(
            entry.text, "no kind of memory that we know; add it to MEMORY_TYPES in pipeline/tools/sheet/words.py"
        )
    if ecc and field == "memory_gb":
        negative = re.search(r"\b(no|without|non)\b", ecc[0], re.IGNORECASE)
        yield ("ecc", "yes", "") if not negative else Left(ecc[0], "says it has no ECC; enter it by hand")


def _memory_figures(entry: Entry, reading: figures.CellReading, field: str, measures: str) -> _Raw:
    units = [figure.unit or _unit_beside(entry, measures or "memory") for figure in reading.figures]
    kinds = [_measure(unit) for unit in units]
    bare = next((figure for figure, unit in zip(reading.figures, units, strict=True) if not unit), None)
    if bare and len(reading.figures) > 1:
        yield Left(
            entry.text, f"{bare.number} without a unit beside other figures; which one is the board's is not said"
        )
        return
    for figure, unit, kind in zip(reading.figures, units, kinds, strict=True):
        target = MEMORY_FIELDS.get(kind, "")
        word = figure.before.casefold()
        if not target or (target != field and field not in ("memory_gb", "memory_bus_bit", "memory_type")):
            yield Left(entry.text, f"{figure.number} {figure.printed_unit or '(no unit)'} does not measure {field}")
        elif kinds.count(kind) > 1:
            yield Left(entry.text, "several figures of one kind in the cell; which one is the board's is not said")
        elif word and not re.match(r"up to|max|peak" if target in UP_TO_IS_THE_VALUE else r"max|peak", word):
            yield Left(entry.text, "an upper bound, not this card's figure; decide by hand")
        else:
            yield target, quantity_text(figure, unit), ""


_LINK_START = re.compile(
    r"(?=\b(?:NVIDIA )?NVLink\b|\bPCI(?:e| Express)\b|\bInfinity Fabric\b|\bXe Link\b|\bEthernet\b|\bRoCE\b)",
    re.IGNORECASE,
)
_BARE_PCIE = re.compile(r"PCI(e| Express)", re.IGNORECASE)
_PCIE = re.compile(r"PCI(?:e| Express)[^\d\n]{0,12}?(?:Gen ?)?(\d(?:\.\d)?)(?!\s*(?:lanes|x\b|GB|GT))", re.IGNORECASE)


def _links(entry: Entry, field: str, measures: str) -> _Raw:
    plain = unmarked(entry.text).casefold()
    if plain in NO or (measures == "flag" and plain in YES):
        yield Left(entry.text, "says only whether there is a link; the rate stays empty")
        return
    ordinal = re.compile(r"\b(\w+)[ -]generation |\b\d(st|nd|rd|th) gen(eration)? ", re.IGNORECASE)
    text = ordinal.sub("", entry.text)
    for clause in _clauses(text):
        yield from _link(entry, clause, field)


def _clauses(text: str) -> list[str]:
    """Part a cell at the names of its links; what was broken over two lines, or stands before a name, is joined."""
    clauses: list[str] = []
    for part in (part for line in text.split("\n") for part in _LINK_START.split(line)):
        if part.strip(" |,;").casefold() in ("", "nvidia"):
            continue
        before = clauses[-1].strip() if clauses else ""
        nameless = bool(before) and not _LINK_START.search(before) and not figures.read(before).has("rate")
        broken = before.endswith(":") or (_BARE_PCIE.fullmatch(before) and re.match(r"Gen|\d", part.strip()))
        if nameless or broken:
            clauses[-1] = f"{before} {part}"
        else:
            clauses.append(part)
    return clauses


def _link(entry: Entry, clause: str, field: str) -> _Raw:
    named = clause if _LINK_START.search(clause) else f"{entry.label} {clause}"
    unit = _unit_beside(entry, "rate")
    found = [figure if figure.printed_unit else replace(figure, unit=unit) for figure in figures.read(clause).figures]
    rates = [figure for figure in found if figure.measures == "rate"]
    pcie = _PCIE.search(clause) or (_PCIE.search(entry.label + " " + clause) if "PCI" in entry.label else None)
    if pcie:
        yield "pcie_gen", pcie[1], ""
        if rates:
            yield Left(clause.strip(), "the rate of the PCIe bus is no field of the dataset")
        return
    total = re.search(words.TOTAL_LINKS, named, re.IGNORECASE) or re.search(words.BOTH_DIRECTIONS, named, re.IGNORECASE)
    if len(rates) != 1 or re.search(r"\d\s*[x×]|[x×]\s*\d|\blinks?\b", clause, re.IGNORECASE):
        yield Left(clause.strip(), "not one rate of one GPU")
    elif re.search(words.MANY_GPUS, clause, re.IGNORECASE):
        yield Left(clause.strip(), "the rate of several GPUs together")
    elif re.search(words.ONE_DIRECTION, f"{entry.label} {clause}", re.IGNORECASE):
        yield Left(clause.strip(), "the rate of one direction or one link; the field is the total of both")
    elif not total:
        yield Left(clause.strip(), "whether the rate is the total of both directions is not said")
    else:
        yield field, quantity_text(rates[0], ""), ""


def _form(entry: Entry, _field: str, _measures: str) -> _Raw:
    text = show(entry.text)
    if re.search(r"\bor\b", text):
        yield Left(entry.text, "several builds in one cell; slots and cooling differ between them")
        return
    slots = {_slots(match[0]) for match in re.finditer(r"\b[\w.]+[ -]slots?\b", text, re.IGNORECASE)} - {""}
    if len(slots) == 1:
        yield "slot_width", slots.pop(), ""
    length = re.search(r"(\d+(?:\.\d+)?)\s*(\"|”|in\b|inch(?:es)?|mm|cm)?\s*\(?(?:L\b|length)", text, re.IGNORECASE)
    if length:
        unit = figures.unit_of((length[2] or "").replace("”", '"')) or _unit_after(text, length.end())
        yield ("length_mm", f"{length[1]} {unit}", "") if unit else Left(entry.text, "a length without unit")
    elif not slots and re.search(r"\d\s*(mm|cm|\"|in)", text):
        yield Left(entry.text, "which of the measures is the length is not said")
    if re.search(r"\(?\b[HW]\)?|height", text):
        yield Left(entry.text, "height and width are no fields of the dataset")


def _unit_after(text: str, at: int) -> str:
    found = re.search(r"\b(mm|cm|inch(?:es)?)\b", text[at:])
    return figures.unit_of(found[1]) if found else ""


def _slots(text: str) -> str:
    word = re.match(r"\(?(\d(?:\.\d+)?|[a-z]+)[ -]?slots?", text.strip(), re.IGNORECASE)
    if not word:
        return ""
    return word[1] if word[1][0].isdigit() else SLOT_WORDS.get(word[1].casefold(), "")


def _slot_width(entry: Entry, field: str, _measures: str) -> _Raw:
    text = unmarked(entry.text)
    number = _slots(text) or (text if re.fullmatch(r"\d(\.\d+)?", text) and "slot" in entry.label.casefold() else "")
    yield (field, number, "") if number else Left(entry.text, "no number of slots")


def _text(entry: Entry, field: str, _measures: str) -> _Raw:
    text = show(unmarked(entry.text))
    yield (field, text, "") if text else Left(entry.text, "empty")


def _pcie(entry: Entry, field: str, _measures: str) -> _Raw:
    text = entry.text if "PCI" in entry.text else f"PCIe {entry.text}"
    if unmarked(entry.text).casefold() in YES:
        text = entry.label
    found = {match[1] for match in _PCIE.finditer(text)}
    several = re.search(
        r"\d(\.\d)?\s*(/|\||,|\bor\b|\band\b|-)\s*(Gen ?)?\d(\.\d)?(?!\d|\s*x)", unmarked(text), re.IGNORECASE
    )
    one = len(found) == 1 and not several
    yield (field, found.pop(), "") if one else Left(entry.text, "not one generation of PCIe")


def _process(entry: Entry, field: str, _measures: str) -> _Raw:
    text = unmarked(entry.text)
    beside = f"{text} {_unit_beside(entry, 'process')}".strip()
    found = re.match(words.PROCESS_NAMES, beside, re.IGNORECASE) or re.match(words.TSMC_NAME, text)
    if found:
        yield field, f"{found[1]} nm", ""
    else:
        yield Left(entry.text, "a name of a process without one number of nanometres")


def _date(entry: Entry, field: str, _measures: str) -> _Raw:
    text = unmarked(entry.text)
    for pattern, becomes in DATES:
        match = re.fullmatch(pattern, text, re.IGNORECASE)
        if match:
            written = becomes(match)
            yield (field, written, "") if written else Left(entry.text, "day and month could be either way round")
            return
    yield Left(entry.text, "no date that we can read")


def _us_date(match: re.Match[str]) -> str:
    """Month first is the American order; it is certain only where the other order cannot be."""
    first, second, year = (int(group) for group in match.groups())
    if first > 12 and second <= 12:
        first, second = second, first
    elif second <= 12 and first != second:
        return ""
    try:
        return date(year, first, second).isoformat()
    except ValueError:
        return ""


def _word_date(text: str) -> str:
    for layout in ("%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y"):
        try:
            return datetime.strptime(re.sub(r"[,.]|(?<=\d)(st|nd|rd|th)\b", "", text), layout).date().isoformat()  # noqa: DTZ007
        except ValueError:
            continue
    return ""


def _month(match: re.Match[str]) -> str:
    number = next(at for at, month in enumerate(MONTHS, start=1) if month.startswith(match[1].capitalize()[:3]))
    return f"{match[2]}-{number:02d}"


DATES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"\d{4}(-\d{2}){0,2}", lambda match: match[0]),
    (r"(\d{1,2})/(\d{1,2})/(\d{4})", _us_date),
    (r"Q[1-4] ?'?(\d{4})", lambda match: match[1]),
    (r"Q[1-4] ?'(\d{2})", lambda match: f"20{match[1]}"),
    (rf"({'|'.join(month[:3] for month in MONTHS)})[a-z]*\.? (\d{{4}})", _month),
    (r"([a-z]+\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,2} [a-z]+\.? \d{4})", lambda match: _word_date(match[0])),
)


def _flag(entry: Entry, field: str, _measures: str) -> _Raw:
    text = unmarked(entry.text).casefold()
    text = re.sub(r"\s*\(.*\)$", "", text)
    known = "yes" if text in YES else "no" if text in NO else ""
    yield (field, known, "") if known else Left(entry.text, "neither yes nor no")


def _cooling(entry: Entry, field: str, _measures: str) -> _Raw:
    text = entry.text.casefold()
    found = {word for word in ("passive", "active", "liquid") if re.search(rf"\b{word}\b", text)}
    several = re.search(r"\bor\b|/", text) or ("liquid" in found and re.search(r"\bair\b", text))
    one = len(found) == 1 and not several
    yield (field, found.pop(), "") if one else Left(entry.text, "not one of passive, active, liquid")


def _transistors(entry: Entry, field: str, _measures: str) -> _Raw:
    text = unmarked(entry.text)
    found = re.fullmatch(rf"({figures.NUMBER})\s*(billion|million|bn|B|M)?(?: transistors)?", text, re.IGNORECASE)
    word = ""
    if found:
        printed = found[2] or ""
        beside = re.search(r"\b(billion|million)s?\b", entry.label.casefold())
        word = words.SHORT_COUNTS.get(printed, printed.casefold()) or (beside[1] if beside else "")
    if found and word:
        yield field, f"{found[1]} {word}", ""
    else:
        yield Left(entry.text, "not one number of millions or billions")


READERS: dict[str, Callable[[Entry, str, str], _Raw]] = {
    words.QUANTITY: _quantity,
    words.COUNT: _count,
    words.MEMORY: _memory,
    words.LINKS: _links,
    words.FORM: _form,
    words.TEXT: _text,
    words.PCIE: _pcie,
    words.PROCESS: _process,
    words.DATE: _date,
    words.FLAG: _flag,
    words.COOLING: _cooling,
    words.SLOTS: _slot_width,
    words.TRANSISTORS: _transistors,
}
