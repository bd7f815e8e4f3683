"""JUnit reports: what each tool writes is counted as it is, and nothing that failed is passed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.evidence_values import Measurement
from verifflowcc.sprint.rules.junit_tests import ProjectNames, measure_junit, words_of

PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="2" tests="8" time="1.5">
<properties><property name="tests" value="99"/></properties>
<testcase classname="tests.test_shop" name="test_total" time="0.1"><properties><property name="req" value="R-1"/>
</properties></testcase>
<testcase classname="tests.test_shop.TestCart" name="test_add[two-\\xe9/x[0]]" time="0.1"/>
<testcase classname="tests.test_shop.TestCart" name="runTest" time="0.1"/>
<testcase classname="tests.test_shop" name="test_rate_0_low" time="0.1"/>
<testcase classname="shop.cart" name="shop.cart.total" time="0.1"/>
<testcase classname="tests.test_shop" name="test_later">
<skipped type="pytest.skip" message="not now">x</skipped></testcase>
<testcase classname="tests.test_shop" name="test_wrong"><skipped type="pytest.xfail" message=""/></testcase>
<testcase classname="tests.test_shop" name="test_sum">
<failure message="assert 1 == 2&#10;where">trace</failure></testcase>
<testcase classname="tests.test_shop" name="test_sum"><error message="failed on teardown">trace</error></testcase>
</testsuite></testsuites>"""
SHOP = ProjectNames(
    frozenset({"shop/cart.py", "tests/test_shop.py", "README.md"}),
    words_of(
        [
            "def test_total(): ...\nclass TestCart(Base):\n    def test_add(self): ...\ndef test_rate(): ...",
            "def test_later\ndef test_wrong\ndef test_sum\ndef total",
        ]
    ),
)


def measured(text: str, known: ProjectNames | None = None) -> Measurement:
    return measure_junit(text.encode(), known=known)


def suite(*cases: str, attributes: str = "") -> str:
    return f'<testsuite name="unit" {attributes}>{"".join(cases)}</testsuite>'


def case(name: str, inside: str = "", classname: str = "tests.test_a") -> str:
    return f'<testcase classname="{classname}" name="{name}">{inside}</testcase>'


def test_a_report_of_pytest() -> None:
    found = measured(PYTEST, SHOP)

    assert found.problem == ""
    assert found.measures == {
        "tests": 9,
        "passed": 5,
        "failed": 1,
        "errors": 1,
        "skipped": 2,
        "flaky": 0,
        "unknown": 0,
    }
    assert found.examples == (
        "failed: tests.test_shop::test_sum: assert 1 == 2",
        "error: tests.test_shop::test_sum: failed on teardown",
        "skipped: tests.test_shop::test_later: not now",
        "skipped: tests.test_shop::test_wrong",
    )


def test_an_error_is_a_failure_whatever_the_attributes_say() -> None:
    found = measured(suite(case("test_a", "<error/>"), case("test_b"), attributes='tests="2" failures="1" errors="0"'))

    assert (found.measures["errors"], found.measures["passed"]) == (1, 1)


def test_an_error_of_the_suite_itself_counts() -> None:
    broken = suite(case("test_a"), '<error message="no database"/>')
    found = measured(f"<testsuites>{broken}</testsuites>")

    assert (found.measures["tests"], found.measures["errors"], found.measures["passed"]) == (1, 1, 1)
    assert found.examples == ("error outside of any test, in suite unit",)


@pytest.mark.parametrize("mark", ["flakyFailure", "flakyError", "rerunFailure", "rerunError"])
def test_a_retry_that_tells_of_itself_is_flaky(mark: str) -> None:
    found = measured(suite(case("test_a", f'<{mark} message="once"/>'), case("test_b"), attributes='tests="2"'))

    assert (found.measures["flaky"], found.measures["passed"], found.measures["failed"]) == (1, 1, 0)
    assert found.examples == ("flaky: tests.test_a::test_a: once",)


