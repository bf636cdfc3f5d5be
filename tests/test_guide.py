"""Chapters come out with the dataset's figures in them; a typed figure, a dead link or a stale one is a problem."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import astuple, replace
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from markdown.extensions.toc import slugify
from samples import SOUND, Tree, claim, committed, price

from pipeline import __main__ as cli
from pipeline.advise.choose import resale
from pipeline.commands import whole
from pipeline.core import currencies, files
from pipeline.core.schema import Price, columns, field_of
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive.prices.quote import quotes
from pipeline.editorial import guide
from pipeline.editorial.guide import ChapterSource, Guide, Use, anchor, figure_text
from pipeline.editorial.prose import Prose, ProseError
from pipeline.record import build
from pipeline.site.charts.listed import IN_CHAPTERS
from pipeline.site.pages.guide import page, pages

HEAD = "---\ntitle: A chapter\ndescription: What it is about.\n---\n"
MEMORY = '{{ fact("rtx-4090", "memory_gb") }}'


@pytest.fixture
def dataset(tree: Tree) -> Dataset:
    build.build(tree.data)
    return Dataset.load(tree.data.clean)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "guide").mkdir()
    return tmp_path / "guide"


def read(dataset: Dataset, folder: Path, **chapters: str) -> Guide:
    for name, text in chapters.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return guide.read(dataset, IN_CHAPTERS, folder, folder / "constants.yml", folder / "figures.yml")


CONSTANT = (
    "{}:\n  value: 32\n  text: '32'\n  source: a paper\n  url: https://e.org/a\n  locator: page 1\n  read: 2026-11-20\n"
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{{ constant("threads") }}', ["data/constants.yml:9: no chapter uses the constant 'lanes'; take it out"]),
        ('{{ constant("threads") }} {{ constant("lanes") }}', []),
        (
            '{{ constant("thread") }} {{ constant("lanes") }}',
            ["docs/guide/one.md:7: no constant is called 'thread'; did you mean 'threads'?"],
        ),
        (
            '{{ fct("x") }} {{ constant("threads") }} {{ constant("lanes") }}',
            ["docs/guide/one.md:7: 'fct' is undefined; did you mean 'fact'?; what is no reference stands in quotes"],
        ),
    ],
)
def test_a_slip_in_a_chapter_is_told_once_and_no_constant_of_it_is_called_idle(
    dataset: Dataset, folder: Path, text: str, told: list[str]
) -> None:
    constants = "# Figures.\n" + CONSTANT.format("threads") + CONSTANT.format("lanes")
    (folder / "constants.yml").write_text(constants, encoding="utf-8")
    assert list(map(str, read(dataset, folder, one=f"{HEAD}# One\n\n{text}\n").problems)) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{{ figure("twice") }}', []),
        ('{{ calc("a / 2", a=figure("twice"), unit="GB") }}', []),
        ("Nothing.", ["data/figures.yml:1: no chapter uses the figure 'twice'; take it out"]),
        ('{{ figure("twise") }}', ["docs/guide/one.md:7: no figure is called 'twise'; did you mean 'twice'?"]),
    ],
)
def test_a_sum_that_chapters_share_stands_once_and_is_worked_out_where_it_is_named(
    dataset: Dataset, folder: Path, text: str, told: list[str]
) -> None:
    (folder / "constants.yml").write_text(CONSTANT.format("two").replace("32", "2"), encoding="utf-8")
    shared = f'twice: calc("t * m", t=constant("two"), m={MEMORY[3:-3]}, unit="GB")\n'
    (folder / "figures.yml").write_text(shared, encoding="utf-8")
    found = read(dataset, folder, one=f"{HEAD}# One\n\n{text}\n")
    assert [str(problem)[: len(words)] for problem, words in zip(found.problems, told, strict=True)] == told
    if not told:
        (one,) = found.chapters
        assert one.used == (("constant", "", "two"), ("fact", "nvidia-geforce-rtx-4090", "memory_gb"))
        assert ">48\u00a0GB<" in one.markdown or ">24\u00a0GB<" in one.markdown


def test_a_chapter_has_its_figures_filled_in_and_they_are_counted(dataset: Dataset, folder: Path) -> None:
    found = read(dataset, folder, one=f"{HEAD}# One\n\nIt has {MEMORY}, yes {MEMORY}.\n", index=f"{HEAD}{MEMORY}")
    index, one = found.chapters
    assert found.problems == ()
    assert ">24\u00a0GB</a>" in one.markdown
    assert 'href="../../gpus/nvidia-geforce-rtx-4090/#claim-memory_gb"' in one.markdown
    assert 'href="../gpus/nvidia-geforce-rtx-4090/#claim-memory_gb"' in index.markdown
    assert not one.markdown.startswith("---")
    assert (len(found.figures), found.references) == (1, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("It draws 450 W.", "docs/guide/one.md:7: '450 W' is typed"),
        ("{{ gpu(“rtx-4090”) }}", "docs/guide/one.md:7: “ is a quote of print; inside {{ name(...) }} write"),
        ('{{ fact("rtx-4090", "length_mm") }}', "docs/guide/one.md:7: nvidia-geforce-rtx-4090 has no length_mm"),
        ("See [two](two.md).", "docs/guide/one.md:7: two.md leads to no chapter; chapters: one.md"),
        ("See [one](one).", "docs/guide/one.md:7: one leads to no chapter; chapters: one.md"),
        ("See [here](#there).", "docs/guide/one.md:7: #there leads to no heading of docs/guide/one.md"),
        (
            "See [it](https://example.org/a).",
            "docs/guide/one.md:7: https://example.org/a: 'example.org' is a name for examples",
        ),
        ("A [card](../gpus/rtx-4090.md).", "docs/guide/one.md:7: ../gpus/rtx-4090.md leads to no GPU"),
        (f"## With {MEMORY}", "docs/guide/one.md:7: a heading carries a reference"),
        (f"[of {MEMORY} in all](https://e.org)", f"docs/guide/one.md:7: {MEMORY} stands in a link"),
        ("## One", "docs/guide/one.md:1: 2 headings lead to #one"),
        ('{{ gpu("rtx-4090") }} is faster than all.', "docs/guide/one.md:7: 'faster than' compares"),
        (
            '{{ gpu("rtx-4090") }} has more memory bandwidth than all.',  # two words may stand between
            "docs/guide/one.md:7: 'more memory bandwidth than' compares",
        ),
        ('{{ gpu("rtx-4090") }} draws less than all.', "docs/guide/one.md:7: 'less than' compares"),
        ('{{ gpu("rtx-4090") }} has fewer cores than all.', "docs/guide/one.md:7: 'fewer cores than' compares"),
        *(
            (f'{{{{ gpu("rtx-4090") }}}} is the {most} of all.', f"docs/guide/one.md:7: 'the {most}' compares")
            for most in ("cheapest", "fastest", "slowest", "largest", "smallest", "strongest")
        ),
    ],
)
def test_what_is_wrong_in_a_chapter_is_named_with_file_and_line(
    dataset: Dataset, folder: Path, text: str, message: str
) -> None:
    (problem,) = read(dataset, folder, one=f"{HEAD}# One\n\n{text}\n").problems
    assert str(problem).startswith(message)


def test_every_wrong_reference_of_a_chapter_is_told_at_once(dataset: Dataset, folder: Path) -> None:
    wrong = ('{{ fact("rtx-4090", "memory") }}', '{{ gpu("rtx-4091") }}', '{{ constant("thread") }}', "{{ fcat(1) }}")
    told = read(dataset, folder, one=f"{HEAD}# One\n\n" + "\n\n".join([wrong[0], MEMORY, *wrong[1:]])).problems
    assert [problem.line for problem in told] == [7, 11, 13, 15]
    assert "did you mean" in told[0].message


def test_a_slip_that_takes_more_than_its_line_ends_the_search(dataset: Dataset, folder: Path) -> None:
    chapter = f'{HEAD}# One\n\n{{{{ calc("a",\n a=fact("rtx-4090", "memory")) }}}}\n\n{MEMORY}\n'
    (told,) = read(dataset, folder, one=chapter).problems
    assert "unknown field 'memory'" in told.message


def test_a_rough_estimate_can_be_rounded_to_a_whole_number(dataset: Dataset, folder: Path) -> None:
    text = f"{HEAD}# One\n\n{{{{ calc('61 / 3', unit='minutes', whole=True) }}}}\n"
    chapter = read(dataset, folder, one=text).chapters[0]
    assert "20 minutes" in re.sub("[\u00a0\u202f]", " ", chapter.markdown)


def test_a_whole_sum_of_money_has_no_cents(dataset: Dataset, folder: Path) -> None:
    text = f"{HEAD}# One\n\n{{{{ calc('61 / 3', unit='USD', whole=True) }}}} a month\n"
    chapter = read(dataset, folder, one=text).chapters[0]
    assert ">$20<" in chapter.markdown


@pytest.mark.parametrize(
    "text",
    [
        "See [one](#one), [a b](one.md#a-b-c), [mark](one.md#mark), [out](https://a.org/#x), [all](../gpus/index.md).",
        "A [card](../gpus/nvidia-geforce-rtx-4090.md).",
        '{{ gpu("rtx-4090") }} takes less than {{ fact("rtx-4090", "board_power_w") }}.',
        '{{ gpu("rtx-4090") }} is faster than that.{{ holds("a > 1", a=fact("rtx-4090", "memory_gb")) }}',
        "```python\n# a [comment](nowhere.md)\n## no heading {{ x }}\n```".replace("{{ x }}", ""),
    ],
)
def test_what_leads_somewhere_and_what_states_its_condition_is_no_problem(
    dataset: Dataset, folder: Path, text: str
) -> None:
    chapter = f'{HEAD}# One\n\n## A `b`: C\n\n<a id="mark"></a>\n\n{text}\n'
    assert read(dataset, folder, one=chapter).problems == ()


def test_front_matter_is_needed(dataset: Dataset, folder: Path) -> None:
    found = read(dataset, folder, one="# One\n")
    assert [p.message.split(";")[0] for p in found.problems] == [
        "front matter has no description",
        "front matter has no title",
    ]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("FP32", "fp32"),
        ("Step 1: what do you do?", "step-1-what-do-you-do"),
        ("Links, ECC", "links-ecc"),
        ("SIMD, MIMD and SIMT", "simd-mimd-and-simt"),
        ("A [link](x.md) and `code`", "a-link-and-code"),
    ],
)
def test_an_anchor_is_made_as_markdown_makes_it(heading: str, expected: str) -> None:
    assert anchor(heading) == expected
    assert slugify(re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", heading), "-") == expected


@pytest.mark.parametrize(
    ("amount", "unit", "expected"),
    [
        (1599, "USD", "$1,599"),
        (2.949, "USD", "$2.95"),
        (5599, "EUR", "€5,599"),
        (0.05385, "USD", "$0.0539"),
        (4.252, "×", "4.3×"),
        (1008, "GB/s", "1,008\u00a0GB/s"),
        (0.3671, "", "0.367"),
    ],
)
def test_a_figure_is_written_as_on_the_whole_site(amount: float, unit: str, expected: str) -> None:
    assert figure_text(amount, unit) == expected


# ------------------------------------------------------------------------------- the references made for chapters


def rendered(dataset: Dataset, text: str, **named: Path) -> str:
    return Prose(dataset, figure_text, **named).render(text, "guide/x.md", "../../")  # type: ignore[arg-type]


def test_a_table_has_units_in_the_head_and_a_linked_number_in_each_cell(dataset: Dataset) -> None:
    text = rendered(dataset, '{{ table(["rtx-4090"], ["memory_gb", "memory_type", "peak:fp16:fp32:dense:tensor"]) }}')
    head, rule, row = text.splitlines()
    assert head == "| GPU | Memory, GB | Memory type | FP16 → FP32, dense, tensor, TFLOPS |"
    assert rule == "| :-- | --: | :-- | --: |"
    assert re.sub("<[^>]*>", "", row) == "| GeForce RTX 4090 | 24 | GDDR6X | 165 |"
    assert row.count("#claim-") == 3


def test_a_gap_in_a_table_is_an_error_unless_gaps_are_allowed(dataset: Dataset) -> None:
    with pytest.raises(ProseError, match="has no length_mm"):
        rendered(dataset, '{{ table(["rtx-4090"], ["length_mm"]) }}')
    assert rendered(dataset, '{{ table(["rtx-4090"], ["length_mm"], gaps=True) }}').endswith("| – |")


def test_what_a_source_wrote_cannot_break_a_table_or_start_a_link(tree: Tree) -> None:
    odd = claim("memory_gb", "24 GB", locator="a|b [c](d) `e`")
    tree.claims("wikipedia-gpu-info", tuple(odd if c.field == "memory_gb" else c for c in SOUND))
    build.build(tree.data)
    row = rendered(Dataset.load(tree.data.clean), '{{ table(["rtx-4090"], ["memory_gb"]) }}').splitlines()[2]
    assert row.count("|") == 3
    assert not set("[]`") & set(row)


def test_rent_is_the_median_of_the_offers_that_count_and_says_so(tree: Tree) -> None:
    offers = [
        price(provider=f"Cloud {amount}", usd_per_gpu_hour=amount, usd_per_machine_hour=2 * amount, offer=str(amount))
        for amount in (0.2, 0.3, 0.7)
    ]
    tree.write("prices/2026-08.csv", files.csv_text(columns(Price), map(astuple, offers)))
    build.build(tree.data)
    text = rendered(Dataset.load(tree.data.clean), '{{ rent("rtx-4090") }}')
    assert ">$0.30 an hour (on demand, 2026-08)</a>" in text
    assert "median of 3 providers, 2026-08" in text


def test_a_card_without_an_offer_has_no_rent(dataset: Dataset) -> None:
    with pytest.raises(ProseError, match="has no on-demand price"):
        rendered(dataset, '{{ rent("rtx-4090") }}')


def test_a_sample_is_shown_whole_or_in_parts_and_an_unknown_one_fails(dataset: Dataset, tmp_path: Path) -> None:
    code = 'import os\n\n\n@cache\ndef one() -> str:\n    return "{{ x }} <b>"\n\n\ndef two() -> None: ...\n'
    (tmp_path / "s.py").write_text(code, encoding="utf-8")
    assert rendered(dataset, '{{ sample("s.py") }}', samples=tmp_path) == f"```python\n{code.strip()}\n```"
    part = rendered(dataset, '{{ sample("s.py", "one") }}', samples=tmp_path)
    assert part == '```python\n@cache\ndef one() -> str:\n    return "{{ x }} <b>"\n```'
    with pytest.raises(ProseError, match=r"no code sample is called '\.\./s\.py'; samples: s\.py"):
        rendered(dataset, '{{ sample("../s.py") }}', samples=tmp_path)
    with pytest.raises(ProseError, match=r"s\.py has no function or class 'three'"):
        rendered(dataset, '{{ sample("s.py", "three") }}', samples=tmp_path)


def test_integer_rates_are_no_floating_point_operations(tree: Tree) -> None:
    tree.claims("wikipedia-gpu-info", (*SOUND, claim("peak:int8:int32:dense:tensor", "660.6 TFLOPS")))
    build.build(tree.data)
    text = rendered(Dataset.load(tree.data.clean), '{{ peak("rtx-4090", "int8", "int32") }}')
    assert ">661\u00a0TOPS</a>" in text


# ----------------------------------------------------------------------------------- prices of today that grow old

USED = '{{ price("rtx-4090", "used") }}'
USED_OLD = '{{ price("rtx-4090", "used", old=True) }}'


def seen_on(dataset: Dataset, day: str) -> Dataset:
    """The dataset with one used price, of another day."""
    record = dataset.find("rtx-4090")
    assert record is not None
    amounts = {"usd_per_gpu_hour": None, "usd_per_machine_hour": None, "usd_per_unit": 1000.0}
    row = price(kind="used", country="US", tax=0.0, date=day, **amounts)
    return replace(dataset, gpus={**dataset.gpus, record.id: replace(record, prices=(row,))})


@pytest.mark.parametrize(
    ("day", "text", "message"),
    [
        ("2025-12-15", USED, "which is stale; find a newer one or write old=True"),
        ("2020-01", USED, "which is withdrawn; find a newer one or write old=True"),
        ("2026-08-01", USED_OLD, "and not old any more; take old=True out"),
        ("2026-08-01", USED, ""),
        ("2025-12-15", USED_OLD, ""),
        ("2020-01", '{{ price("rtx-4090", "used", at="2020-01") }}', ""),
    ],
)
def test_an_old_price_of_today_is_told_with_file_and_line_and_no_problem_of_the_check(
    dataset: Dataset, folder: Path, day: str, text: str, message: str
) -> None:
    found = read(seen_on(dataset, day), folder, one=f"{HEAD}# One\n\nNow {text},\nnot {text}.\n")
    assert found.problems == ()
    expected = [("docs/guide/one.md", 7), ("docs/guide/one.md", 8)] if message else []
    assert [(problem.file, problem.line) for problem in found.stale] == expected
    assert all(problem.message.endswith(message) for problem in found.stale)


def test_an_old_rent_is_told_too_and_the_sentence_says_when_it_was_last_seen(tree: Tree, folder: Path) -> None:
    offers = [price(date="2026-01-15", usd_per_gpu_hour=0.2, usd_per_machine_hour=0.4, offer="a")]
    tree.write("prices/2026-01.csv", files.csv_text(columns(Price), map(astuple, offers)))
    build.build(tree.data)
    made = Dataset.load(tree.data.clean)
    quiet = read(made, folder, one=f'{HEAD}{{{{ rent("rtx-4090", old=True) }}}}')
    assert quiet.stale == ()
    assert "(on demand, last seen 2026-01)" in quiet.chapters[0].markdown
    (problem,) = read(made, folder, one=f'{HEAD}{{{{ rent("rtx-4090") }}}}').stale
    assert str(problem).startswith("docs/guide/one.md:5: the on demand price of nvidia-geforce-rtx-4090 is of 2026-01")


@pytest.mark.parametrize(("day", "code"), [("2025-12-15", 3), ("2026-08-01", 0)])
def test_the_refresh_fails_on_an_old_price_and_the_check_only_warns(
    dataset: Dataset, folder: Path, monkeypatch: pytest.MonkeyPatch, day: str, code: int
) -> None:
    found = read(seen_on(dataset, day), folder, one=f"{HEAD}{USED}")
    monkeypatch.setattr(guide, "read", lambda *_: found)
    told = CliRunner().invoke(cli.main, ["stale"])
    assert (told.exit_code, "docs/guide/one.md:5:" in told.output) == (code, code == 3)
    warned = CliRunner().invoke(click.Command("guide", callback=lambda: whole.check_guide(dataset)))
    assert (warned.exit_code, "warning: docs/guide/one.md:5:" in warned.output) == (0, code == 3)


# ------------------------------------------------------------------------------------------------ the guide itself


@cache
def real() -> tuple[Dataset, Guide]:
    dataset = committed()
    return dataset, guide.read(dataset, IN_CHAPTERS)


def test_the_guide_has_no_problem() -> None:
    _, found = real()
    assert [str(problem) for problem in found.problems] == []


def test_a_guide_with_a_problem_is_not_published(
    dataset: Dataset, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read(dataset, folder, one=f"{HEAD}# One\n\nIt draws 450 W.\n")
    monkeypatch.setattr(guide, "read", lambda *_: found)
    with pytest.raises(guide.GuideError, match=r"one\.md:7: '450 W' is typed"):
        list(pages(dataset))


def test_a_chapter_becomes_a_markdown_page_that_is_edited_in_its_own_file(dataset: Dataset, folder: Path) -> None:
    (chapter,) = read(dataset, folder, one=f"{HEAD}# One\n\nIt has {MEMORY}.\n").chapters
    made = page(chapter, dataset)
    text = made.text()
    assert (made.file, made.edit_path, made.address) == ("guide/one.md", "docs/guide/one.md", "guide/one/")
    head = 'title: "A chapter"\ndescription: "What it is about."\nsearch: {"boost": 30.0}'
    assert text.startswith(f"---\n{head}\n---\n# One\n")
    assert "*1 figure on this page comes from the dataset" in text


# ------------------------------------------------------------------------------------------------------- pictures


def with_used_price(dataset: Dataset) -> Dataset:
    return seen_on(dataset, "2026-08-01")


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ('{{ chart("memory-bandwidth") }}', 'data-chart="../../charts/memory-bandwidth.json"'),
        ('{{ chart("measured-peak") }}', 'data-chart="../../charts/measured-peak.json"'),
        ('{{ chart("price-history", "rtx-4090") }}', 'href="../../gpus/nvidia-geforce-rtx-4090/#prices"'),
    ],
)
def test_a_chart_of_a_chapter_is_drawn_on_its_page_and_kept_from_the_search(
    dataset: Dataset, folder: Path, text: str, drawn: str
) -> None:
    made = with_used_price(dataset)
    found = read(made, folder, one=f"{HEAD}# One\n\n{text}\n\nEnd.\n")
    assert found.problems == ()
    body = page(found.chapters[0], made).text()
    picture = body[body.index("<section") : body.index("</section>")]
    assert drawn in picture
    assert "data-search-exclude" in picture[: picture.index(">")]
    assert body.count("<!--chart") == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{{ chart("no-such-chart") }}', "no chart is called 'no-such-chart'; charts: "),
        ('{{ chart("price-history") }}', "no chart is called 'price-history'"),
        ('{{ chart("memory-bandwidth", "rtx-4090") }}', "no chart is called 'memory-bandwidth'"),
        ('{{ chart("price-history", "rtx-4099") }}', "no GPU is called 'rtx-4099'"),
    ],
)
def test_a_chart_that_is_not_there_is_a_problem(dataset: Dataset, folder: Path, text: str, message: str) -> None:
    (problem,) = read(dataset, folder, one=f"{HEAD}# One\n\n{text}\n").problems
    assert (problem.line, message in problem.message) == (7, True)


def test_the_history_of_a_card_without_a_price_is_a_problem(dataset: Dataset, folder: Path) -> None:
    record = dataset.gpus["nvidia-geforce-rtx-4090"]
    bare = replace(dataset, gpus={record.id: replace(record, prices=())})
    (problem,) = read(bare, folder, one=f'{HEAD}{{{{ chart("price-history", "rtx-4090") }}}}').problems
    assert "has no price to buy" in problem.message


def test_every_chapter_says_what_it_teaches_shows_a_picture_and_ends_with_what_to_do() -> None:
    _, found = real()
    for chapter in found.chapters:
        text = chapter.source.body.strip()
        assert re.match(r"# .+\n\n\*\*What you will know at the end", text), chapter.source.name
        assert text.rindex("\n## ") == text.index("\n## What to do now"), chapter.source.name
        pictured = re.search(r"<svg|\{\{ (?:chart|bars|curve|time_line|waves|picture|decision)\(", text)
        assert pictured or chapter.source.name == "glossary", chapter.source.name


FOLD = re.compile(r"<summary>(.+?): (.+?)</summary>(.+?)</details>", re.DOTALL)
TERM = re.compile(r"^## (.+?) *(?:\{: *#([\w-]+) *\})?$", re.MULTILINE)


def test_each_term_of_the_glossary_is_folded_under_its_letter_between_the_first_and_the_last_it_names() -> None:
    glossary = guide.written()["glossary"].body
    folds = [(letter, span, TERM.findall(body)) for letter, span, body in FOLD.findall(glossary)]
    for letter, span, terms in folds:
        shown = [term for term, _ in terms]
        assert span == (" to ".join((shown[0], shown[-1])) if len(shown) > 1 else shown[0])
        strays = [term for term, anchor in terms if letter not in (term[0].upper(), anchor[:1].upper())]
        assert letter == "0–9" or strays == []
    assert sum(len(terms) for _, _, terms in folds) == len(TERM.findall(glossary)) - 1  # "What to do now"
    jump = re.findall(r"\[([A-Z]|0–9)\]\(#([\w-]+)\)", glossary)
    assert jump == [(letter, terms[0][1] or slugify(terms[0][0], "-")) for letter, _, terms in folds]


# ------------------------------------------------------ changing any used value by 10 % changes the text or the check


def figures() -> Iterator[Use]:
    yield from real()[1].figures


PRICED = re.compile(r"\b(price|rent|offer|machine)\(")
SAYS_WHOSE = re.compile(r"\bamerican\(\)|without sales tax|American prices, before tax")


def test_a_chapter_with_prices_says_that_they_are_american_and_before_tax() -> None:
    chapters = guide.written()
    assert [name for name, one in chapters.items() if PRICED.search(one.body) and not SAYS_WHOSE.search(one.body)] == []


def test_a_machine_of_a_cloud_costs_what_its_cheapest_region_asks_for_one_gpu() -> None:
    dataset, _ = real()
    prose = guide.prose_of(dataset, IN_CHAPTERS)
    rows = [row for row in dataset.prices if "/ a3-highgpu-8g /" in row.offer and row.kind == "spot" and not row.flag]
    day = max(row.date for row in rows)
    each = min(row.machine_hour_usd for row in rows if row.date == day) / 8
    text = prose.render('{{ machine("a3-highgpu-8g", kind="spot", old=True) }}', "guide/x.md", "../../")
    assert f">{figure_text(each, 'USD')} (last seen {day[:7]})</a>" in text  # by a price that is known to be old
    assert 'href="../../clouds/gcp-a3/"' in text


def test_an_offer_is_what_one_provider_asked_on_the_newest_day_and_of_one_kind_where_it_is_named() -> None:
    dataset, _ = real()
    prose = guide.prose_of(dataset, IN_CHAPTERS)
    known = dataset.gpus["nvidia-l40s"].prices
    rows = [row for row in known if (row.provider, row.kind, row.flag) == ("RunPod", "on_demand", "")]
    newest = max(row.date for row in rows)
    low = min(row.usd_per_gpu_hour for row in rows if row.date == newest and row.usd_per_gpu_hour)
    secure = max((row for row in rows if "secure cloud (" in row.includes), key=lambda row: row.date)
    both = '{{ offer("l40s", "RunPod") }}, {{ offer("l40s", "RunPod", within="secure cloud (") }}'
    text = prose.render(both, "guide/x.md", "../../")
    assert f">{figure_text(low, 'USD')} ({newest[:7]})</a>" in text
    assert secure.usd_per_gpu_hour is not None
    assert secure.usd_per_gpu_hour > low
    assert f">{figure_text(secure.usd_per_gpu_hour, 'USD')} ({secure.date[:7]})</a>" in text


def test_what_a_card_has_kept_is_the_share_of_the_chooser() -> None:
    dataset, _ = real()
    found = resale.kept(dataset)
    text = guide.prose_of(dataset, IN_CHAPTERS).render('{{ kept(2) }}, {{ kept(2, new="rtx-5090") }}', "x", "../../")
    used = 100 * found.a_year**2
    drop = found.first.at(resale.age_of(dataset.gpus["nvidia-geforce-rtx-5090"], dataset.newest_reading))
    assert drop < 1
    assert f">{figure_text(used, '%')}</" in text
    assert f">{figure_text(used * drop, '%')}</" in text


def test_a_share_that_was_kept_has_the_two_ends_between_which_eight_in_ten_lie() -> None:
    dataset, _ = real()
    found = resale.kept(dataset)
    both = '{{ kept(2, end="low") }}, {{ kept(2, end="high") }}'
    text = guide.prose_of(dataset, IN_CHAPTERS).render(both, "x", "../../")
    for times in (found.low, found.high):
        assert f">{figure_text(100 * times * found.a_year**2, '%')}</" in text


def test_an_offer_of_machines_with_several_cards_is_of_those_alone() -> None:
    dataset, _ = real()
    rows = [
        row
        for row in dataset.gpus["nvidia-geforce-rtx-4090"].prices
        if (row.provider, row.kind, row.flag, row.gpus) == ("Vast.ai", "on_demand", "", 4)
    ]
    newest = max(rows, key=lambda row: (row.date, -(row.usd_per_gpu_hour or 0)))
    assert newest.usd_per_gpu_hour is not None
    asked = '{{ offer("rtx-4090", "Vast.ai", gpus=4, old=True) }}'
    text = guide.prose_of(dataset, IN_CHAPTERS).render(asked, "guide/x.md", "../../")
    assert f">{figure_text(newest.usd_per_gpu_hour, 'USD')} (last seen {newest.date[:7]})</a>" in text


def test_a_months_price_of_one_source_is_not_mixed_with_those_of_others() -> None:
    dataset, _ = real()
    prose = guide.prose_of(dataset, IN_CHAPTERS)
    one = '{{ price("rtx-5090", "used", at="2026-09", by="gpu-poet") }}'
    assert ">$4,795 (2026\u201109)</a>" in prose.render(one, "guide/x.md", "../../")
    with pytest.raises(ProseError, match=r"has 0 used prices of nobody in 2026-09; name another month"):
        prose.render(one.replace("gpu-poet", "nobody"), "guide/x.md", "../../")


def test_the_time_of_a_picture_is_told_in_two_digits_and_names_the_models_it_knows() -> None:
    prose = guide.prose_of(real()[0], IN_CHAPTERS)
    assert ">130\xa0s</" in prose.render('{{ picture_time("rtx-3090", "qwen-image") }}', "guide/x.md", "../../")
    assert ("model", "qwen-image", "layers") in prose.used
    with pytest.raises(ProseError, match=r"no time of a picture is estimated with 'sdxl'; with flux\.1-dev, flux\.2-"):
        prose.render('{{ picture_time("rtx-3090", "sdxl") }}', "guide/x.md", "../../")


def test_an_offer_of_a_provider_that_none_names_is_refused() -> None:
    with pytest.raises(ProseError, match=r"nvidia-l40s has no on-demand price of Nobody; take the reference"):
        guide.prose_of(real()[0], IN_CHAPTERS).render('{{ offer("l40s", "Nobody") }}', "guide/x.md", "../../")


@pytest.mark.parametrize(
    ("name", "message"), [("p9.48xlarge", "no cloud family has a machine"), ("ND96isr_v9", "no cloud family")]
)
def test_a_machine_that_no_family_has_is_named(name: str, message: str) -> None:
    with pytest.raises(ProseError, match=message):
        guide.prose_of(real()[0], IN_CHAPTERS).render(f'{{{{ machine("{name}") }}}}', "guide/x.md", "../../")


def changed(dataset: Dataset, use: Use) -> Dataset:
    """A copy of the dataset in which one used value is a tenth larger (a text: another one)."""
    kind, gpu, name = use
    record = dataset.gpus[gpu]
    makers = {"fact": _with_claim, "bench": _with_result}
    made = makers[kind](record, name) if kind in makers else _with_prices(record, kind, name)
    prices = _with_machine(dataset, name) if kind == "machine" else dataset.prices
    return replace(dataset, gpus={**dataset.gpus, gpu: made}, prices=prices)


def _with_claim(record: GpuRecord, name: str) -> GpuRecord:
    chosen, *others = record.claims[name]
    return replace(record, claims={**record.claims, name: (replace(chosen, value=_other(name, chosen.value)), *others)})


def _other(name: str, value: str) -> str:
    kind = field_of(name).type
    if kind in ("number", "integer"):
        return str(float(value) * 1.1)
    return "1999" if kind == "date" else f"not {value}"


def _with_result(record: GpuRecord, locator: str) -> GpuRecord:
    rows = tuple(
        replace(r, value=r.value * 1.1) if r.locator == locator and r.value is not None else r
        for r in record.benchmarks
    )
    return replace(record, benchmarks=rows)


def _with_prices(record: GpuRecord, kind: str, name: str) -> GpuRecord:
    column = "usd_per_gpu_hour" if kind == "rent" else "usd_per_unit"
    kind, _, month = name.partition("@")
    rows = tuple(
        replace(row, **{column: getattr(row, column) * 1.1}, amount=row.amount and row.amount * 1.1)
        if row.kind == kind and getattr(row, column) and row.date.startswith(month)
        else row
        for row in record.prices
    )
    return replace(record, prices=rows)


def _with_machine(dataset: Dataset, name: str) -> tuple[Price, ...]:
    kind, _, machine = name.partition("@")
    words = {machine, f"Standard_{machine}", machine.replace(" ", "_")}
    return tuple(
        replace(row, usd_per_machine_hour=row.usd_per_machine_hour * 1.1)
        if row.kind == kind and row.usd_per_machine_hour and words & {*row.offer.split(" / ")}
        else row
        for row in dataset.prices
    )


def outcomes(uses: list[Use]) -> dict[str, list[tuple[str, Use]]]:
    """What happens to each chapter that uses a value when this value alone changes: stopped, changed or unnoticed."""
    dataset, found = real()
    known = guide.prose_of(dataset, IN_CHAPTERS)
    told: dict[str, list[tuple[str, Use]]] = {"stopped": [], "changed": [], "unnoticed": []}
    for use in uses:
        prose = replace(known, dataset=changed(dataset, use), used=[], aged=[])
        for chapter in found.chapters:
            if use in chapter.used:
                told[_outcome(chapter, prose)].append((chapter.source.name, use))
    return told


def _outcome(chapter: guide.Chapter, prose: Prose) -> str:
    """Whether the check stops, or a reader sees other words or another drawing: a tooltip alone does not count."""
    try:
        same = _seen(guide.render(chapter.source, prose).markdown) == _seen(chapter.markdown)
    except ProseError:
        return "stopped"
    return "unnoticed" if same else "changed"


_DRAWN = re.compile(r'\b(?:d|[xy][12]?|c[xy]|width|height|points|transform)="[^"]*"')


def _seen(markdown: str) -> str:
    """The words, and of the drawings where each line and bar runs."""
    return re.sub("<[^>]*>", lambda tag: " ".join(_DRAWN.findall(tag[0])), markdown)


def test_a_value_that_no_sentence_shows_would_be_noticed(dataset: Dataset) -> None:
    source = ChapterSource("one", f'{HEAD}Big.{{{{ holds("a > 1", a=fact("rtx-4090", "memory_gb")) }}}}\n')
    chapter = guide.render(source, Prose(dataset, figure_text))
    assert _outcome(chapter, Prose(changed(dataset, chapter.used[0]), figure_text)) == "unnoticed"


def test_changing_one_used_value_in_a_sample_changes_the_text_or_fails_the_check() -> None:
    every = list(figures())
    assert outcomes(every[:: max(1, len(every) // 8)])["unnoticed"] == []


@pytest.mark.full
def test_changing_any_used_value_changes_the_text_or_fails_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    every = list(figures())
    told = outcomes(every)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(every)} figures of the guide, each a tenth larger, one at a time: "
            f"in {len(told['stopped'])} places the check stops, in {len(told['changed'])} the text changes, "
            f"{len(told['unnoticed'])} go unnoticed\n"
        )
    assert told["unnoticed"] == []


def test_every_comparison_of_the_guide_is_counted() -> None:
    _, found = real()
    assert found.comparisons == sum(chapter.source.text.count("{{ holds(") for chapter in found.chapters)
    assert found.comparisons > 0


def test_sources_are_read_with_their_lines(folder: Path) -> None:
    source = ChapterSource("one", f"{HEAD}# One\n")
    assert source.body.splitlines()[4] == "# One"
    assert source.anchors == ["one"]


def test_a_rent_says_where_it_is_asked() -> None:
    prose = guide.prose_of(committed(), frozenset())
    headline, cloud, host = (
        prose.render(f'{{{{ rent("rtx-3090"{kind}) }}}}', "one.md", "../")
        for kind in ("", ', kind="rent"', ', kind="marketplace"')
    )
    assert " an hour (on demand, " in cloud and " an hour (on a marketplace, " in host
    assert headline == {"rent": cloud, "marketplace": host}[quotes(committed()).to_rent("nvidia-geforce-rtx-3090").kind]
    brief, whose = (
        prose.render(f'{{{{ rent("rtx-3090"{kind}, brief=True) }}}}', "one.md", "../") for kind in (', kind="rent"', "")
    )
    assert re.search(r">\$[\d.]+ \(20\d\d\u2011\d\d\)<", brief)
    assert re.search(r">\$[\d.]+ \((cloud|host), 20\d\d\u2011\d\d\)<", whose)
    with pytest.raises(ProseError, match="rent knows the kinds rent, marketplace; not 'spotty'"):
        prose.render('{{ rent("rtx-3090", kind="spotty") }}', "one.md", "../")


def test_a_price_in_each_market_shows_that_of_the_reader_and_counts_as_the_american_one() -> None:
    dataset = committed()
    prose, book = guide.prose_of(dataset, IN_CHAPTERS), quotes(dataset)

    def shown(reference: str) -> dict[str, str]:
        text = prose.render(f"{{{{ {reference} }}}}", "one.md", "../")
        spans = re.findall(r'<span class="ga-market ga-market--(\w+)"([^>]*)><a [^>]*>([^<]*)</a></span>', text)
        assert [hidden for _, hidden, _ in spans] == ["", " data-search-exclude", " data-search-exclude"]
        return {market: words for market, _, words in spans}

    known = shown('price("rtx-3090", "used", market="each")')
    for market, currency in (("us", "USD"), ("eu", "EUR"), ("uk", "GBP")):
        asked = book.quote("nvidia-geforce-rtx-3090", "used", market).value
        assert asked is not None
        assert known[market].startswith(figure_text(asked, currency))
    assert book.quote("nvidia-geforce-rtx-4070-ti-super", "used", "eu").value is None  # nobody states one there
    alone = shown('price("rtx-4070-ti-super", "used", market="each")')
    assert alone["eu"] == alone["uk"] == alone["us"].removesuffix(")") + ", in the US)"
    hour = book.quote("nvidia-b200", "marketplace", "eu").value
    assert hour is not None
    assert figure_text(hour, "EUR") in shown('rent("b200", kind="marketplace", market="each")')["eu"]
    for reference in ('offer("b200", "Nebius", market="each")', 'machine("p5.48xlarge", market="each")'):
        assert [words[0] for words in shown(reference).values()] == ["$", "€", "£"]
    dollars = prose.render('{{ calc("a", a=price("rtx-3090", "used", market="each"), unit="USD") }}', "one.md", "../")
    assert known["us"].split()[0] in dollars
    rate = currencies.load()["EUR"].usd
    worked = prose.render('{{ calc("234", unit="USD", market="each") }}', "one.md", "../")
    assert f'--us"><span class="calc" title="234">{figure_text(234, "USD")}</span>' in worked
    assert f">{figure_text(234 / rate, 'EUR')}</span>" in worked
    for reference in ('offer("b200", "Nebius", market="eu")', 'calc("2", unit="W", market="each")'):
        with pytest.raises(ProseError, match="what is asked in dollars is converted"):
            prose.render(f"{{{{ {reference} }}}}", "one.md", "../")


def test_a_price_of_another_market_is_in_its_currency_and_says_what_tax_is_in_it() -> None:
    prose = guide.prose_of(committed(), frozenset())
    asked = quotes(committed()).quote("nvidia-geforce-rtx-5090", "new", "eu")
    text = prose.render('{{ price("rtx-5090", "retail", market="eu", brief=True) }}', "one.md", "../")
    month = asked.day[:7].replace("-", "\u2011")  # a narrow cell keeps it on one line
    lowest = "lowest asked, " if asked.basis == "floor" else ""
    assert asked.value is not None and f">€{asked.value:,.0f} ({lowest}{month})<" in text
    assert f"with {asked.tax:g} % tax ({asked.country})" in text
    with pytest.raises(ProseError, match="markets are us, eu, uk; not 'mars'"):
        prose.render('{{ price("rtx-5090", "retail", market="mars") }}', "one.md", "../")
