"""Thirty mistakes that people make in the files of data/: each is told with its file, in words, with the next step."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from samples import GPU, SOUND, Tree

from pipeline.core import currencies, files
from pipeline.core.schema import columns
from pipeline.record import build, check
from pipeline.record.check import Finding

ID = "nvidia-geforce-rtx-4090"
FILE = f"data/gpus/{ID}.yml"
DOCUMENT = {
    "title": "Product page",
    "kind": "vendor",
    "url": "https://example.org/4090",
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


# What is done wrong -> how, the file that the message names, and what it says.
MISTAKES: dict[str, tuple[Callable[[Tree], None], str, str]] = {
    "a day of reading in the future": (new_day, FILE, "lies in the future"),
    "a day that does not exist": (raw("'2026-11-21'", "2026-02-30"), FILE, r"read: '2026-02-30' is no day"),
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
            "withdrawn:\n  - source: a\n    gpu: b\n    feild: c\n    expect: '1'\n    reason: r\n",  # codespell:ignore
        ),
        "data/corrections.yml",
        "did you mean 'field'",
    ),
    "a correction that matches nothing": (
        write("corrections.yml", "withdrawn: [{source: epoch, gpu: a-b, field: memory_gb, expect: '1', reason: r}]"),
        "data/corrections.yml",
        "take the correction out",
    ),
    "names for a card that is no file": (
        write("names/x.yml", "ambiguous: [{name: H1, could_be: [nvidia-h1-x], reason: r}]"),
        "data/names",
        "which is no file in data/gpus",
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


def test_a_problem_has_the_line_of_the_value(sound: Tree) -> None:
    value(field="memory_bus_bit", value="192 bit")(sound)
    line = next(one.line for one in found(sound) if one.file == FILE)
    text = (sound.data.gpus / f"{ID}.yml").read_text(encoding="utf-8").splitlines()
    assert "memory_bus_bit" in "\n".join(text[line - 1 : line + 3])


@pytest.mark.parametrize("touched", ["mine.csv", "mine.yml"])
def test_the_two_files_of_a_set_answer_for_each_other(sound: Tree, touched: str) -> None:
    write("benchmarks/mine.csv", "gpu\n")(sound)
    told = check.among(build.survey(sound.data)[2], [f"data/benchmarks/{touched}"], sound.data.data.parent)
    assert [(one.file, "is not there" in one.message) for one in told] == [("data/benchmarks/mine.yml", True)]


def test_a_list_that_every_price_asks_for_is_told_once(sound: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise currencies.CurrencyError("data/currencies.yml:5: EUR, usd: is no number")

    prices(f"{ID},retail,Card,Shop,US,5,USD,,,,,2026-11-20,,row 1,,\n")(sound)
    monkeypatch.setattr(currencies, "load", broken)
    assert [str(one) for one in found(sound)] == ["data/currencies.yml:5: EUR, usd: is no number"]
    with pytest.raises(build.BuildError):
        build.build(sound.data)


def test_a_row_of_a_set_is_found_by_its_line(sound: Tree) -> None:
    prices("nvidia-rtx-7,retail,Card,Shop,US,5,USD,,,,,2026-11-20,,row 1,,\n")(sound)
    (told,) = (one for one in found(sound) if "unknown GPU name" in one.message)
    assert (told.file, told.line) == ("data/price-sets/mine.csv", 2)


def test_nothing_is_said_of_files_that_were_not_touched(sound: Tree, tmp_path: Path) -> None:
    sibling(sound, vendor="NVIDA")
    cache = tmp_path / "cache"
    assert check.of_gpus(sound.data, [FILE], cache) == []
    value(value="45000 W")(sound)
    told = check.of_gpus(sound.data, [FILE], cache)
    assert {one.file for one in told} == {FILE}
    assert "outside 5 to 5000 W" in told[0].message


def test_a_file_that_changed_is_read_again_and_a_broken_cache_is_none(sound: Tree, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert check.of_gpus(sound.data, [FILE], cache) == []
    gpu(lambda content: content.update(vendor="NVIDA"))(sound)
    assert check.of_gpus(sound.data, [FILE], cache) != []
    cache.write_bytes(b"no pickle")
    assert check.of_gpus(sound.data, [FILE], cache) != []


def test_one_file_is_held_to_the_same_rules_as_all(sound: Tree, tmp_path: Path) -> None:
    value(field="memory_bus_bit", value="192 bit")(sound)
    alone = check.of_gpus(sound.data, [FILE], tmp_path / "cache")
    assert alone == [one for one in found(sound) if one.file == FILE]


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