def test_a_test_that_never_passed_is_failed_and_not_flaky() -> None:
    found = measured(suite(case("test_a", '<failure message="no"/><rerunFailure message="no"/>')))

    assert (found.measures["failed"], found.measures["flaky"]) == (1, 0)


@pytest.mark.parametrize("failing", ["failure", "error"])
def test_a_test_that_failed_and_then_passed_is_flaky_wherever_the_two_stand(failing: str) -> None:
    failed, passed = case("test_a", f"<{failing}/>"), case("test_a")

    for report in (
        suite(failed, passed),
        suite(passed, failed),
        f"<testsuites>{suite(failed)}{suite(passed)}</testsuites>",
    ):
        found = measured(report).measures
        assert (found["tests"], found["flaky"], found["passed"]) == (2, 1, 0)
        assert found["failed"] + found["errors"] == 1


def test_a_suite_need_not_count_the_attempts_that_a_retry_made_good() -> None:
    found = measured(suite(case("a", "<failure/>"), case("a"), attributes='tests="1" failures="0" errors="0"'))

    assert (found.problem, found.measures["failed"], found.measures["flaky"]) == ("", 1, 1)


def test_a_doubled_test_of_pytest_was_run_again_though_it_shows_no_failure() -> None:
    again = '<testsuite name="pytest" errors="0" failures="0" skipped="0" tests="2">'
    found = measured(f"<testsuites>{again}{case('test_a')}{case('test_a')}</testsuite></testsuites>")
    renamed = again.replace('name="pytest"', 'name="mine"')
    by_root = measured(
        f'<testsuites name="pytest tests">{renamed}{case("test_a")}{case("test_a")}</testsuite></testsuites>'
    )

    assert (found.measures["flaky"], found.measures["passed"]) == (2, 0)
    assert by_root.measures == found.measures


def test_elsewhere_a_doubled_test_that_passed_each_time_has_passed() -> None:
    found = measured(suite(case("adds"), case("adds")))

    assert (found.measures["tests"], found.measures["passed"], found.measures["flaky"]) == (2, 2, 0)


def test_pytests_in_two_suites_are_two_runs_and_no_retries() -> None:
    one = f'<testsuite name="pytest" tests="1">{case("test_a")}</testsuite>'

    assert measured(f"<testsuites>{one}{one}</testsuites>").measures["passed"] == 2


def test_nested_suites_are_all_counted() -> None:
    inner = suite(case("test_b", "<failure/>"), case("test_c"), attributes='tests="2" failures="1" errors="0"')
    for own in ("1", "3"):
        claims = f'tests="{own}" failures="{int(own == "3")}" errors="0"'
        outer = suite(case("test_a"), inner, attributes=claims)
        found = measured(f'<testsuites tests="3" failures="1" errors="0">{outer}</testsuites>')
        assert found.problem == ""
        assert (found.measures["tests"], found.measures["failed"]) == (3, 1)


@pytest.mark.parametrize(
    "state", ['status="failed"', 'result="failed"', 'status="Failed" result="completed"', 'status="error"']
)
def test_a_test_that_calls_itself_failed_is(state: str) -> None:
    found = measured(f'<testsuite><testcase name="a" {state}/></testsuite>').measures

    assert (found["passed"], found["failed"] + found["errors"]) == (0, 1)


def test_a_test_inside_a_test_is_not_lost() -> None:
    assert measured(suite(case("a", case("b", "<failure/>")))).measures["failed"] == 1


def test_a_failure_inside_another_element_is_one() -> None:
    assert measured(suite(case("a", "<x><y><failure/></y></x>"), case("b"))).measures["failed"] == 1
    assert measured(suite(case("a"), "<x><error/></x>")).measures["errors"] == 1


@pytest.mark.vfcc("REQ-EVIDENCE")
@pytest.mark.parametrize(
    "text", ["<testsuites/>", '<testsuite tests="0" failures="0"/>', "<testsuites><testsuite/></testsuites>"]
)
def test_no_test_at_all_is_zero_tests(text: str) -> None:
    found = measured(text)

    assert (found.problem, found.measures["tests"], found.measures["passed"]) == ("", 0, 0)


