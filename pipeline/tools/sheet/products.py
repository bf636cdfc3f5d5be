"""What a product's name says about the card: vendor, segment, line and form, from visible tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.tools.sheet.words import LABELS, NAME, label_key

NOT_STATED = "not stated on the sheet"

# First match wins: (pattern over the name, vendor, segment, line).
LINES = (
    (r"\bgeforce rtx (\d)0\d0|\brtx (\d)0[5-9]0\b", "NVIDIA", "consumer", "GeForce RTX {}0 series"),
    (r"\bgeforce gtx (\d\d)\d0|\bgtx (\d\d)\d0\b", "NVIDIA", "consumer", "GeForce GTX {} series"),
    (r"\btitan\b", "NVIDIA", "consumer", "Titan"),
    (r"\bquadro rtx\b", "NVIDIA", "workstation", "Quadro RTX"),
    (r"\bquadro\b", "NVIDIA", "workstation", "Quadro"),
    (r"\brtx pro\b", "NVIDIA", "workstation", "RTX PRO Blackwell"),
    (r"\brtx a\d{3,4}\b", "NVIDIA", "workstation", "RTX A series"),
    (r"\brtx \d{4}( sff)? ada\b", "NVIDIA", "workstation", "RTX Ada"),
    (r"\bjetson\b", "NVIDIA", "edge", "Jetson"),
    (r"\bgb10\b|\bdgx spark\b", "NVIDIA", "integrated", "NVIDIA integrated"),
    (r"\binstinct\b|\bmi\d{1,3}[axp]?\b", "AMD", "datacenter", "Instinct"),
    (r"\bradeon (ai )?pro\b", "AMD", "workstation", "Radeon Pro"),
    (r"\bradeon rx (\d)\d{3}|\brx (\d)\d{3}\b", "AMD", "consumer", "Radeon RX {}000 series"),
    (r"\bradeon\b", "AMD", "consumer", "Radeon"),
    (r"\barc pro\b", "Intel", "workstation", "Arc Pro"),
    (r"\barc\b.*?\b([a-d])\d{3}\b|\barc ([a-d])\d{3}\b", "Intel", "consumer", "Arc {} series"),
    (r"\bgaudi\b", "Intel", "datacenter", "Gaudi"),
    (r"\b(data center gpu )?max( series)? ?1\d{3}\b|\bmax 1\d{3}\b", "Intel", "datacenter", "Data Center GPU Max"),
    (r"\bflex( series)? ?1[47]0\b", "Intel", "datacenter", "Data Center GPU Flex"),
    (r"\btpu(\d\w*)?\b", "Google", "datacenter", "TPU"),
    (r"\btrainium|\binferentia", "Amazon", "datacenter", "Amazon accelerators"),
    (r"\bapple m\d|\bm\d (pro|max|ultra)\b", "Apple", "integrated", "Apple M series"),
    # Last: a letter and a number alone are NVIDIA's way to name boards for servers.
    (r"\b(?:a|b|h|l|p|t|v|k|m|gb|gh)\d{1,4}[a-z]?\b", "NVIDIA", "datacenter", "NVIDIA data centre"),
)
VENDOR_WORDS = (
    ("nvidia", "NVIDIA"),
    ("geforce", "NVIDIA"),
    ("radeon", "AMD"),
    ("instinct", "AMD"),
    ("amd", "AMD"),
    ("intel", "Intel"),
    ("arc", "Intel"),
    ("gaudi", "Intel"),
    ("google", "Google"),
    ("apple", "Apple"),
    ("amazon", "Amazon"),
    ("aws", "Amazon"),
)
FORMS = (
    (r"\bsxm ?(\d)\b", "SXM{} module"),
    (r"\bsxm\b", "SXM module"),
    (r"\boam\b", "OAM module"),
    (r"\bnvl\b", "PCIe card"),
    (r"\bpcie?\b|\bpci express\b", "PCIe card"),
    (r"\bslot\b", "PCIe card"),
)
# A form alone is only half a name: the family stands in the title.
FORM_ONLY = (
    r"^(pcie?|sxm ?\d?|nvl|oam|ul|pcie form factor|sxm form factor|pcie card|sxm module|"
    r"hl-\d{3}\w?( oam| pcie( cem)?)?)( ?\d+ ?gb)?$"
)
# Words between the names of several products.
SEVERAL = r",|/|&|\b(and|or|vs)\b"
_MODEL = (
    r"\b(rtx|gtx|quadro|titan|tesla|geforce|radeon|instinct|arc|gaudi|jetson|orin|thor|tpu(?:\d\w*)?|trainium|inferentia|"
    r"sxm ?\d?|nvl|oam|pcie|hgx)\b|"
    r"\b(mi|gb|gh)\d{2,3}[axp]?\b|\bw\d{4}x?\b|\b(a|b|h|l|p|t|v|k|m|r)\d{1,4}[a-z]?\b|\b(rx|max|flex) ?\d{3,4}\b"
)
# These open a headline, and are no part of a name.
_TAIL = (
    r"\b(tensor core gpus?|graphics cards?|data ?sheet|(technical |tech )?spec(ification)?s?( sheet)?|product brief|"
    r"gpu accelerators?|(ai )?accelerators?|gpus?|graphics|values)\b"
)


@dataclass(frozen=True, slots=True)
class Product:
    """What stands at the head of a GPU's file."""

    id: str
    name: str
    vendor: str
    segment: str
    line: str
    form_factor: str


