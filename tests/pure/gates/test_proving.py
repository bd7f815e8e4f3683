"""The pure parts of a proof: hunks, which files are tests, which tests are altered, causes, names kept, verdicts."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verifflowcc.gates.rules.change_parts import FileChange, split
from verifflowcc.gates.rules.hunks import LineHunk, TestFile, TestUnit, altered_tests, hunks_of, put_back
from verifflowcc.gates.rules.names_kept import names_kept, same_code, same_without
from verifflowcc.gates.rules.project_parts import PartRules, ProjectPart, part_of
from verifflowcc.gates.rules.proof_verdicts import ProofVerdict, judge_change, judge_tests
from verifflowcc.gates.rules.run_outcomes import FailureCause, OutcomeKind, RunOutcome, RunResult, cause_of, summed
from verifflowcc.gates.rules.runner_settings import PytestSettings, pytest_settings
from verifflowcc.gates.rules.runners import read_lines

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "\x0c", "é", ""]), max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines).encode(), "\n".join((*lines, "")).encode(), b""])
)


# Hunks


@given(TEXTS, TEXTS)
def test_a_content_with_all_hunks_put_back_is_the_one_before(before: bytes, after: bytes) -> None:
    hunks = hunks_of("a", before, after)

    assert put_back(after, hunks) == before
    assert put_back(after, ()) == after


@given(TEXTS, TEXTS, st.randoms())
def test_hunks_put_back_one_after_the_other_are_independent(before: bytes, after: bytes, random: object) -> None:
    hunks = hunks_of("a", before, after)

    assert put_back(after, hunks[::-1]) == put_back(after, hunks)
    assert all(put_back(after, [each]) != after for each in hunks)


def test_a_binary_file_has_no_hunks() -> None:
    assert hunks_of("a", b"\0", b"a\n") == ()


# Parts


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("tests/test_a.py", ProjectPart.TESTS),
        ("src/pkg/tests/test_a.py", ProjectPart.TESTS),
        ("test_a.py", ProjectPart.TESTS),
        ("tests/helpers.py", ProjectPart.SUPPORT),
        ("tests/conftest.py", ProjectPart.SUPPORT),
        ("conftest.py", ProjectPart.SUPPORT),
        ("tests/data/a.json", ProjectPart.SUPPORT),
        ("django/test/client.py", ProjectPart.PRODUCT),
        ("click/testing.py", ProjectPart.PRODUCT),
        ("test/test_a.py", ProjectPart.TESTS),
        ("pkg/a_test.go", ProjectPart.TESTS),
        ("pkg/testdata/a.txt", ProjectPart.SUPPORT),
        ("src/a.test.ts", ProjectPart.TESTS),
        ("src/__tests__/a.tsx", ProjectPart.TESTS),
        ("src/__snapshots__/a.snap", ProjectPart.SUPPORT),
        ("spec/a_spec.rb", ProjectPart.TESTS),
        ("src/test/java/ATest.java", ProjectPart.TESTS),
        ("src/a.py", ProjectPart.PRODUCT),
        ("src/templates/a.html", ProjectPart.PRODUCT),
        ("docs/conf.py", ProjectPart.OTHER),
        ("doc/conf.py", ProjectPart.OTHER),
        ("doc/man_docs.go", ProjectPart.PRODUCT),
        ("docs/example.go", ProjectPart.OTHER),
        ("README.md", ProjectPart.OTHER),
        ("pyproject.toml", ProjectPart.OTHER),
        (".github/workflows/a.yml", ProjectPart.OTHER),
    ],
)
def test_a_file_is_a_test_by_the_conventions_of_its_language(path: str, part: ProjectPart) -> None:
    assert part_of(path, PartRules(packages=frozenset({"django", "django/test", "click"}))) is part


def test_the_settings_of_pytest_and_of_a_person_name_tests_too() -> None:
    settings = pytest_settings({"pyproject.toml": '[tool.pytest.ini_options]\npython_files = ["check_*.py"]\n'})

    assert part_of("check_a.py", PartRules(settings)) is ProjectPart.TESTS
    assert part_of("test_a.py", PartRules(settings)) is ProjectPart.PRODUCT
    assert part_of("qa/a.py", PartRules(extra=("qa/**",))) is ProjectPart.TESTS


def test_a_file_in_a_folder_that_pytest_does_not_look_into_holds_no_tests() -> None:
    rules = PartRules(pytest_settings({"pytest.ini": "[pytest]\nnorecursedirs = .git tests/typed slow*\n"}))

    assert part_of("tests/typed/test_a.py", rules) is ProjectPart.SUPPORT
    assert part_of("tests/slow_ones/test_a.py", rules) is ProjectPart.SUPPORT
    assert part_of("tests/unit/test_a.py", rules) is ProjectPart.TESTS


def test_settings_are_read_from_the_first_file_that_has_them() -> None:
    texts = {"setup.cfg": "[tool:pytest]\ntestpaths = tests qa\n", "pytest.ini": "[pytest]\ntestpaths = unit_tests\n"}

    assert pytest_settings(texts).folders == ("unit_tests",)
    assert pytest_settings({"setup.cfg": texts["setup.cfg"]}).folders == ("tests",)
    assert pytest_settings({"pyproject.toml": "not [ toml"}) == PytestSettings()


# Tests that are altered


def unit(name: str, first: int, last: int, *, words: str = "", is_test: bool = True) -> TestUnit:
    return TestUnit(name, name.rpartition("::")[2], first, last, is_test, frozenset(words.split()))


def test_a_helper_counts_for_the_tests_that_reach_it() -> None:
    units = [
        unit("CASES", 1, 2, is_test=False),
        unit("cases", 3, 5, words="CASES", is_test=False),
        unit("test_a", 6, 8, words="cases"),
        unit("test_b", 9, 11, words="other"),
    ]

    assert altered_tests(units, [LineHunk("t", 2, ("x\n",), 2, ("y\n",))]) == ("test_a",)


def test_a_removed_assertion_alters_its_test_and_a_removed_test_none() -> None:
    units = [unit("test_a", 1, 4), unit("test_b", 6, 8)]

    assert altered_tests(units, [LineHunk("t", 3, ("    assert a\n",), 3, ())]) == ("test_a",)
    assert altered_tests(units, [LineHunk("t", 5, ("def test_gone(): ...\n",), 5, ())]) == ()


def test_a_new_test_file_is_run_whole() -> None:
    changed = [FileChange("a.py", b"A = 1\n", b"A = 2\n"), FileChange("test_a.py", None, b"def test_a(): ...\n")]

    parts = split(changed, ["a.py", "test_a.py"], PartRules(), lambda path, content: ())

    assert parts.tests == (TestFile("test_a.py"),)
    assert [hunk.path for hunk in parts.hunks] == ["a.py"]


def test_a_fixture_that_changes_has_the_tests_beside_it_run() -> None:
    changed = [FileChange("a.py", b"A = 1\n", b"A = 2\n"), FileChange("tests/b/data/x.json", b"1", b"2")]
    present = ["tests/test_far.py", "tests/b/test_near.py", "a.py"]

    parts = split(changed, present, PartRules(), lambda path, content: ())

    assert parts.tests == (TestFile("tests/b/test_near.py"),)


# Causes and verdicts


@pytest.mark.parametrize(
    ("kinds", "message", "in_product", "cause"),
    [
        (["AssertionError", "Exception"], "assert 1 == 2", False, FailureCause.ASSERTION),
        (["Failed", "Exception"], "DID NOT RAISE <class 'ValueError'>", False, FailureCause.ASSERTION),
        (["ModuleNotFoundError", "ImportError"], "No module named 'a'", True, FailureCause.NAME),
        (["AttributeError"], "'A' object has no attribute 'b'", False, FailureCause.NAME),
        (["AttributeError"], "'str' object has no attribute 'b'", True, FailureCause.EXCEPTION),
        (["AttributeError"], "'NoneType' object has no attribute 'b'", False, FailureCause.EXCEPTION),
        (["TypeError"], "f() got an unexpected keyword argument 'b'", False, FailureCause.NAME),
        (["TypeError"], "f() got an unexpected keyword argument 'b'", True, FailureCause.EXCEPTION),
        (["UnboundLocalError", "NameError"], "cannot access local variable 'a'", False, FailureCause.EXCEPTION),
        (["ValueError"], "bad", False, FailureCause.EXCEPTION),
    ],
)
def test_a_failure_by_a_missing_name_is_told_from_one_of_behaviour(
    kinds: list[str], message: str, in_product: bool, cause: FailureCause
) -> None:
    assert cause_of(kinds, message, in_product=in_product) is cause


PASSED, FAILED = RunOutcome(OutcomeKind.PASSED), RunOutcome(OutcomeKind.FAILED, FailureCause.ASSERTION, "assert 1 == 2")
UNNAMED = RunOutcome(OutcomeKind.FAILED, FailureCause.NAME, "no attribute")
SKIPPED = RunOutcome(OutcomeKind.SKIPPED)


@pytest.mark.parametrize(
    ("present", "absent", "verdict"),
    [
        (PASSED, FAILED, ProofVerdict.PROVEN),
        (PASSED, PASSED, ProofVerdict.NOT_DISCRIMINATING),
        (PASSED, UNNAMED, ProofVerdict.INCONCLUSIVE),
        (PASSED, SKIPPED, ProofVerdict.INCONCLUSIVE),
        (SKIPPED, PASSED, ProofVerdict.INCONCLUSIVE),
        (FAILED, PASSED, ProofVerdict.BROKEN),
        (FAILED, FAILED, ProofVerdict.BROKEN),
    ],
)
def test_a_test_is_proven_only_where_it_passes_with_the_change_and_fails_without_it(
    present: RunOutcome, absent: RunOutcome, verdict: ProofVerdict
) -> None:
    [found] = judge_tests(RunResult({"a.py::test_a": present}), RunResult({"a.py::test_a": absent}))

    assert found.verdict is verdict


def test_a_name_that_a_module_looks_up_itself_is_a_missing_name() -> None:
    assert cause_of(["AttributeError", "Exception"], "version_option", in_product=True) is FailureCause.NAME


def test_a_test_without_a_result_is_never_proven() -> None:
    [found] = judge_tests(RunResult({"a.py::test_a": PASSED}), RunResult())

    assert found.verdict is ProofVerdict.INCONCLUSIVE


def test_cases_that_have_the_time_in_their_names_are_compared_in_their_order() -> None:
    present = RunResult({"a.py::test_a[1]": PASSED, "a.py::test_a[14:15:11]": PASSED, "a.py::test_b[x]": PASSED})
    absent = RunResult({"a.py::test_a[1]": PASSED, "a.py::test_a[14:15:12]": FAILED})

    found = {each.test: each.verdict for each in judge_tests(present, absent)}

    assert found == {"a.py::test_a": ProofVerdict.PROVEN, "a.py::test_b": ProofVerdict.INCONCLUSIVE}


def test_a_test_that_fails_with_the_change_outweighs_one_that_proves_it() -> None:
    tests = judge_tests(
        RunResult({"a.py::test_a": PASSED, "a.py::test_b": FAILED}),
        RunResult({"a.py::test_a": FAILED, "a.py::test_b": FAILED}),
    )

    assert judge_change(tests) is ProofVerdict.BROKEN
    assert judge_change(()) is ProofVerdict.NOTHING


def test_a_failing_teardown_makes_a_test_fail() -> None:
    assert summed([PASSED, PASSED, FAILED]) is FAILED
    assert summed([UNNAMED, FAILED]) is FAILED


def test_a_report_that_breaks_off_is_a_problem() -> None:
    line = '{"at": "call", "id": "a.py::test_a", "outcome": "passed"}'

    assert read_lines(line, is_product=lambda path: False).problem
    assert not read_lines(f'{line}\n{{"at": "end"}}', is_product=lambda path: False).problem
    assert read_lines("not json\n{", is_product=lambda path: False).outcomes == {}


# Names kept

OLD = b"""\
import os

