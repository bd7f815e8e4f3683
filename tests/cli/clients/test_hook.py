"""`vfcc hook`: it records, it answers, and whatever goes wrong, the agent goes on."""

import json
import os
import pty
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.cli.test_fast import AHEAD, LISTING
from tests.cli.hooked import PATIENCE_S, events, faults, hook, said
from tests.cli.process import VFCC, Ran, environment, vfcc
from tests.cli.trees import everything
from tests.secret_samples import TOKEN
from tests.tiers import count

pytestmark = pytest.mark.vfcc("REQ-EPISODE-HOOKS")

SLOW = {
    *("json", "dataclasses", "pathlib", "typing", "subprocess", "sqlite3", "yaml", "typer", "pydantic", "hashlib"),
    *("inspect", "logging", "datetime", "verifflowcc.cli", "verifflowcc.gates", "verifflowcc.prompt"),
    *(f"verifflowcc.{each}.use" for each in ("base", "sprint", "memory", "trace", "history", "clients")),
}
SILENT = Ran(0, "", "")
DONE = said("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response={"stdout": "a"})


@pytest.fixture
def ready(young: Path) -> Path:
    """A project whose snapshot for hooks stands: from now on `fast/` answers by itself."""
    done = hook_with(young, AHEAD, said("Stop"))
    assert (done.code, done.out) == (0, ""), done
    assert (young / ".memory/local/hook.json").exists()
    return young


def hook_with(folder: Path, program: str, words: dict[str, Any]) -> Ran:
    """Run the entry function within a program."""
    done = subprocess.run(
        [sys.executable, "-c", program, "hook", "claude"],
        cwd=folder,
        env=environment(folder.parent),
        input=json.dumps(words).encode(),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


RECORDED = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool_start",
    "PostToolUse": "tool_execution",
    "PostToolUseFailure": "tool_execution",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_end",
    "PreCompact": "compaction_start",
    "PostCompact": "compaction_end",
    "Stop": "turn_end",
    "SessionEnd": "session_end",
}


@pytest.mark.points(2)
@pytest.mark.parametrize("event", [*RECORDED, "Notification"])
def test_each_event_is_recorded_and_stops_nobody(ready: Path, event: str) -> None:
    words = said(event, tool_name="Read", tool_input={"file_path": "a.py"}, prompt="Do it.", error="bad")

    done = hook(ready, words)

    assert (done.code, done.err) == (0, "")
    assert faults(ready) == []
    kinds = [each["kind"] for each in events(ready)][1:]
    assert kinds[:1] == ([RECORDED[event]] if event in RECORDED else [])
    if done.out:
        assert event in ("SessionStart", "SubagentStart")
        assert json.loads(done.out)["hookSpecificOutput"]["hookEventName"] == event


def test_without_a_project_nothing_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    for words in (DONE, b"{", said("SessionStart", source="startup")):
        assert hook(tmp_path, words) == SILENT
    assert hook(tmp_path, DONE, "zebra") == SILENT
    assert everything(tmp_path) == {}


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe\x00rubbish",
        os.urandom(2000),
        b"[" * 100_000,
        b'{"a":1} {"b":2}',
        b"9" * 9000,
    ],
    ids=["nothing", "torn", "list", "null", "bytes", "random", "deep", "two", "number"],
)
def test_what_is_no_event_is_written_down_as_a_fault(young: Path, words: bytes) -> None:
    assert hook(young, words) == SILENT

    (fault,) = faults(young)
    assert fault["client"] == "claude"
    assert fault["error"].startswith("ValueError: ")
    assert events(young) == []


def test_an_event_of_five_megabytes_is_recorded_in_a_short_line(ready: Path) -> None:
    words = said(
        "PostToolUse",
        tool_name="Read",
        tool_input={"file_path": "a"},
        tool_response={"file": {"content": "é" * 2_500_000}},
    )

    assert hook(ready, words) == SILENT

    event = events(ready)[-1]
    assert event["gen_ai.tool.call.result"]["size"] == 2_500_000
    assert len(json.dumps(event)) < 5_000


