"""A transcript of Claude Code, told as hooks tell it."""

import pytest

from tests.session_world import (
    SESSION,
    answer,
    as_lines,
    call,
    claude_session,
    cost,
    heard,
    hooks,
    line,
    of_hook,
    result,
    said,
    tokens,
    words,
)
from verifflowcc.base.formats.session_lines import LONGEST, CallLines, HookLine, Tokens, TokenSpending
from verifflowcc.history.rules.claude_calls import SKIPPED, ClaudeCalls, Subagent

pytestmark = pytest.mark.vfcc("REQ-HISTORY-IMPORT")


def test_a_session_is_told_in_the_order_of_its_hooks() -> None:
    told = heard(claude_session())

    calls = ["PostToolUse", "PostToolUseFailure"]
    assert hooks(told) == ["SessionStart", "UserPromptSubmit", *calls, "Stop", "SessionEnd"]


def test_a_call_says_what_its_hook_says() -> None:
    read, failed = of_hook(told := heard(claude_session()), "PostToolUse"), of_hook(told, "PostToolUseFailure")

    assert dict(read[0].words) == {
        "hook_event_name": "PostToolUse",
        "session_id": SESSION,
        "cwd": "/p",
        "prompt_id": "p1",
        "tool_name": "Read",
        "tool_input": {"file_path": "/p/a.py"},
        "tool_use_id": "c1",
        "tool_response": {"type": "text", "file": {"filePath": "/p/a.py", "content": "x = 1"}},
        "duration_ms": 3000,
        "context_tokens": 50,
    }
    assert (failed[0].words["error"], failed[0].words["duration_ms"]) == ("Exit code 2\nred", 8000)


def test_a_message_of_several_lines_is_counted_once_with_its_last_number() -> None:
    told = heard(claude_session())

    spent = [each for each in told if isinstance(each, TokenSpending)]
    assert [(each.message, each.tokens, each.model, each.task) for each in spent] == [
        ("m-1", Tokens(3, 60, 40, 7), "m1", "p1"),
        ("m-2", Tokens(3, 20, 40, 7), "m1", "p1"),
    ]


def test_what_the_client_counts_beyond_the_messages_is_told_once() -> None:
    more = Tokens(1006, 280, 80, 14)
    told = heard([*claude_session()[:-1], cost(more), cost(more), said(20, "And?"), cost(more)])

    assert tokens(told) == more
    assert [each.tokens for each in told if isinstance(each, TokenSpending) and not each.message] == [Tokens(1000, 200)]


def test_a_model_that_is_counted_under_another_name_is_not_counted_twice() -> None:
    told = heard([*claude_session()[:-1], cost(Tokens(6, 80, 80, 14), "m1-20260101")])

    assert tokens(told) == Tokens(6, 80, 80, 14)


def test_what_subagents_spent_is_not_told_again() -> None:
    other = TokenSpending(0, "m-9", Tokens(100, 5), "m1", "m-9")
    told = heard([*claude_session()[:-1], cost(Tokens(106, 85, 80, 14))], ClaudeCalls(SESSION, others=[other]))

    assert tokens(told) == Tokens(6, 80, 80, 14)


def test_a_subagent_starts_and_stops_under_its_name() -> None:
    rows = [
        said(1, "Look.", isSidechain=True),
        answer(2, call("c1", "Grep", pattern="x"), "m-1", 5, isSidechain=True),
        result(3, "c1", "a.py", isSidechain=True),
        answer(4, words("Found."), "m-2", 5, "end_turn", isSidechain=True),
    ]
    told = heard(rows, ClaudeCalls(SESSION, agent=Subagent("a1", "Explore")))

    assert hooks(told) == ["SubagentStart", "PostToolUse", "SubagentStop"]
    assert {(each.words["agent_id"], each.words["agent_type"]) for each in told if isinstance(each, HookLine)} == {
        ("a1", "Explore")
    }
    assert of_hook(told, "PostToolUse")[0].words["tool_response"] == "a.py"


def test_only_what_a_person_typed_is_a_prompt() -> None:
    rows = [
        said(1, "<system-reminder>x</system-reminder>Go on."),
        said(2, "meta", isMeta=True),
        said(3, "<task-notification>x</task-notification>"),
        said(4, "side", isSidechain=True),
        said(5, "[Request interrupted by user]"),
        line("user", 6, [words("See:"), {"type": "image", "source": {}}]),
    ]

    prompts = of_hook(heard(rows), "UserPromptSubmit")
    assert [each.words["prompt"] for each in prompts] == ["Go on.", "See:"]


def test_an_error_of_the_api_is_neither_an_answer_nor_counted() -> None:
    told = heard([said(1, "Go."), answer(2, words("API Error"), "m-1", 9, "end_turn", isApiErrorMessage=True)])

    assert (hooks(told), tokens(told)) == (["SessionStart", "UserPromptSubmit"], Tokens())


