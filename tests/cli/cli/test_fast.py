"""`--version` and a fresh `status` are answered without anything slow, and say what the full command says."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import Ran, git, vfcc

pytestmark = pytest.mark.vfcc("REQ-START-UP")

HEAVY = (
    *("typer", "click", "rich", "pydantic", "yaml", "jinja2", "git", "tiktoken", "regex", "sqlite3"),
    *("dataclasses", "enum", "pathlib", "typing", "subprocess", "json", "re", "inspect", "importlib.metadata"),
)
LISTING = """
import sys
from verifflowcc.fast import main
sys.argv = ["vfcc", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    code = stop.code
sys.stderr.write(" ".join(sorted(sys.modules)))
sys.exit(code)
"""
AHEAD = "import time; now = time.time_ns; time.time_ns = lambda: now() + 60_000_000_000\n" + LISTING
SNAPSHOT = ".memory/local/snapshot.json"
EVENTS = ".memory/sprint/sprint-02/events"


def _listed(folder: Path, *arguments: str) -> tuple[Ran, set[str]]:
    """Run the entry function itself: the script that pip writes around it may import `re`, and with it `enum`."""
    ran = vfcc(folder, *arguments, program=(sys.executable, "-c", LISTING))
    return ran, set(ran.err.split())


@pytest.fixture
def remembered(example: Path) -> Path:
    """The worked example with a snapshot that stands.

    What was touched within two seconds is not trusted by its stamp, so the command that leaves the snapshot runs with a
    clock that is a minute ahead.
    """
    assert vfcc(example, "status", program=(sys.executable, "-c", AHEAD)).code == 0
    assert (example / SNAPSHOT).exists()
    return example


def _full(folder: Path, *options: str) -> Ran:
    """What the full command says: with nothing remembered."""
    (folder / SNAPSHOT).unlink(missing_ok=True)
    return vfcc(folder, "status", *options)


def test_the_version_imports_nothing_slow(tmp_path: Path) -> None:
    ran, loaded = _listed(tmp_path, "--version")

    assert (ran.code, ran.out[:5]) == (0, "vfcc ")
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_a_fresh_status_imports_nothing_slow_and_is_the_full_one(remembered: Path, options: tuple[str, ...]) -> None:
    fast, loaded = _listed(remembered, "status", *options)
    assert not loaded & set(HEAVY)
    assert "verifflowcc.cli" not in loaded

    full = _full(remembered, *options)

    assert (fast.code, fast.out) == (full.code, full.out)
    assert full.out.startswith("{" if options else "sprint-02: ")


def test_the_list_would_show_what_is_heavy(example: Path) -> None:
    _, loaded = _listed(example, "status")

    assert {"enum", "pathlib", "typing", "json", "re"} <= loaded


def test_a_subfolder_is_answered_as_fast(remembered: Path) -> None:
    below = remembered / "src" / "deep"
    below.mkdir(parents=True)

    fast, loaded = _listed(below, "status")

    assert not loaded & set(HEAVY)
    assert fast.out == _full(remembered).out


def test_outside_of_a_project_there_is_a_hint(tmp_path: Path) -> None:
    for options in ((), ("--json",)):
        outside = vfcc(tmp_path, "status", *options)

        outside.refused(3, "no .memory/ in", "or above it")
        assert outside.err.endswith("hint: vfcc init\n")


def _edited(folder: Path) -> None:
    """One byte of an event, with the old size and the old time of modification."""
    path = sorted((folder / EVENTS).iterdir())[-1]
    old = path.stat()
    path.write_bytes(path.read_bytes().replace(b"stage_passed", b"stage_Passed"))
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))


def _copied(folder: Path) -> None:
    shutil.copytree(folder / ".memory/sprint/sprint-01", folder / ".memory/sprint/sprint-03")


def _checked_out(folder: Path) -> None:
    """A branch on which the sprint was not started."""
    if not (folder / ".git").exists():
        _commit(folder)
    git(folder, "checkout", "-q", "-b", "other")
    git(folder, "rm", "-q", "-r", ".memory/sprint/sprint-02")
    git(folder, "commit", "-qm", "none")


def _commit(folder: Path) -> None:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")


def _removed(folder: Path) -> None:
    sorted((folder / EVENTS).iterdir())[-1].unlink()


def _configured(folder: Path) -> None:
    with (folder / ".memory/config.yaml").open("a", encoding="utf-8") as file:
        file.write("# more\n")


def _advanced(folder: Path) -> None:
    (folder / ".memory/stage/sprint-02/coding/artifacts/changes.md").write_text("Done.\n", encoding="utf-8")
    assert vfcc(folder, "stage", "advance", program=(sys.executable, "-c", AHEAD)).code == 0


def _closed(folder: Path) -> None:
    (folder / EVENTS).rename(folder / ".memory/sprint/sprint-02/events-away")


@pytest.mark.sweep
@pytest.mark.parametrize("change", [_edited, _copied, _checked_out, _removed, _configured, _advanced, _closed])
def test_whatever_moved_is_seen(remembered: Path, change: Callable[[Path], None]) -> None:
    before = vfcc(remembered, "status").out
    change(remembered)

    now, loaded = _listed(remembered, "status")

    assert now.out == _full(remembered).out
    assert ("pathlib" in loaded) == (change is not _advanced), "who moves a sprint leaves its status"
    if change is not _configured:
        assert now.out != before


def test_moving_there_and_back_between_branches_is_seen(remembered: Path) -> None:
    _commit(remembered)
    first = vfcc(remembered, "status").out
    _checked_out(remembered)
    second = vfcc(remembered, "status").out
    git(remembered, "checkout", "-q", "main")

    assert vfcc(remembered, "status").out == first != second


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b"{}", b'{"format": 2}'),
        b'{"format": 1, "stamps": {}, "text": "wrong", "json": "wrong"}',
        b'{"format": 1, "stamps": {".memory": 1}, "text": "wrong", "json": "wrong"}',
        b'{"format": 1, "stamps": "x", "text": "wrong", "json": "wrong"}',
    ],
    ids=lambda damage: damage[:12].decode("latin-1"),
)
def test_a_damaged_snapshot_is_no_answer(remembered: Path, damage: bytes) -> None:
    (remembered / SNAPSHOT).write_bytes(damage)

    told = vfcc(remembered, "status")

    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("sprint-02: Tides in a calendar\n")


@pytest.mark.sweep
def test_a_snapshot_with_something_behind_it_is_no_answer(remembered: Path) -> None:
    path = remembered / SNAPSHOT
    path.write_bytes(path.read_bytes() + b"{}")

    assert "pathlib" in _listed(remembered, "status")[1]


@pytest.mark.sweep
def test_a_console_that_cannot_show_it_is_left_to_the_full_command(young: Path) -> None:
    assert vfcc(young, "sprint", "start", "Grüße").code == 0
    assert vfcc(young, "status", program=(sys.executable, "-c", AHEAD)).code == 0

    told = vfcc(young, "status", env={"PYTHONIOENCODING": "ascii"})

    assert told.out == vfcc(young, "status").out
    assert "Grüße" in told.out


def test_other_words_go_to_the_full_command(remembered: Path) -> None:
    vfcc(remembered, "status", "--jsn").refused(2, "did you mean --json?")
    assert vfcc(remembered, "status", "--help").out.startswith("Usage: vfcc status")


def test_what_is_remembered_is_what_json_gives(remembered: Path) -> None:
    value = vfcc(remembered, "status", "--json").data

    assert (value["closed"], value["open"][0]["id"]) == (1, "sprint-02")
