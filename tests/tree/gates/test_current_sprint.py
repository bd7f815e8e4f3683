"""Which sprint is meant: by the variable, the branch, the worktree, or as the only open one; in real git."""

import json
import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.process import git
from tests.ledger_samples import ANN, START, events_folder, workspace
from tests.made_once import copied
from verifflowcc.base.errors import LedgerError, UsageError, WorkspaceError
from verifflowcc.base.formats.event_payloads import check_payload
from verifflowcc.base.git.git_head import current_branch, head_files, started_here
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.sprint_state import SprintStatus
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.next_action import next_step
from verifflowcc.gates.use.sprints import close_sprint, open_on_branch, start_sprint
from verifflowcc.memory.use.task_filling import start_task
from verifflowcc.prompt.use.standpoint import resolve
from verifflowcc.sprint.use.sprint_reading import active_sprint, command_in, resolve_sprint, show_sprint
from verifflowcc.sprint.use.workflow_use import show_workflow

pytestmark = pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")


@pytest.fixture(autouse=True)
def _no_sprint_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VFCC_SPRINT", raising=False)


def repository(folder: Path) -> Workspace:
    """A project in git, on the branch `main`."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    here = workspace(folder)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "first")
    return here


def begin(here: Workspace, title: str) -> str:
    return start_sprint(here, title, workflow="light", actor=ANN).state.id


def commit(here: Workspace) -> None:
    git(here.root, "add", "--all")
    git(here.root, "commit", "--quiet", "--message", "sprint")


def started_two(folder: Path) -> Path:
    here = repository(folder / "project")
    begin(here, "Log in")
    git(here.root, "switch", "--quiet", "--create", "feature/pay")
    begin(here, "Pay")
    commit(here)
    return here.root


@pytest.fixture
def two(tmp_path: Path) -> Workspace:
    """`log-in` was started on `main`, `pay` on `feature/pay`, which is checked out."""
    return Workspace(copied(tmp_path, started_two), FixedClock(START))


def chosen(here: Workspace) -> tuple[str | None, str]:
    found = resolve_sprint(Workspace(here.root))
    return found.id, found.by


def test_the_start_of_a_sprint_records_the_branch(two: Workspace) -> None:
    (event,) = events_folder(two, "pay").glob("*.json")

    assert json.loads(event.read_bytes())["payload"]["branch"] == "feature/pay"
    assert show_sprint(two, "log-in").branch == "main"


def test_a_start_outside_of_git_records_no_branch(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    begin(here, "Log in")

    (event,) = events_folder(here, "log-in").glob("*.json")
    assert "branch" not in json.loads(event.read_bytes())["payload"]
    assert show_sprint(here, "log-in").branch is None


def test_a_switch_of_the_branch_changes_the_current_sprint(two: Workspace) -> None:
    assert chosen(two) == ("pay", "by branch feature/pay")

    git(two.root, "branch", "--quiet", "--force", "main")
    git(two.root, "switch", "--quiet", "main")

    assert chosen(two) == ("log-in", "by branch main")
    assert active_sprint(two).id == "log-in"


@pytest.mark.points(1)
@pytest.mark.parametrize("options", [("--create", "other"), ("--detach",)])
def test_a_branch_on_which_no_sprint_was_started_chooses_none(two: Workspace, options: tuple[str, ...]) -> None:
    git(two.root, "switch", "--quiet", *options)

    with pytest.raises(UsageError) as none:
        active_sprint(two)

    assert none.value.message == "several sprints are open: log-in, pay; choose one"
    assert none.value.hint == "export VFCC_SPRINT=log-in  # or: --sprint log-in, or: git switch main"


def test_two_sprints_of_one_branch_are_not_guessed_between(tmp_path: Path) -> None:
    here = repository(tmp_path / "project")
    begin(here, "One")
    begin(here, "Two")

    with pytest.raises(UsageError) as none:
        active_sprint(here)

    assert none.value.hint == "export VFCC_SPRINT=one  # or: --sprint one", "no branch chooses one of them"


def test_the_only_open_sprint_is_meant_on_every_branch(two: Workspace) -> None:
    close_sprint(two, "log-in", actor=ANN, unfinished_reason="merged")
    git(two.root, "switch", "--quiet", "--create", "other")

    assert chosen(two) == ("pay", "")


def test_the_variable_decides_before_the_branch(two: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VFCC_SPRINT", "log-in")

    assert chosen(two) == ("log-in", "by VFCC_SPRINT")
    assert active_sprint(two, "pay").id == "pay", "a sprint that is named comes first"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("done", "VFCC_SPRINT names the sprint done, which is closed"),
        ("pya", "VFCC_SPRINT names 'pya', and there is no such sprint; did you mean pay?"),
        ("../etc", "VFCC_SPRINT names '../etc', and there is no such sprint; open: log-in, pay"),
    ],
)
@pytest.mark.points(1)
def test_a_variable_that_names_no_open_sprint_is_an_error(
    two: Workspace, monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    begin(two, "Done")
    close_sprint(two, "done", actor=ANN, unfinished_reason="x")
    monkeypatch.setenv("VFCC_SPRINT", name)

    for asks in (active_sprint, next_step, show_workflow, lambda here: resolve(here, "coder", None, None)):
        with pytest.raises(UsageError) as wrong:
            asks(two)
        assert wrong.value.message == told
        assert wrong.value.hint == "export VFCC_SPRINT=log-in  # or: unset VFCC_SPRINT"


def test_a_variable_without_any_open_sprint_is_an_error_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = workspace(tmp_path)
    with pytest.raises(WorkspaceError, match="no sprint is open"):
        active_sprint(here)

    monkeypatch.setenv("VFCC_SPRINT", "pay")
    with pytest.raises(UsageError, match=r"names .pay.*none is open") as wrong:
        active_sprint(here)
    assert wrong.value.hint == "unset VFCC_SPRINT"


def test_a_linked_worktree_chooses_the_sprint_that_was_started_in_it(two: Workspace, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(two.root, "worktree", "add", "--quiet", "--detach", str(linked))
    there = Workspace(linked)
    assert chosen(there) == (None, "")

    begin(there, "Shop")
    assert started_here(there.local) == ("shop",)
    assert chosen(there) == ("shop", "by worktree")
    assert git(linked, "status", "--porcelain", ".memory/local") == ""

    begin(there, "Shelf")
    assert chosen(there) == (None, ""), "two were started here"
    close_sprint(there, "shop", actor=ANN, unfinished_reason="x")
    assert chosen(there) == ("shelf", "by worktree")
    git(linked, "switch", "--quiet", "--create", "feature/shelf")
    assert chosen(there) == ("shelf", "by worktree")


@pytest.mark.points(1)
@pytest.mark.parametrize("name", ["a b", "a\u202eb", "a\x1b[31m", "x" * 300, ""])
def test_a_branch_whose_name_could_mislead_a_reader_is_not_recorded(tmp_path: Path, name: str) -> None:
    here = repository(tmp_path / "project")
    (here.root / ".git/HEAD").write_text(f"ref: refs/heads/{name}\n", encoding="utf-8")

    assert current_branch(here.root) is None
    begin(here, "Log in")
    assert show_sprint(here, "log-in").branch is None


@pytest.mark.points(1)
@pytest.mark.parametrize("name", ["feature/größe", "a'b", "fix-#12", "a;b"])
def test_a_branch_of_unusual_letters_is_quoted_in_a_command(tmp_path: Path, name: str) -> None:
    here = repository(tmp_path / "project")
    begin(here, "Log in")
    git(here.root, "switch", "--quiet", "--create", name)
    begin(here, "Pay")
    assert chosen(here) == ("pay", f"by branch {name}")
    close_sprint(here, "log-in", actor=ANN, unfinished_reason="x")
    git(here.root, "switch", "--quiet", "--detach")
    begin(here, "Shop")

    with pytest.raises(UsageError) as none:
        active_sprint(here)

    *_, words = (none.value.hint or "").partition("git switch ")
    assert shlex.split(words) == [name]


@pytest.mark.points(1)
@pytest.mark.parametrize("branch", ["a b", "a\nb", "-f", 7, ""])
def test_an_event_with_a_branch_that_git_would_refuse_is_not_sound(tmp_path: Path, branch: str | int) -> None:
    here = workspace(tmp_path)
    begin(here, "Log in")
    (event,) = events_folder(here, "log-in").glob("*.json")
    payload = json.loads(event.read_bytes())["payload"]

    check_payload(EventType.SPRINT_STARTED, {**payload, "branch": None})
    check_payload(EventType.SPRINT_STARTED, {**payload, "branch": "feature/pay"})
    with pytest.raises(LedgerError, match="branch must be a git branch or null"):
        check_payload(EventType.SPRINT_STARTED, {**payload, "branch": branch})


def test_the_first_working_tree_of_a_repository_notes_no_sprint(two: Workspace) -> None:
    assert started_here(two.local) == ()


def test_a_project_below_its_repository_knows_the_branch(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    (tmp_path / "project").mkdir()
    here = workspace(tmp_path / "project")

    begin(here, "Log in")

    assert show_sprint(here, "log-in").branch == "main", "before the first commit"
    assert next((here.root / each).resolve() for each in head_files(here.root)) == tmp_path / ".git/HEAD"
    assert current_branch(tmp_path / "elsewhere-that-is-not-there") == "main"


def test_open_on_branch_lists_what_was_started_here_and_what_has_no_branch(two: Workspace) -> None:
    def names() -> list[str]:
        return [*open_on_branch(two)]

    assert names() == ["pay"]
    git(two.root, "switch", "--quiet", "--detach")
    assert names() == ["log-in", "pay"], "where the branch is not known, any could be of it"
    begin(two, "Shop")
    git(two.root, "switch", "--quiet", "--create", "other")
    assert names() == ["shop"]
    close_sprint(two, "shop", actor=ANN, unfinished_reason="x")
    assert names() == []


def test_a_command_names_the_sprint_only_where_it_would_act_on_another(two: Workspace) -> None:
    assert command_in(two, "pay")("vfcc stage advance") == "vfcc stage advance"
    assert command_in(two, "log-in")("vfcc stage advance") == "vfcc stage advance --sprint log-in"
    assert next_step(two).command.startswith("vfcc stage put plan.md  # or write .memory/stage/pay/")
    assert next_step(two, "log-in").command.startswith("vfcc stage put plan.md --sprint log-in")
    close_sprint(two, "pay", actor=ANN, unfinished_reason="x")
    assert command_in(two, "log-in")("vfcc stage advance") == "vfcc stage advance"


def test_next_says_what_chose_the_sprint_of_several(two: Workspace) -> None:
    assert next_step(two).chosen_by == "by branch feature/pay"
    close_sprint(two, "log-in", actor=ANN, unfinished_reason="x")
    assert next_step(two).chosen_by == ""


def test_a_task_is_of_the_current_sprint(two: Workspace) -> None:
    assert start_task(two, "Sum the cart", actor=ANN).sprint == "pay"


STEPS = st.lists(
    st.tuples(st.sampled_from(["start", "close", "switch", "name"]), st.integers(0, 3)), min_size=1, max_size=12
)


@given(STEPS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_happened_before_no_closed_sprint_is_current(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, steps: list[tuple[str, int]]
) -> None:
    here = repository(tmp_path_factory.mktemp("walk") / "project")
    monkeypatch.delenv("VFCC_SPRINT", raising=False)
    sprints: list[str] = []
    for what, number in steps:
        named = sprints[number] if number < len(sprints) else ""
        if what == "start":
            sprints.append(begin(here, f"Sprint {len(sprints)}"))
        elif what == "close" and named and show_sprint(here, named).status is SprintStatus.OPEN:
            close_sprint(here, named, actor=ANN, unfinished_reason="x")
        elif what == "switch":
            (here.root / ".git/HEAD").write_text(f"ref: refs/heads/b{number}\n")
        elif what == "name":
            monkeypatch.setenv("VFCC_SPRINT", named)

        found = resolve_sprint(Workspace(here.root))

        running = [each for each in sprints if show_sprint(here, each).status is SprintStatus.OPEN]
        assert sorted(found.branches) == sorted(running)
        assert found.id is None or found.id in running
        assert (found.id is None) is bool(found.problem or not running)
