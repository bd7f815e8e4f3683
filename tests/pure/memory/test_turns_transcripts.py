"""Transcripts of agent clients and turns as lines of JSON: who speaks, what is left out, what is broken."""

import json
from collections.abc import Mapping

import pytest

from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.memory.rules.conversation import ConversationFormat, kind_of, read_turns
from verifflowcc.memory.rules.turns import OWN, Conversation, Speaker, voice_of_tool

Row = Mapping[str, object]


def lines(*rows: Row | str) -> bytes:
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows).encode()


def read(*rows: Row | str, kind: str | None = None, **more: str) -> Conversation:
    return read_turns(lines(*rows), "talk.jsonl", kind, **more)


def said(found: Conversation) -> list[tuple[str, str, str | None]]:
    return [(turn.speaker.value, turn.text, turn.tool) for turn in found.turns]


def claude(kind: str, content: object, **more: object) -> Row:
    number = more.pop("n", 0)
    base: dict[str, object] = {"type": kind, "sessionId": "s-1", "uuid": f"u-{kind}-{number}"}
    base |= {"timestamp": "2026-11-20T10:00:00.250Z", "message": {"role": kind, "content": content}}
    return base | more


def use(name: str, **asked: object) -> Row:
    return {"type": "tool_use", "id": "c1", "name": name, "input": asked}


def result(text: object, call: str = "c1") -> Row:
    return {"type": "tool_result", "tool_use_id": call, "content": text}


def test_claude_person_agent_and_tool_keep_their_voices() -> None:
    found = read(
        claude("user", "Use tabs."),
        claude("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Yes."}, use("Bash")]),
        claude("user", [result([{"type": "text", "text": "3 passed"}])], n=1),
    )
    assert said(found) == [("person", "Use tabs.", None), ("agent", "Yes.", None), ("tool", "3 passed", "Bash")]
    assert [turn.id for turn in found.turns] == ["u-user-0", "u-assistant-0/1", "c1"]
    assert {(turn.session, turn.at) for turn in found.turns} == {("s-1", "2026-11-20T10:00:00Z")}


@pytest.mark.parametrize(
    ("name", "asked", "voice"),
    [
        ("WebFetch", {"url": "https://x.org"}, Speaker.OUTSIDE),
        ("WebSearch", {"query": "tabs"}, Speaker.OUTSIDE),
        ("mcp__browser__open", {}, Speaker.OUTSIDE),
        ("mcp__tickets__get", {}, Speaker.OUTSIDE),
        ("Bash", {"command": "curl -s x.org | head"}, Speaker.OUTSIDE),
        ("Bash", {"command": "gh issue view 3"}, Speaker.OUTSIDE),
        ("Bash", {"command": "git log https://x.org/y"}, Speaker.OUTSIDE),
        ("Bash", {"command": "pytest -q"}, Speaker.TOOL),
        ("Read", {"file_path": "src/curl.py"}, Speaker.TOOL),
        ("Task", {"prompt": "look"}, Speaker.AGENT),
    ],
)
def test_what_a_tool_brings_from_elsewhere_is_outside(name: str, asked: dict[str, object], voice: Speaker) -> None:
    found = read(claude("assistant", [use(name, **asked)]), claude("user", [result("Words.")]))
    assert [turn.speaker for turn in found.turns] == [voice]


def test_an_answer_to_a_call_that_is_not_there_is_trusted_least() -> None:
    assert [turn.speaker for turn in read(claude("user", [result("Words.", "lost")])).turns] == [Speaker.OUTSIDE]


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Bash", '{"command": "vfcc memory list"}'),
        ("Bash", '{"command": "cd x && ./bin/vfcc context show"}'),
        ("Read", '{"file_path": "/p/.memory/project/items/fact/a.md"}'),
        ("mcp__vfcc__search", "{}"),
    ],
)
def test_what_vfcc_itself_says_is_known_as_such(name: str, asked: str) -> None:
    assert voice_of_tool(name, asked)[1] == OWN


def test_claude_lines_that_nobody_said_are_left_out() -> None:
    found = read(
        claude("user", "Caveat", isMeta=True),
        claude("user", "This session is being continued …", isCompactSummary=True),
        claude("user", "<command-name>/clear</command-name>\n<command-args></command-args>"),
        claude("user", "<local-command-stdout>out</local-command-stdout>"),
        claude("user", [{"type": "text", "text": "[Request interrupted by user]"}, {"type": "image", "source": {}}]),
        {"type": "system", "content": "x", "sessionId": "s-1"},
        {"type": "summary", "summary": "x", "leafUuid": "u"},
        {"type": "file-history-snapshot", "snapshot": {}},
        claude("user", "Use tabs.<system-reminder>\nAlways use spaces.\n</system-reminder>"),
    )
    assert said(found) == [("person", "Use tabs.", None)]


def test_in_a_subagents_lines_it_is_the_agent_that_asks() -> None:
    assert said(read(claude("user", "Find the bug.", isSidechain=True)))[0][0] == "agent"


def test_a_torn_last_line_waits_and_a_broken_one_is_a_problem() -> None:
    torn = read(claude("user", "a"), '{"type": "user", "mess'.rstrip())
    whole = read_turns(lines(claude("user", "a")) + b'{"type": "us', "talk.jsonl")
    broken = read(claude("user", "a"), "{nonsense", "[1]", claude("user", "b", n=1))

    assert torn.problems[0].startswith("talk.jsonl:2: this is no JSON")
    assert (whole.problems, len(whole.notes)) == ((), 1)
    assert [each.partition(" ")[0] for each in broken.problems] == ["talk.jsonl:2:", "talk.jsonl:3:"]
    assert [turn.text for turn in broken.turns] == ["a", "b"]


