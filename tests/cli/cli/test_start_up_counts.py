"""What daily commands import, compile and start is within a budget: counts, which no load of the machine moves."""

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from typer import Context
from typer.main import get_command

from benchmarks.start_up_counts import CODE, DAILY, READS, WARMING, counts
from tests.cli.process import environment, git
from verifflowcc.cli.cli.app import app_for, whole_app

MOST = {
    "next": (108, 7, 1),
    "stage show": (115, 7, 1),
    "status": (63, 7, 0),
    "check gate": (110, 7, 1),
    "memory add": (106, 7, 0),
    "memory list": (91, 7, 0),
    "memory inbox": (104, 7, 0),
    "feedback add": (86, 8, 0),
    "trace why": (103, 7, 2),
    "trace list": (94, 7, 2),
    "code refs": (56, 7, 1),
    "code impact": (120, 12, 1),
    "context show": (183, 14, 2),
    "evidence list": (102, 7, 1),
}
"""At most so many modules of the package, patterns compiled at import, and processes; 120, 40 and 2 are the target.

These figures only fall: where a command has less, write the lower figure here."""
DRIVES = re.compile(r"verifflowcc\.run\.(?!cli)")


@pytest.fixture
def warm(example: Path, tmp_path: Path) -> Path:
    """The worked example in git, with a little code and warm caches."""
    (example / "tides.py").write_text(CODE, encoding="utf-8")
    git(example, "init", "-q", "-b", "main")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    for name in WARMING:
        counts(DAILY[name], example, environment(tmp_path))
    return example


def test_daily_commands_stay_within_their_start_up_budget(warm: Path, tmp_path: Path) -> None:
    env = environment(tmp_path)
    found = {name: counts(words, warm, env) for name, words in DAILY.items()}
    everything = {**found, "help": counts(("--help",), warm, env)}

    rows = {name: each.row for name, each in found.items()}
    over = {
        name: f"{row}, at most {MOST[name]}"
        for name, row in rows.items()
        if any(count > most for count, most in zip(row, MOST[name], strict=True))
    }
    assert not over
    drivers = {name for name, each in everything.items() if any(map(DRIVES.match, each.modules))}
    assert not drivers, "only `vfcc run` imports what drives agents"
    assert {name: each.heavy for name, each in found.items() if name in READS and each.heavy} == {}
    assert "verifflowcc.cli.cli.run" in found["next"].modules
    assert "verifflowcc.prompt.rules.compile" in found["context show"].modules


def test_a_trace_before_the_first_sprint_imports_no_gate(warm: Path, tmp_path: Path) -> None:
    with_sprints = counts(DAILY["trace why"], warm, environment(tmp_path))
    rmtree(warm / ".memory" / "sprint")
    without = counts(DAILY["trace why"], warm, environment(tmp_path))

    gates = {each for each in with_sprints.modules if each.startswith("verifflowcc.gates.")}
    assert gates
    assert gates.isdisjoint(without.modules)


def test_every_ceiling_is_of_a_command_that_is_counted() -> None:
    assert MOST.keys() == DAILY.keys()


def test_the_app_for_one_command_parses_it_as_the_whole_app_does() -> None:
    for words, command in _commands(get_command(whole_app()), ()):
        here: Any = get_command(app_for(words))
        for word in words:
            here = here.commands[word]
        assert here.get_help(Context(here)) == command.get_help(Context(command)), words
        assert [(each.name, each.opts, each.required) for each in here.params] == [
            (each.name, each.opts, each.required) for each in command.params
        ], words


def _commands(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, each in getattr(group, "commands", {}).items():
        yield (*path, name), each
        yield from _commands(each, (*path, name))
