"""An evidence file counts where an event names it, with the bytes that the event names, and nowhere else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.evidence_project import SPRINT, YOU, project, recorded, run
from tests.ledger_samples import fill
from tests.trees import commit, git, repository
from verifflowcc.base.errors import LedgerError, WorkspaceError
from verifflowcc.base.formats.event_bytes import moment
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_input import RecordedEvidence
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_listing import show_evidence
from verifflowcc.gates.use.evidence_making import open_ledger, write_evidence
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.rules.evidence_files import encode_evidence, make_evidence
from verifflowcc.sprint.store import evidence_store as files
from verifflowcc.sprint.use import evidence_reading


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    found = project(tmp_path / "project")
    run(found, "tests")
    return found


def only(here: Workspace) -> RecordedEvidence:
    (one,) = recorded(here, whole=False)
    return one


def again(one: Evidence, **changes: object) -> Evidence:
    """The evidence with other values, and the id that belongs to them."""
    fields = {name: getattr(one, name) for name in one.__slots__ if name not in {"id", "time"}}
    return make_evidence(**{**fields, **changes}, at=moment(one.time))


def evidence_of(here: Workspace) -> Evidence:
    found = only(here).evidence
    assert found
    return found


def plant(here: Workspace, one: Evidence, stage: str = "check") -> Path:
    path = here.memory / files.evidence_path(SPRINT, stage, one.id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_evidence(one))
    return path


def edit(path: Path) -> None:
    path.write_text(path.read_text().replace('"failed":0', '"failed":1'))


def overfill(path: Path) -> None:
    path.write_bytes(b"x" * 10_000)


def make_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def link(path: Path) -> None:
    path.rename(path.with_name("real"))
    path.symlink_to("real")


def test_a_sound_file_has_no_problem(here: Workspace) -> None:
    assert only(here).problem == ""
    assert only(here).latest


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (edit, "its content is not that which the event"),
        (overfill, "larger than evidence can be"),
        (Path.unlink, "it is missing; the event"),
        (make_a_folder, "no ordinary file"),
        (link, "cannot be read"),
    ],
)
def test_a_file_that_is_not_as_it_was_made_is_no_evidence(
    here: Workspace, damage: Callable[[Path], None], words: str
) -> None:
    damage(here.root / only(here).path)

    assert only(here).evidence is None
    assert words in only(here).problem
    with pytest.raises(LedgerError, match=words):
        ask_stage(here, SPRINT)


def test_a_file_made_by_hand_is_told_and_counts_for_nothing(here: Workspace) -> None:
    green = again(evidence_of(here), measures={"tests": 900, "passed": 900})
    path = plant(here, green)

    _, stray = recorded(here, whole=False)

    assert stray.path == path.relative_to(here.root).as_posix()
    assert stray.problem.startswith(f"no event names {path.name}")
    assert (stray.evidence, stray.order) == (None, -1)
    with pytest.raises(LedgerError, match="it was made by hand"):
        ask_stage(here, SPRINT)


def test_a_file_in_another_stages_folder_is_told_once(here: Workspace) -> None:
    old = here.root / only(here).path
    new = here.memory / files.evidence_path(SPRINT, "build", old.stem)
    new.parent.mkdir(parents=True)
    old.rename(new)

    assert only(here).path == new.relative_to(here.root).as_posix()
    assert only(here).problem == "it lies in another stage's folder than that of check, which its event names"


@pytest.mark.parametrize("change", [{"stage": "build"}, {"sprint": "other"}, {"criterion": "skips"}])
def test_a_file_that_says_something_else_than_its_event_is_no_evidence(
    here: Workspace, change: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing writes such a pair; the ledger may hold one that another program made."""
    lying = again(evidence_of(here), **change)
    path = files.evidence_path(SPRINT, "check", lying.id)
    monkeypatch.setattr("verifflowcc.gates.use.evidence_making.evidence_path", lambda *_: path)
    payload = {"stage": "check", "criterion": "tests", "sprint": SPRINT}
    honest = evidence_of(here)
    monkeypatch.setattr("verifflowcc.gates.use.evidence_making.encode_evidence", lambda _: encode_evidence(lying))
    told = again(honest, problem="told")
    object.__setattr__(told, "id", lying.id)
    write_evidence(here, open_ledger(here, SPRINT), told, actor=YOU)

    name = next(iter(change))
    last = recorded(here)[-1]
    assert last.problem == f"it says {name} {change[name]}, the event {last.event} says {payload[name]}"


