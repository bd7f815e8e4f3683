"""`vfcc code refs` as it is typed: who calls, is called, imports, inherits and uses, and how sure that is."""

from pathlib import Path
from typing import cast

import pytest

from tests.cli.code_world import asked, told
from tests.cli.process import git, vfcc
from tests.trees import write_memory, write_tree
from verifflowcc.code.rules.graph import CONFIDENT


def links(root: Path, symbol: str, kind: str) -> list[tuple[str, str, bool]]:
    """Return place, the definition around it, and whether it is sure, of all links of the first symbol of a name."""
    symbols = asked(root, "refs", symbol, "--kind", kind)["symbols"]
    assert isinstance(symbols, list)
    found = []
    for each in symbols[0]["links"]:
        best = each["candidate"]
        sure = bool(best and best["confidence"] >= CONFIDENT / 100)
        found.append((f"{each['path']}:{each['line']}", each["symbol"], sure))
    return sorted(found)


@pytest.mark.vfcc("REQ-GRAPH-CALLERS", "REQ-GRAPH-CALLS")
def test_callers_are_listed_with_file_and_line_also_through_an_alias_and_a_module(coded: Path) -> None:
    assert links(coded, "clamp", "callers") == [
        ("gauges/base.py:10", "Gauge.read", True),
        ("gauges/station.py:12", "Station.alarm", True),
        ("reports/text.py:6", "summary", True),
    ]
    said = told(coded, "refs", "clamp")
    assert said.startswith("gauges/base.py:16 function clamp\n  gauges/base.py:10 in Gauge.read (")
    assert said == told(coded, "refs", "gauges/base.py::clamp") == told(coded, "refs", "gauges/base.py:17")


@pytest.mark.vfcc("REQ-GRAPH-CALLERS")
def test_callers_are_found_in_go_and_typescript(coded: Path) -> None:
    assert links(coded, "clampRate", "callers") == [
        ("pump/boost.go:3", "Boost", True),
        ("pump/pump.go:5", "Pump.Start", True),
    ]
    assert links(coded, "label", "callers") == [("web/chart.ts:5", "Chart.draw", True)]


@pytest.mark.vfcc("REQ-GRAPH-CALLS")
def test_callees_are_what_is_called_in_it(coded: Path) -> None:
    assert (
        told(coded, "refs", "close_gate", "--kind", "callees")
        .splitlines()[1]
        .startswith("  gauges/station.py:16 station.alarm → gauges/station.py (")
    )
    assert links(coded, "gauges/station.py::Station.alarm", "callees") == [
        ("gauges/station.py:12", "Station.alarm", True),
        ("gauges/station.py:12", "Station.alarm", True),
    ]


def test_what_is_called_outside_or_unknown_is_named(code: Path) -> None:
    write_tree(code, {"far.py": "from json import dumps\n\n\ndef far(x):\n    return dumps(telegraph(x))\n"})

    assert told(code, "refs", "far", "--kind", "callees").splitlines()[-1] == "  outside or unknown: dumps, telegraph"


@pytest.mark.vfcc("REQ-GRAPH-INHERITS")
def test_inherits_names_both_what_a_type_is_made_of_and_what_is_made_of_it(coded: Path) -> None:
    up = told(coded, "refs", "Station", "--kind", "inherits").splitlines()
    down = told(coded, "refs", "Gauge", "--kind", "inherits").splitlines()

    assert up[1].startswith("  gauges/station.py:4 Gauge → gauges/base.py (")
    assert down[1].startswith("  gauges/station.py:4 in Station (")
    assert links(coded, "Chart", "inherits") == [("web/chart.ts:3", "Chart", True)]
    assert links(coded, "Level", "inherits") == [("web/chart.ts:3", "Chart", True)]
    vfcc(coded, "code", "refs", "clamp", "--kind", "inherits").refused(3, "clamp is no type: it is a function")


@pytest.mark.vfcc("REQ-GRAPH-INHERITS", "REQ-GRAPH-VARIABLES")
def test_uses_are_all_that_speaks_of_a_class_or_a_variable(coded: Path) -> None:
    assert links(coded, "Station", "uses") == [
        ("gauges/station.py:15", "close_gate", True),
        ("reports/text.py:6", "summary", True),
        ("tests/test_station.py:5", "test_alarm", True),
    ]
    assert links(coded, "LIMIT", "uses") == [("gauges/base.py:18", "clamp", True)]


