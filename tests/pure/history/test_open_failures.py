"""A failure is open until its test passes, under whatever command line; what cannot be known is not claimed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.window_world import NOW, ago, words
from verifflowcc.base.text.secrets import withhold
from verifflowcc.history.rules.event_shape import event_of
from verifflowcc.history.rules.failures import open_failures
from verifflowcc.history.rules.session_brief import brief_of, window_of
from verifflowcc.history.rules.test_report import report_of

Event = dict[str, Any]
FAILED = "Exit code 1\n" + "=" * 600 + "\nFAILED tests/a.py::b - assert 3 == 2\n1 failed in 0.12s\n"
TWO_FAILED = "FAILED tests/a.py::b - assert 3 == 2\nFAILED tests/a.py::c - no\n2 failed, 9 passed in 0.1s\n"
PASSED = "." * 600 + "\n9 passed in 0.12s\n"


def run(command: str, output: str, *, ok: bool = True, client: str = "claude", cwd: str = "/p") -> Event:
    """The event of a shell command, as hooks record it."""
    answer = {"tool_response": {"stdout": output}} if ok else {"error": output}
    hook = "PostToolUse" if ok else "PostToolUseFailure"
    given = {"tool_name": "Bash", "tool_input": {"command": command}}
    said = {"hook_event_name": hook, "session_id": "s", "cwd": cwd, **given, **answer}
    event = event_of(said, client, "/p", ago(9), "", withhold)
    assert event is not None
    return event


def session(*events: Event) -> list[Event]:
    """The same events, one minute after the other."""
    last = len(events)
    return [{**each, "id": f"e{number:02}", "time": ago(last - number)} for number, each in enumerate(events)]


def brief(*events: Event) -> str:
    """The facts about failures after a compaction."""
    found = session(*events)
    return brief_of(window_of(found, NOW, words), 1000, NOW, words, open_failures(found))


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "python -m pytest",
        "pytest tests",
        "pytest tests/a.py",
        "cd tests && pytest a.py::b",
        "uv run pytest -q",
    ],
)
def test_a_test_that_passes_under_another_command_line_is_no_open_failure(command: str) -> None:
    assert brief(run("pytest tests/a.py::b", FAILED, ok=False), run(command, PASSED)).count("Failed") == 0


@pytest.mark.parametrize(
    "command", ["make test", "npm test", "tox", "./ci.sh", "python -m pytest -k b", "git commit -m x"]
)
def test_a_run_that_may_have_passed_the_test_leaves_no_certain_failure(command: str) -> None:
    text = brief(run("pytest tests/a.py::b", FAILED, ok=False), run(command, PASSED))

    assert "Failed, and not passed since" not in text
    assert "Failed when it was last run so; another run since may have passed it:\n- tests/a.py::b (" in text
    assert "in `Bash pytest tests/a.py::b`): assert 3 == 2" in text


@pytest.mark.parametrize("command", ["pytest tests/z.py", "cat a.py | head", "ruff check", "go test ./..."])
def test_a_run_of_other_tests_leaves_the_failure_certain(command: str) -> None:
    text = brief(run("pytest tests/a.py::b", FAILED, ok=False), run(command, PASSED))

    assert "Failed, and not passed since:\n- tests/a.py::b (" in text


def test_of_two_failed_tests_the_one_that_still_fails_is_open() -> None:
    later = run("pytest -q", "FAILED tests/a.py::c - no\n1 failed, 10 passed in 0.1s\n", ok=False)

    (left,) = open_failures(session(run("pytest", TWO_FAILED, ok=False), later))

    assert (left.label, left.error, left.certain, len(left.ids)) == ("tests/a.py::c", "no", True, 2)


def test_a_run_that_stopped_at_a_failure_passes_nothing() -> None:
    later = run("pytest -x", "FAILED tests/a.py::a - no\n1 failed in 0.1s\n", ok=False)

    found = open_failures(session(run("pytest tests/a.py::b", FAILED, ok=False), later))

    assert {each.label: each.certain for each in found} == {"tests/a.py::a": True, "tests/a.py::b": False}


def test_failed_tests_behind_a_pipe_are_failures_though_the_exit_code_is_good() -> None:
    (found,) = open_failures(session(run("pytest -q | tail -40", TWO_FAILED.splitlines()[0] + "\n1 failed in 1s\n")))

    assert found.label == "tests/a.py::b"


def test_a_pipe_whose_output_shows_no_outcome_passes_nothing_for_certain() -> None:
    piped = run("pytest -q | grep -c xyz", "0")

    (found,) = open_failures(session(run("pytest -q", FAILED, ok=False), piped))

    assert found.certain is False


def test_deselected_tests_are_not_taken_for_passed() -> None:
    later = run("pytest -q", "3 passed, 4 deselected in 0.1s")

    (found,) = open_failures(session(run("pytest tests/a.py::b", FAILED, ok=False), later))

    assert found.certain is False


def test_tests_of_a_folder_below_are_named_from_the_root() -> None:
    inner = run("pytest a.py", FAILED.replace("tests/a.py", "a.py"), ok=False, cwd="/p/tests")

    (found,) = open_failures(session(inner))

    assert found.label == "tests/a.py::b"
    assert open_failures(session(inner, run("pytest tests/a.py", PASSED))) == ()


def test_a_failed_edit_is_over_when_the_file_is_written() -> None:
    words_of = {"hook_event_name": "PostToolUseFailure", "tool_name": "Edit", "error": "String to replace not found"}
    failed = event_of({**words_of, "tool_input": {"file_path": "/p/a.py"}}, "claude", "/p", ago(1), "", withhold)
    wrote = {"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_response": {}}
    done = event_of(
        {**wrote, "tool_input": {"file_path": "/p/a.py", "content": "x"}}, "claude", "/p", ago(1), "", withhold
    )
    assert failed
    assert done

    assert [each.label for each in open_failures(session(failed))] == ["Edit a.py"]
    assert open_failures(session(failed, done)) == ()


REPORTS = {
    "..F\nFAILED tests/a.py::c[x - y] - assert 1\n1 failed, 2 passed in 0.12s\n": (
        "pytest",
        2,
        1,
        ["tests/a.py::c[x - y]"],
    ),
    "===== 1 failed, 2 passed, 3 deselected, 1 warning in 0.12s =====": ("pytest", 2, 1, []),
    "ERROR tests/c.py - ImportError: x\n1 error in 0.1s": ("pytest", 0, 1, ["tests/c.py"]),
    "5 passed in 61.2s (0:01:01)": ("pytest", 5, 0, []),
    "FAIL: test_b (tests.a.B.test_b)\n--\nRan 3 tests in 0.001s\n\nFAILED (failures=1)": (
        "unittest",
        2,
        1,
        ["tests.a.B.test_b"],
    ),
    "Ran 3 tests in 0.001s\n\nOK (skipped=1)": ("unittest", 3, 0, []),
    "FAIL src/a.test.ts\n  ● s › n\nTests:       1 failed, 3 passed, 4 total": ("jest", 3, 1, ["src/a.test.ts"]),
    " FAIL  src/a.test.ts > s > n\n      Tests  1 failed | 3 passed (4)\n": ("vitest", 3, 1, ["src/a.test.ts"]),
    "--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tex.com/p\t0.1s\nok  \tex.com/q\t0.2s\nFAIL\n": (
        "go",
        1,
        1,
        ["ex.com/p TestX"],
    ),
    "ok  \tex.com/q\t(cached)\n": ("go", 1, 0, []),
    "test a::b ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; finished in 0.00s": (
        "cargo",
        1,
        1,
        ["a::b"],
    ),
}


@pytest.mark.parametrize("output", REPORTS)
def test_outcomes_are_read_from_a_runners_summary(output: str) -> None:
    report = report_of(f"much before\n{output}", withhold)

    assert report is not None
    failing = [each["test"] for each in report.get("failing", [])]
    assert (report["runner"], report["passed"], report["failed"], failing) == REPORTS[output]


@pytest.mark.parametrize(
    "output", ["", "all fine, 3 passed the gate in time", "1 failed attempt", "OK", "Tests are good"]
)
def test_an_output_without_a_summary_has_no_outcome(output: str) -> None:
    assert report_of(output, withhold) is None


NAMES = [f"tests/{file}.py::{test}" for file in "ab" for test in "xyz"]
TARGETS = ["", "tests", "tests/a.py", "tests/b.py", *NAMES]


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(st.sampled_from(TARGETS), st.sets(st.sampled_from(NAMES), max_size=3)), min_size=1, max_size=6)
)
def test_what_is_claimed_as_not_passed_never_passed_after_it_failed(runs: list[tuple[str, set[str]]]) -> None:
    """Each run has a target and the tests that are broken then; the truth is replayed beside the record."""
    events: list[Event] = []
    state: dict[str, bool] = {}
    for target, broken in runs:
        ran = [name for name in NAMES if not target or name.startswith(target)]
        bad = [name for name in ran if name in broken]
        lines = [f"FAILED {name} - no" for name in bad]
        counts = f"{len(bad)} failed, {len(ran) - len(bad)} passed" if bad else f"{len(ran)} passed"
        events.append(run(f"pytest {target}".strip(), "\n".join([*lines, f"{counts} in 0.1s"]), ok=not bad))
        state |= {name: name in broken for name in ran}

    found = open_failures(session(*events))

    assert {each.label for each in found if each.certain} == {name for name, failing in state.items() if failing}
    assert all(each.certain for each in found)
