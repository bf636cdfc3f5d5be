"""Figures in prose come from the dataset, link to their source, and fail when they are gone or no longer true."""

from __future__ import annotations

from datetime import date

import pytest
from samples import SOUND, Tree, claim, price, record

from pipeline.advise import rules
from pipeline.dataset import Dataset
from pipeline.editorial.prose import Constant, Prose, ProseError
from pipeline.record import build

MEMORY = 'fact("rtx-4090", "memory_gb")'
BANDWIDTH = 'fact("rtx-4090", "memory_bandwidth_gb_s")'


def quantity(number: float, unit: str) -> str:
    return f"{number:.4g} {unit}".strip()


@pytest.fixture
def prose(tree: Tree) -> Prose:
    build.build(tree.data)
    moon = Constant(
        value=384400,
        text="384,400 km",
        source="Almanac",
        url="https://e.org",
        locator="p. 1",
        read=date(2026, 11, 21),
    )
    return Prose(Dataset.load(tree.data.clean), quantity, {"moon": moon})


def rendered(prose: Prose, text: str) -> str:
    return prose.render(text, "guide/x.md", "../../")


def test_a_fact_shows_value_and_unit_and_leads_to_its_claim(prose: Prose) -> None:
    html = rendered(prose, "It has {{ " + MEMORY + " }}.")
    assert ">24 GB</a>." in html
    assert 'href="../../gpus/nvidia-geforce-rtx-4090/#claim-memory_gb"' in html
    assert "gpu.json, row 1, read 2026-11-20" in html
    assert prose.used == [("fact", "nvidia-geforce-rtx-4090", "memory_gb")]


def test_a_peak_names_its_accumulate_type(prose: Prose) -> None:
    assert ">165.2 TFLOPS</a>" in rendered(prose, '{{ peak("rtx-4090", "fp16", "fp32") }}')
    with pytest.raises(ProseError, match="no source states it"):
        rendered(prose, '{{ peak("rtx-4090", "fp16", "fp16") }}')


def test_an_offer_is_the_lowest_of_its_provider_on_the_newest_day() -> None:
    cloud = [(1.0, "2026-10-01", "Cloud"), (3.0, "2026-11-01", "Cloud"), (2.0, "2026-11-01", "Cloud")]
    asked = [*cloud, (1.5, "2026-11-02", "Rack")]
    offers = tuple(price(gpu="x-y", provider=who, date=day, usd_per_gpu_hour=usd) for usd, day, who in asked)
    prose = Prose(Dataset({"x-y": record(prices=offers)}, prices=offers), quantity, {})
    html = rendered(prose, '{{ offer("X", "Cloud") }}')
    assert ">2 USD (2026-11)</a>" in html
    assert "gpu-price-feed, 2026-11-01" in html


def test_a_chapter_counts_with_the_choosers_own_constants(prose: Prose) -> None:
    rest, share = (rules.room("choose")["constants"][name]["is"] for name in ("rest_w", "psu_share"))
    assert f">{rest} W</span>" in rendered(prose, '{{ rule("rest_w") }}')
    assert f"{100 * share:.4g} %</span>" in rendered(prose, '{{ rule("psu_share") }}')
    assert f"{100 / share:.4g} W</span>" in rendered(prose, '{{ calc("100 / s", s=rule("psu_share"), unit="W") }}')
    for wrong in ("rest_kw", "circuit_w"):  # unknown, and one value for each market
        with pytest.raises(ProseError, match="the chooser has no constant"):
            rendered(prose, f'{{{{ rule("{wrong}") }}}}')


def test_a_worked_number_shows_its_arithmetic(prose: Prose) -> None:
    html = rendered(prose, '{{ calc("1000 * a / b", a=' + MEMORY + ", b=" + BANDWIDTH + ', unit="ms") }}')
    assert ">23.81 ms</span>" in html
    assert "1000 * a / b with a = 24 GB, b = 1008 GB/s" in html


