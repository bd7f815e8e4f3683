"""`doctor --repair` moves what vfcc did not write out of a ledger, and nothing else."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ledger_samples import START, TickingClock, advance, started
from tests.made_once import copied
from tests.trees import git, repository
from verifflowcc.base.errors import NotAllowed
from verifflowcc.base.formats.event_bytes import encode_event, make_event
from verifflowcc.base.model.events import EventType
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.doctor import diagnose
from verifflowcc.sprint.use.repairing import plan_repair, repair
from verifflowcc.sprint.use.sprint_reading import show_sprint

YOU = "human:You"
ID = "log-in"
NEVER = "01M6ZPVCT00000000000000000"


def world(folder: Path) -> Workspace:
    """A sprint with three events, all committed."""
    return Workspace(copied(folder, moved_twice), TickingClock())


def moved_twice(folder: Path) -> Path:
    here = Workspace(started(folder).root, TickingClock())
    advance(here, ID)
    advance(here, ID)
    repository(folder)
    return folder


def events(here: Workspace) -> Path:
    return here.memory / "sprint" / ID / "events"


def stray(here: Workspace, *parents: str, text: str = "stray") -> Path:
    """A well-formed event that names parents of its own."""
    note = {"stage": None, "text": text}
    made = make_event(EventType.FEEDBACK_ADDED, note, parents=parents or (NEVER,), actor="agent:coder", at=START)
    path = events(here) / f"{made.id}.json"
    path.write_bytes(encode_event(made))
    return path


def moved(here: Workspace) -> list[str]:
    """The names of the files that a repair moves."""
    return [Path(each.stray.path).name for each in repair(here, plan_repair(here), actor=YOU)]


def fresh(here: Workspace) -> Workspace:
    return Workspace(here.root, TickingClock())


def test_one_stray_event_no_longer_blocks_the_sprint(tmp_path: Path) -> None:
    here = world(tmp_path)
    before = show_sprint(here, ID)
    path = stray(here)
    assert show_sprint(fresh(here), ID).problems
    steps = [each.step for each in diagnose(tmp_path).findings if path.name in each.text]
    assert steps == ["vfcc doctor --repair"]

    (found,) = repair(here, plan_repair(here), actor=YOU)
    assert (found.stray.what, found.stray.actor) == ("an event, feedback_added", "agent:coder")
    assert f"its parent {NEVER} is in no file of this ledger and never was in git" in found.stray.reason
    assert found.to == f".memory/local/quarantine/{here.today()}/sprint/{ID}/events/{path.name}"
    assert (tmp_path / found.to).exists()
    assert show_sprint(fresh(here), ID) == before


def test_a_committed_stray_event_is_moved_too(tmp_path: Path) -> None:
    here = world(tmp_path)
    path = stray(here)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "stray")

    assert moved(here) == [path.name]


def test_what_builds_on_a_stray_event_goes_with_it(tmp_path: Path) -> None:
    here = world(tmp_path)
    first = stray(here)
    second = stray(here, first.stem, text="another")

    assert sorted(moved(here)) == sorted([first.name, second.name])
    assert not show_sprint(fresh(here), ID).problems


@pytest.mark.points(2)
@pytest.mark.parametrize("text", ["", "{}", "not json", '{"v":1,"actor":"agent:coder","type":"waived"}', "[" * 5000])
def test_bytes_that_do_not_make_their_name_are_moved(tmp_path: Path, text: str) -> None:
    here = world(tmp_path)
    (events(here) / f"{NEVER}.json").write_text(text)

    assert moved(here) == [f"{NEVER}.json"]
    assert not show_sprint(fresh(here), ID).problems


def test_evidence_that_nothing_names_is_moved_where_its_bytes_do_not_make_its_name(tmp_path: Path) -> None:
    here = world(tmp_path)
    path = here.memory / "stage" / ID / "planning" / "evidence" / f"{NEVER}.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")

    assert moved(here) == [path.name]
    assert not path.exists()


def test_an_event_of_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    here = world(tmp_path)
    (events(here) / f"{NEVER}.json").write_text(json.dumps({"v": 99}))

    assert moved(here) == []


def test_an_event_that_was_changed_by_hand_is_left_for_git_to_bring_back(tmp_path: Path) -> None:
    here = world(tmp_path)
    path = sorted(events(here).glob("*.json"))[0]
    path.write_bytes(path.read_bytes().replace(b"Log in", b"Log on"))

    plan = plan_repair(here)
    assert plan.strays == ()
    (left,) = plan.restorable
    git(tmp_path, *left.step.removeprefix("git ").split())
    assert not show_sprint(fresh(here), ID).problems


def test_an_event_whose_parent_was_removed_stays_and_the_way_to_restore_it_is_named(tmp_path: Path) -> None:
    here = world(tmp_path)
    gone = sorted(events(here).glob("*.json"))[1]
    gone.unlink()

    plan = plan_repair(here)
    assert plan.strays == ()
    assert [each.path for each in plan.restorable] == [f".memory/sprint/{ID}/events/{gone.name}"]


def test_outside_of_git_an_event_without_its_parent_stays(tmp_path: Path) -> None:
    here = world(tmp_path)
    shutil.rmtree(tmp_path / ".git")
    sorted(events(here).glob("*.json"))[1].unlink()
    stray(here)

    assert moved(here) == []


def test_a_second_quarantine_of_one_name_keeps_the_first(tmp_path: Path) -> None:
    here = world(tmp_path)
    for text in ("a", "b"):
        (events(here) / f"{NEVER}.json").write_text(text)
        assert moved(here) == [f"{NEVER}.json"]

    kept = sorted(here.local.glob(f"quarantine/*/sprint/{ID}/events/{NEVER}.json"))
    assert sorted(each.read_text() for each in kept) == ["a", "b"]


@pytest.mark.points(2)
@pytest.mark.parametrize("actor", ["agent:coder", "ci", "tool:vfcc", "human:unknown"])
def test_nothing_is_moved_for_anybody_but_a_named_person(tmp_path: Path, actor: str) -> None:
    here = world(tmp_path)
    path = stray(here)

    with pytest.raises(NotAllowed):
        repair(here, plan_repair(here), actor=actor)
    assert path.exists()


@settings(max_examples=25, deadline=None)
@given(
    removed=st.sets(st.integers(0, 2)),
    junk=st.lists(st.tuples(st.integers(0, 999), st.binary(max_size=60)), max_size=3),
    strays=st.integers(0, 3),
)
def test_no_valid_event_is_moved_or_changed(
    tmp_path_factory: pytest.TempPathFactory, removed: set[int], junk: list[tuple[int, bytes]], strays: int
) -> None:
    root = tmp_path_factory.mktemp("law")
    here = world(root / "project")
    files = sorted(events(here).glob("*.json"))
    for number in removed - {len(files) - 1}:
        files[number].unlink()
    valid = {path.name: path.read_bytes() for path in events(here).glob("*.json")}
    before = show_sprint(fresh(here), ID) if valid else None
    for number, data in junk:
        (events(here) / f"01M6ZPVCT0{number:016d}.json").write_bytes(data)
    for number in range(strays):
        stray(here, text=f"stray {number}")

    repair(here, plan_repair(here), actor=YOU)
    assert {path.name: path.read_bytes() for path in events(here).glob("*.json")} == valid
    assert before is None or show_sprint(fresh(here), ID) == before