LIMIT = 3


class Shop:
    def price(self, cents):
        '''In euros.'''
        return cents / 100


def helper(a):
    return a
"""
NEW = b"""\
import os
import sys

LIMIT = 4


class Shop:
    def price(self, cents, *, sign=""):
        '''In euros, with a sign.'''
        return sign + str(cents / 100)

    def tax(self, cents):
        return cents // 5


def each(items):
    for item in items:
        yield item * LIMIT
"""


def test_names_of_after_get_the_behaviour_of_before() -> None:
    kept = names_kept(OLD, NEW)
    assert kept is not None
    space: dict[str, object] = {}
    exec(kept.content, space)
    shop = space["Shop"]()  # type: ignore[operator]

    assert shop.price(250, sign="$") == 2.5
    assert shop.tax(100) is None
    assert list(space["each"]([1])) == []  # type: ignore[operator]
    assert space["LIMIT"] == 3
    assert space["helper"](1) == 1  # type: ignore[operator]
    assert kept.complete


def test_a_new_constant_stays_and_makes_names_kept_incomplete() -> None:
    kept = names_kept(b"def f():\n    return 1\n", b"RATE = 2\n\n\ndef f():\n    return RATE\n")

    assert kept is not None
    assert not kept.complete


@pytest.mark.parametrize(
    "after", [b"def f(:\n", b"def f():\n    return 1\n", b"RATE = 2\n\n\ndef f():\n    return 1\n"]
)
def test_names_are_not_kept_where_no_behaviour_can_be_put_back(after: bytes) -> None:
    assert names_kept(b"def f():\n    return 1\n", after) is None


@pytest.mark.parametrize(
    ("after", "same"),
    [
        (b"def f(a: int) -> int:\n    '''One.'''\n    return 1  # one\n", True),
        (b"from __future__ import annotations\nfrom typing import Any\n\ndef f(a):\n    return 1\n", True),
        (b"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import x\n", False),
        (b"def f(a=1):\n    return 1\n", False),
    ],
)
def test_comments_docstrings_and_types_are_no_code(after: bytes, same: bool) -> None:
    assert same_code(b"def f(a):\n    return 1\n", after) is same


STATEMENTS = st.sampled_from(
    (
        "A = 1\n",
        "A = 1  # one\n",
        "A = (\n    1,\n)\n",
        "\n",
        '"""text"""\n',
        '"""text\n',
        "@wrap\ndef f(a):\n    return 1\n",
        "def f(a: int) -> int:\n    'One.'\n    return 1\n",
        "    return 1\n",
        "from typing import Any\n",
        "class C:\n    'C.'\n    A = 1; B = 2\n",
        "A = 1; B = 2\n",
        "A = 1\r",
    )
)


@given(st.lists(STATEMENTS, max_size=4), st.lists(STATEMENTS, max_size=4))
@example(["A = 1\n"], ["A = 1\n", '"""text"""\n'])
def test_a_hunk_beside_its_statements_alone_is_judged_as_in_its_whole_file(old: list[str], new: list[str]) -> None:
    before, after = "".join(old).encode(), "".join(new).encode()

    for hunk in hunks_of("a.py", before, after):
        assert same_without(after, hunk) == same_code(after, put_back(after, [hunk]))
