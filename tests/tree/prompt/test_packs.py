"""A closed sprint's events in one file: on disk, in git with other branches, and where a pack and single files mix."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ledger_samples import ANN, START, TickingClock, add_feedback, advance, events_folder, started, workspace
from tests.trees import git
from verifflowcc.base.errors import LedgerError
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.formats.event_bytes import encode_event, encode_pack
from verifflowcc.base.model.events import Event, LedgerRead
from verifflowcc.base.model.sprint_state import SprintStatus
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.doctor import diagnose
from verifflowcc.gates.use.approvals import resolve_fork
from verifflowcc.gates.use.sprint_metrics import gather_metrics
from verifflowcc.gates.use.sprints import close_sprint
from verifflowcc.prompt.use.stages import reopen_stage
from verifflowcc.sprint.use.people_acting import Transition
from verifflowcc.sprint.use.sprint_reading import list_sprints, show_sprint

pytestmark = pytest.mark.vfcc("REQ-LEDGER")

ID = "log-in"
KINDS = st.lists(st.sampled_from(["note", "pass", "back"]), max_size=6)


def close(here: Workspace, actor: str = ANN, why: str = "enough") -> Transition:
    reason = None if show_sprint(here, ID).complete else why
    return close_sprint(here, ID, actor=actor, unfinished_reason=reason)


def whole(folder: Path) -> Workspace:
    """A sprint whose stages have all passed."""
    here = Workspace(started(folder).root, TickingClock())
    for _ in range(5):
        advance(here, ID)
    return here


def live(here: Workspace, kinds: list[str]) -> None:
    for number, kind in enumerate(kinds):
        state = show_sprint(here, ID)
        if kind == "pass" and state.current:
            advance(here, ID)
        elif kind == "back" and state.current not in {"planning", None}:
            reopen_stage(here, ID, "planning", f"{number}", actor=ANN)
        else:
            add_feedback(here, ID, f"note {number}")


def names(here: Workspace) -> list[str]:
    return sorted(path.name for path in events_folder(here, ID).iterdir())


def read(here: Workspace) -> LedgerRead:
    """The ledger, with no cache believed."""
    return Ledger(here.memory, cached=False).load(ID)


def scatter(here: Workspace, packed: LedgerRead) -> None:
    """Put each event of a pack into a file of its own, as before there were packs."""
    for path in events_folder(here, ID).iterdir():
        path.unlink()
    for event in packed.events:
        (events_folder(here, ID) / f"{event.id}.json").write_bytes(encode_event(event))


@pytest.mark.sweep
@given(KINDS)
@settings(deadline=None, max_examples=25)
def test_a_packed_sprint_reads_as_its_single_files_did(kinds: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = started(Path(folder))
        live(here, ["pass", "pass", "pass", *kinds])
        done = close(here)
        packed = read(here)
        state = show_sprint(here, ID)
        line = list_sprints(here)

        assert packed.problems == ()
        assert f"{done.event.id}.jsonl" in names(here)
        scatter(here, packed)
        single = read(here)
        assert single.events == packed.events
        assert single.problems == ()
        fresh = Workspace(here.root, here.clock)
        assert show_sprint(fresh, ID).stages == state.stages
        assert list_sprints(fresh) == line


def test_a_finished_sprint_leaves_one_events_file_with_the_bytes_of_the_single_ones(tmp_path: Path) -> None:
    here = whole(tmp_path)
    before = {path.name: path.read_bytes() for path in events_folder(here, ID).iterdir()}

    done = close(here)

    assert names(here) == [f"{done.event.id}.jsonl", "packed.json"]
    assert (events_folder(here, ID) / "packed.json").read_bytes() == b'{"v":2}\n', "for version 0.1"
    assert done.written[-1] == f".memory/sprint/{ID}/events/{done.event.id}.jsonl"
    lines = (events_folder(here, ID) / names(here)[0]).read_bytes().splitlines(keepends=True)
    assert lines[:-1] == [before[name] for name in sorted(before)]
    assert lines[-1] == encode_event(done.event)


@pytest.mark.sweep
def test_a_pack_is_parsed_once_and_read_from_the_cache_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifflowcc.base.files.layout.SETTLED_AFTER_NS", -(10**12))
    here = whole(tmp_path)
    for number in range(70):
        add_feedback(here, ID, f"note {number}")
    close(here)
    cold = Ledger(here.memory).load(ID)
    monkeypatch.setattr("verifflowcc.base.files.ledger.parse_pack", None)

    warm = Ledger(here.memory).load(ID)

    assert warm == cold
    assert warm.packed == cold.packed
    assert set(warm.packed) == {event.id for event in warm.events}


def test_a_damaged_line_of_a_pack_is_a_problem_with_its_number_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifflowcc.base.files.layout.SETTLED_AFTER_NS", -(10**12))
    here = whole(tmp_path)
    close(here)
    pack = events_folder(here, ID) / names(here)[0]
    lines = pack.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(ANN.encode(), b"human:Mallory")
    pack.write_bytes(b"".join(lines))

    for _ in range(2):
        problems = show_sprint(Workspace(tmp_path, here.clock), ID).problems
        assert f"events/{pack.name}:3: its content is not what its id was made of" in str(problems[0])
        assert any("its parent" in str(each) and f"{pack.name}:4:" in str(each) for each in problems)
    with pytest.raises(LedgerError, match=rf"{pack.name}:3: "):
        reopen_stage(Workspace(tmp_path, here.clock), ID, "planning", "x", actor=ANN)


@pytest.mark.parametrize("count", [1, 3])
def test_events_that_lie_in_a_pack_and_beside_it_are_one(tmp_path: Path, count: int) -> None:
    here = whole(tmp_path)
    close(here)
    packed = read(here)
    for event in packed.events[:count]:
        (events_folder(here, ID) / f"{event.id}.json").write_bytes(encode_event(event))

    both = read(here)

    assert both.events == packed.events
    assert both.problems == ()
    assert set(both.packed) == {event.id for event in packed.events[count:]}
    assert [(line.status, line.problems) for line in list_sprints(here)] == [(SprintStatus.CLOSED, 0)]


def test_the_list_reads_a_closed_sprint_without_parsing_its_other_events(tmp_path: Path) -> None:
    here = whole(tmp_path)
    close(here)
    pack = events_folder(here, ID) / names(here)[0]
    *others, last = pack.read_bytes().splitlines(keepends=True)
    pack.write_bytes(b"".join([line[:100] + b"unread\n" for line in others] + [last]))

    assert [(line.status, line.done, line.problems) for line in list_sprints(here)] == [(SprintStatus.CLOSED, 5, 0)]
    assert gather_metrics(here).problems == ()
    assert show_sprint(here, ID).problems


def test_a_sprint_keeps_its_files_where_git_would_call_the_pack_a_renaming_of_one(
    tmp_path: Path,
) -> None:
    here = started(tmp_path)

    done = close(here)

    start = read(here).events[0].id
    assert names(here) == sorted([f"{start}.json", f"{done.event.id}.json"])
    assert show_sprint(here, ID).problems == ()


def test_a_pack_that_cannot_be_written_is_a_warning_and_the_sprint_is_closed(tmp_path: Path) -> None:
    here = whole(tmp_path)
    name = "verifflowcc.base.files.ledger.encode_pack"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(name, lambda events: _blocked(here, events))
        done = close(here)

    assert any("stay in several files" in each for each in done.warnings)
    assert done.state.status is SprintStatus.CLOSED
    (folder,) = events_folder(here, ID).glob("*.jsonl")
    (folder / "x").unlink()
    folder.rmdir()
    assert read(here).problems == ()
    assert show_sprint(Workspace(tmp_path, here.clock), ID).status is SprintStatus.CLOSED


def _blocked(here: Workspace, events: Sequence[Event]) -> bytes:
    """Put a folder where the pack should go."""
    folder = events_folder(here, ID) / f"{events[-1].id}.jsonl"
    folder.mkdir()
    (folder / "x").write_text("x")
    return encode_pack(events)


def test_a_pack_that_leads_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    here = whole(tmp_path / "project")
    close(here)
    pack = events_folder(here, ID) / names(here)[0]
    pack.rename(tmp_path / "elsewhere")
    pack.symlink_to(tmp_path / "elsewhere")

    (problem,) = read(here).problems
    assert "a link that leaves .memory/" in str(problem)


# Two branches


def branch(folder: Path, name: str, days: int, kinds: list[str], *, closes: bool, why: str = "enough") -> None:
    git(folder, "checkout", "--quiet", "-b", name, "main")
    here = workspace(folder, FixedClock(START + timedelta(days=days)))
    live(here, kinds)
    if closes:
        close(here, f"human:{name}", why)
    else:
        add_feedback(here, ID, name, actor=f"human:{name}")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", name)


def merged(folder: Path, into: str, other: str) -> tuple[str, str]:
    """Merge `other` into a copy of `into`; return what git says of conflicts, and its id of the tree."""
    git(folder, "checkout", "--quiet", "-B", f"{other}-into-{into}", into)
    subprocess.run(["git", "merge", "--quiet", "--no-edit", other], cwd=folder, capture_output=True, check=False)
    return git(folder, "diff", "--name-only", "--diff-filter=U"), git(folder, "rev-parse", "HEAD^{tree}")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git as it comes, and somebody to commit."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ann@example.org")


def repository(folder: Path, kinds: list[str]) -> None:
    git(folder, "init", "--quiet", "--initial-branch", "main")
    live(started(folder), kinds)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "base")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-FORKS")
@given(KINDS, KINDS, KINDS, st.booleans())
@settings(deadline=None, max_examples=12)
def test_git_merges_a_closed_branch_with_any_other_both_ways(
    base: list[str], ours: list[str], theirs: list[str], both: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        repository(folder, base)
        branch(folder, "ours", 1, ours, closes=True)
        branch(folder, "theirs", 2, theirs, closes=both)

        conflicts, tree = merged(folder, "ours", "theirs")
        assert conflicts == ""
        assert merged(folder, "theirs", "ours") == ("", tree)
        found = read(workspace(folder))
        assert found.problems == ()
        assert {event.actor for event in found.events} >= {"human:ours", "human:theirs"}
        assert show_sprint(workspace(folder), ID).problems == ()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-FORKS")
def test_a_sprint_that_two_branches_closed_is_resolved_and_stays_packed(tmp_path: Path) -> None:
    repository(tmp_path, ["pass", "pass", "pass", "pass"])
    branch(tmp_path, "ours", 1, [], closes=True)
    branch(tmp_path, "theirs", 2, ["note"], closes=True, why="no time")
    assert merged(tmp_path, "ours", "theirs")[0] == ""
    here = workspace(tmp_path, FixedClock(START + timedelta(days=3)))

    state = show_sprint(here, ID)
    assert state.fork is not None
    assert len([name for name in names(here) if name.endswith(".jsonl")]) == 2
    after = resolve_fork(here, ID, state.fork.moves[0].event, actor=ANN).state
    assert (after.status, after.problems) == (SprintStatus.CLOSED, ())
    assert [(line.status, line.problems) for line in list_sprints(here)] == [(SprintStatus.CLOSED, 0)]
    assert not [remark for remark in diagnose(tmp_path).findings if ID in str(remark)]


@pytest.mark.vfcc("REQ-FORKS")
def test_a_sprint_that_two_branches_closed_alike_is_closed_once_they_are_merged(tmp_path: Path) -> None:
    repository(tmp_path, ["pass", "pass", "pass", "pass", "pass"])
    branch(tmp_path, "ours", 1, [], closes=True)
    branch(tmp_path, "theirs", 2, ["note"], closes=True)
    assert merged(tmp_path, "ours", "theirs")[0] == ""
    here = workspace(tmp_path, FixedClock(START + timedelta(days=3)))

    state = show_sprint(here, ID)
    assert (state.status, state.fork, state.problems) == (SprintStatus.CLOSED, None, ())
    assert len(state.notes) == 1
    assert [(line.status, line.problems) for line in list_sprints(here)] == [(SprintStatus.CLOSED, 0)]
    assert not [remark for remark in diagnose(tmp_path).findings if ID in str(remark)]


@pytest.mark.vfcc("REQ-FORKS")
def test_a_sprint_that_goes_on_after_a_fork_is_packed_again_at_its_end(tmp_path: Path) -> None:
    repository(tmp_path, ["pass", "pass", "pass", "pass"])
    branch(tmp_path, "ours", 1, [], closes=True)
    branch(tmp_path, "theirs", 2, ["pass"], closes=False)
    assert merged(tmp_path, "ours", "theirs")[0] == ""
    here = workspace(tmp_path, FixedClock(START + timedelta(days=3)))
    fork = show_sprint(here, ID).fork
    assert fork is not None
    passed = next(move.event for move in fork.moves if move.action.startswith("passed"))
    assert resolve_fork(here, ID, passed, actor=ANN).state.status is SprintStatus.OPEN

    done = close(workspace(tmp_path, FixedClock(START + timedelta(days=4))))

    assert done.state.status is SprintStatus.CLOSED
    found = read(here)
    assert found.problems == ()
    assert len([name for name in names(here) if name.endswith(".jsonl")]) == 2, "a pack is never changed"
    assert [name for name in names(here) if name.endswith(".json")] == ["packed.json"]