@pytest.mark.vfcc("REQ-GRAPH-DEPENDENCIES", "REQ-GRAPH-IMPORTS")
def test_imports_are_told_both_ways_with_module_and_items(coded: Path) -> None:
    assert told(coded, "refs", "gauges/station.py", "--kind", "imports") == (
        "  gauges/station.py:1 gauges.base Gauge → gauges/base.py\n"
        "  gauges/station.py:1 gauges.base clamp → gauges/base.py\n"
    )
    assert told(coded, "refs", "gauges/station.py", "--kind", "imported-by") == (
        "  reports/text.py:1 gauges.station\n  tests/test_station.py:1 gauges.station Station\n"
    )
    (taken,) = cast(list[dict[str, object]], asked(coded, "refs", "web/chart.ts", "--kind", "imports")["imports"])
    assert (taken["module"], taken["name"], taken["files"]) == ("./level", "Level", ["web/level.ts"])
    assert told(coded, "refs", "upload.py", "--kind", "imports") == "upload.py imports nothing\n"
    assert told(coded, "refs", "upload.py", "--kind", "imported-by") == "nothing imports upload.py\n"


@pytest.mark.vfcc("REQ-GRAPH-IMPORTS")
def test_what_is_imported_from_outside_is_said_to_be(code: Path) -> None:
    write_tree(code, {"log.py": "import os.path\nfrom json import dumps as written\n"})

    assert told(code, "refs", "log.py", "--kind", "imports") == (
        "  log.py:1 os.path → outside\n  log.py:2 json dumps → outside\n"
    )


@pytest.mark.vfcc("REQ-GRAPH-CALLERS")
def test_what_may_be_meant_stands_apart_with_the_number_of_candidates(code: Path) -> None:
    writers = {f"out/w{n:02}.py": f"class W{n}:\n    def emit(self):\n        return {n}\n" for n in range(3)}
    callers = {f"in/c{n:02}.py": f"def run{n}(thing):\n    return thing.emit()\n" for n in range(12)}
    write_tree(code, {**writers, **callers})
    lines = told(code, "refs", "W1.emit").splitlines()

    assert lines[:2] == ["out/w01.py:2 method W1.emit", "  possible: 12"]
    assert len([line for line in lines if "one of 3 of its name)" in line]) == 10
    assert lines[-1] == "  and 2 more: --all"
    every = told(code, "refs", "W1.emit", "--all").splitlines()
    assert len([line for line in every if "one of 3 of its name)" in line]) == 12
    symbols = asked(code, "refs", "W1.emit")["symbols"]
    assert isinstance(symbols, list)
    assert {len(each["candidates"]) for each in symbols[0]["links"]} == {3}


def test_each_symbol_of_a_name_is_answered_up_to_ten(code: Path) -> None:
    assert [line for line in told(code, "refs", "summary").splitlines() if line[:1] not in ("", " ")] == [
        "reports/base.py:1 function summary",
        "reports/text.py:5 function summary",
    ]
    write_tree(code, {f"many/m{n:02}.py": "def emit():\n    pass\n" for n in range(12)})
    assert told(code, "refs", "emit").endswith("\n2 more symbols of that name: say which, as path::name\n")
    assert asked(code, "refs", "emit")["more"] == 2
    assert told(code, "refs", "many/m03.py::emit") == "many/m03.py:1 function emit\n  no callers\n"


def test_what_cannot_be_asked_is_refused(coded: Path) -> None:
    vfcc(coded, "code", "refs", "clamp", "--kind", "who").refused(2, "'who' is no kind of reference", "imported-by")
    vfcc(coded, "code", "refs", "clamq").refused(3, "nothing here is called clamq", "vfcc code find clamp")
    vfcc(coded, "code", "refs", "clamp", "--kind", "imports").refused(3, "clamp is no source file")
    vfcc(coded, "code", "refs", "base.py", "--kind", "imports").refused(3, "may be 2 files")


def test_an_edit_is_in_the_next_answer(code: Path) -> None:
    assert len(links(code, "close_gate", "callers")) == 1
    write_tree(
        code, {"late.py": "from gauges.station import close_gate as shut\n\n\ndef late(s):\n    return shut(s)\n"}
    )
    assert ("late.py:5", "late", True) in links(code, "close_gate", "callers")
    (code / "late.py").unlink()
    assert len(links(code, "close_gate", "callers")) == 1


def test_a_namespace_package_is_followed_by_every_command(tmp_path: Path) -> None:
    files = {
        "app/main.py": "from services import billing\n\n\ndef run():\n    return billing.invoice.total([1])\n",
        "services/billing/invoice.py": "def total(lines):\n    return sum(lines)\n",
    }
    write_memory(write_tree(tmp_path, files), {"config.yaml": "format: 1\n"})
    git(tmp_path, "init", "--quiet")

    assert links(tmp_path, "total", "callers") == [("app/main.py:5", "run", True)]
    assert "app/main.py:1 services billing\n" in told(
        tmp_path, "refs", "services/billing/invoice.py", "--kind", "imported-by"
    )
    assert "services/billing/invoice.py" in told(tmp_path, "map")
    assert "services/billing/invoice.py:1-2 total" in told(tmp_path, "context", "the total of an invoice")
    prompt = vfcc(tmp_path, "context", "show", "-a", "coder", "--task", "the total of an invoice")
    assert prompt.code == 0
    assert "def total(lines):" in prompt.out
    assert "@code" not in prompt.err
