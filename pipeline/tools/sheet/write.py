"""Writes the draft of data/gpus/<id>.yml for a product of a sheet, checked by the reader of GPUs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from pipeline.core import gpus
from pipeline.core.documents import UNREAD_URL
from pipeline.core.gpus import Gpu
from pipeline.core.schema import field_of
from pipeline.tools.sheet.fields import DraftValue
from pipeline.tools.sheet.form import SheetError
from pipeline.tools.sheet.products import NOT_STATED, Product

VENDOR_HOSTS = ("nvidia.com", "amd.com", "intel.com", "habana.ai", "google.com", "apple.com", "amazon.com", "aws.com")
# A reserved name (RFC 2606) that leads nowhere: the address of a local file is for a person to fill in.
NO_ADDRESS = "https://address-not-given.invalid/"
DOCUMENT = "data-sheet"
LONGEST = 500
LONGEST_ID = 100  # twice the longest of ours; what is longer was a heading or a sentence


def document_of(title: str, url: str, read: date) -> dict[str, str]:
    """Describe the sheet: a vendor's only when its address is the vendor's."""
    host = (urlsplit(url).hostname or "").casefold()
    vendor = any(host == known or host.endswith("." + known) for known in VENDOR_HOSTS)
    return {
        "title": title[:LONGEST],
        "kind": "vendor" if vendor else "datasheet-copy",
        "url": url or NO_ADDRESS,
        "read": read.isoformat(),
        "licence": "not stated",
    }


def text_of(
    product: Product,
    known: Gpu | None,
    architecture: str,
    document: dict[str, str],
    values: Sequence[DraftValue],
    shared: str = "",
) -> str:
    """Write the YAML of one GPU; `shared` says that several GPUs that exist share its name."""
    lines = [f"# data/gpus/{product.id}.yml", *([f"# Look first: {shared}."] if shared else [])]
    if known:
        lines.append("# The file exists: add the document and the values below to it, and keep its head.")
    if document["url"] == NO_ADDRESS:
        lines.append("# The address of the sheet is not known: put its public address in place of the .invalid one.")
    lines += [f"{name}: {_scalar(text)}" for name, text in _head(product, known, architecture)]
    aliases = known.aliases if known else ()
    lines += ["aliases:", *(f"  - {_scalar(alias)}" for alias in aliases)] if aliases else []
    about = {key: text if key == "read" else _scalar(text) for key, text in document.items()}
    told = ["documents:", f"  {DOCUMENT}:", *(f"    {key}: {text}" for key, text in about.items())]
    # A document stands for what it states: without a figure it waits for the first one.
    lines += told if values else [WAITS, *(f"# {one}" for one in told), "documents: {}"]
    lines += ["values:"] if values else ["values: []"]
    for value in values:
        lines += _value(value)
    return "\n".join(lines) + "\n"


WAITS = "# No figure was drafted. With the first one, take out these marks and the empty documents below."


def check(product_id: str, text: str) -> None:
    """Read a draft the way the pipeline will, its address given or not; SheetError when it would refuse it."""
    if len(product_id) > LONGEST_ID:
        raise SheetError(
            f"a product's name of {len(product_id)} letters ({product_id[:40]!r} and so on) is none; "
            f"see whether the sheet's heads are the names of its products"
        )
    with tempfile.TemporaryDirectory() as folder:
        addressed = text.replace(NO_ADDRESS, UNREAD_URL)
        (Path(folder) / f"{product_id}.yml").write_text(addressed, encoding="utf-8")
        try:
            gpus.load(Path(folder))
        except gpus.GpuError as error:
            raise SheetError(f"the draft is not a valid GPU: {error}; please report the sheet") from None


def _head(product: Product, known: Gpu | None, architecture: str) -> list[tuple[str, str]]:
    if known:
        return [
            ("name", known.name),
            ("vendor", known.vendor),
            ("segment", known.segment),
            ("line", known.line),
            ("architecture", known.architecture),
            ("form_factor", known.form_factor),
            *([("dies", str(known.dies))] if known.dies > 1 else []),
        ]
    return [
        ("name", product.name),
        ("vendor", product.vendor),
        ("segment", product.segment),
        ("line", product.line),
        ("architecture", architecture or NOT_STATED),
        ("form_factor", product.form_factor),
    ]


def _value(value: DraftValue) -> list[str]:
    printed = f', printed "{value.printed}"' if value.printed != value.text else ""
    locator = f"{value.place}{printed}"[:LONGEST]
    remark = f"; {value.remark}" if value.remark else ""
    unit = field_of(value.field).type in ("number", "integer")
    comment = f"  # = {value.converted}{remark}" if unit else f"  # {value.remark}" if remark else ""
    return [
        f"  - field: {value.field}",
        f"    value: {_scalar(value.text)}{comment}",
        f"    document: {DOCUMENT}",
        f"    locator: {_scalar(locator)}",
    ]


def _scalar(text: str) -> str:
    """Write one text as YAML on one line, quoted where it would read as something else."""
    written = yaml.safe_dump(text, allow_unicode=True, width=10**6, default_flow_style=True).strip()
    return written.removesuffix("...").strip()
