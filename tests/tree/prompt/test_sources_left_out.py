"""A source that fails is left out of a prompt with a notice, and takes nothing else with it."""

import json
from pathlib import Path

import pytest

from tests.prompt_world import ask, person
from tests.source_world import (
    BREAKS_TOGETHER,
    DAMAGE,
    NOTHING_REAL_BREAKS,
    PARTS_BROKEN,
    SHOWN,
    TASK,
    break_history_folder,
    break_user_database,
    left_out,
    missing,
    plant,
    project_of_sources,
)
from tests.trees import git, repository, vfcc, write_tree
from verifflowcc.base.errors import BudgetError, FormatError, StrictError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.entries import Question
from verifflowcc.base.model.layers import CODE
from verifflowcc.base.process.clock import OutOfTimeError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.doctor import diagnose
from verifflowcc.code.use.indexing import MOST_UNREAD_BYTES, index_code
from verifflowcc.items.store.item_edits import parse_item
from verifflowcc.memory.use.code_refs import ReferencedCode
from verifflowcc.prompt.use import prompt_sources
from verifflowcc.prompt.use import prompt_use as prompt_cache
from verifflowcc.prompt.use.gathering import STALE_MARKS
from verifflowcc.prompt.use.prompt_sources import READERS
from verifflowcc.prompt.use.prompt_use import compile_prompt_only
from verifflowcc.prompt.use.source_reader import LOG, SourceReader


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return person(tmp_path, monkeypatch)