@pytest.mark.parametrize(
    ("attributes", "cases"),
    [
        ('tests="3" failures="0" errors="0"', 2),
        ('tests="1"', 2),
        ('tests="0" failures="0"', 1),
        ('tests="2" failures="1" errors="0"', 2),
        ('tests="2" errors="1"', 2),
        ('tests="many"', 2),
        ('tests=""', 1),
        ('failures="-1"', 1),
        (f'tests="{"9" * 6000}"', 1),
    ],
)
def test_a_suite_that_contradicts_its_tests_is_a_problem(attributes: str, cases: int) -> None:
    text = suite(*(case(f"test_{each}") for each in range(cases)), attributes=attributes)

    for report in (
        text,
        f"<testsuites>{text}</testsuites>",
        f"<testsuites {attributes}>{text.replace(attributes, '')}</testsuites>",
    ):
        found = measured(report)
        assert "suite" in found.problem
        assert (found.measures, found.outcome) == ({}, "")


def test_a_suite_that_hides_a_failing_test_is_a_problem() -> None:
    hidden = measured(suite(case("a", "<failure/>"), attributes='tests="1" failures="0" errors="0"'))

    assert (
        hidden.problem
        == 'suite unit says tests="1", failures="0", errors="0", but 1 tests stand in it, 1 of them failing'
    )
    assert measured(f'<testsuites tests="0">{suite(case("a"))}</testsuites>').problem


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"10 passed in 0.1s", "not XML"),
        (b"<testsuite><testcase name='a'/>", "not XML"),
        (b"<testsuite><testcase name='a\xff'/></testsuite>", "not XML"),
        (b"<?xml version='1.0' encoding='utf-7'?><testsuite/>", "not XML"),
        (b"<?xml version='1.0' encoding='hex'?><testsuite/>", "not XML"),
        (b"<?xml version='1.0' encoding='nonsense'?><testsuite/>", "not XML"),
        (b"<testsuite/>\0", "not XML"),
        (b"<coverage/>", "no JUnit report"),
        (b"<html><testsuite/></html>", "no JUnit report"),
        (b"<!DOCTYPE t><testsuite/>", "DTD"),
        (b"<!DOCTYPE t [<!ENTITY a 'x'>]><testsuite name='&a;'/>", "DTD"),
        (b"<!DOCTYPE t [<!ENTITY a SYSTEM 'file:///etc/hostname'>]><testsuite>&a;</testsuite>", "DTD"),
        (b"<testsuite>&a;</testsuite>", "not XML"),
        (b"<testsuite>" * 100 + b"</testsuite>" * 100, "nested deeper"),
        (b" " * (64 * 2**20) + b"<x", "larger than 64 MiB"),
    ],
)
def test_what_is_no_report_is_a_problem(data: bytes, reason: str) -> None:
    found = measure_junit(data, known=SHOP)

    assert reason in found.problem
    assert (found.measures, found.outcome, found.examples) == ({}, "", ())


def test_a_billion_laughs_are_refused_unread() -> None:
    levels = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(12))
    text = f'<!DOCTYPE t [<!ENTITY l0 "ha">{levels}]><testsuite name="&l12;"/>'

    assert "DTD" in measured(text).problem


def test_a_report_as_deep_as_it_is_long_or_with_huge_names_is_read() -> None:
    deep = b"<testsuite>" + b"<x>" * 50_000 + b"<testcase name='a'/>" + b"</x>" * 50_000 + b"</testsuite>"
    failure = f'<failure message="{"m" * 10**6}"/>'
    wide = suite(case("b " * 10**6, failure, classname="a." * 10**6), attributes=f'package="{"n" * 10**7}"')

    assert measure_junit(deep, known=SHOP).measures["tests"] == 1
    found = measured(wide, SHOP)
    assert (found.measures["failed"], found.measures["unknown"]) == (1, 1)
    assert all(len(line) < 1000 for line in found.examples)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_does_no_harm(encoding: str) -> None:
    assert measure_junit(suite(case("é")).encode(encoding), known=None).measures["tests"] == 1