def test_a_checkout_with_crlf_reads_as_any_other(here: Workspace) -> None:
    path = here.root / only(here).path
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert only(here).problem == ""


def test_files_that_are_no_evidence_files_are_passed_over(here: Workspace) -> None:
    folder = (here.root / only(here).path).parent
    (folder / "notes.md").write_text("x")
    (folder / ".vfcc-1-x.tmp").write_text("x")
    (here.memory / "stage" / SPRINT / "README.md").write_text("x")

    assert len(recorded(here)) == 1


def test_a_folder_of_evidence_that_leads_elsewhere_is_refused(here: Workspace, tmp_path: Path) -> None:
    folder = (here.root / only(here).path).parent
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(WorkspaceError, match="is a link that leaves"):
        recorded(here)


def test_a_process_killed_before_the_event_leaves_nothing(here: Workspace) -> None:
    late = again(evidence_of(here), problem="late")

    files.put_evidence(here.memory, files.evidence_path(SPRINT, "check", late.id), encode_evidence(late))

    assert only(here).problem == ""
    ask_stage(here, SPRINT)


def test_a_process_killed_after_the_event_leaves_evidence_that_counts(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("verifflowcc.gates.use.evidence_making.place_evidence", killed)
    with pytest.raises(KeyboardInterrupt):
        write_evidence(here, open_ledger(here, SPRINT), again(evidence_of(here), problem="late"), actor=YOU)

    _, late = recorded(here, whole=False)
    assert late.evidence
    assert (late.problem, late.evidence.problem, late.latest) == ("", "late", True)
    assert not (here.root / late.path).exists()


def test_old_evidence_is_opened_only_where_all_of_it_is_wanted(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence_reading, "DEPTH", 2)
    for _ in range(3):
        run(here, "tests")
    oldest = recorded(here)[0]
    edit(here.root / oldest.path)

    assert [one.evidence is None for one in recorded(here, whole=False)] == [True, True, False, False]
    assert [one.problem for one in recorded(here, whole=False)] == [""] * 4
    with pytest.raises(WorkspaceError, match="changed by hand"):
        show_evidence(here, SPRINT, Path(oldest.path).stem)
    assert "changed by hand" in recorded(here, whole=True)[0].problem
    (here.root / oldest.path).unlink()
    assert "it is missing" in recorded(here, whole=False)[0].problem


def test_evidence_from_before_two_transitions_is_replaced_by_that_after_them(here: Workspace) -> None:
    fill(here, SPRINT)
    advance_stage(here, SPRINT, actor=YOU)
    reopen_stage(here, SPRINT, "plan", "again", actor=YOU)

    run(here, "tests")

    assert [one.latest for one in recorded(here)] == [False, True]


def test_evidence_of_two_branches_merges_clean_and_both_are_the_latest(here: Workspace) -> None:
    repository(here.root)
    git(here.root, "checkout", "--quiet", "-b", "other")
    run(here, "tests")
    commit(here.root, "theirs")
    git(here.root, "checkout", "--quiet", "main")
    run(here, "tests")
    commit(here.root, "ours")
    git(here.root, "merge", "--quiet", "--no-edit", "other")

    first, *both = recorded(here)

    assert not any(one.problem for one in (first, *both))
    assert [one.latest for one in (first, *both)] == [False, True, True]
    ids = [one.evidence.id for one in both if one.evidence]
    assert [one.concurrent for one in both] == [(ids[1],), (ids[0],)]
    run(here, "tests")
    assert [one.latest for one in recorded(here)] == [False, False, False, True]
