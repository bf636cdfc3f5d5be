from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import pytest
from browsing import until
from playwright.sync_api import Browser
from playwright.sync_api import Page as BrowserPage
from samples import committed

from pipeline.advise import rules
from pipeline.advise.choose import costs, hosts
from pipeline.advise.choose.calculators import CALCULATORS, CalculatorAnswer, answer, known, words
from pipeline.advise.choose.calculators.memory_parts import bar
from pipeline.advise.choose.calculators.what_fits import MISSES, SQUEEZED, FitRow, fit_rows
from pipeline.advise.estimate import Memory
from pipeline.advise.estimate.validation import LabelRow
from pipeline.core.paths import ROOT
from pipeline.dataset import Dataset
from pipeline.site.pages import calculators, validation
from pipeline.site.render import Asset, Page

Opened = Callable[[str], tuple[BrowserPage, list[str]]]


@lru_cache(maxsize=1)
def files() -> dict[str, Page | Asset]:
    found = [*calculators.pages(committed()), *validation.pages(committed())]
    return {file.file: file for file in found}


def text(name: str) -> str:
    return files()[name].text()


# ------------------------------------------------------------------ validation


def test_every_measured_point_stands_beside_its_prediction_and_in_the_csv() -> None:
    found = validation.validated(committed())
    points = len(found.decode) + len(found.apart) + len(found.prefill) + len(found.serving)
    rows = text("data/validation.md").count("<td>yes</td></tr>") + text("data/validation.md").count("<td>no</td></tr>")
    assert rows == points + len(found.failures)
    assert len(text("data/validation.csv").splitlines()) == points + 1


def test_a_share_is_written_as_on_the_whole_site() -> None:
    page = text("data/validation.md")
    assert re.findall(r"\d%", re.sub(r"<[^>]*>", "", page)) == []
    assert page.count("\u00a0%") > 100


def test_a_target_that_counts_cases_is_told_as_a_number_and_no_share() -> None:
    rows = dict(
        re.findall(r'<th scope="row">(public memory cases wrong|false fits)</th>(.*?)</tr>', text("data/validation.md"))
    )
    assert "at most 2<" in rows["public memory cases wrong"]
    assert not any("%" in row for row in rows.values())


def test_every_target_is_on_the_page_with_what_was_found() -> None:
    page = text("data/validation.md")
    for finding in validation.validated(committed()).findings:
        assert f'<th scope="row">{finding.name}</th>' in page


def test_a_false_label_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = validation.validated(committed())
    wrong = replace(found.labels[0], predicted=not found.labels[0].predicted)
    spoilt = replace(found, labels=(wrong, *found.labels[1:]))
    monkeypatch.setattr(validation, "validated", lambda _: spoilt)
    page = next(file for file in validation.pages(committed()) if isinstance(file, Page)).text()
    assert f'GB). <span class="ga-faint">{wrong.label.key}</span></li>' in page
    assert "None is wrong" not in page


def test_a_configuration_that_ran_less_far_than_predicted_is_not_right() -> None:
    def what(row: LabelRow) -> tuple[object, ...]:
        return (row.label.card, row.label.model, row.label.request.quant, row.label.request.gpus)

    rows = validation.validated(committed()).labels
    same = [row for row in rows if what(row) == what(rows[0])]
    _, whole = validation.label_table(same)
    _, cut = validation.label_table([_flipped(r) for r in same])
    assert [cell.right for _, cells in whole for cell in cells.values()] == [True]
    assert [cell.right for _, cells in cut for cell in cells.values()] == [False]


def _flipped(row: LabelRow) -> LabelRow:
    return replace(row, predicted=not row.predicted)


def test_what_is_left_out_is_counted_by_reason_and_named() -> None:
    found = validation.validated(committed()).excluded
    groups = validation.excluded_groups(found)
    assert sum(len(group.keys) for group in groups) == len(found)
    assert len(groups) < len(found) / 10  # a group says its reason once for many rows


def test_the_validation_is_worked_out_once_and_again_when_a_result_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Dataset] = []
    result = validation.validated(committed())
    monkeypatch.setattr(validation.validation, "validate", lambda d: calls.append(d) or result)
    monkeypatch.setattr(validation, "_kept", [])
    changed = replace(committed(), benchmarks=committed().benchmarks[1:])
    for one in (committed(), committed(), Dataset.load(), changed):
        validation.validated(one)
    assert len(calls) == 2


