"""A kept prompt is never served once an input has changed, whatever was done to hide the change."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.trees import example, git, repository, write_memory, write_tree
from verifflowcc.base.errors import VfccError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.write import ProjectTree
from verifflowcc.base.model.entries import ContextPackage, Prompt, Question
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.prompt.use import prompt_use as prompt_cache
from verifflowcc.prompt.use.memory_manager import MemoryManager
from verifflowcc.prompt.use.prompt_use import compile_context, compile_prompt_only
from verifflowcc.prompt.use.source_files import folder_for_caches, shown_tools
from verifflowcc.sprint.use.sprint_status import current_status, remember_status

pytestmark = pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")

ASK = Question("coder", task="write the calendar export", budget_tokens=20_000)
DECISION = ".memory/project/decisions/0001-predict-from-constituents.md"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The worked example with a prompt in the cache. What was just written counts as settled, and a clock's tick is
    waited for instead."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    return Workspace(example(tmp_path / "project"))


def tick(root: Path) -> None:
    """Return when the file system's clock has moved on, in milliseconds, so that the next change has a new time."""
    probe = root.parent / "probe"
    probe.write_text("")
    before = probe.stat().st_mtime_ns
    while probe.stat().st_mtime_ns == before:
        probe.write_text("")


def warm(here: Workspace, question: Question = ASK) -> str:
    """Fill the cache, see that it answers, and return the prompt."""
    tick(here.root)
    text = compile_prompt_only(here, question).text
    kept = prompt_cache.recall(here, question)
    assert kept is not None
    assert kept.text == text == compile_context(here, question).text
    tick(here.root)
    return text


def answer(
    compile_it: Callable[[Workspace, Question], ContextPackage | Prompt], here: Workspace, question: Question
) -> object:
    """What a command says: the prompt's text and notices, or the error."""
    try:
        found = compile_it(here, question)
    except VfccError as error:
        return type(error), str(error)
    prompt = found.prompt if isinstance(found, ContextPackage) else found
    return prompt.text, prompt.notices, prompt.layers


def see(here: Workspace, before: str | None = None, question: Question = ASK) -> object:
    """The cached way answers as a project with nothing cached does; it is not what it was `before`."""
    cached = answer(compile_prompt_only, here, question)
    elsewhere = here.root.parent / "elsewhere"
    shutil.rmtree(elsewhere, ignore_errors=True)
    shutil.copytree(here.root, elsewhere, symlinks=True, ignore=shutil.ignore_patterns("local"))
    assert cached == answer(compile_context, Workspace(elsewhere), question)
    assert cached == answer(compile_context, here, question)
    if before is not None:
        assert isinstance(cached, tuple)
        assert cached[0] != before
    return cached


def swap(path: Path, old: bytes, new: bytes) -> None:
    assert len(old) == len(new)
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


@pytest.mark.sweep
def test_an_edit_of_the_same_size_with_the_old_times_is_seen(here: Workspace) -> None:
    before = warm(here)
    path = here.root / DECISION
    was = path.stat()
    swap(path, b"Constants come", b"CONSTANTS come")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))

    assert path.stat().st_size == was.st_size
    assert path.stat().st_mtime_ns == was.st_mtime_ns
    see(here, before)


def test_one_edit_among_many_files_of_a_folder_is_seen(here: Workspace) -> None:
    folder = here.root / DECISION.rpartition("/")[0]
    for number in range(1000, 1201):
        (folder / f"{number}-x.md").write_bytes(b"# Use a lamp\n\nLamps are bright.\n")
    tick(here.root)
    compile_prompt_only(here, ASK)
    assert prompt_cache.recall(here, ASK) is not None
    kept = [json.loads(each.read_bytes().partition(b"\n")[2]) for each in (here.local / "prompts").iterdir()]
    assert not any(
        path.startswith(DECISION.rpartition("/")[0] + "/") for each in kept for path in each["value"]["depends"]
    )
    tick(here.root)
    swap(folder / "1100-x.md", b"bright", b"BRIGHT")

    assert prompt_cache.recall(here, ASK) is None


@pytest.mark.sweep
def test_a_file_put_in_place_by_a_rename_with_the_old_times_is_seen(here: Workspace) -> None:
    path, other = here.root / DECISION, here.root / "other.md"
    other.write_bytes(path.read_bytes().replace(b"Constants come", b"CONSTANTS come", 1))
    before = warm(here)
    was = path.stat()
    os.utime(other, ns=(was.st_atime_ns, was.st_mtime_ns))
    folder = path.parent.stat()
    other.replace(path)
    os.utime(path.parent, ns=(folder.st_atime_ns, folder.st_mtime_ns))

    see(here, before)


