"""The ledger on disk: what is read, what is refused, and what a failed write leaves."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.ledger_samples import ANN, add_feedback, advance, events_folder, fill, root, snapshot, started
from verifflowcc.base.errors import LedgerError, WorkspaceError
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.formats.event_bytes import encode_event, make_event, moment
from verifflowcc.base.model.events import EventType
from verifflowcc.base.text.canonical import canonical
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.use.sprint_reading import list_sprints, progress_text, show_sprint

ID = "log-in"


def ledger(tmp_path: Path) -> tuple[Workspace, Path]:
    """A sprint with four events: started, passed, feedback, passed."""
    here = started(tmp_path)
    advance(here, ID)
    add_feedback(here, ID, "the form is too small")
    advance(here, ID)
    return here, events_folder(here, ID)


def chain(folder: Path) -> list[Path]:
    """The event files, oldest first."""
    files = {path.stem: path for path in folder.glob("*.json")}
    parents = {name: json.loads(path.read_bytes())["parents"] for name, path in files.items()}
    ordered: list[str] = []
    while len(ordered) < len(files):
        ordered += [name for name in files if name not in ordered and set(parents[name]) <= set(ordered)]
    return [files[name] for name in ordered]


def edit(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    envelope = json.loads(path.read_bytes())
    change(envelope)
    path.write_bytes(canonical(envelope) + b"\n")


def forge(here: Workspace, kind: EventType, payload: dict[str, str | None], parent: str) -> Path:
    """Plant an event whose id is right for its content."""
    made = make_event(kind, payload, parents=[parent], actor="human:Mallory", at=moment("2026-11-22T00:00:00.000Z"))
    path = events_folder(here, ID) / f"{made.id}.json"
    path.write_bytes(encode_event(made))
    return path


Harm = Callable[[Workspace, list[Path]], Path]
HARMS: dict[str, tuple[Harm, str]] = {}


def harm(reason: str) -> Callable[[Harm], Harm]:
    def note(function: Harm) -> Harm:
        HARMS[function.__name__] = (function, reason)
        return function

    return note


@harm("content is not what its id was made of")
def edited(_: Workspace, files: list[Path]) -> Path:
    edit(files[1], lambda envelope: envelope.update(actor="human:Mallory"))
    return files[1]


@harm("its parent .* is missing")
def removed(_: Workspace, files: list[Path]) -> Path:
    files[1].unlink()
    return files[2]


@harm("name is not the event's id")
def copied_under_another_name(_: Workspace, files: list[Path]) -> Path:
    path = files[1].with_name("01KABCDEFGHJKMNPQRSTVWXYZ0.json")
    path.write_bytes(files[1].read_bytes())
    return path


@harm("not canonical")
def spelled_otherwise(_: Workspace, files: list[Path]) -> Path:
    files[1].write_bytes(files[1].read_bytes().replace(b'":"', b'": "'))
    return files[1]


@harm("not the active stage|not left behind")
def an_impossible_move_with_a_right_id(here: Workspace, files: list[Path]) -> Path:
    return forge(here, EventType.STAGE_REOPENED, {"stage": "validation", "reason": "x"}, files[-1].stem)


@harm("its parent .* is missing")
def an_unknown_parent_with_a_right_id(here: Workspace, _: list[Path]) -> Path:
    return forge(here, EventType.FEEDBACK_ADDED, {"stage": None, "text": "x"}, "01KABCDEFGHJKMNPQRSTVWXYZ0")


@harm("it starts the sprint other")
def a_start_of_another_sprint(here: Workspace, _: list[Path]) -> Path:
    other = root(sprint="other")
    path = events_folder(here, ID) / f"{other.id}.json"
    path.write_bytes(encode_event(other))
    return path


@harm("unknown event type")
def an_unknown_type(_: Workspace, files: list[Path]) -> Path:
    edit(files[2], lambda envelope: envelope.update(type="stage_forced"))
    return files[2]


@harm("v3 is newer than this vfcc reads")
def a_newer_format(_: Workspace, files: list[Path]) -> Path:
    edit(files[2], lambda envelope: envelope.update(v=3))
    return files[2]


@harm("one line of canonical JSON")
def conflict_markers(_: Workspace, files: list[Path]) -> Path:
    data = files[1].read_bytes()
    files[1].write_bytes(b"<<<<<<< HEAD\n" + data + b"=======\n" + data + b">>>>>>> theirs\n")
    return files[1]


@harm("one line of canonical JSON")
def emptied(_: Workspace, files: list[Path]) -> Path:
    files[2].write_bytes(b"")
    return files[2]


@harm("larger than any event")
def huge(_: Workspace, files: list[Path]) -> Path:
    with files[2].open("r+b") as file:
        file.truncate(100 * 1024 * 1024)
    return files[2]


@harm("no ordinary file")
def a_folder_in_its_place(_: Workspace, files: list[Path]) -> Path:
    files[2].unlink()
    files[2].mkdir()
    return files[2]


@harm("a link that leaves")
def a_link_that_leaves(here: Workspace, files: list[Path]) -> Path:
    outside = here.root / "outside.json"
    files[2].rename(outside)
    files[2].symlink_to(outside)
    return files[2]


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-LEDGER")
@pytest.mark.parametrize("name", HARMS)
def test_what_vfcc_did_not_write_is_told_with_its_file_and_nothing_moves(tmp_path: Path, name: str) -> None:
    here, folder = ledger(tmp_path)
    function, reason = HARMS[name]
    file = function(here, chain(folder))
    fill_anyway = here.memory / "stage" / ID / "coding" / "artifacts" / "changes.md"
    fill_anyway.parent.mkdir(parents=True, exist_ok=True)
    fill_anyway.write_text("done\n")
    before = snapshot(here.root)
    shown = show_sprint(here, ID)

    assert f".memory/sprint/{ID}/events/{file.name}" in {problem.file for problem in shown.problems}
    assert list_sprints(here)[0].problems
    with pytest.raises(LedgerError, match=rf"{file.name}:1: .*({reason})"):
        advance_stage(here, ID, actor=ANN)
    with pytest.raises(LedgerError, match=rf"{file.name}:1: .*({reason})"):
        reopen_stage(here, ID, "planning", "x", actor=ANN)
    assert snapshot(here.root) == before


def test_a_whole_ledger_checked_out_with_crlf_is_sound(tmp_path: Path) -> None:
    here, folder = ledger(tmp_path)
    before = show_sprint(here, ID)
    for path in folder.glob("*.json"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert show_sprint(here, ID) == before
    assert advance(here, ID).after == "testing"


def test_temporary_and_other_files_are_no_events(tmp_path: Path) -> None:
    here, folder = ledger(tmp_path)
    before = show_sprint(here, ID)
    (folder / ".vfcc-abc.tmp").write_bytes(b"{")
    (folder / "README.md").write_text("what these are")
    (folder / ".DS_Store").write_bytes(b"\0")

    assert show_sprint(here, ID) == before


@pytest.mark.vfcc("REQ-INSIDE")
def test_an_events_folder_that_is_a_link_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    here, folder = ledger(tmp_path)
    outside = tmp_path / "elsewhere"
    folder.rename(outside)
    folder.symlink_to(outside, target_is_directory=True)

    with pytest.raises(WorkspaceError, match="a link that leaves"):
        show_sprint(here, ID)


@pytest.mark.vfcc("REQ-PROGRESS")
@pytest.mark.parametrize("content", [b"<<<<<<< HEAD\n{}\n=======\n", b"", b"\xff\xfe", b'{"stage": "validation"}\n'])
def test_progress_is_never_read_and_always_made_again(tmp_path: Path, content: bytes) -> None:
    here, _ = ledger(tmp_path)
    path = here.memory / "sprint" / ID / "progress.json"
    path.write_bytes(content)

    assert show_sprint(here, ID).current == "coding"
    assert advance(here, ID).warnings == ()
    assert path.read_text() == progress_text(here, ID)
    assert json.loads(path.read_text())["stage"] == "testing"


def test_a_projection_that_cannot_be_written_is_a_warning_since_the_move_stands(tmp_path: Path) -> None:
    here, _ = ledger(tmp_path)
    path = here.memory / "sprint" / ID / "progress.json"
    path.unlink()
    path.mkdir()
    done = advance(here, ID)

    assert "progress.json is not up to date" in done.warnings[0]
    assert show_sprint(here, ID).current == "testing"


def _as_nobody(root_folder: Path) -> None:
    os.setgid(65534)
    os.setuid(65534)
    here = Workspace(root_folder)
    try:
        show_sprint(here, ID)
        advance_stage(here, ID, actor=ANN)
    except WorkspaceError as error:
        print(error, flush=True)
        os._exit(7 if "cannot write" in str(error) and ".memory" in str(error) else 8)
    os._exit(9)


@pytest.mark.skipif(os.getuid() != 0, reason="becoming another user needs root")
def test_a_tree_that_may_only_be_read_is_shown_and_says_that_it_cannot_be_written(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        here, _ = ledger(folder)
        fill(here, ID)
        folder.chmod(0o755)
        before = snapshot(folder)
        child = get_context("fork").Process(target=_as_nobody, args=(folder,))
        child.start()
        child.join()

        assert child.exitcode == 7
        assert snapshot(folder) == before
    finally:
        shutil.rmtree(folder)


def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    here, folder = ledger(tmp_path)
    fill(here, ID)
    (here.memory / "stage" / ID / "coding" / "metrics.json").mkdir()
    before = sorted(folder.iterdir())

    with pytest.raises(WorkspaceError, match=r"cannot write .*metrics\.json"):
        advance_stage(here, ID, actor=ANN)
    assert sorted(folder.iterdir()) == before


def test_only_folders_that_can_be_sprints_are_sprints(tmp_path: Path) -> None:
    here, folder = ledger(tmp_path)
    (here.memory / "sprint" / "Not A Sprint").mkdir()
    (here.memory / "sprint" / "empty").mkdir()

    assert Ledger(here.memory).sprint_ids() == (ID,)
    assert Ledger(tmp_path / "nowhere").sprint_ids() == ()
    assert len(Ledger(here.memory).load(ID).events) == len(list(folder.glob("*.json"))) == 4
