"""`vfcc code index`, `status`, `find`, `file` and `map` as they are typed."""

from pathlib import Path

import pytest

from tests.cli.code_world import FILES, TOKEN, asked, clone, told
from tests.cli.process import vfcc
from tests.trees import write_tree
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.tokens.token_counter import open_counter


def symbols(root: Path, path: str) -> list[tuple[object, ...]]:
    found = asked(root, "file", path)["symbols"]
    assert isinstance(found, list)
    return [(each["kind"], each["name"], each["line"], each["depth"]) for each in found]


@pytest.mark.vfcc("REQ-GRAPH-BUILD", "REQ-GRAPH-STORE")
def test_index_reads_all_and_then_nothing_more_and_says_what_it_left_out(code: Path) -> None:
    (code / "long.py").write_text(f"x = '{'a' * 2_000_000}'\n", encoding="utf-8")
    lines = told(code, "index").splitlines()

    assert lines[0].startswith("14 source files: ")
    assert "  valve.lua: there is no grammar for lua" in lines
    assert any(line.startswith("  long.py: ") for line in lines)
    assert told(code, "index").splitlines()[0] == "14 source files: 0 read, 14 known already"
    assert (code / ".memory" / "local" / "code.db").is_file()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-GRAPH-UPDATE")
def test_a_changed_file_is_the_only_one_that_is_read_again(code: Path) -> None:
    told(code, "index")
    (code / "reports" / "text.py").write_text("def brief():\n    return 1\n", encoding="utf-8")
    (code / "upload.py").unlink()

    assert told(code, "index").splitlines()[0] == "12 source files: 1 read, 11 known already, 1 gone"
    assert told(code, "find", "brief") == "reports/text.py:1 function brief\n  def brief()\n"
    vfcc(code, "code", "find", "upload_readings").refused(3, "nothing here is called upload_readings")


@pytest.mark.vfcc("REQ-GRAPH-FILES")
def test_status_counts_files_by_language_and_symbols_by_kind(coded: Path) -> None:
    found = asked(coded, "status")
    languages = found["languages"]
    assert isinstance(languages, list)

    assert {each["language"]: (each["files"], each["read"]) for each in languages} == {
        "python": (8, True),
        "go": (2, True),
        "typescript": (2, True),
        "no grammar": (1, False),
    }
    assert found["symbols"] == {"class": 4, "field": 1, "function": 10, "method": 7, "struct": 1, "variable": 1}
    assert found["marked"] == {"test": 1}
    assert found["files"] == 13
    said = told(coded, "status")
    assert said.startswith("13 source files, 83 lines; index ")
    assert "ranked down: 1 test\n" in said
    assert "valve.lua" not in said


@pytest.mark.points(6)
@pytest.mark.vfcc("REQ-GRAPH-FIND", "REQ-GRAPH-FUNCTIONS", "REQ-GRAPH-CLASSES")
@pytest.mark.parametrize(
    ("asking", "line"),
    [
        ("clamp", "gauges/base.py:16 function clamp"),
        ("Gauge", "gauges/base.py:6 class Gauge"),
        ("Station.alarm", "gauges/station.py:10 method Station.alarm"),
        ("alarm", "gauges/station.py:10 method Station.alarm"),
        ("gauges/station.py::Station.alarm", "gauges/station.py:10 method Station.alarm"),
        ("gauges/station.py:12", "gauges/station.py:10 method Station.alarm"),
        ("Pump", "pump/pump.go:3 struct Pump"),
        ("clampRate", "pump/pump.go:7 function clampRate"),
        ("Chart", "web/chart.ts:3 class Chart"),
        ("LIMIT", "gauges/base.py:3 variable LIMIT"),
        ("CLAMP", "gauges/base.py:16 function clamp"),
    ],
)
def test_find_says_where_a_symbol_is_defined(coded: Path, asking: str, line: str) -> None:
    assert told(coded, "find", asking).splitlines()[0] == line


