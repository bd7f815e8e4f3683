"""`migrate` and places: the history of each worktree goes to the repository, and generated files are ignored."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.history_world import NOW
from tests.trees import commit, git, write_memory
from tests.upgraded_world import unpacked
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.doctor import diagnose
from verifflowcc.cli.use.migrating import Migration, migrate
from verifflowcc.history.use.history_reading import own_partitions
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-MIGRATE")
LATER = FixedClock(NOW.replace(day=NOW.day + 1))
TODAY, DAY = f"{NOW:%Y-%m-%d}", "2026-01-02"
OLD_RULES = "local/\nsprint/*/progress.json\n.vfcc-*.tmp"


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A project of format 1 with a history of its own, in a repository."""
    root = write_memory(tmp_path / "main", {"config.yaml": "format: 1\n", ".gitignore": OLD_RULES})
    git(root, "init", "-q", "-b", "main")
    commit(root, "begin")
    write_memory(root, {f"local/history/{day}.jsonl": f'{{"day":"{day}"}}\n' for day in (DAY, TODAY)})
    return root


def whats(done: Migration) -> list[str]:
    return [step.action for step in done.steps]


def test_finished_days_of_all_worktrees_move_to_the_repository_and_a_dry_run_lists_them(main: Path) -> None:
    git(main, "worktree", "add", "-q", "-b", "coder", "../coder")
    write_memory(main.parent / "coder", {"local/history/2026-01-03.jsonl": '{"day":"coder"}\n'})

    planned = migrate(Workspace(main, FixedClock(NOW)), dry_run=True)
    done = migrate(Workspace(main, FixedClock(NOW)))

    assert done.steps == planned.steps
    assert done.notices == planned.notices
    moved = {(DAY, ".memory"), ("2026-01-03", "../coder/.memory")}
    for day, memory in moved:
        before, after = f"{memory}/local/history/{day}.jsonl", f".git/vfcc/history/{day}.jsonl"
        assert f"{before} moves to {after}, which all worktrees share" in whats(done)
        assert (main / after).is_file()
        assert not (main / before).exists()
    later = f".memory/local/history/{TODAY}.jsonl moves to .git/vfcc/history/{TODAY}.jsonl once its day is over"
    assert later in done.notices
    assert (main / f".memory/local/history/{TODAY}.jsonl").is_file(), "a hook may be adding to it"


def test_a_history_that_the_repository_cannot_take_stays_and_is_read(main: Path) -> None:
    (main / ".git/vfcc").write_text("in the way", encoding="utf-8")
    here = Workspace(main, LATER)

    done = migrate(here)

    assert not any("moves to" in what for what in whats(done))
    assert f".memory/local/history/{DAY}.jsonl stays: .git/vfcc/history/{DAY}.jsonl cannot be written" in done.notices
    assert {path.stem for path in own_partitions(here)} == {DAY, TODAY}


def test_without_git_the_history_stays_in_the_project(main: Path) -> None:
    shutil.rmtree(main / ".git")

    done = migrate(Workspace(main, LATER))

    assert not any("history" in each for each in (*whats(done), *done.notices))
    assert (main / f".memory/local/history/{DAY}.jsonl").is_file()


def test_generated_files_are_ignored_after_the_rules_that_there_are(main: Path) -> None:
    here = Workspace(main, LATER)
    numbers = ".memory/stage/one/planning/metrics.json"
    write_memory(main, {numbers.removeprefix(".memory/"): "{}\n"})

    done = migrate(here)

    text = (main / ".memory/.gitignore").read_text(encoding="utf-8")
    assert text == f"{OLD_RULES}\nstage/*/*/summary.md\nstage/*/*/metrics.json\n"
    assert any(each.startswith(f"not committed yet, and ignored from now on: {numbers}.") for each in done.notices)
    assert git(main, "status", "--porcelain", "--", ".memory/stage") == ""


def test_doctor_lets_files_stay_committed_that_alone_record_what_0_1_passed(tmp_path: Path) -> None:
    root = unpacked(tmp_path, ["shout"])
    committed = git(root, "ls-files", ".memory/stage/*/metrics.json", ".memory/stage/*/summary.md").split()

    remarks = [each.text for each in diagnose(root).remarks if each.subject == "git"]

    assert len(committed) > 8
    assert not any("is generated and committed" in text for text in remarks)


def test_after_a_migration_two_branches_that_pass_a_stage_alike_merge_into_one_move(tmp_path: Path) -> None:
    root = unpacked(tmp_path, ["shout"])
    migrate(Workspace(root))
    commit(root, "migrated")
    for number, name in enumerate(("one", "two"), start=1):
        git(root, "switch", "-q", "-c", name, "HEAD" if name == "one" else "one~1")
        here = Workspace(root, FixedClock(NOW + timedelta(days=10 + number)))
        assert advance_stage(here, "shout", actor=f"human:{name}").after == "testing"
        commit(root, name)

    git(root, "merge", "-q", "--no-edit", "one")

    state = show_sprint(Workspace(root), "shout")
    assert (state.current, state.fork, state.problems) == ("testing", None, ())
    assert git(root, "status", "--porcelain") == ""
