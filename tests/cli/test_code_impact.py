"""`vfcc code impact` as it is typed: the trace, the tests, the memories and the code that a change touches."""

from pathlib import Path

import pytest

from tests.cli.code_world import TOKEN, asked, told, touched
from tests.cli.process import vfcc
from tests.trees import write_memory


@pytest.fixture
def traced(code: Path) -> Path:
    return touched(code)


def ids(found: dict[str, object], key: str) -> list[str]:
    listed = found[key]
    assert isinstance(listed, list)
    return [each["id"] for each in listed]


def test_a_symbol_touches_what_speaks_of_it_and_what_calls_it(traced: Path) -> None:
    found = asked(traced, "impact", "Station.alarm")

    assert ids(found, "memories") == ["brass", "whole"]
    assert "REQ-ALARM" in ids(found, "items")
    assert ids(found, "items")[-1] == "NEED-SHORE"
    assert found["tests"] == ["tests/test_station.py::test_alarm"]
    callers = found["callers"]
    assert isinstance(callers, list)
    assert {(each["path"], each["symbol"]) for each in callers} == {
        ("gauges/station.py", "close_gate"),
        ("reports/text.py", "guess"),
        ("tests/test_station.py", "test_alarm"),
    }
    assert found["imported_by"] == []
    said = told(traced, "impact", "Station.alarm")
    assert "Station.alarm: a change touches 2 trace items, 1 test, 2 memories and 3 calls" in " ".join(said.split())
    assert TOKEN not in said


def test_another_symbol_of_the_file_is_touched_by_what_speaks_of_the_whole_file_alone(traced: Path) -> None:
    found = asked(traced, "impact", "close_gate")

    assert ids(found, "memories") == ["whole"]
    assert ids(found, "items") == []


def test_a_file_touches_all_of_it_and_who_imports_it(traced: Path) -> None:
    found = asked(traced, "impact", "gauges/station.py")

    assert ids(found, "memories") == ["brass", "whole"]
    assert "REQ-ALARM" in ids(found, "items")
    importing = found["imported_by"]
    assert isinstance(importing, list)
    assert {each["path"] for each in importing} == {"reports/text.py", "tests/test_station.py"}
    below = vfcc(traced / "gauges", "code", "impact", "station.py")
    assert below.out == told(traced, "impact", "gauges/station.py")


def test_a_file_that_is_no_source_may_be_asked_about(traced: Path) -> None:
    write_memory(
        traced, {"project/items/fact/read.md": "---\nid: read\ntype: fact\nrefs: [{path: README.md}]\n---\nX.\n"}
    )
    found = asked(traced, "impact", "README.md")

    assert ids(found, "memories") == ["read"]
    assert found["callers"] == found["symbols"] == []


def test_what_is_neither_a_file_nor_a_symbol_is_refused(coded: Path) -> None:
    vfcc(coded, "code", "impact", "nothing").refused(3, "nothing is neither a file here nor a symbol")
