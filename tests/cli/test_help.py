"""Help, and what is said to a command line that does not parse."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from tests.cli.process import on_terminal, vfcc
from verifflowcc.cli.app import app

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
    "Retire",
    "Run",
    "Say",
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
HIDDEN = {"hook", "migrate", "window"}


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


def test_help_lists_the_daily_commands_first_and_plumbing_not_at_all(tmp_path: Path) -> None:
    lines = vfcc(tmp_path, "--help").out.split("\nExamples:")[0].splitlines()
    listed = [line.split()[0] for line in lines if re.match(r"  [a-z]", line)]

    assert listed[:10] == "init status next sprint stage context memory check approve doctor".split()
    assert sorted(listed) == sorted({path[0] for path in COMMANDS if len(path) == 1} - HIDDEN)
    memory = vfcc(tmp_path, "memory", "--help").out
    assert "\n  add " in memory
    assert "\n  copy " not in memory
    assert "\n  schema " not in memory
    for hidden in (*HIDDEN, "memory copy", "memory schema"):
        assert vfcc(tmp_path, *hidden.split(), "--help").out.startswith(f"Usage: vfcc {hidden}")


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
        ("stauts", "vfcc has no command stauts; did you mean status?", "vfcc --help"),
        ("sprint strat", "vfcc sprint has no command strat; did you mean start?", "vfcc sprint --help"),
        ("zzz", "vfcc has no command zzz; there is init, status, next,", "vfcc --help"),
        ("zzz", "evidence, baseline, feedback, task, memory, check, code, history, trace,", "vfcc --help"),
        ("migrat", "vfcc has no command migrat; did you mean migrate?", "vfcc --help"),
        ("status --jsn", "vfcc status has no option --jsn; did you mean --json?", "vfcc status --help"),
        ("--frobnicate", "vfcc has no option --frobnicate; there is --version,", "vfcc --help"),
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

    slip.refused(2, "has no command")
    assert "\x1b" not in slip.err
    assert "\x07" not in slip.err


def test_the_version_is_one_line_in_both_ways(tmp_path: Path) -> None:
    fast = vfcc(tmp_path, "--version")
    full = vfcc(tmp_path, "--version", "--help")

    assert (fast.code, fast.err) == (0, "")
    assert re.fullmatch(r"vfcc \d+\.\d+\.\d+\n", fast.out)
    assert full.out == fast.out
