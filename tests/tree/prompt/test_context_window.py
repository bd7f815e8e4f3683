"""The working window of a program: on disk after each change, pruned on the record, restored, within its limit."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.history_world import hooked
from tests.ticking import Ticking
from tests.trees import write_memory, write_tree
from verifflowcc.base.errors import BudgetError, ConflictError, FormatError, UsageError, WorkspaceError
from verifflowcc.history.rules.agent_history import Intent, SnapshotReason, TaskEpisode
from verifflowcc.history.rules.window_values import WindowItemType
from verifflowcc.history.use.context_window import ContextWindow
from verifflowcc.memory.rules.tasks import TaskStatus

SECRET = "sk-ant-api03-" + "aB3dE5fG7h" * 9
CODE = {
    "shop/prices.py": "def vat(cents: int) -> int:\n    return cents * 19 // 100\n",
    "shop/basket.py": (
        "from shop.prices import vat\n\n\ndef checkout(cents: int) -> int:\n    return cents + vat(cents)\n"
    ),
}


def nothing(text: str, limit: int) -> Sequence[TaskEpisode]:
    return ()


def past(text: str, limit: int) -> Sequence[TaskEpisode]:
    """More than are asked for, so that the number of those that are told is the window's doing."""
    tasks = ("Fix the login", "Add OAuth", "Move the clock", "Rename all")
    return [
        TaskEpisode(name, "s0", name, Intent.PROJECT_FIXING, TaskStatus.COMPLETED, "x", outcome=f"{name}: done")
        for name in tasks
    ]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_memory(tmp_path / "shop", {})


def opened(root: Path, limit: int | None = None, session: str = "s1", **more: Any) -> ContextWindow:
    return ContextWindow(root, session, limit_tokens=limit, clock=Ticking(), **{"similar": nothing, **more})


def history(root: Path, kind: str) -> list[dict[str, Any]]:
    lines = [line for path in (root / ".memory/local/history").glob("*") for line in path.read_text().splitlines()]
    return [event for event in map(json.loads, lines) if event["kind"] == kind]


def nearly_full(root: Path) -> ContextWindow:
    """A window of 100 tokens that holds 91, 9 of them sticky."""
    window = opened(root, 100)
    window.add("one " * 9, "system_prompt")
    window.add("two " * 30, "tool_result", tool="Bash")
    window.add("def three(): ... " * 9, "code_snippet", path="a.py", lines=(3, 9), relevance=500)
    window.add("four " * 20)
    return window


@pytest.mark.vfcc("REQ-WINDOW-ITEMS")
def test_another_process_sees_each_item_with_all_that_was_said_of_it(root: Path) -> None:
    window = opened(root)
    window.set_task("login")
    prompt = window.add("You fix bugs.", "system_prompt")
    said = window.add("The login fails.")
    response = window.add("I look.", "assistant_response", tool_calls=True, dependencies=[said.id])
    code = window.add("x = 1", "code_snippet", path="a.py", lines=(1, 2), relevance=700, task="logout")

    again = opened(root)

    assert again.items == (prompt, said, response, code)
    assert again.items[0].type is WindowItemType.SYSTEM_PROMPT
    assert (again.task, prompt.sticky, said.task, response.dependencies) == ("login", True, "login", (said.id,))
    assert (code.path, code.lines, code.relevance, code.task) == ("a.py", (1, 2), 700, "logout")
    assert said.tokens == 4
    assert again.tokens == sum(each.tokens for each in again.items)
    assert again.messages() == [
        {"role": "system", "content": "You fix bugs."},
        {"role": "user", "content": "The login fails."},
        {"role": "assistant", "content": "I look."},
        {"role": "user", "content": "x = 1"},
    ]


@pytest.mark.vfcc("REQ-WINDOW-LIMIT")
def test_the_limit_is_what_the_settings_leave(root: Path) -> None:
    assert opened(root).limit_tokens == 180_000
    write_memory(root, {"config.yaml": "format: 1\nmemory:\n  window: {total_tokens: 1000, buffer_tokens: 100}\n"})

    assert opened(root).limit_tokens == 900
    assert opened(root, 50).limit_tokens == 50


