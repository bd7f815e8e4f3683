"""What a person at a terminal sees of gates, refusals, traces and tables; a pipe gets the plain text."""

import re
import sys
from pathlib import Path

import pytest

from tests.cli.process import git, on_terminal, vfcc
from verifflowcc.base.terminal.table import status_of

COLORS = {"NO_COLOR": ""}
STYLE = re.compile(r"\x1b\[[0-9;]*m")
LOADED = """
import sys
from verifflowcc.fast import main
sys.argv = ["vfcc", *sys.argv[1:]]
try:
    main()
except SystemExit:
    print("rich" in {name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""


def plain(text: str) -> str:
    return STYLE.sub("", text)


def test_a_closed_gate_is_a_panel_and_so_is_the_refusal_to_leave(example: Path) -> None:
    git(example, "init", "-q")
    gate = on_terminal(example, "check", "gate", env=COLORS)
    refused = on_terminal(example, "stage", "advance", env=COLORS)
    why = on_terminal(example, "next", env=COLORS)

    assert gate.code == refused.code == 4
    lines = plain(gate.out).splitlines()
    assert lines[0].startswith("╭─ gate to leave sprint-02/coding ──")
    assert lines[1].startswith("│ ✗ failed changes (hard): nothing matches ")
    assert "│ ✓ passed upstream: planning, design " in plain(gate.out)
    assert re.search(r"─ closed: 1 of 2 blocks ─╯\n\nnext: vfcc stage put changes.md", plain(gate.out))
    assert "\x1b[1;31m✗ failed" in gate.out
    assert plain(refused.err).startswith("╭─ sprint-02 cannot leave coding: 1 of 2 criteria is not met ─")
    assert "\n\x1b[1mhint:\x1b[0m \x1b[36mvfcc stage put changes.md" in refused.err
    assert plain(why.out).startswith("▶ vfcc stage put changes.md")
    assert "\n  because coding cannot be left yet: changes: nothing matches" in plain(why.out)


def test_traces_are_trees(example: Path) -> None:
    story = plain(on_terminal(example, "trace", "why", "REQ-OFFLINE", env=COLORS, columns=120).out)
    page = plain(on_terminal(example, "trace", "show", "NEED-TABLES", env=COLORS).out)
    touched = plain(on_terminal(example, "trace", "impact", "NEED-TABLES", env=COLORS).out)

    assert "├── what is wrong\n│   ├── error not-verified: REQ-OFFLINE" in story
    assert "│   ├── refines REQ-HEIGHTS: As right as the office's table  [unreviewed]" in page
    assert "├── REQ-CALENDAR refines  Export to a calendar" in touched


def test_a_status_has_its_symbol_and_its_word_in_a_table(example: Path) -> None:
    seen = on_terminal(example, "stage", "list", env=COLORS)

    assert "\x1b[32m✓ passed" in seen.out
    assert "▶ active" in plain(seen.out)
    assert max(map(len, plain(seen.out).splitlines())) <= 80


def test_help_has_the_same_words_in_color(tmp_path: Path) -> None:
    for line in (("--help",), ("stage", "advance", "--help"), ("stage",)):
        seen, piped = on_terminal(tmp_path, *line, env=COLORS), vfcc(tmp_path, *line)
        assert "\x1b[1mUsage:\x1b[0m vfcc" in seen.out + seen.err
        assert plain(seen.out) == piped.out
        assert plain(seen.err) == piped.err


def test_a_result_that_does_not_count_is_not_green() -> None:
    for word in ("passed (stale); price.py changed", "passed (untrusted)", "passed, not discriminating"):
        assert status_of(word)[0] == "stale"
    for word in ("passed", "passed, proven", "passed on this content, says testing/tests"):
        assert status_of(word)[0] == "passed"


def test_a_file_gets_plain_text_from_a_terminal(example: Path) -> None:
    command = ("trace", "matrix", "--format", "text", "-o", "matrix.txt")
    assert vfcc(example, *command).code == 0
    piped = (example / "matrix.txt").read_bytes()

    assert on_terminal(example, *command, env=COLORS, columns=200).code == 0

    assert (example / "matrix.txt").read_bytes() == piped


@pytest.mark.parametrize("command", ["status", "stage list", "check gate", "trace show REQ-OFFLINE", "stage advance"])
def test_rich_is_not_imported_in_a_pipe(example: Path, command: str) -> None:
    ran = vfcc(example, *command.split(), program=(sys.executable, "-c", LOADED))

    assert ran.err.endswith("False\n")
