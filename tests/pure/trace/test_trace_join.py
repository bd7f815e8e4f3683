"""Tests of reports, found in the tree by whatever name their tools give them, and joined with items."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.result_lines import encode_results, parse_results
from verifflowcc.base.model.trace_values import CodeFile, Outcome, TestResult, TraceItem
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.code.rules.marks import read_code
from verifflowcc.sprint.rules.junit_tests import read_tests
from verifflowcc.trace.rules.join_tests import MarkedTests, ReportTests, results_of, specified

pytestmark = pytest.mark.vfcc("REQ-TRACE-RESULTS")

M = "vfcc" + ": "
TREE = {
    "tests/test_login.py": (
        f"# {M}REQ-file\n\ndef test_timeout(n): ...\n\nclass TestForm:\n    # {M}REQ-form\n"
        f"    def test_empty(self): ...\n\n    def test_full(self):\n        '''{M}REQ-full'''\n"
    ),
    "tests/unit/test_login.py": "def test_other(): ...\n",
    "src/test/java/com/acme/FooTest.java": (
        f"package com.acme;\nclass FooTest {{\n  // {M}REQ-java\n  @Test void adds() {{}}\n"
        "  class Inner { @Test void more() {} }\n}\n"
    ),
    "pkg/store/store_test.go": f"package store\n\n// {M}REQ-go\nfunc TestGet(t *testing.T) {{\n}}\n",
    "web/sum.test.ts": f'describe("sum", () => {{\n  // {M}REQ-js\n  it("adds two", () => {{}})\n}})\n',
    "tests/api.rs": f"mod tests {{\n  // {M}REQ-rust\n  #[test]\n  fn serves() {{}}\n}}\n",
    "src/login.py": f"# {M}REQ-code\ndef test_product(): ...\n",
}
CODE = tuple(
    CodeFile(path, "sha256:x", not path.startswith("src/login"), *read_code(path, text)) for path, text in TREE.items()
)


def results(*cases: str, code: tuple[CodeFile, ...] = CODE, items: tuple[TraceItem, ...] = ()) -> list[TestResult]:
    tests = read_tests(f"<testsuite>{''.join(cases)}</testsuite>".encode()).tests
    return list(specified(results_of(ReportTests("r.xml", tests), MarkedTests(code)), items))


def case(classname: str, name: str, inside: str = "", file: str = "") -> str:
    where = f' file="{file}"' if file else ""
    return f'<testcase classname="{classname}" name="{name}"{where}>{inside}</testcase>'


@pytest.mark.parametrize(
    ("classname", "name", "file", "test", "items"),
    [
        ("tests.test_login", "test_timeout[chromium]", "", "tests/test_login.py::test_timeout", ("REQ-file",)),
        ("test_login.TestForm", "test_empty", "tests/test_login.py", "tests/test_login.py::TestForm.test_empty",
         ("REQ-file", "REQ-form")),
        ("tests.test_login.TestForm", "test_full", "", "tests/test_login.py::TestForm.test_full",
         ("REQ-file", "REQ-full")),
        ("tests.unit.test_login", "test_other", "", "tests/unit/test_login.py::test_other", ()),
        ("app.tests.test_login.TestForm", "test_inherited", "", "tests/test_login.py::TestForm.test_inherited",
         ("REQ-file",)),
        ("com.acme.FooTest", "adds", "", "src/test/java/com/acme/FooTest.java::FooTest.adds", ("REQ-java",)),
        ("com.acme.FooTest", "adds(int)[2]", "", "src/test/java/com/acme/FooTest.java::FooTest.adds", ("REQ-java",)),
        ("com.acme.FooTest$Inner", "more", "", "src/test/java/com/acme/FooTest.java::FooTest.Inner.more", ()),
        ("github.com/acme/app/pkg/store", "TestGet", "", "pkg/store/store_test.go::TestGet", ("REQ-go",)),
        ("github.com/acme/app/pkg/store", "TestGet/empty", "", "pkg/store/store_test.go::TestGet", ("REQ-go",)),
        ("web/sum.test.ts", "sum &gt; adds two", "", "web/sum.test.ts::sum.adds two", ("REQ-js",)),
        ("sum adds two", "sum adds two", "", "web/sum.test.ts::sum.adds two", ("REQ-js",)),
        ("sum", "adds two", "/ci/build/web/sum.test.ts", "web/sum.test.ts::sum.adds two", ("REQ-js",)),
        ("app::api", "tests::serves", "", "tests/api.rs::tests.serves", ("REQ-rust",)),
    ],
)  # fmt: skip
def test_a_test_is_found_by_what_its_tool_calls_it(
    classname: str, name: str, file: str, test: str, items: tuple[str, ...]
) -> None:
    (only,) = results(case(classname, name, file=file))
    assert (only.test, only.items, only.known) == (test, items, True)


@pytest.mark.parametrize(("classname", "name"), [("tests.test_gone", "test_gone"), ("", "test_gone"), ("x.Y", "z")])
def test_a_test_that_is_nowhere_is_not_known_and_keeps_its_name(classname: str, name: str) -> None:
    (only,) = results(case(classname, name + "[1]"))
    assert (only.test, only.known, only.items) == (f"{classname}::{name}" if classname else name, False, ())


def test_marks_of_code_that_is_no_test_say_nothing_of_its_tests() -> None:
    (only,) = results(case("src.login", "test_product"))
    assert (only.test, only.items) == ("src/login.py::test_product", ())


FAILED, SKIPPED, ERROR = '<failure message="f"/>', '<skipped message="s"/>', '<error message="e"/>'


@pytest.mark.parametrize(
    ("inside", "outcome"),
    [
        (["", ""], Outcome.PASSED),
        (["", SKIPPED], Outcome.SKIPPED),
        (["", FAILED], Outcome.FAILED),
        ([FAILED, ERROR], Outcome.ERROR),
        ([SKIPPED, '<flakyFailure message="once"/>'], Outcome.FLAKY),
        (['<flakyFailure message="once"/>', FAILED], Outcome.FAILED),
    ],
)
def test_of_cases_with_arguments_the_worst_counts(inside: list[str], outcome: Outcome) -> None:
    cases = [case("tests.test_login", f"test_timeout[{number}]", each) for number, each in enumerate(inside)]
    for order in permutations(cases):
        (only,) = results(*order)
        assert (only.outcome, only.cases) == (outcome, len(cases))


def test_one_name_that_failed_and_passed_is_flaky_in_any_order() -> None:
    for order in permutations([case("tests.test_login", "test_timeout", each) for each in ("", FAILED, FAILED)]):
        (only,) = results(*order)
        assert (only.outcome, only.cases, only.message) == (Outcome.FLAKY, 3, "f")
    (only,) = results(
        case("tests.test_login", "test_timeout", FAILED), case("tests.test_login", "test_timeout", FAILED)
    )
    assert only.outcome is Outcome.FAILED


def test_items_name_their_tests() -> None:
    def item(name: str, *tests: str) -> TraceItem:
        return TraceItem(name, "requirement", "It", "x", "It.", "0" * 20, tests=tests)

    items = (
        item("REQ-1", "tests/unit/**"),
        item("REQ-2", "tests/unit/test_login.py::test_o*"),
        item("REQ-3", "web/**"),
    )
    (only,) = results(case("tests.unit.test_login", "test_other"), items=items)
    assert only.items == ("REQ-1", "REQ-2")


def test_properties_of_cases_and_suites_are_read() -> None:
    report = (
        '<testsuites><testsuite file="tests/a.py"><properties><property name="vfcc.content" value="sha256:1"/>'
        '</properties><testcase name="a"><properties><property name="vfcc" value="REQ-1, REQ-2"/>'
        '<property name="vfcc">REQ-3</property><property name="other" value="x"/></properties></testcase></testsuite>'
        "</testsuites>"
    )
    read = read_tests(report.encode())
    (only,) = read.tests
    assert (only.items, only.file, read.content, read.unsure) == (
        ("REQ-1", "REQ-2", "REQ-3"),
        "tests/a.py",
        "sha256:1",
        "",
    )


@pytest.mark.parametrize(
    ("properties", "content", "unsure"),
    [
        (["", ""], None, False),
        (['name="vfcc.content" value="1"', 'name="vfcc.content" value="2"'], None, True),
        (['name="vfcc.content" value="1"', 'name="vfcc.content" value="1"'], "1", False),
        (['name="vfcc.content.changed" value="files changed"', ""], None, True),
    ],
)
def test_a_report_speaks_of_one_content_or_of_none(properties: list[str], content: str | None, unsure: bool) -> None:
    suites = "".join(
        f"<testsuite><properties>{f'<property {each}/>' if each else ''}</properties></testsuite>"
        for each in properties
    )
    read = read_tests(f"<testsuites>{suites}</testsuites>".encode())
    assert (read.content, bool(read.unsure)) == (content, unsure)


def test_an_error_outside_of_any_test_is_told_as_one() -> None:
    (only,) = read_tests(b'<testsuite name="s"><error message="no import"/></testsuite>').tests
    assert (only.id, str(only.outcome)) == ("suite s", "errors")


RESULTS = st.builds(
    TestResult,
    st.text(max_size=20),
    st.sampled_from(Outcome),
    st.integers(0, 99),
    st.lists(st.text(max_size=8), max_size=3).map(tuple),
    st.just("e"),
    st.text(max_size=300),
    st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(RESULTS, max_size=6, unique_by=lambda each: each.test))
def test_results_are_written_in_one_way_and_read_again(found: list[TestResult]) -> None:
    data = encode_results(len(found), found)
    assert encode_results(len(found), list(reversed(found))) == data
    read = parse_results(data, digest_bytes(data), "e")
    assert (read.tests, encode_results(read.tests, read.results)) == (len(found), data)
    assert [each.outcome for each in read.results] == [each.outcome for each in sorted(found, key=lambda e: e.test)]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}\n",
        b'{"tests":1,"v":2}\n',
        b'{"tests":-1,"v":1}\n',
        b'{"tests":true,"v":1}\n',
        b'{"tests":1,"v":1}\n[]\n',
        b'{"tests":1,"v":1}\n{"test":"a"}\n',
        b'{"tests":1,"v":1}\n{"cases":1,"items":"a","known":true,"message":"","outcome":"passed","test":"a"}\n',
        b'{"tests":1,"v":1}\n{"cases":1,"items":[],"known":true,"message":"","outcome":"fine","test":"a"}\n',
        b'{"tests":1,"v":1}\n{"cases": 1}\n',
        b"\xff\n",
    ],
)
def test_what_is_no_results_file_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse_results(data, digest_bytes(data), "e")