def test_a_namespace_does_no_harm() -> None:
    assert (
        measured('<testsuite xmlns="urn:x"><testcase name="a"><failure/></testcase></testsuite>').measures["failed"]
        == 1
    )


def test_the_outcome_tells_of_results_and_not_of_times_or_order() -> None:
    one = suite(case("a"), case("b", '<failure message="x"/>'), attributes='time="1"')
    same = suite(case("b", '<failure message="y"/>'), case("a"), attributes='time="2" timestamp="2026-11-21"')

    assert measured(one).outcome == measured(same).outcome
    assert measured(one).outcome != measured(suite(case("a"), case("b"))).outcome
    assert measured(one).outcome != measured(suite(case("a"), case("c", "<failure/>"))).outcome


RESULTS = {
    "passed": "",
    "failed": "<failure/>",
    "errors": "<error/>",
    "skipped": "<skipped/>",
    "flaky": "<flakyFailure/>",
}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(sorted(RESULTS))), max_size=12))
@settings(deadline=None, max_examples=150)
def test_every_test_is_counted_once_and_no_failing_name_has_passed(tests: list[tuple[str, str]]) -> None:
    found = measured(suite(*(case(name, RESULTS[result]) for name, result in tests))).measures
    failing = {name for name, result in tests if result in {"failed", "errors", "flaky"}}

    assert found["tests"] == len(tests) == sum(found[result] for result in RESULTS)
    assert found["failed"] == sum(result == "failed" for _, result in tests)
    assert found["errors"] == sum(result == "errors" for _, result in tests)
    assert found["passed"] == sum(result == "passed" and name not in failing for name, result in tests)


@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
@settings(deadline=None, max_examples=200)
def test_no_bytes_are_a_traceback(data: bytes) -> None:
    for body in (data, b"<testsuite>" + data + b"</testsuite>", b"<testsuite tests='" + data + b"'/>"):
        found = measure_junit(body, known=SHOP)
        assert found.problem or found.measures["tests"] >= 0


JAVA = ProjectNames(
    frozenset({"src/test/java/com/acme/CartTest.java"}),
    words_of(['package com.acme; class CartTest { void adds() {} class Inner { @DisplayName("sums up prices") }']),
)
JS = ProjectNames(
    frozenset({"src/cart.test.ts"}),
    words_of(["describe('Cart', () => { it('adds a price', () => {}); it.each('sums %s')"]),
)
GO = ProjectNames(
    frozenset({"go.mod", "cart/cart_test.go"}), words_of(["module example.com/shop", "package cart\nfunc TestAdd(t"])
)
RUST = ProjectNames(
    frozenset({"Cargo.toml", "src/cart.rs", "tests/api.rs"}),
    words_of(['name = "my-shop"', "mod tests { #[test] fn adds() }", "fn serves()"]),
)