@pytest.mark.vfcc("REQ-GRAPH-FIND")
def test_all_places_of_a_name_are_found(coded: Path) -> None:
    lines = ["reports/base.py:1 function summary", "reports/text.py:5 function summary"]

    assert [line for line in told(coded, "find", "summary").splitlines() if line[0] != " "] == lines
    less = told(coded, "find", "summary", "--limit", "1").splitlines()
    assert (less[0], less[-1]) == (lines[0], "and 1 more: --limit 2")


def test_a_kind_narrows_what_is_found(coded: Path) -> None:
    found = told(coded, "find", "raw", "--kind", "method").splitlines()

    assert [line for line in found if line[0] != " "] == [
        "gauges/base.py:12 method Gauge.raw",
        "gauges/station.py:7 method Station.raw",
    ]
    vfcc(coded, "code", "find", "raw", "--kind", "class").refused(3, "no class here is called raw")
    vfcc(coded, "code", "find", "raw", "--kind", "verb").refused(2, "'verb' is no kind of symbol", "method, class")


def test_what_is_not_there_is_said_with_what_is_near(coded: Path) -> None:
    vfcc(coded, "code", "find", "clamq").refused(3, "nothing here is called clamq", "vfcc code find clamp")
    vfcc(coded, "code", "find", "gauges/base.py::nothing").refused(3, "nothing here is called")
    vfcc(coded, "code", "file", "nothing.py").refused(3, "nothing.py is no source file", "vfcc code status")
    vfcc(coded, "code", "file", "README.md").refused(3, "README.md is no source file")
    vfcc(coded, "code", "file", "base.py").refused(3, "base.py may be 2 files: gauges/base.py, reports/base.py")


def test_without_a_project_nothing_is_asked(tmp_path: Path) -> None:
    folder = tmp_path / "nowhere"
    folder.mkdir()

    for words in (("index",), ("status",), ("find", "x"), ("map",), ("context", "x"), ("impact", "x")):
        vfcc(folder, "code", *words).refused(3, "no .memory/ in")


@pytest.mark.vfcc("REQ-GRAPH-CONTENTS", "REQ-GRAPH-CONTAINS", "REQ-GRAPH-VARIABLES")
def test_file_lists_what_is_in_it(coded: Path) -> None:
    assert told(coded, "file", "gauges/station.py") == (
        "gauges/station.py: python, 18 lines\n"
        "  4: class Station(Gauge)\n"
        "    7: def raw(self) -> int\n"
        "    10: def alarm(self, level: int) -> bool\n"
        "  15: def close_gate(station: Station) -> str\n"
        "imports\n"
        "  gauges/station.py:1 gauges.base Gauge → gauges/base.py\n"
        "  gauges/station.py:1 gauges.base clamp → gauges/base.py\n"
    )
    assert symbols(coded, "gauges/base.py") == [
        ("variable", "LIMIT", 3, 0),
        ("class", "Gauge", 6, 0),
        ("method", "read", 9, 1),
        ("method", "raw", 12, 1),
        ("function", "clamp", 16, 0),
    ]
    assert symbols(coded, "web/chart.ts") == [("class", "Chart", 3, 0), ("method", "draw", 4, 1)]
    assert ("field", "Rate", 3, 1) in symbols(coded, "pump/pump.go")


def test_a_language_without_a_grammar_says_so(coded: Path) -> None:
    found = asked(coded, "file", "valve.lua")

    assert (found["language"], found["symbols"]) == ("", [])
    assert told(coded, "file", "valve.lua") == (
        "valve.lua: no grammar, 1 line\nnot read whole: there is no grammar for lua\n"
    )


def test_paths_may_be_told_from_a_folder_below(coded: Path) -> None:
    below = coded / "gauges"

    for words in (("file", "station.py"), ("find", "base.py::clamp"), ("refs", "base.py", "--kind", "imported-by")):
        there = vfcc(below, "code", *words)
        here = told(coded, *(f"gauges/{word}" if ".py" in word else word for word in words))
        assert (there.code, there.out, there.err) == (0, here, "")


