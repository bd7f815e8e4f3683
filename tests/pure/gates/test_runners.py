"""Test frameworks: the words that run some tests, and what reports of real programs show."""

import json

import pytest

from verifflowcc.code.rules.code_views import AffectedTest
from verifflowcc.gates.rules.change_parts import FileChange, split
from verifflowcc.gates.rules.hunks import RunSelection, TestFile
from verifflowcc.gates.rules.project_parts import PartRules, inline_lines, with_tests_of
from verifflowcc.gates.rules.run_outcomes import FailureCause, OutcomeKind, RunOutcome, RunResult, RunText
from verifflowcc.gates.rules.runners import MOST_CHARACTERS, Runner, argv_for, narrowed, read_run, runner_of
from verifflowcc.gates.rules.tests_lost import title_units
from verifflowcc.gates.use.proof_input import test_lines as lines_of_tests
from verifflowcc.gates.use.proof_input import units_of


def run(runner: Runner, report: str, selection: RunSelection, *, code: int = 1, product: str = "") -> RunResult:
    text = RunText(report, report, code, "")
    return read_run(runner, text, selection, is_product=lambda path: path == product)


def chosen(path: str, **names: int) -> RunSelection:
    return RunSelection((TestFile(path, tuple(names)),), {path: names})


@pytest.mark.parametrize(
    ("words", "runner"),
    [
        ("python -m pytest -q", Runner.PYTEST),
        (".venv/bin/pytest", Runner.PYTEST),
        ("python3 -W error -m unittest discover -s tests", Runner.UNITTEST),
        ("go test -race ./...", Runner.GO),
        ("npx --no-install jest", Runner.JEST),
        ("node_modules/.bin/vitest run", Runner.VITEST),
        ("cargo test --all-features", Runner.CARGO),
        ("make test", None),
        ("go vet ./...", None),
    ],
)
def test_a_command_names_its_framework(words: str, runner: Runner | None) -> None:
    assert runner_of(words.split()) is runner


def test_the_words_of_a_run_hold_the_wanted_tests_alone() -> None:
    go = RunSelection(
        (TestFile("a/x_test.go", ("TestX",)), TestFile("y_test.go")), {"y_test.go": {"TestY": 1, "TestZ": 4}}
    )
    files = RunSelection((TestFile("a.test.ts", ("adds",)),))
    rust = RunSelection((TestFile("src/a.rs", ("tests::half",)),))

    assert argv_for(Runner.GO, ("go", "test", "-tags", "slow", "./..."), go)[-6:] == (
        "-tags", "slow", "-run", "^(TestX|TestY|TestZ)$", ".", "./a",
    )  # fmt: skip
    assert argv_for(Runner.UNITTEST, ("python", "-m", "unittest", "discover"), files) == (
        "python", "-m", "vfcc_prove_unittest",
    )  # fmt: skip
    assert argv_for(Runner.JEST, ("jest",), files)[-2:] == ("--runTestsByPath", "a.test.ts")
    assert argv_for(Runner.VITEST, ("vitest",), files)[:2] == ("vitest", "--run")
    assert argv_for(Runner.CARGO, ("cargo", "test", "--", "--test-threads=1"), rust) == (
        "cargo", "test", "--no-fail-fast", "--", "--test-threads=1", "half",
    )  # fmt: skip


# Go


def events(*found: dict[str, str]) -> str:
    return "".join(json.dumps({"Package": "example.org/shop", **each}) + "\n" for each in found)


NARROWED = [
    (
        "pytest --rootdir tests tests -k fast",
        "python",
        "tests/test_a.py",
        "TestA::test_b",
        "pytest --rootdir tests -k fast tests/test_a.py::TestA::test_b",
    ),
    (".venv/bin/py.test tests/test_c.py", "python", "tests/test_a.py", "", ".venv/bin/py.test tests/test_a.py"),
    (
        "python -m unittest discover -s tests",
        "python",
        "tests/test_a.py",
        "TestA::test_b",
        "python -m unittest tests.test_a.TestA.test_b",
    ),
    ("go test -race ./...", "go", "a/b_test.go", "TestB", "go test -race ./a -run ^(TestB)$"),
    ("cargo test --workspace", "rust", "src/lib.rs", "tests::adds", "cargo test --workspace -- adds"),
    ("cargo test -- --nocapture", "rust", "src/lib.rs", "tests::adds", "cargo test -- --nocapture adds"),
    ("npx vitest run src", "typescript", "src/a.test.ts", "sum > adds", "npx vitest run src/a.test.ts -t ^(sum adds)$"),
    ("npx jest --ci", "javascript", "a.test.js", "adds", "npx jest --ci a.test.js -t ^(adds)$"),
]