@pytest.mark.vfcc("REQ-WINDOW-THRESHOLD")
def test_only_a_window_that_is_nearly_full_is_pruned(root: Path) -> None:
    window = nearly_full(root)
    tokens = window.tokens
    exactly = ContextWindow(root, "s1", limit_tokens=-(-tokens * 100 // 80), similar=nothing)

    assert exactly.maybe_prune() is None
    assert window.tokens == tokens
    done = window.maybe_prune()

    assert done is not None
    assert done.tokens_removed * 10 >= tokens * 3
    assert window.tokens == tokens - done.tokens_removed
    assert window.items == done.kept


@pytest.mark.vfcc("REQ-WINDOW-SUMMARIES", "REQ-EPISODE-SNAPSHOTS", "REQ-WINDOW-SNAPSHOTS")
def test_what_goes_is_on_record_and_the_window_is_kept_as_it_was(root: Path) -> None:
    window = nearly_full(root)
    before = window.items

    done = window.prune()

    assert [each.item.type.value for each in done.removed] == ["code_snippet"]
    (read,) = history(root, "file_interaction")
    assert (read["path"], read["lines"], read["gen_ai.conversation.id"]) == ("a.py", [3, 9], "s1")
    (told,) = history(root, "window_snapshot")
    assert told["reason"] == "pruning"
    assert [each["id"] for each in told["items"]] == [each.id for each in window.items]
    assert told["total_tokens"] == window.tokens
    assert [each["id"] for each in told["pruned"]] == [done.removed[0].item.id]
    (kept,) = window.snapshots()
    assert (kept.reason, kept.window.items) == (SnapshotReason.PRUNING, before)
    second = window.prune()
    (pruned,) = history(root, "pruned")
    assert (pruned["item"], pruned["type"]) == (second.removed[0].item.id, "tool_result")
    assert pruned["summary"] == ("two " * 30)[:200]


@pytest.mark.vfcc("REQ-WINDOW-SUMMARIES")
def test_where_nothing_can_be_recorded_nothing_is_removed(root: Path) -> None:
    window = nearly_full(root)
    before = window.items
    (root / ".memory/local/history").write_text("in the way", encoding="utf-8")

    with pytest.raises(WorkspaceError, match=r"cannot write .*history"):
        window.prune()
    with pytest.raises(WorkspaceError, match=r"cannot write .*history"):
        window.prepare_context("four")

    assert window.items == before
    assert opened(root).items == before


def test_where_no_snapshot_can_be_kept_nothing_is_removed(root: Path) -> None:
    window = nearly_full(root)
    before = window.items
    (root / ".memory/local/windows/s1.snapshots").write_text("in the way", encoding="utf-8")

    with pytest.raises(WorkspaceError, match="cannot write"):
        window.prune()

    assert opened(root).items == before


def test_with_sticky_items_alone_nothing_is_pruned_and_nothing_recorded(root: Path) -> None:
    window = opened(root, 10)
    window.add("one " * 30, "system_prompt")

    done = window.prune()

    assert (done.removed, window.snapshots(), history(root, "window_snapshot")) == ((), (), [])


@pytest.mark.vfcc("REQ-WINDOW-SNAPSHOTS")
def test_a_snapshot_brings_back_every_item(root: Path) -> None:
    window = nearly_full(root)
    window.add("\ud83d\r\n\x1b \u2028 ünï", "tool_result", tool="cat")
    window.set_task("login")
    wanted, messages = window.items, window.messages()
    kept = window.snapshot()
    window.prune()
    window.set_task("other")
    window.add("more")

    before = window.restore(kept.id)

    assert (window.items, window.messages(), window.task) == (wanted, messages, "login")
    assert (opened(root).items, opened(root).messages()) == (wanted, messages)
    assert before.window.items[-1].content == "more", "what was there before can be had again"
    assert opened(root).restore(kept).reason is SnapshotReason.MANUAL
    assert [each.reason.value for each in window.snapshots()] == [
        *("manual", "manual", "task_switch", "pruning", "manual", "task_switch")
    ]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(str.strip)
PLAIN = [
    WindowItemType.USER_MESSAGE,
    WindowItemType.SYSTEM_PROMPT,
    WindowItemType.ASSISTANT_RESPONSE,
    WindowItemType.GRAPH_QUERY,
]


@pytest.mark.vfcc("REQ-WINDOW-SNAPSHOTS")
@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(TEXTS, st.sampled_from(PLAIN), st.integers(0, 1000)), max_size=6), TEXTS)
def test_whatever_comes_after_a_snapshot_it_brings_back_what_was_there(
    texts: list[tuple[str, WindowItemType, int]], later: str
) -> None:
    with TemporaryDirectory() as folder:
        window = opened(write_memory(Path(folder), {}), 500)
        for text, kind, relevance in texts:
            window.add(text, kind.value, relevance=relevance)
        wanted, messages = window.items, window.messages()
        kept = window.snapshot()
        window.set_task(later)
        window.prepare_context(later)
        window.prune()

        window.restore(kept.id)

        again = opened(Path(folder))
        assert (again.items, again.messages(), again.task) == (wanted, messages, None)


