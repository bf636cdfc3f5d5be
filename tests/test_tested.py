"""The page "How we test" tells what the reports of a run hold."""

from __future__ import annotations

from pipeline.site.pages import how_we_test
from pipeline.tools import tested

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_network_faults" name="test_a_fault[reset]"/>
<testcase classname="tests.test_network_faults" name="test_a_fault[404]"><failure message="x"/></testcase>
<testcase classname="tests.test_single_faults" name="test_a_wrong_cell[4]"><properties>
 <property name="cases" value="4"/><property name="worst" value=""/></properties></testcase>
<testcase classname="tests.test_single_faults" name="test_a_wrong_cell[100]"><properties>
 <property name="cases" value="100"/><property name="outcome" value="98 refused, 2 chosen"/>
 <property name="worst" value="one; other"/></properties></testcase>
<testcase classname="tests.test_cli" name="test_help"/>
<testcase classname="tests.test_cli" name="test_two_commands_at_once[build]"><skipped/></testcase>
</testsuite></testsuites>"""


def told() -> how_we_test.Record:
    return tested.record(list(tested.cases([REPORT])), "2026-11-23", "abc1234")


def test_tests_cases_and_what_failed_are_counted_by_area() -> None:
    record, areas = told(), {area.id: area for area in told().areas}
    assert (record.tests, record.failed, record.skipped, record.cases) == (5, 1, 1, 106)
    assert (areas["network"].cases, areas["network"].failed) == (2, 1)
    assert areas["killed"].cases == 0, "a test that was skipped tried nothing, and one of another area belongs to none"


def test_the_larger_run_of_a_test_tells_outcome_and_worst() -> None:
    area = told().worst
    assert area is not None
    assert (area.cases, area.outcome, area.worst) == (104, "98 refused, 2 chosen", ("one", "other"))


def test_the_record_is_read_as_it_was_written(tmp_path_factory: object, tmp_path: object) -> None:
    path = how_we_test.RECORD.__class__(str(tmp_path)) / "record.json"
    path.write_text(tested.text_of(told()), encoding="utf-8")
    assert how_we_test.load(path) == told()


def test_every_area_of_the_page_has_tests_in_the_repository() -> None:
    folder = tested.ROOT / "tests"
    for tried in tested.AREAS:
        for test in tried.tests:
            file, _, name = test.partition("::")
            assert name in (folder / f"{file}.py").read_text(encoding="utf-8"), test