def test_a_comparison_that_holds_prints_nothing_and_one_that_does_not_fails(prose: Prose) -> None:
    assert rendered(prose, '{{ holds("b > 40 * a", a=' + MEMORY + ", b=" + BANDWIDTH + ") }}faster") == "faster"
    with pytest.raises(ProseError, match=r"guide/x.md:2: no longer true: b > 50 \* a"):
        rendered(prose, 'line\n{{ holds("b > 50 * a", a=' + MEMORY + ", b=" + BANDWIDTH + ") }}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{{ fact("rtx-9999", "memory_gb") }}', "no GPU is called 'rtx-9999'"),
        ('{{ fact("rtx-4090", "length_mm") }}', "has no length_mm"),
        ('{{ fact("rtx-4090", "bandwith") }}', "unknown field"),  # codespell:ignore
        ('{{ price("rtx-4090", "used") }}', "has no used price"),
        ('{{ constant("sun") }}', "no constant is called 'sun'; add it to data/constants.yml"),
        ('{{ calc("__import__(1)") }}', "not allowed"),
        ('{{ calc("1 / 0") }}', "cannot work out '1 / 0': it divides by zero"),
        ('{{ calc("a /", a=fact("rtx-4090", "memory_gb")) }}', "write numbers and names with + - * / **"),
        ('{{ calc("a / b", a=fact("rtx-4090", "memory_gb")) }}', "nothing says what 'b' is; write b=fact(...)"),
        ('{{ calc("a", a=1) }}', "a=1 is no figure of the dataset; write a=fact(...)"),
        ('{{ holds("a > 1", a="24") }}', "a='24' is no figure of the dataset"),
        ('{{ fct("rtx-4090") }}', "'fct' is undefined; did you mean 'fact'?"),
        ("{{ fact(rtx-4090, 'memory_gb') }}", "'rtx' is undefined; what is no reference stands in quotes"),
        ('{{ price("rtx-4090") }}', "this reference lacks 'kind'; how it is written stands on top of"),
        ('{{ price("rtx-4090", "used", day="2026") }}', "this reference knows no day="),
        ('{{ fact("rtx-4090", "memory_gb", "GB") }}', "this reference holds 3 values, more than it has room for"),
        ('{{ fact("rtx-4090", "memory_gb").unit }}', "nothing here is called .unit"),
        ('{{ fact("rtx-4090", "memory_gb") }', "a reference is not closed as it is opened, {{ name(...) }}"),
        (
            '{{ bench("rtx-4090", "vit", precision="fp8") }}',
            "has 0 results of 'vit', gpus=1, precision='fp8'; see data",
        ),
        ("{{ ''.__class__ }}", "unsafe"),
    ],
)
def test_a_reference_that_leads_to_nothing_fails_with_file_and_line(prose: Prose, text: str, message: str) -> None:
    with pytest.raises(ProseError, match=r"guide/x\.md:3: ") as error:
        rendered(prose, "one\ntwo\n" + text)
    assert message in str(error.value)


def test_changing_a_value_changes_the_sentence(tree: Tree, prose: Prose) -> None:
    sentence = "{{ " + MEMORY + " }}"
    before = rendered(prose, sentence)
    tree.claims(
        "wikipedia-gpu-info", tuple(claim("memory_gb", "48 GB") if c.field == "memory_gb" else c for c in SOUND)
    )
    build.build(tree.data)
    assert rendered(Prose(Dataset.load(tree.data.clean), quantity), sentence) != before


def test_names_from_outside_are_escaped(tree: Tree) -> None:
    tree.claims(
        "wikipedia-gpu-info",
        tuple(claim("memory_gb", "24 GB", locator='"><script>') if c.field == "memory_gb" else c for c in SOUND),
    )
    build.build(tree.data)
    html = rendered(Prose(Dataset.load(tree.data.clean), quantity), "{{ " + MEMORY + " }}")
    assert "<script>" not in html
