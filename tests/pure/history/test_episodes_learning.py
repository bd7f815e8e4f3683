"""What is learnt from calls by rule: fixes, renames, what a session showed; what a task was for; errors alike."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.history.rules.agent_history import CoEdit, Intent, LearnedPattern
from verifflowcc.history.rules.learning import (
    FIXED_WITHIN_MS,
    error_fixes,
    intent_of,
    learnings,
    patterns,
    renamed,
    renames,
)
from verifflowcc.history.rules.learnt_calls import LONGEST, ToolCall, signature_of

ERROR = "KeyError: 'user'"


def call(at_ms: int, *, session: str = "s", task: str | None = "t", **more: Any) -> ToolCall:
    tool = str(more.pop("tool", "Bash"))
    success, error = more.pop("success", True), str(more.pop("error", ""))
    changed = more.pop("changed", ())
    assert isinstance(changed, tuple)
    assert success is None or isinstance(success, bool)
    return ToolCall(
        session, task, at_ms, f"2026-11-21T00:00:{at_ms:02}", tool, json.dumps(more), success,
        signature_of(error), error, changed,
    )  # fmt: skip


def failed(at_ms: int, command: str = "pytest", **more: Any) -> ToolCall:
    return call(at_ms, command=command, success=False, error=ERROR, **more)


def passed(at_ms: int, command: str = "pytest", **more: Any) -> ToolCall:
    return call(at_ms, command=command, **more)


def edited(at_ms: int, *paths: str, **more: Any) -> ToolCall:
    return call(at_ms, tool="Edit", changed=paths, **more)


def fixes(*calls: ToolCall) -> list[tuple[tuple[str, ...], int, int]]:
    return [(each.files, each.count, each.confidence) for each in error_fixes(calls)]


@pytest.mark.vfcc("REQ-PATTERN-FIX")
def test_an_error_and_the_change_after_which_it_was_gone_are_learnt() -> None:
    (found,) = error_fixes([failed(1), edited(2, "src/b.py"), edited(3, "src/a.py"), passed(4)])

    assert isinstance(found, LearnedPattern)
    assert (found.type, found.files, found.count, found.confidence) == ("error_fix", ("src/a.py", "src/b.py"), 1, 500)
    assert found.sentence == f"`pytest` failed with “{ERROR}”; it passed after src/a.py, src/b.py changed"
    assert dict(found.details) == {"signature": "keyerror: ?", "command": "pytest"}
    assert (found.first_seen, found.last_seen) == ("2026-11-21T00:00:01",) * 2


@pytest.mark.vfcc("REQ-PATTERN-FIX")
def test_the_same_fix_again_is_one_pattern_that_is_surer() -> None:
    once = [failed(1), edited(2, "a"), passed(3)]
    again = [failed(4), edited(5, "a"), passed(6)]

    assert fixes(*once, *again) == [(("a",), 2, 666)]


@pytest.mark.parametrize(
    "calls",
    [
        [failed(1), passed(2)],
        [failed(1), edited(2, "a"), passed(3, "make")],
        [failed(1), edited(2, "a"), passed(3, session="other")],
        [failed(1), edited(2, "a"), passed(1 + FIXED_WITHIN_MS + 1)],
        [edited(1, "a"), failed(2), passed(3)],
        [failed(1), edited(2, "a"), failed(3)],
        [failed(1), edited(2, "a"), call(3, command="pytest", success=None)],
    ],
    ids=["nothing changed", "another command", "another session", "too late", "before", "still", "nobody knows"],
)
def test_what_mended_nothing_is_no_fix(calls: list[ToolCall]) -> None:
    assert fixes(*calls) == []


def swap(
    at_ms: int, path: str, task: str | None = "t", old: str = "total(count)", new: str = "total(size)"
) -> ToolCall:
    return call(at_ms, tool="Edit", changed=(path,), task=task, old_string=old, new_string=new)


@pytest.mark.vfcc("REQ-PATTERN-REFACTOR")
def test_a_rename_and_the_changes_of_its_uses_are_learnt() -> None:
    (found,) = renames([swap(1, "b.py"), swap(2, "a.py", old="x = count", new="x = size"), swap(3, "b.py")])

    assert (found.type, found.key, found.files, found.count) == ("refactor", "count -> size", ("a.py", "b.py"), 3)
    assert found.sentence == "count was renamed to size: 3 edits in 2 files, b.py first"
    assert dict(found.details) == {"old": "count", "new": "size"}


@pytest.mark.parametrize(
    "calls",
    [
        [swap(1, "a"), swap(2, "b")],
        [swap(1, "a"), swap(2, "a"), swap(3, "a")],
        [swap(1, "a"), swap(2, "b"), swap(3, "b", task="u")],
        [swap(at, path, task=None) for at, path in enumerate("abc")],
        [swap(at, path, new="total(size, 1)") for at, path in enumerate("abc")],
        [swap(at, path, old="a = 1", new="a = 2") for at, path in enumerate("abc")],
    ],
    ids=["too few", "one file", "two tasks", "no task", "more than a name", "no name"],
)
def test_other_changes_are_no_rename(calls: list[ToolCall]) -> None:
    assert list(renames(calls)) == []


@settings(deadline=None, max_examples=100)
@given(st.text("ab_ =(),.\n", max_size=30))
def test_renaming_each_use_is_seen_as_the_rename_that_it_is(code: str) -> None:
    found = renamed(f"{code} old_name {code}", f"{code} new_name {code}")

    assert found == ("old_name", "new_name")
    assert renamed(code, code) is None


@pytest.mark.vfcc("REQ-EPISODE-PATTERNS")
def test_patterns_come_by_type_with_the_most_seen_first() -> None:
    pair = CoEdit(("a.py", "b.py"), 4, 2, "2026-11-01", "2026-11-02")
    calls = [failed(1), edited(2, "a.py"), passed(3), swap(4, "a.py"), swap(5, "b.py"), swap(6, "c.py")]

    found = patterns(calls, [CoEdit(("c", "d"), 3, 1, "x", "y"), pair])

    assert [(each.type, each.count) for each in found] == [
        ("co_edit", 4), ("co_edit", 3), ("error_fix", 1), ("refactor", 3)
    ]  # fmt: skip
    assert found[0].sentence == "a.py and b.py are changed together: 4 times in 2 tasks"
    assert (found[0].confidence, found[0].first_seen, found[0].last_seen) == (800, "2026-11-01", "2026-11-02")
    assert all(0 < each.confidence < 1000 for each in found)


@pytest.mark.vfcc("REQ-EPISODE-LEARNINGS")
def test_a_session_shows_purposes_errors_and_how_it_is_checked() -> None:
    calls = [
        *(edited(1, "src/a.py"), passed(2), failed(3), edited(4, "src/a.py", "/etc/x"), failed(5), passed(6, "ls")),
        *(edited(7, "src/a.py", task="u"), edited(8, "b.py", success=False), passed(9)),
    ]

    found = learnings("s", calls, {"t": "Fix the login", "u": "Other"})

    assert [(each.type, each.subject, each.confidence, each.sentence) for each in found] == [
        ("file_purpose", "src/a.py", 500, "src/a.py was changed for: Fix the login"),
        ("common_error", "keyerror: ?", 666, f"pytest failed 2 times with “{ERROR}”"),
        ("workflow", "pytest", 750, "after changes, `pytest` was run 3 times"),
    ]
    assert {each.session for each in found} == {"s"}


@pytest.mark.vfcc("REQ-EPISODE-INTENTS")
@pytest.mark.parametrize(
    ("text", "edited", "expected"),
    [
        ("Fix the login", False, Intent.PROJECT_FIXING),
        ("Add a test for the crash", True, Intent.PROJECT_FIXING),
        ("Add a page", False, Intent.CODE_WRITING),
        ("Rename size to count", False, Intent.CODE_WRITING),
        ("Explain how to add a page", False, Intent.CODE_READING),
        ("Where is the parser?", False, Intent.PROJECT_EXPLORATION),
        ("go on", True, Intent.CODE_WRITING),
        ("go on", False, Intent.CODE_READING),
        ("", False, Intent.CODE_READING),
        ("prefix addition", False, Intent.CODE_READING),
    ],
)
def test_the_words_of_a_task_tell_what_it_is_for(text: str, *, edited: bool, expected: Intent) -> None:
    assert intent_of(text, edited=edited) is expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a.py:12: error: Name 'x' is not defined", "lib/b.py:7: error: Name 'total' is not defined"),
        ("KeyError: 'user_17'", "Traceback (most recent call last):\n  File 'x'\nKeyError: 'user_18'\n"),
        ("Error at 0x7f00: id 0123456789abcdef", "error at 0x8e11: id fedcba9876543210"),
        ("Connection refused: 10.0.0.1:80", "Connection refused: 10.0.0.2:81"),
    ],
)
def test_errors_of_one_cause_have_one_signature(one: str, other: str) -> None:
    assert signature_of(one) == signature_of(other) != ""


def test_errors_of_other_causes_have_other_signatures() -> None:
    assert len({signature_of(each) for each in ("KeyError: 'a'", "ValueError: 'a'", "not found", "")}) == 4


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=300))
def test_a_signature_is_one_short_line_of_small_letters(error: str) -> None:
    found = signature_of(error)

    assert len(found) <= LONGEST
    assert "\n" not in found
    assert not any(letter in "0123456789" for letter in found)
