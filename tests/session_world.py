"""Sessions of clients, written by hand in the form in which the clients write them."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from verifflowcc.base.formats.session_lines import CallLines, HookLine, Tokens, TokenSpending
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.claude_calls import ClaudeCalls
from verifflowcc.history.rules.codex_calls import CodexCalls

Row = dict[str, object]
SESSION = "0b1c6e0e-1111-4a6b-9c3d-000000000001"
THREAD = "01a20000-0000-7000-8000-000000000001"
BEGIN = datetime(2026, 11, 20, 23, 59, 50, tzinfo=UTC)


def moment(second: float) -> str:
    return f"{(BEGIN + timedelta(seconds=second)).isoformat(timespec='milliseconds')}".replace("+00:00", "Z")


def line(kind: str, second: float, content: object, **more: object) -> Row:
    """A line of a transcript of Claude Code; `uuid` is made of its second."""
    head: Row = {"type": kind, "sessionId": SESSION, "cwd": "/p", "uuid": f"u{second}", "timestamp": moment(second)}
    return head | {"message": {"role": kind, "content": content}} | more


def said(second: float, text: str, **more: object) -> Row:
    return line("user", second, text, promptId="p1", **more)


def answer(second: float, block: Row, name: str, output: int, reason: str | None = "tool_use", **more: object) -> Row:
    row = line("assistant", second, [block], **more)
    usage = {
        "input_tokens": 3,
        "output_tokens": output,
        "cache_read_input_tokens": 40,
        "cache_creation_input_tokens": 7,
    }
    row["message"] = {
        "role": "assistant",
        "id": name,
        "model": "m1",
        "content": [block],
        "stop_reason": reason,
        "usage": usage,
    }
    return row


def words(text: str) -> Row:
    return {"type": "text", "text": text}


def call(name: str, tool: str, **given: object) -> Row:
    return {"type": "tool_use", "id": name, "name": tool, "input": given}


def result(second: float, name: str, content: object, **more: object) -> Row:
    error = {"is_error": True} if more.pop("failed", False) else {}
    block = {"type": "tool_result", "tool_use_id": name, "content": content} | error
    return line("user", second, [block], promptId="p1", **more)


def cost(tokens: Tokens, model: str = "m1") -> Row:
    """What Claude Code writes at the end of a run: the session's tokens so far, by model."""
    counted = {
        "inputTokens": tokens.input,
        "outputTokens": tokens.output,
        "cacheReadInputTokens": tokens.cache_read,
        "cacheCreationInputTokens": tokens.cache_creation,
    }
    return {"type": "cost-state", "sessionId": SESSION, "modelUsage": {model: counted}}


def claude_session() -> list[Row]:
    """A session over midnight: a prompt, two calls in one message, one that fails, an answer, and its end."""
    return [
        {"type": "queue-operation", "operation": "enqueue", "timestamp": moment(0), "sessionId": SESSION},
        said(1, "Fix the test."),
        answer(2, {"type": "thinking", "thinking": "Hm."}, "m-1", 1, None),
        answer(3, call("c1", "Read", file_path="/p/a.py"), "m-1", 1, None),
        answer(4, call("c2", "Bash", command="make test"), "m-1", 60),
        result(6, "c1", "x = 1", toolUseResult={"type": "text", "file": {"filePath": "/p/a.py", "content": "x = 1"}}),
        result(12, "c2", "Exit code 2\nred", failed=True, toolUseResult="Error: Exit code 2\nred"),
        answer(13, words("It is red.\n\nMore."), "m-2", 20, "end_turn"),
        cost(Tokens(6, 80, 80, 14)),
    ]


def entry(second: float, kind: str, **payload: object) -> Row:
    """A line of a rollout of Codex."""
    return {"timestamp": moment(second), "type": kind, "payload": payload}


def counted(second: float, read: int, cached: int, output: int) -> Row:
    total = {
        "input_tokens": read,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "total_tokens": read + output,
    }
    return entry(second, "event_msg", type="token_count", info={"total_token_usage": total, "last_token_usage": total})


def codex_session() -> list[Row]:
    """A rollout: a prompt that is told twice, a command that fails, a patch, and an answer."""
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** End Patch\n"
    done = {"type": "CommandExecution", "id": "k1", "aggregated_output": "half\n", "exit_code": 3}
    return [
        entry(0, "session_meta", id=THREAD, session_id=THREAD, cwd="/p", timestamp=moment(0)),
        entry(1, "event_msg", type="task_started", turn_id="t1"),
        entry(1, "response_item", type="message", role="user", content=[{"text": "<environment_context>x"}]),
        entry(1, "turn_context", turn_id="t1", cwd="/p", model="g1"),
        entry(2, "response_item", type="message", role="user", content=[{"text": "Do it."}]),
        entry(2, "event_msg", type="item_completed", item={"type": "UserMessage", "content": [{"text": "Do it."}]}),
        entry(
            3, "response_item", type="function_call", name="exec_command", arguments='{"cmd": "false"}', call_id="k1"
        ),
        entry(4, "event_msg", type="item_completed", item=done | {"duration": {"secs": 1, "nanos": 5_000_000}}),
        entry(5, "response_item", type="function_call_output", call_id="k1", output="Chunk ID: 1\nOutput:\nhalf\n"),
        counted(6, 100, 30, 10),
        entry(7, "response_item", type="custom_tool_call", name="apply_patch", input=patch, call_id="k2"),
        entry(8, "response_item", type="custom_tool_call_output", call_id="k2", output="Exit code: 0\nOutput:\nOK\n"),
        counted(9, 100, 30, 10),
        counted(10, 350, 130, 25),
        entry(11, "event_msg", type="task_complete", turn_id="t1", last_agent_message="Done."),
    ]


def as_lines(rows: Iterable[Row]) -> list[bytes]:
    return [json.dumps(row).encode() + b"\n" for row in rows]


def heard(rows: Iterable[Row], reader: ClaudeCalls | CodexCalls | None = None) -> list[HookLine | TokenSpending]:
    return list((reader or ClaudeCalls(SESSION)).read(CallLines("x.jsonl", as_lines(rows))))


def hooks(heard: Iterable[HookLine | TokenSpending]) -> list[str]:
    return [each.words["hook_event_name"] for each in heard if isinstance(each, HookLine)]


def of_hook(heard: Iterable[HookLine | TokenSpending], hook: str) -> list[HookLine]:
    return [each for each in heard if isinstance(each, HookLine) and each.words["hook_event_name"] == hook]


def tokens(heard: Iterable[HookLine | TokenSpending]) -> Tokens:
    return sum((each.tokens for each in heard if isinstance(each, TokenSpending)), Tokens())


def write_session(folder: Path, rows: Iterable[Row], name: str = f"{SESSION}.jsonl", place: str = "") -> Path:
    """Write a session's file; `/p`, where the rows play, becomes `place`."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = b"".join(as_lines(rows))
    path.write_bytes(text.replace(b'"/p"', json.dumps(place).encode()).replace(b'"/p/', f'"{place}/'.encode()))
    return path


def project(folder: Path) -> Workspace:
    (folder / ".memory").mkdir(parents=True)
    (folder / ".memory" / "config.yaml").write_text("format: 1\n", encoding="utf-8")
    return Workspace(folder)


def events(here: Workspace) -> Iterator[dict[str, object]]:
    """The events of all days, in the order of the days."""
    for path in sorted((here.local / "history").glob("*.jsonl")):
        for text in path.read_text(encoding="ascii").splitlines():
            event = json.loads(text)
            assert isinstance(event, dict)
            assert str(event["time"]).startswith(path.stem)
            yield event
