"""Thirty mistakes that people make in the files of data/: each is told with its file, in words, with the next step."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter, ValidationError
from samples import GPU, SOUND, Tree, as_yaml, claim, committed

from pipeline.advise.choose import hosts
from pipeline.advise.estimate import support
from pipeline.commands import whole
from pipeline.core import currencies, documents, files, gpus, makers
from pipeline.core.findings import Finding
from pipeline.core.measured.metrics import COLUMNS
from pipeline.core.paths import DATA, ROOT
from pipeline.core.schema import columns
from pipeline.core.yaml_text import lines_of
from pipeline.derive import cloud
from pipeline.derive.prices import observe
from pipeline.editorial import prose
from pipeline.record import build, check

ID = "nvidia-geforce-rtx-4090"
FILE = f"data/gpus/{ID}.yml"
DOCUMENT = {
    "title": "Product page",
    "kind": "vendor",
    "url": "https://e.org/4090",
    "read": "2026-11-21",
    "licence": "not stated",
}
VALUE = {"field": "board_power_w", "value": "450 W", "document": "page", "locator": "row Power"}
SOUND_GPU: Mapping[str, Any] = {**GPU, "documents": {"page": DOCUMENT}, "values": [VALUE]}
# Words of the workshop that no message to a contributor may hold.
JARGON = re.compile(
    r"Traceback|pydantic|\bNone\b|NoneType|\bdict\b|\btuple\b|\bstr\b|Literal|KeyError|ValueError|loc=|"
    r"Extra inputs|Field required"
)


def gpu(change: Callable[[dict[str, Any]], object]) -> Callable[[Tree], None]:
    """The sound GPU with one thing changed."""

    def broken(tree: Tree) -> None:
        content = copy.deepcopy(dict(SOUND_GPU))
        change(content)
        tree.gpu(ID, content)

    return broken


def raw(old: str, new: str, path: str = f"gpus/{ID}.yml") -> Callable[[Tree], None]:
    """The sound GPU's text with one piece of it exchanged."""

    def broken(tree: Tree) -> None:
        text = yaml.safe_dump(dict(SOUND_GPU), sort_keys=False, allow_unicode=True)
        assert old in text
        tree.write(path, text.replace(old, new, 1))

    return broken


def value(**changes: object) -> Callable[[Tree], None]:
    return gpu(lambda content: content["values"].append(VALUE | changes))


def document(**changes: object) -> Callable[[Tree], None]:
    return gpu(lambda content: content["documents"]["page"].update(changes))


def second_title(content: dict[str, Any]) -> None:
    """The same value from the same address, the document under another title."""
    content["documents"]["again"] = DOCUMENT | {"title": "The page again", "url": DOCUMENT["url"] + "#row-power"}
    content["values"].append(VALUE | {"document": "again"})


def write(path: str, text: str) -> Callable[[Tree], None]:
    return lambda tree: tree.write(path, text)


def sibling(tree: Tree, **changes: object) -> None:
    """Another sound card of the same maker."""
    content = {**SOUND_GPU, "name": "NVIDIA GeForce RTX 4080", "aliases": ["RTX 4080"], **changes}
    tree.gpu("nvidia-geforce-rtx-4080", content)


def keplar(tree: Tree) -> None:
    sibling(tree, architecture="Kepler")
    tree.gpu(
        "nvidia-geforce-rtx-4070", {**SOUND_GPU, "name": "4070", "aliases": ["RTX 4070"], "architecture": "Kepler"}
    )
    tree.gpu(ID, {**SOUND_GPU, "architecture": "Keplar"})


def new_day(tree: Tree) -> None:
    tree.write(
        "snapshots.csv", "source,file,url,form,retrieved,published,licence,sha256,rows\na,b,c,d,2026-11-20,,,,\n"
    )
    document(read="2031-01-01")(tree)


def twin(tree: Tree) -> None:
    sibling(tree, aliases=["RTX 4090"])