@pytest.mark.parametrize(("words", "language", "path", "name", "expected"), NARROWED)
def test_a_projects_command_is_narrowed_to_tests(
    words: str, language: str, path: str, name: str, expected: str
) -> None:
    argv = words.split()
    runner = runner_of(argv)
    assert runner is not None

    [found] = narrowed(
        runner, argv, [AffectedTest(path, name, language, 1, 100, "")], {"tests", "src", "tests/test_c.py"}.__contains__
    )

    assert " ".join(found) == expected


def test_very_many_tests_run_by_their_files_and_those_of_other_languages_not_at_all() -> None:
    many = [
        AffectedTest("tests/test_a.py", f"test_{'x' * 50}_{number}", "python", 1, 100, "") for number in range(2000)
    ]
    assert sum(len(each.id) for each in many) > MOST_CHARACTERS

    assert narrowed(Runner.PYTEST, ["pytest"], many, lambda _: False) == [("pytest", "tests/test_a.py")]
    assert narrowed(Runner.GO, ["go", "test"], many[:1], lambda _: False) == []


def test_a_go_test_fails_by_what_it_wrote() -> None:
    report = events(
        {"Action": "output", "Test": "TestPrice", "Output": "=== RUN   TestPrice\n"},
        {"Action": "output", "Test": "TestPrice", "Output": "    price_test.go:7: got 2.5\n"},
        {"Action": "output", "Test": "TestPrice", "Output": "--- FAIL: TestPrice (0.00s)\n"},
        {"Action": "fail", "Test": "TestPrice"},
        {"Action": "fail", "Test": "TestPrice/sub"},
        {"Action": "pass", "Test": "TestOther"},
    )

    found = run(Runner.GO, report, chosen("price_test.go", TestPrice=5))

    assert found.outcomes == {
        "price_test.go::TestPrice": RunOutcome(
            OutcomeKind.FAILED, FailureCause.ASSERTION, "price_test.go:7: got 2.5", 5
        )
    }


def test_a_panic_of_go_is_an_exception() -> None:
    report = events(
        {"Action": "output", "Test": "TestPrice", "Output": "--- FAIL: TestPrice (0.00s)\n"},
        {"Action": "output", "Test": "TestPrice", "Output": "panic: runtime error: index out of range [recovered]\n"},
        {"Action": "fail", "Test": "TestPrice"},
    )

    [outcome] = run(Runner.GO, report, chosen("price_test.go", TestPrice=5)).outcomes.values()

    assert outcome.cause is FailureCause.EXCEPTION


PLAIN = """\
# example.org/shop [example.org/shop.test]
./price_test.go:14:5: undefined: Double
FAIL	example.org/shop [build failed]
"""
BUILD = "".join(
    json.dumps({"ImportPath": "example.org/shop [example.org/shop.test]", "Action": "build-output", "Output": line})
    + "\n"
    for line in PLAIN.splitlines(keepends=True)[:2]
)


@pytest.mark.parametrize("report", [PLAIN, BUILD], ids=["plain lines", "events of Go 1.24"])
def test_a_go_package_that_does_not_compile_lacks_a_name(report: str) -> None:
    found = run(Runner.GO, report, chosen("price_test.go", TestDouble=13))

    assert found.unloaded == {"price_test.go": RunOutcome(OutcomeKind.FAILED, FailureCause.NAME, "undefined: Double")}


def test_packages_of_go_are_told_apart_by_their_folders() -> None:
    report = "".join(
        json.dumps({"Action": "pass", "Package": package, "Test": "TestA"}) + "\n"
        for package in ("example.org/shop", "example.org/shop/tax")
    )
    both = RunSelection((TestFile("a_test.go", ("TestA",)), TestFile("tax/a_test.go", ("TestA",))))

    assert list(run(Runner.GO, report, both).outcomes) == ["a_test.go::TestA", "tax/a_test.go::TestA"]


