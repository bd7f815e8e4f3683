"""The reference pages have every command, option, key of the configuration and exit code."""

import re
import runpy
from pathlib import Path

import pytest
from typer.main import get_command

from verifflowcc.base import errors
from verifflowcc.cli.cli.app import app
from verifflowcc.cli.cli.run import ERROR, INTERRUPTED, USAGE
from verifflowcc.run.cli.run_command import EXIT_CODES

PAGES = Path(__file__).parents[3] / "docs" / "reference"
MADE = runpy.run_path(str(PAGES.with_suffix(".py")))


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda path: path.stem)
def test_a_page_has_what_the_program_has(path: Path) -> None:
    page = path.read_text(encoding="utf-8")

    assert page == MADE["with_parts"](page), "python docs/reference.py writes it again"


def test_every_command_that_help_lists_is_in_the_reference() -> None:
    root = get_command(app)
    shown = {name for name, each in getattr(root, "commands", {}).items() if not each.hidden}

    assert shown <= MADE["listed"]((PAGES / "commands.md").read_text(encoding="utf-8"))


def test_every_key_of_the_configuration_is_explained() -> None:
    lines = [*MADE["settings"]("all")][1:]

    assert len(lines) > 60
    assert [line for line in lines if line.count(" | ") != 3 or line.endswith("|  |")] == []


@pytest.mark.vfcc("REQ-ERRORS")
def test_every_exit_code_is_in_the_reference_and_no_other() -> None:
    page = (PAGES / "exit-codes.md").read_text(encoding="utf-8")
    told = {int(code) for code in re.findall(r"(?m)^\| (\d+) \|", page)}
    raised = {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.VfccError)
    }

    assert told == raised | {0, USAGE, ERROR, INTERRUPTED, *EXIT_CODES.values()}
