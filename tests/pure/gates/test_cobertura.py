"""Cobertura reports: counted line by line, for the files that this project has."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.evidence_values import Measurement
from verifflowcc.sprint.rules.cobertura import measure_coverage
from verifflowcc.sprint.rules.junit_claims import ProjectPaths

PATHS = frozenset(
    {"src/app/a.py", "src/app/b.py", "src/app/new.py", "src/app/data.json", "tests/test_a.py", "setup.py"}
)
SOURCE = "/home/ci/build/src"


def line(number: int, hits: int | str, branches: str = "") -> str:
    condition = f' branch="true" condition-coverage="{branches}"' if branches else ""
    return f'<line number="{number}" hits="{hits}"{condition}/>'


def file(name: str, *lines: str) -> str:
    return f'<class name="x" filename="{name}" line-rate="1"><methods/><lines>{"".join(lines)}</lines></class>'


def report(*files: str, attributes: str = "", sources: tuple[str, ...] = (SOURCE,)) -> str:
    tree = "".join(f"<source>{each}</source>" for each in sources)
    classes = f'<packages><package name="p"><classes>{"".join(files)}</classes></package></packages>'
    return f'<?xml version="1.0" ?><coverage {attributes}><sources>{tree}</sources>{classes}</coverage>'


def measured(
    text: str | bytes,
    files: tuple[str, ...] = ("src/**",),
    changed: dict[str, tuple[int, ...]] | None = None,
    paths: frozenset[str] = PATHS,
) -> Measurement:
    return measure_coverage(text.encode() if isinstance(text, str) else text, paths=paths, files=files, changed=changed)


BOTH = report(
    file("app/a.py", line(1, 1), line(2, 0), line(4, 3, "50% (1/2)")),
    file("app/b.py", line(1, 1)),
    attributes='lines-valid="4" lines-covered="3" line-rate="1" branches-valid="2"',
)


def test_lines_and_branches_are_counted_and_rates_ignored() -> None:
    found = measured(BOTH)

    assert found.problem == ""
    assert found.measures == {
        "files": 2,
        "lines": 4,
        "lines_hit": 3,
        "branches": 2,
        "branches_hit": 1,
        "missing_files": 1,
        "unknown_files": 0,
    }
    assert found.examples == ("not in the report: src/app/new.py", "2 of 3 lines: src/app/a.py")


def test_only_chosen_files_count() -> None:
    assert measured(BOTH, files=("**/b.py",)).measures["lines"] == 1
    assert measured(BOTH, files=("docs/**",)).measures == {
        "files": 0,
        "lines": 0,
        "lines_hit": 0,
        "branches": 0,
        "branches_hit": 0,
        "missing_files": 0,
        "unknown_files": 0,
    }


def test_changed_lines_count_where_they_are_executable() -> None:
    changed = {"src/app/a.py": (2, 3, 4, 4, 99), "src/app/b.py": (1,), "README.md": (1, 2)}
    found = measured(BOTH, changed=changed)

    assert (found.measures["changed"], found.measures["changed_hit"]) == (3, 2)
    assert found.examples[0] == "changed, not covered: src/app/a.py:2"


def test_a_changed_file_that_the_report_does_not_know_is_not_covered() -> None:
    found = measured(BOTH, changed={"src/app/new.py": (7, 3, 1, 2), "src/app/data.json": (1,), "tests/test_a.py": (1,)})

    assert (found.measures["changed"], found.measures["changed_hit"]) == (4, 0)
    assert found.examples[0] == "changed, not covered: src/app/new.py:1-3,7"


def test_where_changes_are_not_known_nothing_is_said_of_them() -> None:
    assert "changed" not in measured(BOTH).measures
    assert measured(BOTH, changed={}).measures["changed"] == 0


def test_with_no_patterns_files_beside_the_measured_folder_are_not_missing() -> None:
    changed = {"tests/test_a.py": (1, 2), "src/app/new.py": (1,)}
    found = measured(BOTH, files=(), changed=changed, paths=PATHS | {"tests/test_a.py", "src/other/more.py"})

    assert found.measures["missing_files"] == 2
    assert (found.measures["changed"], found.measures["changed_hit"]) == (1, 0)
    assert set(found.examples) >= {"not in the report: src/app/new.py", "not in the report: src/other/more.py"}


def test_with_no_patterns_a_report_of_the_whole_project_misses_whatever_it_leaves_out() -> None:
    whole = report(file("src/app/a.py", line(1, 1)), sources=(".",))
    found = measured(whole, files=(), changed={"tests/test_a.py": (1, 2)}, paths=PATHS | {"tests/test_a.py"})

    assert (found.measures["changed"], found.measures["changed_hit"]) == (2, 0)


def test_files_of_another_project_are_no_coverage_of_this_one() -> None:
    other = report(file("shop/cart.py", line(1, 1)), file("shop/a.py", line(1, 1)))
    found = measured(other, files=("src/**",), changed={"src/app/a.py": (1,)})

    assert (found.measures["files"], found.measures["lines"], found.measures["unknown_files"]) == (0, 0, 2)
    assert found.measures["missing_files"] == 3
    assert (found.measures["changed"], found.measures["changed_hit"]) == (1, 0)
    assert "not in the project: shop/a.py" in found.examples


def test_a_file_that_stands_there_twice_is_one() -> None:
    twice = report(
        file("app/a.py", line(1, 1), line(2, 0, "0% (0/2)")),
        file("src/app/a.py", line(2, 5, "50% (1/2)"), line(3, 0)),
        attributes='lines-valid="4"',
    )
    found = measured(twice, files=("**/a.py",)).measures

    assert (found["files"], found["lines"], found["lines_hit"]) == (1, 3, 2)
    assert (found["branches"], found["branches_hit"]) == (2, 1)


def test_lines_of_methods_are_the_lines_of_the_class_again() -> None:
    method = f'<methods><method name="m"><lines>{line(1, 1)}{line(2, 0)}</lines></method></methods>'
    text = report(f'<class filename="app/a.py">{method}<lines>{line(2, 0)}{line(3, 1)}</lines></class>')

    assert measured(text, files=("**/a.py",)).measures["lines"] == 3


@pytest.mark.parametrize(
    ("name", "sources", "path"),
    [
        ("app/a.py", ("/home/ci/build/src",), "src/app/a.py"),
        ("a.py", ("/home/ci/build/src/app",), "src/app/a.py"),
        ("a.py", ("/x/src/app", "/x/tests"), "src/app/a.py"),
        ("src/app/a.py", ("",), "src/app/a.py"),
        ("./src/app/../app/a.py", (), "src/app/a.py"),
        ("/home/ci/build/src/app/a.py", (), "src/app/a.py"),
        ("C:\\build\\src\\app\\a.py", (), "src/app/a.py"),
        ("app\\a.py", ("C:\\build\\src",), "src/app/a.py"),
        ("app/a.py", (), "src/app/a.py"),
        ("../src/app/a.py", ("/home/ci/build/docs",), "src/app/a.py"),
        ("/other/setup.py", (), "setup.py"),
        ("other/setup.py", ("/ci",), None),
        ("lib/a.py", ("/home/ci/build",), None),
        ("/home/ci/lib/unknown.py", (), None),
        ("", ("/src",), None),
        ("..", ("/src",), None),
    ],
)
def test_a_name_from_another_machine_finds_its_file(name: str, sources: tuple[str, ...], path: str | None) -> None:
    assert ProjectPaths(PATHS).find(name, sources) == path


def test_a_name_that_may_mean_two_files_means_none() -> None:
    paths = ProjectPaths({"a/x.py", "b/x.py"})

    assert paths.find("x.py") is None
    assert paths.find("x.py", ["/p/a", "/p/b"]) is None
    assert paths.find("x.py", ["/p/a"]) == "a/x.py"


def test_the_longest_end_wins() -> None:
    assert ProjectPaths({"src/app/a.py", "app/a.py"}).find("app/a.py", ["/ci/src"]) == "src/app/a.py"


@pytest.mark.parametrize(
    "attributes",
    [
        'lines-valid="5"',
        'lines-valid="3"',
        'lines-valid="4" lines-covered="4"',
        'lines-valid="many"',
        f'lines-valid="{"9" * 6000}"',
    ],
)
def test_a_report_that_contradicts_its_lines_is_a_problem(attributes: str) -> None:
    found = measured(BOTH.replace('lines-valid="4" lines-covered="3"', attributes))

    assert "the report says" in found.problem
    assert (found.measures, found.outcome) == ({}, "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("TOTAL 100%", "not XML"),
        ("<report name='jacoco'/>", "no Cobertura report"),
        ("<!DOCTYPE coverage [<!ENTITY a 'x'>]><coverage/>", "DTD"),
        ("<!DOCTYPE coverage SYSTEM 'http://dtd.example/x.dtd' [<!ENTITY a 'x'>]><coverage/>", "DTD"),
        ("<!DOCTYPE coverage SYSTEM 'http://dtd.example/x.dtd'><coverage>&a;</coverage>", "not XML"),
        (report(file("app/a.py", line(1, "often"))), "no number"),
        (report(file("app/a.py", '<line hits="1"/>')), "no number"),
        (report(file("app/a.py", line(1, "9" * 6000))), "no number"),
    ],
)
def test_what_is_no_report_is_a_problem(text: str, reason: str) -> None:
    found = measured(text)

    assert reason in found.problem
    assert found.measures == {}


def test_a_document_type_that_is_only_named_does_no_harm() -> None:
    named = BOTH.replace("?><coverage", "?><!DOCTYPE coverage SYSTEM 'http://dtd.example/coverage-04.dtd'><coverage")

    assert measured(named) == measured(BOTH)


def test_an_empty_report_covers_nothing() -> None:
    found = measured('<coverage lines-valid="0" lines-covered="0"><packages/></coverage>').measures

    assert (found["files"], found["lines"]) == (0, 0)


def test_what_a_tool_could_not_watch_was_not_hit() -> None:
    assert measured(report(file("app/a.py", line(1, -1)))).measures["lines_hit"] == 0


def test_a_branch_is_never_more_than_there_are() -> None:
    found = measured(report(file("app/a.py", line(1, 1, "900% (9/2)"), line(2, 1, "nonsense")))).measures

    assert (found["branches"], found["branches_hit"]) == (2, 2)


@pytest.mark.sweep
def test_hostile_reports_end() -> None:
    deep = b"<coverage>" + b"<class>" * 100_000 + b"</class>" * 100_000 + b"</coverage>"
    long = report(file("a/" * 10**6 + "a.py", line(1, 1)), sources=("s/" * 10**5,) * 3)

    assert measured(deep).measures["files"] == 0
    assert measured(long).measures["unknown_files"] == 1


def test_the_outcome_tells_which_lines_ran_and_not_how_often() -> None:
    often = BOTH.replace('hits="3"', 'hits="9"').replace("app/a", "src/app/a")
    less = BOTH.replace('hits="3"', 'hits="0"').replace('covered="3"', 'covered="2"')

    assert measured(BOTH).outcome == measured(often).outcome
    assert measured(less).problem == ""
    assert measured(BOTH).outcome != measured(less).outcome


LINES = st.dictionaries(st.integers(1, 30), st.integers(0, 2), max_size=15)


@given(LINES, LINES, st.sets(st.integers(1, 40)))
@settings(deadline=None, max_examples=100)
def test_no_count_is_more_than_its_whole(first: dict[int, int], second: dict[int, int], changed: set[int]) -> None:
    text = report(*(file("app/a.py", *(line(*each) for each in lines.items())) for lines in (first, second)))
    found = measured(text, changed={"src/app/a.py": tuple(changed)}).measures
    executable = first.keys() | second.keys()
    hit = {number for number in executable if first.get(number, 0) + second.get(number, 0)}

    assert (found["lines"], found["lines_hit"]) == (len(executable), len(hit))
    assert (found["changed"], found["changed_hit"]) == (len(executable & changed), len(hit & changed))


@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
@settings(deadline=None, max_examples=150)
def test_no_bytes_are_a_traceback(data: bytes) -> None:
    inside = (b"<coverage>" + data + b"</coverage>", b"<coverage><class filename='" + data + b"'/></coverage>")
    for body in (data, *inside):
        assert measured(body).problem or measured(body).measures["lines"] == 0


@pytest.mark.parametrize("number", [0, -1])
def test_a_line_before_the_first_is_none(number: int) -> None:
    assert "lines are counted from 1" in measured(report(file("app/a.py", line(number, 1)))).problem


def test_lines_behind_the_end_of_a_file_do_not_count() -> None:
    padded = report(file("app/a.py", line(1, 0), line(2, 1), *(line(number, 1) for number in range(3, 99))))

    found = measure_coverage(
        padded.encode(), paths=PATHS, files=("src/**",), changed={"src/app/a.py": (1, 98)}, length=lambda _: 2
    )

    assert {name: found.measures[name] for name in ("lines", "lines_hit", "changed")} == {
        "lines": 2,
        "lines_hit": 1,
        "changed": 1,
    }