def test_a_run_of_go_without_any_event_has_a_problem() -> None:
    found = run(
        Runner.GO, "go: go.mod file not found in current directory or any parent directory\n", chosen("a_test.go")
    )

    assert found.problem == (
        "the tests left no outcome (exit 1): go: go.mod file not found in current directory or any parent directory"
    )


# Jest and Vitest


def case(title: str, *messages: str, status: str = "failed") -> dict[str, object]:
    return {"ancestorTitles": ["price"], "title": title, "status": status, "failureMessages": list(messages)}


def javascript(*cases: dict[str, object], message: str = "") -> str:
    files = [{"name": "/t/src/price.test.ts", "status": "failed", "message": message, "assertionResults": list(cases)}]
    return json.dumps({"testResults": files})


@pytest.mark.parametrize(
    ("message", "product", "cause"),
    [
        (
            "Error: expect(received).toBe(expected)\n\n    at Object.toBe (src/price.test.ts:5:24)",
            "",
            FailureCause.ASSERTION,
        ),
        ("AssertionError: expected '2.5' to be '2.50'\n    at src/price.test.ts:6:4", "", FailureCause.ASSERTION),
        ("TypeError: (0 , price_1.twice) is not a function\n    at src/price.test.ts:15:10", "", FailureCause.NAME),
        (
            "TypeError: x.split is not a function\n    at price (src/price.ts:3:4)",
            "src/price.ts",
            FailureCause.EXCEPTION,
        ),
        (
            "ReferenceError: twice is not defined\n    at Object.<anonymous> (src/price.test.ts:1:2)",
            "",
            FailureCause.NAME,
        ),
        ("RangeError: too large\n    at src/price.test.ts:1:2", "", FailureCause.EXCEPTION),
        (
            "TypeError: Cannot read properties of undefined (reading 'a')\n    at src/price.test.ts:1:2",
            "",
            FailureCause.NAME,
        ),
    ],
)
def test_a_failure_of_javascript_has_the_cause_of_its_exception(
    message: str, product: str, cause: FailureCause
) -> None:
    report = javascript(case("is in euros", message))

    found = run(Runner.VITEST, report, RunSelection((TestFile("src/price.test.ts"),)), product=product)

    assert {test: each.cause for test, each in found.outcomes.items()} == {
        "src/price.test.ts::price > is in euros": cause
    }


def test_of_a_javascript_file_the_wanted_titles_count() -> None:
    report = javascript(case("is text for 1"), case("is text for 2"), case("other", status="passed"))
    selection = RunSelection(
        (TestFile("src/price.test.ts", ("is text for %i",)),), {"src/price.test.ts": {"is text for %i": 8}}
    )

    found = run(Runner.JEST, report, selection)

    assert [(test.rpartition(" > ")[2], each.line) for test, each in found.outcomes.items()] == [
        ("is text for 1", 8),
        ("is text for 2", 8),
    ]


def test_a_javascript_file_that_cannot_be_loaded_is_no_failed_test() -> None:
    report = javascript(
        message="  ● Test suite failed to run\n\n    Cannot find module './double' from 'price.test.ts'"
    )

    found = run(Runner.JEST, report, RunSelection((TestFile("src/price.test.ts"),)))

    assert [(each.cause, each.message) for each in found.unloaded.values()] == [
        (FailureCause.NAME, "Cannot find module './double' from 'price.test.ts'")
    ]


def test_titles_in_comments_and_strings_are_no_tests() -> None:
    text = '// it("one", () => {});\nconst a = `it("two")`;\nit.each([1])("three %i", (n) => {\n  f(")");\n});\n'

    assert [(each.name, each.first, each.last) for each in title_units(text)] == [("three %i", 3, 5)]


# Comments


@pytest.mark.parametrize(
    ("path", "before", "after", "same"),
    [
        ("a.go", "f() // nolint: errcheck\n", "f() //nolint: errcheck\n", True),
        ("a.go", "//go:build linux\n", "//go:build darwin\n", False),
        ("a.ts", "/* one\n two */\nf();\n", "f();\n", True),
        ("a.ts", "f('// one');\n", "f('// two');\n", False),
        ("a.rs", "f(); // one\n", "g(); // one\n", False),
    ],
)
def test_a_change_of_comments_alone_changes_no_product(path: str, before: str, after: str, same: bool) -> None:
    found = split([FileChange(path, before.encode(), after.encode())], [path], PartRules(), units_of)

    assert (found.nothing == "only comments, types or layout of the product changed") is same