def codex(kind: str, **payload: object) -> Row:
    return {"timestamp": "2026-11-20T10:00:00Z", "type": kind, "payload": payload}


def message(role: str, text: str) -> Row:
    return codex("response_item", type="message", role=role, content=[{"type": "input_text", "text": text}])


META = codex("session_meta", id="r-1", cwd="/p", instructions="Always use spaces.")


def test_codex_messages_and_tools_keep_their_voices() -> None:
    found = read(
        META,
        message("developer", "<permissions>…"),
        message("user", "<environment_context>\n…</environment_context>"),
        message("user", "# AGENTS.md instructions for /p\n\nAlways use spaces."),
        message("user", "Use tabs."),
        codex("response_item", type="reasoning", summary=[{"text": "hm"}]),
        message("assistant", "Yes."),
        codex("response_item", type="function_call", name="shell", arguments='{"command":["make"]}', call_id="k1"),
        codex("response_item", type="function_call_output", call_id="k1", output='{"output":"3 passed","metadata":{}}'),
        codex("turn_context", cwd="/p"),
        codex("compacted", message="Summary: use spaces."),
    )
    assert said(found) == [("person", "Use tabs.", None), ("agent", "Yes.", None), ("tool", "3 passed", "shell")]
    assert {turn.session for turn in found.turns} == {"r-1"}


def test_codex_what_was_typed_is_read_once() -> None:
    found = read(META, message("user", "Use tabs."), codex("event_msg", type="user_message", message="Use tabs."))
    assert said(found) == [("person", "Use tabs.", None)]


def test_codex_sessions_that_an_agent_began_have_no_person() -> None:
    meta = codex("session_meta", id="r-2", source={"subagent": "review"})
    assert said(read(meta, message("user", "Look.")))[0][0] == "agent"


def test_codex_web_calls_are_outside() -> None:
    call = codex(
        "response_item", type="function_call", name="shell", arguments='{"command":["curl","x.org"]}', call_id="k"
    )
    answer = codex("response_item", type="function_call_output", call_id="k", output="Words.")
    assert said(read(META, call, answer)) == [("outside", "Words.", "shell")]


def test_lines_of_turns_keep_what_they_say() -> None:
    found = read(
        {"speaker": "You", "text": "Use tabs.", "at": "2026-11-20T12:00:00+02:00", "session": "s", "id": 7},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes."}], "session": "s"},
        {"role": "system", "content": "Be kind.", "session": "s"},
        {"role": "tool", "content": "page", "tool": "WebFetch", "session": "s"},
        {"role": "user", "content": "Good.", "name": "Other", "timestamp": 1795255200, "session": "t"},
    )
    assert [(turn.speaker.value, turn.name, turn.text) for turn in found.turns] == [
        ("person", "You", "Use tabs."),
        ("agent", "", "Yes."),
        ("outside", "", "page"),
        ("person", "Other", "Good."),
    ]
    first, *_, last = found.turns
    assert (first.id, first.session, first.at) == ("7", "s", "2026-11-20T10:00:00Z")
    assert (last.session, last.at) == ("t", "2026-11-21T10:00:00Z")


def test_an_agent_may_be_named_in_lines_too() -> None:
    found = read_turns(lines({"speaker": "Coder", "text": "a"}), "x.jsonl", agents=["CODER"])
    assert [turn.speaker for turn in found.turns] == [Speaker.AGENT]


@pytest.mark.parametrize("row", [{"text": "a"}, {"speaker": "You"}, {"speaker": 3, "text": "a"}])
def test_a_line_without_a_speaker_or_a_text_is_a_problem(row: Row) -> None:
    found = read(row, kind="jsonl")
    assert found.turns == ()
    assert "a turn needs `speaker` (or `role`) and `text` (or `content`)" in found.problems[0]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"You: Use tabs.", ConversationFormat.DIALOGUE),
        (b'{"role": "user", "content": "x"}', ConversationFormat.JSONL),
        (lines(claude("user", "x")), ConversationFormat.CLAUDE),
        (lines({"type": "summary", "summary": "x", "leafUuid": "u"}), ConversationFormat.CLAUDE),
        (lines(META), ConversationFormat.CODEX),
        (b"", ConversationFormat.DIALOGUE),
        (b"You: the config is\n\n{\n}\n", ConversationFormat.DIALOGUE),
        (b'\xef\xbb\xbf{"torn": ', ConversationFormat.JSONL),
    ],
)
def test_the_content_says_what_kind_it_is(data: bytes, kind: ConversationFormat) -> None:
    assert kind_of(data) is kind


def test_an_unknown_kind_and_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UsageError, match="there is no kind 'claud'") as refused:
        read_turns(b"", "x", "claud")
    assert refused.value.hint == "--kind claude"
    with pytest.raises(FormatError, match="x:1: this is no text"):
        read_turns(b"\x7fELF\0\0", "x")


def test_a_session_that_is_named_goes_before_all() -> None:
    for rows in (
        (claude("user", "a"),),
        (META, message("user", "a")),
        ({"role": "user", "content": "a", "session": "s"},),
    ):
        assert {turn.session for turn in read(*rows, session="mine").turns} == {"mine"}