# ------------------------------------------------------------------ calculators


def test_the_data_of_the_browser_is_small_and_has_no_nan() -> None:
    import gzip

    contents = [text("calculators/data.json"), text("calculators/costs.json")]
    for content in contents:
        json.loads(content, parse_constant=lambda word: pytest.fail(f"{word} in the data"))
    # Networks come counted in every format (20 kB), so that the browser holds no second way to count them.
    assert sum(len(gzip.compress(content.encode())) for content in contents) < 68_000


def test_the_list_names_all_eight_with_the_answer_to_their_first_question() -> None:
    page = text("calculators/index.md")
    assert len(CALCULATORS) == 8
    for id, one in CALCULATORS.items():
        assert f'calculators/{id}/">{one.title}</a>' in page
    assert page.count('class="ga-faint"') == 8


def fitting(**asked: object) -> list[FitRow]:
    """The rows of what fits, at the default question."""
    question = {field.name: field.value for field in CALCULATORS["what-fits"].fields} | asked
    prepared = known(committed())
    return fit_rows(prepared.stated[str(question["gpu"])], list(prepared.models.values()), question)


def test_a_cell_says_fits_tight_or_no_as_the_room_is() -> None:
    for row in fitting(context=8192):
        assert row.context <= 8192
        for cell in row.cells:
            assert (cell.verdict == "no") == (cell.room_gib < 0)
            assert (cell.verdict == "tight") == (0 <= cell.room_gib < 0.08 * 24 * 0.98)


def test_what_fits_opens_with_the_largest_that_fits_and_ends_with_the_nearest_misses() -> None:
    held, misses, every = answer(committed(), "what-fits", {"context": 8192}).tables
    squeezed = [row[1].text in SQUEEZED for row in held.rows]
    sizes = [float(row[3].text) for row in held.rows]
    order = [(low, -size) for low, size in zip(squeezed, sizes, strict=True)]
    assert order == sorted(order) and any(squeezed) and not squeezed[0]
    assert [row[1].aside == "under 4 bit" for row in held.rows] == squeezed
    assert {row[2].look for row in held.rows} <= {"fits", "tight"}
    missing = [float(row[2].text) for row in misses.rows]
    assert missing == sorted(missing) and missing[0] > 0 and len(missing) == MISSES
    rows = fitting(context=8192)
    assert len(held.rows) + sum(row.best.verdict == "no" for row in rows) == len(rows) == len(every.rows)


def test_who_trains_is_told_of_one_precision() -> None:
    found = answer(committed(), "what-fits", {"task": "train", "gpus": 8})
    assert "language models to train all weights with" in found.lead
    assert [heads for heads, _ in found.tables[0].heads] == ["Model", "Room", "Parameters"]
    assert {len(row.cells) for row in fitting(task="train")} == {1}


def test_the_bar_of_memory_is_full_and_marks_what_is_usable() -> None:
    for parts, usable in (({"weights": 6.0, "kv_cache": 2.0}, 20.0), ({"weights": 30.0, "kv_cache": 10.0}, 20.0)):
        need = Memory(parts, usable)
        *stretches, line = bar(need).shapes
        assert [one.look for one in stretches] == ["weights", "kv_cache"]
        ends = [
            (float(start), float(start) + float(width))
            for start, width in (re.findall(r"M([\d.]+) 0h([\d.]+)", one.d)[0] for one in stretches)
        ]
        mark = float(re.findall(r"M([\d.]+) 0v8", line.d)[0])
        assert ends[0][0] == 0 and ends[0][1] == ends[1][0]
        assert max(ends[-1][1], mark) == pytest.approx(100)
        assert ends[-1][1] / mark == pytest.approx(need.total / usable)


def test_memory_that_the_buyer_chooses_is_asked_for() -> None:
    open_ended = next(card.id for card in known(committed()).stated.values() if card.memory_gb is None)
    found: CalculatorAnswer = answer(committed(), "memory", {"gpu": open_ended})
    assert found.lead.endswith("is the buyer’s choice or not known: type its memory.")
    assert "fits on" in answer(committed(), "memory", {"gpu": open_ended, "memory_gb": 128}).lead


@pytest.mark.parametrize("id", CALCULATORS)
def test_every_input_has_a_label_and_the_page_answers_without_javascript(id: str) -> None:
    page = text(f"calculators/{id}.md")
    inputs_ = re.findall(r"<(?:input|select) (?!type=.hidden)[^>]*name=", page)
    assert len(inputs_) == page.count("<label>") >= 6
    assert set(calculators.FIRST[id]) <= set(re.findall(r' name="(\w+)"', page))
    assert "<table" in page
    assert "<script" not in page
    assert " style=" not in page