def test_a_compaction_is_told_with_its_summary_and_what_began_it() -> None:
    boundary = line("system", 2, None, subtype="compact_boundary", compactMetadata={"trigger": "auto"})
    summary = "This session is being continued from before.\n\nWe fixed the test."
    told = heard([said(1, "Go."), boundary, said(2.5, summary, isCompactSummary=True)])

    compacted = of_hook(told, "PostCompact")[0].words
    assert (compacted["trigger"], compacted["compact_summary"]) == ("auto", "We fixed the test.")
    assert len(of_hook(told, "UserPromptSubmit")) == 1


def test_a_session_that_goes_on_after_its_end_is_resumed() -> None:
    told = heard([*claude_session(), said(100, "More.")])

    starts = of_hook(told, "SessionStart")
    assert [each.words["source"] for each in starts] == ["startup", "resume"]
    assert len(of_hook(told, "SessionEnd")) == 1
    end = of_hook(told, "SessionEnd")[0]
    assert starts[1].around[0] == end.at < end.around[1] == starts[1].at


def test_a_turn_ends_where_a_message_does_not_say_so_and_the_next_prompt_comes() -> None:
    rows = [
        said(1, "Go."),
        answer(2, words("First I look."), "m-1", 5, None),
        answer(3, call("c1", "Read", file_path="/p/a"), "m-1", 5, None),
        result(4, "c1", "x"),
        answer(5, words("Done."), "m-2", 5, None),
        said(6, "Next."),
    ]

    assert [each.words["last_assistant_message"] for each in of_hook(heard(rows), "Stop")] == ["Done."]


def test_words_before_a_call_end_no_turn() -> None:
    rows = [said(1, "Go."), answer(2, words("First I look."), "m-1", 5, "tool_use")]

    assert "Stop" not in hooks(heard(rows))


def test_a_call_without_an_answer_is_one_that_began() -> None:
    told = heard([said(1, "Go."), answer(2, call("c1", "Bash", command="sleep 9"), "m-1", 5)])

    assert [each.words["tool_use_id"] for each in of_hook(told, "PreToolUse")] == ["c1"]


def test_lines_that_another_session_has_are_left_out() -> None:
    reader = ClaudeCalls(SESSION, copied=lambda name: name != "u30")
    told = heard([*claude_session()[:-1], said(30, "Forked."), cost(Tokens(500, 500))], reader)

    assert hooks(told) == ["SessionStart", "UserPromptSubmit", "SessionEnd"]
    assert (of_hook(told, "SessionStart")[0].words["source"], tokens(told), reader.copies) == ("fork", Tokens(), 7)


def test_what_a_tool_says_of_its_time_goes_before_the_difference() -> None:
    rows = [
        answer(1, call("c1", "Grep", pattern="x"), "m-1", 5),
        result(3, "c1", "a", toolUseResult={"durationMs": 39, "filenames": ["a"]}),
    ]

    assert of_hook(heard(rows), "PostToolUse")[0].words["duration_ms"] == 39


def test_a_bad_line_is_a_note_with_its_place_and_costs_nothing_else() -> None:
    good = as_lines(claude_session())
    lines = CallLines("s.jsonl", [good[0], b"{oops\n", b"\xff\n", b"[1]\n", b"\n", *good[1:], b'{"type": "us'])
    told = list(ClaudeCalls(SESSION).read(lines))

    assert hooks(told) == hooks(heard(claude_session()))
    assert [note.partition(": ")[0] for note in lines.notes] == ["s.jsonl:2", "s.jsonl:3", "s.jsonl:4", "s.jsonl:14"]
    assert "not whole yet" in lines.notes[-1]


def test_many_bad_lines_are_counted_and_not_all_told() -> None:
    lines = CallLines("s.jsonl", [b"oops\n"] * 500)

    assert list(lines.rows()) == []
    assert len(lines.notes) == 21
    assert "500 lines in all" in lines.notes[-1]


def test_a_line_without_end_is_left_out_and_told() -> None:
    lines = CallLines("s.jsonl", [b"[" * LONGEST])

    assert list(lines.rows()) == []
    assert "longer than" in lines.notes[0]


def test_whole_requests_are_passed_over_unread() -> None:
    lines = CallLines("s.jsonl", [b'{"type":"api-request-blob", oops\n'], SKIPPED)

    assert (list(lines.rows()), lines.notes) == ([], [])


@pytest.mark.parametrize("row", [{}, {"type": "user"}, {"type": "assistant", "message": 3}, {"type": "cost-state"}])
def test_lines_of_any_form_are_borne(row: dict[str, object]) -> None:
    stamped = {"timestamp": "2026-11-20T10:00:00Z", "uuid": "x"}
    rows = [row, row | stamped, row | stamped | {"message": {"content": [1, None, {"type": "tool_use"}], "usage": []}}]

    assert tokens(heard(rows)) == Tokens()