@pytest.mark.parametrize(
    "words",
    [
        ("zebra",),
        (),
        ("claude", "Stop", "more"),
        ("claude", "--what"),
        ("--json",),
    ],
)
def test_words_that_nobody_understands_stop_no_agent(young: Path, words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [VFCC, "hook", *words], cwd=young, env=environment(young.parent), input=b"{}", capture_output=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (fault,) = faults(young)
    assert fault["error"].startswith("ValueError: vfcc hook takes a client (claude, codex, ")


def test_a_closed_stdin_is_a_fault(young: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" hook claude <&-', str(VFCC)],
        cwd=young,
        env=environment(young.parent),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(faults(young)) == 1


def test_at_a_terminal_somebody_is_told_what_it_is_for(young: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [VFCC, "hook", "claude"], cwd=young, env=environment(young.parent), stdin=theirs, capture_output=True,
            timeout=PATIENCE_S, check=False,
        )  # fmt: skip
    finally:
        os.close(ours)
        os.close(theirs)

    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == (
        b"vfcc hook is for an agent's client, which says on stdin what its agent does\nhint: vfcc integrate claude\n"
    )
    assert faults(young) == [], "who tries it at a terminal is no fault"


@pytest.mark.sweep
def test_a_stdin_that_never_ends_is_given_up(young: Path) -> None:
    process = subprocess.Popen(
        [VFCC, "hook", "claude"], cwd=young, env=environment(young.parent), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(b'{"hook_event_name"')
    process.stdin.flush()
    try:
        assert process.wait(PATIENCE_S) == 0
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read() + process.stderr.read() == b""
    finally:
        process.kill()
        process.communicate()
    assert faults(young)[0]["error"] == "ValueError: stdin did not end: nothing more came for 5 s"


@pytest.mark.sweep
@pytest.mark.parametrize("place", ["local", "local/history"])
def test_a_tree_that_cannot_be_written_stops_no_agent(young: Path, place: str) -> None:
    """A file stands where a folder should: not even root writes there."""
    path = young / ".memory" / place
    path.parent.mkdir(exist_ok=True)
    if path.is_dir():
        path.rename(young / "away")
    path.write_text("mine\n", encoding="utf-8")

    for words in (DONE, said("Stop"), b"{"):
        assert hook(young, words) == SILENT
    assert hook(young, said("SessionStart")).code == 0
    assert path.read_text("utf-8") == "mine\n"
    assert len(faults(young)) == (0 if place == "local" else 4)


@pytest.mark.sweep
@pytest.mark.parametrize("size_bytes", [0, 100])
def test_a_full_disk_stops_no_agent_and_costs_no_other_line(ready: Path, size_bytes: int) -> None:
    path = sorted((ready / ".memory/local/history").iterdir())[0]
    size = path.stat().st_size + size_bytes

    done = hook(ready, DONE, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))

    assert done == SILENT
    assert hook(ready, DONE) == SILENT
    lines = path.read_bytes().splitlines()
    assert [json.loads(lines[each])["kind"] for each in (0, -1)] == ["turn_end", "tool_execution"]
    assert len(lines) == (3 if size_bytes else 2)
    assert "no space" in faults(ready)[0]["error"] or "File too large" in faults(ready)[0]["error"]


def test_behind_a_link_nothing_is_written(young: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    local = young / ".memory/local"
    if local.exists():
        local.rename(tmp_path / "away")
    local.symlink_to(elsewhere)

    for words in (b"{", DONE):
        done = hook(young, words)
        assert (done.code, done.out, done.err) == (0, "", "")
    assert not (elsewhere / "history").exists()
    assert not (elsewhere / "hook-errors.jsonl").exists()


@pytest.mark.sweep
def test_a_broken_configuration_stops_no_agent_and_is_written_down(young: Path) -> None:
    (young / ".memory/config.yaml").write_text("format: [\n", encoding="utf-8")

    assert hook(young, DONE) == SILENT

    assert [each["kind"] for each in events(young)] == ["tool_execution"]
    assert "config.yaml" in faults(young)[0]["error"]


def test_what_goes_wrong_is_told_without_secrets(young: Path) -> None:
    assert hook(young, DONE, f"{'x ' * 200}{TOKEN}") == SILENT

    text = (young / ".memory/local/hook-errors.jsonl").read_text("utf-8")
    assert TOKEN[:12] not in text
    assert "ValueError" in text


@pytest.mark.sweep
def test_a_hook_that_records_imports_nothing_slow(ready: Path) -> None:
    assert hook_with(ready, AHEAD, said("UserPromptSubmit", prompt="Begin.")).out == ""  # leaves the notes
    for words in (
        DONE,
        said("UserPromptSubmit", prompt="Do it."),
        said("PreToolUse", tool_name="Bash", tool_input={"command": "cat a | head"}),
        said("Stop", last_assistant_message="Done."),
    ):
        done = hook_with(ready, LISTING, words)

        loaded = set(done.err.split())
        assert (done.code, done.out) == (0, "")
        assert not loaded & SLOW
        assert "verifflowcc.history.rules.event_shape" in loaded
    assert len(events(ready)) == 6


@pytest.mark.sweep
def test_a_project_is_found_from_below_and_by_what_the_client_says(ready: Path, tmp_path: Path) -> None:
    (ready / "src").mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    assert hook(ready / "src", DONE) == SILENT
    assert hook(elsewhere, DONE, env={"CLAUDE_PROJECT_DIR": str(ready)}) == SILENT
    assert hook(elsewhere, {**DONE, "cwd": str(ready / "src")}) == SILENT
    assert len(events(ready)) == 4


@pytest.mark.sweep
def test_a_denial_reaches_the_client_by_the_stages_table(example: Path) -> None:
    words = said("PreToolUse", tool_name="Edit", tool_input={"file_path": "src/x.py"}, cwd=str(example))

    answer = json.loads(hook(example, words, env={"VFCC_AGENT": "planner"}).out)["hookSpecificOutput"]

    assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", "deny")
    assert answer["permissionDecisionReason"].startswith("the role planner (stage coding) may not edit src/x.py")
    assert hook(example, words, env={"VFCC_AGENT": "../evil"}).code == 0


def test_the_record_is_closed_in_a_hook_that_the_snapshot_answers(ready: Path) -> None:
    words = said("PreToolUse", tool_name="Write", tool_input={"file_path": ".memory/x/../sprint/s/events/1.json"})

    answer = json.loads(hook(ready, {**words, "cwd": str(ready)}).out)["hookSpecificOutput"]

    assert answer["permissionDecision"] == "deny"


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EPISODE-STORE")
@pytest.mark.law
def test_of_eight_processes_with_a_hundred_events_each_none_is_lost_or_torn(ready: Path) -> None:
    per_process = count(100)
    script = """
    for event in $(seq "$2"); do
        printf '{"hook_event_name":"PostToolUse","session_id":"s%s","prompt_id":"p1","tool_name":"Bash",' "$1"
        printf '"tool_use_id":"t%s","tool_input":{"command":"ls"},"tool_response":{"stdout":"x"}}' "$event"
        printf '\\n'
    done | while read -r line; do printf '%s' "$line" | "$0" hook claude || exit 9; done
    """
    processes = [
        subprocess.Popen(
            ["/bin/sh", "-c", script, str(VFCC), str(number), str(per_process)],
            cwd=ready,
            env=environment(ready.parent),
        )
        for number in range(8)
    ]
    assert [process.wait(600) for process in processes] == [0] * 8

    assert faults(ready) == []
    found = [each for each in events(ready) if each["kind"] == "tool_execution"]
    assert len({each["id"] for each in found}) == len(found) == 8 * per_process
    for number in range(8):
        mine = [each["gen_ai.tool.call.id"] for each in found if each["gen_ai.conversation.id"] == f"s{number}"]
        assert mine == [f"t{event}" for event in range(1, per_process + 1)]
    told = vfcc(ready, "history", "show", "--by", "tool", "--json", "--full")
    assert told.data[0]["executions"] == 8 * per_process
