"""The history belongs to the repository: worktrees share it, it outlasts them, no state of `.git` loses an event."""

import json
import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.history_world import NOW, edit, hooked, prompt, tell
from tests.trees import git, write_memory
from verifflowcc.base.git.git_repository import repository_around
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.store.history_tables import TaskRow, task_rows
from verifflowcc.history.use.history_reading import history_folders, open_history
from verifflowcc.history.use.prompt_record import is_recorded
from verifflowcc.history.use.questions import file_history

pytestmark = pytest.mark.vfcc("REQ-EPISODE-STORE")

LATER = FixedClock(NOW.replace(day=NOW.day + 1))


@pytest.fixture
def main(tmp_path: Path) -> Workspace:
    """A repository with a project, committed."""
    root = write_memory(tmp_path / "main", {"config.yaml": "format: 1\n", ".gitignore": "local/\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "begin")
    return Workspace(root, FixedClock(NOW))


def linked(main: Workspace, name: str) -> Workspace:
    git(main.root, "worktree", "add", "-q", "-b", name, f"../{name}")
    return Workspace(main.root.parent / name, main.clock)


def lines(here: Workspace) -> list[dict[str, Any]]:
    files = [path for folder in history_folders(here) for path in sorted(folder.glob("*.jsonl"))]
    return [json.loads(line) for path in files for line in path.read_bytes().splitlines() if line]


def tasks(here: Workspace) -> tuple[TaskRow, ...]:
    """All tasks that a worktree knows of, newest first."""
    with open_history(here) as history:
        return task_rows(history)


def words(event: str, text: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": event, "session_id": text, "prompt_id": text, "prompt": text, **more}


def test_each_worktree_knows_what_the_others_did_also_after_they_are_removed(main: Workspace) -> None:
    coder, tester = linked(main, "coder"), linked(main, "tester")
    assert not hooked(coder.root, words("UserPromptSubmit", "write the login"), role="coder").faults
    git(main.root, "worktree", "remove", "--force", str(coder.root))

    for each in (main, tester):
        assert [task.description for task in tasks(each)] == ["write the login"]


def test_an_event_carries_its_worktree_and_the_main_one_has_no_name(main: Workspace) -> None:
    coder = linked(main, "coder")
    hooked(main.root, words("UserPromptSubmit", "one"))
    hooked(coder.root, words("UserPromptSubmit", "two"))

    found = {each["gen_ai.conversation.id"]: each.get("worktree") for each in lines(main) if "description" in each}
    assert found == {"one": None, "two": "coder"}


def test_the_place_of_one_worktree_is_not_that_of_another(main: Workspace) -> None:
    """An event of the coder waits for the coder's place; the tester's comes first in time."""
    coder, tester = linked(main, "coder"), linked(main, "tester")
    base = {"v": 1, "session": "s", "unplaced": True}
    events = [
        {**base, "kind": "prompt", "id": "01", "time": "2026-11-21T12:00:00.000Z", "gen_ai.conversation.id": "s",
         "task": "t", "description": "write the login", "worktree": "coder"},
        *({"v": 1, "kind": "place", "id": f"0{n}", "time": f"2026-11-21T12:00:0{n}.000Z",
           "since": "2026-11-20T00:00:00.000Z",
           "role": role, "worktree": role} for n, role in enumerate(("tester", "coder"), start=2)),
    ]  # fmt: skip
    folder = history_folders(main)[0]
    folder.mkdir(parents=True)
    (folder / "2026-11-21.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in events), encoding="utf-8")

    for each in (main, coder, tester):
        assert [row.role for row in tasks(each)] == ["coder"]


def test_a_history_of_an_older_version_moves_to_the_repository_and_nothing_of_it_is_lost(main: Workspace) -> None:
    """The day that hooks may still write to stays, and is read where it is."""
    coder = linked(main, "coder")
    tell(main, prompt(0, "from main"), edit(1, f"{main.root}/a.py"))
    tell(coder, prompt(-86_400, "from coder", session="s2", task="p2"))
    before = lines(main) + lines(coder)

    assert [task.description for task in tasks(main)] == ["from main", "from coder"]
    assert not (coder.local / "history/2026-11-20.jsonl").exists()
    assert (main.local / "history/2026-11-21.jsonl").exists(), "it is today's"

    later = Workspace(coder.root, LATER)
    assert [task.description for task in tasks(later)] == ["from main", "from coder"]
    assert len(file_history(later, "a.py")) == 1
    assert not list((main.local / "history").glob("*.jsonl"))
    shutil.rmtree(main.local)
    assert sorted(each["id"] for each in lines(later)) == sorted(each["id"] for each in before)


def test_a_move_that_was_cut_short_counts_no_event_twice(main: Workspace) -> None:
    tell(main, prompt(-86_400, "from main"))
    day = main.local / "history/2026-11-20.jsonl"
    copy = day.read_bytes()
    open_history(main)
    day.write_bytes(copy)

    for _ in range(2):
        assert len(tasks(main)) == 1
    assert not day.exists()


def test_where_the_shared_folder_is_no_folder_the_project_keeps_its_own_history(main: Workspace) -> None:
    (main.root / ".git/vfcc").write_text("in the way", encoding="utf-8")

    assert not hooked(main.root, words("UserPromptSubmit", "one")).faults

    assert [task.description for task in tasks(main)] == ["one"]
    assert list((main.local / "history").glob("*.jsonl"))


def test_without_git_the_history_is_where_it_was(tmp_path: Path) -> None:
    here = Workspace(write_memory(tmp_path / "plain", {"config.yaml": "format: 1\n"}), FixedClock(NOW))

    assert not hooked(here.root, words("UserPromptSubmit", "one")).faults

    assert history_folders(here) == (here.local / "history",)
    assert len(lines(here)) == 1


def test_two_projects_of_one_repository_have_a_history_each(main: Workspace) -> None:
    inner = Workspace(write_memory(main.root / "apps/web", {"config.yaml": "format: 1\n"}), main.clock)
    hooked(inner.root, words("UserPromptSubmit", "the page"))

    assert [task.description for task in tasks(inner)] == ["the page"]
    assert tasks(main) == ()
    around = repository_around(str(inner.root))
    assert around is not None
    assert around.folder == f"{main.root}/.git/vfcc/apps%2Fweb"


def test_many_processes_of_several_worktrees_write_at_once_and_no_event_is_lost(main: Workspace) -> None:
    trees = [main, *(linked(main, name) for name in ("coder", "tester", "reviewer"))]
    given = [(str(each.root), number) for number in range(12) for each in trees]
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(_record, given))

    assert len({each["id"] for each in lines(main)}) == len(given) == len(lines(main))
    assert len(tasks(main)) == len(given)


def _record(given: tuple[str, int]) -> None:
    root, number = given
    from verifflowcc.fast.hook import Hook

    hook = Hook("claude", "")
    hook.root = root
    hook.record_first(words("UserPromptSubmit", f"{root} {number}"))


def test_a_prompt_hears_of_a_history_that_lies_in_any_worktree_or_was_committed(main: Workspace) -> None:
    tester = linked(main, "tester")
    assert not is_recorded(main)

    own = tester.local / "history"
    own.mkdir(parents=True)
    (own / "2026-11-20.jsonl").write_text("{}\n", encoding="utf-8")
    assert is_recorded(main)
    shutil.rmtree(own)
    assert not is_recorded(main)
    (main.memory / "history").mkdir()
    (main.memory / "history" / "2026-11-20.jsonl").write_text("{}\n", encoding="utf-8")
    assert is_recorded(main)