@pytest.mark.sweep
def test_a_link_turned_to_another_file_is_seen(here: Workspace) -> None:
    texts = {"one.md": "# Style\n\nTabs.\n", "two.md": "# Style\n\nDots.\n"}
    write_tree(here.root, {f"docs/{name}": text for name, text in texts.items()})
    for name in texts:
        os.utime(here.root / "docs" / name, (1_000_000_000, 1_000_000_000))
    link = here.memory / "project/conventions/style.md"
    link.symlink_to("../../../docs/one.md")
    before = warm(here)
    link.unlink()
    link.symlink_to("../../../docs/two.md")

    assert "Tabs." in before
    see(here, before)


@pytest.mark.sweep
def test_a_linked_folder_turned_to_another_is_seen(here: Workspace) -> None:
    shutil.copytree(here.memory / "project/decisions", here.root / "one")
    shutil.copytree(here.root / "one", here.root / "two")
    (here.root / "two" / Path(DECISION).name).unlink()
    link = here.memory / "project/decisions"
    shutil.rmtree(link)
    link.symlink_to("../../one")
    before = warm(here)
    link.unlink()
    link.symlink_to("../../two")

    see(here, before)


CHANGES: dict[str, dict[str, str | None]] = {
    "a decision": {DECISION: "# 1. Other\n"},
    "a file that a pattern names": {".memory/project/decisions/0099-new.md": "# 99. New\n"},
    "a file gone": {DECISION: None},
    "an artifact": {".memory/stage/sprint-02/coding/artifacts/new.json": "{}\n"},
    "feedback": {".memory/stage/sprint-02/coding/feedback.md": "Mind the gap.\n"},
    "a role's prompt": {".memory/agent/coder/prompt.md": "Write.\n"},
    "the configuration": {".memory/config.yaml": "loading_strategy:\n  project:\n    max_tokens: 300\n"},
    "no configuration": {".memory/config.yaml": None},
    "a template of the project": {".memory/templates/coder.md.j2": "{{ prompt.task }}\n"},
    "a broken template": {".memory/templates/coder.md.j2": "{% set x = 1 %}\n"},
    "a result": {".memory/sprint/sprint-02/results.json": '{"coverage": 91}\n'},
    "an event that is none": {".memory/sprint/sprint-02/events/01M7ATFCZ0E6SH995BW2CP5YF4.json": "{}\n"},
    "core knowledge gone": {"CLAUDE.md": None},
    "a file too large": {".memory/project/conventions/python.md": "x " * 600_000},
    "a file that is not UTF-8": {DECISION: "\udcff"},
    "a sprint's folder": {".memory/sprint/sprint-00/retrospective.md": "# We learned\n"},
}


@pytest.mark.sweep
@pytest.mark.parametrize("files", CHANGES.values(), ids=CHANGES)
def test_whatever_changes_is_seen_at_once(here: Workspace, files: dict[str, str | None]) -> None:
    warm(here)
    before = see(here)
    for name, content in files.items():
        if content is None:
            (here.root / name).unlink()
        else:
            write_tree(here.root, {name: content.encode("utf-8", "surrogateescape")})

    assert see(here) != before


@pytest.mark.sweep
def test_every_event_of_a_move_is_seen(here: Workspace) -> None:
    before = warm(here)
    MemoryManager(here.root).update_sprint_memory("sprint-02", {"coverage": 91})
    after = see(here, before)
    assert '"coverage": 91' in str(after)


@pytest.mark.sweep
def test_a_forged_event_is_seen_though_its_size_and_times_are_the_same(here: Workspace) -> None:
    warm(here)
    path = max((here.memory / "sprint/sprint-02/events").iterdir())
    was = path.stat()
    swap(path, b"maintainer", b"mainteiner")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))

    assert "run vfcc sprint show sprint-02" in str(see(here))


