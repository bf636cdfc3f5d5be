"""Cloud families: every fact has its document, every price its day, and old ones are marked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from samples import as_yaml, committed, price

from pipeline.derive import cloud
from pipeline.derive.cloud import CloudError, Families, MachineFamily
from pipeline.site.pages import cloud as pages
from pipeline.site.render import Page

# The families that the old articles name (coverage list), and where a reader finds each.
NAMED = {
    "aws-p2",
    "aws-p3",
    "aws-p4",
    "aws-g3",
    "aws-g4",
    "azure-nc",
    "azure-nd",
    "azure-nv",
    "gcp-n1",
    "gcp-a2",
    "gcp-tpu",
}
OFFER = price(
    gpu="nvidia-t4",
    provider="AWS",
    usd_per_machine_hour=4.0,
    date="2026-10-01",
    offer="AWS / g4dn.12xlarge / 4x T4",
    source="a-list",
)


def family(name: str) -> MachineFamily:
    return next(one for one in cloud.load().families if one.id == name)


def priced(*rows: dict[str, object], of: str = "aws-g4") -> dict[str, dict[str, cloud.CloudPrice]]:
    own = tuple(replace(OFFER, **row) for row in rows)  # type: ignore[arg-type]
    dataset = replace(committed(), prices=(*own, replace(OFFER, offer="x", retrieved="2026-11-21")))
    dataset.__dict__["newest_reading"] = "2026-11-21"
    return {name: dict(kinds) for name, kinds in cloud.prices(cloud.load(), family(of), dataset).items()}


def written(tmp_path: Path, change: object) -> Path:
    content = yaml.safe_load(cloud.PATH.read_text(encoding="utf-8"))
    change(content)  # type: ignore[operator]
    path = tmp_path / "cloud.yml"
    path.write_text(as_yaml(content), encoding="utf-8")
    return path


def test_every_family_that_the_articles_name_has_a_page() -> None:
    made = {page.path.removeprefix("clouds/") for page in pages.pages(committed())}
    assert made >= NAMED | {"index"}


def test_every_machine_names_a_gpu_that_the_dataset_holds() -> None:
    assert list(cloud.unknown_gpus(cloud.load(), committed().gpus)) == []


def test_a_gpu_that_the_dataset_lacks_is_told_with_family_and_machine() -> None:
    found = cloud.load()
    odd = found.families[0].series[0].machines[0].model_copy(update={"gpu": "no-such"})
    series = found.families[0].series[0].model_copy(update={"machines": (odd,)})
    lost = Families(
        id="cloud", documents=found.documents, families=(found.families[0].model_copy(update={"series": (series,)}),)
    )
    (message,) = cloud.unknown_gpus(lost, committed().gpus)
    assert f"{found.families[0].id}, {odd.name}: no GPU has the id 'no-such'" in message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["documents"].pop("fsdl"), "document 'fsdl' is cited and not listed"),
        (
            lambda c: c["documents"].update(unread=c["documents"]["fsdl"]),
            "document 'unread' is listed and never cited",
        ),
        (
            lambda c: c["families"][1]["prices"][0].update(machine="p9.large"),
            "aws-p3: a price names 'p9.large', which is no machine of the family",
        ),
        (lambda c: c["families"][0]["series"][0]["machines"][0].update(gpus=0), "gpus"),
        (lambda c: c["families"][0].update(colour="red"), "colour"),
    ],
)
def test_a_broken_file_is_told_by_field(tmp_path: Path, change: object, message: str) -> None:
    with pytest.raises(CloudError, match=message):
        cloud.load(written(tmp_path, change))


def test_the_newest_day_counts_and_its_regions_make_the_range() -> None:
    seen = priced(
        {"usd_per_machine_hour": 4.0},
        {"usd_per_machine_hour": 6.0},
        {"usd_per_machine_hour": 1.0, "date": "2026-01-01"},
    )["g4dn.12xlarge"]["on_demand"]
    assert (seen.low_usd, seen.high_usd, seen.low_usd_per_gpu, seen.day, seen.offers) == (4, 6, 1, "2026-10-01", 2)


@pytest.mark.parametrize(
    ("row", "state"),
    [
        ({}, "fresh"),
        ({"date": "2026-03-01"}, "stale"),
        ({"date": "2025-01-01"}, "withdrawn"),
        ({"flag": "history: most rows of this list are from 2023"}, "history"),
    ],
)
def test_a_price_says_how_old_it_is(row: dict[str, object], state: str) -> None:
    assert priced(row)["g4dn.12xlarge"]["on_demand"].state == state


def test_a_flagged_price_and_another_clouds_price_are_left_out() -> None:
    found = priced({"flag": "implausible: 9 times"}, {"provider": "GCP"}, {"kind": "reserved"})
    assert found["g4dn.12xlarge"] == {}


def test_spot_is_a_price_of_its_own() -> None:
    kinds = priced({}, {"kind": "spot", "usd_per_machine_hour": 1.0})["g4dn.12xlarge"]
    assert (kinds["on_demand"].low_usd, kinds["spot"].low_usd) == (4, 1)


def test_a_name_with_azures_prefix_or_blanks_is_the_same_machine() -> None:
    offers = ({"offer": "Azure / Standard_NC4as_T4_v3 / on_demand"}, {"offer": "Azure / NC8as T4 v3 / 1x"})
    found = priced(*({**row, "provider": "Azure"} for row in offers), of="azure-nc")
    assert found["NC4as_T4_v3"] and found["NC8as_T4_v3"]


def test_what_was_read_by_hand_counts_only_where_no_source_has_a_price() -> None:
    by_hand = priced(of="aws-p3")["p3.2xlarge"]["on_demand"]
    assert (by_hand.low_usd, by_hand.state) == (3.06, "withdrawn")
    row = {"offer": "AWS / p3.2xlarge / 1x", "usd_per_machine_hour": 2.0}
    assert priced(row, of="aws-p3")["p3.2xlarge"]["on_demand"].low_usd == 2
    kinds = priced(row | {"kind": "spot"}, of="aws-p3")["p3.2xlarge"]  # a spot price is none on demand
    assert (kinds["on_demand"].low_usd, kinds["spot"].low_usd) == (3.06, 2)


def page(name: str) -> str:
    found = next(one for one in pages.pages(committed()) if one.path == f"clouds/{name}")
    assert isinstance(found, Page)
    return found.text()


def test_a_retired_series_says_so_with_its_notice() -> None:
    text = page("azure-nv")
    assert "Retired on 30 September 2026" in text
    assert "nvv3-series-retirement.md" in text


def test_what_no_document_says_is_a_dash_with_its_reason() -> None:
    assert "no document that we read says so" in page("aws-g3")
    assert "no price read yet" in page("aws-g3")


def test_every_price_of_a_page_stands_beside_its_day() -> None:
    text = page("aws-p5")
    assert "48xlarge" in text and ">$6.88<" in text and "9 November 2026" in text


def test_an_old_price_is_in_the_past_tense_and_marked() -> None:
    lines = pages._lines(cloud.load(), family("aws-p2"), committed())
    assert "cost $1.80 on demand" in pages.summary(family("aws-p2"), lines)
    assert '<span class="ga-flag">history</span>' in page("aws-p2")


def test_a_family_with_a_price_of_the_past_is_history_whatever_its_other_machines_cost() -> None:
    old = replace(OFFER, date="2026-03-01", offer="AWS / g4dn.xlarge / 1x T4", usd_per_machine_hour=1.0)
    past = replace(OFFER, flag="history: most rows of this list are from 2023")
    for rows, word in (((old,), "old"), ((past,), "history"), ((old, past), "history")):
        dataset = replace(committed(), prices=rows)
        dataset.__dict__["newest_reading"] = "2026-11-21"
        first = next(iter(pages.pages(dataset)))
        assert first.context["glance"]["aws-g4"]["old"] == word


@pytest.mark.parametrize(
    ("machine", "gpu", "kind", "usd", "day"),
    [
        ("p4de.24xlarge", "nvidia-a100-sxm4-80gb", "on_demand", 3.431, "2026-11-09"),
        ("p5en.48xlarge", "nvidia-h200-sxm-141gb", "on_demand", 7.912, "2026-08-06"),
        ("p5en.48xlarge", "nvidia-h200-sxm-141gb", "spot", 3.3214, "2026-08-06"),
        ("g7.2xlarge", "nvidia-rtx-pro-4500-blackwell-server", "on_demand", 2.52, "2026-07-23"),
    ],
)
def test_a_price_of_a_machine_is_a_dated_row_that_the_card_page_lists_too(
    machine: str, gpu: str, kind: str, usd: float, day: str
) -> None:
    """Audit of autumn 2026: prices of P4de, P5en and G7 were constants of a chapter, and no card's page had them."""
    known = cloud.load()
    family = next(one for one in known.families if machine in [other.name for other in one.machines])
    found = cloud.prices(known, family, committed())[machine][kind]
    assert (found.low_usd_per_gpu, found.day) == (pytest.approx(usd, rel=1e-3), day)
    assert any(row.provider == "AWS" and row.date == day and row.kind == kind for row in committed().gpus[gpu].prices)