KNOWN = [
    ("pytest function", SHOP, "tests.test_shop", "test_total", ""),
    ("pytest from a folder above", SHOP, "shop.tests.test_shop", "test_total", ""),
    ("pytest from a folder below", SHOP, "test_shop", "test_total", ""),
    ("pytest class", SHOP, "tests.test_shop.TestCart", "test_add", ""),
    ("pytest parameters", SHOP, "tests.test_shop", "test_total[a b(c)-[x]]", ""),
    ("pytest with files", SHOP, "tests.test_shop", "test_total", "tests/test_shop.py"),
    ("pytest doctest", SHOP, "shop.cart", "shop.cart.total", ""),
    ("pytest doctest of a text", SHOP, "README.md", "README.md", ""),
    ("pytest collection", SHOP, "", "tests.test_shop", ""),
    ("unittest", SHOP, "tests.test_shop.TestCart", "test_add", ""),
    ("parameterized", SHOP, "tests.test_shop.TestCart", "test_add_0_two", ""),
    ("a state machine", SHOP, "tests.test_shop.TestCart", "runTest", ""),
    ("surefire", JAVA, "com.acme.CartTest", "adds", ""),
    ("surefire parameters", JAVA, "com.acme.CartTest", "adds{int, int}[1]", ""),
    ("gradle", JAVA, "com.acme.CartTest", "adds()", ""),
    ("gradle nested", JAVA, "com.acme.CartTest$Inner", "adds()", ""),
    ("gradle sentence", JAVA, "com.acme.CartTest", "sums up 3 prices", ""),
    ("gradle parameters", JAVA, "com.acme.CartTest", "[1] 3, x, 7", ""),
    ("jest", JS, "Cart adds a price", "Cart adds a price", ""),
    ("jest each", JS, "Cart sums 3", "Cart sums 3", ""),
    ("vitest", JS, "src/cart.test.ts", "Cart &gt; adds a price", ""),
    ("jest with a value", JS, "Cart sums red", "Cart sums red", ""),
    ("a class made at run time", SHOP, "test_shop.TestMade", "test_total", ""),
    ("a file without its extensions", JS, "cart.Made", "adds a price", ""),
    ("node", JS, "test", "adds a price", "/home/ci/shop/src/cart.test.ts"),
    ("go", GO, "example.com/shop/cart", "TestAdd", ""),
    ("go subtest", GO, "example.com/shop/cart", "TestAdd/two_and_two", ""),
    ("go from above", GO, "shop/cart", "TestAdd", ""),
    ("nextest", RUST, "my-shop", "cart::tests::adds", ""),
    ("nextest integration", RUST, "my-shop::api", "serves", ""),
]
FOREIGN = [
    ("another file", SHOP, "tests.test_other", "test_total", ""),
    ("another class", SHOP, "tests.other.TestOther", "test_total", ""),
    ("another function", SHOP, "tests.test_shop", "test_other", ""),
    ("another function with parameters", SHOP, "tests.test_shop", "test_other[test_total]", ""),
    ("another numbered function", SHOP, "tests.test_shop", "test_other_0_total", ""),
    ("another file and no class", SHOP, "", "test_total", "tests/test_other.py"),
    ("another Java class", JAVA, "org.other.OtherTest", "adds", ""),
    ("another sentence", JS, "src/cart.test.ts", "Basket removes every discount", ""),
    ("another sentence of the same thing", JS, "src/cart.test.ts", "Cart removes every discount", ""),
    ("another file of sentences", JS, "src/basket.test.ts", "Cart adds a price", ""),
    ("another Go package", GO, "example.com/other/basket", "TestAdd", ""),
    ("another Go test", GO, "example.com/shop/cart", "TestRemove/two", ""),
    ("another Rust test", RUST, "my-shop", "cart::tests::removes", ""),
]


def one_test(classname: str, name: str, file: str) -> str:
    return f'<testsuite><testcase classname="{classname}" name="{name}" file="{file}"/></testsuite>'


@pytest.mark.parametrize(
    ("known", "classname", "name", "file"), [row[1:] for row in KNOWN], ids=[row[0] for row in KNOWN]
)
def test_a_test_of_this_tree_is_known(known: ProjectNames, classname: str, name: str, file: str) -> None:
    assert measured(one_test(classname, name, file), known).measures["unknown"] == 0


@pytest.mark.vfcc("REQ-EVIDENCE")
@pytest.mark.parametrize(
    ("known", "classname", "name", "file"), [row[1:] for row in FOREIGN], ids=[row[0] for row in FOREIGN]
)
def test_a_test_of_another_tree_is_unknown(known: ProjectNames, classname: str, name: str, file: str) -> None:
    found = measured(one_test(classname, name, file), known)

    assert found.measures["unknown"] == 1
    assert found.examples[0].startswith("not of this tree: ")


