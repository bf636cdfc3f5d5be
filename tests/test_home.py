"""The first page: its sentence is a question that the chooser understands, and what moved follows from dated rows."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
import samples
from samples import committed

from pipeline.advise.choose import parse
from pipeline.advise.choose.catalogue import shelf
from pipeline.advise.choose.need import checked
from pipeline.core.schema import Price
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import news
from pipeline.derive.prices.changes import changes
from pipeline.derive.prices.quote import quotes
from pipeline.site.pages import addresses, feed, home

ATOM = "{http://www.w3.org/2005/Atom}"
RTX_4090, RTX_3090 = "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-3090"


def price(usd: float, date: str, **changes: str) -> Price:
    of_a_card = {"kind": "used", "usd_per_gpu_hour": None, "usd_per_machine_hour": None, "usd_per_unit": usd}
    return samples.price(
        **{**of_a_card, "date": date, "source": "an-index", "provider": "eBay", "country": "US", "tax": 0.0, **changes}
    )


def with_gpus(*gpus: GpuRecord) -> Dataset:
    return replace(committed(), gpus={gpu.id: gpu for gpu in gpus})


def card(gpu: str = RTX_4090, **changes: object) -> GpuRecord:
    return replace(committed().gpus[gpu], **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("task", [task for task, _ in home.TASKS])
@pytest.mark.parametrize("model", [model for model, _ in home.MODELS])
def test_every_sentence_of_the_form_is_a_question_that_the_chooser_understands(task: str, model: str) -> None:
    need = parse({"task": task, "model": model, "budget_usd": str(home.BUDGET_USD)})
    assert checked(need, shelf(committed()).registry, committed()).model == model


def test_the_page_holds_the_doors_the_picks_and_what_moved() -> None:
    (page,) = home.pages(committed())
    text = page.text()
    assert 'action="./choose/"' in text
    assert all(f'name="{name}"' in text for name in ("task", "model", "budget_usd", "card", "a", "b"))
    moved = changes(quotes(committed()))[0]
    assert f"{moved.percent:+.0f}" in text
    assert all(f'href="./guide/picks/{line["us"].question.id}/"' in text for line in page.context["lines"])
    assert text.index('id="choose"') < text.index('id="picks"') < text.index('id="moved"') < text.index("<figure")


def test_a_new_card_was_launched_in_the_year_before_the_newest_reading() -> None:
    def launched(day: str) -> Dataset:
        return with_gpus(card(launch_date=day))

    year = int(committed().newest_reading[:4])
    assert [gpu.id for gpu in news.new_cards(launched(f"{year}-01-30"))] == [RTX_4090]
    assert news.new_cards(launched(f"{year - 2}-01-30")) == []
    assert news.new_cards(launched(f"{year + 1}-01-30")) == []
    assert news.new_cards(launched(str(year))) == []
    announced = card(launch_date=f"{year}-01-30", status="announced")
    assert news.new_cards(with_gpus(announced)) == []


def test_a_corrected_figure_is_one_that_a_source_states_and_we_do_not_show() -> None:
    for one in news.corrected(committed()):
        assert one.stated != one.chosen
        assert one.reason
    gaps = [one.gap for one in news.corrected(committed())]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 2


def entries_of(dataset: Dataset, file: str = feed.FILE) -> list[dict[str, str]]:
    """A feed as a reader of feeds sees it."""
    made = next(one for one in feed.pages(dataset) if one.file == file)
    root = ElementTree.fromstring(made.text())
    assert root.tag == f"{ATOM}feed"
    return [
        {part.tag.removeprefix(ATOM): part.text or part.get("href", "") for part in entry}
        for entry in root.iter(f"{ATOM}entry")
    ]


def test_the_feed_holds_what_moved_the_newest_first_and_nothing_from_the_future() -> None:
    found = entries_of(committed())
    days = [entry["updated"] for entry in found]
    assert days == sorted(days, reverse=True)
    assert all(day <= f"{committed().newest_reading}T00:00:00Z" for day in days)
    assert len({entry["id"] for entry in found}) == len(found)
    assert {entry["id"].split("#")[1].split("/")[0] for entry in found} == {"card", "figure", "price"}
    move = changes(quotes(committed()))[0]
    (told,) = (entry for entry in found if f"#price/{move.gpu}/{move.kind}/{move.market}/" in entry["id"])
    assert told["link"] == f"{addresses.SITE}gpus/{move.gpu}/#prices"
    assert f"{move.percent:+.0f} %" in told["summary"]


def test_an_entry_of_the_feed_keeps_its_address_when_other_things_move() -> None:
    rows = (price(900, "2026-08"), price(450, "2026-09"))
    before = entries_of(with_gpus(card(RTX_3090, prices=rows)))
    after = entries_of(
        with_gpus(card(RTX_3090, prices=rows), card(prices=(price(100, "2026-08"), price(110, "2026-09"))))
    )
    assert {entry["id"] for entry in before} < {entry["id"] for entry in after}


def test_a_card_has_a_feed_of_its_price_moves_with_the_reason_when_a_source_changed() -> None:
    rows = (price(900, "2026-08"), price(450, "2026-09"), price(700, "2026-10", source="another"))
    dataset = with_gpus(card(RTX_3090, prices=rows), card(prices=(price(100, "2026-09"),)))
    told = entries_of(dataset, feed.of(RTX_3090))
    assert [entry["updated"][:7] for entry in told] == ["2026-10", "2026-09"]
    assert told[0]["summary"].startswith("Not a change of price: another states it now")
    assert told[1]["summary"].startswith("-50 % from $900 in August 2026")
    with pytest.raises(StopIteration):
        entries_of(dataset, feed.of(RTX_4090))  # one month is no move


def test_text_from_outside_stays_text_in_the_feed() -> None:
    name = "<b>&bold</b>"
    (entry,) = entries_of(with_gpus(card(name=name, prices=(price(900, "2026-08"), price(450, "2026-09")))))
    assert entry["title"].startswith(name)