def test_a_test_whose_comments_alone_change_is_not_altered() -> None:
    before = b"def test_a():\n    f(1)  # one\n\n\ndef test_b():\n    f(2)\n"
    after = before.replace(b"# one", b"# 1").replace(b"f(2)", b"f(3)")
    changed = [FileChange("a.py", b"a = 1\n", b"a = 2\n"), FileChange("test_a.py", before, after)]

    assert split(changed, ["a.py", "test_a.py"], PartRules(), units_of).tests == (TestFile("test_a.py", ("test_b",)),)


# Cargo


CARGO = """\
   Compiling shop v0.1.0 (/tree)
     Running unittests src/lib.rs (/target/debug/deps/shop-507999230d6984fa)

running 2 tests
test tests::a_fifth ... ok
test price::tests::euros ... FAILED

failures:

---- price::tests::euros stdout ----

thread 'price::tests::euros' (9058) panicked at src/price.rs:5:5:
assertion `left == right` failed
  left: "2.5"
 right: "2.50"

failures:
    price::tests::euros

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.11s

     Running tests/all.rs (/target/debug/deps/all-a4367f2b92ac64c6)

running 1 test
test whole ... ignored
"""


def test_cargo_tests_are_found_by_target_and_module() -> None:
    selection = RunSelection(
        (
            TestFile("src/lib.rs", ("tests::a_fifth",)),
            TestFile("src/price.rs", ("tests::euros",)),
            TestFile("tests/all.rs", ("whole",)),
        )
    )

    found = run(Runner.CARGO, CARGO, selection, code=101)

    assert {test: str(each.result) for test, each in found.outcomes.items()} == {
        "src/lib.rs::tests::a_fifth": "passed",
        "src/price.rs::tests::euros": "failed",
        "tests/all.rs::whole": "skipped",
    }
    assert found.outcomes["src/price.rs::tests::euros"].message == (
        'assertion `left == right` failed left: "2.5" right: "2.50"'
    )


def test_rust_tests_that_do_not_compile_lack_a_name() -> None:
    missing = "error[E0425]: cannot find function `double` in this scope\n --> src/lib.rs:9:9\n"
    report = f"{missing}error: could not compile `shop`"

    found = run(Runner.CARGO, report, chosen("src/lib.rs", **{"tests::a": 3}), code=101)

    assert found.unloaded["src/lib.rs"].cause is FailureCause.NAME


RUST = b"""\
pub fn tax(c: u32) -> u32 {
    c / 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifth() {
        assert_eq!(tax(10), 2);
    }
}
"""


def test_tests_inside_a_rust_file_are_kept_when_its_product_is_put_back() -> None:
    after = RUST.replace(b"c / 5", b"c / 4").replace(b"tax(10), 2", b"tax(20), 5")

    found = split([FileChange("src/lib.rs", RUST, after)], ["src/lib.rs"], PartRules(), units_of)

    assert found.tests == (TestFile("src/lib.rs", ("tests::fifth",)),)
    assert [(each.before, each.mixed) for each in found.product] == [(after.replace(b"c / 4", b"c / 5"), True)]
    assert [(each.new, each.last) for each in found.hunks] == [(2, 2)]


def test_a_rust_file_whose_tests_alone_change_is_no_product_change() -> None:
    found = split(
        [FileChange("src/lib.rs", RUST, RUST.replace(b"tax(10)", b"tax(11)"))], ["src/lib.rs"], PartRules(), units_of
    )

    assert found.nothing == "no product file changed"
    assert not inline_lines("src/a.rs", b"fn a() {}\n")
    assert with_tests_of("src/a.py", b"a = 1\n", b"a = 2\n") == b"a = 1\n"


def test_tests_are_known_by_the_words_of_their_language() -> None:
    go = b"package a\nfunc TestA(t *testing.T) {}\nfunc Testing() {}\nfunc ExampleA() {}\nfunc (s *S) TestM() {}\n"

    assert lines_of_tests("a_test.go", go) == {"TestA": 2, "ExampleA": 4}
    assert lines_of_tests("src/lib.rs", RUST) == {"tests::fifth": 9}
    assert lines_of_tests("a.test.ts", b'test("a", () => {});\nfunction testing() {}\n') == {"a": 1}
