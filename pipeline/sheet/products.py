"""What a product's name says about the card: name in, vendor, segment, line and form out, from visible tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
    (r"\btpu\b", "Google", "datacenter", "TPU"),
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
    (r"\bsxm ?(\d)\b", "SXM{} module"), (r"\bsxm\b", "SXM module"), (r"\boam\b", "OAM module"),
    (r"\bnvl\b", "PCIe card"), (r"\bpcie?\b|\bpci express\b", "PCIe card"), (r"\bslot\b", "PCIe card"),
)  # fmt: skip
# A form alone is only half a name: the family stands in the title.
FORM_ONLY = r"^(pcie?|sxm ?\d?|nvl|oam|ul|pcie form factor|sxm form factor|pcie card|sxm module)( ?\d+ ?gb)?$"
_MODEL = (
    r"\b(rtx|gtx|quadro|titan|tesla|geforce|radeon|instinct|arc|gaudi|jetson|tpu|trainium|inferentia|"
    r"sxm ?\d?|nvl|oam|pcie|hgx)\b|"
    r"\b(mi|gb|gh)\d{2,3}[axp]?\b|\b(a|b|h|l|p|t|v|k|m|r)\d{1,4}[a-z]?\b|\b(rx|max|flex) ?\d{3,4}\b"
)
# These open a headline, and are no part of a name.
_TAIL = (
    r"\b(tensor core gpus?|graphics cards?|data ?sheet|spec(ification)?s?( sheet)?|product brief|gpu accelerators?|"
    r"accelerators?|gpus?|graphics)\b"
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
    return bool(re.search(_MODEL, _plain(text))) and len(text) < 80 and not re.search(r"[:;]|\.\s", text)


def full_name(header: str, title: str) -> str:
    """Complete a column's head ("SXM") with the family of the title ("NVIDIA H100")."""
    head = clean(header)
    if not head:
        return clean(title)
    if re.fullmatch(FORM_ONLY, _plain(head)):
        return f"{clean(title)} {head}".strip()
    return head


def clean(text: str) -> str:
    """Take what belongs to a headline, not to a name, out of it."""
    text = re.sub(r"\^\{[^}]*\}|[®™©]|\(TM\)|\(R\)", " ", text)
    # At the end only: "Data Center GPU Max" keeps its word.
    text = re.sub(rf"(?:\s*{_TAIL})+(?=\s*(?:[(|:–—]|-\s|$))", " ", text, flags=re.IGNORECASE)
    return re.sub(r"\s+", " ", re.sub(r"[()\[\]]", " ", text)).strip(" -–—|:,")


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
