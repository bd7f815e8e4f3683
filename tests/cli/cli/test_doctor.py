"""`vfcc doctor`: it changes nothing, tells all that is wrong, and finds nothing wrong where all is well."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import git, vfcc
from tests.cli.trees import everything
from tests.trees import add_settings

pytestmark = pytest.mark.vfcc("REQ-DOCTOR")

EVENTS = ".memory/sprint/sprint-02/events"


@pytest.fixture
def sound(example: Path) -> Path:
    git(example, "init", "-q")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    return example


def _gone(folder: Path) -> None:
    for path in (folder / EVENTS).iterdir():
        path.unlink()


def _no_folder(folder: Path) -> None:
    _gone(folder)
    (folder / EVENTS).rmdir()


def _broken_event(folder: Path) -> None:
    sorted((folder / EVENTS).iterdir())[-1].write_bytes(b"{}\n")


def _config(folder: Path) -> None:
    (folder / ".memory/config.yaml").write_text("format: 1\nworkflo: light\n", encoding="utf-8")


def _workflow(folder: Path) -> None:
    (folder / ".memory/workflow.yaml").write_text("name: [\n", encoding="utf-8")


def _not_ignored(folder: Path) -> None:
    (folder / ".memory/.gitignore").write_text("sprint/*/progress.json\n.vfcc-*.tmp\n", encoding="utf-8")


def _local_committed(folder: Path) -> None:
    (folder / ".memory/local").mkdir(exist_ok=True)
    (folder / ".memory/local/index.db").write_bytes(b"x")
    git(folder, "add", "--force", ".memory/local/index.db")


def _stray_evidence(folder: Path) -> None:
    place = folder / ".memory/stage/sprint-02/coding/evidence"
    place.mkdir()
    (place / "01KABCDEFGHJKMNPQRSTVWXYZ0.json").write_text("{}\n", encoding="utf-8")


def _unreadable_results(folder: Path) -> None:
    (folder / ".memory/sprint/sprint-02/progress.json").write_text("{}", encoding="utf-8")
    (folder / ".memory/sprint/sprint-02/results.json").write_text("{", encoding="utf-8")


@pytest.mark.sweep
def test_a_gitignore_of_0_1_is_a_note_with_the_two_lines_that_it_lacks(sound: Path) -> None:
    (sound / ".memory/.gitignore").write_text("local/\nsprint/*/progress.json\n.vfcc-*.tmp\n", encoding="utf-8")

    found = vfcc(sound, "doctor")

    assert found.code == 0
    for rule in ("stage/*/*/summary.md", "stage/*/*/metrics.json"):
        assert f"note     git        .memory/.gitignore lets {rule} in\n" in found.out
        assert f"echo '{rule}' >> .memory/.gitignore" in found.out


WRONG: dict[str, tuple[Callable[[Path], None], str]] = {
    "events gone": (_gone, "sprint-02  it has goals.md and no event"),
    "events folder gone": (_no_folder, "sprint-02  it has goals.md and no event"),
    "broken event": (_broken_event, f"sprint-02  {EVENTS}/"),
    "config": (_config, "config.yaml:2: unknown key workflo"),
    "workflow": (_workflow, "workflow.yaml:"),
    "not ignored": (_not_ignored, ".memory/.gitignore lets local/ in"),
    "local committed": (_local_committed, ".memory/local/index.db is committed"),
    "stray evidence": (_stray_evidence, "no event names 01KABCDEFGHJKMNPQRSTVWXYZ0.json"),
    "results": (_unreadable_results, "results.json:1: this is not JSON"),
}


@pytest.mark.sweep
def test_where_all_is_well_it_finds_nothing(sound: Path) -> None:
    found = vfcc(sound, "doctor")

    assert (found.code, found.err) == (0, "")
    assert "finding" not in found.out
    for line in ("sprint-01  closed; its ledger is sound", "sprint-02  open; its ledger is sound", "lock       free"):
        assert line in found.out


@pytest.mark.points(3)
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_and_the_rest_is_looked_at_all_the_same(sound: Path, name: str) -> None:
    spoil, told = WRONG[name]
    spoil(sound)
    found = vfcc(sound, "doctor")

    assert (found.code, found.err) == (1, "")
    assert any(line.startswith("finding") and told in line for line in found.out.splitlines()), found
    assert "leftovers" in found.out
    assert "sprint-01  closed; its ledger is sound" in found.out


def test_it_changes_nothing(sound: Path) -> None:
    _broken_event(sound)
    _stray_evidence(sound)
    (sound / EVENTS / ".vfcc-1234567890-x.tmp").write_bytes(b"half")
    before = everything(sound)
    vfcc(sound, "doctor")

    assert everything(sound) == before


def test_no_cache_hides_what_is_wrong(sound: Path) -> None:
    """A person who can write to `local/` can make any cache; doctor reads the files."""
    ledger = sound / ".memory/local/ledger"
    ledger.mkdir(parents=True)
    (ledger / "sprint-02.json").write_bytes(b"sha256:x\n{}")
    _broken_event(sound)

    assert vfcc(sound, "doctor").code == 1


def test_an_empty_sprint_is_told_by_status_too(sound: Path) -> None:
    _gone(sound)

    assert "sprint-02: has goals.md and no event" in vfcc(sound, "status").out
    assert vfcc(sound, "status", "--json", "--full").data["without_events"] == ["sprint-02"]


def test_a_leftover_of_a_killed_command_is_a_note_and_the_next_move_removes_it(sound: Path) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    left = sound / EVENTS / f".vfcc-{int(gone.stdout)}-abc.tmp"
    left.write_bytes(b"half")
    running = sound / EVENTS / f".vfcc-{os.getpid()}-abc.tmp"
    running.write_bytes(b"half")
    found = vfcc(sound, "doctor")

    assert found.code == 0
    assert f"note     leftovers  {EVENTS}/{left.name}: left by a command that was killed" in found.out
    assert vfcc(sound, "stage", "reopen", "planning", "--reason", "x").code == 0
    assert (left.exists(), running.exists()) == (False, True)


def test_a_held_lock_and_a_stale_projection_are_notes(sound: Path) -> None:
    lock = sound / ".memory/local/lock"
    lock.parent.mkdir(exist_ok=True)
    lock.write_text("4711\n", encoding="utf-8")
    (sound / ".memory/sprint/sprint-02/progress.json").write_text("{}", encoding="utf-8")
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        found = vfcc(sound, "doctor")

    assert found.code == 0
    assert "note     lock       held by process 4711" in found.out
    assert "progress.json is not up to date" in found.out


def test_commands_that_are_not_allowed_here_are_a_note(sound: Path) -> None:
    add_settings(sound, "gates: {commands: {test: {run: [python, -m, pytest]}}}")
    found = vfcc(sound, "doctor")

    assert found.code == 0
    assert "note     commands   not allowed on this machine: test" in found.out


def test_outside_of_a_project_and_without_git(tmp_path: Path, young: Path) -> None:
    nowhere = vfcc(tmp_path, "doctor")
    assert nowhere.code == 1
    assert "no .memory/ in" in nowhere.out

    outside = vfcc(young, "doctor")
    assert outside.code == 0
    assert "note     git" in outside.out
    without = vfcc(young, "doctor", env={"PATH": "/nowhere"})
    assert without.code == 0
    assert "git cannot be run" in without.out


def test_as_json_every_remark_has_its_health_and_its_step(sound: Path) -> None:
    _gone(sound)
    value = vfcc(sound, "doctor", "--json", "--full").data

    assert value["findings"] == 1
    assert {each["health"] for each in value["remarks"]} <= {"ok", "note", "finding"}
    (finding,) = [each for each in value["remarks"] if each["health"] == "finding"]
    assert finding["subject"] == "sprint-02"
    assert finding["step"].startswith("git log --diff-filter=D")