@pytest.mark.points(4)
@pytest.mark.vfcc("REQ-CODE-MAP")
@pytest.mark.parametrize("budget", [1, 7, 30, 60, 150, 400])
def test_a_map_keeps_to_its_budget_and_grows_with_it(coded: Path, budget: int) -> None:
    found = asked(coded, "map", "--budget", str(budget))
    text = found["text"]
    assert isinstance(text, str)

    assert found["tokens"] == open_counter(TokenSettings()).count(text) <= budget
    assert found["total_files"] == 13
    more = asked(coded, "map", "--budget", str(budget + 50))
    assert set(text.splitlines()) <= set(str(more["text"]).splitlines())


@pytest.mark.vfcc("REQ-CODE-MAP")
def test_a_map_is_the_same_in_another_clone_of_the_same_code(coded: Path, tmp_path: Path) -> None:
    text = told(coded, "map", "--budget", "200")
    other = clone(coded, tmp_path / "other")

    assert text == told(coded, "map", "--budget", "200") == told(other, "map", "--budget", "200")
    assert text.index("gauges/base.py\n") < text.index("  6: class Gauge\n") < text.index("gauges/station.py\n")


def test_where_nothing_fits_the_map_is_empty_and_says_so(coded: Path) -> None:
    assert told(coded, "map", "--budget", "1").strip() == (
        "0 of 1 tokens: 0 symbols of 0 files; 13 files are not on it"
    )
    vfcc(coded, "code", "map", "--budget", "0").refused(2, "--budget")
    vfcc(coded, "code", "map", "--budget", "many").refused(2, "--budget")


def test_no_answer_holds_a_secret(coded: Path) -> None:
    for words in (
        ("find", "send"),
        ("file", "upload.py"),
        ("map",),
        ("context", "upload readings"),
        ("refs", "send"),
        ("impact", "send"),
    ):
        for form in ((), ("--json",)):
            ran = vfcc(coded, "code", *words, *form)
            assert ran.code == 0
            assert TOKEN not in ran.out, words
            if words[0] in ("map", "context", "file", "find"):
                assert "[secret withheld: GitHub token]" in ran.out, words


def test_a_project_without_code_is_no_error(young: Path) -> None:
    assert told(young, "index") == "0 source files: 0 read, 0 known already\n"
    assert told(young, "status").startswith("0 source files, 0 lines")
    assert asked(young, "map")["text"] == ""
    assert told(young, "context", "anything") == "no word of the task is in the code\n"
    vfcc(young, "code", "find", "anything").refused(3, "nothing here is called anything")


def test_code_that_is_in_no_git_repository_is_read_too(young: Path) -> None:
    write_tree(young, FILES)

    assert asked(young, "status")["files"] == 13
    assert told(young, "find", "clamp").startswith("gauges/base.py:16")


def test_a_changed_configuration_of_modules_changes_the_answer(code: Path) -> None:
    alias = '{"compilerOptions": {"paths": {"@shore/*": ["./web/%s/*"]}}}'
    write_tree(
        code,
        {
            "tsconfig.json": alias % "old",
            "web/old/tide.ts": "export function tide() {}\n",
            "web/new/tide.ts": "export function tide() {}\n",
            "web/page.ts": "import { tide } from '@shore/tide';\n\ntide();\n",
        },
    )
    before = told(code, "file", "web/page.ts")
    files = told(code, "status")
    (code / "tsconfig.json").write_text(alias % "new")

    assert "@shore/tide tide → web/old/tide.ts" in before
    assert "@shore/tide tide → web/new/tide.ts" in told(code, "file", "web/page.ts")
    assert "json" not in files
    assert "web/page.ts:3" in told(code, "refs", "web/new/tide.ts::tide")
