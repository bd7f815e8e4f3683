"""`vfcc code impact` as it is typed: the trace, the tests, the memories and the code that a change touches."""

from pathlib import Path

import pytest

from tests.cli.code_world import TOKEN, asked, told, touched
from tests.cli.mcp_client import mcp
from tests.cli.process import vfcc
from tests.trees import write_memory, write_tree


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
    assert (
        "Station.alarm: a change reaches 3 places in product code in 2 steps, 1 test, 2 trace items and 2 memories"
        in " ".join(said.split())
    )
    assert said.index("\ncode\n") < said.index("\ntests that reach it\n")
    assert TOKEN not in said


def test_an_agent_reads_product_code_first_then_tests_by_file_and_the_command(traced: Path) -> None:
    with mcp(traced) as client:
        lines = client.call("code", ask="impact", of="Station.alarm").text.splitlines()

    assert lines[0] == "a change reaches 3 places in product code and 1 test"
    places = [line.partition(" ")[0] for line in lines]
    near, far = places.index("gauges/station.py:17"), places.index("reports/text.py:6")
    tests, run = lines.index("test tests/test_station.py: 1 test"), len(lines) - 2
    assert near < far < tests < run
    assert lines[run] == "run: pytest tests/test_station.py::test_alarm"
    assert any(line.startswith("requirement REQ-ALARM: ") for line in lines)


def test_tests_that_reach_a_change_through_other_code_are_named_with_their_command(code: Path) -> None:
    write_tree(
        code,
        {
            "tests/conftest.py": "import pytest\nfrom reports.text import summary\n\n\n@pytest.fixture\ndef shown():\n"
            "    return summary(3)\n",
            "tests/test_text.py": "class TestText:\n    def test_shown(self, shown):\n        assert shown\n\n\n"
            "def test_other():\n    assert 1\n",
        },
    )
    found = asked(code, "impact", "clamp")

    near = {each["name"]: each for each in found["affected_tests"]}  # type: ignore[attr-defined]
    assert near["TestText::test_shown"]["distance"] == 2
    lines = vfcc(code, "code", "impact", "clamp", "--format", "pytest").out.split()
    assert lines[0] == "pytest"
    assert "tests/test_text.py::TestText::test_shown" in lines
    assert "tests/test_text.py::test_other" not in lines
    vfcc(code, "code", "impact", "clamp", "--format", "nose").refused(2, "'nose' is no format of test commands")


def test_a_diff_reaches_what_uses_the_changed_functions(code: Path) -> None:
    base = code / "gauges/base.py"
    base.write_text(base.read_text().replace("min(value, LIMIT)", "max(value, LIMIT)"))

    found = asked(code, "impact", "--diff")

    assert [each["name"] for each in found["symbols"]] == ["clamp"]  # type: ignore[attr-defined]
    reached = [(each["name"], each["distance"]) for each in found["reached"]]  # type: ignore[attr-defined]
    assert reached[:3] == [("Gauge.read", 1), ("Station.alarm", 1), ("summary", 1)]
    vfcc(code, "code", "impact", "--diff", "nowhere").refused(2, "git has no commit nowhere")
    vfcc(code, "code", "impact").refused(2, "give a symbol or a file, or --diff")


def test_owners_are_those_of_the_last_rule_that_matches(code: Path) -> None:
    write_tree(code, {".github/CODEOWNERS": "* @all\n/gauges/ @water @sea\n"})

    found = asked(code, "impact", "gauges/base.py")

    assert found["owners"] == [
        {"path": "gauges/base.py", "owners": ["@water", "@sea"], "file": ".github/CODEOWNERS", "line": 2}
    ]


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


def test_the_trace_is_read_where_there_is_an_item(code: Path) -> None:
    kept = code / ".memory" / "local" / "trace-code.json"
    assert asked(code, "impact", "clamp")["items"] == []
    assert not kept.exists()

    touched(code)
    assert ids(asked(code, "impact", "Station.alarm"), "items")
    assert kept.exists()