# ------------------------------------------------------------------ in the browser


@pytest.fixture
def pages(browser: Browser, site: str) -> Iterator[Opened]:
    """A function that opens a page of the built site and gives it with the errors it raises."""
    context = browser.new_context()

    def opened(path: str) -> tuple[BrowserPage, list[str]]:
        page, errors = context.new_page(), list[str]()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(site + path)
        return page, errors

    yield opened
    context.close()


ANSWER = "[data-calculator-answer]"


@pytest.mark.sample(3)
@pytest.mark.browser
@pytest.mark.parametrize("id", CALCULATORS)
def test_the_browser_says_of_the_first_question_what_the_page_says(id: str, pages: Opened) -> None:
    page, errors = pages(f"calculators/{id}/")
    form = page.locator("form[data-calculator][data-ready]")
    form.wait_for()
    before = page.inner_text(ANSWER)
    page.evaluate(f"document.querySelector('{ANSWER}').replaceChildren()")
    form.dispatch_event("input")
    until(page, f"(text) => document.querySelector('{ANSWER}').innerText === text", before)
    assert not errors


@pytest.mark.browser
def test_a_question_lives_in_the_address(pages: Opened) -> None:
    page, _ = pages("calculators/memory/?model=llama-3.3-70b-instruct&gpus=2")
    until(page, "document.querySelector('[data-calculator-answer]').innerText.includes('2 × ')")
    assert "Llama 3.3 70B" in page.inner_text(ANSWER)
    page.fill("[name=context]", "4096")
    until(page, "location.search.includes('context=4096')")
    assert "model=llama-3.3-70b-instruct" in page.url


@pytest.mark.browser
def test_a_typed_price_moves_the_break_even_and_lives_in_the_address(pages: Opened) -> None:
    page, errors = pages("calculators/buy-or-rent/")
    page.locator("form[data-calculator][data-ready]").wait_for()
    before = page.inner_text(f"{ANSWER} .ga-answer")
    page.fill("[name=price]", "500")
    until(page, f"(text) => document.querySelector('{ANSWER} .ga-answer').innerText !== text", before)
    assert "your price" in page.inner_text(ANSWER)
    assert page.url.endswith("?price=500")
    after = page.inner_text(ANSWER)
    page.reload()
    until(page, f"(text) => document.querySelector('{ANSWER}').innerText === text", after)
    assert not errors