@pytest.mark.vfcc("REQ-WINDOW-SNAPSHOTS")
def test_a_change_of_the_task_keeps_the_window_as_it_was(root: Path) -> None:
    window = opened(root)
    window.set_task("login")
    item = window.add("The login fails.")

    assert window.set_task("login") is None
    kept = window.set_task("logout")

    assert kept is not None
    assert (kept.window.task, kept.window.items, window.task) == ("login", (item,), "logout")
    assert [each["reason"] for each in history(root, "window_snapshot")] == ["task_switch", "task_switch"]


def test_the_newest_twenty_snapshots_are_kept(root: Path) -> None:
    window = opened(root)
    made = []
    for number in range(22):
        window.add(f"text {number}")
        made.append(window.snapshot().id)

    assert [each.id for each in window.snapshots()] == made[:1:-1]


def test_a_clock_that_goes_back_does_not_cost_the_newest_snapshot(root: Path) -> None:
    class Backwards(Ticking):
        def now(self) -> Any:
            self.at -= timedelta(days=1)
            return self.at

    window = ContextWindow(root, "s1", similar=nothing, clock=Backwards())
    made = [window.snapshot().id for _ in range(22)]

    assert [each.id for each in window.snapshots()] == made[:1:-1]


@pytest.mark.vfcc("REQ-PREPARE-CONTEXT")
def test_a_message_gets_the_code_and_the_past_that_bear_on_it(root: Path) -> None:
    write_tree(root, CODE)
    window = opened(root, similar=past)
    window.add("You fix bugs.", "system_prompt")

    messages = window.prepare_context("Why does checkout add the vat twice?")

    assert messages[0] == {"role": "system", "content": "You fix bugs."}
    assert messages[-1] == {"role": "user", "content": "Why does checkout add the vat twice?"}
    assert messages == window.messages()
    code = {each.path for each in window.items if each.type is WindowItemType.CODE_SNIPPET}
    assert code == set(CODE)
    assert any("def checkout(cents: int)" in each["content"] for each in messages)
    (told,) = (each for each in window.items if each.type is WindowItemType.ASSISTANT_RESPONSE)
    assert told.content == (
        "Relevant past work:\n- Fix the login: Fix the login: done\n- Add OAuth: Add OAuth: done\n"
        "- Move the clock: Move the clock: done"
    )
    count = len(window.items)
    window.prepare_context("Why does checkout add the vat twice?")
    assert len(window.items) == count + 1, "what is there already is not there twice"


@pytest.mark.vfcc("REQ-PREPARE-CONTEXT")
def test_past_tasks_are_those_of_the_project_s_history(root: Path) -> None:
    for number, (asked, answered) in enumerate((("Fix the vat of checkout", "Vat once."), ("Paint it red", "Red."))):
        said = {"session_id": "old", "prompt_id": f"p{number}"}
        hooked(root, {**said, "hook_event_name": "UserPromptSubmit", "prompt": asked})
        hooked(root, {**said, "hook_event_name": "Stop", "last_assistant_message": answered})
    window = ContextWindow(root, "s1")

    window.prepare_context("Why does checkout add the vat twice?")

    (told,) = (each for each in window.items if each.type is WindowItemType.ASSISTANT_RESPONSE)
    assert told.content == "Relevant past work:\n- Fix the vat of checkout: Vat once."


@pytest.mark.points(4)
@pytest.mark.parametrize("limit", [12, 30, 60, 100, 150, 400])
def test_what_is_made_ready_is_within_the_limit(root: Path, limit: int) -> None:
    write_tree(root, CODE)
    window = opened(root, limit, similar=past)
    window.add("You fix bugs.", "system_prompt")
    for number in range(8):
        window.add(f"result {number} " * 12, "tool_result", tool="Bash")
        messages = window.prepare_context("Fix checkout, vat")

        assert window.tokens <= limit
        assert messages[-1]["content"] == "Fix checkout, vat"
        assert messages[0]["content"] == "You fix bugs."


def test_what_cannot_fit_is_told_and_changes_nothing(root: Path) -> None:
    window = opened(root, 20)
    window.add("one " * 15, "system_prompt")
    before = window.items

    with pytest.raises(BudgetError, match=r"^16 tokens of sticky items and \d+ of the message are more than .* 20$"):
        window.prepare_context("two " * 9)

    assert (window.items, window.snapshots()) == (before, ())


def test_where_there_is_no_code_the_message_stands_alone(root: Path) -> None:
    assert opened(root).prepare_context("Hello") == [{"role": "user", "content": "Hello"}]


