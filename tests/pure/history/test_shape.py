"""The event that a hook's words make: what is in it, what is cut, and what never gets in."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.secret_forms import FORMS
from tests.secret_samples import PASSWORD, SAMPLES, TOKEN
from verifflowcc.base.text.canonical import digest_bytes, digest_text
from verifflowcc.base.text.secrets import withhold
from verifflowcc.history.rules.event_shape import BEGINNING, KINDS, digest_of, event_of, line_of, moment

AT, NAME = "2026-11-21T12:00:00.000Z", "01J00000000000000000000000"
HEAD = {"v": 1, "id": NAME, "time": AT, "client": "claude", "gen_ai.conversation.id": "s1", "task": "p1"}


def event(hook: str, client: str = "claude", **said: object) -> dict[str, Any]:
    told = {"hook_event_name": hook, "session_id": "s1", "prompt_id": "p1", "cwd": "/p", **said}
    made = event_of(told, client, "/p", AT, NAME, withhold)
    assert made is not None
    return made


def ran(tool: str = "Bash", response: object = None, hook: str = "PostToolUse", **more: Any) -> dict[str, Any]:
    given = more.pop("given", {})
    return event(hook, tool_name=tool, tool_input=given, tool_response=response, tool_use_id="t1", **more)


@pytest.mark.parametrize(
    ("hook", "said", "expected"),
    [
        ("SessionStart", {"source": "startup"}, {"kind": "session_start", "source": "startup"}),
        ("UserPromptSubmit", {"prompt": "Do it."}, {"kind": "prompt", "description": "Do it."}),
        (
            "UserPromptSubmit",
            {"prompt": "<task-notification>x"},
            {"kind": "agent_prompt", "description": "<task-notification>x"},
        ),
        (
            "PreToolUse",
            {"tool_name": "Read", "tool_use_id": "t1", "tool_input": {"file_path": "a"}},
            {"kind": "tool_start", "gen_ai.tool.name": "Read", "gen_ai.tool.call.id": "t1"},
        ),
        ("Stop", {"last_assistant_message": "Done.\n\nMore."}, {"kind": "turn_end", "outcome": "Done."}),
        (
            "SubagentStart",
            {"agent_id": "a1", "agent_type": "x"},
            {"kind": "subagent_start", "gen_ai.agent.id": "a1", "gen_ai.agent.name": "x"},
        ),
        (
            "SubagentStop",
            {"agent_type": "x", "last_assistant_message": "Ok."},
            {"kind": "subagent_end", "gen_ai.agent.name": "x", "outcome": "Ok."},
        ),
        ("PreCompact", {"trigger": "auto"}, {"kind": "compaction_start", "trigger": "auto"}),
        (
            "PostCompact",
            {"trigger": "auto", "compact_summary": "All."},
            {"kind": "compaction_end", "trigger": "auto", "outcome": "All."},
        ),
        ("SessionEnd", {"reason": "other"}, {"kind": "session_end", "reason": "other"}),
    ],
)
def test_each_event_of_a_client_has_a_shape(hook: str, said: dict[str, Any], expected: dict[str, object]) -> None:
    assert event(hook, **said) == HEAD | expected


@pytest.mark.vfcc("REQ-EPISODE-TOOLS", "REQ-EPISODE-FILES")
def test_a_tool_execution_has_opentelemetrys_names_and_a_reduced_result() -> None:
    text = "one\ntwo\n" * 100
    made = ran("Read", {"type": "text", "file": {"content": text}}, given={"file_path": "/p/a.py"}, duration_ms=4.7)

    assert made == HEAD | {
        "kind": "tool_execution",
        "gen_ai.tool.name": "Read",
        "gen_ai.tool.call.id": "t1",
        "gen_ai.tool.call.arguments": {"file_path": "/p/a.py"},
        "gen_ai.tool.call.result": {
            "size": 800,
            "digest": digest_of(text),
            "start": f"{text[:BEGINNING]}… (800 characters)",
        },
        "success": True,
        "duration_ms": 4,
        "files": [{"path": "a.py", "operation": "read"}],
    }


@pytest.mark.vfcc("REQ-EPISODE-TOOLS")
@pytest.mark.parametrize(
    ("more", "success", "error"),
    [
        ({"response": {"stdout": "ok", "stderr": "warned", "interrupted": False}}, True, None),
        ({"hook": "PostToolUseFailure", "error": "Exit code 2"}, False, "Exit code 2"),
        ({"hook": "PostToolUseFailure"}, False, "failed"),
        ({"response": {"interrupted": True}}, False, "interrupted"),
        ({"response": {"success": False, "error": "no"}}, False, "no"),
        ({"response": {"is_error": True}}, False, "failed"),
        ({"response": {"exit_code": 3, "stderr": "bad"}}, False, "exit code 3\nbad"),
        ({"response": {"exit_code": 0}}, True, None),
        ({"client": "codex", "response": "text alone"}, None, None),
        ({"client": "codex", "tool": "apply_patch", "response": "text"}, True, None),
    ],
)
def test_whether_it_went_well_is_told_where_it_is_known(more: dict[str, Any], success: object, error: object) -> None:
    made = ran(**more)

    assert (made["success"], made.get("error.message")) == (success, error)


@pytest.mark.vfcc("REQ-NOT-TRACKED")
def test_whole_files_answers_and_reasoning_are_not_recorded() -> None:
    body = "".join(f"line {number}\n" for number in range(2_000))
    tail = body[-100:]
    patch = f"*** Begin Patch\n*** Add File: a\n{body}*** End Patch"
    made = [
        ran("Write", {"content": body, "originalFile": body}, given={"file_path": "a", "content": body}),
        ran("Edit", {"oldString": body}, given={"file_path": "a", "old_string": body, "new_string": body}),
        ran("MultiEdit", body, given={"edits": [{"old_string": body, "new_string": body}]}),
        ran("apply_patch", "ok", given={"command": patch}),
        ran("apply_patch", "ok", given={"input": patch}),
        ran("Bash", {"stdout": body}, given={"command": f"cat > a <<'EOF'\n{body}EOF"}),
        ran("mcp__x__y", [{"type": "text", "text": body}], given={"text": body, "deep": [{"x": body}]}),
        event("Stop", last_assistant_message=body, thinking=body, reasoning=body),
        event("SubagentStop", last_assistant_message=body),
        event("PostCompact", compact_summary=body),
        event("UserPromptSubmit", prompt=body, transcript=body),
    ]

    for each in made:
        text = json.dumps(each)
        assert json.dumps(tail)[1:-1] not in text
        assert all(len(found) <= 600 for found in _texts(each)), each["kind"]
    assert "line 30\\n" not in json.dumps(made[5]), "what is fed to a program is the content of a file, too"


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for key, each in value.items() for text in (key, *_texts(each))]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


def _everywhere(text: str) -> list[dict[str, Any]]:
    given = {"command": text, "content": text, "other": text, "deep": {"list": [text]}, text: "value"}
    return [
        ran(given=given, response={"stdout": text, "stderr": text}),
        ran("Write", text, given={"file_path": text, "content": text}),
        ran("Bash", None, given={"command": f"grep -rn --include '*.py' '{text}' src"}),
        ran("x", text, given=text),
        ran(hook="PostToolUseFailure", error=text),
        ran(response={"exit_code": 1, "stderr": text}),
        event("UserPromptSubmit", prompt=text),
        event("Stop", last_assistant_message=text),
        event("PostCompact", compact_summary=text),
    ]


@pytest.mark.vfcc("REQ-NOT-TRACKED")
@pytest.mark.parametrize("kind", SAMPLES)
def test_no_secret_gets_in(kind: str) -> None:
    secret, name = SAMPLES[kind], FORMS[kind].name
    for made in _everywhere(f"Take\n{name and name + '='}{secret}\nas you know."):
        assert secret not in json.dumps(made, ensure_ascii=False).replace("\\n", "\n"), made


@pytest.mark.vfcc("REQ-NOT-TRACKED")
@settings(deadline=None, max_examples=60)
@given(st.sampled_from([200, 500, 2000]), st.integers(0, len(TOKEN)))
def test_a_secret_that_straddles_the_cut_does_not_get_in_by_halves(cut: int, before: int) -> None:
    for text in (f"{'x ' * cut}"[: cut - before - 1] + f" {TOKEN} and more " + "y " * 600,):
        for made in _everywhere(text):
            kept = json.dumps(made)
            assert TOKEN[:12] not in kept
            assert TOKEN[8:24] not in kept


@pytest.mark.vfcc("REQ-NOT-TRACKED")
@pytest.mark.parametrize("name", ["password", "API_KEY", "client_secret"])
def test_a_name_beside_a_value_tells_of_a_secret(name: str) -> None:
    for words in ({name: PASSWORD}, {"env": {name: PASSWORD}}, {name: [PASSWORD]}, {"command": f"{name}={PASSWORD} x"}):
        assert PASSWORD not in json.dumps(ran(given=words))


@pytest.mark.vfcc("REQ-NOT-TRACKED")
def test_why_a_call_was_denied_tells_no_secret() -> None:
    said = {"hook_event_name": "PreToolUse", "tool_name": "Edit"}
    line = line_of(said, "claude", "/p", 0, bytes(10), {"denied": f"may not edit {TOKEN}", "role": "coder"})

    assert line is not None
    assert TOKEN not in line.decode()
    assert json.loads(line)["role"] == "coder"


@pytest.mark.vfcc("REQ-NOT-TRACKED")
@pytest.mark.parametrize(
    "command", [f"grep -rn --include '*.py' {TOKEN} src", f"cat {TOKEN}", f"echo x > /tmp/{TOKEN}"]
)
def test_what_a_command_says_where_a_path_would_stand_tells_no_secret(command: str) -> None:
    made = ran(given={"command": command})

    assert made["files"]
    assert TOKEN not in json.dumps(made)


@pytest.mark.parametrize(
    ("duration", "expected"),
    [(4.9, 4), (-3, 0), (float("inf"), None), (float("nan"), None), (True, None), ("9", None), (10**400, None)],
)
def test_a_duration_is_whole_milliseconds_or_left_out(duration: object, expected: int | None) -> None:
    assert ran(duration_ms=duration).get("duration_ms") == expected


def test_what_is_no_path_is_no_file() -> None:
    made = ran(given={"command": "cat 'a\nb' good.py " + "x" * 2_000})

    assert [each["path"] for each in made["files"]] == ["good.py"]


def test_ids_that_are_no_names_are_left_out() -> None:
    made = event("SessionStart", session_id="a\nb", source="x" * 500, model="\x1b[31m")

    assert made["gen_ai.conversation.id"] == ""
    assert made["source"] == "x" * BEGINNING
    assert "model" not in made


def test_what_is_of_no_kind_is_no_event() -> None:
    for hook in ("Notification", "", 7, None):
        assert event_of({"hook_event_name": hook}, "claude", "/p", AT, NAME, withhold) is None


FIELDS = st.sampled_from(
    "session_id prompt_id prompt tool_name tool_input tool_response error duration_ms cwd source agent_id "
    "last_assistant_message command file_path edits structuredPatch file content stdout exit_code".split()
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


@settings(deadline=None, max_examples=300)
@given(st.sampled_from([*KINDS, "Other"]), st.dictionaries(FIELDS, VALUES), st.sampled_from(["claude", "codex"]))
def test_any_object_makes_a_line_that_reads_back_or_none(hook: str, said: dict[str, Any], client: str) -> None:
    line = line_of({**said, "hook_event_name": hook}, client, "/p", 1_700_000_000_123, bytes(10), {})

    if hook == "Other":
        assert line is None
        return
    assert line is not None
    assert line.count(b"\n") == 1
    value = json.loads(line)
    assert (value["v"], value["time"]) == (1, "2023-11-14T22:13:20.123Z")
    assert len(line) < 100_000


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 253_402_300_799_999))
def test_a_moment_is_what_datetime_says(milliseconds: int) -> None:
    there = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)

    assert moment(milliseconds) == there.isoformat(timespec="milliseconds").replace("+00:00", "Z")


PLAN = ".memory/stage/login/plan/artifacts/plan.md"


def written(tool: str, given: dict[str, Any], files: dict[str, bytes], hook: str = "PostToolUse") -> dict[str, str]:
    """The digests by path that the line of a call has, where the project holds `files`."""
    said = {"hook_event_name": hook, "tool_name": tool, "tool_input": given, "tool_response": {}, "cwd": "/p"}
    line = line_of(said, "claude", "/p", 0, bytes(10), {}, files.get)
    assert line is not None
    return {each["path"]: each["digest"] for each in json.loads(line).get("files", ()) if "digest" in each}


@pytest.mark.parametrize("path", ["src/a.py", PLAN])
def test_an_edit_has_the_digest_of_the_file_after_it_as_a_gate_computes_it(path: str) -> None:
    edit = {"file_path": f"/p/{path}", "old_string": "x", "new_string": "y"}

    assert written("Edit", edit, {path: b"one\r\ntwo\n"}) == {path: digest_text("one\ntwo\n")}
    assert written("Edit", edit, {path: b"\0one\r\n"}) == {path: digest_bytes(b"\0one\r\n")}
    assert written("Write", {"file_path": f"/p/{path}", "content": "y"}, {path: b"y"}) == {path: digest_text("y")}
    assert written("Bash", {"command": f"echo y > {path}"}, {path: b"y\n"}) == {path: digest_text("y\n")}


def test_what_is_read_and_what_is_no_part_of_a_review_has_no_digest() -> None:
    files = dict.fromkeys(("src/a.py", ".memory/config.yaml", ".git/config", "/etc/hosts"), b"x")

    assert written("Read", {"file_path": "/p/src/a.py"}, files) == {}
    assert written("Write", {"file_path": "/p/src/a.py"}, files, "PostToolUseFailure") == {}
    assert written("Write", {"file_path": "/p/src/gone.py"}, files) == {}
    for path in ("/p/.memory/config.yaml", "/p/.git/config", "/etc/hosts"):
        assert written("Write", {"file_path": path, "content": "x"}, files) == {}