@pytest.mark.full
@pytest.mark.browser
def test_every_calculator_fits_a_phone_with_its_answer_on_the_first_screen(browser: Browser, site: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    for id in CALCULATORS:
        page.goto(f"{site}calculators/{id}/")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, id
        box = page.locator(f"{ANSWER} p").first.bounding_box()
        assert box is not None and box["y"] < 700, id
    page.close()


@pytest.mark.full
@pytest.mark.browser
def test_a_calculator_reached_by_a_link_answers(pages: Opened) -> None:
    page, errors = pages("calculators/")
    page.locator(".ga-door a", has_text="Power and running cost").click()
    page.wait_for_selector("form[data-calculator=power][data-ready]")
    page.fill("[name=hours_per_week]", "168")
    until(page, f"document.querySelector('{ANSWER} .ga-answer').innerText.includes('168 hours a week')")
    page.go_back()
    page.locator(".ga-door a", has_text="Upgrade").wait_for()
    assert not errors


@pytest.mark.browser
def test_an_input_that_the_address_sets_is_in_sight(pages: Opened) -> None:
    page, _ = pages("calculators/buy-or-rent/?tariff=0.4")
    page.locator("form[data-calculator][data-ready]").wait_for()
    assert page.locator("[name=tariff]").is_visible()
    assert page.locator("[name=tariff]").input_value() == "0.4"
    page.goto(page.url.partition("?")[0])
    assert not page.locator("[name=tariff]").is_visible()


@pytest.mark.browser
def test_electricity_follows_the_market_in_the_header_unless_a_price_is_typed(pages: Opened) -> None:
    page, errors = pages("calculators/power/?market=eu")
    page.locator("form[data-calculator][data-ready]").wait_for()
    until(page, f"document.querySelector('{ANSWER}').innerText.includes('$0.336 a kWh (€0.287')")
    page.locator("form[data-markets] select").select_option("uk")
    until(page, f"document.querySelector('{ANSWER}').innerText.includes('$0.353 a kWh (£0.263')")
    page.fill("[name=tariff]", "0.5")
    until(page, f"!document.querySelector('{ANSWER}').innerText.includes('a kWh')")
    assert not errors


@pytest.mark.browser
def test_a_finished_answer_leads_to_sources_and_cards(pages: Opened) -> None:
    page, _ = pages("calculators/buy-or-rent/?gpu=nvidia-geforce-rtx-4090")
    until(page, f"document.querySelector('{ANSWER}').innerText.includes('4090')")
    links = [link.get_attribute("href") or "" for link in page.locator(f"{ANSWER} a").all()]
    assert any(link.startswith("https://") for link in links)
    assert any(link.endswith("/gpus/nvidia-geforce-rtx-4090/") for link in links)
    assert page.locator(f"{ANSWER} svg path.ga-lines-cross").count() == 1


@pytest.mark.sample(2)
@pytest.mark.browser
@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("speed/?batch=0", "Streams is 0; it must be a number from 1 to 4096"),
        ("speed/?context=999999", "Context is 999999; the most of Llama 3.1 8B Instruct is 131072"),
        ("speed/?gpu=%3Cimg%20src=x%3E", "GPU: nothing here is called “<img src=x>”"),
        ("memory/?model=nobody-1b", "Model: nothing here is called “nobody-1b”"),
        ("memory/?gpus=1000000", "How many is 1e+06; it must be a number from 1 to 64"),
        ("memory/?context=", "Context is no number; it must be a number from 1 to 1e+07 tokens"),
        ("what-fits/?context=1e308", "Context is 1e+308; it must be a number from 1 to 1e+07 tokens"),
        ("speed/?layout=zzz", "Several GPUs: nothing here is called “zzz”"),
        ("speed/?gpu=google-tpu-v5e", "llama.cpp has no backend for Google TPU v5e; choose another engine or GPU"),
        ("what-fits/?task=toString", "Task: nothing here is called “toString”"),
        ("what-fits/?engine=magic", "Engine: nothing here is called “magic”"),
        ("training/?examples=0", "Examples is 0; it must be a number from 1 to 1e+12"),
        ("training/?examples=", "Examples is no number"),
        ("buy-or-rent/?price=-5", "Price of one is -5; it must be a number from 1 to 1e+06 dollars"),
        ("buy-or-rent/?gpu=%3Cimg%20src=x%3E", "GPU: nothing here is called “<img src=x>”"),
        ("power/?hours_per_week=200", "Hours a week is 200; it must be a number from 0.1 to 168"),
        ("several/?model=nobody-1b", "Model: nothing here is called “nobody-1b”"),
        ("upgrade/?to=nvidia-geforce-rtx-3080-10gb", "choose two cards"),
    ],
)
def test_silly_questions_get_one_sentence(path: str, sentence: str, pages: Opened) -> None:
    page, errors = pages(f"calculators/{path}")
    page.wait_for_selector(f"{ANSWER} [role=alert]")
    assert sentence in page.inner_text(ANSWER)
    assert not errors


def test_a_machine_for_more_cards_costs_no_less_and_eight_take_the_dearest_that_has_a_price() -> None:
    prices = list(costs.HOST_USD.values())
    assert list(costs.HOST_USD) == sorted(costs.HOST_USD)
    assert prices == sorted(prices)
    assert prices[-1] == max(host.price_usd for host in hosts.load().hosts) > prices[0] == 0


def test_a_range_whose_ends_read_the_same_is_one_figure() -> None:
    assert words.span(1300.2, 1300.4) == "1,300"
    assert words.span(1300.4, 1311.0) == "1,300 to 1,311"
    assert words.money_span(250.2, 250.3) == "250"
    assert rules.FUNCTIONS["between"]("1,300", "1,300") == "1,300"


def test_no_template_and_no_rule_writes_a_range_past_the_one_rule() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "templates").glob("*.j2")}
    texts["rules.yml"] = (ROOT / "pipeline" / "advise" / "rules.yml").read_text(encoding="utf-8")
    ends = re.compile(r"[{][{]?[^{}]*(?:low|p10)[^{}]*[}][}]? to [{]")
    assert [(name, found) for name, text in texts.items() for found in ends.findall(text)] == []
