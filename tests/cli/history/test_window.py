"""`vfcc window`, as agents, people and pipes use it."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import VFCC, environment, on_terminal, vfcc
from tests.cli.prompt.test_killed import STOPPER

SMALL = "format: 1\nmemory:\n  window: {total_tokens: 120, buffer_tokens: 20}\n"
SECRET = "sk-ant-api03-" + "aB3dE5fG7h" * 9


def added(folder: Path, text: str, *options: str) -> dict[str, Any]:
    done = vfcc(folder, "window", "add", text, *options, "--json", "--full")
    assert done.code == 0, done
    value: dict[str, Any] = done.data
    return value


def shown(folder: Path, *options: str) -> dict[str, Any]:
    done = vfcc(folder, "window", "show", *options, "--json", "--full")
    assert done.code == 0, done
    value: dict[str, Any] = done.data
    return value


@pytest.fixture
def small(young: Path) -> Path:
    """A project whose windows hold 100 tokens."""
    (young / ".memory/config.yaml").write_text(SMALL, encoding="utf-8")
    return young


@pytest.fixture
def full(small: Path) -> Path:
    """A window of 88 of 100 tokens."""
    added(small, "You fix bugs.", "--type", "system_prompt", "--session", "s1")
    added(small, "one " * 40, "--type", "tool_result", "--tool", "Bash")
    added(
        small, "def f(): ... " * 4, "--type", "code_snippet", "--file", "a.py", "--lines", "3-9", "--relevance", "0.8"
    )
    added(small, "two " * 20, "--task", "login")
    return small


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-WINDOW-ITEMS")
def test_a_window_is_filled_and_shown(young: Path) -> None:
    begun = vfcc(young, "window", "add", "You fix bugs.", "--type", "system_prompt", "--session", "s1")
    assert begun.out == "system_prompt: 4 tokens\ns1: 4 of 180,000 tokens (0.0 %)\n"
    code = vfcc(young, *"window add pass --type code_snippet --file a.py --lines 10-20 --relevance 0.8".split())
    assert code.out.startswith("code_snippet of a.py:10-20: 1 token\n")
    vfcc(young, "window", "add", "The login fails", "--task", "login", "--sticky")

    table = vfcc(young, "window", "show").out.splitlines()

    assert table[0] == "s1, task login: 8 of 180,000 tokens (0.0 %)"
    assert [line.split() for line in table[1:5]] == [
        ["item", "tokens", "relevance", "age", "says"],
        ["system_prompt", "*", "4", "100.000", "0", "min", "You", "fix", "bugs."],
        ["code_snippet", "1", "0.560", "0", "min", "a.py:10-20"],
        ["user_message", "*", "3", "3.000", "0", "min", "The", "login", "fails"],
    ]
    assert table[5:] == ["* is never pruned", "pruning begins above 144,000 tokens"]


@pytest.mark.sweep
def test_the_table_fits_a_terminal_of_80_columns(young: Path) -> None:
    added(young, "A long text that goes on and on, " * 20, "--session", "s" * 60)
    added(young, "x", "--type", "code_snippet", "--file", f"{'folder/' * 12}name.py", "--lines", "10-20")
    added(young, "x" * 300, "--type", "assistant_response")

    seen = on_terminal(young, "window", "show", columns=80)
    vfcc(young, "window", "prune", "--force")
    kept = on_terminal(young, "window", "snapshots", columns=80)

    assert seen.code == kept.code == 0
    assert max(map(len, (*seen.out.splitlines()[1:], *kept.out.splitlines()))) <= 80


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-WINDOW-THRESHOLD", "REQ-WINDOW-PRUNE", "REQ-WINDOW-SNAPSHOTS")
def test_a_window_that_is_nearly_full_is_pruned_and_can_be_had_again(full: Path) -> None:
    before = shown(full)
    assert (before["tokens"] > 80, before["limit_tokens"], before["share"]) == (True, 100, before["tokens"] / 100)
    assert vfcc(full, "window", "show").out.endswith("it is above 80 tokens: vfcc window prune\n")

    done = vfcc(full, "window", "prune")

    lines = done.out.splitlines()
    assert lines[0] == "2 items removed from s1, 58 tokens"
    assert lines[1].startswith("  code_snippet, ")
    assert lines[2].startswith("  tool_result, ")
    restore = lines[-1].partition("vfcc ")[2].split()
    again = vfcc(full, "window", "prune")
    assert again.out.startswith("nothing was removed from s1: no more than 80 % of the limit is in use\n")

    vfcc(full, "window", "restore", "01").refused(2, "01 can be any of 2 snapshots: ")
    back = vfcc(full, *restore)

    assert back.code == 0
    assert [each["item"] for each in shown(full)["items"]] == [each["item"] for each in before["items"]]
    listed = vfcc(full, "window", "snapshots").out.splitlines()
    assert [line.split()[3] for line in listed[1:]] == ["manual", "pruning", "task_switch"]


@pytest.mark.sweep
def test_with_force_any_window_is_pruned_but_for_what_is_sticky(young: Path) -> None:
    added(young, "You fix bugs.", "--type", "system_prompt", "--session", "s1")
    added(young, "One")

    forced = vfcc(young, "window", "prune", "--force")
    nothing = vfcc(young, "window", "prune", "--force")

    assert forced.out.startswith("1 item removed from s1, 1 token\n")
    assert [each["item"]["content"] for each in shown(young)["items"]] == ["You fix bugs."]
    assert (nothing.code, nothing.out.splitlines()[0]) == (
        0,
        "nothing was removed from s1: there is no item that is not sticky",
    )


def test_without_a_name_the_window_that_was_written_last_is_meant(young: Path) -> None:
    added(young, "One", "--session", "s1")
    added(young, "Two", "--session", "s2")

    assert shown(young)["session"] == "s2"
    assert shown(young, "--session", "s1")["items"][0]["item"]["content"] == "One"


@pytest.mark.sweep
def test_a_text_can_come_from_a_pipe_cannot_steer_the_terminal_and_keeps_no_secret(young: Path) -> None:
    text = f"\x1b[31mred\x1b[0m \u202eabc\r\n{SECRET}\n"
    done = subprocess.run(
        [VFCC, *"window add --stdin --type tool_result --tool cat --session s1".split()],
        cwd=young,
        env=environment(young.parent),
        input=text.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr

    seen = on_terminal(young, "window", "show")

    assert not set(seen.out) & {"\x1b", "\u202e"}
    kept = shown(young)["items"][0]["item"]["content"]
    assert kept.startswith("\x1b[31mred\x1b[0m")
    assert SECRET not in kept
    for path in (young / ".memory").rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes(), path


@pytest.mark.points(6)
@pytest.mark.parametrize(
    ("line", "told", "hint"),
    [
        ("show", "there is no window yet", 'vfcc window add "The text" --session ID'),
        ("add x", "there is no window yet", 'vfcc window add "The text" --session ID'),
        ("prune --session s9", "there is no window of a session s9", "vfcc window show"),
        ("add", "say a text or --stdin, one of the two", 'vfcc window add "The text"'),
        ("add x --session s1 --type usr_message", "did you mean user_message?", "--type user_message"),
        ("add x --session s1 --type code_snippet", "a code_snippet is from a file", "--file PATH --lines 10-20"),
        ("add x --session s1 --lines ten", "'ten' are no lines", "--lines 10-20"),
        ("add x --session s1 --relevance 1.5", "'1.5' is no relevance", "--relevance 0.8"),
        ("add x --session s1 --tool Bash", "a tool goes with tool_result", "--type tool_result"),
        ("restore 01 --session s1", "s1 has no snapshot 01", "vfcc window snapshots"),
    ],
)
def test_a_slip_is_told_with_what_to_do(young: Path, line: str, told: str, hint: str) -> None:
    slip = vfcc(young, "window", *line.split())

    slip.refused(2, told)
    assert slip.err.splitlines()[1] == f"hint: {hint}"
    assert not list((young / ".memory/local").glob("windows/*.json"))


def test_a_file_that_is_no_window_is_told_without_a_traceback(young: Path) -> None:
    added(young, "x", "--session", "s1")
    (young / ".memory/local/windows/s1.json").write_text("{", encoding="utf-8")

    for line in ("show", "add y", "prune", "snapshots", "restore 01"):
        vfcc(young, "window", *line.split()).refused(3, "s1.json:1: not a window: is not JSON", "hint: rm ")


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-WINDOW-SUMMARIES")
@pytest.mark.parametrize("point", range(1, 34, 3))
def test_a_pruning_that_is_killed_anywhere_removed_nothing_that_is_not_on_record(full: Path, point: int) -> None:
    before = [each["item"] for each in shown(full)["items"]]

    program = (sys.executable, "-B", "-c", STOPPER, str(point), "SIGKILL")
    killed = vfcc(full, "window", "prune", program=program)

    assert killed.code in (0, -signal.SIGKILL)
    after = [each["item"] for each in shown(full)["items"]]
    assert after in (before, [each for each in before if each["type"] not in ("code_snippet", "tool_result")])
    if after != before:
        lines = [line for path in (full / ".memory/local/history").glob("*") for line in path.read_text().splitlines()]
        kinds = [json.loads(line)["kind"] for line in lines]
        assert {"file_interaction", "pruned", "window_snapshot"} <= set(kinds)
        assert vfcc(full, "window", "snapshots").out.splitlines()[1].split()[3] == "pruning"
    assert vfcc(full, "window", "prune").code == 0
    assert not list((full / ".memory/local/windows").rglob(".vfcc-*"))


def test_outside_of_a_project_there_are_no_windows(tmp_path: Path) -> None:
    vfcc(tmp_path, "window", "show").refused(3, "no .memory/ in", "hint: vfcc init")
