"""Numbers, dates and names are written as people read them, and nothing from outside breaks out of its place."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from pipeline.core import templates, wording
from pipeline.site.render import Page


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("24", "24"),
        ("165.2", "165"),
        ("989.4", "989"),
        ("1008", "1,008"),
        ("82.58", "82.6"),
        ("0.2349", "0.235"),
        ("12.0", "12"),
        ("19.50", "19.5"),
        ("0.004567", "0.00457"),
        ("1234567", "1,234,567"),
        (0, "0"),
        ("-4.25", "-4.25"),
        (None, "–"),
        ("", "–"),
    ],
)
def test_a_number_has_three_digits_and_never_loses_whole_ones(value: float | str | None, written: str) -> None:
    assert wording.number(value) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("16384", "16,384"),
        ("1008.25", "1,008.25"),
        ("936.2", "936.2"),
        ("2039", "2039"),
        ("8.9", "8.9"),
        ("HBM3", "HBM3"),
    ],
)
def test_an_exact_value_keeps_every_digit_of_its_source(text: str, written: str) -> None:
    assert wording.exact(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2022-10-12", "12 October 2022"),
        ("2022-01-02", "2 January 2022"),
        ("2022-10", "October 2022"),
        ("2022", "2022"),
        ("", "–"),
    ],
)
def test_a_date_is_told_as_exactly_as_it_is_known(text: str, written: str) -> None:
    assert wording.day(text) == written


@pytest.mark.parametrize(
    ("value", "written"), [("0.3", "$0.30"), (99.999, "$100.00"), ("1599", "$1,599"), ("1599.6", "$1,600"), ("", "–")]
)
def test_a_price_shows_cents_only_below_a_hundred_dollars(value: float | str, written: str) -> None:
    assert wording.dollars(value) == written


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    assert wording.quantity("24", "GB") == "24\u00a0GB"
    assert wording.quantity(None, "GB") == "–"


@pytest.mark.parametrize(("value", "written"), [(1.777, "1.8×"), (10.4, "10×"), (0.5, "0.5×"), (None, "–")])
def test_a_ratio_has_two_digits(value: float | None, written: str) -> None:
    assert wording.ratio(value) == written


@pytest.mark.parametrize(
    ("address", "root"), [("", "./"), ("gpus/", "../"), ("gpus/nvidia-a10/", "../../"), ("a/b/c/", "../../../")]
)
def test_the_way_to_the_root_is_relative(address: str, root: str) -> None:
    assert templates.root_of(address) == root


@pytest.mark.parametrize("text", ["javascript:alert(1)", "data:text/html,x", "//evil.example", " https://x.example"])
def test_only_web_addresses_become_links(text: str) -> None:
    assert wording.web_address(text) == "#"
    assert wording.web_address("https://e.org/a") == "https://e.org/a"


@pytest.mark.parametrize(
    ("text", "slug"), [("GeForce RTX 40 series", "geforce-rtx-40-series"), ("../../etc", "etc"), ("Xe-HPG", "xe-hpg")]
)
def test_a_name_in_an_address_is_only_letters_digits_and_hyphens(text: str, slug: str) -> None:
    assert wording.slug(text) == slug


def test_titles_hold_nothing_that_could_end_a_tag_or_an_attribute() -> None:
    hostile = wording.plain('</title><script>alert("x")</script> & &lt;b&gt;\nnext: line')
    assert not set(hostile) & set('<>"&\n')
    assert "alert" in hostile


def test_templates_escape_what_they_are_given() -> None:
    made = templates.environment().from_string("<p title='{{ x }}'>{{ x }}</p>").render(x="<script>'\"&")
    assert "<script>" not in made
    assert "&#39;" in made


def test_an_unknown_name_in_a_template_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        templates.environment().from_string("{{ nowhere }}").render()


def test_front_matter_survives_any_title() -> None:
    page = Page("x", "charts.html.j2", {"charts": []}, 'a: "b" # c\n---', "d", "e")
    head = page.text().split("\n---\n")[0]
    assert head.splitlines() == ["---", 'title: "a: ”b” # c ---"', 'description: "d"', 'hide: ["navigation", "toc"]']
