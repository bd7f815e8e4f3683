"""`vfcc integrate`: hooks go into clients' files and out of them; the second time changes nothing; no byte is lost."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.process import Ran, by_person, vfcc
from tests.cli.trees import everything, half_written
from tests.client_answers import check_answer
from verifflowcc.base.model.agent_clients import FILES
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.client_entries import EVENTS
from verifflowcc.history.use.history_reading import own_partitions

ALL = tuple(FILES)
SETTINGS = ".claude/settings.json"
MANIFEST = ".memory/integrations.json"
THEIRS = (
    b'{"permissions": {"allow": ["Bash(ls)"]},\r\n'
    b'   "hooks": {"Stop": [ {"hooks": [{"type": "command", "command": "\xc3\xa4"}]} ] }}'
)


def contents(folder: Path) -> dict[str, str | bytes]:
    """All files but the lock, which every command may make."""
    return {path: each for path, each in everything(folder).items() if not path.startswith(".memory/local")}


def put(folder: Path, path: str, data: bytes) -> Path:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return place


@pytest.mark.vfcc("REQ-INTEGRATE")
def test_all_clients_are_set_up_once_and_undone_to_the_byte(young: Path) -> None:
    put(young, SETTINGS, THEIRS)
    put(young, ".gemini/notes.md", b"mine")
    before = contents(young)

    done = vfcc(young, "integrate", "--hooks", *ALL)

    assert (done.code, done.err) == (0, "")
    for client, path in FILES.items():
        assert f"wrote: {path} ({len(EVENTS[client])} hooks)" in done.out
        assert set(json.loads((young / path).read_text(encoding="utf-8"))["hooks"]) == set(EVENTS[client])
    assert "Codex runs a project's hooks only once you trust them" in done.out
    there = contents(young)

    again = vfcc(young, "integrate", "--hooks", *ALL)

    assert (again.code, again.out) == (0, "".join(f"nothing to do: {path}\n" for path in FILES.values()))
    assert contents(young) == there
    assert by_person(young, "integrate", "--hooks", *ALL, "--uninstall").code == 0
    assert contents(young) == before
    assert not (young / ".github").exists()
    assert (young / ".gemini/notes.md").exists()
    assert by_person(young, "integrate", "--hooks", *ALL, "--uninstall").out == again.out


def test_only_the_clients_asked_for_are_touched_and_permissions_stay(young: Path) -> None:
    settings = put(young, SETTINGS, THEIRS)
    settings.chmod(0o640)
    before = contents(young)

    assert vfcc(young, "integrate", "--hooks", "claude").code == 0

    after = contents(young)
    assert {path for path in after if after[path] != before.get(path)} == {SETTINGS, MANIFEST}
    assert settings.stat().st_mode & 0o777 == 0o640
    assert "ls" not in (young / MANIFEST).read_text(encoding="utf-8"), "what is theirs is not copied"


@pytest.mark.vfcc("REQ-INTEGRATE")
def test_a_dry_run_says_it_and_writes_nothing(young: Path) -> None:
    before = everything(young)

    shown = vfcc(young, "integrate", "--hooks", *ALL, "--dry-run")

    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith(f"would write: {SETTINGS} (11 hooks)\n")
    assert everything(young) == before
    vfcc(young, "integrate", "--hooks", "claude")
    before = everything(young)
    assert vfcc(young, "integrate", "--hooks", "claude", "--uninstall", "--dry-run").out == (
        f"would remove: 11 hooks from {SETTINGS}\n"
    )
    assert everything(young) == before


def test_a_file_for_one_person_is_remembered_for_that_person_alone(young: Path) -> None:
    assert vfcc(young, "integrate", "--hooks", "claude", "--local").code == 0

    assert (young / ".claude/settings.local.json").exists()
    assert not (young / SETTINGS).exists()
    assert not (young / MANIFEST).exists()
    assert (young / ".memory/local/integrations.json").exists()
    assert by_person(young, "integrate", "--hooks", "claude", "--local", "--uninstall").code == 0
    assert not (young / ".claude").exists()


@pytest.mark.parametrize("uninstall", [(), ("--uninstall",)], ids=["install", "uninstall"])
def test_what_somebody_edited_is_told_and_left(young: Path, uninstall: tuple[str, ...]) -> None:
    vfcc(young, "integrate", "--hooks", "claude", "codex")
    settings = young / SETTINGS
    edited = settings.read_bytes().replace(b'"timeout": 10', b'"timeout": 60', 1)
    settings.write_bytes(edited)
    before = contents(young)

    told = by_person(young, "integrate", "--hooks", "claude", *uninstall)

    step = " ".join(("vfcc integrate claude", *uninstall, "--force"))
    assert (told.code, told.err) == (1, "")
    assert told.out.startswith(f"edited: {SETTINGS} was left as it is")
    assert "SessionStart" in told.out
    assert told.out.endswith(f"  {step}\n")
    assert contents(young) == before
    assert by_person(young, *step.split()[1:]).code == 0
    assert b"60" not in (settings.read_bytes() if settings.exists() else b"")


@pytest.mark.vfcc("REQ-INTEGRATE")
def test_edits_beside_our_hooks_outlive_them(young: Path) -> None:
    settings = put(young, SETTINGS, b'{\n  "a": 1\n}\n')
    vfcc(young, "integrate", "--hooks", "claude")
    settings.write_bytes(settings.read_bytes().replace(b'"a": 1', b'"a": 1,\n  "b": 2'))

    assert vfcc(young, "integrate", "--hooks", "claude").out == f"nothing to do: {SETTINGS}\n"
    assert by_person(young, "integrate", "--hooks", "claude", "--uninstall").code == 0
    assert settings.read_bytes() == b'{\n  "a": 1,\n  "b": 2\n}\n'
    assert not (young / MANIFEST).exists()


def _refused(folder: Path, ran: Ran, code: int, *words: str) -> None:
    ran.refused(code, *words)
    assert ran.err.count("error: ") == 1
    assert "\nhint: " in ran.err or code == 3
    assert not (folder / MANIFEST).exists()
    assert half_written(folder) == []


@pytest.mark.points(4)
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"a": 1,}', f"{SETTINGS}:1: "),
        (b"{\n  // mine\n}", f"{SETTINGS}:2: "),
        (b"", f"{SETTINGS}:1: "),
        (b"[]", "it holds no JSON object"),
        (b'{"hooks": 1}', '"hooks" is no object'),
        (b'{"hooks": {"Stop": {}}}', '"Stop" is no list'),
        (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
    ],
)
def test_a_file_that_is_broken_is_refused_and_nothing_is_written(young: Path, data: bytes, words: str) -> None:
    settings = put(young, SETTINGS, data)

    _refused(young, vfcc(young, "integrate", "--hooks", "codex", "claude"), 3, words)

    assert settings.read_bytes() == data
    assert not (young / ".codex").exists(), "the other client's file was not written either"


def test_nothing_is_written_through_a_link_or_past_a_file(young: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (young / ".claude").symlink_to(elsewhere)
    _refused(young, vfcc(young, "integrate", "--hooks", "claude"), 3, ".claude is a link")
    (young / ".claude").unlink()
    (young / ".claude").mkdir()
    (elsewhere / "settings.json").write_text("{}", encoding="utf-8")
    (young / SETTINGS).symlink_to(elsewhere / "settings.json")
    _refused(young, vfcc(young, "integrate", "--hooks", "claude"), 3, f"{SETTINGS} is a link")
    (young / ".codex").write_text("x", encoding="utf-8")
    _refused(young, vfcc(young, "integrate", "--hooks", "codex"), 3, ".codex is no folder")

    assert (elsewhere / "settings.json").read_text(encoding="utf-8") == "{}"


def test_a_folder_that_cannot_be_written_leaves_no_record(young: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("no folder is read-only to root")
    (young / ".claude").mkdir(mode=0o500)
    _refused(young, vfcc(young, "integrate", "--hooks", "claude"), 3, "cannot write")


def test_a_disk_that_takes_the_record_and_not_the_file_keeps_neither(young: Path) -> None:
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    _refused(
        young,
        vfcc(young, "integrate", "--hooks", "claude", before=small_files_only),
        3,
        f"cannot write {young / SETTINGS}",
    )
    assert not (young / ".claude").exists()


def test_a_manifest_that_is_broken_is_told(young: Path) -> None:
    vfcc(young, "integrate", "--hooks", "claude")
    (young / MANIFEST).write_text('{"format": 1, "files": {"a": 1}}', encoding="utf-8")

    told = vfcc(young, "integrate", "--hooks", "claude")

    told.refused(3, "it is not what vfcc wrote")
    (young / MANIFEST).unlink()
    assert by_person(young, "integrate", "--hooks", "claude", "--uninstall").code == 0
    assert (young / SETTINGS).read_text(encoding="utf-8").split() == ["{}"]


def test_unknown_words_are_usage(young: Path, tmp_path: Path) -> None:
    vfcc(young, "integrate", "--hooks", "vim").refused(
        2, "no client is called vim; there are claude, codex, copilot, cursor, gemini, opencode, vscode"
    )
    vfcc(young, "integrate", "--hooks", "codex", "--local").refused(2, "--local is for claude")
    vfcc(young, "integrate", "--hooks").refused(2, "name clients, or give --all")
    (tmp_path / "bare").mkdir()
    vfcc(tmp_path / "bare", "integrate", "claude").refused(3, "no .memory/")


def test_copilots_entry_lets_tools_run_where_vfcc_is_not_installed(young: Path) -> None:
    vfcc(young, "integrate", "--hooks", "copilot")
    hooks = json.loads((young / FILES["copilot"]).read_text(encoding="utf-8"))["hooks"]

    done = subprocess.run(
        ["/bin/sh", "-c", hooks["preToolUse"][0]["bash"]], env={"PATH": "/nowhere"}, capture_output=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.sweep
def test_the_entries_that_are_written_record_what_is_said(young: Path) -> None:
    vfcc(young, "integrate", "--hooks", *ALL)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for client in ALL:
        hooks = json.loads((young / FILES[client]).read_text(encoding="utf-8"))["hooks"]
        for event, (entry,) in hooks.items():
            hook = entry["hooks"][0] if "hooks" in entry else entry
            words = (
                [hook["command"], *hook["args"]]
                if "args" in hook
                else ["sh", "-c", hook.get("command") or hook["bash"]]
            )
            said = json.dumps({"session_id": f"of-{client}", "cwd": str(young), "hook_event_name": event})
            done = subprocess.run(
                words,
                cwd=young,
                env={"PATH": path, "HOME": "/nowhere"},
                input=said.encode(),
                capture_output=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, b""), (client, event, done)
            check_answer(client, EVENTS[client][event], done.stdout.decode())

    kept = "".join(each.read_text(encoding="utf-8") for each in own_partitions(Workspace(young)))
    events = [each for each in map(json.loads, kept.splitlines()) if "client" in each]
    assert {(each["client"], each["gen_ai.conversation.id"]) for each in events} == {
        (each, f"of-{each}") for each in ALL
    }
    assert len(events) == sum(map(len, EVENTS.values()))
    errors = young / ".memory/local/hook-errors.jsonl"
    wrong = errors.read_text(encoding="utf-8").splitlines() if errors.exists() else []
    assert [line for line in wrong if "the answer took longer than" not in line] == [], "a busy machine may be late"
