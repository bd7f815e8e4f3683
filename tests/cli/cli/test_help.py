"""Help, and what is said to a command line that does not parse."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.cli.process import on_terminal, vfcc
from verifflowcc.base.terminal.declared import TEXTS
from verifflowcc.cli.cli.app import app

INTERNAL = re.compile(r"_\b|\bctx\b|None|int range|<str>|<path>|as_json|sprint_id|TEXT\.\.\.|\bTyper\b")
VERBS = {
    "Accept",
    "Add",
    "Allow",
    "Approve",
    "Ask",
    "Bring",
    "Change",
    "Check",
    "Choose",
    "Close",
    "Compare",
    "Compile",
    "Copy",
    "Create",
    "Decide",
    "Draft",
    "Expire",
    "Export",
    "Extract",
    "Find",
    "Go",
    "Import",
    "Keep",
    "Leave",
    "Link",
    "List",
    "Make",
    "Move",
    "Print",
    "Record",
    "Restore",
    "Reject",
    "Remember",
    "Remove",
    "Resume",
    "Retire",
    "Retry",
    "Run",
    "Say",
    "Serve",
    "Set",
    "Show",
    "Skip",
    "Start",
    "Store",
    "Upgrade",
    "Waive",
}


def _commands(command: object = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    command = command or get_command(app)
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from _commands(below, (*path, name))


COMMANDS = list(_commands())
MOST_LISTED = 45
"""So many lines all help screens have together; `vfcc help --all` has every command."""


@pytest.mark.points(16)
@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(tmp_path: Path, path: tuple[str, ...]) -> None:
    long = vfcc(tmp_path, *path, "--help", env={"COLUMNS": "80"})

    assert (long.code, long.err) == (0, "")
    lines = long.out.splitlines()
    assert lines[0].startswith(" ".join(("Usage: vfcc", *path)))
    first = lines[2].strip()
    assert path == () or re.split(r"\W", first)[0] in VERBS, f"not imperative: {first}"
    assert not INTERNAL.search(long.out), INTERNAL.search(long.out)
    assert "..." not in re.sub(r"\[ARGS\]\.\.\.", "", long.out), "a line is cut"
    assert max(map(len, lines)) <= 80
    for option in re.findall(r"^  (-.*)$", long.out, re.MULTILINE):
        assert re.search(r"\S  +\S", option) or lines[lines.index(f"  {option}") + 1].startswith("   " * 3), option


@pytest.mark.parametrize("path", [("stage", "reopen"), ("context",), ()], ids=" ".join)
def test_short_and_long_help_are_the_same(tmp_path: Path, path: tuple[str, ...]) -> None:
    assert vfcc(tmp_path, *path, "-h") == vfcc(tmp_path, *path, "--help")


@pytest.mark.parametrize("path", [("context", "show"), ()], ids=" ".join)
def test_help_fits_a_narrow_terminal(tmp_path: Path, path: tuple[str, ...]) -> None:
    shown = on_terminal(tmp_path, *path, "--help", columns=40)

    assert shown.code == 0
    assert max(map(len, shown.out.splitlines())) <= 40


def listed(text: str) -> list[str]:
    """The commands, and the groups of commands, that a help screen lists."""
    return re.findall(r"^  ([a-z]+)  ", text.partition("\nOptions:")[2].partition("\nExamples:")[0], re.MULTILINE)


def test_help_lists_at_most_45_commands_and_the_rest_are_callable(tmp_path: Path) -> None:
    groups = sorted({path[:length] for path in COMMANDS for length in range(len(path))})
    screens = {path: vfcc(tmp_path, *path, "--help").out for path in groups}
    shown = {path: listed(text) for path, text in screens.items()}

    assert shown[()][:10] == "init status next sprint stage context memory check approve doctor".split()
    assert sum(map(len, shown.values())) <= MOST_LISTED
    for path, names in shown.items():
        below = {each[-1] for each in COMMANDS if each and each[:-1] == path}
        assert set(names) <= below
        more = f"  {len(below - set(names))}{' more' if names else ''} command"
        assert (more in screens[path]) is (set(names) != below), path


def test_help_all_lists_every_command(tmp_path: Path) -> None:
    root = vfcc(tmp_path, "help", "--all")
    memory = vfcc(tmp_path, "help", "--all", "memory").out

    assert (root.code, root.err) == (0, "")
    for path in COMMANDS[1:]:
        section = root.out.partition(f"{' '.join(('vfcc', *path[:-1]))}:\n")[2].partition("\n\n")[0]
        assert re.search(rf"^  {path[-1]}  +[A-Z]", section, re.MULTILINE), path
    assert memory.startswith("vfcc memory:\n  add ")
    assert memory.rstrip("\n") in root.out


@pytest.mark.parametrize("line", ["", "sprint", "sprint start", "memory restore"])
def test_help_before_a_command_is_its_help(tmp_path: Path, line: str) -> None:
    assert vfcc(tmp_path, "help", *line.split()) == vfcc(tmp_path, *line.split(), "--help")


def test_options_of_all_commands_end_with_their_default() -> None:
    """Words of `(default: …)`, never `else`; and every default that a program has is in the text."""
    for path in COMMANDS:
        for each, context in _parameters(path):
            record = each.get_help_record(context)
            text = record[1] if record else ""
            assert not re.search(r"\belse\b|\[default", text), (path, text)
            assert "default" not in text or re.search(r"\(default: .+\)\.(  \[.*\])?$", text), (path, text)
            given = each.default
            if record and given not in (None, "", ()) and not isinstance(given, bool) and not callable(given):
                assert f"(default: {given})." in text, (path, text)


def test_m_is_the_short_form_of_every_option_for_a_text() -> None:
    for path in COMMANDS:
        options = [each.opts for each, _ in _parameters(path) if each.param_type_name == "option"]
        texts = [names for names in options if not TEXTS.isdisjoint(names)]
        assert [names for names in options if "-m" in names] == texts, path
        assert len(texts) <= 1, path


def _parameters(path: tuple[str, ...]) -> Iterator[tuple[Any, Any]]:
    command: Any = get_command(app)
    for name in path:
        command = command.commands[name]
    context = command.context_class(command, info_name="vfcc")
    for each in command.params:
        yield each, context


@pytest.mark.parametrize("group", [(), ("sprint",), ("context",)], ids=" ".join)
def test_a_group_alone_shows_its_help_and_is_not_done(tmp_path: Path, group: tuple[str, ...]) -> None:
    alone = vfcc(tmp_path, *group)

    assert (alone.code, alone.out) == (2, "")
    assert alone.err == vfcc(tmp_path, *group, "--help").out


@pytest.mark.points(3)
@pytest.mark.vfcc("REQ-ERRORS")
@pytest.mark.parametrize(
    ("line", "told", "hint"),
    [
        ("stauts", "no such command `stauts`; did you mean `vfcc status`?", "vfcc --help"),
        ("sprint strat", "no such command `strat`; did you mean `vfcc sprint start`?", "vfcc sprint --help"),
        ("zzz", "no such command `zzz`; vfcc has init, status, next, allow,", "vfcc --help"),
        ("zzz", "sprint, stage, context, evidence, memory, check, code, trace\n", "vfcc --help"),
        ("migrat", "no such command `migrat`; did you mean `vfcc migrate`?", "vfcc --help"),
        ("sprint new", "no such command `new`; did you mean `vfcc sprint start`?", "vfcc sprint --help"),
        ("sprint create", "no such command `create`; did you mean `vfcc sprint start`?", "vfcc sprint --help"),
        ("sprint ls", "no such command `ls`; did you mean `vfcc sprint list`?", "vfcc sprint --help"),
        ("memory rm", "no such command `rm`; did you mean `vfcc memory forget`?", "vfcc memory --help"),
        ("trace delete", "no such command `delete`; did you mean `vfcc trace retire`?", "vfcc trace --help"),
        ("trace check", "no such command `check`; did you mean `vfcc check trace`?", "vfcc trace --help"),
        ("memory status", "no such command `status`; did you mean `vfcc status`?", "vfcc memory --help"),
        ("advance", "no such command `advance`; did you mean `vfcc stage advance`?", "vfcc --help"),
        ("start", "no such command `start`; did you mean `vfcc sprint start`?", "vfcc --help"),
        ("new", "no such command `new`; did you mean `vfcc sprint start`?", "vfcc --help"),
        ("test", "no such command `test`; did you mean `vfcc evidence run`?", "vfcc --help"),
        ("sprint help", "no such command `help`; did you mean `vfcc sprint --help`?", "vfcc sprint --help"),
        ("help memori", "no such command `memori`; did you mean `vfcc memory`?", "vfcc --help"),
        ("help --all memori", "no such command `memori`; did you mean `vfcc memory`?", "vfcc --help"),
        ("trace clear REQ", "no such command `clear`; did you mean `vfcc trace review`?", "vfcc trace --help"),
        ("status --jsn", "vfcc status has no option --jsn; did you mean --json?", "vfcc status --help"),
        ("--frobnicate", "vfcc has no option --frobnicate; there is --quiet, --verbose,", "vfcc --help"),
        (
            "memory add --type decision x",
            "vfcc memory add has no option --type; it is given without a name: vfcc memory add TYPE TEXT",
            "vfcc memory add --help",
        ),
        ("stage list --agent x", "vfcc stage list has no option --agent; there is --sprint,", "vfcc stage list --help"),
        ("sprint start", "vfcc sprint start needs TITLE", "vfcc sprint start --help"),
        ("context show", "vfcc context show needs --agent ROLE", "vfcc context show --help"),
        ("context show --agent", "--agent needs a value", "vfcc context show --help"),
        ("trace matrix --format htm", "--format knows no htm; did you mean html?", "vfcc trace matrix --help"),
        ("check trace --format x", "--format knows no x; there is text, json, sarif,", "vfcc check trace --help"),
        ("status --json=yes", "--json takes no value", "vfcc status --help"),
        ("sprint list more", "vfcc sprint list takes no further argument: more", "vfcc sprint list --help"),
    ],
)
def test_a_slip_is_told_in_a_sentence_with_the_nearest_name(tmp_path: Path, line: str, told: str, hint: str) -> None:
    slip = vfcc(tmp_path, *line.split())

    slip.refused(2, told)
    assert slip.err.splitlines()[1:] == [f"hint: {hint}"]


@pytest.mark.vfcc("REQ-TERMINAL")
def test_what_a_person_typed_cannot_steer_the_terminal(tmp_path: Path) -> None:
    slip = vfcc(tmp_path, "\x1b[31mred\x07")

    slip.refused(2, "no such command")
    assert "\x1b" not in slip.err
    assert "\x07" not in slip.err


def test_the_version_is_one_line_in_both_ways(tmp_path: Path) -> None:
    fast = vfcc(tmp_path, "--version")
    full = vfcc(tmp_path, "--version", "--help")

    assert (fast.code, fast.err) == (0, "")
    assert re.fullmatch(r"vfcc \d+\.\d+\.\d+\n", fast.out)
    assert full.out == fast.out