# Each of these lists means the one before it nine times: 500 bytes stand for 9 ** 9 entries.
NESTED = [f"n{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)]
SET = (
    "set: mine\ntitle: Mine\nsource: me\nkind: community\nurl: https://e.org\nlicence: CC BY-SA 4.0\ndate: 2026-11-20\n"
)
PRICES = (
    "title: A shop\npublisher: Shop\nurl: https://e.org\nkind: community\nlicence: not stated\n"
    "read: 2026-11-20\nbasis: asked\n"
)
PRICE_HEAD = "gpu,kind,product,provider,country,price,currency,tax,gpus,basis,condition,date,url,locator,note,flag\n"


def prices(row: str, about: str = PRICES) -> Callable[[Tree], None]:
    def broken(tree: Tree) -> None:
        tree.write("price-sets/mine.csv", PRICE_HEAD + row)
        tree.write("price-sets/mine.yml", about)

    return broken


def result_set(csv: str, about: str = SET) -> Callable[[Tree], None]:
    def broken(tree: Tree) -> None:
        tree.write("benchmarks/mine.csv", csv)
        tree.write("benchmarks/mine.yml", about)

    return broken


def family(tree: Tree) -> None:
    for model in ("4070", "4071", "4072", "4073", "4074"):
        tree.gpu(f"nvidia-rtx-{model}", {**SOUND_GPU, "name": f"NVIDIA RTX {model}", "aliases": []})
    gpu(lambda c: c["aliases"].append("RTX"))(tree)


def line(tree: Tree) -> None:
    family(tree)
    gpu(lambda c: c["aliases"].append("GeForce RTX 40"))(tree)


def ambiguous(tree: Tree) -> None:
    sibling(tree)
    write("names/x.yml", f"ambiguous: [{{name: RTX Ada, could_be: [{ID}, nvidia-geforce-rtx-4080], reason: r}}]")(tree)
    gpu(lambda c: c["aliases"].append("RTX Ada"))(tree)


def results_of(about: str = SET, **changes: str) -> Callable[[Tree], None]:
    """A sound set of one result with some cells changed."""
    row = {**dict.fromkeys(COLUMNS, ""), **RESULT, **changes}
    return result_set(",".join(COLUMNS) + "\n" + ",".join(row[column] for column in COLUMNS) + "\n", about)


RESULT = {
    "gpu": ID,
    "gpu_count": "1",
    "workload": "inference",
    "model": "llama",
    "precision": "fp16",
    "metric": "output_throughput",
    "value": "100",
    "unit": "tokens/s",
    "higher_is_better": "yes",
    "software": "vLLM 0.10",
    "date": "2026-11-20",
}
ROW = ",".join({**dict.fromkeys(COLUMNS, ""), **RESULT}[column] for column in COLUMNS)


DECODED = {"model": "Llama-3.1-8B", "metric": "generation_speed", "batch": "1"}


def future_set(tree: Tree) -> None:
    new_day(tree)
    tree.gpu(ID, dict(SOUND_GPU))
    results_of(SET.replace("2026-11-20", "2031-01-01"))(tree)


def future_row(tree: Tree) -> None:
    """A row of the future in a set whose YAML cannot be read."""
    new_day(tree)
    tree.gpu(ID, dict(SOUND_GPU))
    results_of("set: mine: x\n", date="2031-01-01")(tree)


def withdraws(**changes: object) -> Callable[[Tree], None]:
    """A correction of the tests' board power with some of its lines changed."""
    return lambda tree: tree.write("corrections.yml", yaml.safe_dump({"withdrawn": [WITHDRAWAL | changes]}))


WITHDRAWAL = {
    "source": "wikipedia-gpu-info",
    "gpu": ID,
    "field": "board_power_w",
    "expect": "450",
    "reason": "figure of another card",
}


def ignored(pattern: str) -> Callable[[Tree], None]:
    entry = {"pattern": pattern, "sources": ["wikipedia-gpu-info"], "reason": "r"}
    return lambda tree: tree.write("names/x.yml", yaml.safe_dump({"ignored": [entry]}))


def shared_twice(tree: Tree) -> None:
    sibling(tree)
    entry = {"name": "RTX Ada", "could_be": [ID, "nvidia-geforce-rtx-4080"], "reason": "r"}
    tree.write("names/x.yml", as_yaml({"ambiguous": [entry, {**entry, "could_be": [ID]}]}))


def rdna(tree: Tree) -> None:
    amd = {"name": "AMD Radeon RX 7900", "vendor": "AMD", "line": "Radeon", "architecture": "RDNA 3"}
    tree.gpu("amd-radeon-rx-7900", {**SOUND_GPU, **amd, "aliases": []})
    gpu(lambda c: c.update(architecture="RDNA 3"))(tree)


def half_a_form(tree: Tree) -> None:
    sibling(tree, form_factor="PCIe card")
    tree.gpu("nvidia-geforce-rtx-4070", {**SOUND_GPU, "name": "4070", "aliases": [], "form_factor": "PCIe card"})
    gpu(lambda c: c.update(form_factor="PCIe"))(tree)


def price_in_two_sets(tree: Tree) -> None:
    row = f"{ID},retail,RTX 4090,Shop,US,1999,USD,,,,,2026-11-20,,row 1,,\n"
    prices(row)(tree)
    tree.write("price-sets/other.csv", PRICE_HEAD + row)
    tree.write("price-sets/other.yml", PRICES)


def price_in_two_spellings(tree: Tree) -> None:
    price_in_two_sets(tree)
    path = tree.data.data / "price-sets/other.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",Shop,", ",SHOP,"), encoding="utf-8")


# What is done wrong -> how, the file that the message names, and what it says.
MISTAKES: dict[str, tuple[Callable[[Tree], None], str, str]] = {
    "a day of reading in the future": (new_day, FILE, "lies in the future"),
    "a day that does not exist": (raw("'2026-11-21'", "2026-02-30"), FILE, r"read: '2026-02-30' is no day"),
    "a shop for a product": (
        prices(f"{ID},retail,Shop,ASUS RTX 4090,US,1999,USD,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        r"mine.csv:2: provider = 'ASUS RTX 4090': names the card, .*changed places",
    ),
    "a price in cents": (
        prices(f"{ID},retail,RTX 4090,Shop,US,199900,USD,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        r"mine.csv:2: price = '199900 USD': .*if it is right, add a second source",
    ),
    "a price that is not a number": (
        prices(f"{ID},retail,Card,Shop,US,nan,USD,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        "'nan'",
    ),
    "a key that stands twice": (
        raw("segment: consumer", "segment: consumer\nsegment: workstation"),
        FILE,
        r"'segment' stands twice, here and in line \d+",
    ),
    "a misspelled architecture": (keplar, FILE, "did you mean 'Kepler'"),
    "a Cyrillic letter": (gpu(lambda c: c.update(name="NVIDIA GeForce RТX 4090")), FILE, "a Cyrillic letter"),
    "the same alias twice": (
        gpu(lambda c: c.update(aliases=["RTX 4090", "rtx 4090"])),
        FILE,
        "stands twice, as entries 1 and 2",
    ),
    "a GPU without documents": (
        lambda tree: tree.gpu("nvidia-rtx-9", {**GPU, "name": "RTX 9", "aliases": ["RTX 9"]}),
        "data/gpus/nvidia-rtx-9.yml",
        "no document and no source says anything of it",
    ),
    "a YAML of 30 MB": (write(f"gpus/{ID}.yml", "name: x\nnote: " + "a" * 30_000_000), FILE, "has 30.0 MB"),
    "200,000 rows": (
        result_set("gpu\n" + "row,of,a,table\n" * 200_000),
        "data/benchmarks/mine.csv",
        "MB, and at most 2 MB",
    ),
    "a maker that does not exist": (gpu(lambda c: c.update(vendor="NVIDA")), FILE, "did you mean 'NVIDIA'"),
    "a field that does not exist": (
        gpu(lambda c: c.update(memory="24 GB")),
        FILE,
        "memory: is no name that may stand here",
    ),
    "a misspelled field of the head": (raw("form_factor:", "form_facter:"), FILE, "did you mean 'form_factor'"),
    "a value without its place": (
        gpu(lambda c: c["values"][0].pop("locator")),
        FILE,
        r"values, entry 1, locator: is missing",
    ),
    "a value of an unlisted document": (value(document="pag"), FILE, "did you mean 'page'"),
    "a figure that does not exist": (value(field="memory_bandwith"), FILE, "unknown field 'memory_bandwith'"),
    "a decimal comma": (
        value(field="peak:bf16:fp32:dense:tensor", value="165,2 TFLOPS"),
        FILE,
        "write a point: '165.2 TFLOPS'",
    ),
    "a number without its unit": (
        value(field="memory_bandwidth_gb_s", value="1008"),
        FILE,
        "no unit given where GB/s is needed",
    ),
    "a misspelled unit": (value(field="memory_bandwidth_gb_s", value="1008 GBs"), FILE, "did you mean"),
    "a unit of another kind": (value(value="450 GB"), FILE, "does not fit a field in W"),
    "two numbers in one value": (value(value="450 to 500 W"), FILE, "unknown unit"),
    "a date in another order": (value(field="launch_date", value="12.10.2022"), FILE, "is not a date as 2022"),
    "a word for a kind of paper": (document(kind="rumour"), FILE, "'rumour' is none of vendor"),
    "an address that is none": (document(url="www.nvidia.com"), FILE, "is no web address"),
    "a script for an address": (document(url="javascript:alert(1)"), FILE, "is no web address"),
    "a tab in the indentation": (
        raw("documents:\n  page:", "documents:\n\tpage:"),
        FILE,
        "a tab stands where spaces belong",
    ),
    "a colon in a value": (raw("title: Product page", "title: Page: all of it"), FILE, "a colon stands inside a value"),
    "a quote that is not closed": (raw("title: Product page", "title: 'Product page"), FILE, r"^data/gpus/[^ ]+:\d+: "),
    "aliases as one text": (gpu(lambda c: c.update(aliases="RTX 4090")), FILE, "is no list"),
    "no UTF-8": (
        lambda tree: (tree.data.gpus / f"{ID}.yml").write_bytes("name: Café\n".encode("latin-1")) and None,
        FILE,
        "is no UTF-8 text",
    ),
    "an empty file": (write(f"gpus/{ID}.yml", ""), FILE, "holds no fields; see the recipe"),
    "the name of another card": (twin, "data/gpus/", "already means"),
    "a power of ten too much": (value(value="45000 W"), FILE, "outside 5 to 5000 W"),
    "a misspelled architecture that no other card has": (
        gpu(lambda c: c.update(architecture="Keplar")),
        FILE,
        "did you mean 'Kepler'",
    ),
    "a figure of one document far from all others": (
        value(field="peak:fp32:fp32:dense:vector", value="1,430 TFLOPS"),
        FILE,
        "17.3 times apart from the 82.6",
    ),
    "a table of units that cannot be read": (
        write("architectures.yml", "documents: {}\nclocks: []\ngruops: []\n"),
        "data/architectures.yml",
        "did you mean 'groups'",
    ),
    "a file whose name ends otherwise": (
        write("gpus/nvidia-rtx-5090.yaml", "name: x\n"),
        "data/gpus/nvidia-rtx-5090.yaml",
        "a file here ends in .yml",
    ),
    "a file that is no id": (
        write("gpus/RTX 5090.yml", yaml.safe_dump({**SOUND_GPU, "name": "RTX 5090", "aliases": []})),
        "data/gpus/RTX 5090.yml",
        "rename the file",
    ),
    "FP64 beyond FP32": (
        value(field="peak:fp64:fp64:dense:vector", value="1,430 TFLOPS"),
        FILE,
        "more than the 82.6 of FP32",
    ),
    "a halved bus": (value(field="memory_bus_bit", value="192 bit"), FILE, "halved bus"),
    "an empty set of results": (result_set(""), "data/benchmarks/mine.csv", "is empty; its first line must be"),
    "a set with other columns": (result_set("gpu,speed\n"), "data/benchmarks/mine.csv", "not known: speed"),
    "a set without its origin": (write("benchmarks/mine.csv", "gpu\n"), "data/benchmarks/mine.yml", "is not there"),
    "a price in a strange currency": (
        prices(f"{ID},retail,Card,Shop,US,5,XXX,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        "a currency of data/currencies.yml",
    ),
    "a correction with a misspelled field": (
        write(
            "corrections.yml",
            "withdrawn:\n  - source: a\n    gpu: b\n    feild: c\n"  # codespell:ignore
            "    expect: '1'\n    reason: figure of another card\n",
        ),
        "data/corrections.yml",
        "did you mean 'field'",
    ),
    "a correction that matches nothing": (
        write(
            "corrections.yml",
            "withdrawn: [{source: epoch, gpu: a-b, field: memory_gb, expect: '1', reason: figure of another card}]",
        ),
        "data/corrections.yml",
        "withdrawn, entry 1: gpu: .a-b. is no card of which anything is said",
    ),
    "the same field twice of one place": (
        gpu(lambda c: c["values"].append({**VALUE, "value": "425 W"})),
        FILE,
        "'page' states it already in entry 1, at the same place",
    ),
    "the same field twice of one document": (
        value(value="425 W", locator="footnote"),
        FILE,
        "the same document states 450 W at row Power",
    ),
    "one address under two titles": (gpu(second_title), FILE, "page states it from the same address"),
    "full-width digits": (value(value="４５０ W", locator="x"), FILE, "'４', a digit of another script; type it as 4"),
    "full-width digits in a name": (gpu(lambda c: c.update(line="GeForce ４０")), FILE, "a digit of another script"),
    "full-width digits in a price": (
        prices(f"{ID},retail,Card,Shop,US,１２９９,USD,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        "column 'price' holds '１２９９'; it must be an amount: digits with a point",
    ),
    "a script in a name": (
        gpu(lambda c: c.update(name="RTX 4090 <script>alert(1)</script>")),
        FILE,
        r"name: holds '<script>', which is code of a web page",
    ),
    "markup in an alias": (gpu(lambda c: c["aliases"].append("<b>4090</b>")), FILE, "which is code of a web page"),
    "markup in a value": (value(field="power_connectors", value="1x <i>16-pin</i>"), FILE, "code of a web page"),
    "an order to the templates": (
        gpu(lambda c: c.update(note="{{ price('x') }}")),
        FILE,
        "which is code of a web page",
    ),
    "markup in a product": (
        prices(f"{ID},retail,<img src=x>,Shop,US,5,USD,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        "column 'product' is still to be filled in",
    ),
    "markup beside a product": (
        prices(f"{ID},retail,Card <img src=x>,Shop,US,5,USD,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        "column 'product' holds '<img src=x>', which is code",
    ),
    "another maker than the file's name": (
        gpu(lambda c: c.update(vendor="AMD")),
        FILE,
        "vendor: 'AMD' is not the maker that the file's name begins with, 'nvidia'",
    ),
    "a name of another maker": (gpu(lambda c: c["aliases"].append("AMD 4090")), FILE, "names a product of AMD"),
    "an alias of one letter": (gpu(lambda c: c["aliases"].append("R")), FILE, "too short to mean one product"),
    "an alias that is a family": (family, FILE, "is the name of a family: 5 other cards have it"),
    "an alias that is a line": (line, FILE, "is the name of a family"),
    "an alias that is listed as ambiguous": (ambiguous, FILE, "'RTX Ada' is ambiguous: 2 cards share it"),
    "a type of sums that no chip has": (
        value(field="peak:fp4:int32:dense:tensor", value="1 TOPS"),
        FILE,
        "products of fp4 are summed in fp16 or fp32, never in int32",
    ),
    "sums of whole numbers in FP32": (
        value(field="peak:int8:fp32:dense:tensor", value="1 TOPS"),
        FILE,
        "products of int8 are summed in int32",
    ),
    "a document on localhost": (
        document(url="http://localhost:8000/a.pdf"),
        FILE,
        "leads nowhere from another machine",
    ),
    "a document that is an example": (
        document(url="https://docs.example.org/a.pdf"),
        FILE,
        "'docs.example.org' is a name for examples, where no page lies; give the address of the document",
    ),
    "an address that the draft left open": (
        document(url="https://address-not-given.invalid/"),
        FILE,
        "is a name for examples, where no page lies",
    ),
    "a price page that is an example": (
        prices(f"{ID},retail,Card,Shop,US,1999,USD,,,,,2026-11-20,https://shop.example.com/p,row 1,,\n"),
        "data/price-sets/mine.csv",
        "is a name for examples, where no page lies",
    ),
    "a note that is a text": (gpu(lambda c: c.update(note="word " * 500)), FILE, "note: is too long; shorten it"),
    "the maker twice in a name": (
        gpu(lambda c: c.update(name="NVIDIA Nvidia GeForce RTX 4090")),
        FILE,
        "'NVIDIA Nvidia GeForce RTX 4090' holds 'NVIDIA' twice; take one out",
    ),
    "quotes of print around a name": (
        gpu(lambda c: c.update(name="“GeForce RTX 4090”")),
        FILE,
        "'“', which is no part of a name; take it out",
    ),
    "an id of a document with spaces": (
        raw("  page:\n", "  the page:\n"),
        FILE,
        "documents: 'the page' is no id of a document; write small letters, digits, dots and hyphens",
    ),
    "one page by http and by https": (
        gpu(
            lambda c: (
                c["documents"].update(other={**DOCUMENT, "url": "http://www.e.org/4090/"}),
                c["values"].append({**VALUE, "field": "slot_width", "value": "3", "document": "other"}),
            )
        ),
        FILE,
        r":\d+: documents, (?:page|other): is the same document as (?:page|other)",
    ),
    "an address with the mark of a letter": (
        document(url="https://e.org/4090?a=1&utm_source=chatgpt.com#x"),
        FILE,
        "'utm_source=chatgpt.com' in this address says who led you there, and nothing of the page; take it out",
    ),
    "a folder among the cards": (
        write("gpus/new/nvidia-rtx-9.yml", "name: x\n"),
        "data/gpus/new",
        "is read by nothing: move its files to data/gpus, where all lie side by side",
    ),
    "a result that stands twice but for capitals": (
        result_set("\n".join((",".join(COLUMNS), *(ROW.replace("fp16", word) for word in ("fp16", "FP16")), ""))),
        "data/benchmarks/mine.csv",
        "row 2 is of the same measurement; keep one of the two",
    ),
    "a document in a private network": (document(url="https://192.168.1.4/a"), FILE, "leads nowhere from another"),
    "a price page in a private network": (
        prices(f"{ID},retail,Card,Shop,US,5,USD,,,,,2026-11-20,http://nas.local/p,row 1,,\n"),
        "data/price-sets/mine.csv",
        "leads nowhere from another machine",
    ),
    "a set's origin without its table": (
        write("price-sets/lone.yml", PRICES),
        "data/price-sets/lone.yml",
        "there is no lone.csv beside it",
    ),
    "a price set without its origin": (
        write("price-sets/lone.csv", PRICE_HEAD),
        "data/price-sets/lone.yml",
        "is not there; each set needs its YAML",
    ),
    "a set that spells a name otherwise": (
        result_set("", SET.replace("licence:", "license:")),
        "data/benchmarks/mine.yml",
        r"mine.yml:6: licence: is missing; 'license' stands there, did you mean that\? Write 'licence'",
    ),
    "a row of the future beside a broken origin": (
        future_row,
        "data/benchmarks/mine.csv",
        "lies in the future",
    ),
    "a benchmark set of the future": (future_set, "data/benchmarks/mine.yml", "lies in the future"),
    "semicolons for commas": (
        write("price-sets/mine.csv", PRICE_HEAD.replace(",", ";")),
        "data/price-sets/mine.csv",
        "parted by semicolons; save it as CSV with commas",
    ),
    "a row that lacks cells": (
        prices(f"{ID},retail,Card\n"),
        "data/price-sets/mine.csv",
        "has 3 cells, and there are 16 columns; the last ones, from 'provider' on, are missing",
    ),
    "an open quote in a table": (
        prices(f'{ID},retail,"Card,Shop,US,5,USD,,,,,2026-11-20,,row 1,,\n'),
        "data/price-sets/mine.csv",
        r"never closed",
    ),
    "a tax of the set out of range": (
        prices(f"{ID},retail,Card,Shop,US,5,USD,,,,,2026-11-20,,row 1,,\n", PRICES + "tax: 190\n"),
        "data/price-sets/mine.yml",
        "tax: is no sales tax in per cent",
    ),
    "a set that forbids commercial use": (
        results_of(SET.replace("CC BY-SA 4.0", "CC BY-NC 4.0")),
        "data/benchmarks/mine.yml",
        "mine.yml:6: licence: 'CC BY-NC 4.0' forbids commercial use",
    ),
    "a machine for a card": (
        prices(f"{ID},used,Gaming PC with RTX 4090 and i9,Shop,US,3850,USD,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        ":2: product = '.*': is a machine, as 'Gaming PC' says, and no card; write kind system",
    ),
    "a card by what people call it": (
        prices("RTX 4090,retail,RTX 4090,Shop,US,1999,USD,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        ":2: gpu = 'RTX 4090': no GPU has this id; did you mean 'nvidia-geforce-rtx-4090'",
    ),
    "a price in two sets, of one shop in two spellings": (
        price_in_two_spellings,
        "data/price-sets/other.csv",
        r":2: price = '1999.0': stands in mine too",
    ),
    "a metric that no table knows": (
        results_of(metric="speed"),
        "data/benchmarks/mine.csv",
        "metric = 'speed' is no word of ours; .*data/benchmarks/README.md",
    ),
    "a count of GPUs in words": (
        results_of(gpu_count="two"),
        "data/benchmarks/mine.csv",
        "gpu_count = 'two'; write how many",
    ),
    "half a repetition": (
        results_of(repetitions="2.5"),
        "data/benchmarks/mine.csv",
        r"mine.csv:2: .*repetitions = '2.5'; write how many runs there were",
    ),
    "a packing that is none": (
        results_of(precision="q9_k_m"),
        "data/benchmarks/mine.csv",
        r"mine.csv:2: .*precision = 'q9_k_m' is no word of ours; write a format .* or the packing of the weights",
    ),
    "packed weights that the memory cannot read so fast": (
        results_of(**DECODED, value="5000", precision="q4_k_m"),
        "data/benchmarks/mine.csv",
        "5000 tokens/s is refused by theory: reads 2",
    ),
    "a run on a day that does not exist": (
        results_of(date="2026-02-30"),
        "data/benchmarks/mine.csv",
        "a day that the calendar has",
    ),
    "a value that is a list": (value(value=[1, 2]), FILE, "is no single value; write it as the document prints it"),
    "a value that is empty": (value(value=None), FILE, "values, entry 2, value: is empty; write it"),
    "the marks of a merge": (
        raw("segment: consumer", "<<<<<<< mine\nsegment: consumer\n=======\nsegment: edge\n>>>>>>> theirs"),
        FILE,
        r":\d+: two changes of this file were not put together",
    ),
    "a sign that no text holds": (raw("segment: consumer", "segment: consumer\0"), FILE, "a sign that no text holds"),
    "a card of a set that does not exist": (
        prices("nvidia-geforce-rtx-409,retail,Card,Shop,US,5,USD,,,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        "mine.csv:2: gpu = .*no GPU has this id; did you mean 'nvidia-geforce-rtx-4090'. write the name of a file",
    ),
    "a withdrawal for a card that does not exist": (
        withdraws(gpu="nvidia-geforce-rtx-4091"),
        "data/corrections.yml",
        r"corrections.yml:2: withdrawn, entry 1: .* is no card .*; did you mean 'nvidia-geforce-rtx-4090'",
    ),
    "a withdrawal of a source that is silent": (
        withdraws(source="wikipedia-gpus"),
        "data/corrections.yml",
        "says nothing of nvidia-geforce-rtx-4090; did you mean 'wikipedia-gpu-info'",
    ),
    "a withdrawal of a figure that is not stated": (
        withdraws(field="tensor_cores"),
        "data/corrections.yml",
        "states no tensor_cores of .*; take the correction out, or name what it states",
    ),
    "a withdrawal that does not say why": (
        withdraws(reason="wrong"),
        "data/corrections.yml",
        r"corrections.yml:\d+: withdrawn, entry 1, reason: 'wrong' does not say why; write in a sentence what is wrong",
    ),
    "an acceptance that does not say why": (
        write(
            "corrections.yml",
            f"accepted: [{{check: sparse_is_twice_dense, gpu: {ID}, field: ecc, value: '1', reason: known}}]",
        ),
        "data/corrections.yml",
        r"accepted, entry 1, reason: 'known' does not say why",
    ),
    "a withdrawal of another value": (
        withdraws(expect="500"),
        "data/corrections.yml",
        "says board_power_w = 450 of nvidia-geforce-rtx-4090, not 500; take the correction out, or set expect",
    ),
    "an acceptance of a check that does not exist": (
        write(
            "corrections.yml",
            f"accepted: [{{check: sparse_is_twice, gpu: {ID}, field: ecc, value: '1', reason: figures of the maker}}]",
        ),
        "data/corrections.yml",
        "accepted, entry 1: check: 'sparse_is_twice' is no check; did you mean 'sparse_is_twice_dense'",
    ),
    "aliases that unfold to gigabytes": (
        raw("documents:\n", "note: &a0 [x, x]\n" + "".join(NESTED) + "documents:\n"),
        FILE,
        r":\d+: '&a0' is a name for a value; write the value out: & and \* are not read here",
    ),
    "an alias without its anchor": (raw("segment: consumer", "segment: *kind"), FILE, r"'\*kind' refers to a value"),
    "lines that are taken in from elsewhere": (
        raw("segment: consumer", "<<: {segment: consumer}"),
        FILE,
        "'<<' takes in what stands elsewhere; write its lines out",
    ),
    "an anchor in the corrections": (
        write("corrections.yml", "withdrawn: &w []\naccepted: *w\n"),
        "data/corrections.yml",
        ":1: '&w' is a name for a value",
    ),
    "a tag": (raw("segment: consumer", "segment: !x consumer"), FILE, r":\d+: '!x' is not read here"),
    "fifty thousand brackets": (
        raw("segment: consumer", f"segment: {'[' * 50_000}{']' * 50_000}"),
        FILE,
        "more than 20 lists stand inside one another",
    ),
    "a name without a space behind its colon": (
        raw("segment: consumer", "segment:consumer"),
        FILE,
        r":3: a space is missing behind the colon; write 'segment: consumer'",
    ),
    "a listing of Markdown": (
        raw("name: ", "```yaml\nname: "),
        FILE,
        f"{FILE}:1: '```yaml' marks a listing in Markdown; take this line out",
    ),
    "a decoding speed above what the memory gives": (
        results_of(**DECODED, value="5000"),
        "data/benchmarks/mine.csv",
        r"mine.csv:2: .*5000 tokens/s is refused by theory: reads 8e\+04 GB/s, the memory gives 1.03e\+03; correct",
    ),
    "a decoding speed of a network spelled otherwise": (
        results_of(**DECODED | {"model": "meta-llama/Meta Llama 3_1 8B", "batch": "1 stream"}, value="100"),
        "data/benchmarks/mine.csv",
        "100 tokens/s is refused by theory: reads 1.6e",
    ),
    "a decoding speed of four sequences that would be right for sixteen": (
        results_of(**DECODED | {"batch": "batch 4"}, value="700"),
        "data/benchmarks/mine.csv",
        "700 tokens/s is refused by theory: reads 2.8e",
    ),
    "a speed over all streams above what the memory gives": (
        results_of(**DECODED | {"metric": "output_throughput", "batch": "2 streams"}, value="300"),
        "data/benchmarks/mine.csv",
        "300 tokens/s is refused by theory: reads 2.4e",
    ),
    "a network that does not fit": (
        results_of(**DECODED | {"model": "Llama-3.1-70B"}, value="1"),
        "data/benchmarks/mine.csv",
        "refused by theory: the weights alone take 140 GB in fp16, the memory holds 25.8",
    ),
    "a result without a network": (results_of(model=""), "data/benchmarks/mine.csv", "model is empty; write what ran"),
    "a run before the card's launch": (
        results_of(date="2021-01-01"),
        "data/benchmarks/mine.csv",
        "date = '2021-01-01' is before the card's launch, 2022-10-12; write the day of the run",
    ),
    "a value with a comma": (
        results_of(value='"1,016.6"'),
        "data/benchmarks/mine.csv",
        "value = '1,016.6' holds a comma: write 1016.6",
    ),
    "a value with a decimal comma": (
        results_of(value='"16,6"'),
        "data/benchmarks/mine.csv",
        "value = '16,6' holds a comma: write 16.6",
    ),
    "a value that a comma takes apart": (
        results_of(value="1,016.6"),
        "data/benchmarks/mine.csv",
        "'1' and '016.6' are one number with a comma: write 1016.6",
    ),
    "a set's day in another order": (
        results_of(SET.replace("2026-11-20", "20.11.2026")),
        "data/benchmarks/mine.yml",
        "mine.yml:7: date: '20.11.2026' is no day; write it as 2026-11-",
    ),
    "a set's day without its hyphens": (
        results_of(SET.replace("2026-11-20", "20261120")),
        "data/benchmarks/mine.yml",
        "mine.yml:7: date: 20261120 is no day; write it as 2026-11-",
    ),
    "a set without its day": (
        results_of(SET.replace("date: 2026-11-20\n", "")),
        "data/benchmarks/mine.yml",
        "mine.yml:1: date: is missing; add a line 'date: ...'",
    ),
    "a search for a document": (
        document(url="https://www.google.com/search?q=rtx+4090"),
        FILE,
        r":\d+: documents, page, url: this address is a search, and no document",
    ),
    "a search of another engine": (document(url="https://duckduckgo.com/?q=4090"), FILE, "this address is a search"),
    "a place still to be filled in": (value(locator="TODO"), FILE, "'TODO' names no place in the document"),
    "a question mark for a place": (value(locator="?"), FILE, r"'\?' names no place in the document"),
    "a page without its number": (value(locator="page"), FILE, "'page' names no place in the document"),
    "a document that no value uses": (
        gpu(lambda c: c["documents"].update(other={**DOCUMENT, "url": "https://e.org/other"})),
        FILE,
        r":\d+: documents, other: no value names it; take it out",
    ),
    "a document under two names": (
        gpu(
            lambda c: (
                c["documents"].update(other=dict(DOCUMENT)),
                c["values"].append({**VALUE, "field": "slot_width", "value": "3", "document": "other"}),
            )
        ),
        FILE,
        r":\d+: documents, (?:page|other): is the same document as (?:page|other)",
    ),
    "one page with a slash at its end and without": (
        gpu(
            lambda c: (
                c["documents"].update(other={**DOCUMENT, "title": "The page", "url": DOCUMENT["url"] + "/"}),
                c["values"].append({**VALUE, "value": "0.45 kW", "document": "other", "locator": "row TGP"}),
            )
        ),
        FILE,
        "is the same document as (?:page|other): it has its address and states board_power_w as it does",
    ),
    "a document read before the dataset was begun": (
        document(read="2019-05-01"),
        FILE,
        r":\d+: documents, page, read: 2019-05-01 is before anything was read for this dataset .*not that of the "
        r"document$",
    ),
    "a picture in a name": (
        gpu(lambda c: c.update(name="GeForce RTX 4090 🚀")),
        FILE,
        "'🚀', which is no part of a name",
    ),
    "a sign that prints nothing": (
        gpu(lambda c: c.update(line="GeForce\u200b 40")),
        FILE,
        "which is no part of a name",
    ),
    "a compute capability as compilers write it": (
        value(field="compute_capability", value="sm_89"),
        FILE,
        "'sm_89' is no compute capability; write 8.9",
    ),
    "a compute capability with a comma": (value(field="compute_capability", value="8,9"), FILE, "write 8.9"),
    "a spreadsheet under another name": (
        write("price-sets/mine.csv", "PK\x03\x04\x14\0\6\0"),
        "data/price-sets/mine.csv",
        "this is a spreadsheet .xlsx or ods. or another archive: export it as CSV",
    ),
    "names for a card that is no file": (
        write("names/x.yml", "ambiguous: [{name: H1, could_be: [nvidia-h1-x], reason: r}]"),
        "data/names",
        "which is no file in data/gpus",
    ),
    "a shared name that stands twice": (shared_twice, "data/names/x.yml", "'RTX Ada' stands twice"),
    "a pattern that is none": (ignored("(Iris"), "data/names/x.yml", "this pattern cannot be read: missing"),
    "a pattern for every name": (ignored(".*"), "data/names/x.yml", "this pattern fits every name"),
    "a withdrawal that stands twice": (
        lambda tree: tree.write("corrections.yml", as_yaml({"withdrawn": [WITHDRAWAL] * 2})),
        "data/corrections.yml",
        "withdrawn, entry 2: says what entry 1 says already",
    ),
    "two entries of a list in one": (
        raw("- RTX 4090\n", "- RTX 4090\n  Ada 4090\n"),
        FILE,
        r":\d+: 'RTX 4090 Ada 4090' goes over two lines; begin the second with '- '",
    ),
    "one page under two titles": (
        gpu(
            lambda c: (
                c["documents"].update(other={**DOCUMENT, "title": "The page", "url": DOCUMENT["url"] + "/#power"}),
                c["values"].append({**VALUE, "value": "0.45 kW", "document": "other", "locator": "row TGP"}),
            )
        ),
        FILE,
        "is the same document as (?:page|other): it has its address and states board_power_w as it does",
    ),
    "an address for a place": (
        value(locator="https://e.org/4090#power"),
        FILE,
        "'https://e.org/4090#power' names no place in the document",
    ),
    "an address for a place of a price": (
        prices(f"{ID},retail,RTX 4090,Shop,US,1999,USD,,,,,2026-11-20,,https://e.org/x,,\n"),
        "data/price-sets/mine.csv",
        ":2: column 'locator' 'https://e.org/x' names no place",
    ),
    "a search engine's copy": (
        document(url="https://webcache.googleusercontent.com/search?q=cache:x"),
        FILE,
        "this address is a search",
    ),
    "an architecture of another maker": (rdna, FILE, "'RDNA 3' is an architecture of AMD"),
    "half a form factor": (half_a_form, FILE, r"form_factor: 'PCIe' stands in no other file; did you mean 'PCIe card'"),
    "the price of eight cards for one": (
        prices(f"{ID},retail,RTX 4090,Shop,US,15992,USD,,8,,,2026-11-20,,row 1,,\n"),
        "data/price-sets/mine.csv",
        ":2: gpus = '8': the price of one card stands without it",
    ),
    "a price of a day without hyphens": (
        prices(f"{ID},retail,RTX 4090,Shop,US,1999,USD,,,,,20261120,,row 1,,\n"),
        "data/price-sets/mine.csv",
        ":2: date = '20261120': no day as 2026-11-21 or month as 2026-11",
    ),
    "a price in two sets": (
        price_in_two_sets,
        "data/price-sets/other.csv",
        r":2: price = '1999.0': stands in mine too",
    ),
    "a set without rows": (
        prices(""),
        "data/price-sets/mine.csv",
        "holds no row below its heads; add one, or delete the set",
    ),
    "a set with a space in its name": (
        write("price-sets/my list.csv", PRICE_HEAD),
        "data/price-sets/my list.csv",
        "this name is none of a set",
    ),
}


def found(tree: Tree) -> list[Finding]:
    return check.findings(build.survey(tree.data)[2], tree.data.data.parent)


@pytest.fixture
def sound(tree: Tree) -> Tree:
    tree.gpu(ID, dict(SOUND_GPU))
    assert found(tree) == []
    return tree


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_file_and_in_plain_words(sound: Tree, mistake: str) -> None:
    do, file, words = MISTAKES[mistake]
    do(sound)
    told = found(sound)
    hits = [one for one in told if one.file.startswith(file) and re.search(words, str(one))]
    assert hits, "\n".join(map(str, told)) or "nothing was said"
    for one in told:
        assert not JARGON.search(str(one)), one
        assert len(str(one)) < 600, one


@pytest.mark.parametrize("changes", [{"value": "45000 W"}, {"field": "memory_bus_bit", "value": "192 bit"}])
def test_a_message_ends_in_words_and_in_no_name_of_a_rule(sound: Tree, changes: dict[str, str]) -> None:
    value(**changes)(sound)
    told = found(sound)
    assert told
    assert [one for one in told if re.search(r"\[[a-z_]+\]$", one.message)] == []


# A slip in a list that stands for all cards: how it is read, what is exchanged, and what is said.
SLIPS: dict[str, tuple[Callable[[Path], object], str, str, str]] = {
    "a currency in a word": (
        currencies.load,
        "EUR:",
        "EURO:",
        "'EURO' is no code of another currency",
    ),
    "a rate with a comma": (
        currencies.load,
        "usd: 1.1699",
        "usd: '1,17'",
        "EUR, usd: '1,17' holds a comma; write 1.17",
    ),
    "a rate with a comma before three digits": (
        currencies.load,
        "usd: 1.1699",
        "usd: 1,169",
        "EUR, usd: '1,169' holds a comma; write 1169, or 1.169 if the comma stands before the decimals",
    ),
    "a rate with thousands and decimals": (
        currencies.load,
        "usd: 1.1699",
        "usd: 1,169.95",
        "EUR, usd: '1,169.95' holds a comma; write 1169.95",
    ),
    "a rate with its sign": (currencies.load, "usd: 1.1699", "usd: 1.1699 $", "'1.1699 $' is no number; write it in"),
    "an address without its beginning": (
        prose.load_constants,
        "url: https://",
        "url: ",
        "it begins with https://, or http:// where the page answers at no other",
    ),
    "a constant that its text turns round": (
        prose.load_constants,
        "text: 175 billion",
        "text: 157 billion",
        "text: '157 billion' does not show the value 175",
    ),
    "a constant ten times its text": (
        prose.load_constants,
        "value: 175\n",
        "value: 1750\n",
        "text: '175 billion' does not show the value 1750",
    ),
    "a power of ten off by one": (
        prose.load_constants,
        "text: 175 billion",
        "text: 1.9·10³ billion",
        "text: '1.9·10³ billion' does not show the value 175",
    ),
    "two numbers that are no range": (
        prose.load_constants,
        "text: 175 billion",
        "text: 157 billion in 2020",
        "text: '157 billion in 2020' does not show the value 175",
    ),
    "a constant whose text says nothing": (
        prose.load_constants,
        "text: 175 billion",
        "text: many billion",
        "text: 'many billion' does not show the value 175",
    ),
    "a rate of nothing": (currencies.load, "usd: 1.1699", "usd: 0", "EUR, usd: 0 is not more than 0"),
    "a rate read before its day": (currencies.load, "read: 2026", "read: 2019", "read: 2019-11-21 is before anything"),
    "a rate without its place": (currencies.load, 'locator: "fx:', 'locator: "table" #', "'table' names no place"),
    "a provider twice": (observe.houses, "- AWS", "- AWS\n  - AWS", "'AWS' stands twice; a provider is one kind"),
    "a provider of two kinds": (observe.houses, "- Salad\n", "- Salad\n  - AWS\n", "'AWS' stands twice"),
    "a constant in words": (
        prose.load_constants,
        "value: 175",
        "value: many",
        "value: 'many' is no number",
    ),
    "a constant read too early": (prose.load_constants, "read: 2026", "read: 2019", "2019-11-21 is before anything"),
    "a rate upside down": (
        currencies.load,
        "usd: 1.1699",
        "usd: 0.8548",
        "usd: 0.8548 is not what the locator gives, 111.95994 rupees a euro over 95.7: 1.1699",
    ),
    "a currency without its sign": (currencies.load, 'sign: "€"', 'sign: ""', "EUR, sign: is empty"),
    "a maker's word that is none": (makers.load, "AMD: [amd]", "AMD: [amd, 5]", "yml:4: AMD: 5 is no word"),
    "a maker's empty word": (makers.load, "AMD: [amd]", "AMD: [amd, '']", "yml:4: AMD: '' is no word"),
    "a maker without a list": (makers.load, "AMD: [amd]", "AMD: amd", "yml:4: AMD: 'amd' is no list of words"),
    "a maker without a word": (makers.load, "AMD: [amd]", "AMD:", "yml:4: AMD: no word stands behind it"),
    "a word of two makers": (makers.load, "AMD: [amd]", "AMD: [nvidia]", "yml:4: AMD: 'nvidia' stands for NVIDIA"),
    "a machine twice": (cloud.load, '"p2.8xlarge"', '"p2.xlarge"', "'p2.xlarge' stands 2 times; keep one of them"),
    "a family twice": (cloud.load, "id: aws-p3\n", "id: aws-p2\n", "id: 'aws-p2' stands 2 times"),
    "a family that is no address": (cloud.load, "id: aws-p3\n", "id: AWS P3\n", "'AWS P3' is no address of a page"),
    "a document that is misspelt": (
        cloud.load,
        '"P3", document: aws-guide',
        '"P3", document: aws-gide',
        "'aws-gide' is cited and not listed; did you mean 'aws-guide'?",
    ),
    "an hour of rent in cents": (cloud.load, "usd_per_hour: 1.14", "usd_per_hour: 114", "is 228 dollars a GPU"),
    "an hour of rent with a comma": (
        cloud.load,
        "usd_per_hour: 1.14",
        "usd_per_hour: 1,14",
        "'14' stands here without a value: a comma parts entries between { and }; write a number with a point",
    ),
    "a place with a comma and no quotes": (
        support.load,
        "locator: table Supported backends",
        "locator: table Supported backends, CUDA",
        "'CUDA' stands here without a value: a comma parts entries",
    ),
    "a day of rent in words": (
        cloud.load,
        '"2018-03-16"',
        '"March 2018"',
        "'March 2018' is no day; write it in quotes",
    ),
    "a host of an unlisted document": (
        hosts.load,
        "document: budget-build",
        "document: budget-bild",
        "yml:33: desktop PC with an 850 W supply: document 'budget-bild' is not listed; did you mean 'budget-build'?",
    ),
    "a machine for no card": (hosts.load, "cards: 1", "cards: 0", "hosts, entry 1, cards: 0 is less than 1"),
    "a slot of fifteen lanes": (
        hosts.load,
        "lanes: 16",
        "lanes: 15",
        "15 is no width of a slot; write 1, 2, 4, 8 or 16",
    ),
    "another memory than the product's": (
        hosts.load,
        "M5 Max 64GB\n    memory_gb: 64",
        "M5 Max 64GB\n    memory_gb: 640",
        "memory_gb: 640 is not the memory that the product names, 64GB",
    ),
    "an engine that is misspelt": (
        support.load,
        "{engine: llama.cpp",
        "{engine: llamacpp",
        "engine: 'llamacpp' is none of llama.cpp, ollama, vllm",
    ),
    "a version with its letter": (support.load, "since: 0.24", "since: v0.24", "'v0.24' is no version"),
    "an end before the beginning": (
        support.load,
        "since: 0.48.0,",
        "since: 0.48.0, until: 0.47,",
        "until 0.47 is before since 0.48.0",
    ),
    "a refusal without its reason": (
        support.load,
        ', reason: "llama.cpp reads GGUF files only"',
        "",
        "row 2 (llama.cpp): verdict 'no' has no reason",
    ),
    "two rows of one card and format": (
        support.load,
        "gpus: [NVIDIA Kepler], verdict",
        "gpus: [NVIDIA Kepler, NVIDIA], formats: [gguf], verdict",
        "row 5 (ollama): of NVIDIA and gguf row 4 speaks too; keep one",
    ),
}
LISTS = {
    currencies.load: "currencies",
    observe.houses: "providers",
    prose.load_constants: "constants",
    makers.load: "makers",
    cloud.load: "cloud",
    hosts.load: "hosts",
    support.load: "support",
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_a_list_is_told_by_its_line_and_in_plain_words(tmp_path: Path, slip: str) -> None:
    load, old, new, words = SLIPS[slip]
    text = (DATA.data / f"{LISTS[load]}.yml").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / f"{LISTS[load]}.yml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"^data/{file.name}:\d+: ") as error:
        load(file)
    assert words in str(error.value)
    assert not JARGON.search(str(error.value))


def test_a_chip_a_card_and_a_product_that_do_not_exist_are_told_by_their_lines() -> None:
    known = sorted(committed().gpus)
    chips = hosts.unknown_gpus([id for id in known if id != "apple-m5-max"])
    assert [re.sub(r":\d+:", ":", one) for one in chips] == [
        "data/hosts.yml: machines: no GPU has the id 'apple-m5-max'; did you mean 'apple-m4-max'?; "
        "write the name of a file of data/gpus without .yml"
    ]
    cards = support.unknown_gpus({word for row in support.load().rows for word in row.gpus} - {"NVIDIA Kepler"})
    assert cards
    assert [one for one in cards if "gpus: no card is of 'NVIDIA Kepler'" not in one] == []
    assert observe.misspelt(committed().prices) == []
    renamed = [replace(one, provider="Oracle Clouds") for one in committed().prices if one.provider == "Oracle Cloud"]
    (house,) = observe.misspelt(renamed)
    assert "hyperscaler: no price is of 'Oracle Cloud'; did you mean 'Oracle Clouds'?" in house
    assert hosts.unpriced(committed().prices) == []
    (told,) = hosts.unpriced([one for one in committed().prices if one.product != "Apple Mac Studio M5 Max 64GB"])
    assert re.match(
        r"data/hosts.yml:\d+: product: no price of apple-m5-max names 'Apple Mac Studio M5 Max 64GB'; did you mean",
        told,
    )


def test_there_are_at_least_thirty_of_them() -> None:
    assert len(MISTAKES) >= 30


def test_problems_of_every_layer_are_told_together(sound: Tree) -> None:
    value(field="memory_bandwith")(sound)
    sibling(sound, values=[VALUE | {"field": "memory_gb", "value": "0 GB"}])
    write("corrections.yml", "withdrawn: [{source: 1}]")(sound)
    result_set("gpu,speed\n")(sound)
    files_named = {one.file for one in found(sound)}
    assert {
        FILE,
        "data/gpus/nvidia-geforce-rtx-4080.yml",
        "data/corrections.yml",
        "data/benchmarks/mine.csv",
    } <= files_named


def test_documents_that_are_no_list_are_told_once_and_not_at_every_value(sound: Tree) -> None:
    gpu(lambda content: content.update(documents="none"))(sound)
    assert [one.message for one in found(sound) if "document" in one.message] == [
        "documents: 'none' is one value; lines of the form 'name: value' belong here"
    ]


def test_a_name_of_another_card_is_told_beside_a_file_that_cannot_be_read(sound: Tree) -> None:
    sibling(sound, aliases=["RTX 4090"])
    write("gpus/nvidia-geforce-rtx-3090.yml", "name: [")(sound)
    told = {(one.file, "already means" in one.message) for one in found(sound)}
    assert {("data/gpus/nvidia-geforce-rtx-4080.yml", True), ("data/gpus/nvidia-geforce-rtx-3090.yml", False)} <= told


def test_a_wrong_entry_of_the_corrections_leaves_the_others_in_force_and_hides_none(sound: Tree) -> None:
    odd = [*SOUND, claim("peak:fp16:fp32:sparse:tensor", "500 TFLOPS")]
    sound.claims("wikipedia-gpu-info", odd)
    about = {"gpu": ID, "field": "peak:fp16:fp32:sparse:tensor", "value": "500"}
    accepted = {"check": "sparse_is_twice_dense", **about}
    idle = {"source": "nobody", "gpu": ID, "field": "board_power_w", "expect": "9", "reason": "power of two cards"}
    content = {"accepted": [accepted | {"reason": "x"}], "withdrawn": [idle]}
    sound.write("corrections.yml", yaml.safe_dump(content, sort_keys=False))
    told = found(sound)
    assert {one.file for one in told} == {"data/corrections.yml"}
    assert [word for word in ("does not say why", "nobody") if not any(word in one.message for one in told)] == []


def test_corrections_that_cannot_be_read_put_nothing_on_other_files(sound: Tree) -> None:
    sound.claims("wikipedia-gpu-info", [*SOUND, claim("peak:fp16:fp32:sparse:tensor", "500 TFLOPS")])
    write("corrections.yml", "withdrawn: [")(sound)
    assert {one.file for one in found(sound)} == {"data/corrections.yml"}


def test_a_set_that_is_called_otherwise_and_is_wrong_elsewhere_is_told_both(sound: Tree) -> None:
    prices(BROKEN_ROWS, "id: other\n" + PRICES.replace("asked", "guessed"))(sound)
    told = " ".join(one.message for one in found(sound) if one.file.endswith("yml"))
    assert "'other' must be the file's name" in told
    assert "'guessed' is none of" in told


BROKEN_ROWS = (
    f"{ID},retail,Card,Shop,Germany,1.299,USX,,,,,2026-11-20,,row 1,,\n"
    f"{ID},retail,Card\n"
    f"nvidia-rtx-7,spot,Card,Shop,US,nan,USD,x,,guessed,,last week,,row 3,,\n"
)


def test_every_problem_of_a_price_set_is_told_together_with_its_line(sound: Tree) -> None:
    prices(BROKEN_ROWS, PRICES.replace("asked", "guessed"))(sound)
    told = [(one.file.rpartition(".")[2], one.line, one.message.partition(";")[0]) for one in found(sound)]
    assert [place[:2] for place in told if place[0] == "yml"] == [("yml", 7)]
    words = {(line, word) for kind, line, text in told for word in WORDS_TOLD if kind == "csv" and word in text}
    assert words == {
        (2, "currency"),
        (2, "country"),
        (3, "has 3 cells"),
        (4, "no GPU has this id"),
        (4, "'price'"),
        (4, "'tax'"),
        (4, "'gpus'"),
        (4, "basis"),
        (4, "date"),
    }


WORDS_TOLD = ("currency", "country", "has 3 cells", "no GPU has this id", "'price'", "'tax'", "'gpus'", "basis", "date")


def test_every_problem_of_a_benchmark_set_is_told_together_with_its_line(sound: Tree) -> None:
    row = {**dict.fromkeys(COLUMNS, ""), **RESULT}
    wrong = [row | {"gpu_count": "two", "gpu": "nvidia-rtx-7"}, row | {"value": "fast", "precision": "fp17"}]
    text = "".join(",".join(one[column] for column in COLUMNS) + "\n" for one in wrong)
    result_set(",".join(COLUMNS) + "\n" + text + "a,b\n", SET.replace("community", "rumour"))(sound)
    told = [(one.file.rpartition("/")[2], one.line) for one in found(sound)]
    assert sorted(told) == [("mine.csv", 2)] * 2 + [("mine.csv", 3)] * 2 + [("mine.csv", 4), ("mine.yml", 4)]


def test_a_set_alone_is_held_to_the_same_rules_as_all(sound: Tree, tmp_path: Path) -> None:
    prices(BROKEN_ROWS)(sound)
    results_of(value="1e9", metric="tflops", unit="TFLOPS")(sound)
    for name in ("data/price-sets/mine.csv", "data/benchmarks/mine.csv"):
        alone = check.of_records(sound.data, [name], tmp_path / "cache")
        assert alone == [one for one in found(sound) if one.file == name] != []


def test_a_file_with_a_wrong_head_is_told_with_its_wrong_values(sound: Tree) -> None:
    gpu(lambda content: content.update(vendor="NVIDA", values=[VALUE, VALUE | {"value": "450 GB", "locator": "x"}]))(
        sound
    )
    told = " ".join(map(str, found(sound)))
    assert "did you mean 'NVIDIA'" in told
    assert "does not fit a field in W" in told


def test_a_wrong_value_hides_no_rule_on_the_others(sound: Tree) -> None:
    wrong = [VALUE | {"value": "450 GB"}, VALUE | {"field": "memory_bus_bit", "value": "192 bit"}]
    gpu(lambda content: content.update(values=wrong))(sound)
    told = " ".join(map(str, found(sound)))
    assert "does not fit a field in W" in told
    assert "halved bus" in told


def test_a_problem_has_the_line_of_the_value(sound: Tree) -> None:
    value(field="memory_bus_bit", value="192 bit")(sound)
    line = next(one.line for one in found(sound) if one.file == FILE)
    text = (sound.data.gpus / f"{ID}.yml").read_text(encoding="utf-8").splitlines()
    assert "memory_bus_bit" in "\n".join(text[line - 1 : line + 3])


RATES = {
    "peak:fp16:fp32:dense:tensor": "165.2 TFLOPS",
    "peak:fp16:fp32:sparse:tensor": "330.4 TFLOPS",
    "peak:bf16:fp32:dense:tensor": "165.2 TFLOPS",
    "peak:bf16:fp32:sparse:tensor": "330.4 TFLOPS",
    "peak:fp8:fp32:dense:tensor": "330.3 TFLOPS",
    "peak:int8:int32:dense:tensor": "660.6 TOPS",
}


@pytest.mark.parametrize(
    ("field", "slipped", "words"),
    [
        (
            "peak:fp16:fp32:dense:tensor",
            "330.4 TFLOPS",
            "a sparse peak stored as dense? It does not fit the dense 165.2 of",
        ),
        (
            "peak:bf16:fp32:dense:tensor",
            "330.4 TFLOPS",
            "does not fit the sparse 330.4 of page; store it as peak:bf16:fp32",
        ),
        (
            "peak:bf16:fp32:sparse:tensor",
            "165.2 TFLOPS",
            "a dense peak stored as sparse? It does not fit the dense 165.2",
        ),
        ("peak:fp8:fp32:dense:tensor", "660.6 TFLOPS", "It does not fit the 330.3 of its units, operations and clock"),
        (
            "peak:bf16:fp32:sparse:tensor",
            "290 TFLOPS",
            "is not twice the dense 165.2 of page; find which one is neither",
        ),
    ],
)
def test_a_rate_with_sparsity_in_the_place_of_a_dense_one_is_told_once_and_at_its_line(
    sound: Tree, field: str, slipped: str, words: str
) -> None:
    rates = [
        VALUE | {"field": name, "value": slipped if name == field else rate, "locator": f"row {name}"}
        for name, rate in RATES.items()
    ]
    gpu(lambda content: content["values"].extend(rates))(sound)
    (told,) = found(sound)
    text = (sound.data.gpus / f"{ID}.yml").read_text(encoding="utf-8")
    assert (told.file, told.line) == (FILE, lines_of(text)["values", 1 + list(RATES).index(field)])
    assert words in told.message


@pytest.mark.parametrize("touched", ["mine.csv", "mine.yml"])
def test_the_two_files_of_a_set_answer_for_each_other(sound: Tree, touched: str) -> None:
    write("benchmarks/mine.csv", ",".join(COLUMNS) + "\n")(sound)
    told = check.among(build.survey(sound.data)[2], [f"data/benchmarks/{touched}"], sound.data.data.parent)
    assert [(one.file, "is not there" in one.message) for one in told] == [
        ("data/benchmarks/mine.csv", False),  # it has heads alone
        ("data/benchmarks/mine.yml", True),
    ]


def test_a_list_that_every_price_asks_for_is_told_once(sound: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise currencies.CurrencyError("data/currencies.yml:5: EUR, usd: is no number")

    prices(f"{ID},retail,Card,Shop,US,5,USD,,,,,2026-11-20,,row 1,,\n")(sound)
    monkeypatch.setattr(currencies, "load", broken)
    assert [str(one) for one in found(sound)] == ["data/currencies.yml:5: EUR, usd: is no number"]
    with pytest.raises(build.BuildError):
        build.build(sound.data)


@pytest.mark.parametrize(
    "cells",
    [
        {"value": "60"},  # 8 billion weights of two bytes at 1,008 GB/s: 63 a second
        {"value": "180", "precision": "q4_k_m"},
        {"value": "180", "precision": "Q4_K_M", "repetitions": "3"},
        {"value": "180", "precision": "awq"},
        {"value": "900", "batch": "16"},
        {"value": "900", "batch": '"16 streams, 128 in, 128 out"', "metric": "output_throughput"},
        {"value": "900", "batch": "", "metric": "output_throughput"},
        {"value": "5000", "flag": "drafts of a second network were accepted"},
        {"value": "60", "date": "2021-01-01", "flag": "a sample of the maker"},
    ],
)
def test_a_result_that_the_card_can_reach_or_that_says_why_is_taken(sound: Tree, cells: dict[str, str]) -> None:
    results_of(**{**DECODED, **cells})(sound)
    assert found(sound) == []


def test_a_row_of_a_set_is_found_by_its_line(sound: Tree) -> None:
    prices("nvidia-rtx-7,retail,Card,Shop,US,5,USD,,,,,2026-11-20,,row 1,,\n")(sound)
    (told,) = (one for one in found(sound) if "no GPU has this id" in one.message)
    assert (told.file, told.line) == ("data/price-sets/mine.csv", 2)


def test_nothing_is_said_of_files_that_were_not_touched(sound: Tree, tmp_path: Path) -> None:
    sibling(sound, vendor="NVIDA")
    cache = tmp_path / "cache"
    assert check.of_records(sound.data, [FILE], cache) == []
    value(value="45000 W")(sound)
    told = check.of_records(sound.data, [FILE], cache)
    assert {one.file for one in told} == {FILE}
    assert "outside 5 to 5000 W" in told[0].message


def test_a_file_that_changed_is_read_again_and_a_broken_cache_is_none(sound: Tree, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert check.of_records(sound.data, [FILE], cache) == []
    gpu(lambda content: content.update(vendor="NVIDA"))(sound)
    assert check.of_records(sound.data, [FILE], cache) != []
    cache.write_bytes(b"no pickle")
    assert check.of_records(sound.data, [FILE], cache) != []


# Reads one card as the check does, and prints every file of the repository that this opened or imported.
OPENED = """
import sys
from pathlib import Path
opened = set()
sys.addaudithook(lambda event, words: event == "open" and isinstance(words[0], str) and opened.add(words[0]))
from pipeline.core import gpus
gpus.sound(Path(sys.argv[1]))
imported = {module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)}
for path in sorted(opened | imported):
    print(Path(path).resolve())
"""


def test_whatever_the_reading_of_a_card_opens_decides_whether_it_is_read_anew(sound: Tree) -> None:
    words = [sys.executable, "-c", OPENED, str(sound.data.gpus)]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    opened = {Path(line) for line in told.splitlines()}
    ours = {path for path in opened if path.parent == DATA.data or ROOT / "pipeline" in path.parents}
    ours = {path for path in ours if path.suffix != ".pyc" and path.name != "__init__.py"}
    assert makers.FILE in ours
    assert ours <= set(gpus.rests_on())


def test_a_card_is_read_anew_when_a_file_changes_on_which_its_reading_rests(
    sound: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = [tmp_path / "rests" / str(number) for number, _ in enumerate(gpus.rests_on())]
    write("../rests/0", "")(sound)
    for path, copy_of_it in zip(gpus.rests_on(), copies, strict=True):
        copy_of_it.write_bytes(path.read_bytes())
    monkeypatch.setattr(gpus, "rests_on", lambda: tuple(copies))
    cache = tmp_path / "cache"
    for path in [*copies, sound.data.gpus / f"{ID}.yml"]:
        check.remembered(sound.data, cache)
        held = cache.read_bytes()
        assert check.remembered(sound.data, cache).keys() == {f"{ID}.yml"}
        assert cache.read_bytes() == held
        path.write_bytes(path.read_bytes() + b"\n# another word\n")
        check.remembered(sound.data, cache)
        assert cache.read_bytes() != held, path


def test_what_rests_on_a_touched_list_is_told_at_the_list(sound: Tree) -> None:
    list_of_makers = "data/makers.yml"
    (sound.data.data / "makers.yml").write_text("", encoding="utf-8")
    gpu(lambda content: content.update(vendor="AND"))(sound)
    problems = build.survey(sound.data)[2]
    assert check.among(problems, [list_of_makers], sound.data.data.parent) == []
    (told,) = check.with_what_rests(problems, [list_of_makers], sound.data.data.parent)
    assert told.file == list_of_makers
    assert re.match(
        rf"a file that was not touched is wrong now, perhaps because of this one: {FILE}:\d+: vendor: 'AND'",
        told.message,
    )
    own = check.with_what_rests(problems, [FILE], sound.data.data.parent)
    assert own == [one for one in found(sound) if one.file == FILE]


def test_a_file_that_is_gone_says_what_still_rests_on_it(sound: Tree) -> None:
    root = sound.data.data.parent
    (root / FILE).unlink()
    problems = build.survey(sound.data)[2]
    (told,) = check.with_what_rests(problems, [FILE], root)
    assert told.file == FILE
    assert re.match(r"the file is gone, and \d+ line\(s\) still rest on it, in .+; put it back", told.message)


@pytest.mark.parametrize("wrong", [True, False])
def test_a_wrong_record_hides_no_question_or_statement(monkeypatch: pytest.MonkeyPatch, wrong: bool) -> None:
    record = ["data/gpus/nvidia-l4.yml:3: a wrong record"] if wrong else []
    monkeypatch.setattr(whole.stages, "survey", lambda *_: (None, [], [*record]))
    monkeypatch.setattr(whole, "_problems_of_others", list)
    monkeypatch.setattr(whole.questions, "misread", lambda _: ["data/questions.yml:7: a wrong question"])
    monkeypatch.setattr(whole, "_problems_of_prose", lambda _: ["prose"])
    monkeypatch.setattr(whole.stages, "finished", lambda *_: SimpleNamespace(contents={}))
    monkeypatch.setattr(whole.Dataset, "of_texts", lambda _: None)
    told = whole.problems(["data/questions.yml"], {})
    assert ("data/questions.yml:7: a wrong question" in told) is wrong
    assert ("prose" in told) is not wrong


def test_a_file_that_is_gone_has_the_prose_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole.stages, "survey", lambda *_: (None, [], []))
    monkeypatch.setattr(whole, "_problems_of_others", list)
    monkeypatch.setattr(whole, "_problems_of_prose", lambda _: ["prose"])
    monkeypatch.setattr(whole.stages, "finished", lambda *_: SimpleNamespace(contents={}))
    monkeypatch.setattr(whole.Dataset, "of_texts", lambda _: None)
    assert whole.problems(["data/hosts-that-is-gone.yml"], {}) == ["prose"]
    assert whole.problems(["data/cloud.yml"], {}) == []


def test_a_card_under_a_new_file_name_is_told_the_name_that_it_had(sound: Tree) -> None:
    build.build(sound.data)
    old = sound.data.gpus / Path(FILE).name
    other = "data/gpus/nvidia-renamed.yml"
    old.rename(sound.data.data.parent / other)
    first, *_ = check.of_records(sound.data, [other])
    assert first.file == other
    assert f"which the last build read in {FILE}, and that file is gone; call this one {old.name} again" in str(first)
    (sound.data.data.parent / other).rename(old)
    assert check.of_records(sound.data, [FILE]) == []


def test_a_card_beside_one_that_was_taken_out_was_not_renamed(sound: Tree) -> None:
    build.build(sound.data)
    card = yaml.safe_load((sound.data.gpus / Path(FILE).name).read_text(encoding="utf-8"))
    (sound.data.gpus / Path(FILE).name).unlink()
    sound.gpu("nvidia-new", {**card, "name": "NVIDIA New", "aliases": ["New"]})
    told = check.of_records(sound.data, ["data/gpus/nvidia-new.yml"])
    assert [one for one in told if "last build" in one.message] == []


def test_an_address_of_an_old_page_may_begin_without_the_s() -> None:
    """Some pages of old cards answer at no other: they are taken as they are."""
    address = TypeAdapter(documents.Url)
    assert address.validate_python("http://www.geforce.com/hardware/10series/geforce-gtx-1080")
    with pytest.raises(ValidationError):
        address.validate_python("ftp://www.geforce.com/hardware/10series/geforce-gtx-1080")


def test_a_maker_without_a_card_is_told_at_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    whole._makers()
    known = {**makers.load(), "Acme": ("acme",)}
    monkeypatch.setattr(makers, "load", lambda: known)
    with pytest.raises(
        makers.MakerError, match=r"^data/makers.yml:1: Acme: no file of data/gpus is of this maker; add"
    ):
        whole._makers()


def test_what_is_wrong_in_many_places_alike_is_told_once() -> None:
    alike = [Finding(f"data/gpus/card-{number}.yml", 3, "vendor: 'AMD' is none of AND") for number in range(8)]
    others = [Finding("data/sheets.yml", line, f"sheets, entry {line}, maker: 'AMD'") for line in range(1, 8)]
    few = [Finding("data/hosts.yml", line, "a word") for line in range(1, 1 + check.MANY_PLACES)]
    joined, *separate, last = check.together([*alike, *others, *few])
    assert joined.file == alike[0].file
    assert joined.message == (
        "vendor: 'AMD' is none of AND (the same holds in 7 more places, data/gpus/card-1.yml:3, data/gpus/card-2.yml:3 "
        "…; look first at the list that they share)"
    )
    assert separate == few
    assert "in 6 more places, data/sheets.yml:2, data/sheets.yml:3 …" in last.message


def test_one_file_is_held_to_the_same_rules_as_all(sound: Tree, tmp_path: Path) -> None:
    value(field="memory_bus_bit", value="192 bit")(sound)
    alone = check.of_records(sound.data, [FILE], tmp_path / "cache")
    assert alone == [one for one in found(sound) if one.file == FILE]


def test_a_set_of_prices_is_read_no_later_than_today(sound: Tree) -> None:
    prices(f"{ID},retail,RTX 4090,Shop,US,1999,USD,,,,,2026-11-20,,row 1,,\n")(sound)
    file = "data/price-sets/mine.yml"
    (told,) = check.of_records(sound.data, [file], today=date(2026, 11, 19))
    assert (told.file, told.line, told.message[:48]) == (file, 6, "read: 2026-11-20 lies in the future, today is 20")
    assert check.of_records(sound.data, [file], today=date(2026, 11, 20)) == []


def test_a_set_of_results_is_read_no_later_than_today(sound: Tree) -> None:
    results_of(SET + "read: 2026-11-22\n")(sound)
    file = "data/benchmarks/mine.yml"
    (told,) = check.of_records(sound.data, [file], today=date(2026, 11, 21))
    assert (told.file, told.line, told.message[:48]) == (file, 8, "read: 2026-11-22 lies in the future, today is 20")
    assert check.of_records(sound.data, [file], today=date(2026, 11, 22)) == []


@pytest.mark.parametrize(
    ("path", "text", "line", "words"),
    [
        ("currencies.yml", "EUR:\n  usd: 1.1\n  read: 2026-11-23\n", 3, "EUR, read: 2026-11-23 lies in the future"),
        ("currencies.yml", "EUR:\n  date: '2026-11-23'\n", 2, "EUR, date: 2026-11-23 lies in the future"),
        ("hosts.yml", "documents: {a: {read: 2026-11-23}}\n", 1, "documents, a, read: 2026-11-23 lies in the future"),
        ("models/m.yml", "kept:\n  - x: 1\n    read: 2026-11-23\n", 3, "kept, entry 1, read: 2026-11-23 lies in the"),
        ("statements.csv", "id,read\nC001,2026-11-22\nC002,2026-11-23\n", 3, "C002, read: 2026-11-23 lies in the"),
    ],
)
def test_no_list_was_read_on_a_day_that_has_not_come(sound: Tree, path: str, text: str, line: int, words: str) -> None:
    sound.write(path, text)
    told = check.findings(check.with_days([], sound.data, date(2026, 11, 22)), sound.data.data.parent)
    assert [(one.file, one.line, one.message[: len(words)]) for one in told] == [(f"data/{path}", line, words)]
    assert check.with_days([], sound.data, date(2026, 11, 23)) == []
    assert check.with_days([], sound.data, None) == []


def test_a_far_day_of_reading_is_told_once(sound: Tree) -> None:
    future_set(sound)
    new_day(sound)
    told = check.of_records(sound.data, [FILE, "data/benchmarks/mine.csv"], today=date(2026, 11, 21))
    assert [one.file for one in told if check.FUTURE in one.message] == ["data/benchmarks/mine.yml", FILE]


@pytest.mark.parametrize(
    ("field", "slipped"),
    [
        ("peak:fp32:fp32:dense:vector", "82600 TFLOPS"),
        ("boost_clock_mhz", "252 MHz"),
        ("memory_bandwidth_gb_s", "1008 Gb/s"),
        ("launch_price_usd", "159900 USD"),
    ],
)
def test_a_value_of_another_size_is_told_once_whatever_rules_it_breaks(sound: Tree, field: str, slipped: str) -> None:
    value(field=field, value=slipped)(sound)
    (told,) = found(sound)
    assert (told.file, "times apart" in told.message) == (FILE, True)


def test_a_slip_in_a_documents_name_is_told_where_the_value_names_it(sound: Tree) -> None:
    gpu(lambda c: c["values"][0].update(document="pag"))(sound)
    assert [one.message.partition(";")[0] for one in found(sound)] == [
        "board_power_w: document 'pag' is not listed",
    ]


def test_a_document_is_read_no_later_than_today_and_on_any_day_before(sound: Tree) -> None:
    document(read="2026-11-24")(sound)
    (told,) = check.of_records(sound.data, [FILE], today=date(2026, 11, 23))
    assert told.message.startswith("documents, page, read: 2026-11-24 lies in the future, today is 2026-11-23")
    assert (
        "read: '2026-11-24'" in (sound.data.gpus / f"{ID}.yml").read_text(encoding="utf-8").splitlines()[told.line - 1]
    )
    assert check.of_records(sound.data, [FILE], today=date(2026, 11, 24)) == []


def test_an_annotation_cannot_be_broken_by_what_it_quotes() -> None:
    text = Finding("data/gpus/a,b.yml", 3, "50%\n::error::forged").annotation
    assert text == "::error file=data/gpus/a%2Cb.yml,line=3::50%25%0A::error::forged"


def test_claims_of_a_source_name_their_file(sound: Tree) -> None:
    rows = [*SOUND, SOUND[0].__class__(**{**{n: getattr(SOUND[0], n) for n in columns(type(SOUND[0]))}, "value": "0"})]
    sound.write(
        "claims/wikipedia-gpu-info.csv",
        files.csv_text(columns(type(SOUND[0])), ([getattr(r, n) for n in columns(type(r))] for r in rows)),
    )
    assert any(one.file == "data/claims/wikipedia-gpu-info.csv" for one in found(sound))


def test_a_problem_stands_at_its_own_entry_and_not_at_the_one_before(tmp_path: Path) -> None:
    entries = [
        ("memory_gb", "48 GB", "page 1"),
        ("launch_date", "2031-01-01", "page 2"),
        ("memory_gb", "32 GB", "page 3"),
    ]
    text = "values:\n" + "".join(
        f"  - field: {name}\n    value: {told}\n    document: sheet\n    locator: {place}\n"
        for name, told, place in entries
    )
    file = tmp_path / "card.yml"
    file.write_text(text, encoding="utf-8")
    lines = [check._line_of_claim(file, f"sheet ({place}) on card: {name} = x") for name, _, place in entries]
    assert lines == [2, 6, 10]
