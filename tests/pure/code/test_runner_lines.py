"""Command lines that run some tests and no others."""

import pytest

from verifflowcc.code.rules.affected_tests import commands_for
from verifflowcc.code.rules.code_views import AffectedTest


def affected(path: str, name: str, language: str) -> AffectedTest:
    return AffectedTest(path, name, language, 1, 95, "uses it")


@pytest.mark.parametrize(
    ("test", "runner", "line"),
    [
        (("tests/test_a.py", "TestA::test_b", "python"), None, "pytest tests/test_a.py::TestA::test_b"),
        (("tests/test_a.py", "TestA::test_b", "python"), "unittest", "python -m unittest tests.test_a.TestA.test_b"),
        (("a/b_test.go", "TestB", "go"), None, "go test ./a -run '^(TestB)$'"),
        (
            ("a.test.ts", "cart > adds 1 (x)", "typescript"),
            None,
            r"npx vitest run a.test.ts -t '^(cart adds 1 \(x\))$'",
        ),
        (("a.test.ts", "", "typescript"), "jest", "npx jest a.test.ts"),
        (("src/lib.rs", "tests::adds", "rust"), None, "cargo test -- adds"),
        (("src/ATest.java", "ATest.adds", "java"), None, "mvn test '-Dtest=ATest#adds'"),
        (("spec/a_spec.rb", "", "ruby"), None, "rspec spec/a_spec.rb"),
        (("a.test.ts", "", "typescript"), "paths", "a.test.ts"),
    ],
)
def test_a_command_runs_just_the_test(test: tuple[str, str, str], runner: str | None, line: str) -> None:
    assert [each.command for each in commands_for([affected(*test)], runner)] == [line]


def test_a_whole_file_replaces_its_single_tests() -> None:
    tests = [affected("t.py", "test_a", "python"), affected("t.py", "", "python"), affected("u.py", "test_b", "python")]

    assert commands_for(tests)[0].command == "pytest t.py u.py::test_b"