@pytest.fixture
def here(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    return project_of_sources(tmp_path / "project", home)


def test_every_source_has_something_to_show_and_is_broken_here(here: Workspace) -> None:
    package = ask(here.root, task=TASK)

    assert set(SHOWN) == set(READERS) == set(DAMAGE) | NOTHING_REAL_BREAKS
    assert missing(package.text) == set()
    assert left_out(package.prompt.notices) == set()


def test_a_prompt_does_not_wait_for_very_much_code_that_was_never_read_and_says_so(here: Workspace) -> None:
    most = MOST_UNREAD_BYTES >> 20
    write_tree(here.root, {f"generated/table_{number}.py": " " * (1 << 20) for number in range(most)})

    first = ask(here.root, task=TASK)

    assert missing(first.text) == {CODE}
    (notice,) = first.prompt.notices
    assert notice.startswith("@code left out: the code was not read yet")
    assert notice.endswith("(hint: vfcc code index)")

    assert index_code(here).files > most
    second = ask(here.root, task=TASK)

    assert second.prompt.notices == ()
    assert missing(second.text) == set()


@pytest.mark.points(1)
@pytest.mark.parametrize("name", sorted(DAMAGE))
def test_a_damaged_source_is_left_out_of_the_printed_prompt_with_a_warning(
    here: Workspace, home: Path, tmp_path: Path, name: str
) -> None:
    DAMAGE[name](here, home)
    together = {name} | BREAKS_TOGETHER.get(name, set())
    places = {key: str(tmp_path / key.lower()) for key in ("XDG_DATA_HOME", "XDG_CONFIG_HOME")}

    done = vfcc(here.root, "context", "show", "-a", "coder", "--task", TASK, **places)

    assert done.returncode == 0, done.stderr.decode()
    warnings = [line.removeprefix("warning: ") for line in done.stderr.decode().splitlines()]
    assert left_out(warnings) == together | PARTS_BROKEN.get(name, set())
    assert all("(hint: " in line for line in warnings if " left out: " in line)
    assert missing(done.stdout.decode()) == together
    assert str(here.root) not in "".join(line for line in warnings if " left out: " in line)
    strict = vfcc(here.root, "context", "show", "-a", "coder", "--task", TASK, "--strict", **places)
    assert (strict.returncode, strict.stdout) == (3, b"")
    assert f"{name}" in strict.stderr.decode()
    assert " left out: " in strict.stderr.decode()


@pytest.mark.points(4)
@pytest.mark.parametrize("name", sorted(READERS))
def test_a_fault_of_ours_in_a_source_leaves_out_that_source_alone(
    here: Workspace, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    plant(monkeypatch, prompt_sources.READERS, name, KeyError("services/billing/"))

    package = ask(here.root, task=TASK)

    assert missing(package.text) == {name}
    (notice,) = [each for each in package.prompt.notices if " left out: " in each]
    assert notice.startswith(f"{name} left out: unexpected KeyError in prompt/use/source_reader.py:")
    assert notice.endswith(" (hint: vfcc doctor)")
    assert [each.key for each in package.skipped if each.reason.startswith("left out: ")] == [name]
    with pytest.raises(StrictError, match=name):
        ask(here.root, task=TASK, strict=True)


def test_the_details_of_a_fault_are_in_a_log_that_doctor_reports(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, prompt_sources.READERS, "@code", KeyError("services/billing/"))
    ask(here.root, task=TASK)

    line = json.loads((here.memory / LOG).read_text().splitlines()[-1])
    assert (line["source"], line["error"]) == ("@code", "KeyError: 'services/billing/'")
    assert line["traceback"].startswith("Traceback ")
    (remark,) = [each for each in diagnose(here.root).remarks if each.subject == "sources"]
    assert remark.text.startswith("sources left out of prompts and briefs: 1; the newest, ")
    assert remark.text.endswith(": @code: KeyError: 'services/billing/'")


def test_doctor_reports_a_history_that_no_folder_can_be_read_through(here: Workspace, home: Path) -> None:
    break_history_folder(here, home)

    (remark,) = [each for each in diagnose(here.root).remarks if each.subject == "history"]

    assert remark.text == f"{here.local / 'history'}: Too many levels of symbolic links"


@pytest.mark.sweep
def test_a_prompt_without_a_source_is_not_kept(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    question = Question("coder", task=TASK)
    with monkeypatch.context() as patch:
        plant(patch, prompt_sources.READERS, "@task", KeyError("x"))
        assert missing(compile_prompt_only(here, question).text) == {"@task"}

    assert prompt_cache.recall(here, question) is None
    assert missing(compile_prompt_only(here, question).text) == set()


def test_a_kept_prompt_is_not_in_the_way_of_code_that_cannot_be_read(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> str:
        raise KeyError("x")

    question = Question("coder", task=TASK)
    compile_prompt_only(here, question)
    monkeypatch.setattr("verifflowcc.code.use.code_offers.state_now", broken)

    assert prompt_cache.recall(here, question) is None
    assert missing(compile_prompt_only(here, question).text) == set()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BudgetError("x", needed=1), StrictError("x"), OutOfTimeError()])
def test_what_ends_the_whole_prompt_is_taken_for_no_fault_of_a_source(
    here: Workspace, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    plant(monkeypatch, prompt_sources.READERS, "@task", error)

    with pytest.raises(type(error)):
        ask(here.root, task=TASK)


def test_items_that_cannot_be_checked_for_stale_code_are_there_unmarked(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise KeyError("x")

    monkeypatch.setattr(ReferencedCode, "stale", broken)

    package = ask(here.root, task=TASK)

    assert missing(package.text) == set()
    assert left_out(package.prompt.notices) == {STALE_MARKS}


def test_a_source_whose_items_cannot_be_read_is_left_out_as_a_whole(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(path: str, data: bytes) -> object:
        if "/tasks/" in path:
            raise RecursionError
        return parse_item(path, data)

    monkeypatch.setattr("verifflowcc.prompt.use.source_files.parse_item", broken)

    package = ask(here.root, task=TASK)

    assert missing(package.text) == {"@task"}
    assert left_out(package.prompt.notices) == {"@task"}


@pytest.mark.sweep
def test_every_clone_of_a_commit_gives_the_same_notice(here: Workspace, tmp_path: Path) -> None:
    write_tree(here.memory, {"stage/totals/design/feedback.md": b"\xff\xfe"})
    repository(here.root)
    git(tmp_path, "clone", "--quiet", str(here.root), "elsewhere")

    found = [ask(root, task=TASK, committed=True).prompt for root in (here.root, tmp_path / "elsewhere")]

    assert left_out(found[0].notices) == {"feedback.md"}
    assert found[0].notices == found[1].notices
    assert found[0].text == found[1].text
    assert "/tmp" not in "".join(each for each in found[0].notices if "feedback.md" in each)


def test_outside_of_a_project_a_prompt_comes_without_the_persons_broken_items(tmp_path: Path, home: Path) -> None:
    break_user_database(Workspace(tmp_path), home)
    (tmp_path / "nowhere").mkdir()
    places = {key: str(tmp_path / key.lower()) for key in ("XDG_DATA_HOME", "XDG_CONFIG_HOME")}

    done = vfcc(tmp_path / "nowhere", "context", "show", "-a", "planner", "--task", TASK, **places)

    assert done.returncode == 0, done.stderr.decode()
    assert TASK in done.stdout.decode()
    assert "warning: @user left out: " in done.stderr.decode()


def test_reasons_name_no_folder_of_this_machine(tmp_path: Path) -> None:
    reader = SourceReader(Workspace(tmp_path))

    def broken() -> str:
        raise FormatError(f"{tmp_path}/.memory/a.md:1: not UTF-8\nsecond line", hint="vfcc check memory")

    def unreadable() -> str:
        return (tmp_path / "missing").read_text()

    assert reader.read("@task", broken, "instead") == "instead"
    assert reader.read("@user", unreadable, "") == ""
    assert reader.read("@code", broken, "") == ""
    assert reader.notices == (
        "@task, @code left out: .memory/a.md:1: not UTF-8; second line (hint: vfcc check memory)",
        "@user left out: missing: No such file or directory (hint: vfcc doctor)",
    )
