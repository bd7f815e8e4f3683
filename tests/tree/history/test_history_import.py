"""Past sessions become events of the history: each once, on its own day, however often and by however many."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.secret_samples import TOKEN
from tests.session_world import (
    SESSION,
    THREAD,
    Row,
    answer,
    call,
    claude_session,
    codex_session,
    cost,
    events,
    moment,
    project,
    result,
    said,
    words,
    write_session,
)
from verifflowcc.base.errors import ConflictError, UsageError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.formats.session_lines import Tokens, milliseconds
from verifflowcc.base.text.identifiers import is_ulid
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.event_shape import line_of
from verifflowcc.history.store.partitions import add_lines
from verifflowcc.history.use import history_import as importing
from verifflowcc.history.use.history_import import Batches, HistoryImport, KnownEvents, import_sessions

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.vfcc("REQ-HISTORY-IMPORT")


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    return project(tmp_path / "p")


def sessions(here: Workspace, *rows: Row, name: str = f"{SESSION}.jsonl") -> Path:
    folder = here.root.parent / "sessions"
    write_session(folder, rows or claude_session(), name, str(here.root))
    return folder


def run(here: Workspace, folder: Path, *, dry_run: bool = False) -> HistoryImport:
    return import_sessions(here, [str(folder)], dry_run=dry_run)


def hook(here: Workspace, hook: str, second: float, **more: object) -> None:
    """Record what a live hook says, as the hook does."""
    at = milliseconds(moment(second))
    assert at is not None
    said = {"hook_event_name": hook, "session_id": SESSION, "cwd": str(here.root)} | more
    line = line_of(said, "claude", str(here.root), at, os.urandom(10), {})
    assert line is not None
    add_lines(str(here.local), moment(second)[:10], line)


def kinds(here: Workspace) -> Counter[object]:
    return Counter(event["kind"] for event in events(here))


def test_each_event_is_on_its_own_day_with_an_id_of_its_time(here: Workspace) -> None:
    done = run(here, sessions(here))

    found = list(events(here))
    assert {path.stem for path in (here.local / "history").iterdir()} == {"2026-11-20", "2026-11-21"}
    assert len(found) == done.new == 8
    assert all(is_ulid(str(event["id"])) for event in found)
    by_id = sorted(found, key=lambda event: str(event["id"]))
    assert [event["time"] for event in by_id] == sorted(str(event["time"]) for event in found)


def test_an_event_is_what_a_hook_would_have_recorded(here: Workspace) -> None:
    run(here, sessions(here))
    (read,) = (event for event in events(here) if event.get("gen_ai.tool.call.id") == "c1")

    other = project(here.root.parent / "other")
    file = {"type": "text", "file": {"filePath": f"{here.root}/a.py", "content": "x = 1"}}
    told = {"tool_name": "Read", "tool_input": {"file_path": f"{here.root}/a.py"}, "tool_response": file}
    hook(other, "PostToolUse", 6, cwd=str(here.root), prompt_id="p1", tool_use_id="c1", duration_ms=3000, **told)
    (live,) = events(other)
    live["files"] = [{"path": "a.py", "operation": "read"}]
    assert read == live | {"id": read["id"], "context_tokens": 50, "imported": True}


def test_the_second_import_adds_nothing_and_makes_the_same_ids(here: Workspace) -> None:
    folder = sessions(here)
    run(here, folder)
    before = list(events(here))
    again = run(here, folder)

    assert (again.new, again.known) == (0, 8)
    assert list(events(here)) == before
    (here.local / "history" / "2026-11-21.jsonl").unlink()
    run(here, folder)
    assert sorted(map(str, events(here))) == sorted(map(str, before))


def test_a_file_that_goes_on_adds_only_what_is_new(here: Workspace) -> None:
    rows = claude_session()
    for end in range(1, len(rows)):
        run(here, sessions(here, *rows[:end]))
    run(here, sessions(here, *rows))

    counts = kinds(here)
    assert (counts["tool_execution"], counts["prompt"], counts["turn_end"], counts["session_start"]) == (2, 1, 1, 1)
    assert spent(here) == Tokens(6, 80, 80, 14)


def spent(here: Workspace) -> Tokens:
    found = [event for event in events(here) if event["kind"] == "usage"]
    names = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
    more = ("vfcc.usage.cache_read_tokens", "vfcc.usage.cache_creation_tokens")
    return Tokens(*(sum(int(str(event[name])) for event in found) for name in (*names, *more)))


def test_a_turn_that_ends_again_is_added_beside_its_first_end(here: Workspace) -> None:
    rows = [said(1, "Go."), answer(2, words("Done."), "m-1", 5, "end_turn")]
    run(here, sessions(here, *rows))
    run(here, sessions(here, *rows, answer(4, words("Now it is."), "m-2", 5, "end_turn")))

    ends = [event["outcome"] for event in events(here) if event["kind"] == "turn_end"]
    assert ends == ["Done.", "Now it is."]


def test_what_a_hook_told_before_midnight_is_not_added_after_it(here: Workspace) -> None:
    hook(here, "PostToolUse", 9, tool_name="Bash", tool_use_id="c1")
    rows = [answer(11, call("c1", "Bash", command="ls"), "m-1", 5), result(12, "c1", "a")]
    run(here, sessions(here, *rows))

    assert kinds(here)["tool_execution"] == 1


def test_half_a_line_of_a_hook_is_read_when_it_is_whole(here: Workspace) -> None:
    hook(here, "PostToolUse", 6, tool_name="Read", tool_use_id="c1")
    path = here.local / "history" / "2026-11-20.jsonl"
    line = path.read_bytes()
    known = KnownEvents(path.parent, frozenset({SESSION}))
    path.write_bytes(line[:50])
    assert not known.look(path.stem)
    path.write_bytes(line)

    assert known.look(path.stem)
    assert not known.look(path.stem), "it was read"


def test_what_a_hook_told_is_not_added(here: Workspace) -> None:
    hook(here, "SessionStart", -3, source="startup")
    hook(here, "UserPromptSubmit", 1, prompt="Fix the test.", prompt_id="p1")
    hook(here, "PostToolUse", 6, tool_name="Read", tool_use_id="c1", prompt_id="p1")
    hook(here, "Stop", 13.2, prompt_id="p1")
    hook(here, "SessionEnd", 900, reason="other")
    before = list(events(here))

    done = run(here, sessions(here))

    assert (done.new, done.known) == (3, 5)
    added = [event for event in events(here) if event not in before]
    assert sorted((str(event["kind"]), event.get("gen_ai.tool.call.id")) for event in added) == [
        ("tool_execution", "c2"),
        ("usage", None),
        ("usage", None),
    ]
    assert run(here, sessions(here)).new == 0


@pytest.mark.parametrize("kind", [{}, {"kind": "tool_denied"}], ids=["as of 0.1", "now"])
def test_a_call_that_a_hook_denied_is_not_added_as_one_that_failed(here: Workspace, kind: dict[str, str]) -> None:
    at = milliseconds(moment(5))
    assert at is not None
    said = {"hook_event_name": "PreToolUse", "session_id": SESSION, "tool_name": "Bash", "tool_use_id": "c2"}
    line = line_of(said, "claude", str(here.root), at, os.urandom(10), {"denied": "phase", **kind})
    assert line is not None
    add_lines(str(here.local), moment(5)[:10], line)
    run(here, sessions(here))

    assert [event["gen_ai.tool.call.id"] for event in events(here) if event["kind"] == "tool_execution"] == ["c1"]


def test_hooks_that_were_there_for_the_second_run_alone_leave_the_first_to_be_added(here: Workspace) -> None:
    hook(here, "SessionStart", 3590, source="resume")
    hook(here, "UserPromptSubmit", 3600, prompt="More.", prompt_id="p2")

    run(here, sessions(here, *claude_session(), said(3600, "More.") | {"promptId": "p2"}))

    assert (kinds(here)["session_start"], kinds(here)["prompt"], kinds(here)["session_end"]) == (2, 2, 1)


def test_another_sessions_events_count_for_nothing(here: Workspace) -> None:
    hook(here, "PostToolUse", 6, session_id="other", tool_name="Read", tool_use_id="c1")

    assert run(here, sessions(here)).new == 8


def test_a_hook_that_tells_it_while_the_import_runs_is_heard(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    finish = Batches.finish

    def meanwhile(batches: Batches) -> None:
        hook(here, "PostToolUse", 6, tool_name="Read", tool_use_id="c1")
        finish(batches)

    monkeypatch.setattr(Batches, "finish", meanwhile)
    done = run(here, sessions(here))

    assert (done.new, done.known, kinds(here)["tool_execution"]) == (7, 1, 2)


def test_tokens_are_the_clients_own_with_subagents_and_compactions(here: Workspace) -> None:
    aside: dict[str, bool | str] = {"isSidechain": True, "agentId": "a1"}
    sessions(here, *claude_session()[:-1], cost(Tokens(509, 185, 120, 21)))
    folder = sessions(
        here,
        said(5, "Look.") | aside,
        answer(7, call("s1", "Read", file_path="/p/b.py"), "m-s", 5) | aside,
        result(8, "s1", "1") | aside,
        answer(9, words("Found."), "m-s", 5, "end_turn") | aside,
        name=f"{SESSION}/subagents/agent-a1.jsonl",
    )
    (folder / SESSION / "subagents" / "agent-a1.meta.json").write_text('{"agentType": "Explore"}', encoding="utf-8")

    done = run(here, folder)

    assert len(done.files) == 1
    assert done.tokens == spent(here) == Tokens(509, 185, 120, 21)
    assert done.calls == 3
    (read,) = (event for event in events(here) if event.get("gen_ai.tool.call.id") == "s1")
    assert (read["gen_ai.agent.id"], read["gen_ai.agent.name"]) == ("a1", "Explore")
    assert run(here, folder).new == 0


def test_a_fork_does_not_count_again_what_it_copied(here: Workspace) -> None:
    own = said(50, "Another way.") | {"promptId": "p9"}
    fork = [*claude_session()[:-1], own, cost(Tokens(6, 80, 80, 14))]
    copy = [row | {"sessionId": "fork"} for row in fork]
    sessions(here)
    done = run(here, sessions(here, *copy, name="fork.jsonl"))

    assert spent(here) == Tokens(6, 80, 80, 14)
    assert kinds(here)["tool_execution"] == 2
    assert [(each.session, each.calls) for each in done.files] == [(SESSION, 2), ("fork", 0)]
    assert "copies of another session" in done.files[1].notes[0]
    assert run(here, here.root.parent / "sessions").new == 0


def test_a_rollout_of_codex_is_read_and_its_tokens_add_up(here: Workspace) -> None:
    done = run(here, sessions(here, *codex_session(), name=f"rollout-{THREAD}.jsonl"))

    (file,) = done.files
    assert (file.client, file.session, file.calls) == ("codex", THREAD, 2)
    assert (spent(here), file.tokens.context) == (Tokens(220, 25, 130), 350)
    (failed,) = (event for event in events(here) if event.get("success") is False)
    assert failed["error.message"] == "exit code 3\nhalf"
    (patch,) = (event for event in events(here) if event.get("gen_ai.tool.name") == "apply_patch")
    assert patch["files"] == [{"path": "a.txt", "operation": "edit", "changes": "+1 -1"}]


def test_other_projects_are_left_out_and_counted(here: Workspace) -> None:
    folder = sessions(here)
    write_session(folder, [row | {"sessionId": "x"} for row in claude_session()], "x.jsonl", f"{here.root}-other")
    write_session(folder, [row | {"sessionId": "y"} for row in claude_session()], "y.jsonl", f"{here.root}/below")

    done = run(here, folder)

    assert (len(done.files), done.other_projects) == (2, 1)


def test_sessions_are_found_where_the_clients_keep_them(here: Workspace, tmp_path: Path) -> None:
    name = "".join(letter if letter.isalnum() else "-" for letter in str(here.root))
    write_session(tmp_path / ".claude" / "projects" / name, claude_session(), place=str(here.root))
    write_session(tmp_path / ".claude" / "projects" / f"{name}x", claude_session(), place=f"{here.root}x")
    rollout = f"sessions/2026/11/20/rollout-2026-11-20T23-59-50-{THREAD}.jsonl"
    write_session(tmp_path / "codex", codex_session(), rollout, str(here.root))
    env = {"HOME": str(tmp_path), "CODEX_HOME": str(tmp_path / "codex")}

    done = import_sessions(here, env=env, dry_run=True)
    assert ([each.client for each in done.files], done.other_projects) == (["claude", "codex"], 0)
    assert [each.client for each in import_sessions(here, env=env, client="codex").files] == ["codex"]
    assert import_sessions(here, env=env | {"CLAUDE_CONFIG_DIR": "/nowhere"}, client="claude").files == ()


def test_a_dry_run_says_the_same_and_writes_nothing(here: Workspace) -> None:
    folder = sessions(here)
    dry = run(here, folder, dry_run=True)

    assert not here.local.exists()
    done = run(here, folder)
    assert (dry.new, dry.known, dry.tokens, dry.files) == (done.new, done.known, done.tokens, done.files)


def test_secrets_do_not_get_in(here: Workspace) -> None:
    rows = [
        said(1, f"The key is {TOKEN}."),
        answer(2, call("c1", "Bash", command=f"curl -H 'Authorization: Bearer {TOKEN}'"), "m-1", 5),
        result(3, "c1", f"token={TOKEN}"),
    ]
    run(here, sessions(here, *rows))

    assert TOKEN not in json.dumps(list(events(here)))


def test_a_torn_line_is_a_note_and_the_rest_is_read(here: Workspace) -> None:
    folder = sessions(here)
    path = folder / f"{SESSION}.jsonl"
    path.write_bytes(path.read_bytes() + b'{"type": "assis')

    done = run(here, folder)

    assert done.new == 8
    assert done.files[0].notes == (f"{path}:10: the last line is not whole yet; it is left for next time",)


def test_a_torn_line_of_the_history_costs_no_other(here: Workspace) -> None:
    folder = sessions(here)
    here.local.mkdir()
    (here.local / "history").mkdir()
    torn = here.local / "history" / "2026-11-20.jsonl"
    torn.write_bytes(f'{{"v":1,"kind":"prompt","gen_ai.conversation.id":"{SESSION}","ta'.encode())

    assert (run(here, folder).new, run(here, folder).new) == (8, 0)
    assert len(torn.read_bytes().splitlines()) == 5


@pytest.mark.parametrize(("text", "why"), [(None, "cannot read"), ("hello\n", "is neither a transcript")])
def test_a_named_file_that_is_no_session_is_refused(here: Workspace, text: str | None, why: str) -> None:
    path = here.root / "x.jsonl"
    if text:
        path.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=why):
        import_sessions(here, [str(path)])


def test_a_file_that_cannot_be_read_is_a_note_and_the_others_are_read(here: Workspace) -> None:
    folder = sessions(here)
    (folder / "a.jsonl").symlink_to(folder / "b.jsonl")
    (folder / "c.jsonl").symlink_to("/proc/self/mem")

    done = run(here, folder)

    assert (done.new, len(done.notes)) == (8, 1)
    assert done.notes[0].startswith(f"cannot read {folder / 'c.jsonl'}: ")


@pytest.mark.sweep
def test_wherever_it_is_killed_the_next_import_completes_it(here: Workspace, tmp_path: Path) -> None:
    rows = [row for each in range(12) for row in turn(each)]
    folder = sessions(here, *rows)
    run(here, folder)
    whole = sorted(str(event) for event in events(here))
    stopped = 0
    for write in range(20):
        other = project(tmp_path / f"k{write}" / "p")
        moved = sessions(other, *rows)
        command = [sys.executable, "-m", "tests.import_killed", str(other.root), str(moved), str(write)]
        code = subprocess.run(command, cwd=ROOT, env=os.environ, check=False, timeout=120).returncode
        assert code in (0, -signal.SIGKILL)
        if code == 0:
            break
        stopped += 1
        run(other, moved)
        assert sorted(text.replace(str(other.root), str(here.root)) for text in map(str, whole_events(other))) == whole
    assert stopped > 3


def turn(number: int) -> list[Row]:
    second = number * 10.0
    return [
        said(second, f"Step {number}.") | {"promptId": f"p{number}"},
        answer(second + 1, call(f"c{number}", "Bash", command="make " + "x" * 300), f"m-{number}", 5),
        result(second + 2, f"c{number}", "done"),
        answer(second + 3, words("Done."), f"n-{number}", 5, "end_turn"),
    ]


def whole_events(here: Workspace) -> list[dict[str, object]]:
    """The events but for lines that were cut."""
    found = []
    for path in sorted((here.local / "history").glob("*.jsonl")):
        for text in path.read_text(encoding="ascii").splitlines():
            try:
                found.append(json.loads(text))
            except ValueError:
                continue
    return found


def test_two_at_once_add_each_event_once(here: Workspace) -> None:
    folder = sessions(here, *(row for each in range(12) for row in turn(each)))
    command = [sys.executable, "-m", "tests.import_killed", str(here.root), str(folder), "1000"]

    def go(_: int) -> int:
        return subprocess.run(command, cwd=ROOT, env=os.environ, check=False, timeout=120).returncode

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(go, range(3))) == [0, 0, 0]

    ids = Counter(event["id"] for event in events(here))
    assert (len(ids), set(ids.values())) == (12 * 5 + 1, {1})


def test_who_waits_too_long_for_another_import_is_told(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "WAIT_S", 0.0)
    with (
        locked(here.local / importing.LOCK, 0),
        pytest.raises(ConflictError, match="is held by another vfcc"),
    ):
        run(here, sessions(here))