@pytest.mark.sweep
def test_claude_md_is_seen_where_only_agents_md_was(here: Workspace) -> None:
    (here.root / "CLAUDE.md").rename(here.root / "AGENTS.md")
    before = warm(here)
    assert "### AGENTS.md" in before
    write_tree(here.root, {"CLAUDE.md": "# Ours\n"})

    after = see(here, before)
    assert "### CLAUDE.md" in str(after)
    assert "### AGENTS.md" not in str(after)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("deep/er/rules.md", "deep/er/rules.md"),
        ("late/*.md", "late/one.md"),
        ("late/*/two.md", "late/er/two.md"),
        ("**/notes/*.md", "items/need/notes/three.md"),
        ("**/notes/*.md", "new/er/notes/three.md"),
        ("**", "four.md"),
    ],
)
def test_folders_that_a_pattern_names_are_seen_as_they_come_and_go(here: Workspace, pattern: str, name: str) -> None:
    lists = {"always_load": [], "conditional_load": [pattern]}
    write_memory(here.root, {"config.yaml": json.dumps({"loading_strategy": {"project": lists}})})
    before = warm(here)
    write_memory(here.root, {f"project/{name}": f"# {name} has come\n"})
    assert f"{name} has come" in str(see(here, before))

    before = warm(here)
    shutil.rmtree(here.memory / "project")
    see(here, before)


@pytest.mark.sweep
def test_a_sprint_written_by_hand_is_seen_as_it_grows(here: Workspace) -> None:
    ask = Question("coder", "by-hand", None)
    write_memory(here.root, {"sprint/by-hand/goals.md": "# Goals\n"})
    before = warm(here, ask)
    write_memory(here.root, {"sprint/by-hand/progress.json": '{"done": 1}\n'})
    assert '"done": 1' in str(see(here, before, ask))

    before = warm(here, ask)
    path = here.memory / "sprint/by-hand/progress.json"
    was = path.stat()
    swap(path, b"1", b"2")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert '"done": 2' in str(see(here, before, ask))


def test_a_ledger_that_comes_to_a_sprint_written_by_hand_is_seen(here: Workspace) -> None:
    """A merge may bring the events of a sprint whose folder is there already."""
    write_memory(here.root, {"sprint/sprint-03/goals.md": "# Goals\n"})
    before = warm(here)
    remember_status(here)
    (here.memory / "sprint/sprint-03/events").mkdir()
    source = here.memory / "sprint/sprint-02/events"
    first = min(source.iterdir())
    event = json.loads(first.read_bytes())
    assert event["type"] == "sprint_started"
    tick(here.root)
    shutil.copyfile(first, here.memory / "sprint/sprint-03/events" / first.name)

    see(here, before)
    left_behind = json.loads((here.local / "snapshot.json").read_bytes())
    fresh = all(stamps.stamp(here.root / path) == was for path, was in left_behind["stamps"].items())
    assert not fresh
    assert len(current_status(here).open) == 2


def test_a_stage_written_by_hand_that_goes_is_seen(here: Workspace) -> None:
    ask = Question("coder", "by-hand", "coding")
    write_memory(here.root, {"sprint/by-hand/goals.md": "# Goals\n", "stage/by-hand/coding/feedback.md": "Good.\n"})
    warm(here, ask)
    shutil.rmtree(here.memory / "stage/by-hand/coding")

    assert "has no stage coding" in str(see(here, question=ask))


def test_an_agent_that_goes_is_seen(here: Workspace) -> None:
    ask = Question("pilot")
    (here.memory / "agent/pilot").mkdir()
    warm(here, ask)
    (here.memory / "agent/pilot").rmdir()

    assert "there is no agent pilot" in str(see(here, question=ask))


@pytest.mark.sweep
def test_code_that_comes_changes_or_goes_is_seen(here: Workspace) -> None:
    before = warm(here)
    assert "def calendar_export():" not in before
    for number in (1, 2):
        write_tree(here.root, {"src/export.py": f"def calendar_export():\n    return {number}\n"})
        assert f"    return {number}" in str(see(here, before))
        before = warm(here)
    (here.root / "src/export.py").unlink()
    assert "calendar_export" not in str(see(here, before))
    before = warm(here)

    write_tree(here.root, {"src/notes.txt": "calendar export\n"})
    assert prompt_cache.recall(here, ASK) is not None


@pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")
def test_another_branch_and_another_variable_are_seen(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(here.root)
    start_sprint(here, "Harbours", workflow="light", actor="human:You")
    git(here.root, "branch", "other")
    before = warm(here)
    assert "sprint-02" not in str(prompt_cache.recall(here, ASK))

    git(here.root, "switch", "--quiet", "other")
    assert "several sprints are open: harbours, sprint-02" in str(see(here, before))

    monkeypatch.setenv("VFCC_SPRINT", "sprint-02")
    before = str(see(here, before))
    assert "Tides in a calendar" in before
    monkeypatch.setenv("VFCC_SPRINT", "harbours")
    assert str(see(here)) != before


def test_code_that_cannot_be_listed_any_more_is_said_and_not_kept(here: Workspace) -> None:
    git(here.root, "init", "--quiet")
    warm(here)
    (here.root / ".git" / "index").write_bytes(b"damaged")

    assert prompt_cache.recall(here, ASK) is None
    assert "@code, states of trace items left out: " in str(answer(compile_prompt_only, here, ASK))
    assert prompt_cache.recall(here, ASK) is None


def test_a_damaged_code_graph_is_made_again(here: Workspace) -> None:
    write_tree(here.root, {"src/export.py": "def calendar_export():\n    return 1\n"})
    before = warm(here)
    (here.local / "code.db").write_bytes(b"damaged")

    kept = prompt_cache.recall(here, ASK)
    assert kept is not None
    assert kept.text == compile_context(here, ASK).text == before


def test_nothing_is_kept_while_an_input_is_fresh(tmp_path: Path) -> None:
    here = Workspace(example(tmp_path / "project"))
    compile_prompt_only(here, ASK)
    assert not any(here.local.glob("prompts/*.json"))


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 100, b"[]", b"{}", b'{"depends": {}, "prompt": {}}', b'{"depends": {"": ""}, "prompt": 1}']
)
def test_a_damaged_cache_is_made_again(here: Workspace, content: bytes) -> None:
    before = warm(here)
    for path in here.local.glob("prompts/*.json"):
        path.write_bytes(content)

    assert compile_prompt_only(here, ASK).text == before


def test_a_flipped_letter_in_a_kept_prompt_is_not_served(here: Workspace) -> None:
    before = warm(here)
    for path in here.local.glob("prompts/*.json"):
        swap(path, b"calendar export", b"calendar Export")

    assert compile_prompt_only(here, ASK).text == before


@pytest.mark.sweep
def test_prompts_of_other_questions_are_told_apart(here: Workspace) -> None:
    texts = {
        warm(here, Question("coder")),
        warm(here, Question("tester")),
        warm(here, Question("coder", stage="design")),
        warm(here, Question("coder", "sprint-01")),
        warm(here, Question("coder", task="None")),
        warm(here, Question("coder", budget_tokens=2000)),
    }
    assert len(texts) == 6


@pytest.mark.sweep
def test_only_the_latest_prompts_are_kept(here: Workspace) -> None:
    for number in range(prompt_cache.KEPT + 3):
        compile_prompt_only(here, Question("coder", task=f"task {number}"))
    kept = sorted(here.local.glob("prompts/*.json"))

    assert len(kept) == prompt_cache.KEPT
    assert prompt_cache.recall(here, Question("coder", task=f"task {prompt_cache.KEPT + 2}")) is not None


def test_a_reviewers_prompt_is_kept_until_a_file_or_a_commit_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    here, ask = Workspace(example(tmp_path / "project")), Question("reviewer", budget_tokens=20_000)
    repository(here.root)
    git(here.root, "checkout", "--quiet", "-b", "topic")
    before = warm(here, ask)

    write_tree(here.root, {"notes.txt": "Sound the siren.\n"})
    assert prompt_cache.recall(here, ask) is None
    edited = warm(here, ask)
    assert "+Sound the siren.\n" in edited.replace(before, "")
    write_tree(here.root, {"notes.txt": "Sound the whistle.\n"})
    assert prompt_cache.recall(here, ask) is None
    git(here.root, "add", "notes.txt")
    git(here.root, "commit", "--quiet", "--message", "Notes")
    assert prompt_cache.recall(here, ask) is None
    assert "notes.txt, diff since " in warm(here, ask)


def test_what_is_kept_of_a_role_s_tools_is_of_the_file_as_it_is_and_no_commit_s(here: Workspace) -> None:
    path = here.root / ".memory" / "agent" / "coder" / "tools.yaml"
    kept = here.local / "tools" / "coder.json"
    before = compile_prompt_only(here, ASK).text
    assert "network: true" not in before
    assert kept.is_file()

    path.write_text(path.read_text(encoding="utf-8").replace("network: false", "network: true"), encoding="utf-8")
    after = compile_prompt_only(here, ASK).text
    fresh = here.root.parent / "fresh"
    shutil.copytree(here.root, fresh, ignore=shutil.ignore_patterns("local"))
    assert "network: true" in after
    assert compile_prompt_only(Workspace(fresh), ASK).text == after

    kept.unlink()
    tree = ProjectTree(here.root)
    assert folder_for_caches(ASK, tree) == here.local
    assert folder_for_caches(replace(ASK, committed=True), tree) is None
    shown_tools(".memory/agent/coder/tools.yaml", path.read_text(encoding="utf-8"), None)
    assert not kept.exists()