def looks_like_name(text: str) -> bool:
    """Say whether a text names a product or one of its forms."""
    if label_key(text) in LABELS and LABELS[label_key(text)][0] != NAME and not is_form(text):
        return False  # "L2 cache" is no board called L2
    found = [match[0] for match in re.finditer(_MODEL, _plain(text))]
    # "PCIe dual-slot air-cooled" says how a board is built, not what it is called.
    named = is_form(text) or not all(re.fullmatch(r"sxm ?\d?|nvl|oam|pcie", word) for word in found)
    return (bool(found) or is_form(text)) and named and len(text) < 80 and not re.search(r"[:;]|\.\s", text)


def is_form(text: str) -> bool:
    """Say whether a text is a form of a board and nothing else."""
    return bool(re.fullmatch(FORM_ONLY, re.sub(r"[()]", "", _plain(text))))


def models_in(text: str) -> tuple[str, ...]:
    """List what tells products apart in a text: model, form, memory size."""
    return tuple(found[0] for found in re.finditer(rf"{_MODEL}|\b\d+ ?gb\b", _plain(text)))


def kinds_of_form(text: str) -> set[str]:
    """List the kinds of board that a text names: SXM module, OAM module, PCIe card."""
    return {form.format("").strip() for pattern, form in FORMS if re.search(pattern, _plain(text))}


def full_name(header: str, title: str) -> str:
    """Complete a column's head ("SXM") with the family of the title ("NVIDIA H100")."""
    head = clean(header)
    if not head:
        name = clean(_first_part(title))
        models = [word for word in models_in(name) if re.search(r"\d", word) and not word.endswith("gb")]
        return "" if len(set(models)) > 1 and re.search(SEVERAL, _plain(name)) else name
    if is_form(head):
        family = full_name("", title)
        return f"{family} {head}" if family else ""
    # "v5p" beside the "TPU7x" of the title is a TPU.
    if re.match(r"v\d\w*\b", head) and re.search(r"\btpu", _plain(title)):
        return f"TPU {head}"
    # A head that only repeats a part of the title ("v5e" under "TPU v5e") is named in full there.
    family = clean(_first_part(title))
    within = re.search(rf"(?<!\w){re.escape(_plain(head))}$", _plain(family))
    others = {word for word in models_in(family) if re.search(r"\d", word)} - set(models_in(head))
    several = bool(others) or bool(re.search(SEVERAL, _plain(family)))
    return family if within and not several and not _vendor(head) else head


def _first_part(title: str) -> str:
    """Cut "NVIDIA A100 | NVIDIA" at the bar, where what stands before it is a name."""
    first = re.split(r"\s[|–—]\s|\s-\s", title)[0]
    return first if looks_like_name(first) else title


def clean(text: str) -> str:
    """Take what belongs to a headline, not to a name, out of it."""
    text = re.sub(r"\^\{[^}]*\}|[®™©]|\(TM\)|\(R\)", " ", text)
    # At the end only: "Data Center GPU Max" keeps its word.
    text = re.sub(rf"(?:\s*{_TAIL})+(?=\s*(?:[(|:–—]|-\s|$))", " ", text, flags=re.IGNORECASE)
    return re.sub(r"\s+", " ", re.sub(r"[()\[\]]", " ", text)).strip(" -–—|:,")


def part_numbers(name: str) -> list[str]:
    """List the numbers by which a maker calls its boards: HL-338."""
    return re.findall(r"\bHL-\d{3}\w?\b", name, re.IGNORECASE)


def without_part_number(name: str) -> str:
    """Take Gaudi's numbers of boards out of a name: "Gaudi 3 HL-338 PCIe CEM" is the Gaudi 3 PCIe."""
    return re.sub(r"\s+", " ", re.sub(r"\bHL-\d{3}\w?\b|\bCEM\b", " ", name, flags=re.IGNORECASE)).strip()


def with_family(name: str, title: str) -> str:
    """Put the words before the title's first model in front of a name: "W7900" of "Radeon PRO W7900 and W7800".

    Without a model in the title, what stands before the name's own first word: "Jetson" of "Jetson AGX Orin".
    """
    starts = [found.start() for found in re.finditer(_MODEL, title, re.IGNORECASE) if re.search(r"\d", found[0])]
    starts = starts or [found.start() for found in re.finditer(rf"\b{re.escape(name.partition(' ')[0])}\b", title)]
    family = clean(title[: starts[0]]) if starts else ""
    return f"{family} {name}" if family and not _vendor(name) else name


def describe(name: str, title: str, form: str) -> Product | None:
    """Look a product up; None when no line of `LINES` fits its name."""
    plain = _plain(name)
    for pattern, vendor, segment, line in LINES:
        found = re.search(pattern, plain) or re.search(pattern, _plain(f"{title} {name}"))
        if not found or (_vendor(name) or _vendor(title)) not in ("", vendor):
            continue
        series = next((group for group in found.groups() if group), "") if found.groups() else ""
        full = name if _vendor(name) == vendor and vendor.casefold() in plain else f"{vendor} {name}"
        return Product(_id(full), full, vendor, segment, line.format(series.upper()), form_of(f"{name} {form}"))
    return None


def form_of(text: str) -> str:
    """Find the form factor in a text."""
    for pattern, form in FORMS:
        found = re.search(pattern, _plain(text))
        if found:
            return form.format(*found.groups())
    return NOT_STATED


def _vendor(text: str) -> str:
    plain = _plain(text)
    return next((vendor for word, vendor in VENDOR_WORDS if re.search(rf"\b{word}\b", plain)), "")


def _id(name: str) -> str:
    words = re.split(r"[^a-z0-9.]+", re.sub(r"(\d+) (?=gb\b)", r"\1", _plain(name)))
    return "-".join(word.strip(".") for word in words if word.strip("."))


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\^\{[^}]*\}|[®™©]", " ", text)).strip().casefold()