def test_without_a_tree_nothing_is_said_of_unknown_tests() -> None:
    assert "unknown" not in measured(PYTEST).measures


def test_words_are_identifiers_in_any_script() -> None:
    assert words_of(["def prüfe_1(x): 2nd", "класс"]) == {"def", "prüfe_1", "x", "класс"}


SUREFIRE = """<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="com.acme.CartTest"
 time="0.5" tests="3"
 errors="0" skipped="1" failures="1" flakes="1"><properties><property name="java.version" value="21"/></properties>
<testcase name="adds" classname="com.acme.CartTest" time="0.1">
<flakyFailure message="late" type="X"><stackTrace>t</stackTrace>
<system-out>o</system-out></flakyFailure></testcase>
<testcase name="removes" classname="com.acme.CartTest">
<failure message="m" type="X">t</failure>
<rerunFailure message="m"/></testcase>
<testcase name="waits" classname="com.acme.CartTest"><skipped message="slow"/></testcase></testsuite>"""
JEST = """<testsuites name="jest tests" tests="2" failures="1" errors="0" time="1.2">
<testsuite name="Cart" errors="0" failures="1" skipped="0" timestamp="2026-11-21T03:31:00" time="1" tests="2">
<testcase classname="Cart adds a price" name="Cart adds a price" time="0.1"></testcase>
<testcase classname="Cart sums" name="Cart sums" time="0.1"><failure>Error: expected 3&#10; at x</failure></testcase>
</testsuite></testsuites>"""
NEXTEST = """<testsuites name="nextest-run" tests="2" failures="1" errors="0" uuid="1" timestamp="t" time="0.1">
<testsuite name="my-shop" tests="2" disabled="0" errors="0" failures="1">
<testcase name="cart::tests::adds" classname="my-shop"><flakyFailure type="t" message="m">x</flakyFailure></testcase>
<testcase name="cart::tests::sums" classname="my-shop">
<failure type="t" message="m">x</failure>
<rerunFailure type="t">y</rerunFailure>
</testcase></testsuite></testsuites>"""
GO_REPORT = """<testsuites tests="3" failures="1" skipped="1">
<testsuite name="example.com/shop/cart" tests="3" failures="1"
 errors="0" id="0" hostname="h" skipped="1" time="0.1"><properties><property name="go.version" value="1"/></properties>
<testcase name="TestAdd" classname="example.com/shop/cart" time="0"/>
<testcase name="TestSum/two" classname="example.com/shop/cart">
<failure message="Failed"><![CDATA[a <b>]]></failure></testcase>
<testcase name="TestSlow" classname="example.com/shop/cart">
<skipped message="short"/></testcase></testsuite>
</testsuites>"""
GRADLE = """<testsuite name="com.acme.CartTest" tests="2" skipped="0" failures="1" errors="0" timestamp="t"
 hostname="h" time="0.1">
<properties/><testcase name="adds()" classname="com.acme.CartTest" time="0.0"/>
<testcase name="sums()" classname="com.acme.CartTest"><failure message="m" type="t">x</failure></testcase>
<system-out><![CDATA[]]></system-out><system-err><![CDATA[<failure/>]]></system-err></testsuite>"""


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (SUREFIRE, {"failed": 1, "flaky": 1, "skipped": 1}),
        (JEST, {"passed": 1, "failed": 1}),
        (NEXTEST, {"failed": 1, "flaky": 1}),
        (GO_REPORT, {"passed": 1, "failed": 1, "skipped": 1}),
        (GRADLE, {"passed": 1, "failed": 1}),
    ],
    ids=["surefire", "jest-junit", "nextest", "go-junit-report", "gradle"],
)
def test_reports_of_other_tools(text: str, counts: dict[str, int]) -> None:
    found = measured(text)

    assert found.problem == ""
    assert {name: count for name, count in found.measures.items() if count and name != "tests"} == counts


def test_a_message_may_be_the_elements_text() -> None:
    assert measured(JEST).examples == ("failed: Cart sums::Cart sums: Error: expected 3",)
