from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Page as BrowserPage

from pipeline.dataset import Dataset
from pipeline.estimate import Request, inputs, models
from pipeline.estimate.memory import required
from pipeline.estimate.validation import LabelRow
from pipeline.pages import calculators, validation
from pipeline.render import Asset, Page

Opened = Callable[[str], tuple[BrowserPage, list[str]]]


@lru_cache(maxsize=1)
def dataset() -> Dataset:
    return Dataset.load()


@lru_cache(maxsize=1)
def files() -> dict[str, Page | Asset]:
    found = [*calculators.pages(dataset()), *validation.pages(dataset())]
    return {file.file: file for file in found}


def text(name: str) -> str:
    return files()[name].text()


# ------------------------------------------------------------------ validation


def test_every_measured_point_stands_beside_its_prediction_and_in_the_csv() -> None:
    found = validation.validated(dataset())
    points = len(found.decode) + len(found.prefill) + len(found.serving)
    rows = text("data/validation.md").count("<td>yes</td></tr>") + text("data/validation.md").count("<td>no</td></tr>")
    assert rows == points + len(found.failures)
    assert len(text("data/validation.csv").splitlines()) == points + 1


def test_every_target_is_on_the_page_with_what_was_found() -> None:
    page = text("data/validation.md")
    for finding in validation.validated(dataset()).findings:
        assert f'<th scope="row">{finding.name}</th>' in page


def test_a_false_label_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = validation.validated(dataset())
    wrong = replace(found.labels[0], predicted=not found.labels[0].predicted)
    spoilt = replace(found, labels=(wrong, *found.labels[1:]))
    monkeypatch.setattr(validation, "validated", lambda _: spoilt)
    page = next(file for file in validation.pages(dataset()) if isinstance(file, Page)).text()
    assert f'GiB). <span class="ga-faint">{wrong.label.key}</span></li>' in page
    assert "None is wrong" not in page


def test_a_configuration_that_ran_less_far_than_predicted_is_not_right() -> None:
    def what(row: LabelRow) -> tuple[object, ...]:
        return (row.label.card, row.label.model, row.label.request.quant, row.label.request.gpus)

    rows = validation.validated(dataset()).labels
    same = [row for row in rows if what(row) == what(rows[0])]
    _, whole = validation.label_table(same)
    _, cut = validation.label_table([_flipped(r) for r in same])
    assert [cell.right for _, cells in whole for cell in cells.values()] == [True]
    assert [cell.right for _, cells in cut for cell in cells.values()] == [False]


def _flipped(row: LabelRow) -> LabelRow:
    return replace(row, predicted=not row.predicted)


def test_what_is_left_out_is_counted_by_reason_and_named() -> None:
    found = validation.validated(dataset()).excluded
    groups = validation.excluded_groups(found)
    assert sum(len(group.keys) for group in groups) == len(found)
    assert len(groups) < 20


def test_the_validation_is_worked_out_once_and_again_when_a_result_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Dataset] = []
    result = validation.validated(dataset())
    monkeypatch.setattr(validation.validation, "validate", lambda d: calls.append(d) or result)
    monkeypatch.setattr(validation, "_kept", [])
    changed = Dataset(dataset().gpus, dataset().tables | {"benchmarks": dataset().tables["benchmarks"][1:]})
    for one in (dataset(), dataset(), Dataset.load(), changed):
        validation.validated(one)
    assert len(calls) == 2


# ------------------------------------------------------------------ calculators


def test_the_data_of_the_browser_is_small_and_has_no_nan() -> None:
    import gzip

    content = text("calculators/data.json")
    json.loads(content, parse_constant=lambda word: pytest.fail(f"{word} in the data"))
    assert len(gzip.compress(content.encode())) < 60_000


def test_a_cell_says_fits_tight_or_no_as_the_room_is() -> None:
    card = inputs.cards(dataset())[calculators.GPU]
    for _, _, length, cells in calculators.fit_rows(card, models.load().models.values(), Request(context=8192)):
        assert length <= 8192
        for cell in cells:
            assert (cell.verdict == "no") == (cell.room_gib < 0)
            assert (cell.verdict == "tight") == (0 <= cell.room_gib < 0.05 * 24 * 0.98)


def test_the_bar_of_memory_is_full_and_marks_what_is_usable() -> None:
    card, model = inputs.cards(dataset())[calculators.GPU], models.load().models[calculators.LARGE]
    for context in (2048, 32_768):
        need = required(card, model, Request(quant="q4_k_m", context=context))
        bars, usable = calculators.bars(need)
        end = bars[-1].start + bars[-1].width
        assert max(end, usable) == pytest.approx(100)
        assert end / usable == pytest.approx(need.total / (need.usable or 0))
        assert sum(bar.gib for bar in bars) == pytest.approx(need.total)


@pytest.mark.parametrize("id", calculators.TITLES)
def test_every_input_has_a_label_and_the_page_answers_without_javascript(id: str) -> None:
    page = text(f"calculators/{id}.md")
    inputs_ = re.findall(r"<(?:input|select) [^>]*name=", page)
    assert len(inputs_) == page.count("<label>") >= 6
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


@pytest.mark.browser
@pytest.mark.parametrize("id", calculators.TITLES)
def test_the_browser_says_of_the_first_question_what_the_page_says(id: str, pages: Opened) -> None:
    page, errors = pages(f"calculators/{id}/")
    form = page.locator("form[data-calculator][data-ready]")
    form.wait_for()
    before = page.inner_text(ANSWER)
    page.evaluate(f"document.querySelector('{ANSWER}').replaceChildren()")
    form.dispatch_event("input")
    page.wait_for_function(f"(text) => document.querySelector('{ANSWER}').innerText === text", arg=before)
    assert not errors


@pytest.mark.browser
def test_a_question_lives_in_the_address(pages: Opened) -> None:
    page, _ = pages("calculators/memory/?model=llama-3.3-70b-instruct&gpus=2")
    page.wait_for_function("document.querySelector('[data-calculator-answer]').innerText.includes('2 × ')")
    assert "Llama 3.3 70B" in page.inner_text(ANSWER)
    page.fill("[name=context]", "4096")
    page.wait_for_function("location.search.includes('context=4096')")
    assert "model=llama-3.3-70b-instruct" in page.url


@pytest.mark.browser
@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("speed/?batch=0", "batch is 0; it must be at least 1"),
        ("speed/?context=99999999", "context is 1e+08; the most of Llama 3.1 8B Instruct is 131072"),
        ("speed/?gpu=%3Cimg%20src=x%3E", "there is no GPU called “<img src=x>”"),
        ("memory/?model=nobody-1b", "there is no model called “nobody-1b”"),
        ("memory/?gpus=1000000", "gpus is 1e+06; the most is 16384"),
        ("memory/?context=", "context is nan; it must be a number"),
        ("what-fits/?task=toString", "nothing is known of the task “toString”"),
        ("what-fits/?engine=magic", "unknown engine 'magic'"),
    ],
)
def test_silly_questions_get_one_sentence(path: str, sentence: str, pages: Opened) -> None:
    page, errors = pages(f"calculators/{path}")
    page.wait_for_selector(f"{ANSWER} [role=alert]")
    assert sentence in page.inner_text(ANSWER)
    assert not errors