def test_no_secret_is_written(root: Path) -> None:
    window = opened(root, 100)
    window.add(f"The key is {SECRET}", "tool_result", tool="cat")
    window.add("x " * 90, relevance=1)
    window.prune()
    window.prune()
    window.snapshot()

    for path in (root / ".memory").rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes(), path
    assert "[secret withheld: " in window.snapshots()[-1].window.items[0].content
    assert all(SECRET not in each["content"] for each in window.messages())


def test_of_two_that_change_one_window_neither_loses_an_item(root: Path) -> None:
    windows = [ContextWindow(root, "s1", similar=nothing) for _ in range(4)]

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: windows[number % 4].add(f"text {number}"), range(40)))

    assert sorted(each.content for each in opened(root).items) == sorted(f"text {number}" for number in range(40))


def test_a_window_that_somebody_holds_is_not_changed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from verifflowcc.history.store import window_files

    window = opened(root)
    window.add("x")
    monkeypatch.setattr(window_files, "WAIT_S", 0.01)
    with (
        window_files.changing_window(root / ".memory/local/windows", root / ".memory", "s1"),
        pytest.raises(ConflictError, match="is held by another vfcc"),
    ):
        window.add("y")

    assert [each.content for each in window.items] == ["x"]


@pytest.mark.parametrize("session", ["../../x", "a/b", "a.b", "A", "a" * 300, "ü", "lock", "s.snapshots"])
def test_each_session_has_a_window_of_its_own_inside_of_the_folder(root: Path, session: str) -> None:
    near = ["a-b", "a", "a" * 100, "a" * 301, "s-snapshots", "------x"]
    for name in (session, *near):
        opened(root, session=name).add(f"of {name}")

    for name in (session, *near):
        assert [each.content for each in opened(root, session=name).items] == [f"of {name}"]
    files = [path.name for path in (root / ".memory/local/windows").glob("*.json")]
    assert len(files) == 1 + len(near)
    assert list(root.parent.glob("*")) == [root]


def test_a_file_that_is_no_window_is_told_in_a_sentence(root: Path) -> None:
    opened(root).add("x")
    path = root / ".memory/local/windows/s1.json"
    path.write_text('{"format":9}\n', encoding="utf-8")

    with pytest.raises(FormatError, match=r"s1\.json:1: not a window: format 9 is newer than this vfcc") as caught:
        opened(root)
    assert caught.value.hint == f"rm {path}"

    path.unlink()
    path.symlink_to(root / "elsewhere")
    with pytest.raises(WorkspaceError, match="is not a window"):
        opened(root).add("x")


def test_a_file_under_the_name_of_another_session_is_told(root: Path) -> None:
    opened(root).add("x")
    folder = root / ".memory/local/windows"
    (folder / "s1.json").rename(folder / "s2.json")

    with pytest.raises(FormatError, match=r"s2\.json:1: is the window of the session s1"):
        opened(root, session="s2")


def test_a_folder_that_is_a_link_to_elsewhere_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / ".memory/local").mkdir()
    (root / ".memory/local/windows").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(WorkspaceError, match="is a link that leaves"):
        opened(root).add("x")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"content": " "}, "is empty"),
        ({"type": "thought"}, "there is no type of a window's items thought"),
        ({"type": "code_snippet"}, "a code_snippet is from a file"),
        ({"type": "tool_result", "lines": (1, 2)}, "lines are those of a file"),
        ({"type": "code_snippet", "path": "a.py", "lines": (3, 2)}, "there are no lines 3-2"),
        ({"relevance": 1001}, "relevance is from 0 to 1"),
        ({"tool": "Bash"}, "a tool goes with tool_result, and this is user_message"),
        ({"path": "a.py"}, "a file goes with code_snippet, and this is user_message"),
        ({"tool_calls": True}, "a call of tools goes with assistant_response"),
    ],
)
def test_what_no_item_can_be_is_refused_and_nothing_written(root: Path, given: dict[str, Any], sentence: str) -> None:
    window = opened(root)

    with pytest.raises(UsageError, match=sentence):
        window.add(**{"content": "x", **given})

    assert window.items == ()
    assert not (root / ".memory/local/windows/s1.json").exists()


def test_a_session_has_a_name(root: Path) -> None:
    for name in ("", "  ", "a\nb", "x" * 501):
        with pytest.raises(UsageError, match="a session has a printable name"):
            opened(root, session=name)
    with pytest.raises(UsageError, match="cannot hold 0 tokens"):
        opened(root, 0)


def test_a_snapshot_of_another_session_is_refused(root: Path) -> None:
    kept = opened(root, session="s2").snapshot()

    with pytest.raises(UsageError, match="is of the session s2"):
        opened(root).restore(kept)
    with pytest.raises(UsageError, match="s1 has no snapshot"):
        opened(root).restore(kept.id)
